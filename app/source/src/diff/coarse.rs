//! The diff of texts that are too large to be looked into.

use assay_core::view::{DiffLine, DiffPiece, Said};

use super::DiffOptions;
use super::view::shown;
use crate::said::{Key, plain, say};

/// One block from the first to the last line that differs, at most so many lines of each side.
///
/// Nothing is kept of lines that are not shown.
pub(super) fn diff(a: &str, b: &str, options: &DiffOptions) -> (Vec<Vec<DiffLine>>, Vec<Said>) {
    let head = (a.lines().zip(b.lines()))
        .take_while(|(x, y)| x == y)
        .count();
    let (n, m) = (a.lines().count(), b.lines().count());
    let tail = (a.lines().rev().zip(b.lines().rev()))
        .take(n.min(m) - head)
        .take_while(|(x, y)| x == y)
        .count();
    if head == n && head == m {
        return (Vec::new(), Vec::new());
    }
    let number = |i: usize| u32::try_from(i + 1).unwrap_or(u32::MAX);
    let mut cut_lines = false;
    let mut line = |tag: &str, i: Option<usize>, j: Option<usize>, text: &str| {
        let (text, cut) = shown(text);
        cut_lines |= cut;
        let pieces = if text.is_empty() {
            Vec::new()
        } else {
            vec![DiffPiece {
                emphasised: false,
                text,
            }]
        };
        DiffLine {
            tag: tag.to_owned(),
            a: i.map(number),
            b: j.map(number),
            pieces,
            ..DiffLine::default()
        }
    };
    let mut hunk = Vec::new();
    let first = head.saturating_sub(options.context);
    for (i, text) in a.lines().enumerate().take(head).skip(first) {
        hunk.push(line("context", Some(i), Some(i), text));
    }
    let cap = options.max_lines / 2;
    let (old_end, new_end) = (n - tail, m - tail);
    let (old_shown, new_shown) = (old_end.min(head + cap), new_end.min(head + cap));
    for (i, text) in a.lines().enumerate().take(old_shown).skip(head) {
        hunk.push(line("delete", Some(i), None, text));
    }
    for (j, text) in b.lines().enumerate().take(new_shown).skip(head) {
        hunk.push(line("insert", None, Some(j), text));
    }
    let left_out = (old_end - old_shown) + (new_end - new_shown);
    let mut cut = Vec::new();
    if left_out > 0 {
        cut.push(say(Key::LeftOut, [plain(left_out.to_string())]));
    } else {
        for (k, text) in a.lines().skip(old_end).take(options.context).enumerate() {
            hunk.push(line("context", Some(old_end + k), Some(new_end + k), text));
        }
    }
    if cut_lines {
        cut.push(say(Key::LongLines, []));
    }
    (vec![hunk], cut)
}
