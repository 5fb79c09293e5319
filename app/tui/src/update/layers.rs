//! Keys and text that go to the topmost layer.

use assay_core::record::DecisionKind;
use crossterm::event::KeyCode;

use super::act::{act, subject};
use super::{against, evidence, find, forms, open, palette, say, table, yank};
use crate::action::{Action, Context};
use crate::event::{Effect, Load};
use crate::keymap::{Key, Keymap};
use crate::layout;
use crate::state::columns::Kind;
use crate::state::{
    ConfirmKind, Cursor, Decide, Kernels, Layer, NewVariant, Palette, Picked, Screen, State,
};
use crate::strings::fill;
use crate::widget::field::{Field, MOST};

/// Opens the command palette.
pub fn open_palette(state: &mut State) {
    let hits = palette::hits(state, "");
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
        fault: None,
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
    let row = row.clone();
    let accepts = kind == DecisionKind::Accept;
    if accepts && state.variants.champion() == Some(row.name.as_str()) {
        let text = fill(state.strings.champion_already, &[&row.name]);
        return say(state, text);
    }
    // What moved stands in the form.
    open::profile_of(state, &row.name, None, out);
    if !state.variants.shows.contains_key(&row.name) {
        out.push(Effect::Load(Load::Show(row.name.clone())));
    }
    // What the list has of an accepted variant is what it was accepted over, and not what it would
    // have to beat now.
    out.push(Effect::Load(Load::Standing(row.name.clone())));
    let form = Decide {
        name: row.name.clone(),
        kind,
        reason: Field::default(),
        gates: Vec::new(),
        place: None,
        nameless: None,
        reading: accepts,
        refusal: None,
        overrides: Vec::new(),
        focus: 0,
        fault: None,
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
    let text = state
        .source
        .notices(state.strings, state.options.lang)
        .join("\n\n");
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
        Some(Layer::Search { before, .. }) => find::undo(state, before),
        _ => {}
    }
}

/// Takes pasted text into the field of the topmost layer.
pub fn paste(state: &mut State, text: &str) {
    if let Some(field) = state.layers.last_mut().and_then(Layer::field) {
        field.insert(text);
        edited(state);
        full(state);
    }
}

/// Says what had no room in the field at hand: nothing that was typed or pasted goes missing unsaid.
fn full(state: &mut State) {
    let Some(layer) = state.layers.last_mut() else {
        return;
    };
    let Some(n) = layer.field().map(|f| f.left_out()).filter(|n| *n > 0) else {
        return;
    };
    let values = [MOST.to_string(), n.to_string()];
    let text = fill(
        state.strings.field_full,
        &values.each_ref().map(String::as_str),
    );
    match layer {
        Layer::Decide(d) => d.fault = Some(text.clone()),
        Layer::New(n) => n.fault = Some(text.clone()),
        Layer::Export(e) => e.fault = Some(text.clone()),
        _ => {}
    }
    say(state, text);
}

/// Takes a key for the topmost layer.
pub fn key(state: &mut State, raw: Key, out: &mut Vec<Effect>) {
    let Some(layer) = state.layers.last_mut() else {
        return;
    };
    let (keys, size) = (&state.options.keys, state.size);
    let action = keys.lookup(Context::Layer, raw);
    if action != Some(Action::Close) {
        disarm(layer);
    }
    let by = motion(keys, size, raw.folded());
    let enters = action == Some(Action::Confirm);
    match layer {
        Layer::Record(_) if leads_on(keys, raw) => evidence::open(state, out),
        Layer::Help(_) | Layer::Message { .. } | Layer::Record(_) => {
            match (by, searching(keys, raw)) {
                (Some(by), _) => layer.doc().into_iter().for_each(|doc| doc.step(by)),
                (None, Some(Action::Search)) => find::open(state),
                (None, Some(Action::SearchNext)) => find::step(state, 1),
                (None, Some(Action::SearchPrev)) => find::step(state, -1),
                _ => close_on(state, raw),
            }
        }
        Layer::Kernels(k) => match by {
            Some(by) => k.cursor.step(by, k.list.len()),
            None if enters => {
                let to = k.list.get(k.cursor.index).copied();
                state.layers.pop();
                to.into_iter().for_each(|k| state.source.go_to_kernel(k));
            }
            None => close_on(state, raw),
        },
        Layer::Evidence(e) => match by {
            Some(by) => {
                let count = e.count();
                e.cursor.step(by, count);
            }
            None if enters && e.count() > 0 => evidence::open_selected(state, out),
            // What is still being read is not closed by the key that would open a record of it.
            None if enters && e.slot.loading => {}
            None => close_on(state, raw),
        },
        Layer::Decide(_) if action == Some(Action::FormEvidence) => evidence::open(state, out),
        Layer::Pick(p) => match by {
            Some(by) => p.cursor.step(by, p.count),
            None if enters || again(keys, p.what, raw) => {
                let (what, at) = (p.what, p.cursor.index);
                state.layers.pop();
                picked(state, what, at, out);
            }
            None if p.what == Picked::Columns && is_blank(raw) => {
                let kind = p.cursor.index.checked_sub(1).and_then(|i| Kind::ALL.get(i));
                state.variants.columns.toggle(kind.copied());
            }
            None => close_on(state, raw),
        },
        // No text is typed here: letters move as they do everywhere.
        Layer::Export(e) if e.focus > 0 && is_blank(raw) => e.toggle(),
        Layer::Export(e) if e.focus > 0 && by.is_some() => {
            field_step(state, by.unwrap_or_default().signum());
        }
        _ => typed(state, raw, action, out),
    }
}

