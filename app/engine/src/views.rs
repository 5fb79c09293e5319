//! Reading: the views that the command line prints and the terminal interface shows.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::RecordId;
use assay_core::fold::{self, BranchTip, State};
use assay_core::record::{Body, Figure, GateResult, Source};
use assay_core::view::GateView;
use assay_core::view::{
    CompareView, ComparedFigure, DiffView, ListView, LogView, SampleSet, ShowView,
};
use assay_source::SourceFile;
use assay_stats::Samples;
use assay_table::Query;

use crate::error::{Error, Result};
use crate::index;
use crate::run::measure::plain_name;
use crate::workbench::Workbench;

impl Workbench {
    /// All variants.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn list(&self) -> Result<ListView> {
        self.marked(|| index::list(self, None))
    }

    /// The variants that match a query, in its order.
    ///
    /// # Errors
    /// When the query names a column that is not there.
    pub fn find(&self, query: &Query) -> Result<ListView> {
        self.marked(|| index::list(self, Some(query)))
    }

    /// Reads a list while the branches are read, and marks what is stale in it.
    fn marked(&self, read: impl FnOnce() -> Result<ListView>) -> Result<ListView> {
        let scan = self.scan_tips();
        let mut view = read()?;
        self.mark_stale(&mut view.variants, scan)?;
        Ok(view)
    }

    /// The log, newest first.
    ///
    /// # Errors
    /// When the ledger cannot be read, or the variant is unknown.
    pub fn log(&self, variant: Option<&str>, limit: Option<usize>) -> Result<LogView> {
        let name = variant.map(|text| self.resolve_subject(text)).transpose()?;
        index::log(self, name.as_deref(), limit)
    }

    /// One variant with its evidence.
    ///
    /// # Errors
    /// When it is unknown.
    pub fn show(&self, text: &str) -> Result<ShowView> {
        let name = self.resolve(text)?;
        let mut view = self.show_in(&self.state_of(&[&name])?, &name)?;
        // The chain rests on the verdicts of others, which the state of one variant lacks.
        view.chain = index::chain(self)?.filter(|c| c.to == name);
        Ok(view)
    }

    pub(crate) fn show_in(&self, state: &State, name: &str) -> Result<ShowView> {
        let mut tip = BranchTip::default();
        if self.git.is_some()
            && let Some(commit) = self.variants()?.tip(&self.branch(name))?
        {
            tip.commit = Some(commit.to_string());
            let evidence = state
                .variant(name)
                .and_then(|v| v.key.as_ref())
                .map(|k| k.kernel);
            if let (Some(evidence), Some(_)) = (evidence, &self.config) {
                tip.stale = self.kernel_hash(commit)? != evidence;
            }
        }
        let mut view = fold::show_view(state, name, tip)
            .ok_or_else(|| Error::input(format!("no variant `{name}`")))?;
        if self.git.is_some() && self.config.is_some() {
            view.variant.gates = standing_gates(&view.variant.gates, self.gates(state, name)?);
        }
        Ok(view)
    }

    /// Two or more variants or baselines side by side.
    ///
    /// # Errors
    /// When one of them is unknown.
    pub fn compare(&self, texts: &[String]) -> Result<CompareView> {
        let names: Vec<String> = texts
            .iter()
            .map(|t| self.resolve_subject(t))
            .collect::<Result<_>>()?;
        let state = self.state_of(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let samples = match names.as_slice() {
            [a, .., b] => self.samples(&state, a, b)?,
            _ => Vec::new(),
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut view =
            fold::compare_view(&state, &names, samples).map_err(|e| Error::input(e.to_string()))?;
        self.mark_stale(&mut view.variants, None)?;
        Ok(view)
    }

    /// The raw samples of the newest paired measurement of two variants.
    fn samples(&self, state: &State, a: &str, b: &str) -> Result<Vec<SampleSet>> {
        let Some(pair) = fold::pair(state, a, b) else {
            return Ok(Vec::new());
        };
        let Some(m) = pair.measurement else {
            return Ok(Vec::new());
        };
        let Some(bytes) = self.ledger.blob(m.samples.sha256)?.into_bytes() else {
            return Ok(Vec::new());
        };
        let (samples, _) = Samples::parse_jsonl(&String::from_utf8_lossy(&bytes));
        let mut sets: Vec<SampleSet> = Vec::new();
        for leg in samples.legs().iter().filter(|l| l.void.is_none()) {
            let subject = plain_name(&leg.subject);
            match sets
                .iter_mut()
                .find(|s| s.workload == leg.workload && s.subject == subject)
            {
                Some(set) => set.values_ns.extend(&leg.values_ns),
                None => sets.push(SampleSet {
                    workload: leg.workload.clone(),
                    subject: subject.to_owned(),
                    values_ns: leg.values_ns.clone(),
                }),
            }
        }
        Ok(sets)
    }

    /// What differs between two variants: the kernel as written, or the generated source.
    ///
    /// # Errors
    /// When one is unknown, or has no generated source.
    pub fn diff(&self, a: &str, b: &str, generated: bool) -> Result<DiffView> {
        let (a, b) = (self.resolve(a)?, self.resolve(b)?);
        let state = self.state_of(&[&a, &b])?;
        let (files_a, files_b, facts, warnings) = if generated {
            let (sa, sb) = (self.source_of(&state, &a)?, self.source_of(&state, &b)?);
            let mut warnings = Vec::new();
            if sa.normalised == sb.normalised {
                warnings.push("the generated sources are equal after normalisation".to_owned());
            }
            let facts = compared_facts(&sa.facts, &sb.facts);
            (
                self.source_files(&sa)?,
                self.source_files(&sb)?,
                facts,
                warnings,
            )
        } else {
            (
                self.kernel_files(&a)?,
                self.kernel_files(&b)?,
                Vec::new(),
                Vec::new(),
            )
        };
        Ok(DiffView {
            schema: "assay.diff/1".into(),
            a,
            b,
            what: if generated { "generated" } else { "kernel" }.into(),
            files: assay_source::diff(&files_a, &files_b, &assay_source::DiffOptions::default()),
            facts,
            warnings,
        })
    }

    /// The first parent of a variant, for a diff with one name only.
    ///
    /// # Errors
    /// When it has none.
    pub fn parent_of(&self, text: &str) -> Result<String> {
        let name = self.resolve(text)?;
        let state = self.state_of(&[&name])?;
        crate::lineage::declaration(&state, &name)
            .and_then(|v| v.parents.first().cloned())
            .ok_or_else(|| {
                Error::input(format!("`{name}` has no parent variant")).hint("name both sides")
            })
    }

    pub(crate) fn kernel_files(&self, name: &str) -> Result<Vec<SourceFile>> {
        let git = self.git()?;
        let files =
            self.variants()?
                .list_files(self.tip(name)?, &git.folder, &self.variant_paths()?)?;
        Ok(files
            .into_iter()
            .map(|f| SourceFile::new(f.path, f.bytes))
            .collect())
    }

    fn source_of(&self, state: &State, name: &str) -> Result<Source> {
        let id: Option<RecordId> = state.variant(name).and_then(|v| v.source);
        match id.and_then(|id| state.get(id)).map(|r| &r.body) {
            Some(Body::Source(s)) => Ok(s.clone()),
            _ => Err(
                Error::input(format!("there is no generated source of `{name}`"))
                    .hint(format!("assay run {name} --stages build,source")),
            ),
        }
    }

    fn source_files(&self, source: &Source) -> Result<Vec<SourceFile>> {
        source
            .files
            .iter()
            .map(|f| match self.ledger.blob(f.sha256)?.into_bytes() {
                Some(bytes) => Ok(SourceFile::new(f.name.clone(), bytes)),
                None => Err(Error::environment(format!(
                    "{} ({}) is not stored here",
                    f.name, f.sha256
                ))
                .hint("`assay sync --blobs` fetches large blobs")),
            })
            .collect()
    }
}

/// Facts of two sides beside each other, the union of both.
pub fn compared_facts(
    a: &BTreeMap<String, Figure>,
    b: &BTreeMap<String, Figure>,
) -> Vec<ComparedFigure> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names
        .into_iter()
        .map(|name| {
            let (x, y) = (a.get(name), b.get(name));
            let change = match (x, y) {
                (Some(x), Some(y)) if x.value != 0.0 => {
                    Some((y.value - x.value) / x.value.abs() * 100.0)
                }
                _ => None,
            };
            ComparedFigure {
                name: name.clone(),
                unit: x.or(y).map_or_else(String::new, |f| f.unit.clone()),
                values: vec![x.map(|f| f.value), y.map(|f| f.value)],
                change_percent: change,
            }
        })
        .collect()
}

/// Gates as they stand now, with the overrides that a decision recorded.
fn standing_gates(recorded: &[GateView], now: Vec<GateResult>) -> Vec<GateView> {
    let overridden = |name: &str| {
        let of = recorded.iter().find(|g| g.name == name);
        of.and_then(|g| g.overridden.clone())
    };
    now.into_iter()
        .map(|g| GateView {
            overridden: overridden(&g.name),
            name: g.name,
            pass: g.pass,
            evidence: g.evidence,
        })
        .collect()
}
