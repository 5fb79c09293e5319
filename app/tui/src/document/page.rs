//! The write-up laid out for a width: prose is wrapped, tables and code scroll sideways behind their
//! first column.

use assay_core::text::width;
use ratatui::text::{Line, Span};

use super::markdown::{Block, Look, Piece, Table, pieces};
use super::parts::{Pen, wrap};
use crate::cut;
use crate::state::find::wrapped_hits;
use crate::theme::Role;

/// Widest cell of a table; longer ones are wrapped in their column.
const CELL: usize = 56;

/// A row of the page.
#[derive(Debug, Clone)]
pub enum Row {
    /// A row that fits.
    Flow(Line<'static>),
    /// A row that may be wider: what stays, and what scrolls behind it.
    Wide {
        /// What stays in its place, filled to its width.
        kept: String,
        /// What scrolls.
        rest: String,
        /// Its look.
        role: Role,
    },
}

impl Row {
    /// Its text, of which a search takes notice.
    pub fn text(&self) -> String {
        match self {
            Self::Flow(line) => line.spans.iter().map(|s| s.content.as_ref()).collect(),
            Self::Wide { kept, rest, .. } => format!("{kept}{rest}"),
        }
    }
}

/// A heading that one can go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Level from 1.
    pub level: u8,
    /// Title.
    pub title: String,
    /// Its row.
    pub row: usize,
}

/// The page.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Rows.
    pub rows: Vec<Row>,
    /// Headings.
    pub chapters: Vec<Chapter>,
    /// Columns that the widest row needs beyond the width.
    pub beyond: usize,
}

impl Page {
    /// A heading, with an empty row above it.
    pub fn heading(&mut self, pen: &Pen, level: u8, title: &str) {
        if !self.rows.is_empty() {
            self.flow(Line::default());
        }
        self.chapters.push(Chapter {
            level,
            title: title.to_owned(),
            row: self.rows.len(),
        });
        for (i, l) in wrap(title, pen.width).iter().enumerate() {
            let head = if level <= 2 {
                Role::Title
            } else {
                Role::Accent
            };
            self.flow(pen.line(l, head));
            if i == 0 && level == 1 {
                let rule = pen.theme.rule().repeat(width(title).min(pen.width));
                self.flow(pen.line(&rule, Role::Dim));
            }
        }
    }

    /// A row that fits.
    pub fn flow(&mut self, line: Line<'static>) {
        self.rows.push(Row::Flow(line));
    }

    /// Adds blocks.
    pub fn blocks(&mut self, pen: &Pen, blocks: &[Block]) {
        for (i, block) in blocks.iter().enumerate() {
            let item = |b: &Block| matches!(b, Block::Item(..));
            let list = item(block) && i.checked_sub(1).is_some_and(|b| item(&blocks[b]));
            if !list && !matches!(block, Block::Heading(..)) && !self.rows.is_empty() {
                self.flow(Line::default());
            }
            match block {
                Block::Heading(level, title) => self.heading(pen, *level, title),
                Block::Text(p) => self.prose(pen, p, ("", ""), Role::Plain),
                Block::Item(indent, mark, p) => {
                    let first = format!("{}{mark} ", " ".repeat(*indent));
                    let next = " ".repeat(width(&first));
                    self.prose(pen, p, (&first, &next), Role::Plain);
                }
                Block::Quote(p) => {
                    let bar = format!("{} ", pen.theme.bar());
                    self.prose(pen, p, (&bar, &bar), Role::Dim);
                }
                Block::Table(t) => self.table(pen, t),
                Block::Code(lang, lines) => self.code(pen, lang, lines),
            }
        }
    }

