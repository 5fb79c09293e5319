//! A TOML text with places, and the collection of what is wrong with it.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{ConfigError, Problem};
use crate::expr::ExprError;
pub(super) use crate::expr::one_of;
use crate::text::nearest;

/// Longest file that is read, in bytes.
const MAX_FILE: usize = 1 << 18;

/// Most entries of one table or array.
const MAX_ENTRIES: usize = 1000;

/// Most problems that are listed.
const MAX_PROBLEMS: usize = 50;

/// A value with its place.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// What is wrong with one value, before its place in the file is known.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) found: String,
    pub(super) expected: String,
    pub(super) hint: Option<String>,
    /// Where inside the text of the value, in bytes; the value as a whole when absent.
    pub(super) offset: Option<usize>,
    /// Which element of an array.
    pub(super) element: Option<usize>,
}

impl Fault {
    pub(super) fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            found: found.into(),
            expected: expected.into(),
            hint: None,
            offset: None,
            element: None,
        }
    }

    pub(super) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl From<ExprError> for Fault {
    fn from(e: ExprError) -> Self {
        Self {
            offset: Some(e.span.start),
            ..Self::new(e.found, e.expected).hint(e.hint)
        }
    }
}

/// A file under examination.
pub(super) struct Doc<'a> {
    text: &'a str,
    file: &'a str,
    problems: Vec<(usize, String, Fault)>,
    /// What was noted already: a value that stands for several targets is examined for each, and
    /// told about once.
    noted: BTreeSet<(usize, String)>,
}

impl<'a> Doc<'a> {
    pub(super) fn new(text: &'a str, file: &'a str) -> Self {
        Self {
            text,
            file,
            problems: Vec::new(),
            noted: BTreeSet::new(),
        }
    }

