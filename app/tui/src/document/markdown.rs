//! Markdown as blocks: what the write-up is made of, read once and laid out for any width.
//!
//! GitHub flavour as far as reports use it: headings, paragraphs, lists, quotes, tables, code.
//! Everything is inert before it is taken apart.

use assay_core::text::inert_block;

/// Longest text that is taken apart, in bytes; what is behind it is not shown, which is said.
pub const MOST_BYTES: usize = 2 << 20;

/// How a piece of a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// As it is.
    Plain,
    /// Emphasised.
    Strong,
    /// Code and names.
    Code,
    /// Where a link leads.
    Dim,
}

/// A piece of one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Text, inert.
    pub text: String,
    /// Look.
    pub look: Look,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading of a level from 1.
    Heading(u8, String),
    /// Running text.
    Text(Vec<Piece>),
    /// An item of a list: columns of indent, its mark, its text.
    Item(usize, String, Vec<Piece>),
    /// A quotation.
    Quote(Vec<Piece>),
    /// A table.
    Table(Table),
    /// Lines of code and their language.
    Code(String, Vec<String>),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Column titles.
    pub head: Vec<String>,
    /// Columns that are aligned on the right.
    pub right: Vec<bool>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

/// Takes a text apart; whether all of it was taken.
pub fn parse(text: &str) -> (Vec<Block>, bool) {
    let mut end = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let inert = inert_block(&text[..end]).replace('\t', "    ");
    let lines: Vec<&str> = inert.lines().collect();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        at = block(&lines, at, &mut out);
    }
    (out, end == text.len())
}

/// Reads one block from line `at`; the line behind it.
fn block(lines: &[&str], at: usize, out: &mut Vec<Block>) -> usize {
    let line = lines[at];
    let bare = line.trim();
    if bare.is_empty() || is_tag(bare) {
        return at + 1;
    }
    if let Some(rest) = bare.strip_prefix("```") {
        let ends = |l: &&str| l.trim() == "```";
        let body: Vec<&str> = lines[at + 1..]
            .iter()
            .copied()
            .take_while(|l| !ends(l))
            .collect();
        let next = at + body.len() + 2;
        let body = body.into_iter().map(str::to_owned).collect();
        out.push(Block::Code(rest.trim().to_owned(), body));
        return next;
    }
    let level = bare.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&level) && bare[level..].starts_with(' ') {
        out.push(Block::Heading(level as u8, plain(&bare[level..])));
        return at + 1;
    }
    if bare.starts_with('|') && lines.get(at + 1).is_some_and(|l| is_ruler(l)) {
        return table(lines, at, out);
    }
    if let Some((indent, mark, rest)) = item(line) {
        let (text, next) = joined(lines, at, rest);
        out.push(Block::Item(indent, mark, pieces(&text)));
        return next;
    }
    if let Some(rest) = bare.strip_prefix('>') {
        out.push(Block::Quote(pieces(rest.trim())));
        return at + 1;
    }
    let (text, next) = joined(lines, at, bare);
    out.push(Block::Text(pieces(&text)));
    next
}

/// A text with the lines that go on with it.
fn joined(lines: &[&str], at: usize, first: &str) -> (String, usize) {
    let (mut text, mut next) = (first.to_owned(), at + 1);
    while let Some(line) = lines.get(next) {
        let bare = line.trim();
        let starts = bare.is_empty()
            || bare.starts_with(['#', '|', '>'])
            || bare.starts_with("```")
            || is_tag(bare)
            || item(line).is_some();
        if starts {
            break;
        }
        text.push(' ');
        text.push_str(bare);
        next += 1;
    }
    (text, next)
}

/// A line that is a tag or a comment alone, of which nothing is shown.
fn is_tag(bare: &str) -> bool {
    bare.starts_with('<') && bare.ends_with('>') && plain(bare).is_empty()
}

