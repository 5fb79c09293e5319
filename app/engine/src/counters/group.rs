//! Files that may belong together: the flavours of mcProfiler reports are put together, all else is
//! a report of its own. Each file is read, used and let go before the next one is opened.

use std::path::PathBuf;

use assay_core::view::FileView;
use assay_profile::Format;
use assay_profile::formats::mcprofiler::{FileRead, Outcome, Run, read_folder};

use super::open::{EMPTY, Looked, NO_REPORT, Opened, OpenedReport, Opening, how_much, read};
use crate::error::Error;

/// Whether the format is a flavour of mcProfiler's output.
pub(super) fn is_mcprofiler(format: Format) -> bool {
    matches!(
        format,
        Format::McProfilerDumped
            | Format::McProfilerTxtJson
            | Format::McProfilerTxt
            | Format::McProfilerCsv
            | Format::McProfilerHardware
    )
}

/// Reads files that may belong together; `named` says that the user named each of them.
pub(super) fn read_group(
    opening: &Opening<'_>,
    paths: Vec<PathBuf>,
    named: bool,
    out: &mut Opened,
) {
    // Where the entry of each part is, in the order in which the parts are handed over.
    let mut parts: Vec<usize> = Vec::new();
    let mut reports: Vec<OpenedReport> = Vec::new();
    let put_together = read_folder(paths.into_iter().filter_map(|path| {
        if opening.cancel.is_cancelled() {
            return None;
        }
        let shown = path.display().to_string();
        match opening.look(&path, false, true) {
            Looked::Part {
                bytes,
                sha256,
                notice,
            } => {
                parts.push(out.files.len());
                let why = if bytes.is_empty() { EMPTY } else { NO_REPORT };
                out.files.push(FileView {
                    sha256: Some(sha256.to_string()),
                    ..entry(&shown, "not_a_report", why)
                });
                out.notices.extend(notice.map(|n| format!("{shown}: {n}")));
                return Some((shown, bytes));
            }
            Looked::Read { profile, sha256 } => {
                out.files.push(read(&shown, &profile, sha256));
                reports.push(OpenedReport {
                    path: shown,
                    profile: *profile,
                    is_main: true,
                });
            }
            Looked::Failed(e) => out.fail(shown, e),
            Looked::NotAReport(why) => out.files.push(entry(&shown, "not_a_report", &why)),
        }
        None
    }));
    for (at, file) in parts.into_iter().zip(put_together.files) {
        settle(out, at, file, named);
    }
    put_together.runs.into_iter().for_each(|r| run(r, out));
    out.reports.append(&mut reports);
}

/// Says what became of a part.
fn settle(out: &mut Opened, at: usize, file: FileRead, named: bool) {
    let Some(view) = out.files.get_mut(at) else {
        return;
    };
    let (outcome, detail, counters) = match file.outcome {
        Outcome::Read { flavour, counters } => ("read", how_much(flavour, &file.notices), counters),
        Outcome::NotUsed(why) => ("not_used", why, 0),
        Outcome::Unreadable(why) => ("unreadable", why, 0),
        Outcome::NotAReport if named => ("unreadable", "no reader knows the content".to_owned(), 0),
        Outcome::NotAReport => ("not_a_report", view.detail.clone(), 0),
    };
    view.outcome = outcome.into();
    view.detail = detail;
    view.counters = counters;
    if outcome != "read" {
        view.sha256 = None;
    }
    if outcome == "unreadable" {
        let e = Error::input(format!("{}: {}", view.path, view.detail));
        out.failures.push(e);
    }
}

fn entry(path: &str, outcome: &str, detail: &str) -> FileView {
    FileView {
        path: path.to_owned(),
        outcome: outcome.to_owned(),
        detail: detail.to_owned(),
        counters: 0,
        sha256: None,
    }
}

/// The reports of one run of the tool: what each kernel did, before the sums.
fn run(run: Run, out: &mut Opened) {
    let path = if run.folder.is_empty() {
        ".".to_owned()
    } else {
        run.folder
    };
    let mut has_main = false;
    let mut add = |profile: Option<assay_profile::Profile>, is_sum: bool| {
        let Some(profile) = profile else { return };
        let is_main = !(is_sum && has_main);
        has_main |= is_main;
        out.reports.push(OpenedReport {
            path: path.clone(),
            profile,
            is_main,
        });
    };
    add(run.kernels, false);
    add(run.unclear, false);
    add(run.aggregate, true);
    run.hardware.into_iter().for_each(|p| add(Some(p), true));
}
