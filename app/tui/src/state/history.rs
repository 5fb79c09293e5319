//! The History screen: the records, and what each says in the language of the interface.

use assay_core::view::{LogRow, LogView};

use super::curve::Point;
use super::find::{Find, Searched, plain_hits};
use super::{Cursor, Slot};
use crate::options::Lang;
use crate::strings::kind_word;

/// The records of the ledger as they are read and shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Log {
    /// Records, newest first.
    pub records: Vec<LogRow>,
    /// What a record says, where it is not said in the words of the ledger.
    said: Vec<Option<String>>,
    /// The language of the reader.
    lang: Lang,
}

impl Log {
    /// The records for a reader of a language. A long ledger takes a while: not for the thread that
    /// draws.
    pub fn new(view: LogView, lang: Lang) -> Self {
        let said = |r: &LogRow| {
            let said = lang.said(&r.summary);
            (said != r.summary).then(|| said.into_owned())
        };
        Self {
            said: view.records.iter().map(said).collect(),
            records: view.records,
            lang,
        }
    }

    /// What the record at a place says; nothing where there is none.
    pub fn summary(&self, at: usize) -> &str {
        let said = self.said.get(at).and_then(Option::as_deref);
        let own = || self.records.get(at).map_or("", |r| r.summary.as_str());
        said.unwrap_or_else(own)
    }
}

/// The History screen.
#[derive(Debug, Default)]
pub struct History {
    /// The records.
    pub slot: Slot<Log>,
    /// Selected record.
    pub cursor: Cursor,
    /// What is looked for.
    pub find: Find,
    /// The times of the accepted versions.
    pub curve: Vec<Point>,
    /// What they were made from: answer of the list, median shown.
    pub curve_of: Option<(u64, usize)>,
}

impl Searched for History {
    fn find(&self) -> &Find {
        &self.find
    }

    fn find_mut(&mut self) -> &mut Find {
        &mut self.find
    }

    fn hits(&self, query: &str) -> Vec<usize> {
        let text = |(log, at, r): (&Log, usize, &LogRow)| {
            let variant = r.variant.as_deref().unwrap_or_default();
            let kind = kind_word(log.lang, &r.kind);
            format!("{} {kind} {variant} {} {}", r.kind, log.summary(at), r.by)
        };
        let all = self.slot.value.iter().flat_map(|log| {
            let rows = log.records.iter().enumerate();
            rows.map(move |(at, r)| (log, at, r))
        });
        plain_hits(all.map(text), query)
    }

    fn stamp(&self) -> u64 {
        self.slot.generation
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
