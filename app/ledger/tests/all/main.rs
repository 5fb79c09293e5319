//! Tests of the ledger crate over real repositories, apart from the developer's git settings.

#![allow(clippy::unwrap_used, reason = "helpers are tests too")]
#![allow(clippy::cloned_ref_to_slice_refs, reason = "lists read better")]

mod crash;
mod edits;
mod folder;
mod lab;
mod ledger;
mod many;
mod pool;
mod repo;
mod sync;
mod untouched;
mod variants;
