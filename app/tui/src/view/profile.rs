//! The Profile screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pane;
use crate::state::State;

/// Draws it.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    pane::title(state, buf, body, state.strings.profile, &[]);
}
