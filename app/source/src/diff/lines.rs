//! The diff of two texts.

use std::collections::HashMap;
use std::time::Instant;

use assay_core::view::{DiffLine, DiffPiece};
use similar::{Algorithm, ChangeTag, DiffOp, InlineChangeOptions, TextDiff, TextDiffConfig};

use super::DiffOptions;

type Hunks = Vec<Vec<DiffLine>>;

/// Lines longer than this are not searched for what changed inside them.
const MAX_INLINE_BYTES: usize = 4096;

/// A change of more lines than this is a rewrite, in which marking words helps nobody.
const MAX_INLINE_LINES: usize = 400;

pub(super) fn diff(
    a: &str,
    b: &str,
    options: &DiffOptions,
    deadline: Option<Instant>,
) -> (Hunks, Vec<String>) {
    let mut notices = line_end_notices(a, b);
    let old = split(a);
    let new = split(b);
    if old == new {
        return (Vec::new(), notices);
    }
    let too_large = a.len().max(b.len()) > options.max_bytes;
    let found = if too_large {
        None
    } else {
        search(&old, &new, deadline)
    };
    let Some(diff) = found else {
        let why = if too_large {
            format!("larger than {} bytes", options.max_bytes)
        } else {
            "the time for this diff was spent".to_owned()
        };
        let (hunks, cut) = coarse(&old, &new, options);
        notices.push(format!(
            "Coarse diff ({why}): everything between the first and the last difference counts as changed."
        ));
        notices.extend(cut);
        return (hunks, notices);
    };
    let mut plain = false;
    let hunks: Hunks = diff
        .grouped_ops(options.context)
        .into_iter()
        .map(|ops| {
            ops.iter()
                .flat_map(|op| hunk_lines(&diff, op, deadline, &mut plain))
                .collect()
        })
        .collect();
    if plain {
        notices.push("What changed inside lines is not marked everywhere.".into());
    }
    (hunks, notices)
}

/// The line diff, or nothing when time ran out.
///
/// Histogram puts hunks where a reader expects them but is slow when most lines repeat; Myers is
/// fast when little differs. Each gets its share of the time, and a result that was cut short by
/// the clock is not used: it calls whole files changed.
fn search<'a>(
    old: &[&'a str],
    new: &[&'a str],
    deadline: Option<Instant>,
) -> Option<TextDiff<'a, 'a, str>> {
    for (algorithm, share) in [(Algorithm::Histogram, 3), (Algorithm::Myers, 2)] {
        let now = Instant::now();
        let end = match deadline {
            Some(d) => Some(now + d.checked_duration_since(now)? / share),
            None => None,
        };
        let mut config = TextDiffConfig::default();
        config.algorithm(algorithm);
        if let Some(end) = end {
            config.deadline(end);
        }
        let diff = config.diff_slices(old, new);
        if !expired(end) {
            return Some(diff);
        }
    }
    None
}

fn expired(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|d| Instant::now() >= d)
}

/// Lines without their ends, so that a changed line end alone is not a changed line.
fn split(text: &str) -> Vec<&str> {
    text.lines().collect()
}

fn line_end_notices(a: &str, b: &str) -> Vec<String> {
    let mut out = Vec::new();
    if a.is_empty() || b.is_empty() {
        return out;
    }
    let crlf = |t: &str| t.contains("\r\n");
    match (crlf(a), crlf(b)) {
        (true, false) => {
            out.push("A has CRLF line ends and B does not; line ends are not compared.".into())
        }
        (false, true) => {
            out.push("B has CRLF line ends and A does not; line ends are not compared.".into())
        }
        (true, true) => out.push("Both sides have CRLF line ends.".into()),
        (false, false) => {}
    }
    match (a.ends_with('\n'), b.ends_with('\n')) {
        (true, false) => out.push("B has no line feed at its end.".into()),
        (false, true) => out.push("A has no line feed at its end.".into()),
        _ => {}
    }
    out
}

