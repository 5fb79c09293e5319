//! Student's t and the normal distribution: tails and quantiles.
//!
//! Our own code: the degrees of freedom are whole here (processes minus one), and for those the
//! t tail is a finite sum, so that a statistics library would be the larger thing to trust.

use std::cell::RefCell;
use std::f64::consts::{FRAC_2_PI, TAU};

/// P(T > `t`) for Student's t with `df` degrees of freedom.
///
/// Abramowitz and Stegun 26.7.3 and 26.7.4 (finite sums for whole `df`). The absolute error is
/// about 1e-15. NaN when `df` is 0 or `t` is NaN.
pub fn t_tail(t: f64, df: u32) -> f64 {
    if df == 0 || t.is_nan() {
        return f64::NAN;
    }
    let theta = (t.abs() / f64::from(df).sqrt()).atan();
    let (sin, cos) = theta.sin_cos();
    let cos2 = cos * cos;
    // `within` is P(|T| < |t|).
    let within = if df == 1 {
        FRAC_2_PI * theta
    } else {
        // Odd: cos (1 + 2/3 cos2 + 2*4/(3*5) cos4 ...); even: 1 + 1/2 cos2 + 1*3/(2*4) cos4 ...
        let odd = df % 2 == 1;
        let mut term = if odd { cos } else { 1.0 };
        let mut sum = term;
        let mut k = if odd { 3 } else { 2 };
        while k <= df - 2 {
            term *= cos2 * f64::from(k - 1) / f64::from(k);
            sum += term;
            k += 2;
        }
        if odd {
            FRAC_2_PI * (theta + sin * sum)
        } else {
            sin * sum
        }
    };
    let upper = ((1.0 - within) / 2.0).clamp(0.0, 0.5);
    if t < 0.0 { 1.0 - upper } else { upper }
}

/// The t with P(|T| > t) = `alpha`: half the width of a two-sided interval, in standard errors.
///
/// NaN unless `df` is at least 1 and `alpha` lies between 0 and 1.
pub fn t_two_sided(alpha: f64, df: u32) -> f64 {
    if df == 0 {
        return f64::NAN;
    }
    let known = |seen: &RefCell<Vec<(u64, u32, f64)>>| {
        let seen = seen.borrow();
        let same = seen.iter().find(|s| s.0 == alpha.to_bits() && s.1 == df);
        same.map(|s| s.2)
    };
    if let Some(t) = POINTS.with(known) {
        return t;
    }
    let t = upper_point(alpha / 2.0, |t| t_tail(t, df));
    POINTS.with(|seen| {
        let mut seen = seen.borrow_mut();
        if seen.len() >= 64 {
            seen.clear();
        }
        seen.push((alpha.to_bits(), df, t));
    });
    t
}

thread_local! {
    /// Points computed before: a campaign asks for the same few again and again.
    static POINTS: RefCell<Vec<(u64, u32, f64)>> = const { RefCell::new(Vec::new()) };
}

/// The quantile of Student's t: the t with P(T <= t) = `p`.
pub fn t_quantile(p: f64, df: u32) -> f64 {
    if p < 0.5 {
        -t_two_sided(2.0 * p, df)
    } else {
        t_two_sided(2.0 * (1.0 - p), df)
    }
}

/// P(Z > `z`) for the standard normal distribution.
///
/// Series of Abramowitz and Stegun 26.2.11 for |z| < 3, the continued fraction 26.2.14 beyond.
pub fn normal_tail(z: f64) -> f64 {
    if z.is_nan() {
        return f64::NAN;
    }
    let x = z.abs();
    let density = (-x * x / 2.0).exp() / TAU.sqrt();
    let upper = if x < 3.0 {
        let mut term = x;
        let mut sum = x;
        let mut k = 3.0;
        while term > 1e-18 * sum {
            term *= x * x / k;
            sum += term;
            k += 2.0;
        }
        0.5 - density * sum
    } else {
        let tail = (1..=120).rev().fold(0.0, |f, k| f64::from(k) / (x + f));
        density / (x + tail)
    };
    if z < 0.0 { 1.0 - upper } else { upper }
}

/// The quantile of the standard normal distribution: the z with P(Z <= z) = `p`.
pub fn normal_quantile(p: f64) -> f64 {
    if p < 0.5 {
        -upper_point(p, normal_tail)
    } else {
        upper_point(1.0 - p, normal_tail)
    }
}

