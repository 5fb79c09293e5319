//! The index over the ledger: what saves reading all records.
//!
//! A git ledger keeps it under `.git/assay/index`; a ledger in a plain folder is read whole, since
//! nothing may be written beside a published one.

use assay_core::RecordId;
use assay_core::fold::{self, State};
use assay_core::record::{Body, Evaluator, Record};
use assay_core::view::{ListView, LogView};
use assay_ledger::Ledger;
use assay_table::{BoxError, Delta, Index, RawRecord, Records, Snapshot};

use crate::error::{Error, Result};
use crate::workbench::Workbench;

/// A ledger as the index reads it.
struct Source<'a>(&'a Ledger);

fn raw(r: assay_ledger::RawRecord) -> RawRecord {
    RawRecord { path: r.path, bytes: r.bytes }
}

impl Records for Source<'_> {
    fn head(&mut self) -> Result<Option<String>, BoxError> {
        Ok(self.0.head()?)
    }

    fn snapshot(&mut self) -> Result<Snapshot, BoxError> {
        let s = self.0.snapshot()?;
        Ok(Snapshot { head: s.head, records: s.records.into_iter().map(raw).collect() })
    }

    fn changed_since(&mut self, head: &str) -> Result<Option<Delta>, BoxError> {
        Ok(self.0.changed_since(head)?.map(|d| Delta {
            head: d.head,
            added: d.added.into_iter().map(raw).collect(),
            removed: d.removed,
        }))
    }

    fn get(&mut self, id: RecordId) -> Result<Option<RawRecord>, BoxError> {
        Ok(self.0.get(id)?.map(raw))
    }
}

fn open(ledger: &Ledger) -> Result<Index> {
    let dir = ledger.location().join("assay/index");
    let (index, _) = Index::open(&dir, &mut Source(ledger))?;
    Ok(index)
}

fn whole(ledger: &Ledger) -> Result<(Vec<Record>, u64)> {
    let all = ledger.read_all()?;
    let count = all.len();
    let records: Vec<Record> = all.iter().filter_map(|r| Record::from_bytes(&r.bytes).ok()).collect();
    let unreadable = (count - records.len()) as u64;
    Ok((records, unreadable))
}

/// Names of the campaigns in a ledger.
///
/// # Errors
/// When the ledger cannot be read.
pub fn campaigns(ledger: &Ledger) -> Result<Vec<String>> {
    if ledger.is_git() {
        return Ok(open(ledger)?.campaigns().map(str::to_owned).collect());
    }
    Ok(fold::campaigns(&whole(ledger)?.0).into_iter().collect())
}

/// The evaluator that is pinned in a campaign.
///
/// # Errors
/// When the ledger cannot be read.
pub fn evaluator(bench: &Workbench) -> Result<Option<Evaluator>> {
    Ok(state_of(bench, &[])?.evaluator().cloned())
}

/// The state of a campaign from all its records.
///
/// # Errors
/// When the ledger cannot be read.
pub fn state(bench: &Workbench) -> Result<State> {
    let (records, unreadable) = whole(&bench.ledger)?;
    let mut state = State::fold(bench.campaign.clone(), records);
    state.set_unreadable(unreadable);
    Ok(state)
}

/// The state of a campaign as far as these subjects are concerned; see [`Index::state`].
///
/// # Errors
/// When the ledger cannot be read.
pub fn state_of(bench: &Workbench, names: &[&str]) -> Result<State> {
    if !bench.ledger.is_git() {
        return state(bench);
    }
    let mut index = open(&bench.ledger)?;
    if !index.campaigns().any(|c| c == bench.campaign) {
        return Ok(State::fold(bench.campaign.clone(), Vec::new()));
    }
    Ok(index.state(&mut Source(&bench.ledger), &bench.campaign, names)?)
}

/// All variants.
///
/// # Errors
/// When the ledger cannot be read.
pub fn list(bench: &Workbench) -> Result<ListView> {
    let mut view = if bench.ledger.is_git() {
        let index = open(&bench.ledger)?;
        if index.campaigns().any(|c| c == bench.campaign) {
            index.list(&bench.campaign)?
        } else {
            fold::list_view(&State::fold(bench.campaign.clone(), Vec::new()), &[])
        }
    } else {
        fold::list_view(&state(bench)?, &[])
    };
    order_workloads(&mut view, bench);
    Ok(view)
}

/// The log, newest first.
///
/// # Errors
/// When the ledger cannot be read, or the variant is unknown.
pub fn log(bench: &Workbench, variant: Option<&str>, limit: Option<usize>) -> Result<LogView> {
    if !bench.ledger.is_git() {
        return Ok(fold::log_view(&state(bench)?, variant, limit));
    }
    let mut index = open(&bench.ledger)?;
    if !index.campaigns().any(|c| c == bench.campaign) {
        return Ok(fold::log_view(&State::fold(bench.campaign.clone(), Vec::new()), None, limit));
    }
    Ok(index.log(&mut Source(&bench.ledger), &bench.campaign, variant, limit)?)
}

/// The campaign file's order first, then workloads that only records name.
fn order_workloads(view: &mut ListView, bench: &Workbench) {
    let mut names = bench.workload_names();
    let others: Vec<String> = view.workloads.iter().filter(|w| !names.contains(w)).cloned().collect();
    names.extend(others);
    view.workloads = names;
}

/// The body of a record, by its id.
///
/// # Errors
/// When it is not there or cannot be read.
pub fn body(bench: &Workbench, id: RecordId) -> Result<Body> {
    let raw = bench.ledger.get(id)?.ok_or_else(|| Error::input(format!("no record {id} in this ledger")))?;
    let record = Record::from_bytes(&raw.bytes).map_err(|e| Error::environment(format!("{}: {e}", raw.path)))?;
    Ok(record.body)
}
