//! Reading: the views that the command line prints and the terminal interface shows.

use assay_core::fold::{self, BranchTip, State};
use assay_core::view::{CompareView, HeatView, ListView, LogView, SampleSet, ShowView};
use assay_stats::Samples;
use assay_table::Query;

use crate::diff::attribution;
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
        self.mark_doubted(&mut view.variants);
        Ok(view)
    }

    /// The log, newest first.
    ///
    /// # Errors
    /// When the ledger cannot be read, or the variant is unknown.
    pub fn log(&self, variant: Option<&str>, limit: Option<usize>) -> Result<LogView> {
        let name = variant.map(|text| self.resolve_subject(text)).transpose()?;
        let mut view = index::log(self, name.as_deref(), limit)?;
        self.mark_log(&mut view.records);
        Ok(view)
    }

    /// One variant or baseline with its evidence.
    ///
    /// # Errors
    /// When it is unknown.
    pub fn show(&self, text: &str) -> Result<ShowView> {
        let name = self.resolve_subject(text)?;
        let mut view = self.show_in(&self.state_of(&[&name])?, &name)?;
        // The chain rests on the verdicts of others, which the state of one variant lacks.
        view.chain = index::chain(self)?.filter(|c| c.to == name);
        Ok(view)
    }

    pub(crate) fn show_in(&self, state: &State, name: &str) -> Result<ShowView> {
        let mut tip = BranchTip::default();
        if self.git.is_some()
            && state.variant(name).is_some()
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
        if self.git.is_none() {
            // A ledger in a plain folder has records and no branches: none of them can be gone.
            view.branch.clear();
        }
        self.fill_tables(state, &mut view.notes);
        let tip = view.tip.as_deref().and_then(|t| t.parse().ok());
        self.gates_of_branch(&mut view.variant, tip)?;
        self.mark_shown(&mut view);
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
        if let [a, b] = names.as_slice() {
            view.attribution = attribution(&state, a, b, &view.counters);
        }
        self.mark_stale(&mut view.variants, None)?;
        self.mark_doubted(&mut view.variants);
        Ok(view)
    }

    /// Ratios by workload of all variants that have some, each against its own reference.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn heat(&self) -> Result<HeatView> {
        index::heat(self)
    }

    /// The raw samples of the newest paired measurement of two variants.
    pub(crate) fn samples(&self, state: &State, a: &str, b: &str) -> Result<Vec<SampleSet>> {
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
}
