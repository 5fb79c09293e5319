//! Opening a repository and what the rest needs to know about it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use assay_core::Sha256;
use git2::{ErrorCode, Oid, Repository, RepositoryOpenFlags};

use crate::error::{Error, Result};
use crate::program::Git;

/// The identity of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(pub(crate) Oid);

impl CommitId {
    /// The first ten digits, for people.
    pub fn short(self) -> String {
        self.0.to_string()[..10].to_owned()
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for CommitId {
    type Err = Error;
    fn from_str(s: &str) -> Result<Self> {
        let none = || Error::NoRevision { rev: s.to_owned() };
        if s.len() != 40 {
            return Err(none());
        }
        Oid::from_str(s).map(Self).map_err(|_| none())
    }
}

/// Who works here, as git has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// `user.name`, else `unknown`.
    pub name: String,
    /// `user.email`, else `assay@localhost`.
    pub email: String,
    /// Whether git knew both.
    pub known: bool,
}

/// An open repository. One handle serves one thread; [`Repo::reopen`] makes another.
///
/// Open one for each action rather than one for the life of a program: a handle keeps a list of
/// packs, which go stale when someone repacks.
pub struct Repo {
    pub(crate) git: Repository,
    common_dir: PathBuf,
    /// SHA-256 of file contents by git object id: content never changes under an id.
    pub(crate) contents: RefCell<HashMap<Oid, Sha256>>,
}

impl fmt::Debug for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Repo").field(&self.common_dir).finish()
    }
}

