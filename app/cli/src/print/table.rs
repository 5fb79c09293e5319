//! A plain text table, aligned in display columns.

use std::io::IsTerminal;

use assay_core::text;

use super::change::ABSENT;

/// Narrowest that a column of text is made.
const LEAST: usize = 12;

/// Between two columns.
const GAP: usize = 2;

/// Width of sentences in columns: `COLUMNS`, else that of the terminal, else 160.
pub fn terminal_width() -> usize {
    room().unwrap_or(160)
}

/// Width that tables have to fit in: `COLUMNS`, else that of the terminal. What goes to a file or a pipe is as
/// wide as it has to be, and nothing in it is cut.
pub fn room() -> Option<usize> {
    let stated = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let seen = || {
        let size = std::io::stdout()
            .is_terminal()
            .then(crossterm::terminal::size);
        size?.ok().map(|(w, _)| usize::from(w))
    };
    stated.or_else(seen).filter(|w| *w > 0)
}

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Text that is a key, or a figure of several parts.
    Whole,
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
    /// Adds a column. Where there is a width to fit in, cells are cut at `limit` display columns, and text
    /// further, the widest first.
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

    /// The table as lines, header first, as wide as there is [`room`].
    pub fn render(&self) -> String {
        self.fit(room())
    }

    fn fit(&self, room: Option<usize>) -> String {
        let wanted = |i: usize, title: &str| {
            let cells = self.rows.iter().filter_map(|r| r.get(i));
            let longest = cells.map(|c| text::width(c)).max();
            longest.unwrap_or(0).max(text::width(title))
        };
        let mut widths: Vec<Option<usize>> = (self.columns.iter().enumerate())
            .map(|(i, (title, align, limit))| match (room, align) {
                (None, _) | (_, Align::Whole) => Some(wanted(i, title)),
                _ => Some(wanted(i, title).min(*limit)),
            })
            .collect();
        if over(&widths, room) > 0 {
            // Columns that say nothing of any row go first.
            let says_something = |r: &Vec<String>, i: usize| {
                let cell = r.get(i).map_or("", String::as_str);
                !matches!(cell, "" | ABSENT)
            };
            for (i, width) in widths.iter_mut().enumerate() {
                if !self.rows.is_empty() && !self.rows.iter().any(|r| says_something(r, i)) {
                    *width = None;
                }
            }
        }
        // Numbers and what is a key are never cut.
        let shrinks = |i: usize| self.columns.get(i).is_some_and(|c| c.1 == Align::Left);
        for _ in 0..over(&widths, room) {
            let can = widths.iter_mut().enumerate().filter(|(i, _)| shrinks(*i));
            let widest = can.filter_map(|(_, w)| w.as_mut()).max_by_key(|w| **w);
            let Some(widest) = widest.filter(|w| **w > LEAST) else {
                break;
            };
            *widest -= 1;
        }
        let mut out = String::new();
        let titles: Vec<String> = self.columns.iter().map(|(t, _, _)| t.clone()).collect();
        self.line(&mut out, &titles, &widths);
        self.rows
            .iter()
            .for_each(|row| self.line(&mut out, row, &widths));
        out
    }

    fn line(&self, out: &mut String, cells: &[String], widths: &[Option<usize>]) {
        let mut line = String::new();
        for (i, width) in widths.iter().enumerate() {
            let Some(width) = width else { continue };
            let cell = cells.get(i).map_or("", String::as_str);
            let align = self.columns.get(i).map_or(Align::Left, |c| c.1);
            let text = match align {
                Align::Left | Align::Whole => text::pad_right(cell, *width),
                Align::Right => text::pad_left(cell, *width),
            };
            line.push_str(&text);
            line.push_str(&" ".repeat(GAP));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// By how many columns a table is too wide.
fn over(widths: &[Option<usize>], room: Option<usize>) -> usize {
    let shown = widths.iter().flatten();
    let gaps = GAP * shown.clone().count().saturating_sub(1);
    room.map_or(0, |room| (shown.sum::<usize>() + gaps).saturating_sub(room))
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
            t.fit(None),
            "name         ms\n核函数      1.5\na\\x1b[2J  10.25\n"
        );
    }

    #[test]
    fn text_is_cut_to_the_room_that_there_is_and_keys_and_figures_never() {
        let mut t = Table::default()
            .column("variant", Align::Left, 20)
            .column("id", Align::Whole, 20)
            .column("ms", Align::Right, 8)
            .column("why", Align::Left, 30);
        let (name, why) = ("a-name-of-thirty-columns-or-so", "words ".repeat(12));
        t.row([name, "01KEY", "36.166145", why.trim()]);
        let whole = t.fit(None);
        assert!(
            whole.contains(name) && whole.contains(why.trim()),
            "{whole}"
        );
        let wide = t.fit(Some(200));
        assert!(wide.contains("a-name-of-thirty-co…"), "{wide}");
        for room in [60, 50, 48] {
            let narrow = t.fit(Some(room));
            assert!(narrow.contains("01KEY"), "{narrow}");
            let longest = narrow.lines().map(text::width).max().unwrap();
            assert!(longest <= room, "{longest} in {room}: {narrow}");
        }
        // Nothing is cut to nothing: lines run over instead.
        let least = t.fit(Some(10));
        assert!(least.contains("a-name-of-t…"), "{least}");
        // A column without a word goes before any is cut.
        let mut t = Table::default()
            .column("name", Align::Left, 20)
            .column("ratio", Align::Whole, 20)
            .column("ms", Align::Right, 8);
        t.row(["longer-name", "-", "1.5"]);
        assert!(t.fit(Some(30)).contains("ratio"));
        assert_eq!(t.fit(Some(20)), "name          ms\nlonger-name  1.5\n");
    }
}
