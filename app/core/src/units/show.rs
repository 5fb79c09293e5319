//! Quantities for people: four significant digits and a unit.

use crate::expr::MAX_EXACT;

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

/// What a counter of 64 bits can hold: no count and no size in bytes is above it.
const MOST_COUNTED: f64 = 18_446_744_073_709_551_616.0;

/// A count or a size in bytes with all digits that tell it from its neighbours, e.g. `65537` and
/// `1.152921504606847e18`, so that no two of them look alike; nothing for what is neither.
pub fn whole_number(value: f64) -> Option<String> {
    if value.fract() != 0.0 || value.abs() > MOST_COUNTED {
        return None;
    }
    Some(match value.abs() <= MAX_EXACT {
        // Without the sign that a zero may have.
        true => format!("{:.0}", value + 0.0),
        false => format!("{value:e}"),
    })
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

/// A sentence with its long figures cut to four significant digits, for reading: `2.433e-7` for
/// `2.43327138114e-7`. Whole numbers, versions and hashes stay as they are, and so does the whole
/// sentence when the cut would turn a comparison in it around.
pub fn short_figures(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    let (mut exact, mut shown) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let word = rest.find(|c: char| !is_figure(c)).unwrap_or(rest.len());
        let Some(figure) = rest.get(..word).filter(|w| !w.is_empty()) else {
            let next = rest.find(is_figure).unwrap_or(rest.len());
            out.push_str(&rest[..next]);
            rest = &rest[next..];
            continue;
        };
        // A full stop ends the sentence, not the figure.
        let figure = figure.trim_end_matches('.');
        let cut = short(figure);
        if let Ok(value) = figure.parse::<f64>() {
            exact.push(value);
            shown.push(cut.as_deref().unwrap_or(figure).parse().unwrap_or(value));
        }
        out.push_str(cut.as_deref().unwrap_or(figure));
        out.push_str(&rest[figure.len()..word]);
        rest = &rest[word..];
    }
    let order = |v: &[f64]| -> Vec<_> { v.windows(2).map(|w| w[0].partial_cmp(&w[1])).collect() };
    if order(&exact) == order(&shown) {
        out
    } else {
        text.to_owned()
    }
}

/// What a figure, a word or a hash is made of.
fn is_figure(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+')
}

/// A figure of more than four significant digits, cut.
fn short(figure: &str) -> Option<String> {
    let (mantissa, power) = figure.split_once('e').unwrap_or((figure, ""));
    let digits = mantissa.trim_start_matches(['-', '0', '.']);
    let digits = digits.bytes().filter(u8::is_ascii_digit).count();
    let plain = mantissa
        .bytes()
        .all(|b| b.is_ascii_digit() || b"-.".contains(&b));
    // With an exponent only what doubles cannot hold exactly is written whole: all of its digits count.
    let value: f64 = figure.parse().ok()?;
    let huge = !power.is_empty() && value.abs() > MAX_EXACT && whole_number(value).is_some();
    let whole = (!mantissa.contains('.') && power.is_empty()) || huge;
    if digits <= 4 || !plain || whole {
        return None;
    }
    let value = Some(value).filter(|v| v.is_finite())?;
    if !power.is_empty() {
        let text = format!("{value:.3e}");
        let (mantissa, power) = text.split_once('e')?;
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return Some(format!("{mantissa}e{power}"));
    }
    let places = 3 - value.abs().log10().floor() as i32;
    let text = format!("{value:.*}", usize::try_from(places).unwrap_or(0));
    Some(if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    })
}

#[cfg(test)]
mod tests {
    use super::short_figures;

    #[test]
    fn figures_in_a_sentence_are_cut_and_nothing_else_is() {
        for (text, short) in [
            (
                "max_rel_error = 2.43327138114e-7 <= 2e-6",
                "max_rel_error = 2.433e-7 <= 2e-6",
            ),
            ("takes 0.123456, or 1234.5678.", "takes 0.1235, or 1235."),
            ("at -12.34567 x", "at -12.35 x"),
        ] {
            assert_eq!(short_figures(text), short);
        }
        for kept in [
            "content 336e71dd077a1 was built",
            "valgrind-3.19.01234 on 4e4552f1",
            "resource[\"code_bytes\"] = 382912 <= 32768",
            "resource[\"shared_bytes\"] = 1.8446744073709552e19, not <= 65536",
            "2026-11-30T03:21:10.240214643Z",
            "1.00001 <= 1",
            "0.5, 1.25 and 1e-9",
            "核函数 1.5",
            "",
        ] {
            assert_eq!(short_figures(kept), kept);
        }
    }
}
