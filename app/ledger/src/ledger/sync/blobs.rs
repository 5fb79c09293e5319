//! Large blobs in an exchange: an extra ref whose tree holds them by hash.
//!
//! A blob that was exchanged is then stored twice here, as a file and as a git object. That is
//! the price of a transport that every git server offers.

use std::path::Path;

use assay_core::Sha256;
use git2::Oid;

use super::Exchange;
use crate::error::{Error, Result};
use crate::fsio::Staged;
use crate::ledger::Ledger;
use crate::ledger::blobs::tree_path;
use crate::ledger::objects::{Content, NewCommit, TreeChange, write_commit};
use crate::ledger::tree;
use crate::repo::signature;

/// The ref that holds large blobs.
pub(super) const BLOBS_REF: &str = "refs/assay/blobs/all";

impl Exchange<'_> {
    fn their_blobs(&self) -> Result<Option<Oid>> {
        self.tip(&format!("{}blobs/all", self.prefix))
    }

    /// Stores the blobs that came and that a record here refers to.
    pub(super) fn receive_blobs(&self) -> Result<usize> {
        let Some(theirs) = self.their_blobs()? else {
            return Ok(0);
        };
        let used = Ledger::referenced(&self.ledger.read_all()?);
        let git = &self.store.repo.git;
        let mut count = 0;
        for leaf in tree::list(git, &self.store.tree_of(theirs)?, "blobs")? {
            let sha: Option<Sha256> = leaf.path.rsplit('/').next().and_then(|n| n.parse().ok());
            let Some(sha) = sha.filter(|s| used.contains(s) && !self.store.large.has(*s)) else {
                continue;
            };
            let bytes = self.store.read(leaf.oid)?;
            if Sha256::of(&bytes) != sha {
                continue;
            }
            let mut staged = Staged::default();
            self.store.large.stage(&mut staged, sha, &bytes)?;
            staged.publish()?;
            count += 1;
        }
        Ok(count)
    }

    /// Puts the blobs that the remote lacks into a commit on top of theirs; returns how many.
    pub(super) fn collect_blobs(&self) -> Result<usize> {
        let git = &self.store.repo.git;
        let theirs = self.their_blobs()?;
        let tree = theirs.map(|t| self.store.tree_of(t)).transpose()?;
        let used = Ledger::referenced(&self.ledger.read_all()?);
        let mut change = TreeChange::default();
        for (sha, _, path) in self.store.large.list() {
            let there = tree.as_ref().and_then(|t| tree::find(t, &tree_path(sha)));
            if there.is_none() && used.contains(&sha) {
                let stored = self.add_file(&path)?;
                change.put.push((tree_path(sha), Content::Stored(stored)));
            }
        }
        if change.put.is_empty() {
            return Ok(0);
        }
        let count = change.put.len();
        let who = signature("assay", "assay@localhost")?;
        let parents: Vec<Oid> = theirs.into_iter().collect();
        let new = NewCommit {
            base: tree.as_ref().map(git2::Tree::id),
            parents: &parents,
            author: &who,
            committer: &who,
            message: "large blobs\n",
        };
        let commit = write_commit(git, self.store.repo.common_dir(), &change, &new)?;
        git.reference(BLOBS_REF, commit, true, "assay sync")
            .map_err(Error::git("writing the ref of large blobs"))?;
        Ok(count)
    }

    fn add_file(&self, path: &Path) -> Result<Oid> {
        let bytes = std::fs::read(path).map_err(Error::io("reading", path))?;
        self.store
            .repo
            .git
            .blob(&bytes)
            .map_err(Error::git("storing a large blob"))
    }
}
