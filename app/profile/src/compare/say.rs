//! Changes as text, with no more digits than the figures support.

use assay_core::view::ChangeView;

/// From this half width of the interval on, in percent, both its ends are said instead.
const WIDE: f64 = 10.0;

/// From this change on, in percent, it is written with a power of ten.
const LARGE: f64 = 1e6;

/// How a change is said: `=` for none, percent with what the digits leave open, of percentages in
/// points too.
///
/// `exact` is for counts that were printed in full: they have no digits that could be missing.
/// `decimals` is how many the coarser figure has.
pub(super) fn change(change: &ChangeView, unit: &str, exact: bool, decimals: usize) -> String {
    if change.absolute == 0.0 {
        return "=".into();
    }
    let Some(p) = change.percent else {
        return "from 0".into();
    };
    let open = change.interval.filter(|_| !exact);
    let relative = percent(p, open);
    if unit == "%" {
        return format!("{relative} ({} pt)", signed(change.absolute, decimals));
    }
    relative
}

fn percent(p: f64, interval: Option<[f64; 2]>) -> String {
    if p.abs() >= LARGE {
        return format!("{p:+.2e} %");
    }
    let [low, high] = interval.unwrap_or([p, p]);
    let half = (p - low).max(high - p);
    if half < 0.005 {
        return format!("{} %", signed(p, 2));
    }
    if half >= WIDE {
        return format!("{} … {} %", signed(low, 0), signed(high, 0));
    }
    let decimals = if half >= 1.0 { 1 } else { 2 };
    // Up, as the printed range must not be narrower than the true one; but not for rounding noise.
    let scale = 10f64.powi(decimals);
    let half = (half * scale - 1e-6).ceil() / scale;
    let decimals = decimals.unsigned_abs() as usize;
    format!("{p:+.decimals$} ± {half:.decimals$} %").replace("-0.00 ±", "0.00 ±")
}

/// With its sign. What would be rounded to zero keeps its first digit, and zero has no sign.
fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    if text.bytes().any(|b| b.is_ascii_digit() && b != b'0') {
        return text;
    }
    if value == 0.0 || decimals == 0 {
        return format!("{:.decimals$}", 0.0);
    }
    let needed = -value.abs().log10().floor();
    match needed {
        n if n <= 6.0 => format!("{value:+.*}", n as usize),
        _ => format!("{value:+.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(percent: f64, interval: [f64; 2]) -> String {
        super::percent(percent, Some(interval))
    }

    #[test]
    fn no_more_is_said_than_the_digits_support() {
        assert_eq!(said(-54.3447, [-54.3534, -54.3361]), "-54.34 ± 0.01 %");
        assert_eq!(said(39.65, [39.62, 39.68]), "+39.65 ± 0.03 %");
        assert_eq!(said(-28.33, [-28.69, -27.97]), "-28.33 ± 0.36 %");
        assert_eq!(said(50.0, [46.0, 54.5]), "+50.0 ± 4.5 %");
        assert_eq!(said(100.0, [0.0, 400.0]), "0 … +400 %");
        assert_eq!(said(2e9, [1e9, 3e9]), "+2.00e9 %");
        assert_eq!(percent(28.571_43, None), "+28.57 %");
    }

    #[test]
    fn nothing_is_minus_zero() {
        assert_eq!(percent(-0.001, None), "-0.001 %");
        assert_eq!(percent(-0.000_04, None), "-0.00004 %");
        assert_eq!(percent(-4.2e-9, None), "-4e-9 %");
        assert_eq!(said(-0.001, [-0.1, 0.1]), "0.00 ± 0.11 %");
        assert_eq!(said(0.2, [-40.0, 60.0]), "-40 … +60 %");
        assert_eq!(signed(-0.2, 0), "0");
        assert_eq!(signed(-0.0, 2), "0.00");
    }
}
