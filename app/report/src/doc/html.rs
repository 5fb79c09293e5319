//! The document as one HTML file: style and pictures are in it, and nothing is fetched or run.

use std::fmt::Write;

use super::{Block, Doc, Line, Piece};
use crate::escape::{xml, xml_block};
use assay_core::text::width;
use assay_source::diff::{STYLE, to_html};

use crate::plot;
use crate::strings::Lang;

/// Sub-chapters that the contents still name one by one.
const MOST_NAMED: usize = 40;

/// What the page may do: show itself. The icon is empty, or browsers would ask for one.
const HEAD: &str = "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
<meta name=\"color-scheme\" content=\"light dark\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
<link rel=\"icon\" href=\"data:,\">\n";

/// Writes the document.
pub(crate) fn write(doc: &Doc, lang: Lang) -> String {
    let mut out = String::with_capacity(64 * 1024);
    let language = match lang {
        Lang::En => "en",
        Lang::Zh => "zh-Hans",
    };
    let title = doc.blocks.iter().find_map(|b| match b {
        Block::Heading(1, text) => Some(text.plain()),
        _ => None,
    });
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n{HEAD}\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
        xml(&title.unwrap_or_default()),
        style(),
    );
    let mut chapters = 0;
    let (mut headings, mut plots) = (0, 0);
    for block in &doc.blocks {
        match block {
            Block::Heading(1, text) => {
                out.push_str("<h1>");
                line(text, &mut out);
                out.push_str("</h1>\n");
            }
            Block::Heading(level, text) => {
                if *level == 2 {
                    out.push_str(if chapters == 0 { "" } else { "</section>\n" });
                    if chapters == 0 {
                        contents(doc, lang, &mut out);
                    }
                    chapters += 1;
                    out.push_str("<section>\n");
                }
                headings += 1;
                let level = if *level == 2 { 2 } else { 3 };
                let _ = write!(out, "<h{level} id=\"h{headings}\">");
                line(text, &mut out);
                let _ = writeln!(out, "</h{level}>");
            }
            Block::Plot(svg) => {
                plots += 1;
                out.push_str("<figure>\n");
                svg.inline(plots, &mut out);
                out.push_str("</figure>\n");
            }
            other => write_block(other, lang, &mut out),
        }
    }
    out.push_str(if chapters == 0 { "" } else { "</section>\n" });
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// Links to the chapters; to what is in them where that is not too much.
fn contents(doc: &Doc, lang: Lang, out: &mut String) {
    let headings: Vec<(u8, &Line)> = doc
        .blocks
        .iter()
        .filter_map(|b| match b {
            Block::Heading(level, text) if *level > 1 => Some((*level, text)),
            _ => None,
        })
        .collect();
    let small = headings.iter().filter(|h| h.0 > 2).count();
    let _ = write!(
        out,
        "<nav aria-labelledby=\"toc\">\n<p id=\"toc\">{}</p>\n<ol>\n",
        xml(lang.strings().contents)
    );
    let (mut is_open, mut is_inside) = (false, false);
    for (i, (level, text)) in headings.iter().enumerate() {
        let is_small = *level > 2;
        if is_small && small > MOST_NAMED {
            continue;
        }
        // What is in a chapter stands inside of the chapter's item.
        match (is_small, is_inside) {
            (true, false) => out.push_str("\n<ul>\n"),
            (false, true) => out.push_str("</ul>\n</li>\n"),
            (false, false) if is_open => out.push_str("</li>\n"),
            _ => {}
        }
        (is_inside, is_open) = (is_small, true);
        let _ = write!(out, "<li><a href=\"#h{}\">", i + 1);
        line(text, out);
        out.push_str(if is_small { "</a></li>\n" } else { "</a>" });
    }
    if is_inside {
        out.push_str("</ul>\n");
    }
    if is_open {
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n</nav>\n");
}

fn write_block(block: &Block, lang: Lang, out: &mut String) {
    match block {
        Block::Paragraph(text) => {
            out.push_str("<p>");
            line(text, out);
            out.push_str("</p>\n");
        }
        Block::List(items) => {
            out.push_str("<ul>\n");
            for item in items {
                out.push_str("<li>");
                line(item, out);
                out.push_str("</li>\n");
            }
            out.push_str("</ul>\n");
        }
        Block::Table { head, right, rows } => table(head, right, rows, out),
        Block::Code(_, text) => code(text, out),
        Block::Diff(text, files) if files.is_empty() => code(text, out),
        Block::Diff(_, files) => out.push_str(&to_html(files, lang.of_source())),
        Block::Heading(..) | Block::Plot(_) => {}
    }
}

fn table(head: &[Line], right: &[usize], rows: &[Vec<Line>], out: &mut String) {
    // Wide tables scroll by themselves, also with the keyboard.
    // What a column is like is named once on the table, not on every cell.
    let mut columns: Vec<String> = Vec::new();
    for i in 0..head.len().min(NUMBER_COLUMNS) {
        let is_number = right.contains(&i);
        // Figures and short names stay in one piece; those of the first column may be longer.
        let most = match (is_number, i) {
            (true, _) | (_, 0) => SHORT_NAME,
            _ => SHORT_CELL,
        };
        let mut cells = rows.iter().filter_map(|r| r.get(i));
        let is_short = cells.all(|c| width(&c.plain()) <= most);
        columns.extend(is_number.then(|| format!("r{i}")));
        columns.push(format!("{}{i}", if is_short { 'k' } else { 'w' }));
    }
    let _ = write!(
        out,
        "<div class=\"wide\" tabindex=\"0\"><table class=\"{}\">\n<thead><tr>",
        columns.join(" ")
    );
    let cells = |cells: &[Line], open: &str, close: &str, out: &mut String| {
        for cell in cells {
            out.push_str(open);
            line(cell, out);
            out.push_str(close);
        }
    };
    for name in head {
        let mut text = String::new();
        line(name, &mut text);
        // Names such as `shared.efficiency` may break behind a mark.
        let text = text.replace('.', ".<wbr>").replace('_', "_<wbr>");
        let _ = write!(out, "<th scope=\"col\">{text}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        cells(row, "<td>", "</td>", out);
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}

fn code(text: &str, out: &mut String) {
    out.push_str("<pre tabindex=\"0\"><code>");
    out.push_str(&xml_block(text));
    out.push_str("</code></pre>\n");
}

fn line(text: &Line, out: &mut String) {
    for piece in &text.0 {
        match piece {
            Piece::Own(words) => out.push_str(&xml(words)),
            Piece::Outside(raw) => out.push_str(&xml(raw.trim())),
            Piece::Break => out.push_str("<br>"),
            Piece::Code(words) => {
                out.push_str("<code>");
                out.push_str(&xml(words));
                out.push_str("</code>");
            }
            Piece::Strong(inner) => {
                out.push_str("<strong>");
                line(inner, out);
                out.push_str("</strong>");
            }
        }
    }
}

/// Columns of text that a figure or a short name takes at most.
const SHORT_NAME: usize = 34;

/// The same in a column that is not the first.
const SHORT_CELL: usize = 18;

/// Columns that can be set to the right: more than a page has room for.
const NUMBER_COLUMNS: usize = 64;

/// Sets the columns of numbers to the right, and keeps those and short names in one piece. Text keeps
/// room for some words on a line, on a screen more, where a wide table scrolls; a path or a hash in it
/// may break anywhere.
fn columns() -> String {
    let mut out = String::new();
    let mut screen = String::new();
    for i in 0..NUMBER_COLUMNS {
        let at = i + 1;
        let _ = writeln!(
            out,
            ".r{i} td:nth-child({at}),.r{i} th:nth-child({at}){{text-align:right}}\n\
             .k{i} td:nth-child({at}){{white-space:nowrap}}\n\
             .w{i} td:nth-child({at}){{overflow-wrap:anywhere;min-width:6rem}}"
        );
        let _ = writeln!(screen, ".w{i} td:nth-child({at}){{min-width:10rem}}");
    }
    format!("{out}@media screen{{\n{screen}}}\n")
}

/// Colours by custom properties: light, dark where the reader has it so, light on paper.
fn style() -> String {
    format!(
        ":root{{{}--code:#f6f8fa;--link:#0059b3}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{}\
         --code:#1c2128;--link:#79b8ff}}}}\n{}{}\n{}\n{STYLE}\n",
        plot::palette(false),
        plot::palette(true),
        include_str!("page.css"),
        columns(),
        plot::rules(),
    )
}
