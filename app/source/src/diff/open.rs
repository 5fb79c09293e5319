//! Diffs for a screen: what is said of each file at once, rows when they are looked at.

use std::ops::Range;
use std::time::Instant;

use assay_core::view::{DiffLine, DiffView, FileDiff};

use super::rows::{Cell, CellSpan, Layout, Mark, Row, Shape, WindowRow};
use super::{Comparison, DiffOptions, compared, paired, view};
use crate::SourceFile;
use crate::syntax::Syntax;

/// A diff that makes its rows when they are looked at.
#[derive(Debug)]
pub struct OpenDiff {
    /// All that is said of the diff. Its files have hunks only where the lines were not looked at.
    pub view: DiffView,
    /// The files of the view, in its order.
    pub files: Vec<OpenFile>,
}

/// The lines of one file of a diff.
#[derive(Debug)]
pub struct OpenFile {
    /// The lines beside each other; absent where the file is the same on both sides, no text, or
    /// too large.
    pub comparison: Option<Comparison<'static>>,
}

/// Compares two file sets as [`super::diff`] does, without making lines of them.
pub fn open(
    a: &[SourceFile],
    b: &[SourceFile],
    options: &DiffOptions,
) -> (Vec<FileDiff>, Vec<OpenFile>) {
    let deadline = Instant::now().checked_add(options.timeout);
    (paired(a, b, options).into_iter())
        .map(|(x, y)| {
            let other = [x, y].into_iter().flatten().next();
            let none = SourceFile::new(other.map_or("", |f| f.path.as_str()), "");
            let (mut head, c) = compared(x, y, &none, options, deadline, &mut |_, _| ());
            if let Some(c) = &c {
                view::head(&mut head, c);
            }
            let comparison = c.map(Comparison::into_owned);
            (head, OpenFile { comparison })
        })
        .unzip()
}

impl OpenFile {
    /// The rows of the file; `head` is what the view says of it.
    pub fn layout(&self, head: &FileDiff, shape: &Shape) -> Layout {
        if let Some(c) = &self.comparison {
            return c.arranged(shape);
        }
        // What was compared coarsely is in the view, in one column.
        let mut rows = Vec::new();
        for (n, hunk) in head.hunks.iter().enumerate() {
            rows.push(Row::Hunk(place(n)));
            rows.extend(hunk.iter().filter_map(|l| {
                let line = |n: Option<u32>| n.map(|n| n.saturating_sub(1));
                match (line(l.a), line(l.b)) {
                    (Some(a), Some(b)) => Some(Row::Lines {
                        a: Some(a),
                        b: Some(b),
                        equal: true,
                    }),
                    (Some(line), None) => Some(Row::Line {
                        gone: true,
                        line,
                        partner: None,
                    }),
                    (None, Some(line)) => Some(Row::Line {
                        gone: false,
                        line,
                        partner: None,
                    }),
                    (None, None) => None,
                }
            }));
        }
        Layout {
            rows,
            ..Layout::default()
        }
    }

    /// The text of some rows of a layout.
    pub fn window(&self, head: &FileDiff, layout: &Layout, range: Range<usize>) -> Vec<WindowRow> {
        if let Some(c) = &self.comparison {
            return c.window(layout, range);
        }
        let end = range.end.min(layout.rows.len());
        let rows = layout.rows.get(range.start.min(end)..end).unwrap_or(&[]);
        rows.iter().map(|row| coarse(head, *row)).collect()
    }

    /// Which rows of a layout have a line that `holds` is true of.
    pub fn rows_where(
        &self,
        head: &FileDiff,
        layout: &Layout,
        holds: &dyn Fn(&str) -> bool,
    ) -> Vec<usize> {
        let Some(c) = &self.comparison else {
            return coarse_where(head, layout, holds);
        };
        let line = |side: &super::side::Prepared<'_>, n: u32| holds(side.line(n as usize));
        let held = |row: &Row| match *row {
            Row::Lines { a, b, equal } => {
                // Of a line that both have, side B is the one that is seen in one column.
                let left = a.filter(|_| !equal || b.is_none());
                b.is_some_and(|n| line(&c.b, n)) || left.is_some_and(|n| line(&c.a, n))
            }
            Row::Line { gone, line: n, .. } => line(if gone { &c.a } else { &c.b }, n),
            Row::Folded { .. } | Row::Hunk(_) | Row::Kernel(_) => false,
        };
        let rows = layout.rows.iter().enumerate();
        rows.filter_map(|(i, row)| held(row).then_some(i)).collect()
    }

    /// Where a hunk begins on both sides and how many lines of each are in it: first line of A from
    /// 1, lines of A, first line of B, lines of B. A side without a line begins at 0.
    pub fn place(&self, head: &FileDiff, hunk: usize) -> [u32; 4] {
        if let Some(c) = &self.comparison {
            return c.place(hunk);
        }
        let lines = head.hunks.get(hunk).map_or(&[][..], Vec::as_slice);
        let side = |of: fn(&DiffLine) -> Option<u32>| {
            let first = lines.iter().find_map(of).unwrap_or(0);
            [first, place(lines.iter().filter_map(of).count())]
        };
        let (a, b) = (side(|l| l.a), side(|l| l.b));
        [a[0], a[1], b[0], b[1]]
    }
}

fn place(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// [`OpenFile::rows_where`] of a file whose lines are in the view: they come in the order of the rows.
fn coarse_where(head: &FileDiff, layout: &Layout, holds: &dyn Fn(&str) -> bool) -> Vec<usize> {
    let text = |l: &DiffLine| l.pieces.iter().map(|p| p.text.as_str()).collect::<String>();
    let mut lines = head
        .hunks
        .iter()
        .flatten()
        .filter(|l| l.a.is_some() || l.b.is_some());
    let rows = layout.rows.iter().enumerate();
    let rows = rows.filter(|(_, r)| matches!(r, Row::Lines { .. } | Row::Line { .. }));
    rows.filter_map(|(i, _)| holds(&text(lines.next()?)).then_some(i))
        .collect()
}

/// A row of a file whose lines are in the view.
fn coarse(head: &FileDiff, row: Row) -> WindowRow {
    let (number, gone, mark) = match row {
        Row::Lines { b: Some(n), .. } => (n, false, Mark::Same),
        Row::Line { gone, line, .. } => (line, gone, Mark::Changed),
        _ => {
            return WindowRow {
                row,
                left: None,
                right: None,
            };
        }
    };
    let number = number.saturating_add(1);
    let is = |l: &&DiffLine| match gone {
        true => l.a == Some(number) && l.b.is_none(),
        false => l.b == Some(number),
    };
    let cell = head.hunks.iter().flatten().find(is).map(|l| Cell {
        number,
        spans: (l.pieces.iter())
            .map(|p| CellSpan {
                text: p.text.clone(),
                syntax: Syntax::Plain,
                mark,
            })
            .collect(),
        moved: None,
    });
    let left = match row {
        Row::Lines { a: Some(a), .. } => cell.clone().map(|c| Cell {
            number: a.saturating_add(1),
            ..c
        }),
        _ if gone => cell.clone(),
        _ => None,
    };
    WindowRow {
        row,
        left,
        right: cell.filter(|_| !gone),
    }
}
