//! JSON that comes in pieces: its structure is followed, and values are handed over one by one, so
//! that memory does not grow with the content.

use std::io::Read;

use crate::scan;

/// What is read at once.
const PIECE: usize = 256 << 10;

/// A value that is handed over whole is not larger than this.
const MAX_VALUE: usize = 64 << 20;

/// The document ends before its structure does.
const CUT: &str = "the document ends in the middle";

/// Where reading ended and why; lines and columns begin with 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub line: u64,
    pub column: u64,
    pub why: String,
}

/// A document on its way.
pub(super) struct Pieces<'r> {
    source: &'r mut dyn Read,
    buffer: Vec<u8>,
    /// Where what was not looked at begins.
    at: usize,
    ended: bool,
    /// Why there is no more, if not because it is all.
    failed: Option<String>,
    /// Lines before the buffer, and bytes of its first line that were before it.
    lines: u64,
    column: u64,
    problem: Option<Problem>,
}

impl<'r> Pieces<'r> {
    pub fn new(source: &'r mut dyn Read) -> Self {
        let mut pieces = Self {
            source,
            buffer: Vec::new(),
            at: 0,
            ended: false,
            failed: None,
            lines: 0,
            column: 0,
            problem: None,
        };
        pieces.more();
        if pieces.buffer.starts_with(b"\xef\xbb\xbf") {
            pieces.buffer.drain(..3);
        }
        pieces
    }

    /// Reads on; whether there was more.
    fn more(&mut self) -> bool {
        if self.ended {
            return false;
        }
        self.forget();
        // What is waiting for its end is read on by as much again, so that it is not searched often.
        let piece = self.buffer.len().max(PIECE);
        let before = self.buffer.len();
        let limit = u64::try_from(piece).unwrap_or(u64::MAX);
        if let Err(e) = (&mut *self.source)
            .take(limit)
            .read_to_end(&mut self.buffer)
        {
            self.failed = Some(format!("reading failed: {e}"));
        }
        self.ended = self.failed.is_some() || self.buffer.len() - before < piece;
        self.buffer.len() > before
    }

    /// Drops what was read, and counts its lines.
    fn forget(&mut self) {
        let gone = &self.buffer[..self.at];
        (self.lines, self.column) = self.position(gone);
        self.buffer.drain(..self.at);
        self.at = 0;
    }

    /// Lines and bytes of the last line up to the end of a part of the buffer.
    fn position(&self, part: &[u8]) -> (u64, u64) {
        let lines = part.iter().filter(|b| **b == b'\n').count() as u64;
        let column = part.iter().rev().take_while(|b| **b != b'\n').count() as u64;
        if lines > 0 {
            (self.lines + lines, column)
        } else {
            (self.lines, self.column + column)
        }
    }

    /// Ends reading here.
    pub fn fail(&mut self, why: &str) {
        self.fail_at(self.at, why);
    }

    fn fail_at(&mut self, at: usize, why: &str) {
        let end = at.min(self.buffer.len());
        let (lines, column) = self.position(&self.buffer[..end]);
        let why = self.failed.as_deref().filter(|_| why == CUT).unwrap_or(why);
        self.problem.get_or_insert_with(|| Problem {
            line: lines + 1,
            column: column + 1,
            why: why.to_owned(),
        });
    }

    /// Ends reading at an offset of the value that was handed over last.
    pub fn fail_in(&mut self, value: Value, offset: usize, why: &str) {
        let why = if value.whole { why } else { CUT };
        self.fail_at(value.start + offset, why);
    }

    /// Why reading ended early, if it did; what follows the document is looked at.
    pub fn finish(mut self) -> Option<Problem> {
        if self.problem.is_none() && self.begins().is_some() {
            self.fail("something stands after the end of the document");
        } else if self.failed.is_some() {
            self.fail(CUT);
        }
        self.problem
    }

