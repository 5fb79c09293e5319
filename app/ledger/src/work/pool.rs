//! A pool of folders outside the user's checkout, in which variants are built and run.
//!
//! The folders are not git work trees: nothing is registered in the repository, no branch counts
//! as checked out, and there is no index. Each slot is `<cache>/pool/<n>/{lock,tree/,list.json}`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::checkout::checkout;
use crate::error::{Error, Result};
use crate::locks::FileLock;
use crate::repo::{CommitId, Repo};
use crate::variants::{Variants, clean, join};

/// Folders to run variants in, shared by all processes that use the same cache folder.
#[derive(Debug, Clone)]
pub struct Pool {
    git_dir: PathBuf,
    slots: PathBuf,
    size: usize,
}

/// What a folder is to hold.
#[derive(Debug, Clone, Copy)]
pub struct Prepare<'a> {
    /// Where everything else is taken from.
    pub base: CommitId,
    /// Where `paths` are taken from.
    pub overlay: CommitId,
    /// The campaign's folder in the repository; empty for the root.
    pub folder: &'a str,
    /// Paths relative to `folder` that come from `overlay` alone.
    pub paths: &'a [String],
}

impl Pool {
    /// A pool of at most `size` folders below `cache`, which is made on demand.
    ///
    /// # Errors
    /// When `cache` lies in the user's work tree.
    pub fn new(repo: &Repo, cache: impl AsRef<Path>, size: usize) -> Result<Self> {
        let cache = cache.as_ref();
        std::fs::create_dir_all(cache).map_err(Error::io("creating", cache))?;
        let full = cache.canonicalize().map_err(Error::io("reading", cache))?;
        let inside = |dir: &Path| dir.canonicalize().is_ok_and(|d| full.starts_with(d));
        if repo.workdir().is_some_and(inside) {
            return Err(Error::Folder {
                path: full,
                problem: "lies in the work tree of the repository; the cache must be outside"
                    .into(),
            });
        }
        Ok(Self {
            git_dir: repo.common_dir().to_owned(),
            slots: full.join("pool"),
            size: size.max(1),
        })
    }

    /// Waits up to `timeout` for a free folder; `owner` is told to those who wait.
    ///
    /// # Errors
    /// [`Error::LockHeld`] when all stay in use.
    pub fn acquire(&self, timeout: Duration, owner: &str) -> Result<Lease> {
        let start = Instant::now();
        loop {
            for n in 0..self.size {
                let slot = self.slots.join(n.to_string());
                if let Some(lock) = FileLock::try_acquire(slot.join("lock"), owner)? {
                    return Ok(Lease {
                        git_dir: self.git_dir.clone(),
                        slot,
                        number: n,
                        _lock: lock,
                    });
                }
            }
            if start.elapsed() >= timeout {
                let holders = (0..self.size)
                    .filter_map(|n| FileLock::held_by(self.slots.join(format!("{n}/lock"))));
                return Err(Error::LockHeld {
                    path: self.slots.clone(),
                    owner: holders.collect::<Vec<_>>().join(", "),
                    waited_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A folder of the pool in use; it is free again when this is dropped or the process ends.
#[derive(Debug)]
pub struct Lease {
    git_dir: PathBuf,
    slot: PathBuf,
    number: usize,
    _lock: FileLock,
}

impl Lease {
    /// The number of the slot.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The root of the prepared tree.
    pub fn root(&self) -> PathBuf {
        self.slot.join("tree")
    }

    /// Makes the folder hold exactly the base with the overlay's paths, and returns the campaign's
    /// folder in it. Whatever an earlier run left behind is removed.
    ///
    /// # Errors
    /// The commits do not exist, or lack the folder; no space; I/O errors.
    pub fn prepare(&self, what: &Prepare<'_>) -> Result<PathBuf> {
        let repo = Repo::open(&self.git_dir)?;
        let variants = Variants::new(&repo);
        let mut want = variants.stored(what.base, "", &["."])?;
        let folder = clean(what.folder);
        let paths: Vec<String> = what
            .paths
            .iter()
            .map(|p| join(&folder, &clean(p)))
            .collect();
        want.retain(|path, _| !paths.iter().any(|p| within(path, p)));
        for (path, file) in variants.stored(what.overlay, "", &paths)? {
            // A file of the base may stand where the overlay has a folder.
            for (at, _) in path.match_indices('/') {
                want.remove(&path[..at]);
            }
            want.insert(path, file);
        }
        let root = self.root();
        checkout(variants, &want, &root, &self.slot.join("list.json"))?;
        let campaign = root.join(&folder);
        if campaign.is_dir() {
            Ok(campaign)
        } else {
            Err(Error::NoPath {
                path: folder,
                commit: what.base.short(),
            })
        }
    }
}

/// Whether `path` is `top` or lies below it; an empty `top` is the root.
fn within(path: &str, top: &str) -> bool {
    top.is_empty()
        || path
            .strip_prefix(top)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
