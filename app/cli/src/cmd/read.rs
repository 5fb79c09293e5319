//! Commands that read.

use std::path::{Path, PathBuf};

use assay_core::fold::Status;
use assay_core::record::VerdictKind;
use assay_core::text::{inert, nearest};
use assay_core::view::VerdictView;
use assay_engine::query::{Op, Query};
use assay_engine::signals::cancel_on_signals;
use assay_engine::verify::Covering;
use assay_engine::{Cancel, Error, Result, query};
use serde_json::json;

use super::{OK, open, say, show};
use crate::args::Cli;
use crate::exit::{Code, DONE, OPEN, WORSE, of_verdict};
use crate::print::change::count;
use crate::print::{notes, record, side_by_side, views};
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
    if view.variants.is_empty() && bench.has_logs()? {
        setup::note("there are imported benchmark logs: `assay report` shows them");
    }
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
            return Ok((field.to_owned(), op, known(field, op, value)?));
        }
    }
    Ok(("name".into(), Op::Contains, text.to_owned()))
}

/// The value of a term; verdicts and statuses in the case that they are written in. A word that
/// is none of them would match nothing, which reads like an answer: it is refused.
fn known(field: &str, op: Op, value: &str) -> Result<String> {
    let plain = value.trim().replace('-', "_");
    let (word, words): (String, Vec<&str>) = match field {
        "verdict" => (
            plain.to_uppercase(),
            VerdictKind::ALL.map(VerdictKind::name).to_vec(),
        ),
        "status" => (plain.to_lowercase(), Status::ALL.map(Status::name).to_vec()),
        _ => return Ok(value.to_owned()),
    };
    if !matches!(op, Op::Equal | Op::NotEqual) {
        return Ok(value.to_owned());
    }
    if words.contains(&word.as_str()) {
        return Ok(word);
    }
    let hint = match nearest(&word, words.iter().copied()) {
        Some(n) => format!("did you mean `{n}`?"),
        None => format!("there are {}", words.join(", ")),
    };
    Err(Error::input(format!("no {field} `{value}`")).hint(hint))
}

/// `assay show`: a variant, a record by its id, or what a profiler left of a failed run.
pub fn show_one(cli: &Cli, name: &str, left: Option<&Path>) -> Result<Code> {
    let bench = open(cli)?;
    if let Some(folder) = left {
        let files = bench.save_left(name, folder)?;
        let view = json!({"schema": "assay.left/1", "files": files});
        show(cli, &view, || {
            let line = |f: &PathBuf| format!("{}\n", f.display());
            files.iter().map(line).collect()
        })?;
        return OK;
    }
    if let Some(view) = bench.record_of(name)? {
        show(cli, &view, || record::record(&view))?;
        return OK;
    }
    let view = bench.show(name)?;
    show(cli, &view, || views::show(&view))?;
    OK
}

/// `assay note` without a text.
pub fn notes(cli: &Cli, about: Option<&str>) -> Result<Code> {
    let view = open(cli)?.all_notes(about)?;
    show(cli, &view, || match view.notes.is_empty() {
        true => "no notes\n".into(),
        false => notes::notes(&view.notes, true),
    })?;
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
    show(cli, &view, || side_by_side::compare(&view))?;
    Ok(code(names.len(), view.verdict.as_ref()))
}

/// What a comparison ends with: without a verdict on a pair the question stays open.
fn code(subjects: usize, verdict: Option<&VerdictView>) -> Code {
    match verdict {
        Some(v) if subjects == 2 => of_verdict(&v.verdict),
        _ => Code(OPEN),
    }
}

/// Whether a record that is gone as a whole would be noticed; nothing of a branch, whose commits say it.
fn covering(cover: &Covering) -> String {
    let Some(list) = &cover.list else {
        return match cover.by {
            "nothing" => "not covered: there is no list of the records (records.sha256), so that one that is gone as a whole is not noticed; `assay verify --cover` writes it\n".into(),
            _ => String::new(),
        };
    };
    let mut out = format!(
        "covered: records.sha256 has {}; its own sha256 is {}\n",
        count(list.listed, "record"),
        list.list_sha256
    );
    if list.unlisted > 0 {
        out.push_str(&format!(
            "not covered: {} not in the list; `assay verify --cover` adds them\n",
            count(list.unlisted, "record")
        ));
    }
    if list.unread > 0 {
        out.push_str(&format!(
            "records.sha256: {} cannot be read\n",
            count(list.unread, "line")
        ));
    }
    out
}

