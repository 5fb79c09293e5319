//! Loads and stores that C-like source shows: how wide, and in which memory.

use super::Tally;
use super::body::{Body, Space, Var};
use crate::c_lex::{Class, Kind};

/// Parentheses around an access that are looked through.
const MAX_WRAPS: usize = 8;

/// Tokens of an operand in which its variable is looked for.
const MAX_OPERAND: usize = 64;

/// An access: its tokens, and what it touches.
struct Access {
    first: usize,
    last: usize,
    space: Space,
    bits: Option<u64>,
}

/// Widths that nearly all accesses have, in bits.
const WIDTHS: [u64; 6] = [8, 16, 32, 64, 128, 256];

/// Accesses of a function, by whether they store, by space and by width; the last are those of an
/// unknown width.
#[derive(Default)]
pub(super) struct Accesses([[[u64; WIDTHS.len() + 1]; 4]; 2]);

impl Accesses {
    /// Adds them to the facts.
    pub(super) fn put(&self, tally: &mut Tally) {
        for (kind, spaces) in ["load", "store"].into_iter().zip(&self.0) {
            for (space, counts) in Space::ALL.into_iter().zip(spaces) {
                let widths = WIDTHS.into_iter().map(Some).chain([None]);
                for (bits, n) in widths.zip(counts).filter(|(_, n)| **n > 0) {
                    tally.count_memory(kind, space.name(), bits, *n);
                }
            }
        }
    }
}

impl Body<'_, '_> {
    /// Counts the access that begins with the cast at a parenthesis, if one does.
    #[inline]
    pub(super) fn access_by_cast(&mut self, i: usize) {
        if let Some(a) = self.pointer_cast(i) {
            self.count_access(&a);
        }
    }

    /// Counts the access that begins at a word, if one does.
    #[inline]
    pub(super) fn access_of_word(&mut self, i: usize, class: Class, symbol: u32) {
        let found = match class {
            Class::NamedCast => self.named_cast(i),
            _ => self.variable(i, symbol),
        };
        if let Some(a) = found {
            self.count_access(&a);
        }
    }

    /// `(uint4*)x`, dereferenced or indexed.
    #[inline]
    fn pointer_cast(&self, i: usize) -> Option<Access> {
        // A type begins with a word, or with the `::` of one; most parentheses hold sums.
        if !(self.t.is_word(i + 1) || self.t.mark(i + 1) == b':') {
            return None;
        }
        let close = self.partner(i)?;
        // The star, or a qualifier after it, is the last of a pointer type.
        if !(self.t.mark(close - 1) == b'*' || self.t.class(close - 1).is_qualifier()) {
            return None;
        }
        let bits = self.pointed(i + 1, close)?;
        let operand = close + 1;
        let end = self.operand_end(operand)?;
        self.dereferenced(i, end, None).map(|(first, last)| Access {
            first,
            last,
            space: self.space_in(operand, last),
            bits: Some(bits),
        })
    }

    /// `reinterpret_cast<uint4*>(x)`, dereferenced or indexed, or to a reference.
    fn named_cast(&self, i: usize) -> Option<Access> {
        let t = self.t;
        let close = t.closing_angle(i + 1)?;
        let end = self.partner(close + 1)?;
        let (bits, reference) = match self.pointed(i + 2, close) {
            Some(bits) => (bits, false),
            None if t.mark(close - 1) == b'&' => (self.words.bits(t, close - 2)?, true),
            None => return None,
        };
        let (first, last) = if reference {
            (i, end)
        } else {
            self.dereferenced(i, end, Some(end))?
        };
        Some(Access {
            first,
            last,
            space: self.space_in(close + 1, end),
            bits: Some(bits),
        })
    }

    /// `p[i]`, `array[i][j]` and `*p`.
    #[inline]
    fn variable(&self, i: usize, symbol: u32) -> Option<Access> {
        let t = self.t;
        let var: &Var = self.vars.get(symbol)?;
        if !(var.pointer || var.dims > 0) || self.is_declared(i) {
            return None;
        }
        let before = if i > 0 { t.mark(i - 1) } else { 0 };
        if matches!(before, b'.' | b':') || (before == b'>' && i > 1 && t.mark(i - 2) == b'-') {
            return None;
        }
        let (mut last, mut subscripts) = (i, 0);
        while t.mark(last + 1) == b'[' {
            last = self.partner(last + 1)?;
            subscripts += 1;
        }
        let first = if subscripts > 0 {
            if subscripts < var.dims.max(1) {
                return None;
            }
            i
        } else {
            let unary = before == b'*' && i > 1 && !self.is_operand(i - 2);
            if !unary || t.mark(i + 1) == b'(' {
                return None;
            }
            i - 1
        };
        // A method of an element is no access of ours.
        if t.mark(last + 1) == b'.' && t.mark(last + 3) == b'(' {
            return None;
        }
        Some(Access {
            first,
            last,
            space: var.space,
            bits: var.bits,
        })
    }

