//! The Source screen: a diff as rows, so that only visible lines are drawn.

use assay_core::view::{DiffLine, DiffView};

use super::Slot;
use crate::event::DiffKey;

/// How the diff is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceMode {
    /// Side by side when the screen is wide enough.
    #[default]
    Auto,
    /// One column.
    Unified,
    /// Two columns.
    Split,
}

/// Columns from which two sides fit beside each other.
pub const SPLIT_WIDTH: u16 = 140;

/// Where a line is: file, hunk, line.
pub type At = (usize, usize, usize);

/// One row on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A remark over the whole diff.
    Warning(usize),
    /// What facts come to, or a counter beside them.
    Statement(usize),
    /// Facts that no counter stands beside, in one row.
    WithoutCounter,
    /// A fact of the generated source that differs.
    Fact(usize),
    /// Name of a file.
    File(usize),
    /// What was left out of a file.
    Notice(usize),
    /// Start of a hunk.
    Hunk(usize, usize),
    /// One line of the unified layout.
    Line(At),
    /// A row of the side by side layout.
    Pair(Option<At>, Option<At>),
    /// An empty row.
    Blank,
}

/// State of the screen.
#[derive(Debug, Default)]
pub struct Source {
    /// Which diff.
    pub key: Option<DiffKey>,
    /// The diff.
    pub slot: Slot<DiffView>,
    /// Layout asked for.
    pub mode: SourceMode,
    /// Rows of the layout in use.
    pub rows: Vec<Side>,
    /// Rows that start a hunk.
    pub hunks: Vec<usize>,
    /// First row in view.
    pub offset: usize,
    /// Columns scrolled to the right.
    pub left: usize,
    /// What the rows were made from.
    pub built: Option<(u64, bool)>,
}

impl Source {
    /// Whether the layout has two columns on a screen of this width.
    pub fn split(&self, width: u16) -> bool {
        match self.mode {
            SourceMode::Auto => width >= SPLIT_WIDTH,
            SourceMode::Unified => false,
            // Two halves of less than 20 columns show nothing of either side.
            SourceMode::Split => width >= 40,
        }
    }

    /// The line at a place.
    pub fn line(&self, (file, hunk, line): At) -> Option<&DiffLine> {
        self.slot
            .value
            .as_ref()?
            .files
            .get(file)?
            .hunks
            .get(hunk)?
            .get(line)
    }

    /// Makes the rows when the diff or the layout has changed.
    pub fn arrange(&mut self, width: u16) {
        let key = (self.slot.generation, self.split(width));
        if self.built == Some(key) {
            return;
        }
        // A change of layout keeps the hunk that is being read.
        let hunk = self.hunk();
        let same_diff = self
            .built
            .is_some_and(|(generation, _)| generation == key.0);
        self.built = Some(key);
        self.rows = self
            .slot
            .value
            .as_ref()
            .map_or_else(Vec::new, |v| rows(v, key.1));
        self.hunks = (0..self.rows.len())
            .filter(|i| matches!(self.rows[*i], Side::Hunk(..)))
            .collect();
        self.offset = match hunk {
            Some(h) if same_diff => self.hunks.get(h).copied().unwrap_or(0),
            _ => 0,
        };
    }

    /// The hunk at the top of the view, from 0; absent above the first one.
    pub fn hunk(&self) -> Option<usize> {
        self.hunks
            .partition_point(|h| *h <= self.offset)
            .checked_sub(1)
    }

    /// Scrolls to the next or the previous hunk.
    pub fn jump(&mut self, forward: bool) {
        let to = if forward {
            self.hunks.iter().find(|h| **h > self.offset)
        } else {
            self.hunks.iter().rev().find(|h| **h < self.offset)
        };
        if let Some(to) = to {
            self.offset = *to;
        }
    }

    /// Keeps the view inside the rows; the last hunk may stand at the top.
    pub fn settle(&mut self, height: usize) {
        let full = self.rows.len().saturating_sub(height.max(1));
        let last_hunk = self.hunks.last().copied().unwrap_or(0);
        self.offset = self.offset.min(full.max(last_hunk));
    }
}

fn rows(view: &DiffView, split: bool) -> Vec<Side> {
    let mut out: Vec<Side> = (0..view.warnings.len()).map(Side::Warning).collect();
    let without = |i: &usize| view.statements[*i].kind == "no-counter";
    let statements = 0..view.statements.len();
    out.extend(
        statements
            .clone()
            .filter(|i| !without(i))
            .map(Side::Statement),
    );
    if statements.clone().any(|i| without(&i)) {
        out.push(Side::WithoutCounter);
    }
    // Of dozens of facts those that are the same on both sides only stand in the way.
    let differs = |i: &usize| view.facts[*i].values.first() != view.facts[*i].values.get(1);
    out.extend((0..view.facts.len()).filter(differs).map(Side::Fact));
    for (f, file) in view.files.iter().enumerate() {
        // Files without any difference would be headings above nothing.
        let same_name = file.a.is_some() == file.b.is_some();
        if same_name && file.hunks.is_empty() && file.notice.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(Side::Blank);
        }
        out.push(Side::File(f));
        if !file.notice.is_empty() {
            out.push(Side::Notice(f));
        }
        for (h, hunk) in file.hunks.iter().enumerate() {
            out.push(Side::Hunk(f, h));
            if split {
                pair(hunk, f, h, &mut out);
            } else {
                out.extend((0..hunk.len()).map(|l| Side::Line((f, h, l))));
            }
        }
    }
    out
}

/// Puts the deleted lines of a change beside its inserted lines.
fn pair(hunk: &[DiffLine], f: usize, h: usize, out: &mut Vec<Side>) {
    let mut l = 0;
    while l < hunk.len() {
        if !is_change(&hunk[l]) {
            out.push(Side::Pair(Some((f, h, l)), Some((f, h, l))));
            l += 1;
            continue;
        }
        let start = l;
        while l < hunk.len() && is_change(&hunk[l]) {
            l += 1;
        }
        let pick = |tag: &str| {
            (start..l)
                .filter(|i| hunk[*i].tag == tag)
                .collect::<Vec<_>>()
        };
        let (a, b) = (pick("delete"), pick("insert"));
        for i in 0..a.len().max(b.len()) {
            let at = |side: &[usize]| side.get(i).map(|l| (f, h, *l));
            out.push(Side::Pair(at(&a), at(&b)));
        }
    }
}

fn is_change(line: &DiffLine) -> bool {
    line.tag == "delete" || line.tag == "insert"
}
