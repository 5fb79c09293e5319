//! The ledger: an append-only set of records with their blobs, in a branch or in a plain folder.
//!
//! Both stores hold the same tree: `format.json`, `records/…` and `blobs/…`; a plain folder has a list of its
//! records beside it (`cover`). A record is acknowledged only after it is durable and visible.

mod blobs;
mod cover;
mod entry;
mod folder_store;
mod gc;
mod git_store;
mod maintain;
mod merge;
mod objects;
mod sync;
mod transfer;
mod tree;
mod verify;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use assay_core::record::BlobRef;
use assay_core::{Record, RecordId, Sha256};

use crate::error::{Error, Result};
use crate::repo::Repo;

pub use blobs::{Blob, BlobState, LARGE_BLOB, blob_refs};
pub use cover::Cover;
pub use gc::{GcItem, GcPlan, GcReport};
pub use maintain::Maintained;
pub use sync::{BranchSync, SyncOptions, SyncReport};
pub use transfer::{ExportReport, ImportReport};
pub use verify::{Problem, ProblemKind, VerifyReport};

use cover::List;
use entry::Entry;
use folder_store::FolderStore;
use git_store::GitStore;

/// The branch that holds the records.
pub(crate) const LEDGER_REF: &str = "refs/heads/assay/ledger";

/// The content of `format.json`.
pub(crate) const FORMAT: &str = "{\"schema\":\"assay.ledger/1\"}\n";

/// A record as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRecord {
    /// Path in the ledger tree.
    pub path: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// All records at one state of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// The state; `None` when nothing was ever written.
    pub head: Option<String>,
    /// The records in the order of their paths.
    pub records: Vec<RawRecord>,
}

/// What changed between two states of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delta {
    /// The newer state.
    pub head: Option<String>,
    /// Records that came.
    pub added: Vec<RawRecord>,
    /// Paths of records that went (by `gc`).
    pub removed: Vec<String>,
}

/// What one write does to the tree.
#[derive(Default)]
struct Batch {
    records: Vec<Entry>,
    blobs: BTreeMap<Sha256, Vec<u8>>,
    remove: Vec<String>,
    author: String,
    message: String,
    /// Records may refer to large blobs that are elsewhere (import, merge).
    allow_missing: bool,
}

enum Store {
    Git(GitStore),
    Folder(FolderStore),
}

/// A ledger. One handle serves one thread; any number of processes may write.
pub struct Ledger {
    store: Store,
}

impl Ledger {
    /// The ledger on the branch `assay/ledger` of a repository; the branch need not exist yet.
    ///
    /// # Errors
    /// When the repository cannot be opened again.
    pub fn git(repo: &Repo) -> Result<Self> {
        Ok(Self {
            store: Store::Git(GitStore::new(repo.reopen()?)),
        })
    }

