//! Derived figures, computed again from what they follow from.
//!
//! One place for `verify`, which says whether the ledger holds, and `audit`, which says of each
//! figure how it was recorded or printed and what comes out.
//!
//! | module | what it computes again |
//! |---|---|
//! | `again` | what follows from raw samples |
//! | `stages` | rankings, chains measured end to end, and whether measuring two at once disturbs |
//! | `recorded` | the same and what decisions and profiles say, as figures of an audit |
//! | `beside` | sets two documents beside each other |
//! | `list` | keeps the figures of an audit, the worst first, and counts them |

mod again;
mod beside;
mod list;
mod recorded;
mod stages;
#[cfg(test)]
mod tests;

pub(crate) use again::again;
pub(crate) use beside::Beside;
pub(crate) use list::{List, Outcome, figure};
pub(crate) use recorded::{counters, decisions, samples};