    /// How the next value begins; none at the end, or once reading has ended.
    pub fn begins(&mut self) -> Option<u8> {
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let blank = |b: &u8| matches!(b, b' ' | b'\n' | b'\r' | b'\t');
            match rest.iter().position(|b| !blank(b)) {
                Some(n) => {
                    self.at += n;
                    return self.buffer.get(self.at).copied();
                }
                None => {
                    self.at = self.buffer.len();
                    if !self.more() {
                        return None;
                    }
                }
            }
        }
    }

    /// Goes into the object or list that begins here.
    pub fn open(&mut self) {
        self.at += 1;
    }

    /// After the opening bracket (`first`) or a value: whether another one follows.
    pub fn goes_on(&mut self, end: u8, first: bool) -> bool {
        if self.problem.is_some() {
            return false;
        }
        match self.begins() {
            Some(b) if b == end => {
                self.at += 1;
                false
            }
            Some(_) if first => true,
            Some(b',') => {
                self.at += 1;
                true
            }
            Some(_) => {
                self.fail("expected `,` or the end of the list");
                false
            }
            None => {
                self.fail(CUT);
                false
            }
        }
    }

    /// The name of a member with its quotes, behind whose colon reading stands then.
    pub fn key(&mut self) -> Option<Vec<u8>> {
        if self.begins() != Some(b'"') {
            self.fail("expected a name in quotation marks");
            return None;
        }
        let key = self.value()?;
        let name = self.bytes(key).to_vec();
        match self.begins() {
            Some(b':') => self.at += 1,
            Some(_) => self.fail("expected `:`"),
            None => self.fail(CUT),
        }
        self.problem.is_none().then_some(name)
    }

    /// The value that begins here, as a whole; at the end of the content what there is of it.
    pub fn value(&mut self) -> Option<Value> {
        if self.begins().is_none() {
            self.fail(CUT);
            return None;
        }
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            if let Some(n) = end_of_value(rest) {
                return Some(self.take(n, true));
            }
            if rest.len() > MAX_VALUE {
                self.fail("a single value of more than 64 MiB");
                return None;
            }
            if !self.more() {
                let rest = self.buffer.len() - self.at;
                return Some(self.take(rest, false));
            }
        }
    }

    fn take(&mut self, n: usize, whole: bool) -> Value {
        let start = self.at;
        self.at += n;
        Value {
            start,
            end: self.at,
            whole,
        }
    }

    /// The bytes of the value that was handed over last.
    pub fn bytes(&self, value: Value) -> &[u8] {
        self.buffer.get(value.start..value.end).unwrap_or_default()
    }

    /// Goes past the value that begins here, however large it is.
    pub fn skip(&mut self) {
        if self.begins().is_none() {
            return self.fail(CUT);
        }
        self.skip_on(Skipping::default());
    }

    /// Goes to the end of the object or list that was opened and has something in it.
    pub fn skip_inside(&mut self) {
        self.skip_on(Skipping {
            depth: 1,
            ..Skipping::default()
        });
    }

    fn skip_on(&mut self, mut skipping: Skipping) {
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            match skipping.end(rest) {
                Some(n) => {
                    self.at += n;
                    return;
                }
                None => {
                    self.at = self.buffer.len();
                    if !self.more() {
                        return self.fail(CUT);
                    }
                }
            }
        }
    }
}

/// Where a value stands, until reading goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    start: usize,
    end: usize,
    /// Whether its end was reached.
    pub whole: bool,
}

/// Where the value ends that the bytes begin with; none where its end is not among them.
fn end_of_value(bytes: &[u8]) -> Option<usize> {
    Skipping::default().end(bytes)
}

/// How far into a value one is.
#[derive(Default)]
struct Skipping {
    depth: usize,
    in_text: bool,
    /// Whether the next byte belongs to an escape sequence.
    escaped: bool,
    in_word: bool,
}

impl Skipping {
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(b) = bytes.get(at) {
            if self.in_text {
                if std::mem::take(&mut self.escaped) {
                    at += 1;
                    continue;
                }
                let n = scan::either(&bytes[at..], b'"', b'\\')?;
                at += n + 1;
                if bytes[at - 1] == b'\\' {
                    self.escaped = true;
                    continue;
                }
                self.in_text = false;
                if self.depth == 0 {
                    return Some(at);
                }
                continue;
            }
            let ends = matches!(
                b,
                b',' | b']' | b'}' | b':' | b' ' | b'\n' | b'\r' | b'\t' | b'"'
            );
            if self.depth == 0 && self.in_word && ends {
                return Some(at);
            }
            at += 1;
            match b {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at);
                    }
                }
                _ => self.in_word |= self.depth == 0,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Content that comes a few bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(to.len()).min(self.0.len());
            to[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn values_end_where_they_end() {
        for (text, end) in [
            ("12,", Some(2)),
            ("12", None),
            ("\"a\\\"b\" ", Some(6)),
            ("{\"]\": [1, {}]}x", Some(14)),
            ("[", None),
            ("true]", Some(4)),
        ] {
            assert_eq!(end_of_value(text.as_bytes()), end, "{text}");
            let mut skipping = Skipping::default();
            let mut found = None;
            for (i, b) in text.bytes().enumerate() {
                if let Some(n) = skipping.end(&[b]) {
                    found = Some(i + n);
                    break;
                }
            }
            assert_eq!(found, end, "{text}, byte by byte");
        }
    }

    #[test]
    fn structure_is_followed_and_places_are_told() {
        let long = "x".repeat(PIECE);
        let text = format!(
            "\u{feff}{{\n\"a\": [1, \"{long}\", {{\"b\": 2}}],\n \"s\": [[{long}]], \"c\" 5}}"
        );
        let mut source = Drops(text.as_bytes(), 1000);
        let mut p = Pieces::new(&mut source);
        assert_eq!(p.begins(), Some(b'{'));
        p.open();
        assert!(p.goes_on(b'}', true));
        assert_eq!(p.key().unwrap(), b"\"a\"");
        assert_eq!(p.begins(), Some(b'['));
        p.open();
        let mut sizes = Vec::new();
        let mut first = true;
        while p.goes_on(b']', first) {
            first = false;
            let v = p.value().unwrap();
            sizes.push(p.bytes(v).len());
        }
        assert_eq!(sizes, [1, PIECE + 2, 8]);
        assert!(p.goes_on(b'}', false));
        p.key().unwrap();
        p.skip();
        assert!(p.goes_on(b'}', false));
        p.key();
        let problem = p.finish().unwrap();
        assert_eq!(problem.line, 3);
        assert_eq!(problem.column, long.len() as u64 + 17);
        assert!(problem.why.contains(':'));
    }
}
