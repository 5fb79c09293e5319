//! Formulas over named dims, e.g. `2*M*N*K` or `ceildiv(K, 64)`.
//!
//! The language has numbers (`4`, `0.5`, `1e9`), names, `+ - * /` (true division), unary minus,
//! parentheses, `< <= > >= == !=`, `and`, `or`, `not`, and the functions `ceildiv(a, b)`,
//! `min(a, b, …)`, `max(a, b, …)`, `if(condition, a, b)`, `floor(a)`, `ceil(a)`, `log2(a)` and
//! `abs(a)`. Conditions and numbers are told apart when the text is read, so that evaluation
//! cannot meet the wrong kind.
//!
//! Evaluation never rounds in silence. A division by zero, a result that is not finite and a value
//! beyond 2^53 (from where an `f64` no longer holds every integer) are errors. Length and depth
//! are bounded, so that no text can exhaust the stack.

mod eval;
mod lex;
mod parse;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::text::{inert, nearest};

pub(crate) use eval::{Scope, compare, condition, number};
pub(crate) use parse::{compile, parse_amount, parse_condition};
pub(crate) use tree::{Cond, Num, Spanned, names_of_condition, names_of_number, uses_text};

/// Longest text that is read, in bytes.
pub const MAX_LENGTH: usize = 4096;

/// Deepest nesting that is read; a chain of `n` operators counts as `n`.
pub const MAX_DEPTH: usize = 100;

/// Largest magnitude of a value in a formula: 2^53.
pub const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The words that cannot be names: operators and functions.
pub const RESERVED: &[&str] = &[
    "and", "or", "not", "ceildiv", "min", "max", "if", "floor", "ceil", "log2", "abs",
];

/// Values of names.
pub type Env = BTreeMap<String, f64>;

/// Why a text is not a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprError {
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What stands there, for people.
    pub found: String,
    /// What was expected, for people.
    pub expected: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl ExprError {
    pub(crate) fn new(
        span: Range<usize>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            span,
            found: found.into(),
            expected: expected.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The message without the place and the hint.
    pub fn message(&self) -> String {
        format!("expected {}, found {}", self.expected, inert(&self.found))
    }
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at character {}", self.message(), self.span.start + 1)?;
        match &self.hint {
            Some(hint) => write!(f, "; {}", inert(hint)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ExprError {}

/// Why a formula has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError {
    /// Where, in bytes of the formula's text.
    pub span: Range<usize>,
    /// Why.
    pub kind: EvalErrorKind,
}

/// The ways in which an evaluation fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalErrorKind {
    /// A name has no value.
    #[error("`{name}` has no value{}", suggestion.as_ref().map(|s| format!("; did you mean `{s}`?")).unwrap_or_default())]
    Missing {
        /// The name.
        name: String,
        /// A name near to it that has one.
        suggestion: Option<String>,
    },
    /// There is no generated source to search.
    #[error("there is no generated source to search")]
    NoText,
    /// A divisor is zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A value is infinite or not a number.
    #[error("the value is not finite")]
    NotFinite,
    /// A value is beyond 2^53.
    #[error("the value is beyond 2^53, where not every integer can be told apart")]
    TooLarge,
    /// A function was given what it is not defined for.
    #[error("{0}")]
    Domain(&'static str),
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at character {}",
            inert(&self.kind.to_string()),
            self.span.start + 1
        )
    }
}

impl std::error::Error for EvalError {}

/// A formula that yields a number.
#[derive(Debug, Clone)]
pub struct Expr {
    source: String,
    root: Spanned<Num>,
}

/// Two formulas are equal when their texts are.
impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Expr {}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl std::str::FromStr for Expr {
    type Err = ExprError;
    fn from_str(s: &str) -> Result<Self, ExprError> {
        Self::parse(s)
    }
}

impl Expr {
    /// Reads a formula.
    ///
    /// # Errors
    /// Says where the text stops being a formula that yields a number, and what was expected.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let root = parse::parse_number(text)?;
        Ok(Self {
            source: text.to_owned(),
            root,
        })
    }

    /// The text it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names it uses, each once, in order of appearance, with the place of the first use.
    pub fn names(&self) -> Vec<(&str, Range<usize>)> {
        let mut all = Vec::new();
        tree::names_of_number(&self.root, &mut all);
        let mut seen: Vec<(&str, Range<usize>)> = Vec::new();
        for (name, span) in all {
            if !seen.iter().any(|(n, _)| *n == name.name) {
                seen.push((&name.name, span));
            }
        }
        seen
    }

    /// Checks that each name is one of `known`.
    ///
    /// # Errors
    /// Names the first that is not, with a near miss.
    pub fn check_names(&self, known: &[&str]) -> Result<(), ExprError> {
        for (name, span) in self.names() {
            if !known.contains(&name) {
                return Err(unknown_name(span, name, known));
            }
        }
        Ok(())
    }

    /// Evaluates the formula.
    ///
    /// # Errors
    /// As [`EvalErrorKind`]; never a rounded, infinite or undefined value.
    pub fn eval(&self, env: &Env) -> Result<f64, EvalError> {
        let lookup = |name: &str| env.get(name).copied();
        let scope = Scope {
            lookup: &lookup,
            text: None,
            exact: true,
        };
        eval::number(&self.root, &scope).map_err(|mut e| {
            if let EvalErrorKind::Missing { name, suggestion } = &mut e.kind {
                *suggestion = near(name, env.keys().map(String::as_str)).map(str::to_owned);
            }
            e
        })
    }
}

/// The name that may have been meant. One letter is near to every other letter, so for those only
/// the other case counts.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.collect();
    let case = known.iter().find(|k| k.eq_ignore_ascii_case(name)).copied();
    case.or_else(|| nearest(name, known).filter(|_| name.len() > 1))
}

/// What is expected where one of `names` is.
pub(crate) fn one_of(names: &[&str]) -> String {
    const MOST: usize = 30;
    match names {
        [one] => format!("`{one}`"),
        _ if names.len() > MOST => {
            format!(
                "one of {} and {} more",
                names[..MOST].join(", "),
                names.len() - MOST
            )
        }
        _ => format!("one of {}", names.join(", ")),
    }
}

fn unknown_name(span: Range<usize>, name: &str, known: &[&str]) -> ExprError {
    let expected = if known.is_empty() {
        "a number (no names are declared here)".to_owned()
    } else {
        one_of(known)
    };
    let error = ExprError::new(span, format!("unknown name `{name}`"), expected);
    match near(name, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// Whether `name` can be the name of a dim or parameter: a letter or `_`, then letters, digits
/// and `_` (ASCII), and not a word of the language.
pub fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !RESERVED.contains(&name)
}
