//! Diffs as text. Nothing that comes out can drive a terminal.

use assay_core::text;
use assay_core::view::{DiffLine, DiffPiece, FileDiff, HunkNote};

use super::html::split;
use crate::language::Language;
use crate::said::{self, Key, Lang, say};
use crate::syntax::{Highlighter, Syntax};

/// What a piece of output is, for whoever adds colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Path of a file.
    Header,
    /// Place of a hunk.
    Hunk,
    /// What was left out or cut.
    Notice,
    /// Line number or divider.
    Margin,
    /// Unchanged.
    Context,
    /// Only on side A.
    Delete,
    /// What changed inside a line of side A.
    DeleteEmphasis,
    /// Only on side B.
    Insert,
    /// What changed inside a line of side B.
    InsertEmphasis,
    /// Unchanged, and what it is in its language.
    Syntax(Syntax),
    /// Only on side A, in a block that moved.
    DeleteMoved,
    /// Only on side B, in a block that moved.
    InsertMoved,
}

fn style(line: &DiffLine, emphasised: bool) -> Style {
    match (line.tag.as_str(), emphasised) {
        ("delete", _) if line.moved.is_some() => Style::DeleteMoved,
        ("insert", _) if line.moved.is_some() => Style::InsertMoved,
        ("delete", false) => Style::Delete,
        ("delete", true) => Style::DeleteEmphasis,
        ("insert", false) => Style::Insert,
        ("insert", true) => Style::InsertEmphasis,
        _ => Style::Context,
    }
}

/// The pieces of a line with their styles: syntax where nothing changed, and what changed elsewhere.
fn painted<'l>(line: &'l DiffLine, syntax: &mut Highlighter) -> Vec<(Style, &'l str)> {
    let is_context = !matches!(line.tag.as_str(), "delete" | "insert");
    match &line.pieces[..] {
        [p] if is_context => {
            let spans = syntax.line(&p.text);
            (split(&line.pieces, &p.text, &spans).into_iter())
                .map(|(_, class, t)| match class {
                    Syntax::Plain => (Style::Context, t),
                    class => (Style::Syntax(class), t),
                })
                .collect()
        }
        pieces => {
            let text: String = pieces.iter().map(|p| p.text.as_str()).collect();
            syntax.skip(&text);
            (pieces.iter())
                .map(|p| (style(line, p.emphasised), p.text.as_str()))
                .collect()
        }
    }
}

/// What is said of a hunk after its place: the kernel it lies in, and the kinds of change.
fn note(lang: Lang, n: &HunkNote) -> String {
    let kernel = match (n.kernel_a.as_str(), n.kernel_b.as_str()) {
        (a, "") => a.to_owned(),
        ("", b) => b.to_owned(),
        (a, b) if a == b => b.to_owned(),
        (a, b) => format!("{a} -> {b}"),
    };
    let mut out = String::new();
    if !kernel.is_empty() {
        out = format!(" {}", text::inert(&kernel));
    }
    if !n.changes.is_empty() {
        out.push_str(&format!(" [{}]", said::changes(lang, n)));
    }
    out
}

/// Place of a hunk, and what is said of it.
fn title(lang: Lang, f: &FileDiff, h: usize, hunk: &[DiffLine]) -> String {
    let of = (f.notes.get(h)).filter(|_| f.language != Language::Text.name());
    format!(
        "{}{}",
        place(hunk),
        of.map_or(String::new(), |n| note(lang, n))
    )
}

/// The unified form. Identical files are left out.
pub fn to_unified(files: &[FileDiff]) -> String {
    to_unified_in(files, Lang::En)
}

/// As [`to_unified`], in a language.
pub fn to_unified_in(files: &[FileDiff], lang: Lang) -> String {
    unified(files, lang, false, &|out, _, t| out.push_str(t))
}

/// As [`to_unified_in`], with a function that colours each piece.
pub fn to_unified_styled(
    files: &[FileDiff],
    lang: Lang,
    paint: &dyn Fn(Style, &str) -> String,
) -> String {
    unified(files, lang, true, &|out, style, t| {
        out.push_str(&paint(style, t));
    })
}

