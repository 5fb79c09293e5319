//! Longer texts that scroll: the detail of a variant, a comparison, the help.
//!
//! A document is built when its data or its width changes, not for every frame.

pub mod cell;
pub mod chain;
pub mod compare;
pub mod detail;
pub mod help;
pub mod markdown;
pub mod page;
pub mod parts;
pub mod profile;
pub mod record;
pub mod roofline;
pub mod source;
pub mod write_up;

use ratatui::text::Line;

use crate::cut;
use crate::state::find::{ABOVE, Find, Searched, wrapped_hits};

/// Lines and how far they are scrolled.
#[derive(Debug, Clone, Default)]
pub struct Doc {
    /// The lines, each at most as wide as the document was built for.
    pub lines: Vec<Line<'static>>,
    /// First line in view.
    pub scroll: usize,
    /// What is looked for in it.
    pub find: Find,
    /// The row at which each line begins that the document was made of: long ones take several.
    starts: Vec<usize>,
    /// How often the lines were made.
    built: u64,
    /// What the lines were built from.
    key: Option<(String, u64, u16)>,
}

impl Doc {
    /// Scrolls by `by` lines.
    pub fn step(&mut self, by: isize) {
        self.scroll = self.scroll.saturating_add_signed(by);
    }

    /// Keeps the scroll inside the document.
    pub fn settle(&mut self, height: usize) {
        self.scroll = self
            .scroll
            .min(self.lines.len().saturating_sub(height.max(1)));
    }

    /// Builds the lines unless they are of this subject, generation and width already. A line that is
    /// too long is wrapped. Another subject starts at the top.
    pub fn build(
        &mut self,
        subject: &str,
        generation: u64,
        width: u16,
        lines: impl FnOnce() -> Vec<Line<'static>>,
    ) {
        let same = self.key.as_ref().is_some_and(|(s, ..)| s == subject);
        if same
            && self
                .key
                .as_ref()
                .is_some_and(|k| (k.1, k.2) == (generation, width))
        {
            return;
        }
        if !same {
            self.scroll = 0;
        }
        self.lines.clear();
        self.starts.clear();
        for line in lines() {
            self.starts.push(self.lines.len());
            self.lines.extend(cut::wrapped(line, usize::from(width)));
        }
        self.built += 1;
        self.key = Some((subject.to_owned(), generation, width));
    }
}

impl Doc {
    /// The row at which a line begins, by its place among those that the document was made of.
    pub fn row_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.lines.len())
    }
}

impl Searched for Doc {
    fn find(&self) -> &Find {
        &self.find
    }

    fn find_mut(&mut self) -> &mut Find {
        &mut self.find
    }

    fn hits(&self, query: &str) -> Vec<usize> {
        wrapped_hits(self.lines.iter().map(ToString::to_string), query)
    }

    fn stamp(&self) -> u64 {
        self.built
    }

    fn place(&self) -> usize {
        self.scroll
    }

    fn go_back(&mut self, place: usize) {
        self.scroll = place;
    }

    fn show(&mut self, row: usize) {
        self.scroll = row.saturating_sub(ABOVE);
    }
}
