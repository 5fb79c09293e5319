//! Tokens of C and the languages that share its lexical rules, in one pass and without copies.
//!
//! A text is read in parts: each ends with a brace that leaves nothing open. What is made of the
//! tokens of a part takes their place, so that a file of hundreds of kernels needs the memory of
//! the largest, which the cache holds.

mod scan;
mod symbols;

use scan::{CLASSES, DIGIT, HASH, LETTER, QUOTE, begin, begins_line, directive_end, word_end};
pub(crate) use scan::{integer, is_word_byte, number_end, quote_end, raw_end};
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

/// What a token is, without its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen(u32);

impl Seen {
    /// The character of punctuation; 0 for any other token.
    #[inline]
    pub(crate) fn mark(self) -> u8 {
        if self.0 & KIND == 0 { self.0 as u8 } else { 0 }
    }

    #[inline]
    pub(crate) fn is_word(self) -> bool {
        self.0 & WORD != 0
    }

    #[inline]
    pub(crate) fn is_directive(self) -> bool {
        self.0 & KIND == DIRECTIVE
    }

    /// What a word means; [`Class::Other`] for any other token.
    #[inline]
    pub(crate) fn class(self) -> Class {
        if self.is_word() {
            Class::from_number((self.0 & !(WORD | GAP)) >> 24)
        } else {
            Class::Other
        }
    }

    /// The number of a word, the same for the same word; `None` for any other token.
    #[inline]
    pub(crate) fn symbol(self) -> Option<u32> {
        self.is_word().then_some(self.0 & SYMBOL)
    }
}

/// Texts of more tokens than this are not read: memory would be many times the input.
pub(crate) const MAX_TOKENS: usize = 16_000_000;

/// The tokens of a text, or of the part of it that was read last.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    pub text: &'a str,
    list: Vec<Token>,
    symbols: Symbols,
    /// Where the last token ends.
    end: usize,
    /// Where the token after the last begins, and with which byte.
    next: Option<(usize, u8)>,
    /// Tokens of the parts before.
    before: usize,
    /// Braces that are open.
    depth: usize,
}

impl<'a> Tokens<'a> {
    /// Reads all tokens; `None` when there are too many of them, or one of 256 MiB.
    #[cfg(test)]
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let mut out = Self::of(text);
        out.list.reserve((text.len() * 2 / 5).min(MAX_TOKENS));
        while out.next.is_some() {
            out.more()?;
        }
        Some(out)
    }

    /// A text of which nothing is read yet.
    pub(crate) fn of(text: &'a str) -> Self {
        Self {
            text,
            list: Vec::new(),
            symbols: Symbols::new(text.len()),
            end: 0,
            next: begin(text.as_bytes(), 0),
            before: 0,
            depth: 0,
        }
    }

    /// Whether the whole text was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.next.is_none()
    }

    /// Forgets the tokens that were read. Words keep their numbers.
    pub(crate) fn drop_read(&mut self) {
        self.before += self.list.len();
        self.list.clear();
    }

    /// Reads on, to the end of the text or to the next brace that leaves none open.
    ///
    /// `None` when there are too many tokens, or one of 256 MiB.
    pub(crate) fn more(&mut self) -> Option<()> {
        let b = self.text.as_bytes();
        if u32::try_from(b.len()).is_err() {
            return None;
        }
        let (mut at, mut next, mut depth) = (self.end, self.next, self.depth);
        let most = MAX_TOKENS - self.before.min(MAX_TOKENS);
        while let Some((start, c)) = next {
            if self.list.len() >= most {
                return None;
            }
            let (end, tag) = match CLASSES[usize::from(c)] {
                LETTER if c != b'R' || b.get(start + 1) != Some(&b'"') => {
                    let end = word_end(b, start + 1);
                    let (symbol, class) = self.symbols.number(self.text, start, end);
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
            self.list.push(Token {
                start: u32::try_from(start).ok()?,
                tag: if plain { tag } else { tag | GAP },
            });
            at = end;
            next = begin(b, at);
            match c {
                b'{' => depth += 1,
                b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
        }
        (self.end, self.next, self.depth) = (at, next, depth);
        Some(())
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The tokens from one to before another, in order.
    #[inline]
    pub(crate) fn range(&self, from: usize, to: usize) -> impl Iterator<Item = (usize, Seen)> {
        let to = to.min(self.list.len());
        let list = self.list.get(from..to).unwrap_or(&[]);
        list.iter()
            .enumerate()
            .map(move |(n, t)| (from + n, Seen(t.tag)))
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
        Seen(self.list.get(i)?.tag).symbol()
    }

    /// What a word means; [`Class::Other`] for any other token.
    #[inline]
    pub(crate) fn class(&self, i: usize) -> Class {
        self.list
            .get(i)
            .map_or(Class::Other, |t| Seen(t.tag).class())
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

    /// Where a token begins, the one after the last included; `None` past the end of the text.
    #[inline]
    pub(crate) fn start(&self, i: usize) -> Option<usize> {
        match self.list.get(i) {
            Some(t) => Some(t.start as usize),
            None => self.next.filter(|_| i == self.list.len()).map(|n| n.0),
        }
    }

    /// Whether a word begins with a dollar.
    #[inline]
    pub(crate) fn has_dollar(&self, i: usize) -> bool {
        let start = self.list.get(i).map_or(0, |t| t.start as usize);
        self.text.as_bytes().get(start) == Some(&b'$')
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
        self.list.get(i).map_or(0, |t| Seen(t.tag).mark())
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
        self.list.get(i).is_some_and(|t| Seen(t.tag).is_word())
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

fn length(start: usize, end: usize) -> Option<u32> {
    u32::try_from(end - start).ok().filter(|n| *n <= LENGTH)
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
