//! What in the figures cannot be right, or is not what it seems.

use assay_core::view::{AuditedFigure, FindingView};
use serde_json::Value;

use super::or_none;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure;
use crate::said::{about, figure_name, own_language, said_of};
use crate::strings::{Lang, Strings, fill};

/// Findings, and figures, that are shown.
const MOST: usize = 60;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.au_title);
    let Some(audit) = &m.audit else {
        out.paragraph(s.au_none);
        return;
    };
    let all = audit.variants.len() + audit.left_out;
    if audit.left_out > 0 {
        let counts = [audit.variants.len(), all].map(Line::count);
        out.paragraph(fill(s.au_left, &counts));
    }
    let counts = audit.figure_totals.counts();
    if counts.iter().any(|n| *n > 0) {
        out.paragraph(fill(s.au_totals, &counts.map(Line::count)));
    }
    // What could not be computed is counted above, and named by the checks.
    let figures = audit
        .figures
        .iter()
        .filter(|f| f.outcome != "not_recomputed");
    let figures: Vec<&AuditedFigure> = figures.collect();
    if audit.findings.is_empty() && figures.is_empty() {
        out.paragraph(s.au_clean);
        return;
    }
    out.paragraph(s.au_what);
    if !audit.findings.is_empty() {
        let rows = audit
            .findings
            .iter()
            .take(MOST)
            .map(|f| finding(s, f, out.lang));
        let head = [s.au_weight, s.dg_about, s.dg_found, s.au_of, s.dg_evidence];
        out.table(head, &[], rows.collect());
        cut(s, audit.findings.len(), out);
    }
    if !figures.is_empty() {
        out.paragraph(s.au_figures);
        let rows = figures.iter().take(MOST).map(|f| stated(f, out.lang));
        let head = [
            s.au_of,
            s.dg_about,
            s.figure,
            s.au_printed,
            s.au_computed,
            s.au_why,
        ];
        out.table(head, &[3, 4], rows.collect());
        cut(s, figures.len(), out);
    }
}

fn cut(s: &Strings, all: usize, out: &mut Doc) {
    if all > MOST {
        out.paragraph(fill(s.dg_cut, &[MOST, all].map(Line::count)));
    }
}

fn finding(s: &Strings, f: &FindingView, lang: Lang) -> Vec<Line> {
    let weight = match f.severity.as_str() {
        "error" => s.au_error,
        "warning" => s.au_warning,
        _ => s.au_info,
    };
    vec![
        weight.into(),
        Line::outside(about(lang, &f.subject)),
        said_of(lang, &f.message, &f.message_zh),
        Line::join(f.of.iter().map(Line::outside), "; "),
        Line::outside(own_language(lang, &f.evidence)),
    ]
}

fn stated(f: &AuditedFigure, lang: Lang) -> Vec<Line> {
    let about = match &f.workload {
        Some(w) => format!("{}, {w}", f.subject),
        None => f.subject.clone(),
    };
    let value = |v: &Value| match v {
        Value::Number(n) => n.as_f64().map_or_else(
            || Line::outside(n.to_string()),
            |n| figure::with_unit(n, &f.unit),
        ),
        Value::String(t) => Line::outside(t),
        _ => figure::NONE.into(),
    };
    vec![
        or_none(Some(f.place.as_deref().unwrap_or(&f.record))),
        Line::outside(about),
        Line::outside(figure_name(lang, &f.figure)),
        f.printed
            .as_ref()
            .map_or_else(|| value(&f.stated), Line::outside),
        value(&f.computed),
        said_of(lang, &f.why, &f.why_zh),
    ]
}
