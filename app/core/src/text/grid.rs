//! A table of text as people and spreadsheets save it, read strictly: what does not fit is refused with
//! its row and column, and nothing is guessed.

/// A table: names of columns, and rows with a cell for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows; each has as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// Why a text is no table. Rows are counted as a spreadsheet shows them: the header is row 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// There is no header, or nothing below it.
    #[error("row {row}: {what}")]
    Row {
        /// Row from 1.
        row: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A cell cannot be read.
    #[error("row {row}, column {column}: {what}")]
    Cell {
        /// Row from 1.
        row: usize,
        /// Column from 1, or its name where it has one.
        column: String,
        /// What is wrong with it.
        what: String,
    },
}

impl Grid {
    /// Reads a table whose cells stand between separators; lines end with LF or CR LF, cells may be in
    /// double quotes, a byte order mark is left out.
    ///
    /// # Errors
    /// For a name that is missing or stands twice, a row with too few or too many cells, and quotes
    /// that do not close.
    pub fn read(text: &str, separator: char) -> Result<Self, GridError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = Lines {
            rest: text,
            separator,
            row: 0,
        };
        let Some(columns) = lines.next().transpose()? else {
            return Err(GridError::Row {
                row: 1,
                what: "no header".into(),
            });
        };
        for (at, name) in columns.iter().enumerate() {
            let what = match name.trim() {
                "" => "the column has no name",
                name if columns[..at].iter().any(|c| c.trim() == name) => {
                    "the name of the column stands twice"
                }
                _ => continue,
            };
            let column = match name.trim() {
                "" => (at + 1).to_string(),
                name => format!("`{name}`"),
            };
            return Err(GridError::Cell {
                row: 1,
                column,
                what: what.into(),
            });
        }
        let mut rows = Vec::new();
        while let Some(cells) = lines.next().transpose()? {
            let row = lines.row;
            if let Some(name) = columns.get(cells.len()) {
                return Err(GridError::Cell {
                    row,
                    column: format!("`{name}`"),
                    what: "the cell is missing".into(),
                });
            }
            if cells.len() > columns.len() {
                return Err(GridError::Cell {
                    row,
                    column: (columns.len() + 1).to_string(),
                    what: "a cell without a column".into(),
                });
            }
            rows.push(cells);
        }
        if rows.is_empty() {
            return Err(GridError::Row {
                row: 2,
                what: "the table has no rows".into(),
            });
        }
        Ok(Self { columns, rows })
    }
}

/// Rows of a text, cell by cell.
struct Lines<'a> {
    rest: &'a str,
    separator: char,
    row: usize,
}

impl Iterator for Lines<'_> {
    type Item = Result<Vec<String>, GridError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        self.row += 1;
        let mut cells = Vec::new();
        loop {
            match self.cell(cells.len() + 1) {
                Err(e) => return Some(Err(e)),
                Ok((cell, more)) => {
                    cells.push(cell);
                    if !more {
                        return Some(Ok(cells));
                    }
                }
            }
        }
    }
}

impl Lines<'_> {
    /// The next cell, and whether another one follows in its row.
    fn cell(&mut self, column: usize) -> Result<(String, bool), GridError> {
        let bad = |row: usize, what: &str| GridError::Cell {
            row,
            column: column.to_string(),
            what: what.into(),
        };
        let is_end = |c: char| c == '\n' || c == self.separator;
        let Some(quoted) = self.rest.strip_prefix('"') else {
            let end = self.rest.find(is_end).unwrap_or(self.rest.len());
            let (cell, rest) = self.rest.split_at(end);
            let more = rest.starts_with(self.separator);
            let skip = if more { self.separator.len_utf8() } else { 1 };
            self.rest = rest.get(skip..).unwrap_or_default();
            let cell = match more {
                true => cell,
                false => cell.strip_suffix('\r').unwrap_or(cell),
            };
            return match cell.contains('"') {
                true => Err(bad(
                    self.row,
                    "a quote inside a cell that does not begin with one",
                )),
                false => Ok((cell.to_owned(), more)),
            };
        };
        let mut cell = String::new();
        let mut rest = quoted;
        loop {
            let Some(at) = rest.find('"') else {
                return Err(bad(self.row, "the quotes do not close"));
            };
            cell.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            match rest.strip_prefix('"') {
                Some(more) => {
                    cell.push('"');
                    rest = more;
                }
                None => break,
            }
        }
        let more = rest.starts_with(self.separator);
        let after = match more {
            true => rest.get(self.separator.len_utf8()..),
            false => (rest.strip_prefix("\r\n"))
                .or_else(|| rest.strip_prefix('\n'))
                .or_else(|| rest.is_empty().then_some("")),
        };
        let Some(after) = after else {
            return Err(bad(self.row, "text behind the closing quote"));
        };
        self.rest = after;
        Ok((cell, more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        Grid::read(text, ',').unwrap_err().to_string()
    }

    #[test]
    fn what_spreadsheets_save_is_read() {
        let text = "\u{feff}item,printed\r\nGPU,\"C500, \"\"whole\"\"\"\r\n\"two\nlines\",\r\n";
        let grid = Grid::read(text, ',').unwrap();
        assert_eq!(grid.columns, ["item", "printed"]);
        assert_eq!(grid.rows, [["GPU", "C500, \"whole\""], ["two\nlines", ""]]);
        let tabs = Grid::read("a\tb\n1\t2,3", '\t').unwrap();
        assert_eq!(tabs.rows, [["1", "2,3"]]);
        let last = Grid::read("a,b\n1,", ',').unwrap();
        assert_eq!(last.rows, [["1", ""]]);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_row_and_column() {
        assert_eq!(said(""), "row 1: no header");
        assert_eq!(said("a,b\n"), "row 2: the table has no rows");
        assert_eq!(
            said("a,,b\n1,2,3\n"),
            "row 1, column 2: the column has no name"
        );
        assert_eq!(
            said("a,a \n1,2\n"),
            "row 1, column `a`: the name of the column stands twice"
        );
        assert_eq!(
            said("a,b\n1,2\n3\n"),
            "row 3, column `b`: the cell is missing"
        );
        assert_eq!(
            said("a,b\n1,2\n\n"),
            "row 3, column `b`: the cell is missing"
        );
        assert_eq!(
            said("a,b\n1,2,3\n"),
            "row 2, column 3: a cell without a column"
        );
        assert_eq!(
            said("a,b\n\"1,2\n"),
            "row 2, column 1: the quotes do not close"
        );
        assert_eq!(
            said("a,b\n\"1\"x,2\n"),
            "row 2, column 1: text behind the closing quote"
        );
        assert!(said("a,b\n1,2\"\n").contains("a quote inside"));
    }
}
