//! Figures of two sides beside each other.

use std::collections::BTreeMap;

use assay_core::view::FigureView;

use crate::doc::{Doc, Line};
use crate::figure::{NONE, change, is_nothing, relative_change, with_unit};
use crate::strings::{Strings, fill};
use crate::{Better, ReportModel};

type Figures = BTreeMap<String, FigureView>;

/// The union of both sides: what moved, and what did not.
pub(super) struct Moved {
    /// Before, after, change and direction, by name.
    pub rows: Vec<(String, [Line; 4])>,
    /// Values that both sides have.
    pub unchanged: Vec<(String, Line)>,
}

/// Sets two sides beside each other.
pub(super) fn moved(m: &ReportModel, s: &Strings, before: &Figures, after: &Figures) -> Moved {
    let mut out = Moved {
        rows: Vec::new(),
        unchanged: Vec::new(),
    };
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let (a, b) = (before.get(name), after.get(name));
        if a == b {
            let value = b.map_or_else(|| NONE.into(), |f| with_unit(f.value, &f.unit));
            out.unchanged.push((name.clone(), value));
            continue;
        }
        let show =
            |f: Option<&FigureView>| f.map_or_else(|| NONE.into(), |f| with_unit(f.value, &f.unit));
        // Figures in different units have no ratio.
        let percent = a
            .zip(b)
            .filter(|(a, b)| a.unit == b.unit)
            .and_then(|(a, b)| relative_change(a.value, b.value));
        let moved = match (a, b) {
            // What the figure beside it calls no change is neither better nor worse.
            (Some(_), Some(_)) if percent.is_some_and(is_nothing) => "",
            (Some(a), Some(b)) if a.unit == b.unit => good_or_bad(m, s, name, a.value, b.value),
            (None, Some(_)) => s.only_after,
            (Some(_), None) => s.only_before,
            _ => "",
        };
        let cells = [show(a), show(b), Line::own(change(percent)), moved.into()];
        out.rows.push((name.clone(), cells));
    }
    out
}

/// Changed figures in a table, the others in one line; values alone where there is nothing before.
pub(super) fn write(
    m: &ReportModel,
    s: &Strings,
    title: Line,
    before: Option<&Figures>,
    after: &Figures,
    out: &mut Doc,
) {
    if after.is_empty() {
        return;
    }
    out.paragraph(fill(s.colon, &[title]));
    let Some(before) = before.filter(|b| !b.is_empty()) else {
        let rows = after.iter();
        let rows = rows.map(|(name, f)| vec![Line::outside(name), with_unit(f.value, &f.unit)]);
        out.table([s.figure, s.value], &[1], rows.collect());
        return;
    };
    let Moved { rows, unchanged } = moved(m, s, before, after);
    if !rows.is_empty() {
        let head = [s.figure, s.before, s.after, s.change, s.direction];
        let rows = rows.into_iter().map(|(name, cells)| {
            let mut row = vec![Line::outside(name)];
            row.extend(cells);
            row
        });
        out.table(head, &[1, 2, 3], rows.collect());
    }
    if !unchanged.is_empty() {
        let same = unchanged.into_iter();
        let same = same.map(|(name, value)| Line::outside(name).and(" ").and(value));
        out.paragraph(fill(s.unchanged, &[Line::join(same, ", ")]));
    }
}

fn good_or_bad(m: &ReportModel, s: &Strings, name: &str, a: f64, b: f64) -> &'static str {
    match m.better.get(name) {
        Some(Better::Lower) if b < a => s.better,
        Some(Better::Higher) if b > a => s.better,
        Some(_) if a != b => s.worse,
        _ => "",
    }
}
