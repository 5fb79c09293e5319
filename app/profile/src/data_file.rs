//! What the readers of data files share: where in the file a fault is.

use serde::de::DeserializeOwned;

/// A fault in a data file: the line, from 1, and what is wrong.
pub(crate) type Fault = (usize, String);

/// The line of a byte, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    before.iter().filter(|b| **b == b'\n').count() + 1
}

/// Reads TOML; a fault is one line of text.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    toml::from_str(text).map_err(|e: toml::de::Error| {
        let line = e.span().map_or(1, |s| line_of(text, s.start));
        (line, e.message().replace('\n', ", "))
    })
}

/// Appends what may have been meant to a fault.
pub(crate) fn with_near<'a>(
    problem: String,
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    match assay_core::text::nearest(word, known) {
        Some(near) => format!("{problem}; did you mean `{near}`?"),
        None => problem,
    }
}
