//! What of a source is code: the text without comments and strings, by line as before.

use crate::asm::{Dialect, split_comment};
use crate::c_lex::{quote_end, raw_end};
use crate::language::Language;

/// The text that source gates search: without comments, and with every string empty.
///
/// Lines stay where they are. Strings of inline assembly and of `#include` are code and stay. Of
/// SASS only comments go, of plain text nothing.
pub fn code(language: Language, text: &str) -> String {
    match language {
        Language::Text => text.to_owned(),
        Language::Python => python(text),
        Language::Ptx | Language::Sass => c_like(text, language == Language::Sass),
        l if l.is_c_like() => c_like(text, false),
        _ => assembly(language, text),
    }
}

fn assembly(language: Language, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let dialect = Dialect::of(language, text);
    let mut in_block = false;
    for line in text.lines() {
        let (code, _) = split_comment(line, dialect, &mut in_block);
        let mut inside = false;
        let mut before = ' ';
        for c in code.chars() {
            if c == '"' && !(inside && before == '\\') {
                inside = !inside;
                out.push(c);
            } else if !inside {
                out.push(c);
            }
            before = if before == '\\' { ' ' } else { c };
        }
        out.push('\n');
    }
    out
}

fn python(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['#', '"', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('#') {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        }
        let quote = &rest[..1];
        let triple = quote.repeat(3);
        let end = match rest.strip_prefix(triple.as_str()) {
            Some(inside) => inside.find(&triple).map_or(rest.len(), |n| n + 6),
            None => quote_end(rest.as_bytes(), 0),
        };
        out.push_str(quote);
        out.extend(rest[..end].chars().filter(|c| *c == '\n'));
        out.push_str(quote);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn c_like(text: &str, keeps_strings: bool) -> String {
    let b = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    // What is copied begins here.
    let (mut from, mut i) = (0, 0);
    let (mut asm, mut depth) = (false, 0usize);
    let mut include = false;
    while let Some(c) = b.get(i) {
        let end = match c {
            b'/' if b.get(i + 1) == Some(&b'/') => line_end(b, i),
            b'/' if b.get(i + 1) == Some(&b'*') => {
                text[i + 2..].find("*/").map_or(b.len(), |n| i + n + 4)
            }
            b'"' => quote_end(b, i),
            // A quote between digits separates thousands.
            b'\'' if i == 0 || !b[i - 1].is_ascii_hexdigit() => quote_end(b, i),
            b'R' if b.get(i + 1) == Some(&b'"') && !is_word(b, i.wrapping_sub(1)) => {
                raw_end(b, i + 1)
            }
            b'#' if text[..i].trim_end_matches([' ', '\t']).ends_with('\n') || i == 0 => {
                include = text[i + 1..].trim_start().starts_with("include");
                i += 1;
                continue;
            }
            b'\n' => {
                include = false;
                i += 1;
                continue;
            }
            b'(' if asm => {
                depth += 1;
                i += 1;
                continue;
            }
            b')' if asm => {
                depth = depth.saturating_sub(1);
                asm = depth > 0;
                i += 1;
                continue;
            }
            c if (c.is_ascii_alphabetic() || *c == b'_') && !is_word(b, i.wrapping_sub(1)) => {
                let word = b[i..]
                    .iter()
                    .take_while(|c| c.is_ascii_alphanumeric() || **c == b'_')
                    .count();
                match &text[i..i + word] {
                    "asm" | "__asm__" | "__asm" => (asm, depth) = (true, 0),
                    "volatile" | "__volatile__" | "goto" | "inline" => {}
                    _ if depth == 0 => asm = false,
                    _ => {}
                }
                i += word;
                continue;
            }
            _ => {
                i += 1;
                continue;
            }
        };
        let comment = *c == b'/';
        if !comment && (keeps_strings || include || (asm && depth > 0)) {
            i = end;
            continue;
        }
        out.push_str(&text[from..i]);
        out.push_str(match c {
            b'/' => " ",
            b'\'' => "''",
            _ => "\"\"",
        });
        out.extend(text[i..end].chars().filter(|c| *c == '\n'));
        (from, i) = (end, end);
    }
    out.push_str(&text[from..]);
    out
}

fn is_word(b: &[u8], at: usize) -> bool {
    b.get(at)
        .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
}

/// The end of a comment to the end of its line, which a backslash carries on.
fn line_end(b: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(n) = b[at..].iter().position(|c| *c == b'\n') {
        at += n;
        if !b[..at].trim_ascii_end().ends_with(b"\\") {
            return at;
        }
        at += 1;
    }
    b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_see_neither_comments_nor_strings() {
        let text = "// __launch_bounds__(512, 1)\n#include \"a.h\" // x\nchar* s = \"a(\\\"b\"; /* c\nd */ int e = 1'000;\nasm volatile(\"mma.sync\" : \"=r\"(x)); f(\"g\", 'h');\nR\"(i)\" j\n";
        assert_eq!(
            code(Language::Cuda, text),
            " \n#include \"a.h\"  \nchar* s = \"\";  \n int e = 1'000;\nasm volatile(\"mma.sync\" : \"=r\"(x)); f(\"\", '');\n\"\" j\n"
        );
        assert_eq!(code(Language::Cuda, "a /* open\nb"), "a  \n");
        assert_eq!(
            code(Language::Ptx, "mov.u32 %r1, 2; // x\n"),
            "mov.u32 %r1, 2;  \n"
        );
        assert_eq!(
            code(Language::Sass, "/*0000*/ EXIT ; /* 0x1 */\n"),
            "  EXIT ;  \n"
        );
        assert_eq!(
            code(Language::Python, "a = 'x' # y\n'''\nz'''\nb"),
            "a = '' \n'\n'\nb"
        );
        assert_eq!(
            code(Language::AsmX86_64, "\tret # x\n\t.string \"vfmadd\"\n"),
            "\tret \n\t.string \"\"\n"
        );
        assert_eq!(code(Language::Text, "# \"a\""), "# \"a\"");
    }
}
