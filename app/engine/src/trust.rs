//! Approval: nothing of a campaign runs before a person on this machine has seen and approved it.
//!
//! The evaluator is approved by the content of `assay.toml` and of the protected files. A variant is
//! approved by the content of its kernel files: content committed here with `assay commit` is, and
//! so is content that a commit made in this clone put there; what came by `sync`, `fetch` or `clone`
//! is asked about once.

use assay_core::campaign::{Campaign, StageSpec};
use assay_core::record::Stage;
use assay_core::{Sha256, Timestamp, text};
use assay_exec::trust::{TrustKey, TrustStore};

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

    /// Approves the kernel content of a variant.
    ///
    /// # Errors
    /// When the approval cannot be stored.
    pub fn approve_content(&self, kernel: Sha256, name: &str) -> Result<()> {
        let key = TrustKey::variant(&self.trust_scope()?, &kernel);
        Ok(self.trust_store().approve(
            &key,
            &format!("kernel files of {name}"),
            Timestamp::now(),
        )?)
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

    /// Whether kernel content is approved here; that of the pinned commit is with the evaluator.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn content_is_trusted(&self, kernel: Sha256) -> Result<bool> {
        let key = TrustKey::variant(&self.trust_scope()?, &kernel);
        if self.trust_store().is_trusted(&key) {
            return Ok(true);
        }
        Ok(kernel == self.kernel_hash(self.commit(&self.evaluator()?.commit)?)?)
    }

    /// Approves content that was made here from these contents, if all of them are approved.
    ///
    /// # Errors
    /// When the repository cannot be read, or the approval cannot be stored.
    pub fn inherit_trust(&self, kernel: Sha256, name: &str, from: &[Option<Sha256>]) -> Result<()> {
        for parent in from {
            match parent {
                Some(parent) if self.content_is_trusted(*parent)? => {}
                _ => return Ok(()),
            }
        }
        self.approve_content(kernel, name)
    }

    /// Makes sure that a variant's content is approved, asking if it is not.
    ///
    /// # Errors
    /// When it is not approved.
    pub fn require_content_trust(
        &self,
        name: &str,
        kernel: Sha256,
        prompt: &dyn Prompt,
    ) -> Result<()> {
        if self.content_is_trusted(kernel)? {
            return Ok(());
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
            return self.approve_content(kernel, name);
        }
        Err(Error::input(format!("variant `{name}` came from elsewhere and is not approved; nothing was run\n{shown}"))
            .hint(format!("read it with `assay diff PARENT {name}`, then run it again and approve, or `--trust` in a script")))
    }
}

fn command_of(config: &Campaign, target: &str, stage: Stage) -> Option<String> {
    let spec: &StageSpec = config.stage(target, stage)?;
    spec.command.as_ref().map(ToString::to_string)
}
