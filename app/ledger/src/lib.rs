//! Git for Assay: the ledger branch, variants, prepared work trees and locks.
//!
//! This is the only crate that names `git2`, and with `assay-exec` the only one that starts a
//! program (`git`, for the network, for real work trees and for repacking). Nothing here touches
//! the user's work tree or index.
//!
//! Map: [`Repo`] opens a repository; [`Ledger`] reads, writes, merges and checks records;
//! [`Variants`] makes and changes branches without any work tree; [`Pool`] prepares folders to
//! run a variant in; [`Edits`] gives the user a work tree; [`FileLock`] locks between processes.

mod error;
mod fsio;
mod ledger;
mod locks;
mod program;
mod repo;
mod variants;
mod work;

pub use error::{Error, Result};
pub use ledger::{
    Blob, BlobState, BranchSync, Cover, Delta, ExportReport, GcItem, GcPlan, GcReport,
    ImportReport, LARGE_BLOB, Ledger, Maintained, Problem, ProblemKind, RawRecord, Snapshot,
    SyncOptions, SyncReport, VerifyReport, blob_refs,
};
pub use locks::FileLock;
pub use repo::{CommitId, Repo, User};
pub use variants::{
    Ablation, Ablations, Changes, CommittedHere, FileAt, Variants, content_hash_of,
};
pub use work::{EditStatus, Edits, Lease, Pool, Prepare};
