//! The index: what `assay list` and `assay log` need, ready to read.
//!
//! It is disposable. Everything in it follows from the ledger; it is keyed by the state of the
//! ledger and by the version of its own format, and what is missing, broken or old is made again.
//! Files are Arrow IPC, written beside each other and renamed into place, so that any number of
//! viewers may read while one writes. Where the folder cannot be written, everything works from
//! memory.
//!
//! This is the only crate that names `polars`. Polars starts one thread for each core of the
//! machine when it first sorts or filters; `POLARS_MAX_THREADS` in the environment limits that,
//! and must be set before the program starts. Reading the list starts none of them.
//!
//! | file | job |
//! |---|---|
//! | `index` | open, refresh, rebuild; list, log, and the records of some variants |
//! | `update` | brings lists up to date from added records without reading the others |
//! | `records` | the table of all records; which of them count |
//! | `rows` | a list as a data frame, and back |
//! | `store` | files, manifest, check sums, atomic replacement |
//! | `query`, `csv` | sort and filter; export |

mod csv;
mod error;
mod index;
mod query;
mod records;
mod rows;
mod source;
mod store;
mod update;

pub use csv::{cell, list_csv, records_csv};
pub use error::Error;
pub use index::{Index, IndexState};
pub use query::{Op, Query};
pub use source::{BoxError, Delta, RawRecord, Records, Snapshot};
