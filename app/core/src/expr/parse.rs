//! Tokens to a tree, numbers and conditions apart.

use std::ops::Range;

use regex::Regex;

use super::lex::{Dialect, Token, lex};
use super::tree::{Arithmetic, Cond, Name, Num, Spanned, Unary};
use super::{ExprError, MAX_DEPTH, MAX_LENGTH, RESERVED};
use crate::text::nearest;

/// Kinds of evidence that a gate rule can name: `fact["x"]`.
const SCOPES: &[&str] = &["fact", "resource", "counter", "check"];

enum Node {
    Num(Spanned<Num>),
    Cond(Spanned<Cond>),
}

impl Node {
    fn span(&self) -> Range<usize> {
        match self {
            Self::Num(n) => n.span.clone(),
            Self::Cond(c) => c.span.clone(),
        }
    }
}

/// Reads a formula that yields a number.
pub(super) fn parse_number(text: &str) -> Result<Spanned<Num>, ExprError> {
    let node = Parser::all(text, Dialect::Formula)?;
    number(node)
}

/// Reads a number in the language of gate rules.
pub(crate) fn parse_amount(text: &str) -> Result<Spanned<Num>, ExprError> {
    number(Parser::all(text, Dialect::Gate)?)
}

/// Reads a gate rule: a condition.
pub(crate) fn parse_condition(text: &str) -> Result<Spanned<Cond>, ExprError> {
    let node = Parser::all(text, Dialect::Gate)?;
    condition(node)
}

fn number(node: Node) -> Result<Spanned<Num>, ExprError> {
    match node {
        Node::Num(n) => Ok(n),
        Node::Cond(c) => Err(ExprError::new(c.span, "a condition", "a number")),
    }
}

fn condition(node: Node) -> Result<Spanned<Cond>, ExprError> {
    match node {
        Node::Cond(c) => Ok(c),
        Node::Num(n) => Err(ExprError::new(
            n.span,
            "a number",
            "a condition such as `x <= 1`",
        )),
    }
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    dialect: Dialect,
}

impl Parser {
    fn all(text: &str, dialect: Dialect) -> Result<Node, ExprError> {
        if text.len() > MAX_LENGTH {
            let found = format!("{} bytes", text.len());
            return Err(ExprError::new(
                0..0,
                found,
                format!("at most {MAX_LENGTH} bytes"),
            ));
        }
        let mut parser = Self {
            tokens: lex(text, dialect)?,
            at: 0,
            dialect,
        };
        let node = parser.expression(0, 0)?;
        match parser.peek() {
            Token::End => Ok(node),
            _ => Err(parser.unexpected("an operator or the end")),
        }
    }

    fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(t, _)| t)
    }

    fn span(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(0..0, |(_, s)| s.clone())
    }

    fn unexpected(&self, expected: &str) -> ExprError {
        ExprError::new(self.span(), self.peek().describe(), expected)
    }

    fn eat(&mut self, symbol: &'static str) -> bool {
        let hit = *self.peek() == Token::Symbol(symbol);
        self.at += usize::from(hit);
        hit
    }

    fn expect(&mut self, symbol: &'static str) -> Result<usize, ExprError> {
        let end = self.span().end;
        if self.eat(symbol) {
            Ok(end)
        } else {
            Err(self.unexpected(&format!("`{symbol}`")))
        }
    }

    /// The binary operator that stands here, with its binding power.
    fn operator(&self) -> Option<(&'static str, u8)> {
        match self.peek() {
            Token::Name(n) if n == "or" => Some(("or", 1)),
            Token::Name(n) if n == "and" => Some(("and", 2)),
            Token::Symbol(s @ ("<" | "<=" | ">" | ">=" | "==" | "!=")) => Some((s, 4)),
            Token::Symbol(s @ ("+" | "-")) => Some((s, 5)),
            Token::Symbol(s @ ("*" | "/")) => Some((s, 6)),
            _ => None,
        }
    }

    /// Reads operands joined by operators that bind tighter than `floor`.
    fn expression(&mut self, floor: u8, nesting: usize) -> Result<Node, ExprError> {
        if nesting > MAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        let mut left = self.prefix(nesting)?;
        while let Some((op, power)) = self.operator() {
            if power <= floor {
                break;
            }
            self.at += 1;
            let right = self.expression(power, nesting + 1)?;
            left = self.join(op, left, right)?;
        }
        Ok(left)
    }

    fn too_deep(&self, span: Range<usize>) -> ExprError {
        ExprError::new(
            span,
            "deeper nesting",
            format!("at most {MAX_DEPTH} levels or operators in a row"),
        )
    }

    fn num(&self, it: Num, span: Range<usize>, below: usize) -> Result<Node, ExprError> {
        if below >= MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(Node::Num(Spanned {
            it,
            span,
            depth: below + 1,
        }))
    }

    fn cond(&self, it: Cond, span: Range<usize>, below: usize) -> Result<Node, ExprError> {
        if below >= MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(Node::Cond(Spanned {
            it,
            span,
            depth: below + 1,
        }))
    }

    fn join(&self, op: &'static str, left: Node, right: Node) -> Result<Node, ExprError> {
        let span = left.span().start..right.span().end;
        if matches!(op, "and" | "or") {
            let (a, b) = (condition(left)?, condition(right)?);
            let below = a.depth.max(b.depth);
            let (a, b) = (Box::new(a), Box::new(b));
            return self.cond(
                if op == "and" {
                    Cond::And(a, b)
                } else {
                    Cond::Or(a, b)
                },
                span,
                below,
            );
        }
        let (a, b) = (number(left)?, number(right)?);
        let below = a.depth.max(b.depth);
        let (a, b) = (Box::new(a), Box::new(b));
        let op = match op {
            "+" => Arithmetic::Add,
            "-" => Arithmetic::Subtract,
            "*" => Arithmetic::Multiply,
            "/" => Arithmetic::Divide,
            comparison => return self.cond(Cond::Compare(comparison, a, b), span, below),
        };
        self.num(Num::Arithmetic(op, a, b), span, below)
    }

    fn prefix(&mut self, nesting: usize) -> Result<Node, ExprError> {
        let (token, span) = (self.peek().clone(), self.span());
        match token {
            Token::Number(n) => {
                self.at += 1;
                self.num(Num::Literal(n), span, 0)
            }
            Token::Symbol("-") => {
                self.at += 1;
                let a = number(self.expression(6, nesting + 1)?)?;
                let (span, below) = (span.start..a.span.end, a.depth);
                self.num(Num::Negative(Box::new(a)), span, below)
            }
            Token::Symbol("(") => {
                self.at += 1;
                let inner = self.expression(0, nesting + 1)?;
                let whole = span.start..self.expect(")")?;
                Ok(match inner {
                    Node::Num(n) => Node::Num(Spanned { span: whole, ..n }),
                    Node::Cond(c) => Node::Cond(Spanned { span: whole, ..c }),
                })
            }
            Token::Name(n) if n == "not" => {
                self.at += 1;
                let a = condition(self.expression(3, nesting + 1)?)?;
                let (span, below) = (span.start..a.span.end, a.depth);
                self.cond(Cond::Not(Box::new(a)), span, below)
            }
            Token::Name(n) => {
                self.at += 1;
                self.name(&n, span, nesting)
            }
            _ => Err(self.unexpected("a number, a name, a function or `(`")),
        }
    }

    fn name(&mut self, name: &str, span: Range<usize>, nesting: usize) -> Result<Node, ExprError> {
        if self.eat("(") {
            return self.call(name, span, nesting);
        }
        if matches!(name, "and" | "or") {
            return Err(ExprError::new(
                span,
                format!("`{name}`"),
                "a number, a name or `(`",
            ));
        }
        if RESERVED.contains(&name) {
            let expected = format!("`(` after the function `{name}`");
            return Err(ExprError::new(
                self.span(),
                self.peek().describe(),
                expected,
            ));
        }
        if self.dialect == Dialect::Gate
            && *self.peek() == Token::Symbol("[")
            && let Some(scope) = SCOPES.iter().find(|s| **s == name)
        {
            self.at += 1;
            let Token::Quoted(inner) = self.peek().clone() else {
                return Err(self.unexpected("a quoted name"));
            };
            self.at += 1;
            let end = self.expect("]")?;
            let name = Name {
                scope: Some(scope),
                name: inner,
            };
            return self.num(Num::Name(name), span.start..end, 0);
        }
        self.num(
            Num::Name(Name {
                scope: None,
                name: name.to_owned(),
            }),
            span,
            0,
        )
    }

    fn call(&mut self, name: &str, start: Range<usize>, nesting: usize) -> Result<Node, ExprError> {
        if self.dialect == Dialect::Gate && matches!(name, "has" | "count") {
            return self.text_call(name, start);
        }
        if !RESERVED.contains(&name) || matches!(name, "and" | "or" | "not") {
            let known = RESERVED[3..].iter().chain(match self.dialect {
                Dialect::Gate => ["has", "count"].iter(),
                Dialect::Formula => [].iter(),
            });
            let known: Vec<&str> = known.copied().collect();
            let e = ExprError::new(
                start,
                format!("unknown function `{name}`"),
                format!("one of {}", known.join(", ")),
            );
            return Err(match nearest(name, known) {
                Some(near) => e.hint(format!("did you mean `{near}`?")),
                None => e,
            });
        }
        let mut args = vec![self.expression(0, nesting + 1)?];
        while self.eat(",") {
            args.push(self.expression(0, nesting + 1)?);
        }
        let span = start.start..self.expect(")")?;
        let (least, most) = match name {
            "min" | "max" => (2, usize::MAX),
            "ceildiv" => (2, 2),
            "if" => (3, 3),
            _ => (1, 1),
        };
        if args.len() < least || args.len() > most {
            let found = format!(
                "{} argument{}",
                args.len(),
                if args.len() == 1 { "" } else { "s" }
            );
            let expected = format!(
                "{least}{} argument{} of `{name}`",
                if most == usize::MAX { " or more" } else { "" },
                if least == 1 { "" } else { "s" }
            );
            return Err(ExprError::new(span, found, expected));
        }
        let mut args = args.into_iter();
        let first_condition = match (name, args.next()) {
            ("if", Some(first)) => Some(condition(first)?),
            (_, Some(first)) => {
                let mut of = vec![number(first)?];
                for arg in args {
                    of.push(number(arg)?);
                }
                return self.function(name, of, span);
            }
            (_, None) => None,
        };
        let branches: Vec<_> = args.map(number).collect::<Result<_, _>>()?;
        match (first_condition, <[_; 2]>::try_from(branches)) {
            (Some(c), Ok([a, b])) => {
                let below = c.depth.max(a.depth).max(b.depth);
                self.num(Num::If(Box::new(c), Box::new(a), Box::new(b)), span, below)
            }
            _ => Err(ExprError::new(
                span,
                "other arguments",
                "`if(condition, a, b)`",
            )),
        }
    }

    fn function(
        &self,
        name: &str,
        mut of: Vec<Spanned<Num>>,
        span: Range<usize>,
    ) -> Result<Node, ExprError> {
        let below = of.iter().map(|a| a.depth).max().unwrap_or(0);
        let unary = match name {
            "min" => return self.num(Num::Extreme { largest: false, of }, span, below),
            "max" => return self.num(Num::Extreme { largest: true, of }, span, below),
            "floor" => Some(Unary::Floor),
            "ceil" => Some(Unary::Ceil),
            "log2" => Some(Unary::Log2),
            "abs" => Some(Unary::Abs),
            _ => None,
        };
        match (unary, of.pop(), of.pop()) {
            (Some(f), Some(a), None) => self.num(Num::Unary(f, Box::new(a)), span, below),
            (None, Some(b), Some(a)) => {
                self.num(Num::CeilDiv(Box::new(a), Box::new(b)), span, below)
            }
            _ => Err(ExprError::new(
                span,
                "other arguments",
                format!("arguments of `{name}`"),
            )),
        }
    }

    fn text_call(&mut self, name: &str, start: Range<usize>) -> Result<Node, ExprError> {
        let (token, inner) = (self.peek().clone(), self.span());
        let Token::Quoted(text) = token else {
            return Err(self.unexpected("a quoted text"));
        };
        if text.is_empty() {
            return Err(ExprError::new(
                inner,
                "an empty text",
                "a text to search for",
            ));
        }
        self.at += 1;
        let span = start.start..self.expect(")")?;
        if name == "has" {
            return self.cond(Cond::Has(text), span, 0);
        }
        match compile(&text) {
            Ok(pattern) => self.num(Num::Count(pattern), span, 0),
            Err(why) => Err(ExprError::new(inner, why, "a regular expression")),
        }
    }
}

/// Compiles a pattern with bounded size; the error is one line.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    regex::RegexBuilder::new(pattern)
        .size_limit(1 << 20)
        .multi_line(true)
        .build()
        .map_err(|e| {
            let text = e.to_string();
            let line = text
                .lines()
                .rev()
                .find(|l| !l.trim().is_empty())
                .unwrap_or("an unreadable pattern");
            line.trim().trim_start_matches("error: ").to_owned()
        })
}
