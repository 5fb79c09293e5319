//! Two levels where there should be one: a kernel that runs at either of two speeds.
//!
//! A mean over two levels describes neither. The test is that of Engelman and Hartigan,
//! "Percentage points of a test for clusters", JASA 64 (1969) 1647: over all cuts of the sorted
//! values into a low and a high part, the largest share of the sum of squares that lies between
//! the parts. The limits below were fitted to simulated 99 % points (20,000 draws a size), so a
//! false alarm comes in about 1 % of tests under the stated shape. A part needs a fifth of the
//! values, and two at least, so that one outlier is no level.

use serde::Serialize;

use crate::paired::PairedWorkload;
use crate::samples::Samples;

/// Fewest values that can show two levels.
pub const LEAST: usize = 6;

/// Where the two levels show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Where {
    /// In the ratio B / A, from process to process.
    Ratio,
    /// In the times of A, from process to process.
    ProcessesOfA,
    /// In the times of B, from process to process.
    ProcessesOfB,
    /// In the times of A, inside single processes.
    InsideOfA,
    /// In the times of B, inside single processes.
    InsideOfB,
}

/// Two levels on one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TwoLevels {
    /// Workload.
    pub workload: String,
    /// Where they show.
    pub at: Where,
    /// The lower level: a ratio, or a time in nanoseconds.
    pub low: f64,
    /// The higher level, in the same unit.
    pub high: f64,
    /// Processes at the lower level, or in which both levels show.
    pub processes_low: u32,
    /// Processes at the higher level, or in which both levels show.
    pub processes_high: u32,
}

/// A cut of values into two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// Mean of the low part.
    pub low: f64,
    /// Mean of the high part.
    pub high: f64,
    /// Values in the low part.
    pub n_low: usize,
    /// Values in the high part.
    pub n_high: usize,
    /// Share of the sum of squares that lies between the parts, 0 to 1.
    pub share: f64,
}

/// The best cut of `values` (two means); `None` below [`LEAST`] values or without any spread.
pub fn best_cut(values: &[f64]) -> Option<Cut> {
    let n = values.len();
    if n < LEAST || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.iter().sum::<f64>() / n as f64;
    // About the mean, so that the squares do not cancel.
    sorted.iter_mut().for_each(|v| *v -= middle);
    let total: f64 = sorted.iter().map(|v| v * v).sum();
    if total <= 1e-24 * n as f64 {
        return None;
    }
    let least = n.div_ceil(5).max(2);
    let sum: f64 = sorted.iter().sum();
    let mut below = 0.0;
    let mut best: Option<Cut> = None;
    for (i, v) in sorted.iter().enumerate() {
        below += v;
        let n_low = i + 1;
        let n_high = n - n_low;
        if n_low < least || n_high < least {
            continue;
        }
        let low = below / n_low as f64;
        let high = (sum - below) / n_high as f64;
        let between = n_low as f64 * n_high as f64 / n as f64 * (high - low).powi(2);
        let share = between / total;
        if best.is_none_or(|b| share > b.share) {
            best = Some(Cut {
                low: low + middle,
                high: high + middle,
                n_low,
                n_high,
                share,
            });
        }
    }
    best
}

/// The share that normal values of one level exceed in about 1 % of samples of size `n`.
///
/// Best share for very many normal values: 2 / pi.
pub fn normal_limit(n: usize) -> f64 {
    (std::f64::consts::FRAC_2_PI + 0.87 / (n as f64).sqrt()).min(0.995)
}

/// The same for values spread evenly, e.g. by a steady drift, whose best share is 3 / 4.
pub fn even_limit(n: usize) -> f64 {
    (0.75 + 0.56 / (n as f64).powf(0.466)).min(0.995)
}

/// Looks for two levels in the ratio and in the times of a matched workload.
///
/// Levels of the ratio that differ by less than half of `delta` (a log), or of the times by less
/// than `delta`, cannot matter and are not told.
pub(crate) fn find(
    w: &PairedWorkload,
    processes: &[u32],
    samples: &Samples,
    [a, b]: [&str; 2],
    delta: f64,
) -> Vec<TwoLevels> {
    let mut out = Vec::new();
    let mut tell = |at: Where, cut: Option<Cut>, least: f64| {
        let cut = cut.filter(|c| c.high - c.low > least);
        out.extend(cut.map(|c| TwoLevels {
            workload: w.workload.clone(),
            at,
            low: c.low.exp(),
            high: c.high.exp(),
            processes_low: c.n_low as u32,
            processes_high: c.n_high as u32,
        }));
    };
    let proven = |values: &[f64]| best_cut(values).filter(|c| c.share > normal_limit(values.len()));
    tell(Where::Ratio, proven(&w.log_ratios), delta / 2.0);
    for (subject, between, inside) in [
        (a, Where::ProcessesOfA, Where::InsideOfA),
        (b, Where::ProcessesOfB, Where::InsideOfB),
    ] {
        let logs = logs_of(samples, &w.workload, subject, processes);
        let means: Vec<f64> = logs
            .iter()
            .map(|l| l.iter().sum::<f64>() / l.len().max(1) as f64)
            .collect();
        tell(between, proven(&means), delta);
        tell(inside, switching(&logs), delta);
    }
    out
}

