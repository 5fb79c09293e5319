//! Exchanging records and variants with a remote, through the git program.

mod blobs;
mod branches;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use assay_core::Sha256;
use git2::{ErrorCode, Oid};

use super::git_store::GitStore;
use super::{LEDGER_REF, Ledger, Problem};
use crate::error::{Error, Result};
use crate::program::{Git, failed};
use crate::repo::CommitId;

/// How often a push is repeated after the remote moved.
const ROUNDS: usize = 8;

/// How to exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncOptions {
    /// Also exchange blobs over [`super::LARGE_BLOB`].
    pub with_blobs: bool,
    /// Only fetch and merge.
    pub fetch_only: bool,
    /// Limit for each network operation.
    pub timeout: Duration,
}

impl Default for SyncOptions {
    fn default() -> Self {
        Self {
            with_blobs: false,
            fetch_only: false,
            timeout: Duration::from_secs(300),
        }
    }
}

/// What happened to one variant branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchSync {
    /// It was new here.
    Created,
    /// It was moved forward here.
    Updated,
    /// It was sent to the remote.
    Sent,
    /// Both sides moved; nothing was changed.
    Diverged {
        /// The tip here.
        local: CommitId,
        /// The tip there.
        remote: CommitId,
    },
    /// It is checked out here, so it was not moved.
    CheckedOut {
        /// The work tree.
        at: PathBuf,
    },
    /// It could not be made here, or the remote refused it; the reason.
    Refused(String),
}

/// What an exchange did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyncReport {
    /// Records that came.
    pub received: usize,
    /// Records that went.
    pub sent: usize,
    /// Records removed here because they were removed on purpose there.
    pub removed: usize,
    /// Records left out because they were removed on purpose.
    pub tombstoned: usize,
    /// What was left out because it is damaged.
    pub refused: Vec<Problem>,
    /// Variant branches that were changed or could not be.
    pub branches: BTreeMap<String, BranchSync>,
    /// Large blobs that came.
    pub blobs_received: usize,
    /// Large blobs that went.
    pub blobs_sent: usize,
    /// The state afterwards.
    pub head: Option<String>,
}

impl Ledger {
    /// Fetches from `remote`, merges as a set union, and pushes; also variant branches, and
    /// large blobs on request.
    ///
    /// It never asks for a password and never forces a branch of the remote.
    ///
    /// # Errors
    /// When git fails or takes too long, or the remote keeps moving or refuses. What was merged
    /// before stays.
    pub fn sync(&self, remote: &str, options: &SyncOptions) -> Result<SyncReport> {
        let store = self.require_git("sync")?;
        let exchange = Exchange {
            ledger: self,
            store,
            remote,
            options,
            prefix: format!("refs/assay/remote/{}/", place(store, remote)),
        };
        exchange.run()
    }
}

/// One exchange with one remote.
struct Exchange<'a> {
    ledger: &'a Ledger,
    store: &'a GitStore,
    remote: &'a str,
    options: &'a SyncOptions,
    /// Where the remote's branches are kept here, apart from the user's tracking branches.
    prefix: String,
}

