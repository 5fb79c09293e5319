//! Approval: nothing of a campaign runs before a person on this machine has seen and approved it.
//!
//! The evaluator is approved by the content of `assay.toml` and of the protected files. A variant is
//! approved by everything that its commit holds: what is committed here with `assay commit` or `git
//! commit`, on top of what is approved, is approved with it; what came by `sync`, `fetch` or `clone`
//! is asked about once.

use assay_core::campaign::{Campaign, StageSpec};
use assay_core::record::Stage;
use assay_core::{Sha256, Timestamp, text};
use assay_exec::trust::{TrustKey, TrustStore};
use assay_ledger::{CommitId, CommittedHere};

use crate::error::{Error, Result};
use crate::workbench::{CAMPAIGN_FILE, Workbench, join};

/// Asks a person, or answers for one.
pub trait Prompt: Send + Sync {
    /// Whether what is shown may run. `title` says what it is about in one line.
    fn approve(&self, title: &str, shown: &str) -> bool;
}

/// Approves everything: `--trust`.
#[derive(Debug, Clone, Copy)]
pub struct Always;

impl Prompt for Always {
    fn approve(&self, _: &str, _: &str) -> bool {
        true
    }
}

/// Approves nothing: no person is there to ask.
#[derive(Debug, Clone, Copy)]
pub struct Never;

impl Prompt for Never {
    fn approve(&self, _: &str, _: &str) -> bool {
        false
    }
}

impl Workbench {
    fn trust_store(&self) -> TrustStore {
        TrustStore::new(self.options.dirs.state.join("trust"))
    }

    fn trust_scope(&self) -> Result<String> {
        Ok(format!("{}/{}", self.git()?.repo.key(), self.campaign))
    }

    fn evaluator_key(&self) -> Result<TrustKey> {
        let pin = self.evaluator()?;
        Ok(TrustKey::evaluator(
            &self.trust_scope()?,
            pin.config.to_string().as_bytes(),
            &pin.tree,
        ))
    }

    /// Whether the pinned evaluator is approved on this machine.
    ///
    /// # Errors
    /// When no evaluator is pinned.
    pub fn evaluator_is_trusted(&self) -> Result<bool> {
        Ok(self.trust_store().is_trusted(&self.evaluator_key()?))
    }

    /// Approves the pinned evaluator.
    ///
    /// # Errors
    /// When no evaluator is pinned, or the approval cannot be stored.
    pub fn approve_evaluator(&self) -> Result<()> {
        let shown = self.shown_commands()?;
        Ok(self
            .trust_store()
            .approve(&self.evaluator_key()?, &shown, Timestamp::now())?)
    }

    /// Withdraws the approval of the pinned evaluator; says whether there was one.
    ///
    /// # Errors
    /// When no evaluator is pinned, or the store cannot be written.
    pub fn revoke_evaluator(&self) -> Result<bool> {
        Ok(self.trust_store().revoke(&self.evaluator_key()?.sha256())?)
    }

    /// Approves what a commit of a variant holds.
    ///
    /// # Errors
    /// When the approval cannot be stored.
    pub fn approve_content(&self, commit: CommitId, name: &str) -> Result<()> {
        let key = self.content_key(commit)?;
        let shown = format!("files of {name} at {}", commit.short());
        Ok(self.trust_store().approve(&key, &shown, Timestamp::now())?)
    }

    /// Everything in the commit counts: a build may read files that are neither kernel nor protected.
    fn content_key(&self, commit: CommitId) -> Result<TrustKey> {
        let tree = self.variants()?.tree_id(commit)?;
        Ok(TrustKey::variant(&self.trust_scope()?, &Sha256::of(tree)))
    }

    /// The commands of the campaign as a person is asked to approve them.
    ///
    /// # Errors
    /// When no evaluator is pinned.
    pub fn shown_commands(&self) -> Result<String> {
        let (config, pin) = (self.config()?, self.evaluator()?);
        let mut out = format!(
            "campaign {} ({}), evaluator {} at commit {}\n",
            self.campaign,
            join(&pin.folder, CAMPAIGN_FILE),
            pin.tree.short(),
            pin.commit
        );
        for target in config.targets.values() {
            for stage in Stage::ALL {
                if let Some(command) = command_of(config, &target.name, stage) {
                    out.push_str(&format!(
                        "  {} {:<8} {}\n",
                        target.name,
                        stage.name(),
                        text::inert(&command)
                    ));
                }
            }
        }
        for b in &config.baselines {
            out.push_str(&format!(
                "  baseline {} build: {}\n",
                text::inert(&b.name),
                text::inert(&b.build.to_string())
            ));
            if let Some(r) = &b.requires {
                out.push_str(&format!(
                    "  baseline {} requires: {}\n",
                    text::inert(&b.name),
                    text::inert(&r.to_string())
                ));
            }
        }
        out.push_str(&format!(
            "  protected files: {}\n",
            text::inert(&config.kernel.protected.join(" "))
        ));
        Ok(out)
    }

