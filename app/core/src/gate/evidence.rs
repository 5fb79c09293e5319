//! The figures that a rule was judged by, as text.

use crate::expr::{Cond, Num, Scope, Spanned, compare, number};
use crate::units::whole_number;

/// Describes each comparison and search of a rule, in order, with the values met.
pub(super) fn describe(source: &str, root: &Spanned<Cond>, scope: &Scope<'_>) -> String {
    let mut parts = Vec::new();
    leaves(source, root, scope, &mut parts);
    parts.join("; ")
}

fn leaves(source: &str, node: &Spanned<Cond>, scope: &Scope<'_>, out: &mut Vec<String>) {
    match &node.it {
        Cond::And(a, b) | Cond::Or(a, b) => {
            leaves(source, a, scope, out);
            leaves(source, b, scope, out);
        }
        Cond::Not(a) => leaves(source, a, scope, out),
        Cond::Compare(op, a, b) => {
            let (left, right) = (Operand::of(source, a, scope), Operand::of(source, b, scope));
            let holds = match (left.value, right.value) {
                (Some(x), Some(y)) if compare(op, x, y) => "",
                (Some(_), Some(_)) => ", not",
                _ => ", unknown whether",
            };
            let hidden = match (left.value, right.value) {
                (Some(x), Some(y)) if x != y && figure(x) == figure(y) => {
                    format!(" (they differ by {})", figure((x - y).abs()))
                }
                _ => String::new(),
            };
            let (left, right) = (left.first(), right.second());
            out.push(format!("{left}{holds} {op} {right}{hidden}"));
        }
        Cond::Has(text) => {
            let found = match scope.text {
                Some(t) if t.contains(text.as_str()) => "found",
                Some(_) => "not found",
                None => "there is no generated source to search",
            };
            out.push(format!("{}: {found}", slice(source, node.span.clone())));
        }
    }
}

fn slice(source: &str, span: std::ops::Range<usize>) -> &str {
    source.get(span).unwrap_or(source)
}

struct Operand<'a> {
    text: &'a str,
    literal: bool,
    value: Option<f64>,
}

impl<'a> Operand<'a> {
    fn of(source: &'a str, node: &Spanned<Num>, scope: &Scope<'_>) -> Self {
        let literal = match &node.it {
            Num::Literal(_) => true,
            Num::Negative(a) => matches!(a.it, Num::Literal(_)),
            _ => false,
        };
        Self {
            text: slice(source, node.span.clone()),
            literal,
            value: number(node, scope).ok(),
        }
    }

    fn first(&self) -> String {
        match self.value {
            _ if self.literal => self.text.to_owned(),
            Some(v) => format!("{} = {}", self.text, figure(v)),
            None => format!("{} has no value", self.text),
        }
    }

    fn second(&self) -> String {
        match self.value {
            _ if self.literal => self.text.to_owned(),
            Some(v) => format!("{} ({})", self.text, figure(v)),
            None => format!("{} (no value)", self.text),
        }
    }
}

/// A figure with six digits; whole numbers have all of theirs, and beyond 2^53 as many as tell them
/// from their neighbours, so that a count is never shown as another one. What six digits hide of a
/// comparison is said beside it.
fn figure(value: f64) -> String {
    if let Some(digits) = whole_number(value) {
        return digits;
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if rounded.abs() >= 1e6 {
        return format!("{rounded:e}");
    }
    let text = format!("{rounded:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
