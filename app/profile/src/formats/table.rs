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
    row_at: usize,
    /// Rows begun so far, the header among them.
    rows: usize,
    /// Rows that do not have the fields of the header.
    unread: Places,
}

/// Where rows begin that were not read.
#[derive(Debug, Default)]
pub(crate) struct Places {
    count: usize,
    /// The first of them, in ascending order.
    first: Vec<usize>,
    /// What is wrong with each of these.
    misfits: Vec<Misfit>,
}

/// A row that does not fit the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Its place, e.g. `row 4, column `latency``; rows are counted as a spreadsheet does.
    pub place: String,
    pub what: &'static str,
}

impl Places {
    /// Most that are told one by one.
    const SHOWN: usize = 6;

    pub fn push(&mut self, at: usize) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push(at);
        }
    }
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
            row_at: 0,
            rows: 1,
            unread: Places::default(),
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
            self.row_at = self.at;
            self.rows += 1;
            self.at = row.next_line();
            let cut = self.at >= self.text.len() && !row.quoted && !self.text.ends_with('\n');
            if fine && fields.len() == self.names.len() && !cut {
                return true;
            }
            // Of a last row without line end nobody knows whether its last figure is whole.
            if fields.len() > 1 || !fields.iter().all(|f| f.trim().is_empty()) {
                self.unread.push(self.row_at);
                if self.unread.misfits.len() < Places::SHOWN {
                    let misfit = self.misfit(fine, fields.len());
                    self.unread.misfits.push(misfit);
                }
            }
        }
        fields.clear();
        false
    }

    /// Number of the row that was read last, as a spreadsheet counts: the header is row 1.
    pub fn row_number(&self) -> usize {
        self.rows
    }

    fn misfit(&self, fine: bool, cells: usize) -> Misfit {
        let (column, what) = match self.names.get(cells) {
            _ if !fine => (None, "quotes that do not close, or text behind them"),
            Some(name) => (Some(name.trim().to_owned()), "the cell is missing"),
            None if cells > self.names.len() => (
                Some((self.names.len() + 1).to_string()),
                "a cell without a column",
            ),
            None => (None, "no line end behind it: its last cell may be cut"),
        };
        let column = column.map_or_else(String::new, |c| format!(", column `{c}`"));
        Misfit {
            place: format!("row {}{column}", self.rows),
            what,
        }
    }

    /// Rows that were not read: some of them.
    pub fn unread_rows(&self) -> &[Misfit] {
        &self.unread.misfits
    }

    /// Where the row that was read last begins.
    pub fn row_at(&self) -> usize {
        self.row_at
    }

    /// A notice about rows that were not read, if there are any.
    pub fn notice(&self) -> Option<String> {
        let rows = match self.unread.count {
            0 => return None,
            1 => "1 row does not fit the header or is cut, and was not read".to_owned(),
            n => format!("{n} rows do not fit the header or are cut, and were not read"),
        };
        Some(format!("{rows} ({}).", self.lines(&self.unread)))
    }

    /// The lines of rows that begin at these places: some of them.
    pub fn lines(&self, places: &Places) -> String {
        let (mut line, mut from) = (1, 0);
        let mut numbers = Vec::new();
        for at in &places.first {
            let between = self.text.as_bytes().get(from..*at).unwrap_or_default();
            line += between.iter().filter(|b| **b == b'\n').count();
            from = *at;
            numbers.push(line.to_string());
        }
        let word = if places.count == 1 { "line" } else { "lines" };
        let more = match places.count.saturating_sub(numbers.len()) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        format!("{word} {}{more}", numbers.join(", "))
    }
}
