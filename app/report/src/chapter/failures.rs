//! What failed, as data.

use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.failures);
    let rows: Vec<Vec<Line>> = m
        .list
        .variants
        .iter()
        .filter_map(|v| v.failure.as_ref().map(|f| (v, f)))
        .map(|(v, f)| {
            vec![
                Line::outside(&v.name),
                Line::outside(&f.stage),
                Line::outside(&f.kind),
                Line::outside(&f.message),
            ]
        })
        .collect();
    if rows.is_empty() {
        out.paragraph(s.nothing);
        return;
    }
    out.table([s.variant, s.stage, s.kind, s.message], &[], rows);
}
