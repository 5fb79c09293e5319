//! Normalisation of CUDA, MACA and HIP source, written or generated.

use super::c_like::is_line_marker;
use super::marks::{LineKind, Marks};
use super::rename::{Names, Renamer};
use super::{Channels, Pass, Passes, shorten_paths};
use crate::c_lex::{Kind, Tokens};
use crate::kernel::outline::{Outline, Role, outline};

/// Writes the channels; false when there are too many tokens.
pub(super) fn run(text: &str, passes: &Passes, out: &mut Channels) -> bool {
    let Some(t) = Tokens::read(text) else {
        return false;
    };
    write(&t, &outline(&t), passes, out);
    true
}

/// Writes the channels of a text that was read.
pub(super) fn write(t: &Tokens<'_>, outline: &Outline, passes: &Passes, out: &mut Channels) {
    let text = t.text;
    let mut names = Names::default();
    if passes.has(Pass::Temporaries) {
        let mut renamer = Renamer::of(t);
        for p in outline.pieces.iter().filter(|p| p.role != Role::Context) {
            renamer.rename(t, p, &mut names);
        }
    }
    let mut renamed = names.at.iter().peekable();
    let split = passes.has(Pass::Preamble);
    let kernels: Vec<(usize, usize)> = outline
        .pieces
        .iter()
        .filter(|p| p.role != Role::Function)
        .map(|p| (p.first, p.last))
        .collect();
    let mut kernels = kernels.into_iter().peekable();
    let mut in_kernel = false;
    let mut w = Writer {
        collapse: passes.has(Pass::Whitespace),
        comments: !passes.has(Pass::Comments),
    };
    let main = if split {
        text.len() - preamble_bytes(t, outline)
    } else {
        text.len()
    };
    out.text.reserve(main + 1);
    let mut copied = 0;
    // Line of the input at which the next token begins, from 0.
    let mut line = 0usize;
    let mut open: Option<(usize, bool, usize)> = None;
    // Where text begins that is still to be copied as it stands, up to `copied`.
    let mut run: Option<usize> = None;
    let mut next = 0;
    while next < t.len() {
        let mut i = next;
        let inside = kernels.peek().is_some_and(|(first, _)| i >= *first);
        while renamed.next_if(|(at, _)| (*at as usize) < i).is_some() {}
        let mut more = 0;
        // In the middle of a line: it is copied in one piece, but for names.
        let middle = run.filter(|_| inside == in_kernel && t.is_near(i));
        let stop = renamed.peek().map_or(usize::MAX, |(at, _)| *at as usize);
        let (start, mut end) = t.place(i);
        let name = renamed.peek().filter(|_| stop == i);
        let whole = matches!(t.kind(i), Some(Kind::Text | Kind::Directive));
        if let Some(from) = middle
            && !whole
        {
            if let Some((_, id)) = name {
                let to = channel(out, split, in_kernel);
                to.push_str(text.get(from..start).unwrap_or(""));
                to.push_str(names.text(*id));
                run = Some(end);
            } else {
                let border =
                    kernels.peek().map_or(
                        usize::MAX,
                        |(first, last)| {
                            if inside { *last + 1 } else { *first }
                        },
                    );
                i = t.near_run(i, stop.min(border)).max(i + 1) - 1;
                end = t.place(i).1;
            }
            copied = end;
        } else {
            let gap = text.get(copied..start).unwrap_or("");
            flush(out, split, in_kernel, text, &mut run, copied);
            copied = end;
            let changes = split && inside != in_kernel;
            if let Some(m) = &mut out.marks {
                w.mark_gap(m, line, gap);
            }
            line += lines(gap);
            let joins = || i > 0 && glues(t.at(i - 1), t.at(i));
            if changes {
                // Each channel ends its line; comments between belong to what was before.
                let before = channel(out, split, in_kernel);
                w.gap(before, gap, &|| false);
                if !before.is_empty() && !before.ends_with('\n') {
                    before.push('\n');
                }
            }
            in_kernel = inside;
            let to = channel(out, split, in_kernel);
            let marker = t.kind(i) == Some(Kind::Directive)
                && passes.has(Pass::DebugInfo)
                && is_line_marker(t.at(i));
            if !changes {
                w.gap(to, gap, &joins);
            }
            // A line of the input is what was written since its first token, in one channel.
            if open.is_none_or(|(at, kernel, _)| at != line || kernel != in_kernel) {
                open = Some((line, in_kernel, to.len()));
            }
            if !marker {
                w.token(to, t, i, name.map(|(_, id)| names.text(*id)), passes);
            }
            if whole {
                more = lines(text.get(start..end).unwrap_or(""));
            } else {
                run = Some(end);
            }
        }
        let ends = more > 0
            || (!t.is_near(i + 1)
                && t.start(i + 1).is_none_or(|next| {
                    let gap = text.as_bytes().get(end..next).unwrap_or(b"");
                    gap.contains(&b'\n')
                }))
            || kernels
                .peek()
                .is_some_and(|(first, last)| i + 1 == *first || i >= *last);
        if ends {
            flush(out, split, in_kernel, text, &mut run, copied);
            if let Some(m) = &mut out.marks {
                let written = if split && !in_kernel {
                    &out.preamble
                } else {
                    &out.text
                };
                if let Some((at, _, begin)) = open.take()
                    && let Some(written) = written.get(begin..)
                {
                    // Only literals and directives hold line feeds.
                    if more > 0 {
                        m.put_lines(at, written);
                    } else {
                        m.put(at, LineKind::Code, written.as_bytes());
                    }
                }
            }
        }
        line += more;
        if kernels.next_if(|(_, last)| i >= *last).is_some() && split {
            in_kernel = true;
        }
        next = i + 1;
    }
    let rest = text.get(copied..).unwrap_or("");
    let last = channel(out, split, in_kernel);
    w.gap(last, rest, &|| false);
    for channel in [&mut out.text, &mut out.preamble] {
        if passes.has(Pass::Whitespace) {
            channel.truncate(channel.trim_end().len());
        }
        if !channel.is_empty() && !channel.ends_with('\n') {
            channel.push('\n');
        }
    }
}

