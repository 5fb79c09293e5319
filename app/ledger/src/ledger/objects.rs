//! Writing git objects so that they are on disk before a branch names them.
//!
//! libgit2 can sync every object file, which costs one journal commit each. Here objects are
//! written plainly and synced side by side; a large batch becomes one pack.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use git2::build::TreeUpdateBuilder;
use git2::{Buf, FileMode, Oid, Repository};

use crate::error::{Error, Result, no_space};
use crate::fsio::sync_files;

/// From this many files on, a write makes a pack instead of loose objects.
const PACK_FROM: usize = 32;

/// A file to be put into a tree.
pub(super) enum Content {
    /// Bytes that may not be stored yet.
    Bytes(Vec<u8>),
    /// An object that is stored already.
    Stored(Oid),
}

/// What changes in a tree.
#[derive(Default)]
pub(super) struct TreeChange {
    pub put: Vec<(String, Content)>,
    pub remove: Vec<String>,
}

impl TreeChange {
    pub fn is_empty(&self) -> bool {
        self.put.is_empty() && self.remove.is_empty()
    }
}

/// A commit to be made.
pub(super) struct NewCommit<'a> {
    pub base: Option<Oid>,
    pub parents: &'a [Oid],
    pub author: &'a git2::Signature<'a>,
    pub committer: &'a git2::Signature<'a>,
    pub message: &'a str,
}

/// Writes a commit with all that it needs, and returns when it is on disk.
pub(super) fn write_commit(
    repo: &Repository,
    common_dir: &Path,
    change: &TreeChange,
    new: &NewCommit<'_>,
) -> Result<Oid> {
    let objects = common_dir.join("objects");
    write_objects(repo, &objects, change, new).map_err(|e| explain(e, &objects, change))
}

fn write_objects(
    repo: &Repository,
    objects: &Path,
    change: &TreeChange,
    new: &NewCommit<'_>,
) -> Result<Oid> {
    if change.put.len() < PACK_FROM {
        let (commit, made) = build(repo, change, new)?;
        let loose: Vec<PathBuf> = made.iter().map(|oid| loose_path(objects, *oid)).collect();
        let loose: Vec<&Path> = loose.iter().map(PathBuf::as_path).collect();
        sync_files(&loose)?;
        return Ok(commit);
    }
    let fail = |e| full_or("writing a pack")(e);
    let memory = Repository::open(repo.path()).map_err(fail)?;
    let _settings = without_deltas(&memory)?;
    let odb = memory.odb().map_err(fail)?;
    // A higher priority than the stores on disk makes it the one that is written to.
    let _store = odb.add_new_mempack_backend(1000).map_err(fail)?;
    let (commit, made) = build(&memory, change, new)?;
    let mut pack = memory.packbuilder().map_err(fail)?;
    pack.set_threads(1);
    for oid in &made {
        pack.insert_object(*oid, None).map_err(fail)?;
    }
    let mut bytes = Buf::new();
    pack.write_buf(&mut bytes).map_err(fail)?;
    let dir = objects.join("pack");
    std::fs::create_dir_all(&dir).map_err(Error::io("creating", &dir))?;
    let mut indexer = git2::Indexer::new(None, &dir, 0o444, false).map_err(fail)?;
    // The cause is a git error in the coat of an I/O error.
    indexer
        .write_all(&bytes)
        .map_err(|e| fail(git2::Error::from_str(&e.to_string())))?;
    let name = indexer.commit().map_err(fail)?;
    let file = |ending: &str| dir.join(format!("pack-{name}.{ending}"));
    sync_files(&[&file("pack"), &file("idx")])?;
    sync_files(&[&dir])?;
    repo.odb().and_then(|o| o.refresh()).map_err(fail)?;
    Ok(commit)
}

/// Makes packs of this handle hold whole objects: the search for deltas takes nine tenths of the
/// time of a batch, and `git repack` does it later and better.
fn without_deltas(memory: &Repository) -> Result<tempfile::NamedTempFile> {
    // libgit2 1.9 takes the size from which on it makes no deltas from `pack.deltaCacheSize`.
    let text = "[core]\n\tbigFileThreshold = 1\n[pack]\n\tdeltaCacheSize = 1\n";
    let write = || -> std::io::Result<tempfile::NamedTempFile> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(text.as_bytes())?;
        Ok(file)
    };
    let file = write().map_err(Error::io("writing", &std::env::temp_dir()))?;
    git2::Config::open(file.path())
        .and_then(|config| memory.set_config(&config))
        .map_err(Error::git("setting up a pack"))?;
    Ok(file)
}

