//! Figures as text: ratios with intervals, gates, and changes with a sign.

pub use assay_core::text::count;
use assay_core::units::whole_number;
pub use assay_core::view::rate;
use assay_core::view::{GateView, VariantRow};

/// What stands where there is no figure.
pub const ABSENT: &str = "-";

/// A ratio with its interval, `0.913 [0.905, 0.921]`.
pub fn ratio(ratio: Option<f64>, interval: Option<[f64; 2]>) -> String {
    match (ratio, interval) {
        (Some(r), Some([low, high])) => format!("{r:.3} [{low:.3}, {high:.3}]"),
        (Some(r), None) => format!("{r:.3}"),
        _ => ABSENT.into(),
    }
}

/// Times in nanoseconds that stand beside each other: all in the unit of the smallest, so that they
/// can be read against each other.
pub fn times(values: &[Option<f64>]) -> Vec<String> {
    let (scale, unit) = common_unit(values);
    let text = |v: &Option<f64>| match v {
        Some(ns) if ns.is_finite() && scale == 1.0 => format!("{} {unit}", number(*ns)),
        Some(ns) if ns.is_finite() => format!("{} {unit}", digits(ns / scale)),
        Some(_) => "not finite".into(),
        None => ABSENT.into(),
    };
    values.iter().map(text).collect()
}

/// The same of published times, with all their digits.
///
/// `step_ns` is the step in which they were printed, where it is known: zeros down to it were
/// published, and no others.
pub fn exact_times(values: &[Option<f64>], step_ns: Option<f64>) -> Vec<String> {
    let (scale, unit) = common_unit(values);
    let figures: Vec<Option<String>> = (values.iter())
        .map(|v| v.map(|ns| exact(ns / scale)))
        .collect();
    let behind_point = |t: &str| t.split_once('.').map_or(0, |(_, rest)| rest.len());
    let places = step_ns.map_or(0, |step| behind_point(&exact(step / scale)));
    let text = |figure: Option<String>| {
        let Some(mut figure) = figure else {
            return ABSENT.to_owned();
        };
        let has = behind_point(&figure);
        if has == 0 && places > 0 {
            figure.push('.');
        }
        format!("{figure}{} {unit}", "0".repeat(places.saturating_sub(has)))
    };
    figures.into_iter().map(text).collect()
}

/// The unit of the smallest, and how many nanoseconds it is.
fn common_unit(values: &[Option<f64>]) -> (f64, &'static str) {
    let finite = values.iter().flatten().copied().filter(|v| v.is_finite());
    match finite.fold(f64::INFINITY, f64::min) {
        s if s < 1e3 => (1.0, "ns"),
        s if s < 1e6 => (1e3, "us"),
        s if s < 1e9 => (1e6, "ms"),
        s if s.is_finite() => (1e9, "s"),
        _ => (1.0, "ns"),
    }
}

/// A published time in nanoseconds, with all its digits.
pub fn exact_time(ns: f64) -> String {
    exact_times(&[Some(ns)], None).concat()
}

