//! The records of the ledger, newest first.

use assay_core::view::LogRow;

use super::Cells;
use crate::state::History;

/// All of them.
pub fn cells(h: &History) -> Cells {
    let head = ["id", "at", "kind", "variant", "summary", "by", "supersedes"];
    let row = |r: &LogRow| {
        vec![
            r.id.clone(),
            r.at.clone(),
            r.kind.clone(),
            r.variant.clone().unwrap_or_default(),
            r.summary.clone(),
            r.by.clone(),
            r.supersedes.clone().unwrap_or_default(),
        ]
    };
    let rows = h.slot.value.iter().flat_map(|v| &v.records).map(row);
    std::iter::once(head.map(str::to_owned).to_vec())
        .chain(rows)
        .collect()
}
