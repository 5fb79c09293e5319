//! Lines of a diff, scrolled sideways and cut by columns, with the changed pieces emphasised.

use assay_core::text::{inert, width};
use assay_core::view::DiffLine;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::source::dim;
use crate::document::parts::Pen;
use crate::theme::Role;

/// Columns of a line number.
const NUMBER: usize = 5;
/// Distance of tab stops.
const TAB: usize = 4;

/// `- 13        text`: sign, both numbers, text.
pub fn unified(pen: &Pen, line: Option<&DiffLine>, left: usize) -> Line<'static> {
    let Some(l) = line else {
        return Line::default();
    };
    let (sign, plain, strong) = roles(&l.tag);
    let mut spans = vec![
        pen.span(sign.to_owned(), plain),
        dim(
            pen,
            format!("{}{} {} ", number(l.a), number(l.b), pen.theme.bar()),
        ),
    ];
    spans.extend(text(
        pen,
        l,
        left,
        pen.width.saturating_sub(2 * NUMBER + 4),
        plain,
        strong,
    ));
    Line::from(spans)
}

/// Both sides in two halves.
pub fn pair(pen: &Pen, a: Option<&DiffLine>, b: Option<&DiffLine>, left: usize) -> Line<'static> {
    let half = pen.width.saturating_sub(1) / 2;
    let mut spans = side(pen, a, a.and_then(|l| l.a), left, half);
    spans.push(dim(pen, pen.theme.bar().to_owned()));
    spans.extend(side(pen, b, b.and_then(|l| l.b), left, half));
    Line::from(spans)
}

fn side(
    pen: &Pen,
    line: Option<&DiffLine>,
    at: Option<u32>,
    left: usize,
    columns: usize,
) -> Vec<Span<'static>> {
    let Some(l) = line else {
        return vec![Span::raw(" ".repeat(columns))];
    };
    let (sign, plain, strong) = roles(&l.tag);
    let room = columns.saturating_sub(NUMBER + 2);
    let mut spans = vec![
        pen.span(sign.to_owned(), plain),
        dim(pen, format!("{} ", number(at))),
    ];
    let body = text(pen, l, left, room, plain, strong);
    let used: usize = body.iter().map(|s| width(&s.content)).sum();
    spans.extend(body);
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
    spans
}

fn roles(tag: &str) -> (&'static str, Role, Role) {
    match tag {
        "insert" => ("+", Role::Insert, Role::InsertStrong),
        "delete" => ("-", Role::Delete, Role::DeleteStrong),
        _ => (" ", Role::Plain, Role::Plain),
    }
}

fn number(n: Option<u32>) -> String {
    n.map_or_else(|| " ".repeat(NUMBER), |n| format!("{n:>NUMBER$}"))
}

/// The text between column `left` and `left + columns`. Tabs go to the next stop.
fn text(
    pen: &Pen,
    l: &DiffLine,
    left: usize,
    columns: usize,
    plain: Role,
    strong: Role,
) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut at = 0;
    for piece in &l.pieces {
        let mut shown = String::new();
        for part in piece.text.split_inclusive('\t') {
            let (body, tab) = part.strip_suffix('\t').map_or((part, false), |b| (b, true));
            for g in inert(clip(body, (left + columns + 1) * 8)).graphemes(true) {
                put(&mut shown, &mut at, g, left, columns);
            }
            if tab {
                for _ in 0..TAB - at % TAB {
                    put(&mut shown, &mut at, " ", left, columns);
                }
            }
            // A generated line can be megabytes long; what is out of view is not walked.
            if at >= left + columns {
                break;
            }
        }
        if !shown.is_empty() {
            spans.push(pen.span(shown, if piece.emphasised { strong } else { plain }));
        }
        if at >= left + columns {
            break;
        }
    }
    spans
}

/// The first `bytes` bytes, or a few more to end at a character.
fn clip(text: &str, bytes: usize) -> &str {
    let end = (bytes..text.len())
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(text.len());
    &text[..end]
}

/// Appends a grapheme when all of it is in view; a wide one that is half in view becomes a blank.
fn put(out: &mut String, at: &mut usize, g: &str, left: usize, columns: usize) {
    let w = width(g);
    let (start, end) = (*at, *at + w);
    *at = end;
    if start >= left && end <= left + columns {
        out.push_str(g);
    } else if end > left && start < left + columns && w > 1 {
        out.push(' ');
    }
}
