//! Figures of one launch, and what stands where a figure should.

use std::sync::Arc;

use super::Field;
use super::header::Header;
use crate::counters::{Cell, Counters};
use crate::plain::{Found, Plain};
use crate::separators::{self, Evidence, Shape};
use crate::{Counter, Key, Launch, Status};

/// Section of what says which launch it is.
pub(super) const IDENTITY: &str = "identity";

/// The columns that say which launch it is and have no other place in the model.
pub(super) fn identity<'f>(
    header: &'f Header,
    fields: &'f [Field<'_>],
) -> impl Iterator<Item = Counter> + 'f {
    let given = header.identity.iter().filter_map(|i| {
        let field = fields.get(*i).filter(|f| !f.is_empty())?;
        Some((header.names.get(*i)?, field))
    });
    given.map(|(name, field)| Counter::words(IDENTITY, name.clone(), field))
}

/// Why the last figure of a row is not read.
pub(super) const CUT_ROW: &str = "the row is cut here";

/// The figures of one launch.
#[derive(Default)]
pub(super) struct Figures {
    pub counters: Counters,
    pub evidence: Evidence,
    pub open: Open,
}

/// Whether there are figures whose separators only the whole file can tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// Some that what the file had shown by then was enough to read for now.
    pub settled: bool,
    /// Some that it was not enough for.
    pub unsettled: bool,
}

impl Figures {
    /// Adds a metric.
    pub fn push(&mut self, key: Arc<Key>, raw: &str) {
        self.counters.keys.put(key);
        self.figure(raw, None);
    }

    /// Adds the metric whose key was put last; with it, where it stands in the text of the
    /// counters, if it does.
    pub fn figure(&mut self, raw: &str, stands: Option<usize>) {
        match separators::shape(raw) {
            Shape::Certain(read, proof) => {
                self.evidence.add(proof);
                self.counters.number(read, raw, stands);
            }
            Shape::Open(sign, digits) => {
                let cell = self.open_cell(sign, digits);
                self.counters.cell_in(cell, raw, stands);
            }
            Shape::Not => self.word(raw, stands),
        }
    }

    /// Adds the metric whose key was put last, and which stands in the text of the counters.
    #[inline]
    pub fn plain(&mut self, found: Found, at: usize, len: usize) {
        if found.proof != 0 {
            self.evidence.add(Some(found.proof));
        }
        let cell = match found.figure {
            Plain::Whole(n) => Cell::unsigned(n),
            Plain::Decimal(f, decimals) => Cell::float(f, decimals),
            Plain::Open(sign, digits) => self.open_cell(sign, digits),
        };
        self.counters.cell_at(cell, at, len);
    }

    /// A figure that its shape leaves open. What the file has shown so far is taken back if a later
    /// figure contradicts it.
    #[inline]
    pub fn open_cell(&mut self, sign: u8, digits: i64) -> Cell {
        match self.evidence.decimal() {
            Some(decimal) => {
                self.open.settled = true;
                settled(sign, digits, decimal)
            }
            None => {
                self.open.unsettled = true;
                Cell::none(Status::Error)
            }
        }
    }

    /// Adds an entry that is no number: a word, or one of the ways to say that there is none.
    #[cold]
    fn word(&mut self, raw: &str, stands: Option<usize>) {
        let lower = raw.trim().to_ascii_lowercase();
        let (status, why) = match lower.as_str() {
            "" | "no data" => (Status::Absent, None),
            "n/a" | "(!) n/a" | "not supported" => (Status::NotSupported, None),
            "nan" | "-nan" | "inf" | "-inf" | "+inf" | "infinity" | "-infinity" => {
                (Status::Error, Some("not a finite number"))
            }
            other
                if other
                    .chars()
                    .all(|c| c.is_ascii_digit() || ",.+-e' \u{a0}\u{202f}".contains(c)) =>
            {
                (
                    Status::Error,
                    Some("not a number that can be read for certain"),
                )
            }
            _ => (Status::Text, None),
        };
        let place = self.counters.len();
        self.counters.cell_in(Cell::none(status), raw, stands);
        if let Some(why) = why {
            self.counters.doubt(place, why.to_owned());
        }
    }
}

/// The value of a figure that its shape leaves open.
pub(super) fn settled(sign: u8, digits: i64, decimal: u8) -> Cell {
    if sign == decimal {
        Cell::float(digits as f64 / 1000.0, 3)
    } else {
        Cell::signed(digits)
    }
}

/// Reads again, now that the whole file is known, what its shape leaves open in some launches; how
/// many figures stay unread.
pub(super) fn settle_all(launches: &mut [Launch], some: &[usize], evidence: Evidence) -> u64 {
    let decimal = evidence.decimal();
    let reasons = [b',', b'.'].map(|sign| (sign, separators::open_problem(sign, evidence)));
    let reasons = reasons.map(|(sign, why)| (sign, Arc::from([why])));
    let mut unread = 0;
    for launch in some {
        let Some(launch) = launches.get_mut(*launch) else {
            continue;
        };
        let counters = &mut launch.counters;
        for at in 0..counters.len() {
            let Some(c) = counters.get(at) else { continue };
            let is_cut = c.suspect().first().is_some_and(|why| why == CUT_ROW);
            if is_cut || !matches!(c.status(), Status::Value | Status::Error) {
                continue;
            }
            let Shape::Open(sign, digits) = separators::shape(c.raw()) else {
                continue;
            };
            match decimal {
                Some(decimal) => counters.settle(at, settled(sign, digits, decimal)),
                None => {
                    unread += 1;
                    for (_, why) in reasons.iter().filter(|(s, _)| *s == sign) {
                        counters.refuse(at, why);
                    }
                }
            }
        }
    }
    unread
}
