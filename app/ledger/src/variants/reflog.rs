//! What git's reflog says of a branch: whether its tip was committed in this clone.

use git2::ErrorCode;

use super::Variants;
use crate::error::{Error, Result};
use crate::repo::CommitId;

/// Messages with which `git commit` moves a branch; a commit that ends a merge or a cherry-pick is
/// not among them, since it holds what others wrote.
const COMMITS: [&str; 3] = ["commit: ", "commit (amend): ", "commit (initial): "];

/// Commits at the tip of a branch that were made in this clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommittedHere {
    /// The commit that the first of them stands on; `None` when the branch began with it.
    pub onto: Option<CommitId>,
}

impl Variants<'_> {
    /// The unbroken row of `git commit`s in this clone that led to the tip of a branch; `None` when
    /// the tip came otherwise: by clone, fetch, merge, rebase or reset, or where there is no reflog.
    ///
    /// # Errors
    /// Git errors.
    pub fn committed_here(&self, branch: &str) -> Result<Option<CommittedHere>> {
        let Some(tip) = self.tip(branch)? else {
            return Ok(None);
        };
        let log = match self.repo.git.reflog(&format!("refs/heads/{branch}")) {
            Ok(log) => log,
            Err(e) if e.code() == ErrorCode::NotFound => return Ok(None),
            Err(e) => {
                return Err(Error::git(format!("reading the reflog of `{branch}`"))(e));
            }
        };
        let (mut at, mut found) = (tip.0, None);
        for entry in log.iter() {
            let message = entry.message().ok().flatten().unwrap_or_default();
            if entry.id_new() != at || !COMMITS.iter().any(|c| message.starts_with(c)) {
                break;
            }
            let old = entry.id_old();
            let onto = (!old.is_zero()).then_some(CommitId(old));
            found = Some(CommittedHere { onto });
            if onto.is_none() {
                break;
            }
            at = old;
        }
        Ok(found)
    }
}
