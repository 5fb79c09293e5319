//! Searching the lines of a diff: those that are listed, for which no text needs to be coloured.

use assay_source::diff::Row as Line;

use super::{Row, Source};
use crate::state::find::{Find, Searched};

impl Source {
    /// Whether lines, kernels or files are folded away.
    pub fn has_folded(&self) -> bool {
        let lines = self.layouts.iter().flat_map(|l| &l.rows);
        let mut lines = lines.filter(|r| matches!(r, Line::Folded { .. }));
        let kernels = self.folds.kernels.values().any(|k| !k.is_empty());
        lines.next().is_some() || kernels || !self.folds.files.is_empty()
    }
}

impl Searched for Source {
    fn find(&self) -> &Find {
        &self.find
    }

    fn find_mut(&mut self) -> &mut Find {
        &mut self.find
    }

    fn hits(&self, query: &str) -> Vec<usize> {
        let Some(diff) = &self.slot.value else {
            return Vec::new();
        };
        let holds = |text: &str| text.to_lowercase().contains(query);
        let files = diff.files.iter().zip(&diff.view.files).zip(&self.layouts);
        let of: Vec<Vec<usize>> = files
            .map(|((lines, head), layout)| lines.rows_where(head, layout, &holds))
            .collect();
        let named = |f: usize| {
            let file = diff.view.files.get(f);
            file.is_some_and(|f| [&f.a, &f.b].into_iter().flatten().any(|n| holds(n)))
        };
        let held = |row: &Row| match *row {
            Row::Head(n) => (self.head.get(n)).is_some_and(|h| holds(&h.line.to_string())),
            Row::Blank => false,
            Row::File(f) => named(f),
            Row::Line(f, r) => of.get(f).is_some_and(|rows| rows.binary_search(&r).is_ok()),
        };
        let rows = self.rows.iter().enumerate();
        rows.filter_map(|(i, row)| held(row).then_some(i)).collect()
    }

    fn stamp(&self) -> u64 {
        self.listed
    }

    fn place(&self) -> usize {
        self.cursor.index
    }

    fn go_back(&mut self, place: usize) {
        self.cursor.index = place;
    }

    fn show(&mut self, row: usize) {
        self.cursor.index = row;
    }
}
