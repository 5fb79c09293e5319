//! Macros of a text, as far as they hide what is looked for.

use crate::c_lex::Tokens;

/// Macros that are kept.
const MAX_DEFINES: usize = 1024;

/// Longer replacements are those of tables.
const MAX_BODY: usize = 16 << 10;

/// Longest text that a macro is expanded to.
const MAX_EXPANSION: usize = 64 << 10;

/// A macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Define<'a> {
    pub name: &'a str,
    /// The parameters of a macro with parentheses.
    pub parameters: Option<Vec<&'a str>>,
    /// What it stands for; lines that go on end in backslashes.
    pub body: &'a str,
}

impl<'a> Define<'a> {
    /// The macro of a preprocessor line.
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let rest = line
            .strip_prefix('#')?
            .trim_start()
            .strip_prefix("define")?;
        let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
            .unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let (parameters, body) = match rest.strip_prefix('(') {
            Some(inside) => {
                let (list, body) = inside.split_once(')')?;
                let names = list.split(',').map(str::trim);
                (Some(names.filter(|n| !n.is_empty()).collect()), body)
            }
            None => (None, rest),
        };
        let fine = !name.is_empty() && body.len() <= MAX_BODY;
        fine.then_some(Self {
            name,
            parameters,
            body: body.trim(),
        })
    }

    /// The body with the arguments in the place of the parameters.
    pub(super) fn expand(&self, arguments: &[&str]) -> Option<String> {
        let body = self.body.replace("\\\n", " ").replace("\\\r\n", " ");
        let Some(parameters) = &self.parameters else {
            return Some(body);
        };
        let t = tokens(&body)?;
        let mut out = String::new();
        for i in 0..t.len() {
            let word = t.at(i);
            let given = parameters.iter().position(|p| *p == word);
            out.push_str(match given {
                Some(n) => arguments.get(n).copied().unwrap_or(""),
                None => word,
            });
            out.push(' ');
            if out.len() > MAX_EXPANSION {
                return None;
            }
        }
        Some(out)
    }
}

/// Macros of a text by name; of several with one name the last counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Defines<'a>(Vec<Define<'a>>);

impl<'a> Defines<'a> {
    /// Adds a macro; whether there was room for it.
    pub(super) fn add(&mut self, define: Define<'a>) -> bool {
        let room = self.0.len() < MAX_DEFINES;
        if room {
            self.0.push(define);
        }
        room
    }

    pub(super) fn get(&self, name: &str) -> Option<&Define<'a>> {
        self.0.iter().rev().find(|d| d.name == name)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The tokens of what a macro comes to.
pub(super) fn tokens(text: &str) -> Option<Tokens<'_>> {
    let mut t = Tokens::of(text);
    while !t.is_at_end() {
        t.more()?;
    }
    Some(t)
}

/// The texts of the arguments in the parentheses at `open`, and the closing one.
pub(super) fn arguments<'a>(
    t: &Tokens<'a>,
    open: usize,
    end: usize,
) -> Option<(Vec<&'a str>, usize)> {
    let close = t.closing(open, end)?;
    let mut out = Vec::new();
    let (mut begin, mut depth) = (open + 1, 0usize);
    for i in open + 1..=close {
        match t.mark(i) {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if i < close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if i == close || (depth == 0 && t.mark(i) == b',') {
            if begin < i {
                out.push(t.text.get(t.place(begin).0..t.place(i - 1).1)?);
            } else if i < close {
                out.push("");
            }
            begin = i + 1;
        }
    }
    Some((out, close))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_read_and_expanded() {
        let d = Define::read("#define LD(p, v) \\\n (*(float4*)(p))").unwrap();
        assert_eq!(
            (d.name, d.parameters.as_deref()),
            ("LD", Some(&["p", "v"][..]))
        );
        assert_eq!(
            d.expand(&["x + 1", "2"]).unwrap(),
            "( * ( float4 * ) ( x + 1 ) ) "
        );
        let d = Define::read("# define N 4").unwrap();
        assert_eq!((d.name, &d.parameters, d.body), ("N", &None, "4"));
        assert_eq!(Define::read("#define"), None);
        assert_eq!(Define::read("#defined X"), None);
        assert_eq!(Define::read("#if X"), None);
        let t = Tokens::read("M(f(1, 2), , g[3])").unwrap();
        assert_eq!(
            arguments(&t, 1, t.len()).unwrap().0,
            ["f(1, 2)", "", "g[3]"]
        );
    }
}
