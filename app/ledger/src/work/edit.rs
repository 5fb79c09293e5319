//! Real work trees for the user, one for each variant being edited, made by the git program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::locks::FileLock;
use crate::program::Git;
use crate::repo::{CommitId, Repo};
use crate::variants::{Variants, clean, join};

/// The state of a variant's work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditStatus {
    /// There is none.
    Absent,
    /// Its kernel files are as committed.
    Clean,
    /// Kernel files are changed, removed or new; their paths from the root of the repository.
    Dirty(Vec<String>),
}

/// The work trees in which variants are edited.
#[derive(Debug)]
pub struct Edits<'r> {
    repo: &'r Repo,
    root: PathBuf,
}

impl<'r> Edits<'r> {
    /// Work trees of `repo` that live in folders below `root`.
    ///
    /// # Errors
    /// When the repository is bare.
    pub fn new(repo: &'r Repo, root: impl AsRef<Path>) -> Result<Self> {
        repo.require_workdir("editing a variant")?;
        let root = root.as_ref();
        std::fs::create_dir_all(root).map_err(Error::io("creating", root))?;
        let root = root.canonicalize().map_err(Error::io("reading", root))?;
        Ok(Self { repo, root })
    }

    /// The work tree of a variant, made if needed.
    ///
    /// # Errors
    /// No such variant; its branch is checked out in another place; git fails.
    pub fn open(&self, campaign: &str, slug: &str) -> Result<PathBuf> {
        let branch = Variants::branch(campaign, slug);
        if Variants::new(self.repo).tip(&branch)?.is_none() {
            return Err(Error::NoBranch { name: branch });
        }
        let lock = self.repo.state_dir().join("locks/worktrees");
        let _lock = FileLock::acquire(lock, Duration::from_secs(30), "assay, making a work tree")?;
        let dir = self.dir(campaign, slug);
        if let Some(at) = self.find(campaign, slug) {
            return if at == dir {
                Ok(dir)
            } else {
                Err(Error::CheckedOut { branch, at })
            };
        }
        // `--force` takes over the registration of a folder that has vanished; that the branch is
        // not checked out elsewhere was looked at above.
        self.repo
            .program()
            .args(["-c", "core.hooksPath=/dev/null"])
            .args(["worktree", "add", "--quiet", "--force"])
            .arg(&dir)
            .arg(&branch)
            .run()?;
        Ok(dir)
    }

    /// Where the branch of a variant is checked out, be it here or elsewhere.
    pub fn find(&self, campaign: &str, slug: &str) -> Option<PathBuf> {
        self.repo
            .checked_out()
            .remove(&Variants::branch(campaign, slug))
    }

    /// Whether kernel files in the variant's work tree differ from its branch.
    ///
    /// # Errors
    /// When git fails.
    pub fn status<S: AsRef<str>>(
        &self,
        campaign: &str,
        slug: &str,
        folder: &str,
        paths: &[S],
    ) -> Result<EditStatus> {
        let Some(dir) = self.find(campaign, slug) else {
            return Ok(EditStatus::Absent);
        };
        let files = changed(&dir, &specs(folder, paths))?;
        Ok(if files.is_empty() {
            EditStatus::Clean
        } else {
            EditStatus::Dirty(files)
        })
    }

