//! Diffs of file sets and of prepared files, bounded in time and size.
//!
//! [`diff`] and [`diff_pair`] make whole views ([`FileDiff`]). [`Comparison`] is what they are made
//! from: it aligns two [`Prepared`] files at once and makes rows only when a window of them is asked
//! for, so that a screen of a large diff costs as much as a screen.

mod align;
mod bindings;
mod blanks;
mod classes;
mod coarse;
mod compare;
mod html;
mod kernels;
mod line_change;
mod moves;
mod open;
#[cfg(test)]
mod parts_tests;
mod reader;
mod regions;
mod renamed;
mod render;
mod rows;
mod segments;
mod side;
mod view;
mod words;

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use assay_core::Sha256;
use assay_core::record::Figure;
use assay_core::view::{FileDiff, Said, SaidValue};

pub use classes::Change;
pub(crate) use classes::is_x86;
pub use compare::{Comparison, Hunk, KernelPair};
pub use html::{STYLE, escape, to_html};
pub use kernels::KernelState;
pub use open::{OpenDiff, OpenFile, open};
pub use render::{
    Style, to_side_by_side, to_side_by_side_styled, to_unified, to_unified_in, to_unified_styled,
};
pub use rows::{Cell, CellSpan, Fold, Layout, Mark, Row, Shape, WindowRow};
pub use side::{Prepared, Unreadable};

use crate::SourceFile;
use crate::kernel::{self, KernelFacts};
use crate::language::{Language, of_file};
use crate::normalise::Passes;
use crate::said::{Key, part, plain, say};

/// What lines are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// Their text.
    #[default]
    Raw,
    /// What is left of them after normalisation: renamed temporaries, moved labels and other
    /// addresses are no change.
    Normalised,
}

/// Bounds of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffOptions {
    /// Unchanged lines shown around a change.
    pub context: usize,
    /// Time for the whole file set. Past it the diff is coarser, and says so.
    pub timeout: Duration,
    /// A side larger than this many bytes gets the coarse diff, and says so.
    pub max_bytes: usize,
    /// At most this many lines of a file are in its hunks, whatever its size; a coarse diff shows
    /// half of them of each side. How many are left out is said.
    pub max_lines: usize,
    /// What lines are compared by.
    pub align: Align,
    /// The passes of [`Align::Normalised`], and those by which changes are classified.
    pub passes: Passes,
    /// The language of all files; found for each file when absent.
    pub language: Option<Language>,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            context: 3,
            timeout: Duration::from_millis(1500),
            max_bytes: 64 << 20,
            max_lines: 20_000,
            align: Align::Raw,
            passes: Passes::default(),
            language: None,
        }
    }
}

impl DiffOptions {
    /// The same with lines compared after all passes.
    #[must_use]
    pub fn normalised(self) -> Self {
        Self {
            align: Align::Normalised,
            ..self
        }
    }

    /// The same for a first screen: with [`Prepared::lines`] and at most 20 ms to align the lines.
    ///
    /// What was not compared by then counts as changed, and the notices say so, until the whole
    /// comparison is there.
    #[must_use]
    pub fn first_screen(self) -> Self {
        Self {
            timeout: self.timeout.min(Duration::from_millis(20)),
            ..self
        }
    }

    fn key_passes(&self) -> Passes {
        self.passes
    }
}

/// Compares two file sets, pairing files by path; new and removed files stand alone.
///
/// Files come in order of path. Identical files are listed without hunks and without notice. Where
/// each side has exactly one file without a partner, those two are compared.
pub fn diff(a: &[SourceFile], b: &[SourceFile], options: &DiffOptions) -> Vec<FileDiff> {
    let deadline = Instant::now().checked_add(options.timeout);
    (paired(a, b, options).into_iter())
        .map(|(x, y)| one(x, y, options, deadline))
        .collect()
}

/// A file of side A and one of side B that belong together.
type FilePair<'f> = (Option<&'f SourceFile>, Option<&'f SourceFile>);

