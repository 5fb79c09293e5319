//! Formulas over counters: numbers, dotted names, `+ - * /`, parentheses, `min(a, b)` and
//! `max(a, b)`.
//!
//! The language of `assay_core::expr` has names without dots and values without width. Here each
//! value is an interval, and the tree is small.

use super::interval::Interval;

/// Longest formula, in bytes, and deepest nesting; both far above what is needed.
const MAX_LENGTH: usize = 1000;
const MAX_DEPTH: usize = 50;

/// A formula that was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Number(f64),
    Name(String),
    Negate(Box<Node>),
    Binary(char, Box<Node>, Box<Node>),
    Extreme(bool, Box<Node>, Box<Node>),
}

/// Reads a formula; the fault says what stands where.
pub(crate) fn parse(text: &str) -> Result<Node, String> {
    if text.len() > MAX_LENGTH {
        return Err(format!("a formula has at most {MAX_LENGTH} characters"));
    }
    let mut p = Parser { text, at: 0 };
    let node = p.sum(0)?;
    match p.peek() {
        None => Ok(node),
        Some(_) => Err(p.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let hit = self.peek() == Some(c);
        self.at += if hit { c.len_utf8() } else { 0 };
        hit
    }

    fn unexpected(&mut self, expected: &str) -> String {
        let found = match self.peek() {
            Some(c) => format!("`{c}`"),
            None => "the end".into(),
        };
        format!(
            "expected {expected}, found {found} at character {}",
            self.at + 1
        )
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        if self.eat(c) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{c}`")))
    }

    fn sum(&mut self, depth: usize) -> Result<Node, String> {
        let mut left = self.product(depth)?;
        loop {
            let op = match self.peek() {
                Some(c @ ('+' | '-')) => c,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.product(depth)?;
            left = Node::Binary(op, left.into(), right.into());
        }
    }

    fn product(&mut self, depth: usize) -> Result<Node, String> {
        let mut left = self.atom(depth)?;
        loop {
            let op = match self.peek() {
                Some(c @ ('*' | '/')) => c,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.atom(depth)?;
            left = Node::Binary(op, left.into(), right.into());
        }
    }

    fn atom(&mut self, depth: usize) -> Result<Node, String> {
        if depth >= MAX_DEPTH {
            return Err(format!("a formula nests at most {MAX_DEPTH} deep"));
        }
        match self.peek() {
            Some('-') => {
                self.at += 1;
                Ok(Node::Negate(self.atom(depth + 1)?.into()))
            }
            Some('(') => {
                self.at += 1;
                let inner = self.sum(depth + 1)?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() => {
                let word = self.word(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_');
                let value = word.parse::<f64>().ok().filter(|v| v.is_finite());
                value
                    .map(Node::Number)
                    .ok_or_else(|| format!("`{word}` is no number"))
            }
            Some(c) if c.is_ascii_alphabetic() => {
                let word = self.word(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_');
                if !matches!(word, "min" | "max") {
                    return Ok(Node::Name(word.to_owned()));
                }
                self.expect('(')?;
                let mut left = self.sum(depth + 1)?;
                self.expect(',')?;
                loop {
                    let right = self.sum(depth + 1)?;
                    left = Node::Extreme(word == "max", left.into(), right.into());
                    if !self.eat(',') {
                        break;
                    }
                }
                self.expect(')')?;
                Ok(left)
            }
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    fn word(&mut self, of: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let n = rest.bytes().take_while(|b| of(*b)).count();
        self.at += n;
        rest.get(..n).unwrap_or_default()
    }
}

impl Node {
    /// The names in it, each once, in order of appearance.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.collect(&mut names);
        names
    }

    fn collect<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Number(_) => {}
            Self::Name(n) => {
                if !names.contains(&n.as_str()) {
                    names.push(n);
                }
            }
            Self::Negate(a) => a.collect(names),
            Self::Binary(_, a, b) | Self::Extreme(_, a, b) => {
                a.collect(names);
                b.collect(names);
            }
        }
    }

    /// What the formula can be when each name can be what `of` says; `None` when a name has no
    /// value or a divisor may be zero.
    pub(crate) fn interval(&self, of: &dyn Fn(&str) -> Option<Interval>) -> Option<Interval> {
        Some(match self {
            Self::Number(v) => Interval::exact(*v),
            Self::Name(n) => of(n)?,
            Self::Negate(a) => a.interval(of)?.negate(),
            Self::Binary(op, a, b) => {
                let (a, b) = (a.interval(of)?, b.interval(of)?);
                match op {
                    '+' => a.add(b),
                    '-' => a.add(b.negate()),
                    '*' => a.multiply(b),
                    _ => a.divide(b)?,
                }
            }
            Self::Extreme(largest, a, b) => {
                let (a, b) = (a.interval(of)?, b.interval(of)?);
                if *largest { a.max(b) } else { a.min(b) }
            }
        })
        .filter(|i| i.is_finite())
    }

    /// The value at a point.
    pub(crate) fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let value = match self {
            Self::Number(v) => *v,
            Self::Name(n) => of(n)?,
            Self::Negate(a) => -a.value(of)?,
            Self::Binary(op, a, b) => {
                let (a, b) = (a.value(of)?, b.value(of)?);
                match op {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    _ => a / b,
                }
            }
            Self::Extreme(largest, a, b) => {
                let (a, b) = (a.value(of)?, b.value(of)?);
                if *largest { a.max(b) } else { a.min(b) }
            }
        };
        value.is_finite().then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Formulas over `a`, `b` and `c`.
    fn formulas() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("a".to_owned()),
            Just("b".to_owned()),
            Just("c".to_owned()),
            (0u32..10).prop_map(|n| n.to_string()),
        ];
        leaf.prop_recursive(3, 20, 3, |inner| {
            let two = (inner.clone(), inner.clone());
            prop_oneof![
                (two.clone(), prop::sample::select(vec!["+", "-", "*", "/"]))
                    .prop_map(|((x, y), op)| format!("({x} {op} {y})")),
                (two, prop::sample::select(vec!["min", "max"]))
                    .prop_map(|((x, y), f)| format!("{f}({x}, {y})")),
                inner.prop_map(|x| format!("-{x}")),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_interval_holds_every_value_that_the_digits_allow(
            text in formulas(),
            values in prop::array::uniform3(-1000i32..1000),
            off in prop::array::uniform3(-0.5f64..0.5),
        ) {
            let node = parse(&text).unwrap();
            let at = |name: &str| ["a", "b", "c"].iter().position(|n| *n == name);
            let printed = |name: &str| at(name).map(|i| f64::from(values[i]));
            let range = |name: &str| printed(name).map(|v| Interval::new(v - 0.5, v + 0.5));
            let real = |name: &str| at(name).map(|i| f64::from(values[i]) + off[i]);
            if let (Some(range), Some(value)) = (node.interval(&range), node.value(&real)) {
                // Rounding of the ends may cost what cancels out.
                let off = (range.lo.abs() + range.hi.abs()) * 1e-9 + 1e-9;
                prop_assert!(range.lo - off <= value && value <= range.hi + off, "{text}: {range:?} {value}");
                if let Some(at_print) = node.value(&printed) {
                    prop_assert!(range.lo - off <= at_print && at_print <= range.hi + off);
                }
            }
        }

        #[test]
        fn no_text_is_a_panic(text in ".{0,80}", symbols in "[-+*/(). abmin,0-9]{0,60}") {
            let _ = (parse(&text), parse(&symbols));
        }
    }
}
