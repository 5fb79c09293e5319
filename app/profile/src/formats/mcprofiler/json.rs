//! JSON as its text: members in their order, numbers with their digits, repeated keys all kept.
//!
//! A document that is cut short or damaged yields what stands before the damage, and what is
//! incomplete says so. Nesting is bounded. The words of Python for what is no number are taken.

use std::borrow::Cow;

use crate::scan;

/// Deeper nesting than any report has is refused.
pub(crate) const MAX_DEPTH: usize = 64;

#[derive(Debug)]
pub(crate) enum Node<'a> {
    Null,
    /// `true`, `false`, `NaN`, `Infinity`, `-Infinity`.
    Word(&'a str),
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>, Whole),
    Object(Members<'a>, Whole),
}

pub(crate) type Members<'a> = Vec<(Cow<'a, str>, Node<'a>)>;

/// Whether the closing bracket was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whole(pub bool);

impl<'a> Node<'a> {
    #[cfg(test)]
    pub(crate) fn members(&self) -> Option<&Members<'a>> {
        match self {
            Self::Object(members, _) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> Option<&[Node<'a>]> {
        match self {
            Self::List(items, _) => Some(items),
            _ => None,
        }
    }

    /// Whether nothing in it is missing.
    pub(crate) fn is_whole(&self) -> bool {
        // Only the last part can be cut: reading ends there.
        match self {
            Self::List(items, whole) => whole.0 && items.last().is_none_or(Node::is_whole),
            Self::Object(members, whole) => {
                whole.0 && members.last().is_none_or(|(_, n)| n.is_whole())
            }
            _ => true,
        }
    }

    /// What it looks like, for a message.
    pub(crate) fn brief(&self) -> &str {
        match self {
            Self::Null => "null",
            Self::Word(w) | Self::Number(w) => w,
            Self::Text(t) => t,
            Self::List(..) => "[...]",
            Self::Object(..) => "{...}",
        }
    }
}

/// The first member of a name.
pub(crate) fn member<'n, 'a>(members: &'n Members<'a>, key: &str) -> Option<&'n Node<'a>> {
    members.iter().find(|(k, _)| k == key).map(|(_, n)| n)
}

/// Reads a document; with it, where and why reading ended early, if it did.
pub(crate) fn read(text: &str) -> (Option<Node<'_>>, Option<String>) {
    let mut r = Reader::new(text);
    let root = r.value(0);
    (root, r.finish())
}

/// A document on its way: what is not kept is never held as a whole.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    problem: Option<(usize, &'static str)>,
}

