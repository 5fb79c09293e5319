//! Draws the state. Pure: everything that scrolls was settled by update.
//!
//! ```text
//! 1 Variants  2 Compare  3 Source  4 Jobs  5 History ...   gemm-cpu  x86  * tile-64     header
//! ...                                                                                  body
//! Enter Open  Space Mark  c Compare  d Source diff  r Run  a Accept                    footer
//! ```

mod columns;
mod compare;
mod curve;
mod detail;
mod export;
mod footer;
mod form;
mod forms;
mod header;
mod history;
mod jobs;
mod layers;
mod pane;
mod profile;
mod report;
mod source;
mod source_line;
mod syntax;
mod variant_row;
mod variants;
mod workloads;

pub(crate) use header::tab_at;
pub(crate) use variant_row::{DOUBTED, LATER_FAILURE, OVERRIDDEN, PUBLISHED, STALE};
pub(crate) use variants::column_at;
pub(crate) use workloads::workload_at;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::document::parts::wrap;
use crate::layout;
use crate::state::{Screen, State};
use crate::strings::fill;

/// Draws everything and places the cursor of a text field.
pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    if let Some(cursor) = render(state, area, frame.buffer_mut()) {
        frame.set_cursor_position(cursor);
    }
}

/// Draws into a buffer; returns where the cursor is, if a text field has the keys.
///
/// The size of the state decides; a buffer of another size, which a resize can bring for a frame,
/// shows what fits.
pub fn render(state: &State, area: Rect, buf: &mut Buffer) -> Option<Position> {
    let size = (state.size.0.min(area.width), state.size.1.min(area.height));
    if layout::too_small(size) {
        too_small(state, area, buf);
        return None;
    }
    let areas = layout::areas(size);
    header::draw(state, areas.header, buf);
    match state.screen {
        Screen::Variants => variants::draw(state, areas.body, buf),
        Screen::Compare => compare::draw(state, areas.body, buf),
        Screen::Source => source::draw(state, areas.body, buf),
        Screen::Jobs => jobs::draw(state, areas.body, buf),
        Screen::History => history::draw(state, areas.body, buf),
        Screen::Workloads => workloads::draw(state, areas.body, buf),
        Screen::Profile => profile::draw(state, areas.body, buf),
        Screen::Report => report::draw(state, areas.body, buf),
    }
    let footer = footer::draw(state, areas.footer, buf);
    layers::draw(state, size, buf).or(footer)
}

/// Says that there is no room, and how much is needed.
fn too_small(state: &State, area: Rect, buf: &mut Buffer) {
    let (columns, rows) = layout::LEAST;
    let needed = fill(
        state.strings.too_small_needs,
        &[&columns.to_string(), &rows.to_string()],
    );
    let columns = usize::from(area.width);
    let texts = [state.strings.too_small, &needed].into_iter();
    for (y, text) in (0..area.height).zip(texts.flat_map(|t| wrap(t, columns))) {
        buf.set_stringn(0, y, text, columns, Style::new());
    }
}
