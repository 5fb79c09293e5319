//! The Report screen: chapters, export.

use super::{complain, layers, say};
use crate::document::write_up;
use crate::state::{Cursor, ExportForm, Layer, Pick, Picked, State};

/// Opens the list of chapters at the one in view.
pub fn contents(state: &mut State) {
    let count = state.report.page.chapters.len();
    if count == 0 {
        return say(state, state.strings.report_empty.to_owned());
    }
    let index = state.report.chapter().unwrap_or(0);
    state.layers.push(Layer::Pick(Pick {
        what: Picked::Chapters,
        count,
        cursor: Cursor { index, offset: 0 },
    }));
}

/// Opens the form of an export.
pub fn open_export(state: &mut State) {
    let Some(written) = &state.report.slot.value else {
        return say(state, state.strings.report_empty.to_owned());
    };
    let lang = state.report.lang.unwrap_or(state.options.lang);
    let form = ExportForm::new(lang, &written.folder);
    state.layers.push(Layer::Export(form));
}

/// Shows each rule with all that was found.
pub fn all_checks(state: &mut State) {
    let text = match &state.report.checks.value {
        Some(checks) => write_up::checks_text(state.strings, checks),
        None => return say(state, state.strings.checking.to_owned()),
    };
    layers::message(state, state.strings.checks, &text);
}

/// Says what was written, which stays until it is closed, or what was not.
pub fn exported(state: &mut State, answer: Result<Vec<String>, String>) {
    let at = state
        .layers
        .iter()
        .position(|l| matches!(l, Layer::Export(e) if e.saving));
    match answer {
        Ok(paths) => {
            state.notice = None;
            if let Some(at) = at {
                state.layers.remove(at);
            }
            layers::message(state, state.strings.exported, &paths.join("\n"));
        }
        Err(e) => match at.and_then(|at| state.layers.get_mut(at)) {
            Some(Layer::Export(form)) => {
                form.saving = false;
                form.problem = Some(e);
            }
            _ => complain(state, &e),
        },
    }
}
