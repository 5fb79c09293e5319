//! Copying records between ledgers as a set union.

use std::collections::BTreeSet;
use std::path::Path;

use super::blobs::LARGE_BLOB;
use super::entry::{self, Entry};
use super::{Batch, BlobState, Ledger, Problem, ProblemKind};
use crate::error::{Error, Result};

/// Records written in one step, so that memory stays bounded.
const RECORDS: usize = 1_000;

/// Blob bytes written in one step.
const BYTES: usize = 64 << 20;

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Records added.
    pub added: usize,
    /// Campaigns that the added records are of.
    pub campaigns: BTreeSet<String>,
    /// Records that were here already.
    pub already: usize,
    /// Records left out because they were removed on purpose here or there.
    pub tombstoned: usize,
    /// Records removed here because the other ledger removed them on purpose.
    pub removed: usize,
    /// Blobs added.
    pub blobs: usize,
    /// Referenced blobs that the other ledger does not have.
    pub missing_blobs: usize,
    /// What was left out because it is damaged.
    pub refused: Vec<Problem>,
    /// The state afterwards.
    pub head: Option<String>,
}

/// What an export did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportReport {
    /// Records in the folder that come from here.
    pub records: usize,
    /// Blobs written.
    pub blobs: usize,
    /// Referenced blobs that are not stored here.
    pub missing_blobs: usize,
    /// What was left out because it is damaged.
    pub refused: Vec<Problem>,
}

impl Ledger {
    /// Adds what `other` has and this ledger lacks.
    ///
    /// Tombstones of either side count. A damaged record or blob is left out and listed, and the
    /// rest is imported.
    ///
    /// # Errors
    /// As [`Ledger::append`]; what was written before the error stays.
    pub fn import(&self, other: &Ledger) -> Result<ImportReport> {
        let mine = self.read_all()?;
        let theirs = other.read_all()?;
        let mut report = ImportReport::default();
        let mut dead = Self::tombstones(&mine);
        let their_dead = Self::tombstones(&theirs);
        let have: BTreeSet<&str> = mine.iter().map(|r| r.path.as_str()).collect();
        let mut batch = self.import_batch();
        for raw in &mine {
            let id = entry_id(&raw.path);
            if id.is_some_and(|id| their_dead.contains_key(&id) && !dead.contains_key(&id)) {
                batch.remove.push(raw.path.clone());
            }
        }
        report.removed = batch.remove.len();
        dead.extend(their_dead);
        // Tombstones go first, so that a crash half way never shows what is to be removed.
        let (first, rest): (Vec<_>, Vec<_>) = theirs
            .iter()
            .partition(|r| entry::tombstone(&r.bytes).is_some());
        let mut bytes = 0;
        for raw in first.into_iter().chain(rest) {
            if have.contains(raw.path.as_str()) {
                report.already += 1;
                continue;
            }
            let found = match Entry::check(&raw.path, &raw.bytes) {
                Ok(found) => found,
                Err(detail) => {
                    report.refused.push(Problem {
                        kind: ProblemKind::Damaged,
                        path: raw.path.clone(),
                        detail,
                    });
                    continue;
                }
            };
            if dead.contains_key(&found.record.id) {
                report.tombstoned += 1;
                continue;
            }
            bytes += self.fetch_blobs(other, &found, &mut batch, &mut report)?;
            report.campaigns.insert(found.record.campaign.clone());
            batch.records.push(found);
            report.added += 1;
            if batch.records.len() >= RECORDS || bytes >= BYTES {
                self.write_import(std::mem::replace(&mut batch, self.import_batch()))?;
                bytes = 0;
            }
        }
        self.write_import(batch)?;
        report.head = self.head()?;
        Ok(report)
    }

    /// Writes the ledger into a plain folder, with all blobs that are here.
    ///
    /// # Errors
    /// When the folder holds something else; I/O errors.
    pub fn export(&self, dir: impl AsRef<Path>) -> Result<ExportReport> {
        let target = Self::folder(dir)?;
        let done = target.import(self)?;
        Ok(ExportReport {
            records: done.added + done.already,
            blobs: done.blobs,
            missing_blobs: done.missing_blobs,
            refused: done.refused,
        })
    }

    fn import_batch(&self) -> Batch {
        Batch {
            author: "assay".into(),
            allow_missing: true,
            ..Batch::default()
        }
    }

    fn write_import(&self, mut batch: Batch) -> Result<()> {
        if batch.records.is_empty() && batch.remove.is_empty() {
            return Ok(());
        }
        batch.message = format!("import of {} records\n", batch.records.len());
        self.write(batch).map(drop)
    }

    /// Copies the blobs of one record into the batch and returns their size in bytes.
    fn fetch_blobs(
        &self,
        other: &Ledger,
        found: &Entry,
        batch: &mut Batch,
        report: &mut ImportReport,
    ) -> Result<usize> {
        let mut size = 0;
        for blob in &found.refs {
            if batch.blobs.contains_key(&blob.sha256) || self.has_blob(blob.sha256)? {
                continue;
            }
            match other.blob(blob.sha256) {
                Ok(BlobState::Here(bytes)) => {
                    size += bytes.len();
                    report.blobs += 1;
                    if bytes.len() > LARGE_BLOB {
                        // Large ones are stored at once, so that they do not pile up in memory.
                        self.put_blob(&blob.name, &bytes)?;
                    } else {
                        batch.blobs.insert(blob.sha256, bytes);
                    }
                }
                Ok(BlobState::Missing) => report.missing_blobs += 1,
                Err(e @ Error::BlobCorrupt { .. }) => {
                    report.missing_blobs += 1;
                    report.refused.push(Problem {
                        kind: ProblemKind::BlobDamaged,
                        path: found.path.clone(),
                        detail: e.to_string(),
                    });
                }
                Err(e) => return Err(e),
            }
        }
        Ok(size)
    }
}

/// The id in the name of a record's file.
pub(super) fn entry_id(path: &str) -> Option<assay_core::RecordId> {
    path.rsplit('/').next()?.strip_suffix(".json")?.parse().ok()
}
