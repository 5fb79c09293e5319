//! Normalisation: what must not count as a difference is removed, in ordered passes.
//!
//! Literals, immediates, registers and the order of instructions are kept: they are the signal.

mod asm;
mod c_like;
mod labels;

use std::collections::BTreeSet;

use assay_core::Sha256;

use crate::SourceFile;
use crate::language::Language;

/// One kind of difference that is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pass {
    /// Comments.
    Comments,
    /// `.loc`, `.file`, `.ident`, `.cfi_*` and `#line` directives, and debug and note sections.
    DebugInfo,
    /// Folders of absolute paths inside string literals; the file name stays.
    Paths,
    /// Local labels: unused ones go, the others are renumbered in order of appearance, those of a
    /// function within it. The new names are as unique as the old ones.
    Labels,
    /// Carriage returns, blank lines, indentation of assembly, and runs of blanks.
    Whitespace,
}

impl Pass {
    /// All passes in the order in which they run.
    pub const ALL: [Self; 5] = [
        Self::Comments,
        Self::DebugInfo,
        Self::Paths,
        Self::Labels,
        Self::Whitespace,
    ];

    /// The name in headers and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Comments => "comments",
            Self::DebugInfo => "debug-info",
            Self::Paths => "paths",
            Self::Labels => "labels",
            Self::Whitespace => "whitespace",
        }
    }

    /// The pass of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Whether it does anything for this language.
    pub fn applies_to(self, language: Language) -> bool {
        match self {
            Self::Whitespace => true,
            Self::Labels => language.is_assembly(),
            Self::Comments | Self::DebugInfo | Self::Paths => {
                language.is_assembly() || language.is_c_like()
            }
        }
    }
}

/// Which passes are to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passes(BTreeSet<Pass>);

impl Default for Passes {
    fn default() -> Self {
        Self(Pass::ALL.into_iter().collect())
    }
}

impl Passes {
    /// No pass at all.
    pub fn none() -> Self {
        Self(BTreeSet::new())
    }

    /// The same with one pass more.
    #[must_use]
    pub fn with(mut self, pass: Pass) -> Self {
        self.0.insert(pass);
        self
    }

    /// The same with one pass less.
    #[must_use]
    pub fn without(mut self, pass: Pass) -> Self {
        self.0.remove(&pass);
        self
    }

    /// Whether a pass is to run.
    pub fn has(&self, pass: Pass) -> bool {
        self.0.contains(&pass)
    }
}

/// A normalised text and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normalised {
    /// The text; every line ends with a line feed.
    pub text: String,
    /// The passes that ran, in order.
    pub applied: Vec<Pass>,
}

/// Runs the passes that are asked for and that apply to the language.
pub fn normalise(language: Language, text: &str, passes: &Passes) -> Normalised {
    let applied: Vec<Pass> = Pass::ALL
        .into_iter()
        .filter(|p| passes.has(*p) && p.applies_to(language))
        .collect();
    let text = if language.is_assembly() {
        asm::run(language, text, passes)
    } else if language.is_c_like() {
        c_like::run(text, passes)
    } else {
        plain(text, passes)
    };
    Normalised { text, applied }
}

fn plain(text: &str, passes: &Passes) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for line in text.lines() {
        let line = if passes.has(Pass::Whitespace) {
            line.trim_end()
        } else {
            line
        };
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Hash of a file set as it is: paths and contents, in order of path.
pub fn raw_hash(files: &[SourceFile]) -> Sha256 {
    hash(files, |f| f.bytes.clone())
}

/// Hash of a file set after normalisation. A file that is not text counts as it is.
pub fn normalised_hash(language: Language, files: &[SourceFile], passes: &Passes) -> Sha256 {
    hash(files, |f| match f.text() {
        Ok(text) => normalise(language, text, passes).text.into_bytes(),
        Err(_) => f.bytes.clone(),
    })
}

fn hash(files: &[SourceFile], content: impl Fn(&SourceFile) -> Vec<u8>) -> Sha256 {
    let mut sorted: Vec<&SourceFile> = files.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.bytes.cmp(&b.bytes)));
    Sha256::of_parts(
        sorted
            .into_iter()
            .flat_map(|f| [f.path.clone().into_bytes(), content(f)]),
    )
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
