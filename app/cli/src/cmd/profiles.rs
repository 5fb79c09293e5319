//! Profiler reports in a campaign: `import --variant`, `audit`, `compare --counters`.

use assay_core::text::inert;
use assay_core::view::{CounterCompareView, ProfileImportView};
use assay_engine::profiles::{
    CounterRequest, ImportRequest, compare_files, counters_csv, counters_markdown,
};
use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Result};

use super::{OK, open, say, show};
use crate::args::{AuditArgs, Cli, CompareArgs, ImportArgs, TableFormat};
use crate::exit::{Code, DONE, WORSE};
use crate::print::change::count;
use crate::print::paint::Paint;
use crate::print::table::{room, terminal_width};
use crate::print::{audit as audit_text, comparison};
use crate::setup;

/// `assay import PATH… --variant NAME`.
pub fn import(cli: &Cli, args: ImportArgs, variant: String) -> Result<Code> {
    let data = setup::data(cli, args.profiles.as_deref())?;
    let bench = open(cli)?;
    let cancel = Cancel::new();
    let signals = cancel_on_signals(&cancel)?;
    let request = ImportRequest {
        paths: args.paths,
        variant,
        workload: args.workload,
        kernel: args.kernel,
        launch: args.launch,
        aggregate: args.aggregate,
        target: args.target.unwrap_or_else(|| "local".to_owned()),
        format: Some(args.format),
        mapping: args.mapping,
        source: args.source,
        note: args.note,
    };
    let view = bench.import_profile(&request, &data, &cancel)?;
    drop(signals);
    show(cli, &view, || imported(&view))?;
    OK
}

/// What was filed, and what was not read.
fn imported(view: &ProfileImportView) -> String {
    let mut out = String::new();
    for r in &view.records {
        let of = match (&r.kernel, r.tool.as_str()) {
            (Some(row), "published") => format!("published figures of the row {row}"),
            (Some(kernel), tool) => {
                format!("{} of {kernel} from {tool}", count(r.counters, "counter"))
            }
            (None, tool) => format!(
                "{} of all kernels together from {tool}",
                count(r.counters, "counter")
            ),
        };
        let launches = match r.launches {
            Some(n) if n > 1 && r.varying > 0 => format!(
                ", medians of {n} launches ({} differ between them)",
                count(r.varying, "counter")
            ),
            Some(n) if n > 1 => format!(", {n} launches"),
            _ => String::new(),
        };
        let head = if r.already {
            format!("filed already under {}", view.variant)
        } else {
            format!("filed under {}", view.variant)
        };
        let line = format!("{head} on {}: {of}{launches} ({})", r.workload, r.id);
        out.push_str(&format!("{}\n", inert(&line)));
    }
    out.push_str(match view.source_checked.as_str() {
        "same" => "its source is the captured one\n",
        "differs" => "its source is NOT the captured one; every audit says so\n",
        _ => "its source was not checked; --source FILE does it\n",
    });
    let read = view.files.iter().filter(|f| f.outcome == "read").count();
    out.push_str(&format!("{} read\n", count(read, "file")));
    for f in view.files.iter().filter(|f| f.outcome == "unreadable") {
        let line = format!("not read: {}: {}", f.path, f.detail);
        out.push_str(&format!("{}\n", inert(&line)));
    }
    for n in &view.notices {
        out.push_str(&format!("note: {}\n", inert(n)));
    }
    out
}

/// `assay audit`.
pub fn audit(cli: &Cli, args: &AuditArgs) -> Result<Code> {
    let data = setup::data(cli, args.profiles.as_deref())?;
    let view = open(cli)?.audit(args.name.as_deref(), &data)?;
    let lang = setup::lang(cli);
    let columns = terminal_width().clamp(40, 400);
    show(cli, &view, || {
        audit_text::audit(&view, lang, columns, Paint::stdout())
    })?;
    let wrong =
        view.figure_totals.disagrees > 0 || view.findings.iter().any(|f| f.severity == "error");
    Ok(Code(if wrong { WORSE } else { DONE }))
}

/// What a CSV has no place for, and where it can be read.
fn beside_csv(view: &CounterCompareView) -> Option<String> {
    let of = [
        (view.findings.len(), "finding"),
        (view.warnings.len(), "warning"),
    ];
    let some = of.iter().filter(|(n, _)| *n > 0);
    let parts: Vec<String> = some.map(|(n, word)| count(*n, word)).collect();
    (!parts.is_empty()).then(|| {
        format!(
            "{} not in the CSV; the table, --format md and --json have them",
            parts.join(" and ")
        )
    })
}

/// `assay compare --counters`.
pub fn compare(cli: &Cli, args: CompareArgs) -> Result<Code> {
    let data = setup::data(cli, args.profiles.as_deref())?;
    let files = args.files.is_some();
    let request = CounterRequest {
        names: args.files.unwrap_or(args.names),
        base: args.base,
        changed_only: args.changed_only,
        thresholds: args.thresholds,
        workload: args.workload,
        kernel: args.kernel,
        launch: args.launch,
        format: None,
        mapping: args.mapping,
    };
    let view: CounterCompareView = if files {
        let cancel = Cancel::new();
        let _signals = cancel_on_signals(&cancel)?;
        compare_files(&request, &data, &cancel)?
    } else {
        open(cli)?.compare_counters(&request, &data)?
    };
    match args.format {
        TableFormat::Csv if !cli.json => {
            say(&counters_csv(&view))?;
            if let Some(text) = beside_csv(&view) {
                setup::note(&text);
            }
        }
        TableFormat::Md if !cli.json => say(&counters_markdown(&view))?,
        TableFormat::Json => crate::print::json(&view)
            .map_err(|e| assay_engine::Error::environment(format!("standard output: {e}")))?,
        _ => {
            let lang = setup::lang(cli);
            let columns = room().map(|w| w.clamp(40, 1000));
            show(cli, &view, || {
                comparison::comparison(&view, lang, columns, Paint::stdout())
            })?;
        }
    }
    OK
}
