//! Uses that need no campaign: a verdict on raw samples, the diff of two files.

use std::fs;
use std::path::Path;

use assay_core::record::VerdictKind;
use assay_core::units::Ratio;
use assay_core::view::{DiffView, FileDiff, VerdictView, WorkloadVerdictView};
use assay_source::{DiffOptions, SourceFile, analyse};
use assay_stats::{PROCEDURE, Samples, Settings, judge};

use crate::error::{AtPath, Error, Result};
use crate::run::bench::plain_name;
use crate::views::compared_facts;

/// The decision procedure on raw samples, as the harness writes them.
///
/// # Errors
/// When the file cannot be read, a subject is not in it, or delta is not a share.
pub fn verdict(path: &Path, a: &str, b: &str, delta: &str) -> Result<VerdictView> {
    let text = fs::read(path)
        .at(path)
        .map_err(|e| Error::input(e.message))?;
    let text = String::from_utf8(text)
        .map_err(|_| Error::input(format!("{}: not UTF-8", path.display())))?;
    let delta: Ratio = delta
        .parse()
        .map_err(|e| Error::input(format!("--delta: {e}")))?;
    let (samples, problems) = Samples::parse_jsonl(&text);
    if samples.legs().is_empty() && !problems.is_empty() {
        let lines: Vec<String> = (problems.iter().take(3))
            .map(|p| format!("\n  {p}"))
            .collect();
        let more = match problems.len().saturating_sub(3) {
            0 => String::new(),
            n => format!("\n  and {n} more"),
        };
        return Err(Error::input(format!(
            "{}: no line of it can be used:{}{more}",
            path.display(),
            lines.concat()
        ))
        .hint("each line is one answer of kind `samples`, as a harness writes it"));
    }
    let subjects = samples.subjects();
    let find = |name: &str| -> Result<String> {
        let matching: Vec<&&str> = subjects
            .iter()
            .filter(|s| **s == name || plain_name(s) == name)
            .collect();
        match matching.as_slice() {
            [one] => Ok((**one).to_owned()),
            [] => Err(
                Error::input(format!("{}: no samples of `{name}`", path.display()))
                    .hint(format!("subjects in the file: {}", subjects.join(", "))),
            ),
            several => Err(
                Error::input(format!("`{name}` fits {} subjects", several.len()))
                    .hint(format!("subjects in the file: {}", subjects.join(", "))),
            ),
        }
    };
    let (ida, idb) = (find(a)?, find(b)?);
    let settings = Settings {
        delta: delta.0,
        ..Settings::default()
    };
    let mut j = judge(&samples, &ida, &idb, &settings);
    if let Some(first) = problems.first() {
        // What is left could say anything: which lines are missing is not known to be chance.
        j.kind = VerdictKind::Invalid;
        (j.ratio, j.interval) = (None, None);
        j.workloads.clear();
        let (n, lines) = match problems.len() {
            1 => (1, "line"),
            n => (n, "lines"),
        };
        j.reason = format!("{n} {lines} of samples cannot be used; the first: {first}");
        j.next = "find out why those lines are as they are, and measure again".into();
    }
    let mut warnings = j.warnings;
    warnings.extend(
        problems
            .iter()
            .take(8)
            .map(|p| format!("{}: {p}", path.display())),
    );
    if problems.len() > 8 {
        warnings.push(format!(
            "{}: {} further problems",
            path.display(),
            problems.len() - 8
        ));
    }
    warnings.push(
        "no A/A calibration of the machine that measured this: its noise floor is not known".into(),
    );
    Ok(VerdictView {
        schema: "assay.verdict/1".into(),
        a: a.into(),
        b: b.into(),
        policy: "assay".into(),
        procedure: PROCEDURE.into(),
        delta: delta.0,
        processes: j.processes,
        ratio: j.ratio,
        interval: j.interval,
        verdict: j.kind.name().into(),
        reason: j.reason,
        next: j.next,
        workloads: j.workloads.iter().map(WorkloadVerdictView::from).collect(),
        warnings,
    })
}

