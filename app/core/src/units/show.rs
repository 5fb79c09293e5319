//! Quantities for people: four significant digits and a unit.

/// Four significant digits, without an exponent for what a scaled figure can be.
fn digits4(value: f64) -> String {
    let magnitude = value.abs();
    // The boundaries are where rounding to four digits reaches the next power of ten.
    let places = if magnitude < 9.9995 {
        3
    } else if magnitude < 99.995 {
        2
    } else if magnitude < 999.95 {
        1
    } else {
        0
    };
    format!("{value:.places$}")
}

/// Scales by the largest of `units` that is not above the value; a value that rounds up to the
/// next unit is shown in that one.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    if !value.is_finite() {
        return "not finite".into();
    }
    let mut chosen = units.first().copied().unwrap_or((1.0, ""));
    for pair in units.windows(2) {
        if let [(factor, _), next] = pair
            && value.abs() / factor >= (next.0 / factor) * 0.999_95
        {
            chosen = *next;
        }
    }
    let text = digits4(value / chosen.0);
    let text = if chosen.0 == 1.0 && value.fract() == 0.0 {
        format!("{value}")
    } else {
        text
    };
    if chosen.1.is_empty() {
        text
    } else {
        format!("{text} {}", chosen.1)
    }
}

/// A time in nanoseconds, e.g. `1.234 ms`; whole nanoseconds stay whole (`100 ns`).
pub fn format_ns(ns: f64) -> String {
    scaled(ns, &[(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")])
}

/// A size in bytes with binary units, e.g. `64.00 KiB`.
pub fn format_bytes(bytes: f64) -> String {
    let k = 1024.0f64;
    scaled(
        bytes,
        &[
            (1.0, "B"),
            (k, "KiB"),
            (k * k, "MiB"),
            (k * k * k, "GiB"),
            (k * k * k * k, "TiB"),
        ],
    )
}

/// A count with decimal prefixes, e.g. `1.234 M`.
pub fn format_count(count: f64) -> String {
    scaled(
        count,
        &[
            (1.0, ""),
            (1e3, "k"),
            (1e6, "M"),
            (1e9, "G"),
            (1e12, "T"),
            (1e15, "P"),
        ],
    )
}

/// A rate per second with decimal prefixes, e.g. `19.50 Tflop/s` for `unit` = `flop`.
pub fn format_rate(per_second: f64, unit: &str) -> String {
    let text = format_count(per_second);
    match text.split_once(' ') {
        Some((number, prefix)) => format!("{number} {prefix}{unit}/s"),
        None => format!("{text} {unit}/s"),
    }
}

/// A share as a percentage, e.g. `1 %` or `0.25 %`: at most three digits after the point.
pub fn format_percent(share: f64) -> String {
    if !share.is_finite() {
        return "not finite".into();
    }
    let text = format!("{:.3}", share * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let text = if text == "-0" { "0" } else { text };
    format!("{text} %")
}

/// The change that a ratio B / A stands for, with its sign, e.g. `-4.68 %` for 0.9532.
pub fn format_ratio_change(ratio: f64) -> String {
    if !ratio.is_finite() {
        return "not finite".into();
    }
    let text = format!("{:+.2}", (ratio - 1.0) * 100.0);
    let text = if text == "-0.00" { "+0.00" } else { &text };
    format!("{text} %")
}

/// How many times faster B is when time B / time A is `ratio`, e.g. `1.049x` for 0.9532.
pub fn format_factor(ratio: f64) -> String {
    let factor = 1.0 / ratio;
    if !factor.is_finite() || factor <= 0.0 {
        return "not finite".into();
    }
    format!("{}x", digits4(factor))
}
