//! Figures of one launch, and what stands where a figure should.

use std::sync::Arc;

use super::Field;
use super::header::Header;
use crate::number::Read;
use crate::separators::{self, Evidence, Shape};
use crate::{Counter, Key, Status};

/// The columns that say which launch it is and have no other place in the model.
pub(super) fn identity<'f>(
    header: &'f Header,
    fields: &'f [Field<'_>],
) -> impl Iterator<Item = Counter> + 'f {
    let given = header.identity.iter().filter_map(|i| {
        let field = fields.get(*i).filter(|f| !f.is_empty())?;
        Some((header.names.get(*i)?, field))
    });
    given.map(|(name, field)| Counter::words("identity", name.clone(), field))
}

/// The figures of one launch.
pub(super) struct Figures {
    pub counters: Vec<Counter>,
    pub evidence: Evidence,
    /// Places of figures whose separators only the whole file can tell, and whether what the file
    /// had shown by then was enough to read them for now.
    pub open: Vec<(u32, bool)>,
}

impl Figures {
    pub fn new(evidence: Evidence) -> Self {
        Self {
            counters: Vec::new(),
            evidence,
            open: Vec::new(),
        }
    }

    /// Adds a metric.
    #[inline]
    pub fn push(&mut self, key: Arc<Key>, raw: &str) {
        let mut c = Counter::of(key, raw, Status::Error);
        match separators::shape(raw) {
            Shape::Certain(read, proof) => {
                self.evidence.add(proof);
                take(&mut c, read);
            }
            Shape::Open(sign, digits) => {
                // What the file has shown so far is taken back if a later figure contradicts it.
                let decimal = self.evidence.decimal();
                if let Some(decimal) = decimal {
                    take(&mut c, separators::settle(sign, digits, decimal));
                }
                match u32::try_from(self.counters.len()) {
                    Ok(at) => self.open.push((at, decimal.is_some())),
                    Err(_) => c = unsettled(&c, sign, self.evidence),
                }
            }
            Shape::Not => word(&mut c),
        }
        self.counters.push(c);
    }
}

/// Takes over a number.
#[inline]
pub(super) fn take(c: &mut Counter, read: Read) {
    c.value = Some(read.value);
    c.resolution = Some(read.resolution);
    c.status = Status::Value;
    if let Some(s) = read.suspect {
        c.suspect.push(s);
    }
}

/// The counter with the reason why it has no number.
#[cold]
pub(super) fn unsettled(c: &Counter, sign: u8, evidence: Evidence) -> Counter {
    let mut c = Counter::of(Arc::clone(c.key()), &c.raw, Status::Error);
    c.suspect.push(separators::open_problem(sign, evidence));
    c
}

/// An entry that is no number: a word, or one of the ways to say that there is none.
#[cold]
fn word(c: &mut Counter) {
    let lower = c.raw.trim().to_ascii_lowercase();
    match lower.as_str() {
        "" | "no data" => c.status = Status::Absent,
        "n/a" | "(!) n/a" | "not supported" => c.status = Status::NotSupported,
        "nan" | "-nan" | "inf" | "-inf" | "+inf" | "infinity" | "-infinity" => {
            c.suspect.push("not a finite number".into());
        }
        other
            if other
                .chars()
                .all(|c| c.is_ascii_digit() || ",.+-e' \u{a0}\u{202f}".contains(c)) =>
        {
            c.suspect
                .push("not a number that can be read for certain".into());
        }
        _ => {
            c.status = Status::Text;
            c.text = Some(c.raw.as_str().into());
        }
    }
}
