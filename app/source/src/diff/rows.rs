//! Side-by-side rows, made when they are looked at.

use std::collections::BTreeSet;
use std::ops::Range;

use super::compare::{Comparison, Entry, NONE};
use super::reader::Reader;
use super::side::Prepared;
use super::words::{changed, words};
use crate::syntax::Syntax;

/// Which unchanged lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fold {
    /// Those around changes.
    #[default]
    Context,
    /// All.
    Nothing,
}

/// How rows are laid out, and what is folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// One column: removed lines above the new ones of the same place.
    pub unified: bool,
    /// Which unchanged lines are shown.
    pub fold: Fold,
    /// Runs of unchanged lines that are the other way round than `fold` says, by their place
    /// ([`Row::Folded`], [`Layout::run`]).
    pub except: BTreeSet<u32>,
    /// Kernels with a change get a row of their own above them.
    pub heads: bool,
    /// Kernels of which only that row is shown, by place in [`Comparison::kernels`].
    pub shut: BTreeSet<u32>,
}

/// A row of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// Unchanged lines that are folded away.
    Folded {
        /// Their place in the comparison.
        at: u32,
        /// How many there are.
        count: u32,
    },
    /// The head of a hunk, by its place in [`Comparison::hunks`].
    Hunk(u32),
    /// The head of a kernel, by its place in [`Comparison::kernels`].
    Kernel(u32),
    /// Lines beside each other, by number from 0; a side without a line is blank.
    Lines {
        /// Line of side A.
        a: Option<u32>,
        /// Line of side B.
        b: Option<u32>,
        /// Whether it is unchanged.
        equal: bool,
    },
    /// A line that is on one side only, in one column.
    Line {
        /// Whether it is on side A.
        gone: bool,
        /// Its number from 0.
        line: u32,
        /// The line of the other side that it stands for or that stands for it.
        partner: Option<u32>,
    },
}

/// The rows of a comparison, without their text: 20 bytes each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Rows from top to bottom.
    pub rows: Vec<Row>,
    /// Runs of unchanged lines that could be folded and are not: rows, and place.
    pub unfolded: Vec<(Range<usize>, u32)>,
}

impl Layout {
    /// The place of the run of unchanged lines that a row is part of, if it could be folded.
    pub fn run(&self, row: usize) -> Option<u32> {
        let n = self.unfolded.partition_point(|(rows, _)| rows.end <= row);
        let (rows, at) = self.unfolded.get(n)?;
        rows.contains(&row).then_some(*at)
    }
}

/// How a piece of a cell differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Not at all.
    #[default]
    Same,
    /// It differs in what normalisation takes out.
    Renamed,
    /// Its line is on this side only.
    Changed,
    /// It is what changed inside its line.
    Emphasised,
    /// Its block moved.
    Moved,
}

/// A piece of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSpan {
    /// Text, as it stands in the file: not inert.
    pub text: String,
    /// What it is in its language.
    pub syntax: Syntax,
    /// How it differs.
    pub mark: Mark,
}

/// A line of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Line number, from 1.
    pub number: u32,
    /// Pieces.
    pub spans: Vec<CellSpan>,
    /// The line of the other side that it is, from 1, where its block moved.
    pub moved: Option<u32>,
}

/// A row with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowRow {
    /// What it is.
    pub row: Row,
    /// Side A.
    pub left: Option<Cell>,
    /// Side B.
    pub right: Option<Cell>,
}

