//! The Report screen: checks and write-up on one page that scrolls.
//!
//! ```text
//! Report  Claim  12/340  en  8 ok, 1 FAILED, 2 unknown
//!  Claim
//!  tile-64 is accepted: 8.7 % faster
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pane::{self, put};
use crate::document::page::shown;
use crate::document::parts::Pen;
use crate::document::write_up::tally;
use crate::layout;
use crate::options::Lang;
use crate::state::State;
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
        put(&state.theme, buf, text, i, &shown(&pen, row, r.left));
        let here = r.find.row() == Some(at);
        if r.find.holds(at) {
            let (glyph, role) = match here {
                true => (state.theme.marker(), Role::Accent),
                false => (state.theme.mark(), Role::Dim),
            };
            let y = mark.y + i as u16;
            buf.set_stringn(mark.x, y, glyph, 1, state.theme.style(role));
            pane::found(state, buf, text, i, &r.find, at, here);
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
    out.push(r.find.remark(s));
    if r.left > 0 {
        out.push(format!("+{}", r.left));
    }
    out.push(chapter.map_or_else(String::new, |c| c.title.clone()));
    if r.slot.value.is_some() {
        out.push(pane::freshness(state, &r.slot));
    }
    out
}
