//! Lines of a diff, scrolled sideways and cut by columns, with the changed pieces emphasised.

use assay_core::text::{inert, width};
use assay_core::view::{DiffLine, DiffPiece};
use assay_source::syntax::Span as Syntax;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::source::dim;
use super::syntax::role;
use crate::document::parts::Pen;
use crate::theme::Role;

/// Columns of a line number.
const NUMBER: usize = 5;
/// Distance of tab stops.
const TAB: usize = 4;

/// `- 13        text`: sign, both numbers, text.
pub fn unified(
    pen: &Pen,
    line: Option<&DiffLine>,
    syntax: &[Syntax],
    left: usize,
) -> Line<'static> {
    let Some(l) = line else {
        return Line::default();
    };
    let (sign, plain, strong) = roles(l);
    let bar = match l.moved {
        Some(_) => pen.theme.moved(),
        None => pen.theme.bar(),
    };
    let mut spans = vec![
        pen.span(sign.to_owned(), plain),
        dim(pen, format!("{}{} {bar} ", number(l.a), number(l.b))),
    ];
    let room = pen.width.saturating_sub(2 * NUMBER + 4);
    spans.extend(text(
        pen,
        &parts(&l.pieces, syntax, plain, strong),
        left,
        room,
    ));
    Line::from(spans)
}

/// Both sides in two halves; of an unchanged line each side as it stands there.
pub fn pair(
    pen: &Pen,
    a: Option<&DiffLine>,
    b: Option<&DiffLine>,
    syntax: &[Syntax],
    left: usize,
) -> Line<'static> {
    let half = pen.width.saturating_sub(1) / 2;
    let other = a.filter(|l| !l.other.is_empty());
    let (of_a, syntax_a) = match other {
        Some(l) => (Some(l.other.as_slice()), &[][..]),
        None => (a.map(|l| l.pieces.as_slice()), syntax),
    };
    let mut spans = side(pen, a, of_a, a.and_then(|l| l.a), syntax_a, left, half);
    spans.push(dim(pen, pen.theme.bar().to_owned()));
    let of_b = b.map(|l| l.pieces.as_slice());
    spans.extend(side(pen, b, of_b, b.and_then(|l| l.b), syntax, left, half));
    Line::from(spans)
}

fn side(
    pen: &Pen,
    line: Option<&DiffLine>,
    pieces: Option<&[DiffPiece]>,
    at: Option<u32>,
    syntax: &[Syntax],
    left: usize,
    columns: usize,
) -> Vec<Span<'static>> {
    let (Some(l), Some(pieces)) = (line, pieces) else {
        return vec![Span::raw(" ".repeat(columns))];
    };
    let (sign, plain, strong) = roles(l);
    let room = columns.saturating_sub(NUMBER + 2);
    let mark = match l.moved {
        Some(_) => pen.theme.moved(),
        None => " ",
    };
    let mut spans = vec![
        pen.span(sign.to_owned(), plain),
        dim(pen, format!("{}{mark}", number(at))),
    ];
    let body = text(pen, &parts(pieces, syntax, plain, strong), left, room);
    let used: usize = body.iter().map(|s| width(&s.content)).sum();
    spans.extend(body);
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
    spans
}

fn roles(line: &DiffLine) -> (&'static str, Role, Role) {
    match (line.tag.as_str(), line.moved) {
        ("insert", None) => ("+", Role::Insert, Role::InsertStrong),
        ("delete", None) => ("-", Role::Delete, Role::DeleteStrong),
        ("insert", Some(_)) => ("+", Role::Moved, Role::Moved),
        ("delete", Some(_)) => ("-", Role::Moved, Role::Moved),
        _ => (" ", Role::Plain, Role::Plain),
    }
}

/// The pieces of a line with their roles: by what changed, or by syntax where nothing did.
fn parts<'l>(
    pieces: &'l [DiffPiece],
    syntax: &[Syntax],
    plain: Role,
    strong: Role,
) -> Vec<(Role, &'l str)> {
    let [one] = pieces else {
        let of = |p: &'l DiffPiece| (if p.emphasised { strong } else { plain }, p.text.as_str());
        return pieces.iter().map(of).collect();
    };
    let mut out = Vec::new();
    let mut from = 0;
    for s in syntax {
        if let Some(t) = one.text.get(s.from..s.to) {
            out.push((role(s.class), t));
            from = s.to;
        }
    }
    let rest = one.text.get(from..).unwrap_or_default();
    out.push((if one.emphasised { strong } else { plain }, rest));
    out
}

fn number(n: Option<u32>) -> String {
    n.map_or_else(|| " ".repeat(NUMBER), |n| format!("{n:>NUMBER$}"))
}

/// The text between column `left` and `left + columns`. Tabs go to the next stop.
fn text(pen: &Pen, parts: &[(Role, &str)], left: usize, columns: usize) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut at = 0;
    for (role, piece) in parts {
        let mut shown = String::new();
        for part in piece.split_inclusive('\t') {
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
            spans.push(pen.span(shown, *role));
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
