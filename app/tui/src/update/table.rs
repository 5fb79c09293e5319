//! The table of a screen as a file or as text to paste: the rows in view, in their order, with the
//! columns that were chosen, exact figures, and names that do not depend on the language.

mod counters;
mod heat;
mod records;
mod variants;

use assay_core::text::inert;

use super::say;
use super::yank::copy;
use crate::event::Effect;
use crate::state::columns::Kind;
use crate::state::{Cursor, Layer, Pick, Picked, Screen, State};

/// Cells by rows, a header first.
type Cells = Vec<Vec<String>>;

/// Ways to write the table: ending, and whether it is for the clipboard.
pub const WAYS: [(&str, bool); 4] = [("csv", false), ("tsv", false), ("tsv", true), ("csv", true)];

/// Opens the choice of columns.
pub fn choose(state: &mut State) {
    state.layers.push(Layer::Pick(Pick {
        what: Picked::Columns,
        count: Kind::ALL.len() + 1,
        cursor: Cursor::default(),
    }));
}

/// Opens the choice of ways to write the table.
pub fn open(state: &mut State) {
    if cells(state).len() < 2 {
        return say(state, state.strings.nothing_to_copy.to_owned());
    }
    state.layers.push(Layer::Pick(Pick {
        what: Picked::Table,
        count: WAYS.len(),
        cursor: Cursor::default(),
    }));
}

/// Writes the table in one of the ways.
pub fn export(state: &mut State, way: usize, out: &mut Vec<Effect>) {
    let Some((ending, clipboard)) = WAYS.get(way).copied() else {
        return;
    };
    let text = text(state, ending == "tsv");
    if clipboard {
        let rows = cells(state).len().saturating_sub(1).to_string();
        let said = crate::strings::fill(state.strings.rows_of, &[&rows]);
        return copy(state, Some((text, said)), out);
    }
    say(state, state.strings.saving.to_owned());
    out.push(Effect::SaveTable {
        name: format!("{}.{ending}", file(state)),
        text,
    });
}

/// Name of the file without its ending.
fn file(state: &State) -> &'static str {
    match state.screen {
        Screen::Workloads => "workloads",
        Screen::Profile => "counters",
        Screen::History => "history",
        _ => "variants",
    }
}

fn cells(state: &State) -> Cells {
    match state.screen {
        Screen::Workloads => heat::cells(&state.workloads),
        Screen::Profile => counters::cells(&state.profile),
        Screen::History => records::cells(&state.history),
        _ => variants::cells(&state.variants),
    }
}

/// The table as text, a header first.
pub fn text(state: &State, tabs: bool) -> String {
    let mut out = String::new();
    for row in cells(state) {
        let fields: Vec<String> = row.iter().map(|c| field(c, tabs)).collect();
        out.push_str(&fields.join(if tabs { "\t" } else { "," }));
        out.push('\n');
    }
    out
}

/// A figure; what is not there is empty and not zero.
fn number(x: Option<f64>) -> String {
    x.map_or_else(String::new, |x| x.to_string())
}

/// A field, inert, quoted where the form asks for it (RFC 4180 for commas).
fn field(text: &str, tabs: bool) -> String {
    let text = inert(text);
    if !tabs && text.contains([',', '"']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.into_owned()
}
