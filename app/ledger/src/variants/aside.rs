//! Content that no branch holds: a kernel changed on purpose, to be run and forgotten.

use std::path::Path;

use git2::{Delta, Diff};

use super::{Changes, Variants, clean, join};
use crate::error::{Error, Result};
use crate::repo::CommitId;

impl Variants<'_> {
    /// Writes a commit with `changes` on top of `base` that no branch points to; git's own
    /// housekeeping removes it in time.
    ///
    /// # Errors
    /// A path that leaves the repository; git errors.
    pub fn aside(&self, base: CommitId, changes: &Changes, message: &str) -> Result<CommitId> {
        let tree = self.changed_tree(&self.tree(base)?, changes)?;
        self.write(tree, &[base], message)
    }

    /// What a unified diff makes of the files of a commit; its paths are relative to `folder`.
    ///
    /// # Errors
    /// Text that is no diff, or one that does not fit the files.
    pub fn patched(&self, commit: CommitId, folder: &str, patch: &[u8]) -> Result<Changes> {
        let git = &self.repo.git;
        let fail = |e| Error::git("applying the patch")(e);
        let diff = Diff::from_buffer(patch).map_err(fail)?;
        if diff.deltas().len() == 0 {
            return Err(Error::Git {
                action: "applying the patch".into(),
                message: "it changes no file; a unified diff is expected".into(),
            });
        }
        let folder = clean(folder);
        let mut tree = self.tree(commit)?;
        if !folder.is_empty() {
            let entry = tree.get_path(Path::new(&folder)).map_err(fail)?;
            tree = git.find_tree(entry.id()).map_err(fail)?;
        }
        let index = git.apply_to_tree(&tree, &diff, None).map_err(fail)?;
        let mut out = Changes::new();
        for delta in diff.deltas() {
            let name = |f: git2::DiffFile<'_>| {
                f.path()
                    .and_then(Path::to_str)
                    .map(|p| join(&folder, &clean(p)))
            };
            if matches!(delta.status(), Delta::Deleted | Delta::Renamed)
                && let Some(old) = name(delta.old_file())
            {
                out.insert(old, None);
            }
            let new = delta.new_file();
            if let (Some(path), Some(full)) = (new.path(), name(delta.new_file()))
                && let Some(entry) = index.get_path(path, 0)
            {
                out.insert(full, Some(self.bytes(entry.id)?));
            }
        }
        Ok(out)
    }
}
