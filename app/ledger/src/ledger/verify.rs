//! Checking everything that is stored.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use assay_core::record::BlobRef;
use assay_core::{RecordId, Sha256};

use super::blobs::LARGE_BLOB;
use super::cover::{Cover, LIST, List};
use super::entry::Entry;
use super::transfer::entry_id;
use super::{BlobState, Ledger, Store};
use crate::error::{Error, Result};

/// What is wrong with one part of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem.
    pub kind: ProblemKind,
    /// Path of the record, or `blobs/…`.
    pub path: String,
    /// One sentence with the particulars.
    pub detail: String,
}

/// The kinds of problems that [`Ledger::verify`] finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// Not a record, or its content does not match its hash or its path.
    Damaged,
    /// Two records have one id.
    Duplicate,
    /// A blob is not what its name says.
    BlobDamaged,
    /// A blob that belongs into the tree is not there.
    BlobLost,
    /// `supersedes` names a record that never was here.
    SupersedesNothing,
    /// A record that was removed on purpose is here.
    Undead,
    /// A record that the list of a plain folder names is not here, and was not removed on purpose.
    Lost,
    /// A record is another than the list of a plain folder has under its path.
    Replaced,
    /// The kind or shape of the record is not known to this version.
    Unknown,
}

/// The result of [`Ledger::verify`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// Records looked at.
    pub records: usize,
    /// Blobs looked at.
    pub blobs: usize,
    /// Their size in bytes.
    pub blob_bytes: u64,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Large blobs that are referenced and not stored here; another copy may have them.
    pub missing: Vec<BlobRef>,
    /// What the list of a plain folder says; absent without one, so that a record that is gone as a whole
    /// would not be noticed, and for a branch, whose commits say it.
    pub cover: Option<Cover>,
}

impl VerifyReport {
    /// Whether nothing is wrong. Large blobs that are elsewhere and records of a newer version
    /// are not wrong.
    pub fn is_ok(&self) -> bool {
        self.problems.iter().all(|p| p.kind == ProblemKind::Unknown)
    }
}

impl Ledger {
    /// Re-hashes every record and blob, and follows every reference.
    ///
    /// # Errors
    /// I/O and git errors; what is wrong with the content is in the report.
    pub fn verify(&self) -> Result<VerifyReport> {
        let records = self.read_all()?;
        let mut report = VerifyReport {
            records: records.len(),
            ..VerifyReport::default()
        };
        let mut problem = |kind, path: &str, detail: String| {
            report.problems.push(Problem {
                kind,
                path: path.to_owned(),
                detail,
            });
        };
        let tombstones = Self::tombstones(&records);
        let mut seen: HashMap<RecordId, String> = HashMap::new();
        let mut supersedes: Vec<(RecordId, String)> = Vec::new();
        let mut blobs: BTreeMap<Sha256, (BlobRef, String)> = BTreeMap::new();
        let named = match &self.store {
            Store::Folder(s) => List::of(&s.root).read()?,
            Store::Git(_) => None,
        };
        let listed = |path: &str| named.as_ref().and_then(|n| n.records.get(path));
        let mut unlisted = 0;
        for raw in &records {
            let entry = match Entry::check(&raw.path, &raw.bytes) {
                Ok(entry) => entry,
                Err(e) => {
                    problem(ProblemKind::Damaged, &raw.path, e);
                    continue;
                }
            };
            let id = entry.record.id;
            match listed(&raw.path) {
                None => unlisted += 1,
                Some(sum) if *sum == Sha256::of(&entry.bytes) => {}
                Some(_) => {
                    let detail = format!("it is another record than {LIST} has");
                    problem(ProblemKind::Replaced, &raw.path, detail);
                }
            }
            if let Some(first) = seen.insert(id, raw.path.clone()) {
                problem(
                    ProblemKind::Duplicate,
                    &raw.path,
                    format!("same id as `{first}`"),
                );
            }
            if let Some(by) = tombstones.get(&id) {
                let detail = format!("it was removed on purpose, see `{by}`");
                problem(ProblemKind::Undead, &raw.path, detail);
            }
            if let assay_core::Body::Unknown { problem: why, .. } = &entry.record.body {
                problem(ProblemKind::Unknown, &raw.path, why.clone());
            }
            supersedes.extend(entry.record.supersedes.map(|s| (s, raw.path.clone())));
            for blob in entry.refs {
                blobs.entry(blob.sha256).or_insert((blob, raw.path.clone()));
            }
        }
        let here: BTreeSet<&str> = records.iter().map(|r| r.path.as_str()).collect();
        for path in named.iter().flat_map(|n| n.records.keys()) {
            let buried = || entry_id(path).is_some_and(|id| tombstones.contains_key(&id));
            if !here.contains(path.as_str()) && !buried() {
                let detail = format!("{LIST} has it, and it is not here");
                problem(ProblemKind::Lost, path, detail);
            }
        }
        for (target, path) in supersedes {
            if !seen.contains_key(&target) && !tombstones.contains_key(&target) {
                let detail = format!("it supersedes {target}, which is not in the ledger");
                problem(ProblemKind::SupersedesNothing, &path, detail);
            }
        }
        let mut missing = Vec::new();
        let (mut count, mut total) = (0, 0);
        for (sha, (blob, path)) in blobs {
            match self.blob(sha) {
                Ok(BlobState::Here(bytes)) => {
                    count += 1;
                    total += bytes.len() as u64;
                    if bytes.len() as u64 != blob.bytes {
                        let detail = format!(
                            "blob `{}` has {} bytes, the record says {}",
                            blob.name,
                            bytes.len(),
                            blob.bytes
                        );
                        problem(ProblemKind::BlobDamaged, &path, detail);
                    }
                }
                Ok(BlobState::Missing) if blob.bytes > LARGE_BLOB as u64 => missing.push(blob),
                Ok(BlobState::Missing) => {
                    let detail = format!("blob `{}` ({sha}) is not there", blob.name);
                    problem(ProblemKind::BlobLost, &path, detail);
                }
                Err(e @ (Error::BlobCorrupt { .. } | Error::Git { .. })) => {
                    let detail = format!("blob `{}`: {e}", blob.name);
                    problem(ProblemKind::BlobDamaged, &path, detail);
                }
                Err(e) => return Err(e),
            }
        }
        report.cover = named.map(|n| Cover {
            listed: n.records.len(),
            unlisted,
            unread: n.unread,
            sha256: n.sha256,
        });
        report.missing = missing;
        report.blobs = count;
        report.blob_bytes = total;
        Ok(report)
    }

    /// Every blob that a sound record refers to.
    pub(super) fn referenced(records: &[super::RawRecord]) -> BTreeSet<Sha256> {
        records
            .iter()
            .filter_map(|r| serde_json::from_slice(&r.bytes).ok())
            .flat_map(|v| super::blobs::refs_in(&v))
            .map(|b| b.sha256)
            .collect()
    }
}
