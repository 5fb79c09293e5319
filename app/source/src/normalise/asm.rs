//! Normalisation of assembly.

use super::{Channels, Pass, Passes, collapse, labels, shorten_paths};
use crate::asm::{Dialect, Section, Statement, each_statement, split_comment};
use crate::language::Language;

/// One line on its way through the passes.
pub(super) struct Line {
    pub code: String,
    pub comment: String,
    /// Line of the input, from 0.
    pub origin: usize,
    /// Whether it stands in a section of code.
    pub in_code: bool,
}

pub(super) fn run(language: Language, text: &str, passes: &Passes, out: &mut Channels) {
    let dialect = Dialect::of(language, text);
    let mut lines = read(text, dialect, passes);
    if passes.has(Pass::Labels) {
        labels::renumber(&mut lines, text, dialect);
    }
    let whitespace = passes.has(Pass::Whitespace);
    out.text.reserve(text.len());
    for line in lines {
        let begin = out.text.len();
        if whitespace {
            let code = collapse(&line.code);
            let comment = line.comment.trim_end();
            if code.is_empty() && comment.is_empty() {
                continue;
            }
            let is_label = code.ends_with(':') || code.starts_with('.');
            if !code.is_empty() && !is_label {
                out.text.push('\t');
            }
            out.text.push_str(&code);
            if !code.is_empty() && !comment.is_empty() {
                out.text.push(' ');
            }
            out.text.push_str(comment);
        } else {
            out.text.push_str(&line.code);
            out.text.push_str(&line.comment);
        }
        if let Some(m) = &mut out.marks {
            m.put_lines(line.origin, out.text[begin..].trim_start());
        }
        out.text.push('\n');
    }
}

fn read(text: &str, dialect: Dialect, passes: &Passes) -> Vec<Line> {
    let keep_comments = !passes.has(Pass::Comments);
    let drop_debug = passes.has(Pass::DebugInfo);
    let mut section = Section::default();
    let mut in_block = false;
    let mut lines = Vec::new();
    for (origin, line) in text.lines().enumerate() {
        let (code, comment) = split_comment(line, dialect, &mut in_block);
        let mut kept: Vec<&str> = Vec::new();
        let mut dropped = false;
        each_statement(&code, dialect, |statement, text| {
            let noise = match statement {
                Statement::Directive(name, args) => {
                    section.follow(name, args);
                    section.is_debug() || is_debug_directive(name)
                }
                _ => section.is_debug(),
            };
            if noise && drop_debug {
                dropped = true;
            } else {
                kept.push(text);
            }
        });
        let code = if !dropped {
            code.into_owned()
        } else if kept.is_empty() && !keep_comments {
            continue;
        } else {
            kept.join(" ; ")
        };
        let comment = if keep_comments {
            comment
        } else {
            String::new()
        };
        // A line that held nothing but a comment leaves no blank line behind.
        if !keep_comments && code.trim().is_empty() && !line.trim().is_empty() {
            continue;
        }
        let code = if passes.has(Pass::Paths) && code.contains("\"/") {
            shorten_paths(&code)
        } else {
            code
        };
        lines.push(Line {
            code,
            comment,
            origin,
            in_code: section.is_code(),
        });
    }
    lines
}

fn is_debug_directive(name: &str) -> bool {
    name.starts_with(".cfi_")
        || name.starts_with(".addrsig")
        || matches!(
            name,
            ".loc" | ".file" | ".ident" | ".line" | ".ln" | ".linefile" | ".build_version"
        )
}
