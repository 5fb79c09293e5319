//! Figures for the record: the counters of a profile under their canonical names.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::record::Figure;

use crate::{Catalog, Launch, Profile, Scope, Status};

/// The figures of the whole program, or of the only kernel, by canonical name and in canonical
/// units.
///
/// Left out, and named by [`canonical_notices`]: a counter without a number, one whose unit cannot
/// be converted, and one that is reported more than once with different values. Of several kernels
/// none speaks for the others: their figures are those of [`launch_figures`].
pub fn canonical_figures(profile: &Profile) -> BTreeMap<String, Figure> {
    main_launch(profile).map(launch_figures).unwrap_or_default()
}

/// The figures of one launch by canonical name; see [`canonical_figures`] for what is left out.
pub fn launch_figures(launch: &Launch) -> BTreeMap<String, Figure> {
    read(launch).0
}

/// What [`canonical_figures`] left out, and why.
pub fn canonical_notices(profile: &Profile) -> Vec<String> {
    match main_launch(profile) {
        Some(launch) => read(launch).1,
        None => vec![format!(
            "{} launches and none for the whole program: no figure speaks for all of them",
            profile.launches.len()
        )],
    }
}

fn main_launch(profile: &Profile) -> Option<&Launch> {
    if let [only] = profile.launches.as_slice() {
        return Some(only);
    }
    let mut whole = profile
        .launches
        .iter()
        .filter(|l| l.scope == Scope::Aggregate);
    whole.next().filter(|_| whole.next().is_none())
}

fn read(launch: &Launch) -> (BTreeMap<String, Figure>, Vec<String>) {
    let catalog = Catalog::builtin();
    let mut figures: BTreeMap<String, Figure> = BTreeMap::new();
    let mut contradicted = BTreeSet::new();
    let mut notices = Vec::new();
    let mut reasons = BTreeSet::new();
    let mut missing = 0_usize;
    for c in launch.iter() {
        let Some(canonical) = c.canonical() else {
            continue;
        };
        let unit = catalog.get(canonical).map_or(c.unit(), |e| e.unit.as_str());
        if c.status() != Status::Value {
            let why = match c.status() {
                Status::NotSupported => "this machine does not have it",
                Status::Absent => "the tool did not count it",
                _ => "what the tool printed cannot be read for certain",
            };
            notices.push(format!("{canonical}: `{}` is missing, {why}", c.name()));
            reasons.insert(why);
            missing += 1;
            continue;
        }
        let Some(value) = c.in_unit(unit) else {
            notices.push(format!(
                "{canonical}: `{}` is in `{}`, which cannot be converted to `{unit}`",
                c.name(),
                c.unit()
            ));
            continue;
        };
        let figure = Figure {
            value,
            unit: unit.to_owned(),
        };
        if let Some(old) = figures.insert(canonical.to_string(), figure)
            && old.value != value
        {
            contradicted.insert(canonical.to_string());
        }
    }
    // Where nothing was counted that is one thing to say, and not one for each counter.
    if missing > 1 && figures.is_empty() && missing == notices.len() {
        let why = match reasons.iter().next() {
            Some(only) if reasons.len() == 1 => only,
            _ => "each for a reason of its own",
        };
        notices = vec![format!("none of its {missing} figures has a value: {why}")];
    }
    for canonical in contradicted {
        figures.remove(&canonical);
        notices.push(format!(
            "{canonical}: reported more than once with different values (per interval, CPU or core type)"
        ));
    }
    (figures, notices)
}
