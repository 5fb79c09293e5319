//! Figures as the reports print them, with what speaks against one.
//!
//! The tool separates thousands with commas and decimals with a point, whatever the locale, and
//! appends the unit: `3,456,789`, `98.50%`, `48,120.75(Kcycles)`, `1,024.0byte`.

use serde_json::Number;

use super::metrics;
use crate::number::{self, Read};
use crate::{CounterRef, Status};

/// What the text of a figure amounts to.
#[derive(Debug)]
pub(super) enum Printed<'a> {
    /// A word for there being none.
    Absent,
    /// Any other word.
    Word(&'a str),
    /// A number and its unit, empty for none.
    Number(Read, &'a str),
    /// What cannot be read for certain, with the unit as far as there is one, and why.
    Error(&'a str, String),
}

/// Reads the text of a report.
#[inline]
pub(super) fn printed(raw: &str) -> Printed<'_> {
    let text = raw.trim();
    let begins_a_number = matches!(
        text.as_bytes().first(),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b',')
    );
    if !begins_a_number || text == "-" {
        if text.is_empty() || matches!(text, "-" | "None" | "null" | "N/A" | "n/a") {
            return Printed::Absent;
        }
        if !is_named_number(text) {
            return Printed::Word(text);
        }
    }
    let (number, suffix) = split(text);
    match unit(suffix) {
        Some(unit) => match grouped(number) {
            Ok(read) => Printed::Number(read, unit),
            Err(why) => Printed::Error(unit, why),
        },
        None => Printed::Error("", "not a number".into()),
    }
}

/// `nan`, `inf%` and the like, which are no figures.
fn is_named_number(text: &str) -> bool {
    let word = text.trim_end_matches('%');
    ["nan", "inf", "infinity"]
        .iter()
        .any(|w| word.eq_ignore_ascii_case(w))
}

/// What speaks against the figure that a file without a line end at its end stops at, where digits
/// or the unit could be missing without a trace.
pub(super) fn doubt_if_cut(c: CounterRef<'_>) -> Option<String> {
    let number = split(c.raw().trim()).0;
    let has_its_unit = c.unit() != "1" && metrics::unit(c.section(), c.name()) == Some(c.unit());
    // Behind the point a digit more changes the figure by less than its resolution.
    let has_decimals = number.contains('.') && c.unit() == "1";
    let may_be_cut =
        matches!(c.status(), Status::Value | Status::Text) && !has_its_unit && !has_decimals;
    may_be_cut.then(|| {
        "the file ends right behind it: if it was cut short, digits are missing".to_owned()
    })
}

/// Splits a figure into its number and what stands behind it.
fn split(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    end += bytes[end..]
        .iter()
        .take_while(|b| b.is_ascii_digit() || matches!(b, b',' | b'.'))
        .count();
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let from = (end + 1 + sign).min(bytes.len());
        if digits(from) > 0 {
            end = from + digits(from);
        }
    }
    text.split_at(end)
}

/// The unit behind a number; none where what stands there is no unit.
fn unit(suffix: &str) -> Option<&str> {
    let s = suffix.trim();
    let s = match s.strip_prefix('(') {
        Some(inner) => inner.strip_suffix(')').filter(|u| !u.is_empty())?,
        None => s,
    };
    let fits = s.len() <= 24
        && s.chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '%' | '/' | '_' | '^' | '*'))
        && !s.starts_with(|c: char| c.is_numeric())
        // What stands apart from its number could be an exponent.
        && !s.strip_prefix(['e', 'E']).is_some_and(|e| e.starts_with(|c: char| c.is_numeric()));
    fits.then_some(s)
}

/// A number whose thousands may be separated by commas.
fn grouped(text: &str) -> Result<Read, String> {
    if !text.bytes().any(|b| b == b',') {
        return exact(text);
    }
    let (whole, rest) = match text.find(['.', 'e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let unsigned = whole.trim_start_matches(['+', '-']);
    let mut groups = unsigned.split(',');
    let first = groups.next().unwrap_or_default();
    let well_formed = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && groups.all(|g| g.len() == 3)
        && !rest.contains(',');
    if !well_formed {
        return Err("ambiguous: the commas do not separate groups of thousands".into());
    }
    short(text.as_bytes()).map_or_else(|| exact(&text.replace(',', "")), Ok)
}

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 20] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19,
];

