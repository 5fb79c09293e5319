//! Line diffs of file sets, bounded in time and size, with what changed inside a line.

mod lines;
mod render;

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use assay_core::Sha256;
use assay_core::view::FileDiff;

pub use render::{Style, to_side_by_side, to_side_by_side_styled, to_unified, to_unified_styled};

use crate::SourceFile;

/// Bounds of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffOptions {
    /// Unchanged lines shown around a change.
    pub context: usize,
    /// Time for the whole file set. Past it the diff is coarser, and says so.
    pub timeout: Duration,
    /// A side larger than this many bytes gets the coarse diff, and says so.
    pub max_bytes: usize,
    /// A coarse diff shows at most this many changed lines of each side.
    pub max_coarse_lines: usize,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            context: 3,
            timeout: Duration::from_millis(1500),
            max_bytes: 4 << 20,
            max_coarse_lines: 2000,
        }
    }
}

/// Compares two file sets, pairing files by path; new and removed files stand alone.
///
/// Files come in order of path. Identical files are listed without hunks and without notice.
pub fn diff(a: &[SourceFile], b: &[SourceFile], options: &DiffOptions) -> Vec<FileDiff> {
    let deadline = Instant::now().checked_add(options.timeout);
    let mut sides: BTreeMap<&str, (VecDeque<&SourceFile>, VecDeque<&SourceFile>)> = BTreeMap::new();
    for f in a {
        sides.entry(&f.path).or_default().0.push_back(f);
    }
    for f in b {
        sides.entry(&f.path).or_default().1.push_back(f);
    }
    let mut out = Vec::new();
    for (_, (mut a, mut b)) in sides {
        // Several files of one path are paired in the order given.
        loop {
            let (x, y) = (a.pop_front(), b.pop_front());
            if x.is_none() && y.is_none() {
                break;
            }
            out.push(one(x, y, options, deadline));
        }
    }
    out
}

/// Compares two files whatever their paths are.
pub fn diff_pair(a: &SourceFile, b: &SourceFile, options: &DiffOptions) -> FileDiff {
    let deadline = Instant::now().checked_add(options.timeout);
    one(Some(a), Some(b), options, deadline)
}

fn one(
    a: Option<&SourceFile>,
    b: Option<&SourceFile>,
    options: &DiffOptions,
    deadline: Option<Instant>,
) -> FileDiff {
    let mut out = FileDiff {
        a: a.map(|f| f.path.clone()),
        b: b.map(|f| f.path.clone()),
        hunks: Vec::new(),
        notice: String::new(),
    };
    if let (Some(a), Some(b)) = (a, b)
        && a.bytes == b.bytes
    {
        return out;
    }
    match (a.map(text), b.map(text)) {
        (Some(Err(e)), _) | (_, Some(Err(e))) => {
            let side = |f: Option<&SourceFile>| {
                f.map_or("absent".to_owned(), |f| {
                    let hash = Sha256::of(&f.bytes).short();
                    format!("{} bytes, sha256 {hash}", f.bytes.len())
                })
            };
            out.notice = format!("{e}; not shown. A: {}. B: {}.", side(a), side(b));
        }
        (a, b) => {
            let a = a.and_then(Result::ok).unwrap_or("");
            let b = b.and_then(Result::ok).unwrap_or("");
            let (hunks, notices) = lines::diff(a, b, options, deadline);
            out.hunks = hunks;
            out.notice = notices.join(" ");
        }
    }
    out
}

/// The text of a file, or what it is instead.
fn text(f: &SourceFile) -> Result<&str, String> {
    let path = assay_core::text::inert(&f.path);
    if f.bytes.contains(&0) {
        return Err(format!("`{path}` is binary"));
    }
    f.text()
        .map_err(|at| format!("`{path}` is not UTF-8 (byte {at})"))
}