/// Indent, mark and text of an item.
fn item(line: &str) -> Option<(usize, String, &str)> {
    let bare = line.trim_start();
    let indent = line.len() - bare.len();
    for mark in ["- ", "* ", "+ "] {
        if let Some(rest) = bare.strip_prefix(mark) {
            return Some((indent.min(12), "-".into(), rest.trim()));
        }
    }
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let rest = bare[digits..].strip_prefix(". ")?;
    (1..=4)
        .contains(&digits)
        .then(|| (indent.min(12), bare[..=digits].to_owned(), rest.trim()))
}

fn is_ruler(line: &str) -> bool {
    let bare = line.trim();
    bare.starts_with('|')
        && bare.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
        && bare.contains('-')
}

fn table(lines: &[&str], at: usize, out: &mut Vec<Block>) -> usize {
    let mut table = Table {
        head: cells(lines[at]),
        right: cells(lines[at + 1])
            .iter()
            .map(|c| c.ends_with(':') && !c.starts_with(':'))
            .collect(),
        rows: Vec::new(),
    };
    let mut next = at + 2;
    while let Some(line) = lines.get(next).filter(|l| l.trim().starts_with('|')) {
        table.rows.push(cells(line));
        next += 1;
    }
    out.push(Block::Table(table));
    next
}

