//! Files that are one table: a header line and rows with as many fields.

use std::borrow::Cow;

use crate::rows::{Row, line};

/// A field as text that owns nothing where it can.
pub(crate) type Field<'a> = Cow<'a, str>;

/// A table, read row by row.
pub(crate) struct Table<'a> {
    text: &'a str,
    at: usize,
    separator: u8,
    /// Names of the columns.
    pub names: Vec<Field<'a>>,
    /// Rows that do not have the fields of the header.
    pub unread: u64,
}

impl<'a> Table<'a> {
    /// The table whose header is the first line that is not empty.
    pub fn new(text: &'a str, separator: u8) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut at = 0;
        while at < text.len() && line(text, at).trim().is_empty() {
            at = crate::rows::line_end(text, at);
        }
        let mut header = Row::new(text, at, separator);
        let mut names = Vec::new();
        let fine = header.collect(&mut names) && names.len() > 1;
        fine.then(|| Self {
            text,
            at: header.next_line(),
            separator,
            names,
            unread: 0,
        })
    }

    /// The place of a column; capitals do not matter, they changed between versions of tools.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names
            .iter()
            .position(|n| n.trim().eq_ignore_ascii_case(name))
    }

    /// The next row that fits the header; false at the end.
    pub fn row(&mut self, fields: &mut Vec<Field<'a>>) -> bool {
        while self.at < self.text.len() {
            let mut row = Row::new(self.text, self.at, self.separator);
            let fine = row.collect(fields);
            self.at = row.next_line();
            let cut = self.at >= self.text.len() && !row.quoted && !self.text.ends_with('\n');
            if fine && fields.len() == self.names.len() && !cut {
                return true;
            }
            // Of a last row without line end nobody knows whether its last figure is whole.
            if fields.len() > 1 || !fields.iter().all(|f| f.trim().is_empty()) {
                self.unread += 1;
            }
        }
        fields.clear();
        false
    }

    /// A notice about rows that were not read, if there are any.
    pub fn notice(&self) -> Option<String> {
        (self.unread > 0).then(|| {
            format!(
                "{} rows do not fit the header or are cut, and were not read.",
                self.unread
            )
        })
    }
}
