//! The ledger on an orphan branch.

use std::collections::HashMap;
use std::time::Duration;

use assay_core::{RecordId, Sha256};
use git2::{ErrorCode, Oid};

use super::blobs::{BlobDir, LARGE_BLOB, tree_path};
use super::entry::is_record_path;
use super::objects::{Content, NewCommit, TreeChange, full_or, write_commit};
use super::tree::{self, Leaf};
use super::{Batch, Delta, FORMAT, LEDGER_REF, RawRecord, Snapshot};
use crate::error::{Error, Result};
use crate::fsio::{Staged, sync_files};
use crate::locks::FileLock;
use crate::repo::{Repo, signature};

/// How often a write is tried again after the branch moved under it.
const ATTEMPTS: u32 = 100;

/// How long a writer queues before it goes ahead and relies on the compare-and-swap alone.
const QUEUE: Duration = Duration::from_secs(10);

pub(super) struct GitStore {
    pub repo: Repo,
    pub large: BlobDir,
}

impl GitStore {
    pub fn new(repo: Repo) -> Self {
        let large = BlobDir(repo.state_dir().join("blobs"));
        Self { repo, large }
    }

    pub fn head(&self) -> Result<Option<Oid>> {
        match self.repo.git.refname_to_id(LEDGER_REF) {
            Ok(oid) => Ok(Some(oid)),
            Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
            Err(e) => Err(Error::git("reading the branch assay/ledger")(e)),
        }
    }