impl Comparison<'_> {
    /// The rows of the whole comparison, side by side and without heads of kernels.
    pub fn layout(&self, fold: Fold) -> Layout {
        self.arranged(&Shape {
            fold,
            ..Shape::default()
        })
    }

    /// The rows of the whole comparison in a shape.
    pub fn arranged(&self, shape: &Shape) -> Layout {
        let mut out = Arranger {
            c: self,
            shape,
            kernels: match shape.heads {
                true => self.kernel_places(),
                false => Vec::new(),
            },
            next: 0,
            announced: false,
            layout: Layout::default(),
        };
        let mut end = 0;
        for (n, h) in self.hunks.iter().enumerate() {
            out.unchanged(end..h.lines.start);
            out.hunk(u32::try_from(n).unwrap_or(NONE), h.lines.clone());
            end = h.lines.end;
        }
        out.unchanged(end..self.entries.len());
        out.layout
    }

    /// The text of some rows, with syntax and with what changed inside the lines.
    ///
    /// What is before the window is read once, for what it leaves open; what is after costs nothing.
    pub fn window(&self, layout: &Layout, range: Range<usize>) -> Vec<WindowRow> {
        let mut left = Reader::new(&self.a, &self.syntax.0);
        let mut right = Reader::new(&self.b, &self.syntax.1);
        let end = range.end.min(layout.rows.len());
        let rows = layout.rows.get(range.start.min(end)..end).unwrap_or(&[]);
        rows.iter()
            .map(|row| self.row(*row, &mut left, &mut right))
            .collect()
    }

    fn row<'s>(&'s self, row: Row, left: &mut Reader<'s>, right: &mut Reader<'s>) -> WindowRow {
        let mut out = WindowRow {
            row,
            left: None,
            right: None,
        };
        // A line that stands alone is marked against the one it belongs to.
        let (a, b, equal, alone) = match row {
            Row::Lines { a, b, equal } => (a, b, equal, None),
            Row::Line {
                gone: true,
                line,
                partner,
            } => (Some(line), partner, false, Some(true)),
            Row::Line {
                gone: false,
                line,
                partner,
            } => (partner, Some(line), false, Some(false)),
            _ => return out,
        };
        let text = |p: &'s Prepared<'_>, n: Option<u32>| n.map(|n| p.line(n as usize));
        let (x, y) = (text(&self.a, a), text(&self.b, b));
        let (base, marks) = match (x, y) {
            (Some(x), Some(y)) if equal => (if x == y { Mark::Same } else { Mark::Renamed }, None),
            (Some(x), Some(y)) => (Mark::Changed, changed(x, y)),
            _ => (Mark::Changed, None),
        };
        let (p, q) = marks.unwrap_or_default();
        let cell = |n: Option<u32>,
                    moved: &std::collections::HashMap<u32, u32>,
                    reader: &mut Reader<'s>,
                    marks: &[(usize, usize)]| {
            let n = n?;
            let moved = moved.get(&n).map(|m| m.saturating_add(1));
            let base = if moved.is_some() { Mark::Moved } else { base };
            Some(Cell {
                number: n.saturating_add(1),
                spans: reader.spans(n as usize, base, marks),
                moved,
            })
        };
        if alone != Some(false) {
            out.left = cell(a, &self.moved.0, left, &p);
        }
        if alone != Some(true) {
            out.right = cell(b, &self.moved.1, right, &q);
        }
        out
    }
}

fn equal(e: Entry) -> Row {
    // A blank line of one side alone counts as unchanged after normalisation.
    Row::Lines {
        a: (e.a != NONE).then_some(e.a),
        b: (e.b != NONE).then_some(e.b),
        equal: !e.is_change(),
    }
}

/// Puts rows one after the other, and folds what is folded.
struct Arranger<'c, 's> {
    c: &'c Comparison<'s>,
    shape: &'c Shape,
    /// Kernels with a change, by place.
    kernels: Vec<(Range<usize>, u32)>,
    /// The kernel that comes next or that is being gone through.
    next: usize,
    /// Its head is there already.
    announced: bool,
    layout: Layout,
}

impl Arranger<'_, '_> {
    /// Goes to a place; says until where what follows lies in one kernel or none, and whether it
    /// is to be seen.
    fn go(&mut self, at: usize) -> (usize, bool) {
        while self.kernels.get(self.next).is_some_and(|k| k.0.end <= at) {
            self.next += 1;
            self.announced = false;
        }
        match self.kernels.get(self.next) {
            None => (usize::MAX, true),
            Some((range, _)) if at < range.start => (range.start, true),
            Some((range, kernel)) => {
                if !self.announced {
                    self.announced = true;
                    self.layout.rows.push(Row::Kernel(*kernel));
                }
                (range.end, !self.shape.shut.contains(kernel))
            }
        }
    }

    fn pieces(&mut self, range: Range<usize>, mut put: impl FnMut(&mut Self, Range<usize>)) {
        let mut at = range.start;
        while at < range.end {
            let (end, seen) = self.go(at);
            let end = end.min(range.end);
            if seen {
                put(self, at..end);
            }
            at = end;
        }
    }

    /// Unchanged lines between hunks.
    fn unchanged(&mut self, range: Range<usize>) {
        let place = |n: usize| u32::try_from(n).unwrap_or(NONE);
        self.pieces(range, |out, piece| {
            let at = place(piece.start);
            let folded = match out.shape.fold {
                Fold::Context => !out.shape.except.contains(&at),
                Fold::Nothing => out.shape.except.contains(&at),
            };
            let rows = &mut out.layout.rows;
            if folded {
                let count = place(piece.len());
                return rows.push(Row::Folded { at, count });
            }
            let from = rows.len();
            rows.extend(out.c.entries[piece].iter().map(|e| equal(*e)));
            out.layout.unfolded.push((from..rows.len(), at));
        });
    }

