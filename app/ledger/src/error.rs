//! The errors of this crate, each with a hint where there is something to try.

use std::io;
use std::path::{Path, PathBuf};

use assay_core::{RecordId, Sha256};

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong with the repository, the ledger or a work tree.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No git repository at or above the path.
    #[error("{} is not inside a git repository", path.display())]
    NotARepository {
        /// Where the search began.
        path: PathBuf,
    },
    /// The operation needs a work tree and the repository is bare.
    #[error("{} is a bare repository: {action} needs a work tree", path.display())]
    Bare {
        /// The repository.
        path: PathBuf,
        /// What was to be done.
        action: &'static str,
    },
    /// The repository has no commit yet.
    #[error("{} has no commit yet", path.display())]
    NoCommits {
        /// The repository.
        path: PathBuf,
    },
    /// The repository uses a format that libgit2 cannot read.
    #[error("{} uses the git extension `{extension}`, which is not supported", path.display())]
    UnsupportedFormat {
        /// The repository.
        path: PathBuf,
        /// The extension as git names it.
        extension: String,
    },
    /// The repository belongs to another user.
    #[error("{} belongs to another user, so git refuses to read it", path.display())]
    Ownership {
        /// The repository.
        path: PathBuf,
    },
    /// libgit2 failed.
    #[error("{action}: {message}")]
    Git {
        /// What was being done.
        action: String,
        /// What libgit2 said.
        message: String,
    },
    /// The git program failed.
    #[error("`{command}` failed ({status}): {stderr}")]
    Program {
        /// The command as run, without credentials.
        command: String,
        /// How it ended.
        status: String,
        /// The end of its error output.
        stderr: String,
    },
    /// The git program is not installed.
    #[error("the program `git` was not found")]
    NoProgram,
    /// The git program took too long.
    #[error("`{command}` did not end within {seconds} s and was stopped")]
    Timeout {
        /// The command as run.
        command: String,
        /// The limit in seconds.
        seconds: u64,
    },
    /// The file system failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// No space is left, or a quota or size limit was reached.
    #[error("no space left while {action} {}; nothing was recorded", path.display())]
    DiskFull {
        /// What was being done.
        action: String,
        /// The file or folder.
        path: PathBuf,
    },
    /// Another process holds a lock.
    #[error("{} is locked by {owner} (waited {waited_ms} ms)", path.display())]
    LockHeld {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, as written inside.
        owner: String,
        /// How long was waited.
        waited_ms: u64,
    },
    /// A git lock file stands in the way of a branch update.
    #[error("{} stands in the way of updating the branch", lock.display())]
    RefLocked {
        /// The lock file of git.
        lock: PathBuf,
    },
    /// A branch moved while it was being changed.
    #[error("`{name}` was changed by another process; nothing was written")]
    RefMoved {
        /// The branch.
        name: String,
    },
    /// A record cannot be written or read.
    #[error("record {path}: {problem}")]
    Record {
        /// Its path in the ledger.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// A record refers to a blob that is neither handed over nor stored.
    #[error("record {record} refers to blob `{name}` ({sha256}), which is not there")]
    BlobAbsent {
        /// The record.
        record: RecordId,
        /// Name of the blob.
        name: String,
        /// Its hash.
        sha256: Sha256,
    },
    /// A stored blob is not what its name says.
    #[error("blob {sha256} is damaged: its content hashes to {found}")]
    BlobCorrupt {
        /// The hash it is stored under.
        sha256: Sha256,
        /// The hash of what is stored.
        found: Sha256,
    },
    /// The ledger was written by a newer version.
    #[error("the ledger has schema `{schema}`, which this version does not know")]
    LedgerSchema {
        /// The schema as found.
        schema: String,
    },
    /// A branch of that name exists.
    #[error("branch `{name}` exists already")]
    BranchExists {
        /// The branch.
        name: String,
    },
    /// No such branch.
    #[error("there is no branch `{name}`")]
    NoBranch {
        /// The branch.
        name: String,
    },
    /// The name cannot be a branch.
    #[error("`{name}` cannot be a variant: {problem}")]
    BranchName {
        /// The name.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// Another branch makes the name impossible.
    #[error("branch `{name}` cannot be made beside the existing branch `{by}`")]
    BranchBlocked {
        /// The branch wanted.
        name: String,
        /// The branch in the way.
        by: String,
    },
    /// The branch is checked out somewhere.
    #[error("branch `{branch}` is checked out at {}", at.display())]
    CheckedOut {
        /// The branch.
        branch: String,
        /// The work tree.
        at: PathBuf,
    },
    /// A revision names nothing.
    #[error("revision `{rev}` was not found")]
    NoRevision {
        /// The revision.
        rev: String,
    },
    /// A path does not exist in a commit.
    #[error("`{path}` does not exist in commit {commit}")]
    NoPath {
        /// The path.
        path: String,
        /// The commit.
        commit: String,
    },
    /// Two changes do not go together; nothing was written.
    #[error("{action} conflicts in {}", files.join(", "))]
    Conflict {
        /// What was being done.
        action: String,
        /// The files.
        files: Vec<String>,
    },
    /// A tree holds a name that must not be written to disk.
    #[error("`{path}` is not a safe file name, so the commit is not checked out")]
    UnsafePath {
        /// The name.
        path: String,
    },
    /// A folder is not usable for the purpose.
    #[error("{}: {problem}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl Error {
    /// What the reader can do about it, where there is something.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotARepository { .. } => {
                "run `git init` and make a first commit, or give the path of a repository with -C"
                    .into()
            }
            Self::Bare { .. } => "use a clone that has a work tree".into(),
            Self::NoCommits { .. } => {
                "commit the kernel and its harness first: a variant starts from a commit".into()
            }
            Self::UnsupportedFormat { extension, .. } => unsupported_hint(extension),
            Self::Ownership { path } => format!(
                "if you trust it: git config --global --add safe.directory {}",
                shell_quote(path)
            ),
            Self::NoProgram => "install git 2.33 or newer, or put it on PATH".into(),
            Self::Timeout { .. } => {
                "check the network and that git can log in without asking (ssh agent, credential helper)".into()
            }
            Self::DiskFull { .. } => "free some space there and repeat; of the repository and the cache, `assay gc` shows what can go".into(),
            Self::LockHeld { .. } => "wait for it to end; a lock of a dead process is released by itself".into(),
            Self::RefLocked { lock } => format!(
                "if no git command is running, remove it: rm {}",
                shell_quote(lock)
            ),
            Self::RefMoved { .. } => "look at what changed and repeat".into(),
            Self::LedgerSchema { .. } => "update assay".into(),
            Self::BranchExists { .. } => "choose another name".into(),
            Self::BranchBlocked { by, .. } => format!(
                "choose another name, or rename that branch: git branch -m {by} NEW"
            ),
            Self::CheckedOut { .. } => "work there, or switch that work tree to another branch".into(),
            Self::Conflict { .. } => "nothing was changed; edit the variant by hand".into(),
            Self::Program { stderr, .. } => return program_hint(stderr).map(str::to_owned),
            Self::BlobCorrupt { .. } => "fetch it again: assay sync --blobs".into(),
            _ => return None,
        })
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            if no_space(&source) {
                Self::DiskFull {
                    action: action.to_owned(),
                    path,
                }
            } else {
                Self::Io {
                    action,
                    path,
                    source,
                }
            }
        }
    }

    pub(crate) fn git(action: impl Into<String>) -> impl FnOnce(git2::Error) -> Self {
        let action = action.into();
        move |e| Self::Git {
            action,
            message: e.message().to_owned(),
        }
    }
}