/// Whether the text of a token has single blanks alone between its words.
fn is_collapsed(text: &str) -> bool {
    let mut before = 0;
    text.bytes().all(|b| {
        let fine = b < 0x80 && (b == b' ' || !char::from(b).is_whitespace());
        fine && !(b == b' ' && std::mem::replace(&mut before, b) == b' ') && {
            before = b;
            true
        }
    })
}

/// Writes what was held back of the text of a line.
fn flush(
    out: &mut Channels,
    split: bool,
    in_kernel: bool,
    text: &str,
    run: &mut Option<usize>,
    to: usize,
) {
    if let Some(from) = run.take() {
        channel(out, split, in_kernel).push_str(text.get(from..to).unwrap_or(""));
    }
}

/// Bytes that are in no kernel, about.
fn preamble_bytes(t: &Tokens<'_>, outline: &Outline) -> usize {
    let kernels = outline.pieces.iter().filter(|p| p.role != Role::Function);
    let inside: usize = kernels
        .map(|p| t.place(p.last).1.saturating_sub(t.place(p.first).0))
        .sum();
    t.text.len().saturating_sub(inside)
}

fn lines(text: &str) -> usize {
    text.bytes().filter(|b| *b == b'\n').count()
}

fn channel(out: &mut Channels, split: bool, in_kernel: bool) -> &mut String {
    if split && !in_kernel {
        &mut out.preamble
    } else {
        &mut out.text
    }
}

