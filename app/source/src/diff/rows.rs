//! Side-by-side rows, made when they are looked at.

use std::ops::Range;

use super::compare::{Comparison, Entry, NONE};
use super::side::Prepared;
use super::view::shown;
use super::words::{changed, words};
use crate::syntax::{Highlighter, Syntax};

/// Which unchanged lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fold {
    /// Those around changes.
    #[default]
    Context,
    /// All.
    Nothing,
}

/// A row of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// Unchanged lines that are folded away, by number.
    Folded(u32),
    /// The head of a hunk, by its place in [`Comparison::hunks`].
    Hunk(u32),
    /// Lines beside each other, by number from 0; a side without a line is blank.
    Lines {
        /// Line of side A.
        a: Option<u32>,
        /// Line of side B.
        b: Option<u32>,
        /// Whether it is unchanged.
        equal: bool,
    },
}

/// The rows of a comparison, without their text: 16 bytes each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Rows from top to bottom.
    pub rows: Vec<Row>,
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
    /// The rows of the whole comparison.
    pub fn layout(&self, fold: Fold) -> Layout {
        let mut rows = Vec::new();
        let mut end = 0;
        for (n, h) in self.hunks.iter().enumerate() {
            self.unchanged(end..h.lines.start, fold, &mut rows);
            rows.push(Row::Hunk(u32::try_from(n).unwrap_or(NONE)));
            let mut at = h.lines.start;
            while at < h.lines.end {
                let e = self.entries[at];
                if !e.is_change() {
                    rows.push(equal(e));
                    at += 1;
                    continue;
                }
                let length = self.entries[at..h.lines.end]
                    .iter()
                    .take_while(|e| e.is_change())
                    .count();
                for (a, b) in pair_block(self, &self.entries[at..at + length]) {
                    rows.push(Row::Lines { a, b, equal: false });
                }
                at += length;
            }
            end = h.lines.end;
        }
        self.unchanged(end..self.entries.len(), fold, &mut rows);
        Layout { rows }
    }

    fn unchanged(&self, range: Range<usize>, fold: Fold, rows: &mut Vec<Row>) {
        match fold {
            _ if range.is_empty() => {}
            Fold::Context => rows.push(Row::Folded(u32::try_from(range.len()).unwrap_or(NONE))),
            Fold::Nothing => rows.extend(self.entries[range].iter().map(|e| equal(*e))),
        }
    }

    /// The text of some rows, with syntax and with what changed inside the lines.
    ///
    /// What is before the window costs a scan without copies; what is after costs nothing.
    pub fn window(&self, layout: &Layout, range: Range<usize>) -> Vec<WindowRow> {
        let mut left = Reader::new(&self.a);
        let mut right = Reader::new(&self.b);
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
        let Row::Lines { a, b, equal } = row else {
            return out;
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
        out.left = cell(a, &self.moved.0, left, &p);
        out.right = cell(b, &self.moved.1, right, &q);
        out
    }
}

fn equal(e: Entry) -> Row {
    Row::Lines {
        a: Some(e.a),
        b: Some(e.b),
        equal: true,
    }
}

/// Follows the syntax of one side from line to line.
struct Reader<'s> {
    side: &'s Prepared<'s>,
    syntax: Highlighter,
    at: usize,
}

impl<'s> Reader<'s> {
    fn new(side: &'s Prepared<'_>) -> Self {
        Self {
            side,
            syntax: Highlighter::new(side.language),
            at: 0,
        }
    }

    fn spans(&mut self, n: usize, base: Mark, marks: &[(usize, usize)]) -> Vec<CellSpan> {
        if n < self.at {
            self.syntax = Highlighter::new(self.side.language);
            self.at = 0;
        }
        for i in self.at..n {
            self.syntax.skip(self.side.line(i));
        }
        self.at = n + 1;
        let text = self.side.line(n);
        let syntax = self.syntax.line(text);
        let (text, cut) = shown(text);
        if cut {
            return vec![CellSpan {
                text,
                syntax: Syntax::Plain,
                mark: base,
            }];
        }
        // Both lists are sorted; a piece ends where either does.
        let mut out: Vec<CellSpan> = Vec::new();
        let mut marks = marks.iter().peekable();
        for s in syntax {
            let mut from = s.from;
            while from < s.to {
                while marks.next_if(|(_, q)| *q <= from).is_some() {}
                let (to, mark) = match marks.peek() {
                    Some((p, _)) if *p > from => (s.to.min(*p), base),
                    Some((_, q)) => (s.to.min(*q), Mark::Emphasised),
                    None => (s.to, base),
                };
                out.push(CellSpan {
                    text: text.get(from..to).unwrap_or("").to_owned(),
                    syntax: s.class,
                    mark,
                });
                from = to;
            }
        }
        out
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