/// A published figure with all its digits; what division adds behind the fifteenth is no digit of it.
pub fn exact(x: f64) -> String {
    if !x.is_finite() {
        return "not finite".into();
    }
    let short: f64 = format!("{x:.14e}").parse().unwrap_or(x);
    let text = format!("{}", short.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if short < 0.0 { "-" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{rest}", in_groups(whole))
}

/// A time to the second; all times of the program are in UTC.
pub fn second(at: &str) -> &str {
    at.get(..19).unwrap_or(at)
}

/// A unit as shown: a pure number has none.
pub fn unit(unit: &str) -> &str {
    if unit == "1" { "" } else { unit }
}

/// A count with thousands separators, or a figure with four significant digits.
pub fn number(x: f64) -> String {
    if !x.is_finite() {
        return "not finite".into();
    }
    let size = x.abs();
    if let Some(digits) = whole_number(x) {
        return match digits.contains('e') {
            true => digits,
            false => grouped(x),
        };
    }
    if !(1e-3..1e15).contains(&size) {
        let text = format!("{x:.3e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", trimmed(mantissa));
    }
    trimmed(&digits(x)).to_owned()
}

/// Four significant digits of a figure of ordinary size; whole above a thousand.
fn digits(x: f64) -> String {
    let places = match x.abs() {
        s if s >= 999.95 => return grouped(x.round()),
        s if s >= 99.995 => 1,
        s if s >= 9.9995 => 2,
        s if s >= 0.99995 => 3,
        s if s >= 0.099995 => 4,
        s if s >= 0.0099995 => 5,
        _ => 6,
    };
    format!("{x:.places$}")
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

fn grouped(x: f64) -> String {
    let out = in_groups(&format!("{:.0}", x.abs()));
    if x < 0.0 { format!("-{out}") } else { out }
}

/// Digits of a whole number with thousands separators.
pub fn in_groups(digits: &str) -> String {
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A relative change in percent with its sign.
pub fn percent(change: Option<f64>) -> String {
    change.map_or(ABSENT.into(), |c| format!("{c:+.2} %"))
}

/// Gates in short: how many passed, and the names of those that did not.
pub fn gates(gates: &[GateView]) -> String {
    if gates.is_empty() {
        return ABSENT.into();
    }
    let passed = gates.iter().filter(|g| g.pass == Some(true)).count();
    let mut text = format!("{passed}/{}", gates.len());
    let named = |want: Option<bool>| -> Vec<&str> {
        gates
            .iter()
            .filter(|g| g.pass == want && g.overridden.is_none())
            .map(|g| g.name.as_str())
            .collect()
    };
    let (failed, unknown) = (named(Some(false)), named(None));
    let overridden: Vec<&str> = gates
        .iter()
        .filter(|g| g.overridden.is_some())
        .map(|g| g.name.as_str())
        .collect();
    for (word, names) in [
        ("failed", failed),
        ("unknown", unknown),
        ("overridden", overridden),
    ] {
        if !names.is_empty() {
            text.push_str(&format!(" {word}: {}", names.join(", ")));
        }
    }
    text
}

/// The decision or the failure of a variant in a few words.
pub fn outcome(row: &VariantRow) -> String {
    match (&row.decision, &row.failure) {
        (Some(d), _) => format!("{}: {}", d.kind, d.reason),
        (None, Some(f)) => format!("{} in {}: {}", f.kind, f.stage, f.message),
        (None, None) => later(row).unwrap_or_else(|| ABSENT.into()),
    }
}

/// The failure of a later run that took no evidence away.
fn later(row: &VariantRow) -> Option<String> {
    let f = row.later_failure.as_ref()?;
    Some(format!(
        "a later run ended {} in {}: {}",
        f.kind, f.stage, f.message
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(name: &str, pass: Option<bool>) -> GateView {
        GateView {
            name: name.into(),
            pass,
            evidence: String::new(),
            overridden: None,
            decided: false,
        }
    }

    #[test]
    fn published_figures_keep_their_digits() {
        assert_eq!(exact_time(36_166_145.0), "36.166145 ms");
        assert_eq!(exact_time(16_474_111.557_006_836), "16.4741115570068 ms");
        assert_eq!(exact_time(1_262_700.0), "1.2627 ms");
        assert_eq!(exact_time(2_871_168_000.0), "2.871168 s");
        assert_eq!(exact_time(0.0), "0 ns");
        let beside = exact_times(&[Some(4000.0), Some(3700.0), None], Some(100.0));
        assert_eq!(beside, ["4.0 us", "3.7 us", "-"]);
        let two = [Some(16_474_111.557_006_836), Some(32_820_992.0)];
        let beside = exact_times(&two, None);
        assert_eq!(beside, ["16.4741115570068 ms", "32.820992 ms"]);
        assert_eq!(exact(1123.6), "1,123.6");
        assert_eq!(exact(-268_435_456.0), "-268,435,456");
        assert_eq!(exact(f64::NAN), "not finite");
    }

    #[test]
    fn unknown_gates_are_not_counted_as_passed() {
        let text = gates(&[
            gate("correct", Some(true)),
            gate("spills", None),
            gate("size", Some(false)),
        ]);
        assert_eq!(text, "1/3 failed: size unknown: spills");
    }

    #[test]
    fn numbers_have_four_significant_digits() {
        for (x, text) in [
            (1_234_567.0, "1,234,567"),
            (-1000.0, "-1,000"),
            (0.25, "0.25"),
            (0.0, "0"),
            (1.5e-7, "1.5e-7"),
            (1.192_092_9e-6, "1.192e-6"),
            (0.001_234_567, "0.001235"),
            (0.123_456_7, "0.1235"),
            (12.345_67, "12.35"),
            (99.999, "100"),
            (123_456.78, "123,457"),
            (1e18, "1e18"),
            (9_007_199_254_740_991.0, "9,007,199,254,740,991"),
            (1_152_921_504_606_846_976.0, "1.152921504606847e18"),
            (1.234_567_8e30, "1.235e30"),
            (f64::NAN, "not finite"),
        ] {
            assert_eq!(number(x), text);
        }
        assert_eq!(second("2026-11-30T03:21:10.24Z"), "2026-11-30T03:21:10");
        assert_eq!(
            (count(1, "verdict"), count(0, "blob")),
            ("1 verdict".into(), "0 blobs".into())
        );
        assert_eq!((unit("1"), unit("bytes")), ("", "bytes"));
    }

    #[test]
    fn times_beside_each_other_have_one_unit() {
        assert_eq!(
            times(&[Some(1_200_000.0), None, Some(950_000.0)]),
            ["1,200 us", "-", "950.0 us"]
        );
        assert_eq!(times(&[Some(812.0), Some(1_204.4)]), ["812 ns", "1,204 ns"]);
        assert_eq!(times(&[None]), ["-"]);
    }

    #[test]
    fn an_absent_ratio_is_not_zero() {
        assert_eq!(ratio(None, None), "-");
        assert_eq!(
            ratio(Some(0.9128), Some([0.9, 0.92])),
            "0.913 [0.900, 0.920]"
        );
    }
}
