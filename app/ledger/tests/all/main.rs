//! Tests of the ledger crate over real repositories, apart from the developer's git settings.

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
