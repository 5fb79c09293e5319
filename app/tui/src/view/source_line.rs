//! Lines of a diff, scrolled sideways and cut by columns, with the changed pieces emphasised.

use assay_core::text::{inert, width};
use assay_source::diff::{Cell, Row, WindowRow};
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::source::dim;
use super::syntax::role;
use crate::document::page::scrolled;
use crate::document::parts::Pen;
use crate::theme::Role;

/// Columns of a line number.
const NUMBER: usize = 5;
/// Distance of tab stops.
const TAB: usize = 4;

/// Columns of a row of one column before its text: sign, both numbers, bar.
pub const GUTTER: usize = 2 * NUMBER + 4;
/// Columns of each half of a row of two columns before its text: sign, number, mark.
pub const HALF_GUTTER: usize = NUMBER + 2;

/// `- 13        text`: sign, both numbers, text.
pub fn unified(pen: &Pen, row: &WindowRow, left: usize) -> Line<'static> {
    // Of a line that both have, side B stands there.
    let gone = row.right.is_none();
    let Some(cell) = row.right.as_ref().or(row.left.as_ref()) else {
        return Line::default();
    };
    let both = matches!(row.row, Row::Lines { .. });
    let (sign, role) = sign(both, gone, cell);
    let bar = match cell.moved {
        Some(_) => pen.theme.moved(),
        None => pen.theme.bar(),
    };
    let numbers = [&row.left, &row.right].map(|c| number(c.as_ref().map(|c| c.number)));
    let mut spans = vec![
        pen.span(sign, role),
        dim(pen, format!("{}{} {bar} ", numbers[0], numbers[1])),
    ];
    let room = pen.width.saturating_sub(GUTTER);
    spans.extend(text(pen, &parts(gone, cell), left, room));
    Line::from(spans)
}

/// Both sides in two halves.
pub fn pair(pen: &Pen, row: &WindowRow, left: usize) -> Line<'static> {
    let half = pen.width.saturating_sub(1) / 2;
    let mut spans = side(pen, row, true, left, half);
    spans.push(dim(pen, pen.theme.bar().to_owned()));
    spans.extend(side(pen, row, false, left, half));
    Line::from(spans)
}

fn side(pen: &Pen, row: &WindowRow, gone: bool, left: usize, columns: usize) -> Vec<Span<'static>> {
    let cell = if gone { &row.left } else { &row.right };
    let Some(cell) = cell else {
        return vec![Span::raw(" ".repeat(columns))];
    };
    let equal = matches!(row.row, Row::Lines { equal: true, .. });
    let (sign, role) = sign(equal, gone, cell);
    let room = columns.saturating_sub(HALF_GUTTER);
    let mark = match cell.moved {
        Some(_) => pen.theme.moved(),
        None => " ",
    };
    let mut spans = vec![
        pen.span(sign, role),
        dim(pen, format!("{}{mark}", number(Some(cell.number)))),
    ];
    let body = text(pen, &parts(gone, cell), left, room);
    let used: usize = body.iter().map(|s| width(&s.content)).sum();
    spans.extend(body);
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
    spans
}

fn sign(equal: bool, gone: bool, cell: &Cell) -> (&'static str, Role) {
    match (equal, gone) {
        (true, _) => (" ", Role::Plain),
        (_, _) if cell.moved.is_some() => (if gone { "-" } else { "+" }, Role::Moved),
        (_, true) => ("-", Role::Delete),
        (_, false) => ("+", Role::Insert),
    }
}

/// The pieces of a line with their roles.
fn parts(gone: bool, cell: &Cell) -> Vec<(Role, &str)> {
    (cell.spans.iter())
        .map(|s| (role(gone, s.mark, s.syntax), s.text.as_str()))
        .collect()
}

fn number(n: Option<u32>) -> String {
    n.map_or_else(|| " ".repeat(NUMBER), |n| format!("{n:>NUMBER$}"))
}

/// Columns beyond the view that are looked at, so that the end of a number is found.
const BEYOND: usize = 64;

/// The text between column `left` and `left + columns`. Tabs go to the next stop.
fn text(pen: &Pen, parts: &[(Role, &str)], left: usize, columns: usize) -> Vec<Span<'static>> {
    let end = left + columns + BEYOND;
    let mut spans = Vec::new();
    let mut at = 0;
    // A generated line can be megabytes long; what is far out of view is not walked.
    for (role, piece) in parts {
        let mut shown = String::new();
        for part in piece.split_inclusive('\t') {
            let (body, tab) = part.strip_suffix('\t').map_or((part, false), |b| (b, true));
            let body = inert(clip(body, (end + 1) * 8));
            for g in body.graphemes(true).take(end) {
                at += width(g);
                shown.push_str(g);
            }
            if tab {
                let stop = TAB - at % TAB;
                at += stop;
                shown.push_str(&" ".repeat(stop));
            }
            if at >= end {
                break;
            }
        }
        spans.push(pen.span(shown, *role));
        if at >= end {
            break;
        }
    }
    scrolled(pen, &Line::from(spans), left, columns).spans
}

/// The first `bytes` bytes, or a few more to end at a character.
fn clip(text: &str, bytes: usize) -> &str {
    let end = (bytes..text.len())
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(text.len());
    &text[..end]
}
