//! Counters of a variant over all workloads that were profiled, from every report that is of its content.

use std::collections::BTreeMap;

use assay_core::fold::State;
use assay_core::record::{Body, ContentKey, Origin, Profile};
use assay_report::{Counter, CounterSet};

/// One set for each tool and workload, oldest first.
///
/// Reports of one set are put together: of a counter that several state, the newest counts. What
/// differs in source, compiler or device from the newest report of a set is left out of it.
pub(super) fn sets(state: &State, name: &str) -> Vec<CounterSet> {
    let content = state.variant(name).and_then(|v| v.key.as_ref());
    let newest = state.owned(name).rev().filter_map(|r| match &r.body {
        // Figures of no workload stand in the published tables.
        Body::Profile(p) if p.subject.name == name && !p.workload.is_empty() => {
            Some((r.id.to_string(), p))
        }
        _ => None,
    });
    let present = newest.filter(|(_, p)| content.is_none_or(|k| is_of(&p.subject.key, k)));
    let mut out: Vec<(CounterSet, &ContentKey)> = Vec::new();
    for (record, p) in present {
        let (tool, key) = (tool(p), &p.subject.key);
        let known = out.iter_mut().find(|(s, _)| {
            s.tool == tool && s.workload == p.workload && s.is_published == p.is_published()
        });
        let set = match known {
            Some((_, of)) if *of != key => continue,
            Some((set, _)) => set,
            None => {
                let set = CounterSet {
                    tool,
                    workload: p.workload.clone(),
                    is_imported: p.origin == Origin::Imported,
                    is_published: p.is_published(),
                    ..CounterSet::default()
                };
                out.push((set, key));
                let Some((set, _)) = out.last_mut() else {
                    continue;
                };
                set
            }
        };
        put(set, record, p);
    }
    let sets = out.into_iter().rev().map(|(set, _)| set);
    sets.filter(|s| !s.figures.is_empty()).collect()
}

/// Adds what the set does not have yet.
fn put(set: &mut CounterSet, record: String, p: &Profile) {
    let mut figures = BTreeMap::new();
    for (name, f) in &p.counters {
        if !set.figures.contains_key(name) {
            let counter = Counter {
                value: f.value,
                unit: f.unit.clone(),
                record: record.clone(),
            };
            figures.insert(name.clone(), counter);
        }
    }
    if !figures.is_empty() {
        set.figures.append(&mut figures);
        set.records.push(record);
    }
}

fn is_of(a: &ContentKey, b: &ContentKey) -> bool {
    a.kernel == b.kernel && a.recipe == b.recipe
}

fn tool(p: &Profile) -> String {
    match &p.tool_version {
        Some(version) => format!("{} {version}", p.tool),
        None => p.tool.clone(),
    }
}
