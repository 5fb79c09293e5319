//! Variants: declare, edit, commit, move, combine and take apart.

use std::collections::BTreeMap;
use std::path::PathBuf;

use assay_core::record::{Prediction, Variant};
use assay_core::{predict, slug};
use assay_ledger::CommitId;

use crate::error::{Error, Result};
use crate::index;
use crate::lineage::declaration;
use crate::workbench::{CAMPAIGN_FILE, Workbench, join, under};

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

/// What a commit of a work tree's edits took, and what it left.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The commit.
    pub commit: CommitId,
    /// Edits that it left where they are, each with the reason.
    pub left_out: Vec<String>,
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
        let knobs = knobs(&new.knobs);
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
    pub fn commit_edit(&self, text: &str, message: Option<&str>) -> Result<Committed> {
        let name = self.resolve(text)?;
        let state = self.state_of(&[&name])?;
        let why = declaration(&state, &name).map_or_else(String::new, |v| v.why.clone());
        let message = message.map_or(why, str::to_owned);
        let git = self.git()?;
        let paths = self.variant_paths()?;
        let commit = self
            .edits()?
            .commit(&self.campaign, &name, &git.folder, &paths, &message)?;
        let left_out = self.left_out(&name, &paths)?;
        let commit = commit.ok_or_else(|| {
            let error = Error::input(format!(
                "nothing to commit: the kernel files of `{name}` are as they were{}",
                left_out
                    .iter()
                    .map(|why| format!("\n  {why}"))
                    .collect::<String>()
            ));
            if left_out.is_empty() {
                error
            } else {
                error.hint("only the kernel's files can be changed by a variant; `assay init` pins changes of the evaluator")
            }
        })?;
        self.approve_content(commit, &name)?;
        Ok(Committed { commit, left_out })
    }

    /// The edits of a work tree that no commit takes, each with the reason.
    fn left_out(&self, name: &str, paths: &[String]) -> Result<Vec<String>> {
        let (git, kernel) = (self.git()?, &self.config()?.kernel);
        let files = self
            .edits()?
            .left_out(&self.campaign, name, &git.folder, paths)?;
        let protected: Vec<String> = (kernel.protected.iter())
            .map(|p| join(&git.folder, p))
            .collect();
        let campaign = join(&git.folder, CAMPAIGN_FILE);
        Ok(files
            .into_iter()
            .map(|file| {
                let why = if file == campaign || under(&file, &protected) {
                    "it belongs to the evaluator, which is the same for all variants".to_owned()
                } else {
                    format!("it is outside the kernel's paths ({})", paths.join(", "))
                };
                format!("{file} was left uncommitted: {why}")
            })
            .collect())
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

/// Knobs of the form `K=V`, each named once.
fn knobs(texts: &[String]) -> Result<BTreeMap<String, String>> {
    let mut out = BTreeMap::new();
    for k in texts {
        let (name, value) = match k.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => (name.trim(), value.trim()),
            _ => return Err(Error::input(format!("knob `{k}` is not of the form K=V"))),
        };
        if out.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(Error::input(format!("knob `{name}` is set twice")));
        }
    }
    Ok(out)
}
