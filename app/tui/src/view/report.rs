//! The Report screen: checks and write-up on one page that scrolls.
//!
//! ```text
//! Report  Claim  12/340  en  8 ok, 1 FAILED, 2 unknown
//!  Claim
//!  tile-64 is accepted: 8.7 % faster
//! ```

use assay_core::text::inert;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::pane::{self, put};
use crate::document::page::shown;
use crate::document::parts::Pen;
use crate::document::write_up::tally;
use crate::layout;
use crate::options::Lang;
use crate::state::State;
use crate::strings::fill;
use crate::theme::Role;

/// Draws the page.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let (r, s) = (&state.report, state.strings);
    let inside = layout::inside(body);
    pane::title(state, buf, body, s.report, &remarks(state, inside.height));
    if r.slot.value.is_none() {
        pane::missing(state, buf, inside, &r.slot, s.report_empty);
        return;
    }
    let (mark, text) = layout::columns(inside, 1);
    let pen = Pen {
        theme: state.theme,
        s,
        lang: state.options.lang,
        width: usize::from(text.width),
    };
    let rows = r.page.rows.iter().enumerate().skip(r.scroll);
    for (i, (at, row)) in rows.take(usize::from(text.height)).enumerate() {
        put(buf, text, i, &shown(&pen, row, r.left));
        let here = r.hits.get(r.hit) == Some(&at);
        if r.hits.binary_search(&at).is_ok() {
            let (glyph, role) = match here {
                true => (state.theme.marker(), Role::Accent),
                false => (state.theme.mark(), Role::Dim),
            };
            let y = mark.y + i as u16;
            buf.set_stringn(mark.x, y, glyph, 1, state.theme.style(role));
            highlight(state, buf, text, i, here);
        }
    }
}

/// Underlines what was searched for in a row, as far as it is in view.
fn highlight(state: &State, buf: &mut Buffer, area: Rect, row: usize, here: bool) {
    let y = area.y + row as u16;
    let query = state.report.query.to_lowercase();
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
    let style = state
        .theme
        .style(if here { Role::Selected } else { Role::Found });
    for (from, found) in text.match_indices(&query) {
        let within = |at: usize| at >= from && at < from + found.len();
        for (_, x, wide) in cells.iter().filter(|c| within(c.0)) {
            let width = (*wide).min(area.right().saturating_sub(*x));
            let cell = Rect {
                x: *x,
                y,
                width,
                height: 1,
            };
            buf.set_style(cell, Style::new().patch(style));
        }
    }
}

fn remarks(state: &State, height: u16) -> Vec<String> {
    let (r, s) = (&state.report, state.strings);
    let chapter = r.chapter().and_then(|c| r.page.chapters.get(c));
    let lang = match r.lang.unwrap_or(state.options.lang) {
        Lang::En => "en",
        Lang::Zh => "zh",
    };
    let mut out = vec![
        lang.to_owned(),
        pane::position(r.scroll, r.page.rows.len(), height),
    ];
    match &r.checks.value {
        Some(c) => out.push(tally(s, c)),
        None if r.checks.loading => out.push(s.checking.to_owned()),
        None => {}
    }
    if !r.query.is_empty() {
        let at = if r.hits.is_empty() { 0 } else { r.hit + 1 };
        let (at, all) = (at.to_string(), r.hits.len().to_string());
        out.push(format!(
            "/{} {}",
            inert(&r.query),
            fill(s.matches, &[&at, &all])
        ));
    }
    if r.left > 0 {
        out.push(format!("+{}", r.left));
    }
    out.push(chapter.map_or_else(String::new, |c| c.title.clone()));
    if r.slot.value.is_some() {
        out.push(pane::freshness(state, &r.slot));
    }
    out
}
