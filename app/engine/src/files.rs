//! Uses that need no campaign: a verdict on raw samples, the diff of two files.

use std::fs;
use std::path::Path;

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
    let j = judge(&samples, &ida, &idb, &settings);
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
