//! First row: the screens and their keys on the left, the campaign on the right.

use assay_core::text::{inert, width};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::put;
use crate::layout::ONE_PANE_WIDTH;
use crate::state::{Screen, State};
use crate::strings::fill;
use crate::theme::Role;

/// Draws the row.
pub fn draw(state: &State, area: Rect, buf: &mut Buffer) {
    let mut spans = Vec::new();
    let mut used = 0;
    for (i, screen) in Screen::ALL.into_iter().enumerate() {
        let active = screen == state.screen;
        // A narrow screen names only the active one; the numbers still work.
        if !active && area.width < ONE_PANE_WIDTH {
            continue;
        }
        let count = if screen == Screen::Jobs {
            state.jobs.running()
        } else {
            0
        };
        let count = if count > 0 {
            format!(" ({count})")
        } else {
            String::new()
        };
        let text = format!(" {} {}{count} ", i + 1, screen.title(state.strings));
        used += width(&text);
        spans.push(Span::styled(
            text,
            state
                .theme
                .style(if active { Role::Selected } else { Role::Plain }),
        ));
    }
    put(buf, area, 0, &Line::from(spans));
    let room = usize::from(area.width).saturating_sub(used + 2);
    let context = context(state);
    let context = state.theme.cut(&context, room);
    let x = area.right().saturating_sub(width(&context) as u16);
    if room > 6 {
        buf.set_stringn(x, area.y, context, room, state.theme.style(Role::Dim));
    }
}

fn context(state: &State) -> String {
    let s = state.strings;
    let Some(list) = &state.variants.list.value else {
        return s.app.to_owned();
    };
    // What is cut first is what is known best.
    let mut parts = vec![if !list.contested.is_empty() {
        fill(s.contested, &[&inert(&list.contested.join(", "))])
    } else {
        match &list.champion {
            Some(c) => format!("{} {}", state.theme.champion(), inert(c)),
            None => s.no_champion.to_owned(),
        }
    }];
    parts.push(inert(&list.campaign).into_owned());
    parts.extend(list.device.as_deref().map(|d| inert(d).into_owned()));
    parts.join("  ")
}
