//! Going to screens and asking for what they show.

use super::act::{left_out, subject};
use super::say;
use crate::document::compare;
use crate::event::{DiffKey, Effect, Load, ProfileKey};
use crate::options::Lang;
use crate::state::{Screen, State};
use crate::strings::fill;

/// Shows a screen, remembering the one before.
fn show(state: &mut State, screen: Screen) {
    if state.screen != screen {
        state.trail.retain(|s| *s != screen);
        state.trail.push(state.screen);
        state.screen = screen;
        state.chosen = false;
    }
}

/// The variant that another screen goes on with: the selected one, unless the user has chosen a row
/// of this screen.
fn carried(state: &State) -> Option<String> {
    let chooses = matches!(state.screen, Screen::History | Screen::Jobs);
    let chosen = (chooses && state.chosen).then(|| subject(state)).flatten();
    chosen
        .filter(|n| state.variants.find(n).is_some())
        .or_else(|| state.variants.current().map(|v| v.name.clone()))
}

/// Goes to a screen by its number; an empty one is filled with what is selected.
pub fn screen(state: &mut State, screen: Screen, out: &mut Vec<Effect>) {
    match screen {
        Screen::Compare if state.compare.pair.is_empty() => {
            if let Some(pair) = pair(state) {
                load_compare(state, pair.into(), out);
            }
        }
        Screen::Source if state.source.key.is_none() => {
            if let Some([a, b]) = sources(state) {
                load_diff(state, DiffKey::new(a, b, false), out);
            }
        }
        Screen::Workloads => {
            if let Some(name) = carried(state) {
                state.workloads.go_to(&name);
                state.variants.select(&name);
            }
            need_heat(state, out);
        }
        Screen::Profile => {
            if let Some(name) = carried(state) {
                state.variants.select(&name);
            }
        }
        Screen::History if state.history.slot.value.is_none() => load_log(state, out),
        Screen::Report if state.report.slot.value.is_none() => load_report(state, out),
        _ => {}
    }
    show(state, screen);
}

/// The pair that Compare and Diff are about: two marks, a mark and the selection, or the
/// selection against its opponent. A first.
fn pair(state: &State) -> Option<[String; 2]> {
    if state.screen == Screen::Source {
        return state
            .source
            .key
            .as_ref()
            .map(|k| [k.a.clone(), k.b.clone()]);
    }
    if state.screen == Screen::Compare {
        // Of several the first and the last: what the change is of.
        let (a, b) = (state.compare.pair.first()?, state.compare.pair.last()?);
        return Some([a.clone(), b.clone()]);
    }
    if state.screen == Screen::Workloads {
        let row = state.workloads.current()?;
        return Some([row.against.clone(), row.name.clone()]);
    }
    if matches!(state.screen, Screen::History | Screen::Jobs) {
        let name = subject(state)?;
        return Some([state.variants.opponent(&name)?, name]);
    }
    let selected = state.variants.current().map(|v| v.name.clone());
    let [marked, _] = state.variants.marks();
    match (marked.as_slice(), selected) {
        ([a, b], _) => Some([a.clone(), b.clone()]),
        ([a], Some(b)) if *a != b => Some([a.clone(), b]),
        (_, Some(b)) => Some([state.variants.opponent(&b)?, b]),
        (_, None) => None,
    }
}

/// The pair that a diff is about: two marks, or those of the comparison; else a variant and what it
/// was made from. One without a parent is held against what it is compared with.
fn sources(state: &State) -> Option<[String; 2]> {
    let [marked, _] = state.variants.marks();
    let chosen = match state.screen {
        Screen::Compare => true,
        Screen::Variants => !marked.is_empty(),
        _ => false,
    };
    let own = || {
        let b = subject(state)?;
        Some([state.variants.parent(&b)?, b])
    };
    own().filter(|_| !chosen).or_else(|| pair(state))
}

fn no_pair(state: &mut State, hidden: &[String]) {
    let s = state.strings;
    let text = match state.variants.current() {
        Some(v) => fill(s.only_one, &[&v.name]),
        None => s.pick_two.to_owned(),
    };
    say(state, text + &left_out(state, hidden));
}

/// Marks that the filter hides, where marks count.
fn hidden(state: &State) -> Vec<String> {
    match state.screen {
        Screen::Variants => state.variants.marks()[1].clone(),
        _ => Vec::new(),
    }
}

/// Shows the comparison of several, the first of which is what the others are held against.
pub fn compare(state: &mut State, names: Vec<String>, out: &mut Vec<Effect>) {
    load_compare(state, names, out);
    show(state, Screen::Compare);
}