/// The cells of a row; `\|` belongs to a cell.
fn cells(line: &str) -> Vec<String> {
    let bare = line.trim();
    let bare = bare.strip_prefix('|').unwrap_or(bare);
    let (mut out, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for c in bare.chars() {
        match c {
            '|' if !escaped => out.push(plain(&std::mem::take(&mut cell))),
            _ => cell.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    if !cell.trim().is_empty() {
        out.push(plain(&cell));
    }
    out
}

/// The text without its marks.
fn plain(text: &str) -> String {
    let all: String = pieces(text).into_iter().map(|p| p.text).collect();
    all.trim().to_owned()
}

/// The pieces of a line: emphasis, code, links, escapes and entities.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut add = |text: &str, look: Look| {
        if text.is_empty() {
            return;
        }
        match out.last_mut() {
            Some(last) if last.look == look => last.text.push_str(text),
            _ => out.push(Piece {
                text: text.to_owned(),
                look,
            }),
        }
    };
    let (mut rest, mut strong) = (text, false);
    while let Some(c) = rest.chars().next() {
        let look = if strong { Look::Strong } else { Look::Plain };
        let used = match c {
            '\\' => match rest[1..].chars().next().filter(char::is_ascii_punctuation) {
                Some(next) => {
                    add(next.encode_utf8(&mut [0; 4]), look);
                    2
                }
                None => {
                    add("\\", look);
                    1
                }
            },
            '*' if rest.starts_with("**") => {
                strong = !strong;
                2
            }
            '`' => code(rest, &mut add),
            '&' => entity(rest, look, &mut add),
            '!' if rest.starts_with("![") => link(&rest[1..], &mut add).map_or(1, |n| n + 1),
            '[' => link(rest, &mut add).unwrap_or_else(|| {
                add("[", look);
                1
            }),
            '<' => tag(rest).unwrap_or_else(|| {
                add("<", look);
                1
            }),
            c => {
                add(c.encode_utf8(&mut [0; 4]), look);
                c.len_utf8()
            }
        };
        rest = &rest[used..];
    }
    out
}

/// Code between marks of equal length; bytes taken.
fn code(rest: &str, add: &mut impl FnMut(&str, Look)) -> usize {
    let marks = rest.bytes().take_while(|b| *b == b'`').count();
    let (mark, body) = rest.split_at(marks);
    match body.find(mark) {
        Some(end) => {
            add(body[..end].trim(), Look::Code);
            marks * 2 + end
        }
        None => {
            add(mark, Look::Plain);
            marks
        }
    }
}

fn entity(rest: &str, look: Look, add: &mut impl FnMut(&str, Look)) -> usize {
    const KNOWN: &[(&str, &str)] = &[
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
    ];
    match KNOWN.iter().find(|(name, _)| rest.starts_with(name)) {
        Some((name, shown)) => {
            add(shown, look);
            name.len()
        }
        None => {
            add("&", look);
            1
        }
    }
}

/// `[text](address)`: the text, and the address where it leads out of the document.
fn link(rest: &str, add: &mut impl FnMut(&str, Look)) -> Option<usize> {
    let (middle, tail) = rest.find("](").map(|m| (m, &rest[m + 2..]))?;
    let end = tail.find(')')?;
    // A bracket that opens again before it closes belongs to the text.
    let text = &rest[1..middle];
    if text.contains(['[', ']']) {
        return None;
    }
    let text: String = pieces(text).into_iter().map(|p| p.text).collect();
    add(&text, Look::Strong);
    let address = &tail[..end];
    if !address.starts_with('#') && !address.starts_with("data:") && address != text {
        add(&format!(" ({address})"), Look::Dim);
    }
    Some(middle + 2 + end + 1)
}

/// A tag or a comment; bytes taken.
fn tag(rest: &str) -> Option<usize> {
    let next = rest[1..].chars().next()?;
    if !(next.is_ascii_alphabetic() || matches!(next, '/' | '!')) {
        return None;
    }
    rest.find('>').map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_report() {
        let text = "# Report: mhc\\_post\n\n**optimized** is &lt;in&gt;\nforce. `a_b` [x](y.md)\n\n- one\n  more\n  - deep\n1. first\n\n> said\n\n| a | b\\|c |\n| --- | ---: |\n| `x` | 1 |\n\n```diff\n+ a | b\n```\n<!-- gone -->\n";
        let (blocks, whole) = parse(text);
        assert!(whole);
        assert_eq!(blocks[0], Block::Heading(1, "Report: mhc_post".into()));
        let Block::Text(p) = &blocks[1] else { panic!() };
        let said: Vec<(&str, Look)> = p.iter().map(|p| (p.text.as_str(), p.look)).collect();
        assert_eq!(
            said,
            [
                ("optimized", Look::Strong),
                (" is <in> force. ", Look::Plain),
                ("a_b", Look::Code),
                (" ", Look::Plain),
                ("x", Look::Strong),
                (" (y.md)", Look::Dim),
            ]
        );
        assert!(matches!(&blocks[2], Block::Item(0, m, p) if m == "-" && p[0].text == "one more"));
        assert!(matches!(&blocks[3], Block::Item(2, ..)));
        assert!(matches!(&blocks[4], Block::Item(0, m, _) if m == "1."));
        assert!(matches!(&blocks[5], Block::Quote(_)));
        let Block::Table(t) = &blocks[6] else {
            panic!()
        };
        assert_eq!(t.head, ["a", "b|c"]);
        assert_eq!(t.right, [false, true]);
        assert_eq!(t.rows, [["x", "1"]]);
        assert_eq!(
            blocks[7],
            Block::Code("diff".into(), vec!["+ a | b".into()])
        );
        assert_eq!(blocks.len(), 8);
    }

    #[test]
    fn odd_text_is_text() {
        for text in [
            "",
            "`",
            "``a`",
            "[",
            "[a](",
            "[a [b](c)",
            "\\",
            "&",
            "<",
            "< 3",
            "**",
            "|",
            "|--",
            "```",
            "1.",
            "- ",
            "\x1b[31m",
            "![",
            "![a](b)",
            "<a",
            "####### x",
            "核`函",
        ] {
            let (blocks, _) = parse(text);
            assert!(blocks.len() <= 2, "{text}");
        }
        let (blocks, _) = parse("red \x1b[31mtext");
        assert_eq!(
            blocks,
            [Block::Text(pieces(
                "red \\x1b[31mtext".replace('\\', "\\\\").as_str()
            ))]
        );
        let long = "核".repeat(MOST_BYTES / 3 + 5);
        assert!(!parse(&long).1);
    }
}
