//! Where the evidence comes from.

use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.environment);
    if m.environment.is_empty() {
        out.paragraph(s.environment_none);
        return;
    }
    let rows: Vec<Vec<Line>> = m
        .environment
        .iter()
        .map(|(k, v)| vec![Line::outside(k), Line::outside(v)])
        .collect();
    out.table([s.key, s.value], &[], rows);
}