    /// Bits of `T` when the tokens are a pointer type `T*`.
    fn pointed(&self, begin: usize, end: usize) -> Option<u64> {
        let t = self.t;
        if end <= begin + 1 || end - begin > 24 {
            return None;
        }
        let mut i = begin;
        let mut bits = None;
        let mut stars = 0;
        while i < end {
            match t.mark(i) {
                b':' => {}
                b'*' => stars += 1,
                0 if t.class(i).is_qualifier()
                    && matches!(
                        t.at(i),
                        "const" | "volatile" | "__restrict__" | "__shared__"
                    ) => {}
                0 if t.is_word(i) && stars == 0 => {
                    // Of `tl::uint4` and `unsigned char` the last word counts.
                    let scope = t.mark(i + 1) == b':';
                    bits = self.words.bits(t, i).or(scope.then_some(0));
                    bits?;
                }
                _ => return None,
            }
            i += 1;
        }
        bits.filter(|b| stars == 1 && *b > 0)
    }

    /// The last token of the operand of a cast.
    fn operand_end(&self, i: usize) -> Option<usize> {
        let t = self.t;
        let mut end = match t.mark(i) {
            b'(' => self.partner(i)?,
            b'&' | b'*' => return self.operand_end_after_sign(i + 1),
            _ if t.is_word(i) => i,
            _ => return None,
        };
        while matches!(t.mark(end + 1), b'[' | b'(') {
            end = self.partner(end + 1)?;
        }
        Some(end)
    }

    fn operand_end_after_sign(&self, i: usize) -> Option<usize> {
        if self.t.mark(i) == b'(' {
            self.partner(i)
        } else {
            self.t.is_word(i).then_some(i)
        }
    }

    /// The first and last token of the access that a cast from `first` to `end` is part of.
    fn dereferenced(
        &self,
        first: usize,
        end: usize,
        call: Option<usize>,
    ) -> Option<(usize, usize)> {
        let t = self.t;
        if call.is_some() && t.mark(end + 1) == b'[' {
            return Some((first, self.partner(end + 1)?));
        }
        let (mut open, mut close) = (first, end);
        for _ in 0..MAX_WRAPS {
            let before = open.checked_sub(1)?;
            if before <= self.open {
                return None;
            }
            if t.mark(before) == b'*' {
                return Some((before, close));
            }
            if t.mark(before) != b'(' {
                return None;
            }
            open = before;
            close = self.partner(before)?;
            if t.mark(close + 1) == b'[' {
                let mut last = close;
                while t.mark(last + 1) == b'[' {
                    last = self.partner(last + 1)?;
                }
                return Some((open, last));
            }
        }
        None
    }

    /// The memory that the first known variable of an operand lies in.
    pub(super) fn space_in(&self, begin: usize, end: usize) -> Space {
        let t = self.t;
        (begin..=end.min(begin + MAX_OPERAND))
            .filter(|i| t.mark(i.saturating_sub(1)) != b'.')
            .find_map(|i| self.vars.get(t.symbol(i)?))
            .map_or(Space::Generic, |v| v.space)
    }

    /// Whether a token ends an operand, so that a `*` or `&` after it has two sides.
    fn is_operand(&self, i: usize) -> bool {
        let t = self.t;
        match t.class(i) {
            Class::Return | Class::Else => false,
            Class::Statement => !t.is(i, "case"),
            _ => {
                matches!(t.mark(i), b')' | b']')
                    || matches!(t.kind(i), Some(Kind::Word | Kind::Number))
            }
        }
    }

    fn count_access(&mut self, a: &Access) {
        let t = self.t;
        let (mut first, mut last) = (a.first, a.last);
        for _ in 0..MAX_WRAPS {
            if first > self.open + 1 && t.mark(first - 1) == b'(' && t.mark(last + 1) == b')' {
                // The parenthesis of a call ends the expression.
                if first > 1 && t.is_word(first - 2) && t.class(first - 2) != Class::Return {
                    break;
                }
                first -= 1;
                last += 1;
            } else {
                break;
            }
        }
        let before = first.saturating_sub(1);
        if t.mark(before) == b'&'
            && !self.is_operand(before.saturating_sub(1))
            && t.mark(before.saturating_sub(1)) != b'&'
        {
            return;
        }
        let assigns = || t.mark(last + 2) == b'=' && t.is_glued(last + 2);
        let (stores, loads) = match t.mark(last + 1) {
            b'=' if !assigns() => (true, false),
            b'+' | b'-' | b'*' | b'/' | b'|' | b'&' | b'^' | b'%' if assigns() => (true, true),
            _ => (false, true),
        };
        if stores {
            self.count_memory("store", a.space, a.bits);
        }
        if loads {
            self.count_memory("load", a.space, a.bits);
        }
    }

    fn count_memory(&mut self, kind: &str, space: Space, bits: Option<u64>) {
        let width = bits.map_or(Some(WIDTHS.len()), |b| WIDTHS.iter().position(|w| *w == b));
        match width {
            Some(width) => {
                self.accesses.0[usize::from(kind == "store")][space as usize][width] += 1;
            }
            None => super::count_memory(&mut self.tally, kind, space.name(), bits),
        }
    }

    /// The access of `__ldg(p)` and its like.
    pub(super) fn access_by_call(&mut self, kind: &str, open: usize) {
        let Some(close) = self.partner(open) else {
            return;
        };
        let end = close.min(open + MAX_OPERAND);
        let t = self.t;
        let cast = (open + 1..end)
            .filter(|i| t.mark(*i) == b'(')
            .find_map(|i| self.pointed(i + 1, self.partner(i)?));
        let bits = cast.or_else(|| {
            (open + 1..end)
                .find_map(|i| self.vars.get(t.symbol(i)?))
                .and_then(|v| v.bits)
        });
        self.count_memory(kind, Space::Global, bits);
    }
}
