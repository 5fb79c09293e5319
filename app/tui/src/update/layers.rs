//! Keys and text that go to the topmost layer.

use assay_core::record::DecisionKind;
use crossterm::event::KeyCode;

use super::act::{act, subject};
use super::{forms, say, table};
use crate::action::{ACTIONS, Action, Context};
use crate::event::{Effect, Load};
use crate::keymap::{Key, lookup};
use crate::layout;
use crate::state::columns::Kind;
use crate::state::{
    ConfirmKind, Cursor, Decide, Kernels, Layer, NewVariant, Palette, Picked, Screen, State,
};
use crate::strings::fill;
use crate::widget::field::Field;

/// Opens the command palette.
pub fn open_palette(state: &mut State) {
    let hits = search(state, "");
    state.layers.push(Layer::Palette(Palette {
        hits,
        ..Palette::default()
    }));
}

/// Opens the filter line.
pub fn open_filter(state: &mut State) {
    let before = match state.screen {
        Screen::Profile => state.profile.filter.clone(),
        _ => state.variants.filter.text.clone(),
    };
    state.layers.push(Layer::Filter {
        field: Field::with(&before),
        before,
    });
}

/// Opens the form that declares a variant.
pub fn open_new(state: &mut State) {
    let parent = subject(state).or_else(|| state.variants.champion().map(str::to_owned));
    state.layers.push(Layer::New(NewVariant {
        parent,
        fields: Default::default(),
        focus: 0,
        problem: None,
        saving: false,
        discard_armed: false,
    }));
}

/// Opens the form of a decision on the variant at hand.
pub fn open_decide(state: &mut State, kind: DecisionKind, out: &mut Vec<Effect>) {
    let Some(row) = subject(state).and_then(|n| state.variants.find(&n)) else {
        say(state, state.strings.no_decide.to_owned());
        return;
    };
    let accepts = kind == DecisionKind::Accept;
    if accepts && state.variants.champion() == Some(row.name.as_str()) {
        let text = fill(state.strings.champion_already, &[&row.name]);
        return say(state, text);
    }
    if accepts {
        // The gates of the list may be older than the champion that this one is held against.
        out.push(Effect::Load(Load::Show(row.name.clone())));
    }
    let form = Decide {
        name: row.name.clone(),
        kind,
        reason: Field::default(),
        gates: Vec::new(),
        reading: accepts,
        refusal: None,
        overrides: Vec::new(),
        focus: 0,
        problem: None,
        saving: false,
        discard_armed: false,
    };
    state.layers.push(Layer::Decide(form));
}

/// Opens the list of the kernels of the diff.
pub fn open_kernels(state: &mut State) {
    let list = state.source.all_kernels();
    if list.is_empty() {
        return say(state, state.strings.no_kernels.to_owned());
    }
    let at = state.source.kernel();
    let index = list.iter().position(|k| Some(*k) == at).unwrap_or(0);
    state.layers.push(Layer::Kernels(Kernels {
        list,
        cursor: Cursor { index, offset: 0 },
    }));
}

/// Shows all notices of the diff in full.
pub fn open_notices(state: &mut State) {
    let text = state.source.notices(state.options.lang).join("\n\n");
    if text.is_empty() {
        return say(state, state.strings.no_notices.to_owned());
    }
    message(state, state.strings.notices, &text);
}

/// Shows a longer text.
pub fn message(state: &mut State, title: &str, text: &str) {
    state.layers.push(Layer::Message {
        title: title.to_owned(),
        text: text.to_owned(),
        doc: Default::default(),
    });
}

/// Hands a filter to what it filters on this screen.
fn set_filter(state: &mut State, text: &str) {
    match state.screen {
        Screen::Profile => state.profile.set_filter(text),
        _ => state.variants.set_filter(text),
    }
}

/// Drops the topmost layer; a filter goes back to what it was.
pub fn drop_top(state: &mut State) {
    match state.layers.pop() {
        Some(Layer::Filter { before, .. }) => set_filter(state, &before),
        Some(Layer::Search { before, .. }) => {
            state.report.set_query(&before.0);
            state.report.scroll = before.1;
        }
        _ => {}
    }
}

/// Takes pasted text into the field of the topmost layer.
pub fn paste(state: &mut State, text: &str) {
    if let Some(field) = state.layers.last_mut().and_then(Layer::field) {
        field.insert(text);
        edited(state);
    }
}

