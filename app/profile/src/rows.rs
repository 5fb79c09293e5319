//! Rows of separated values in files that also hold other lines.
//!
//! A general CSV reader does not fit: profilers print the program's own output between the rows,
//! and one stray quote there would swallow the rows after it. Here a row that does not close its
//! quotes is broken by itself and reading goes on at the next line. Fields are borrowed from the
//! text; rows may have any number of them.

use std::borrow::Cow;

use crate::plain::{self, Found};
use crate::scan;

/// A quoted field that goes on over lines is given up after this many bytes.
const MAX_QUOTED: usize = 64 << 10;

/// What comes next in a row.
#[derive(Debug, PartialEq)]
pub(crate) enum Step<'a> {
    /// A field.
    Field(Cow<'a, str>),
    /// The row is over.
    End,
    /// The row is not well formed from here on.
    Broken,
}

/// One row, read field by field.
pub(crate) struct Row<'a> {
    text: &'a str,
    at: usize,
    start: usize,
    separator: u8,
    over: bool,
    /// Whether the field read last was in quotes.
    pub quoted: bool,
}

impl<'a> Row<'a> {
    /// The row that begins at the offset `at`.
    pub fn new(text: &'a str, at: usize, separator: u8) -> Self {
        Self {
            text,
            at,
            start: at,
            separator,
            over: false,
            quoted: false,
        }
    }

    /// The next field.
    #[inline]
    pub fn step(&mut self) -> Step<'a> {
        if self.over {
            return Step::End;
        }
        let bytes = self.text.as_bytes();
        if bytes.get(self.at) == Some(&b'"') {
            self.quoted = true;
            return self.quoted_field();
        }
        self.quoted = false;
        let from = self.at;
        let rest = bytes.get(from..).unwrap_or_default();
        let len = scan::either(rest, self.separator, b'\n').unwrap_or(rest.len());
        self.after(from + len);
        let field = self.text.get(from..from + len).unwrap_or_default();
        Step::Field(Cow::Borrowed(if self.over {
            field.strip_suffix('\r').unwrap_or(field)
        } else {
            field
        }))
    }

    /// The next field, if it is a plain figure in quotes with another field behind it; else
    /// nothing is read. With it, where the figure begins in the text.
    #[inline]
    pub fn figure(&mut self) -> Option<(Found, usize)> {
        let bytes = self.text.as_bytes();
        if self.over || bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        let from = self.at + 1;
        let found = plain::quoted(bytes, from)?;
        if bytes.get(found.end + 1) != Some(&self.separator) {
            return None;
        }
        self.at = found.end + 2;
        Some((found, from))
    }

    /// The text that the row is in.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Where the next field begins, its quote left out.
    pub fn place(&self) -> usize {
        self.at + usize::from(self.text.as_bytes().get(self.at) == Some(&b'"'))
    }

    #[inline]
    fn quoted_field(&mut self) -> Step<'a> {
        let bytes = self.text.as_bytes();
        let from = self.at + 1;
        let mut at = from;
        let mut doubled = false;
        let limit = bytes.len().min(from + MAX_QUOTED);
        while let Some(n) = bytes.get(at..limit).and_then(|b| scan::first(b, b'"')) {
            at += n;
            match bytes.get(at + 1) {
                Some(b'"') => {
                    doubled = true;
                    at += 2;
                }
                Some(b) if *b == self.separator || *b == b'\n' => {
                    return self.close(from, at, doubled);
                }
                None => return self.close(from, at, doubled),
                Some(b'\r') if matches!(bytes.get(at + 2), Some(b'\n') | None) => {
                    return self.close(from, at, doubled);
                }
                Some(_) => break,
            }
        }
        self.over = true;
        self.at = line_end(self.text, self.start);
        Step::Broken
    }

    #[inline]
    fn close(&mut self, from: usize, quote: usize, doubled: bool) -> Step<'a> {
        let mut after = quote + 1;
        if self.text.as_bytes().get(after) == Some(&b'\r') {
            after += 1;
        }
        self.after(after);
        let field = self.text.get(from..quote).unwrap_or_default();
        Step::Field(if doubled {
            Cow::Owned(field.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(field)
        })
    }

    /// Goes past what stands at the offset `at`: a separator, a line end, or the end of the text.
    #[inline]
    fn after(&mut self, at: usize) {
        match self.text.as_bytes().get(at) {
            Some(b) if *b == self.separator => self.at = at + 1,
            Some(_) => {
                self.at = at + 1;
                self.over = true;
            }
            None => {
                self.at = at;
                self.over = true;
            }
        }
    }

    /// Reads all fields that are left; whether the row was well formed.
    pub fn collect(&mut self, fields: &mut Vec<Cow<'a, str>>) -> bool {
        fields.clear();
        loop {
            match self.step() {
                Step::Field(f) => fields.push(f),
                Step::End => return true,
                Step::Broken => return false,
            }
        }
    }

    /// Where the next line begins, once the row is over.
    pub fn next_line(&self) -> usize {
        self.at
    }
}

/// Where the line after the one at `at` begins.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    scan::first(rest, b'\n').map_or(text.len(), |n| at + n + 1)
}

/// The line at `at`, without its end.
pub(crate) fn line(text: &str, at: usize) -> &str {
    text.get(at..line_end(text, at))
        .unwrap_or_default()
        .trim_end_matches(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(bool, Vec<String>)> {
        let (mut at, mut out, mut fields) = (0, Vec::new(), Vec::new());
        while at < text.len() {
            let mut row = Row::new(text, at, b',');
            let fine = row.collect(&mut fields);
            out.push((fine, fields.iter().map(ToString::to_string).collect()));
            at = row.next_line();
        }
        out
    }

    #[test]
    fn quotes_line_ends_and_ragged_rows() {
        let read = rows("a,\"b,\"\"c\"\"\",\r\n\"x\ny\",\"\"\r\n\nlast");
        let expect: [&[&str]; 4] = [&["a", "b,\"c\"", ""], &["x\ny", ""], &[""], &["last"]];
        assert_eq!(read.len(), expect.len());
        for ((fine, got), want) in read.iter().zip(expect) {
            assert!(fine);
            assert_eq!(got, want);
        }
    }

    #[test]
    fn a_stray_quote_breaks_only_its_own_line() {
        let read = rows("\"open,1\n\"0\",\"2\"\nsay \"hi,3\n\"a\"b,4\n\"z\"\n\"end");
        let fine: Vec<bool> = read.iter().map(|r| r.0).collect();
        assert_eq!(fine, [false, true, true, false, true, false]);
        assert_eq!(read[1].1, ["0", "2"]);
        assert_eq!(read[2].1, ["say \"hi", "3"]);
    }

    #[test]
    fn an_endless_quote_is_given_up() {
        let text = format!("\"{}\n1,2\n", "x".repeat(1 << 20));
        let read = rows(&text);
        assert_eq!((read[0].0, read[1].0), (false, true));
    }
}
