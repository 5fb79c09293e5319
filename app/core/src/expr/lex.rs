//! Text to tokens.

use std::ops::Range;

use super::ExprError;

/// Which of the two languages is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Formulas over dims: plain names, exact numbers.
    Formula,
    /// Gate rules: dotted names and quoted texts too.
    Gate,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    Quoted(String),
    Symbol(&'static str),
    End,
}

impl Token {
    /// The token as people call it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Number(n) => format!("`{n}`"),
            Self::Name(n) => format!("`{n}`"),
            Self::Quoted(_) => "a quoted text".into(),
            Self::Symbol(s) => format!("`{s}`"),
            Self::End => "the end".into(),
        }
    }
}

const SYMBOLS: &[&str] = &[
    "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", ",", "[", "]",
];

/// What people write in other languages, and what it is called here.
const FOREIGN: &[(&str, &str)] = &[
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("!", "write `not`"),
    ("=", "write `==` for equal, and `<=` without a space"),
    ("^", "there is no power; multiply"),
    ("%", "there is no remainder; use `a - b*floor(a/b)`"),
];

pub(super) fn lex(text: &str, dialect: Dialect) -> Result<Vec<(Token, Range<usize>)>, ExprError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (token, length) = if c.is_ascii_digit() {
            number(rest, at, dialect)?
        } else if c.is_ascii_alphabetic() || c == '_' {
            name(rest, dialect)
        } else if dialect == Dialect::Gate && (c == '"' || c == '\'') {
            quoted(rest, at, c)?
        } else if let Some(s) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            // `**` starts like `*` but is what other languages call a power.
            if rest.starts_with("**") {
                return Err(ExprError::new(at..at + 2, "`**`", "an operator")
                    .hint("there is no power; multiply"));
            }
            (Token::Symbol(s), s.len())
        } else {
            let e = ExprError::new(
                at..at + c.len_utf8(),
                format!("`{c}`"),
                "a number, a name or an operator",
            );
            let foreign = FOREIGN.iter().find(|(f, _)| rest.starts_with(f));
            return Err(match foreign {
                Some((_, hint)) => e.hint(*hint),
                None => e,
            });
        };
        tokens.push((token, at..at + length));
        at += length;
    }
    tokens.push((Token::End, text.len()..text.len()));
    Ok(tokens)
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn number(rest: &str, at: usize, dialect: Dialect) -> Result<(Token, usize), ExprError> {
    let mut n = digits(rest);
    if rest[n..].starts_with('.') {
        let fraction = digits(&rest[n + 1..]);
        if fraction == 0 {
            let e = ExprError::new(
                at..at + n + 1,
                format!("`{}`", &rest[..=n]),
                "digits after the point",
            );
            return Err(e);
        }
        n += 1 + fraction;
    }
    if rest[n..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[n + 1..].starts_with(['+', '-']));
        let exponent = digits(&rest[n + 1 + sign..]);
        if exponent > 0 {
            n += 1 + sign + exponent;
        }
    }
    let tail = rest[n..]
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'.')
        .count();
    if tail > 0 {
        let (left, right) = (&rest[..n], &rest[n..n + tail]);
        return Err(ExprError::new(
            at..at + n + tail,
            format!("`{left}{right}`"),
            "an operator after the number",
        )
        .hint(format!("did you mean `{left}*{right}`?")));
    }
    let value: f64 = rest[..n]
        .parse()
        .map_err(|_| ExprError::new(at..at + n, format!("`{}`", &rest[..n]), "a number"))?;
    let limit = if dialect == Dialect::Formula {
        super::MAX_EXACT
    } else {
        f64::MAX
    };
    if value > limit {
        let expected = match dialect {
            Dialect::Formula => "a number of at most 2^53",
            Dialect::Gate => "a finite number",
        };
        return Err(ExprError::new(
            at..at + n,
            format!("`{}`", &rest[..n]),
            expected,
        ));
    }
    Ok((Token::Number(value), n))
}

fn name(rest: &str, dialect: Dialect) -> (Token, usize) {
    let dotted = dialect == Dialect::Gate;
    let n = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_' || (dotted && *b == b'.'))
        .count();
    let n = rest[..n].trim_end_matches('.').len();
    (Token::Name(rest[..n].to_owned()), n)
}

/// A quoted text. A backslash is part of the text, so that patterns need no doubling; only before
/// the quote it stands for the quote itself.
fn quoted(rest: &str, at: usize, quote: char) -> Result<(Token, usize), ExprError> {
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((i, c)) = chars.next() {
        if c == quote {
            return Ok((Token::Quoted(out), i + 1));
        }
        if c == '\\'
            && let Some((_, next)) = chars.next()
        {
            if next != quote {
                out.push('\\');
            }
            out.push(next);
            continue;
        }
        out.push(c);
    }
    Err(ExprError::new(
        at..at + rest.len(),
        "a text without end",
        format!("a closing {quote}"),
    ))
}
