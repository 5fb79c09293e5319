//! Figures by fact.
//!
//! Nearly all facts are in the table of [`FACTS`], so that a figure has a fixed place; only names of
//! families are kept as texts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use super::names::{FACTS, Fold, HISTOGRAM};
use super::{MAX_NAMES, clip};
use crate::fast::FastMap;
use crate::language::Language;

/// Facts with a place of their own, at most; a test holds the table to it.
const MOST: usize = 128;

/// The facts that have a place, and the families of others.
struct Table {
    /// Names in order, with their fold; their place is their index.
    names: Vec<(&'static str, Fold)>,
    /// The places of the names.
    places: FastMap<&'static str, usize>,
    /// Beginnings of the names of families.
    families: Vec<(&'static str, Fold)>,
    /// Places of the histograms of accesses, in the order of [`HISTOGRAM`].
    histogram: Vec<usize>,
    /// Places of `load.global.count` and its like: by kind, then by space.
    counts: [[usize; 2]; 2],
    /// Places of `load.global.width_bits` and its like, likewise.
    widths: [[usize; 2]; 2],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut names: Vec<(&'static str, Fold)> = (FACTS.iter())
        .filter(|f| !f.name.ends_with('*'))
        .map(|f| (f.name, f.fold))
        .chain(HISTOGRAM.iter().map(|n| (*n, Fold::Sum)))
        .collect();
    names.sort_by_key(|(n, _)| *n);
    names.truncate(MOST);
    let place = |name: &str| {
        let at = names.binary_search_by_key(&name, |(n, _)| n);
        at.unwrap_or(0)
    };
    let by = |what: &str| {
        ["load", "store"]
            .map(|kind| ["global", "shared"].map(|space| place(&format!("{kind}.{space}.{what}"))))
    };
    Table {
        families: (FACTS.iter())
            .filter_map(|f| Some((f.name.strip_suffix('*')?, f.fold)))
            .collect(),
        histogram: HISTOGRAM.iter().map(|n| place(n)).collect(),
        counts: by("count"),
        widths: by("width_bits"),
        places: names.iter().enumerate().map(|(i, n)| (n.0, i)).collect(),
        names,
    }
});

/// Figures by fact.
#[derive(Clone, Default)]
pub struct Tally {
    /// By place; empty as long as there is none.
    figures: Vec<u64>,
    /// Which places have a figure.
    present: u128,
    /// Names of families.
    others: BTreeMap<String, u64>,
}

impl Tally {
    /// The value of a fact; absent when the text does not state it, 0 when there is none of it.
    pub fn get(&self, name: &str) -> Option<u64> {
        match place(name) {
            Some(at) => (self.present >> at & 1 == 1)
                .then(|| self.figures.get(at).copied())
                .flatten(),
            None => self.others.get(name).copied(),
        }
    }

    /// All facts in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        let mut out: Vec<(&str, u64)> = (self.places())
            .map(|(at, n)| (TABLE.names[at].0, n))
            .chain(self.others.iter().map(|(k, n)| (k.as_str(), *n)))
            .collect();
        out.sort_unstable_by_key(|(n, _)| *n);
        out.into_iter()
    }

    fn places(&self) -> impl Iterator<Item = (usize, u64)> {
        let mut left = self.present;
        std::iter::from_fn(move || {
            let at = left.trailing_zeros() as usize;
            left &= left.checked_sub(1)?;
            Some((at, self.figures.get(at).copied().unwrap_or(0)))
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.present == 0 && self.others.is_empty()
    }

    pub(super) fn remove(&mut self, name: &str) {
        match place(name) {
            Some(at) => {
                self.present &= !(1 << at);
                if let Some(n) = self.figures.get_mut(at) {
                    *n = 0;
                }
            }
            None => {
                self.others.remove(name);
            }
        }
    }

    pub(crate) fn add(&mut self, name: &str, n: u64) {
        if let Some(v) = self.slot(name) {
            *v = v.saturating_add(n);
        }
    }

    pub(crate) fn most(&mut self, name: &str, n: u64) {
        if let Some(v) = self.slot(name) {
            *v = n.max(*v);
        }
    }

    fn slot(&mut self, name: &str) -> Option<&mut u64> {
        match place(name) {
            Some(at) => Some(self.at(at)),
            None => self.other(clip(name)),
        }
    }

    fn at(&mut self, place: usize) -> &mut u64 {
        if self.figures.is_empty() {
            self.figures = vec![0; TABLE.names.len()];
        }
        self.present |= 1 << place;
        &mut self.figures[place]
    }

    fn other(&mut self, name: &str) -> Option<&mut u64> {
        if !self.others.contains_key(name) {
            if self.others.len() + self.present.count_ones() as usize >= MAX_NAMES {
                return None;
            }
            self.others.insert(name.to_owned(), 0);
        }
        self.others.get_mut(name)
    }

    /// Takes another tally in, by the rule of each fact.
    pub(crate) fn take_in(&mut self, other: &Self) {
        let combine = |v: &mut u64, n: u64, fold: Fold| match fold {
            Fold::Most => *v = n.max(*v),
            Fold::Sum => *v = v.saturating_add(n),
        };
        for (at, n) in other.places() {
            combine(self.at(at), n, TABLE.names[at].1);
        }
        for (name, n) in &other.others {
            let family = TABLE.families.iter().find(|(f, _)| name.starts_with(f));
            if let Some(v) = self.other(name) {
                combine(v, *n, family.map_or(Fold::Sum, |f| f.1));
            }
        }
    }

    /// Makes the facts that the language always states present.
    pub(super) fn complete(&mut self, language: Language) {
        for f in FACTS.iter().filter(|f| f.always(language)) {
            self.add(f.name, 0);
        }
        for at in &TABLE.histogram {
            self.at(*at);
        }
    }

    /// Gives all of these the facts that the language always states.
    pub(super) fn complete_all<'t>(
        tallies: impl Iterator<Item = &'t mut Self>,
        language: Language,
    ) {
        let mut always = Self::default();
        always.complete(language);
        for t in tallies {
            if t.figures.is_empty() {
                t.figures = vec![0; TABLE.names.len()];
            }
            t.present |= always.present;
        }
    }

    /// Counts `n` accesses to memory in their histogram and, where there is one, in the space's own
    /// facts.
    pub(super) fn count_memory(&mut self, kind: &str, space: &str, bits: Option<u64>, n: u64) {
        match bits {
            Some(bits) => match super::names::histogram_place(kind, space, bits) {
                Some(place) => *self.at(TABLE.histogram[place]) += n,
                None => self.add(&format!("{kind}.{space}.b{bits}"), n),
            },
            None => self.add(&format!("{kind}.{space}.unknown"), n),
        }
        let space = match space {
            "global" => 0,
            "shared" => 1,
            _ => return,
        };
        let kind = usize::from(kind == "store");
        *self.at(TABLE.counts[kind][space]) += n;
        if let Some(bits) = bits {
            let widest = self.at(TABLE.widths[kind][space]);
            *widest = bits.max(*widest);
        }
    }
}

fn place(name: &str) -> Option<usize> {
    TABLE.places.get(name).copied()
}

impl PartialEq for Tally {
    fn eq(&self, other: &Self) -> bool {
        self.present == other.present
            && self.others == other.others
            && self.places().eq(other.places())
    }
}

impl Eq for Tally {}

impl fmt::Debug for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: BTreeMap<&str, u64> = self.iter().collect();
        f.debug_struct("Tally").field("counts", &counts).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_its_place() {
        let single = FACTS.iter().filter(|f| !f.name.ends_with('*')).count();
        assert_eq!(TABLE.names.len(), single + HISTOGRAM.len());
        assert!(TABLE.names.len() <= MOST);
        for (at, (name, _)) in TABLE.names.iter().enumerate() {
            assert_eq!(place(name), Some(at), "{name}");
        }
        assert_eq!(TABLE.counts[1][0], place("store.global.count").unwrap());
        assert_eq!(TABLE.widths[0][1], place("load.shared.width_bits").unwrap());
    }

    #[test]
    fn figures_are_kept_by_name_and_folded_by_the_rule_of_each() {
        let mut a = Tally::default();
        assert!(a.is_empty());
        a.add("mma.count", 2);
        a.add("mma.x", 1);
        a.most("loop.trips", 4);
        a.count_memory("load", "global", Some(128), 1);
        a.count_memory("load", "local", None, 1);
        let mut b = a.clone();
        b.take_in(&a);
        assert_eq!(
            b.iter().collect::<Vec<_>>(),
            [
                ("load.global.b128", 2),
                ("load.global.count", 2),
                ("load.global.width_bits", 128),
                ("load.local.unknown", 2),
                ("loop.trips", 4),
                ("mma.count", 4),
                ("mma.x", 2),
            ]
        );
        assert_eq!(b.get("loop.trips"), Some(4));
        b.remove("loop.trips");
        assert_eq!((b.get("loop.trips"), b.get("mma.y")), (None, None));
        assert_ne!(a, b);
    }
}
