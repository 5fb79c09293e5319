//! Loads and stores that C-like source shows: how wide, and in which memory.

use super::Tally;
use super::body::{Body, Space, Var};
use super::expansion::Use;
use crate::c_lex::{Class, Kind};

/// Parentheses around an access that are looked through.
const MAX_WRAPS: usize = 8;

/// Tokens of an operand in which its variable is looked for.
const MAX_OPERAND: usize = 64;

/// An access: its tokens, and what it touches.
pub(super) struct Access {
    pub first: usize,
    pub last: usize,
    pub space: Space,
    pub bits: Option<u64>,
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
        if i < self.covered {
            return;
        }
        if let Some(a) = self.pointer_cast(i).or_else(|| self.sum(i)) {
            self.count_access(&a);
        }
    }

    /// Counts the access that begins at a word, if one does.
    #[inline]
    pub(super) fn access_of_word(&mut self, i: usize, class: Class, symbol: u32) {
        if i < self.covered {
            return;
        }
        let found = match class {
            Class::NamedCast => self.named_cast(i),
            _ => match self.variable(i, symbol) {
                None if self.some_macros => self.by_macro(i),
                found => found,
            },
        };
        if let Some(a) = found {
            self.count_access(&a);
        }
    }

    /// `FETCH_FLOAT4(a[i])`, where the text says what the macro stands for.
    fn by_macro(&mut self, i: usize) -> Option<Access> {
        let (found, close) = self.macro_used(i)?;
        let Use::Access(bits) = *found else {
            return None;
        };
        self.covered = close;
        Some(Access {
            first: i,
            last: close,
            space: self.space_in(i + 2, close),
            bits,
        })
    }

    /// `*(p + i)`.
    fn sum(&self, i: usize) -> Option<Access> {
        let t = self.t;
        if !self.is_unary_star(i.checked_sub(1)?) {
            return None;
        }
        let close = self.partner(i)?;
        let end = close.min(i + MAX_OPERAND);
        // A cast in it is an access of its own.
        let casts = |j: usize| {
            t.class(j) == Class::NamedCast
                || (t.mark(j) == b'('
                    && self
                        .partner(j)
                        .is_some_and(|c| self.pointed(j + 1, c).is_some()))
        };
        if (i + 1..end).any(casts) {
            return None;
        }
        let pointer = |j: usize| {
            let var = self.known_variable(j)?;
            (var.pointer && t.mark(j + 1) != b'[' && t.mark(j - 1) != b'*').then_some(*var)
        };
        let var = (i + 1..end).find_map(pointer)?;
        Some(Access {
            first: i - 1,
            last: close,
            space: var.space,
            bits: var.bits,
        })
    }

    /// The variable that a token names, and not a member of that name.
    fn known_variable(&self, i: usize) -> Option<&Var> {
        if self.is_member(i) {
            return None;
        }
        self.vars.get(self.t.symbol(i)?)
    }

    /// Whether a name is that of a member, or has a scope before it.
    fn is_member(&self, i: usize) -> bool {
        let t = self.t;
        let before = if i > 0 { t.mark(i - 1) } else { 0 };
        matches!(before, b'.' | b':') || (before == b'>' && i > 1 && t.mark(i - 2) == b'-')
    }

    /// Whether a token is a `*` with one side.
    pub(super) fn is_unary_star(&self, i: usize) -> bool {
        self.t.mark(i) == b'*' && i > 0 && !self.is_operand(i - 1)
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
            bits,
        })
    }

    /// `reinterpret_cast<uint4*>(x)`, dereferenced or indexed, or to a reference.
    fn named_cast(&self, i: usize) -> Option<Access> {
        let t = self.t;
        let close = t.closing_angle(i + 1)?;
        let end = self.partner(close + 1)?;
        let (bits, reference) = match self.pointed(i + 2, close) {
            Some(bits) => (bits, false),
            None if t.mark(close - 1) == b'&' => (self.known.words.bits(t, close - 2), true),
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
            bits,
        })
    }

    /// `p[i]`, `array[i][j]` and `*p`.
    #[inline]
    fn variable(&self, i: usize, symbol: u32) -> Option<Access> {
        let t = self.t;
        let var = *self.vars.get(symbol)?;
        if self.is_member(i) {
            return None;
        }
        if let Some(record) = var.record
            && let Some(member) = self.member(i, &var)
        {
            return self.of_record(i, record, member);
        }
        if !(var.pointer || var.dims > 0) || self.is_declared(i) {
            return None;
        }
        let (mut last, mut subscripts) = (i, 0);
        while t.mark(last + 1) == b'[' {
            last = self.partner(last + 1)?;
            subscripts += 1;
        }
        // `(*p)[i]` of a pointer to an array.
        let star = var.pointer && var.dims > 1 && subscripts == 0 && i > 1;
        if star && t.mark(i - 1) == b'*' && t.mark(i - 2) == b'(' && t.mark(i + 1) == b')' {
            last = i + 1;
            subscripts = 1;
            while t.mark(last + 1) == b'[' {
                last = self.partner(last + 1)?;
                subscripts += 1;
            }
            return (subscripts >= var.dims).then_some(Access {
                first: i - 2,
                last,
                space: var.space,
                bits: var.bits,
            });
        }
        let first = if subscripts > 0 {
            if subscripts < var.dims.max(1) {
                return None;
            }
            i
        } else {
            if i == 0 || !self.is_unary_star(i - 1) || t.mark(i + 1) == b'(' {
                return None;
            }
            // `*p++` steps the pointer.
            if self.is_twice(i + 1) {
                last = i + 2;
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

    /// Bits of `T` when the tokens are a pointer type `T*`; those of a type that is not known are
    /// not known either.
    fn pointed(&self, begin: usize, end: usize) -> Option<Option<u64>> {
        let t = self.t;
        if end <= begin + 1 || end - begin > 24 {
            return None;
        }
        let mut bits = None;
        let (mut stars, mut words) = (0, 0);
        for i in begin..end {
            match t.mark(i) {
                b':' => {}
                b'*' => stars += 1,
                0 if t.class(i).is_qualifier()
                    && matches!(
                        t.at(i),
                        "const"
                            | "volatile"
                            | "__restrict__"
                            | "__shared__"
                            | "typename"
                            | "struct"
                    ) => {}
                0 if t.is_word(i) && stars == 0 => {
                    if t.is(i, "void") || t.class(i).is_statement() {
                        return None;
                    }
                    // Of `tl::uint4` and `unsigned char` the last word counts.
                    bits = self.known.words.bits(t, i);
                    words += 1;
                }
                _ => return None,
            }
        }
        (stars == 1 && words > 0).then_some(bits)
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
            .find_map(|i| Some((i, self.vars.get(t.symbol(i)?)?)))
            .map_or(Space::Generic, |(i, v)| {
                let of = v.record.and_then(|r| Some((r, self.member(i, v)?)));
                match of.map(|(record, member)| self.pointed_by(record, member)) {
                    None => v.space,
                    Some(Some((true, _))) => self.arguments,
                    Some(Some((false, _))) => v.space,
                    Some(None) => Space::Generic,
                }
            })
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
        let steps = self.is_twice(last + 1) || (first > 1 && self.is_twice(first - 2));
        let (stores, loads) = match t.mark(last + 1) {
            _ if steps => (true, true),
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

    /// Whether `++` or `--` stands at a token.
    fn is_twice(&self, i: usize) -> bool {
        let t = self.t;
        matches!(t.mark(i), b'+' | b'-') && t.mark(i + 1) == t.mark(i) && t.is_glued(i + 1)
    }

    pub(super) fn count_memory(&mut self, kind: &str, space: Space, bits: Option<u64>) {
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
        let cast = (open + 1..end).find_map(|i| match t.class(i) {
            Class::NamedCast => self.pointed(i + 2, t.closing_angle(i + 1)?),
            _ if t.mark(i) == b'(' => self.pointed(i + 1, self.partner(i)?),
            _ => None,
        });
        let bits = cast.unwrap_or_else(|| {
            (open + 1..end)
                .find_map(|i| self.known_variable(i))
                .and_then(|v| v.bits)
        });
        self.count_memory(kind, Space::Global, bits);
    }
}
