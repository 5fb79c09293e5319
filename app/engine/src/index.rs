//! The index over the ledger: what saves reading all records.
//!
//! It can be thrown away at any time: what is missing or old is made again.

use std::cell::{RefCell, RefMut};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use assay_core::fold::{self, Place, State};
use assay_core::record::{Body, Evaluator, Record};
use assay_core::view::{ChainView, HeatRow, HeatView, ListView, LogView};
use assay_core::{RecordId, Sha256};
use assay_ledger::Ledger;
use assay_table::{BoxError, Delta, Index, Query, RawRecord, Records, Snapshot};

use crate::error::{Error, Result};
use crate::profiles::doubted::Doubts;
use crate::workbench::{Dirs, Workbench};

/// A ledger as the index reads it.
struct Source<'a>(&'a Ledger);

fn raw(r: assay_ledger::RawRecord) -> RawRecord {
    RawRecord {
        path: r.path,
        bytes: r.bytes,
    }
}

impl Records for Source<'_> {
    fn head(&mut self) -> Result<Option<String>, BoxError> {
        Ok(self.0.head()?)
    }

    fn snapshot(&mut self) -> Result<Snapshot, BoxError> {
        let s = self.0.snapshot()?;
        Ok(Snapshot {
            head: s.head,
            records: s.records.into_iter().map(raw).collect(),
        })
    }

    fn changed_since(&mut self, head: &str) -> Result<Option<Delta>, BoxError> {
        Ok(self.0.changed_since(head)?.map(|d| Delta {
            head: d.head,
            added: d.added.into_iter().map(raw).collect(),
            removed: d.removed,
        }))
    }

    fn get_many(&mut self, ids: &[RecordId]) -> Result<Vec<RawRecord>, BoxError> {
        Ok(self.0.get_many(ids)?.into_iter().map(raw).collect())
    }
}

/// Where the index of a ledger lies: beside the branch, or in the cache folder for a plain folder,
/// since nothing may be written into a published one.
fn dir(ledger: &Ledger, dirs: &Dirs) -> PathBuf {
    let at = ledger.location();
    if ledger.is_git() {
        return at.join("assay/index");
    }
    let at = at.canonicalize().unwrap_or(at);
    dirs.cache
        .join("index")
        .join(Sha256::of(at.as_os_str().as_encoded_bytes()).short())
}

/// The index of a ledger, opened once and used again for as long as the ledger stands still.
#[derive(Default)]
pub(crate) struct Held {
    index: RefCell<Option<Index>>,
    doubts: RefCell<Option<(String, Rc<Doubts>)>>,
}

impl Held {
    fn open(&self, ledger: &Ledger, dirs: &Dirs) -> Result<RefMut<'_, Index>> {
        let mut held = self.index.borrow_mut();
        let index = match held.take() {
            Some(index) if index.ledger_head() == ledger.head()?.as_deref() => index,
            _ => Index::open(&dir(ledger, dirs), &mut Source(ledger))?.0,
        };
        Ok(RefMut::map(held, |held| held.insert(index)))
    }

    /// Names of the campaigns in the ledger.
    pub(crate) fn campaigns(&self, ledger: &Ledger, dirs: &Dirs) -> Result<Vec<String>> {
        Ok(self
            .open(ledger, dirs)?
            .campaigns()
            .map(str::to_owned)
            .collect())
    }
}

/// The index of a campaign; nothing when the ledger does not know the campaign yet.
fn known(bench: &Workbench) -> Result<Option<RefMut<'_, Index>>> {
    let index = bench.index.open(&bench.ledger, &bench.options.dirs)?;
    let there = index.campaigns().any(|c| c == bench.campaign);
    Ok(there.then_some(index))
}

fn nothing(bench: &Workbench) -> State {
    State::fold(bench.campaign.clone(), Vec::new())
}

fn whole(ledger: &Ledger) -> Result<(Vec<Record>, u64)> {
    let all = ledger.read_all()?;
    let count = all.len();
    let records: Vec<Record> = all
        .iter()
        .filter_map(|r| Record::from_bytes(&r.bytes).ok())
        .collect();
    let unreadable = (count - records.len()) as u64;
    Ok((records, unreadable))
}

