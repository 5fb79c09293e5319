//! Published tables of a campaign, as they were filed, and whose figures they are.

use std::collections::BTreeMap;

use assay_core::fold::State;
use assay_core::record::{BlobRef, Body};
use assay_report::PublishedTable;

use crate::workbench::Workbench;

/// Every table that figures were filed from with a mapping, in the order in which it was first filed.
pub(super) fn tables(bench: &Workbench, state: &State) -> Vec<PublishedTable> {
    let mut order: Vec<BlobRef> = Vec::new();
    let mut found: BTreeMap<String, PublishedTable> = BTreeMap::new();
    for r in state.active() {
        let Body::Profile(p) = &r.body else { continue };
        // What a tool wrote is read by its reader; what people typed needs a mapping.
        let mapped = p.import.as_ref().is_some_and(|i| i.mapping.is_some());
        if !mapped || !p.raw.name.to_ascii_lowercase().ends_with("sv") {
            continue;
        }
        let table = found.entry(p.raw.sha256.to_string()).or_insert_with(|| {
            order.push(p.raw.clone());
            PublishedTable {
                table: bench.table_view(&p.raw),
                ..PublishedTable::default()
            }
        });
        let tool = match p.is_published() {
            true => p.flavour.as_deref().unwrap_or(&p.tool),
            false => p.tool.as_str(),
        };
        for (list, text) in [
            (&mut table.subjects, p.subject.name.as_str()),
            (&mut table.tools, tool),
        ] {
            if !list.iter().any(|t| t == text) {
                list.push(text.to_owned());
            }
        }
        table.records.push(r.id.to_string());
    }
    let tables = order.iter();
    tables
        .filter_map(|b| found.remove(&b.sha256.to_string()))
        .collect()
}