/// Compares all that are marked when there are several of them, else the pair.
pub fn compare_marked(state: &mut State, out: &mut Vec<Effect>) {
    let hidden = hidden(state);
    let marked = match state.screen {
        Screen::Variants => state.variants.marks()[0].clone(),
        Screen::Compare => state.compare.pair.clone(),
        _ => Vec::new(),
    };
    let names = match marked.len() {
        0..=2 => pair(state).map(Vec::from),
        _ => Some(marked),
    };
    match names {
        Some(names) => {
            compare(state, names, out);
            told(state, &hidden);
        }
        None => no_pair(state, &hidden),
    }
}

fn told(state: &mut State, hidden: &[String]) {
    let text = left_out(state, hidden);
    if !text.is_empty() {
        say(state, text.trim_start().to_owned());
    }
}

/// Shows the diff of the pair.
pub fn diff(state: &mut State, out: &mut Vec<Effect>) {
    let hidden = hidden(state);
    match sources(state) {
        Some([a, b]) => {
            show_diff(state, a, b, out);
            told(state, &hidden);
        }
        None => no_pair(state, &hidden),
    }
}

/// Shows the diff of the variant at hand and the champion.
pub fn diff_champion(state: &mut State, out: &mut Vec<Effect>) {
    let b = subject(state).filter(|n| state.variants.find(n).is_some());
    match (state.variants.champion().map(str::to_owned), b) {
        (Some(a), Some(b)) if a != b => show_diff(state, a, b, out),
        (Some(a), Some(_)) => say(state, fill(state.strings.champion_already, &[&a])),
        (None, Some(_)) => say(state, state.strings.no_champion.to_owned()),
        (_, None) => say(state, state.strings.no_decide.to_owned()),
    }
}

/// On the screen of diffs the kind of source stays.
fn show_diff(state: &mut State, a: String, b: String, out: &mut Vec<Effect>) {
    let shown = state.source.key.as_ref();
    let generated = state.screen == Screen::Source && shown.is_some_and(|k| k.generated);
    load_diff(state, DiffKey::new(a, b, generated), out);
    show(state, Screen::Source);
}

/// Exchanges A and B.
pub fn swap(state: &mut State, out: &mut Vec<Effect>) {
    match (state.screen, pair(state)) {
        (Screen::Compare, _) => {
            let turned: Vec<String> = state.compare.pair.iter().rev().cloned().collect();
            load_compare(state, turned, out);
        }
        (Screen::Source, Some([a, b])) => {
            if let Some(key) = state.source.key.clone() {
                load_diff(state, DiffKey { a: b, b: a, ..key }, out);
            }
        }
        _ => {}
    }
}

/// Kernel source or generated source.
pub fn toggle_generated(state: &mut State, out: &mut Vec<Effect>) {
    if let Some(key) = state.source.key.clone() {
        load_diff(state, DiffKey::new(key.a, key.b, !key.generated), out);
    }
}

/// Lines compared by their text, or by what is left of them after normalisation.
pub fn toggle_normalised(state: &mut State, out: &mut Vec<Effect>) {
    if let Some(key) = state.source.key.clone() {
        let normalised = !key.normalised;
        load_diff(state, DiffKey { normalised, ..key }, out);
    }
}

/// Enter: the detail on the whole screen, or the variant of a record or of a job.
pub fn enter(state: &mut State, out: &mut Vec<Effect>) {
    match state.screen {
        Screen::Variants if state.variants.current().is_some() => {
            state.variants.detail_full = !state.variants.detail_full;
        }
        Screen::History | Screen::Jobs => {
            let Some(name) = subject(state).filter(|n| state.variants.find(n).is_some()) else {
                return;
            };
            state.variants.selected = Some(name);
            state.variants.set_filter("");
            screen(state, Screen::Variants, out);
        }
        _ => {}
    }
}

fn load_compare(state: &mut State, names: Vec<String>, out: &mut Vec<Effect>) {
    if state.compare.pair != names {
        state.compare.slot.clear();
        state.compare.pair.clone_from(&names);
    }
    state.compare.slot.loading = true;
    out.push(Effect::Load(Load::Compare(names)));
}

fn load_diff(state: &mut State, key: DiffKey, out: &mut Vec<Effect>) {
    if state.source.key.as_ref() != Some(&key) {
        state.source.forget();
    }
    state.source.slot.loading = true;
    state.source.key = Some(key.clone());
    out.push(Effect::Load(Load::Diff(key)));
}

