//! Normalisation: what must not count as a difference is removed, in ordered passes.
//!
//! Literals, immediates, registers and the order of instructions are kept: they are the signal.

mod asm;
mod c_like;
pub(crate) mod device_c;
mod labels;
pub(crate) mod marks;
mod passes;
mod ptx;
mod relative;
mod rename;
mod sass;

use assay_core::{Sha256, Sha256Stream};
use std::borrow::Cow;

use marks::{LineKind, Marks};

pub use passes::{Pass, Passes, UnknownPass, passes_as_markdown};

use crate::SourceFile;
use crate::language::{Language, of_member};
use crate::text::decode;

/// A normalised text and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normalised {
    /// The text; every line ends with a line feed. Of device source, PTX and SASS it is the
    /// kernels alone, unless that pass is off.
    pub text: String,
    /// What is not a kernel, where [`Pass::Preamble`] ran.
    pub preamble: String,
    /// The scheduling of each instruction, where [`Pass::Scheduling`] ran and the encodings show it.
    pub scheduling: String,
    /// What could not be done, and why; empty when all was done.
    pub notices: Vec<String>,
    /// The passes that ran, in order.
    pub applied: Vec<Pass>,
}

/// Runs the passes that are asked for and that apply to the language.
pub fn normalise(language: Language, text: &str, passes: &Passes) -> Normalised {
    let applied = applied(language, passes);
    let out = channels(language, text, passes, None);
    Normalised {
        text: out.text,
        preamble: out.preamble,
        scheduling: out.scheduling,
        notices: out.notices,
        applied,
    }
}

/// The passes that are asked for and that apply to the language, in order.
pub fn applied(language: Language, passes: &Passes) -> Vec<Pass> {
    Pass::ALL
        .into_iter()
        .filter(|p| passes.has(*p) && p.applies_to(language))
        .collect()
}

/// Runs the passes, and says what each line of the text became.
pub(crate) fn marked(language: Language, text: &str, passes: &Passes) -> Channels {
    channels(language, text, passes, Some(Marks::default()))
}

fn channels(language: Language, text: &str, passes: &Passes, marks: Option<Marks>) -> Channels {
    let mark = marks.is_some();
    let mut out = Channels {
        marks,
        ..Channels::default()
    };
    let none = !Pass::ALL
        .into_iter()
        .any(|p| passes.has(p) && p.applies_to(language));
    if none {
        plain(text, passes, &mut out);
    } else if language.is_asm_text() {
        asm::run(language, text, passes, &mut out);
    } else if language.is_device_c() {
        match device_c::run(text, passes, std::mem::take(&mut out)) {
            Some(written) => out = written,
            None => {
                out.marks = mark.then(Marks::default);
                c_like::run(text, passes, &mut out);
                out.notices
                    .push("too many tokens: kernels are not told apart, nothing is renamed".into());
            }
        }
    } else if language == Language::Ptx {
        ptx::run(text, passes, &mut out);
    } else if language == Language::Sass {
        sass::run(text, passes, &mut out);
    } else if language.is_c_like() {
        c_like::run(text, passes, &mut out);
    } else {
        plain(text, passes, &mut out);
    }
    out
}

/// What a normalisation writes.
#[derive(Debug, Default)]
pub(crate) struct Channels {
    pub text: String,
    pub preamble: String,
    pub scheduling: String,
    pub notices: Vec<String>,
    /// What each line became, where that was asked for.
    pub marks: Option<Marks>,
    /// Digests of what is no longer in the text and the preamble, where only those are wanted.
    digests: Option<[Sha256Stream; 2]>,
}

/// Bytes of a channel that are worth a step of the digest.
const DIGESTED: usize = 4096;

impl Channels {
    /// For device source of so many lines: marks, and digests instead of texts.
    pub(crate) fn digested(lines: usize) -> Self {
        Self {
            marks: Some(Marks::with_capacity(lines)),
            digests: Some(Default::default()),
            ..Self::default()
        }
    }

    /// Marks and texts.
    #[cfg(test)]
    pub(crate) fn marked() -> Self {
        Self {
            marks: Some(Marks::default()),
            ..Self::default()
        }
    }

    /// The digest over all channels.
    pub(crate) fn digest(&mut self) -> Sha256 {
        let [code, preamble] = self.digests.take().unwrap_or_default();
        let whole = |mut stream: Sha256Stream, rest: &str| {
            stream.update(rest.as_bytes());
            stream.finish().to_string()
        };
        Sha256::of_parts([
            whole(code, &self.text),
            whole(preamble, &self.preamble),
            whole(Sha256Stream::default(), &self.scheduling),
        ])
    }

    /// Takes what cannot change any more out of the text and the preamble, where only digests are
    /// wanted. `open` is the place from which one of them is still needed: that of the text, or not.
    fn drain(&mut self, mut open: Option<(bool, &mut usize)>) {
        let Some([code, preamble]) = &mut self.digests else {
            return;
        };
        for (is_code, stream, channel) in [
            (true, code, &mut self.text),
            (false, preamble, &mut self.preamble),
        ] {
            let begin = open.as_mut().filter(|(of, _)| *of == is_code);
            let limit = begin.as_ref().map_or(channel.len(), |(_, at)| **at);
            // Blanks at the end may go, and what is before them decides which follow.
            let written = channel.get(..limit).unwrap_or("").trim_end();
            let last = written.chars().next_back().map_or(0, char::len_utf8);
            let n = written.len() - last;
            if n < DIGESTED {
                continue;
            }
            stream.update(&channel.as_bytes()[..n]);
            channel.drain(..n);
            if let Some((_, at)) = begin {
                **at -= n;
            }
        }
    }

