//! The History screen: the curve of the champion, and below it the records of the ledger, newest
//! first, with what the chain of accepted steps comes to, measured end to end.
//!
//! ```text
//! 2026-11-30 01:55  decision     tile-64       accepted: 8.7 % faster        ann
//! ```

use std::collections::HashMap;

use assay_core::text::inert;
use assay_core::view::LogRow;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::curve;
use super::pane::{self, put};
use crate::document::chain::chain;
use crate::fmt;
use crate::layout;
use crate::state::State;
use crate::strings::kind_word;
use crate::theme::Role;

/// Characters of the end of an id: those before it are of the time.
const ID: usize = 6;

/// Draws the list.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let (h, s) = (&state.history, state.strings);
    let count = h.slot.value.as_ref().map_or(0, |v| v.records.len());
    let fresh = pane::freshness(state, &h.slot);
    let at = if count > 0 {
        format!("{}/{count}", h.cursor.index + 1)
    } else {
        String::new()
    };
    let list = state.variants.list.value.as_ref();
    let ends = list.and_then(|l| l.chain.as_ref()).map(|c| chain(s, c));
    let mut remarks = vec![at, h.find.remark(s), fresh];
    remarks.extend(ends.into_iter().flatten().map(|(text, _)| text));
    let (list, above) = layout::history(body, h.curve.len());
    curve::draw(state, above, buf);
    pane::title(state, buf, list, s.history, &remarks);
    let inside = layout::inside(list);
    let Some(view) = h.slot.value.as_ref().filter(|v| !v.records.is_empty()) else {
        pane::missing(state, buf, inside, &h.slot, s.no_history);
        return;
    };
    let shown = view.records.iter().enumerate().skip(h.cursor.offset);
    let shown = shown.take(usize::from(inside.height));
    let records = shown.map(|(at, row)| (row, view.summary(at)));
    let lines = lines(state, records, usize::from(inside.width));
    for (i, line) in lines.iter().enumerate() {
        let at = h.cursor.offset + i;
        put(&state.theme, buf, inside, i, line);
        if at == h.cursor.index {
            pane::select(state, buf, inside, i);
        }
        pane::found(state, buf, inside, i, &h.find, at, false);
    }
}

/// Records in lines, each with what it says. Of those that look the same the ends of their ids tell
/// them apart.
pub(super) fn lines<'r>(
    state: &State,
    rows: impl Iterator<Item = (&'r LogRow, &'r str)>,
    width: usize,
) -> Vec<Line<'static>> {
    let rows: Vec<(&LogRow, &str)> = rows.collect();
    let plain: Vec<Line<'static>> = (rows.iter())
        .map(|(row, summary)| line(state, row, summary, width))
        .collect();
    let texts: Vec<String> = plain.iter().map(ToString::to_string).collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for text in &texts {
        *count.entry(text).or_default() += 1;
    }
    let all = rows.iter().zip(plain).zip(&texts);
    all.map(
        |(((row, summary), plain), text)| match count.get(text.as_str()) {
            Some(n) if *n > 1 => {
                let from = row
                    .id
                    .char_indices()
                    .rev()
                    .nth(ID - 1)
                    .map_or(0, |(i, _)| i);
                let id = format!("{}{} {summary}", state.theme.gap(), &row.id[from..]);
                line(state, row, &id, width)
            }
            _ => plain,
        },
    )
    .collect()
}

/// A record in one line, with what it says.
fn line(state: &State, row: &LogRow, summary: &str, width: usize) -> Line<'static> {
    let t = &state.theme;
    let wide = width >= 70;
    let mut spans = vec![Span::raw("  ")];
    if wide {
        spans.push(Span::styled(
            t.left(&inert(&fmt::minute(&row.at)), 18),
            t.style(Role::Dim),
        ));
    }
    spans.push(Span::styled(
        t.left(&inert(kind_word(state.options.lang, &row.kind)), 13),
        t.style(Role::Accent),
    ));
    spans.push(Span::raw(
        t.left(&inert(row.variant.as_deref().unwrap_or("-")), 18),
    ));
    spans.push(Span::raw(" "));
    let corrected = match row.supersedes {
        Some(_) => format!("{} ", state.strings.corrects),
        None => String::new(),
    };
    let used = 2 + if wide { 18 } else { 0 } + 13 + 19;
    let by = if width >= 100 { 14 } else { 0 };
    let room = width.saturating_sub(used + by);
    let summary = format!("{corrected}{}", inert(summary));
    spans.push(Span::raw(t.left(&summary, room)));
    if by > 0 {
        spans.push(Span::styled(
            t.right(&inert(&state.options.lang.said(&row.by)), by),
            t.style(Role::Dim),
        ));
    }
    Line::from(spans)
}
