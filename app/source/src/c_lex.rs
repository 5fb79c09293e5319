//! Tokens of C and the languages that share its lexical rules, in one pass and without copies.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Identifier or keyword.
    Word,
    /// Number, with suffix.
    Number,
    /// String or character literal, with its quotes.
    Text,
    /// One character of punctuation.
    Mark,
    /// A whole preprocessor line, with the lines it goes on in.
    Directive,
}

/// A token by its place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub start: u32,
    pub end: u32,
    pub kind: Kind,
}

/// Texts of more tokens than this are not read: memory would be many times the input.
pub(crate) const MAX_TOKENS: usize = 16_000_000;

/// The tokens of a text, and the text.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    pub text: &'a str,
    pub list: Vec<Token>,
}

impl<'a> Tokens<'a> {
    /// Reads all tokens; `None` when there are too many of them.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        if u32::try_from(text.len()).is_err() {
            return None;
        }
        let mut list = Vec::with_capacity((text.len() / 4).min(MAX_TOKENS));
        let mut at = 0;
        while let Some(t) = next(text.as_bytes(), at) {
            if list.len() == MAX_TOKENS {
                return None;
            }
            at = t.end as usize;
            list.push(t);
        }
        Some(Self { text, list })
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The text of a token; empty past the end.
    pub(crate) fn at(&self, i: usize) -> &'a str {
        let Some(t) = self.list.get(i) else { return "" };
        self.text
            .get(t.start as usize..t.end as usize)
            .unwrap_or("")
    }

    /// The character of a token of punctuation; 0 for any other token.
    pub(crate) fn mark(&self, i: usize) -> u8 {
        match self.list.get(i) {
            Some(t) if t.kind == Kind::Mark => {
                let at = t.start as usize;
                self.text.as_bytes().get(at).copied().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Whether a token is this text.
    pub(crate) fn is(&self, i: usize, text: &str) -> bool {
        self.at(i) == text
    }

    pub(crate) fn kind(&self, i: usize) -> Option<Kind> {
        self.list.get(i).map(|t| t.kind)
    }

    pub(crate) fn is_word(&self, i: usize) -> bool {
        self.kind(i) == Some(Kind::Word)
    }

    /// Whether a token follows the one before it without a blank.
    pub(crate) fn is_glued(&self, i: usize) -> bool {
        i > 0
            && matches!((self.list.get(i - 1), self.list.get(i)), (Some(a), Some(b)) if a.end == b.start)
    }

    /// The token that closes the bracket at `open`, looking no further than `end`.
    pub(crate) fn closing(&self, open: usize, end: usize) -> Option<usize> {
        let mut depth = 0usize;
        for i in open..end.min(self.len()) {
            match self.mark(i) {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The `>` that closes the template arguments opened at `open`, if they are such.
    pub(crate) fn closing_angle(&self, open: usize) -> Option<usize> {
        /// Template arguments in kernels are short; a `<` without an end is a comparison.
        const REACH: usize = 256;
        let (mut angle, mut round) = (0usize, 0usize);
        for i in open..self.len().min(open + REACH) {
            match self.at(i) {
                "(" | "[" => round += 1,
                ")" | "]" => round = round.checked_sub(1)?,
                "<" if round == 0 => angle += 1,
                ">" if round == 0 => {
                    angle = angle.checked_sub(1)?;
                    if angle == 0 {
                        return Some(i);
                    }
                }
                ";" | "{" | "}" => return None,
                _ => {}
            }
        }
        None
    }
}

pub(crate) fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

/// The token at or after a byte; comments and blanks are stepped over.
fn next(b: &[u8], mut at: usize) -> Option<Token> {
    let mut line_start = at == 0;
    loop {
        match *b.get(at)? {
            b'\n' => line_start = true,
            c if c.is_ascii_whitespace() || c == 0x0b => {}
            b'\\' if matches!(b.get(at + 1), Some(b'\n' | b'\r')) => {}
            b'/' if b.get(at + 1) == Some(&b'/') => {
                at = line_end(b, at);
                continue;
            }
            b'/' if b.get(at + 1) == Some(&b'*') => {
                at = block_end(b, at + 2);
                continue;
            }
            _ => break,
        }
        at += 1;
    }
    let c = *b.get(at)?;
    let (end, kind) = match c {
        b'#' if line_start || starts_line(b, at) => (directive_end(b, at), Kind::Directive),
        b'"' | b'\'' => (quote_end(b, at), Kind::Text),
        b'R' if b.get(at + 1) == Some(&b'"') => (raw_end(b, at + 1), Kind::Text),
        c if c.is_ascii_digit() => (number_end(b, at), Kind::Number),
        c if is_word_byte(c) => {
            let n = b[at..].iter().take_while(|c| is_word_byte(**c)).count();
            (at + n, Kind::Word)
        }
        _ => (at + 1, Kind::Mark),
    };
    // Texts of 4 GiB and more are refused before, so that the places fit.
    Some(Token {
        start: u32::try_from(at).ok()?,
        end: u32::try_from(end).ok()?,
        kind,
    })
}

fn starts_line(b: &[u8], at: usize) -> bool {
    b[..at]
        .iter()
        .rev()
        .take(256)
        .find(|c| !matches!(c, b' ' | b'\t' | b'\r'))
        .is_none_or(|c| *c == b'\n')
}

/// The end of a line that a backslash may carry on.
fn line_end(b: &[u8], mut at: usize) -> usize {
    while let Some(c) = b.get(at) {
        if *c == b'\n' {
            let before = b[..at].strip_suffix(b"\r").unwrap_or(&b[..at]);
            if !before.ends_with(b"\\") {
                return at;
            }
        }
        at += 1;
    }
    b.len()
}

fn block_end(b: &[u8], from: usize) -> usize {
    (from..b.len())
        .find(|i| b[*i] == b'*' && b.get(i + 1) == Some(&b'/'))
        .map_or(b.len(), |i| i + 2)
}

fn directive_end(b: &[u8], at: usize) -> usize {
    let end = line_end(b, at);
    let mut i = at;
    while i < end {
        match b[i] {
            b'"' => i = quote_end(b, i).max(i + 1),
            b'/' if matches!(b.get(i + 1), Some(b'/' | b'*')) => {
                return at + b[at..i].trim_ascii_end().len();
            }
            _ => i += 1,
        }
    }
    at + b[at..end].trim_ascii_end().len()
}

pub(crate) fn quote_end(b: &[u8], at: usize) -> usize {
    let quote = b[at];
    let mut i = at + 1;
    while let Some(c) = b.get(i) {
        match c {
            b'\\' => i += 1,
            b'\n' => return i,
            c if *c == quote => return i + 1,
            _ => {}
        }
        i += 1;
    }
    b.len()
}

fn raw_end(b: &[u8], quote: usize) -> usize {
    let open = b[quote + 1..].iter().take(17).position(|c| *c == b'(');
    let Some(open) = open else {
        return quote_end(b, quote);
    };
    let mark = &b[quote + 1..quote + 1 + open];
    let mut i = quote + 2 + open;
    while let Some(n) = b[i.min(b.len())..].iter().position(|c| *c == b')') {
        i += n + 1;
        if b[i..].starts_with(mark) && b.get(i + mark.len()) == Some(&b'"') {
            return i + mark.len() + 1;
        }
    }
    b.len()
}

pub(crate) fn number_end(b: &[u8], at: usize) -> usize {
    let hex = matches!(b.get(at + 1), Some(b'x' | b'X'));
    let mut i = at + 1;
    while let Some(c) = b.get(i) {
        let exponent = matches!(b[i - 1], b'p' | b'P') || (!hex && matches!(b[i - 1], b'e' | b'E'));
        match c {
            b'+' | b'-' if exponent => {}
            b'\'' if b.get(i + 1).is_some_and(u8::is_ascii_alphanumeric) => {}
            c if c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_') => {}
            _ => break,
        }
        i += 1;
    }
    i
}

/// The value of an integer literal, decimal or hexadecimal, whatever its suffix.
pub(crate) fn integer(text: &str) -> Option<u64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.replace('\'', "").parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let t = Tokens::read(text).unwrap();
        (0..t.len()).map(|i| t.at(i)).collect()
    }

    #[test]
    fn literals_comments_and_directives_are_one_piece() {
        assert_eq!(
            words(
                "#define A \\\n 1 // x\nfloat a=0x0p+0f/*0.0e+00*/; c = 'x'+\"/*\\\"\" + 1'000 - 0xe+1;"
            ),
            [
                "#define A \\\n 1",
                "float",
                "a",
                "=",
                "0x0p+0f",
                ";",
                "c",
                "=",
                "'x'",
                "+",
                "\"/*\\\"\"",
                "+",
                "1'000",
                "-",
                "0xe",
                "+",
                "1",
                ";"
            ]
        );
        assert_eq!(words("R\"x(a)\" )x\" b"), ["R\"x(a)\" )x\"", "b"]);
        assert_eq!(words("\"open\n核 /* open"), ["\"open", "核"]);
        assert_eq!(words("a ? b # c"), ["a", "?", "b", "#", "c"]);
    }

    #[test]
    fn brackets_find_their_ends() {
        let t = Tokens::read("f<a, (b > c)>(x[1], {2}) a < b; )").unwrap();
        assert_eq!(t.closing_angle(1), Some(9));
        assert_eq!(t.closing(10, t.len()), Some(19));
        assert_eq!(t.closing_angle(21), None);
        assert_eq!(integer("0x10u"), Some(16));
        assert_eq!(integer("1'024"), Some(1024));
    }
}
