//! Folders with the files of a variant: for the runner (the pool) and for the user (edits).

mod checkout;
mod edit;
mod pool;

pub use edit::{EditStatus, Edits};
pub use pool::{Lease, Pool, Prepare};
