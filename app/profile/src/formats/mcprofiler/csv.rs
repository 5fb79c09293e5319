//! `*.txt.csv`: `Name,Description,Value`. It has no sections; they are those that a row is known
//! to stand in, and none for a row that is not known.

use std::borrow::Cow;

use smol_str::SmolStr;

use super::rows::Rows;
use super::{input, metrics, txt};
use crate::{Profile, ProfileError};

/// Name of the format.
pub const NAME: &str = "mcProfiler report (txt.csv)";

/// The flavour in the profile.
pub const FLAVOUR: &str = "txt.csv";

const HEADER: &str = "Name,Description,Value";

pub(in crate::formats) fn matches(bytes: &[u8]) -> bool {
    let head = input::head(bytes);
    head.trim_start()
        .strip_prefix(HEADER)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['\r', '\n']))
}

pub(in crate::formats) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut notices = Vec::new();
    let text = input::text(bytes, &mut notices);
    let mut rows = Rows::new(FLAVOUR, notices);
    let body = text.trim_start();
    let mut rest = body.strip_prefix(HEADER).unwrap_or(body);
    let mut last_is_open = false;
    while !rest.is_empty() {
        let (fields, after) = record(rest);
        rest = after;
        match fields {
            None => rows
                .notices
                .push("The last row is cut off within quotation marks and was not read.".into()),
            Some(Record { fields, closed }) => match fields.as_slice() {
                [blank] if blank.trim().is_empty() => {}
                [name, _, value] => {
                    last_is_open = !closed;
                    rows.section = SmolStr::new_static(metrics::section(name).unwrap_or_default());
                    txt::printed(&mut rows, name, value);
                }
                _ => {
                    last_is_open = false;
                    rows.unread += 1;
                }
            },
        }
    }
    if last_is_open {
        rows.mark_if_cut();
    }
    let unplaced = rows
        .counters
        .iter()
        .filter(|c| c.section().is_empty())
        .count();
    if unplaced > 0 {
        rows.notices.push(format!(
            "{unplaced} counters have no section: this flavour does not say it, and their names are not known."
        ));
    }
    rows.finish(NAME)
}

struct Record<'a> {
    fields: Vec<Cow<'a, str>>,
    /// Whether it is certain that nothing is missing from the last field.
    closed: bool,
}

/// The next record and what follows it; none where the content ends within quotation marks.
fn record(text: &str) -> (Option<Record<'_>>, &str) {
    let mut fields = Vec::with_capacity(3);
    let mut rest = text;
    loop {
        let quoted = rest.starts_with('"');
        let (field, after) = if quoted {
            match quoted_field(&rest[1..]) {
                Some(found) => found,
                None => return (None, ""),
            }
        } else {
            let end = end_of_field(rest);
            (Cow::Borrowed(&rest[..end]), &rest[end..])
        };
        fields.push(field);
        if let Some(next) = after.strip_prefix(',') {
            rest = next;
            continue;
        }
        let closed = quoted || !after.is_empty();
        let next = after
            .strip_prefix("\r\n")
            .or_else(|| after.strip_prefix(['\n', '\r']))
            .unwrap_or(after);
        return (Some(Record { fields, closed }), next);
    }
}

/// Where a field without quotation marks ends.
fn end_of_field(text: &str) -> usize {
    let ends = |b| matches!(b, b',' | b'\n' | b'\r');
    text.bytes().position(ends).unwrap_or(text.len())
}

/// A field behind its opening quotation mark, and what follows its end.
fn quoted_field(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut from = 0;
    loop {
        let end = from + text[from..].find('"')?;
        let after = &text[end + 1..];
        if after.starts_with('"') {
            from = end + 2;
            continue;
        }
        // Behind the closing mark nothing may follow but the end of the field.
        let stray = end_of_field(after);
        let mut field = if text[..end].contains('"') {
            Cow::Owned(text[..end].replace("\"\"", "\""))
        } else {
            Cow::Borrowed(&text[..end])
        };
        if stray > 0 {
            field.to_mut().push_str(&after[..stray]);
        }
        return Some((field, &after[stray..]));
    }
}