/// Which files belong together, in order of path.
fn paired<'f>(
    a: &'f [SourceFile],
    b: &'f [SourceFile],
    options: &DiffOptions,
) -> Vec<FilePair<'f>> {
    let mut sides: BTreeMap<&str, (VecDeque<&SourceFile>, VecDeque<&SourceFile>)> = BTreeMap::new();
    for f in a {
        sides.entry(&f.path).or_default().0.push_back(f);
    }
    for f in b {
        sides.entry(&f.path).or_default().1.push_back(f);
    }
    let mut pairs: Vec<FilePair<'_>> = Vec::new();
    for (_, (mut a, mut b)) in sides {
        // Several files of one path are paired in the order given.
        loop {
            let (x, y) = (a.pop_front(), b.pop_front());
            if x.is_none() && y.is_none() {
                break;
            }
            pairs.push((x, y));
        }
    }
    kernels_elsewhere(&mut pairs, options);
    pairs
}

/// Pairs a file that is gone with a new one that holds the same kernels: it was renamed.
fn kernels_elsewhere(pairs: &mut Vec<FilePair<'_>>, options: &DiffOptions) {
    /// More files without a partner than this are not read for their kernels.
    const MOST: usize = 64;
    let alone = |side: usize, pairs: &[FilePair<'_>]| -> Vec<usize> {
        let is = |p: &FilePair<'_>| match side {
            0 => p.0.is_some() && p.1.is_none(),
            _ => p.0.is_none() && p.1.is_some(),
        };
        (0..pairs.len()).filter(|i| is(&pairs[*i])).collect()
    };
    let (gone, new) = (alone(0, pairs), alone(1, pairs));
    if gone.is_empty() || new.is_empty() || gone.len() + new.len() > MOST {
        return;
    }
    let names = |f: Option<&SourceFile>| -> Vec<String> {
        let Some(f) = f else { return Vec::new() };
        let language = options.language.unwrap_or_else(|| of_file(f));
        let of = DiffOptions {
            max_bytes: options.max_bytes.min(16 << 20),
            ..*options
        };
        if !language.has_kernels() && !language.is_assembly() {
            return Vec::new();
        }
        Prepared::read(f, Some(language), &of).map_or(Vec::new(), |p| {
            p.regions.iter().map(|r| r.base.clone()).collect()
        })
    };
    let there: Vec<(usize, Vec<String>)> = new.iter().map(|i| (*i, names(pairs[*i].1))).collect();
    let mut taken: Vec<usize> = Vec::new();
    for i in gone {
        let mine = names(pairs[i].0);
        let same =
            |j: usize| matches!((pairs[i].0, pairs[j].1), (Some(x), Some(y)) if x.bytes == y.bytes);
        let free = || there.iter().filter(|(j, _)| !taken.contains(j));
        let partner = free()
            .find(|(j, names)| same(*j) && !(mine.is_empty() && names.is_empty()))
            .or_else(|| free().find(|(_, names)| names.iter().any(|n| mine.contains(n))));
        if let Some((j, _)) = partner {
            pairs[i].1 = pairs[*j].1;
            taken.push(*j);
        }
    }
    let mut at = 0;
    pairs.retain(|_| {
        at += 1;
        !taken.contains(&(at - 1))
    });
}

/// Compares two files whatever their paths are.
pub fn diff_pair(a: &SourceFile, b: &SourceFile, options: &DiffOptions) -> FileDiff {
    let deadline = Instant::now().checked_add(options.timeout);
    one(Some(a), Some(b), options, deadline)
}

/// What reading one side of a comparison gave beside its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct SideFacts {
    /// The language it was read as.
    pub language: Language,
    /// Facts by name; empty where the language has none, or no kernel was found.
    pub facts: BTreeMap<String, Figure>,
}