/// A figure of few digits, which is most of them, without a detour; commas are skipped.
fn short(text: &[u8]) -> Option<Read> {
    let mut number = 0u64;
    let mut digits = 0;
    let mut decimals = None;
    for b in text {
        match b {
            b'0'..=b'9' => {
                digits += 1;
                if digits > 15 {
                    return None;
                }
                number = number * 10 + u64::from(b - b'0');
                decimals = decimals.map(|d: usize| d + 1);
            }
            b',' => {}
            b'.' if decimals.is_none() && digits > 0 => decimals = Some(0),
            _ => return None,
        }
    }
    // Both the digits and the power of ten are exact, so that their quotient is rounded once.
    if digits == 0 || decimals == Some(0) {
        return None;
    }
    let (value, resolution) = match decimals {
        None => (number.into(), 1.0),
        Some(d) => (
            Number::from_f64(number as f64 / POWERS[d])?,
            1.0 / POWERS[d],
        ),
    };
    Some(Read {
        value,
        resolution,
        suspect: None,
    })
}

/// A decimal of 16 or 17 digits, which is what the raw flavours print of a double.
fn long(text: &str) -> Option<Read> {
    let mut number = 0u64;
    let mut significant = 0;
    let mut point = None;
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'0'..=b'9' => {
                number = number * 10 + u64::from(b - b'0');
                significant += usize::from(number > 0);
                if significant > 17 {
                    return None;
                }
            }
            // Of zeros in front a number has one at most.
            b'.' if point.is_none() && (at == 1 || at > 1 && !text.starts_with('0')) => {
                point = Some(at);
            }
            _ => return None,
        }
    }
    let decimals = text.len() - point? - 1;
    let power = POWERS.get(decimals)?;
    if significant < 16 || decimals == 0 {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    let is_exact =
        prints_as(value, number, decimals).unwrap_or_else(|| format!("{value:.decimals$}") == text);
    Some(Read {
        value: Number::from_f64(value)?,
        resolution: 1.0 / power,
        suspect: (!is_exact).then(|| ROUNDED.to_owned()),
    })
}

/// Whether a double that is rounded to so many decimals has these digits: whether it is less than
/// half of the last one away from them. None where that takes more than 128 bits, or it is half.
fn prints_as(value: f64, digits: u64, decimals: usize) -> Option<bool> {
    /// The bits of a double behind the first one, which is not stored.
    const MANTISSA: u32 = 52;
    let bits = value.to_bits();
    let exponent = u32::try_from(bits >> MANTISSA).ok()?;
    // The double is the mantissa divided by this power of two.
    let power = (1023 + MANTISSA)
        .checked_sub(exponent)
        .filter(|p| (1..64).contains(p))?;
    let mantissa = bits & ((1 << MANTISSA) - 1) | (1 << MANTISSA);
    let by_double = u128::from(mantissa) * 10u128.checked_pow(u32::try_from(decimals).ok()?)?;
    let by_digits = u128::from(digits) << power;
    let half = 1u128 << (power - 1);
    let apart = by_double.abs_diff(by_digits);
    (apart != half).then_some(apart < half)
}

const ROUNDED: &str = "more digits than a double holds: rounded";

/// A number as printed; one with more digits than a double holds says so.
pub(super) fn exact(text: &str) -> Result<Read, String> {
    if let Some(read) = short(text.as_bytes()).or_else(|| long(text)) {
        return Ok(read);
    }
    if !text.ends_with(|c: char| c.is_ascii_digit()) {
        return Err("not a number, or one that is cut short".into());
    }
    let mut read = number::read(text)?;
    if read.suspect.is_none() && is_rounded(text, &read) {
        read.suspect = Some(ROUNDED.into());
    }
    Ok(read)
}

/// More decimals than a double ever needs are not compared.
const MAX_DECIMALS: usize = 1100;

fn is_rounded(text: &str, read: &Read) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
    let Some((_, decimals)) = mantissa.split_once('.') else {
        return false;
    };
    let leading = |c: char| !matches!(c, '1'..='9');
    let significant = mantissa
        .trim_start_matches(leading)
        .bytes()
        .filter(u8::is_ascii_digit)
        .count();
    if significant <= 15 || !exponent.is_empty() {
        return significant > 17;
    }
    if decimals.len() > MAX_DECIMALS {
        return true;
    }
    let value = read.value.as_f64().unwrap_or_default();
    format!("{value:.*}", decimals.len()) != mantissa.trim_start_matches('+')
}

#[cfg(test)]
mod tests {
    use super::super::json::Node;
    use super::super::rows::Rows;
    use super::*;
    use crate::Counter;

    fn counter(value: &Node<'_>) -> Counter {
        let mut rows = Rows::new("test", Vec::new());
        rows.bare("x", value);
        rows.counters.get(0).unwrap().into()
    }

    fn read(raw: &str) -> Counter {
        counter(&Node::Text(raw.into()))
    }

