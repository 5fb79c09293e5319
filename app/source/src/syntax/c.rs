//! C, C++, CUDA, MACA and HIP.

use super::table::{is_attribute, is_intrinsic, is_keyword, is_type};
use super::{Open, Pieces, Syntax};
use crate::c_lex::{is_word_byte, number_end, quote_end};

pub(super) fn line(line: &str, open: &mut Open, out: &mut Pieces) {
    let b = line.as_bytes();
    let mut i = match resume(line, open, out) {
        Some(i) => i,
        None => return,
    };
    let mut first = true;
    while i < b.len() {
        let c = b[i];
        let from = i;
        if c.is_ascii_whitespace() {
            i += 1;
            continue;
        }
        match c {
            b'/' if b.get(i + 1) == Some(&b'/') => {
                out.put(i, b.len(), Syntax::Comment);
                *open = carried(b, Open::LineComment);
                return;
            }
            b'/' if b.get(i + 1) == Some(&b'*') => i = comment(line, i, i + 2, open, out),
            b'#' if first => {
                directive(line, i, open, out);
                return;
            }
            b'"' | b'\'' => {
                i = quote_end(b, i).min(b.len());
                out.put(from, i, Syntax::String);
            }
            b'R' if b.get(i + 1) == Some(&b'"') => i = raw(line, i, open, out),
            c if c.is_ascii_digit() => {
                i = number_end(b, i).min(b.len());
                out.put(from, i, Syntax::Number);
            }
            c if is_word_byte(c) => {
                i += b[i..].iter().take_while(|c| is_word_byte(**c)).count();
                let word = &line[from..i];
                let class = if is_keyword(word) {
                    Syntax::Keyword
                } else if is_type(word) {
                    Syntax::Type
                } else if is_attribute(word) {
                    Syntax::Directive
                } else if is_intrinsic(word) {
                    Syntax::Intrinsic
                } else {
                    Syntax::Plain
                };
                out.put(from, i, class);
            }
            _ => i += 1,
        }
        first = false;
    }
}

fn carried(b: &[u8], open: Open) -> Open {
    if b.ends_with(b"\\") {
        open
    } else {
        Open::Nothing
    }
}

/// Goes on with what the line before left open; `None` when the whole line belongs to it.
fn resume(line: &str, open: &mut Open, out: &mut Pieces) -> Option<usize> {
    let b = line.as_bytes();
    match *open {
        Open::Nothing => Some(0),
        Open::Comment => {
            let end = comment(line, 0, 0, open, out);
            (*open == Open::Nothing).then_some(end)
        }
        Open::LineComment => {
            out.put(0, b.len(), Syntax::Comment);
            *open = carried(b, Open::LineComment);
            None
        }
        Open::Directive => {
            *open = Open::Nothing;
            directive(line, 0, open, out);
            None
        }
        Open::Raw { mark, length } => {
            let mark = &mark[..usize::from(length)];
            match b.windows(mark.len().max(1)).position(|w| w == mark) {
                Some(n) => {
                    *open = Open::Nothing;
                    out.put(0, n + mark.len(), Syntax::String);
                    Some(n + mark.len())
                }
                None => {
                    out.put(0, b.len(), Syntax::String);
                    None
                }
            }
        }
    }
}

/// A block comment from `start`, whose end is looked for from `from` on.
fn comment(line: &str, start: usize, from: usize, open: &mut Open, out: &mut Pieces) -> usize {
    let end = line.get(from..).and_then(|r| r.find("*/"));
    let to = end.map_or(line.len(), |e| from + e + 2);
    *open = if end.is_some() {
        Open::Nothing
    } else {
        Open::Comment
    };
    out.put(start, to, Syntax::Comment);
    to
}

fn raw(line: &str, at: usize, open: &mut Open, out: &mut Pieces) -> usize {
    let b = line.as_bytes();
    let Some(n) = b[at + 2..].iter().take(17).position(|c| *c == b'(') else {
        let end = quote_end(b, at + 1).min(b.len());
        out.put(at, end, Syntax::String);
        return end;
    };
    let mut mark = [0u8; 18];
    mark[0] = b')';
    mark[1..=n].copy_from_slice(&b[at + 2..at + 2 + n]);
    mark[n + 1] = b'"';
    let body = at + 3 + n;
    let end = b[body..].windows(n + 2).position(|w| w == &mark[..n + 2]);
    let to = end.map_or(b.len(), |e| body + e + n + 2);
    if end.is_none() {
        // At most 18 bytes.
        let length = u8::try_from(n + 2).unwrap_or(18);
        *open = Open::Raw { mark, length };
    }
    out.put(at, to, Syntax::String);
    to
}

/// A preprocessor line: strings, comments and numbers in it are what they are anywhere.
fn directive(line: &str, at: usize, open: &mut Open, out: &mut Pieces) {
    let b = line.as_bytes();
    let mut i = at;
    while i < b.len() {
        let from = i;
        match b[i] {
            b'"' => {
                i = quote_end(b, i).min(b.len());
                out.put(from, i, Syntax::String);
            }
            b'/' if b.get(i + 1) == Some(&b'/') => {
                out.put(i, b.len(), Syntax::Comment);
                *open = carried(b, Open::LineComment);
                return;
            }
            b'/' if b.get(i + 1) == Some(&b'*') => {
                i = comment(line, i, i + 2, open, out);
                if *open == Open::Comment {
                    return;
                }
            }
            _ => {
                i += 1;
                while i < b.len() && !matches!(b[i], b'"' | b'/') {
                    i += 1;
                }
                out.put(from, i, Syntax::Directive);
            }
        }
    }
    *open = carried(b, Open::Directive);
}
