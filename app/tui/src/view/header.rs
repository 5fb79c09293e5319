//! First row: the screens and their keys on the left, the campaign on the right.

use assay_core::text::{inert, width};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::put;
use crate::state::{Screen, State};
use crate::strings::fill;
use crate::theme::Role;

/// Columns that the campaign should have beside the names of the screens.
const CONTEXT: usize = 8;

/// Draws the row.
pub fn draw(state: &State, area: Rect, buf: &mut Buffer) {
    let mut spans = Vec::new();
    let mut used = 0;
    for (screen, text, after) in tabs(state, usize::from(area.width)) {
        used += width(&text) + after.len();
        let active = screen == state.screen;
        let role = if active { Role::Selected } else { Role::Plain };
        spans.push(Span::styled(text, state.theme.style(role)));
        spans.push(Span::raw(after));
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

/// The screen whose name stands at a column.
pub fn tab_at(state: &State, x: u16) -> Option<Screen> {
    let mut end = 0;
    let tabs = tabs(state, usize::from(state.size.0)).into_iter();
    let mut tabs = tabs.map(|(screen, text, after)| {
        end += width(&text) + after.len();
        (screen, end)
    });
    tabs.find(|(_, end)| usize::from(x) < *end).map(|t| t.0)
}

/// Screens, their names as shown, and what parts them from the next.
fn tabs(state: &State, room: usize) -> Vec<(Screen, String, &'static str)> {
    let titles: Vec<String> = Screen::ALL.into_iter().map(|s| title(state, s)).collect();
    // Named with a blank on both sides, else closer, else only the one that is shown: the numbers
    // work all the same.
    let all = |gap: usize| titles.iter().map(|t| width(t) + gap).sum::<usize>();
    let (blank, named) = match (all(2) + CONTEXT <= room, all(1) <= room) {
        (true, _) => (" ", true),
        (_, named) => ("", named),
    };
    let after = if blank.is_empty() { " " } else { "" };
    let shown = Screen::ALL.into_iter().zip(titles);
    let shown = shown.filter(|(screen, _)| named || *screen == state.screen);
    let text = |title: String| match named {
        true => format!("{blank}{title}{blank}"),
        false => format!(" {title} "),
    };
    shown.map(|(s, title)| (s, text(title), after)).collect()
}

/// Number and name of a screen; of Jobs also how many run.
fn title(state: &State, screen: Screen) -> String {
    let running = match screen {
        Screen::Jobs => state.jobs.running(),
        _ => 0,
    };
    let name = screen.title(state.strings);
    match running {
        0 => format!("{} {name}", screen.number()),
        n => format!("{} {name} ({n})", screen.number()),
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
