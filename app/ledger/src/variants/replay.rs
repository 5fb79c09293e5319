//! Moving a variant to another base, and joining two variants, in memory.

use git2::{Index, Oid, Sort};

use super::Variants;
use crate::error::{Error, Result};
use crate::repo::CommitId;

impl Variants<'_> {
    /// Replays the commits of a branch that `onto` lacks on top of `onto`, and moves the branch.
    ///
    /// A history with merges in it becomes one commit. Nothing to replay is no error.
    ///
    /// # Errors
    /// [`Error::Conflict`] with the files, and nothing is changed; no such branch; checked out in
    /// a work tree with changes.
    pub fn rebase(&self, branch: &str, onto: CommitId) -> Result<CommitId> {
        let git = &self.repo.git;
        let fail = |e| Error::git(format!("rebasing `{branch}`"))(e);
        let tip = self.tip(branch)?.ok_or_else(|| Error::NoBranch {
            name: branch.to_owned(),
        })?;
        if self.contains(tip, onto)? {
            return Ok(tip);
        }
        let action = format!("rebasing `{branch}` onto {}", onto.short());
        let mut walk = git.revwalk().map_err(fail)?;
        walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE)
            .map_err(fail)?;
        walk.push(tip.0)
            .and_then(|()| walk.hide(onto.0))
            .map_err(fail)?;
        let commits: Vec<Oid> = walk.collect::<Result<_, _>>().map_err(fail)?;
        let commits: Vec<git2::Commit<'_>> = commits
            .into_iter()
            .map(|oid| git.find_commit(oid))
            .collect::<Result<_, _>>()
            .map_err(fail)?;
        let new = if commits.iter().any(|c| c.parent_count() != 1) {
            let base = self.merge_base(tip, onto)?;
            let tree = self.three_way(base, onto, tip, &action)?;
            self.write(tree, &[onto], &self.repo.message(tip))?
        } else {
            let mut at = git.find_commit(onto.0).map_err(fail)?;
            for commit in &commits {
                let mut index = git.cherrypick_commit(commit, &at, 0, None).map_err(fail)?;
                let tree = written(git, &mut index, &action)?;
                if tree == at.tree_id() {
                    continue;
                }
                let tree = git.find_tree(tree).map_err(fail)?;
                let message = commit.message().unwrap_or("variant");
                let (author, committer) = (commit.author(), commit.committer());
                let oid = git
                    .commit(None, &author, &committer, message, &tree, &[&at])
                    .map_err(fail)?;
                at = git.find_commit(oid).map_err(fail)?;
            }
            CommitId(at.id())
        };
        self.move_branch(branch, Some(tip), new, "assay rebase")?;
        Ok(new)
    }

    /// Makes a new variant from the changes of two others.
    ///
    /// `base` is what both are compared with; `None` takes their common ancestor.
    ///
    /// # Errors
    /// [`Error::Conflict`] with the files; the errors of [`Variants::create`].
    pub fn combine(
        &self,
        campaign: &str,
        slug: &str,
        (a, b): (CommitId, CommitId),
        base: Option<CommitId>,
        message: &str,
    ) -> Result<CommitId> {
        self.check_name(campaign, slug)?;
        let base = match base {
            Some(base) => base,
            None => self.merge_base(a, b)?,
        };
        let action = format!("combining {} and {}", a.short(), b.short());
        let tree = self.three_way(base, a, b, &action)?;
        let commit = self.write(tree, &[a, b], message)?;
        let branch = Self::branch(campaign, slug);
        self.move_branch(&branch, None, commit, "assay combine")?;
        Ok(commit)
    }

    /// The best common ancestor of two commits.
    ///
    /// # Errors
    /// When they have none.
    pub fn merge_base(&self, a: CommitId, b: CommitId) -> Result<CommitId> {
        self.repo
            .git
            .merge_base(a.0, b.0)
            .map(CommitId)
            .map_err(Error::git(format!(
                "finding the common ancestor of {} and {}",
                a.short(),
                b.short()
            )))
    }

    fn three_way(
        &self,
        base: CommitId,
        ours: CommitId,
        theirs: CommitId,
        action: &str,
    ) -> Result<Oid> {
        let git = &self.repo.git;
        let (base, ours, theirs) = (self.tree(base)?, self.tree(ours)?, self.tree(theirs)?);
        let mut index = git
            .merge_trees(&base, &ours, &theirs, None)
            .map_err(Error::git(action))?;
        written(git, &mut index, action)
    }
}

/// The tree of a merge result, or the files that conflict.
fn written(git: &git2::Repository, index: &mut Index, action: &str) -> Result<Oid> {
    let fail = |e| Error::git(action)(e);
    if index.has_conflicts() {
        let mut files = Vec::new();
        for conflict in index.conflicts().map_err(fail)? {
            let c = conflict.map_err(fail)?;
            let side = c.our.or(c.their).or(c.ancestor);
            files.extend(side.map(|e| String::from_utf8_lossy(&e.path).into_owned()));
        }
        files.sort();
        files.dedup();
        return Err(Error::Conflict {
            action: action.to_owned(),
            files,
        });
    }
    index.write_tree_to(git).map_err(fail)
}
