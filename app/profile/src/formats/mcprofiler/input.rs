//! What all flavours share: text without marks, recognition by the beginning, and damage.

use std::borrow::Cow;

use super::json::Reader;

/// The content as text, without a byte order mark.
pub(super) fn text<'a>(bytes: &'a [u8], notices: &mut Vec<String>) -> Cow<'a, str> {
    let bytes = without_mark(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => crate::formats::text(bytes, notices),
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// How much of the content is looked at; more where that does not suffice.
const HEADS: [usize; 2] = [2 << 10, 64 << 10];

/// Whether the beginning of a JSON document passes a test, which answers nothing where it has not
/// seen enough.
pub(super) fn any_head(bytes: &[u8], test: impl Fn(&mut Reader<'_>) -> Option<bool>) -> bool {
    let bytes = without_mark(bytes);
    let is_object = bytes
        .iter()
        .find(|b| !b.is_ascii_whitespace())
        .is_some_and(|b| *b == b'{');
    let verdict = |n: &usize| {
        let head = &bytes[..bytes.len().min(*n)];
        // The check of the whole is several times faster than the search for what is wrong.
        let head = match std::str::from_utf8(head) {
            Ok(head) => Cow::Borrowed(head),
            Err(_) => String::from_utf8_lossy(head),
        };
        test(&mut Reader::new(&head))
    };
    is_object && HEADS.iter().find_map(verdict).unwrap_or(false)
}

/// The beginning as text, without a byte order mark.
pub(super) fn head(bytes: &[u8]) -> Cow<'_, str> {
    crate::formats::head(without_mark(bytes))
}

/// Words from a report in a message: inert, and not longer than a line.
pub(super) fn shown(text: &str) -> String {
    let inert = assay_core::text::inert(text);
    assay_core::text::truncate(&inert, 100).into_owned()
}

/// The notice for a document that ended early.
pub(super) fn damage(problem: &str) -> String {
    format!("Cut short or damaged at {problem}. What stands before is read, nothing behind it.")
}

/// Bytes of a name that is put together with others.
const LONGEST_PART: usize = 500;

/// A part of a name that stands before many others: a long one is shortened, so that it is not
/// multiplied.
pub(super) fn part(name: &str) -> Cow<'_, str> {
    if name.len() <= LONGEST_PART {
        return Cow::Borrowed(name);
    }
    let end = name.floor_char_boundary(LONGEST_PART);
    Cow::Owned(format!("{}...", &name[..end]))
}
