//! The set of records of one campaign, and what follows from it.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::{self, Body, Record, Role};
use crate::{RecordId, Sha256};

use super::champion::{Champion, Graph};
use super::runs::Runs;
use super::variant::{self, VariantState};

/// Names of the campaigns that `records` speak of.
pub fn campaigns<'a>(records: impl IntoIterator<Item = &'a Record>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for r in records {
        if !names.contains(&r.campaign) {
            names.insert(r.campaign.clone());
        }
    }
    names
}

/// What the records of one campaign come to.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    campaign: String,
    records: BTreeMap<RecordId, Record>,
    /// Removed record -> tombstones that say so.
    removed: BTreeMap<RecordId, BTreeSet<RecordId>>,
    /// Corrected record -> its corrections.
    corrected: BTreeMap<RecordId, BTreeSet<RecordId>>,
    /// Name -> records that are evidence about it.
    owned: BTreeMap<String, BTreeSet<RecordId>>,
    /// Name -> measurements and verdicts in which it is the side measured against.
    against: BTreeMap<String, BTreeSet<RecordId>>,
    evaluators: BTreeSet<RecordId>,
    decisions: BTreeSet<RecordId>,
    calibrations: BTreeSet<RecordId>,
    chains: BTreeSet<RecordId>,
    canaries: BTreeSet<RecordId>,
    /// Id -> hashes of all contents seen under it, kept only where there is more than one.
    conflicts: BTreeMap<RecordId, BTreeSet<Sha256>>,
    variants: BTreeMap<String, VariantState>,
    baselines: BTreeSet<String>,
    graph: Graph,
    unreadable: u64,
    place: Place,
}

/// Where the records of a campaign are read, as far as views speak of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Names of the workloads in the order of the campaign file, else in that of the records.
    pub workloads: Vec<String>,
    /// Nothing can be run here: no view says what to run.
    pub read_only: bool,
}

impl Place {
    /// Workloads in their order, and others behind them by name; each once.
    pub fn in_order<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Vec<&'n String> {
        let mut left: BTreeSet<&String> = names.into_iter().collect();
        let known = self.workloads.iter();
        let mut out: Vec<&String> = known.filter_map(|w| left.take(w)).collect();
        out.extend(left);
        out
    }
}

impl State {
    /// Folds those of `records` that belong to `campaign`.
    pub fn fold(campaign: impl Into<String>, records: impl IntoIterator<Item = Record>) -> Self {
        let mut state = Self {
            campaign: campaign.into(),
            records: BTreeMap::new(),
            removed: BTreeMap::new(),
            corrected: BTreeMap::new(),
            owned: BTreeMap::new(),
            against: BTreeMap::new(),
            evaluators: BTreeSet::new(),
            decisions: BTreeSet::new(),
            calibrations: BTreeSet::new(),
            chains: BTreeSet::new(),
            canaries: BTreeSet::new(),
            conflicts: BTreeMap::new(),
            variants: BTreeMap::new(),
            baselines: BTreeSet::new(),
            graph: Graph::default(),
            unreadable: 0,
            place: Place::default(),
        };
        for r in records {
            state.insert(r);
        }
        state.graph = Graph::of(&state);
        let names: BTreeSet<String> = (state.owned.keys().chain(state.against.keys()))
            .cloned()
            .collect();
        state.recompute(&names);
        state
    }

    /// Adds one record and brings the state up to date; only what it touches is computed again.
    ///
    /// A record of another campaign changes nothing.
    pub fn add(&mut self, record: Record) {
        let decides = matches!(record.body, Body::Decision(_) | Body::Tombstone(_))
            || record.supersedes.is_some()
            || self.records.contains_key(&record.id);
        let touched = self.insert(record);
        if decides {
            self.graph = Graph::of(self);
        }
        self.recompute(&touched);
    }

    /// Says how many files could not be read as records at all; they are counted in the views.
    pub fn set_unreadable(&mut self, files: u64) {
        self.unreadable = files;
    }

    /// Says where the records are read.
    pub fn set_place(&mut self, place: Place) {
        self.place = place;
    }