    /// Edits of the variant's work tree that [`Edits::commit`] leaves where they are: files outside
    /// the kernel's paths that are changed, removed or new, from the root of the repository.
    ///
    /// # Errors
    /// When git fails.
    pub fn left_out<S: AsRef<str>>(
        &self,
        campaign: &str,
        slug: &str,
        folder: &str,
        paths: &[S],
    ) -> Result<Vec<String>> {
        let Some(dir) = self.find(campaign, slug) else {
            return Ok(Vec::new());
        };
        let kernel = specs(folder, paths);
        let of_kernel = |file: &str| {
            kernel.iter().any(|k| {
                k == "."
                    || file
                        .strip_prefix(k.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let mut files = changed(&dir, &[])?;
        files.retain(|f| !of_kernel(f));
        Ok(files)
    }

    /// Commits the kernel files of the variant's work tree; `None` when nothing changed.
    ///
    /// Hooks and signing are off: they are made for commits that a person composes, and may ask.
    ///
    /// # Errors
    /// There is no work tree, or it is the user's own; git fails.
    pub fn commit<S: AsRef<str>>(
        &self,
        campaign: &str,
        slug: &str,
        folder: &str,
        paths: &[S],
        message: &str,
    ) -> Result<Option<CommitId>> {
        let branch = Variants::branch(campaign, slug);
        let variants = Variants::new(self.repo);
        let Some(dir) = self.find(campaign, slug) else {
            return Err(Error::Folder {
                path: self.dir(campaign, slug),
                problem: format!("is not there: open it with `assay edit {slug}`"),
            });
        };
        // In the user's own work tree the index is the user's, and git commits there as well.
        if self.repo.main_worktree().as_ref() == Some(&dir) {
            return Err(Error::CheckedOut { branch, at: dir });
        }
        if let EditStatus::Clean = self.status(campaign, slug, folder, paths)? {
            return Ok(None);
        }
        let tip = variants.tip(&branch)?.ok_or_else(|| Error::NoBranch {
            name: branch.clone(),
        })?;
        // git takes a path that matches nothing as an error.
        let mut known = Vec::new();
        for spec in specs(folder, paths) {
            let on_disk = dir.join(&spec).symlink_metadata().is_ok();
            if on_disk || !variants.stored(tip, "", &[spec.as_str()])?.is_empty() {
                known.push(spec);
            }
        }
        let user = self.repo.user();
        let git = || {
            let git = Git::in_worktree(&dir)
                .arg("--literal-pathspecs")
                .args(["-c", "core.hooksPath=/dev/null"]);
            if user.known {
                return git;
            }
            git.arg("-c")
                .arg(format!("user.name={}", user.name))
                .arg("-c")
                .arg(format!("user.email={}", user.email))
        };
        git().args(["add", "--all", "--"]).args(&known).run()?;
        git()
            .args(["commit", "--quiet", "--no-verify", "--no-gpg-sign"])
            .args(["--message", message, "--"])
            .args(&known)
            .run()?;
        variants.tip(&branch)
    }

    /// Removes the variant's work tree; its branch stays.
    ///
    /// # Errors
    /// When files in it are changed or new; git fails.
    pub fn remove(&self, campaign: &str, slug: &str) -> Result<()> {
        let dir = self.dir(campaign, slug);
        if self.find(campaign, slug).as_ref() != Some(&dir) {
            return Ok(());
        }
        self.repo
            .program()
            .args(["worktree", "remove"])
            .arg(&dir)
            .run()
            .map(drop)
    }

    fn dir(&self, campaign: &str, slug: &str) -> PathBuf {
        self.root.join(campaign).join(slug)
    }
}

/// Files of a work tree that differ from its commit, below these paths; below all without any.
fn changed(dir: &Path, specs: &[String]) -> Result<Vec<String>> {
    let out = Git::in_worktree(dir)
        .arg("--literal-pathspecs")
        .args(["status", "--porcelain", "-z", "--no-renames"])
        .args(["--untracked-files=all", "--ignore-submodules=dirty", "--"])
        .args(specs)
        .run()?;
    Ok(out
        .split(|b| *b == 0)
        .filter(|line| line.len() > 3)
        .map(|line| String::from_utf8_lossy(&line[3..]).into_owned())
        .collect())
}

/// Paths from the root of the repository.
fn specs<S: AsRef<str>>(folder: &str, paths: &[S]) -> Vec<String> {
    let full = paths
        .iter()
        .map(|p| join(&clean(folder), &clean(p.as_ref())));
    full.map(|p| if p.is_empty() { ".".into() } else { p })
        .collect()
}
