//! What is folded on the Source screen.

use std::collections::{BTreeMap, BTreeSet};

use assay_source::diff::{Fold, Row as Line, Shape};

use super::{Row, Source};

/// A part of what is said above the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// What changed, from the facts.
    Changes,
    /// Facts and counters beside each other.
    Beside,
    /// Facts that differ.
    Facts,
}

/// What is folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    /// Parts above the files of which only the heading is shown.
    pub sections: BTreeSet<Section>,
    /// What each statement is made from stands below it.
    pub evidence: bool,
    /// Files of which only the name is shown.
    pub files: BTreeSet<usize>,
    /// Unchanged lines are all shown.
    pub all: bool,
    /// Runs of unchanged lines that are the other way round, by file.
    pub except: BTreeMap<usize, BTreeSet<u32>>,
    /// Kernels of which only the name is shown, by file.
    pub kernels: BTreeMap<usize, BTreeSet<u32>>,
}

impl Default for Folds {
    fn default() -> Self {
        Self {
            sections: BTreeSet::from([Section::Facts]),
            evidence: true,
            files: BTreeSet::new(),
            all: false,
            except: BTreeMap::new(),
            kernels: BTreeMap::new(),
        }
    }
}

impl Folds {
    /// Forgets what belongs to one diff.
    pub fn forget(&mut self) {
        self.files.clear();
        self.except.clear();
        self.kernels.clear();
    }

    /// How the rows of a file are laid out.
    pub fn shape(&self, file: usize, split: bool) -> Shape {
        Shape {
            unified: !split,
            fold: if self.all {
                Fold::Nothing
            } else {
                Fold::Context
            },
            except: self.except.get(&file).cloned().unwrap_or_default(),
            heads: true,
            shut: self.kernels.get(&file).cloned().unwrap_or_default(),
        }
    }
}

/// Puts a value in or takes it out.
fn toggle<T: Ord>(set: &mut BTreeSet<T>, value: T) {
    if !set.remove(&value) {
        set.insert(value);
    }
}

impl Source {
    /// Folds or unfolds what the cursor is on: a heading, a file, a kernel, unchanged lines.
    pub fn fold_here(&mut self) {
        match self.rows.get(self.cursor.index).copied() {
            Some(Row::Head(n)) => {
                if let Some(section) = self.head.get(n).and_then(|l| l.section) {
                    toggle(&mut self.folds.sections, section);
                }
            }
            Some(Row::File(f)) => toggle(&mut self.folds.files, f),
            Some(Row::Line(f, r)) => match self.line(f, r) {
                Some(Line::Folded { at, .. }) => {
                    toggle(self.folds.except.entry(f).or_default(), at);
                }
                Some(Line::Kernel(k)) => toggle(self.folds.kernels.entry(f).or_default(), k),
                _ => self.fold_around(f, r),
            },
            Some(Row::Blank) | None => {}
        }
    }

    /// Folds the unchanged lines that a line is one of, or else its kernel.
    fn fold_around(&mut self, f: usize, r: usize) {
        let Some(layout) = self.layouts.get(f) else {
            return;
        };
        if let Some(at) = layout.run(r) {
            return toggle(self.folds.except.entry(f).or_default(), at);
        }
        let kernel = layout.rows[..r].iter().rev().find_map(|row| match row {
            Line::Kernel(k) => Some(*k),
            _ => None,
        });
        if let Some(k) = kernel {
            toggle(self.folds.kernels.entry(f).or_default(), k);
        }
    }

    /// Folds or unfolds all that is unchanged.
    pub fn fold_all(&mut self) {
        self.folds.all = !self.folds.all;
        self.folds.except.clear();
    }

    /// Folds all kernels with a change, or unfolds them when all are folded.
    pub fn fold_kernels(&mut self) {
        let mut all: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for row in &self.kernels {
            if let Some(Row::Line(f, r)) = self.rows.get(*row)
                && let Some(Line::Kernel(k)) = self.line(*f, *r)
            {
                all.entry(*f).or_default().insert(k);
            }
        }
        let is_shut = |(f, ks): (&usize, &BTreeSet<u32>)| {
            (self.folds.kernels.get(f)).is_some_and(|shut| ks.is_subset(shut))
        };
        self.folds.kernels = match all.iter().all(is_shut) {
            true => BTreeMap::new(),
            false => all,
        };
    }
}
