//! From what is on the screen to the records that it rests on.

use std::collections::HashSet;

use assay_core::RecordId;
use assay_core::view::{LogRow, RecordView};

use super::act::subject;
use super::say;
use crate::event::{Effect, Load};
use crate::layout;
use crate::state::{Evidence, Layer, Opened, Screen, State};

/// Most variants and records that a page of the report leads to at once.
const MOST: usize = 24;

/// Opens the records of what is at hand: one at once, several as a list.
pub fn open(state: &mut State, out: &mut Vec<Effect>) {
    let names = about(state);
    match names.as_slice() {
        [] if state.screen == Screen::Jobs => say(state, state.strings.no_jobs_here.to_owned()),
        [] => say(state, state.strings.no_evidence_here.to_owned()),
        [id] if is_id(id) => record(state, id.clone(), out),
        _ => {
            let mut e = Evidence {
                names: names.clone(),
                ..Evidence::default()
            };
            e.slot.loading = true;
            state.layers.push(Layer::Evidence(e));
            out.push(Effect::Load(Load::Evidence(names)));
        }
    }
}

/// Opens the record that is selected in the list.
pub fn open_selected(state: &mut State, out: &mut Vec<Effect>) {
    let Some(Layer::Evidence(e)) = state.layers.last() else {
        return;
    };
    if let Some(id) = e.current().map(|r| r.id.clone()) {
        record(state, id, out);
    }
}

fn record(state: &mut State, id: String, out: &mut Vec<Effect>) {
    let mut opened = Opened {
        id: id.clone(),
        ..Opened::default()
    };
    opened.slot.loading = true;
    state.layers.push(Layer::Record(Box::new(opened)));
    out.push(Effect::Load(Load::Record(id)));
}

/// Takes the list, where it is still wanted.
pub fn listed(state: &mut State, names: &[String], answer: Result<Vec<LogRow>, String>) {
    // A page cites many things, none of which is at hand.
    let cites = state.screen == Screen::Report;
    for layer in &mut state.layers {
        if let Layer::Evidence(e) = layer
            && e.names == names
        {
            e.slot.set(answer);
            e.cursor.index = if cites { 0 } else { rests_on(e) };
            return;
        }
    }
}

/// Kinds of records that the figures of a variant are from, that of the ratio first.
const FIGURES: [&str; 6] = [
    "verdict",
    "measurement",
    "screened",
    "readings",
    "profile",
    "check",
];

/// The place of the newest record that the figures at hand rest on: of the first that was asked about.
fn rests_on(e: &Evidence) -> usize {
    let rows = e.slot.value.as_deref().unwrap_or_default();
    let first = e.names.first().map(String::as_str);
    let own = |r: &LogRow| r.variant.as_deref() == first;
    let of = |kind: &&str| rows.iter().position(|r| own(r) && r.kind == **kind);
    FIGURES.iter().find_map(of).unwrap_or(0)
}

/// Takes a record, where it is still wanted.
pub fn read(state: &mut State, id: &str, answer: Result<RecordView, String>) {
    for layer in &mut state.layers {
        if let Layer::Record(r) = layer
            && r.id == id
        {
            return r.slot.set(answer);
        }
    }
}

/// What is at hand: names of variants, ids of records.
fn about(state: &State) -> Vec<String> {
    match state.layers.last() {
        Some(Layer::Decide(d)) => return vec![d.name.clone()],
        Some(Layer::Record(r)) => return cited(r),
        _ => {}
    }
    match state.screen {
        // The last is what the others are compared with it for.
        Screen::Compare => state.compare.pair.iter().rev().cloned().collect(),
        Screen::Source => {
            let key = state.source.key.iter();
            key.flat_map(|k| [k.b.clone(), k.a.clone()]).collect()
        }
        Screen::History => {
            let rows = state.history.slot.value.iter().flat_map(|v| &v.records);
            let row = rows.into_iter().nth(state.history.cursor.index);
            row.map(|r| r.id.clone()).into_iter().collect()
        }
        Screen::Jobs => {
            let job = state.jobs.current();
            job.map(|j| j.view.names.clone()).unwrap_or_default()
        }
        Screen::Profile => match state.profile.slot.value.as_ref() {
            Some(view) if !view.records.is_empty() => view.records.clone(),
            _ => subject(state).into_iter().collect(),
        },
        Screen::Report => of_page(state),
        Screen::Variants | Screen::Workloads => subject(state).into_iter().collect(),
    }
}

/// The records that a record rests on or corrects.
fn cited(r: &Opened) -> Vec<String> {
    let Some(view) = &r.slot.value else {
        return Vec::new();
    };
    let mut out: Vec<String> = Vec::new();
    let lines = view
        .outline()
        .into_iter()
        .chain(view.record.supersedes.clone());
    for line in lines {
        for word in words(&line).filter(|w| is_id(w) && *w != r.id) {
            if !out.iter().any(|w| w == word) {
                out.push(word.to_owned());
            }
        }
    }
    out.truncate(MOST);
    out
}

fn is_id(text: &str) -> bool {
    text.parse::<RecordId>().is_ok()
}

/// What the part of the write-up in view names: records, also those below it that belong to it, for
/// a chapter names its records at its end; then variants.
fn of_page(state: &State) -> Vec<String> {
    let page = &state.report.page;
    let height = usize::from(layout::inside(layout::areas(state.size).body).height);
    let end = (state.report.scroll + height).min(page.rows.len());
    // What was searched for is meant before what stands around it.
    let from = state.report.find.row().unwrap_or(state.report.scroll);
    let next = page.chapters.iter().map(|c| c.row).find(|row| *row >= end);
    let below = next.unwrap_or(page.rows.len());
    let known: HashSet<&str> = (state.variants.list.value.iter())
        .flat_map(|l| &l.variants)
        .map(|v| v.name.as_str())
        .collect();
    let (mut records, mut variants) = (Vec::new(), Vec::new());
    for (at, row) in page.rows.iter().enumerate().take(below).skip(from) {
        let text = row.text();
        for word in words(&text) {
            let to = match is_id(word) {
                true => &mut records,
                false if at < end && known.contains(word) => &mut variants,
                false => continue,
            };
            if !to.iter().any(|w| w == word) {
                to.push(word.to_owned());
            }
        }
    }
    records.extend(variants);
    records.truncate(MOST);
    records
}

/// The words of a text that may be names: runs of what names are made of.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside = |c: char| c.is_alphanumeric() || "-_.+/".contains(c);
    text.split(move |c| !inside(c))
        .map(|w| w.trim_matches(['.', '/']))
        .filter(|w| !w.is_empty())
}