/// The unified form; pieces are put by their style, and by their syntax where that is asked for.
fn unified(
    files: &[FileDiff],
    lang: Lang,
    syntax: bool,
    put: &impl Fn(&mut String, Style, &str),
) -> String {
    let mut out = String::new();
    for f in files {
        if !f.is_shown() {
            continue;
        }
        for (mark, path) in [("---", &f.a), ("+++", &f.b)] {
            let path = path.as_deref().unwrap_or("/dev/null");
            let line = format!("{mark} {}", text::inert(path));
            put(&mut out, Style::Header, &line);
            out.push('\n');
        }
        let mut notices = said::notices(lang, f);
        if f.hunks.is_empty() && f.notice.is_empty() {
            // New or gone, and yet without a line: a bare heading would look cut off.
            notices.extend(said::text(lang, &say(Key::EmptyFile, [])));
        }
        for n in notices {
            let line = format!("\\ {}", text::inert(&n));
            put(&mut out, Style::Notice, &line);
            out.push('\n');
        }
        let language = f.language.parse().unwrap_or(Language::Text);
        for (h, hunk) in f.hunks.iter().enumerate() {
            put(&mut out, Style::Hunk, &title(lang, f, h, hunk));
            out.push('\n');
            let mut reader = syntax.then(|| Highlighter::new(language));
            for line in hunk {
                let mark = match line.tag.as_str() {
                    "delete" => "-",
                    "insert" => "+",
                    _ => " ",
                };
                put(&mut out, style(line, false), mark);
                let mut piece = |style, t: &str| {
                    let shown = text::inert_block(t);
                    // A line feed inside a piece would let its text pass for another line.
                    if shown.contains('\n') {
                        put(&mut out, style, &shown.replace('\n', "\\n"));
                    } else {
                        put(&mut out, style, &shown);
                    }
                };
                match &mut reader {
                    Some(reader) => {
                        for (style, t) in painted(line, reader) {
                            piece(style, t);
                        }
                    }
                    None => {
                        for p in &line.pieces {
                            piece(style(line, p.emphasised), &p.text);
                        }
                    }
                }
                out.push('\n');
            }
        }
    }
    out
}

/// `@@ -first,count +first,count @@`
pub(super) fn place(hunk: &[DiffLine]) -> String {
    let side = |numbers: Vec<u32>| match numbers.first() {
        Some(first) => format!("{first},{}", numbers.len()),
        None => "0,0".to_owned(),
    };
    format!(
        "@@ -{} +{} @@",
        side(hunk.iter().filter_map(|l| l.a).collect()),
        side(hunk.iter().filter_map(|l| l.b).collect())
    )
}

/// Two columns in `width` terminal columns, one string a row. Long lines are cut with `…`.
pub fn to_side_by_side(file: &FileDiff, width: usize) -> Vec<String> {
    to_side_by_side_styled(file, width, Lang::En, &|_, t| t.to_owned())
}

/// As [`to_side_by_side`], in a language and with a function that colours each piece.
pub fn to_side_by_side_styled(
    file: &FileDiff,
    width: usize,
    lang: Lang,
    paint: &dyn Fn(Style, &str) -> String,
) -> Vec<String> {
    let digits = file
        .hunks
        .iter()
        .flatten()
        .flat_map(|l| [l.a, l.b])
        .flatten()
        .max()
        .map_or(1, |n| n.to_string().len());
    let layout = Layout {
        width,
        lang,
        digits,
        paint,
    };
    let mut out = vec![layout.header(file)];
    for notice in said::notices(lang, file) {
        let notice = text::inert(&notice);
        out.push(paint(Style::Notice, &text::truncate(&notice, width)));
    }
    for (h, hunk) in file.hunks.iter().enumerate() {
        let title = title(lang, file, h, hunk);
        out.push(paint(Style::Hunk, &text::truncate(&title, width)));
        layout.hunk(hunk, &mut out);
    }
    out
}

/// What stands for the name of a side without a file.
pub(super) fn absent(lang: Lang) -> String {
    let word = said::text(lang, &say(Key::Absent, [])).unwrap_or_default();
    match lang {
        Lang::En => format!("({word})"),
        Lang::Zh => format!("（{word}）"),
    }
}

struct Layout<'p> {
    width: usize,
    lang: Lang,
    digits: usize,
    paint: &'p dyn Fn(Style, &str) -> String,
}