/// Takes a key for the topmost layer.
pub fn key(state: &mut State, raw: Key, out: &mut Vec<Effect>) {
    let Some(layer) = state.layers.last_mut() else {
        return;
    };
    if !matches!(raw.code, KeyCode::Esc) {
        disarm(layer);
    }
    if layer.doc().is_some() {
        return read(state, raw.folded());
    }
    if let Layer::Kernels(k) = layer {
        let by = match motion(state.size, raw.folded()) {
            Some(by) => by,
            None if raw.code == KeyCode::Enter => {
                let to = k.list.get(k.cursor.index).copied();
                state.layers.pop();
                return to.into_iter().for_each(|k| state.source.go_to_kernel(k));
            }
            None => return close_on(state, raw.folded()),
        };
        return k.cursor.step(by, k.list.len());
    }
    if let Layer::Pick(p) = layer {
        let by = match motion(state.size, raw.folded()) {
            Some(by) => by,
            None if raw.code == KeyCode::Enter => {
                let (what, at) = (p.what, p.cursor.index);
                state.layers.pop();
                return picked(state, what, at, out);
            }
            None if p.what == Picked::Columns && raw.folded().code == KeyCode::Char(' ') => {
                let kind = p.cursor.index.checked_sub(1).and_then(|i| Kind::ALL.get(i));
                return state.variants.columns.toggle(kind.copied());
            }
            None => return close_on(state, raw.folded()),
        };
        return p.cursor.step(by, p.count);
    }
    if let Layer::Export(e) = layer
        && e.focus > 0
    {
        // No text is typed here: letters move as they do everywhere.
        match (raw.folded().code, motion(state.size, raw.folded())) {
            (KeyCode::Char(' '), _) => return e.toggle(),
            (_, Some(by)) => return field_step(state, by.signum()),
            _ => {}
        }
    }
    match lookup(Context::Layer, raw) {
        Some(Action::Close) => close(state),
        Some(Action::Confirm) => confirm(state, out),
        Some(Action::NextField) => field_step(state, 1),
        Some(Action::PrevField) => field_step(state, -1),
        _ if matches!(layer, Layer::Confirm(_)) => match raw.folded().code {
            KeyCode::Char('y' | 'Y') => confirm(state, out),
            KeyCode::Char('n' | 'N' | 'q') => close(state),
            _ => {}
        },
        _ => {
            if layer.field().is_some_and(|f| f.key(raw)) {
                edited(state);
            }
        }
    }
}

/// Rows that a key moves by in what scrolls.
fn motion(size: (u16, u16), key: Key) -> Option<isize> {
    let page = isize::try_from(layout::areas(size).body.height / 2).unwrap_or(1);
    Some(match lookup(Context::Any, key)? {
        Action::Down => 1,
        Action::Up => -1,
        Action::PageDown => page,
        Action::PageUp => -page,
        Action::Top => -(1 << 20),
        Action::Bottom => 1 << 20,
        _ => return None,
    })
}

/// Keys that leave what is only looked at.
fn close_on(state: &mut State, key: Key) {
    let leaves = matches!(
        lookup(Context::Any, key),
        Some(Action::Back | Action::Quit | Action::Help)
    );
    if leaves || key.code == KeyCode::Enter {
        close(state);
    }
}

/// Goes to what was picked.
fn picked(state: &mut State, what: Picked, at: usize, out: &mut Vec<Effect>) {
    match what {
        Picked::Chapters => state.report.go_to(at),
        Picked::Columns => {}
        Picked::Table => table::export(state, at, out),
    }
}

/// Keys of a text that scrolls.
fn read(state: &mut State, key: Key) {
    match motion(state.size, key) {
        Some(by) => {
            if let Some(doc) = state.layers.last_mut().and_then(Layer::doc) {
                doc.step(by);
            }
        }
        None => close_on(state, key),
    }
}

