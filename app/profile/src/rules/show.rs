//! Figures of findings, for people.

use assay_core::units::whole_number;

/// Six significant digits; whole numbers whole, in groups of three.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs();
    if let Some(digits) = whole_number(value) {
        return match digits.contains('e') {
            true => digits,
            false => group(&digits),
        };
    }
    if !(1e-4..1e15).contains(&magnitude) {
        let text = format!("{value:.5e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", trim(mantissa));
    }
    let places = (5 - magnitude.log10().floor() as i32).max(0);
    let text = format!("{value:.*}", usize::try_from(places).unwrap_or(0));
    group(trim(&text))
}

fn trim(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

fn group(text: &str) -> String {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |d| ("-", d));
    let mut out = sign.to_owned();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

/// A figure with its unit.
pub(super) fn figure(value: f64, unit: &str) -> String {
    match unit {
        "" | "1" => number(value),
        "ns" => time(value),
        "x" => format!("{}x", number(value)),
        _ => format!("{} {unit}", number(value)),
    }
}

/// A change with its sign, as tables print it: two digits after the point.
pub(super) fn change(value: f64, unit: &str) -> String {
    if unit == "%" || unit == "points" {
        let text = format!("{value:+.2}");
        let text = if text == "-0.00" { "+0.00" } else { &text };
        return format!("{text} {unit}");
    }
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", figure(value, unit))
}

fn time(ns: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "us")];
    let unit = units.iter().find(|(factor, _)| ns.abs() >= *factor);
    let (factor, unit) = unit.copied().unwrap_or((1.0, "ns"));
    format!("{} {unit}", number(ns / factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_six_digits_groups_and_a_unit() {
        for (value, unit, text) in [
            (3_101_536_473.0, "1", "3,101,536,473"),
            (594.0, "1", "594"),
            (10330.456, "%", "10,330.5 %"),
            (103.3, "%", "103.3 %"),
            (385.816_94, "TFLOPS", "385.817 TFLOPS"),
            (89_056.0, "ns", "89.056 us"),
            (89_056_000.0, "ns", "89.056 ms"),
            (0.25, "ns", "0.25 ns"),
            (-1234.5, "1", "-1,234.5"),
            (0.000_012, "1", "1.2e-5"),
            (1.5e300, "1", "1.5e300"),
            (0.0, "bytes", "0 bytes"),
            (2.5, "x", "2.5x"),
        ] {
            assert_eq!(figure(value, unit), text);
        }
        assert_eq!(change(13.918, "%"), "+13.92 %");
        assert_eq!(change(-0.001, "points"), "+0.00 points");
        assert_eq!(change(1200.0, "1"), "+1,200");
    }
}
