//! What is known of the words of a text while its functions are read, by their numbers.

use std::cell::Cell;

use super::body::Var;
use super::{calls, types};
use crate::c_lex::Tokens;

/// Not asked yet.
const UNKNOWN: u16 = 0;

/// It is no type, or does nothing.
const NONE: u16 = u16::MAX;

/// What words mean as types and as functions: each is looked up once for a text.
#[derive(Default)]
pub(super) struct Words {
    bits: Vec<Cell<u16>>,
    effects: Vec<Cell<u16>>,
}

impl Words {
    /// Makes room for all words that a text has by now.
    pub(super) fn grow(&mut self, t: &Tokens<'_>) {
        self.bits.resize(t.symbols(), Cell::new(UNKNOWN));
        self.effects.resize(t.symbols(), Cell::new(UNKNOWN));
    }

    /// As [`types::bits`] of a token.
    pub(super) fn bits(&self, t: &Tokens<'_>, i: usize) -> Option<u64> {
        let cell = self.bits.get(t.symbol(i)? as usize)?;
        if cell.get() == UNKNOWN {
            let bits = types::bits(t.at(i)).and_then(|b| u16::try_from(b).ok());
            cell.set(bits.unwrap_or(NONE));
        }
        (cell.get() != NONE).then(|| u64::from(cell.get()))
    }

    /// Whether a function of that name does something, in any scope.
    pub(super) fn has_effect(&self, t: &Tokens<'_>, symbol: u32) -> bool {
        let Some(cell) = self.effects.get(symbol as usize) else {
            return false;
        };
        if cell.get() == UNKNOWN {
            // Of all scopes this is the one with the most functions.
            let effect = calls::function("tl", t.symbol_text(symbol));
            cell.set(if effect.is_some() { 1 } else { NONE });
        }
        cell.get() != NONE
    }
}

/// The variables and calls of one function, by the number of the name.
///
/// One table serves all functions of a text: what an earlier one wrote counts no more.
#[derive(Default)]
pub(super) struct Variables {
    /// The function that declared a name, and the place of the variable.
    slots: Vec<(u32, u32)>,
    /// The function that called a name.
    calls: Vec<u32>,
    function: u32,
    list: Vec<Var>,
}

impl Variables {
    /// Makes room for all words that a text has by now.
    pub(super) fn grow(&mut self, t: &Tokens<'_>) {
        self.slots.resize(t.symbols(), (0, 0));
        self.calls.resize(t.symbols(), 0);
    }

    /// Begins the next function.
    pub(super) fn clear(&mut self) {
        self.function += 1;
        self.list.clear();
    }

    /// Number of different names.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, name: u32) -> Option<&Var> {
        let (function, place) = self.slots.get(name as usize)?;
        (*function == self.function)
            .then(|| self.list.get(*place as usize))
            .flatten()
    }

    pub(super) fn insert(&mut self, name: u32, var: Var) {
        let Some(slot) = self.slots.get_mut(name as usize) else {
            return;
        };
        if slot.0 == self.function {
            if let Some(old) = self.list.get_mut(slot.1 as usize) {
                *old = var;
            }
            return;
        }
        // There are fewer variables than tokens.
        *slot = (
            self.function,
            u32::try_from(self.list.len()).unwrap_or(u32::MAX),
        );
        self.list.push(var);
    }

    /// Notes a call; whether it is the first of that name in the function.
    pub(super) fn call(&mut self, name: u32) -> bool {
        (self.calls.get_mut(name as usize))
            .is_some_and(|f| std::mem::replace(f, self.function) != self.function)
    }
}
