//! The mouse: the wheel scrolls what it is over, a click selects a row, a screen or an order.

use ratatui::layout::{Position, Rect};

use super::motion::{Motion, go};
use super::open;
use crate::event::Effect;
use crate::layout;
use crate::state::workloads::HeatSort;
use crate::state::{Layer, Screen, State};
use crate::view::{column_at, tab_at, workload_at};

/// Rows of a notch of the wheel.
const NOTCH: isize = 3;

/// Turns the wheel.
pub fn wheel(state: &mut State, by: isize, at: (u16, u16)) {
    let by = by * NOTCH;
    if let Some(layer) = state.layers.last_mut() {
        match layer {
            Layer::Pick(p) => p.cursor.step(by, p.count),
            Layer::Kernels(k) => k.cursor.step(by, k.list.len()),
            Layer::Evidence(e) => {
                let count = e.count();
                e.cursor.step(by, count);
            }
            Layer::Palette(p) => p.cursor.step(by, p.hits.len()),
            layer => {
                if let Some(doc) = layer.doc() {
                    doc.step(by);
                }
            }
        }
        return;
    }
    if state.screen == Screen::Variants {
        let areas = variants(state);
        if areas.detail.is_some_and(|d| holds(d, at)) {
            return state.variants.detail.step(by);
        }
    }
    let body = layout::areas(state.size).body;
    if state.screen == Screen::Workloads && holds(layout::workloads(body).1, at) {
        return state.workloads.detail.step(by);
    }
    if state.screen == Screen::Profile {
        let areas = layout::profile(body, state.profile.side);
        if areas.side.is_some_and(|s| holds(s, at)) {
            return state.profile.doc.step(by);
        }
    }
    if state.screen == Screen::Jobs && !holds(jobs(state).0, at) {
        // The log goes up towards what is older.
        state.jobs.up = state.jobs.up.saturating_add_signed(-by);
        return;
    }
    go(state, Motion::Step(by));
}

/// Clicks. Layers are left to the keys, so that no stray click confirms anything.
pub fn click(state: &mut State, at: (u16, u16), out: &mut Vec<Effect>) {
    if !state.layers.is_empty() || layout::too_small(state.size) {
        return;
    }
    if at.1 == 0 {
        if let Some(screen) = tab_at(state, at.0) {
            open::screen(state, screen, out);
        }
        return;
    }
    let body = layout::areas(state.size).body;
    match state.screen {
        Screen::Variants => in_table(state, at, out),
        Screen::History => {
            let len = (state.history.slot.value.as_ref()).map_or(0, |v| v.records.len());
            let first = state.history.cursor.offset;
            let list = layout::history(body, state.history.curve.len()).0;
            if let Some(i) = row(layout::inside(list), at, first, len) {
                state.history.cursor.index = i;
                state.chosen = true;
            }
        }
        Screen::Jobs => {
            let (list, len) = (layout::table_rows(jobs(state).0), state.jobs.list.len());
            if let Some(i) = row(list, at, state.jobs.cursor.offset, len) {
                state.jobs.select(i);
                state.chosen = true;
            }
        }
        Screen::Source => {
            let area = layout::source(body, state.source.strip.len()).1;
            let (first, len) = (state.source.cursor.offset, state.source.rows.len());
            if let Some(i) = row(area, at, first, len) {
                // A second click folds what the row stands for.
                match state.source.cursor.index == i {
                    true => state.source.fold_here(),
                    false => state.source.cursor.index = i,
                }
            }
        }
        Screen::Workloads => in_map(state, at, out),
        Screen::Profile => in_counters(state, at),
        // These are one text each.
        Screen::Compare | Screen::Report => {}
    }
}

/// A cell of the map is chosen; a second click goes to its evidence. A click on a title sorts.
fn in_map(state: &mut State, at: (u16, u16), out: &mut Vec<Effect>) {
    let map = layout::workloads(layout::areas(state.size).body).0;
    let rows = layout::table_rows(map);
    let Some(column) = workload_at(state, map, at.0) else {
        return;
    };
    let w = &mut state.workloads;
    if let Some(i) = row(rows, at, w.row.offset, w.rows.len()) {
        let column = column.unwrap_or(w.column.index);
        if (w.row.index, w.column.index) == (i, column) {
            return open::cell_evidence(state, out);
        }
        (w.row.index, w.column.index) = (i, column);
        w.remember();
        state.chosen = true;
    } else if at.1 + 1 == rows.y
        && let Some(column) = column
    {
        let by = HeatSort::Workload(column);
        w.reversed = w.sort == by && !w.reversed;
        w.sort = by;
        w.arrange(state.variants.list.value.as_ref());
    }
}

/// A counter is chosen; a second click folds its section.
fn in_counters(state: &mut State, at: (u16, u16)) {
    let areas = layout::profile(layout::areas(state.size).body, state.profile.side);
    let Some(table) = areas.table else { return };
    let rows = layout::table_rows(layout::counters(table).0);
    let p = &mut state.profile;
    if let Some(i) = row(rows, at, p.cursor.offset, p.rows.len()) {
        match p.cursor.index == i {
            true => p.fold_here(),
            false => {
                p.cursor.index = i;
                p.remember();
            }
        }
    }
}

fn in_table(state: &mut State, at: (u16, u16), out: &mut Vec<Effect>) {
    let Some(table) = variants(state).table else {
        return;
    };
    let v = &mut state.variants;
    let rows = layout::table_rows(table);
    if let Some(i) = row(rows, at, v.cursor.offset, v.rows.len()) {
        // A second click on a row opens it.
        if v.cursor.index == i {
            return open::enter(state, out);
        }
        v.cursor.index = i;
        v.selected = v.current().map(|r| r.name.clone());
        return;
    }
    if at.1 + 1 != rows.y || !holds(table, at) {
        return;
    }
    if let Some(sort) = column_at(state, table, at.0) {
        let v = &mut state.variants;
        v.reversed = v.sort == sort && !v.reversed;
        v.sort = sort;
        v.arrange();
    }
}

fn variants(state: &State) -> layout::VariantsAreas {
    let body = layout::areas(state.size).body;
    layout::variants(body, state.variants.detail_full, state.variants.rows.len())
}

fn jobs(state: &State) -> (Rect, Rect) {
    layout::jobs(layout::areas(state.size).body, state.jobs.list.len())
}

fn holds(area: Rect, (x, y): (u16, u16)) -> bool {
    area.contains(Position { x, y })
}

/// The place in a list of `len` whose row was clicked, `first` being the one at the top.
fn row(area: Rect, at: (u16, u16), first: usize, len: usize) -> Option<usize> {
    let i = first + usize::from(at.1.checked_sub(area.y)?);
    (holds(area, at) && i < len).then_some(i)
}
