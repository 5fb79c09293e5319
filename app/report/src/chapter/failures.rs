//! What failed, as data, with the end of what the program said.

use assay_core::view::{FailureView, VariantRow};

use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::said::said;
use crate::strings::{Strings, fill};

/// Failures whose error output is shown.
const MOST: usize = 20;

/// Lines of one error output: the last ones say what happened.
const LINES: usize = 15;

/// Characters of one line of it.
const LINE_CHARS: usize = 240;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.failures);
    let failed: Vec<(&VariantRow, &FailureView)> = (m.list.variants.iter())
        .filter_map(|v| v.failure.as_ref().map(|f| (v, f)))
        .collect();
    if failed.is_empty() {
        out.paragraph(s.nothing);
        return;
    }
    let lang = out.lang;
    let rows = failed.iter().map(|(v, f)| {
        vec![
            Line::outside(&v.name),
            Line::outside(&f.stage),
            Line::outside(&f.kind),
            said(lang, &f.message),
        ]
    });
    out.table([s.variant, s.stage, s.kind, s.message], &[], rows.collect());
    let told = failed
        .iter()
        .filter(|(_, f)| !f.stderr_tail.trim().is_empty());
    let told: Vec<_> = told.collect();
    for (v, f) in told.iter().take(MOST) {
        let values = [Line::outside(&v.name), Line::outside(&f.stage)];
        out.paragraph(fill(s.colon, &[fill(s.failure_tail, &values)]));
        tail(s, f.stderr_tail.trim_end(), out);
    }
    if told.len() > MOST {
        let counts = [MOST, told.len()].map(Line::count);
        out.paragraph(fill(s.failure_tails_cut, &counts));
    }
}

fn tail(s: &Strings, text: &str, out: &mut Doc) {
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let short = |l: &&str| l.chars().take(LINE_CHARS).collect::<String>();
    let shown: Vec<String> = last.iter().map(short).collect();
    out.code("text", shown.join("\n"));
    if lines.len() > LINES {
        let counts = [LINES, lines.len()].map(Line::count);
        out.paragraph(fill(s.failure_lines_cut, &counts));
    }
}