/// The x >= 0 at which a falling tail equals `p`, by bisection.
fn upper_point(p: f64, tail: impl Fn(f64) -> f64) -> f64 {
    if !(p > 0.0 && p <= 0.5) {
        return f64::NAN;
    }
    let mut low = 0.0;
    let mut high = 1.0;
    while tail(high) > p {
        low = high;
        high *= 2.0;
        if high > 1e18 {
            return f64::INFINITY;
        }
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if tail(middle) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// The density of Student's t at 0: g(1) = 1/pi, g(2) = 1/(2 sqrt 2), then by the recurrence
    /// of the gamma function.
    fn t_density_at_zero(df: u32) -> f64 {
        let (mut g, mut n) = if df % 2 == 1 {
            (1.0 / PI, 1)
        } else {
            (0.125f64.sqrt(), 2)
        };
        while n < df {
            let m = f64::from(n);
            g *= (m + 1.0) / m * (m / (m + 2.0)).sqrt();
            n += 2;
        }
        g
    }

    fn near(got: f64, want: f64, tolerance: f64) {
        assert!((got - want).abs() <= tolerance, "{got} is not {want}");
    }

    /// Two-sided points as in the printed tables (Fisher and Yates table III).
    #[test]
    fn t_agrees_with_the_printed_tables() {
        for (df, at_10, at_5, at_1, at_01) in [
            (1, 6.314, 12.706, 63.657, 636.619),
            (2, 2.920, 4.303, 9.925, 31.599),
            (3, 2.353, 3.182, 5.841, 12.924),
            (4, 2.132, 2.776, 4.604, 8.610),
            (5, 2.015, 2.571, 4.032, 6.869),
            (7, 1.895, 2.365, 3.499, 5.408),
            (10, 1.812, 2.228, 3.169, 4.587),
            (11, 1.796, 2.201, 3.106, 4.437),
            (20, 1.725, 2.086, 2.845, 3.850),
            (30, 1.697, 2.042, 2.750, 3.646),
            (120, 1.658, 1.980, 2.617, 3.373),
        ] {
            near(t_two_sided(0.10, df), at_10, 6e-4);
            near(t_two_sided(0.05, df), at_5, 6e-4);
            near(t_two_sided(0.01, df), at_1, 6e-4);
            near(t_two_sided(0.001, df), at_01, 6e-4);
        }
    }

    /// df = 1 is Cauchy and df = 2 has a closed form, so those are exact.
    #[test]
    fn t_agrees_with_closed_forms_far_into_the_tail() {
        for alpha in [0.5f64, 0.045, 0.014, 5e-4, 1e-6] {
            let cauchy = 1.0 / (PI * alpha / 2.0).tan();
            near(t_two_sided(alpha, 1) / cauchy, 1.0, 1e-9);
            let p = 1.0 - alpha / 2.0;
            let two = (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt();
            near(t_two_sided(alpha, 2) / two, 1.0, 1e-9);
        }
    }

    #[test]
    fn the_slope_of_the_tail_is_the_density() {
        for df in 1..60 {
            let h = 1e-5;
            let slope = (t_tail(-h, df) - t_tail(h, df)) / (2.0 * h);
            near(slope, t_density_at_zero(df), 1e-8);
        }
    }

    #[test]
    fn quantiles_are_symmetric_and_invert_the_tail() {
        for df in [1, 2, 3, 7, 11, 99, 1000] {
            for p in [0.001, 0.05, 0.3, 0.5, 0.8, 0.975] {
                let t = t_quantile(p, df);
                near(t, -t_quantile(1.0 - p, df), 1e-9 * (1.0 + t.abs()));
                near(1.0 - t_tail(t, df), p, 1e-12);
            }
        }
        near(t_quantile(0.975, 100_000), normal_quantile(0.975), 1e-4);
    }

    #[test]
    fn normal_agrees_with_the_tables_and_both_branches_meet() {
        near(normal_quantile(0.975), 1.959_963_984_540_054, 1e-12);
        near(normal_quantile(0.9), 1.281_551_565_544_600_4, 1e-12);
        near(normal_quantile(0.5), 0.0, 1e-12);
        near(normal_quantile(0.001), -3.090_232_306_167_813_5, 1e-11);
        near(normal_tail(4.0) / 3.167_124_183_311_998e-5, 1.0, 1e-12);
        near(normal_tail(3.0 - 1e-12) / normal_tail(3.0), 1.0, 1e-10);
    }

    #[test]
    fn senseless_arguments_give_nan_or_a_limit_and_never_hang() {
        assert!(t_two_sided(0.05, 0).is_nan());
        assert!(t_tail(f64::NAN, 3).is_nan());
        assert!(t_quantile(f64::NAN, 3).is_nan());
        assert!(t_quantile(1.0, 3).is_nan());
        assert!(normal_quantile(-1.0).is_nan());
        near(t_tail(f64::INFINITY, 3), 0.0, 0.0);
        assert!(t_two_sided(1e-300, 4) > 1e3);
    }
}
