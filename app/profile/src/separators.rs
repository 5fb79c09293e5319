//! Figures with separators: which one groups digits and which one is the decimal sign.
//!
//! `1,234` is 1234 in one locale and 1.234 in another. What a figure's own shape settles is read
//! at once and counts as evidence for its file; what it leaves open waits for the evidence of the
//! whole file, and without any stays unread. Nothing is ever read a thousand times off.

use serde_json::Number;

use crate::number::{self, Read};

/// What the shape of a figure settles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// A number, and the decimal sign that its shape proves, if any.
    Certain(Read, Option<u8>),
    /// One separator with three digits after it: this one, and the digits without it.
    Open(u8, i64),
    /// Not a number.
    Not,
}

/// The evidence of one file: whether some figure proves a decimal point, or a comma.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub point: bool,
    pub comma: bool,
}

impl Evidence {
    /// Adds what one figure proves.
    #[inline]
    pub fn add(&mut self, decimal: Option<u8>) {
        match decimal {
            Some(b'.') => self.point = true,
            Some(b',') => self.comma = true,
            _ => {}
        }
    }

    /// What two parts of a file show together.
    pub fn and(self, other: Self) -> Self {
        Self {
            point: self.point || other.point,
            comma: self.comma || other.comma,
        }
    }

    /// The decimal sign, when all evidence agrees.
    pub fn decimal(self) -> Option<u8> {
        match (self.point, self.comma) {
            (true, false) => Some(b'.'),
            (false, true) => Some(b','),
            _ => None,
        }
    }
}

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Reads a figure as far as its shape settles it.
#[inline]
pub(crate) fn shape(raw: &str) -> Shape {
    let bytes = raw.as_bytes();
    let negative = bytes.first() == Some(&b'-');
    let digits = if negative { &bytes[1..] } else { bytes };
    let (mut mantissa, mut overflow) = (0u64, false);
    // Digits since the last separator, and whether those between separators come in threes.
    let (mut since, mut lead, mut in_threes) = (0usize, 0usize, true);
    let (mut first, mut second, mut repeated) = (0u8, 0u8, false);
    for b in digits {
        match b {
            b'0'..=b'9' => {
                let next = mantissa
                    .checked_mul(10)
                    .and_then(|m| m.checked_add(u64::from(b - b'0')));
                match next {
                    Some(m) => mantissa = m,
                    None => overflow = true,
                }
                since += 1;
            }
            b',' | b'.' => {
                if first == 0 {
                    first = *b;
                    lead = since;
                    in_threes = (1..=3).contains(&since);
                } else if second == 0 {
                    in_threes &= since == 3;
                    if *b == first {
                        repeated = true;
                    } else {
                        second = *b;
                    }
                } else {
                    return Shape::Not;
                }
                since = 0;
            }
            _ => return unusual(raw),
        }
    }
    if since == 0 || digits.is_empty() {
        return Shape::Not;
    }
    let plain = Plain {
        raw,
        mantissa,
        overflow,
        negative,
    };
    // No grouping begins with a zero: `0.123` is a decimal.
    let leading_zero = digits.first() == Some(&b'0') && first != 0;
    match (first, second) {
        (0, _) => plain.read(0, 0),
        (group, 0) if repeated => {
            if !in_threes || since != 3 || leading_zero {
                return Shape::Not;
            }
            plain.read(0, other(group))
        }
        (one, 0) if since == 3 && in_threes && !leading_zero => {
            // Six digits at most.
            let digits = i64::try_from(mantissa).unwrap_or(0);
            Shape::Open(one, if negative { -digits } else { digits })
        }
        (decimal, 0) if lead > 0 => plain.read(since, decimal),
        (_, 0) => Shape::Not,
        (_, decimal) if in_threes && !leading_zero => plain.read(since, decimal),
        _ => Shape::Not,
    }
}

/// A figure that its shape leaves open, once the decimal sign of its file is known.
pub(crate) fn settle(separator: u8, digits: i64, decimal: u8) -> Read {
    let fraction = Number::from_f64(digits as f64 / 1000.0).filter(|_| separator == decimal);
    let resolution = if fraction.is_some() { 0.001 } else { 1.0 };
    Read {
        value: fraction.unwrap_or_else(|| digits.into()),
        resolution,
        suspect: None,
    }
}

/// Why a figure that is open stays unread.
pub(crate) fn open_problem(separator: u8, evidence: Evidence) -> String {
    let why = if evidence == Evidence::default() {
        "nothing else in the file tells"
    } else {
        "the file has figures of both kinds"
    };
    format!(
        "{}, and {why}; run the tool with LC_ALL=C",
        open_to(separator)
    )
}

