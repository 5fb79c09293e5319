//! A comparison as a view: hunks of lines with what changed inside them.

use std::collections::HashMap;
use std::panic::resume_unwind;

use assay_core::text::inert;
use assay_core::view::{DiffLine, DiffPiece, FileDiff, HunkNote, KernelPairView, Said};

use super::classes::Change;
use super::compare::{Comparison, Entry, NONE};
use super::rows::pair_block;
use super::side::Prepared;
use super::{Align, words};
use crate::normalise::applied;
use crate::said::{Key, Lang, plain, say, sentences, text};

/// Bytes of a line that are shown.
const MAX_LINE: usize = 16 << 10;

/// A change of more lines than this is a rewrite, in which marking words helps nobody.
const MAX_INLINE_LINES: usize = 400;

/// What is shown of a line, and whether it was cut.
pub(super) fn shown(line: &str) -> (String, bool) {
    if line.len() <= MAX_LINE {
        return (line.to_owned(), false);
    }
    let mut end = MAX_LINE;
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    (format!("{}… ({} bytes)", &line[..end], line.len()), true)
}

/// Puts sentences into the notice of a file.
pub(super) fn notice(out: &mut FileDiff, said: impl IntoIterator<Item = Said>) {
    for s in said {
        let before = std::mem::take(&mut out.notice);
        let all = [before, text(Lang::En, &s).unwrap_or_default()];
        let from = usize::from(all[0].is_empty());
        out.notice = sentences(Lang::En, &all[from..]);
        out.notices.push(s);
    }
}

pub(super) fn line_end_notices(a: &Prepared<'_>, b: &Prepared<'_>) -> Vec<Said> {
    let mut out = Vec::new();
    if a.text.is_empty() || b.text.is_empty() {
        return out;
    }
    match (a.has_crlf(), b.has_crlf()) {
        (true, false) => out.push(say(Key::CrlfA, [])),
        (false, true) => out.push(say(Key::CrlfB, [])),
        (true, true) => out.push(say(Key::CrlfBoth, [])),
        (false, false) => {}
    }
    match (a.text.ends_with('\n'), b.text.ends_with('\n')) {
        (true, false) => out.push(say(Key::NoFeedB, [])),
        (false, true) => out.push(say(Key::NoFeedA, [])),
        _ => {}
    }
    out
}

/// Fills in all but the lines.
pub(super) fn head(out: &mut FileDiff, c: &Comparison<'_>) {
    let mut notices = line_end_notices(&c.a, &c.b);
    notices.extend(c.a.notices.iter().cloned());
    let new = c.b.notices.iter().filter(|n| !c.a.notices.contains(n));
    notices.extend(new.cloned());
    notices.extend(c.notices.iter().cloned());
    let mut end = 0;
    for h in &c.hunks {
        out.notes.push(HunkNote {
            kernel_a: h.kernel_a.clone(),
            kernel_b: h.kernel_b.clone(),
            changes: c.changes(h).iter().map(|c| c.name().to_owned()).collect(),
            folded: h.lines.start.saturating_sub(end) as u64,
        });
        end = h.lines.end;
    }
    if out
        .notes
        .iter()
        .any(|n| n.changes.iter().any(|c| c == Change::Target.name()))
    {
        let target = |p: &Prepared<'_>| {
            let mut lines = p.text.lines().map(str::trim);
            let found = lines.find_map(|l| l.strip_prefix(".target"));
            plain(inert(found.unwrap_or("").trim()))
        };
        notices.push(say(Key::OtherTarget, [target(&c.a), target(&c.b)]));
    }
    out.language = c.b.language.name().to_owned();
    if c.a.language != c.b.language {
        out.language = String::new();
        let languages = [c.a.language, c.b.language].map(|l| plain(l.name()));
        notices.push(say(Key::TwoLanguages, languages));
    }
    out.kernels = (c.kernels.iter())
        .map(|k| KernelPairView {
            a: k.a.clone(),
            b: k.b.clone(),
            state: k.state.name().to_owned(),
        })
        .collect();
    if c.options.align == Align::Normalised {
        let passes = applied(c.b.language, &c.options.passes);
        out.passes = passes.into_iter().map(|p| p.name().to_owned()).collect();
    }
    out.renamed = c.renamed as u64;
    out.moved = c.moved.1.len() as u64;
    out.normalised_equal = Some(c.normalised_equal());
    notice(out, notices);
}

/// The lines of a view.
#[derive(Default)]
struct Lines {
    hunks: Vec<Vec<DiffLine>>,
    /// Whether what changed inside of some is not marked.
    unmarked: bool,
    /// Whether some are too long to be shown whole.
    cut: bool,
    /// Changed lines that are left out.
    left_out: usize,
}