/// The evaluator that is pinned in a campaign.
///
/// # Errors
/// When the ledger cannot be read.
pub fn evaluator(bench: &Workbench) -> Result<Option<Evaluator>> {
    match known(bench)? {
        Some(index) => Ok(index.evaluator(&bench.campaign)?.cloned()),
        None => Ok(None),
    }
}

/// The state of a campaign from all its records.
///
/// # Errors
/// When the ledger cannot be read.
pub fn state(bench: &Workbench) -> Result<State> {
    let (records, unreadable) = whole(&bench.ledger)?;
    let mut state = State::fold(bench.campaign.clone(), records);
    state.set_unreadable(unreadable);
    place(bench, &mut state);
    Ok(state)
}

/// Says what the campaign file declares, and that a plain folder can only be read.
fn place(bench: &Workbench, state: &mut State) {
    let mut workloads = bench.workload_names();
    if workloads.is_empty() {
        workloads = fold::recorded_workloads(state);
    }
    state.set_place(Place {
        workloads,
        read_only: !bench.can_run(),
    });
}

/// The state of a campaign as far as these subjects are concerned; see [`Index::state`].
///
/// # Errors
/// When the ledger cannot be read.
pub fn state_of(bench: &Workbench, names: &[&str]) -> Result<State> {
    match known(bench)? {
        Some(mut index) => {
            let mut source = Source(&bench.ledger);
            let mut state = index.state(&mut source, &bench.campaign, names)?;
            place(bench, &mut state);
            Ok(state)
        }
        None => Ok(nothing(bench)),
    }
}

/// The accepted steps to the champion.
///
/// # Errors
/// When the ledger cannot be read.
pub fn chain(bench: &Workbench) -> Result<Option<ChainView>> {
    match known(bench)? {
        Some(index) => Ok(index.chain(&bench.campaign)?.cloned()),
        None => Ok(None),
    }
}

/// Names of the variants of a campaign, oldest first, and of its baselines.
///
/// # Errors
/// When the ledger cannot be read.
pub fn names(bench: &Workbench) -> Result<(Vec<String>, Vec<String>)> {
    let Some(mut index) = known(bench)? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let (variants, baselines) = index.names(&mut Source(&bench.ledger), &bench.campaign)?;
    Ok((variants, baselines.to_vec()))
}

/// Variants that match a query, in its order; all of them without one.
///
/// # Errors
/// When the ledger cannot be read, or the query names a column that is not there.
pub fn list(bench: &Workbench, query: Option<&Query>) -> Result<ListView> {
    let source = &mut Source(&bench.ledger);
    let mut view = match (known(bench)?, query) {
        (Some(mut index), None) => index.list(source, &bench.campaign)?,
        (Some(mut index), Some(query)) => index
            .query(source, &bench.campaign, query)
            .map_err(|e| Error::input(e.to_string()))?,
        (None, _) => fold::list_view(&nothing(bench), &[]),
    };
    order_workloads(&mut view, bench);
    Ok(view)
}

/// Ratios by workload of all variants that have some: of verdicts from their records alone, of published
/// times as [`fold::heat_view`] has them.
///
/// # Errors
/// When the ledger cannot be read.
pub fn heat(bench: &Workbench) -> Result<HeatView> {
    let source = &mut Source(&bench.ledger);
    let (mut rows, claimed) = match known(bench)? {
        None => return Ok(HeatView::default()),
        Some(mut index) => {
            let rows = index.heat(source, &bench.campaign)?;
            let published = index.published(source, &bench.campaign)?;
            let without = published.into_iter().filter(|(_, judged)| !judged);
            let mut claimed: Vec<String> = without.map(|(name, _)| name).collect();
            if !claimed.is_empty() {
                claimed.extend(index.names(source, &bench.campaign)?.1.iter().cloned());
            }
            (rows, claimed)
        }
    };
    if !claimed.is_empty() {
        let names: Vec<&str> = claimed.iter().map(String::as_str).collect();
        let view = fold::heat_view(&state_of(bench, &names)?);
        let of_claims = view.rows.into_iter().filter(HeatRow::is_published);
        rows.extend(of_claims.filter(|r| claimed.contains(&r.name)));
        rows.sort_by(|a, b| a.name.cmp(&b.name));
    }
    Ok(HeatView { rows })
}

