//! Axes: from values to places, and ticks at numbers that people like.

use crate::figure::grouped;

/// Maps values to places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    is_log: bool,
}

impl Scale {
    /// A linear axis over all `values`, a little wider than they are; `from` and `to` are places.
    pub(super) fn linear(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = bounds(values).unwrap_or((0.0, 1.0));
        let span = high - low;
        let pad = if span > low.abs().max(high.abs()) * 1e-12 {
            span * 0.06
        } else {
            low.abs().max(1e-90) * 0.05
        };
        let mut low_padded = low - pad;
        // Times and counts do not become negative by padding.
        if low >= 0.0 && low_padded < 0.0 {
            low_padded = 0.0;
        }
        Self {
            low: low_padded,
            high: high + pad,
            from,
            to,
            is_log: false,
        }
    }

    /// A linear axis with fixed ends.
    pub(super) fn between(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self {
            low,
            high,
            from,
            to,
            is_log: false,
        }
    }

    /// A logarithmic axis over all `values`, which are above zero, wider by the factor `pad`.
    pub(super) fn log(values: impl IntoIterator<Item = f64>, pad: f64, from: f64, to: f64) -> Self {
        let (low, high) = bounds(values).unwrap_or((0.1, 10.0));
        Self {
            low: low / pad,
            high: high * pad,
            from,
            to,
            is_log: true,
        }
    }

    /// Lowest value of the axis.
    pub(super) fn low(&self) -> f64 {
        self.low
    }

    /// Highest value of the axis.
    pub(super) fn high(&self) -> f64 {
        self.high
    }

    /// The place of a value; what lies outside is at the end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        let share = if share.is_finite() { share } else { 0.0 };
        self.from + (self.to - self.from) * share.clamp(0.0, 1.0)
    }

    /// Ticks inside the axis with their text, about `wanted` of them.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let decades = (self.high / self.low).log10();
        if self.is_log && decades > 1.2 {
            return self.log_ticks(decades, wanted);
        }
        let step = nice_step((self.high - self.low) / wanted.max(1) as f64);
        let first = (self.low / step).ceil();
        (0..60)
            .map(|i| (first + f64::from(i)) * step)
            .take_while(|v| *v <= self.high + step * 1e-9)
            .map(|v| (v, label(v, step)))
            .collect()
    }

    fn log_ticks(&self, decades: f64, wanted: usize) -> Vec<(f64, String)> {
        let every = (decades / wanted.max(1) as f64).ceil().max(1.0) as i32;
        let steps: &[f64] = match decades {
            d if d < 2.2 => &[1.0, 2.0, 5.0],
            d if d < 3.5 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let (first, last) = (self.low.log10().floor(), self.high.log10().ceil());
        (first as i32..=last as i32)
            .filter(|d| d.rem_euclid(every) == 0)
            .flat_map(|d| steps.iter().map(move |s| (*s, d)))
            .map(|(s, d)| (s * 10f64.powi(d), d))
            .filter(|(v, _)| *v >= self.low * (1.0 - 1e-9) && *v <= self.high * (1.0 + 1e-9))
            .map(|(v, d)| (v, label(v, 10f64.powi(d))))
            .collect()
    }
}

/// Lowest and highest of what can be drawn.
pub(super) fn bounds(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .into_iter()
        .filter(|v| v.is_finite())
        .fold(None, |found, v| match found {
            None => Some((v, v)),
            Some((low, high)) => Some((low.min(v), high.max(v))),
        })
}

/// The step of 1, 2, 2.5 or 5 times a power of ten that is at least `least`.
fn nice_step(least: f64) -> f64 {
    if !least.is_finite() || least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 2.5, 5.0]
        .into_iter()
        .map(|m| m * power)
        .find(|s| *s >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// A tick as text, with as many digits as the step needs, in groups of three as other figures.
fn label(value: f64, step: f64) -> String {
    if value.abs() < step * 1e-9 {
        return "0".into();
    }
    // Seven digits are what the room beside an axis is for.
    if value.abs() >= 1e7 || step < 1e-5 {
        let text = format!("{value:.2e}");
        return match text.split_once('e') {
            Some((digits, power)) if digits.contains('.') => {
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                format!("{digits}e{power}")
            }
            _ => text,
        };
    }
    let mut decimals = (-step.log10().floor()).max(0.0) as usize;
    let scaled = step * 10f64.powi(decimals as i32);
    // A step of 2.5 needs one digit more.
    if (scaled - scaled.round()).abs() > 1e-6 {
        decimals += 1;
    }
    grouped(&format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale, wanted: usize) -> Vec<String> {
        scale.ticks(wanted).into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_stand_at_round_numbers() {
        let linear = Scale::between(0.0, 1.0, 0.0, 100.0);
        assert_eq!(texts(linear, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(linear.at(0.25), 25.0);
        assert_eq!(linear.at(7.0), 100.0);
        let fine = Scale::between(0.98, 1.03, 0.0, 1.0);
        assert_eq!(
            texts(fine, 5),
            ["0.98", "0.99", "1.00", "1.01", "1.02", "1.03"]
        );
        let log = Scale::log([0.01, 100.0], 1.0, 0.0, 1.0);
        assert_eq!(texts(log, 6), ["0.01", "0.1", "1", "10", "100"]);
    }

    #[test]
    fn ticks_are_grouped_as_other_figures_are() {
        let wide = Scale::log([900.0, 2e6], 1.0, 0.0, 1.0);
        assert_eq!(
            texts(wide, 6),
            [
                "1000",
                "3000",
                "10,000",
                "30,000",
                "100,000",
                "300,000",
                "1,000,000"
            ]
        );
        let narrow = Scale::between(-20_000.0, 20_000.0, 0.0, 1.0);
        assert_eq!(
            texts(narrow, 4),
            ["-20,000", "-10,000", "0", "10,000", "20,000"]
        );
        let huge = Scale::between(0.0, 4e7, 0.0, 1.0);
        assert_eq!(texts(huge, 4), ["0", "1e7", "2e7", "3e7", "4e7"]);
    }

    #[test]
    fn one_value_and_none_have_an_axis() {
        for values in [
            vec![],
            vec![5.0],
            vec![0.0],
            vec![f64::NAN],
            vec![-3.0, -3.0],
        ] {
            let scale = Scale::linear(values, 0.0, 10.0);
            let ticks = scale.ticks(5);
            assert!(!ticks.is_empty() && ticks.len() < 20, "{ticks:?}");
            assert!(ticks.iter().all(|t| scale.at(t.0).is_finite()));
        }
        let wide = Scale::linear([-1e99, 1e99], 0.0, 10.0);
        assert!(texts(wide, 5).contains(&"5e98".to_owned()));
    }
}
