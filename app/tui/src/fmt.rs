//! Numbers as text: always with a unit, in as many digits as carry meaning.

use std::time::Duration;

use assay_core::units::whole_number;

/// A time in nanoseconds with the unit that keeps it readable, four significant digits.
pub fn time_ns(ns: f64) -> String {
    if !ns.is_finite() {
        return "?".into();
    }
    let (value, unit) = match ns.abs() {
        a if a < 1e3 => (ns, "ns"),
        a if a < 1e6 => (ns / 1e3, "us"),
        a if a < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", significant(value))
}

/// The unit of times that stand together: one for all, so that they can be read against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit {
    scale: f64,
    name: &'static str,
}

impl TimeUnit {
    /// That of the smallest of these times.
    pub fn of(times: impl IntoIterator<Item = f64>) -> Self {
        let finite = times.into_iter().filter(|v| v.is_finite());
        let (scale, name) = match finite.fold(f64::INFINITY, f64::min) {
            s if s < 1e3 => (1.0, "ns"),
            s if s < 1e6 => (1e3, "us"),
            s if s < 1e9 => (1e6, "ms"),
            s if s.is_finite() => (1e9, "s"),
            _ => (1.0, "ns"),
        };
        Self { scale, name }
    }

    /// A time in it.
    pub fn text(self, ns: Option<f64>) -> String {
        match ns {
            Some(ns) => format!("{} {}", figure(ns / self.scale), self.name),
            None => "-".into(),
        }
    }
}

/// Times that stand beside each other: all in the unit of the smallest.
pub fn times_ns(values: &[Option<f64>]) -> Vec<String> {
    let unit = TimeUnit::of(values.iter().flatten().copied());
    values.iter().map(|v| unit.text(*v)).collect()
}

/// A unit as shown: a pure number has none.
pub fn unit(unit: &str) -> &str {
    if unit == "1" { "" } else { unit }
}

/// Four significant digits for values below 10000, whole numbers above.
pub fn significant(value: f64) -> String {
    if !value.is_finite() {
        return "?".into();
    }
    let places = match value.abs() {
        0.0 => 0,
        a if a >= 1000.0 => 0,
        a if a >= 100.0 => 1,
        a if a >= 10.0 => 2,
        a if a >= 1.0 => 3,
        a if a >= 0.1 => 4,
        a if a >= 0.01 => 5,
        a if a >= 1e-3 => 6,
        _ => return format!("{value:.2e}"),
    };
    let s = format!("{value:.places$}");
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        s
    }
}

/// A figure with thousands separated when it is whole.
pub fn figure(value: f64) -> String {
    match whole_number(value) {
        Some(digits) if digits.contains('e') => digits,
        Some(_) => group(value),
        None if (1000.0..1e15).contains(&value.abs()) => group(value),
        None => significant(value),
    }
}

fn group(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    if value < 0.0 { format!("-{out}") } else { out }
}

/// A ratio of times, e.g. `0.913`; large ones have fewer decimals, so that a column holds them.
pub fn ratio(r: f64) -> String {
    let places = match r.abs() {
        a if a < 9.9995 => 3,
        a if a < 99.995 => 2,
        a if a < 999.95 => 1,
        a if a.is_finite() => 0,
        _ => return "?".into(),
    };
    format!("{r:.places$}")
}

/// An interval of ratios, e.g. `0.905-0.921`.
pub fn interval(i: [f64; 2]) -> String {
    format!("{}-{}", ratio(i[0]), ratio(i[1]))
}

/// A relative change in percent with its sign, e.g. `-8.7 %`.
pub fn percent(p: f64) -> String {
    if p.is_finite() {
        format!("{p:+.1} %")
    } else {
        "?".into()
    }
}

/// An error magnitude.
pub fn error(e: f64) -> String {
    if e == 0.0 {
        "0".into()
    } else {
        format!("{e:.1e}")
    }
}

/// A duration in minutes and seconds.
pub fn elapsed(d: Duration) -> String {
    let s = d.as_secs();
    if s >= 3600 {
        format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    } else {
        format!("{}:{:02}", s / 60, s % 60)
    }
}

/// An RFC 3339 time without its seconds: `2026-11-30 01:55`.
pub fn minute(at: &str) -> String {
    let mut s: String = at.chars().take(16).collect();
    if s.is_ascii() && s.len() == 16 && s.as_bytes()[10] == b'T' {
        s.replace_range(10..11, " ");
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(time_ns(812.0), "812 ns");
        assert_eq!(time_ns(1_234_567.0), "1.235 ms");
        assert_eq!(time_ns(f64::NAN), "?");
        assert_eq!(figure(1_234_567.0), "1,234,567");
        assert_eq!(figure(-1_000.0), "-1,000");
        assert_eq!(figure(12.5), "12.50");
        assert_eq!(figure(9_007_199_254_740_991.0), "9,007,199,254,740,991");
        assert_eq!(figure(18_014_398_509_481_988.0), "1.8014398509481988e16");
        assert_eq!(figure(0.123_456), "0.1235");
        assert_eq!(figure(0.001_234_56), "0.001235");
        assert_eq!(figure(123_456.7), "123,457");
        assert_eq!((unit("1"), unit("flop")), ("", "flop"));
        assert_eq!(
            times_ns(&[Some(1.2e6), None, Some(9.5e5)]),
            ["1,200 us", "-", "950 us"]
        );
        assert_eq!(interval([0.905, 0.921]), "0.905-0.921");
        assert_eq!(interval([2.8621, 14.0543]), "2.862-14.05");
        assert_eq!(
            (ratio(123.456), ratio(f64::NAN)),
            ("123.5".into(), "?".into())
        );
        assert_eq!(percent(-8.66), "-8.7 %");
        assert_eq!(minute("2026-11-30T01:55:09Z"), "2026-11-30 01:55");
        assert_eq!(minute("yesterday"), "yesterday");
        assert_eq!(elapsed(Duration::from_secs(3725)), "1:02:05");
    }
}
