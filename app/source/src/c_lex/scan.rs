//! Where tokens of C begin and end, by their bytes.

pub(crate) fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

const MARK: u8 = 0;
const BLANK: u8 = 1;
pub(super) const LETTER: u8 = 2;
pub(super) const DIGIT: u8 = 3;
pub(super) const QUOTE: u8 = 4;
pub(super) const HASH: u8 = 5;
const SLASH: u8 = 6;
const BACKSLASH: u8 = 7;

/// What a byte may begin.
pub(super) static CLASSES: [u8; 256] = {
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
pub(super) fn begin(b: &[u8], mut at: usize) -> Option<(usize, u8)> {
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
pub(super) fn word_end(b: &[u8], mut at: usize) -> usize {
    while b
        .get(at)
        .is_some_and(|c| matches!(CLASSES[usize::from(*c)], LETTER | DIGIT))
    {
        at += 1;
    }
    at
}

/// Whether a line begins between the token before, which ends at `from`, and this one.
pub(super) fn begins_line(b: &[u8], from: usize, at: usize) -> bool {
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
    let rest = b.get(from..).unwrap_or(&[]);
    let end = rest.windows(2).position(|w| w == b"*/");
    end.map_or(b.len(), |i| from + i + 2)
}

pub(super) fn directive_end(b: &[u8], at: usize) -> usize {
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

pub(crate) fn raw_end(b: &[u8], quote: usize) -> usize {
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
    loop {
        while b.get(i).is_some_and(|c| IN_NUMBER[usize::from(*c)]) {
            i += 1;
        }
        let more = match b.get(i) {
            Some(b'+' | b'-') => match b[i - 1] {
                b'p' | b'P' => true,
                b'e' | b'E' => !hex,
                _ => false,
            },
            Some(b'\'') => b.get(i + 1).is_some_and(u8::is_ascii_alphanumeric),
            _ => false,
        };
        if !more {
            return i;
        }
        i += 1;
    }
}

/// Bytes that go on in a number, whatever is before them.
static IN_NUMBER: [bool; 256] = {
    let mut out = [false; 256];
    let mut i = 0;
    while i < 256 {
        let c = i as u8;
        out[i] = c.is_ascii_alphanumeric() || c == b'.' || c == b'_';
        i += 1;
    }
    out
};

/// The value of an integer literal, decimal or hexadecimal, whatever its suffix.
pub(crate) fn integer(text: &str) -> Option<u64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if text.contains('\'') => text.replace('\'', "").parse().ok(),
        None => text.parse().ok(),
    }
}
