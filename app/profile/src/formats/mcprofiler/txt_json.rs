//! `*.txt.json`: sections of rows with name, description and the value as it is shown.

use super::json::{Node, member};
use super::{input, metrics, rows};
use crate::{Profile, ProfileError};

/// Name of the format.
pub const NAME: &str = "mcProfiler report (txt.json)";

/// The flavour in the profile.
pub const FLAVOUR: &str = "txt.json";

pub(in crate::formats) fn matches(bytes: &[u8]) -> bool {
    input::any_head(bytes, |document| {
        rows::first_row(document).map(|(section, row)| {
            let has = |key| member(&row, key).is_some();
            has("name")
                && has("value")
                && !has("isError")
                && (has("description") || metrics::is_section(&section))
        })
    })
}

pub(in crate::formats) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut notices = Vec::new();
    let text = input::text(bytes, &mut notices);
    let mut rows = rows::Rows::new(FLAVOUR, notices);
    rows::each_row(&text, &mut rows, |rows, name, row| {
        if let Some(key) = rows::repeated_key(row) {
            let why = format!("`{}` stands twice in the row", input::shown(key));
            rows.problem(name, "", why);
            return;
        }
        match member(row, "value") {
            Some(value) => rows.printed(name, value),
            None => rows.bare(name, &Node::Null),
        }
    });
    rows.finish(NAME)
}
