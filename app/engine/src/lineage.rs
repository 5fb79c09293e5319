//! Which variant is meant, what it was made from, and which commit stands for it.

use std::collections::BTreeSet;

use assay_core::Record;
use assay_core::campaign::Baseline;
use assay_core::fold::{Champion, State, resolve_among};
use assay_core::record::{Body, Variant};
use assay_ledger::CommitId;

use crate::error::{Error, Result};
use crate::index;
use crate::workbench::{Workbench, join, under};

impl Workbench {
    /// The full name of a variant, from its name or the unique beginning of it.
    ///
    /// # Errors
    /// When it is unknown or ambiguous.
    pub fn resolve(&self, text: &str) -> Result<String> {
        let (variants, baselines) = index::names(self)?;
        match resolve_among(text, variants.iter().map(String::as_str)) {
            Ok(name) => Ok(name.to_owned()),
            Err(_) if self.is_baseline(text, &baselines) => {
                let mut ways = Vec::new();
                if baselines.iter().any(|b| b == text) {
                    ways.push(format!("`assay show {text}` tells what is known of it"));
                    ways.push(format!(
                        "`assay compare {text} NAME` shows it beside a variant"
                    ));
                }
                if self.can_run() {
                    ways.push(format!(
                        "`assay run NAME --against {text}` measures against it"
                    ));
                }
                let error = Error::input(format!(
                    "`{text}` is a baseline: variants are measured against it, and it has no branch"
                ));
                Err(error.hint_of(&ways))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Whether anything can be run here: a ledger in a plain folder can only be read, and so can one whose
    /// evaluator is not in this clone.
    pub fn can_run(&self) -> bool {
        let has = |commit: &str| self.commit(commit).is_ok();
        let pin = self.evaluator.as_ref();
        self.git.is_some() && pin.is_none_or(|pin| has(&pin.commit))
    }

    /// Where a blob that is missing may be had.
    pub(crate) fn blobs_hint(&self) -> Option<String> {
        let way = "`assay sync --blobs` fetches large blobs";
        self.git.is_some().then(|| way.to_owned())
    }

    /// The baseline of that name in the campaign file.
    pub fn declared_baseline(&self, name: &str) -> Option<&Baseline> {
        let mut declared = self.config.iter().flat_map(|c| &c.baselines);
        declared.find(|b| b.name == name)
    }

    fn is_baseline(&self, name: &str, recorded: &[String]) -> bool {
        let mut declared = self.config.iter().flat_map(|c| &c.baselines);
        recorded.iter().any(|b| b == name) || declared.any(|b| b.name == name)
    }

    /// Like [`Workbench::resolve`], but baselines count too.
    ///
    /// # Errors
    /// When it is unknown or ambiguous.
    pub fn resolve_subject(&self, text: &str) -> Result<String> {
        let (variants, baselines) = index::names(self)?;
        let names = variants.iter().chain(&baselines).map(String::as_str);
        match resolve_among(text, names) {
            Ok(name) => Ok(name.to_owned()),
            Err(_) if self.is_baseline(text, &baselines) => {
                let error = Error::input(format!(
                    "nothing was measured against the baseline `{text}` yet"
                ));
                let way = format!("assay run NAME --against {text}");
                Err(error.hint_of(self.can_run().then_some(&way)))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Protected files that a variant changed, itself or through what it was made from.
    ///
    /// # Errors
    /// When the repository or the ledger cannot be read.
    pub fn touched(&self, name: &str, commit: CommitId) -> Result<Vec<String>> {
        let (pin, protected) = (self.evaluator()?, &self.config()?.kernel.protected);
        let variants = self.variants()?;
        if variants.content_hash(commit, &pin.folder, protected)? == pin.tree {
            return Ok(Vec::new());
        }
        let Some(root) = self.root_base(name)? else {
            return Ok(Vec::new());
        };
        let pinned = self.pinned()?;
        let mut touched = Vec::new();
        for path in variants.changed_paths(self.commit(&root)?, commit, &pin.folder)? {
            let full = join(&pin.folder, &path);
            let taken_over = || -> Result<bool> {
                Ok(variants.read_file(commit, &full)? == variants.read_file(pinned, &full)?)
            };
            if under(&path, protected) && !taken_over()? {
                touched.push(path);
            }
        }
        Ok(touched)
    }

    /// A variant and all that it was made from.
    pub(crate) fn line(&self, name: &str) -> Result<BTreeSet<String>> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![name.to_owned()]);
        while let Some(at) = open.pop() {
            if seen.insert(at.clone()) {
                let state = self.state_of(&[&at])?;
                let parents = declaration(&state, &at).map(|v| v.parents.clone());
                open.extend(parents.unwrap_or_default());
            }
        }
        Ok(seen)
    }

    /// The commit that the line of first parents of a variant began with.
    fn root_base(&self, name: &str) -> Result<Option<String>> {
        let mut seen = BTreeSet::new();
        let (mut at, mut base) = (name.to_owned(), None);
        while seen.insert(at.clone()) {
            let state = self.state_of(&[&at])?;
            let Some(v) = declaration(&state, &at) else {
                break;
            };
            base = Some(v.base.clone());
            let Some(parent) = v.parents.first() else {
                break;
            };
            at.clone_from(parent);
        }
        Ok(base)
    }

    /// The commit that stands for a variant: what was accepted of the champion, else the tip of the branch.
    ///
    /// A champion whose branch has moved on since is still what was measured and accepted.
    ///
    /// # Errors
    /// When the branch is gone.
    pub fn standing_commit(&self, state: &State, name: &str) -> Result<CommitId> {
        if let Champion::Holder(head) = state.champion()
            && head.variant == name
            && let Some(commit) = &head.commit
            && let Ok(commit) = self.commit(commit)
        {
            return Ok(commit);
        }
        self.tip(name)
    }

    /// The commit at the tip of a variant's branch.
    ///
    /// # Errors
    /// When the branch is gone.
    pub fn tip(&self, name: &str) -> Result<CommitId> {
        let tip = self.variants()?.tip(&self.branch(name))?;
        tip.ok_or_else(|| self.branch_gone(name))
    }

    pub(crate) fn branch_gone(&self, name: &str) -> Error {
        let branch = self.branch(name);
        Error::input(format!("the branch {branch} is gone")).hint(format!(
            "fetch it, or make it again: git branch {branch} COMMIT, with the one that `assay show` names"
        ))
    }
}

/// The declaration of a variant.
pub fn declaration<'a>(state: &'a State, name: &str) -> Option<&'a Variant> {
    let record: &Record = state.get(state.variant(name)?.declaration?)?;
    match &record.body {
        Body::Variant(v) => Some(v),
        _ => None,
    }
}