/// What a figure is open to.
pub(crate) fn open_to(separator: u8) -> String {
    format!(
        "ambiguous: `{}` may separate decimals or thousands",
        char::from(separator)
    )
}

fn other(separator: u8) -> u8 {
    if separator == b',' { b'.' } else { b',' }
}

/// The figure with a decimal point and without grouping; `decimal` 0 means that it has none.
fn cleaned(raw: &str, decimal: u8) -> String {
    raw.bytes()
        .filter_map(|b| match b {
            b if b == decimal => Some('.'),
            b',' | b'.' => None,
            b => Some(char::from(b)),
        })
        .collect()
}

/// From here on not every integer is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether the decimals of a figure are all zero: a count that was printed as a fraction.
fn is_whole_number(raw: &str, decimals: usize) -> bool {
    raw.bytes().rev().take(decimals).all(|b| b == b'0')
}

struct Plain<'a> {
    raw: &'a str,
    mantissa: u64,
    overflow: bool,
    negative: bool,
}

impl Plain<'_> {
    #[inline]
    fn read(&self, decimals: usize, decimal: u8) -> Shape {
        let proof = (decimal != 0).then_some(decimal);
        // Both operands are exact, so that the quotient is the nearest double.
        let exact = !self.overflow && (decimals == 0 || self.mantissa < 1 << 53);
        let value = match (POWERS.get(decimals), self.negative) {
            (Some(_), false) if exact && decimals == 0 => Some(Number::from(self.mantissa)),
            (Some(_), true) if exact && decimals == 0 => {
                i64::try_from(self.mantissa).ok().map(|n| Number::from(-n))
            }
            (Some(p), negative) if exact => {
                let f = self.mantissa as f64 / p;
                Number::from_f64(if negative { -f } else { f })
            }
            _ => None,
        };
        if let (Some(value), Some(p)) = (value, POWERS.get(decimals)) {
            return Shape::Certain(
                Read {
                    value,
                    resolution: 1.0 / p,
                    suspect: None,
                },
                proof,
            );
        }
        let decimal = if decimals == 0 { 0 } else { decimal };
        // A figure with decimals is the print of a double, and the nearest double is that one again;
        // an integer that is rounded says so.
        match number::read(&cleaned(self.raw, decimal)) {
            Ok(mut read) => {
                let whole = decimals > 0 && is_whole_number(self.raw, decimals);
                if whole && (self.overflow || self.mantissa >= 1 << 53) {
                    let beyond = read.value.as_f64().is_none_or(|v| v.abs() >= EXACT);
                    read.suspect = read.suspect.or_else(|| {
                        beyond.then(|| "more digits than a double holds: rounded".into())
                    });
                }
                Shape::Certain(read, proof)
            }
            Err(_) => Shape::Not,
        }
    }
}

/// Exponents, a plus sign, and grouping by blanks or apostrophes.
#[cold]
fn unusual(raw: &str) -> Shape {
    if let Some(rest) = raw.strip_prefix('+') {
        return if rest.starts_with(['+', '-']) {
            Shape::Not
        } else {
            shape(rest)
        };
    }
    if let Some((mantissa, exponent)) = raw.split_once(['e', 'E']) {
        let unsigned = mantissa.trim_start_matches('-');
        // The mantissa of such a figure has one digit before its decimal sign.
        let sign = unsigned.as_bytes().get(1).copied().unwrap_or(b'.');
        let fits = unsigned.starts_with(|c: char| c.is_ascii_digit())
            && matches!(sign, b'.' | b',')
            && unsigned.bytes().skip(2).all(|b| b.is_ascii_digit())
            && exponent.len() <= 5;
        if !fits {
            return Shape::Not;
        }
        let proof = (unsigned.len() > 1).then_some(sign);
        let plain = format!("{}e{exponent}", mantissa.replace(',', "."));
        return match number::read(&plain) {
            Ok(read) => Shape::Certain(read, proof),
            Err(_) => Shape::Not,
        };
    }
    by_blanks(raw)
}

