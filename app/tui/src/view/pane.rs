//! What all panes share: a title row, lines, an empty text.

use assay_core::text::width;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::cut;
use crate::document::parts::wrap;
use crate::state::find::Find;
use crate::state::{Slot, State};
use crate::theme::{Role, Theme};

/// Draws a line at row `row` of `area`, if the area has that row. One that is too long is cut with a
/// mark, outside of any number.
pub fn put(t: &Theme, buf: &mut Buffer, area: Rect, row: usize, line: &Line<'_>) {
    if row < usize::from(area.height) {
        let short = cut::line(line, usize::from(area.width), t.gap());
        let line = short.as_ref().unwrap_or(line);
        buf.set_line(area.x, area.y + row as u16, line, area.width);
    }
}

/// Columns of a remark below which its beginning says nothing.
const REMARK: usize = 12;

/// Draws the title row: a bold name, then remarks, as many as there is room for.
pub fn title(state: &State, buf: &mut Buffer, area: Rect, name: &str, remarks: &[String]) {
    let t = &state.theme;
    let mut room = usize::from(area.width).saturating_sub(width(name));
    let mut spans = vec![Span::styled(name.to_owned(), t.style(Role::Title))];
    for r in remarks.iter().filter(|r| !r.is_empty()) {
        let left = room.saturating_sub(2);
        let (shown, whole) = match width(r) <= left {
            true => (r.as_str().into(), true),
            false if left >= REMARK => (t.cut(r, left), false),
            false => (t.gap().into(), false),
        };
        if width(&shown) > left {
            break;
        }
        room = left - width(&shown);
        spans.push(Span::styled(format!("  {shown}"), t.style(Role::Dim)));
        if !whole {
            break;
        }
    }
    put(&state.theme, buf, area, 0, &Line::from(spans));
}

/// Draws a text that stands for missing content, wrapped.
pub fn empty(state: &State, buf: &mut Buffer, area: Rect, text: &str, role: Role) {
    let width = usize::from(area.width.saturating_sub(2));
    for (i, l) in text
        .lines()
        .flat_map(|l| wrap(&assay_core::text::inert(l), width))
        .enumerate()
    {
        put(
            &state.theme,
            buf,
            area,
            i,
            &Line::from(Span::styled(format!(" {l}"), state.theme.style(role))),
        );
    }
}

/// What a slot without a value shows: an error, that it is being read, or `hint`.
pub fn missing<T>(state: &State, buf: &mut Buffer, area: Rect, slot: &Slot<T>, hint: &str) {
    match &slot.error {
        Some(e) => empty(
            state,
            buf,
            area,
            &state.options.lang.said_lines(e),
            Role::Bad,
        ),
        None if slot.loading => empty(state, buf, area, state.strings.loading, Role::Dim),
        None => empty(state, buf, area, hint, Role::Dim),
    }
}

/// Says that a slot is being read, or that its newest read failed while an older value shows.
pub fn freshness<T>(state: &State, slot: &Slot<T>) -> String {
    match &slot.error {
        Some(e) => format!(
            "! {}",
            assay_core::text::inert(
                &state
                    .options
                    .lang
                    .said(e.lines().next().unwrap_or_default())
            )
        ),
        None if slot.loading => state.strings.loading.to_owned(),
        None => String::new(),
    }
}

/// Draws the visible part of a document, with what is looked for in it.
pub fn document(state: &State, buf: &mut Buffer, area: Rect, doc: &crate::document::Doc) {
    for (i, line) in doc
        .lines
        .iter()
        .skip(doc.scroll)
        .take(usize::from(area.height))
        .enumerate()
    {
        put(&state.theme, buf, area, i, line);
        let at = doc.scroll + i;
        let here = doc.find.row() == Some(at);
        found(state, buf, area, i, &doc.find, at, here);
    }
}

/// Shows what is looked for in a row of the screen that shows row `at`: underlined, and reversed
/// where it is the match that is looked at.
pub fn found(
    state: &State,
    buf: &mut Buffer,
    area: Rect,
    row: usize,
    find: &Find,
    at: usize,
    here: bool,
) {
    if find.is_on() && find.holds(at) && row < usize::from(area.height) {
        let role = if here { Role::Selected } else { Role::Found };
        highlight(state, buf, area, row, &find.query.to_lowercase(), role);
    }
}

/// Gives a role to each place of a text in a row, as far as it is in view.
pub fn highlight(
    state: &State,
    buf: &mut Buffer,
    area: Rect,
    row: usize,
    needle: &str,
    role: Role,
) {
    let area = area.intersection(buf.area);
    let y = area
        .y
        .saturating_add(u16::try_from(row).unwrap_or(u16::MAX));
    if needle.is_empty() || y >= area.bottom() {
        return;
    }
    // Cells are compared, so that columns need not be worked out again.
    let (mut text, mut cells) = (String::new(), Vec::new());
    let mut x = area.x;
    while x < area.right() {
        let symbol = buf[(x, y)].symbol().to_lowercase();
        let wide = assay_core::text::width(&symbol).max(1) as u16;
        cells.push((text.len(), x, wide));
        text.push_str(&symbol);
        x = x.saturating_add(wide);
    }
    let style = state.theme.style(role);
    for (from, found) in text.match_indices(needle) {
        let within = |at: usize| at >= from && at < from + found.len();
        for (_, x, wide) in cells.iter().filter(|c| within(c.0)) {
            let width = (*wide).min(area.right().saturating_sub(*x));
            let cell = Rect {
                x: *x,
                y,
                width,
                height: 1,
            };
            buf.set_style(cell, style);
        }
    }
}

/// How far a document is scrolled, e.g. `12/80`; empty when all of it shows.
pub fn position(scroll: usize, total: usize, height: u16) -> String {
    let height = usize::from(height);
    if total <= height {
        String::new()
    } else {
        format!("{}/{total}", (scroll + height).min(total))
    }
}

/// Reverses a row and puts the marker in front, so that it shows without colours too.
pub fn select(state: &State, buf: &mut Buffer, area: Rect, row: usize) {
    if row < usize::from(area.height) && area.width > 0 {
        let row = Rect {
            y: area.y + row as u16,
            height: 1,
            ..area
        };
        // One even bar: the colours of the cells would make patches of background.
        let even = Style::new().fg(Color::Reset).remove_modifier(Modifier::DIM);
        buf.set_style(row, even.patch(state.theme.style(Role::Selected)));
        buf.set_stringn(row.x, row.y, state.theme.marker(), 1, Style::new());
    }
}