pub(super) const CUT: &str = "the document ends in the middle";

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            problem: None,
        }
    }

    /// Whether reading ended early.
    pub(super) fn is_cut(&self) -> bool {
        self.problem.is_some()
    }

    /// Ends the document; where and why reading ended early, if it did.
    pub(super) fn finish(self) -> Option<String> {
        let text = self.text;
        let (at, why) = self.problem()?;
        let before = &text.as_bytes()[..at];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
        Some(format!("line {line}, column {column}: {why}"))
    }

    /// Ends the document; the offset at which reading ended early, and why, if it did.
    pub(super) fn problem(mut self) -> Option<(usize, &'static str)> {
        self.blanks();
        if self.problem.is_none() && self.at < self.text.len() {
            self.problem = Some((self.at, "something stands after the end of the document"));
        }
        self.problem
    }

    /// How the next value begins.
    pub(super) fn begins(&mut self) -> Option<u8> {
        self.blanks();
        self.peek()
    }

    fn fail<T>(&mut self, why: &'static str) -> Option<T> {
        self.problem.get_or_insert((self.at, why));
        None
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn blanks(&mut self) {
        if let Some(0..=b' ') = self.peek() {
            self.skip_blanks();
        }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
            at += 1;
            // Most of a report is indentation.
            while let Some(b"        ") = bytes.get(at..at + 8) {
                at += 8;
            }
        }
        self.at = at;
    }

    pub(super) fn value(&mut self, depth: usize) -> Option<Node<'a>> {
        self.blanks();
        match self.peek() {
            None => self.fail(CUT),
            Some(b'{' | b'[') if depth >= MAX_DEPTH => self.fail("nested too deep"),
            Some(b'{') => Some(self.object(depth)),
            Some(b'[') => Some(self.list(depth)),
            Some(b'"') => self.string().map(Node::Text),
            Some(_) => self.scalar(),
        }
    }

    fn object(&mut self, depth: usize) -> Node<'a> {
        let mut members = Vec::new();
        let whole = self.members(depth, &mut members).is_some();
        Node::Object(members, Whole(whole))
    }

    fn members(&mut self, depth: usize, members: &mut Members<'a>) -> Option<()> {
        self.each_member(depth, |r, key| {
            let value = r.value(depth + 1)?;
            members.push((key, value));
            Some(())
        })
    }

    /// Reads an object into members that were read before; whether nothing in it is missing.
    pub(super) fn object_into(&mut self, depth: usize, members: &mut Members<'a>) -> Whole {
        members.clear();
        let whole = self.members(depth, members).is_some();
        Whole(whole && members.last().is_none_or(|(_, n)| n.is_whole()))
    }

    /// Goes over the members of the object that begins here; the value of each is left to be read.
    pub(super) fn each_member(
        &mut self,
        depth: usize,
        mut read: impl FnMut(&mut Self, Cow<'a, str>) -> Option<()>,
    ) -> Option<()> {
        self.open(depth)?;
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Some(());
        }
        loop {
            self.blanks();
            let key = match self.peek() {
                Some(b'"') => self.string()?,
                Some(_) => return self.fail("expected a name in quotation marks"),
                None => return self.fail(CUT),
            };
            self.blanks();
            match self.peek() {
                Some(b':') => self.at += 1,
                Some(_) => return self.fail("expected `:`"),
                None => return self.fail(CUT),
            }
            read(self, key)?;
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
    }

    /// Goes into an object or list, unless that is nested too deep.
    fn open(&mut self, depth: usize) -> Option<()> {
        if depth >= MAX_DEPTH {
            return self.fail("nested too deep");
        }
        self.at += 1;
        Some(())
    }

    fn list(&mut self, depth: usize) -> Node<'a> {
        let mut items = Vec::new();
        let whole = self.each_item(depth, |r| {
            let value = r.value(depth + 1)?;
            items.push(value);
            Some(())
        });
        Node::List(items, Whole(whole.is_some()))
    }

    /// Goes over the items of the list that begins here; each is left to be read.
    pub(super) fn each_item(
        &mut self,
        depth: usize,
        mut read: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.open(depth)?;
        self.blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Some(());
        }
        loop {
            read(self)?;
            if !self.goes_on(b']')? {
                return Some(());
            }
        }
    }

    /// After a value: whether another one follows.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        if self.problem.is_some() {
            return None;
        }
        self.blanks();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Some(true)
            }
            Some(b) if b == end => {
                self.at += 1;
                Some(false)
            }
            Some(_) => self.fail("expected `,` or the end of the list"),
            None => self.fail(CUT),
        }
    }

    fn scalar(&mut self) -> Option<Node<'a>> {
        let rest = &self.text[self.at..];
        let end = rest
            .bytes()
            .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')));
        let Some(end) = end else {
            // What runs to the end of the content may be half a number.
            return self.fail(CUT);
        };
        let word = &rest[..end];
        let node = match word.as_bytes().first() {
            Some(b'0'..=b'9') => Node::Number(word),
            _ => match word {
                "null" => Node::Null,
                "true" | "false" | "NaN" | "Infinity" | "-Infinity" => Node::Word(word),
                _ if word.starts_with('-') => Node::Number(word),
                _ => return self.fail("expected a value"),
            },
        };
        self.at += end;
        Some(node)
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.at += 1;
        let start = self.at;
        let mut owned: Option<String> = None;
        let mut from = start;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let Some(n) = scan::either(rest, b'"', b'\\') else {
                return self.fail(CUT);
            };
            self.at += n;
            let run = &self.text[from..self.at];
            if rest[n] == b'"' {
                self.at += 1;
                return Some(match owned {
                    None => Cow::Borrowed(run),
                    Some(mut s) => {
                        s.push_str(run);
                        Cow::Owned(s)
                    }
                });
            }
            let mut s = owned.take().unwrap_or_default();
            s.push_str(run);
            s.push(self.escape()?);
            owned = Some(s);
            from = self.at;
        }
    }

    fn escape(&mut self) -> Option<char> {
        let letter = self.text.as_bytes().get(self.at + 1).copied();
        let c = match letter {
            None => return self.fail(CUT),
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            Some(_) => return self.fail("an escape that JSON does not have"),
        };
        self.at += 2;
        Some(c)
    }

    fn unicode(&mut self) -> Option<char> {
        let Some(high) = self.hex(self.at + 2) else {
            return self.fail("`\\u` without four hexadecimal digits");
        };
        self.at += 6;
        if let Some(c) = char::from_u32(high) {
            return Some(c);
        }
        let follows = self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u");
        let low = if follows { self.hex(self.at + 2) } else { None };
        let pair = low
            .filter(|l| high < 0xDC00 && (0xDC00..0xE000).contains(l))
            .and_then(|l| char::from_u32(0x10000 + ((high - 0xD800) << 10) + (l - 0xDC00)));
        if pair.is_some() {
            self.at += 6;
        }
        // Half a pair stands for no character.
        Some(pair.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.as_bytes().get(at..at + 4)?;
        digits
            .iter()
            .try_fold(0, |n, b| char::from(*b).to_digit(16).map(|d| n * 16 + d))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_the_damage_is_kept_and_marked() {
        let (root, problem) = read("{\"a\": [1, {\"b\": 2.50}, {\"c\": 3");
        let root = root.unwrap();
        assert!(!root.is_whole());
        let items = member(root.members().unwrap(), "a")
            .unwrap()
            .items()
            .unwrap();
        assert!(matches!(items[0], Node::Number("1")) && items[1].is_whole());
        assert!(items[2].members().unwrap().is_empty() && !items[2].is_whole());
        assert!(problem.unwrap().starts_with("line 1, column 30"));
    }

    #[test]
    fn escapes_order_and_repeated_keys() {
        let (root, problem) = read(r#"{"b":"\u001b[2J\ud83d\ude00\ud83dx", "a":NaN, "b":[]}"#);
        let root = root.unwrap();
        let m = root.members().unwrap();
        assert_eq!(m.iter().map(|(k, _)| k.as_ref()).collect::<String>(), "bab");
        assert_eq!(m[0].1.brief(), "\x1b[2J\u{1f600}\u{fffd}x");
        assert!(matches!(m[1].1, Node::Word("NaN")) && problem.is_none() && root.is_whole());
    }

    #[test]
    fn nesting_is_bounded_and_junk_is_an_error() {
        let deep = "[".repeat(1_000_000);
        assert!(read(&deep).1.unwrap().contains("deep"));
        for bad in [
            "",
            "{",
            "{\"a\"",
            "{a:1}",
            "[1 2]",
            "\"\\x\"",
            "\"\\u12\"",
            "{} {}",
            "[tru]",
        ] {
            assert!(read(bad).1.is_some(), "{bad}");
        }
    }
}