/// Keys of a layer with fields, or with a question.
fn typed(state: &mut State, raw: Key, action: Option<Action>, out: &mut Vec<Effect>) {
    match (action, state.layers.last_mut()) {
        (Some(Action::Close), _) => close(state),
        (Some(Action::Confirm), _) => confirm(state, out),
        (Some(Action::NextField), _) => field_step(state, 1),
        (Some(Action::PrevField), _) => field_step(state, -1),
        (_, Some(Layer::Confirm(kind))) => match raw.folded().code {
            KeyCode::Char('c' | 'C') if matches!(kind, ConfirmKind::Quit(_)) => {
                let open = state.jobs.open().map(|j| Effect::Cancel(j.view.id.clone()));
                out.extend(open);
                out.push(Effect::Quit);
            }
            KeyCode::Char('y' | 'Y' | 'l' | 'L') => confirm(state, out),
            KeyCode::Char('n' | 'N' | 'q') => close(state),
            _ => {}
        },
        (_, Some(layer)) => {
            if layer.field().is_some_and(|f| f.key(raw)) {
                edited(state);
                full(state);
            }
        }
        (_, None) => {}
    }
}

fn is_blank(key: Key) -> bool {
    key.folded().code == KeyCode::Char(' ')
}

/// The key that opened the menu of copies picks its first entry: twice the key copies the name.
fn again(keys: &Keymap, what: Picked, raw: Key) -> bool {
    what == Picked::Copy && keys.lookup(Context::Detail, raw.folded()) == Some(Action::Yank)
}

/// Whether a key leads from a record to those that it cites.
fn leads_on(keys: &Keymap, raw: Key) -> bool {
    keys.lookup(Context::History, raw.folded()) == Some(Action::Evidence)
}

/// What a key does to the search in a text that lies over the screen.
fn searching(keys: &Keymap, raw: Key) -> Option<Action> {
    keys.lookup(Context::Found, raw.folded())
}

/// Rows that a key moves by in what scrolls.
fn motion(keys: &Keymap, size: (u16, u16), key: Key) -> Option<isize> {
    let page = isize::try_from(layout::areas(size).body.height / 2).unwrap_or(1);
    Some(match keys.lookup(Context::Any, key)? {
        Action::Down => 1,
        Action::Up => -1,
        Action::PageDown => page,
        Action::PageUp => -page,
        Action::Top => -(1 << 20),
        Action::Bottom => 1 << 20,
        _ => return None,
    })
}

/// Keys that leave what is only looked at; a search in it ends first.
fn close_on(state: &mut State, key: Key) {
    let keys = &state.options.keys;
    let everywhere = keys.lookup(Context::Any, key.folded());
    let layer = keys.lookup(Context::Layer, key);
    let steps_out = everywhere == Some(Action::Back) || layer == Some(Action::Close);
    if steps_out && find::end(state) {
        return;
    }
    let leaves = matches!(everywhere, Some(Action::Quit | Action::Help));
    if steps_out || leaves || layer == Some(Action::Confirm) {
        close(state);
    }
}

/// Goes to what was picked.
fn picked(state: &mut State, what: Picked, at: usize, out: &mut Vec<Effect>) {
    match what {
        Picked::Chapters => state.report.go_to(at),
        Picked::Columns => {}
        Picked::Against => against::chosen(state, at, out),
        Picked::Table => table::export(state, at, out),
        Picked::Copy => yank::copy_at(state, at, out),
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
            let hits = palette::hits(state, &text);
            if let Some(Layer::Palette(p)) = state.layers.last_mut() {
                p.hits = hits;
                p.cursor = Default::default();
            }
        }
        Some(Layer::Search { field, before }) => {
            let (text, from) = (field.value().to_owned(), before.1);
            find::edited(state, &text, from);
        }
        Some(Layer::Decide(d)) => (d.fault, d.problem) = (None, None),
        Some(Layer::New(n)) => (n.fault, n.problem) = (None, None),
        Some(Layer::Export(e)) => (e.fault, e.problem) = (None, None),
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
            d.fault = None;
        }
        Some(Layer::New(n)) => {
            n.focus = (n.focus as isize + by).rem_euclid(2) as usize;
            n.fault = None;
        }
        Some(Layer::Palette(p)) => p.cursor.step(by, p.hits.len()),
        Some(Layer::Export(e)) => {
            let fields = e.chosen.len() as isize + 1;
            e.focus = (e.focus as isize + by).rem_euclid(fields) as usize;
            e.fault = None;
        }
        _ => {}
    }
}

/// Enter.
fn confirm(state: &mut State, out: &mut Vec<Effect>) {
    let s = state.strings;
    match state.layers.last_mut() {
        Some(Layer::Filter { .. }) => _ = state.layers.pop(),
        Some(Layer::Search { .. }) => {
            state.layers.pop();
            if state
                .searched()
                .is_some_and(|t| t.find().is_on() && t.find().hits.is_empty())
            {
                find::none(state);
            }
        }
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
                    if let Some(job) = state.jobs.list.iter_mut().find(|j| j.view.id == id) {
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
