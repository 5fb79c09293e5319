//! The tree of a formula or rule, numbers and conditions apart.

use std::ops::Range;

use regex::Regex;

/// A node with its place in the text.
#[derive(Debug, Clone)]
pub(crate) struct Spanned<T> {
    pub(crate) it: T,
    pub(crate) span: Range<usize>,
    /// Levels below and including this one; bounded, so that walks may recurse.
    pub(super) depth: usize,
}

/// A name; in gate rules with the kind of evidence it is looked up in, if that is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) scope: Option<&'static str>,
    pub(crate) name: String,
}

/// What yields a number.
#[derive(Debug, Clone)]
pub(crate) enum Num {
    Literal(f64),
    Name(Name),
    Negative(Box<Spanned<Num>>),
    Arithmetic(Arithmetic, Box<Spanned<Num>>, Box<Spanned<Num>>),
    CeilDiv(Box<Spanned<Num>>, Box<Spanned<Num>>),
    Extreme {
        largest: bool,
        of: Vec<Spanned<Num>>,
    },
    If(Box<Spanned<Cond>>, Box<Spanned<Num>>, Box<Spanned<Num>>),
    Unary(Unary, Box<Spanned<Num>>),
    Count(Regex),
}

/// What is true or false.
#[derive(Debug, Clone)]
pub(crate) enum Cond {
    Compare(&'static str, Box<Spanned<Num>>, Box<Spanned<Num>>),
    And(Box<Spanned<Cond>>, Box<Spanned<Cond>>),
    Or(Box<Spanned<Cond>>, Box<Spanned<Cond>>),
    Not(Box<Spanned<Cond>>),
    Has(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Floor,
    Ceil,
    Log2,
    Abs,
}

pub(crate) fn names_of_number<'a>(n: &'a Spanned<Num>, out: &mut Vec<(&'a Name, Range<usize>)>) {
    match &n.it {
        Num::Literal(_) | Num::Count(_) => {}
        Num::Name(name) => out.push((name, n.span.clone())),
        Num::Negative(a) | Num::Unary(_, a) => names_of_number(a, out),
        Num::Arithmetic(_, a, b) | Num::CeilDiv(a, b) => {
            names_of_number(a, out);
            names_of_number(b, out);
        }
        Num::Extreme { of, .. } => of.iter().for_each(|a| names_of_number(a, out)),
        Num::If(c, a, b) => {
            names_of_condition(c, out);
            names_of_number(a, out);
            names_of_number(b, out);
        }
    }
}

pub(crate) fn names_of_condition<'a>(
    c: &'a Spanned<Cond>,
    out: &mut Vec<(&'a Name, Range<usize>)>,
) {
    match &c.it {
        Cond::Has(_) => {}
        Cond::Not(a) => names_of_condition(a, out),
        Cond::And(a, b) | Cond::Or(a, b) => {
            names_of_condition(a, out);
            names_of_condition(b, out);
        }
        Cond::Compare(_, a, b) => {
            names_of_number(a, out);
            names_of_number(b, out);
        }
    }
}

/// Whether a condition searches the generated source.
pub(crate) fn uses_text(c: &Spanned<Cond>) -> bool {
    match &c.it {
        Cond::Has(_) => true,
        Cond::Not(a) => uses_text(a),
        Cond::And(a, b) | Cond::Or(a, b) => uses_text(a) || uses_text(b),
        Cond::Compare(_, a, b) => counts_text(a) || counts_text(b),
    }
}

fn counts_text(n: &Spanned<Num>) -> bool {
    match &n.it {
        Num::Count(_) => true,
        Num::Literal(_) | Num::Name(_) => false,
        Num::Negative(a) | Num::Unary(_, a) => counts_text(a),
        Num::Arithmetic(_, a, b) | Num::CeilDiv(a, b) => counts_text(a) || counts_text(b),
        Num::Extreme { of, .. } => of.iter().any(counts_text),
        Num::If(c, a, b) => uses_text(c) || counts_text(a) || counts_text(b),
    }
}
