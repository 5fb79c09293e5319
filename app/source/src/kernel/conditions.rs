//! Preprocessor conditions: their branches, and what they leave out for certain.

/// A directive of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Branch {
    /// `#if`, `#ifdef`, `#ifndef`.
    If,
    /// `#else`, `#elif` and its like.
    Else,
    /// `#endif`.
    End,
}

/// What a preprocessor line does to conditions.
pub(crate) fn branch(line: &str) -> Option<Branch> {
    let line = line.strip_prefix('#')?.trim_start();
    if !line.starts_with(['i', 'e']) {
        return None;
    }
    let word = line
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or("");
    match word {
        "if" | "ifdef" | "ifndef" => Some(Branch::If),
        "else" | "elif" | "elifdef" | "elifndef" => Some(Branch::Else),
        "endif" => Some(Branch::End),
        _ => None,
    }
}

/// Whether a condition is a constant: `#if 0`, `#if 1`.
pub(crate) fn constant(line: &str) -> Option<bool> {
    let rest = line.strip_prefix('#')?.trim_start().strip_prefix("if")?;
    match rest.trim() {
        "0" | "false" | "(0)" => Some(false),
        "1" | "true" | "(1)" => Some(true),
        _ => None,
    }
}

/// The tokens of a part that are left out, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dead(Vec<(usize, usize)>);

impl Dead {
    /// Whether nothing is left out.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The end of what is left out at a token; `None` when it is not left out.
    #[inline]
    pub(crate) fn end(&self, i: usize) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let next = self.0.partition_point(|(_, end)| *end <= i);
        let (first, end) = self.0.get(next)?;
        (*first <= i).then_some(*end)
    }
}

/// A condition that is open.
#[derive(Debug, Clone, Copy)]
struct Condition {
    constant: Option<bool>,
    /// Whether a branch after the first is being read.
    other: bool,
}

/// The conditions that are open at a token.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions {
    open: Vec<Condition>,
    /// Where something is left out: its first token, and how many conditions were open.
    from: Option<(usize, usize)>,
    dead: Dead,
}

impl Conditions {
    /// Begins a part, whose tokens are counted from 0.
    pub(crate) fn begin(&mut self) {
        self.dead.0.clear();
        if let Some((first, _)) = &mut self.from {
            *first = 0;
        }
    }

    /// What is left out of a part of so many tokens.
    pub(crate) fn end(&mut self, tokens: usize) {
        if let Some((first, _)) = self.from {
            self.leave_out(first, tokens);
        }
    }

    pub(crate) fn dead(&self) -> &Dead {
        &self.dead
    }

    /// Whether what follows is left out.
    #[inline]
    pub(crate) fn leaves_out(&self) -> bool {
        self.from.is_some()
    }

    /// Conditions that are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether another branch than the first is being read of a condition that was opened when so
    /// many were open, or later.
    #[inline]
    pub(crate) fn in_other_branch(&self, since: usize) -> bool {
        self.open
            .get(since..)
            .unwrap_or(&[])
            .iter()
            .any(|c| c.other)
    }

    fn leave_out(&mut self, first: usize, end: usize) {
        if first < end {
            self.dead.0.push((first, end));
        }
    }

    /// Leaves out the branches of the innermost condition that are still to come.
    pub(crate) fn leave_out_rest(&mut self, at: usize) {
        if self.from.is_none() {
            if let Some(c) = self.open.last_mut() {
                // Of no branch that follows is anything read.
                c.constant = Some(true);
            }
            self.from = Some((at + 1, self.open.len()));
        }
    }

    /// Takes a directive in.
    pub(crate) fn step(&mut self, branch: Branch, line: &str, at: usize) {
        let depth = self.open.len();
        match branch {
            Branch::If => {
                let constant = constant(line);
                self.open.push(Condition {
                    constant,
                    other: false,
                });
                if self.from.is_none() && constant == Some(false) {
                    self.from = Some((at + 1, depth + 1));
                }
            }
            Branch::Else => {
                let Some(c) = self.open.last_mut() else {
                    return;
                };
                match (self.from, c.constant) {
                    // The other branch of `#if 0` is read as if it were the first.
                    (Some((first, d)), Some(false)) if d == depth => {
                        c.constant = None;
                        self.from = None;
                        self.leave_out(first, at);
                    }
                    (None, Some(true)) => self.from = Some((at + 1, depth)),
                    (None, _) => c.other = true,
                    _ => {}
                }
            }
            Branch::End => {
                if let Some((first, d)) = self.from
                    && d == depth
                {
                    self.from = None;
                    self.leave_out(first, at);
                }
                self.open.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c_lex::{Kind, Tokens};

    #[test]
    fn constant_conditions_leave_their_branches_out() {
        let left = |text: &str| -> String {
            let t = Tokens::read(text).unwrap();
            let is_line = |i: &usize| t.kind(*i) == Some(Kind::Directive);
            let mut c = Conditions::default();
            for i in (0..t.len()).filter(is_line) {
                if let Some(b) = branch(t.at(i)) {
                    c.step(b, t.at(i), i);
                }
            }
            c.end(t.len());
            (0..t.len())
                .filter(|i| c.dead().end(*i).is_none() && !is_line(i))
                .map(|i| t.at(i))
                .collect()
        };
        assert_eq!(
            left("a\n#if 0\nb {\n#if X\nc\n#else\nd\n#endif\n#endif\ne"),
            "ae"
        );
        assert_eq!(left("#if 0\na\n#else\nb\n#endif\nc"), "bc");
        assert_eq!(left("#if 1\na\n#elif X\nb\n#else\nc\n#endif\nd"), "ad");
        assert_eq!(left("#if X\na\n#else\nb\n#endif\n#if 0\nc"), "ab");
        assert_eq!(left("#if 0\na\n#elif X\nb\n#else\nc\n#endif"), "bc");
        assert_eq!(branch("#  ifdef(X)"), Some(Branch::If));
        assert_eq!(branch("#pragma once"), None);
    }
}
