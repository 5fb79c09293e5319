//! The one function that changes the state: `update(state, event) -> effects`.
//!
//! It is synchronous, does no I/O and reads no clock, so that a test can play any session.

mod act;
mod against;
mod edit;
mod evidence;
mod find;
mod forms;
mod keys;
mod layers;
mod loaded;
mod motion;
mod mouse;
mod open;
mod palette;
mod report;
mod settle;
mod table;
mod yank;

pub use against::names as opponents;
pub use table::WAYS;
pub(crate) use yank::copies;

use assay_core::text;

use crate::event::{Effect, Event, Load};
use crate::state::{Notice, State};

/// Takes one event; the effects are for the runtime, in order.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    let mut out = Vec::new();
    state.dirty = true;
    match event {
        Event::Key(key) => keys::key(state, key, &mut out),
        Event::Wheel(by, x, y) => mouse::wheel(state, by, (x, y)),
        Event::Click(x, y) => mouse::click(state, (x, y), &mut out),
        Event::Edited(name, answer) => edit::edited(state, name, answer),
        Event::Paste(text) => layers::paste(state, &text),
        // Terminals rearrange what they show when their size changes, even when it changes back.
        Event::Resize(w, h) => {
            state.size = (w, h);
            out.push(Effect::Redraw);
        }
        Event::FocusGained | Event::Resumed => out.push(Effect::Redraw),
        Event::Tick(now) => {
            state.now = now;
            state.dirty = state.wants_tick();
        }
        Event::SuspendRequested => out.push(Effect::Suspend),
        Event::Loaded(loaded) => loaded::loaded(state, loaded, &mut out),
        Event::ReadOnly(read_only) => state.read_only = read_only,
        Event::Jobs(jobs) => loaded::jobs(state, jobs, &mut out),
        Event::LedgerChanged => {
            open::reload(state, &mut out);
            // A running job writes all the time, and what a key brought up is worth more.
            if state.jobs.running() == 0 && state.notice.is_none() {
                say(state, state.strings.ledger_changed.to_owned());
            }
        }
        Event::Notice(Ok(text)) => {
            let text = state.options.lang.said(&text).into_owned();
            say(state, text);
        }
        Event::Notice(Err(text)) => complain(state, &text),
    }
    settle::settle(state, &mut out);
    out
}

/// What to ask for at the start.
pub fn start(state: &mut State) -> Vec<Effect> {
    state.variants.list.loading = true;
    let mut out = vec![Effect::Load(Load::List)];
    if state.mouse {
        out.push(Effect::Mouse(true));
    }
    // A fault in the settings keeps nobody from working: it is told, and closed.
    if let Some(faults) = state.options.faults.take() {
        let faults = state.options.lang.said_lines(&faults);
        layers::message(state, state.strings.faults, &faults);
    }
    out
}

/// Shows one line until the next key.
fn say(state: &mut State, text: String) {
    state.notice = Some(Notice {
        text: text::inert(&text).into_owned(),
        bad: false,
    });
}

/// Shows what went wrong: one line at the bottom, a longer text in a layer.
fn complain(state: &mut State, text: &str) {
    let text = &state.options.lang.said_lines(text);
    if text.trim().lines().count() > 1 || text::width(text) > usize::from(state.size.0) {
        layers::message(state, state.strings.error, text);
    } else {
        state.notice = Some(Notice {
            text: text::inert(text.trim()).into_owned(),
            bad: true,
        });
    }
}
