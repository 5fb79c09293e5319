//! Diffs as HTML. Every text is escaped; there are classes and no scripts.

use std::fmt::Write as _;

use assay_core::text;
use assay_core::view::{DiffLine, DiffPiece, FileDiff};

use crate::language::Language;
use crate::said::{self, Lang};
use crate::syntax::{Highlighter, Syntax};

/// A style sheet for [`to_html`]; it works on light and dark pages and on paper. What is told by
/// colour is told by a sign before the line too.
pub const STYLE: &str = "\
.diff{border-collapse:collapse;font:12px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;width:100%;margin:.8rem 0}\
.diff caption{text-align:left;font-weight:600;padding:.4em 0 .3em;overflow-wrap:anywhere}\
.diff td{white-space:pre-wrap;overflow-wrap:anywhere;vertical-align:top;padding:0 .5em;border:0;min-width:0;max-width:none}\
.diff .n{color:#888;text-align:right;user-select:none;white-space:pre;width:1%}\
.diff .h td{color:#888;border-top:1px solid #8886}\
.diff .context td:last-child::before{content:'  '}\
.diff .delete td:last-child::before{content:'- '}.diff .insert td:last-child::before{content:'+ '}\
.diff .delete{background:#f8514926}.diff .insert{background:#3fb95026}\
.diff .moved{background:#a371f726}\
.diff mark{color:inherit;font-weight:600}.diff .delete mark{background:#f8514966}.diff .insert mark{background:#3fb95066}\
.diff .s-keyword,.diff .s-opcode{color:#cf6679}.diff .s-type,.diff .s-register{color:#4c8fd6}\
.diff .s-intrinsic,.diff .s-label{color:#a371f7}.diff .s-number,.diff .s-string{color:#4f9a5d}\
.diff .s-comment{color:#888;font-style:italic}.diff .s-directive,.diff .s-modifier{color:#b0813c}\
@media print{.diff{font-size:8pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}.diff tr{break-inside:avoid}}";

/// One table for each file that differs, unified, with the style classes of [`STYLE`].
///
/// Syntax is followed from the beginning of each hunk.
pub fn to_html(files: &[FileDiff], lang: Lang) -> String {
    let mut out = String::new();
    for f in files {
        if !f.is_shown() {
            continue;
        }
        file(f, lang, &mut out);
    }
    out
}

fn file(f: &FileDiff, lang: Lang, out: &mut String) {
    let language: Language = f.language.parse().unwrap_or(Language::Text);
    let absent = super::render::absent(lang);
    let name = |p: &Option<String>| escape(p.as_deref().unwrap_or(&absent));
    let title = if f.a == f.b {
        name(&f.b)
    } else {
        format!("{} → {}", name(&f.a), name(&f.b))
    };
    let _ = writeln!(out, "<table class=\"diff\"><caption>{title}</caption>");
    for notice in said::notices(lang, f) {
        let _ = writeln!(
            out,
            "<tr class=\"h\"><td colspan=\"3\">{}</td></tr>",
            escape(&notice)
        );
    }
    for (i, hunk) in f.hunks.iter().enumerate() {
        let note = f.notes.get(i);
        let mut head = super::render::place(hunk);
        if let Some(n) = note {
            let kernel = if n.kernel_b.is_empty() {
                &n.kernel_a
            } else {
                &n.kernel_b
            };
            for part in [kernel.as_str(), said::changes(lang, n).as_str()] {
                if !part.is_empty() {
                    let _ = write!(head, " {part}");
                }
            }
        }
        let _ = writeln!(
            out,
            "<tr class=\"h\"><td colspan=\"3\">{}</td></tr>",
            escape(&head)
        );
        let (mut left, mut right) = (Highlighter::new(language), Highlighter::new(language));
        for l in hunk {
            line(l, &mut left, &mut right, out);
        }
    }
    out.push_str("</table>\n");
}

fn line(l: &DiffLine, left: &mut Highlighter, right: &mut Highlighter, out: &mut String) {
    let class = match l.tag.as_str() {
        "delete" if l.moved.is_some() => "delete moved",
        "insert" if l.moved.is_some() => "insert moved",
        "delete" => "delete",
        "insert" => "insert",
        _ => "context",
    };
    let number = |n: Option<u32>| n.map_or(String::new(), |n| n.to_string());
    let _ = write!(
        out,
        "<tr class=\"{class}\"><td class=\"n\">{}</td><td class=\"n\">{}</td><td>",
        number(l.a),
        number(l.b)
    );
    let text: String = l.pieces.iter().map(|p| p.text.as_str()).collect();
    let spans = match class {
        "delete" | "delete moved" => left.line(&text),
        "insert" | "insert moved" => right.line(&text),
        _ => {
            let before: String = l.left().iter().map(|p| p.text.as_str()).collect();
            left.skip(&before);
            right.line(&text)
        }
    };
    for (emphasised, syntax, part) in split(&l.pieces, &text, &spans) {
        let part = escape(part);
        let part = match syntax {
            Syntax::Plain => part,
            s => format!("<span class=\"s-{}\">{part}</span>", s.name()),
        };
        if emphasised {
            let _ = write!(out, "<mark>{part}</mark>");
        } else {
            out.push_str(&part);
        }
    }
    out.push_str("</td></tr>\n");
}

/// The pieces of a line cut where the syntax changes.
pub(super) fn split<'t>(
    pieces: &[DiffPiece],
    text: &'t str,
    spans: &[crate::syntax::Span],
) -> Vec<(bool, Syntax, &'t str)> {
    let mut out = Vec::new();
    let mut spans = spans.iter().peekable();
    let mut from = 0;
    for p in pieces {
        let end = from + p.text.len();
        while from < end {
            while spans.next_if(|s| s.to <= from).is_some() {}
            let (to, class) = match spans.peek() {
                Some(s) => (end.min(s.to), s.class),
                None => (end, Syntax::Plain),
            };
            out.push((p.emphasised, class, text.get(from..to).unwrap_or("")));
            from = to;
        }
    }
    out
}

/// Text that is inert in a page and in a terminal, on one line.
pub fn escape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in text::inert_block(raw).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}
