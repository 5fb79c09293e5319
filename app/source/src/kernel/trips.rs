//! How often loops of C-like source run and are unrolled, where the text says it, and where their
//! statements end.

use super::Tally;
use super::body::{Body, Loop, Unroll};
use super::conditions::constant as constant_condition;
use super::declaration::value;
use crate::c_lex::{Class, Kind, integer};

/// Loops of more steps than this are not counted through.
const MAX_TRIPS: u64 = 1 << 20;

/// Macros of libraries that stand for a pragma of the next loop.
const PRAGMAS: &[(&str, Unroll)] = &[
    ("CUTE_UNROLL", Unroll::Whole),
    ("CUTLASS_PRAGMA_UNROLL", Unroll::Whole),
    ("PRAGMA_UNROLL", Unroll::Whole),
    ("CUTE_NO_UNROLL", Unroll::Not),
    ("CUTLASS_PRAGMA_NO_UNROLL", Unroll::Not),
    ("CUTLASS_GEMM_LOOP", Unroll::Not),
];

/// Loops of a function, counted until it ends.
#[derive(Default)]
pub(super) struct Loops {
    count: u64,
    /// Those that are asked to be unrolled.
    unrolled: u64,
}

impl Loops {
    /// Adds them to the facts.
    pub(super) fn put(&self, tally: &mut Tally) {
        for (fact, n) in [("loop.count", self.count), ("loop.unroll", self.unrolled)] {
            if n > 0 {
                tally.add(fact, n);
            }
        }
    }
}

impl Body<'_, '_> {
    pub(super) fn directive(&mut self, line: &str) {
        let rest = line[1..].trim_start();
        match rest.split(|c: char| !c.is_ascii_alphabetic()).next() {
            Some("if" | "ifdef" | "ifndef") if constant_condition(line).is_none() => {
                self.tally.add("conditional.count", 1);
            }
            Some("pragma") => self.pragma(rest["pragma".len()..].trim()),
            _ => {}
        }
    }

    /// What stands after `#pragma`.
    fn pragma(&mut self, text: &str) {
        // What generators write.
        if text == "unroll" {
            self.unroll = Some(Unroll::Whole);
            return self.count_pragma();
        }
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let first = words.next().unwrap_or("");
        let rest: Vec<&str> = words.filter(|w| !w.is_empty()).take(2).collect();
        // `GCC unroll 4` and `clang loop unroll_count(4)` too.
        let (name, argument) = match first {
            "GCC" | "clang" => (
                rest.iter().find(|w| w.contains("unroll")).copied(),
                rest.last().copied(),
            ),
            _ => (Some(first), rest.first().copied()),
        };
        let factor = text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .find_map(integer)
            .or_else(|| self.constant(argument?));
        self.unroll = match name.unwrap_or("") {
            "nounroll" => Some(Unroll::Not),
            n if n.starts_with("unroll") => Some(match factor {
                Some(0 | 1) => Unroll::Not,
                Some(n) => Unroll::By(n),
                None if text.contains("disable") => Unroll::Not,
                None => Unroll::Whole,
            }),
            _ => return,
        };
        self.count_pragma();
    }

    fn count_pragma(&mut self) {
        match self.unroll {
            Some(Unroll::Not) => self.tally.add("loop.nounroll", 1),
            Some(_) => self.steps.unrolled += 1,
            None => {}
        }
    }

    /// `_Pragma("unroll")` and macros of libraries before a loop; whether one stands there.
    pub(super) fn pragma_macro(&mut self, i: usize) -> bool {
        let t = self.t;
        if t.mark(i + 1) == b'(' {
            if !t.is(i, "_Pragma") || t.kind(i + 2) != Some(Kind::Text) {
                return false;
            }
            self.pragma(t.at(i + 2).trim_matches('"').trim());
            return true;
        }
        // Words before `for` and `while` are few.
        if !matches!(t.class(i + 1), Class::For | Class::While) {
            return false;
        }
        let Some((_, unroll)) = PRAGMAS.iter().find(|(name, _)| t.is(i, name)) else {
            return false;
        };
        self.unroll = Some(*unroll);
        self.count_pragma();
        true
    }

