//! The Compare screen: one document that scrolls.

use assay_core::text::inert;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pane;
use crate::document::parts::LETTERS;
use crate::layout;
use crate::state::State;

/// Draws the comparison.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let (c, s) = (&state.compare, state.strings);
    let inside = layout::inside(body);
    let pair = c
        .pair
        .iter()
        .zip(LETTERS)
        .map(|(n, l)| format!("{l}={}", inert(n)));
    let pair = pair.collect::<Vec<_>>().join("  ");
    let at = pane::position(c.doc.scroll, c.doc.lines.len(), inside.height);
    let fresh = if c.slot.value.is_some() {
        pane::freshness(state, &c.slot)
    } else {
        String::new()
    };
    let found = c.doc.find.remark(s);
    pane::title(state, buf, body, s.compare, &[pair, at, found, fresh]);
    if c.slot.value.is_none() {
        pane::missing(state, buf, inside, &c.slot, s.no_compare);
        return;
    }
    pane::document(state, buf, inside, &c.doc);
}
