//! Brings an index from an earlier state of the ledger up to date.
//!
//! Records only ever come. What they can change is the row of the variant that they are evidence
//! about. Those rows are folded again from their own records; all others are kept. The chain of
//! accepted steps is walked again when one of its variants is. An acceptance or a roll-back changes whom
//! all others are held against: what their gates follow from lies beside the rows. What reaches further
//! (corrections, tombstones, another evaluator, ids already taken) is left to a rebuild.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use polars::prelude::*;

use assay_core::fold::{State, list_view, owner, ranked, reference};
use assay_core::{Record, RecordId};

use crate::error::{Error, Result};
use crate::index::{Campaign, Content, head, load, read_rows};
use crate::records::{self, Table, is_plain};
use crate::rows;
use crate::source::{Placed, Records, ledger, parse};
use crate::store::{Manifest, Store};

/// With more records than this, reading everything is no slower.
const MOST_ADDED: usize = 2000;

/// The content for the present state, from an earlier one, with the number of records added.
///
/// `None` when the earlier state is of no use.
pub(crate) fn from_earlier(
    store: &Store,
    old: &Manifest,
    source: &mut impl Records,
) -> Result<Option<(Content, usize)>> {
    let Some(delta) = source.changed_since(&old.ledger).map_err(ledger)? else {
        return Ok(None);
    };
    if !delta.removed.is_empty() || delta.added.len() > MOST_ADDED {
        return Ok(None);
    }
    let read = load(store, old).and_then(|c| Ok((c, store.read(&old.records)?)));
    let Ok((mut content, frame)) = read else {
        return Ok(None);
    };
    // All of them: the files of the new state are written whole.
    for (name, c) in &mut content.campaigns {
        let read = (old.campaigns.get(name)).map(|m| (read_rows(store, m), store.read(&m.parts)));
        let Some((Ok(rows), Ok(parts))) = read else {
            return Ok(None);
        };
        (c.rows, c.parts) = (Some(rows), Some(parts));
    }
    let Some(table) = Table::of(&frame).ok().filter(|t| !t.has_twins()) else {
        return Ok(None);
    };
    let (added, unreadable) = parse(delta.added);
    let mut ids = BTreeSet::new();
    let mut plain =
        |(_, r): &Placed| is_plain(r) && ids.insert(r.id) && !table.holds(&r.id.to_string());
    if !added.iter().all(&mut plain) {
        return Ok(None);
    }
    let new = records::to_frame(&added)?;
    let whole = frame.vstack(&new)?;
    let frame = if table.is_followed_by(&Table::of(&new)?) {
        whole
    } else {
        sorted(&whole, &["id"])?
    };
    let table = Table::of(&frame)?;
    let mut by_campaign: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for (_, r) in &added {
        by_campaign.entry(&r.campaign).or_default().push(r);
    }
    for (name, new) in by_campaign {
        let campaign = update(&table, name, &new, content.campaigns.get(name), source)?;
        content.campaigns.insert(name.to_owned(), campaign);
    }
    content.ledger = delta.head;
    content.unreadable += unreadable;
    content.records = Some(frame);
    Ok(Some((content, added.len())))
}

fn update(
    table: &Table,
    campaign: &str,
    new: &[&Record],
    old: Option<&Campaign>,
    source: &mut impl Records,
) -> Result<Campaign> {
    let names = touched(table, campaign, new, old);
    let borrowed: HashSet<&str> = names.iter().map(String::as_str).collect();
    let needed = table.needed(campaign, &borrowed);
    let state = State::fold(campaign, fetch(source, &needed)?);
    let mut view = list_view(&state, &[]);
    let mut baselines: BTreeSet<String> = old.map_or_else(BTreeSet::new, |c| {
        c.head.baselines.iter().cloned().collect()
    });
    for name in &names {
        baselines.remove(name);
        if state.baselines().contains(name) {
            baselines.insert(name.clone());
        }
    }
    view.variants.retain(|r| borrowed.contains(r.name.as_str()));
    view.unreadable = table.unknown(campaign);
    let kept = |df: &DataFrame| -> Result<DataFrame> {
        let names = df.column("name")?.str()?;
        let kept: BooleanChunked = (names.iter())
            .map(|n| Some(!n.is_some_and(|n| borrowed.contains(n))))
            .collect_ca("kept".into());
        Ok(df.filter(&kept)?)
    };
    let mut head = head(&view, &state, baselines);
    let mut rows = rows::to_frame(&view.variants, &state)?;
    let mut parts = rows::to_parts(&view.variants, &state)?;
    if let Some(c) = old {
        let before = c.rows.as_ref().zip(c.parts.as_ref());
        let (before, parts_before) =
            before.ok_or_else(|| Error::Frame("its rows were not read".into()))?;
        rows = sorted(&kept(before)?.vstack(&rows)?, &["id", "name"])?;
        parts = kept(parts_before)?.vstack(&parts)?;
        if c.head.place() != head.place() {
            rows = rows::held_against(rows, &parts, head.place())?;
        }
    }
    let placed = table.placed(campaign);
    if let Some(c) = old.filter(|_| names.is_disjoint(&placed)) {
        head.chain.clone_from(&c.head.chain);
    }
    Ok(Campaign {
        head,
        variants: rows.height(),
        rows: Some(rows),
        parts: Some(parts),
    })
}

/// Names whose row may differ after these records.
fn touched(
    table: &Table,
    campaign: &str,
    new: &[&Record],
    old: Option<&Campaign>,
) -> BTreeSet<String> {
    let known = |name: &str| old.is_some_and(|c| c.head.baselines.iter().any(|b| b == name));
    let others: HashSet<&str> = (new.iter())
        .filter_map(|r| reference(&r.body))
        .filter(|name| !known(name))
        .collect();
    let settled = table.settled(campaign, &others);
    let mut names: BTreeSet<String> = (others.difference(&settled))
        .copied()
        .chain(new.iter().filter_map(|r| owner(&r.body)))
        .chain(new.iter().flat_map(|r| ranked(&r.body)))
        .map(str::to_owned)
        .collect();
    let placed = table.placed(campaign);
    // The chain of accepted steps rests on the verdicts of all of them.
    if !names.is_disjoint(&placed) {
        names.extend(placed);
    }
    names
}

/// Reads records by id. One that is not there any more is left out: the ledger has moved on, and
/// the next opening sees that.
pub(crate) fn fetch(source: &mut impl Records, ids: &[String]) -> Result<Vec<Record>> {
    let parsed = |id: &String| id.parse().map_err(|e| Error::Frame(format!("{e}")));
    let ids: Vec<RecordId> = ids.iter().map(parsed).collect::<Result<_>>()?;
    let raw = source.get_many(&ids).map_err(ledger)?;
    Ok(parse(raw).0.into_iter().map(|(_, r)| r).collect())
}

/// In the order of these columns; what has no value goes last.
fn sorted(df: &DataFrame, by: &[&str]) -> Result<DataFrame> {
    let options = SortMultipleOptions::default()
        .with_nulls_last(true)
        .with_maintain_order(true)
        .with_multithreaded(false);
    Ok(df.sort(by.iter().copied(), options)?)
}
