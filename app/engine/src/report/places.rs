//! Where the measurements that are shown were taken.

use std::collections::BTreeMap;

use assay_core::fold::State;

/// The environments of the shown measurements; where they differ, all values of a key.
pub(super) fn environment(state: &State) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for run in state.shown_runs() {
        let device = [("device".to_owned(), run.environment.device.clone())];
        for (key, value) in run.environment.stable.clone().into_iter().chain(device) {
            let of = values.entry(key).or_default();
            if !of.contains(&value) {
                of.push(value);
            }
        }
    }
    let joined = |(key, of): (String, Vec<String>)| (key, of.join(" and "));
    values.into_iter().map(joined).collect()
}

/// The devices of the shown measurements, where there are several.
pub(super) fn devices(state: &State) -> Vec<String> {
    let runs = state.shown_runs();
    let names = runs.iter().map(|r| r.environment.device.clone());
    names.filter(|_| runs.len() > 1).collect()
}
