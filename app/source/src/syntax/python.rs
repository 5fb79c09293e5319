//! Python, as far as kernels in TileLang and Triton need it.

use super::table::is_python;
use super::{Open, Pieces, Syntax};
use crate::c_lex::{is_word_byte, number_end};

pub(super) fn line(line: &str, open: &mut Open, out: &mut Pieces) {
    let b = line.as_bytes();
    let mut i = 0;
    if let Open::Raw { mark, .. } = *open {
        match b.windows(3).position(|w| w == &mark[..3]) {
            Some(n) => i = n + 3,
            None => {
                out.put(0, b.len(), Syntax::String);
                return;
            }
        }
        *open = Open::Nothing;
        out.put(0, i, Syntax::String);
    }
    while i < b.len() {
        let from = i;
        match b[i] {
            b'#' => {
                out.put(i, b.len(), Syntax::Comment);
                return;
            }
            q @ (b'"' | b'\'') => {
                if b[i..].starts_with(&[q, q, q]) {
                    match b[i + 3..].windows(3).position(|w| w == [q, q, q]) {
                        Some(n) => i += n + 6,
                        None => {
                            let mut mark = [0u8; 18];
                            mark[..3].fill(q);
                            *open = Open::Raw { mark, length: 3 };
                            i = b.len();
                        }
                    }
                } else {
                    i = crate::c_lex::quote_end(b, i).min(b.len());
                }
                out.put(from, i, Syntax::String);
            }
            b'@' => {
                i += 1 + b[i + 1..]
                    .iter()
                    .take_while(|c| is_word_byte(**c) || **c == b'.')
                    .count();
                out.put(from, i, Syntax::Directive);
            }
            c if c.is_ascii_digit() => {
                i = number_end(b, i).min(b.len());
                out.put(from, i, Syntax::Number);
            }
            c if is_word_byte(c) => {
                i += b[i..].iter().take_while(|c| is_word_byte(**c)).count();
                let word = &line[from..i];
                let class = if is_python(word) {
                    Syntax::Keyword
                } else if (matches!(word, "T" | "tl") && b.get(i) == Some(&b'.'))
                    || (from >= 2 && matches!(&b[from - 2..from], b"T." | b"l."))
                {
                    Syntax::Intrinsic
                } else {
                    Syntax::Plain
                };
                out.put(from, i, class);
            }
            _ => i += 1,
        }
    }
}
