//! Normalisation of CUDA, MACA and HIP source, written or generated.

use super::c_like::is_line_marker;
use super::marks::{LineKind, Marks};
use super::rename::{Names, Renamer};
use super::{Channels, Pass, Passes, shorten_paths};
use crate::c_lex::{Kind, Tokens};
use crate::kernel::outline::{Outliner, Piece, Role};

/// Writes the channels; `None` when there are too many tokens.
pub(super) fn run(text: &str, passes: &Passes, out: Channels) -> Option<Channels> {
    let mut t = Tokens::of(text);
    let (mut outliner, mut pieces) = (Outliner::default(), Vec::new());
    let mut device = DeviceC::new(passes, out).without_blanks();
    while !t.is_at_end() {
        outliner.part(&mut t, &mut pieces)?;
        device.part(&t, &pieces);
    }
    Some(device.finish(text))
}

/// The begin of a line that is being written.
struct Open {
    line: usize,
    in_kernel: bool,
    /// Place in its channel.
    begin: usize,
}

/// Normalises device source part by part.
pub(crate) struct DeviceC<'a> {
    passes: Passes,
    w: Writer,
    /// Whether kernels and preamble are channels of their own.
    split: bool,
    renamer: Option<Renamer<'a>>,
    names: Names,
    out: Channels,
    in_kernel: bool,
    /// The end of what was written or is held back.
    copied: usize,
    /// Line of the input at which the next token begins, from 0.
    line: usize,
    open: Option<Open>,
    /// Where text begins that is still to be copied as it stands, up to `copied`.
    run: Option<usize>,
}

impl<'a> DeviceC<'a> {
    pub(crate) fn new(passes: &Passes, out: Channels) -> Self {
        Self {
            passes: *passes,
            w: Writer {
                collapse: passes.has(Pass::Whitespace),
                squeeze: false,
                comments: !passes.has(Pass::Comments),
            },
            split: passes.has(Pass::Preamble),
            renamer: passes.has(Pass::Temporaries).then(Renamer::default),
            names: Names::default(),
            out,
            in_kernel: false,
            copied: 0,
            line: 0,
            open: None,
            run: None,
        }
    }

    /// Keeps blanks only where two tokens would become another one without. It takes longer than
    /// to copy what stands there, which says the same for what one program wrote.
    pub(crate) fn without_blanks(mut self) -> Self {
        self.w.squeeze = self.w.collapse;
        self
    }

    /// Writes a part.
    pub(crate) fn part(&mut self, t: &Tokens<'a>, pieces: &[Piece]) {
        self.names.at.clear();
        if let Some(renamer) = &mut self.renamer {
            renamer.grow(t);
            for p in pieces.iter().filter(|p| p.role != Role::Context) {
                renamer.rename(t, p, &mut self.names);
            }
        }
        self.write(t, pieces);
        self.out.drain(
            self.open
                .as_mut()
                .map(|o| (o.in_kernel || !self.split, &mut o.begin)),
        );
    }

