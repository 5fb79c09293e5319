//! The detail beside or below the table, or on the whole screen.

use assay_core::text::inert;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pane;
use crate::layout;
use crate::state::State;
use crate::theme::Role;

/// Draws the pane with the line that parts it from the table.
pub fn draw(state: &State, area: Rect, beside_table: bool, buf: &mut Buffer) {
    let doc = &state.variants.detail;
    let right = area.x > 0;
    if right {
        for y in area.y..area.bottom() {
            buf.set_stringn(
                area.x,
                y,
                state.theme.bar(),
                1,
                state.theme.style(Role::Dim),
            );
        }
    } else if beside_table {
        let rule = state.theme.rule().repeat(usize::from(area.width));
        buf.set_stringn(
            area.x,
            area.y,
            rule,
            usize::from(area.width),
            state.theme.style(Role::Dim),
        );
    }
    let text = layout::columns(area, 2).1;
    let inside = layout::inside(text);
    let name = state.variants.selected.as_deref().unwrap_or_default();
    if right || !beside_table {
        let at = pane::position(doc.scroll, doc.lines.len(), inside.height);
        let asked = state.variants.asked.is_some();
        let reading = if asked {
            state.strings.loading.to_owned()
        } else {
            String::new()
        };
        let title = if beside_table {
            String::new()
        } else {
            inert(name).into_owned()
        };
        let found = doc.find.remark(state.strings);
        pane::title(state, buf, text, &title, &[at, found, reading]);
    }
    pane::document(state, buf, inside, doc);
}