    /// The ledger in a plain folder; the folder need not exist yet.
    ///
    /// # Errors
    /// When the folder holds something else.
    pub fn folder(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self {
            store: Store::Folder(FolderStore::open(path.as_ref())?),
        })
    }

    /// The folder of a folder ledger, else the common git folder.
    pub fn location(&self) -> PathBuf {
        match &self.store {
            Store::Git(s) => s.repo.common_dir().to_owned(),
            Store::Folder(s) => s.root.clone(),
        }
    }

    /// Whether the records are on a branch of a repository.
    pub fn is_git(&self) -> bool {
        matches!(self.store, Store::Git(_))
    }

    /// Writes records with their blobs as one step and returns the new state.
    ///
    /// When it returns, the records are visible to all and on disk. When it fails, none of them
    /// is. A record that is there already with the same content is left as it is.
    ///
    /// # Errors
    /// A blob that a record refers to is neither in `blobs` nor stored; a record of the same id
    /// with other content exists; no space; I/O and git errors.
    pub fn append(&self, records: &[Record], blobs: &[Blob]) -> Result<String> {
        let entries: Vec<Entry> = records.iter().map(Entry::of).collect::<Result<_>>()?;
        let author = records.first().map(|r| r.by.clone()).unwrap_or_default();
        let mut batch = Batch {
            message: summary(records),
            records: entries,
            author,
            ..Batch::default()
        };
        for blob in blobs {
            batch
                .blobs
                .insert(Sha256::of(&blob.bytes), blob.bytes.clone());
        }
        self.write(batch)
    }

    /// Stores content ahead of the record that will refer to it.
    ///
    /// # Errors
    /// No space; I/O errors.
    pub fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<BlobRef> {
        let sha256 = Sha256::of(bytes);
        let dir = match &self.store {
            Store::Git(s) => &s.large,
            Store::Folder(s) => &s.blobs,
        };
        let mut staged = crate::fsio::Staged::default();
        dir.stage(&mut staged, sha256, bytes)?;
        staged.publish()?;
        Ok(BlobRef {
            sha256,
            bytes: bytes.len() as u64,
            name: name.to_owned(),
        })
    }

    /// The content of a blob, checked against its hash.
    ///
    /// # Errors
    /// [`Error::BlobCorrupt`] when what is stored is something else; I/O errors.
    pub fn blob(&self, sha: Sha256) -> Result<BlobState> {
        let found = match &self.store {
            Store::Git(s) => s.again(|s| s.blob(sha))?,
            Store::Folder(s) => s.blobs.read(sha)?,
        };
        found.map_or(Ok(BlobState::Missing), |bytes| blobs::checked(sha, bytes))
    }

    /// Whether a blob is stored here, without reading it.
    ///
    /// # Errors
    /// Git errors.
    pub fn has_blob(&self, sha: Sha256) -> Result<bool> {
        match &self.store {
            Store::Git(s) => s.again(|s| s.has_blob(sha)),
            Store::Folder(s) => Ok(s.blobs.has(sha)),
        }
    }

    /// The state of the ledger; it changes with every write. `None` when nothing was written.
    ///
    /// # Errors
    /// I/O and git errors.
    pub fn head(&self) -> Result<Option<String>> {
        match &self.store {
            Store::Git(s) => Ok(s.head()?.map(|h| h.to_string())),
            Store::Folder(s) => s.head(),
        }
    }

    /// All records with the state that they belong to.
    ///
    /// # Errors
    /// I/O and git errors. A record that cannot be parsed is no error here.
    pub fn snapshot(&self) -> Result<Snapshot> {
        match &self.store {
            Store::Git(s) => s.again(GitStore::snapshot),
            Store::Folder(s) => s.snapshot(),
        }
    }

    /// All records.
    ///
    /// # Errors
    /// As [`Ledger::snapshot`].
    pub fn read_all(&self) -> Result<Vec<RawRecord>> {
        Ok(self.snapshot()?.records)
    }

    /// What changed since `head`; `None` when that state is unknown here, so that everything has
    /// to be read.
    ///
    /// # Errors
    /// I/O and git errors.
    pub fn changed_since(&self, head: &str) -> Result<Option<Delta>> {
        match &self.store {
            Store::Git(s) => s.again(|s| s.changed_since(head)),
            Store::Folder(s) => Ok((s.head()?.as_deref() == Some(head)).then(|| Delta {
                head: Some(head.to_owned()),
                ..Delta::default()
            })),
        }
    }

    /// Lists the records of a plain folder that are sound and in no list yet, and returns how many.
    ///
    /// # Errors
    /// For a ledger in a repository, whose commits cover it; I/O errors.
    pub fn cover(&self) -> Result<usize> {
        let Store::Folder(store) = &self.store else {
            return Err(Error::Folder {
                path: self.location(),
                problem: "is a repository, whose commits say which records there are".into(),
            });
        };
        let list = List::of(&store.root);
        let named = list.read()?.map(|n| n.records).unwrap_or_default();
        let records = self.read_all()?;
        let sound = records
            .iter()
            .filter(|r| !named.contains_key(&r.path))
            .filter_map(|r| Entry::check(&r.path, &r.bytes).ok());
        let entries: Vec<Entry> = sound.collect();
        list.add(entries.iter())?;
        Ok(entries.len())
    }

    /// One record.
    ///
    /// # Errors
    /// I/O and git errors.
    pub fn get(&self, id: RecordId) -> Result<Option<RawRecord>> {
        match &self.store {
            Store::Git(s) => s.again(|s| s.get(id)),
            Store::Folder(s) => s.get(id),
        }
    }

    /// Reads records by id, in no order; what is not there is left out.
    ///
    /// # Errors
    /// I/O and git errors.
    pub fn get_many(&self, ids: &[RecordId]) -> Result<Vec<RawRecord>> {
        /// So many are looked up one by one: each reads the folder of its day, 0.15 ms where that holds 500
        /// records, and the list of all 50,000 takes 100 ms.
        const FEW: usize = 500;
        match &self.store {
            Store::Git(s) if ids.len() > FEW => s.again(|s| s.get_many(ids)),
            _ => {
                let found = ids.iter().map(|id| self.get(*id));
                found.filter_map(Result::transpose).collect()
            }
        }
    }

    fn write(&self, mut batch: Batch) -> Result<String> {
        match &self.store {
            Store::Git(s) => {
                s.store_large(&mut batch)?;
                s.again(|s| s.write(&batch))
            }
            Store::Folder(s) => s.write(batch),
        }
    }

    /// The ids that were removed on purpose, with the path of the tombstone.
    fn tombstones(records: &[RawRecord]) -> HashMap<RecordId, String> {
        records
            .iter()
            .filter_map(|r| Some((entry::tombstone(&r.bytes)?.removed, r.path.clone())))
            .collect()
    }

    fn require_git(&self, action: &str) -> Result<&GitStore> {
        match &self.store {
            Store::Git(s) => Ok(s),
            Store::Folder(s) => Err(Error::Folder {
                path: s.root.clone(),
                problem: format!("is a plain folder; {action} needs a git repository"),
            }),
        }
    }
}

/// The commit message: how many records of which kinds.
fn summary(records: &[Record]) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for r in records {
        *kinds.entry(r.body.kind()).or_default() += 1;
    }
    let parts: Vec<String> = kinds
        .into_iter()
        .map(|(kind, n)| {
            if n == 1 {
                kind.to_owned()
            } else {
                format!("{n} {kind}")
            }
        })
        .collect();
    match records.first() {
        Some(r) => format!("{}: {}\n", r.campaign, parts.join(", ")),
        None => "nothing\n".into(),
    }
}