/// Writes blobs, trees and the commit, and lists the objects that this made or relied on anew.
fn build(
    repo: &Repository,
    change: &TreeChange,
    new: &NewCommit<'_>,
) -> Result<(Oid, BTreeSet<Oid>)> {
    let fail = |e| Error::git("writing the ledger")(e);
    let mut made = BTreeSet::new();
    let mut update = TreeUpdateBuilder::new();
    for (path, content) in &change.put {
        let oid = match content {
            Content::Bytes(bytes) => {
                let oid = repo.blob(bytes).map_err(full_or("writing the ledger"))?;
                made.insert(oid);
                oid
            }
            Content::Stored(oid) => *oid,
        };
        update.upsert(path.as_str(), oid, FileMode::Blob);
    }
    for path in &change.remove {
        update.remove(path.as_str());
    }
    let base = match new.base {
        Some(oid) => oid,
        None => {
            let empty = repo.treebuilder(None).and_then(|b| b.write());
            let empty = empty.map_err(full_or("writing the ledger"))?;
            made.insert(empty);
            empty
        }
    };
    let base = repo.find_tree(base).map_err(fail)?;
    let root = update
        .create_updated(repo, &base)
        .map_err(full_or("writing the ledger"))?;
    let paths = change.put.iter().map(|(p, _)| p).chain(&change.remove);
    for path in paths {
        trees_along(repo, root, path, &mut made)?;
    }
    let tree = repo.find_tree(root).map_err(fail)?;
    let parents: Vec<git2::Commit<'_>> = new
        .parents
        .iter()
        .map(|p| repo.find_commit(*p))
        .collect::<Result<_, _>>()
        .map_err(fail)?;
    let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
    let commit = repo
        .commit(
            None,
            new.author,
            new.committer,
            new.message,
            &tree,
            &parents,
        )
        .map_err(full_or("writing the ledger"))?;
    made.insert(commit);
    Ok((commit, made))
}

/// Adds the trees on the way from `root` to `path`.
fn trees_along(repo: &Repository, root: Oid, path: &str, out: &mut BTreeSet<Oid>) -> Result<()> {
    let mut at = root;
    out.insert(at);
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in parts {
        let tree = repo
            .find_tree(at)
            .map_err(Error::git("reading back the ledger"))?;
        let Some(entry) = tree.get_name(part) else {
            break;
        };
        at = entry.id();
        out.insert(at);
    }
    Ok(())
}

fn loose_path(objects: &Path, oid: Oid) -> PathBuf {
    let hex = oid.to_string();
    objects.join(&hex[..2]).join(&hex[2..])
}

/// Tells a full disk from other failures of libgit2 where its message says so.
pub(super) fn full_or(action: &'static str) -> impl Fn(git2::Error) -> Error {
    move |e| {
        let full = ["No space left", "Disk quota", "File too large"];
        if full.iter().any(|f| e.message().contains(f)) {
            disk_full(action)
        } else {
            Error::git(action)(e)
        }
    }
}

fn disk_full(action: &str) -> Error {
    Error::DiskFull {
        action: format!("{action} in"),
        path: "the repository".into(),
    }
}

/// Finds out whether a failed write failed for want of space, by writing as much once more.
///
/// libgit2 often says "no error" instead.
fn explain(e: Error, objects: &Path, change: &TreeChange) -> Error {
    let Error::Git { action, .. } = &e else {
        return e;
    };
    let sizes = change.put.iter().map(|(_, content)| match content {
        Content::Bytes(bytes) => bytes.len(),
        Content::Stored(_) => 0,
    });
    let probe = || -> std::io::Result<()> {
        let mut file = tempfile::tempfile_in(objects)?;
        file.write_all(&vec![0; sizes.sum::<usize>() + (64 << 10)])?;
        file.sync_data()
    };
    match probe() {
        Err(cause) if no_space(&cause) => disk_full(action),
        _ => e,
    }
}
