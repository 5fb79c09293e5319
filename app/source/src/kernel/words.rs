//! What is known of the words of a text while its functions are read, by their numbers.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::body::Var;
use super::{calls, types};
use crate::c_lex::Tokens;

/// Names of types that are kept.
const MAX_ALIASES: usize = 1024;

/// Not asked yet.
const UNKNOWN: u16 = 0;

/// It is no type, or does nothing.
const NONE: u16 = u16::MAX;

/// What was found of a function by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looked {
    /// It does nothing that is counted.
    Nothing,
    /// It does something in some scope.
    Scoped,
    /// It does this in every scope.
    Does(calls::Effect),
}

/// What words mean as types and as functions: each is looked up once for a text.
#[derive(Default)]
pub(super) struct Words {
    /// Names that the text gives to types.
    aliases: RefCell<BTreeMap<String, u64>>,
    bits: Vec<Cell<u16>>,
    /// [`UNKNOWN`], [`NONE`], [`SCOPED`], or the place of what it does, from 2.
    effects: Vec<Cell<u16>>,
    /// What functions do that are used.
    does: RefCell<Vec<calls::Effect>>,
}

/// A function that does something in some scope.
const SCOPED: u16 = 1;

impl Words {
    /// Makes room for all words that a text has by now.
    pub(super) fn grow(&mut self, t: &Tokens<'_>) {
        self.bits.resize(t.symbols(), Cell::new(UNKNOWN));
        self.effects.resize(t.symbols(), Cell::new(UNKNOWN));
    }

    /// Takes in that a text gives a type another name, at a `typedef` or `using`.
    pub(super) fn alias(&self, t: &Tokens<'_>, i: usize) {
        if let Some((name, bits)) = types::alias(t, i, &|at| self.bits(t, at))
            && let Some(cell) = t.symbol(name).and_then(|s| self.bits.get(s as usize))
        {
            cell.set(u16::try_from(bits).unwrap_or(NONE));
            if let Ok(mut aliases) = self.aliases.try_borrow_mut()
                && aliases.len() < MAX_ALIASES
            {
                aliases.insert(t.at(name).to_owned(), bits);
            }
        }
    }

    /// Takes in the names that another text gives to types.
    pub(super) fn take_aliases(&self, t: &Tokens<'_>, other: &Self) {
        let aliases = other.aliases.borrow();
        if aliases.is_empty() {
            return;
        }
        for (symbol, cell) in (0u32..).zip(&self.bits) {
            if let Some(bits) = aliases.get(t.symbol_text(symbol)) {
                cell.set(u16::try_from(*bits).unwrap_or(NONE));
            }
        }
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

    /// What is known of a function by its name.
    pub(super) fn effect(&self, t: &Tokens<'_>, symbol: u32) -> Looked {
        let Some(cell) = self.effects.get(symbol as usize) else {
            return Looked::Nothing;
        };
        if cell.get() == UNKNOWN {
            let name = t.symbol_text(symbol);
            cell.set(match calls::function("", name) {
                Some(effect) => {
                    let mut does = self.does.borrow_mut();
                    let place = u16::try_from(does.len() + 2).ok().filter(|p| *p < NONE);
                    let Some(place) = place else {
                        return Looked::Does(effect);
                    };
                    does.push(effect);
                    place
                }
                None if calls::in_some_scope(name) => SCOPED,
                None => NONE,
            });
        }
        match cell.get() {
            NONE => Looked::Nothing,
            SCOPED => Looked::Scoped,
            place => (self.does.borrow().get(usize::from(place) - 2))
                .map_or(Looked::Nothing, |effect| Looked::Does(*effect)),
        }
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
