//! Local variables of device source by what they are called without their numbers.
//!
//! Generators number their temporaries through the whole file, so that one more of them renames
//! all that follow. Here a variable is called by its stem and by how many variables of that stem
//! are alive around it: `i_3` in a loop of its own is `$i`, and `$i1` inside of another.

use std::fmt::Write as _;

use crate::c_lex::{Kind, Tokens};
use crate::fast::FastMap;
use crate::kernel::declaration;
use crate::kernel::outline::Piece;

#[derive(PartialEq, Eq)]
enum Opened {
    /// A block.
    Block,
    /// The braces of an initialiser.
    Values,
    /// What a condition declares, until the statements of its branches end.
    Condition,
    /// What a loop declares, until its statement ends.
    Loop,
}

struct Scope<'a> {
    opened: Opened,
    round: usize,
    names: Vec<&'a str>,
}

/// New names by token, each text kept once.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Token and number of its name, in order of token.
    pub at: Vec<(u32, u32)>,
    table: Vec<String>,
    numbers: FastMap<String, u32>,
}

impl Names {
    pub(super) fn text(&self, number: u32) -> &str {
        self.table.get(number as usize).map_or("", String::as_str)
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(n) = self.numbers.get(name) {
            return *n;
        }
        // There are fewer tokens than numbers.
        let n = u32::try_from(self.table.len()).unwrap_or(u32::MAX);
        self.table.push(name.to_owned());
        self.numbers.insert(name.to_owned(), n);
        n
    }

    fn put(&mut self, token: usize, number: u32) {
        self.at
            .push((u32::try_from(token).unwrap_or(u32::MAX), number));
    }
}

/// Adds the new names of the local variables of one function.
pub(super) fn rename(t: &Tokens<'_>, piece: &Piece, out: &mut Names) {
    let mut r = Renamer {
        scopes: Vec::new(),
        text: String::new(),
        bound: FastMap::default(),
        alive: FastMap::default(),
    };
    let mut round = 0usize;
    let mut begins = false;
    let mut pending: Vec<usize> = Vec::new();
    let mut header_ends: Vec<usize> = Vec::new();
    for i in piece.open..=piece.last {
        if t.kind(i) == Some(Kind::Directive) {
            begins = true;
            continue;
        }
        let word = t.at(i);
        if t.is_word(i) {
            if begins && let Some(d) = declaration(t, i, piece.last + 1) {
                pending = d.variables.iter().rev().map(|v| v.name).collect();
            }
            if pending.last() == Some(&i) {
                pending.pop();
                let name = r.declare(word, out);
                out.put(i, name);
            } else if !is_member(t, i) {
                if let Some(name) = r.name(word) {
                    out.put(i, name);
                } else if word.starts_with('$') {
                    // No name of ours may meet one that was there.
                    let name = out.number(&format!("${word}"));
                    out.put(i, name);
                }
            }
        }
        let mut ended_header = false;
        let mark = t.mark(i);
        match mark {
            b'{' => {
                let before = if i > piece.open { t.at(i - 1) } else { "" };
                let block = i == piece.open
                    || matches!(
                        before,
                        ")" | "{" | "}" | ";" | "else" | "do" | ":" | "mutable"
                    )
                    || t.kind(i - 1) == Some(Kind::Directive);
                let opened = if block { Opened::Block } else { Opened::Values };
                r.open(opened, round);
            }
            b'}' => {
                let block = r.close_brace();
                if block {
                    r.end_headers(round, t.is(i + 1, "else"));
                }
            }
            b'(' => {
                if i > piece.open && matches!(t.at(i - 1), "for" | "if" | "while" | "switch") {
                    let condition = t.is(i - 1, "if");
                    r.open(
                        if condition {
                            Opened::Condition
                        } else {
                            Opened::Loop
                        },
                        round,
                    );
                    header_ends.push(round);
                }
                round += 1;
            }
            b')' => {
                round = round.saturating_sub(1);
                ended_header = header_ends.pop_if(|r| *r == round).is_some();
            }
            b';' => r.end_headers(round, t.is(i + 1, "else")),
            _ => {}
        }
        begins = ended_header
            || matches!(mark, b';' | b'{' | b'}' | b':')
            || (mark == 0 && matches!(word, "else" | "do"))
            || (mark == b'('
                && i > piece.open
                && matches!(t.at(i - 1), "for" | "if" | "while" | "switch"));
    }
}

/// Whether a word is a member, or part of a qualified name.
fn is_member(t: &Tokens<'_>, i: usize) -> bool {
    let before = i.checked_sub(1).map_or("", |j| t.at(j));
    let pair = i >= 2 && t.is_glued(i - 1);
    before == "."
        || (before == ">" && pair && t.is(i - 2, "-"))
        || (before == ":" && pair && t.is(i - 2, ":"))
        || (t.is(i + 1, ":") && t.is(i + 2, ":"))
}

struct Renamer<'a> {
    scopes: Vec<Scope<'a>>,
    /// The new names that an old one has, innermost last.
    bound: FastMap<&'a str, Vec<u32>>,
    /// A name being made.
    text: String,
    /// How many variables of a stem are alive.
    alive: FastMap<&'a str, usize>,
}

/// A name without its number: `i` of `i_1`, `v` of `v_`, `T` of `T7`.
fn stem(name: &str) -> &str {
    let stem = name
        .trim_start_matches('$')
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    if stem.is_empty() { "_" } else { stem }
}

impl<'a> Renamer<'a> {
    fn open(&mut self, opened: Opened, round: usize) {
        self.scopes.push(Scope {
            opened,
            round,
            names: Vec::new(),
        });
    }

    fn declare(&mut self, name: &'a str, names: &mut Names) -> u32 {
        let stem = stem(name);
        let alive = self.alive.entry(stem).or_default();
        self.text.clear();
        self.text.push('$');
        self.text.push_str(stem);
        if *alive > 0 {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{alive}");
        }
        let new = names.number(&self.text);
        if let Some(scope) = self.scopes.last_mut() {
            *alive += 1;
            scope.names.push(name);
            self.bound.entry(name).or_default().push(new);
        }
        new
    }

    fn name(&self, name: &str) -> Option<u32> {
        self.bound.get(name)?.last().copied()
    }

    fn close(&mut self) -> Option<Opened> {
        let scope = self.scopes.pop()?;
        for name in scope.names {
            if let Some(names) = self.bound.get_mut(name) {
                names.pop();
            }
            if let Some(alive) = self.alive.get_mut(stem(name)) {
                *alive = alive.saturating_sub(1);
            }
        }
        Some(scope.opened)
    }

    /// Closes the innermost braces and what was left open within; true when they were a block.
    fn close_brace(&mut self) -> bool {
        loop {
            match self.close() {
                Some(Opened::Loop | Opened::Condition) => {}
                Some(opened) => return opened == Opened::Block,
                None => return false,
            }
        }
    }

    /// Ends the loops and conditions whose statement is over; before an `else` the innermost
    /// condition goes on.
    fn end_headers(&mut self, round: usize, before_else: bool) {
        while let Some(s) = self.scopes.last() {
            let ends = match s.opened {
                Opened::Loop => true,
                Opened::Condition => !before_else,
                Opened::Block | Opened::Values => false,
            };
            if !ends || s.round != round {
                return;
            }
            self.close();
        }
    }
}
