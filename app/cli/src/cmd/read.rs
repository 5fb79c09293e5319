//! Commands that read.

use std::path::Path;

use assay_core::text::{inert, inert_block};
use assay_core::view::DiffView;
use assay_engine::query::{Op, Query};
use assay_engine::report::Lang as ReportLang;
use assay_engine::{Error, Result, files, query};

use super::{OK, open, say, show};
use crate::args::{Cli, DiffArgs, Lang, ReportFormat};
use crate::exit::{Code, DONE, WORSE, of_verdict};
use crate::print::{table, views};
use crate::setup;

/// `assay list`.
pub fn list(
    cli: &Cli,
    terms: &[String],
    sort: Option<String>,
    reverse: bool,
    csv: bool,
) -> Result<Code> {
    let bench = open(cli)?;
    let query = Query {
        sort,
        descending: reverse,
        filter: terms.iter().map(|t| term(t)).collect::<Result<_>>()?,
    };
    let view = if query == Query::default() {
        bench.list()?
    } else {
        bench.find(&query)?
    };
    if csv {
        say(&query::list_csv(&view))?;
        return OK;
    }
    show(cli, &view, || views::list(&view))?;
    // The program ends next: giving back the many pieces of a large list one by one was measured
    // to take a sixth of the whole time.
    std::mem::forget(view);
    OK
}

/// One term of a filter: `field:value`, `field<value`, `field~part`, or a part of the name.
fn term(text: &str) -> Result<(String, Op, String)> {
    for (sign, op) in [
        ("!=", "!="),
        ("<=", "<="),
        (">=", ">="),
        ("<", "<"),
        (">", ">"),
        ("~", "~"),
        ("=", "="),
        (":", "="),
    ] {
        if let Some((field, value)) = text.split_once(sign)
            && !field.is_empty()
        {
            let op = op
                .parse()
                .map_err(|e: assay_engine::query::QueryError| Error::input(e.to_string()))?;
            return Ok((field.to_owned(), op, value.to_owned()));
        }
    }
    Ok(("name".into(), Op::Contains, text.to_owned()))
}

/// `assay show`.
pub fn show_variant(cli: &Cli, name: &str) -> Result<Code> {
    let view = open(cli)?.show(name)?;
    show(cli, &view, || views::show(&view))?;
    OK
}

/// `assay log`.
pub fn log(cli: &Cli, name: Option<&str>, limit: usize) -> Result<Code> {
    let view = open(cli)?.log(name, Some(limit))?;
    show(cli, &view, || views::log(&view))?;
    OK
}

/// `assay compare`.
pub fn compare(cli: &Cli, names: &[String]) -> Result<Code> {
    let view = open(cli)?.compare(names)?;
    show(cli, &view, || views::compare(&view))?;
    Ok(view
        .verdict
        .as_ref()
        .map_or(Code(DONE), |v| of_verdict(&v.verdict)))
}

/// `assay diff`.
pub fn diff(cli: &Cli, args: &DiffArgs) -> Result<Code> {
    let view = match (&args.files, &args.a, &args.b) {
        (Some(paths), _, _) => files::diff(&paths[0], &paths[1])?,
        (None, Some(a), Some(b)) => open(cli)?.diff(a, b, args.generated)?,
        (None, Some(b), None) => {
            let bench = open(cli)?;
            let a = bench.parent_of(b)?;
            bench.diff(&a, b, args.generated)?
        }
        (None, None, _) => {
            return Err(Error::input("diff of what?").hint("assay diff A B, or --files F1 F2"));
        }
    };
    show(cli, &view, || diff_text(&view, args.side_by_side))?;
    OK
}

fn diff_text(view: &DiffView, side_by_side: bool) -> String {
    let mut out = String::new();
    for w in &view.warnings {
        out.push_str(&format!("# {}\n", inert(w)));
    }
    let changed: Vec<_> = view
        .facts
        .iter()
        .filter(|f| f.values.first() != f.values.get(1))
        .cloned()
        .collect();
    if !changed.is_empty() {
        out.push_str(&format!(
            "facts that differ\n{}\n",
            views::figures(&[&view.a, &view.b], &changed)
        ));
    }
    if side_by_side {
        let width = table::terminal_width();
        for file in &view.files {
            for line in files::side_by_side(file, width) {
                out.push_str(&format!("{}\n", inert_block(&line)));
            }
        }
    } else {
        out.push_str(&files::unified(&view.files));
    }
    if view.files.iter().all(|f| f.hunks.is_empty()) {
        out.push_str("no difference in the text\n");
    }
    out
}

/// `assay report`.
pub fn report(cli: &Cli, format: ReportFormat, output: Option<&Path>) -> Result<Code> {
    let bench = open(cli)?;
    let (lang, suffix) = match setup::lang(cli) {
        Lang::En => (ReportLang::En, "en"),
        Lang::Zh => (ReportLang::Zh, "zh"),
    };
    let (text, ending) = match format {
        ReportFormat::Md => (bench.report_markdown(lang)?, "md"),
    };
    match output {
        None => say(&text)?,
        Some(folder) => {
            let path = bench.write_report(folder, &format!("report.{suffix}.{ending}"), &text)?;
            say(&format!("{}\n", path.display()))?;
        }
    }
    OK
}

/// `assay verify`.
pub fn verify(cli: &Cli) -> Result<Code> {
    let done = open(cli)?.verify()?;
    show(cli, &done, || {
        let mut out = format!(
            "{} records, {} blobs, {} verdicts computed again with the same result\n",
            done.records, done.blobs, done.verdicts
        );
        let mut part = |title: &str, lines: Vec<String>| {
            lines
                .iter()
                .for_each(|l| out.push_str(&format!("{title}: {}\n", inert(l))));
        };
        part("damaged", done.problems.clone());
        part("not stored here", done.missing.clone());
        part(
            "not checked",
            done.unchecked
                .iter()
                .map(|d| format!("verdict {}: {}", d.verdict, d.problem))
                .collect(),
        );
        part(
            "differs",
            done.disagreements
                .iter()
                .map(|d| format!("verdict {}: {}", d.verdict, d.problem))
                .collect(),
        );
        out.push_str(if done.ok {
            "all is well\n"
        } else {
            "something is wrong\n"
        });
        out
    })?;
    Ok(Code(if done.ok { DONE } else { WORSE }))
}
