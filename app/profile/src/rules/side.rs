//! One launch as rules see it: figures by canonical name, in canonical units.

use std::collections::{BTreeMap, BTreeSet};

use super::names::Vocabulary;
use crate::catalog::unit_factor;
use crate::{CounterRef, Launch, Profile, Scope, Status};

/// A figure of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read<'a> {
    /// In the unit of the catalog.
    pub(super) value: f64,
    /// What the last printed digit is worth, in that unit; 0 when nothing is known of its digits.
    pub(super) resolution: f64,
    /// The counter.
    pub(super) counter: CounterRef<'a>,
}

/// One launch.
#[derive(Debug)]
pub(super) struct Side<'a> {
    pub(super) profile: &'a Profile,
    pub(super) launch: &'a Launch,
    figures: BTreeMap<&'a str, Read<'a>>,
    /// Canonical names that have different values in the report.
    contradicted: BTreeSet<&'a str>,
}

/// What a report may have several of, each against something else.
const COMPARISONS: [&str; 3] = ["claim.speedup", "claim.reduction", "claim.increase"];

impl<'a> Side<'a> {
    pub(super) fn new(words: &Vocabulary, profile: &'a Profile, launch: &'a Launch) -> Self {
        let mut figures: BTreeMap<&str, Read<'_>> = BTreeMap::new();
        let mut contradicted = BTreeSet::new();
        for counter in launch.iter() {
            let Some((name, read)) = read(words, counter) else {
                continue;
            };
            let Some(old) = figures.get(name) else {
                figures.insert(name, read);
                continue;
            };
            // The same figure may be printed twice, with more and with fewer digits.
            let allowed = (old.resolution + read.resolution) / 2.0 * (1.0 + 1e-9);
            if (old.value - read.value).abs() > allowed {
                contradicted.insert(name);
            } else if read.resolution < old.resolution {
                figures.insert(name, read);
            }
        }
        for name in &contradicted {
            figures.remove(name);
        }
        // Comparisons with several others differ, and contradict nothing.
        contradicted.retain(|name| !COMPARISONS.contains(name));
        Self {
            profile,
            launch,
            figures,
            contradicted,
        }
    }

    /// The figures of the catalog that are marked, by the tool's name for them.
    pub(super) fn suspect(&self) -> impl Iterator<Item = &'a str> {
        let known = self.launch.iter().filter(|c| c.canonical().is_some());
        let marked = known.filter(|c| !c.suspect().is_empty());
        marked.map(|c| c.name())
    }

    /// The counters that the report has more than once, with different values.
    pub(super) fn contradicted(&self) -> impl Iterator<Item = &'a str> {
        self.contradicted.iter().copied()
    }

    /// The figure of a counter.
    pub(super) fn figure(&self, canonical: &str) -> Option<&Read<'a>> {
        self.figures.get(canonical)
    }

    /// All figures by canonical name.
    pub(super) fn figures(&self) -> impl Iterator<Item = (&'a str, &Read<'a>)> {
        self.figures.iter().map(|(name, read)| (*name, read))
    }

    /// Value of a counter or a `launch.` name.
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        if let Some(read) = self.figures.get(name) {
            return Some(read.value);
        }
        let size = |size: Option<[u64; 3]>| {
            let [x, y, z] = size?;
            let product = u128::from(x) * u128::from(y);
            // Beyond 2^53 a double rounds; no launch has so many.
            product.checked_mul(u128::from(z)).map(|n| n as f64)
        };
        let same = || {
            let launches = self.profile.launches.iter();
            launches.filter(|l| l.kernel == self.launch.kernel)
        };
        match name {
            "launch.aggregate" => Some(f64::from(self.launch.scope == Scope::Aggregate)),
            "launch.grid_blocks" => size(self.launch.grid),
            "launch.block_threads" => size(self.launch.block),
            "launch.count" => Some(same().count() as f64),
            "launch.suspect" => Some(self.suspect().count() as f64),
            "launch.contradicted" => Some(self.contradicted.len() as f64),
            "launch.kernels" => {
                let kernels = self.profile.launches.iter();
                let kernels = kernels.filter(|l| l.scope == Scope::PerKernel);
                let names: BTreeSet<&str> = kernels.map(|l| l.kernel.as_str()).collect();
                Some(names.len() as f64)
            }
            _ => None,
        }
    }

    /// What the last printed digit of a counter is worth.
    pub(super) fn resolution(&self, name: &str) -> Option<f64> {
        self.figures.get(name).map(|r| r.resolution)
    }
}

fn read<'a>(words: &Vocabulary, counter: CounterRef<'a>) -> Option<(&'a str, Read<'a>)> {
    let canonical = counter.canonical()?;
    let unit = words.unit(canonical)?;
    if counter.status() != Status::Value {
        return None;
    }
    let value = counter.in_unit(unit)?;
    let factor = unit_factor(counter.unit(), unit)?;
    let read = Read {
        value,
        resolution: counter.resolution().unwrap_or(0.0) * factor,
        counter,
    };
    Some((canonical, read))
}
