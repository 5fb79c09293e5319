//! Figures as a person reads them: no more digits than the interval supports.

/// A ratio interval and its estimate, printed with the same number of decimals.
///
/// At least three decimals; more while the interval is narrower than two units of the last one
/// or while a bound that differs from 1 would print as 1.
pub(crate) fn figures(ratio: f64, interval: [f64; 2]) -> [String; 3] {
    let [low, high] = interval;
    let mut decimals = 3;
    while decimals < 6 {
        let unit = 10f64.powi(-decimals);
        let as_one = |x: f64| x != 1.0 && (x - 1.0).abs() <= unit / 2.0;
        if high - low >= 2.0 * unit && !as_one(low) && !as_one(high) {
            break;
        }
        if high == low && !as_one(ratio) {
            break;
        }
        decimals += 1;
    }
    [ratio, low, high].map(|x| format!("{x:.*}", decimals as usize))
}

/// A fraction as a percentage with at most `decimals` decimals and no trailing zeros.
pub(crate) fn percent(fraction: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", fraction * 100.0);
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text} %")
}

/// `1 process`, `4 processes`.
pub(crate) fn processes(n: u32) -> String {
    format!("{n} {}", if n == 1 { "process" } else { "processes" })
}

/// A time in nanoseconds with a unit that suits it.
pub(crate) fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns >= 1e9 => (ns / 1e9, "s"),
        ns if ns >= 1e6 => (ns / 1e6, "ms"),
        ns if ns >= 1e3 => (ns / 1e3, "us"),
        ns => (ns, "ns"),
    };
    let decimals = (2 - value.log10().floor() as i32).clamp(0, 3) as usize;
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_interval_and_never_hide_which_side_of_one_it_is() {
        assert_eq!(
            figures(0.9214, [0.9151, 0.9272]),
            ["0.921", "0.915", "0.927"]
        );
        assert_eq!(
            figures(0.98, [0.961, 0.99987]),
            ["0.9800", "0.9610", "0.9999"]
        );
        assert_eq!(figures(1.0, [1.0, 1.0]), ["1.000", "1.000", "1.000"]);
        assert_eq!(figures(0.9, [0.9, 0.9]), ["0.900", "0.900", "0.900"]);
        assert_eq!(
            figures(0.9979, [0.9949, 1.0009]),
            ["0.998", "0.995", "1.001"]
        );
        assert_eq!(figures(1.00001, [1.00001, 1.00001])[0], "1.00001");
    }

    #[test]
    fn percentages_and_times_are_short() {
        assert_eq!(percent(0.955, 2), "95.5 %");
        assert_eq!(percent(0.9995, 2), "99.95 %");
        assert_eq!(percent(0.9, 2), "90 %");
        assert_eq!(percent(1.0, 0), "100 %");
        assert_eq!(time(0.4), "0.400 ns");
        assert_eq!(time(1500.0), "1.50 us");
        assert_eq!(time(123_456_789.0), "123 ms");
        assert_eq!(processes(1), "1 process");
    }
}