/// The content of the field changed.
fn edited(state: &mut State) {
    match state.layers.last_mut() {
        Some(Layer::Filter { field, .. }) => {
            let text = field.value().to_owned();
            set_filter(state, &text);
        }
        Some(Layer::Palette(p)) => {
            let text = p.field.value().to_owned();
            let hits = search(state, &text);
            if let Some(Layer::Palette(p)) = state.layers.last_mut() {
                p.hits = hits;
                p.cursor = Default::default();
            }
        }
        Some(Layer::Search { field, before }) => {
            // Each letter looks from where the search began, not from the match before.
            let (text, from) = (field.value().to_owned(), before.1);
            state.report.scroll = from;
            state.report.set_query(&text);
        }
        Some(Layer::Decide(d)) => d.problem = None,
        Some(Layer::New(n)) => n.problem = None,
        Some(Layer::Export(e)) => e.problem = None,
        _ => {}
    }
}

fn disarm(layer: &mut Layer) {
    match layer {
        Layer::Decide(d) => d.discard_armed = false,
        Layer::New(n) => n.discard_armed = false,
        _ => {}
    }
}

/// Esc. A form with content asks once.
fn close(state: &mut State) {
    let s = state.strings;
    let armed = match state.layers.last_mut() {
        Some(Layer::Decide(d)) if d.touched() => std::mem::replace(&mut d.discard_armed, true),
        Some(Layer::New(n)) if n.fields.iter().any(|f| !f.is_blank()) => {
            std::mem::replace(&mut n.discard_armed, true)
        }
        _ => true,
    };
    if armed {
        drop_top(state);
    } else {
        say(state, s.discard_again.to_owned());
    }
}

fn field_step(state: &mut State, by: isize) {
    match state.layers.last_mut() {
        Some(Layer::Decide(d)) => {
            d.focus = (d.focus as isize + by).rem_euclid(d.fields() as isize) as usize;
        }
        Some(Layer::New(n)) => n.focus = (n.focus as isize + by).rem_euclid(2) as usize,
        Some(Layer::Palette(p)) => p.cursor.step(by, p.hits.len()),
        Some(Layer::Export(e)) => {
            let fields = e.chosen.len() as isize + 1;
            e.focus = (e.focus as isize + by).rem_euclid(fields) as usize;
        }
        _ => {}
    }
}

/// Enter.
fn confirm(state: &mut State, out: &mut Vec<Effect>) {
    let s = state.strings;
    match state.layers.last_mut() {
        Some(Layer::Filter { .. } | Layer::Search { .. }) => _ = state.layers.pop(),
        Some(Layer::Export(e)) => forms::submit_export(e, s, out),
        Some(Layer::Palette(p)) => {
            let action = p.hits.get(p.cursor.index).copied();
            state.layers.pop();
            match action {
                Some(action) => act(state, action, out),
                None => say(state, s.no_action.to_owned()),
            }
        }
        Some(Layer::Confirm(kind)) => {
            let kind = kind.clone();
            state.layers.pop();
            match kind {
                ConfirmKind::Quit(_) => out.push(Effect::Quit),
                ConfirmKind::Commit(name) => {
                    say(state, s.saving.to_owned());
                    out.push(Effect::Commit(name));
                }
                ConfirmKind::CancelJob(id, _) => {
                    if let Some(job) = state.jobs.list.iter_mut().find(|j| j.id == id) {
                        job.cancelling = true;
                    }
                    out.push(Effect::Cancel(id));
                }
            }
        }
        Some(Layer::Decide(d)) => forms::submit_decide(d, s, out),
        Some(Layer::New(n)) => forms::submit_new(n, s, out),
        _ => {}
    }
}

/// Actions that fit `text`, best first: those live on the screen below.
fn search(state: &State, text: &str) -> Vec<Action> {
    let words: Vec<String> = text
        .to_lowercase()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let mut hits: Vec<(usize, Action)> = ACTIONS
        .iter()
        .filter(|a| a.live_in(state.screen.context()) && a.action != Action::Cancel)
        .filter_map(|a| {
            let all = format!("{} {} {}", a.en.to_lowercase(), a.zh, a.name);
            // Words in order of the title rank before words anywhere in it.
            let mut score = 0;
            for w in &words {
                score += all.find(w.as_str())?;
            }
            // What is hinted at the bottom is what is wanted most.
            let place = if a.hint == 0 { 50 } else { usize::from(a.hint) };
            Some((score * 64 + place, a.action))
        })
        .collect();
    hits.sort_by_key(|(score, _)| *score);
    hits.into_iter().map(|(_, a)| a).collect()
}
