//! The step that values show: a rounded print or a coarse clock, whatever was stated.

/// Share of the values that must be multiples of a step; the rest may be odd ones.
const SHARE: f64 = 0.95;

/// A step finer than this part of the median cannot matter.
const LEAST: f64 = 1e-6;

/// Values that are looked at before all of them are.
const FEW: usize = 64;

/// The greatest step, in the unit of the values, of which at least 95 % of them are multiples.
///
/// Tried are powers of ten, as printed digits make them, and the distances between neighbouring
/// values, as the tick of a clock makes them. `None` where there is none that could matter.
pub(crate) fn visible_step(values: &[f64], median: f64) -> Option<f64> {
    let stride = values.len().div_ceil(FEW).max(1);
    let mut few: Vec<f64> = values.iter().step_by(stride).copied().collect();
    few.sort_by(f64::total_cmp);
    let least = LEAST * median;
    let gaps = few.windows(2).map(|w| w[1] - w[0]);
    let top = median.log10().floor() as i32;
    let decimals = (-6..=0).map(|k| 10f64.powi(top + k));
    let mut steps: Vec<f64> = gaps.chain(decimals).filter(|s| *s > least).collect();
    steps.sort_by(|x, y| y.total_cmp(x));
    steps
        .into_iter()
        .find(|s| multiples(&few, *s) && multiples(values, *s))
}

fn multiples(values: &[f64], step: f64) -> bool {
    let mut odd = (values.len() as f64 * (1.0 - SHARE)) as usize;
    for value in values {
        let steps = value / step;
        // Room for the rounding of decimal figures, and no more.
        if steps < 0.5 || (steps - steps.round()).abs() > 1e-6 + steps * 1e-12 {
            if odd == 0 {
                return false;
            }
            odd -= 1;
        }
    }
    !values.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::SplitMix64;

    fn step(values: &[f64]) -> Option<f64> {
        visible_step(values, crate::describe::median(values)?)
    }

    fn close(x: Option<f64>, want: f64) -> bool {
        x.is_some_and(|x| (x / want - 1.0).abs() < 1e-9)
    }

    #[test]
    fn printed_digits_and_ticks_show() {
        let digits: Vec<f64> = (0..90)
            .map(|i| 1e3 * (3.5 + 0.1 * f64::from(i % 3)))
            .collect();
        assert!(close(step(&digits), 100.0), "{:?}", step(&digits));
        // A few odd values hide nothing.
        let mut odd = digits.clone();
        (odd[7], odd[20]) = (3600.1, 3512.345);
        assert!(close(step(&odd), 100.0), "{:?}", step(&odd));
        // A clock of 32 ns.
        let mut g = SplitMix64::new(4);
        let ticks: Vec<f64> = (0..200)
            .map(|_| 32.0 * (g.unit() * 500.0).round() + 32e3)
            .collect();
        assert!(close(step(&ticks), 32.0), "{:?}", step(&ticks));
    }

    #[test]
    fn fine_values_have_no_step() {
        let mut g = SplitMix64::new(3);
        let fine: Vec<f64> = (0..300).map(|_| 1e6 * (1.0 + 0.01 * g.normal())).collect();
        assert_eq!(step(&fine), None);
        assert_eq!(step(&[]), None);
        // Every tenth value rounded is no rounding.
        let some = fine.iter().enumerate();
        let some: Vec<f64> = some
            .map(|(i, v)| {
                if i % 10 == 0 {
                    (v / 1e3).round() * 1e3
                } else {
                    *v
                }
            })
            .collect();
        assert_eq!(step(&some), None);
    }
}
