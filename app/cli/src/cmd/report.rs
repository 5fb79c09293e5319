//! The report, and whether it can be trusted.

use assay_core::text::inert;
use assay_engine::report::{Format, Lang as ReportLang, ReportCheck, Stored};
use assay_engine::workbench::Workbench;
use assay_engine::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::{OK, open, show};
use crate::args::{Cli, Lang, ReportArgs, ReportFormat};
use crate::exit::{Code, DONE, WORSE};
use crate::print::change::count;
use crate::setup;

/// `assay report --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportView {
    /// `assay.report/1`.
    pub schema: String,
    /// `en` or `zh`.
    pub lang: String,
    /// Format of the text, e.g. `md`.
    pub format: String,
    /// The report.
    pub text: String,
    /// The file that was written, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The other formats, where several were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Self>,
}

/// `assay report`.
pub fn report(cli: &Cli, args: &ReportArgs) -> Result<Code> {
    let bench = open(cli)?;
    let lang = match setup::lang(cli) {
        Lang::En => ReportLang::En,
        Lang::Zh => ReportLang::Zh,
    };
    if args.check {
        return check(cli, &bench, lang, args);
    }
    let (output, suffix) = (args.output.as_deref(), lang.name());
    let mut all: Vec<Format> = Vec::new();
    for format in args.format.iter().map(|f| match f {
        ReportFormat::Md => Format::Markdown,
        ReportFormat::Html => Format::Html,
        ReportFormat::Csv => Format::Csv,
        ReportFormat::Json => Format::Json,
        ReportFormat::Pr => Format::PullRequest,
    }) {
        if !all.contains(&format) {
            all.push(format);
        }
    }
    if all.is_empty() {
        all.push(Format::Markdown);
        // Whoever brings a log wants its table to go on with.
        if output.is_some() && bench.has_logs()? {
            all.push(Format::Csv);
        }
    }
    if all.len() > 1 && output.is_none() {
        return Err(Error::input("several formats are several files")
            .hint("name a folder for them with -o DIR"));
    }
    // Everything is made before the first file is written.
    let writer = bench.writer(args.template.as_deref(), lang)?;
    let by_template = all
        .iter()
        .any(|f| matches!(f, Format::Markdown | Format::Html));
    if let (Some(writer), true) = (&writer, by_template) {
        setup::note(&format!("by the template {}", writer.path().display()));
    }
    let reports = bench.reports_by(writer.as_ref(), &all, lang)?;
    let mut views = Vec::new();
    for (format, text) in all.iter().zip(reports) {
        let ending = format.ending();
        // Figures alone have no language.
        let name = match format.has_words() {
            true => format!("report.{suffix}.{ending}"),
            false => format!("report.{ending}"),
        };
        let path = output
            .map(|folder| bench.write_report(folder, &name, &text))
            .transpose()
            .inspect_err(|_| written(&views))?;
        if let Some(notice) = path.as_ref().and_then(Stored::notice) {
            setup::note(&notice);
        }
        views.push(ReportView {
            schema: "assay.report/1".into(),
            lang: suffix.into(),
            format: ending.into(),
            text,
            path: path.map(|p| p.path.display().to_string()),
            more: Vec::new(),
        });
    }
    let mut views = views.into_iter();
    let Some(mut view) = views.next() else {
        return OK;
    };
    view.more = views.collect();
    show(cli, &view, || match &view.path {
        Some(_) => std::iter::once(&view)
            .chain(&view.more)
            .filter_map(|v| v.path.as_ref())
            .map(|p| format!("{p}\n"))
            .collect(),
        None => view.text.clone(),
    })?;
    OK
}

/// Says which files were written before one could not be.
fn written(views: &[ReportView]) {
    let paths: Vec<&str> = views.iter().filter_map(|v| v.path.as_deref()).collect();
    if !paths.is_empty() {
        setup::note(&format!("written before it failed: {}", paths.join(", ")));
    }
}

/// `assay report --check`.
fn check(cli: &Cli, bench: &Workbench, lang: ReportLang, args: &ReportArgs) -> Result<Code> {
    let done = bench.check_report(lang, args.template.as_deref(), &args.files)?;
    show(cli, &done, || text(&done))?;
    Ok(Code(if done.ok { DONE } else { WORSE }))
}

fn text(done: &ReportCheck) -> String {
    let mut out = String::new();
    let mut item = |mark: &str, what: &str, found: &[String]| {
        out.push_str(&format!("{mark:<8} {}\n", inert(what)));
        for f in found {
            out.push_str(&format!("         {}\n", inert(f)));
        }
    };
    for rule in &done.rules {
        let mark = match rule.checked.holds {
            Some(true) => "ok",
            Some(false) => "FAILED",
            None => "unknown",
        };
        item(mark, &rule.text, &rule.checked.found);
    }
    let of = |problems: &[String]| if problems.is_empty() { "ok" } else { "FAILED" };
    if let Some(t) = &done.template {
        item(
            of(&t.problems),
            &format!("template {}", t.path),
            &t.problems,
        );
    }
    for f in &done.files {
        let mut what = format!("{} ({}): ", f.path, f.form);
        if !f.problems.is_empty() {
            what.push_str(&format!(
                "{} otherwise than the records say; ",
                count(f.problems.len(), "place")
            ));
        }
        // A document in JSON is one line, and its values are told apart by their places.
        let unit = if f.form == "json" { "value" } else { "line" };
        what.push_str(&format!("{} as the records come to", count(f.same, unit)));
        if f.words > 0 {
            what.push_str(&format!(
                "; words were added in {}",
                count(f.words, "place")
            ));
        }
        item(of(&f.problems), &what, &f.problems);
    }
    out.push_str(match done.ok {
        true => "nothing stands against this write-up\n",
        false => "this write-up cannot be trusted as it stands\n",
    });
    out
}
