//! The table: every sentence of the program that a record or a view holds, in both languages.
//!
//! One file for each maker of sentences. The first phrase that fits counts, so that those with more
//! words stand before those with fewer.

mod behind;
mod beside;
mod campaigns;
mod conditions;
mod counters;
mod failures;
mod figures;
mod gates;
mod harness;
mod interface;
mod joined;
mod judge;
mod machine;
mod profiling;
mod subjects;
mod summaries;
mod views;

use crate::matching::Phrase;

pub(crate) use behind::PHRASES as BEHIND;
pub(crate) use figures::FIGURES;
pub(crate) use subjects::SUBJECTS;

/// All but what findings, notes and figures are about, and what stands behind any of them.
pub(crate) const ALL: &[&[Phrase]] = &[
    judge::PHRASES,
    beside::PHRASES,
    conditions::PHRASES,
    gates::PHRASES,
    summaries::PHRASES,
    views::PHRASES,
    failures::PHRASES,
    machine::PHRASES,
    profiling::PHRASES,
    counters::PHRASES,
    harness::PHRASES,
    campaigns::PHRASES,
    interface::PHRASES,
    joined::PHRASES,
];

#[cfg(test)]
mod tests;
