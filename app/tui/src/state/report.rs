//! The Report screen: the write-up as a page, what stands against it, chapters, search.

use std::sync::Arc;

use super::Slot;
use super::find::{ABOVE, Find, Searched};
use crate::backend::{ReportChecks, ReportText};
use crate::document::markdown::{Block, parse};
use crate::document::page::{Page, hits};
use crate::options::Lang;
use crate::widget::field::Field;

/// A write-up that was read.
#[derive(Debug, Clone)]
pub struct Written {
    /// What it is made of.
    pub blocks: Arc<Vec<Block>>,
    /// All of it was taken; else it is longer than a page can hold.
    pub whole: bool,
    /// Where it would be written.
    pub folder: String,
}

/// Takes a write-up apart, which is done where it was read and not where it is shown.
pub fn written(text: ReportText) -> Written {
    let (blocks, whole) = parse(&text.markdown);
    Written {
        blocks: Arc::new(blocks),
        whole,
        folder: text.folder,
    }
}

/// What a page was laid out from: answers of text and checks, width, language.
type PageKey = (u64, u64, u16, Lang);

/// State of the screen.
#[derive(Debug, Default)]
pub struct Report {
    /// Language of the write-up, once it was asked for.
    pub lang: Option<Lang>,
    /// The write-up.
    pub slot: Slot<Written>,
    /// The rules and what they came to.
    pub checks: Slot<ReportChecks>,
    /// As laid out.
    pub page: Page,
    /// First row in view.
    pub scroll: usize,
    /// Columns of wide rows out of view.
    pub left: usize,
    /// What is looked for.
    pub find: Find,
    key: Option<PageKey>,
    /// How often the page was laid out.
    laid: u64,
}

impl Report {
    /// Lays the page out anew unless nothing changed.
    pub fn build(&mut self, width: u16, lang: Lang, page: impl FnOnce(&Self) -> Page) {
        let key = (self.slot.generation, self.checks.generation, width, lang);
        if self.key == Some(key) {
            return;
        }
        // The checks stand above the rest and come later: what is read stays where it is.
        let before = self.chapter().map(|c| {
            let c = &self.page.chapters[c];
            (c.title.clone(), self.scroll - c.row)
        });
        self.page = page(self);
        if let (Some((title, below)), true) = (before, self.scroll > 0) {
            let again = self.page.chapters.iter().find(|c| c.title == title);
            self.scroll = again.map_or(self.scroll, |c| c.row + below);
        }
        self.key = Some(key);
        self.laid += 1;
    }

    /// Keeps what is in view inside the page.
    pub fn settle(&mut self, height: usize) {
        let most = self.page.rows.len().saturating_sub(height.max(1));
        // The last chapter reaches the top too, or going to it would not show where it begins.
        let last = self.page.chapters.last().map_or(0, |c| c.row);
        let most = most.max(last);
        self.scroll = self.scroll.min(most);
        self.left = self.left.min(self.page.beyond);
    }

    /// The chapter at the top of the view.
    pub fn chapter(&self) -> Option<usize> {
        let above = |c: &crate::document::page::Chapter| c.row <= self.scroll;
        self.page.chapters.iter().rposition(above)
    }

    /// Goes to a chapter.
    pub fn go_to(&mut self, chapter: usize) {
        if let Some(c) = self.page.chapters.get(chapter) {
            self.scroll = c.row;
        }
    }

    /// Goes to the next chapter or the one before.
    pub fn step_chapter(&mut self, forward: bool) {
        let chapters = &self.page.chapters;
        let to = match forward {
            true => chapters.iter().find(|c| c.row > self.scroll),
            false => chapters.iter().rfind(|c| c.row < self.scroll),
        };
        if let Some(row) = to.map(|c| c.row) {
            self.scroll = row;
        }
    }
}

impl Searched for Report {
    fn find(&self) -> &Find {
        &self.find
    }

    fn find_mut(&mut self) -> &mut Find {
        &mut self.find
    }

    fn hits(&self, query: &str) -> Vec<usize> {
        hits(&self.page, query)
    }

    fn stamp(&self) -> u64 {
        self.laid
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

/// What can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Markdown.
    Markdown,
    /// One page.
    Html,
    /// Figures, one a row.
    Csv,
    /// All that the report is made of.
    Json,
    /// Description of a pull request.
    PullRequest,
    /// The campaign in one file.
    Bundle,
}

impl Form {
    /// All, in the order of the form.
    pub const ALL: [Self; 6] = [
        Self::Markdown,
        Self::Html,
        Self::Csv,
        Self::Json,
        Self::PullRequest,
        Self::Bundle,
    ];

    /// The name that the command line has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::PullRequest => "pr",
            Self::Bundle => "bundle",
        }
    }
}

/// What is to be written where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportOrder {
    /// Forms.
    pub forms: Vec<Form>,
    /// Language of those that have words.
    pub lang: Lang,
    /// Folder.
    pub folder: String,
}

/// The form of an export.
#[derive(Debug)]
pub struct ExportForm {
    /// Language.
    pub lang: Lang,
    /// Folder.
    pub folder: Field,
    /// Which of [`Form::ALL`].
    pub chosen: [bool; 6],
    /// The field that takes the keys: 0 the folder, then the forms.
    pub focus: usize,
    /// What is wrong with that field.
    pub fault: Option<String>,
    /// What is wrong.
    pub problem: Option<String>,
    /// Sent, not answered.
    pub saving: bool,
}

impl ExportForm {
    /// The choice of a form, with Markdown chosen.
    pub fn new(lang: Lang, folder: &str) -> Self {
        Self {
            lang,
            folder: Field::with(folder),
            chosen: [true, false, false, false, false, false],
            focus: 1,
            fault: None,
            problem: None,
            saving: false,
        }
    }

    /// Chooses the form at hand, or no longer.
    pub fn toggle(&mut self) {
        if let Some(c) = self
            .focus
            .checked_sub(1)
            .and_then(|i| self.chosen.get_mut(i))
        {
            *c = !*c;
            (self.fault, self.problem) = (None, None);
        }
    }

    /// The forms chosen.
    pub fn forms(&self) -> Vec<Form> {
        let all = Form::ALL.into_iter().zip(self.chosen);
        all.filter_map(|(f, yes)| yes.then_some(f)).collect()
    }
}
