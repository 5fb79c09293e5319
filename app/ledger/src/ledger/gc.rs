//! Removing records on purpose, with tombstones so that no merge brings them back.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use assay_core::record::Tombstone;
use assay_core::{Body, Record, RecordId, Sha256, Timestamp};

use super::blobs::{refs_in, tree_path};
use super::entry::Entry;
use super::transfer::entry_id;
use super::{Batch, Ledger, RawRecord, Store};
use crate::error::{Error, Result};

/// An unreferenced blob younger than this may belong to a record about to be written.
const GRACE: Duration = Duration::from_secs(24 * 3600);

/// Blobs with their size in bytes.
type Blobs = Vec<(Sha256, u64)>;

/// What to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GcPlan {
    /// Records to remove, each with the reason.
    pub remove: Vec<(RecordId, String)>,
    /// Who removes them.
    pub by: String,
    /// Time of the tombstones.
    pub at: Timestamp,
    /// Only say what would go.
    pub dry_run: bool,
}

/// One record that goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GcItem {
    /// The record.
    pub id: RecordId,
    /// Its path.
    pub path: String,
    /// Its kind.
    pub kind: String,
    /// Why it goes.
    pub why: String,
}

/// What `gc` did or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GcReport {
    /// Records that go.
    pub records: Vec<GcItem>,
    /// Blobs that go, with their size in bytes.
    pub blobs: Vec<(Sha256, u64)>,
    /// Ids that are not in the ledger.
    pub unknown: Vec<RecordId>,
    /// Ids that cannot go: tombstones, and damaged records whose hash is not known.
    pub kept: Vec<RecordId>,
    /// Whether anything was written.
    pub written: bool,
}

impl Ledger {
    /// Replaces records by tombstones and removes the blobs that nothing refers to any more.
    ///
    /// On a branch the history still holds what was removed from the tree; large blobs are gone.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn gc(&self, plan: &GcPlan) -> Result<GcReport> {
        let snapshot = self.snapshot()?;
        let mut report = GcReport::default();
        let why: BTreeMap<RecordId, &str> = plan
            .remove
            .iter()
            .map(|(id, w)| (*id, w.as_str()))
            .collect();
        let mut batch = Batch {
            author: plan.by.clone(),
            allow_missing: true,
            ..Batch::default()
        };
        let mut found = BTreeSet::new();
        for raw in &snapshot.records {
            let Some((id, reason)) = entry_id(&raw.path).and_then(|id| why.get_key_value(&id))
            else {
                continue;
            };
            found.insert(*id);
            match bury(raw, *id, reason, plan)? {
                Some((item, tombstone)) => {
                    batch.remove.push(raw.path.clone());
                    batch.records.push(tombstone);
                    report.records.push(item);
                }
                None => report.kept.push(*id),
            }
        }
        report.unknown = why
            .keys()
            .filter(|id| !found.contains(id))
            .copied()
            .collect();
        let (small, large) = self.orphans(&snapshot.records, &batch.remove)?;
        report.blobs = small.iter().chain(&large).copied().collect();
        if plan.dry_run {
            return Ok(report);
        }
        batch
            .remove
            .extend(small.iter().map(|(sha, _)| tree_path(*sha)));
        batch.message = format!("gc of {} records\n", report.records.len());
        if !batch.remove.is_empty() {
            self.write(batch)?;
            report.written = true;
        }
        report.written |= self.drop_files(&large)?;
        Ok(report)
    }

    /// Blobs that nothing refers to once `removed` are gone: those in the tree, and files.
    fn orphans(&self, records: &[RawRecord], removed: &[String]) -> Result<(Blobs, Blobs)> {
        let gone: BTreeSet<&str> = removed.iter().map(String::as_str).collect();
        let mut kept = BTreeSet::new();
        let mut freed = BTreeMap::new();
        for raw in records {
            let Ok(value) = serde_json::from_slice(&raw.bytes) else {
                continue;
            };
            for blob in refs_in(&value) {
                if gone.contains(raw.path.as_str()) {
                    freed.insert(blob.sha256, blob.bytes);
                } else {
                    kept.insert(blob.sha256);
                }
            }
        }
        freed.retain(|sha, _| !kept.contains(sha));
        let dir = match &self.store {
            Store::Git(s) => &s.large,
            Store::Folder(s) => &s.blobs,
        };
        let old = |path: &std::path::Path| {
            let modified = path.metadata().and_then(|m| m.modified());
            modified.is_ok_and(|m| SystemTime::now().duration_since(m).is_ok_and(|d| d > GRACE))
        };
        let files: Blobs = dir
            .list()
            .into_iter()
            .filter(|(sha, _, path)| !kept.contains(sha) && (freed.contains_key(sha) || old(path)))
            .map(|(sha, bytes, _)| (sha, bytes))
            .collect();
        let in_files: BTreeSet<Sha256> = files.iter().map(|(sha, _)| *sha).collect();
        let mut in_tree = Vec::new();
        for (sha, bytes) in freed {
            if !in_files.contains(&sha) && self.has_blob(sha)? {
                in_tree.push((sha, bytes));
            }
        }
        Ok((in_tree, files))
    }

    /// Deletes blob files while no writer is at work, after looking once more who refers to them.
    fn drop_files(&self, files: &[(Sha256, u64)]) -> Result<bool> {
        if files.is_empty() {
            return Ok(false);
        }
        let (dir, _lock) = match &self.store {
            Store::Git(s) => (&s.large, Some(s.exclusive()?)),
            Store::Folder(s) => (&s.blobs, None),
        };
        let used = Self::referenced(&self.read_all()?);
        for (sha, _) in files.iter().filter(|(sha, _)| !used.contains(sha)) {
            let path = dir.path(*sha);
            match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("removing", &path)(e));
                }
                _ => {}
            }
        }
        Ok(true)
    }
}

/// The tombstone for a record; `None` when it must stay.
fn bury(
    raw: &RawRecord,
    id: RecordId,
    why: &str,
    plan: &GcPlan,
) -> Result<Option<(GcItem, Entry)>> {
    let Ok(record) = Record::from_bytes(&raw.bytes) else {
        return Ok(None);
    };
    if matches!(record.body, Body::Tombstone(_)) {
        return Ok(None);
    }
    let sha256 = serde_json::from_slice::<serde_json::Value>(&raw.bytes)
        .ok()
        .and_then(|v| v.get("sha256")?.as_str()?.parse().ok());
    let Some(sha256) = sha256 else {
        return Ok(None);
    };
    let kind = record.body.kind().to_owned();
    let body = Tombstone {
        removed: id,
        sha256,
        kind: kind.clone(),
        why: why.to_owned(),
    };
    let tombstone = Record::new(plan.at, plan.by.clone(), record.campaign, body.into());
    let item = GcItem {
        id,
        path: raw.path.clone(),
        kind,
        why: why.to_owned(),
    };
    Ok(Some((item, Entry::of(&tombstone)?)))
}
