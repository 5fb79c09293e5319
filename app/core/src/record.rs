//! Ledger records: what a campaign remembers, one immutable canonical JSON document each.
//!
//! The envelope (id, time, author, campaign, kind) is the same for all; [`Body`] has one variant
//! for each kind. A record of a kind or shape that this version does not know is kept and counted
//! as [`Body::Unknown`], never dropped.

mod body;
mod envelope;

pub use body::*;
pub use envelope::{Record, RecordError};
