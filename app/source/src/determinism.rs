//! Two captures of the source of one commit: a generator that writes another text each time weakens
//! every claim about its source.

use assay_core::view::CaptureComparison;

use crate::SourceFile;
use crate::diff::{DiffOptions, diff};
use crate::language::Language;
use crate::normalise::{Passes, normalised_hash, raw_hash};

/// Compares two captures of the same commit.
///
/// `result` is `equal`, `normalised-equal` (noise only) or `differs`, with the first hunk.
pub fn captures(language: Language, a: &[SourceFile], b: &[SourceFile]) -> CaptureComparison {
    let named = |result: &str| CaptureComparison {
        result: result.into(),
        ..CaptureComparison::default()
    };
    if raw_hash(a) == raw_hash(b) {
        return named("equal");
    }
    let passes = Passes::default();
    if normalised_hash(language, a, &passes) == normalised_hash(language, b, &passes) {
        return named("normalised-equal");
    }
    let options = DiffOptions {
        language: Some(language),
        ..DiffOptions::default()
    }
    .normalised();
    let mut out = named("differs");
    let files = diff(a, b, &options);
    let differs = |f: &&assay_core::view::FileDiff| {
        f.a != f.b || (f.normalised_equal == Some(false) || !f.hunks.is_empty())
    };
    if let Some(f) = files.iter().find(differs).or(files.first()) {
        out.file = f.b.clone().or_else(|| f.a.clone()).unwrap_or_default();
        out.hunk = f.hunks.first().cloned().unwrap_or_default();
        out.notice = f.notice.clone();
    }
    out
}
