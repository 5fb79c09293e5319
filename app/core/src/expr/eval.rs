//! The value of a tree.

use std::ops::Range;

use super::tree::{Arithmetic, Cond, Name, Num, Spanned, Unary};
use super::{EvalError, EvalErrorKind, MAX_EXACT};

/// What a formula or rule is evaluated over.
pub(crate) struct Scope<'a> {
    /// Value of a name.
    pub(crate) lookup: &'a dyn Fn(&str) -> Option<f64>,
    /// Generated source, for `has` and `count`.
    pub(crate) text: Option<&'a str>,
    /// Whether values beyond 2^53 are refused: in formulas they are, measured figures may be large.
    pub(crate) exact: bool,
}

impl Scope<'_> {
    fn check(&self, value: f64, span: &Range<usize>) -> Result<f64, EvalError> {
        let kind = if !value.is_finite() {
            EvalErrorKind::NotFinite
        } else if self.exact && value.abs() > MAX_EXACT {
            EvalErrorKind::TooLarge
        } else {
            return Ok(value);
        };
        Err(EvalError {
            span: span.clone(),
            kind,
        })
    }

    /// The value of a name; a quoted name is asked for with its kind first.
    pub(crate) fn value(&self, name: &Name) -> Option<f64> {
        let scoped = name
            .scope
            .and_then(|s| (self.lookup)(&format!("{s}:{}", name.name)));
        scoped.or_else(|| (self.lookup)(&name.name))
    }

    fn name(&self, name: &Name, span: &Range<usize>) -> Result<f64, EvalError> {
        match self.value(name) {
            Some(value) => self.check(value, span),
            None => {
                let kind = EvalErrorKind::Missing {
                    name: name.name.clone(),
                    suggestion: None,
                };
                Err(EvalError {
                    span: span.clone(),
                    kind,
                })
            }
        }
    }

    fn source(&self, span: &Range<usize>) -> Result<&str, EvalError> {
        self.text.ok_or_else(|| EvalError {
            span: span.clone(),
            kind: EvalErrorKind::NoText,
        })
    }
}

/// The value of a number.
pub(crate) fn number(node: &Spanned<Num>, scope: &Scope<'_>) -> Result<f64, EvalError> {
    let fail = |kind| {
        Err(EvalError {
            span: node.span.clone(),
            kind,
        })
    };
    let value = match &node.it {
        Num::Literal(v) => *v,
        Num::Name(name) => return scope.name(name, &node.span),
        Num::Negative(a) => -number(a, scope)?,
        Num::Arithmetic(op, a, b) => {
            let (a, b) = (number(a, scope)?, number(b, scope)?);
            match op {
                Arithmetic::Add => a + b,
                Arithmetic::Subtract => a - b,
                Arithmetic::Multiply => a * b,
                Arithmetic::Divide if b == 0.0 => return fail(EvalErrorKind::DivisionByZero),
                Arithmetic::Divide => a / b,
            }
        }
        Num::CeilDiv(a, b) => match ceil_div(number(a, scope)?, number(b, scope)?) {
            Ok(v) => v,
            Err(kind) => return fail(kind),
        },
        Num::Extreme { largest, of } => {
            let mut best = None;
            for a in of {
                let v = number(a, scope)?;
                best = Some(match best {
                    None => v,
                    Some(b) if *largest => f64::max(b, v),
                    Some(b) => f64::min(b, v),
                });
            }
            best.unwrap_or(f64::NAN)
        }
        Num::If(c, a, b) => {
            return if condition(c, scope)? {
                number(a, scope)
            } else {
                number(b, scope)
            };
        }
        Num::Unary(f, a) => {
            let a = number(a, scope)?;
            match f {
                Unary::Floor => a.floor(),
                Unary::Ceil => a.ceil(),
                Unary::Abs => a.abs(),
                Unary::Log2 if a <= 0.0 => {
                    return fail(EvalErrorKind::Domain("log2 needs a number above zero"));
                }
                Unary::Log2 => a.log2(),
            }
        }
        Num::Count(pattern) => {
            let n = pattern.find_iter(scope.source(&node.span)?).count();
            // A text of more than 2^53 matches does not fit into memory.
            n as f64
        }
    };
    scope.check(value, &node.span)
}

/// `ceil(a / b)` without the rounding of a floating-point quotient.
fn ceil_div(a: f64, b: f64) -> Result<f64, EvalErrorKind> {
    if b == 0.0 {
        return Err(EvalErrorKind::DivisionByZero);
    }
    let whole = |v: f64| v.fract() == 0.0 && v.abs() <= MAX_EXACT;
    if !whole(a) || !whole(b) || b < 0.0 {
        return Err(EvalErrorKind::Domain(
            "ceildiv needs whole numbers, and a divisor above zero",
        ));
    }
    // Both are integers of at most 2^53, so the conversions are exact.
    let (a, b) = (a as i64, b as i64);
    Ok(-((-a).div_euclid(b)) as f64)
}

/// Whether a comparison of two values holds.
pub(crate) fn compare(op: &str, a: f64, b: f64) -> bool {
    match op {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        _ => a != b,
    }
}

/// The truth of a condition.
///
/// What is already settled by one side is not undone by missing evidence on the other:
/// `false and unknown` is false, `true or unknown` is true.
pub(crate) fn condition(node: &Spanned<Cond>, scope: &Scope<'_>) -> Result<bool, EvalError> {
    let missing = |e: &EvalError| {
        matches!(
            e.kind,
            EvalErrorKind::Missing { .. } | EvalErrorKind::NoText
        )
    };
    let join = |a: &Spanned<Cond>, b: &Spanned<Cond>, settles: bool| match condition(a, scope) {
        Ok(v) if v == settles => Ok(settles),
        Ok(_) => condition(b, scope),
        Err(e) if missing(&e) && condition(b, scope) == Ok(settles) => Ok(settles),
        Err(e) => Err(e),
    };
    match &node.it {
        Cond::Compare(op, a, b) => Ok(compare(op, number(a, scope)?, number(b, scope)?)),
        Cond::And(a, b) => join(a, b, false),
        Cond::Or(a, b) => join(a, b, true),
        Cond::Not(a) => Ok(!condition(a, scope)?),
        Cond::Has(text) => Ok(scope.source(&node.span)?.contains(text.as_str())),
    }
}
