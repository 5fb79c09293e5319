//! Published tables as they were filed: every figure as printed, with the document and section that its
//! row names.

use std::collections::BTreeSet;

use assay_core::view::{TableView, doubting_rules};

use super::or_none;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::said::said;
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
        doubted(m, &t.records, s, out);
        table(&t.table, s, out);
    }
}

/// Says how many rows of a table, by their records, have figures that an audit contradicts.
fn doubted(m: &ReportModel, records: &[String], s: &Strings, out: &mut Doc) {
    let all = m.list.variants.iter().flat_map(|v| &v.doubted);
    let of_table: Vec<_> = all.filter(|d| records.contains(&d.record)).collect();
    let rules = doubting_rules(of_table.iter().copied());
    let rows: BTreeSet<&str> = of_table.iter().map(|d| d.record.as_str()).collect();
    if !rows.is_empty() {
        let values = [Line::count(rows.len()), names(rules, NAMED)];
        out.paragraph(fill(s.table_doubted, &values));
    }
}

/// The column that says what a document is, in words of who filed it; all others have what the document
/// prints.
const OURS: &str = "what";

/// A table as it stands; where all rows are from one place, that is said once above it.
pub(crate) fn table(t: &TableView, s: &Strings, out: &mut Doc) {
    if let Some(why) = &t.problem {
        let values = [Line::outside(&t.name), Line::outside(why)];
        out.paragraph(fill(s.table_problem, &values));
        return;
    }
    let of = |column: &str| t.columns.iter().position(|c| c == column);
    let one = |at: Option<usize>| {
        let at = at?;
        let first = t.rows.first()?.get(at)?;
        let same = t.rows.iter().all(|r| r.get(at) == Some(first));
        (same && !first.trim().is_empty()).then_some(first)
    };
    let (document, section) = (of("document"), of("section"));
    let place = [one(document), one(section)];
    let is_left_out = |i: usize| {
        let [d, s] = place;
        (d.is_some() && Some(i) == document) || (d.is_some() && s.is_some() && Some(i) == section)
    };
    let shown: Vec<usize> = (0..t.columns.len()).filter(|i| !is_left_out(*i)).collect();
    if let [Some(document), section] = place {
        let parts = [Some(document), section].into_iter().flatten();
        let place = Line::join(parts.map(Line::outside), " ");
        out.paragraph(fill(s.table_place, &[place]));
    }
    let cell = |row: &Vec<String>, i: usize| row.get(i).map_or("", String::as_str).to_owned();
    let rows: Vec<Vec<Line>> = (t.rows.iter())
        .map(|r| {
            let cells = shown.iter().map(|i| match t.columns[*i].as_str() {
                OURS => said(out.lang, &cell(r, *i)),
                _ => or_none(Some(&cell(r, *i))),
            });
            cells.collect()
        })
        .collect();
    let right: Vec<usize> = (shown.iter().enumerate())
        .filter(|(_, i)| t.rows.iter().all(|r| is_figure(&cell(r, **i))))
        .map(|(at, _)| at)
        .collect();
    let head = shown.iter().map(|i| s.column(&t.columns[*i]));
    out.table(head, &right, rows);
    if t.left_out > 0 {
        let values = [
            Line::count(t.rows.len()),
            Line::count(t.rows.len() + t.left_out),
        ];
        out.paragraph(fill(s.table_cut, &values));
    }
}

/// Whether a cell holds a figure and no more than a unit behind it.
fn is_figure(cell: &str) -> bool {
    let cell = cell.trim();
    let digits = cell.trim_start_matches(['-', '+', '\u{2212}']);
    let words = cell.split_whitespace().count();
    let starts = digits.starts_with(|c: char| c.is_ascii_digit());
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    // A date, a hash or a range goes on with digits behind another character; an exponent is one.
    let unit = digits.trim_start_matches(is_number);
    let exponent = unit
        .trim_start_matches(['e', 'E'])
        .trim_start_matches(['-', '+']);
    let unit = match unit.starts_with(['e', 'E']) {
        true => exponent.trim_start_matches(is_number),
        false => unit,
    };
    let is_one = starts && words <= 2 && !unit.contains(|c: char| c.is_ascii_digit());
    cell.is_empty() || matches!(cell, "n/a" | "-") || (is_one && cell.len() <= 24)
}

#[cfg(test)]
mod tests {
    use super::is_figure;

    #[test]
    fn figures_are_told_from_dates_hashes_and_ranges() {
        for cell in [
            "",
            "n/a",
            "-",
            "3.50",
            "604,110,848 B",
            "7.829×",
            "-24.16%",
            "1e-5",
            "12 µs",
        ] {
            assert!(is_figure(cell), "{cell}");
        }
        for cell in [
            "2026-08-06",
            "8ba899b",
            "584de4029a",
            "5.811×–14.171×",
            "small",
            "1 2 3",
        ] {
            assert!(!is_figure(cell), "{cell}");
        }
    }
}
