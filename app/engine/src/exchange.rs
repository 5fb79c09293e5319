//! Ledgers to and from elsewhere, and clearing away.

use std::fs;
use std::path::Path;
use std::time::Duration;

use assay_core::record::Body;
use assay_core::{Timestamp, fold};
use assay_ledger::{
    BranchSync, ExportReport, GcPlan, GcReport, ImportReport, Ledger, Repo, SyncOptions, SyncReport,
};

use crate::error::{AtPath, Error, Result};
use crate::workbench::{CAMPAIGN_FILE, Workbench, pinned};

impl Workbench {
    /// Writes the ledger as a plain folder, with the campaign files that its evidence was taken by.
    ///
    /// # Errors
    /// When the folder holds something else, or cannot be written.
    pub fn export(&self, folder: &Path) -> Result<ExportReport> {
        let done = self.ledger.export(folder)?;
        let in_force = self.evaluator.as_ref().map(|e| e.config);
        for pin in self.state()?.evaluators() {
            // What is not to be had here is said by `verify` where it is missed.
            let Ok(text) = self.pinned_file(pin) else {
                continue;
            };
            let path = match Some(pin.config) == in_force {
                true => folder.join(CAMPAIGN_FILE),
                false => folder.join(pinned::earlier(pin.config)),
            };
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).at(parent)?;
            fs::write(&path, text).at(&path)?;
        }
        Ok(done)
    }

    /// Takes the records of another ledger: a plain folder, or the ledger branch of a repository.
    ///
    /// # Errors
    /// When it is neither.
    pub fn import(&self, path: &Path) -> Result<ImportReport> {
        let other = if path.join("format.json").is_file() {
            Ledger::folder(path)?
        } else {
            let repo = Repo::open(path).map_err(|e| match e {
                assay_ledger::Error::NotARepository { .. } => Error::input(format!(
                    "{}: neither a ledger nor a repository",
                    path.display()
                ))
                .hint("of a folder with benchmark logs name the files; of a report of a profiler say --variant NAME"),
                e => e.into(),
            })?;
            Ledger::git(&repo)?
        };
        if other.head()?.is_none() {
            return Err(Error::input(format!("{} holds no ledger", path.display()))
                .hint("name a folder that `assay export` wrote, or a repository with a branch assay/ledger"));
        }
        let report = self.ledger.import(&other)?;
        self.tidy();
        Ok(report)
    }

    /// Names of the campaigns in the ledger.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn campaigns(&self) -> Result<Vec<String>> {
        self.index.campaigns(&self.ledger, &self.options.dirs)
    }

    /// Exchanges records and variants with a git remote.
    ///
    /// # Errors
    /// When git cannot reach the remote; nothing is lost then.
    pub fn sync(&self, remote: &str, with_blobs: bool) -> Result<SyncReport> {
        let options = SyncOptions {
            with_blobs,
            timeout: Duration::from_secs(300),
            ..SyncOptions::default()
        };
        Ok(self.ledger.sync(remote, &options)?)
    }

    /// Removes records that were corrected by others, leaving tombstones.
    ///
    /// # Errors
    /// Without a reason for the real run, or when the ledger cannot be written.
    pub fn gc(&self, dry_run: bool, reason: Option<&str>) -> Result<GcReport> {
        let reason = reason.map(str::trim).filter(|r| !r.is_empty());
        if !dry_run && reason.is_none() {
            return Err(Error::input("clearing away needs a reason")
                .hint("look first with --dry-run, then --reason TEXT"));
        }
        let state = self.state()?;
        let remove = state
            .log()
            // A decision stays even when it was corrected: without it an older one would be a head again.
            .filter(|r| {
                state.is_corrected(r.id)
                    && !state.is_removed(r.id)
                    && !matches!(r.body, Body::Decision(_))
            })
            .map(|r| {
                let what = format!("{} was corrected by a later record", fold::summary(&r.body));
                (
                    r.id,
                    reason.map_or(what.clone(), |why| format!("{why} ({what})")),
                )
            })
            .collect();
        Ok(self.ledger.gc(&GcPlan {
            remove,
            by: self.author(),
            at: Timestamp::now(),
            dry_run,
        })?)
    }
}

/// What an exchange did with a branch, in words.
pub fn branch_text(what: &BranchSync) -> String {
    match what {
        BranchSync::Created => "new here; its code is not approved yet".into(),
        BranchSync::Updated => "moved forward here; its code is not approved yet".into(),
        BranchSync::Sent => "sent".into(),
        BranchSync::Diverged { local, remote } => {
            format!(
                "both sides moved ({} here, {} there); nothing was changed",
                local.short(),
                remote.short()
            )
        }
        BranchSync::CheckedOut { at } => format!("checked out in {}; not moved", at.display()),
        BranchSync::Refused(why) => format!("refused: {why}"),
    }
}
