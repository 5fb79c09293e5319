//! A report as a small tree: chapters write it, and each format shows it in its own way.
//!
//! A chapter never escapes anything. It says which text is the report's own words and which came
//! from outside, and the formats make the latter inert.

pub(crate) mod html;
pub(crate) mod markdown;

use std::borrow::Cow;

use assay_core::view::FileDiff;

use crate::plot::Svg;
use crate::strings::Lang;

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words and figures of the report itself.
    Own(Cow<'static, str>),
    /// Text that people or programs wrote.
    Outside(String),
    /// Code that stands in a line.
    Code(String),
    /// What stands out.
    Strong(Line),
    /// A new line in a paragraph or an item; in a heading or a cell a space.
    Break,
}

/// Text on one line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line(pub(crate) Vec<Piece>);

/// A part of the document.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// A heading of level 1 to 4.
    Heading(u8, Line),
    /// A paragraph.
    Paragraph(Line),
    /// A list.
    List(Vec<Line>),
    /// A table; `right` says which columns hold numbers.
    Table {
        /// Names of the columns.
        head: Vec<Line>,
        /// Columns that are set to the right.
        right: Vec<usize>,
        /// Cells.
        rows: Vec<Vec<Line>>,
    },
    /// Text as it is, in a language.
    Code(&'static str, String),
    /// A source diff: as text, and line by line where that is known.
    Diff(String, Vec<FileDiff>),
    /// A picture; formats without pictures leave it out, since tables hold its figures.
    Plot(Box<Svg>),
}

/// The whole document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doc {
    pub(crate) blocks: Vec<Block>,
    /// Language of the words in pictures.
    pub(crate) lang: Lang,
    /// Whether the format shows pictures; without them none is made.
    pub(crate) plots: bool,
}

impl Line {
    /// The report's own words or figures.
    pub(crate) fn own(words: impl Into<Cow<'static, str>>) -> Self {
        Self(vec![Piece::Own(words.into())])
    }

    /// A count.
    pub(crate) fn count(n: impl ToString) -> Self {
        Self::own(n.to_string())
    }

    /// Text from outside.
    pub(crate) fn outside(text: impl Into<String>) -> Self {
        Self(vec![Piece::Outside(text.into())])
    }

    /// Text from outside that may have several lines.
    pub(crate) fn lines(text: &str) -> Self {
        let mut out = Self::default();
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
            if !out.0.is_empty() {
                out.0.push(Piece::Break);
            }
            out.0.push(Piece::Outside(line.to_owned()));
        }
        out
    }

    /// The same, standing out.
    pub(crate) fn strong(self) -> Self {
        Self(vec![Piece::Strong(self)])
    }

    /// This line and another one.
    pub(crate) fn and(mut self, more: impl Into<Self>) -> Self {
        self.0.extend(more.into().0);
        self
    }

    /// Lines with something between them; `n/a` when there are none.
    pub(crate) fn join(lines: impl IntoIterator<Item = Self>, between: &'static str) -> Self {
        let mut out = Self::default();
        for line in lines {
            if !out.0.is_empty() {
                out.0.push(Piece::Own(between.into()));
            }
            out.0.extend(line.0);
        }
        if out.0.is_empty() {
            Self::own(crate::figure::NONE)
        } else {
            out
        }
    }

    /// The text alone, without any mark and as it came.
    pub(crate) fn plain(&self) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Own(t) => out.push_str(t),
                Piece::Outside(t) | Piece::Code(t) => out.push_str(t),
                Piece::Break => out.push(' '),
                Piece::Strong(line) => out.push_str(&line.plain()),
            }
        }
        out
    }
}

/// Only what is written in the program converts by itself.
impl From<&'static str> for Line {
    fn from(words: &'static str) -> Self {
        Self::own(words)
    }
}

impl Doc {
    pub(crate) fn heading(&mut self, level: u8, text: impl Into<Line>) {
        self.blocks.push(Block::Heading(level, text.into()));
    }

    pub(crate) fn paragraph(&mut self, text: impl Into<Line>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    pub(crate) fn list(&mut self, items: Vec<Line>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    pub(crate) fn table(
        &mut self,
        head: impl IntoIterator<Item = impl Into<Line>>,
        right: &[usize],
        rows: Vec<Vec<Line>>,
    ) {
        self.blocks.push(Block::Table {
            head: head.into_iter().map(Into::into).collect(),
            right: right.to_vec(),
            rows,
        });
    }

    pub(crate) fn code(&mut self, language: &'static str, text: String) {
        self.blocks.push(Block::Code(language, text));
    }

    pub(crate) fn diff(&mut self, text: String, files: Vec<FileDiff>) {
        self.blocks.push(Block::Diff(text, files));
    }

    /// Adds a picture where the format has pictures.
    pub(crate) fn plot(&mut self, draw: impl FnOnce(Lang) -> Option<Svg>) {
        if self.plots
            && let Some(svg) = draw(self.lang)
        {
            self.blocks.push(Block::Plot(Box::new(svg)));
        }
    }
}
