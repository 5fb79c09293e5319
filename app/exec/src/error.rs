//! What can go wrong here that is not the outcome of a program.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why this crate could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// A file or folder could not be used.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    File {
        /// What was being done, e.g. `write the log`.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused something that has no path, e.g. a pipe.
    #[error("cannot {doing}: {source}; a low limit on open files (`ulimit -n`) is the usual cause")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Another process measures on the device.
    #[error(
        "device `{device}` is in use by {holder} and was not free after {:.1} s; wait for it, and leave out `--no-wait` if that was given",
        waited.as_secs_f64()
    )]
    DeviceBusy {
        /// The device.
        device: String,
        /// Who holds it.
        holder: String,
        /// How long was waited.
        waited: Duration,
    },
    /// The lock file is not a plain file that everybody may lock.
    #[error("the device lock `{}` cannot be trusted: {why}; look at it and remove it", path.display())]
    UnsafeLock {
        /// The lock file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// No job has this id.
    #[error("no job `{id}`; `assay jobs` lists them")]
    NoJob {
        /// The id.
        id: String,
    },
    /// Another process has taken up the job.
    #[error("`{title}` was taken up by another process; `assay jobs` shows how it stands")]
    JobTaken {
        /// What the job does.
        title: String,
    },
    /// A job could not be asked to stop.
    #[error("`{title}` cannot be cancelled from here: {why}")]
    NotCancelled {
        /// What the job does.
        title: String,
        /// Why not.
        why: String,
    },
    /// Someone stopped it.
    #[error("cancelled")]
    Cancelled,
    /// A pattern of `[bench.parse]` cannot be used.
    #[error("bench.parse.pattern: {0}")]
    Pattern(String),
    /// A stored approval cannot be read.
    #[error("the approval `{}` cannot be read: {problem}; remove the file and approve again", path.display())]
    Approval {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl ExecError {
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File {
            doing,
            path,
            source,
        }
    }

    pub(crate) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }
}
