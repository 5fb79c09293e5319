//! `*_dumped_result.json`: the same rows with numbers that are not rounded, and an error flag.
//!
//! Units are not in it. The roofline has only what it is computed from.

use super::json::{Members, Node, member};
use super::{input, metrics, rows};
use crate::{Profile, ProfileError};

/// Name of the format.
pub const NAME: &str = "mcProfiler raw report (dumped_result.json)";

/// The flavour in the profile.
pub const FLAVOUR: &str = "dumped_result.json";

pub(in crate::formats) fn matches(bytes: &[u8]) -> bool {
    input::any_head(bytes, |document| {
        rows::first_row(document).map(|(section, row)| {
            let has = |key| member(&row, key).is_some();
            (has("data") || has("processed_data"))
                && !has("value")
                && (has("isError") || (has("name") && metrics::is_section(&section)))
        })
    })
}

pub(in crate::formats) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut notices = Vec::new();
    let text = input::text(bytes, &mut notices);
    let mut rows = rows::Rows::new(FLAVOUR, notices);
    rows::each_row(&text, &mut rows, row);
    rows.finish(NAME)
}

fn row(rows: &mut rows::Rows, name: &str, row: &Members<'_>) {
    let data = member(row, "data");
    let processed = member(row, "processed_data");
    let raw = data.or(processed).map_or("", Node::brief);
    if let Some(key) = rows::repeated_key(row) {
        let why = format!("`{}` stands twice in the row", input::shown(key));
        rows.problem(name, raw, why);
        return;
    }
    let message = match member(row, "message") {
        Some(Node::Text(m)) if !m.is_empty() => Some(input::shown(m)),
        _ => None,
    };
    let is_error = match member(row, "isError") {
        None | Some(Node::Word("false")) => false,
        Some(Node::Word("true")) => true,
        Some(other) => {
            let why = format!(
                "isError is `{}`, neither true nor false",
                input::shown(other.brief())
            );
            rows.problem(name, raw, why);
            return;
        }
    };
    if is_error {
        let why = match message {
            Some(m) => format!("mcProfiler marks it as an error: {m}"),
            None => "mcProfiler marks it as an error".into(),
        };
        rows.problem(name, raw, why);
        return;
    }
    let first = rows.counters.len();
    let named = |key| (name == rows::ROOFLINE).then(|| format!("{name}.{key}"));
    if let Some(data) = data {
        rows.bare(named("data").as_deref().unwrap_or(name), data);
    }
    if let Some(processed) = processed {
        rows.bare(&format!("{name}.processed_data"), processed);
    }
    if data.is_none() && processed.is_none() {
        rows.bare(name, &Node::Null);
    }
    if let Some(m) = message {
        for at in first..rows.counters.len() {
            rows.counters.doubt(at, format!("mcProfiler says: {m}"));
        }
    }
}