    pub(super) fn loop_header(&mut self, i: usize) {
        self.steps.count += 1;
        let asked = self.unroll.take().unwrap_or(Unroll::Not);
        let Some(close) = self.partner(i + 1) else {
            return;
        };
        let trips = match self.t.class(i) {
            Class::For => self.trips(i + 2, close),
            _ => None,
        };
        let copies = match (asked, trips) {
            (Unroll::Not, _) | (Unroll::Whole, None) => 1,
            (Unroll::Whole, Some(n)) => n,
            (Unroll::By(n), None) => n,
            (Unroll::By(n), Some(trips)) => n.min(trips),
        };
        if copies > 1 && self.loops.len() < 64 {
            let end = self.statement_end(close + 1);
            self.loops.push(Loop { end, copies });
        }
        if let Some(n) = trips
            && asked != Unroll::Whole
            && n > copies
        {
            self.tally.most("loop.trips", n.div_ceil(copies.max(1)));
        } else if let Some(n) = trips
            && asked == Unroll::Not
        {
            self.tally.most("loop.trips", n);
        }
    }

    /// Copies of a token after unrolling.
    pub(super) fn unrolled(&self) -> u64 {
        self.loops
            .iter()
            .fold(1, |n: u64, l| n.saturating_mul(l.copies))
    }

    /// The literal trip count of `int i = 0; i < 4; ++i` and of loops that count down, double or
    /// halve.
    pub(super) fn trips(&self, begin: usize, close: usize) -> Option<u64> {
        let t = self.t;
        let mut marks = (begin..close.min(begin + 64)).filter(|i| t.mark(*i) == b';');
        let (Some(first), Some(second), None) = (marks.next(), marks.next(), marks.next()) else {
            return None;
        };
        let constant = |n: &str| self.constant(n);
        let number = |from: usize, to: usize| value(t, from, to, &constant);
        let equals = (begin..first).find(|i| t.mark(*i) == b'=')?;
        let from = number(equals + 1, first)?;
        let name = t.at(equals - 1);
        if !t.is(first + 1, name) {
            return None;
        }
        let equal = t.mark(first + 3) == b'=' && t.is_glued(first + 3);
        let to = number(first + 3 + usize::from(equal), second)?;
        let runs = |i: u64| match t.mark(first + 2) {
            b'<' if equal => Some(i <= to),
            b'<' => Some(i < to),
            b'>' if equal => Some(i >= to),
            b'>' => Some(i > to),
            b'!' if equal => Some(i != to),
            _ => None,
        };
        let step = second + 1..close;
        let op = step.clone().find(|i| t.mark(*i) != 0)?;
        let (sign, next) = (t.mark(op), t.mark(op + 1));
        // `i += 4`, `i >>= 1`: the number after the sign; `++i`: one.
        let assigned = step.clone().find(|i| t.mark(*i) == b'=');
        let by = match assigned {
            Some(i) => number(i + 1, close)?,
            None if sign == next => 1,
            None => return None,
        };
        // `i = i + 4` is rare in kernels, and read as nothing.
        if !(t.is(step.start, name) || t.is(step.start + 2, name)) || sign == b'=' {
            return None;
        }
        let after = |i: u64| match (sign, assigned.is_some()) {
            (b'+', _) => i.checked_add(by),
            (b'-', _) => i.checked_sub(by),
            (b'*', true) => i.checked_mul(by),
            (b'/', true) => i.checked_div(by),
            (b'<', true) => i.checked_shl(u32::try_from(by).ok()?),
            (b'>', true) => i.checked_shr(u32::try_from(by).ok()?),
            _ => None,
        };
        if sign == b'+' && t.mark(first + 2) == b'<' {
            let end = to + u64::from(equal);
            return (by > 0).then(|| end.saturating_sub(from).div_ceil(by));
        }
        let (mut i, mut n) = (from, 0u64);
        while runs(i)? {
            n += 1;
            // Counting below zero ends a signed loop.
            match after(i) {
                Some(next) if next != i => i = next,
                None if sign == b'-' => break,
                _ => return None,
            }
            if n > MAX_TRIPS {
                return None;
            }
        }
        Some(n)
    }

    /// The last token of the statement at a token.
    pub(super) fn statement_end(&self, mut i: usize) -> usize {
        for _ in 0..4096 {
            match self.t.mark(i) {
                b';' | b'}' => return i,
                b'{' => return self.partner(i).unwrap_or(self.last),
                b'(' | b'[' => i = self.partner(i).unwrap_or(i),
                0 if i >= self.t.len() => return i,
                _ => {}
            }
            i += 1;
        }
        i
    }
}
