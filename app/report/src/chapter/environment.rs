//! Where the evidence comes from.

use super::published::table;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::said::said;
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.environment);
    let stated: Vec<_> = m.notes.iter().filter(|n| n.is_environment()).collect();
    if !stated.is_empty() {
        out.paragraph(match m.is_published() {
            true => s.environment_stated,
            false => s.environment_noted,
        });
    }
    for n in &stated {
        out.paragraph(said(out.lang, &n.text));
        if let Some(t) = &n.table {
            table(t, s, out);
        }
    }
    if m.environment.is_empty() {
        if stated.is_empty() {
            out.paragraph(s.environment_none);
        }
        return;
    }
    if !stated.is_empty() {
        out.paragraph(s.environment_read);
    }
    let rows: Vec<Vec<Line>> = m
        .environment
        .iter()
        .map(|(k, v)| vec![Line::outside(k), Line::outside(v)])
        .collect();
    out.table([s.key, s.value], &[], rows);
}
