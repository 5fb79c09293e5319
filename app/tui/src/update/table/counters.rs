//! The counters that the filter lets through, in their order, those of folded sections left out.

use super::{Cells, number};
use crate::state::Profile;
use crate::update::yank::exact;

/// The rows in view.
pub fn cells(p: &Profile) -> Cells {
    let Some(view) = p.compared() else {
        return Vec::new();
    };
    let mut head = vec![
        "section".to_owned(),
        "counter".to_owned(),
        "canonical".to_owned(),
    ];
    head.extend(view.columns.iter().map(|c| c.label.clone()));
    head.extend(["unit".to_owned(), "change_percent".to_owned()]);
    let rows = (0..p.rows.len()).filter_map(|i| p.counter(i));
    let row = |r: &assay_core::view::CounterRow| {
        let mut row = vec![
            r.section.clone(),
            r.name.clone(),
            r.canonical.clone().unwrap_or_default(),
        ];
        row.extend(r.cells.iter().map(exact));
        let change = r.changes.iter().flatten().next_back();
        row.extend([r.unit.clone(), number(change.and_then(|c| c.percent))]);
        row
    };
    std::iter::once(head).chain(rows.map(row)).collect()
}
