//! Tokens of C and the languages that share its lexical rules, in one pass and without copies.

mod symbols;

pub(crate) use symbols::Class;
use symbols::Symbols;

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

/// A token by its place in the text, in eight bytes: sources have millions of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token {
    start: u32,
    /// A word: the upper bit, [`GAP`], its class in 6 bits, and its symbol. Anything else: an upper
    /// bit of 0, [`GAP`], its kind in two bits, and its length, or its character for punctuation.
    tag: u32,
}

const WORD: u32 = 1 << 31;
/// Something else than one blank stands before it.
const GAP: u32 = 1 << 30;
const SYMBOL: u32 = (1 << 24) - 1;
const KIND: u32 = WORD | 3 << 28;
const LENGTH: u32 = (1 << 28) - 1;
const NUMBER: u32 = 1 << 28;
const TEXT: u32 = 2 << 28;
const DIRECTIVE: u32 = 3 << 28;

/// Texts of more tokens than this are not read: memory would be many times the input.
pub(crate) const MAX_TOKENS: usize = 16_000_000;

/// The tokens of a text, and the text.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    pub text: &'a str,
    list: Vec<Token>,
    symbols: Symbols,
}

impl<'a> Tokens<'a> {
    /// Reads all tokens; `None` when there are too many of them, or one of 256 MiB.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        if u32::try_from(text.len()).is_err() {
            return None;
        }
        let mut list = Vec::with_capacity((text.len() * 2 / 5).min(MAX_TOKENS));
        let mut symbols = Symbols::default();
        let b = text.as_bytes();
        let mut at = 0;
        while let Some((start, c)) = begin(b, at) {
            if list.len() == MAX_TOKENS {
                return None;
            }
            let (end, tag) = match CLASSES[usize::from(c)] {
                LETTER if c != b'R' || b.get(start + 1) != Some(&b'"') => {
                    let end = word_end(b, start + 1);
                    let (symbol, class) = symbols.number(text, start, end);
                    (end, WORD | class.number() << 24 | symbol)
                }
                LETTER => {
                    let end = raw_end(b, start + 1);
                    (end, TEXT | length(start, end)?)
                }
                DIGIT => {
                    let end = number_end(b, start);
                    (end, NUMBER | length(start, end)?)
                }
                QUOTE => {
                    let end = quote_end(b, start);
                    (end, TEXT | length(start, end)?)
                }
                HASH if begins_line(b, at, start) => {
                    let end = directive_end(b, start);
                    (end, DIRECTIVE | length(start, end)?)
                }
                _ => (start + 1, u32::from(c)),
            };
            let plain = start == at || (start == at + 1 && b[at] == b' ');
            list.push(Token {
                start: u32::try_from(start).ok()?,
                tag: if plain { tag } else { tag | GAP },
            });
            at = end;
        }
        Some(Self {
            text,
            list,
            symbols,
        })
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Number of different words.
    pub(crate) fn symbols(&self) -> usize {
        self.symbols.len()
    }

    /// The text of a word by its number.
    pub(crate) fn symbol_text(&self, symbol: u32) -> &'a str {
        let (start, end) = self.symbols.place(symbol);
        self.text.get(start..end).unwrap_or("")
    }

    /// The number of a word, the same for the same word; `None` for any other token.
    #[inline]
    pub(crate) fn symbol(&self, i: usize) -> Option<u32> {
        let t = self.list.get(i)?;
        (t.tag & WORD != 0).then_some(t.tag & SYMBOL)
    }

    /// What a word means; [`Class::Other`] for any other token.
    #[inline]
    pub(crate) fn class(&self, i: usize) -> Class {
        match self.list.get(i) {
            Some(t) if t.tag & WORD != 0 => Class::from_number((t.tag & !(WORD | GAP)) >> 24),
            _ => Class::Other,
        }
    }

    /// Where a token begins and ends in the text; the end of the text past the last.
    #[inline]
    pub(crate) fn place(&self, i: usize) -> (usize, usize) {
        let Some(t) = self.list.get(i) else {
            return (self.text.len(), self.text.len());
        };
        let start = t.start as usize;
        let length = if t.tag & WORD != 0 {
            let (from, to) = self.symbols.place(t.tag & SYMBOL);
            to - from
        } else if t.tag & KIND == 0 {
            1
        } else {
            (t.tag & LENGTH) as usize
        };
        (start, start + length)
    }

    /// Whether a token follows the one before it with a blank or nothing between them.
    #[inline]
    pub(crate) fn is_near(&self, i: usize) -> bool {
        self.list.get(i).is_some_and(|t| t.tag & GAP == 0)
    }

    /// The token after the last one that can be copied with that at `i`, before `end`: with a blank
    /// or nothing between them, and neither literals nor directives.
    pub(crate) fn near_run(&self, i: usize, end: usize) -> usize {
        let list = self.list.get(i..end.min(self.len())).unwrap_or(&[]);
        let n = (list.iter())
            .take_while(|t| t.tag & GAP == 0 && !matches!(t.tag & KIND, TEXT | DIRECTIVE))
            .count();
        i + n
    }

    /// Where a token begins; `None` past the end.
    #[inline]
    pub(crate) fn start(&self, i: usize) -> Option<usize> {
        self.list.get(i).map(|t| t.start as usize)
    }

    /// The text of a token; empty past the end.
    #[inline]
    pub(crate) fn at(&self, i: usize) -> &'a str {
        let (start, end) = self.place(i);
        self.text.get(start..end).unwrap_or("")
    }

    /// The character of a token of punctuation; 0 for any other token.
    #[inline]
    pub(crate) fn mark(&self, i: usize) -> u8 {
        match self.list.get(i) {
            Some(t) if t.tag & KIND == 0 => t.tag as u8,
            _ => 0,
        }
    }

    /// Whether a token is this text.
    #[inline]
    pub(crate) fn is(&self, i: usize, text: &str) -> bool {
        self.at(i) == text
    }

    #[inline]
    pub(crate) fn kind(&self, i: usize) -> Option<Kind> {
        Some(match self.list.get(i)?.tag & KIND {
            0 => Kind::Mark,
            NUMBER => Kind::Number,
            TEXT => Kind::Text,
            DIRECTIVE => Kind::Directive,
            _ => Kind::Word,
        })
    }

    #[inline]
    pub(crate) fn is_word(&self, i: usize) -> bool {
        self.list.get(i).is_some_and(|t| t.tag & WORD != 0)
    }

    /// Whether a token follows the one before it without a blank.
    #[inline]
    pub(crate) fn is_glued(&self, i: usize) -> bool {
        i > 0 && i < self.list.len() && self.place(i - 1).1 == self.place(i).0
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
            match self.mark(i) {
                b'(' | b'[' => round += 1,
                b')' | b']' => round = round.checked_sub(1)?,
                b'<' if round == 0 => angle += 1,
                b'>' if round == 0 => {
                    angle = angle.checked_sub(1)?;
                    if angle == 0 {
                        return Some(i);
                    }
                }
                b';' | b'{' | b'}' => return None,
                _ => {}
            }
        }
        None
    }
}

