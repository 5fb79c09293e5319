//! Use cases: one function for each thing that a user does, shared by the command line and the
//! terminal interface.
//!
//! | module | what a user does |
//! |---|---|
//! | `workbench` | opens a campaign |
//! | `init`, `trust` | pins the evaluator, approves what may run |
//! | `variants`, `lineage` | declares, edits, commits, moves, combines, takes apart |
//! | `run` | builds, checks, measures, profiles |
//! | `jobs` | orders runs that go on by themselves, looks at them, cancels them |
//! | `gates`, `policy`, `decide` | accepts, rejects, parks, rolls back |
//! | `views`, `index` | lists, shows, compares, reads the log |
//! | `watch` | whether the ledger has moved, asked every second |
//! | `verify`, `exchange` | checks, exports, imports, synchronises, clears away |
//! | `bundle` | packs a campaign with its report into one file, and verifies such a file |
//! | `figures` | computes derived figures again, for `verify` and `audit` |
//! | `profiles` | files, audits and compares profiler reports in a campaign |
//! | `logs` | files benchmark logs that were made elsewhere, and sets them side by side |
//! | `notes` | keeps notes |
//! | `report` | writes the report |
//! | `diff` | compares source: of two variants, or of two files without a campaign |
//! | `files` | judges raw samples, without a campaign |
//! | `counters`, `data` | looks at profiler reports, without a campaign |
//! | `calibrate` | measures what this machine can do |
//! | `input` | reads files that were named, for all of these |
//! | `demo` | sees all of it at work |

pub mod bundle;
pub mod calibrate;
pub mod counters;
pub mod data;
pub mod decide;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod error;
mod evidence;
pub mod exchange;
mod figures;
pub mod files;
pub mod gates;
pub mod index;
pub mod init;
mod input;
pub mod jobs;
mod left;
pub mod lineage;
pub mod logs;
pub mod notes;
pub mod policy;
pub mod profiles;
pub mod report;
pub mod run;
mod stale;
pub mod trust;
pub mod variants;
pub mod verify;
pub mod views;
pub mod watch;
pub mod workbench;

pub use assay_exec::device::DEFAULT_FOLDER as DEFAULT_LOCKS;
pub use assay_exec::{Cancel, progress, signals};
pub use error::{Error, Kind, Result};

/// Queries over the list, and its export.
pub mod query {
    pub use assay_table::{Error as QueryError, Op, Query, list_csv};
}
pub use workbench::{Dirs, Options, Workbench};
