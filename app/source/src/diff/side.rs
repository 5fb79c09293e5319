//! One side of a comparison: its lines, what each became after normalisation, and its kernels.

use std::borrow::Cow;

use assay_core::Sha256;
use assay_core::view::Said;

use super::DiffOptions;
use super::regions::{Region, of_lines, of_pieces};
use crate::SourceFile;
use crate::c_lex::Tokens;
use crate::facts::AsmFacts;
use crate::kernel::KernelFacts;
use crate::kernel::outline::Outliner;
use crate::kernel::source::Source;
use crate::language::{Language, of_file};
use crate::normalise::device_c::DeviceC;
use crate::normalise::marks::{LineKind, hash};
use crate::normalise::{Channels, Pass, Passes, marked};
use crate::said::Key;
use crate::text::{Decoded, decode};

/// Smaller files are read sooner than a thread starts.
pub(super) const WORTH_A_THREAD: usize = 64 << 10;

/// A file read once for everything that is done with it: hashes, facts, kernels, lines.
///
/// Reading takes time in proportion to the file and memory of a few times its size.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// The language it was read as.
    pub language: Language,
    /// Facts of its kernels (device source, PTX, SASS, AMDGCN).
    pub kernels: KernelFacts,
    /// Facts of its assembly (x86-64, AArch64).
    pub assembly: AsmFacts,
    /// What was left out or replaced, and why.
    pub notices: Vec<Said>,
    /// Path of the file.
    pub path: Cow<'a, str>,
    /// Absent where nothing was normalised.
    normalised: Option<Sha256>,
    /// Whether bytes were replaced that are no text.
    lossy: bool,
    pub(super) text: Cow<'a, str>,
    /// Begin and end of each line, without its end.
    pub(super) lines: Vec<(u32, u32)>,
    pub(super) keys: Vec<u64>,
    pub(super) kinds: Vec<LineKind>,
    pub(super) regions: Vec<Region>,
}

/// Why a file is not read line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// It holds a zero byte.
    Binary,
    /// It is larger than the limit, in bytes.
    TooLarge(usize),
}

impl<'a> Prepared<'a> {
    /// Reads only the lines of a file: what a first screen needs, long before the facts are there.
    ///
    /// Lines are compared by their text, kernels are not told apart, there are no facts, and
    /// [`Prepared::normalised`] is the hash of the file as it is.
    ///
    /// # Errors
    /// As [`Prepared::read`].
    pub fn lines(
        file: &'a SourceFile,
        language: Option<Language>,
        options: &DiffOptions,
    ) -> Result<Self, Unreadable> {
        let mut out = Self::open(file, language, options)?;
        // What was replaced in the text must not make two files equal.
        out.normalised = out.lossy.then(|| Sha256::of(&file.bytes));
        out.keys = out.raw_keys();
        out.kinds = (0..out.lines.len())
            .map(|i| match out.line(i).trim() {
                "" => LineKind::Noise,
                _ => LineKind::Code,
            })
            .collect();
        Ok(out)
    }

    /// Reads a file as a language, or as what its path and content show.
    ///
    /// # Errors
    /// When it is binary or larger than [`DiffOptions::max_bytes`].
    pub fn read(
        file: &'a SourceFile,
        language: Option<Language>,
        options: &DiffOptions,
    ) -> Result<Self, Unreadable> {
        let mut out = Self::open(file, language, options)?;
        out.take(&options.key_passes());
        Ok(out)
    }

    fn open(
        file: &'a SourceFile,
        language: Option<Language>,
        options: &DiffOptions,
    ) -> Result<Self, Unreadable> {
        let limit = options.max_bytes.min(u32::MAX as usize);
        if file.bytes.len() > limit {
            return Err(Unreadable::TooLarge(limit));
        }
        let language = language.unwrap_or_else(|| of_file(file));
        let Decoded {
            text,
            notices,
            lossy,
        } = decode(file).ok_or(Unreadable::Binary)?;
        Ok(Self {
            language,
            normalised: None,
            lossy,
            kernels: KernelFacts::default(),
            assembly: AsmFacts::default(),
            notices,
            path: Cow::Borrowed(&file.path),
            lines: split(&text),
            text,
            keys: Vec::new(),
            kinds: Vec::new(),
            regions: Vec::new(),
        })
    }

    fn take(&mut self, passes: &Passes) {
        let read = self.language.is_device_c().then(|| self.device(passes));
        let channels = match read.flatten() {
            Some(channels) => channels,
            None => {
                let text = &*self.text;
                self.regions = of_lines(self.language, text);
                if self.language.is_assembly() {
                    self.assembly.add_file(self.language, text);
                } else {
                    self.kernels.add_file(self.language, text);
                }
                marked(self.language, text, passes)
            }
        };
        let read = channels.notices.iter().chain(&self.kernels.notices);
        self.notices.extend(read.map(|n| Key::found(n)));
        self.keep(channels);
    }

    /// Keeps what each line became, and the digest of all.
    fn keep(&mut self, mut channels: Channels) {
        self.normalised = Some(channels.digest());
        let marks = channels.marks.unwrap_or_default();
        (self.keys, self.kinds) = (marks.keys, marks.kinds);
        self.keys.resize(self.lines.len(), 0);
        self.kinds.resize(self.lines.len(), LineKind::Noise);
        for i in 0..self.lines.len() {
            if self.kinds[i] == LineKind::Noise {
                self.keys[i] = hash(0, self.line(i).trim().as_bytes());
            }
        }
    }

    /// Whether reading it again without blanks may say something else of its lines.
    pub(super) fn has_blanks(&self, passes: &Passes) -> bool {
        let whole = !self.keys.is_empty() && self.normalised.is_some() && !self.lossy;
        whole && self.language.is_device_c() && passes.has(Pass::Whitespace)
    }

