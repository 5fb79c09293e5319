//! Where the evidence comes from.

use super::{heading, paragraph};
use crate::ReportModel;
use crate::escape::{md, table};
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    heading(out, s.environment);
    if m.environment.is_empty() {
        paragraph(out, s.environment_none);
        return;
    }
    let rows: Vec<Vec<String>> = m
        .environment
        .iter()
        .map(|(k, v)| vec![md(k), md(v)])
        .collect();
    table(out, &[s.key, s.value], &[], &rows);
}