    /// Wrapped text behind what stands before its first row and the others.
    pub fn prose(&mut self, pen: &Pen, p: &[Piece], (first, next): (&str, &str), role: Role) {
        let text: String = p.iter().map(|p| p.text.as_str()).collect();
        // What each character looks like; wrapping leaves out blanks and nothing else.
        let mut looks = p.iter().flat_map(|p| p.text.chars().map(|c| (c, p.look)));
        for (i, l) in wrap(&text, pen.width.saturating_sub(width(first)))
            .iter()
            .enumerate()
        {
            let mut spans = vec![pen.span(if i == 0 { first } else { next }, Role::Dim)];
            let mut piece = (String::new(), Look::Plain);
            for c in l.chars() {
                let look = looks.find(|(x, _)| *x == c).map_or(Look::Plain, |x| x.1);
                if look != piece.1 && !piece.0.is_empty() {
                    spans.push(pen.span(std::mem::take(&mut piece.0), of(piece.1, role)));
                }
                piece.1 = look;
                piece.0.push(c);
            }
            spans.push(pen.span(piece.0, of(piece.1, role)));
            self.flow(Line::from(spans));
        }
    }

    fn wide(&mut self, pen: &Pen, kept: String, rest: String, role: Role) {
        let rest = rest.trim_end().to_owned();
        let needed = width(&kept) + width(&rest);
        self.beyond = self.beyond.max(needed.saturating_sub(pen.width));
        self.rows.push(Row::Wide { kept, rest, role });
    }

    fn code(&mut self, pen: &Pen, lang: &str, lines: &[String]) {
        for l in lines {
            let role = match l.chars().next() {
                Some('+') if lang == "diff" => Role::Insert,
                Some('-') if lang == "diff" => Role::Delete,
                Some('@') if lang == "diff" => Role::Accent,
                _ => Role::Plain,
            };
            self.wide(pen, "  ".into(), l.clone(), role);
        }
    }

    fn table(&mut self, pen: &Pen, t: &Table) {
        let count = (t.rows.iter().map(Vec::len).max().unwrap_or(0)).max(t.head.len());
        let most = |i: usize| match i {
            // The first column stays in its place and must leave room for the others.
            0 => (pen.width / 3).clamp(8, CELL),
            _ => CELL,
        };
        let all = || std::iter::once(&t.head).chain(&t.rows);
        let widths: Vec<usize> = (0..count)
            .map(|i| {
                let cells = all().filter_map(|r| r.get(i));
                cells.map(|c| width(c)).max().unwrap_or(0).clamp(1, most(i))
            })
            .collect();
        for (n, row) in all().enumerate() {
            let cells: Vec<Vec<String>> = (widths.iter().enumerate())
                .map(|(i, w)| wrap(row.get(i).map_or("", String::as_str), *w))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(1);
            let role = if n == 0 { Role::Title } else { Role::Plain };
            for line in 0..height {
                let mut parts = cells.iter().enumerate().map(|(i, c)| {
                    let text = c.get(line).map_or("", String::as_str);
                    match t.right.get(i) == Some(&true) {
                        true => pen.theme.right(text, widths[i]),
                        false => pen.theme.left(text, widths[i]),
                    }
                });
                let kept = format!("{}  ", parts.next().unwrap_or_default());
                let rest: Vec<String> = parts.collect();
                self.wide(pen, kept, rest.join("  "), role);
            }
            if n == 0 {
                let rule = |w: &usize| pen.theme.rule().repeat(*w);
                let kept = format!("{}  ", widths.first().map(rule).unwrap_or_default());
                let rest: Vec<String> = widths.iter().skip(1).map(rule).collect();
                self.wide(pen, kept, rest.join("  "), Role::Dim);
            }
        }
    }
}

/// The same as [`Page::prose`] takes, of a text without marks.
pub fn unmarked(text: &str) -> Vec<Piece> {
    vec![Piece {
        text: assay_core::text::inert(text).into_owned(),
        look: Look::Plain,
    }]
}

/// A text with marks, such as the findings of a check, which are Markdown too.
pub fn marked(text: &str) -> Vec<Piece> {
    pieces(&assay_core::text::inert(text))
}

fn of(look: Look, role: Role) -> Role {
    match look {
        Look::Plain => role,
        Look::Strong => Role::Title,
        Look::Code => Role::Literal,
        Look::Dim => Role::Dim,
    }
}