/// The log, newest first.
///
/// # Errors
/// When the ledger cannot be read, or the variant is unknown.
pub fn log(bench: &Workbench, variant: Option<&str>, limit: Option<usize>) -> Result<LogView> {
    match known(bench)? {
        Some(mut index) => {
            Ok(index.log(&mut Source(&bench.ledger), &bench.campaign, variant, limit)?)
        }
        None => Ok(fold::log_view(&nothing(bench), None, limit)),
    }
}

/// The campaign file's order first, then workloads that only records name.
fn order_workloads(view: &mut ListView, bench: &Workbench) {
    let mut names = bench.workload_names();
    let others: Vec<String> = view
        .workloads
        .iter()
        .filter(|w| !names.contains(w))
        .cloned()
        .collect();
    names.extend(others);
    let place = Place {
        workloads: names.clone(),
        ..Place::default()
    };
    for row in &mut view.variants {
        row.published = (place.in_order(&row.published).into_iter())
            .cloned()
            .collect();
    }
    view.workloads = names;
    view.read_only = !bench.can_run();
}

/// Names of the variants with published times, and of all baselines, of which the index does not know it.
///
/// # Errors
/// When the ledger cannot be read.
pub(crate) fn published(bench: &Workbench) -> Result<Vec<String>> {
    let Some(mut index) = known(bench)? else {
        return Ok(Vec::new());
    };
    let source = &mut Source(&bench.ledger);
    let published = index.published(source, &bench.campaign)?;
    let mut names: Vec<String> = published.into_iter().map(|(name, _)| name).collect();
    names.extend(index.names(source, &bench.campaign)?.1.iter().cloned());
    Ok(names)
}

/// Begins and ends the names of the files that keep what audits say against published figures.
const DOUBTS: [&str; 2] = ["doubts-", ".kept"];

/// The largest such file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// What audits say against published figures, at the present state of the ledger and under `key`: as it
/// was worked out before, else worked out, and kept beside the index where `lasting` says that it may be.
///
/// What cannot be worked out is nothing, and what cannot be kept is no error.
pub(crate) fn kept(
    bench: &Workbench,
    key: &str,
    lasting: bool,
    make: impl FnOnce() -> Result<Doubts>,
) -> Rc<Doubts> {
    let head = bench.ledger.head().ok().flatten().unwrap_or_default();
    let name = Sha256::of_parts([head.as_bytes(), key.as_bytes()]).short();
    if let Some((at, doubts)) = &*bench.index.doubts.borrow()
        && *at == name
    {
        return doubts.clone();
    }
    let [begin, end] = DOUBTS;
    let of = format!("{begin}{}-", Sha256::of(&bench.campaign).short());
    let file =
        lasting.then(|| dir(&bench.ledger, &bench.options.dirs).join(format!("{of}{name}{end}")));
    let read = file.as_deref().and_then(|file| {
        let small = fs::metadata(file).is_ok_and(|m| m.len() <= LARGEST);
        let bytes = small.then(|| fs::read(file).ok()).flatten()?;
        serde_json::from_slice(&bytes).ok()
    });
    let doubts = read.unwrap_or_else(|| {
        let made = make().unwrap_or_default();
        if let (Some(file), Ok(text)) = (&file, serde_json::to_vec(&made)) {
            // Without it the next program works it out again.
            let _ = replace(file, &of, &text);
        }
        made
    });
    let doubts = Rc::new(doubts);
    *bench.index.doubts.borrow_mut() = Some((name, doubts.clone()));
    doubts
}

/// Writes a file in the place of those of other states.
fn replace(file: &Path, of: &str, text: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder)?;
    let mut new = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(folder)?;
    new.write_all(text)?;
    new.persist(file).map_err(|e| e.error)?;
    for old in fs::read_dir(folder)?.flatten() {
        let name = old.file_name().to_string_lossy().into_owned();
        if name.starts_with(of) && name.ends_with(DOUBTS[1]) && old.path() != file {
            // Another program may have removed it first.
            let _ = fs::remove_file(old.path());
        }
    }
    Ok(())
}

/// The body of a record, by its id.
///
/// # Errors
/// When it is not there or cannot be read.
pub fn body(bench: &Workbench, id: RecordId) -> Result<Body> {
    let raw = bench
        .ledger
        .get(id)?
        .ok_or_else(|| Error::input(format!("no record {id} in this ledger")))?;
    let record = Record::from_bytes(&raw.bytes)
        .map_err(|e| Error::environment(format!("{}: {e}", raw.path)))?;
    Ok(record.body)
}