impl SideFacts {
    fn of(side: &Prepared<'_>) -> Self {
        let facts = if side.language.is_assembly() {
            match side.assembly.total.instructions {
                0 => BTreeMap::new(),
                _ => side.assembly.figures(),
            }
        } else if side.kernels.kernels.is_empty() {
            BTreeMap::new()
        } else {
            side.kernels.figures()
        };
        Self {
            language: side.language,
            facts,
        }
    }
}

/// As [`diff_pair`], with the facts of both sides, which are read but once.
///
/// There are none where a file was not read.
pub fn diff_pair_with_facts(
    a: &SourceFile,
    b: &SourceFile,
    options: &DiffOptions,
) -> (FileDiff, Option<[SideFacts; 2]>) {
    let deadline = Instant::now().checked_add(options.timeout);
    let mut facts = None;
    if a.bytes == b.bytes {
        // The same bytes are the same source whatever they are called.
        let language = Some(options.language.unwrap_or_else(|| of_either(a, b)));
        facts = Prepared::read(a, language, options).ok().map(|p| {
            let facts = SideFacts::of(&p);
            [facts.clone(), facts]
        });
    }
    let diff = one_seen(Some(a), Some(b), options, deadline, &mut |p, q| {
        let [x, y] = kernel::different(&p.kernels, &q.kernels);
        let (mut of_a, mut of_b) = (SideFacts::of(p), SideFacts::of(q));
        of_a.facts.extend(x);
        of_b.facts.extend(y);
        facts = Some([of_a, of_b]);
    });
    (diff, facts)
}

/// The facts of single kernels in two sets of files of which a record holds the totals alone:
/// those that differ, of kernels that are on both sides.
pub fn kernel_facts(
    a: (Language, &[SourceFile]),
    b: (Language, &[SourceFile]),
) -> [BTreeMap<String, Figure>; 2] {
    let of = |(language, files): (Language, &[SourceFile])| {
        let mut all = KernelFacts::default();
        for f in files.iter().filter(|f| f.has_readable_size()) {
            all.add_file(language, &String::from_utf8_lossy(&f.bytes));
        }
        all
    };
    kernel::different(&of(a), &of(b))
}

/// The language of the same bytes under two paths: that of which facts are taken.
fn of_either(a: &SourceFile, b: &SourceFile) -> Language {
    let (x, y) = (of_file(a), of_file(b));
    match x.has_kernels() || x.is_assembly() || y == Language::Text {
        true => x,
        false => y,
    }
}

/// Reads both sides at the same time.
pub fn prepare<'a>(
    a: &'a SourceFile,
    b: &'a SourceFile,
    options: &DiffOptions,
) -> Result<(Prepared<'a>, Prepared<'a>), Unreadable> {
    let read = |f: &'a SourceFile| Prepared::read(f, options.language, options);
    if b.bytes.len() < side::WORTH_A_THREAD {
        return Ok((read(a)?, read(b)?));
    }
    std::thread::scope(|s| {
        let other = s.spawn(|| read(b));
        let x = read(a);
        let y = match other.join() {
            Ok(y) => y,
            // A thread that cannot be joined has panicked; reading again says why.
            Err(_) => read(b),
        };
        Ok((x?, y?))
    })
}

fn one(
    a: Option<&SourceFile>,
    b: Option<&SourceFile>,
    options: &DiffOptions,
    deadline: Option<Instant>,
) -> FileDiff {
    one_seen(a, b, options, deadline, &mut |_, _| ())
}

fn one_seen(
    a: Option<&SourceFile>,
    b: Option<&SourceFile>,
    options: &DiffOptions,
    deadline: Option<Instant>,
    read: &mut dyn FnMut(&Prepared<'_>, &Prepared<'_>),
) -> FileDiff {
    // A file that is new or gone is compared with an empty one of its path.
    let other = [a, b].into_iter().flatten().next();
    let none = SourceFile::new(other.map_or("", |f| f.path.as_str()), "");
    let (mut out, comparison) = compared(a, b, &none, options, deadline, read);
    if let Some(c) = comparison {
        view::whole(&mut out, &c);
    }
    out
}

