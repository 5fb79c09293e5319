//! The vocabulary of Assay: records, units, formulas, campaign files and views.
//!
//! This crate is pure. It does no I/O, reads no environment, knows no terminal, no git and no
//! data frame. Everything that another crate hands over a boundary is a type from here.

pub mod campaign;
pub mod expr;
pub mod fold;
pub mod gate;
pub mod ids;
pub mod json;
pub mod predict;
pub mod record;
pub mod slug;
pub mod text;
pub mod units;
pub mod view;

pub use ids::{RecordId, Sha256, Sha256Stream};
pub use jiff::Timestamp;
pub use record::{Body, Record};
