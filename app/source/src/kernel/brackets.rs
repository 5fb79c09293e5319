//! Which bracket belongs to which.

use super::conditions::Dead;
use crate::c_lex::Tokens;

/// No partner.
const NONE: u32 = u32::MAX;

/// The brackets of one function after another, in the same memory.
#[derive(Default)]
pub(super) struct Brackets {
    open: usize,
    partners: Vec<u32>,
    /// Places and characters of those that are open.
    stack: Vec<(u32, u8)>,
}

impl Brackets {
    /// Pairs the brackets of a function, by its first and last.
    pub(super) fn read(&mut self, t: &Tokens<'_>, open: usize, last: usize, dead: &Dead) {
        self.open = open;
        self.stack.clear();
        self.partners.clear();
        self.partners.resize(last.saturating_sub(open) + 1, NONE);
        let some_dead = !dead.is_empty();
        for (i, token) in t.range(open, last + 1) {
            if some_dead && dead.end(i).is_some() {
                continue;
            }
            let mark = token.mark();
            let opens = match mark {
                b'(' | b'[' | b'{' => {
                    self.stack.push((u32::try_from(i).unwrap_or(NONE), mark));
                    continue;
                }
                b')' => b'(',
                b']' => b'[',
                b'}' => b'{',
                _ => continue,
            };
            // A brace closes whatever was left open within it.
            if mark == b'}' {
                while self.stack.last().is_some_and(|(_, c)| *c != b'{') {
                    self.stack.pop();
                }
            }
            if let Some((o, _)) = self.stack.pop_if(|(_, c)| *c == opens) {
                self.partners[o as usize - open] = u32::try_from(i).unwrap_or(NONE);
                self.partners[i - open] = o;
            }
        }
    }

    /// The bracket that belongs to the one at a token.
    #[inline]
    pub(super) fn partner(&self, i: usize) -> Option<usize> {
        let p = *self.partners.get(i.checked_sub(self.open)?)?;
        (p != NONE).then_some(p as usize)
    }
}
