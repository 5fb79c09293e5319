//! `*.txt`: `Sub-module: section`, then `Name:`, `Description:` and `Value:` between lines of dashes.

use super::input;
use super::json;
use super::rows::Rows;
use crate::{Profile, ProfileError};

/// Name of the format.
pub const NAME: &str = "mcProfiler report (txt)";

/// The flavour in the profile.
pub const FLAVOUR: &str = "txt";

const SECTION: &str = "Sub-module:";

pub(in crate::formats) fn matches(bytes: &[u8]) -> bool {
    let head = input::head(bytes);
    let mut before = "";
    head.lines().any(|line| {
        let found = line.starts_with(SECTION) && is_rule(before, b'#');
        before = line;
        found
    })
}

/// A line of one repeated character that separates rows (`-`) or sections (`#`).
fn is_rule(line: &str, mark: u8) -> bool {
    let line = line.trim_end();
    line.len() >= 10 && line.bytes().all(|b| b == mark)
}

pub(in crate::formats) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut notices = Vec::new();
    let text = input::text(bytes, &mut notices);
    let mut reader = Reader {
        text: &text,
        rows: Rows::new(FLAVOUR, notices),
        name: None,
        value: None,
        lines_unread: 0,
    };
    reader.read();
    let unread = reader.lines_unread;
    if unread > 0 {
        let notice = format!("{unread} lines belong to no row and were skipped.");
        reader.rows.notices.push(notice);
    }
    let last = reader.rows.counters.iter().next_back();
    if !text.ends_with(['\n', '\r']) && last.is_some_and(|c| text.ends_with(c.raw())) {
        reader.rows.mark_if_cut();
    }
    reader.rows.finish(NAME)
}

struct Reader<'a> {
    text: &'a str,
    rows: Rows,
    name: Option<&'a str>,
    /// Where the value begins and ends so far.
    value: Option<(usize, usize)>,
    lines_unread: u64,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let end = at + line.len();
            self.line(line.trim_end_matches(['\n', '\r']), at, end);
            at = end;
        }
        self.row();
    }

    fn line(&mut self, line: &'a str, start: usize, end: usize) {
        if is_rule(line, b'-') || is_rule(line, b'#') {
            self.row();
            return;
        }
        if let Some((_, value_end)) = &mut self.value {
            *value_end = end;
            return;
        }
        if let Some(section) = line.strip_prefix(SECTION) {
            self.row();
            self.rows.section = section.trim().into();
        } else if let Some(name) = line.strip_prefix("Name:") {
            self.row();
            self.name = Some(name.trim());
        } else if self.name.is_none() {
            self.lines_unread += u64::from(!line.trim().is_empty());
        } else if line.starts_with("Value:") {
            self.value = Some((start + "Value:".len(), end));
        }
        // Between name and value stands the description, of as many lines as it has.
    }

    fn row(&mut self) {
        let value = self.value.take();
        let Some(name) = self.name.take() else {
            return;
        };
        match value {
            Some((from, to)) => printed(&mut self.rows, name, &self.text[from..to]),
            None => self.rows.problem(name, "", "no value stands there".into()),
        }
    }
}

/// A value of the txt and CSV flavours, in which charts are JSON.
pub(super) fn printed(rows: &mut Rows, name: &str, value: &str) {
    let value = value.trim();
    if !value.starts_with('{') {
        rows.text(name, value);
        return;
    }
    match json::read(value) {
        (Some(chart), None) => rows.printed(name, &chart),
        (_, problem) => {
            let why = format!("the chart cannot be read: {}", problem.unwrap_or_default());
            rows.problem(name, "{...}", why);
        }
    }
}
