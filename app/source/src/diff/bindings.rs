//! What a temporary of side A is called on side B.
//!
//! A line of which both sides have the same text is no change only while every name in it means
//! the same. Lines that are equal after normalisation tell what each name of A is called in B:
//! word by word, and again with every declaration.

use super::compare::{Comparison, Entry, NONE};
use super::words::{MAX_BYTES, words};
use crate::fast::FastMap;
use crate::language::Language;

/// Names of A in B, and the other way round.
#[derive(Default)]
struct Names<'t> {
    there: FastMap<&'t str, &'t str>,
    back: FastMap<&'t str, &'t str>,
}

impl<'t> Names<'t> {
    fn bind(&mut self, a: &'t str, b: &'t str) {
        self.forget_a(a);
        self.forget_b(b);
        self.there.insert(a, b);
        self.back.insert(b, a);
    }

    fn forget_a(&mut self, a: &str) {
        if let Some(b) = self.there.remove(a) {
            self.back.remove(b);
        }
    }

    fn forget_b(&mut self, b: &str) {
        if let Some(a) = self.back.remove(b) {
            self.there.remove(a);
        }
    }

    fn are_free(&self, a: &str, b: &str) -> bool {
        !self.there.contains_key(a) && !self.back.contains_key(b)
    }

    /// Whether nothing says that this name is another one on the other side.
    fn keeps(&self, name: &str) -> bool {
        let same = |of: &FastMap<&str, &str>| of.get(name).is_none_or(|n| *n == name);
        same(&self.there) && same(&self.back)
    }
}

/// Places of lines that are paired by their text and in which a name means something else.
///
/// Only a kernel with names that differ has any.
pub(super) fn rebound(c: &Comparison<'_>) -> Vec<usize> {
    let mut out = Vec::new();
    let suspect =
        |e: &Entry| !e.is_change() && c.a.keys.get(e.a as usize) != c.b.keys.get(e.b as usize);
    let mut at = 0;
    while let Some(n) = c.entries[at..].iter().position(suspect) {
        let place = at + n;
        let region = region(c, c.entries[place]);
        let other = |e: &Entry| !e.is_change() && self::region(c, *e) != region;
        let from = c.entries[at..place].iter().rposition(other);
        let from = from.map_or(at, |n| at + n + 1);
        let to = c.entries[place..].iter().position(other);
        let to = to.map_or(c.entries.len(), |n| place + n);
        let renamed = |e: &Entry| {
            !e.is_change() && !suspect(e) && c.a.line(e.a as usize) != c.b.line(e.b as usize)
        };
        if c.entries[from..to].iter().any(renamed) {
            kernel(c, from, to, &mut out);
        }
        at = to;
    }
    out
}

/// The kernel of a line by number, from 1; 0 outside of kernels.
fn region(c: &Comparison<'_>, e: Entry) -> usize {
    let (p, line) = match e.a {
        NONE => (&c.b, e.b),
        a => (&c.a, a),
    };
    let n = (p.regions).partition_point(|r| r.lines.start <= line as usize);
    let inside = n > 0 && p.regions[n - 1].lines.contains(&(line as usize));
    if inside { n } else { 0 }
}

/// Follows the names through the lines of one kernel.
fn kernel(c: &Comparison<'_>, from: usize, to: usize, out: &mut Vec<usize>) {
    let mut names = Names::default();
    let declares = c.b.language.is_c_like();
    let unchanged = || (from..to).filter(|at| !c.entries[*at].is_change());
    if !declares {
        // A jump may stand before its label.
        for at in unchanged() {
            let e = c.entries[at];
            let (x, y) = (c.a.line(e.a as usize), c.b.line(e.b as usize));
            if let (Some(x), Some(y)) = (label(x), label(y)) {
                names.bind(x, y);
            }
        }
    }
    for at in from..to {
        let e = c.entries[at];
        let (a, b) = (e.a as usize, e.b as usize);
        if e.is_change() {
            // What is declared anew is not what it was.
            if !declares {
                continue;
            }
            if e.a != NONE {
                let x = tokens(c.a.language, c.a.line(a));
                let new = (0..x.len()).filter(|i| is_declared(&x, *i));
                new.for_each(|i| names.forget_a(x[i]));
            } else {
                let y = tokens(c.b.language, c.b.line(b));
                let new = (0..y.len()).filter(|i| is_declared(&y, *i));
                new.for_each(|i| names.forget_b(y[i]));
            }
            continue;
        }
        let by_key = c.a.keys.get(a) == c.b.keys.get(b);
        let x = tokens(c.a.language, c.a.line(a));
        let y = tokens(c.b.language, c.b.line(b));
        if x.len() != y.len() {
            continue;
        }
        let mut kept = true;
        for (i, (p, q)) in x.iter().zip(&y).enumerate() {
            if !is_name(p) || !is_name(q) {
                continue;
            }
            if (declares && is_declared(&x, i)) || names.are_free(p, q) {
                names.bind(p, q);
            } else if !by_key {
                kept &= names.keeps(p);
            }
        }
        if !kept {
            out.push(at);
        }
    }
}

