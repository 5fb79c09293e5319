//! Variants as branches `assay/<campaign>/<slug>`, made and read without any work tree.

mod ablate;
mod aside;
mod change;
mod reflog;
mod replay;

use std::collections::BTreeMap;
use std::path::Path;

use assay_core::Sha256;
use git2::{ErrorCode, ObjectType, Oid, TreeWalkMode, TreeWalkResult};

use crate::error::{Error, Result};
use crate::repo::{CommitId, Repo};

pub use ablate::{Ablation, Ablations};
pub(crate) use change::safe;
pub use reflog::CommittedHere;

/// New contents of files by path from the root of the repository; `None` removes the file.
pub type Changes = BTreeMap<String, Option<Vec<u8>>>;

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAt {
    /// Path relative to the folder that was asked for.
    pub path: String,
    /// Mode as git has it: `0o100644`, `0o100755`, `0o120000` (link) or `0o160000` (submodule).
    pub mode: u32,
    /// The content; of a link its target, of a submodule its commit.
    pub bytes: Vec<u8>,
}

/// A file of a commit, unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored {
    pub mode: u32,
    pub oid: Oid,
}

/// Reads and makes the variant branches of a repository.
#[derive(Debug, Clone, Copy)]
pub struct Variants<'r> {
    repo: &'r Repo,
}

impl<'r> Variants<'r> {
    /// The variants of `repo`.
    pub fn new(repo: &'r Repo) -> Self {
        Self { repo }
    }

    /// The full name of a variant's branch.
    pub fn branch(campaign: &str, slug: &str) -> String {
        format!("assay/{campaign}/{slug}")
    }

    /// Makes the branch of a new variant and returns the commit it starts from.
    ///
    /// # Errors
    /// A name that git cannot have, that exists, that differs from an existing one by case only,
    /// or that another branch blocks; an unknown revision.
    pub fn create(&self, campaign: &str, slug: &str, from: &str) -> Result<CommitId> {
        self.repo.require_head()?;
        let commit = self.resolve(from)?;
        self.check_name(campaign, slug)?;
        self.move_branch(&Self::branch(campaign, slug), None, commit, "assay new")?;
        Ok(commit)
    }

    /// The tips of all variants of a campaign by slug, in one scan of the refs.
    ///
    /// # Errors
    /// Git errors.
    pub fn tips(&self, campaign: &str) -> Result<BTreeMap<String, CommitId>> {
        let prefix = format!("refs/heads/assay/{campaign}/");
        let fail = |e| Error::git("reading the variant branches")(e);
        let mut out = BTreeMap::new();
        let refs = self.repo.git.references_glob(&format!("{prefix}*"));
        for reference in refs.map_err(fail)? {
            let reference = reference.map_err(fail)?;
            let slug = reference.name().ok().and_then(|n| n.strip_prefix(&prefix));
            if let (Some(slug), Some(tip)) = (slug, reference.target()) {
                out.insert(slug.to_owned(), CommitId(tip));
            }
        }
        Ok(out)
    }

