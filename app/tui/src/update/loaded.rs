//! Answers of the backend and news of jobs.

use std::sync::Arc;

use assay_core::record::DecisionKind;
use assay_core::text;
use assay_core::view::ShowView;

use super::{complain, edit, layers, open, report, say};
use crate::backend::JobUpdate;
use crate::event::{Effect, Load, Loaded};
use crate::options::Notify;
use crate::state::variants::Variants;
use crate::state::{Layer, Screen, State};

/// Details kept in memory; more are forgotten all at once, which costs one read each.
const KEPT_SHOWS: usize = 256;

/// Takes an answer; one to a question that is no longer asked is dropped.
pub fn loaded(state: &mut State, answer: Loaded, out: &mut Vec<Effect>) {
    match answer {
        Loaded::List(list) => {
            let first = state.variants.list.value.is_none();
            state.variants.list.set(list.map(|view| *view));
            state.variants.generation += 1;
            state.variants.arrange();
            state.workloads.arrange(state.variants.list.value.as_ref());
            if first && state.variants.selected.is_none() {
                state.variants.selected = state.variants.champion().map(str::to_owned);
                state.variants.arrange();
            }
        }
        Loaded::Show(name, answer) => {
            let v = &mut state.variants;
            if v.asked.as_deref() == Some(name.as_str()) {
                v.asked = None;
                v.stale = false;
            }
            if v.shows.len() >= KEPT_SHOWS {
                v.shows.clear();
            }
            gates_for_decision(&mut state.layers, v, &name, answer.as_deref());
            match answer {
                Ok(show) => _ = v.shows.insert(name, Arc::new(*show)),
                Err(e) => v.show_error = Some((name, e)),
            }
            v.generation += 1;
        }
        Loaded::Compare(names, answer) => {
            if names == state.compare.pair {
                state.compare.slot.set(answer.map(|view| *view));
            }
        }
        Loaded::Diff(key, answer) => {
            if Some(&key) == state.source.key.as_ref() {
                state.source.slot.set(answer);
            }
        }
        Loaded::Log(log) => state.history.slot.set(log),
        Loaded::Page(lang, answer) => {
            if state.report.lang == Some(lang) {
                state.report.slot.set(answer);
            }
        }
        Loaded::Checks(lang, answer) => {
            if state.report.lang == Some(lang) {
                state.report.checks.set(answer);
            }
        }
        Loaded::Edit(name, answer) => edit::place(state, name, answer, out),
        Loaded::Committed(answer) => edit::committed(state, answer, out),
        Loaded::Exported(answer) => report::exported(state, answer),
        Loaded::Heat(view) => {
            state.workloads.slot.set(view);
            state.workloads.arrange(state.variants.list.value.as_ref());
        }
        Loaded::Samples(pair, sets) => {
            if Some(&pair) == state.workloads.asked.as_ref() {
                state.workloads.samples.set(sets);
                state.workloads.generation += 1;
            }
        }
        Loaded::Profile(key, view) => {
            let p = &mut state.profile;
            if Some(&key) == p.key.as_ref() {
                p.slot.set(view);
                p.generation += 1;
                p.arrange();
            }
        }
        Loaded::Findings(name, view) => {
            let p = &mut state.profile;
            if Some(&name) == p.found_of.as_ref() {
                p.findings.set(view.map(|v| *v));
                p.generation += 1;
            }
        }
        Loaded::Decided(name, answer) => decided(state, &name, answer, out),
        Loaded::Created(name, answer) => created(state, name, answer, out),
        Loaded::RunStarted(Ok(_)) => {}
        Loaded::RunStarted(Err(e)) => {
            // It was said to have started.
            state.notice = None;
            complain(state, &e);
        }
        // A path is there to be used: it stays until it is closed.
        Loaded::Report(Ok(path)) => {
            state.notice = None;
            layers::message(state, state.strings.report_written, &path);
        }
        Loaded::Report(Err(e)) => complain(state, &e),
    }
}

/// Hands the gates as they stand to the form that waits for them.
fn gates_for_decision(
    layers: &mut [Layer],
    variants: &Variants,
    name: &str,
    answer: Result<&ShowView, &String>,
) {
    for layer in layers {
        let Layer::Decide(d) = layer else { continue };
        if d.name != name || !d.reading {
            continue;
        }
        match answer {
            Ok(show) => d.take_gates(&show.variant.gates),
            // What the list has is better than nothing: the engine judges again in any case.
            Err(e) => {
                let listed = variants.find(name).map_or(&[][..], |v| &v.gates);
                d.take_gates(listed);
                d.problem = Some(e.clone());
            }
        }
        if let Some(refusal) = d.refusal.take() {
            d.take_refusal(&refusal);
        }
    }
}

fn decided(state: &mut State, name: &str, answer: Result<String, String>, out: &mut Vec<Effect>) {
    let at = state
        .layers
        .iter()
        .position(|l| matches!(l, Layer::Decide(d) if d.name == name));
    match answer {
        Ok(text) => {
            if let Some(at) = at {
                state.layers.remove(at);
            }
            open::reload(state, out);
            say(state, text);
        }
        Err(e) => match at.and_then(|at| state.layers.get_mut(at)) {
            Some(Layer::Decide(d)) => {
                d.saving = false;
                if d.kind == DecisionKind::Accept {
                    // The refusal may rest on gates that changed since the form was opened.
                    d.reading = true;
                    d.refusal = Some(e.clone());
                    out.push(Effect::Load(Load::Show(d.name.clone())));
                }
                d.problem = Some(e);
            }
            _ => complain(state, &e),
        },
    }
}

fn created(state: &mut State, name: String, answer: Result<String, String>, out: &mut Vec<Effect>) {
    let at = state
        .layers
        .iter()
        .position(|l| matches!(l, Layer::New(n) if n.saving));
    match answer {
        Ok(text) => {
            if let Some(at) = at {
                state.layers.remove(at);
            }
            state.variants.wanted = Some(name);
            open::reload(state, out);
            say(state, text);
        }
        Err(e) => match at.and_then(|at| state.layers.get_mut(at)) {
            Some(Layer::New(n)) => {
                n.saving = false;
                n.problem = Some(e);
            }
            _ => complain(state, &e),
        },
    }
}

/// Takes news of a job; its end reads the ledger again.
pub fn job(state: &mut State, update: &JobUpdate, out: &mut Vec<Effect>) {
    let known_end = state
        .jobs
        .list
        .iter()
        .any(|j| j.id == update.job && j.finished.is_some());
    let known = state.jobs.list.iter().any(|j| j.id == update.job);
    state.jobs.apply(update, state.now);
    // A job that was just started is what the user will look at, unless another is being looked at.
    if !known && state.screen != Screen::Jobs {
        state.jobs.cursor.index = 0;
        state.jobs.up = 0;
    }
    if let (Some(end), false) = (&update.finished, known_end) {
        open::reload(state, out);
        let (Ok(text) | Err(text)) = end;
        let said = format!("{}: {text}", update.title);
        if state.options.notify != Notify::Off {
            let line = said.lines().next().unwrap_or_default();
            out.push(Effect::Notify(text::inert(line).into_owned()));
        }
        match end {
            Ok(_) => say(state, said),
            Err(_) => complain(state, &said),
        }
    }
}