fn label(line: &str) -> Option<&str> {
    let name = line.trim().strip_suffix(':')?;
    let name = name.trim_start_matches(['.', '(']).trim_end_matches(')');
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
}

/// The words of a line without blanks and comments.
pub(super) fn tokens(language: Language, line: &str) -> Vec<&str> {
    if line.len() > MAX_BYTES {
        return Vec::new();
    }
    let code = match line.find("//") {
        Some(at) if language.is_c_like() || language == Language::Ptx => &line[..at],
        _ => line,
    };
    let mut out: Vec<&str> = Vec::new();
    let (mut hidden, mut before) = (false, "");
    for (p, q) in words(code) {
        let word = &code[p..q];
        let last = std::mem::replace(&mut before, word);
        match (hidden, last, word) {
            (true, "*", "/") => (hidden, before) = (false, ""),
            (true, ..) => {}
            (false, "/", "*") => {
                out.pop();
                (hidden, before) = (true, "");
            }
            _ if word.trim().is_empty() => {}
            _ => out.push(word),
        }
    }
    out
}

/// Whether a word of device source is one that is declared there: `float x = 1`, `int *p;`.
pub(super) fn is_declared(words: &[&str], at: usize) -> bool {
    /// Words before a name that declare nothing.
    const NO_TYPES: &[&str] = &[
        "return", "else", "goto", "case", "new", "delete", "sizeof", "throw", "using", "typename",
    ];
    let next = words.get(at + 1).copied().unwrap_or(";");
    if !is_name(words[at]) || !matches!(next, "=" | ";" | "," | "[" | "{" | "(" | ")" | ":") {
        return false;
    }
    if next == "=" && words.get(at + 2) == Some(&"=") {
        return false;
    }
    let begin = words[..at]
        .iter()
        .rposition(|w| matches!(*w, ";" | "{" | "}" | "("))
        .map_or(0, |n| n + 1);
    let before = &words[begin..at];
    let is_type = |w: &&str| is_name(w) && !NO_TYPES.contains(w);
    let (Some(first), Some(last)) = (before.first(), before.last()) else {
        return false;
    };
    is_type(first)
        && (is_type(last) || matches!(*last, "*" | "&" | ">"))
        && !before.iter().any(|w| matches!(*w, "=" | "." | ","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_code_and_what_they_declare() {
        let declared = |line: &'static str| -> Vec<&str> {
            let t = tokens(Language::Cuda, line);
            let all = (0..t.len()).filter(|i| is_declared(&t, *i));
            all.map(|i| t[i]).collect()
        };
        assert_eq!(declared("  const float x_1 = a[0]; // int y;"), ["x_1"]);
        assert_eq!(declared("for (int i = 0; i < n; ++i) {"), ["i"]);
        assert_eq!(declared("float *p = q; vec<int> v[4];"), ["p", "v"]);
        for line in [
            "return x;",
            "a[i] = b * c;",
            "x = y > z;",
            "f(a, b);",
            "a == b;",
        ] {
            assert!(declared(line).is_empty(), "{line}");
        }
        let sass = "  /*0340*/  FFMA R21, R2 ;  /* 0x0000001b15157223 */";
        assert_eq!(
            tokens(Language::Sass, sass),
            ["FFMA", "R21", ",", "R2", ";"]
        );
    }
}