    fn mark(&mut self, line: usize, code: &str) {
        if let Some(m) = &mut self.marks {
            m.put(line, LineKind::Code, code.as_bytes());
        }
    }
}

fn plain(text: &str, passes: &Passes, out: &mut Channels) {
    out.text.reserve(text.len() + 1);
    for (i, line) in text.lines().enumerate() {
        let line = if passes.has(Pass::Whitespace) {
            line.trim_end()
        } else {
            line
        };
        out.mark(i, line);
        out.text.push_str(line);
        out.text.push('\n');
    }
}

/// Hash of a file set as it is: paths and contents, in order of path.
pub fn raw_hash(files: &[SourceFile]) -> Sha256 {
    hash_parts(files, |f| vec![Cow::Borrowed(f.bytes.as_slice())])
}

/// Hash of a file set after normalisation, over all channels: equal hashes say that no channel
/// differs. A file that is not text counts as it is.
pub fn normalised_hash(language: Language, files: &[SourceFile], passes: &Passes) -> Sha256 {
    normalised_hash_with_notices(language, files, passes).0
}

/// As [`normalised_hash`], with what could not be done, each with its file.
pub(crate) fn normalised_hash_with_notices(
    language: Language,
    files: &[SourceFile],
    passes: &Passes,
) -> (Sha256, Vec<String>) {
    let mut notices = Vec::new();
    let hash = hash_parts(files, |f| {
        let language = of_member(language, f);
        let unread = f.bytes.len() > crate::analysis::MAX_BYTES
            || (language.has_kernels() && !f.has_readable_size());
        if unread {
            return vec![Cow::Borrowed(f.bytes.as_slice())];
        }
        let Some(read) = decode(f).filter(|d| !d.lossy) else {
            return vec![Cow::Borrowed(f.bytes.as_slice())];
        };
        let n = normalise(language, &read.text, passes);
        let path = assay_core::text::inert(&f.path);
        notices.extend(n.notices.iter().map(|n| format!("`{path}`: {n}")));
        let mut parts = vec![Cow::Owned(n.text.into_bytes())];
        if language.has_kernels() {
            parts.push(Cow::Owned(n.preamble.into_bytes()));
            parts.push(Cow::Owned(n.scheduling.into_bytes()));
        }
        parts
    });
    (hash, notices)
}

fn hash_parts<'f>(
    files: &'f [SourceFile],
    mut content: impl FnMut(&'f SourceFile) -> Vec<Cow<'f, [u8]>>,
) -> Sha256 {
    let mut sorted: Vec<&SourceFile> = files.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.bytes.cmp(&b.bytes)));
    Sha256::of_parts(sorted.into_iter().flat_map(|f| {
        let mut parts = vec![Cow::Borrowed(f.path.as_bytes())];
        parts.extend(content(f));
        parts
    }))
}

/// Collapses runs of blanks outside of double quotes to one space.
fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped, mut blank) = (false, false, false);
    for c in text.chars() {
        if !quoted && c.is_whitespace() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) && !out.is_empty() {
            out.push(' ');
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        out.push(c);
    }
    out
}

/// Replaces the folders of absolute paths that begin a string literal.
fn shorten_paths(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('"') {
        let (before, quoted) = rest.split_at(open + 1);
        out.push_str(before);
        let end = closing_quote(quoted);
        let (content, after) = quoted.split_at(end);
        match content.rfind('/') {
            Some(last) if is_path(content) && last > 0 => {
                out.push_str("<path>");
                out.push_str(&content[last..]);
            }
            _ => out.push_str(content),
        }
        rest = match after.strip_prefix('"') {
            Some(after) => {
                out.push('"');
                after
            }
            None => after,
        };
    }
    out.push_str(rest);
    out
}

/// Whether a literal is an absolute path rather than text that begins with a slash.
fn is_path(literal: &str) -> bool {
    let rest = literal.strip_prefix('/').unwrap_or("");
    rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_'))
        && !rest.ends_with('/')
        && !literal.contains(|c: char| c.is_whitespace() || matches!(c, '%' | '*'))
}

fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return i,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_keep_their_blanks_and_lose_their_folders() {
        assert_eq!(
            collapse("  a \t b  \"c  d\\\"  e\"  f "),
            "a b \"c  d\\\"  e\" f"
        );
        assert_eq!(
            shorten_paths(r#".string "/tmp/x/k.c" ; "a/b" "/" "/x""#),
            r#".string "<path>/k.c" ; "a/b" "/" "/x""#
        );
    }

    #[test]
    fn the_hash_depends_on_paths_and_not_on_their_order() {
        let a = SourceFile::new("a", "1");
        let b = SourceFile::new("b", "2");
        assert_eq!(
            raw_hash(&[a.clone(), b.clone()]),
            raw_hash(&[b.clone(), a.clone()])
        );
        let c = SourceFile::new("c", "2");
        assert_ne!(raw_hash(&[a.clone(), b]), raw_hash(&[a, c]));
    }

    #[test]
    fn passes_have_names() {
        for p in Pass::ALL {
            assert_eq!(Pass::from_name(p.name()), Some(p));
        }
        assert_eq!(Pass::from_name("x"), None);
    }
}