/// The diff of two files, with their facts where the language is known.
///
/// # Errors
/// When a file cannot be read.
pub fn diff(a: &Path, b: &Path) -> Result<DiffView> {
    let read = |path: &Path| -> Result<SourceFile> {
        let bytes = fs::read(path)
            .at(path)
            .map_err(|e| Error::input(e.message))?;
        Ok(SourceFile::new(path.display().to_string(), bytes))
    };
    let (fa, fb) = (read(a)?, read(b)?);
    let mut view = DiffView {
        schema: "assay.diff/1".into(),
        a: fa.path.clone(),
        b: fb.path.clone(),
        what: "files".into(),
        files: vec![assay_source::diff_pair(&fa, &fb, &DiffOptions::default())],
        facts: Vec::new(),
        warnings: Vec::new(),
    };
    let analysed = |f: SourceFile| analyse("auto-asm", &[f]);
    if let (Ok(x), Ok(y)) = (analysed(fa), analysed(fb)) {
        if x.normalised == y.normalised {
            view.warnings.push("equal after normalisation".into());
        }
        view.facts = compared_facts(&x.facts, &y.facts);
    }
    Ok(view)
}

/// A diff as unified text.
pub fn unified(files: &[FileDiff]) -> String {
    assay_source::to_unified(files)
}

/// The lines of a diff with both sides beside each other, `width` columns wide.
pub fn side_by_side(file: &FileDiff, width: usize) -> Vec<String> {
    assay_source::to_side_by_side(file, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(process: u32, block: u32, leg: u32, values: &str) -> String {
        let subject = if matches!(leg, 0 | 3) {
            "A-old"
        } else {
            "B-new"
        };
        format!(
            r#"{{"assay":1,"kind":"samples","workload":"w","subject":"{subject}","process":{process},"block":{block},"leg":{leg},"unit":"ns","values":{values}}}"#
        )
    }

    fn judged(more: &[String]) -> Result<VerdictView> {
        let mut lines = Vec::new();
        for (process, leg) in (1..=4).flat_map(|p| (0..4).map(move |l| (p, l))) {
            let ns = if matches!(leg, 0 | 3) { 1000 } else { 800 };
            lines.push(line(process, 0, leg, &format!("[{}]", ns + process)));
        }
        lines.extend_from_slice(more);
        of(&lines.join("\n"))
    }

    fn of(text: &str) -> Result<VerdictView> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        fs::write(&path, text).unwrap();
        verdict(&path, "old", "new", "1%")
    }

    #[test]
    fn a_line_that_cannot_be_used_makes_the_verdict_invalid() {
        assert_eq!(judged(&[]).unwrap().verdict, "FASTER");
        for bad in [
            line(5, 0, 0, "[-1]"),
            line(5, 0, 0, "[0]"),
            line(5, 0, 0, "[NaN]"),
            line(5, 0, 0, "[null]"),
            line(5, 0, 0, "[1e300]"),
            line(1, 0, 0, "[1000]"),
            "garbage".to_owned(),
        ] {
            let v = judged(std::slice::from_ref(&bad)).unwrap();
            assert_eq!(v.verdict, "INVALID", "{bad}");
            assert_eq!((v.ratio, v.interval), (None, None));
            // A leg that is claimed twice makes both claims unusable.
            let lines = if bad.contains(r#""process":1,"#) {
                "2 lines"
            } else {
                "1 line"
            };
            let begin = format!("{lines} of samples cannot be used; the first: line ");
            assert!(v.reason.starts_with(&begin), "{}", v.reason);
        }
        let v = judged(&["x".into(), "y".into()]).unwrap();
        assert!(v.reason.starts_with("2 lines of"), "{}", v.reason);
        assert!(v.reason.contains("line 17: "), "{}", v.reason);
    }

    #[test]
    fn a_file_of_nothing_usable_names_the_problems() {
        let text = [line(1, 0, 0, "[-1]"), "x".into(), "y".into(), "z".into()].join("\n");
        let error = of(&text).unwrap_err().to_string();
        assert!(error.contains("no line of it can be used"), "{error}");
        assert!(
            error.contains("line 1: ") && error.contains("line 2: "),
            "{error}"
        );
        assert!(error.contains("and 1 more"), "{error}");
    }
}
