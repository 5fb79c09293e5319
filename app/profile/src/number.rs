//! Numbers as tools print them.

use serde_json::Number;

/// A number read without loss, or with the loss named.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The value; integers are exact.
    pub value: Number,
    /// What one unit of the last printed digit is worth.
    pub resolution: f64,
    /// What speaks against taking it at face value.
    pub suspect: Option<String>,
}

/// Reads `123`, `-4`, `1.25`, `1.5e-3`: digits with a decimal point, nothing else.
///
/// # Errors
/// Why it is not such a number. A comma is refused: it may separate thousands or decimals.
pub fn read(raw: &str) -> Result<Read, String> {
    let t = raw.trim();
    if t.is_empty() {
        return Err("no number".into());
    }
    if t.contains(',') {
        return Err(
            "ambiguous: the comma may separate decimals or thousands; run the tool with LC_ALL=C"
                .into(),
        );
    }
    // The parser of floats also takes `inf`, `nan`, `.5` and `1.`, which tools print only in pieces.
    if !is_plain(t) {
        return Err("not a number".into());
    }
    if let Ok(n) = t.parse::<u64>() {
        return Ok(exact(n.into()));
    }
    if let Ok(n) = t.parse::<i64>() {
        return Ok(exact(n.into()));
    }
    let f: f64 = t.parse().map_err(|_| "not a number".to_owned())?;
    let value = Number::from_f64(f).ok_or("too large for a number")?;
    let is_integer = !t.contains(['.', 'e', 'E']);
    let nonzero_digit = t
        .split(['e', 'E'])
        .next()
        .is_some_and(|m| m.bytes().any(|b| matches!(b, b'1'..=b'9')));
    let suspect = if is_integer {
        Some("more digits than a 64-bit integer holds: rounded".to_owned())
    } else if f == 0.0 && nonzero_digit {
        return Err("too small for a number".into());
    } else {
        None
    };
    let resolution = resolution(t);
    if !resolution.is_finite() {
        return Err("too large for a number".into());
    }
    Ok(Read {
        value,
        resolution,
        suspect,
    })
}

/// Splits `24.603B` into the figure and the power of ten that its last letter stands for.
///
/// K, M, B (or G) and T are thousands of each other; so are, in their way, the Chinese 万 (10^4)
/// and 亿 (10^8). A small m is no magnitude: it would be a thousandth.
pub fn magnitude(raw: &str) -> Option<(&str, i32)> {
    let last = raw.chars().next_back()?;
    let exponent = match last {
        'K' | 'k' => 3,
        '万' => 4,
        'M' => 6,
        '亿' => 8,
        'B' | 'G' => 9,
        'T' => 12,
        _ => return None,
    };
    let figure = raw[..raw.len() - last.len_utf8()].trim_end();
    let ends_in_digit = figure.ends_with(|c: char| c.is_ascii_digit());
    ends_in_digit.then_some((figure, exponent))
}

/// The number times a power of ten; integers are exact, and the last printed digit is worth more.
///
/// # Errors
/// When the result is too large for a number.
pub fn magnify(read: Read, exponent: i32) -> Result<Read, String> {
    let too_large = || "too large for a number".to_owned();
    // By way of the digits, so that 24.603 * 10^9 is rounded once, and is an integer.
    let scaled = |figure: &str| {
        let (digits, own) = figure.split_once('e').unwrap_or((figure, "0"));
        let own: i32 = own.parse().ok()?;
        let scaled: f64 = format!("{digits}e{}", own.checked_add(exponent)?)
            .parse()
            .ok()?;
        scaled.is_finite().then_some(scaled)
    };
    let value = scaled(&read.value.to_string()).ok_or_else(too_large)?;
    let resolution = scaled(&read.resolution.to_string()).ok_or_else(too_large)?;
    let is_whole = value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0;
    let exactly = read
        .value
        .as_u64()
        .and_then(|n| n.checked_mul(10u64.checked_pow(u32::try_from(exponent).ok()?)?));
    let value = match exactly {
        Some(n) => n.into(),
        None if is_whole => (value as i64).into(),
        None => Number::from_f64(value).ok_or_else(too_large)?,
    };
    Ok(Read {
        value,
        resolution,
        suspect: read.suspect,
    })
}

/// Digits, with decimals and an exponent or without.
fn is_plain(text: &str) -> bool {
    let unsigned = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let t = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match t.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.strip_prefix(['+', '-']).unwrap_or(e)),
        None => (t, "0"),
    };
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    unsigned(whole) && unsigned(decimals) && unsigned(exponent)
}

fn exact(value: Number) -> Read {
    Read {
        value,
        resolution: 1.0,
        suspect: None,
    }
}

fn resolution(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let decimals = mantissa
        .split_once('.')
        .map_or(0, |(_, d)| i32::try_from(d.len()).unwrap_or(i32::MAX));
    // An exponent past any double is refused with those that only a zero can have.
    let Ok(exponent) = exponent.parse::<i32>() else {
        return f64::INFINITY;
    };
    // Decimals past what a double can tell apart from zero are no finer.
    10f64
        .powi(exponent.saturating_sub(decimals))
        .max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_and_decimals_keep_their_resolution() {
        assert_eq!(
            read("18446744073709551615").unwrap().value.as_u64(),
            Some(u64::MAX)
        );
        assert_eq!(read("-5").unwrap().value.as_i64(), Some(-5));
        let r = read("1.250").unwrap();
        assert_eq!((r.value.as_f64(), r.resolution), (Some(1.25), 0.001));
        assert_eq!(read("0.00").unwrap().value.as_f64(), Some(0.0));
        assert!(read("99999999999999999999999").unwrap().suspect.is_some());
    }

    #[test]
    fn magnitudes_are_exact_and_say_what_the_last_digit_is_worth() {
        for (raw, value, resolution) in [
            ("24.603B", "24603000000", 1e6),
            ("952.760M", "952760000", 1e3),
            ("5K", "5000", 1e3),
            ("1.5 万", "15000", 1e3),
            ("3.1亿", "310000000", 1e7),
            ("-2.5T", "-2500000000000", 1e11),
            ("18446744073709551B", "1.8446744073709552e+25", 1e9),
            ("18446744073709551K", "18446744073709551000", 1e3),
            ("0.00012345K", "0.12345", 1e-5),
        ] {
            let (figure, exponent) = magnitude(raw).unwrap();
            let r = magnify(read(figure).unwrap(), exponent).unwrap();
            assert_eq!(
                (r.value.to_string().as_str(), r.resolution),
                (value, resolution),
                "{raw}"
            );
        }
        for none in ["5m", "B", "12", "", "x K", "万"] {
            assert_eq!(magnitude(none), None, "{none}");
        }
        assert!(magnify(read("1e307").unwrap(), 12).is_err());
    }

    #[test]
    fn what_is_not_a_plain_number_is_refused_with_the_reason() {
        for bad in [
            "",
            "nan",
            "NaN",
            "inf",
            "1e999",
            "1e-999",
            "12 34",
            "0x10",
            "--1",
            "1.2.3",
            ".",
            "-",
            ".5",
            "1.",
            "-.5",
            "1.e5",
            "e5",
            "1e",
            "1e+",
            "0e999",
            "0e9999999999999",
            "+-1",
            "1e5.5",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(read("0,82").unwrap_err().contains("ambiguous"));
    }
}
