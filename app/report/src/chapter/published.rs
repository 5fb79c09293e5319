//! Published tables as they were filed: every figure as printed, with the document and section that its
//! row names.

use assay_core::view::TableView;

use super::or_none;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::strings::{Strings, fill, names};

/// Records that a table names; of more the number says enough.
const NAMED: usize = 6;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    if m.tables.is_empty() {
        return;
    }
    out.heading(2, s.published);
    out.paragraph(s.published_as_printed);
    for t in &m.tables {
        out.heading(3, Line::outside(&t.table.name));
        let list = |all: &[String], most: usize| names(all.iter().map(String::as_str), most);
        let values = [
            list(&t.tools, NAMED),
            list(&t.subjects, 20),
            list(&t.records, NAMED),
        ];
        out.paragraph(fill(s.published_of, &values));
        table(&t.table, s, out);
    }
}

/// A table as it stands.
pub(super) fn table(t: &TableView, s: &Strings, out: &mut Doc) {
    if let Some(why) = &t.problem {
        let values = [Line::outside(&t.name), Line::outside(why)];
        out.paragraph(fill(s.table_problem, &values));
        return;
    }
    let cell = |text: &String| or_none(Some(text));
    let rows: Vec<Vec<Line>> = t
        .rows
        .iter()
        .map(|r| r.iter().map(cell).collect())
        .collect();
    out.table(t.columns.iter().map(Line::outside), &[], rows);
    if t.left_out > 0 {
        let values = [
            Line::count(t.rows.len()),
            Line::count(t.rows.len() + t.left_out),
        ];
        out.paragraph(fill(s.table_cut, &values));
    }
}