    /// The tip of a branch, e.g. `assay/gemm/blocking`; `None` when there is no such branch.
    ///
    /// # Errors
    /// Git errors.
    pub fn tip(&self, branch: &str) -> Result<Option<CommitId>> {
        match self.repo.git.refname_to_id(&format!("refs/heads/{branch}")) {
            Ok(oid) => Ok(Some(CommitId(oid))),
            Err(e) if matches!(e.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => Ok(None),
            Err(e) => Err(Error::git(format!("reading the branch `{branch}`"))(e)),
        }
    }

    /// The commit that a revision names, in git's syntax.
    ///
    /// # Errors
    /// [`Error::NoRevision`].
    pub fn resolve(&self, rev: &str) -> Result<CommitId> {
        self.repo
            .git
            .revparse_single(rev)
            .and_then(|o| o.peel_to_commit())
            .map(|c| CommitId(c.id()))
            .map_err(|_| Error::NoRevision {
                rev: rev.to_owned(),
            })
    }

    /// Git's id of everything in a commit: paths, modes and contents.
    ///
    /// # Errors
    /// Git errors.
    pub fn tree_id(&self, commit: CommitId) -> Result<String> {
        Ok(self.tree(commit)?.id().to_string())
    }

    /// Hash of the files below `paths` of a commit: paths, modes and contents.
    ///
    /// It does not depend on commits or on git's object format. A path that does not exist counts
    /// as absent, which is different from empty.
    ///
    /// # Errors
    /// Git errors.
    pub fn content_hash<S: AsRef<str>>(
        &self,
        commit: CommitId,
        folder: &str,
        paths: &[S],
    ) -> Result<Sha256> {
        let mut files = BTreeMap::new();
        for (path, file) in self.stored(commit, folder, paths)? {
            files.insert(path, (file.mode, self.content_of(file)?));
        }
        Ok(content_hash_of(&files, paths))
    }

    /// Whether two commits hold the same files below these paths; `None` when one is not here.
    ///
    /// It reads trees only, no file: equal files have equal ids.
    ///
    /// # Errors
    /// Git errors.
    pub fn same_files<S: AsRef<str>>(
        &self,
        a: CommitId,
        b: CommitId,
        folder: &str,
        paths: &[S],
    ) -> Result<Option<bool>> {
        let odb = self.repo.git.odb();
        let odb = odb.map_err(Error::git("reading the objects"))?;
        // Without a refresh: looking through the folders again for each commit that is not here
        // would take longer than all the rest.
        let here = |c: CommitId| odb.exists_ext(c.0, git2::OdbLookupFlags::NO_REFRESH);
        if !here(a) || !here(b) {
            return Ok(None);
        }
        Ok(Some(
            self.stored(a, folder, paths)? == self.stored(b, folder, paths)?,
        ))
    }

    /// One file of a commit by its path from the root; `None` when it does not exist.
    ///
    /// # Errors
    /// Git errors.
    pub fn read_file(&self, commit: CommitId, path: &str) -> Result<Option<Vec<u8>>> {
        let tree = self.tree(commit)?;
        match tree.get_path(Path::new(&clean(path))) {
            Ok(e) if e.kind() == Some(ObjectType::Blob) => self.bytes(e.id()).map(Some),
            Ok(_) => Ok(None),
            Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
            Err(e) => Err(Error::git(format!("reading `{path}`"))(e)),
        }
    }

    /// All files below `paths` of a commit, sorted; `paths` and the answer are relative to `folder`.
    ///
    /// # Errors
    /// Git errors.
    pub fn list_files<S: AsRef<str>>(
        &self,
        commit: CommitId,
        folder: &str,
        paths: &[S],
    ) -> Result<Vec<FileAt>> {
        let files = self.stored(commit, folder, paths)?;
        files
            .into_iter()
            .map(|(path, file)| {
                let bytes = match file.mode {
                    0o160_000 => file.oid.to_string().into_bytes(),
                    _ => self.bytes(file.oid)?,
                };
                Ok(FileAt {
                    path,
                    mode: file.mode,
                    bytes,
                })
            })
            .collect()
    }

    /// Paths below `folder`, and relative to it, that differ between two commits.
    ///
    /// # Errors
    /// Git errors.
    pub fn changed_paths(
        &self,
        base: CommitId,
        tip: CommitId,
        folder: &str,
    ) -> Result<Vec<String>> {
        let old = self.stored(base, folder, &["."])?;
        let new = self.stored(tip, folder, &["."])?;
        let mut out: Vec<String> = new
            .iter()
            .filter(|(path, file)| old.get(*path) != Some(file))
            .map(|(path, _)| path.clone())
            .collect();
        out.extend(old.into_keys().filter(|path| !new.contains_key(path)));
        out.sort();
        Ok(out)
    }

    /// Whether `ancestor` is `commit` or lies behind it.
    ///
    /// # Errors
    /// Git errors.
    pub fn contains(&self, commit: CommitId, ancestor: CommitId) -> Result<bool> {
        Ok(commit == ancestor
            || self
                .repo
                .git
                .graph_descendant_of(commit.0, ancestor.0)
                .map_err(Error::git("comparing commits"))?)
    }

    fn check_name(&self, campaign: &str, slug: &str) -> Result<()> {
        let problem = |problem: &str| {
            Err(Error::BranchName {
                name: slug.to_owned(),
                problem: problem.to_owned(),
            })
        };
        if campaign == "ledger" {
            return problem("a campaign cannot be called `ledger`");
        }
        if slug.is_empty() || slug.starts_with(['-', '.']) {
            return problem("it must not be empty or begin with `-` or `.`");
        }
        if slug.contains('/') {
            return problem("it must not contain `/`");
        }
        // The longest file name is 255 bytes, and git adds `.lock`.
        if slug.len() > 200 {
            return problem("it is longer than 200 bytes");
        }
        let branch = Self::branch(campaign, slug);
        if !git2::Reference::is_valid_name(&format!("refs/heads/{branch}")) {
            return problem("git does not allow white space or any of ~^:?*[\\ or `..` or `.lock`");
        }
        let folded = branch.to_lowercase();
        let fail = |e| Error::git("reading the branches")(e);
        let refs = self
            .repo
            .git
            .references_glob("refs/heads/assay*")
            .map_err(fail)?;
        for reference in refs {
            let reference = reference.map_err(fail)?;
            let Some(by) = reference
                .name()
                .ok()
                .and_then(|n| n.strip_prefix("refs/heads/"))
            else {
                continue;
            };
            if by == branch {
                return Err(Error::BranchExists { name: branch });
            }
            let lower = by.to_lowercase();
            let above = folded
                .strip_prefix(&lower)
                .is_some_and(|r| r.starts_with('/'));
            let below = lower
                .strip_prefix(&folded)
                .is_some_and(|r| r.starts_with('/'));
            if lower == folded || above || below {
                return Err(Error::BranchBlocked {
                    name: branch,
                    by: by.to_owned(),
                });
            }
        }
        Ok(())
    }

    pub(crate) fn tree(&self, commit: CommitId) -> Result<git2::Tree<'r>> {
        self.repo
            .git
            .find_commit(commit.0)
            .and_then(|c| c.tree())
            .map_err(Error::git(format!("reading commit {}", commit.short())))
    }

