//! From a key to an action.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use super::{act, layers, say};
use crate::action::{Action, Context};
use crate::event::Effect;
use crate::keymap::Key;
use crate::state::State;

/// Takes a key press.
pub fn key(state: &mut State, event: KeyEvent, out: &mut Vec<Effect>) {
    if event.kind == KeyEventKind::Release {
        return;
    }
    let raw = Key::from_event(event);
    let everywhere = state.options.keys.lookup(Context::Any, raw);
    if everywhere == Some(Action::Cancel) {
        cancel(state, out);
        return;
    }
    state.cancel_armed = false;
    state.notice = None;
    if let Some(action @ (Action::Redraw | Action::Suspend)) = everywhere {
        act::act(state, action, out);
        return;
    }
    if !state.layers.is_empty() {
        layers::key(state, raw, out);
        return;
    }
    let keys = &state.options.keys;
    let searching = state.searched().is_some_and(|t| t.find().is_on());
    let found = (searching
        .then(|| keys.lookup(Context::Found, raw.folded()))
        .flatten())
    .or_else(|| keys.lookup(state.below(), raw.folded()));
    match found {
        Some(action) => act::act(state, action, out),
        None => {
            if matches!(raw.folded().code, KeyCode::Char(c) if !c.is_ascii()) {
                say(state, state.strings.ime_on.to_owned());
            }
        }
    }
}

/// Ctrl-c drops what is open; a second one in a row leaves, as `q` does.
fn cancel(state: &mut State, out: &mut Vec<Effect>) {
    if std::mem::replace(&mut state.cancel_armed, true) {
        layers::drop_top(state);
        state.notice = None;
        state.cancel_armed = false;
        return act::quit(state, out);
    }
    layers::drop_top(state);
    say(state, state.strings.quit_again.to_owned());
}
