//! `assay import LOG…`: benchmark logs.

use assay_core::text::inert;
use assay_core::view::{ImportedLogView, LogImportView};
use assay_engine::logs::LogRequest;
use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Error, Result, Workbench};

use super::{OK, say, show};
use crate::args::{Cli, ImportArgs};
use crate::exit::Code;
use crate::print::change::count;
use crate::setup;

/// Rows without a time that are told one by one.
const TOLD: usize = 20;

/// Whether the paths are benchmark logs, not ledgers.
pub fn are_logs(args: &ImportArgs) -> Result<bool> {
    let folders: Vec<_> = args.paths.iter().filter(|p| p.is_dir()).collect();
    if folders.len() == args.paths.len() {
        let words = args.log.is_given() || args.note.is_some() || args.target.is_some();
        return match folders.first().filter(|_| words) {
            None => Ok(false),
            Some(folder) => Err(Error::input(format!(
                "{}: it is a folder, whose ledger is taken as it is; what else was asked for is about benchmark logs, which are files",
                inert(&folder.display().to_string())
            ))),
        };
    }
    match folders.first() {
        None => Ok(true),
        Some(folder) => Err(Error::input(format!(
            "{} is a folder and others are files: ledgers and benchmark logs are not imported together",
            inert(&folder.display().to_string())
        ))
        .hint("call `assay import` for each kind")),
    }
}

/// Files benchmark logs.
pub fn import(cli: &Cli, args: ImportArgs) -> Result<Code> {
    let bench = Workbench::open_for_logs(setup::options(cli)?)?;
    for remark in bench.remarks.iter().filter(|_| bench.git.is_some()) {
        setup::note(remark);
    }
    let cancel = Cancel::new();
    let signals = cancel_on_signals(&cancel)?;
    let request = LogRequest {
        kind: args.log.kind,
        rule: args.log.rule(),
        paths: args.paths,
        baselines: args.log.baselines,
        target: args.target,
        note: args.note,
        dry_run: args.log.dry_run,
    };
    let view = bench.import_logs(&request, &cancel)?;
    drop(signals);
    let tables = |as_csv| -> Vec<String> {
        let logs = view.logs.iter().filter(|_| request.dry_run);
        logs.map(|l| bench.log_preview(l, &request, as_csv))
            .collect()
    };
    if args.log.csv && !cli.json {
        say(&tables(true).join("\n"))?;
        return OK;
    }
    show(cli, &view, || text(&view, &tables(false)))?;
    OK
}

fn text(view: &LogImportView, tables: &[String]) -> String {
    let mut out = String::new();
    for (i, log) in view.logs.iter().enumerate() {
        out.push_str(&one(log, view.dry_run));
        if let Some(table) = tables.get(i) {
            out.push_str(&format!("\n{table}\n"));
        }
    }
    if view.dry_run {
        out.push_str("nothing was written\n");
        return out;
    }
    if let Some(folder) = &view.folder {
        out.push_str(&format!("kept in {}\n", inert(folder)));
    }
    out.push_str("next: `assay report -o DIR` writes the tables as Markdown and CSV\n");
    out
}

fn one(log: &ImportedLogView, dry_run: bool) -> String {
    let mut out = String::new();
    let mut line = |text: String| out.push_str(&format!("{}\n", inert(&text)));
    let id = log.id.as_deref().unwrap_or_default();
    let head = match (log.already, dry_run) {
        (true, _) => format!("filed already as {id}: {}", log.path),
        (false, true) => format!("would be filed: {}", log.path),
        (false, false) => format!("filed as {id}: {}", log.path),
    };
    let subjects: Vec<&str> = log
        .subjects
        .iter()
        .map(String::as_str)
        .filter(|s| !s.is_empty())
        .collect();
    let of = match subjects.as_slice() {
        [] => String::new(),
        some => format!(" of {}", some.join(", ")),
    };
    let failed = match log.failed {
        0 => String::new(),
        n => format!("; {} without a time", count(n as usize, "row")),
    };
    line(format!(
        "{head}, read as {}: {}{of}{failed}",
        log.kind,
        count(log.timed as usize, "time")
    ));
    if let Some(corrects) = &log.corrects {
        line(format!(
            "it corrects {corrects}, the same log with other words beside it"
        ));
    }
    if let Some(device) = &log.device {
        line(format!("device: {device}"));
    }
    if !log.baselines.is_empty() {
        line(format!("held against: {}", log.baselines.join(", ")));
    }
    for p in log.problems.iter().take(TOLD) {
        let place = match p.line {
            0 => log.path.clone(),
            n => format!("{}:{n}", log.path),
        };
        line(format!(
            "no time: {place}: {}: {}: {}",
            p.row, p.kind, p.message
        ));
    }
    if log.failed > TOLD as u64 {
        line(format!(
            "and {} more rows without a time; --json lists them",
            log.failed - TOLD as u64
        ));
    }
    for n in &log.notices {
        line(format!("note: {n}"));
    }
    out
}