/// `assay verify`.
pub fn verify(cli: &Cli, bundle: Option<&Path>, cover: bool) -> Result<Code> {
    let done = match bundle {
        Some(file) => {
            let cancel = Cancel::new();
            let _signals = cancel_on_signals(&cancel)?;
            assay_engine::bundle::verify(file, setup::options(cli)?, &cancel)?
        }
        None => {
            let bench = open(cli)?;
            if cover {
                let listed = bench.cover()?;
                setup::note(&format!("{} listed", count(listed, "more record")));
            }
            bench.verify()?
        }
    };
    show(cli, &done, || {
        let mut out = format!(
            "{}, {}, {}{} computed again with the same result{}
",
            count(done.records as usize, "record"),
            count(done.blobs as usize, "blob"),
            count(done.verdicts, "verdict"),
            [
                (done.rankings, "ranking"),
                (done.chains, "chain"),
                (done.calibrations, "calibration"),
                (done.controls, "control kernel"),
            ]
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!(" and {}", count(n, what)))
            .collect::<String>(),
            match done.logs {
                0 => String::new(),
                n => format!(
                    "; {} read again with the same rows",
                    count(n, "benchmark log")
                ),
            }
        );
        if let Some(bundle) = &done.bundle {
            out.push_str(&format!(
                "{} as packed; {} of the report computed again with the same result\n",
                count(bundle.files, "file"),
                count(bundle.figures, "figure")
            ));
        }
        out.push_str(&covering(&done.cover));
        let mut part = |title: &str, lines: Vec<String>| {
            lines
                .iter()
                .for_each(|l| out.push_str(&format!("{title}: {}\n", inert(l))));
        };
        part(
            "bundle",
            done.bundle
                .iter()
                .flat_map(|b| b.problems.clone())
                .collect(),
        );
        let notes = done.bundle.iter().flat_map(|b| b.notes.clone());
        part("note", notes.collect());
        part("damaged", done.problems.clone());
        part("not stored here", done.missing.clone());
        part(
            "not checked",
            done.unchecked
                .iter()
                .map(|d| format!("{} {}: {}", d.kind, d.verdict, d.problem))
                .collect(),
        );
        part(
            "differs",
            done.disagreements
                .iter()
                .map(|d| format!("{} {}: {}", d.kind, d.verdict, d.problem))
                .collect(),
        );
        let open = done.unchecked.len() + done.missing.len();
        out.push_str(&match (done.ok, open) {
            (true, 0) => "all is well\n".to_owned(),
            (true, n) => format!(
                "nothing is wrong with what could be checked; {} could not be\n",
                count(n, "thing")
            ),
            (false, 0) => "something is wrong\n".to_owned(),
            (false, n) => format!(
                "something is wrong, and {} could not be checked\n",
                count(n, "thing")
            ),
        });
        out
    })?;
    Ok(Code(if done.ok { DONE } else { WORSE }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_filter_are_known_whatever_their_case() {
        for (text, value) in [
            ("verdict:faster", "FASTER"),
            ("verdict=No-gain", "NO_GAIN"),
            ("status!=Rolled_Back", "rolled_back"),
            ("verdict~fast", "fast"),
            ("family:SIMD", "SIMD"),
        ] {
            assert_eq!(term(text).unwrap().2, value, "{text}");
        }
        for (text, hint) in [
            ("verdict:fster", "did you mean `FASTER`?"),
            ("status:rejectd", "did you mean `rejected`?"),
            ("status:purple", "there are new, failed"),
        ] {
            let e = term(text).unwrap_err();
            assert_eq!(e.kind, assay_engine::Kind::Input, "{text}");
            assert!(e.to_string().contains(hint), "{e}");
        }
    }

    #[test]
    fn a_comparison_without_a_verdict_on_a_pair_is_open() {
        assert_eq!(code(2, None), Code(OPEN));
        assert_eq!(code(3, None), Code(OPEN));
    }
}
