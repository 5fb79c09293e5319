//! What macros with parentheses stand for where a kernel uses them.
//!
//! `FETCH_FLOAT4(a[i]) = FETCH_FLOAT4(b[j])` hides two accesses of 128 bits, and `HMMA16816(…)` a
//! matrix instruction. The replacement is read like the body of a function.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use super::body::{Body, Known};
use super::brackets::Brackets;
use super::conditions::Dead;
use super::macros::{Define, Defines, tokens};
use super::outline::{Piece, Role};
use super::records::Records;
use super::words::{Variables, Words};
use super::{Tally, count_memory};
use crate::c_lex::Tokens;

/// Macros in macros that are followed.
const MAX_DEPTH: usize = 4;

/// Macros that are read for one text, in others too.
const MAX_READ: usize = 2048;

/// What a macro comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Use {
    /// One access through its argument, which may be a store: its bits.
    Access(Option<u64>),
    /// Whatever is counted.
    Facts(Box<Tally>),
}

/// The macros with parentheses of a text, each read when it is used first.
#[derive(Default)]
pub(super) struct Macros<'a> {
    defines: Rc<Defines<'a>>,
    /// In how many macros these are used.
    depth: usize,
    /// Macros that were read so far, in each other too.
    count: Rc<Cell<usize>>,
    /// Of each word: whether it was looked for, and where its use is.
    found: Vec<Cell<u16>>,
    uses: RefCell<Vec<Rc<Use>>>,
}

/// A word that was not looked for.
const UNKNOWN: u16 = 0;

/// A word that is no macro, or hides nothing.
const NONE: u16 = u16::MAX;

impl<'a> Macros<'a> {
    /// Makes room for all words that a text has by now.
    pub(super) fn grow(&mut self, t: &Tokens<'_>) {
        self.found.resize(t.symbols(), Cell::new(UNKNOWN));
    }

    pub(super) fn add(&mut self, define: Define<'a>) {
        if !define.body.is_empty() && Rc::make_mut(&mut self.defines).add(define) {
            self.found.fill(Cell::new(UNKNOWN));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.defines.is_empty()
    }

    /// What the word of a number comes to.
    fn of(&self, t: &Tokens<'_>, symbol: u32, known: &Known<'_, '_>) -> Option<Rc<Use>> {
        let cell = self.found.get(symbol as usize)?;
        if cell.get() == UNKNOWN {
            let define = self.defines.get(t.symbol_text(symbol));
            let read = define.and_then(|d| self.read(d, known));
            cell.set(match read {
                Some(found) => {
                    let mut uses = self.uses.borrow_mut();
                    uses.push(Rc::new(found));
                    u16::try_from(uses.len()).unwrap_or(NONE)
                }
                None => NONE,
            });
        }
        let place = usize::from(cell.get()).checked_sub(1)?;
        self.uses.borrow().get(place).cloned()
    }

    fn read(&self, d: &Define<'_>, outside: &Known<'_, '_>) -> Option<Use> {
        if self.count.get() >= MAX_READ {
            return None;
        }
        self.count.set(self.count.get() + 1);
        let names: Vec<&str> = d.parameters.iter().flatten().copied().collect();
        let body = d.expand(&names)?;
        let text = format!("void f() {{ {body} ; }}");
        let t = tokens(&text)?;
        let open = (0..t.len()).find(|i| t.mark(*i) == b'{')?;
        let piece = Piece {
            role: Role::Function,
            first: 0,
            name: 1,
            open,
            last: t.len() - 1,
        };
        let mut macros = Macros {
            depth: self.depth + 1,
            count: Rc::clone(&self.count),
            ..Macros::default()
        };
        if macros.depth < MAX_DEPTH {
            macros.defines = Rc::clone(&self.defines);
        }
        macros.grow(&t);
        let mut words = Words::default();
        words.grow(&t);
        words.take_aliases(&t, outside.words);
        let known = Known {
            constants: outside.constants,
            words: &words,
            defined: &HashSet::new(),
            dead: &Dead::default(),
            macros: &macros,
            records: &Records::default(),
        };
        let mut vars = Variables::default();
        vars.grow(&t);
        let (mut tally, _) = Body::read(&t, &piece, &known, &mut vars, &mut Brackets::default());
        tally.remove("shared.static_bytes");
        if tally.is_empty() {
            return None;
        }
        let statement = body.contains(';') || body.contains('=') || body.contains("asm");
        let accesses: Vec<(&str, u64)> = (tally.iter())
            .filter(|(n, _)| n.starts_with("load."))
            .collect();
        let only = match accesses[..] {
            [(name, 1)] if !statement => generic(name),
            _ => None,
        };
        Some(match only {
            Some((_, bits)) => Use::Access(bits),
            None => Use::Facts(Box::new(tally)),
        })
    }
}

/// The kind and bits of `load.generic.b128`.
fn generic(name: &str) -> Option<(&'static str, Option<u64>)> {
    let (kind, rest) = match name.split_once(".generic.")? {
        ("load", rest) => ("load", rest),
        ("store", rest) => ("store", rest),
        _ => return None,
    };
    Some((kind, rest.strip_prefix('b').and_then(|n| n.parse().ok())))
}

impl Body<'_, '_> {
    /// What the macro used at a token comes to, and the end of its arguments.
    pub(super) fn macro_used(&self, i: usize) -> Option<(Rc<Use>, usize)> {
        if self.t.mark(i + 1) != b'(' {
            return None;
        }
        let symbol = self.t.symbol(i)?;
        let found = self.known.macros.of(self.t, symbol, self.known)?;
        Some((found, self.partner(i + 1)?))
    }

    /// Counts a macro with statements in it; whether there is one at the token.
    pub(super) fn expand(&mut self, i: usize) -> bool {
        let Some((found, close)) = self.macro_used(i) else {
            return false;
        };
        let Use::Facts(facts) = &*found else {
            return true;
        };
        let mut rest = facts.as_ref().clone();
        let space = self.space_in(i + 2, close).name();
        let through: Vec<(String, u64)> = (facts.iter())
            .filter(|(name, _)| generic(name).is_some())
            .map(|(name, n)| (name.to_owned(), n))
            .collect();
        for (name, n) in &through {
            rest.remove(name);
            let Some((kind, bits)) = generic(name) else {
                continue;
            };
            for _ in 0..(*n).min(256) {
                count_memory(&mut rest, kind, space, bits);
            }
        }
        if let Some(n) = rest.get("mma.unrolled") {
            rest.remove("mma.unrolled");
            rest.add("mma.unrolled", n.saturating_mul(self.unrolled()));
        }
        self.tally.take_in(&rest);
        true
    }
}
