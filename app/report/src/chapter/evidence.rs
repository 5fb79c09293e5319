//! The records behind the report.

use std::collections::BTreeSet;

use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::second;
use crate::said::said;
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.evidence);
    let mut seen = BTreeSet::new();
    let lang = out.lang;
    let rows: Vec<Vec<Line>> = m
        .shows
        .iter()
        .flat_map(|v| v.evidence.iter().map(move |e| (v, e)))
        .filter(|(_, e)| seen.insert(e.id.as_str()))
        .map(|(v, e)| {
            vec![
                Line::outside(&e.id),
                Line::outside(&e.kind),
                Line::outside(&v.variant.name),
                Line::outside(second(&e.at)),
                said(lang, &e.summary),
            ]
        })
        .collect();
    if rows.is_empty() {
        out.paragraph(s.evidence_none);
        return;
    }
    out.table([s.record, s.kind, s.variant, s.at, s.summary], &[], rows);
}
