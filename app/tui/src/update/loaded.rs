//! Answers of the backend and news of jobs.

use std::sync::Arc;

use assay_core::record::DecisionKind;
use assay_core::text;
use assay_core::view::{JobState, JobView, Standing};

use super::{complain, edit, evidence, layers, open, report, say};
use crate::event::{Effect, Load, Loaded};
use crate::options::Notify;
use crate::state::variants::Variants;
use crate::state::{ConfirmKind, Layer, Notice, Screen, State};
use crate::strings::{decision_word, fill};

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
            match answer {
                Ok(show) => _ = v.shows.insert(name, Arc::new(*show)),
                Err(e) => v.show_error = Some((name, e)),
            }
            v.generation += 1;
        }
        Loaded::Standing(name, answer) => {
            let waiting = state.strings.gates_reading;
            gates_for_decision(&mut state.layers, &state.variants, &name, (answer, waiting));
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
        Loaded::Decided(name, kind, answer) => decided(state, (&name, kind), answer, out),
        Loaded::Created(name, answer) => created(state, name, answer, out),
        Loaded::Evidence(names, rows) => evidence::listed(state, &names, rows),
        Loaded::Record(id, view) => evidence::read(state, &id, view.map(|v| *v)),
        Loaded::JobLog(id, part) => state.jobs.take_log(&id, part),
        Loaded::Cancelled(_, Ok(())) => {}
        Loaded::Cancelled(id, Err(e)) => {
            let job = state.jobs.list.iter_mut().find(|j| j.view.id == id);
            job.into_iter().for_each(|j| j.cancelling = false);
            complain(state, &e);
        }
        Loaded::RunStarted(Ok(_)) => {}
        Loaded::RunStarted(Err(e)) => {
            // It was said to have started.
            state.notice = None;
            state.jobs.ordered = false;
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
    (answer, waiting): (Result<Standing, String>, &str),
) {
    for layer in layers {
        let Layer::Decide(d) = layer else { continue };
        if d.name != name {
            continue;
        }
        if let Ok(standing) = &answer {
            d.nameless.clone_from(&standing.nameless);
        }
        if !d.reading {
            continue;
        }
        match &answer {
            Ok(standing) => {
                d.take_gates(&standing.gates);
                d.place = Some(standing.place.clone());
                // They are no longer waited for; another problem stays.
                d.problem.take_if(|p| p == waiting);
            }
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

fn decided(
    state: &mut State,
    (name, kind): (&str, DecisionKind),
    answer: Result<Option<String>, String>,
    out: &mut Vec<Effect>,
) {
    let at = state
        .layers
        .iter()
        .position(|l| matches!(l, Layer::Decide(d) if d.name == name));
    match answer {
        Ok(champion) => {
            if let Some(at) = at {
                state.layers.remove(at);
            }
            open::reload(state, out);
            let word = decision_word(state.options.lang, kind);
            let text = match champion {
                Some(c) => fill(state.strings.champion_is, &[name, word, &c]),
                None => format!("{name}: {word}"),
            };
            say(state, text);
        }
        Err(e) => match at.and_then(|at| state.layers.get_mut(at)) {
            Some(Layer::Decide(d)) => {
                d.saving = false;
                if d.kind == DecisionKind::Accept {
                    // The refusal may rest on gates that changed since the form was opened.
                    d.reading = true;
                    d.refusal = Some(e.clone());
                    out.push(Effect::Load(Load::Standing(d.name.clone())));
                }
                d.problem = Some(e);
            }
            _ => complain(state, &e),
        },
    }
}

fn created(state: &mut State, name: String, answer: Result<(), String>, out: &mut Vec<Effect>) {
    let at = state
        .layers
        .iter()
        .position(|l| matches!(l, Layer::New(n) if n.saving));
    match answer {
        Ok(()) => {
            if let Some(at) = at {
                state.layers.remove(at);
            }
            let text = fill(state.strings.created, &[&name]);
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

/// Takes the jobs as they stand; the end of one reads the ledger again.
pub fn jobs(state: &mut State, answer: Result<Vec<JobView>, String>, out: &mut Vec<Effect>) {
    let views = match answer {
        Ok(views) => views,
        Err(e) => return state.jobs.error = Some(e),
    };
    let first = !state.jobs.known;
    let watched = state.screen == Screen::Jobs;
    let ended = state.jobs.take(views, state.now, watched);
    // There is nothing left to ask about.
    let over = |id: &str| ended.iter().any(|j| j.id == id);
    (state.layers)
        .retain(|l| !matches!(l, Layer::Confirm(ConfirmKind::CancelJob(id, _)) if over(id)));
    let open = state.jobs.running();
    if first && open > 0 {
        let text = fill(state.strings.jobs_go_on, &[&open.to_string()]);
        return say(state, text);
    }
    let Some(job) = ended.first() else { return };
    open::reload(state, out);
    // One line: nothing may cover what a user is at, and the screen of jobs has the rest.
    let result = job.result.as_deref().unwrap_or(state.strings.job_lost);
    let line = state
        .options
        .lang
        .said(result.lines().next().unwrap_or_default());
    let text = text::inert(&format!("{}: {line}", job.title)).into_owned();
    if state.options.notify != Notify::Off {
        out.push(Effect::Notify(text.clone()));
    }
    state.notice = Some(Notice {
        text,
        bad: job.state != JobState::Done,
    });
}
