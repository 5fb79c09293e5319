//! Text from outside, made safe to show, and measured in terminal columns.
//!
//! Nothing else in the workspace calls `.len()` or `{:<n}` on text that a person will see.

mod cells;
mod grid;

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub use cells::{csv_field, markdown_cell};
pub use grid::{Grid, GridError};

/// Whether a character must never reach a terminal as it is.
///
/// Control characters (C0, DEL, C1), and the directional and invisible format characters with
/// which a name can be made to read as another one.
fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// Shows active characters as visible escapes (`\x1b`, `\u{202e}`), so that the text is inert.
///
/// Line feeds and tabs are escaped too: this is for one-line places. See [`inert_block`].
pub fn inert(text: &str) -> Cow<'_, str> {
    escape(text, is_active)
}

/// Like [`inert`], but line feeds and tabs stay: for logs and sources.
pub fn inert_block(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_active(c) && c != '\n' && c != '\t')
}

fn escape(text: &str, active: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Nearly every text is printable ASCII, which is seen at once.
    let is_plain = text.bytes().all(|b| matches!(b, b' '..=b'~'));
    if is_plain || !text.chars().any(&active) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' if active(c) => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' if active(c) => out.push_str("\\t"),
            c if active(c) && (c as u32) < 0x100 => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if active(c) => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Width of `text` in terminal columns.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Cuts `text` to at most `columns` columns at a grapheme boundary; a cut is marked with `…`.
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut out = String::new();
    let mut used = 0;
    for g in text.graphemes(true) {
        let w = width(g);
        if used + w > columns - 1 {
            break;
        }
        used += w;
        out.push_str(g);
    }
    out.push('…');
    Cow::Owned(out)
}

/// Cuts `text` in its middle to at most `columns` columns, so that its end can be read too; a cut is
/// marked with `…`.
pub fn truncate_middle(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns || columns < 3 {
        return truncate(text, columns);
    }
    let head = truncate(text, columns / 2 + 1);
    let room = columns - width(&head);
    let (mut start, mut used) = (text.len(), 0);
    for (at, g) in text.grapheme_indices(true).rev() {
        used += width(g);
        if used > room {
            break;
        }
        start = at;
    }
    Cow::Owned(format!("{head}{}", &text[start..]))
}

/// So many of something, e.g. `1 counter`, `2 counters`.
pub fn count(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// Truncates and fills with blanks on the right to exactly `columns` columns.
pub fn pad_right(text: &str, columns: usize) -> String {
    let t = truncate(text, columns);
    let fill = columns.saturating_sub(width(&t));
    format!("{t}{}", " ".repeat(fill))
}

/// Truncates and fills with blanks on the left to exactly `columns` columns.
pub fn pad_left(text: &str, columns: usize) -> String {
    let t = truncate(text, columns);
    let fill = columns.saturating_sub(width(&t));
    format!("{}{t}", " ".repeat(fill))
}

/// The candidate nearest to `word`, if it is near enough to be what was meant.
///
/// Near is an edit distance (Damerau, adjacent swaps count one) of at most a third of the length.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|c| (distance(word, c), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, c)| (*d, c.len()))
        .map(|(_, c)| c)
}

fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_inert() {
        assert_eq!(inert("a\x1b[2Jb\u{202e}c\n"), "a\\x1b[2Jb\\u{202e}c\\n");
        assert_eq!(inert_block("a\n\tb\u{9b}31m\r"), "a\n\tb\\x9b31m\\r");
        assert!(matches!(inert("核函数 gemm"), Cow::Borrowed(_)));
    }

    #[test]
    fn cjk_text_is_measured_and_cut_in_columns() {
        assert_eq!(width("核函数"), 6);
        assert_eq!(truncate("核函数", 5), "核函…");
        assert_eq!(truncate("核函数", 4), "核…");
        assert_eq!(pad_right("核", 4), "核  ");
        assert_eq!(pad_left("核", 4), "  核");
        assert_eq!(truncate("abc", 0), "");
    }

    #[test]
    fn near_misses_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("workloda", ["workload", "gate"]), Some("workload"));
        assert_eq!(nearest("xyz", ["workload", "gate"]), None);
    }

    #[test]
    fn a_middle_is_cut_so_that_both_ends_are_read() {
        let name = "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum";
        assert_eq!(truncate_middle(name, 21), "smsp__sass…red_on.sum");
        assert_eq!(truncate_middle("核函数核函数", 7), "核…函数");
        assert_eq!(truncate_middle("short", 5), "short");
        for columns in 0..60 {
            assert!(width(&truncate_middle(name, columns)) <= columns);
        }
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(
            (count(1, "row"), count(0, "row")),
            ("1 row".to_owned(), "0 rows".to_owned())
        );
    }
}
