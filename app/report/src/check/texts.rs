//! Texts that stand in the report as people wrote them, and what is still missing in them.

use std::collections::BTreeSet;

use assay_core::view::TableView;

use super::{placeholders as gaps, told};
use crate::ReportModel;
use crate::strings::Strings;

/// Places that somebody still has to fill in, each with where it stands.
pub(super) fn placeholders(m: &ReportModel, s: &Strings) -> Vec<String> {
    let mut found = Vec::new();
    // The same gap of one table is told once.
    let mut seen = BTreeSet::new();
    let mut look = |at: &[&str], text: &str| {
        for gap in gaps(text) {
            let place = (at.iter().map(|part| (*part).to_owned()))
                .reduce(|all, part| told(s.ck_at, [&all, &part]));
            let line = format!("{}: {gap}", place.unwrap_or_default());
            if seen.insert(line.clone()) {
                found.push(line);
            }
        }
    };
    look(&[s.ck_title], &m.title);
    for row in &m.list.variants {
        look(&[&row.name, s.why], &row.why);
        if let Some(d) = &row.decision {
            look(&[&row.name, s.reason], &d.reason);
        }
        for g in &row.gates {
            look(
                &[&row.name, &g.name],
                g.overridden.as_deref().unwrap_or_default(),
            );
        }
    }
    for note in &m.notes {
        let at = [s.notes, note.topic.as_deref().unwrap_or(&note.id)];
        look(&at, &note.text);
        cells(&at, note.table.as_ref(), &mut look);
    }
    for t in &m.tables {
        cells(&[s.published], Some(&t.table), &mut look);
    }
    found
}

fn cells(at: &[&str], table: Option<&TableView>, look: &mut impl FnMut(&[&str], &str)) {
    let Some(table) = table else { return };
    let mut place = at.to_vec();
    place.push(&table.name);
    for cell in table.rows.iter().flatten() {
        look(&place, cell);
    }
}
