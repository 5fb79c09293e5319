//! Writing commits on variant branches.

use std::path::Path;

use git2::build::TreeUpdateBuilder;
use git2::{ErrorCode, FileMode};

use super::{Changes, Variants, clean};
use crate::error::{Error, Result};
use crate::program::Git;
use crate::repo::{CommitId, signature};

impl Variants<'_> {
    /// Writes a commit with `changes` on top of `parent` and moves the branch to it.
    ///
    /// A branch that does not exist is made; one that exists must stand on `parent`. A `parent`
    /// of `None` begins a history of its own. A changed file keeps its mode.
    ///
    /// # Errors
    /// The branch moved, or is checked out in the user's work tree or in a changed one.
    pub fn commit_files(
        &self,
        branch: &str,
        parent: Option<CommitId>,
        changes: &Changes,
        message: &str,
    ) -> Result<CommitId> {
        let git = &self.repo.git;
        let fail = |e| Error::git(format!("writing a commit on `{branch}`"))(e);
        let base = match parent {
            Some(parent) => self.tree(parent)?,
            None => git
                .treebuilder(None)
                .and_then(|b| b.write())
                .and_then(|oid| git.find_tree(oid))
                .map_err(fail)?,
        };
        let tree = self.changed_tree(&base, changes)?;
        let parents: Vec<CommitId> = parent.into_iter().collect();
        let commit = self.write(tree, &parents, message)?;
        let tip = self.tip(branch)?;
        if tip.is_some() && tip != parent {
            return Err(Error::RefMoved {
                name: branch.to_owned(),
            });
        }
        self.move_branch(branch, tip, commit, "assay commit")?;
        Ok(commit)
    }

    /// Writes the tree that `changes` make of another one.
    pub(super) fn changed_tree(
        &self,
        base: &git2::Tree<'_>,
        changes: &Changes,
    ) -> Result<git2::Oid> {
        let git = &self.repo.git;
        let fail = |e| Error::git("writing files")(e);
        let mut update = TreeUpdateBuilder::new();
        for (path, content) in changes {
            if !safe(path) {
                return Err(Error::UnsafePath { path: path.clone() });
            }
            let old = base.get_path(Path::new(path)).ok();
            match content {
                Some(bytes) => {
                    let mode = match old.map(|e| e.filemode()) {
                        Some(m) if m == i32::from(FileMode::BlobExecutable) => {
                            FileMode::BlobExecutable
                        }
                        _ => FileMode::Blob,
                    };
                    let oid = git.blob(bytes).map_err(fail)?;
                    update.upsert(path.as_str(), oid, mode);
                }
                None if old.is_some() => {
                    update.remove(path.as_str());
                }
                None => {}
            }
        }
        update.create_updated(git, base).map_err(fail)
    }

    /// Writes a commit by the user.
    pub(super) fn write(
        &self,
        tree: git2::Oid,
        parents: &[CommitId],
        message: &str,
    ) -> Result<CommitId> {
        let git = &self.repo.git;
        let fail = |e| Error::git("writing a commit")(e);
        let user = self.repo.user();
        let who = signature(&user.name, &user.email)?;
        let tree = git.find_tree(tree).map_err(fail)?;
        let parents: Vec<git2::Commit<'_>> = parents
            .iter()
            .map(|p| git.find_commit(p.0))
            .collect::<Result<_, _>>()
            .map_err(fail)?;
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        git.commit(None, &who, &who, message, &tree, &parents)
            .map(CommitId)
            .map_err(fail)
    }

    /// Moves a branch if it still stands on `old` (`None`: does not exist).
    ///
    /// A branch that is checked out in a linked work tree without changes is moved there together
    /// with its files. The user's own work tree is never touched.
    pub(super) fn move_branch(
        &self,
        branch: &str,
        old: Option<CommitId>,
        new: CommitId,
        why: &str,
    ) -> Result<()> {
        let git = &self.repo.git;
        let full = format!("refs/heads/{branch}");
        let Some(old) = old else {
            return match git.reference(&full, new.0, false, why) {
                Ok(_) => Ok(()),
                Err(e) if e.code() == ErrorCode::Exists => Err(Error::BranchExists {
                    name: branch.to_owned(),
                }),
                Err(e) => Err(Error::git(format!("making the branch `{branch}`"))(e)),
            };
        };
        if let Some(at) = self.repo.checked_out().get(branch) {
            if self.repo.main_worktree().as_ref() == Some(at) || !unchanged(at)? {
                return Err(Error::CheckedOut {
                    branch: branch.to_owned(),
                    at: at.clone(),
                });
            }
            if self.tip(branch)? != Some(old) {
                return Err(Error::RefMoved {
                    name: branch.to_owned(),
                });
            }
            // `--keep` refuses when a local change would be lost, should one come in between.
            return Git::in_worktree(at)
                .args(["-c", "core.hooksPath=/dev/null"])
                .args(["reset", "--quiet", "--keep", &new.to_string()])
                .run()
                .map(drop);
        }
        match git.reference_matching(&full, new.0, true, old.0, why) {
            Ok(_) => Ok(()),
            Err(e) if matches!(e.code(), ErrorCode::Modified | ErrorCode::NotFound) => {
                Err(Error::RefMoved {
                    name: branch.to_owned(),
                })
            }
            Err(e) if e.code() == ErrorCode::Locked => Err(Error::RefLocked {
                lock: self.repo.common_dir().join(format!("{full}.lock")),
            }),
            Err(e) => Err(Error::git(format!("moving the branch `{branch}`"))(e)),
        }
    }
}

/// Whether a work tree has no changes to tracked files.
fn unchanged(dir: &Path) -> Result<bool> {
    let out = Git::in_worktree(dir)
        .args(["status", "--porcelain", "--untracked-files=no"])
        .run()?;
    Ok(out.is_empty())
}

/// Whether a path stays inside the repository and out of `.git`.
pub(crate) fn safe(path: &str) -> bool {
    let bad = |part: &str| {
        part.is_empty() || part == "." || part == ".." || part.eq_ignore_ascii_case(".git")
    };
    !path.contains('\0') && !path.split('/').any(bad) && clean(path) == path
}