    /// Where the records are read.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Workloads in the order of the place, and others behind them by name; each once.
    pub fn in_order<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Vec<&'n String> {
        self.place.in_order(names)
    }

    /// Name of the campaign.
    pub fn campaign(&self) -> &str {
        &self.campaign
    }

    /// Records that this version could not use: files that are no records, kinds or shapes it
    /// does not know, and other contents that came under an id already taken.
    pub fn unreadable(&self) -> u64 {
        let unknown = self
            .records
            .values()
            .filter(|r| matches!(r.body, Body::Unknown { .. }))
            .count();
        let conflicting: usize = self.conflicts.values().map(|c| c.len() - 1).sum();
        self.unreadable + unknown as u64 + conflicting as u64
    }

    /// Files that are no records, or records with content that does not match its hash.
    pub fn damaged(&self) -> u64 {
        self.unreadable
    }

    /// A record by id, whether it is in use or not.
    pub fn get(&self, id: RecordId) -> Option<&Record> {
        self.records.get(&id)
    }

    /// Every record that was not removed, by id; corrected ones are among them.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.records
            .values()
            .filter(|r| !self.is_removed(r.id) || matches!(r.body, Body::Tombstone(_)))
    }

    /// Every record in use, by id.
    pub fn active(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.records.values().filter(|r| self.is_active(r.id))
    }

    /// Whether a record is known, was not removed and was not corrected.
    pub fn is_active(&self, id: RecordId) -> bool {
        self.records.contains_key(&id) && !self.is_removed(id) && !self.is_corrected(id)
    }

    /// Whether a tombstone says that the record was removed.
    pub fn is_removed(&self, id: RecordId) -> bool {
        self.removed.contains_key(&id)
            && !matches!(
                self.records.get(&id).map(|r| &r.body),
                Some(Body::Tombstone(_))
            )
    }

    /// Whether a record that was not removed corrects it.
    pub fn is_corrected(&self, id: RecordId) -> bool {
        self.corrections(id).next().is_some()
    }

    /// The corrections of a record that were not removed.
    pub fn corrections(&self, id: RecordId) -> impl Iterator<Item = RecordId> + '_ {
        (self.corrected.get(&id).into_iter().flatten())
            .copied()
            .filter(|c| !self.is_removed(*c))
    }

    /// Variants by name: declared ones, and those that only evidence or a decision names.
    pub fn variants(&self) -> &BTreeMap<String, VariantState> {
        &self.variants
    }

    /// One variant.
    pub fn variant(&self, name: &str) -> Option<&VariantState> {
        self.variants.get(name)
    }

    /// Names of the baselines that were measured.
    pub fn baselines(&self) -> &BTreeSet<String> {
        &self.baselines
    }

    /// Who holds the place of the champion.
    pub fn champion(&self) -> &Champion {
        self.graph.champion()
    }

    /// The acceptances and roll-backs that nothing replaces: what the next one has to name.
    pub fn heads(&self) -> Vec<RecordId> {
        self.graph.heads().iter().map(|h| h.decision).collect()
    }

    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The evaluator pinned last.
    pub fn evaluator(&self) -> Option<&record::Evaluator> {
        self.evaluators().next_back()
    }

    /// Evaluators that were pinned, oldest first.
    pub fn evaluators(&self) -> impl DoubleEndedIterator<Item = &record::Evaluator> {
        (self.active_of(Some(&self.evaluators))).filter_map(|r| match &r.body {
            Body::Evaluator(e) => Some(e),
            _ => None,
        })
    }

    /// The run in which something was measured; where it is not here, one on the same device.
    pub fn run_of(&self, m: &record::Measurement) -> Option<&record::Run> {
        Runs::of(self).of_measurement(m)
    }

    /// The runs that the measurements which are shown belong to, one for each device and in the
    /// order of those measurements; where nothing was measured, the newest run that did not fail.
    ///
    /// A run that failed before it measured was on no device of the campaign.
    pub fn shown_runs(&self) -> Vec<&record::Run> {
        let mut shown: Vec<RecordId> = (self.variants.values())
            .filter_map(|v| v.measurement)
            .collect();
        shown.sort_unstable();
        shown.dedup();
        let mut out: Vec<&record::Run> = Vec::new();
        let all = Runs::of(self);
        let runs = shown
            .into_iter()
            .filter_map(|id| all.of_measurement(self.measurement(Some(id))?));
        for run in runs {
            let name = &run.environment.device;
            out.retain(|r| r.environment.device != *name);
            out.push(run);
        }
        if out.is_empty() {
            out.extend(self.active().rev().find_map(|r| match &r.body {
                Body::Run(run) if run.failure.is_none() => Some(run),
                _ => None,
            }));
        }
        out
    }

    /// The newest of the [`Self::shown_runs`].
    pub fn shown_run(&self) -> Option<&record::Run> {
        self.shown_runs().pop()
    }

    /// Records in use that are evidence about `name`, by id.
    pub fn owned<'a>(&'a self, name: &str) -> impl DoubleEndedIterator<Item = &'a Record> {
        self.active_of(self.owned.get(name))
    }

    /// Measurements and verdicts in use in which `name` is the side measured against, by id.
    pub fn against<'a>(&'a self, name: &str) -> impl DoubleEndedIterator<Item = &'a Record> {
        self.active_of(self.against.get(name))
    }

    /// Decisions in use, by id.
    pub fn decisions(&self) -> impl DoubleEndedIterator<Item = (RecordId, &record::Decision)> {
        (self.active_of(Some(&self.decisions))).filter_map(|r| match &r.body {
            Body::Decision(d) => Some((r.id, d)),
            _ => None,
        })
    }

    /// Calibrations in use, by id.
    pub fn calibrations(
        &self,
    ) -> impl DoubleEndedIterator<Item = (RecordId, &record::Calibration)> {
        (self.active_of(Some(&self.calibrations))).filter_map(|r| match &r.body {
            Body::Calibration(c) => Some((r.id, c)),
            _ => None,
        })
    }

    /// Measurements of a chain end to end in use, by id.
    pub fn chains(&self) -> impl DoubleEndedIterator<Item = (RecordId, &record::Chain)> {
        (self.active_of(Some(&self.chains))).filter_map(|r| match &r.body {
            Body::Chain(c) => Some((r.id, c)),
            _ => None,
        })
    }

    /// Canaries in use, by id.
    pub fn canaries(&self) -> impl DoubleEndedIterator<Item = (RecordId, &record::Canary)> {
        (self.active_of(Some(&self.canaries))).filter_map(|r| match &r.body {
            Body::Canary(c) => Some((r.id, c)),
            _ => None,
        })
    }

    fn active_of<'a>(
        &'a self,
        ids: Option<&'a BTreeSet<RecordId>>,
    ) -> impl DoubleEndedIterator<Item = &'a Record> {
        ids.into_iter()
            .flatten()
            .filter(|id| self.is_active(**id))
            .filter_map(|id| self.records.get(id))
    }

    /// Puts a record into the set and returns the names whose state may have changed.
    fn insert(&mut self, record: Record) -> BTreeSet<String> {
        if record.campaign != self.campaign {
            return BTreeSet::new();
        }
        let mut touched = BTreeSet::new();
        let Some(old) = self.records.get(&record.id) else {
            self.link(&record, true, &mut touched);
            self.records.insert(record.id, record);
            return touched;
        };
        if *old == record {
            return touched;
        }
        // Ids are random, so this is damage or forgery. Every order must choose the same content.
        let (ours, theirs) = (content(old), content(&record));
        let seen = self.conflicts.entry(record.id).or_default();
        seen.extend([ours, theirs]);
        if theirs < ours {
            let old = old.clone();
            self.link(&old, false, &mut touched);
            self.link(&record, true, &mut touched);
            self.records.insert(record.id, record);
        }
        touched
    }

    /// Enters a record into the look-up tables, or takes it out again.
    fn link(&mut self, r: &Record, enter: bool, touched: &mut BTreeSet<String>) {
        fn put<K: Ord>(
            map: &mut BTreeMap<K, BTreeSet<RecordId>>,
            key: K,
            id: RecordId,
            enter: bool,
        ) {
            if enter {
                map.entry(key).or_default().insert(id);
            } else if let Some(set) = map.get_mut(&key) {
                set.remove(&id);
                if set.is_empty() {
                    map.remove(&key);
                }
            }
        }
        let (own, other) = names(&r.body);
        for name in own {
            put(&mut self.owned, name.to_owned(), r.id, enter);
            touched.insert(name.to_owned());
        }
        for name in other {
            put(&mut self.against, name.to_owned(), r.id, enter);
            touched.insert(name.to_owned());
        }
        let kind = match &r.body {
            Body::Evaluator(_) => Some(&mut self.evaluators),
            Body::Decision(_) => Some(&mut self.decisions),
            Body::Calibration(_) => Some(&mut self.calibrations),
            Body::Chain(_) => Some(&mut self.chains),
            Body::Canary(_) => Some(&mut self.canaries),
            _ => None,
        };
        if let Some(ids) = kind {
            if enter {
                ids.insert(r.id);
            } else {
                ids.remove(&r.id);
            }
        }
        if let Body::Tombstone(t) = &r.body {
            put(&mut self.removed, t.removed, r.id, enter);
            self.touch(t.removed, touched);
        }
        if let Some(target) = r.supersedes.filter(|t| *t != r.id) {
            put(&mut self.corrected, target, r.id, enter);
            self.touch(target, touched);
        }
    }

    /// Names that an existing record and whatever it corrects speak of.
    fn touch(&self, id: RecordId, touched: &mut BTreeSet<String>) {
        let mut seen = BTreeSet::new();
        let mut next = Some(id);
        while let Some(r) = next.and_then(|id| self.records.get(&id)) {
            if !seen.insert(r.id) {
                break;
            }
            let (own, other) = names(&r.body);
            touched.extend(own.into_iter().chain(other).map(str::to_owned));
            next = r.supersedes;
        }
    }

    fn recompute(&mut self, names: &BTreeSet<String>) {
        for name in names {
            self.variants.remove(name);
            self.baselines.remove(name);
            match variant::compute(self, name) {
                Some((Role::Variant, v)) => {
                    self.variants.insert(name.clone(), v);
                }
                Some((Role::Baseline, _)) => {
                    self.baselines.insert(name.clone());
                }
                None => {}
            }
        }
    }
}