impl Layout<'_> {
    fn half(&self) -> (usize, usize) {
        let left = self.width.saturating_sub(3) / 2;
        (left, self.width.saturating_sub(3).saturating_sub(left))
    }

    fn divider(&self) -> String {
        (self.paint)(Style::Margin, &text::truncate(" │ ", self.width))
    }

    fn header(&self, file: &FileDiff) -> String {
        let (left, right) = self.half();
        let absent = absent(self.lang);
        let name = |p: &Option<String>, columns| {
            let name = text::inert(p.as_deref().unwrap_or(&absent)).into_owned();
            (self.paint)(Style::Header, &text::pad_right(&name, columns))
        };
        format!(
            "{}{}{}",
            name(&file.a, left),
            self.divider(),
            name(&file.b, right)
        )
    }

    fn hunk(&self, hunk: &[DiffLine], out: &mut Vec<String>) {
        let mut i = 0;
        while i < hunk.len() {
            if !matches!(hunk[i].tag.as_str(), "delete" | "insert") {
                out.push(self.row(Some(&hunk[i]), Some(&hunk[i])));
                i += 1;
                continue;
            }
            let run = |from: usize, tag: &str| {
                from + hunk[from..].iter().take_while(|l| l.tag == tag).count()
            };
            let deletes = run(i, "delete");
            let inserts = run(deletes, "insert");
            let (d, n) = (&hunk[i..deletes], &hunk[deletes..inserts]);
            for k in 0..d.len().max(n.len()) {
                out.push(self.row(d.get(k), n.get(k)));
            }
            i = inserts;
        }
    }

    fn row(&self, a: Option<&DiffLine>, b: Option<&DiffLine>) -> String {
        let (left, right) = self.half();
        format!(
            "{}{}{}",
            self.cell(a, a.and_then(|l| l.a), left, true),
            self.divider(),
            self.cell(b, b.and_then(|l| l.b), right, false)
        )
    }

    fn cell(
        &self,
        line: Option<&DiffLine>,
        number: Option<u32>,
        columns: usize,
        is_left: bool,
    ) -> String {
        let Some(line) = line else {
            return " ".repeat(columns);
        };
        let number = number.map_or(String::new(), |n| n.to_string());
        let margin = text::pad_left(&number, self.digits.min(columns));
        let margin = text::pad_right(&margin, (self.digits + 1).min(columns));
        let room = columns - text::width(&margin);
        let mut out = (self.paint)(Style::Margin, &margin);
        let pieces = if is_left { line.left() } else { &line.pieces };
        for (emphasised, t) in fit(pieces, room) {
            out.push_str(&(self.paint)(style(line, emphasised), &t));
        }
        out
    }
}

/// Columns between tab stops.
const TAB: usize = 4;

/// Pieces made inert, tabs expanded, cut or filled to exactly `columns` columns.
fn fit(pieces: &[DiffPiece], columns: usize) -> Vec<(bool, String)> {
    let mut shown: Vec<(bool, String)> = Vec::new();
    let mut used = 0;
    for p in pieces {
        let mut t = String::new();
        for (i, part) in p.text.split('\t').enumerate() {
            if i > 0 {
                let fill = TAB - used % TAB;
                t.push_str(&" ".repeat(fill));
                used += fill;
            }
            let part = text::inert(part);
            used += text::width(&part);
            t.push_str(&part);
        }
        shown.push((p.emphasised, t));
        // Whatever lies further right cannot be seen.
        if used > columns {
            break;
        }
    }
    let total: usize = shown.iter().map(|(_, t)| text::width(t)).sum();
    if total <= columns {
        shown.push((false, " ".repeat(columns - total)));
        return shown;
    }
    let mut out: Vec<(bool, String)> = Vec::new();
    let mut left = columns;
    for (i, (emphasised, t)) in shown.iter().enumerate() {
        let w = text::width(t);
        let last = i + 1 == shown.len();
        if w < left || (last && w <= left) {
            left -= w;
            out.push((*emphasised, t.clone()));
            continue;
        }
        // Something follows or this is too wide: the mark must show that the line goes on.
        let cut = text::pad_right(&text::truncate(&format!("{t}…"), left), left);
        out.push((*emphasised, cut));
        break;
    }
    out
}