pub(crate) fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

const MARK: u8 = 0;
const BLANK: u8 = 1;
const LETTER: u8 = 2;
const DIGIT: u8 = 3;
const QUOTE: u8 = 4;
const HASH: u8 = 5;
const SLASH: u8 = 6;
const BACKSLASH: u8 = 7;

/// What a byte may begin.
static CLASSES: [u8; 256] = {
    let mut out = [MARK; 256];
    let mut i = 0;
    while i < 256 {
        out[i] = match i as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => BLANK,
            b'"' | b'\'' => QUOTE,
            b'#' => HASH,
            b'/' => SLASH,
            b'\\' => BACKSLASH,
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => LETTER,
            _ => MARK,
        };
        i += 1;
    }
    out
};

/// Where the next token begins, at or after a byte, and with which byte; comments and blanks are
/// stepped over.
#[inline]
fn begin(b: &[u8], mut at: usize) -> Option<(usize, u8)> {
    loop {
        let c = *b.get(at)?;
        match CLASSES[usize::from(c)] {
            BLANK => at += 1,
            BACKSLASH if matches!(b.get(at + 1), Some(b'\n' | b'\r')) => at += 1,
            SLASH if b.get(at + 1) == Some(&b'/') => at = line_end(b, at),
            SLASH if b.get(at + 1) == Some(&b'*') => at = block_end(b, at + 2),
            _ => return Some((at, c)),
        }
    }
}

#[inline]
fn word_end(b: &[u8], mut at: usize) -> usize {
    while b
        .get(at)
        .is_some_and(|c| matches!(CLASSES[usize::from(*c)], LETTER | DIGIT))
    {
        at += 1;
    }
    at
}

fn length(start: usize, end: usize) -> Option<u32> {
    u32::try_from(end - start).ok().filter(|n| *n <= LENGTH)
}

/// Whether a line begins between the token before, which ends at `from`, and this one.
fn begins_line(b: &[u8], from: usize, at: usize) -> bool {
    let mut i = from;
    while i < at {
        match b[i] {
            b'\n' => return true,
            b'/' if b.get(i + 1) == Some(&b'/') => i = line_end(b, i),
            b'/' if b.get(i + 1) == Some(&b'*') => i = block_end(b, i + 2),
            _ => i += 1,
        }
    }
    from == 0 || starts_line(b, at)
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
        None if text.contains('\'') => text.replace('\'', "").parse().ok(),
        None => text.parse().ok(),
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
