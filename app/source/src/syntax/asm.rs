//! PTX, SASS, AMDGCN, x86-64 and AArch64 assembly.

use super::{Open, Pieces, Syntax};
use crate::c_lex::{number_end, quote_end};
use crate::language::Language;

pub(super) fn line(language: Language, line: &str, open: &mut Open, out: &mut Pieces) {
    let b = line.as_bytes();
    let mut i = 0;
    // Whether an instruction, label or directive may begin here.
    let mut begins = true;
    if *open == Open::Comment {
        i = comment(line, 0, 0, open, out);
    }
    while i < b.len() {
        let from = i;
        let c = b[i];
        match c {
            c if c.is_ascii_whitespace() => {
                i += 1;
                continue;
            }
            b'/' if b.get(i + 1) == Some(&b'*') => {
                i = comment(line, i, i + 2, open, out);
                continue;
            }
            _ if is_comment(language, b, i) => {
                out.put(i, b.len(), Syntax::Comment);
                return;
            }
            b'"' => {
                i = quote_end(b, i).min(b.len());
                out.put(from, i, Syntax::String);
            }
            b';' | b'{' | b'}' => {
                i += 1;
                begins = c == b';' || matches!(language, Language::Ptx | Language::Sass);
                continue;
            }
            b'@' if begins => {
                i += 1 + b[i + 1..]
                    .iter()
                    .take_while(|c| is_name(**c) || matches!(**c, b'!' | b'%'))
                    .count();
                out.put(from, i, Syntax::Modifier);
                continue;
            }
            b'$' | b'#'
                if b.get(i + 1)
                    .is_some_and(|c| c.is_ascii_digit() || *c == b'-') =>
            {
                i = number_end(b, i + 1).min(b.len());
                out.put(from, i, Syntax::Number);
            }
            c if c.is_ascii_digit() && !(begins && b[i..].contains(&b':') && local(b, i)) => {
                i = number_end(b, i).min(b.len());
                out.put(from, i, Syntax::Number);
            }
            c if is_name(c) || c == b'%' => {
                i += 1;
                i += b[i..].iter().take_while(|c| is_name(**c)).count();
                let word = &line[from..i];
                if begins && b.get(i) == Some(&b':') {
                    out.put(from, i + 1, Syntax::Label);
                    i += 1;
                    continue;
                }
                out.put(from, i, word_class(language, word, begins));
            }
            _ => i += 1,
        }
        begins = false;
    }
}

/// Whether digits before a colon are a local label.
fn local(b: &[u8], at: usize) -> bool {
    let digits = b[at..].iter().take_while(|c| c.is_ascii_digit()).count();
    b.get(at + digits) == Some(&b':')
}

fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.') || c >= 0x80
}

fn is_comment(language: Language, b: &[u8], i: usize) -> bool {
    let two = b.get(i + 1) == Some(&b'/');
    match b[i] {
        b'/' => two,
        b'#' => language == Language::AsmX86_64,
        b';' => language == Language::AsmAmdgcn,
        _ => false,
    }
}

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

fn word_class(language: Language, word: &str, begins: bool) -> Syntax {
    if begins && !word.starts_with('%') {
        return match word.as_bytes() {
            [b'.', b'L', ..] => Syntax::Label,
            [b'.', ..] => Syntax::Directive,
            [b'$', ..] => Syntax::Label,
            _ => Syntax::Opcode,
        };
    }
    if word.starts_with(".L") || word.starts_with("$L") {
        return Syntax::Label;
    }
    if word.starts_with('.') {
        return Syntax::Directive;
    }
    if is_register(language, word) {
        Syntax::Register
    } else {
        Syntax::Plain
    }
}

fn is_register(language: Language, word: &str) -> bool {
    let numbered = |prefixes: &[&str]| {
        prefixes.iter().any(|p| {
            word.strip_prefix(p).is_some_and(|n| {
                let n = n.split('.').next().unwrap_or(n);
                !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit())
            })
        })
    };
    let head = word.split('.').next().unwrap_or(word);
    match language {
        Language::Ptx => word.starts_with('%'),
        Language::Sass => {
            numbered(&["R", "UR", "P", "UP", "B"])
                || matches!(head, "RZ" | "URZ" | "PT" | "UPT" | "SRZ")
                || head.starts_with("SR_")
        }
        Language::AsmAmdgcn => {
            numbered(&["v", "s", "a", "ttmp"])
                || matches!(
                    head,
                    "vcc"
                        | "exec"
                        | "m0"
                        | "scc"
                        | "vcc_lo"
                        | "vcc_hi"
                        | "exec_lo"
                        | "v"
                        | "s"
                        | "a"
                )
        }
        Language::AsmAarch64 => {
            numbered(&["x", "w", "v", "q", "d", "s", "h", "b", "z", "p"])
                || matches!(head, "sp" | "xzr" | "wzr" | "wsp" | "lr")
        }
        _ => {
            word.starts_with('%')
                || numbered(&["xmm", "ymm", "zmm", "k"])
                || crate::diff::is_x86(word)
        }
    }
}
