//! Movement on the screens.

use crate::layout;
use crate::state::{Screen, State};

/// A movement.
#[derive(Debug, Clone, Copy)]
pub enum Motion {
    /// Rows.
    Step(isize),
    /// Pages.
    Page(isize),
    /// To the first row.
    Top,
    /// To the last row.
    Bottom,
    /// Columns.
    Sideways(isize),
}

/// More than any list holds, small enough to add to.
const FAR: isize = isize::MAX / 4;

/// Moves on the screen that is shown.
pub fn go(state: &mut State, motion: Motion) {
    let body = layout::areas(state.size).body;
    let body = match state.screen {
        Screen::Workloads => layout::workloads(body).0,
        Screen::History => layout::history(body, state.history.curve.len()).0,
        _ => body,
    };
    let page = isize::try_from(body.height.saturating_sub(3).max(1)).unwrap_or(1);
    if let Motion::Sideways(by) = motion {
        match state.screen {
            Screen::Source => {
                state.source.left = state.source.left.saturating_add_signed(by).min(4096);
            }
            Screen::Workloads => {
                let len = state.workloads.columns.len();
                state.workloads.column.step(by.signum(), len);
            }
            Screen::Variants if !state.variants.detail_full => {
                state.variants.columns.step(by.signum());
            }
            Screen::Jobs => state.jobs.left = state.jobs.left.saturating_add_signed(by),
            Screen::Report => state.report.left = state.report.left.saturating_add_signed(by),
            _ => {}
        }
        return;
    }
    let by = match motion {
        Motion::Step(n) => n,
        Motion::Page(n) => n * page,
        Motion::Top => -FAR,
        Motion::Bottom => FAR,
        Motion::Sideways(_) => 0,
    };
    state.chosen = true;
    match state.screen {
        Screen::Variants if state.variants.detail_full => state.variants.detail.step(by),
        Screen::Variants => {
            let len = state.variants.rows.len();
            state.variants.cursor.step(by, len);
            state.variants.selected = state.variants.current().map(|v| v.name.clone());
        }
        Screen::Compare => state.compare.doc.step(by),
        Screen::Source => state.source.step(by),
        Screen::History => {
            let len = state
                .history
                .slot
                .value
                .as_ref()
                .map_or(0, |v| v.records.len());
            state.history.cursor.step(by, len);
        }
        Screen::Workloads => {
            let len = state.workloads.rows.len();
            state.workloads.row.step(by, len);
            state.workloads.remember();
        }
        Screen::Profile => {
            let areas = layout::profile(body, state.profile.side);
            if areas.table.is_none() {
                return state.profile.doc.step(by);
            }
            let len = state.profile.rows.len();
            state.profile.cursor.step(by, len);
            state.profile.remember();
        }
        Screen::Report => state.report.scroll = state.report.scroll.saturating_add_signed(by),
        Screen::Jobs => jobs(state, motion, by),
    }
}

/// One step selects a job; pages and ends scroll its log.
fn jobs(state: &mut State, motion: Motion, by: isize) {
    match motion {
        Motion::Step(n) => {
            let mut cursor = state.jobs.cursor;
            cursor.step(n, state.jobs.list.len());
            state.jobs.select(cursor.index);
        }
        _ => state.jobs.up = state.jobs.up.saturating_add_signed(-by),
    }
}
