//! The table: every sentence of the program that a record or a view holds, in both languages.
//!
//! One file for each maker of sentences. The first phrase that fits counts, so that those with more
//! words stand before those with fewer.

mod beside;
mod campaigns;
mod conditions;
mod failures;
mod gates;
mod harness;
mod joined;
mod judge;
mod machine;
mod profiling;
mod subjects;
mod summaries;
mod views;

use crate::matching::Phrase;

pub(crate) use subjects::SUBJECTS;

/// All but what findings are about.
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
    harness::PHRASES,
    campaigns::PHRASES,
    joined::PHRASES,
];

#[cfg(test)]
mod tests;