impl Repo {
    /// Opens the repository at or above `path`.
    ///
    /// # Errors
    /// Not a repository, owned by another user, or in a format that libgit2 cannot read; each
    /// with a hint. A bare, empty, shallow or detached repository opens.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let none: [&std::ffi::OsStr; 0] = [];
        let git = Repository::open_ext(path, RepositoryOpenFlags::CROSS_FS, none)
            .map_err(|e| refusal(path, &e))?;
        Self::from_git(git)
    }

    /// Makes a repository in `dir` with everything below it as the first commit on `main`.
    ///
    /// # Errors
    /// When `dir` is in a repository already, or on I/O errors.
    pub fn init(dir: impl AsRef<Path>, by: &User, message: &str) -> Result<Self> {
        let dir = dir.as_ref();
        if dir.join(".git").exists() {
            return Err(Error::Folder {
                path: dir.to_owned(),
                problem: "is a git repository already".into(),
            });
        }
        let fail = |e| Error::git(format!("making a repository in {}", dir.display()))(e);
        let mut options = git2::RepositoryInitOptions::new();
        options
            .initial_head("main")
            .no_reinit(true)
            .external_template(false);
        let git = Repository::init_opts(dir, &options).map_err(fail)?;
        {
            let mut index = git.index().map_err(fail)?;
            index
                .add_all(["*"], git2::IndexAddOption::DEFAULT, None)
                .and_then(|()| index.write())
                .map_err(fail)?;
            let tree = index
                .write_tree()
                .and_then(|t| git.find_tree(t))
                .map_err(fail)?;
            let who = signature(&by.name, &by.email)?;
            git.commit(Some("HEAD"), &who, &who, message, &tree, &[])
                .map_err(fail)?;
        }
        Self::from_git(git)
    }

    /// Another handle on the same repository, e.g. for another thread.
    ///
    /// # Errors
    /// As [`Repo::open`].
    pub fn reopen(&self) -> Result<Self> {
        let at = self.git.path();
        let git = Repository::open(at).map_err(|e| refusal(at, &e))?;
        Self::from_git(git)
    }

    fn from_git(git: Repository) -> Result<Self> {
        let common = git.commondir();
        let common_dir = common
            .canonicalize()
            .map_err(Error::io("reading", common))?;
        Ok(Self {
            git,
            common_dir,
            contents: RefCell::default(),
        })
    }

    /// The git folder that all work trees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Where disposable state of this tool lives: `<common dir>/assay`.
    pub fn state_dir(&self) -> PathBuf {
        self.common_dir.join("assay")
    }

    /// The user's work tree; `None` when bare.
    pub fn workdir(&self) -> Option<&Path> {
        self.git.workdir()
    }

    /// The user's work tree.
    ///
    /// # Errors
    /// [`Error::Bare`] naming `action`.
    pub fn require_workdir(&self, action: &'static str) -> Result<&Path> {
        self.workdir().ok_or_else(|| Error::Bare {
            path: self.common_dir.clone(),
            action,
        })
    }

    /// The commit that HEAD stands on; `None` before the first commit.
    ///
    /// # Errors
    /// When HEAD is damaged.
    pub fn head(&self) -> Result<Option<CommitId>> {
        match self.git.head() {
            Ok(head) => head
                .peel_to_commit()
                .map(|c| Some(CommitId(c.id())))
                .map_err(Error::git("reading HEAD")),
            Err(e) if matches!(e.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => Ok(None),
            Err(e) => Err(Error::git("reading HEAD")(e)),
        }
    }

    /// The commit that HEAD stands on.
    ///
    /// # Errors
    /// [`Error::NoCommits`] before the first commit.
    pub fn require_head(&self) -> Result<CommitId> {
        self.head()?.ok_or_else(|| Error::NoCommits {
            path: self.workdir().unwrap_or(&self.common_dir).to_owned(),
        })
    }

    /// The branch that HEAD names, e.g. `main`; `None` when detached.
    pub fn head_branch(&self) -> Option<String> {
        let head = self.git.find_reference("HEAD").ok()?;
        let target = head.symbolic_target().ok()??;
        target.strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// Whether there is no work tree.
    pub fn is_bare(&self) -> bool {
        self.git.is_bare()
    }

    /// Whether history is cut off.
    pub fn is_shallow(&self) -> bool {
        self.git.is_shallow()
    }

    /// Remarks on the state of the repository that a user should know.
    pub fn remarks(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.is_bare() {
            out.push("bare: records can be read and written, variants cannot be edited".into());
        }
        if self.is_shallow() {
            out.push(
                "shallow clone: commits before the cut are missing (git fetch --unshallow)".into(),
            );
        }
        if matches!(self.head(), Ok(None)) {
            out.push("no commit yet: a variant needs one to start from".into());
        } else if self.git.head_detached().unwrap_or(false) {
            out.push("HEAD is detached".into());
        }
        out
    }

    /// Who works here.
    pub fn user(&self) -> User {
        let config = self.git.config().and_then(|mut c| c.snapshot());
        let get = |key: &str| {
            let value = config.as_ref().ok()?.get_string(key).ok()?;
            let value = value.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let (name, email) = (get("user.name"), get("user.email"));
        User {
            known: name.is_some() && email.is_some(),
            name: name.unwrap_or_else(|| "unknown".into()),
            email: email.unwrap_or_else(|| "assay@localhost".into()),
        }
    }

    /// Path of `dir` inside the work tree with `/` between parts; empty for its root.
    ///
    /// # Errors
    /// When bare, or when `dir` is outside.
    pub fn folder_of(&self, dir: impl AsRef<Path>) -> Result<String> {
        let dir = dir.as_ref();
        let root = self.require_workdir("finding the campaign")?;
        let root = root.canonicalize().map_err(Error::io("reading", root))?;
        let full = dir.canonicalize().map_err(Error::io("reading", dir))?;
        let inside = full.strip_prefix(&root).map_err(|_| Error::Folder {
            path: full.clone(),
            problem: format!("is not inside the repository at {}", root.display()),
        })?;
        let parts: Option<Vec<&str>> = inside.iter().map(|p| p.to_str()).collect();
        parts.map(|p| p.join("/")).ok_or_else(|| Error::Folder {
            path: full.clone(),
            problem: "its path is not UTF-8".into(),
        })
    }

    /// A short name of the repository for caches: a hash of its common git folder.
    pub fn key(&self) -> String {
        Sha256::of(self.common_dir.as_os_str().as_encoded_bytes()).short()
    }

    /// The full text of the commit's message, or an empty text.
    pub fn message(&self, commit: CommitId) -> String {
        self.git
            .find_commit(commit.0)
            .ok()
            .and_then(|c| c.message().ok().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Where each branch is checked out, with the main work tree under its own branch.
    pub(crate) fn checked_out(&self) -> HashMap<String, PathBuf> {
        let mut out = HashMap::new();
        let branch = |head: &Path| {
            let text = std::fs::read_to_string(head).ok()?;
            Some(text.trim().strip_prefix("ref: refs/heads/")?.to_owned())
        };
        if let Some(root) = self.main_worktree()
            && let Some(name) = branch(&self.common_dir.join("HEAD"))
        {
            out.insert(name, root);
        }
        let Ok(entries) = std::fs::read_dir(self.common_dir.join("worktrees")) else {
            return out;
        };
        for entry in entries.flatten() {
            let Some(name) = branch(&entry.path().join("HEAD")) else {
                continue;
            };
            let Ok(gitdir) = std::fs::read_to_string(entry.path().join("gitdir")) else {
                continue;
            };
            // The path may be relative to the administrative folder.
            let file = entry.path().join(gitdir.trim());
            if file.exists()
                && let Some(dir) = file.parent()
            {
                let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
                out.insert(name, dir);
            }
        }
        out
    }

    /// The work tree that was there first, which is the user's own; `None` when bare.
    pub(crate) fn main_worktree(&self) -> Option<PathBuf> {
        if !self.git.is_worktree() {
            let dir = self.workdir()?;
            return Some(dir.canonicalize().unwrap_or_else(|_| dir.to_owned()));
        }
        let bare = self.git.config().and_then(|c| c.get_bool("core.bare"));
        if bare.unwrap_or(false) {
            return None;
        }
        self.common_dir.parent().map(Path::to_owned)
    }

    /// A git command on this repository, from where relative addresses of remotes are right.
    pub(crate) fn program(&self) -> Git {
        match self.workdir() {
            Some(dir) => Git::in_worktree(dir),
            None => Git::on_git_dir(&self.common_dir),
        }
    }
}

/// A signature with what git forbids in names taken out.
pub(crate) fn signature(name: &str, email: &str) -> Result<git2::Signature<'static>> {
    let clean = |s: &str| -> String {
        let kept: String = s
            .chars()
            .filter(|c| !c.is_control() && !matches!(c, '<' | '>'))
            .collect();
        // git strips these at both ends, which may leave nothing.
        kept.trim_matches(|c: char| c.is_whitespace() || ".,:;\"'\\".contains(c))
            .to_owned()
    };
    let or = |s: String, fallback: &str| if s.is_empty() { fallback.to_owned() } else { s };
    git2::Signature::now(
        &or(clean(name), "unknown"),
        &or(clean(email), "assay@localhost"),
    )
    .map_err(Error::git("making a signature"))
}

fn refusal(path: &Path, e: &git2::Error) -> Error {
    let message = e.message();
    if e.code() == ErrorCode::Owner {
        return Error::Ownership {
            path: quoted(message).map_or_else(|| path.to_owned(), PathBuf::from),
        };
    }
    if let Some(at) = message.find("unsupported extension") {
        let extension = message[at..].split_whitespace().last().unwrap_or("unknown");
        return Error::UnsupportedFormat {
            path: path.to_owned(),
            extension: extension.trim_matches('\'').to_owned(),
        };
    }
    if message.contains("object format") {
        return Error::UnsupportedFormat {
            path: path.to_owned(),
            extension: "extensions.objectformat".into(),
        };
    }
    if e.code() == ErrorCode::NotFound {
        return Error::NotARepository {
            path: path.to_owned(),
        };
    }
    Error::Git {
        action: format!("opening the repository at {}", path.display()),
        message: message.to_owned(),
    }
}

/// The text between the first pair of single quotes.
fn quoted(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once('\'')?;
    let (inside, _) = rest.rsplit_once('\'')?;
    Some(inside.trim_end_matches('/'))
}
