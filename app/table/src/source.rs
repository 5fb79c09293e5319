//! What the index needs of a ledger, and reading many records at once.

use std::thread;

use assay_core::{Record, RecordId};

use crate::error::{Error, Result};

/// Any error of a ledger.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A record as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRecord {
    /// Path in the ledger tree.
    pub path: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// All records at one state of the ledger.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The state; `None` when nothing was ever written.
    pub head: Option<String>,
    /// The records.
    pub records: Vec<RawRecord>,
}

/// What changed between two states of the ledger.
#[derive(Debug, Clone, Default)]
pub struct Delta {
    /// The newer state.
    pub head: Option<String>,
    /// Records that came.
    pub added: Vec<RawRecord>,
    /// Paths of records that went.
    pub removed: Vec<String>,
}

/// A ledger, as far as the index needs it.
pub trait Records {
    /// The present state.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    fn head(&mut self) -> Result<Option<String>, BoxError>;

    /// All records.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    fn snapshot(&mut self) -> Result<Snapshot, BoxError>;

    /// What changed since `head`; `None` when that state is not known.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    fn changed_since(&mut self, head: &str) -> Result<Option<Delta>, BoxError>;

    /// These records, in no order; those that are not there are left out.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    fn get_many(&mut self, ids: &[RecordId]) -> Result<Vec<RawRecord>, BoxError>;
}

pub(crate) fn ledger(e: BoxError) -> Error {
    Error::Ledger(e.to_string())
}

/// A record with its path.
pub(crate) type Placed = (String, Record);

/// Reads records and checks their hashes, on several threads; counts what are none.
pub(crate) fn parse(raw: Vec<RawRecord>) -> (Vec<Placed>, u64) {
    const ENOUGH_FOR_A_THREAD: usize = 1000;
    let all = raw.len();
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(8);
    let size = all.div_ceil(threads).max(ENOUGH_FOR_A_THREAD);
    let read = |raw: Vec<RawRecord>| -> Vec<Placed> {
        (raw.into_iter())
            .filter_map(|r| Some((r.path, Record::from_bytes(&r.bytes).ok()?)))
            .collect()
    };
    let mut parts: Vec<Vec<RawRecord>> = Vec::new();
    let mut left = raw;
    while left.len() > size {
        let rest = left.split_off(size);
        parts.push(std::mem::replace(&mut left, rest));
    }
    let records: Vec<Placed> = thread::scope(|scope| {
        let handles: Vec<_> = parts
            .into_iter()
            .map(|p| scope.spawn(move || read(p)))
            .collect();
        let last = read(left);
        let mut records: Vec<Placed> = Vec::with_capacity(all);
        for h in handles {
            match h.join() {
                Ok(part) => records.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        records.extend(last);
        records
    });
    let unreadable = (all - records.len()) as u64;
    (records, unreadable)
}
