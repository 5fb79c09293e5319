//! Figures in quotes that are plainly digits, read on the way to the closing quote.
//!
//! A page of Nsight Compute has millions of them. What this does not take is left to the module
//! `separators`, which has the rules; what it takes it reads alike.

/// Digits that fit in any integer here, whatever they are.
const MOST_DIGITS: usize = 18;

/// From here on not every integer is a double.
const EXACT: u64 = 1 << 53;

/// Powers of ten that a double holds exactly.
const POWERS: [f64; MOST_DIGITS + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18,
];

/// What a figure is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Plain {
    /// A count.
    Whole(u64),
    /// A number with so many decimals.
    Decimal(f64, i8),
    /// One separator with three digits after it: this one, and the digits without it.
    Open(u8, i64),
}

/// A figure, the decimal sign that its shape proves (0 for none), and where its end is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub figure: Plain,
    pub proof: u8,
    pub end: usize,
}

/// The digits from a place on.
struct Digits {
    number: u64,
    end: usize,
}

#[inline]
fn digits(bytes: &[u8], from: usize, mut number: u64) -> Digits {
    let mut end = from;
    while let Some(b) = bytes.get(end) {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        end += 1;
    }
    Digits { number, end }
}

/// The figure that begins at a place and ends before a quote.
#[inline]
pub(crate) fn quoted(bytes: &[u8], at: usize) -> Option<Found> {
    let lead = digits(bytes, at, 0);
    let leads = lead.end - at;
    if leads == 0 || leads > MOST_DIGITS {
        return None;
    }
    let sign = *bytes.get(lead.end)?;
    let found = |figure, proof, end| Some(Found { figure, proof, end });
    match sign {
        b'"' => return found(Plain::Whole(lead.number), 0, lead.end),
        b',' | b'.' => {}
        _ => return None,
    }
    let mut part = digits(bytes, lead.end + 1, lead.number);
    let mut since = part.end - lead.end - 1;
    if part.end - at > MOST_DIGITS {
        return None;
    }
    let groups = leads <= 3 && bytes.get(at) != Some(&b'0');
    if bytes.get(part.end) == Some(&b'"') {
        if since == 3 && groups {
            let digits = i64::try_from(part.number).ok()?;
            return found(Plain::Open(sign, digits), 0, part.end);
        }
        return found(decimal(part.number, since)?, sign, part.end);
    }
    // Several separators: groups of three digits, and perhaps decimals behind the other sign.
    let mut repeated = false;
    loop {
        if !groups || since != 3 || part.end - at > MOST_DIGITS {
            return None;
        }
        match *bytes.get(part.end)? {
            b'"' if repeated => {
                let other = if sign == b',' { b'.' } else { b',' };
                return found(Plain::Whole(part.number), other, part.end);
            }
            b if b == sign => {
                repeated = true;
                let from = part.end + 1;
                part = digits(bytes, from, part.number);
                since = part.end - from;
            }
            b @ (b',' | b'.') => {
                let from = part.end + 1;
                part = digits(bytes, from, part.number);
                let is_whole = bytes.get(part.end) == Some(&b'"');
                if !is_whole || part.end - at > MOST_DIGITS {
                    return None;
                }
                return found(decimal(part.number, part.end - from)?, b, part.end);
            }
            _ => return None,
        }
    }
}

/// Both the digits and the power are exact, so that their quotient is the nearest double.
#[inline]
fn decimal(number: u64, decimals: usize) -> Option<Plain> {
    let power = POWERS.get(decimals).filter(|_| decimals > 0)?;
    let places = i8::try_from(decimals).ok()?;
    (number < EXACT).then(|| Plain::Decimal(number as f64 / power, places))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::separators::{Shape, shape};

    /// What the rules say, in the same words.
    fn by_the_rules(raw: &str) -> Option<(Plain, u8)> {
        match shape(raw) {
            Shape::Certain(read, proof) if read.suspect.is_none() => {
                let decimals = -read.resolution.log10().round() as i8;
                let plain = match read.value.as_u64() {
                    Some(n) => Plain::Whole(n),
                    None => Plain::Decimal(read.value.as_f64()?, decimals),
                };
                Some((plain, proof.unwrap_or(0)))
            }
            Shape::Open(sign, digits) => Some((Plain::Open(sign, digits), 0)),
            _ => None,
        }
    }

    fn check(raw: &str) -> Result<bool, TestCaseError> {
        let text = format!("{raw}\",");
        let Some(found) = quoted(text.as_bytes(), 0) else {
            return Ok(false);
        };
        prop_assert_eq!(found.end, raw.len(), "{}", raw);
        prop_assert_eq!(
            by_the_rules(raw),
            Some((found.figure, found.proof)),
            "{}",
            raw
        );
        Ok(true)
    }

    #[test]
    fn common_figures_are_taken() {
        for raw in [
            "0",
            "7",
            "4096",
            "626,208",
            "65.77",
            "26,819,102,157.68",
            "1.234.567",
            "0.123",
            "117.344",
            "999999999999999999",
            "12345678.9",
        ] {
            assert!(check(raw).unwrap(), "{raw}");
        }
        for raw in [
            "",
            "-1",
            "1e5",
            ".5",
            "5.",
            "1,23,456",
            "0,123,456",
            "1.2.3",
            "1,234.5,6",
            "1 234",
            "n/a",
            "9999999999999999999",
            "9,007,199,254,740,993.5",
        ] {
            assert!(!check(raw).unwrap(), "{raw}");
        }
        assert_eq!(quoted(b"123", 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_taken_is_read_by_the_rules(raw in "[0-9]{0,5}([,.][0-9]{0,4}){0,5}") {
            check(&raw)?;
        }

        #[test]
        fn grouped_figures_are_read_by_the_rules(raw in "[1-9][0-9]{0,2}(,[0-9]{3}){0,6}([.][0-9]{1,6})?") {
            check(&raw)?;
        }

        #[test]
        fn anything_else_is_left_alone(raw in "[0-9,.eE+ '\u{a0}-]{0,24}") {
            check(&raw)?;
        }
    }
}
