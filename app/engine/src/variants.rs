//! Variants: declare, edit, commit, move, combine and take apart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use assay_core::fold::{Champion, State, resolve_among};
use assay_core::record::{Body, Prediction, Variant};
use assay_core::{Record, predict, slug};
use assay_ledger::CommitId;

use crate::error::{Error, Result};
use crate::index;
use crate::workbench::{Workbench, join, under};

/// A variant to declare.
#[derive(Debug, Clone, Default)]
pub struct NewVariant {
    /// Name.
    pub name: String,
    /// Variant or revision to start from; absent for the champion, else HEAD.
    pub from: Option<String>,
    /// The hypothesis.
    pub why: String,
    /// Family of ideas.
    pub family: Option<String>,
    /// Knobs, `K=V`.
    pub knobs: Vec<String>,
    /// Predictions, e.g. `time<-10%`.
    pub predictions: Vec<String>,
}

/// What was declared.
#[derive(Debug, Clone)]
pub struct Created {
    /// Name.
    pub name: String,
    /// Full name of the branch.
    pub branch: String,
    /// Parent variants.
    pub parents: Vec<String>,
    /// Commit that the branch stands on.
    pub commit: String,
}

impl Workbench {
    /// Declares a variant and makes its branch.
    ///
    /// # Errors
    /// For a name that cannot be a branch or is taken, an empty hypothesis, an unknown start.
    pub fn new_variant(&self, new: &NewVariant) -> Result<Created> {
        self.evaluator()?;
        let (parents, base) = self.start(new.from.as_deref())?;
        let declared = self.declaration(new, parents, base)?;
        let (git, paths) = (self.git()?, &self.config()?.kernel.paths);
        if self
            .variants()?
            .list_files(base, &git.folder, paths)?
            .is_empty()
        {
            return Err(Error::input(format!(
                "commit {} holds no kernel files ({})",
                base.short(),
                paths.join(", ")
            ))
            .hint("--from REV, with a commit that holds them"));
        }
        self.make_branch(&new.name, base)?;
        self.trust_start(&new.name, base)?;
        self.declare(declared)
    }