    fn hunk(&mut self, n: u32, lines: Range<usize>) {
        let (end, seen) = self.go(lines.start);
        // Nothing is to be seen of a hunk inside of a folded kernel.
        if seen || end < lines.end {
            self.layout.rows.push(Row::Hunk(n));
        }
        let mut at = lines.start;
        while at < lines.end {
            let change = self.c.entries[at].is_change();
            let run = self.c.entries[at..lines.end].iter();
            let length = run.take_while(|e| e.is_change() == change).count();
            self.pieces(at..at + length, |out, piece| {
                let entries = &out.c.entries[piece];
                if change {
                    out.changed(entries);
                } else {
                    out.layout.rows.extend(entries.iter().map(|e| equal(*e)));
                }
            });
            at += length;
        }
    }

    fn changed(&mut self, entries: &[Entry]) {
        let pairs = pair_block(self.c, entries);
        let rows = &mut self.layout.rows;
        if !self.shape.unified {
            rows.extend(
                pairs
                    .into_iter()
                    .map(|(a, b)| Row::Lines { a, b, equal: false }),
            );
            return;
        }
        let line = |gone, line: Option<u32>, partner| {
            line.map(|line| Row::Line {
                gone,
                line,
                partner,
            })
        };
        rows.extend(pairs.iter().filter_map(|(a, b)| line(true, *a, *b)));
        rows.extend(pairs.iter().filter_map(|(a, b)| line(false, *b, *a)));
    }
}

/// Blocks of more pairs of lines than this are put beside each other as they come.
const MAX_PAIRS: usize = 1024;

/// Which removed line became which new one, in order; the others stand alone.
pub(super) fn pair_block(c: &Comparison<'_>, entries: &[Entry]) -> Vec<(Option<u32>, Option<u32>)> {
    let a: Vec<u32> = entries.iter().map(|e| e.a).filter(|n| *n != NONE).collect();
    let b: Vec<u32> = entries.iter().map(|e| e.b).filter(|n| *n != NONE).collect();
    let (n, m) = (a.len(), b.len());
    if n == m || n == 0 || m == 0 || n * m > MAX_PAIRS {
        return (0..n.max(m))
            .map(|i| (a.get(i).copied(), b.get(i).copied()))
            .collect();
    }
    let bag = |p: &Prepared<'_>, n: u32| -> Vec<String> {
        let line = p.line(n as usize);
        let line = line.get(..512).unwrap_or(line);
        let mut out: Vec<String> = (words(line).into_iter())
            .map(|(p, q)| line[p..q].to_owned())
            .filter(|w| w.len() > 1 && !w.trim().is_empty())
            .collect();
        out.sort_unstable();
        out
    };
    let x: Vec<Vec<String>> = a.iter().map(|n| bag(&c.a, *n)).collect();
    let y: Vec<Vec<String>> = b.iter().map(|n| bag(&c.b, *n)).collect();
    // Best sum of likeness of pairs in order.
    let mut best = vec![vec![0u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let pair = likeness(&x[i], &y[j]);
            let with = if pair > 0 {
                pair + best[i + 1][j + 1]
            } else {
                0
            };
            best[i][j] = with.max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::with_capacity(n.max(m));
    while i < n || j < m {
        let alike = if i < n && j < m {
            likeness(&x[i], &y[j])
        } else {
            0
        };
        if alike > 0 && best[i][j] == alike + best[i + 1][j + 1] {
            out.push((Some(a[i]), Some(b[j])));
            (i, j) = (i + 1, j + 1);
        } else if i < n && (j == m || best[i][j] == best[i + 1][j]) {
            out.push((Some(a[i]), None));
            i += 1;
        } else {
            out.push((None, Some(b[j])));
            j += 1;
        }
    }
    out
}

/// Words in common, in percent of those of the longer line; 0 when they are fewer than half.
fn likeness(a: &[String], b: &[String]) -> u32 {
    let (mut i, mut j, mut same) = (0, 0, 0usize);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Equal => {
                same += 1;
                (i, j) = (i + 1, j + 1);
            }
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
        }
    }
    let most = a.len().max(b.len()).max(1);
    let percent = u32::try_from(same * 100 / most).unwrap_or(0);
    if percent < 50 { 0 } else { percent }
}
