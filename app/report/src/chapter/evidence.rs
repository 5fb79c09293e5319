//! The records behind the report.

use std::collections::BTreeSet;

use super::{heading, or_none, paragraph};
use crate::ReportModel;
use crate::escape::{md, table};
use crate::figure::second;
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    heading(out, s.evidence);
    let mut seen = BTreeSet::new();
    let rows: Vec<Vec<String>> = m
        .shows
        .iter()
        .flat_map(|v| v.evidence.iter().map(move |e| (v, e)))
        .filter(|(_, e)| seen.insert(e.id.as_str()))
        .map(|(v, e)| {
            vec![
                md(&e.id),
                md(&e.kind),
                md(&v.variant.name),
                md(&second(&e.at)),
                or_none(Some(&e.summary)),
            ]
        })
        .collect();
    if rows.is_empty() {
        paragraph(out, s.evidence_none);
        return;
    }
    table(
        out,
        &[s.record, s.kind, s.variant, s.at, s.summary],
        &[],
        &rows,
    );
}