/// Whether the cause is that nothing more can be stored.
pub(crate) fn no_space(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

fn program_hint(stderr: &str) -> Option<&'static str> {
    let says = |parts: &[&str]| parts.iter().any(|p| stderr.contains(p));
    if says(&[
        "could not read Username",
        "Permission denied",
        "Authentication failed",
    ]) {
        Some(
            "log in first: load the ssh key into an agent, or set up a credential helper; nothing is asked here",
        )
    } else if says(&[
        "does not appear to be a git repository",
        "not found",
        "Could not resolve",
    ]) {
        Some("`git remote -v` lists the remotes and their addresses")
    } else if says(&["Host key verification failed"]) {
        Some("connect once with ssh to accept the key of the host")
    } else {
        None
    }
}

fn unsupported_hint(extension: &str) -> String {
    let how = if extension.contains("objectformat") {
        "git clone it into a repository made with `git init --object-format=sha1`"
    } else if extension.contains("refstorage") {
        "convert it: git refs migrate --ref-format=files"
    } else if extension.contains("partialclone") {
        "use a full clone (git clone without --filter)"
    } else {
        "use a clone without that extension"
    };
    how.to_owned()
}

fn shell_quote(path: &Path) -> String {
    let s = path.display().to_string();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+@%,".contains(&b);
    if s.bytes().all(plain) {
        s
    } else {
        format!("'{}'", s.replace('\'', r"'\''"))
    }
}