fn by_blanks(raw: &str) -> Shape {
    const BLANKS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}'];
    let (whole, decimals) = match raw.find(['.', ',']) {
        Some(at) => raw.split_at(at),
        None => (raw, ""),
    };
    let mut groups = whole.trim_start_matches('-').split(BLANKS);
    let digits = |g: &str| g.bytes().all(|b| b.is_ascii_digit());
    let lead = groups.next().unwrap_or_default();
    let mut more = 0;
    let in_threes = groups.all(|g| {
        more += 1;
        g.len() == 3 && digits(g)
    });
    if more == 0
        || !in_threes
        || !digits(lead)
        || !(1..=3).contains(&lead.len())
        || lead.starts_with('0')
    {
        return Shape::Not;
    }
    let joined: String = whole.chars().filter(|c| !BLANKS.contains(c)).collect();
    match decimals.as_bytes() {
        [] => match number::read(&joined) {
            Ok(read) => Shape::Certain(read, None),
            Err(_) => Shape::Not,
        },
        // The blank groups, so that this is the decimal sign.
        [sign, rest @ ..] if !rest.is_empty() && rest.iter().all(u8::is_ascii_digit) => {
            match number::read(&format!("{joined}.{}", &decimals[1..])) {
                Ok(read) => Shape::Certain(read, Some(*sign)),
                Err(_) => Shape::Not,
            }
        }
        _ => Shape::Not,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certain(raw: &str) -> (String, f64, Option<u8>) {
        match shape(raw) {
            Shape::Certain(r, p) => (r.value.to_string(), r.resolution, p),
            other => panic!("{raw}: {other:?}"),
        }
    }

    #[test]
    fn shapes_that_settle_themselves() {
        let point = Some(b'.');
        let comma = Some(b',');
        assert_eq!(certain("4096"), ("4096".into(), 1.0, None));
        assert_eq!(certain("-7"), ("-7".into(), 1.0, None));
        assert_eq!(certain("18446744073709551615").0, "18446744073709551615");
        assert_eq!(
            certain("3,199,494,998.48"),
            ("3199494998.48".into(), 0.01, point)
        );
        assert_eq!(certain("27.595.520"), ("27595520".into(), 1.0, comma));
        assert_eq!(certain("65,77"), ("65.77".into(), 0.01, comma));
        assert_eq!(certain("6,532,170"), ("6532170".into(), 1.0, point));
        assert_eq!(certain("0.123"), ("0.123".into(), 0.001, point));
        assert_eq!(certain("1234.567").2, point);
        assert_eq!(certain("1.234,5"), ("1234.5".into(), 0.1, comma));
        assert_eq!(
            certain("27\u{202f}595\u{202f}520,5"),
            ("27595520.5".into(), 0.1, comma)
        );
        assert_eq!(certain("1 234").0, "1234");
        assert_eq!(certain("1.25e+08").0, "125000000.0");
        assert_eq!(certain("+12").0, "12");
        assert_eq!(certain("0.30").0, "0.3");
    }

    #[test]
    fn counts_that_a_double_does_not_hold_are_named() {
        let read = |raw| match shape(raw) {
            Shape::Certain(read, _) => read,
            other => panic!("{other:?}"),
        };
        let count = read("9,007,199,254,740,993.00");
        assert!(count.suspect.is_some_and(|s| s.contains("rounded")));
        // The print of a double is that double again.
        let rate = read("1,068,069,493,115,658.88");
        assert_eq!(rate.value.as_f64(), Some(1_068_069_493_115_658.9));
        assert_eq!(rate.suspect, None);
    }

    #[test]
    fn shapes_that_need_their_file() {
        assert_eq!(shape("117.344"), Shape::Open(b'.', 117_344));
        assert_eq!(shape("-1,205"), Shape::Open(b',', -1205));
        let read = |raw, d| match shape(raw) {
            Shape::Open(sign, digits) => settle(sign, digits, d).value.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(read("117.344", b','), "117344");
        assert_eq!(read("117.344", b'.'), "117.344");
        assert_eq!(read("-1,205", b'.'), "-1205");
        assert_eq!(read("-1,205", b','), "-1.205");
        let mut e = Evidence::default();
        assert_eq!(e.decimal(), None);
        e.add(Some(b'.'));
        assert_eq!(e.decimal(), Some(b'.'));
        e.add(Some(b','));
        assert_eq!(e.decimal(), None);
    }

    #[test]
    fn what_is_no_number() {
        for bad in [
            "",
            "-",
            ".",
            ",",
            "1,",
            "1.",
            ".5",
            "1,23,456",
            "12,34,567",
            "1,234,56",
            "1.2.3",
            "1,234.5,6",
            "nan",
            "inf",
            "0x10",
            "1e999",
            "12 34",
            "0 123",
            "--1",
            "+-1",
            "1234,567,890",
            "0,123,456",
            "1.234,567.8",
            "(1)",
            "e5",
            "1e",
            "٣",
            "1,234e5,6",
        ] {
            assert_eq!(shape(bad), Shape::Not, "{bad}");
        }
    }
}