    /// Declares a variant whose content is given as files, without any work tree.
    ///
    /// Paths are relative to the campaign folder; `None` removes a file.
    ///
    /// # Errors
    /// As [`Workbench::new_variant`].
    pub fn new_variant_with(
        &self,
        new: &NewVariant,
        files: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Created> {
        let created = self.new_variant(new)?;
        self.commit_files(&created.name, files, &new.why)?;
        Ok(created)
    }

    /// Commits files to a variant's branch without any work tree.
    ///
    /// # Errors
    /// When the branch is gone or moved meanwhile.
    pub fn commit_files(
        &self,
        name: &str,
        files: &BTreeMap<String, Option<Vec<u8>>>,
        message: &str,
    ) -> Result<CommitId> {
        let folder = &self.git()?.folder;
        let changes = files
            .iter()
            .map(|(p, b)| (join(folder, p), b.clone()))
            .collect();
        let commit = self.variants()?.commit_files(
            &self.branch(name),
            Some(self.tip(name)?),
            &changes,
            message,
        )?;
        self.approve_content(commit, name)?;
        Ok(commit)
    }

    /// Where a new variant starts: variant or revision given, else the champion, else HEAD.
    fn start(&self, from: Option<&str>) -> Result<(Vec<String>, CommitId)> {
        let state = self.state_of(&[])?;
        let Some(wanted) = from.or_else(|| state.champion().name()) else {
            return Ok((Vec::new(), self.git()?.repo.require_head()?));
        };
        let name = self.resolve(wanted);
        if let Ok(name) = &name
            && let Ok(commit) = self.standing_commit(&state, name)
        {
            return Ok((vec![name.clone()], commit));
        }
        match (self.variants()?.resolve(wanted), name) {
            (Ok(commit), _) => Ok((Vec::new(), commit)),
            (Err(_), Ok(name)) => Err(self.branch_gone(&name)),
            (Err(e), Err(_)) => {
                Err(Error::from(e)
                    .context(format!("`{wanted}` is neither a variant nor a revision")))
            }
        }
    }

    fn declaration(
        &self,
        new: &NewVariant,
        parents: Vec<String>,
        base: CommitId,
    ) -> Result<Variant> {
        slug::check(&new.name).map_err(|e| Error::input(e.to_string()))?;
        if new.why.trim().is_empty() {
            return Err(Error::input("a variant needs a hypothesis").hint("--why TEXT"));
        }
        let (variants, baselines) = index::names(self)?;
        if variants.iter().chain(&baselines).any(|n| *n == new.name) {
            return Err(Error::input(format!(
                "there is a variant or baseline `{}` already",
                new.name
            ))
            .hint("choose another name"));
        }
        let knobs: Result<BTreeMap<String, String>> = new
            .knobs
            .iter()
            .map(|k| match k.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    Ok((name.trim().into(), value.trim().into()))
                }
                _ => Err(Error::input(format!("knob `{k}` is not of the form K=V"))),
            })
            .collect();
        let predictions: Result<Vec<Prediction>> = new
            .predictions
            .iter()
            .map(|p| predict::parse(p).map_err(|e| Error::input(e.to_string())))
            .collect();
        Ok(Variant {
            name: new.name.clone(),
            branch: self.branch(&new.name),
            parents,
            base: base.to_string(),
            why: new.why.trim().to_owned(),
            family: new.family.clone(),
            knobs: knobs?,
            predictions: predictions?,
        })
    }

    fn declare(&self, v: Variant) -> Result<Created> {
        let created = Created {
            name: v.name.clone(),
            branch: v.branch.clone(),
            parents: v.parents.clone(),
            commit: v.base.clone(),
        };
        self.append(self.record(v), &[])?;
        Ok(created)
    }

    /// Opens the work tree of a variant, outside the user's checkout.
    ///
    /// # Errors
    /// For an unknown variant, or when its branch is checked out elsewhere.
    pub fn edit(&self, text: &str) -> Result<PathBuf> {
        let name = self.resolve(text)?;
        let git = self.git()?;
        let tree = self.edits()?.open(&self.campaign, &name)?;
        Ok(if git.folder.is_empty() {
            tree
        } else {
            tree.join(&git.folder)
        })
    }

    /// Commits the edits of a variant's work tree to its branch.
    ///
    /// # Errors
    /// When there is no work tree, nothing to commit, or git fails.
    pub fn commit_edit(&self, text: &str, message: Option<&str>) -> Result<CommitId> {
        let name = self.resolve(text)?;
        let state = self.state_of(&[&name])?;
        let why = declaration(&state, &name).map_or_else(String::new, |v| v.why.clone());
        let message = message.map_or(why, str::to_owned);
        let git = self.git()?;
        let paths = self.variant_paths()?;
        let commit = self
            .edits()?
            .commit(&self.campaign, &name, &git.folder, &paths, &message)?;
        let commit = commit.ok_or_else(|| {
            Error::input(format!(
                "nothing to commit: the kernel files of `{name}` are as they were"
            ))
        })?;
        self.approve_content(commit, &name)?;
        Ok(commit)
    }

    /// Moves a variant onto another one, by default the champion.
    ///
    /// # Errors
    /// On a conflict; nothing is changed then.
    pub fn rebase(&self, text: &str, onto: Option<&str>) -> Result<Created> {
        let name = self.resolve(text)?;
        let state = self.state_of(&[&name])?;
        let onto = match (onto, state.champion().name()) {
            (Some(o), _) => self.resolve(o)?,
            (None, Some(champion)) => champion.to_owned(),
            (None, None) => return Err(Error::input("there is no champion yet").hint("--onto REF")),
        };
        if self.line(&onto)?.contains(&name) {
            let why = if onto == name {
                "is the same variant"
            } else {
                "was made from it"
            };
            return Err(Error::input(format!(
                "`{name}` cannot be moved onto `{onto}`, which {why}"
            )));
        }
        let old = declaration(&state, &name)
            .ok_or_else(|| Error::input(format!("`{name}` was never declared here")))?
            .clone();
        let id = state.variant(&name).and_then(|v| v.declaration);
        let target = self.standing_commit(&state, &onto)?;
        let before = [self.tip(&name)?, target];
        let commit = self.variants()?.rebase(&self.branch(&name), target)?;
        self.inherit_trust(commit, &name, &before)?;
        let new = Variant {
            parents: vec![onto.clone()],
            base: target.to_string(),
            ..old
        };
        let mut record = self.record(new.clone());
        record.supersedes = id;
        record.reason = Some(format!("rebased onto {onto}"));
        self.append(record, &[])?;
        Ok(Created {
            name,
            branch: new.branch,
            parents: new.parents,
            commit: commit.to_string(),
        })
    }

    /// Makes a variant of the changes of two.
    ///
    /// # Errors
    /// On a conflict; nothing is changed then.
    pub fn combine(
        &self,
        a: &str,
        b: &str,
        name: Option<&str>,
        why: Option<&str>,
    ) -> Result<Created> {
        let (a, b) = (self.resolve(a)?, self.resolve(b)?);
        if a == b {
            return Err(Error::input(format!("both sides are `{a}`"))
                .hint("assay combine A B, with two variants"));
        }
        let state = self.state_of(&[&a, &b])?;
        let new = NewVariant {
            name: name.map_or_else(|| format!("{a}+{b}"), str::to_owned),
            why: why.map_or_else(|| format!("{a} and {b} together"), str::to_owned),
            ..NewVariant::default()
        };
        let (tip_a, tip_b) = (self.tip(&a)?, self.tip(&b)?);
        let mut declared = self.declaration(&new, vec![a.clone(), b.clone()], tip_a)?;
        for side in [&a, &b] {
            if let Some(v) = declaration(&state, side) {
                declared.knobs.extend(v.knobs.clone());
            }
        }
        let commit =
            self.variants()?
                .combine(&self.campaign, &new.name, (tip_a, tip_b), None, &new.why)?;
        self.inherit_trust(commit, &new.name, &[tip_a, tip_b])?;
        self.declare(declared).map(|c| Created {
            commit: commit.to_string(),
            ..c
        })
    }

    /// Makes one variant for each part of a step, each without that part.
    ///
    /// # Errors
    /// When the step has only one part, or git fails.
    pub fn ablate(&self, text: &str) -> Result<Vec<Created>> {
        let name = self.resolve(text)?;
        let state = self.state_of(&[&name])?;
        let of = declaration(&state, &name)
            .ok_or_else(|| Error::input(format!("`{name}` was never declared here")))?
            .clone();
        let git = self.git()?;
        let (base, tip) = (self.commit(&of.base)?, self.tip(&name)?);
        let found = self
            .variants()?
            .ablate(base, tip, &git.folder, &self.variant_paths()?)?;
        let parts = found.steps;
        if parts.len() < 2 {
            return Err(Error::input(format!(
                "`{name}` changes one place only; there is nothing to take apart"
            )));
        }
        parts
            .iter()
            .enumerate()
            .map(|(i, part)| {
                let new = NewVariant {
                    name: format!("{name}-without-{}", i + 1),
                    from: Some(name.clone()),
                    why: format!(
                        "what {} contributes to {name}: this is {name} without it",
                        part.label
                    ),
                    family: of.family.clone(),
                    ..NewVariant::default()
                };
                let created = self.new_variant(&new)?;
                let commit = self.variants()?.commit_files(
                    &created.branch,
                    Some(tip),
                    &part.changes,
                    &new.why,
                )?;
                self.inherit_trust(commit, &new.name, &[tip])?;
                Ok(Created {
                    commit: commit.to_string(),
                    ..created
                })
            })
            .collect()
    }

    /// The full name of a variant, from its name or the unique beginning of it.
    ///
    /// # Errors
    /// When it is unknown or ambiguous.
    pub fn resolve(&self, text: &str) -> Result<String> {
        let (variants, _) = index::names(self)?;
        let name = resolve_among(text, variants.iter().map(String::as_str))?;
        Ok(name.to_owned())
    }

    /// Like [`Workbench::resolve`], but baselines count too.
    ///
    /// # Errors
    /// When it is unknown or ambiguous.
    pub fn resolve_subject(&self, text: &str) -> Result<String> {
        let (variants, baselines) = index::names(self)?;
        let names = variants.iter().chain(&baselines).map(String::as_str);
        Ok(resolve_among(text, names)?.to_owned())
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
    fn line(&self, name: &str) -> Result<BTreeSet<String>> {
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

    fn branch_gone(&self, name: &str) -> Error {
        let branch = self.branch(name);
        Error::input(format!("the branch {branch} is gone")).hint(format!(
            "fetch it, or make it again: git branch {branch} COMMIT, with the one that `assay show` names"
        ))
    }

    /// Makes a branch; one that is there already at the same commit, of a run that was cut off, is taken.
    fn make_branch(&self, name: &str, base: CommitId) -> Result<()> {
        if self.variants()?.tip(&self.branch(name))? == Some(base) {
            return Ok(());
        }
        self.variants()?
            .create(&self.campaign, name, &base.to_string())?;
        Ok(())
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