/// Logs of the legs of one subject on one workload that are not void, by process.
fn logs_of(samples: &Samples, workload: &str, subject: &str, processes: &[u32]) -> Vec<Vec<f64>> {
    let (legs, logs) = samples.of(workload, subject);
    let mut out = Vec::new();
    let mut at = 0;
    for run in legs.chunk_by(|x, y| x.process == y.process) {
        let logs = logs.get(at..at + run.len()).unwrap_or_default();
        at += run.len();
        if run
            .first()
            .is_some_and(|l| processes.binary_search(&l.process).is_ok())
        {
            let valid = run.iter().zip(logs).filter(|(l, _)| l.void.is_none());
            out.push(valid.map(|(_, log)| *log).collect());
        }
    }
    out
}

/// Two levels inside at least two processes and a quarter of all; the means of their levels.
fn switching(logs: &[Vec<f64>]) -> Option<Cut> {
    let cuts: Vec<Cut> = logs
        .iter()
        .filter_map(|l| best_cut(l).filter(|c| c.share > even_limit(l.len())))
        .collect();
    let n = cuts.len();
    if n < 2 || 4 * n < logs.len() {
        return None;
    }
    let mean = |of: fn(&Cut) -> f64| cuts.iter().map(of).sum::<f64>() / n as f64;
    Some(Cut {
        low: mean(|c| c.low),
        high: mean(|c| c.high),
        n_low: n,
        n_high: n,
        share: mean(|c| c.share),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::SplitMix64;

    #[test]
    fn two_tight_levels_are_found_with_their_means() {
        let values = [1.0, 1.01, 0.99, 2.0, 2.01, 1.99, 1.0, 2.0];
        let cut = best_cut(&values).unwrap();
        assert!((cut.low - 1.0).abs() < 1e-12 && (cut.high - 2.0).abs() < 1e-12);
        assert_eq!((cut.n_low, cut.n_high), (4, 4));
        assert!(cut.share > normal_limit(8), "{cut:?}");
        // One outlier is no level, five values are too few, and none at all are none.
        let mut outlier = [1.0; 8];
        outlier[3] = 9.0;
        outlier[5] = 1.001;
        assert!(best_cut(&outlier).unwrap().share < normal_limit(8));
        assert_eq!(best_cut(&values[..5]), None);
        assert_eq!(best_cut(&[3.0; 9]), None);
        assert_eq!(best_cut(&[f64::NAN; 9]), None);
    }

    fn alarms(limit: fn(usize) -> f64, n: usize, draw: fn(&mut SplitMix64) -> f64) -> u32 {
        let mut g = SplitMix64::new(n as u64);
        let one = |_| {
            let values: Vec<f64> = (0..n).map(|_| draw(&mut g)).collect();
            u32::from(best_cut(&values).is_some_and(|c| c.share > limit(n)))
        };
        (0..4000).map(one).sum()
    }

    #[test]
    fn false_alarms_come_in_about_one_percent() {
        let tailed = |g: &mut SplitMix64| g.normal() + 1.5 * g.exponential();
        for n in [6, 8, 12, 24] {
            for draw in [SplitMix64::normal, tailed] {
                let hits = alarms(normal_limit, n, draw);
                assert!(hits <= 80, "n {n}: {hits} of 4000");
            }
            let hits = alarms(even_limit, n, SplitMix64::unit);
            assert!(hits <= 80, "even, n {n}: {hits} of 4000");
        }
    }

    #[test]
    fn levels_eight_spreads_apart_are_mostly_found_in_twelve_processes() {
        let two = |g: &mut SplitMix64| g.normal() + if g.unit() < 0.5 { 0.0 } else { 8.0 };
        let hits = alarms(normal_limit, 12, two);
        assert!(hits > 3600, "{hits} of 4000");
    }
}
