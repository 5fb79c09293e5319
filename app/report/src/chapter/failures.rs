//! What failed, as data.

use super::{heading, paragraph};
use crate::ReportModel;
use crate::escape::{md, table};
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    heading(out, s.failures);
    let rows: Vec<Vec<String>> = m
        .list
        .variants
        .iter()
        .filter_map(|v| v.failure.as_ref().map(|f| (v, f)))
        .map(|(v, f)| vec![md(&v.name), md(&f.stage), md(&f.kind), md(&f.message)])
        .collect();
    if rows.is_empty() {
        paragraph(out, s.nothing);
        return;
    }
    table(out, &[s.variant, s.stage, s.kind, s.message], &[], &rows);
}
