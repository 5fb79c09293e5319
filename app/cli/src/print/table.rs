//! A plain text table, aligned in display columns.

use assay_core::text;

/// Width of the terminal in columns: `COLUMNS`, else that of the terminal, else 160.
pub fn terminal_width() -> usize {
    let stated = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let seen = || {
        crossterm::terminal::size()
            .ok()
            .map(|(w, _)| usize::from(w))
    };
    stated.or_else(seen).filter(|w| *w > 0).unwrap_or(160)
}

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table of inert text.
#[derive(Debug, Default)]
pub struct Table {
    columns: Vec<(String, Align, usize)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a column; cells are cut at `limit` display columns.
    #[must_use]
    pub fn column(mut self, title: &str, align: Align, limit: usize) -> Self {
        self.columns.push((title.to_owned(), align, limit));
        self
    }

    /// Adds a row; the text is made inert here, once.
    pub fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(
            cells
                .into_iter()
                .map(|c| text::inert(c.as_ref()).into_owned())
                .collect(),
        );
    }

    /// The table as lines, header first.
    pub fn render(&self) -> String {
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(i, (title, _, limit))| {
                let longest = self
                    .rows
                    .iter()
                    .filter_map(|r| r.get(i))
                    .map(|c| text::width(c))
                    .max();
                longest.unwrap_or(0).max(text::width(title)).min(*limit)
            })
            .collect();
        let mut out = String::new();
        let titles: Vec<String> = self.columns.iter().map(|(t, _, _)| t.clone()).collect();
        self.line(&mut out, &titles, &widths);
        self.rows
            .iter()
            .for_each(|row| self.line(&mut out, row, &widths));
        out
    }

    fn line(&self, out: &mut String, cells: &[String], widths: &[usize]) {
        let mut line = String::new();
        for (i, width) in widths.iter().enumerate() {
            let cell = cells.get(i).map_or("", String::as_str);
            let align = self.columns.get(i).map_or(Align::Left, |c| c.1);
            let text = match align {
                Align::Left => text::pad_right(cell, *width),
                Align::Right => text::pad_left(cell, *width),
            };
            line.push_str(&text);
            line.push_str("  ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cjk_cells_stay_aligned_and_escapes_are_inert() {
        let mut t = Table::default()
            .column("name", Align::Left, 20)
            .column("ms", Align::Right, 8);
        t.row(["核函数", "1.5"]);
        t.row(["a\x1b[2J", "10.25"]);
        assert_eq!(
            t.render(),
            "name         ms\n核函数      1.5\na\\x1b[2J  10.25\n"
        );
    }
}