/// Whether two tokens would become one without a blank between them.
fn glues(a: &str, b: &str) -> bool {
    let word = |c: Option<char>| {
        c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii())
    };
    let (x, y) = (a.chars().next_back(), b.chars().next());
    (word(x) && word(y))
        || (x == y && matches!(x, Some('+' | '-' | '&' | '|' | '<' | '>' | '=' | '/' | ':')))
        || matches!((x, y), (Some('/'), Some('*')))
}

struct Writer {
    collapse: bool,
    comments: bool,
}

impl Writer {
    fn token(
        &mut self,
        to: &mut String,
        t: &Tokens<'_>,
        i: usize,
        name: Option<&str>,
        passes: &Passes,
    ) {
        let text = t.at(i);
        match (t.kind(i), name) {
            (_, Some(name)) => to.push_str(name),
            (Some(Kind::Text | Kind::Directive), _)
                if passes.has(Pass::Paths) && text.contains("\"/") =>
            {
                to.push_str(&shorten_paths(text));
            }
            (Some(Kind::Directive), _) if self.collapse && !is_collapsed(text) => {
                to.push_str(&super::collapse(text));
            }
            _ => to.push_str(text),
        }
    }

    /// What is kept of the gap before a token, by line.
    fn mark_gap(&self, m: &mut Marks, line: usize, gap: &str) {
        if !self.comments && self.collapse {
            return;
        }
        for (i, part) in gap.split('\n').enumerate() {
            let part = if self.collapse { part.trim() } else { part };
            if self.comments || part.trim().is_empty() {
                m.put(line + i, LineKind::Code, part.as_bytes());
            }
        }
    }

    /// Writes what stands between two tokens: blanks and comments.
    fn gap(&mut self, to: &mut String, gap: &str, joins: &dyn Fn() -> bool) {
        if gap.is_empty() {
            return;
        }
        if self.collapse && gap == " " {
            if !(to.is_empty() || to.ends_with(['\n', ' '])) {
                to.push(' ');
            }
            return;
        }
        if self.comments {
            if self.collapse && gap.trim().is_empty() {
                self.blank(to, gap.contains('\n'), true);
            } else if self.collapse {
                for line in gap.split_inclusive('\n') {
                    let content = line.trim();
                    if !content.is_empty() {
                        self.blank(to, false, true);
                        to.push_str(content);
                    }
                    if line.ends_with('\n') {
                        self.blank(to, true, true);
                    }
                }
                if !to.ends_with('\n') {
                    self.blank(to, false, true);
                }
            } else {
                to.push_str(gap);
            }
            return;
        }
        if self.collapse && !gap.as_bytes().contains(&b'/') {
            self.blank(to, gap.as_bytes().contains(&b'\n'), true);
            return;
        }
        let mut blanks = String::new();
        let mut rest = gap;
        while let Some(at) = rest.find('/') {
            blanks.push_str(&rest[..at]);
            rest = &rest[at..];
            let end = if let Some(inside) = rest.strip_prefix("/*") {
                inside.find("*/").map_or(rest.len(), |e| e + 4)
            } else {
                // A comment that a backslash carries on takes its further lines with it.
                let mut end = 0;
                loop {
                    end = rest[end..].find('\n').map_or(rest.len(), |e| end + e);
                    let line = rest[..end].trim_end_matches('\r');
                    if end == rest.len() || !line.ends_with('\\') {
                        break end;
                    }
                    end += 1;
                }
            };
            rest = &rest[end..];
        }
        blanks.push_str(rest);
        if self.collapse {
            self.blank(to, blanks.contains('\n'), !blanks.is_empty() || joins());
        } else if blanks.is_empty() && joins() {
            to.push(' ');
        } else {
            to.push_str(&blanks);
        }
    }

    fn blank(&mut self, to: &mut String, line: bool, space: bool) {
        if to.is_empty() || to.ends_with('\n') {
            return;
        }
        if line {
            to.truncate(to.trim_end_matches(' ').len());
            to.push('\n');
        } else if space && !to.ends_with(' ') {
            to.push(' ');
        }
    }
}