    pub(crate) fn bytes(&self, oid: Oid) -> Result<Vec<u8>> {
        let blob = self
            .repo
            .git
            .find_blob(oid)
            .map_err(Error::git("reading a file"))?;
        Ok(blob.content().to_vec())
    }

    /// The files below `paths` by path relative to `folder`.
    pub(crate) fn stored<S: AsRef<str>>(
        &self,
        commit: CommitId,
        folder: &str,
        paths: &[S],
    ) -> Result<BTreeMap<String, Stored>> {
        let root = self.tree(commit)?;
        let mut out = BTreeMap::new();
        for path in paths {
            let inside = clean(path.as_ref());
            let full = join(&clean(folder), &inside);
            if full.is_empty() {
                self.collect(&root, "", &mut out)?;
                continue;
            }
            match root.get_path(Path::new(&full)) {
                Ok(e) if e.kind() == Some(ObjectType::Tree) => {
                    let tree = self.repo.git.find_tree(e.id());
                    let tree = tree.map_err(Error::git(format!("reading `{full}`")))?;
                    self.collect(&tree, &inside, &mut out)?;
                }
                Ok(e) => {
                    out.insert(inside, stored_of(&e));
                }
                Err(e) if e.code() == ErrorCode::NotFound => {}
                Err(e) => return Err(Error::git(format!("reading `{full}`"))(e)),
            }
        }
        Ok(out)
    }

    fn collect(
        &self,
        tree: &git2::Tree<'_>,
        at: &str,
        out: &mut BTreeMap<String, Stored>,
    ) -> Result<()> {
        let mut odd = None;
        let walked = tree.walk(TreeWalkMode::PreOrder, |dir, entry| {
            if entry.kind() == Some(ObjectType::Tree) {
                return TreeWalkResult::Ok;
            }
            let Ok(name) = entry.name() else {
                odd = Some(String::from_utf8_lossy(entry.name_bytes()).into_owned());
                return TreeWalkResult::Abort;
            };
            out.insert(join(at, &format!("{dir}{name}")), stored_of(entry));
            TreeWalkResult::Ok
        });
        match (odd, walked) {
            (Some(path), _) => Err(Error::UnsafePath { path }),
            (None, walked) => walked.map_err(Error::git("reading a tree")),
        }
    }

    fn content_of(&self, file: Stored) -> Result<Sha256> {
        if file.mode == 0o160_000 {
            return Ok(Sha256::of(file.oid.to_string()));
        }
        if let Some(sha) = self.repo.contents.borrow().get(&file.oid) {
            return Ok(*sha);
        }
        let sha = Sha256::of(self.bytes(file.oid)?);
        self.repo.contents.borrow_mut().insert(file.oid, sha);
        Ok(sha)
    }
}

/// What [`Variants::content_hash`] is of a commit, of files by path, each with its mode and the hash of
/// its content; those that are below none of the paths do not count.
pub fn content_hash_of<S: AsRef<str>>(
    files: &BTreeMap<String, (u32, Sha256)>,
    paths: &[S],
) -> Sha256 {
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    for path in paths {
        let path = clean(path.as_ref());
        let is_below = |file: &str| {
            let rest = file.strip_prefix(path.as_str());
            path.is_empty() || rest.is_some_and(|r| r.is_empty() || r.starts_with('/'))
        };
        let mut found = false;
        for (file, (mode, sha)) in files.iter().filter(|(file, _)| is_below(file)) {
            lines.insert(file.clone(), format!("{mode:o} {sha}"));
            found = true;
        }
        if !found {
            lines.insert(path, "absent".into());
        }
    }
    Sha256::of_parts(lines.into_iter().flat_map(|(path, line)| [path, line]))
}

fn stored_of(entry: &git2::TreeEntry<'_>) -> Stored {
    // Old repositories hold 0o100664; git treats it as 0o100644.
    let mode = match entry.filemode() & 0o177_777 {
        m if m & 0o170_000 == 0o100_000 && m & 0o100 != 0 => 0o100_755,
        m if m & 0o170_000 == 0o100_000 => 0o100_644,
        m => m.unsigned_abs(),
    };
    Stored {
        mode,
        oid: entry.id(),
    }
}

/// A path with `.` and doubled or trailing slashes taken out.
pub(crate) fn clean(path: &str) -> String {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|p| !p.is_empty() && *p != ".")
        .collect();
    parts.join("/")
}

/// Joins two clean paths, either of which may be empty.
pub(crate) fn join(a: &str, b: &str) -> String {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.to_owned(),
        (_, true) => a.to_owned(),
        _ => format!("{a}/{b}"),
    }
}
