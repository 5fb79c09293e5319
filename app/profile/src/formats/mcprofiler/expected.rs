//! The rows that are expected: those of the last report of the same flavour. The next one mostly has
//! the same rows in the same order, and then shares their keys instead of making its own and looking
//! up their names.
//!
//! What is remembered is only ever a shorter way to the same result. Every thread remembers for
//! itself, one report of each flavour.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::metrics;
use crate::Key;
use crate::counters::Counters;
use crate::keys::{KeyList, Keys};

/// So many rows in a row may be missing.
const AHEAD: usize = 8;

/// A report with more rows, or more bytes in their names, is not remembered: no report of the tool
/// comes near.
const MOST_ROWS: usize = 2000;
const MOST_BYTES: usize = 256 << 10;

/// What is remembered of a report.
struct Report {
    flavour: &'static str,
    keys: KeyList,
    /// For each key, the unit that its row is known to have.
    units: Vec<Option<&'static str>>,
    /// Whether no two of the keys have the same section and name.
    distinct: bool,
    /// Bytes of its figures.
    figures: usize,
}

thread_local! {
    static LAST: RefCell<Vec<Rc<Report>>> = const { RefCell::new(Vec::new()) };
}

/// A row that was expected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(usize);

/// The rows of the last report, and how far this one has come.
pub(super) struct Expected {
    flavour: &'static str,
    report: Option<Rc<Report>>,
    next: usize,
}

impl Expected {
    pub(super) fn new(flavour: &'static str) -> Self {
        let last = LAST.try_with(|all| {
            let all = all.borrow();
            all.iter().find(|r| r.flavour == flavour).cloned()
        });
        Self {
            flavour,
            report: last.ok().flatten(),
            next: 0,
        }
    }

    /// No counters yet, with room for as many as are expected.
    pub(super) fn counters(&self) -> Counters {
        match &self.report {
            Some(last) => {
                Counters::with_room(Keys::expecting(Arc::clone(&last.keys)), last.figures)
            }
            None => Counters::default(),
        }
    }

    /// Whether a row is the one that is expected next, or one of those soon after.
    #[inline]
    pub(super) fn find(&mut self, section: &str, name: &str) -> Option<Place> {
        let rest = self.report.as_ref()?.keys.get(self.next..)?;
        let is_it = |key: &Arc<Key>| key.name == *name && key.section == *section;
        let place = self.next + rest.iter().take(AHEAD).position(is_it)?;
        self.next = place + 1;
        Some(Place(place))
    }

    /// The key of a row, where its unit is this one.
    #[inline]
    pub(super) fn key(&self, place: Option<Place>, unit: &str) -> Option<&Arc<Key>> {
        let key = self.report.as_ref()?.keys.get(place?.0)?;
        (key.unit == *unit).then_some(key)
    }

    /// The unit that a row is known to have.
    #[inline]
    pub(super) fn unit(
        &self,
        place: Option<Place>,
        section: &str,
        name: &str,
    ) -> Option<&'static str> {
        let last = self.report.as_ref();
        match place.and_then(|at| last?.units.get(at.0)) {
            Some(unit) => *unit,
            None => metrics::unit(section, name),
        }
    }

    /// Whether it is known that no two of these counters have the same section and name.
    pub(super) fn are_distinct(&self, counters: &Counters) -> bool {
        let known = self.report.as_ref().is_some_and(|last| last.distinct);
        known && counters.keys.are_as_expected()
    }

    /// Remembers the keys of this report, unless it has nothing new, and shares them with it.
    pub(super) fn remember(&self, counters: &mut Counters, distinct: bool) {
        let keys = &counters.keys;
        if keys.len() > MOST_ROWS || (self.report.is_some() && keys.are_as_expected()) {
            return;
        }
        let list = keys.list();
        let bytes = list
            .iter()
            .map(|k| k.name.len() + k.section.len() + k.unit.len());
        if bytes.sum::<usize>() > MOST_BYTES {
            return;
        }
        counters.keys = Keys::first(Arc::clone(&list), list.len());
        let report = Rc::new(Report {
            flavour: self.flavour,
            units: list
                .iter()
                .map(|k| metrics::unit(&k.section, &k.name))
                .collect(),
            keys: list,
            distinct,
            figures: counters.text_len(),
        });
        let _ = LAST.try_with(|all| {
            let mut all = all.borrow_mut();
            match all.iter_mut().find(|r| r.flavour == self.flavour) {
                Some(old) => *old = report,
                None => all.push(report),
            }
        });
    }
}
