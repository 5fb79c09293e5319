//! Loads and stores that C-like source shows: how wide, and in which memory.

use super::body::{Body, Space, Var};
use super::types;

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

impl Body<'_, '_> {
    /// Counts the access that begins at a token, if one does.
    pub(super) fn access(&mut self, i: usize) {
        let t = self.t;
        let found = match t.at(i) {
            "(" => self.pointer_cast(i),
            "reinterpret_cast" => self.named_cast(i),
            _ if t.is_word(i) => self.variable(i),
            _ => None,
        };
        if let Some(a) = found {
            self.count_access(&a);
        }
    }

    /// `(uint4*)x`, dereferenced or indexed.
    fn pointer_cast(&self, i: usize) -> Option<Access> {
        let close = self.partner(i)?;
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
            None if t.is(close - 1, "&") => (types::bits(t.at(close - 2))?, true),
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
    fn variable(&self, i: usize) -> Option<Access> {
        let t = self.t;
        let var: &Var = self.vars.get(t.at(i))?;
        if !(var.pointer || var.dims > 0) || self.declared.contains(&i) {
            return None;
        }
        let before = if i > 0 { t.at(i - 1) } else { "" };
        if matches!(before, "." | ":") || (before == ">" && i > 1 && t.is(i - 2, "-")) {
            return None;
        }
        let (mut last, mut subscripts) = (i, 0);
        while t.is(last + 1, "[") {
            last = self.partner(last + 1)?;
            subscripts += 1;
        }
        let first = if subscripts > 0 {
            if subscripts < var.dims.max(1) {
                return None;
            }
            i
        } else {
            let unary = before == "*" && i > 1 && !self.is_operand(i - 2);
            if !unary || t.is(i + 1, "(") {
                return None;
            }
            i - 1
        };
        // A method of an element is no access of ours.
        if t.is(last + 1, ".") && t.is(last + 3, "(") {
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
            match t.at(i) {
                "const" | "volatile" | "__restrict__" | "__shared__" | ":" => {}
                "*" => stars += 1,
                word if t.is_word(i) && stars == 0 => {
                    // Of `tl::uint4` and `unsigned char` the last word counts.
                    bits = types::bits(word).or(if t.is(i + 1, ":") { Some(0) } else { None });
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
        let mut end = match t.at(i) {
            "(" => self.partner(i)?,
            "&" | "*" => return self.operand_end_after_sign(i + 1),
            _ if t.is_word(i) => i,
            _ => return None,
        };
        while matches!(t.at(end + 1), "[" | "(") {
            end = self.partner(end + 1)?;
        }
        Some(end)
    }

    fn operand_end_after_sign(&self, i: usize) -> Option<usize> {
        if self.t.is(i, "(") {
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
        if call.is_some() && t.is(end + 1, "[") {
            return Some((first, self.partner(end + 1)?));
        }
        let (mut open, mut close) = (first, end);
        for _ in 0..MAX_WRAPS {
            let before = open.checked_sub(1)?;
            if before <= self.open {
                return None;
            }
            if t.is(before, "*") {
                return Some((before, close));
            }
            if !t.is(before, "(") {
                return None;
            }
            open = before;
            close = self.partner(before)?;
            if t.is(close + 1, "[") {
                let mut last = close;
                while t.is(last + 1, "[") {
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
            .filter(|i| t.is_word(*i) && !t.is(i.saturating_sub(1), "."))
            .find_map(|i| self.vars.get(t.at(i)))
            .map_or(Space::Generic, |v| v.space)
    }

    /// Whether a token ends an operand, so that a `*` or `&` after it has two sides.
    fn is_operand(&self, i: usize) -> bool {
        let t = self.t;
        match t.at(i) {
            ")" | "]" => true,
            "return" | "else" | "case" => false,
            _ => matches!(
                t.kind(i),
                Some(crate::c_lex::Kind::Word | crate::c_lex::Kind::Number)
            ),
        }
    }

    fn count_access(&mut self, a: &Access) {
        let t = self.t;
        let (mut first, mut last) = (a.first, a.last);
        for _ in 0..MAX_WRAPS {
            if first > self.open + 1 && t.is(first - 1, "(") && t.is(last + 1, ")") {
                // The parenthesis of a call ends the expression.
                if first > 1 && t.is_word(first - 2) && t.at(first - 2) != "return" {
                    break;
                }
                first -= 1;
                last += 1;
            } else {
                break;
            }
        }
        let before = first.saturating_sub(1);
        if t.is(before, "&")
            && !self.is_operand(before.saturating_sub(1))
            && !t.is(before.saturating_sub(1), "&")
        {
            return;
        }
        let (stores, loads) = match t.at(last + 1) {
            "=" if !(t.is(last + 2, "=") && t.is_glued(last + 2)) => (true, false),
            "+" | "-" | "*" | "/" | "|" | "&" | "^" | "%"
                if t.is(last + 2, "=") && t.is_glued(last + 2) =>
            {
                (true, true)
            }
            _ => (false, true),
        };
        if stores {
            self.count_memory("store", a.space, a.bits);
        }
        if loads {
            self.count_memory("load", a.space, a.bits);
        }
    }

    pub(super) fn count_memory(&mut self, kind: &str, space: Space, bits: Option<u64>) {
        super::count_memory(&mut self.tally, kind, space.name(), bits);
    }

    /// The access of `__ldg(p)` and its like.
    pub(super) fn access_by_call(&mut self, kind: &str, open: usize) {
        let Some(close) = self.partner(open) else {
            return;
        };
        let end = close.min(open + MAX_OPERAND);
        let t = self.t;
        let cast = (open + 1..end)
            .filter(|i| t.is(*i, "("))
            .find_map(|i| self.pointed(i + 1, self.partner(i)?));
        let bits = cast.or_else(|| {
            (open + 1..end)
                .find_map(|i| self.vars.get(t.at(i)))
                .and_then(|v| v.bits)
        });
        self.count_memory(kind, Space::Global, bits);
    }
}