/// Names that a record is evidence about, and names that it measures against.
///
/// The subject of a stage, side B of a measurement or verdict, and the variant of a declaration or
/// decision own a record; side A is what it was measured against.
fn names(body: &Body) -> (Vec<&str>, Vec<&str>) {
    match body {
        Body::Variant(v) => (vec![&v.name], vec![]),
        Body::Run(r) => (vec![&r.subject.name], vec![]),
        Body::Build(b) => (vec![&b.subject.name], vec![]),
        Body::Source(s) => (vec![&s.subject.name], vec![]),
        Body::Check(c) => (vec![&c.subject.name], vec![]),
        Body::Profile(p) => (vec![&p.subject.name], vec![]),
        Body::Measurement(m) => (vec![&m.b.name], vec![&m.a.name]),
        Body::Verdict(v) => (vec![&v.b], vec![&v.a]),
        Body::Decision(d) => (vec![&d.variant], vec![]),
        Body::Screened(s) => (vec![&s.b.name], vec![]),
        Body::Screening(s) => (s.ranking.iter().map(|r| r.name.as_str()).collect(), vec![]),
        // What it was measured against is the beginning of the chain and no opponent.
        Body::Chain(c) => (vec![&c.b.name], vec![]),
        // A calibration and a control are about the machine, a canary about the evaluator, a log about
        // whatever it names.
        Body::Evaluator(_)
        | Body::Calibration(_)
        | Body::Canary(_)
        | Body::Control(_)
        | Body::Readings(_)
        | Body::Note(_)
        | Body::Tombstone(_)
        | Body::Unknown { .. } => (vec![], vec![]),
    }
}

fn content(r: &Record) -> Sha256 {
    // A record that cannot be written has no bytes; its debug form still tells it from others.
    r.to_bytes()
        .map_or_else(|_| Sha256::of(format!("{r:?}")), Sha256::of)
}