    /// Reads device source again, and leaves out all blanks that mean nothing.
    pub(super) fn leave_out_blanks(&mut self, passes: &Passes) {
        let text = &*self.text;
        let mut t = Tokens::of(text);
        let (mut outliner, mut pieces) = (Outliner::default(), Vec::new());
        let channels = Channels::digested(self.lines.len());
        let mut device = DeviceC::new(passes, channels).without_blanks();
        while !t.is_at_end() {
            if outliner.part(&mut t, &mut pieces).is_none() {
                return;
            }
            device.part(&t, &pieces);
        }
        let channels = device.finish(text);
        self.keep(channels);
    }

    /// Reads device source, part by part for everything at once; `None` when there are too many
    /// tokens.
    fn device(&mut self, passes: &Passes) -> Option<Channels> {
        let text = &*self.text;
        let mut t = Tokens::of(text);
        let (mut outliner, mut pieces) = (Outliner::default(), Vec::new());
        let mut source = Source::default();
        let mut device = DeviceC::new(passes, Channels::digested(self.lines.len()));
        let mut regions = Vec::new();
        while !t.is_at_end() {
            outliner.part(&mut t, &mut pieces)?;
            source.part(&t, &pieces, outliner.dead());
            device.part(&t, &pieces);
            of_pieces(&t, &pieces, &self.lines, &mut regions);
        }
        let mut kernels = KernelFacts::default();
        kernels.add_source(self.language, source, &outliner.finish(), text);
        let channels = device.finish(text);
        (self.regions, self.kernels) = (regions, kernels);
        Some(channels)
    }

    /// The same without a borrow of the file.
    pub fn into_owned(self) -> Prepared<'static> {
        Prepared {
            language: self.language,
            normalised: self.normalised,
            lossy: self.lossy,
            kernels: self.kernels,
            assembly: self.assembly,
            notices: self.notices,
            path: Cow::Owned(self.path.into_owned()),
            text: Cow::Owned(self.text.into_owned()),
            lines: self.lines,
            keys: self.keys,
            kinds: self.kinds,
            regions: self.regions,
        }
    }

    /// The text of a line, without its end; empty past the last.
    pub(super) fn line(&self, i: usize) -> &str {
        self.lines
            .get(i)
            .and_then(|(from, to)| self.text.get(*from as usize..*to as usize))
            .unwrap_or("")
    }

    /// The bytes of lines that follow each other, with the ends between them.
    pub(super) fn block(&self, first: usize, count: usize) -> Option<&[u8]> {
        let from = self.lines.get(first)?.0 as usize;
        let to = self.lines.get(first + count.saturating_sub(1))?.1 as usize;
        self.text.as_bytes().get(from..to)
    }

    /// Hash of its text after normalisation, over all channels; of its bytes where only the lines
    /// were read.
    ///
    /// It is comparable between files of any path, and not with the hash of a file set.
    pub fn normalised(&self) -> Sha256 {
        self.normalised
            .unwrap_or_else(|| Sha256::of(self.text.as_bytes()))
    }

    /// Whether a line ends in a carriage return and a line feed.
    pub(super) fn has_crlf(&self) -> bool {
        let between = self.lines.windows(2).any(|w| w[1].0 - w[0].1 > 1);
        between || self.text.ends_with("\r\n")
    }

    /// Number of lines.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// What each line is compared by when nothing is normalised.
    pub(super) fn raw_keys(&self) -> Vec<u64> {
        (0..self.lines.len())
            .map(|i| hash(0, self.line(i).as_bytes()))
            .collect()
    }
}

/// Lines as [`str::lines`] gives them, by place.
pub(super) fn split(text: &str) -> Vec<(u32, u32)> {
    let place = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
    let b = text.as_bytes();
    let mut out = Vec::with_capacity(b.len() / 32);
    let mut from = 0;
    let mut end = |at: usize| {
        let cr = at > from && b[at - 1] == b'\r';
        out.push((place(from), place(at - usize::from(cr))));
        from = at + 1;
    };
    let (words, rest) = b.as_chunks::<8>();
    for (i, w) in words.iter().enumerate() {
        // The upper bit of every byte that is a line feed: lines are a few words long.
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let x = u64::from_le_bytes(*w) ^ 0x0a0a_0a0a_0a0a_0a0a;
        let mut found = !(((x & LOW) + LOW) | x | LOW);
        while found != 0 {
            end(i * 8 + found.trailing_zeros() as usize / 8);
            found &= found - 1;
        }
    }
    let rest_at = b.len() - rest.len();
    for (i, _) in rest.iter().enumerate().filter(|(_, c)| **c == b'\n') {
        end(rest_at + i);
    }
    if from < b.len() {
        // A carriage return belongs to the end of a line only before a line feed.
        out.push((place(from), place(b.len())));
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    #[test]
    fn line_ends_are_told_apart() {
        let has = |text: &str| {
            let file = crate::SourceFile::new("a.txt", text);
            let read = super::Prepared::lines(&file, None, &Default::default());
            read.map(|p| p.has_crlf())
        };
        for text in ["a\r\nb", "a\nb\r\n", "\r\n\n", "\r\n", "a\r\r\nb\n"] {
            assert_eq!(has(text), Ok(true), "{text:?}");
        }
        for text in ["a\nb\r", "a\rb\n", "\n\n", ""] {
            assert_eq!(has(text), Ok(false), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_library(text in "([ab\u{8a}\u{10a}\r]{0,20}(\r?\n)?){0,5}") {
            let places = super::split(&text);
            let lines = places.iter().map(|(p, q)| &text[*p as usize..*q as usize]);
            prop_assert!(lines.eq(text.lines()), "{:?}", text);
        }
    }
}