    fn write(&mut self, t: &Tokens<'_>, pieces: &[Piece]) {
        let text = t.text;
        let Self {
            passes,
            w,
            names,
            out,
            in_kernel,
            copied,
            line,
            open,
            run,
            ..
        } = self;
        let split = self.split;
        let squeeze = w.squeeze;
        let near = |i| !squeeze && t.is_near(i);
        let mut renamed = names.at.iter().peekable();
        let mut kernels = (pieces.iter())
            .filter(|p| p.role != Role::Function)
            .map(|p| (p.first, p.last))
            .peekable();
        let mut i = 0;
        while i < t.len() {
            let inside = kernels.peek().is_some_and(|(first, _)| i >= *first);
            let (start, mut end) = t.place(i);
            let name = renamed.next_if(|(at, _)| *at as usize == i);
            let whole = matches!(t.kind(i), Some(Kind::Text | Kind::Directive));
            // In the middle of a line that began in the part before.
            let goes_on = !whole && inside == *in_kernel && near(i);
            let held = run.take_if(|_| goes_on);
            if held.is_none() {
                let gap = text.get(*copied..start).unwrap_or("");
                flush(out, split, *in_kernel, text, run, *copied);
                let changes = split && inside != *in_kernel;
                if inside != *in_kernel {
                    // A line that a kernel begins or ends in is in two.
                    close(out, split, open, false);
                }
                if let Some(m) = &mut out.marks {
                    w.mark_gap(m, *line, gap);
                }
                *line += lines(gap);
                let joins = || i > 0 && glues(t.at(i - 1), t.at(i));
                if changes {
                    // Each channel ends its line; comments between belong to what was before.
                    let before = channel(out, split, *in_kernel);
                    w.gap(before, gap, &|| false);
                    if !before.is_empty() && !before.ends_with('\n') {
                        before.push('\n');
                    }
                }
                *in_kernel = inside;
                let to = channel(out, split, *in_kernel);
                if !changes {
                    w.gap(to, gap, &joins);
                }
                // A line of the input is what was written since its first token, in one channel.
                if (open.as_ref()).is_none_or(|o| o.line != *line || o.in_kernel != *in_kernel) {
                    *open = Some(Open {
                        line: *line,
                        in_kernel: *in_kernel,
                        begin: to.len(),
                    });
                }
            }
            *copied = end;
            let to = channel(out, split, *in_kernel);
            let mut more = 0;
            if whole {
                let marker = t.kind(i) == Some(Kind::Directive)
                    && passes.has(Pass::DebugInfo)
                    && is_line_marker(t.at(i));
                if !marker {
                    w.token(to, t, i, passes);
                }
                more = lines(text.get(start..end).unwrap_or(""));
            } else {
                // The rest of the line is copied as it stands, but for names.
                let mut from = held.unwrap_or(start);
                if let Some((_, id)) = name {
                    to.push_str(text.get(from..start).unwrap_or(""));
                    to.push_str(names.text(*id));
                    from = end;
                }
                let border =
                    kernels.peek().map_or(
                        usize::MAX,
                        |(first, last)| {
                            if inside { *last + 1 } else { *first }
                        },
                    );
                let next = match squeeze {
                    true => i + 1,
                    false => t.near_run(i + 1, border),
                };
                while let Some((at, id)) = renamed.next_if(|(at, _)| (*at as usize) < next) {
                    let (begin, end) = t.place(*at as usize);
                    to.push_str(text.get(from..begin).unwrap_or(""));
                    to.push_str(names.text(*id));
                    from = end;
                }
                if next > i + 1 {
                    i = next - 1;
                    end = t.place(i).1;
                    *copied = end;
                }
                *run = Some(from);
            }
            let ends = more > 0
                || (!near(i + 1)
                    && t.start(i + 1)
                        .is_none_or(|next| lines(text.get(end..next).unwrap_or("")) > 0))
                || kernels
                    .peek()
                    .is_some_and(|(first, last)| i + 1 == *first || i >= *last);
            if ends {
                flush(out, split, *in_kernel, text, run, *copied);
                close(out, split, open, more > 0);
            }
            *line += more;
            if kernels.next_if(|(_, last)| i >= *last).is_some() && split {
                *in_kernel = true;
            }
            i += 1;
        }
    }

    /// What was written, of a text whose parts were all read.
    pub(crate) fn finish(mut self, text: &str) -> Channels {
        let rest = text.get(self.copied..).unwrap_or("");
        if let Some(at) = open_comment(rest) {
            let line = lines(&text[..self.copied + at]) + 1;
            self.out.notices.push(format!(
                "a comment that begins with `/*` in line {line} does not end: what follows it is no code"
            ));
        }
        let last = channel(&mut self.out, self.split, self.in_kernel);
        self.w.gap(last, rest, &|| false);
        for channel in [&mut self.out.text, &mut self.out.preamble] {
            if self.passes.has(Pass::Whitespace) {
                channel.truncate(channel.trim_end().len());
            }
            if !channel.is_empty() && !channel.ends_with('\n') {
                channel.push('\n');
            }
        }
        self.out
    }
}

