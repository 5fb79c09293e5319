//! Ledger records: what a campaign remembers, one immutable canonical JSON document each.
//!
//! The envelope (id, time, author, campaign, kind) is the same for all; [`Body`] has one variant
//! for each kind. A record of a kind or shape that this version does not know is kept and counted
//! as [`Body::Unknown`], never dropped.

mod beside;
mod body;
mod calibration;
mod canary;
mod chain;
mod declared;
mod envelope;
mod evidence;
mod judged;
mod readings;
mod screening;
mod untimed;

pub use beside::*;
pub use body::{BlobRef, Body, ENVIRONMENT, Note, Tombstone};
pub use calibration::*;
pub use canary::*;
pub use chain::*;
pub use declared::*;
pub use envelope::{Record, RecordError};
pub use evidence::*;
pub use judged::*;
pub use readings::*;
pub use screening::*;
pub use untimed::*;
