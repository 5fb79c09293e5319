//! The document as Markdown (GitHub flavour), without any HTML of its own.

use super::{Block, Doc, Line, Piece};
use crate::escape::{code, fence, md, table};

/// Writes the document.
pub(crate) fn write(doc: &Doc) -> String {
    let mut out = String::new();
    for block in &doc.blocks {
        write_block(block, &mut out);
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    out
}

fn write_block(block: &Block, out: &mut String) {
    match block {
        Block::Heading(level, text) => {
            for _ in 0..*level {
                out.push('#');
            }
            out.push(' ');
            line_with(text, " ", out);
            out.push_str("\n\n");
        }
        Block::Paragraph(text) => {
            line_with(text, BREAK, out);
            out.push_str("\n\n");
        }
        Block::List(items) => {
            for item in items {
                out.push_str("- ");
                line_with(item, BREAK, out);
                out.push('\n');
            }
            out.push('\n');
        }
        Block::Table { head, right, rows } => table(out, head, right, rows),
        Block::Code(language, text) => {
            out.push_str(&fence(language, text));
            out.push('\n');
        }
        Block::Diff(text, _) => {
            out.push_str(&fence("diff", text));
            out.push('\n');
        }
        Block::Plot(_) => {}
    }
}

/// A break that stays in its paragraph or item.
const BREAK: &str = "\\\n  ";

/// Writes what has to stay on one line.
pub(crate) fn line(text: &Line, out: &mut String) {
    line_with(text, " ", out);
}

/// Writes the pieces of a line, each made inert by itself.
fn line_with(text: &Line, between: &str, out: &mut String) {
    for piece in &text.0 {
        match piece {
            Piece::Break => out.push_str(between),
            Piece::Code(words) => out.push_str(&code(words)),
            Piece::Own(words) => out.push_str(words),
            Piece::Outside(raw) => out.push_str(&md(raw)),
            Piece::Strong(inner) => {
                out.push_str("**");
                line_with(inner, between, out);
                out.push_str("**");
            }
        }
    }
}
