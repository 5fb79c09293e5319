//! The Source screen: which rows there are, what is folded, where the cursor stands.
//!
//! Rows are places and hold no text: text is made for what is in view. They are listed anew when the
//! diff, the width or a fold changes, and not when the view moves.

mod folds;
mod found;
mod moves;

use std::sync::Arc;

use assay_core::view::FileDiff;
use assay_source::diff::{Layout, OpenDiff, Row as Line};

use super::Slot;
use super::cursor::Cursor;
use super::find::Find;
use crate::document::parts::Pen;
use crate::document::source::{self as head, HeadLine};
use crate::event::DiffKey;
use crate::options::Lang;
use crate::strings::Strings;

pub use folds::{Folds, Section};
pub use moves::Stop;

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

/// One row on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// A line of what is said above the files.
    Head(usize),
    /// An empty row.
    Blank,
    /// Name of a file, and what became of it.
    File(usize),
    /// A row of the layout of a file.
    Line(usize, usize),
}

/// State of the screen.
#[derive(Debug, Default)]
pub struct Source {
    /// Which diff.
    pub key: Option<DiffKey>,
    /// The diff.
    pub slot: Slot<Arc<OpenDiff>>,
    /// Layout asked for.
    pub mode: SourceMode,
    /// What is folded.
    pub folds: Folds,
    /// What is said above the files.
    pub head: Vec<HeadLine>,
    /// The notices, as many rows as they take in full.
    pub strip: Vec<String>,
    /// Rows of the layout in use.
    pub rows: Vec<Row>,
    /// The same rows of each file, without their text.
    pub layouts: Vec<Layout>,
    /// Rows that start a hunk, with its number over all files.
    pub hunks: Vec<(usize, usize)>,
    /// Hunks of all files, folded ones too.
    pub hunk_count: usize,
    /// Rows that start a kernel.
    pub kernels: Vec<usize>,
    /// Rows that start a file.
    pub files: Vec<usize>,
    /// The row that keys are about, and the first row in view.
    pub cursor: Cursor,
    /// Columns scrolled to the right.
    pub left: usize,
    /// How often the rows were listed.
    pub listed: u64,
    /// What is looked for.
    pub find: Find,
    /// What the rows were made from.
    built: Option<Built>,
}

#[derive(Debug, Clone, PartialEq)]
struct Built {
    generation: u64,
    split: bool,
    width: u16,
    folds: Folds,
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

    /// Forgets the diff: another one was asked for.
    pub fn forget(&mut self) {
        self.slot.clear();
        self.left = 0;
        self.folds.forget();
        self.cursor = Cursor::default();
        self.built = None;
    }

    /// What the diff says of a file.
    pub fn file(&self, n: usize) -> Option<&FileDiff> {
        self.slot.value.as_ref()?.view.files.get(n)
    }

    /// What limits the diff or weakens what is said from it.
    pub fn notices(&self, s: &Strings, lang: Lang) -> Vec<String> {
        (self.slot.value.as_ref()).map_or_else(Vec::new, |d| head::notices(s, lang, &d.view))
    }

    /// A row of the layout of a file.
    pub fn line(&self, file: usize, row: usize) -> Option<Line> {
        self.layouts.get(file)?.rows.get(row).copied()
    }

    /// Makes the rows when the diff, the width or a fold has changed.
    pub fn arrange(&mut self, pen: &Pen, width: u16) {
        let now = Built {
            generation: self.slot.generation,
            split: self.split(width),
            width,
            folds: self.folds.clone(),
        };
        if self.built.as_ref() == Some(&now) {
            return;
        }
        // What is being read stays where it is, when the same two sides are read again too: another
        // diff was forgotten before.
        let same_diff = self.built.replace(now.clone()).is_some();
        let anchor = self.anchor().filter(|_| same_diff);
        self.list(pen, now.split);
        match anchor {
            Some((anchor, above)) => {
                let at = self.find(&anchor);
                self.cursor = Cursor {
                    index: at,
                    offset: at.saturating_sub(above),
                };
            }
            None => self.cursor = Cursor::default(),
        }
    }

    fn list(&mut self, pen: &Pen, split: bool) {
        self.rows.clear();
        self.layouts.clear();
        self.head.clear();
        self.strip.clear();
        self.hunks.clear();
        self.kernels.clear();
        self.files.clear();
        self.hunk_count = 0;
        self.listed += 1;
        let Some(diff) = self.slot.value.clone() else {
            return;
        };
        self.head = head::lines(pen, &diff.view, &self.folds);
        self.strip = head::strip(pen, &diff.view);
        self.rows.extend((0..self.head.len()).map(Row::Head));
        for (f, (head, lines)) in diff.view.files.iter().zip(&diff.files).enumerate() {
            let layout = lines.layout(head, &self.folds.shape(f, split));
            // Files of which only a name is shown stand close together.
            let above = match self.rows.last() {
                None => false,
                Some(Row::File(_)) => !layout.rows.is_empty(),
                Some(_) => true,
            };
            if above {
                self.rows.push(Row::Blank);
            }
            self.files.push(self.rows.len());
            self.rows.push(Row::File(f));
            let hidden = self.folds.files.contains(&f);
            for (r, row) in layout.rows.iter().enumerate().filter(|_| !hidden) {
                match row {
                    Line::Hunk(n) => {
                        let n = self.hunk_count + *n as usize;
                        self.hunks.push((self.rows.len(), n));
                    }
                    Line::Kernel(_) => self.kernels.push(self.rows.len()),
                    _ => {}
                }
                self.rows.push(Row::Line(f, r));
            }
            self.hunk_count += head.notes.len().max(head.hunks.len());
            self.layouts.push(layout);
        }
    }
}
