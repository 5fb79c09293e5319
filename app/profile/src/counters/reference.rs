//! One counter of a launch, looked at where it is stored.

use std::fmt;
use std::sync::Arc;

use serde_json::Number;

use super::{Cell, Counters, Kind, NO_DECIMALS, Rare, resolution_of};
use crate::{Counter, Key, Status};

/// A counter of a launch, to be looked at.
#[derive(Clone, Copy)]
pub struct CounterRef<'a> {
    pub(super) of: &'a Counters,
    pub(super) at: usize,
}

impl<'a> CounterRef<'a> {
    fn cell(self) -> Cell {
        let cell = self.of.cells.get(self.at).copied();
        cell.unwrap_or(Cell::none(Status::Absent))
    }

    fn rare(self) -> Option<&'a Rare> {
        if self.cell().rare {
            self.of.rare.get(&self.at)
        } else {
            None
        }
    }

    /// What the counter is, to be shared.
    pub fn key(self) -> &'a Arc<Key> {
        self.of.keys.get(self.at)
    }

    /// Section of the report; empty where it has none.
    pub fn section(self) -> &'a str {
        &self.key().section
    }

    /// Name as the tool prints it.
    pub fn name(self) -> &'a str {
        &self.key().name
    }

    /// Name in the catalog, where it has one.
    pub fn canonical(self) -> Option<&'a str> {
        self.key().canonical.as_deref()
    }

    /// Unit as the tool prints it; `1` for counts.
    pub fn unit(self) -> &'a str {
        &self.key().unit
    }

    /// The number as a double; integers beyond 2^53 are rounded here and exact in [`Self::exact`].
    pub fn number(self) -> Option<f64> {
        let cell = self.cell();
        match cell.kind {
            Kind::None => None,
            Kind::Unsigned => Some(cell.bits as f64),
            Kind::Signed => Some(cell.bits.cast_signed() as f64),
            Kind::Float => Some(f64::from_bits(cell.bits)),
        }
    }

    /// The number with integers kept exactly.
    pub fn exact(self) -> Option<Number> {
        let cell = self.cell();
        match cell.kind {
            Kind::None => None,
            Kind::Unsigned => Some(cell.bits.into()),
            Kind::Signed => Some(cell.bits.cast_signed().into()),
            Kind::Float => Number::from_f64(f64::from_bits(cell.bits)),
        }
    }

    /// The word; only with status `text`.
    pub fn word(self) -> Option<&'a str> {
        let is_word = self.status() == Status::Text;
        let other = self.rare().and_then(|r| r.word.as_deref());
        is_word.then(|| other.unwrap_or(self.raw()))
    }

    /// The figure as printed.
    pub fn raw(self) -> &'a str {
        if let Some(raw) = self.rare().and_then(|r| r.raw.as_deref()) {
            return raw;
        }
        let cell = self.cell();
        let at = cell.at as usize;
        let text = self.of.text.get(at..at + usize::from(cell.len));
        text.unwrap_or_default()
    }

    /// What the last digit printed is worth.
    pub fn resolution(self) -> Option<f64> {
        match self.cell().decimals {
            NO_DECIMALS => self.rare().and_then(|r| r.resolution),
            decimals => Some(resolution_of(decimals)),
        }
    }

    /// What the entry amounts to.
    pub fn status(self) -> Status {
        self.cell().status
    }

    /// Why it should not be taken at face value.
    pub fn suspect(self) -> &'a [String] {
        self.rare().map_or(&[], |r| &r.suspect)
    }

    /// The number in a unit of the catalog, if it can be converted.
    pub fn in_unit(self, unit: &str) -> Option<f64> {
        crate::catalog::in_unit(self.number()?, self.unit(), unit)
    }
}

impl From<CounterRef<'_>> for Counter {
    fn from(c: CounterRef<'_>) -> Self {
        let mut counter = Self::of(Arc::clone(c.key()), c.raw(), c.status());
        counter.value = c.exact();
        counter.text = c.word().map(Into::into);
        counter.resolution = c.resolution();
        counter.suspect = c.suspect().to_vec();
        counter
    }
}

impl PartialEq for CounterRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
            && self.status() == other.status()
            && self.exact() == other.exact()
            && self.raw() == other.raw()
            && self.word() == other.word()
            && self.resolution() == other.resolution()
            && self.suspect() == other.suspect()
    }
}

impl fmt::Debug for CounterRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Counter::from(*self).fmt(f)
    }
}
