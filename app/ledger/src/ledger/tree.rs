//! Walking and comparing ledger trees by object id, so that equal parts are never read.

use std::path::Path;

use git2::{ObjectType, Oid, Repository, Tree};

use crate::error::{Error, Result};

/// A file in a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Leaf {
    pub path: String,
    pub oid: Oid,
}

/// One difference between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub path: String,
    pub old: Option<Oid>,
    pub new: Option<Oid>,
}

/// Every file below `top` (e.g. `records`) in the order of the paths.
pub(super) fn list(repo: &Repository, tree: &Tree<'_>, top: &str) -> Result<Vec<Leaf>> {
    let mut out = Vec::new();
    if let Some(sub) = subtree(repo, Some(tree), top)? {
        collect(repo, &sub, top, &mut out)?;
    }
    Ok(out)
}

/// The tree called `name` in `tree`, if there is one.
fn subtree<'r>(
    repo: &'r Repository,
    tree: Option<&Tree<'_>>,
    name: &str,
) -> Result<Option<Tree<'r>>> {
    match tree.and_then(|t| t.get_name(name)) {
        Some(e) if e.kind() == Some(ObjectType::Tree) => repo
            .find_tree(e.id())
            .map(Some)
            .map_err(Error::git(format!("reading the tree `{name}`"))),
        _ => Ok(None),
    }
}

fn collect(repo: &Repository, tree: &Tree<'_>, at: &str, out: &mut Vec<Leaf>) -> Result<()> {
    for entry in tree {
        let path = format!("{at}/{}", String::from_utf8_lossy(entry.name_bytes()));
        match entry.kind() {
            Some(ObjectType::Tree) => {
                let sub = repo
                    .find_tree(entry.id())
                    .map_err(Error::git(format!("reading the tree `{path}`")))?;
                collect(repo, &sub, &path, out)?;
            }
            Some(ObjectType::Blob) => out.push(Leaf {
                path,
                oid: entry.id(),
            }),
            _ => {}
        }
    }
    Ok(())
}

/// What differs below `top` between two trees; an absent tree is an empty one.
pub(super) fn diff(
    repo: &Repository,
    old: Option<&Tree<'_>>,
    new: Option<&Tree<'_>>,
    top: &str,
) -> Result<Vec<Difference>> {
    let (old, new) = (subtree(repo, old, top)?, subtree(repo, new, top)?);
    let mut out = Vec::new();
    compare(repo, old.as_ref(), new.as_ref(), top, &mut out)?;
    Ok(out)
}

fn compare(
    repo: &Repository,
    old: Option<&Tree<'_>>,
    new: Option<&Tree<'_>>,
    at: &str,
    out: &mut Vec<Difference>,
) -> Result<()> {
    if old.map(Tree::id) == new.map(Tree::id) {
        return Ok(());
    }
    let names = |t: Option<&Tree<'_>>| -> Vec<Vec<u8>> {
        t.map(|t| t.iter().map(|e| e.name_bytes().to_vec()).collect())
            .unwrap_or_default()
    };
    let mut all = names(old);
    all.extend(names(new));
    all.sort();
    all.dedup();
    for name in all {
        let a = old.and_then(|t| t.get_name_bytes(&name));
        let b = new.and_then(|t| t.get_name_bytes(&name));
        if a.as_ref().map(|e| e.id()) == b.as_ref().map(|e| e.id()) {
            continue;
        }
        let path = format!("{at}/{}", String::from_utf8_lossy(&name));
        let tree = |e: &Option<git2::TreeEntry<'_>>| match e {
            Some(e) if e.kind() == Some(ObjectType::Tree) => repo
                .find_tree(e.id())
                .map(Some)
                .map_err(Error::git(format!("reading the tree `{path}`"))),
            _ => Ok(None),
        };
        let blob = |e: &Option<git2::TreeEntry<'_>>| {
            e.as_ref()
                .filter(|e| e.kind() == Some(ObjectType::Blob))
                .map(|e| e.id())
        };
        let (ta, tb) = (tree(&a)?, tree(&b)?);
        if ta.is_some() || tb.is_some() {
            compare(repo, ta.as_ref(), tb.as_ref(), &path, out)?;
        }
        let (old, new) = (blob(&a), blob(&b));
        if old.is_some() || new.is_some() {
            out.push(Difference { path, old, new });
        }
    }
    Ok(())
}

/// The blob at `path`, if there is one.
pub(super) fn find(tree: &Tree<'_>, path: &str) -> Option<Oid> {
    let entry = tree.get_path(Path::new(path)).ok()?;
    (entry.kind() == Some(ObjectType::Blob)).then(|| entry.id())
}

/// Reads many blobs, side by side when there are many.
pub(super) fn read_blobs(repo: &Repository, leaves: &[Leaf]) -> Result<Vec<Vec<u8>>> {
    const PER_THREAD: usize = 2_000;
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(leaves.len() / PER_THREAD);
    if workers < 2 {
        return read_some(repo, leaves);
    }
    let at = repo.path().to_owned();
    let parts: Vec<Result<Vec<Vec<u8>>>> = std::thread::scope(|scope| {
        let spawned: Vec<_> = leaves
            .chunks(leaves.len().div_ceil(workers))
            .map(|part| {
                let at = &at;
                scope.spawn(move || {
                    let repo =
                        Repository::open(at).map_err(Error::git("opening the repository"))?;
                    read_some(&repo, part)
                })
            })
            .collect();
        spawned
            .into_iter()
            .map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
            .collect()
    });
    let mut out = Vec::with_capacity(leaves.len());
    for part in parts {
        out.extend(part?);
    }
    Ok(out)
}

fn read_some(repo: &Repository, leaves: &[Leaf]) -> Result<Vec<Vec<u8>>> {
    let odb = repo.odb().map_err(Error::git("opening the object store"))?;
    leaves
        .iter()
        .map(|leaf| {
            odb.read(leaf.oid)
                .map(|o| o.data().to_vec())
                .map_err(Error::git(format!("reading `{}`", leaf.path)))
        })
        .collect()
}