impl Exchange<'_> {
    fn run(&self) -> Result<SyncReport> {
        let mut report = SyncReport::default();
        let mut last = String::new();
        for _ in 0..ROUNDS {
            self.fetch()?;
            let theirs = self.tip(&format!("{}heads/ledger", self.prefix))?;
            if let Some(theirs) = theirs {
                let merged = self.store.again(|s| s.merge(theirs))?;
                report.received += merged.received;
                report.removed += merged.removed;
                report.tombstoned += merged.tombstoned;
                report.refused.extend(merged.refused);
            }
            let mut push = self.exchange_branches(&mut report)?;
            if self.options.with_blobs {
                report.blobs_received += self.receive_blobs()?;
            }
            report.head = self.ledger.head()?;
            if self.options.fetch_only {
                return Ok(report);
            }
            let mine = self.store.head()?;
            let unsent = self.unsent(theirs, mine)?;
            if mine.is_some() && mine != theirs {
                push.push(LEDGER_REF.to_owned());
            }
            let blobs = if self.options.with_blobs {
                self.collect_blobs()?
            } else {
                0
            };
            if blobs > 0 {
                push.push(blobs::BLOBS_REF.to_owned());
            }
            if push.is_empty() {
                return Ok(report);
            }
            let rejected = self.push(&push)?;
            if !rejected.contains_key(LEDGER_REF) && !rejected.contains_key(blobs::BLOBS_REF) {
                report.sent += unsent;
                report.blobs_sent += blobs;
                for (name, why) in rejected {
                    let name = name.trim_start_matches("refs/heads/").to_owned();
                    report.branches.insert(name, BranchSync::Refused(why));
                }
                return Ok(report);
            }
            last = rejected.into_values().collect::<Vec<_>>().join("; ");
        }
        Err(Error::Program {
            command: format!("git push {}", self.remote),
            status: format!("refused {ROUNDS} times"),
            stderr: last,
        })
    }

    fn git(&self) -> Git {
        let mut git = self
            .store
            .repo
            .program()
            .limit(self.options.timeout)
            .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
            // What is fetched stays in a pack, which git syncs to disk.
            .args([
                "-c",
                "fetch.unpackLimit=1",
                "-c",
                "core.hooksPath=/dev/null",
            ]);
        if self.plain_ssh() {
            git = git.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes");
        }
        git
    }

    /// Whether the user has not said how to run ssh, so that it may be told not to ask.
    fn plain_ssh(&self) -> bool {
        let set = |name| std::env::var_os(name).is_some();
        let config = self.store.repo.git.config();
        let config = config.and_then(|c| c.get_string("core.sshCommand"));
        !set("GIT_SSH_COMMAND") && !set("GIT_SSH") && config.is_err()
    }

    fn fetch(&self) -> Result<()> {
        let mut git = self
            .git()
            .args([
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--prune",
            ])
            .args(["--no-recurse-submodules", "--refmap="])
            .args(["--", self.remote])
            .arg(format!("+refs/heads/assay/*:{}heads/*", self.prefix));
        if self.options.with_blobs {
            git = git.arg(format!("+refs/assay/blobs/*:{}blobs/*", self.prefix));
        }
        git.run().map(drop)?;
        self.store
            .repo
            .git
            .odb()
            .and_then(|o| o.refresh())
            .map_err(Error::git("reading what was fetched"))
    }

    /// Pushes without force and returns what was rejected, with the reason.
    fn push(&self, refs: &[String]) -> Result<BTreeMap<String, String>> {
        let git = self
            .git()
            .args(["-c", "push.gpgSign=false"])
            .args(["push", "--porcelain", "--no-follow-tags"])
            .args(["--recurse-submodules=no", "--", self.remote])
            .args(refs.iter().map(|r| format!("{r}:{r}")));
        let command = git.shown();
        let out = git.output()?;
        let text = String::from_utf8_lossy(&out.stdout);
        let rejected: BTreeMap<String, String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("!\t"))
            .filter_map(|line| {
                let (refs, why) = line.split_once('\t')?;
                Some((refs.split(':').next()?.to_owned(), why.to_owned()))
            })
            .collect();
        if !out.status.success() && rejected.is_empty() {
            return Err(failed(command, &out));
        }
        Ok(rejected)
    }

    fn tip(&self, name: &str) -> Result<Option<Oid>> {
        match self.store.repo.git.refname_to_id(name) {
            Ok(oid) => Ok(Some(oid)),
            Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
            Err(e) => Err(Error::git(format!("reading `{name}`"))(e)),
        }
    }

    /// How many records the remote does not have.
    fn unsent(&self, theirs: Option<Oid>, mine: Option<Oid>) -> Result<usize> {
        let tree = |c: Option<Oid>| c.map(|c| self.store.tree_of(c)).transpose();
        let (theirs, mine) = (tree(theirs)?, tree(mine)?);
        let git = &self.store.repo.git;
        let differences = super::tree::diff(git, theirs.as_ref(), mine.as_ref(), "records")?;
        Ok(differences.iter().filter(|d| d.new.is_some()).count())
    }
}

/// The part of a ref name that stands for the remote: its name, or a hash of its address.
fn place(store: &GitStore, remote: &str) -> String {
    let named = store.repo.git.find_remote(remote).is_ok();
    if named && git2::Reference::is_valid_name(&format!("refs/assay/remote/{remote}/x")) {
        remote.to_owned()
    } else {
        Sha256::of(remote).short()
    }
}