    /// Makes sure that the evaluator is approved, asking if it is not.
    ///
    /// # Errors
    /// When it is not approved.
    pub fn require_trust(&self, prompt: &dyn Prompt) -> Result<()> {
        if self.evaluator_is_trusted()? {
            return Ok(());
        }
        let shown = self.shown_commands()?;
        if prompt.approve(
            "This campaign wants to run these commands on this machine:",
            &shown,
        ) {
            return self.approve_evaluator();
        }
        Err(Error::input(format!("campaign `{}` is not approved on this machine; nothing was run\n{shown}", self.campaign))
            .hint("look at the commands and the protected files, then `assay trust`, or `--trust` in a script"))
    }

    /// Whether what a commit holds is approved here; that of the pinned commit is with the evaluator.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn content_is_trusted(&self, commit: CommitId) -> Result<bool> {
        if self.trust_store().is_trusted(&self.content_key(commit)?) {
            return Ok(true);
        }
        let pinned = self.pinned()?;
        let variants = self.variants()?;
        Ok(variants.tree_id(commit)? == variants.tree_id(pinned)?)
    }

    /// Whether the tip of a branch is approved, or was made with `git commit` in this clone on top
    /// of what is.
    fn made_here(&self, branch: &str) -> Result<bool> {
        Ok(match self.variants()?.committed_here(branch)? {
            None => false,
            Some(CommittedHere { onto: None }) => true,
            Some(CommittedHere { onto: Some(onto) }) => self.content_is_trusted(onto)?,
        })
    }

    /// Approves where a new variant starts when that is the checked out branch, committed here.
    ///
    /// # Errors
    /// When the repository cannot be read, or the approval cannot be stored.
    pub fn trust_start(&self, name: &str, base: CommitId) -> Result<()> {
        let repo = &self.git()?.repo;
        let Some(branch) = repo.head_branch() else {
            return Ok(());
        };
        if self.evaluator.is_some() && repo.head()? == Some(base) && self.made_here(&branch)? {
            self.approve_content(base, name)?;
        }
        Ok(())
    }

    /// Approves content that was made here from these commits, if all of them are approved.
    ///
    /// # Errors
    /// When the repository cannot be read, or the approval cannot be stored.
    pub fn inherit_trust(&self, commit: CommitId, name: &str, from: &[CommitId]) -> Result<()> {
        for parent in from {
            if !self.content_is_trusted(*parent)? {
                return Ok(());
            }
        }
        self.approve_content(commit, name)
    }

    /// Makes sure that a variant's content is approved, asking if it is not.
    ///
    /// # Errors
    /// When it is not approved.
    pub fn require_content_trust(
        &self,
        name: &str,
        commit: CommitId,
        prompt: &dyn Prompt,
    ) -> Result<()> {
        if self.content_is_trusted(commit)? {
            return Ok(());
        }
        let branch = self.branch(name);
        if self.variants()?.tip(&branch)? == Some(commit) && self.made_here(&branch)? {
            return self.approve_content(commit, name);
        }
        let files = self.kernel_files(name)?;
        let listed: Vec<String> = files
            .iter()
            .map(|f| format!("  {} ({} bytes)", text::inert(&f.path), f.bytes.len()))
            .collect();
        let shown = format!(
            "variant {} on branch {}\n{}\n",
            text::inert(name),
            self.branch(name),
            listed.join("\n")
        );
        if prompt.approve(
            "This variant came from elsewhere, and its code would run on this machine:",
            &shown,
        ) {
            return self.approve_content(commit, name);
        }
        Err(Error::input(format!("variant `{name}` came from elsewhere and is not approved; nothing was run\n{shown}"))
            .hint(format!("read it with `assay diff PARENT {name}`; `assay run {name}` in a shell then asks, and `assay --trust run {name}` approves it unasked")))
    }
}

fn command_of(config: &Campaign, target: &str, stage: Stage) -> Option<String> {
    let spec: &StageSpec = config.stage(target, stage)?;
    spec.command.as_ref().map(ToString::to_string)
}
