//! The map of ratios: what stands in its cells, for all workloads.

use assay_core::view::{HeatRow, WorkloadVerdictView};

use super::{Cells, number};
use crate::state::Workloads;
use crate::state::workloads::CellShows;

/// The rows in their order.
pub fn cells(w: &Workloads) -> Cells {
    let mut head: Vec<String> = ["variant", "reference", "geomean", "wins", "losses"]
        .map(str::to_owned)
        .to_vec();
    for c in &w.columns {
        head.extend(names(w.shows).iter().map(|n| format!("{n} {c}")));
    }
    let rows = (0..w.rows.len()).filter_map(|i| w.at(i));
    let row = |r: &HeatRow| {
        let mut row = vec![
            r.name.clone(),
            r.against.clone(),
            number(r.ratio),
            r.wins.len().to_string(),
            r.losses.len().to_string(),
        ];
        for at in 0..w.columns.len() {
            row.extend(figures(w.shows, w.cell(r, at)));
        }
        row
    };
    std::iter::once(head).chain(rows.map(row)).collect()
}

fn names(shows: CellShows) -> &'static [&'static str] {
    match shows {
        CellShows::Ratio => &["ratio"],
        CellShows::Interval => &["ratio", "interval_low", "interval_high"],
        CellShows::Times => &["median_ns", "reference_median_ns"],
    }
}

fn figures(shows: CellShows, cell: Option<&WorkloadVerdictView>) -> Vec<String> {
    let of = |f: fn(&WorkloadVerdictView) -> Option<f64>| number(cell.and_then(f));
    match shows {
        CellShows::Ratio => vec![of(|c| c.ratio)],
        CellShows::Interval => vec![
            of(|c| c.ratio),
            of(|c| c.interval.map(|i| i[0])),
            of(|c| c.interval.map(|i| i[1])),
        ],
        CellShows::Times => vec![of(|c| c.b_median_ns), of(|c| c.a_median_ns)],
    }
}
