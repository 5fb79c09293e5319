//! Figures as text. Absent and impossible ones are `n/a`, never zero.

use assay_core::units::whole_number;

use crate::doc::Line;

/// What stands for a figure that there is none of.
pub(crate) const NONE: &str = "n/a";

/// A number with `digits` significant digits, without exponent where that stays readable.
pub(crate) fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return NONE.into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    if !(-5.0..12.0).contains(&magnitude) {
        return format!("{value:.*e}", usize::try_from(digits - 1).unwrap_or(3));
    }
    let decimals = (f64::from(digits) - 1.0 - magnitude).max(0.0);
    format!("{value:.*}", decimals as usize)
}

/// A rate with four digits, a large one in groups of three.
pub(crate) fn rate(value: f64) -> String {
    grouped(&significant(value, 4))
}

/// A time in nanoseconds with the unit that fits.
pub(crate) fn time(ns: Option<f64>) -> String {
    let Some(ns) = ns.filter(|n| n.is_finite() && *n >= 0.0) else {
        return NONE.into();
    };
    let (value, unit) = match ns {
        n if n >= 1e9 => (n / 1e9, "s"),
        n if n >= 1e6 => (n / 1e6, "ms"),
        n if n >= 1e3 => (n / 1e3, "µs"),
        n => (n, "ns"),
    };
    format!("{} {unit}", significant(value, 4))
}

/// A ratio of times.
pub(crate) fn ratio(value: Option<f64>) -> String {
    match value.filter(|v| v.is_finite() && *v > 0.0) {
        Some(v) => significant(v, 4),
        None => NONE.into(),
    }
}

/// An interval of ratios.
pub(crate) fn interval(value: Option<[f64; 2]>) -> String {
    match value.filter(|v| v.iter().all(|x| x.is_finite())) {
        Some([low, high]) => format!("{} .. {}", significant(low, 4), significant(high, 4)),
        None => NONE.into(),
    }
}

/// How many times as fast, from a ratio of times.
pub(crate) fn speed_up(ratio: Option<f64>) -> String {
    match ratio.filter(|v| v.is_finite() && *v > 0.0) {
        Some(v) => significant(1.0 / v, 4),
        None => NONE.into(),
    }
}

/// A share (0.01) in percent.
pub(crate) fn percent(share: Option<f64>) -> String {
    match share.filter(|v| v.is_finite()) {
        Some(v) => format!("{} %", trimmed(v * 100.0)),
        None => NONE.into(),
    }
}

/// A share of a whole in percent with one decimal; a very small one with two digits.
pub(crate) fn share(share: f64) -> String {
    let percent = share * 100.0;
    match percent.is_finite() {
        true if percent.abs() < 0.1 && percent != 0.0 => {
            format!("{} %", significant(percent, 2))
        }
        true => format!("{percent:.1} %"),
        false => NONE.into(),
    }
}

/// Whether a change in percent is shown as nothing.
pub(crate) fn is_nothing(percent: f64) -> bool {
    percent.abs() < 0.005
}

/// A change in percent, with sign.
pub(crate) fn change(percent: Option<f64>) -> String {
    match percent.filter(|v| v.is_finite()) {
        // A change that rounds to nothing has no sign.
        Some(v) if is_nothing(v) => "0.00 %".into(),
        // Digits behind the point say nothing of a change by a multiple.
        Some(v) if v.abs() >= 1000.0 => format!("{v:+.0} %"),
        Some(v) => format!("{v:+.2} %"),
        None => NONE.into(),
    }
}

/// A value with its unit; the unit `1` is not shown.
pub(crate) fn with_unit(value: f64, unit: &str) -> Line {
    let number = grouped(&number(value));
    match (number.as_str(), unit) {
        (NONE, _) | (_, "" | "1") => Line::own(number),
        _ => Line::own(format!("{number} ")).and(Line::outside(unit)),
    }
}

/// A whole number as it is, any other one with up to six digits.
pub(crate) fn number(value: f64) -> String {
    if let Some(digits) = whole_number(value) {
        return digits;
    }
    let text = significant(value, 6);
    if !text.contains('.') || text.contains('e') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Digits of a large whole number in groups of three.
pub(crate) fn grouped(number: &str) -> String {
    let digits = number.strip_prefix('-').unwrap_or(number);
    if digits.len() < 5 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return number.to_owned();
    }
    let mut out = String::from(&number[..number.len() - digits.len()]);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The relative change from `a` to `b` in percent; none from zero.
pub(crate) fn relative_change(a: f64, b: f64) -> Option<f64> {
    (a != 0.0 && a.is_finite() && b.is_finite()).then(|| (b - a) / a.abs() * 100.0)
}

/// An RFC 3339 time in UTC to the second; anything else as it is.
pub(crate) fn second(at: &str) -> String {
    let fraction = at.split_once('.').filter(|(whole, _)| whole.len() == 19);
    match fraction {
        Some((whole, rest)) => {
            let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{whole}{zone}")
        }
        None => at.to_owned(),
    }
}

/// Up to four significant digits, without zeros at the end.
fn trimmed(value: f64) -> String {
    let text = significant(value, 4);
    if !text.contains('.') || text.contains('e') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_their_digits_and_absent_ones_are_said_to_be() {
        assert_eq!(time(Some(1_234_567.0)), "1.235 ms");
        assert_eq!(time(Some(0.5)), "0.5000 ns");
        assert_eq!(time(None), "n/a");
        assert_eq!(time(Some(f64::NAN)), "n/a");
        assert_eq!(ratio(Some(0.91234)), "0.9123");
        assert_eq!(ratio(Some(0.0)), "n/a");
        assert_eq!(interval(Some([0.9, f64::INFINITY])), "n/a");
        assert_eq!(speed_up(Some(0.5)), "2.000");
        assert_eq!(percent(Some(0.01)), "1 %");
        assert_eq!(percent(Some(0.0035)), "0.35 %");
        assert_eq!(share(0.80807), "80.8 %");
        assert_eq!(share(0.000_456_5), "0.046 %");
        assert_eq!(share(0.0), "0.0 %");
        assert_eq!(change(Some(-31.25)), "-31.25 %");
        assert_eq!(change(Some(-0.001)), "0.00 %");
        assert_eq!(change(Some(1565.49)), "+1565 %");
        assert_eq!(change(Some(0.0327)), "+0.03 %");
        assert_eq!(with_unit(24_603_000_000.0, "1").plain(), "24,603,000,000");
        assert_eq!(with_unit(-12_345.0, "ns").plain(), "-12,345 ns");
        assert_eq!(with_unit(9_999.0, "1").plain(), "9999");
        assert_eq!(with_unit(96.0, "1").plain(), "96");
        assert_eq!(with_unit(f64::NAN, "bytes").plain(), "n/a");
        assert_eq!(with_unit(1e300, "1").plain(), "1.00000e300");
        assert_eq!(
            second("2026-11-30T01:55:09.123456Z"),
            "2026-11-30T01:55:09Z"
        );
        assert_eq!(second("2026-11-30T01:55:09Z"), "2026-11-30T01:55:09Z");
        assert_eq!(second("v1.2"), "v1.2");
        assert_eq!(relative_change(0.0, 5.0), None);
    }
}