/// Notes what became of the line that is being written.
fn close(out: &mut Channels, split: bool, open: &mut Option<Open>, several: bool) {
    let (Some(o), Some(m)) = (open.take(), &mut out.marks) else {
        return;
    };
    let written = if split && !o.in_kernel {
        &out.preamble
    } else {
        &out.text
    };
    let written = written.get(o.begin..).unwrap_or("");
    // Only literals and directives hold line feeds.
    if several {
        m.put_lines(o.line, written);
    } else {
        m.put(o.line, LineKind::Code, written.as_bytes());
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

/// Where a comment begins that does not end, in a text of blanks and comments.
fn open_comment(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(n) = text[at..].find('/') {
        at += n;
        let rest = &text[at..];
        at += match rest.strip_prefix("/*") {
            Some(inside) => match inside.find("*/") {
                Some(end) => end + 4,
                None => return Some(at),
            },
            None => rest.find('\n').unwrap_or(rest.len()),
        };
    }
    None
}

fn lines(text: &str) -> usize {
    // Most texts are a few bytes.
    text.bytes().fold(0, |n, b| n + usize::from(b == b'\n'))
}

/// Whether there are blanks alone, and line feeds among them.
fn blanks(gap: &str) -> Option<bool> {
    let mut line = false;
    for b in gap.bytes() {
        match b {
            b'\n' => line = true,
            b' ' | b'\t' | b'\r' => {}
            _ => return None,
        }
    }
    Some(line)
}

fn channel(out: &mut Channels, split: bool, in_kernel: bool) -> &mut String {
    if split && !in_kernel {
        &mut out.preamble
    } else {
        &mut out.text
    }
}

/// Whether two tokens would become another one without a blank between them.
fn glues(a: &str, b: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii();
    let (Some(x), Some(y)) = (a.chars().next_back(), b.chars().next()) else {
        return false;
    };
    match (x, y) {
        // A word before a literal is its prefix, and one after it its suffix.
        (x, '"' | '\'') => word(x),
        ('"' | '\'', y) => word(y),
        (x, y) if word(x) && word(y) => true,
        (x, '.') if x.is_ascii_digit() => true,
        ('.', y) if y.is_ascii_digit() => true,
        (x, '=') => "+-*/%&|^!<>=".contains(x),
        (x, y) if x == y => "+-&|<>/:#.".contains(x),
        (x, y) => matches!(
            (x, y),
            ('-', '>')
                | ('<', ':')
                | (':', '>')
                | ('<', '%')
                | ('%', '>' | ':')
                | ('/', '*')
                | ('*', '/')
                | ('.', '*')
                | ('>', '*')
        ),
    }
}

struct Writer {
    collapse: bool,
    /// Whether blanks between tokens go that mean nothing.
    squeeze: bool,
    comments: bool,
}

impl Writer {
    /// Writes a literal or a directive.
    fn token(&mut self, to: &mut String, t: &Tokens<'_>, i: usize, passes: &Passes) {
        let text = t.at(i);
        if passes.has(Pass::Paths) && text.as_bytes().windows(2).any(|w| w == b"\"/") {
            to.push_str(&shorten_paths(text));
        } else if t.kind(i) == Some(Kind::Directive) && self.collapse && !is_collapsed(text) {
            to.push_str(&super::collapse(text));
        } else {
            to.push_str(text);
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
        if self.collapse
            && let Some(line) = blanks(gap)
        {
            self.blank(to, line, !self.squeeze || joins());
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
            let space = !self.squeeze || joins();
            self.blank(to, gap.as_bytes().contains(&b'\n'), space);
            return;
        }
        // What is left without the comments.
        let (mut line, mut empty, mut kept) = (false, true, String::new());
        let mut keep = |part: &str| {
            line |= part.contains('\n');
            empty &= part.is_empty();
            if !self.collapse {
                kept.push_str(part);
            }
        };
        let mut rest = gap;
        while let Some(at) = rest.find('/') {
            keep(&rest[..at]);
            rest = &rest[at..];
            let end = if rest.starts_with("/*") {
                let inside = rest.as_bytes().windows(2).skip(2);
                (inside.take_while(|w| w != b"*/").count() + 4).min(rest.len())
            } else {
                // A comment that a backslash carries on takes its further lines with it.
                let mut end = 0;
                loop {
                    end = rest[end..].find('\n').map_or(rest.len(), |e| end + e);
                    let comment = rest[..end].trim_end_matches('\r');
                    if end == rest.len() || !comment.ends_with('\\') {
                        break end;
                    }
                    end += 1;
                }
            };
            rest = &rest[end..];
        }
        keep(rest);
        if self.collapse {
            self.blank(to, line, (!empty && !self.squeeze) || joins());
        } else if empty && joins() {
            to.push(' ');
        } else {
            to.push_str(&kept);
        }
    }

    fn blank(&mut self, to: &mut String, line: bool, space: bool) {
        let written = to.as_bytes();
        if matches!(written.last(), None | Some(b'\n')) {
            return;
        }
        if line {
            let end = written.iter().rposition(|b| *b != b' ');
            to.truncate(end.map_or(0, |e| e + 1));
            to.push('\n');
        } else if space && !written.ends_with(b" ") {
            to.push(' ');
        }
    }
}
