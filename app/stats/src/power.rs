//! Power of a fixed number of processes: which effects a machine can show.

use crate::tdist::{normal_quantile, normal_tail, t_two_sided};

/// Two-sided level of the t design behind "smallest effect".
pub const DESIGN_ALPHA: f64 = 0.05;

/// Probability that a gain of `effect` (a log) is proven by `n` processes whose log-ratios have
/// standard deviation `sd`: that the two-sided t interval with error `alpha` lies below zero.
///
/// The noncentral t distribution as a mean of normal probabilities over the distribution of the
/// observed spread (chi with n - 1 degrees), by Simpson's rule; about six digits. NaN below two
/// processes.
pub fn power(effect: f64, sd: f64, n: u32, alpha: f64) -> f64 {
    if n < 2 || sd.is_nan() || sd < 0.0 {
        return f64::NAN;
    }
    if sd == 0.0 {
        return f64::from(u8::from(effect > 0.0));
    }
    let df = f64::from(n - 1);
    let t = t_two_sided(alpha, n - 1);
    let shift = effect * f64::from(n).sqrt() / sd;
    // Density of the observed sd / true sd, up to a constant, scaled to 1 at its mode.
    let mode = ((df - 1.0) / df).max(0.0).sqrt();
    let log_density = |s: f64| {
        let power = if df > 1.0 { (df - 1.0) * s.ln() } else { 0.0 };
        power - df * s * s / 2.0
    };
    let top = if df > 1.0 { log_density(mode) } else { 0.0 };
    let width = 9.0 / (2.0 * df).sqrt();
    let (from, to) = ((mode - width).max(1e-9), mode + width);
    let steps = 600;
    let h = (to - from) / f64::from(steps);
    let (mut above, mut all) = (0.0, 0.0);
    for i in 0..=steps {
        let s = from + h * f64::from(i);
        let simpson = match i {
            0 => 1.0,
            i if i == steps => 1.0,
            i if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let weight = simpson * (log_density(s) - top).exp();
        all += weight;
        above += weight * normal_tail(t * s - shift);
    }
    above / all
}

/// The smallest effect (a log) that `n` processes prove with probability `wanted`.
///
/// `None` where there is no answer: fewer than two processes, or a spread that is no number.
pub fn smallest_effect(sd: f64, n: u32, alpha: f64, wanted: f64) -> Option<f64> {
    if n < 2 || !sd.is_finite() || sd < 0.0 || !(wanted > 0.0 && wanted < 1.0) {
        return None;
    }
    if sd == 0.0 {
        return Some(0.0);
    }
    let (mut low, mut high) = (0.0, sd);
    while power(high, sd, n, alpha) < wanted {
        high *= 2.0;
        if high > 1e6 * sd {
            return None;
        }
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if power(middle, sd, n, alpha) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

/// About the effect (a log) that `n` processes prove with 80 % power at [`DESIGN_ALPHA`].
///
/// The sum of two t points, as textbooks have it; within 3 % of [`smallest_effect`] from four
/// processes on, and quick.
pub(crate) fn about_smallest_effect(sd: f64, n: u32) -> f64 {
    let df = n.saturating_sub(1);
    (t_two_sided(DESIGN_ALPHA, df) + t_two_sided(0.4, df)) * sd / f64::from(n).sqrt()
}

/// Interval with error `alpha` of a standard deviation estimated from `n` normal values.
///
/// Quantiles of chi-square by Wilson and Hilferty 1931; within 2 % from 3 degrees on.
pub fn sd_interval(sd: f64, n: u32, alpha: f64) -> Option<[f64; 2]> {
    if n < 2 {
        return None;
    }
    let df = f64::from(n - 1);
    let quantile = |p: f64| {
        let c = 2.0 / (9.0 * df);
        df * (1.0 - c + normal_quantile(p) * c.sqrt()).max(1e-3).powi(3)
    };
    let of = |p: f64| sd * (df / quantile(p)).sqrt();
    Some([of(1.0 - alpha / 2.0), of(alpha / 2.0)])
}

/// Interval of a share: `hits` of `trials`, with error `alpha`.
///
/// Wilson, "Probable inference", JASA 22 (1927) 209. `None` without trials.
pub fn share_interval(hits: u32, trials: u32, alpha: f64) -> Option<[f64; 2]> {
    if trials == 0 || hits > trials {
        return None;
    }
    let n = f64::from(trials);
    let p = f64::from(hits) / n;
    let z = normal_quantile(1.0 - alpha / 2.0);
    let scale = 1.0 + z * z / n;
    let middle = (p + z * z / (2.0 * n)) / scale;
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / scale;
    Some([(middle - half).max(0.0), (middle + half).min(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Estimate;
    use crate::prng::SplitMix64;

    #[test]
    fn power_agrees_with_simulation() {
        let mut g = SplitMix64::new(5);
        for (effect, n) in [(0.01, 4), (0.01, 8), (0.006, 12), (0.0, 8)] {
            let trials = 4000;
            let hits = (0..trials)
                .filter(|_| {
                    let x: Vec<f64> = (0..n).map(|_| 0.007 * g.normal() - effect).collect();
                    Estimate::of(&x).is_some_and(|e| e.interval(0.05)[1] < 0.0)
                })
                .count();
            let want = power(effect, 0.007, n, 0.05);
            let got = hits as f64 / f64::from(trials);
            assert!((got - want).abs() < 0.025, "{effect} {n}: {got} {want}");
        }
        assert!((power(0.0, 1.0, 8, 0.05) - 0.025).abs() < 1e-6);
    }

    /// The table of processes needed in the research notes: sd 0.7 %, effect 1 %: 7 for 80 %.
    #[test]
    fn the_smallest_effect_is_the_one_with_that_power() {
        for n in [4, 8, 12] {
            let effect = smallest_effect(0.007, n, 0.05, 0.8).unwrap();
            assert!((power(effect, 0.007, n, 0.05) - 0.8).abs() < 1e-9);
            let about = about_smallest_effect(0.007, n);
            assert!((about / effect - 1.0).abs() < 0.03, "{about} {effect}");
        }
        let needs = |n| smallest_effect(0.007, n, 0.05, 0.8).unwrap();
        assert!(needs(6) > 0.01 && needs(7) < 0.01);
        assert_eq!(smallest_effect(0.0, 4, 0.05, 0.8), Some(0.0));
        assert_eq!(smallest_effect(f64::NAN, 4, 0.05, 0.8), None);
        assert_eq!(smallest_effect(0.1, 1, 0.05, 0.8), None);
        assert!(power(1.0, 1.0, 1, 0.05).is_nan());
    }

    #[test]
    fn intervals_agree_with_the_tables() {
        // chi-square, 7 degrees: 14.067 at 95 %, 2.167 at 5 %.
        let [low, high] = sd_interval(1.0, 8, 0.10).unwrap();
        assert!((low - (7.0f64 / 14.067).sqrt()).abs() < 0.005, "{low}");
        assert!((high - (7.0f64 / 2.167).sqrt()).abs() < 0.02, "{high}");
        assert_eq!(sd_interval(1.0, 1, 0.1), None);
        // 0 of 4000: z^2 / (n + z^2).
        let [low, high] = share_interval(0, 4000, 0.05).unwrap();
        assert!(low == 0.0 && (high - 3.8415 / 4003.8415).abs() < 1e-6);
        let [low, high] = share_interval(5, 10, 0.05).unwrap();
        assert!((low - 0.2366).abs() < 1e-3 && (high - 0.7634).abs() < 1e-3);
        assert_eq!(share_interval(1, 0, 0.05), None);
    }
}
