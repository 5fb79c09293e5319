//! A number over the evidence of a run, in the language of gate rules.

use std::ops::Range;

use super::{Lookup, scope};
use crate::expr::{EvalError, ExprError, Num, Spanned, names_of_number, number, parse_amount};

/// A number over named figures, e.g. `workload.flops / claim.time`.
///
/// Unlike a formula ([`crate::expr::Expr`]) it has dotted names, and measured figures in it may be
/// beyond 2^53.
#[derive(Debug, Clone)]
pub struct Amount {
    source: String,
    root: Spanned<Num>,
}

/// Two amounts are equal when their texts are.
impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Amount {}

impl Amount {
    /// Reads an amount.
    ///
    /// # Errors
    /// Says where the text stops being a number, and what was expected.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        Ok(Self {
            source: text.to_owned(),
            root: parse_amount(text)?,
        })
    }

    /// The text it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names it uses, each once, in order of appearance, with the place of the first use.
    pub fn names(&self) -> Vec<(&str, Range<usize>)> {
        let mut all = Vec::new();
        names_of_number(&self.root, &mut all);
        let mut names: Vec<(&str, Range<usize>)> = Vec::new();
        for (name, span) in all {
            if !names.iter().any(|(n, _)| *n == name.name) {
                names.push((&name.name, span));
            }
        }
        names
    }

    /// Its value; `text` is what `count` searches.
    ///
    /// # Errors
    /// When a name has no value, a divisor is zero, or the result is not finite.
    pub fn eval(&self, lookup: Lookup<'_>, text: Option<&str>) -> Result<f64, EvalError> {
        number(&self.root, &scope(lookup, text))
    }
}
