//! Ways to damage a file.

use proptest::prelude::*;
use proptest::sample::Index;

/// One change.
#[derive(Debug, Clone)]
pub enum Edit {
    Byte(Index, u8),
    Bit(Index, u8),
    Delete(Index, usize),
    /// Copies a part to another place.
    Copy(Index, usize, Index),
    Insert(Index, &'static [u8]),
    /// Replaces the digit or separator at or after a place.
    Digit(Index, u8),
    /// Gives the line at one place again at another.
    Line(Index, Index),
    /// Takes a field away, gives it twice, or swaps it with the next one.
    Field(Index, u8),
    Cut(Index),
    /// Changes all line ends, or the encoding.
    Whole(u8),
}

/// Words that readers have special ways for.
const WORDS: &[&[u8]] = &[
    b"NaN",
    b"Infinity",
    b"-inf",
    b"1e400",
    b"1e-400",
    b"0e999",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"1,234",
    b"1.234",
    b"1.234,5",
    b"12.345.678",
    b"0,5",
    b"\"",
    b"\"\"",
    b"'",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\x00",
    b"\x1b[2J",
    "\u{202e}".as_bytes(),
    "\u{2066}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{feff}".as_bytes(),
    b"\xff\xfe",
    b"\xc3",
    b"\r",
    b"\n",
    b"\r\n",
    b"\t",
    b",",
    b";",
    b".",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"null",
    b"true",
    b"-",
    b"+",
    b"%",
    b"(Kcycles)",
    b"n/a",
    b"<not counted>",
    b"==PROF== ",
    b"\"ID\",\"Process ID\"",
    b"fn=(1)",
    b"calls=1 1\n",
    b"summary: 1 2\n",
    b"--",
    b"(",
    b")",
    b"e5",
    b"0x10",
    "\u{663}".as_bytes(),
    "核".as_bytes(),
    b"../../",
    b"99999999999999999999999999999999999999",
    b"0.00000000000000000000000000000000001",
];

pub fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    let part = prop_oneof![4 => 1usize..12, 1 => 12usize..400];
    prop_oneof![
        3 => (at(), any::<u8>()).prop_map(|(a, b)| Edit::Byte(a, b)),
        2 => (at(), 0u8..8).prop_map(|(a, b)| Edit::Bit(a, b)),
        3 => (at(), part.clone()).prop_map(|(a, n)| Edit::Delete(a, n)),
        2 => (at(), part, at()).prop_map(|(a, n, b)| Edit::Copy(a, n, b)),
        5 => (at(), proptest::sample::select(WORDS)).prop_map(|(a, w)| Edit::Insert(a, w)),
        6 => (at(), proptest::sample::select(&b"0123456789.,eE-+ ;"[..])).prop_map(|(a, b)| Edit::Digit(a, b)),
        3 => (at(), at()).prop_map(|(a, b)| Edit::Line(a, b)),
        3 => (at(), 0u8..3).prop_map(|(a, b)| Edit::Field(a, b)),
        1 => at().prop_map(Edit::Cut),
        1 => (0u8..5).prop_map(Edit::Whole),
    ]
}

pub fn apply(bytes: &mut Vec<u8>, edits: &[Edit]) {
    for e in edits {
        if bytes.is_empty() {
            return;
        }
        let n = bytes.len();
        match e {
            Edit::Byte(at, b) => bytes[at.index(n)] = *b,
            Edit::Bit(at, bit) => bytes[at.index(n)] ^= 1 << bit,
            Edit::Delete(at, len) => {
                let from = at.index(n);
                bytes.drain(from..(from + len).min(n));
            }
            Edit::Copy(from, len, to) => {
                let from = from.index(n);
                let part = bytes[from..(from + len).min(n)].to_vec();
                splice(bytes, to.index(n), &part);
            }
            Edit::Insert(at, word) => splice(bytes, at.index(n), word),
            Edit::Digit(at, b) => {
                let from = at.index(n);
                let digit = |b: &u8| b.is_ascii_digit() || b",.".contains(b);
                if let Some(at) = bytes[from..].iter().position(digit) {
                    bytes[from + at] = *b;
                }
            }
            Edit::Line(from, to) => {
                let line = line(bytes, from.index(n));
                let part = bytes[line].to_vec();
                let to = line_start(bytes, to.index(n));
                splice(bytes, to, &part);
            }
            Edit::Field(at, how) => field(bytes, at.index(n), *how),
            Edit::Cut(at) => bytes.truncate(at.index(n)),
            Edit::Whole(how) => whole(bytes, *how),
        }
    }
}

fn splice(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    bytes.splice(at..at, part.iter().copied());
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    bytes[..at]
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |n| n + 1)
}

fn line(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let start = line_start(bytes, at);
    let end = bytes[at..].iter().position(|b| *b == b'\n');
    start..end.map_or(bytes.len(), |n| at + n + 1)
}

fn field(bytes: &mut Vec<u8>, at: usize, how: u8) {
    let edge = |b: &u8| b",;:\n".contains(b);
    let start = bytes[..at].iter().rposition(edge).map_or(0, |n| n + 1);
    let end = |from: usize| {
        bytes[from..]
            .iter()
            .position(edge)
            .map_or(bytes.len(), |n| from + n)
    };
    let (first, second) = (end(at), end((end(at) + 1).min(bytes.len())));
    match how {
        0 => drop(bytes.drain(start..(first + 1).min(bytes.len()))),
        1 => {
            let mut part = bytes[start..first].to_vec();
            part.insert(0, b',');
            splice(bytes, first, &part);
        }
        _ if second > first + 1 => {
            let mut part = bytes[first + 1..second].to_vec();
            part.push(bytes[first]);
            part.extend(&bytes[start..first]);
            bytes.splice(start..second, part);
        }
        _ => {}
    }
}

fn whole(bytes: &mut Vec<u8>, how: u8) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    *bytes = match how {
        0 => text.replace('\n', "\r\n").into_bytes(),
        1 => format!("\u{feff}{text}").into_bytes(),
        2 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        3 => text.replace('\n', "\r").into_bytes(),
        _ => text
            .replace('.', "#")
            .replace(',', ".")
            .replace('#', ",")
            .into_bytes(),
    };
}
