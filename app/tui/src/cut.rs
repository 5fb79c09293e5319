//! Where text is cut: never inside a number, for the rest of one reads as another number.

use std::ops::Range;

use assay_core::text::width;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use crate::document::parts::wrap;

/// The numbers of a text with their signs. Digits of a name, as in `tile-64` or `v2`, are none.
pub fn numbers(text: &str) -> Vec<Range<usize>> {
    let b = text.as_bytes();
    let digit = |i: usize| b.get(i).is_some_and(u8::is_ascii_digit);
    let word = |i: usize| {
        b.get(i)
            .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
    };
    let mut out = Vec::new();
    let mut i = 0;
    while i < b.len() {
        if !word(i) {
            i += 1;
            continue;
        }
        let named =
            i >= 2 && b[i - 1] == b'-' && (b[i - 2].is_ascii_alphabetic() || b[i - 2] == b'_');
        if !digit(i) || named {
            while word(i) {
                i += 1;
            }
            continue;
        }
        let signed =
            i >= 1 && matches!(b[i - 1], b'+' | b'-') && (i < 2 || b" ([".contains(&b[i - 2]));
        let start = i - usize::from(signed);
        while digit(i) || (matches!(b.get(i), Some(b'.' | b',')) && digit(i + 1)) {
            i += 1;
        }
        if matches!(b.get(i), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(b.get(i + 1), Some(b'+' | b'-')));
            if digit(i + 1 + sign) {
                i += 1 + sign;
                while digit(i) {
                    i += 1;
                }
            }
        }
        out.push(start..i);
        while word(i) {
            i += 1;
        }
    }
    out
}

/// The number that a place lies inside of.
fn number_at(text: &str, at: usize) -> Option<Range<usize>> {
    // Far from the place nothing of that number stands; long lines are not read wholly.
    let from = (0..=at.saturating_sub(64))
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0);
    let to = (at + 64..text.len())
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(text.len());
    let inside = |r: &Range<usize>| r.start + from < at && at < r.end + from;
    let found = numbers(text.get(from..to)?).into_iter().find(inside)?;
    Some(found.start + from..found.end + from)
}

/// The end of a beginning of a text that ends inside no number.
pub fn before_number(text: &str, end: usize) -> usize {
    number_at(text, end).map_or(end, |n| n.start)
}

/// A part of a text as it is seen through a window.
struct Seen {
    /// Blanks before it, for half of a wide character.
    blanks: usize,
    /// What of it is shown.
    shown: Range<usize>,
    /// Its beginning up to here is the rest of a number.
    rest: usize,
    /// There is more on the right.
    more: bool,
}

fn seen(text: &str, left: usize, columns: usize) -> Seen {
    let mut out = Seen {
        blanks: 0,
        shown: text.len()..text.len(),
        rest: 0,
        more: false,
    };
    let (mut at, mut begun) = (0, false);
    for (i, g) in text.grapheme_indices(true) {
        let end = at + width(g);
        if at >= left && !begun {
            begun = true;
            out.shown.start = i;
        } else if end > left && !begun {
            // Half of a wide character is a blank.
            out.blanks = end - left;
        }
        if end > left + columns {
            out.shown.end = i.max(out.shown.start.min(i));
            out.more = true;
            break;
        }
        at = end;
    }
    out.shown.start = out.shown.start.min(out.shown.end);
    if out.more {
        out.shown.end = before_number(text, out.shown.end).max(out.shown.start);
    }
    if out.shown.start > 0
        && let Some(n) = number_at(text, out.shown.start)
    {
        out.rest = n.end.min(out.shown.end);
    }
    out
}

