//! Editing a variant in the user's editor, and committing what was edited.

use super::act::subject;
use super::{complain, layers, open, say};
use crate::backend::EditPlace;
use crate::event::Effect;
use crate::state::{ConfirmKind, Layer, State};
use crate::strings::fill;

/// Asks for the work tree of the variant at hand.
pub fn start(state: &mut State, out: &mut Vec<Effect>) {
    match subject(state).filter(|n| state.variants.find(n).is_some()) {
        Some(name) => {
            say(state, fill(state.strings.opening, &[&name]));
            out.push(Effect::Edit(name));
        }
        None => say(state, state.strings.no_decide.to_owned()),
    }
}

/// Opens the editor there.
pub fn place(
    state: &mut State,
    name: String,
    answer: Result<EditPlace, String>,
    out: &mut Vec<Effect>,
) {
    state.notice = None;
    match answer {
        Ok(place) => out.push(Effect::Editor(name, place)),
        Err(e) => complain(state, &e),
    }
}

/// The editor has ended: what it wrote is of use once it is committed.
pub fn edited(state: &mut State, name: String, answer: Result<(), String>) {
    match answer {
        Ok(()) => state.layers.push(Layer::Confirm(ConfirmKind::Commit(name))),
        Err(e) => {
            let text = state.options.lang.said_lines(&e);
            layers::message(state, state.strings.error, &text);
        }
    }
}

/// Edits were committed or not.
pub fn committed(state: &mut State, answer: Result<String, String>, out: &mut Vec<Effect>) {
    match answer {
        Ok(text) => {
            open::reload(state, out);
            let text = state.options.lang.said(&text).into_owned();
            say(state, text);
        }
        Err(e) => complain(state, &e),
    }
}