    /// Reads the TOML; syntax errors become problems.
    pub(super) fn read(&mut self) -> DeTable<'a> {
        if self.text.len() > MAX_FILE {
            let found = format!("{} bytes", self.text.len());
            self.problem(
                0,
                "",
                Fault::new(found, format!("a file of at most {MAX_FILE} bytes")),
            );
            return DeTable::default();
        }
        let (root, errors) = DeTable::parse_recoverable(self.text);
        for e in errors {
            let span = e.span().unwrap_or(0..0);
            let mut message = e.message().lines().collect::<Vec<_>>().join("; ");
            let near = self.text.get(span.clone()).unwrap_or("");
            if !near.is_empty() && near.len() <= 40 && !near.contains('\n') {
                message = format!("{message}: `{near}`");
            }
            self.problem(span.start, "", Fault::new(message, "valid TOML"));
        }
        let root = root.into_inner();
        self.bounded(&root, 0);
        root
    }

    /// Notes tables and arrays that are too large for checks that look at pairs of entries.
    fn bounded(&mut self, table: &DeTable<'_>, at: usize) {
        self.bounded_length(table.len(), at);
        for (key, value) in table.iter() {
            self.bounded_value(value, key.span().start);
        }
    }

    fn bounded_value(&mut self, value: &Value<'_>, at: usize) {
        match value.get_ref() {
            DeValue::Table(t) => self.bounded(t, at),
            DeValue::Array(a) => {
                self.bounded_length(a.len(), at);
                a.iter().for_each(|v| self.bounded_value(v, v.span().start));
            }
            _ => {}
        }
    }

    fn bounded_length(&mut self, length: usize, at: usize) {
        if length > MAX_ENTRIES {
            let expected = format!("at most {MAX_ENTRIES} entries");
            self.problem(at, "", Fault::new(format!("{length} entries"), expected));
        }
    }

    /// Line and column, from 1; the column counts characters.
    pub(super) fn place(&self, offset: usize) -> (usize, usize) {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// Notes a problem at a byte of the file.
    pub(super) fn problem(&mut self, at: usize, context: impl Into<String>, fault: Fault) {
        let context = context.into();
        if self
            .noted
            .insert((at, format!("{context} {} {}", fault.found, fault.expected)))
        {
            self.problems.push((at, context, fault));
        }
    }

    /// Notes a problem with a value, as near to its cause as can be told.
    pub(super) fn fault(&mut self, value: &Value<'_>, context: impl Into<String>, fault: Fault) {
        let element = fault
            .element
            .and_then(|i| value.get_ref().as_array()?.get(i).cloned());
        let value = element.as_ref().unwrap_or(value);
        let at = match fault.offset {
            Some(offset) => self.inside(value, offset),
            None => value.span().start,
        };
        self.problem(at, context, fault);
    }

    /// The byte of the file that holds byte `offset` of a text value. Where escapes keep the two
    /// from running in step, the start of the value.
    fn inside(&self, value: &Value<'_>, offset: usize) -> usize {
        let Range { start, end } = value.span();
        let raw = self.text.get(start..end).unwrap_or("");
        let content = value.get_ref().as_str().unwrap_or("");
        for quotes in ["\"\"\"\n", "'''\n", "\"\"\"", "'''", "\"", "'"] {
            let inner = raw
                .strip_prefix(quotes)
                .and_then(|r| r.strip_suffix(quotes.trim_end()));
            if inner == Some(content) {
                return start + quotes.len() + offset;
            }
        }
        start
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// The error, in the order of the file.
    pub(super) fn into_error(mut self) -> ConfigError {
        self.problems.sort_by_key(|(at, ..)| *at);
        let more = self.problems.len().saturating_sub(MAX_PROBLEMS);
        self.problems.truncate(MAX_PROBLEMS);
        let problems = std::mem::take(&mut self.problems).into_iter();
        let problems = problems.map(|(at, context, fault)| {
            let (line, column) = self.place(at);
            let Fault {
                found,
                expected,
                hint,
                ..
            } = fault;
            Problem {
                line,
                column,
                context,
                found,
                expected,
                hint,
            }
        });
        ConfigError {
            file: self.file.to_owned(),
            problems: problems.collect(),
            more,
        }
    }
}

/// The entries of a table in the order of the file.
pub(super) fn entries<'t, 'a>(
    table: &'t DeTable<'a>,
) -> Vec<(&'t Spanned<std::borrow::Cow<'a, str>>, &'t Value<'a>)> {
    let mut all: Vec<_> = table.iter().collect();
    all.sort_by_key(|(k, _)| k.span().start);
    all
}

/// The place of a key in its table, for a problem that concerns a whole entry.
pub(super) fn key_place(table: &DeTable<'_>, key: &str) -> Option<usize> {
    table.get_key_value(key).map(|(k, _)| k.span().start)
}

/// A hint at the candidate that may have been meant.
pub(super) fn suggestion(word: &str, candidates: &[&str]) -> Option<String> {
    // What is longer is no typing error, and comparing it would take long.
    if word.len() > 100 {
        return None;
    }
    let near = nearest(word, candidates.iter().copied())?;
    Some(format!("did you mean `{near}`?"))
}

/// What a value is, for people.
pub(super) fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(s) => format!("\"{}\"", short(s)),
        DeValue::Integer(i) => format!("the number {i}"),
        DeValue::Float(f) => format!("the number {f}"),
        DeValue::Boolean(b) => format!("{b}"),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "an array".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// At most 60 characters of a text.
pub(super) fn short(text: &str) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// A number; `None` for what is not one, or is an integer that an `f64` does not hold.
pub(super) fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(i) => {
            let n = i64::from_str_radix(&i.as_str().replace('_', ""), i.radix()).ok()?;
            (n.unsigned_abs() <= 1 << 53).then_some(n as f64)
        }
        DeValue::Float(f) => f
            .as_str()
            .replace('_', "")
            .parse()
            .ok()
            .filter(|v: &f64| v.is_finite()),
        _ => None,
    }
}