/// The spans of a line between two places of its text.
fn part(line: &Line<'_>, range: &Range<usize>) -> Vec<Span<'static>> {
    let mut at = 0;
    let mut out = Vec::new();
    for span in &line.spans {
        let (from, to) = (at, at + span.content.len());
        at = to;
        let (start, end) = (range.start.max(from), range.end.min(to));
        if start < end
            && let Some(text) = span.content.get(start - from..end - from)
        {
            out.push(Span::styled(text.to_owned(), span.style));
        }
    }
    out
}

fn text(line: &Line<'_>) -> String {
    line.spans.iter().map(|s| s.content.as_ref()).collect()
}

/// `columns` columns of a line from column `left`, and whether there is more on the right. `gap`, one
/// column wide, stands for a number whose beginning is out of view.
pub fn window(line: &Line<'_>, left: usize, columns: usize, gap: &str) -> (Line<'static>, bool) {
    let text = text(line);
    let s = seen(&text, left, columns);
    let mut spans = vec![Span::raw(" ".repeat(s.blanks))];
    let mut shown = s.shown.clone();
    if s.rest > shown.start {
        let columns = width(&text[shown.start..s.rest]);
        spans.push(Span::raw(format!(
            "{gap}{}",
            " ".repeat(columns.saturating_sub(1))
        )));
        shown.start = s.rest;
    }
    spans.extend(part(line, &shown));
    (Line::from(spans), s.more)
}

/// A line in at most `columns` columns; `gap`, one column wide, stands at its end where it is cut.
pub fn line(line: &Line<'_>, columns: usize, gap: &str) -> Option<Line<'static>> {
    let all = text(line);
    if width(all.trim_end()) <= columns || columns == 0 {
        return None;
    }
    let s = seen(&all, 0, columns - 1);
    let mut spans = part(line, &s.shown);
    let style = spans.last().map(|s| s.style).unwrap_or_default();
    spans.push(Span::styled(gap.to_owned(), style));
    Some(Line::from(spans))
}

/// A line over as many rows as it takes, what follows a little further in than the first.
pub fn wrapped(line: Line<'static>, columns: usize) -> Vec<Line<'static>> {
    let all = text(&line);
    if width(all.trim_end()) <= columns {
        return vec![line];
    }
    let body = all.trim_start_matches(' ');
    let lead = (all.len() - body.len()).min(columns / 3);
    let next = (lead + 2).min(columns / 3);
    let mut at = all.len() - body.len();
    let mut out = Vec::new();
    for row in wrap(body, columns.saturating_sub(next)) {
        // Wrapping leaves out blanks and nothing else.
        let Some(from) = all[at..].find(&row).map(|i| i + at) else {
            continue;
        };
        at = from + row.len();
        let indent = if out.is_empty() { lead } else { next };
        let mut spans = vec![Span::raw(" ".repeat(indent))];
        spans.extend(part(&line, &(from..at)));
        out.push(Line::from(spans));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        numbers(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn numbers_are_found_and_names_are_not() {
        assert_eq!(
            found("0.991 (-0.9 %) [0.979-1.003]"),
            ["0.991", "-0.9", "0.979", "1.003"]
        );
        assert_eq!(
            found("1,234,567 of 2.5e-3, 12."),
            ["1,234,567", "2.5e-3", "12"]
        );
        assert_eq!(found("tile-64 v2 a_1 第12个 x-y"), ["12"]);
        assert_eq!(found("a128x64 4f2a91 3/4"), ["4", "3", "4"]);
    }

    #[test]
    fn a_line_is_cut_before_a_number_and_says_so() {
        let whole = Line::from(vec![Span::raw("ratio "), Span::raw("0.979-1.003]")]);
        let at = |columns| line(&whole, columns, "…").map(|l| l.to_string());
        assert_eq!(at(18), None);
        assert_eq!(at(17).as_deref(), Some("ratio 0.979-…"));
        assert_eq!(at(12).as_deref(), Some("ratio 0.979…"));
        assert_eq!(at(11).as_deref(), Some("ratio …"));
        assert_eq!(at(1).as_deref(), Some("…"));
    }

    #[test]
    fn a_window_shows_no_part_of_a_number() {
        let whole = Line::from("12345  678 核");
        let of = |left, columns| {
            let (line, more) = window(&whole, left, columns, "…");
            (line.to_string(), more)
        };
        assert_eq!(of(0, 13), ("12345  678 核".into(), false));
        assert_eq!(of(0, 9), ("12345  ".into(), true));
        assert_eq!(of(2, 20), ("…    678 核".into(), false));
        assert_eq!(of(12, 20), (" ".into(), false));
        assert_eq!(of(2, 2), (String::new(), true));
        assert_eq!(of(40, 5).0, "");
    }

    #[test]
    fn a_wrapped_line_keeps_its_words_and_styles() {
        let bold = ratatui::style::Style::new().add_modifier(ratatui::style::Modifier::BOLD);
        let whole = Line::from(vec![
            Span::raw("  UNDECIDED "),
            Span::styled("0.991 ", bold),
            Span::raw("(-0.9 %) [0.979-1.003] "),
        ]);
        let rows = wrapped(whole.clone(), 30);
        let texts: Vec<String> = rows.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["  UNDECIDED 0.991 (-0.9 %)", "    [0.979-1.003]"]);
        assert!(
            rows[0]
                .spans
                .iter()
                .any(|s| s.content == "0.991 " && s.style == bold)
        );
        for columns in 1..60 {
            for row in wrapped(whole.clone(), columns) {
                let row = row.to_string();
                assert!(width(row.trim_end()) <= columns.max(2), "{columns} {row}");
            }
        }
    }
}
