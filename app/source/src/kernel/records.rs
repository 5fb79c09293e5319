//! Members of records that a text declares.

use super::access::Access;
use super::body::{Body, Space, Var};
use super::declaration::{Declaration, read_declaration};
use super::words::Words;
use crate::c_lex::{Class, Tokens};
use crate::fast::FastMap;

/// Members that are kept of a text.
const MAX_MEMBERS: usize = 4096;

/// Tokens of one record that are looked at.
const MAX_TOKENS: usize = 4096;

/// Whether members are pointers, and the bits of what they point to, by record and name.
#[derive(Debug, Default)]
pub(super) struct Records<'a>(FastMap<(&'a str, &'a str), (bool, Option<u64>)>);

impl<'a> Records<'a> {
    /// What is known of a member.
    pub(super) fn member(&self, record: &str, name: &str) -> Option<(bool, Option<u64>)> {
        self.0.get(&(record, name)).copied()
    }

    /// Takes in the record that is declared at `struct` or `class`.
    pub(super) fn read(&mut self, t: &Tokens<'a>, at: usize, words: &Words) {
        // `template <class T>` and the type of an argument have no body; the name stands before
        // template arguments and bases: `struct alignas(16) Params : Base {`.
        let ends = |i: usize| matches!(t.mark(i), b'{' | b';' | b'>' | b')' | b',' | b'=');
        let (mut open, most) = (at + 1, t.len().min(at + 32));
        let (mut name, mut named) = (None, false);
        while open < most && !ends(open) {
            match t.mark(open) {
                b'(' => open = t.closing(open, most).unwrap_or(most),
                b'<' => {
                    named = true;
                    open = t.closing_angle(open).unwrap_or(most);
                }
                b':' => named = true,
                _ if !named && t.is_word(open) && !t.class(open).is_qualifier() => {
                    name = Some(open);
                }
                _ => {}
            }
            open += 1;
        }
        if t.mark(open) != b'{' {
            return;
        }
        let end = t.len().min(open + MAX_TOKENS);
        let (Some(name), Some(close)) = (name, t.closing(open, end)) else {
            return;
        };
        let mut d = Declaration::default();
        let mut i = open + 1;
        while i < close && self.0.len() < MAX_MEMBERS {
            if read_declaration(t, i, close, &mut d) {
                let bits = words.bits(t, d.type_name);
                for v in &d.variables {
                    let key = (t.at(name), t.at(v.name));
                    self.0.insert(key, (v.pointer, bits));
                }
            }
            // To the next statement; functions and records inside are gone past.
            while i < close && !matches!(t.mark(i), b';' | b'}') {
                i = match t.mark(i) {
                    b'{' | b'(' => t.closing(i, close).unwrap_or(close),
                    _ => i,
                };
                if t.mark(i) == b'}' {
                    break;
                }
                i += 1;
            }
            i += 1;
        }
    }

    /// Whether a record may begin at a token.
    pub(super) fn begins(t: &Tokens<'_>, i: usize) -> bool {
        t.class(i) == Class::Qualifier && matches!(t.at(i), "struct" | "class")
    }
}

impl Body<'_, '_> {
    /// The member that a name of a record goes to: `out` of `p.out` and of `q->out`.
    pub(super) fn member(&self, i: usize, var: &Var) -> Option<usize> {
        let t = self.t;
        let at = match (t.mark(i + 1), t.mark(i + 2)) {
            (b'.', _) if !var.pointer => i + 2,
            (b'-', b'>') if var.pointer && t.is_glued(i + 2) => i + 3,
            _ => return None,
        };
        t.is_word(at).then_some(at)
    }

    /// `p.out[i]` and `*p.out`, where `p` is an argument.
    pub(super) fn of_record(&self, i: usize, record: u32, member: usize) -> Option<Access> {
        let t = self.t;
        let (space, bits) = match self.pointed_by(record, member) {
            Some((true, bits)) => (self.arguments, bits),
            // An array inside of the record came with the arguments.
            Some((false, _)) => return None,
            None => (Space::Generic, None),
        };
        let mut last = member;
        while t.mark(last + 1) == b'[' {
            last = self.partner(last + 1)?;
        }
        let first = if last > member {
            i
        } else {
            // What is not known to be a pointer may be a record that has a `*` of its own.
            let known = self.pointed_by(record, member).is_some();
            if !known
                || i == 0
                || !self.is_unary_star(i - 1)
                || matches!(t.mark(last + 1), b'(' | b'.')
            {
                return None;
            }
            i - 1
        };
        if t.mark(last + 1) == b'.' && t.mark(last + 3) == b'(' {
            return None;
        }
        Some(Access {
            first,
            last,
            space,
            bits,
        })
    }

    /// Whether a member is a pointer, and the bits of what it points to; `None` when the text does
    /// not declare it.
    pub(super) fn pointed_by(&self, record: u32, member: usize) -> Option<(bool, Option<u64>)> {
        let name = self.t.symbol_text(record);
        self.known.records.member(name, self.t.at(member))
    }
}