/// The row as drawn, `left` columns of what scrolls being out of view.
pub fn shown(pen: &Pen, row: &Row, left: usize) -> Line<'static> {
    let (kept, rest, role) = match row {
        Row::Flow(line) => return line.clone(),
        Row::Wide { kept, rest, role } => (kept, rest, *role),
    };
    let room = pen.width.saturating_sub(width(kept));
    let mut spans = vec![pen.span(pen.theme.cut(kept, pen.width).into_owned(), role)];
    spans.extend(scrolled(pen, &Line::from(pen.span(rest.as_str(), role)), left, room).spans);
    Line::from(spans)
}

/// `room` columns of a line from column `left`; the last column says that there is more on the right.
pub fn scrolled(pen: &Pen, line: &Line<'_>, left: usize, room: usize) -> Line<'static> {
    let gap = pen.theme.gap();
    let (whole, more) = cut::window(line, left, room, gap);
    if !more || room == 0 {
        return whole;
    }
    let (mut part, _) = cut::window(line, left, room - 1, gap);
    let fill = (room - 1).saturating_sub(part.spans.iter().map(|s| width(&s.content)).sum());
    part.push_span(Span::raw(" ".repeat(fill)));
    part.push_span(pen.span(">", Role::Accent));
    part
}

/// Rows that hold a text, in any case of letters.
pub fn hits(page: &Page, query: &str) -> Vec<usize> {
    let query = query.trim().to_lowercase();
    if query.is_empty() {
        return Vec::new();
    }
    wrapped_hits(page.rows.iter().map(Row::text), &query)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::markdown::parse;
    use crate::options::{Lang, Options};
    use crate::strings::strings;
    use crate::theme::Theme;

    fn pen(width: usize) -> Pen {
        Pen {
            theme: Theme::new(&Options::default()),
            s: strings(Lang::En),
            lang: Lang::En,
            width,
        }
    }

    fn page(text: &str, width: usize) -> Page {
        let mut page = Page::default();
        page.blocks(&pen(width), &parse(text).0);
        page
    }

    #[test]
    fn rows_fit_whatever_the_width() {
        let text = "# 报告：核函数\n\nsome **words 加粗** and `code` here\n\n- item of a list\n\n| 名称 | b |\n| --- | ---: |\n| 核函数核函数核函数 | 1 |\n| x | 12 |\n\n```\nlong code line 核函数 with much in it\n```\n";
        for w in 1..60 {
            let page = page(text, w);
            for row in &page.rows {
                for left in [0, 1, 3, 200] {
                    let line = shown(&pen(w), row, left);
                    // The narrowest wrap is a wide character.
                    assert!(line.width() <= w.max(4), "{w} {left} {line:?}");
                }
            }
            assert_eq!(page.chapters[0].row, 0);
        }
    }

    #[test]
    fn the_first_column_stays() {
        let page = page(
            "| name | a | b |\n| --- | --- | --- |\n| x | 123456789 | 987654321 |\n",
            20,
        );
        let line = |left: usize| -> String {
            let line = shown(&pen(20), &page.rows[2], left);
            line.spans.iter().map(|s| s.content.as_ref()).collect()
        };
        // Neither edge shows a part of a number.
        assert_eq!(line(0), "x     123456789    >");
        assert_eq!(line(page.beyond), "x     …    987654321");
        assert_eq!(page.beyond, 6);
        assert_eq!(hits(&page, " 98765"), [2]);
        assert!(hits(&page, " ").is_empty());
    }

    #[test]
    fn looks_follow_their_words() {
        let page = page("a **b c** d", 3);
        let roles: Vec<String> = page.rows.iter().map(Row::text).collect();
        assert_eq!(roles, ["a b", "c d"]);
        let Row::Flow(l) = &page.rows[1] else {
            panic!()
        };
        let bold = pen(3).theme.style(Role::Title);
        assert_eq!((l.spans[1].content.as_ref(), l.spans[1].style), ("c", bold));
    }
}
