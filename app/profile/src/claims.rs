//! Published figures computed again: rates, speed-ups, changes, means, and what is said of them.
//!
//! A figure agrees when what its table and the formulas of the campaign give, rounded to the digits
//! that it is printed with, is what is printed. Where only the last digit differs and the digits of
//! what it follows from leave room for it, that is rounding. A figure that comes out only in another
//! meaning (a speed-up minus one where a reduction is stated) is ambiguous. Everything else
//! disagrees.

mod columns;
mod figure;
mod judge;
mod repeats;
#[cfg(test)]
mod repeats_tests;
mod sentences;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::{Mapping, Profile};

/// What the campaign knows of the workload of a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Work {
    /// Dims by name.
    pub dims: BTreeMap<String, f64>,
    /// Floating-point operations of one launch, where there is a formula.
    pub flops: Option<f64>,
    /// Bytes that one launch has to move, where there is a formula.
    pub bytes: Option<f64>,
    /// Highest bandwidth of the device in GB/s, where it is known.
    pub bandwidth: Option<f64>,
}

/// How a figure came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As printed.
    Agrees,
    /// The last digit differs, and the digits of what it follows from allow it.
    Rounding,
    /// Otherwise.
    Disagrees,
    /// As printed, if it means something else than it says.
    Ambiguous,
    /// It could not be computed.
    NotRecomputed,
}

/// A published figure and what comes out.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Rows of the table that it is of and follows from; the first is the one it stands in.
    pub rows: Vec<String>,
    /// Where its document prints it; nothing where neither the table nor the mapping says.
    pub place: Option<String>,
    /// Name in the catalog of what is held, where it is a column that has one.
    pub canonical: Option<&'static str>,
    /// Name in the catalog of the published figure that is held, where it stands in a column: what a
    /// record of the row keeps it under.
    pub claim: Option<String>,
    /// What is stated.
    pub figure: String,
    /// Unit of `stated`, `computed` and `interval`.
    pub unit: String,
    /// As printed.
    pub printed: String,
    /// The number; nothing for a statement in words.
    pub stated: Option<f64>,
    /// What comes out of the figures as they are printed.
    pub computed: Option<f64>,
    /// What can come out, given their digits.
    pub interval: Option<[f64; 2]>,
    /// How it came out.
    pub outcome: Outcome,
    /// Why; empty for what agrees without a remark.
    pub why: String,
    /// The same in Simplified Chinese.
    pub why_zh: String,
    /// Whether `why` is worth a finding although the figure agrees.
    pub remark: bool,
}

/// Computes the figures of a published table again; `work` is asked by the name of a row.
///
/// The profile must have been read with the mapping.
pub fn hold(mapping: &Mapping, profile: &Profile, work: &dyn Fn(&str) -> Work) -> Vec<Held> {
    let table = columns::Table::new(mapping, profile, work);
    let mut out = table.columns();
    for h in &mut out {
        let row = h.rows.first().and_then(|r| profile.places.get(r));
        h.place = row.cloned();
    }
    out.extend(mapping.claims.iter().map(|c| Held {
        place: Some(c.place.clone()).filter(|p| !p.is_empty()),
        ..table.sentence(c)
    }));
    out
}