    pub fn tree_of(&self, commit: Oid) -> Result<git2::Tree<'_>> {
        self.repo
            .git
            .find_commit(commit)
            .and_then(|c| c.tree())
            .map_err(Error::git("reading the ledger"))
    }

    fn head_tree(&self) -> Result<Option<git2::Tree<'_>>> {
        self.head()?.map(|h| self.tree_of(h)).transpose()
    }

    pub fn read(&self, oid: Oid) -> Result<Vec<u8>> {
        let blob = self.repo.git.find_blob(oid);
        Ok(blob
            .map_err(Error::git("reading the ledger"))?
            .content()
            .to_vec())
    }

    pub fn snapshot(&self) -> Result<Snapshot> {
        let Some(head) = self.head()? else {
            return Ok(Snapshot::default());
        };
        let leaves = tree::list(&self.repo.git, &self.tree_of(head)?, "records")?;
        Ok(Snapshot {
            head: Some(head.to_string()),
            records: self.load(leaves)?,
        })
    }

    /// Reads the records among `leaves`.
    pub fn load(&self, mut leaves: Vec<Leaf>) -> Result<Vec<RawRecord>> {
        leaves.retain(|l| is_record_path(&l.path));
        let bytes = tree::read_blobs(&self.repo.git, &leaves)?;
        let pairs = leaves.into_iter().zip(bytes);
        Ok(pairs
            .map(|(leaf, bytes)| RawRecord {
                path: leaf.path,
                bytes,
            })
            .collect())
    }

    pub fn changed_since(&self, old: &str) -> Result<Option<Delta>> {
        let git = &self.repo.git;
        let (Ok(old), Some(new)) = (Oid::from_str(old), self.head()?) else {
            return Ok(None);
        };
        if git.find_commit(old).is_err() {
            return Ok(None);
        }
        if old != new && !git.graph_descendant_of(new, old).unwrap_or(false) {
            return Ok(None);
        }
        let (a, b) = (self.tree_of(old)?, self.tree_of(new)?);
        let mut leaves = Vec::new();
        let mut removed = Vec::new();
        for d in tree::diff(git, Some(&a), Some(&b), "records")? {
            if d.old.is_some() && is_record_path(&d.path) {
                removed.push(d.path.clone());
            }
            if let Some(oid) = d.new {
                leaves.push(Leaf { path: d.path, oid });
            }
        }
        Ok(Some(Delta {
            head: Some(new.to_string()),
            added: self.load(leaves)?,
            removed,
        }))
    }

    pub fn get(&self, id: RecordId) -> Result<Option<RawRecord>> {
        let Some(tree) = self.head_tree()? else {
            return Ok(None);
        };
        // The id carries the time to the millisecond, so the day is known but for records whose
        // `created_at` is not the time in the id.
        let leaves = match super::folder_store::likely_path(id) {
            Some(path) => match tree::find(&tree, &path) {
                Some(oid) => vec![Leaf { path, oid }],
                None => self.search(&tree, id)?,
            },
            None => self.search(&tree, id)?,
        };
        Ok(self.load(leaves)?.into_iter().next())
    }

    /// Records by id, in no order; what is not there is left out. The folders of the days are looked through
    /// once, and not for every record.
    pub fn get_many(&self, ids: &[RecordId]) -> Result<Vec<RawRecord>> {
        let Some(tree) = self.head_tree()? else {
            return Ok(Vec::new());
        };
        let mut wanted: HashMap<String, (RecordId, Option<Leaf>)> =
            (ids.iter().map(|id| (id.to_string(), (*id, None)))).collect();
        for leaf in tree::list(&self.repo.git, &tree, "records")? {
            let name = leaf.path.rsplit('/').next().unwrap_or_default();
            let id = name.strip_suffix(".json");
            let Some((id, found)) = id.and_then(|id| wanted.get_mut(id)) else {
                continue;
            };
            // Of two under one id the same as `get` finds.
            let is_likely = super::folder_store::likely_path(*id).as_ref() == Some(&leaf.path);
            if found.is_none() || is_likely {
                *found = Some(leaf);
            }
        }
        self.load(wanted.into_values().filter_map(|(_, leaf)| leaf).collect())
    }

    fn search(&self, tree: &git2::Tree<'_>, id: RecordId) -> Result<Vec<Leaf>> {
        let name = format!("/{id}.json");
        let mut all = tree::list(&self.repo.git, tree, "records")?;
        all.retain(|l| l.path.ends_with(&name));
        Ok(all)
    }

    pub fn has_blob(&self, sha: Sha256) -> Result<bool> {
        let in_tree = self
            .head_tree()?
            .is_some_and(|t| tree::find(&t, &tree_path(sha)).is_some());
        Ok(in_tree || self.large.has(sha))
    }

    pub fn blob(&self, sha: Sha256) -> Result<Option<Vec<u8>>> {
        if let Some(tree) = self.head_tree()?
            && let Some(oid) = tree::find(&tree, &tree_path(sha))
        {
            return self.read(oid).map(Some);
        }
        self.large.read(sha)
    }

    /// Does `f`, and once more with a fresh handle when git fails.
    ///
    /// A handle keeps a list of packs, and one of them may have been joined with others since, by
    /// [`super::Ledger::maintain`] or by the user. libgit2 then fails where git would look again.
    pub fn again<T>(&self, f: impl Fn(&Self) -> Result<T>) -> Result<T> {
        match f(self) {
            Err(Error::Git { .. }) => f(&Self::new(self.repo.reopen()?)),
            done => done,
        }
    }

    /// Moves blobs that do not belong into git out of the batch.
    pub fn store_large(&self, batch: &mut Batch) -> Result<()> {
        let mut staged = Staged::default();
        for (sha, bytes) in &batch.blobs {
            if bytes.len() > LARGE_BLOB {
                self.large.stage(&mut staged, *sha, bytes)?;
            }
        }
        staged.publish()?;
        batch.blobs.retain(|_, bytes| bytes.len() <= LARGE_BLOB);
        Ok(())
    }

    pub fn write(&self, batch: &Batch) -> Result<String> {
        let plan = |tree: Option<&git2::Tree<'_>>| self.plan(batch, tree);
        let head = self.update(&batch.author, &batch.message, None, plan)?;
        Ok(head.map(|h| h.to_string()).unwrap_or_default())
    }

    /// What a batch changes in the tree as it is now.
    fn plan(&self, batch: &Batch, tree: Option<&git2::Tree<'_>>) -> Result<TreeChange> {
        let mut change = TreeChange::default();
        let find = |path: &str| tree.and_then(|t| tree::find(t, path));
        for (sha, bytes) in &batch.blobs {
            if find(&tree_path(*sha)).is_none() {
                change
                    .put
                    .push((tree_path(*sha), Content::Bytes(bytes.clone())));
            }
        }
        let mut pulled = std::collections::BTreeSet::new();
        for entry in &batch.records {
            for blob in &entry.refs {
                let sha = blob.sha256;
                if batch.blobs.contains_key(&sha) || find(&tree_path(sha)).is_some() {
                    continue;
                }
                if !self.large.has(sha) {
                    if batch.allow_missing {
                        continue;
                    }
                    return Err(Error::BlobAbsent {
                        record: entry.record.id,
                        name: blob.name.clone(),
                        sha256: sha,
                    });
                }
                // A small blob that was stored ahead belongs into the tree, so that it travels.
                if blob.bytes <= LARGE_BLOB as u64
                    && pulled.insert(sha)
                    && let Some(bytes) = self.large.read(sha)?
                {
                    change.put.push((tree_path(sha), Content::Bytes(bytes)));
                }
            }
            let oid = Oid::hash_object(git2::ObjectType::Blob, &entry.bytes)
                .map_err(Error::git("hashing a record"))?;
            match find(&entry.path) {
                Some(there) if there == oid => {}
                Some(_) => {
                    return Err(Error::Record {
                        path: entry.path.clone(),
                        problem: "a record of this id with other content is in the ledger".into(),
                    });
                }
                None => change
                    .put
                    .push((entry.path.clone(), Content::Bytes(entry.bytes.clone()))),
            }
        }
        let gone = batch.remove.iter().filter(|p| find(p).is_some());
        change.remove = gone.cloned().collect();
        Ok(change)
    }

    /// Moves the branch by one commit; `make` sees the tree as it is and says what to change.
    ///
    /// `merged` becomes the second parent, and is then recorded even when nothing changes.
    pub fn update(
        &self,
        author: &str,
        message: &str,
        merged: Option<Oid>,
        mut make: impl FnMut(Option<&git2::Tree<'_>>) -> Result<TreeChange>,
    ) -> Result<Option<Oid>> {
        let _queue = self.queue()?;
        let user = self.repo.user();
        let email = if user.known && user.name == author {
            user.email.as_str()
        } else {
            "assay@localhost"
        };
        let author = signature(author, email)?;
        let committer = signature("assay", "assay@localhost")?;
        for attempt in 0..ATTEMPTS {
            let head = self.head()?;
            let tree = head.map(|h| self.tree_of(h)).transpose()?;
            let mut change = make(tree.as_ref())?;
            if change.is_empty() && merged.is_none() {
                return Ok(head);
            }
            match tree.as_ref().and_then(|t| tree::find(t, "format.json")) {
                Some(oid) => check_format(&self.read(oid)?)?,
                None => change
                    .put
                    .push(("format.json".into(), Content::Bytes(FORMAT.into()))),
            }
            let parents: Vec<Oid> = head.into_iter().chain(merged).collect();
            let new = NewCommit {
                base: tree.as_ref().map(git2::Tree::id),
                parents: &parents,
                author: &author,
                committer: &committer,
                message,
            };
            let commit = write_commit(&self.repo.git, self.repo.common_dir(), &change, &new)?;
            if self.swap(head, commit)? {
                return Ok(Some(commit));
            }
            back_off(attempt);
        }
        Err(self.stuck())
    }

    /// Moves the branch from `old` to `new` if it still stands there.
    pub fn swap(&self, old: Option<Oid>, new: Oid) -> Result<bool> {
        let git = &self.repo.git;
        let done = match old {
            Some(old) => git.reference_matching(LEDGER_REF, new, true, old, "assay"),
            None => git.reference(LEDGER_REF, new, false, "assay"),
        };
        match done {
            Ok(_) => {
                let file = self.repo.common_dir().join(LEDGER_REF);
                sync_files(&[&file, file.parent().unwrap_or(&file)])?;
                Ok(true)
            }
            Err(e)
                if matches!(
                    e.code(),
                    ErrorCode::Modified
                        | ErrorCode::Locked
                        | ErrorCode::Exists
                        | ErrorCode::NotFound
                ) =>
            {
                Ok(false)
            }
            Err(e) => Err(full_or("moving the branch assay/ledger")(e)),
        }
    }

    /// Takes a place in the queue of writers, and clears what a killed writer left behind.
    fn queue(&self) -> Result<Option<FileLock>> {
        let path = self.repo.state_dir().join("locks/ledger");
        let lock = match FileLock::acquire(&path, QUEUE, "assay, writing the ledger") {
            Ok(lock) => lock,
            Err(Error::LockHeld { .. }) => return Ok(None),
            Err(e) => return Err(e),
        };
        let stale = self.repo.common_dir().join(format!("{LEDGER_REF}.lock"));
        if lock.was_abandoned() && stale.exists() {
            // The writer that died held it, unless git itself is at work on this branch now,
            // which takes milliseconds.
            std::thread::sleep(Duration::from_millis(50));
            match std::fs::remove_file(&stale) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("removing", &stale)(e));
                }
                _ => {}
            }
        }
        Ok(Some(lock))
    }

    /// The writers' lock itself, for what must not overlap with any write.
    pub fn exclusive(&self) -> Result<FileLock> {
        let path = self.repo.state_dir().join("locks/ledger");
        FileLock::acquire(&path, Duration::from_secs(30), "assay, cleaning the ledger")
    }

    fn stuck(&self) -> Error {
        let lock = self.repo.common_dir().join(format!("{LEDGER_REF}.lock"));
        if lock.exists() {
            Error::RefLocked { lock }
        } else {
            Error::RefMoved {
                name: "assay/ledger".into(),
            }
        }
    }
}

/// Refuses to write into a ledger of a newer version.
pub(super) fn check_format(bytes: &[u8]) -> Result<()> {
    if bytes == FORMAT.as_bytes() {
        return Ok(());
    }
    let schema = serde_json::from_slice::<serde_json::Value>(bytes)
        .ok()
        .and_then(|v| v.get("schema")?.as_str().map(str::to_owned))
        .unwrap_or_else(|| "unreadable".into());
    if schema == "assay.ledger/1" {
        Ok(())
    } else {
        Err(Error::LedgerSchema { schema })
    }
}

/// Waits a little longer each time, differently in each process.
fn back_off(attempt: u32) {
    let spread = u64::from(std::process::id().wrapping_mul(2_654_435_761) >> 28);
    let base = u64::from(attempt.min(20));
    std::thread::sleep(Duration::from_millis(base + spread));
}