/// What is said of a pair of files whose lines were not looked at, or their comparison, from which the
/// rest is to be filled in.
fn compared<'f>(
    a: Option<&'f SourceFile>,
    b: Option<&'f SourceFile>,
    none: &'f SourceFile,
    options: &DiffOptions,
    deadline: Option<Instant>,
    read: &mut dyn FnMut(&Prepared<'_>, &Prepared<'_>),
) -> (FileDiff, Option<Comparison<'f>>) {
    let mut out = FileDiff {
        a: a.map(|f| f.path.clone()),
        b: b.map(|f| f.path.clone()),
        ..FileDiff::default()
    };
    if let (Some(a), Some(b)) = (a, b)
        && a.bytes == b.bytes
    {
        out.normalised_equal = Some(true);
        let language = options.language.unwrap_or_else(|| of_either(a, b));
        out.language = language.name().to_owned();
        return (out, None);
    }
    let seen = [a, b]
        .into_iter()
        .flatten()
        .find_map(|f| binary(f, SNIFFED));
    if let Some(why) = seen {
        view::notice(&mut out, [not_shown(a, b, why)]);
        return (out, None);
    }
    let (x, y) = (a.unwrap_or(none), b.unwrap_or(none));
    let language = options.language.or_else(|| {
        // An empty side is in the language of the other one.
        let empty = x.bytes.is_empty() || y.bytes.is_empty();
        empty.then(|| of_file(if x.bytes.is_empty() { y } else { x }))
    });
    let options = &DiffOptions {
        language,
        ..*options
    };
    let prepared = if deadline.is_some_and(|d| Instant::now() >= d) {
        Err(say(Key::TimeSpent, []))
    } else {
        prepare(x, y, options).map_err(|e| match e {
            Unreadable::Binary => say(Key::Binary, []),
            Unreadable::TooLarge(limit) => say(Key::TooLarge, [plain(limit.to_string())]),
        })
    };
    match prepared {
        Ok((p, q)) => {
            read(&p, &q);
            let c = Comparison::until(p, q, options, deadline);
            (out, Some(c))
        }
        Err(why) => {
            // A zero byte anywhere tells more than what the reading stopped at.
            let seen = [a, b].into_iter().flatten();
            if let Some(why) = seen.into_iter().find_map(|f| binary(f, usize::MAX)) {
                view::notice(&mut out, [not_shown(a, b, why)]);
                return (out, None);
            }
            let (x, y) = (
                String::from_utf8_lossy(&x.bytes),
                String::from_utf8_lossy(&y.bytes),
            );
            let (hunks, cut) = coarse::diff(&x, &y, options);
            out.hunks = hunks;
            let coarse = say(Key::Coarse, [SaidValue::Said(why)]);
            let nothing = say(Key::NothingTaken, []);
            view::notice(&mut out, [coarse, nothing].into_iter().chain(cut));
            (out, None)
        }
    }
}

/// Bytes at the begin of a file in which nearly every binary shows itself.
const SNIFFED: usize = 64 << 10;

/// The path of a file that its first bytes show to be no text.
fn binary(f: &SourceFile, looked_at: usize) -> Option<&str> {
    let head = &f.bytes[..f.bytes.len().min(looked_at)];
    crate::text::is_binary(head).then_some(f.path.as_str())
}

/// What is said of a pair of which one is no text.
fn not_shown(a: Option<&SourceFile>, b: Option<&SourceFile>, path: &str) -> Said {
    let side = |f: Option<&SourceFile>| match f {
        None => part(Key::Absent, []),
        Some(f) => {
            let values = [f.bytes.len().to_string(), Sha256::of(&f.bytes).short()];
            part(Key::BytesOf, values.map(plain))
        }
    };
    let path = plain(assay_core::text::inert(path));
    say(Key::NotShown, [path, side(a), side(b)])
}
