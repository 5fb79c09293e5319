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
        let diff = Diff::from_buffer(&with_headers(patch)).map_err(fail)?;
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

/// The patch as git writes it: libgit2 reads no plain unified diff, whose files have no line `diff --git`.
fn with_headers(patch: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = patch.split_inclusive(|b| *b == b'\n').collect();
    if lines.iter().any(|l| l.starts_with(b"diff --git ")) {
        return patch.to_vec();
    }
    let name = |line: &[u8]| {
        let text = String::from_utf8_lossy(line.get(4..).unwrap_or_default()).into_owned();
        // Behind a tab there is a time stamp.
        text.split('\t')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let mut out = Vec::new();
    let mut rest = lines.as_slice();
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        let Some((next, further)) = after
            .split_first()
            .filter(|(n, _)| line.starts_with(b"--- ") && n.starts_with(b"+++ "))
        else {
            out.extend_from_slice(line);
            continue;
        };
        rest = further;
        let (old, new) = (name(line), name(next));
        let (a, b, mode) = match (old.as_str(), new.as_str()) {
            ("/dev/null", new) => (
                new.replacen("b/", "a/", 1),
                new.to_owned(),
                "new file mode 100644\n",
            ),
            (old, "/dev/null") => (
                old.to_owned(),
                old.replacen("a/", "b/", 1),
                "deleted file mode 100644\n",
            ),
            (old, new) => (old.to_owned(), new.to_owned(), ""),
        };
        let header = format!("diff --git {a} {b}\n{mode}--- {old}\n+++ {new}\n");
        out.extend(header.into_bytes());
    }
    out
}