/// Fills in all.
pub(super) fn whole(out: &mut FileDiff, c: &Comparison<'_>) {
    /// Fewer hunks are made sooner than a thread starts.
    const WORTH_A_THREAD: usize = 64;
    let lines = if c.hunks.len() < WORTH_A_THREAD {
        head(out, c);
        lines(c)
    } else {
        std::thread::scope(|s| {
            let lines = s.spawn(|| lines(c));
            head(out, c);
            lines.join().unwrap_or_else(|e| resume_unwind(e))
        })
    };
    out.hunks = lines.hunks;
    if lines.left_out > 0 {
        notice(
            out,
            [say(Key::LeftOut, [plain(lines.left_out.to_string())])],
        );
    }
    let more = [
        (lines.unmarked, Key::NotMarked),
        (lines.cut, Key::LongLines),
    ];
    let more = more.into_iter().filter(|(is, _)| *is);
    notice(out, more.map(|(_, key)| say(key, [])));
}

fn lines(c: &Comparison<'_>) -> Lines {
    let mut out = Lines::default();
    let mut room = c.options.max_lines;
    for h in &c.hunks {
        let shown = h.lines.len().min(room);
        room -= shown;
        let end = h.lines.start + shown;
        let rest = c.entries[end..h.lines.end].iter();
        out.left_out += rest.filter(|e| e.is_change()).count();
        if shown == 0 {
            continue;
        }
        let mut lines = Vec::with_capacity(shown);
        let mut at = h.lines.start;
        while at < end {
            let e = c.entries[at];
            if !e.is_change() {
                lines.push(context(c, e, &mut out.cut));
                at += 1;
                continue;
            }
            let n = c.entries[at..end]
                .iter()
                .take_while(|e| e.is_change())
                .count();
            block(
                c,
                &c.entries[at..at + n],
                &mut lines,
                &mut out.unmarked,
                &mut out.cut,
            );
            at += n;
        }
        out.hunks.push(lines);
    }
    out
}

fn number(index: u32) -> Option<u32> {
    (index != NONE).then(|| index.saturating_add(1))
}

fn piece(emphasised: bool, text: String) -> Vec<DiffPiece> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![DiffPiece { emphasised, text }]
}

fn context(c: &Comparison<'_>, e: Entry, cut: &mut bool) -> DiffLine {
    let (x, y) = (c.a.line(e.a as usize), c.b.line(e.b as usize));
    let (text, was_cut) = shown(y);
    *cut |= was_cut;
    DiffLine {
        tag: "context".into(),
        a: number(e.a),
        b: number(e.b),
        pieces: piece(false, text),
        other: (x != y).then(|| piece(false, shown(x).0)),
        moved: None,
    }
}

/// Removed and new lines of one place, with what changed inside those that belong together.
fn block(
    c: &Comparison<'_>,
    entries: &[Entry],
    out: &mut Vec<DiffLine>,
    unmarked: &mut bool,
    cut: &mut bool,
) {
    let mut marks: HashMap<(bool, u32), Vec<(usize, usize)>> = HashMap::new();
    let replaces =
        entries.first().is_some_and(|e| e.a != NONE) && entries.last().is_some_and(|e| e.b != NONE);
    if replaces && entries.len() <= MAX_INLINE_LINES {
        for (x, y) in pair_block(c, entries) {
            let (Some(x), Some(y)) = (x, y) else { continue };
            let (s, t) = (c.a.line(x as usize), c.b.line(y as usize));
            *unmarked |= s.len().max(t.len()) > words::MAX_BYTES;
            if let Some((p, q)) = words::changed(s, t) {
                marks.insert((true, x), p);
                marks.insert((false, y), q);
            }
        }
    } else {
        *unmarked |= replaces;
    }
    for e in entries {
        let deleted = e.a != NONE;
        let (side, at) = if deleted { (&c.a, e.a) } else { (&c.b, e.b) };
        let moved = if deleted { &c.moved.0 } else { &c.moved.1 };
        let text = side.line(at as usize);
        let pieces = match marks.get(&(deleted, at)) {
            Some(marks) => pieces(text, marks),
            None => {
                let (text, was_cut) = shown(text);
                *cut |= was_cut;
                piece(false, text)
            }
        };
        out.push(DiffLine {
            tag: if deleted { "delete" } else { "insert" }.into(),
            a: number(e.a),
            b: number(e.b),
            pieces,
            other: None,
            moved: moved.get(&at).copied().and_then(number),
        });
    }
}

fn pieces(text: &str, marks: &[(usize, usize)]) -> Vec<DiffPiece> {
    let mut out = Vec::new();
    let mut from = 0;
    for (p, q) in marks {
        out.extend(piece(false, text[from..*p].to_owned()));
        out.extend(piece(true, text[*p..*q].to_owned()));
        from = *q;
    }
    out.extend(piece(false, text[from..].to_owned()));
    out
}
