//! Where the cursor of the Source screen goes.

use assay_source::diff::Row as Line;

use super::{Row, Section, Source};

/// What a key goes to the next or the previous of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// A hunk.
    Hunk,
    /// A kernel with a change.
    Kernel,
    /// A file.
    File,
}

/// What the cursor is on, so that it can be found among other rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// A heading.
    Section(Section),
    /// A file.
    File(usize),
    /// A line of a file: what stands there, the run of unchanged lines it is in, its kernel.
    Line(usize, Line, Option<u32>, Option<u32>),
    /// A row by its number.
    Row(usize),
}

impl Source {
    /// Moves the cursor.
    pub fn step(&mut self, by: isize) {
        self.cursor.step(by, self.rows.len());
    }

    /// The hunk that the cursor is in, from 0 over all files; absent above the first one.
    pub fn hunk(&self) -> Option<usize> {
        let n = self.hunks.partition_point(|h| h.0 <= self.cursor.index);
        n.checked_sub(1).map(|n| self.hunks[n].1)
    }

    /// File and place of the kernel that the cursor is in.
    pub fn kernel(&self) -> Option<(usize, usize)> {
        let n = self.kernels.partition_point(|k| *k <= self.cursor.index);
        let Row::Line(f, r) = *self.rows.get(*self.kernels.get(n.checked_sub(1)?)?)? else {
            return None;
        };
        match self.line(f, r)? {
            Line::Kernel(k) => Some((f, k as usize)),
            _ => None,
        }
    }

    /// Goes to the next or the previous hunk, kernel or file.
    pub fn jump(&mut self, stop: Stop, forward: bool) {
        let hunks: Vec<usize>;
        let rows = match stop {
            Stop::Hunk => {
                hunks = self.hunks.iter().map(|h| h.0).collect();
                &hunks
            }
            Stop::Kernel => &self.kernels,
            Stop::File => &self.files,
        };
        let at = self.cursor.index;
        let to = if forward {
            rows.get(rows.partition_point(|r| *r <= at))
        } else {
            let n = rows.partition_point(|r| *r < at);
            n.checked_sub(1).and_then(|n| rows.get(n))
        };
        if let Some(to) = to.copied() {
            self.look_at(to);
        }
    }

    fn look_at(&mut self, row: usize) {
        self.cursor.index = row;
        self.cursor.offset = row;
    }

    /// Every kernel of every file, changed or not.
    pub fn all_kernels(&self) -> Vec<(usize, usize)> {
        let files = self.slot.value.iter().flat_map(|d| &d.view.files);
        files
            .enumerate()
            .flat_map(|(f, file)| (0..file.kernels.len()).map(move |k| (f, k)))
            .collect()
    }

    /// Goes to a kernel, or to where it is folded away.
    pub fn go_to_kernel(&mut self, (f, k): (usize, usize)) {
        let Some(diff) = self.slot.value.clone() else {
            return;
        };
        let row = || {
            let lines = diff.files.get(f)?.comparison.as_ref()?;
            let r = lines.row_of_kernel(self.layouts.get(f)?, k)?;
            self.rows.iter().position(|row| *row == Row::Line(f, r))
        };
        let file = self.files.get(f).copied();
        if let Some(to) = row().or(file) {
            self.look_at(to);
        }
    }

    /// Keeps the cursor on a row and in view; the last hunk may stand at the top.
    pub fn settle(&mut self, height: usize) {
        let height = height.max(1);
        let c = &mut self.cursor;
        c.index = c.index.min(self.rows.len().saturating_sub(1));
        let full = self.rows.len().saturating_sub(height);
        let stops = [
            self.hunks.last().map(|h| h.0),
            self.kernels.last().copied(),
            self.files.last().copied(),
        ];
        let most = stops.into_iter().flatten().max().unwrap_or(0).max(full);
        c.offset = c.offset.min(most).min(c.index);
        if c.index >= c.offset + height {
            c.offset = c.index + 1 - height;
        }
    }

    /// What the cursor is on, and how far below the first row in view.
    pub(super) fn anchor(&self) -> Option<(Anchor, usize)> {
        let at = self.cursor.index;
        let above = at.saturating_sub(self.cursor.offset);
        let anchor = match *self.rows.get(at)? {
            Row::Head(n) => match self.head.get(n).and_then(|l| l.section) {
                Some(section) => Anchor::Section(section),
                None => Anchor::Row(at),
            },
            Row::Blank => Anchor::Row(at),
            Row::File(f) => Anchor::File(f),
            Row::Line(f, r) => {
                let layout = self.layouts.get(f)?;
                let kernel = layout.rows[..=r].iter().rev().find_map(|row| match row {
                    Line::Kernel(k) => Some(*k),
                    _ => None,
                });
                Anchor::Line(f, *layout.rows.get(r)?, layout.run(r), kernel)
            }
        };
        Some((anchor, above))
    }

    /// The row of an anchor, or what comes nearest to it.
    pub(super) fn find(&self, anchor: &Anchor) -> usize {
        let row = |wanted: &dyn Fn(Row) -> bool| self.rows.iter().position(|r| wanted(*r));
        match *anchor {
            Anchor::Row(at) => at,
            Anchor::Section(s) => (self.head.iter())
                .position(|l| l.section == Some(s))
                .unwrap_or(0),
            Anchor::File(f) => row(&|r| r == Row::File(f)).unwrap_or(0),
            Anchor::Line(f, line, run, kernel) => {
                let rows = self.layouts.get(f).map_or(&[][..], |l| l.rows.as_slice());
                let opened = || match line {
                    Line::Folded { at, .. } => {
                        let runs = self.layouts.get(f).map(|l| l.unfolded.iter());
                        let run = runs.into_iter().flatten().find(|(_, place)| *place == at);
                        run.map(|(rows, _)| rows.start)
                    }
                    _ => None,
                };
                let found = (rows.iter().position(|r| *r == line))
                    .or_else(opened)
                    .or_else(|| rows.iter().position(|r| is_beside(*r, line)))
                    .or_else(|| {
                        let run = run?;
                        let is = |r: &Line| matches!(r, Line::Folded { at, .. } if *at == run);
                        rows.iter().position(is)
                    })
                    .or_else(|| {
                        rows.iter()
                            .position(|r| Some(*r) == kernel.map(Line::Kernel))
                    });
                let found = found.and_then(|l| row(&|r| r == Row::Line(f, l)));
                found.or_else(|| row(&|r| r == Row::File(f))).unwrap_or(0)
            }
        }
    }
}

/// Whether a row shows a line of another layout, or the first of what was folded there.
fn is_beside(row: Line, line: Line) -> bool {
    let sides = |r: Line| match r {
        Line::Lines { a, b, .. } => (a, b),
        Line::Line {
            gone: true, line, ..
        } => (Some(line), None),
        Line::Line { line, .. } => (None, Some(line)),
        _ => (None, None),
    };
    let ((a, b), (x, y)) = (sides(row), sides(line));
    (a.is_some() && a == x) || (b.is_some() && b == y)
}
