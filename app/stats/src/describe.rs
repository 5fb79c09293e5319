//! Plain descriptions of a set of times: median, spread, quantiles.
//!
//! These describe; they never decide. A verdict comes from [`crate::procedure`] alone.

use assay_core::record::SampleSummary;

use crate::samples::Samples;

/// The quantile of `values` at `p` (0 to 1), with linear interpolation between order statistics.
///
/// Hyndman and Fan type 7, the usual default. `None` when there are no values, when one is NaN,
/// or when `p` lies outside 0 to 1.
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    if values.is_empty() || !(0.0..=1.0).contains(&p) || values.iter().any(|v| v.is_nan()) {
        return None;
    }
    let mut v = values.to_vec();
    let position = p * (v.len() - 1) as f64;
    let below = position.floor() as usize;
    let part = position - position.floor();
    let (_, low, rest) = v.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    match rest.iter().copied().min_by(f64::total_cmp) {
        Some(high) if part > 0.0 => Some(low + part * (high - low)),
        _ => Some(low),
    }
}

/// The median; the mean of the two middle values when their number is even.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Takes medians in one buffer, for where there are very many.
///
/// Only for positive values: their bits are in the same order as they are.
#[derive(Debug, Default)]
pub(crate) struct Scratch(Vec<u64>);

impl Scratch {
    /// As [`median`], bit for bit; `None` where there are no values.
    pub(crate) fn median(&mut self, values: &[f64]) -> Option<f64> {
        self.0.clear();
        self.0.extend(values.iter().map(|v| v.to_bits()));
        self.of_all()
    }

    /// The same over the values of several slices.
    pub(crate) fn median_of<'a>(&mut self, slices: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
        self.0.clear();
        for values in slices {
            self.0.extend(values.iter().map(|v| v.to_bits()));
        }
        self.of_all()
    }

    fn of_all(&mut self) -> Option<f64> {
        let n = self.0.len();
        if n == 0 {
            return None;
        }
        let (_, low, rest) = self.0.select_nth_unstable((n - 1) / 2);
        let low = f64::from_bits(*low);
        match rest.iter().min() {
            Some(high) if n.is_multiple_of(2) => Some(low + 0.5 * (f64::from_bits(*high) - low)),
            _ => Some(low),
        }
    }

    /// The least distance between two different values of several slices.
    pub(crate) fn least_distance<'a>(
        &mut self,
        slices: impl Iterator<Item = &'a [f64]>,
    ) -> Option<f64> {
        self.0.clear();
        for values in slices {
            self.0.extend(values.iter().map(|v| v.to_bits()));
        }
        self.0.sort_unstable();
        let steps = self.0.windows(2);
        let steps = steps.map(|w| f64::from_bits(w[1]) - f64::from_bits(w[0]));
        steps.filter(|d| *d > 0.0).min_by(f64::total_cmp)
    }
}

/// The median absolute deviation from the median, not scaled.
pub fn mad(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    let off: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    median(&off)
}

/// The smallest value; `None` when there is none or one is NaN.
pub fn min(values: &[f64]) -> Option<f64> {
    quantile(values, 0.0)
}

/// The arithmetic mean.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The mean of the natural logarithms; its exponential is the geometric mean.
///
/// `None` when there are no values or one is not a positive number.
pub fn mean_log(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|v| v.is_nan() || *v <= 0.0) {
        return None;
    }
    Some(values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64)
}

/// The standard deviation of a sample (n - 1 in the denominator); `None` below two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let middle = mean(values)?;
    let squares: f64 = values.iter().map(|v| (v - middle).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// One summary for each workload and subject, over all samples of legs that are not void.
///
/// Sorted by workload, then subject.
pub fn summaries(samples: &Samples) -> Vec<SampleSummary> {
    let mut scratch = Scratch::default();
    let mut off = Vec::new();
    let runs = samples
        .legs()
        .chunk_by(|x, y| x.workload == y.workload && x.subject == y.subject);
    runs.filter_map(|run| {
        let values = || {
            let legs = run.iter().filter(|l| l.void.is_none());
            legs.map(|l| l.values_ns.as_slice())
        };
        let median_ns = scratch.median_of(values())?;
        off.clear();
        off.extend(values().flatten().map(|v| (v - median_ns).abs()));
        Some(SampleSummary {
            workload: run.first()?.workload.clone(),
            subject: run.first()?.subject.clone(),
            n: off.len() as u64,
            median_ns,
            min_ns: values().flatten().copied().min_by(f64::total_cmp)?,
            mad_ns: scratch.median(&off)?,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_order_statistics() {
        let v = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(median(&v), Some(2.5));
        assert_eq!(quantile(&v, 0.25), Some(1.75));
        assert_eq!(quantile(&v, 1.0), Some(4.0));
        assert_eq!(min(&v), Some(1.0));
        assert_eq!(mad(&v), Some(1.0));
        assert_eq!(median(&[7.0]), Some(7.0));
    }

    #[test]
    fn nothing_in_gives_nothing_out() {
        for f in [median, mad, min, mean, mean_log, sd] {
            assert_eq!(f(&[]), None);
        }
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(quantile(&[1.0], 1.5), None);
        assert_eq!(mean_log(&[1.0, 0.0]), None);
        assert_eq!(sd(&[1.0]), None);
    }

    #[test]
    fn the_buffer_gives_the_same_medians_bit_for_bit() {
        let mut g = crate::prng::SplitMix64::new(3);
        let mut scratch = Scratch::default();
        for n in 1..40 {
            let v: Vec<f64> = (0..n).map(|_| (8.0 * g.normal()).exp()).collect();
            let halves = v.split_at(n / 3);
            assert_eq!(scratch.median(&v), median(&v));
            let both = [halves.0, halves.1].into_iter();
            assert_eq!(scratch.median_of(both.clone()), median(&v));
            let mut sorted = v.clone();
            sorted.sort_by(f64::total_cmp);
            let steps = sorted.windows(2).map(|w| w[1] - w[0]);
            assert_eq!(scratch.least_distance(both), steps.min_by(f64::total_cmp));
        }
        assert_eq!(scratch.median(&[]), None);
        assert_eq!(scratch.least_distance([&[2.0, 2.0][..]].into_iter()), None);
    }

    #[test]
    fn the_mean_of_logs_is_the_log_of_the_geometric_mean() {
        let g = mean_log(&[1.0, 4.0, 16.0]).unwrap().exp();
        assert!((g - 4.0).abs() < 1e-12);
        assert!((sd(&[1.0, 3.0]).unwrap() - 2f64.sqrt()).abs() < 1e-12);
    }
}