    #[test]
    fn every_shape_of_a_figure() {
        for (raw, value, unit, resolution) in [
            ("3,456,789", 3_456_789.0, "1", 1.0),
            ("98.50%", 98.5, "%", 0.01),
            ("0.0%", 0.0, "%", 0.1),
            ("48,120.75(Kcycles)", 48_120.75, "Kcycles", 0.01),
            ("1,024.5(MB/s)", 1024.5, "MB/s", 0.1),
            ("7,516,192,768.0byte", 7_516_192_768.0, "byte", 0.1),
            ("812", 812.0, "1", 1.0),
            ("-12.25", -12.25, "1", 0.01),
            ("4.5e-05", 4.5e-5, "1", 1e-6),
            (" 7 ms ", 7.0, "ms", 1.0),
        ] {
            let c = read(raw);
            let v = c.value.as_ref().and_then(serde_json::Number::as_f64);
            assert_eq!(
                (v, c.unit.as_str(), c.raw.as_str()),
                (Some(value), unit, raw)
            );
            assert!(
                (c.resolution.unwrap() / resolution - 1.0).abs() < 1e-12,
                "{raw}"
            );
            assert!(c.suspect.is_empty(), "{raw}: {:?}", c.suspect);
        }
        assert_eq!(
            read("18,446,744,073,709,551,615").value.unwrap().as_u64(),
            Some(u64::MAX)
        );
        assert_eq!(read("N/A").status, Status::Absent);
        assert_eq!(read("failed").text.as_deref(), Some("failed"));
    }

    #[test]
    fn what_cannot_be_read_for_certain_has_no_value() {
        for raw in [
            "0,82",
            "28,75%",
            "0,820",
            "1,23,456",
            "1234,567",
            "1.234,56",
            "12,",
            ",5",
            "1.",
            "1.2.3",
            "NaN",
            "-inf",
            "inf%",
            "12 34",
            "3-4",
            "5(",
            "5()",
            "5(%",
            "1e999",
            "--1",
            "2026-01-02",
            "1.5 e8",
        ] {
            let c = read(raw);
            assert!(
                c.status == Status::Error && c.value.is_none(),
                "{raw}: {c:?}"
            );
            assert!(!c.suspect.is_empty() && c.raw == raw, "{raw}");
        }
    }

    #[test]
    fn the_short_way_reads_what_the_long_one_reads() {
        let mut n = 1u64;
        for i in 0..20_000u64 {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i);
            let whole = (n >> 20) % 10u64.pow(1 + (i % 9) as u32);
            for text in [
                format!("{whole}"),
                format!("{whole}.{:02}", i % 100),
                format!("{whole}.{}", n % 1_000_000),
            ] {
                assert_eq!(short(text.as_bytes()), number::read(&text).ok(), "{text}");
            }
        }
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "1.2.3",
            "1e5",
            "-1",
            "0000000000000001",
            "1,",
        ] {
            assert!(text == "1," || short(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn the_way_of_the_raw_flavours_reads_what_the_long_one_reads() {
        let (mut taken, mut doubted) = (0, 0);
        let mut n = 1u64;
        for i in 0..20_000usize {
            n = n
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let digits = format!("{:017}", n % 100_000_000_000_000_000);
            let (whole, decimals) = digits[..16 + i % 2].split_at(1 + i % 15);
            for text in [
                format!("{whole}.{decimals}"),
                format!("0.{}", &digits[i % 2..]),
                format!("0.0{digits}"),
                format!("0.00000{digits}"),
                format!("{:?}", n as f64 / 2f64.powi((i % 70) as i32)),
            ] {
                let Some(read) = long(&text) else { continue };
                let mut by_the_rules = number::read(&text).unwrap();
                let rounded = is_rounded(&text, &by_the_rules);
                by_the_rules.suspect = rounded.then(|| ROUNDED.to_owned());
                assert_eq!(read, by_the_rules, "{text}");
                doubted += u32::from(rounded);
                taken += 1;
            }
        }
        assert!(taken > 50_000 && doubted > 5_000, "{taken} {doubted}");
        for text in [
            "",
            "1.5",
            "00.1234567890123456",
            "01.234567890123456",
            ".1234567890123456",
            "1234567890123456.",
            "1.234567890123456789",
            "-1.234567890123456",
        ] {
            assert_eq!(long(text), None, "{text}");
        }
    }

    #[test]
    fn lost_digits_are_named() {
        let long = format!("0.{}12345678901234567", "0".repeat(100_000));
        assert!(read(&long).value.is_none());
        let long = format!("7.{}1", "0".repeat(100_000));
        assert!(read(&long).suspect[0].contains("rounded"));
        for raw in [
            "36893488147419103232",
            "9,007,199,254,740,993.00",
            "0.1234567890123456789",
        ] {
            assert!(read(raw).suspect[0].contains("rounded"), "{raw}");
        }
        for raw in [
            "2047483648.3170731",
            "0.00071428571428571429",
            "6.103515624999999e-05",
        ] {
            assert!(counter(&Node::Number(raw)).suspect.is_empty(), "{raw}");
        }
    }
}
