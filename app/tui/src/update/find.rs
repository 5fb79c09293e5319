//! Searching what is on the screen.

use super::say;
use crate::state::{Layer, Screen, State};
use crate::widget::field::Field;

/// Opens the line of the search.
pub fn open(state: &mut State) {
    let Some(text) = state.searched() else { return };
    let (query, place) = (text.find().query.clone(), text.place());
    state.layers.push(Layer::Search {
        field: Field::with(&query),
        before: (query, place),
    });
}

/// The text in the line has changed: each letter looks from where the search began, not from the
/// match before.
pub fn edited(state: &mut State, query: &str, place: usize) {
    if let Some(text) = state.searched_mut() {
        text.go_back(place);
        text.look_for(query);
        state.chosen = true;
    }
}

/// The line was left by Esc.
pub fn undo(state: &mut State, (query, place): (String, usize)) {
    if let Some(text) = state.searched_mut() {
        text.look_for(&query);
        text.go_back(place);
        // The map goes back to the row that was at hand; elsewhere nothing was chosen.
        state.chosen = state.screen == Screen::Workloads;
    }
}

/// Goes to another match; without a text to look for it asks for one.
pub fn step(state: &mut State, by: isize) {
    let Some(text) = state.searched_mut() else {
        return;
    };
    if !text.find().is_on() {
        return open(state);
    }
    match text.find_mut().step(by) {
        Some(row) => {
            text.show(row);
            state.chosen = true;
        }
        None => none(state),
    }
}

/// Says that nothing was found, and what was not looked through.
pub fn none(state: &mut State) {
    let s = state.strings;
    let folded = state.screen == Screen::Source && state.source.has_folded();
    say(
        state,
        if folded { s.no_hit_folded } else { s.no_hit }.to_owned(),
    );
}

/// Ends a search; false when there is none.
pub fn end(state: &mut State) -> bool {
    match state.searched_mut() {
        Some(text) if text.find().is_on() => {
            text.look_for("");
            true
        }
        _ => false,
    }
}