/// Asks for counters and findings of a variant, unless they are there or asked for; a workload
/// that was chosen is kept.
pub fn profile_of(state: &mut State, name: &str, workload: Option<String>, out: &mut Vec<Effect>) {
    let p = &mut state.profile;
    let same = p.key.as_ref().is_some_and(|k| k.variant == name);
    if same && (workload.is_none() || p.key.as_ref().is_some_and(|k| k.workload == workload)) {
        return;
    }
    let kept = p.key.take().and_then(|k| k.workload);
    let key = ProfileKey {
        variant: name.to_owned(),
        workload: workload.or(kept),
    };
    p.forget();
    p.slot.loading = true;
    p.key = Some(key.clone());
    out.push(Effect::Load(Load::Profile(key)));
    if p.found_of.as_deref() != Some(name) {
        p.forget_findings();
        p.findings.loading = true;
        p.found_of = Some(name.to_owned());
        out.push(Effect::Load(Load::Findings(name.to_owned())));
    }
}

/// Reads counters and findings again.
fn reload_profile(state: &mut State, out: &mut Vec<Effect>) {
    let p = &mut state.profile;
    if let Some(key) = p.key.clone() {
        p.slot.loading = true;
        out.push(Effect::Load(Load::Profile(key)));
    }
    if let Some(name) = p.found_of.clone() {
        p.findings.loading = true;
        out.push(Effect::Load(Load::Findings(name)));
    }
}

/// The counters of the variant at hand; from a cell of the heat map those of its workload.
pub fn open_profile(state: &mut State, out: &mut Vec<Effect>) {
    let Some(name) = subject(state).filter(|n| state.variants.find(n).is_some()) else {
        return say(state, state.strings.no_decide.to_owned());
    };
    let workload = match state.screen {
        Screen::Workloads => state.workloads.workload().map(str::to_owned),
        _ => None,
    };
    state.variants.select(&name);
    profile_of(state, &name, workload, out);
    show(state, Screen::Profile);
}

/// The counters of the next or the previous workload.
pub fn step_workload(state: &mut State, by: isize, out: &mut Vec<Effect>) {
    let Some(key) = state.profile.key.clone() else {
        return;
    };
    match state.profile.workload(by) {
        Some(workload) => profile_of(state, &key.variant, Some(workload), out),
        None => say(state, state.strings.one_workload.to_owned()),
    }
}

/// Reads the map of ratios, unless it was read.
pub fn need_heat(state: &mut State, out: &mut Vec<Effect>) {
    if state.workloads.slot.value.is_none() {
        load_heat(state, out);
    }
}

fn load_heat(state: &mut State, out: &mut Vec<Effect>) {
    state.workloads.slot.loading = true;
    out.push(Effect::Load(Load::Heat));
}

/// From a cell to the samples it rests on: the comparison of its pair, at its workload.
pub fn cell_evidence(state: &mut State, out: &mut Vec<Effect>) {
    let (Some(pair), Some(workload)) = (pair(state), state.workloads.workload()) else {
        return;
    };
    let title = compare::samples_title(state.strings, workload);
    state.compare.wanted = Some(assay_core::text::inert(&title).into_owned());
    load_compare(state, pair.into(), out);
    show(state, Screen::Compare);
}

fn load_log(state: &mut State, out: &mut Vec<Effect>) {
    state.history.slot.loading = true;
    out.push(Effect::Load(Load::Log(state.options.lang)));
}

/// Reads the write-up, and holds it to its rules, which may take longer.
fn load_report(state: &mut State, out: &mut Vec<Effect>) {
    let lang = *state.report.lang.get_or_insert(state.options.lang);
    state.report.slot.loading = true;
    state.report.checks.loading = true;
    out.push(Effect::Load(Load::Page(lang)));
    out.push(Effect::Load(Load::Checks(lang)));
}

/// The write-up in the other language.
pub fn toggle_report_lang(state: &mut State, out: &mut Vec<Effect>) {
    let lang = state.report.lang.unwrap_or(state.options.lang);
    state.report.lang = Some(match lang {
        Lang::En => Lang::Zh,
        Lang::Zh => Lang::En,
    });
    load_report(state, out);
}

/// Reads everything that is shown again.
pub fn reload(state: &mut State, out: &mut Vec<Effect>) {
    state.variants.list.loading = true;
    out.push(Effect::Load(Load::List));
    state.variants.stale = true;
    let keep = state.variants.selected.clone();
    state.variants.shows.retain(|n, _| Some(n) == keep.as_ref());
    state.variants.asked = None;
    state.variants.show_error = None;
    if !state.compare.pair.is_empty() {
        load_compare(state, state.compare.pair.clone(), out);
    }
    if let Some(key) = state.source.key.clone() {
        load_diff(state, key, out);
    }
    if state.workloads.slot.value.is_some() || state.screen == Screen::Workloads {
        load_heat(state, out);
        state.workloads.asked = None;
    }
    reload_profile(state, out);
    if state.history.slot.value.is_some() || state.screen == Screen::History {
        load_log(state, out);
    }
    if state.screen == Screen::Report {
        load_report(state, out);
    } else {
        // It is long to make: another is made when it is looked at.
        state.report.slot.clear();
        state.report.checks.clear();
    }
}