/// `plain` is set when a change had to be shown without marking what changed inside its lines.
fn hunk_lines(
    diff: &TextDiff<'_, '_, str>,
    op: &DiffOp,
    deadline: Option<Instant>,
    plain: &mut bool,
) -> Vec<DiffLine> {
    let long = |side: usize, range: std::ops::Range<usize>| {
        range
            .into_iter()
            .filter_map(|i| {
                if side == 0 {
                    diff.old_slice(i)
                } else {
                    diff.new_slice(i)
                }
            })
            .any(|l| l.len() > MAX_INLINE_BYTES)
    };
    let replaces = matches!(op, DiffOp::Replace { .. });
    let refused = replaces
        && (long(0, op.old_range())
            || long(1, op.new_range())
            || op.old_range().len() + op.new_range().len() > MAX_INLINE_LINES
            || expired(deadline));
    *plain |= refused;
    // Words keep registers and operands whole, which is what a reader of assembly looks for.
    let mut marked: HashMap<(bool, usize), Vec<(bool, &str)>> = HashMap::new();
    if replaces && !refused {
        let options = InlineChangeOptions::default();
        for c in diff.iter_inline_changes_with_options_deadline(op, options, deadline) {
            if let (Some(i), None) | (None, Some(i)) = (c.old_index(), c.new_index()) {
                marked.insert((c.old_index().is_some(), i), c.values().to_vec());
            }
        }
    }
    // Lines without content have no words, and are left out there: the lines come from here.
    diff.iter_changes(op)
        .map(|c| {
            let i = c.old_index().or(c.new_index()).unwrap_or(0);
            let pieces = marked
                .remove(&(c.old_index().is_some(), i))
                .filter(|p| p.iter().map(|(_, t)| t.len()).sum::<usize>() == c.value().len())
                .unwrap_or_else(|| vec![(false, c.value())]);
            line(c.tag(), c.old_index(), c.new_index(), pieces)
        })
        .collect()
}

fn line(tag: ChangeTag, a: Option<usize>, b: Option<usize>, pieces: Vec<(bool, &str)>) -> DiffLine {
    let tag = match tag {
        ChangeTag::Equal => "context",
        ChangeTag::Delete => "delete",
        ChangeTag::Insert => "insert",
    };
    let mut merged: Vec<DiffPiece> = Vec::new();
    for (emphasised, text) in pieces {
        match merged.last_mut() {
            Some(last) if last.emphasised == emphasised => last.text.push_str(text),
            _ if text.is_empty() => {}
            _ => merged.push(DiffPiece {
                emphasised,
                text: text.to_owned(),
            }),
        }
    }
    DiffLine {
        tag: tag.to_owned(),
        a: a.map(number),
        b: b.map(number),
        pieces: merged,
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)
}

/// One block from the first to the last line that differs, at most so many lines of each side.
fn coarse(old: &[&str], new: &[&str], options: &DiffOptions) -> (Hunks, Option<String>) {
    let shorter = old.len().min(new.len());
    let head = (0..shorter).take_while(|i| old[*i] == new[*i]).count();
    let tail = (0..shorter - head)
        .take_while(|i| old[old.len() - 1 - i] == new[new.len() - 1 - i])
        .count();
    let old_end = old.len() - tail;
    let new_end = new.len() - tail;
    let mut hunk = Vec::new();
    let equal =
        |i: usize, j: usize| line(ChangeTag::Equal, Some(i), Some(j), vec![(false, old[i])]);
    for i in head.saturating_sub(options.context)..head {
        hunk.push(equal(i, i));
    }
    let cap = options.max_coarse_lines;
    let old_shown = old_end.min(head.saturating_add(cap));
    let new_shown = new_end.min(head.saturating_add(cap));
    for (i, text) in old.iter().enumerate().take(old_shown).skip(head) {
        hunk.push(line(ChangeTag::Delete, Some(i), None, vec![(false, text)]));
    }
    for (j, text) in new.iter().enumerate().take(new_shown).skip(head) {
        hunk.push(line(ChangeTag::Insert, None, Some(j), vec![(false, text)]));
    }
    let left_out = (old_end - old_shown) + (new_end - new_shown);
    let cut = (left_out > 0).then(|| format!("{left_out} changed lines are left out."));
    if cut.is_none() {
        for k in 0..tail.min(options.context) {
            hunk.push(equal(old_end + k, new_end + k));
        }
    }
    (vec![hunk], cut)
}
