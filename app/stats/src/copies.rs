//! Processes that repeat another one to the last digit: copied data, which is no fresh evidence.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::{Attempted, Sides};
use crate::samples::Leg;

/// A timer this coarse may give two processes the same few values by chance.
const FEW_VALUES: usize = 3;

/// Processes all of whose values are those of an earlier one, with that one.
pub(crate) fn copies(sides: &[Sides<'_>], attempted: &Attempted) -> BTreeMap<u32, u32> {
    let mut by_process: BTreeMap<u32, Vec<&Leg>> = BTreeMap::new();
    for legs in sides.iter().flat_map(|s| [s.a.legs, s.b.legs]) {
        for leg in legs.iter().filter(|l| attempted.contains(l.process)) {
            by_process.entry(leg.process).or_default().push(leg);
        }
    }
    let mut originals: Vec<(u32, Vec<&Leg>)> = Vec::new();
    let mut out = BTreeMap::new();
    for (process, legs) in by_process {
        let first = originals.iter().find(|(_, of)| same(of, &legs));
        match first {
            Some((first, _)) if !few(&legs) => {
                out.insert(process, *first);
            }
            _ => originals.push((process, legs)),
        }
    }
    out
}

fn same(x: &[&Leg], y: &[&Leg]) -> bool {
    // Values first: they differ at once where the data is sound.
    let leg = |(x, y): (&&Leg, &&Leg)| {
        x.values_ns == y.values_ns
            && (x.block, x.leg) == (y.block, y.leg)
            && x.subject == y.subject
            && x.workload == y.workload
    };
    x.len() == y.len() && x.iter().zip(y).all(leg)
}

fn few(legs: &[&Leg]) -> bool {
    let mut seen = BTreeSet::new();
    let values = legs.iter().flat_map(|l| &l.values_ns);
    for value in values {
        seen.insert(value.to_bits());
        if seen.len() > FEW_VALUES {
            return false;
        }
    }
    true
}
