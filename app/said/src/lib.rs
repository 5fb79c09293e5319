//! What records say in English, in the language of the reader.
//!
//! The sentences of the judge, of gates and of summaries are stored in English as they were made. A
//! Chinese interface and a Chinese report say them by the one table here; a sentence that is not in
//! it stands as it is. What a person wrote is never in it: a text that carries its own translation
//! shows each reader the language that is his.
//!
//! The table is plain text that is matched piece by piece. Nothing is compiled: the first sentence costs
//! some microseconds more than the others, which cost some microseconds each.

mod carried;
mod matching;
mod phrases;

use std::borrow::Cow;
use std::sync::LazyLock;

use matching::Table;

static ALL: LazyLock<Table> = LazyLock::new(|| Table::new(phrases::BEHIND, phrases::ALL));
static FIGURE: LazyLock<Table> = LazyLock::new(|| Table::new(&[], &[phrases::FIGURES]));
static ABOUT: LazyLock<Table> = LazyLock::new(|| Table::new(&[], &[phrases::SUBJECTS]));

/// A text of a record for a reader of English.
pub fn english(text: &str) -> Cow<'_, str> {
    carried::in_english(text)
}

/// A text of a record for a reader of Chinese.
pub fn chinese(text: &str) -> Cow<'_, str> {
    match ALL.say(text) {
        Some(said) => said.text.into(),
        None => carried::in_chinese(text),
    }
}

/// What a finding or a note is about, for a reader of Chinese.
pub fn chinese_subject(subject: &str) -> Cow<'_, str> {
    match ABOUT.say(subject) {
        Some(said) => said.text.into(),
        None => subject.into(),
    }
}

/// What a figure of an audit is, for a reader of Chinese.
pub fn chinese_figure(figure: &str) -> Cow<'_, str> {
    match FIGURE.say(figure) {
        Some(said) => said.text.into(),
        None => figure.into(),
    }
}

/// The parts of a sentence of the program that the table does not have; none where all of it is
/// said in Chinese. For the tests of whatever makes sentences.
pub fn unsaid(text: &str) -> Vec<String> {
    match ALL.say(text) {
        Some(said) => said.unsaid,
        None => vec![text.to_owned()],
    }
}

/// The English of every sentence in the table, with its places in braces.
pub fn sentences() -> impl Iterator<Item = &'static str> {
    let others = [&phrases::BEHIND, &phrases::SUBJECTS, &phrases::FIGURES];
    let all = phrases::ALL.iter().chain(others);
    all.flat_map(|table| table.iter().map(|p| p.0))
}
