//! The decision itself: one log-ratio a process in, one kind of verdict out.
//!
//! Everything here is on the log scale, so that swapping A and B only changes signs: a gain of
//! delta means time B / time A below 1 / (1 + delta), a loss of delta means above 1 + delta.

use assay_core::record::VerdictKind;

use crate::describe::{mean, sd};
use crate::levels::LEAST_PROCESSES;
use crate::tdist::{t_tail, t_two_sided};

/// The level of the interval behind SAME and NO_GAIN.
pub const ALPHA_SAME: f64 = 0.10;

/// Total one-sided level of the guard over all workloads.
///
/// Not shrunk at early looks: the guard protects, so it errs towards flagging, and it is read only
/// once, where the procedure stops.
pub const ALPHA_GUARD: f64 = 0.025;

/// Spreads of log-ratios below this are rounding of the arithmetic, not of a clock.
const NO_SPREAD: f64 = 1e-12;

/// Mean and spread of the log-ratios of a set of processes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Processes.
    pub n: u32,
    /// Mean log-ratio.
    pub mean: f64,
    /// Standard deviation of the log-ratios; exactly 0 when there is none.
    pub sd: f64,
}

impl Estimate {
    /// `None` below two processes.
    pub fn of(log_ratios: &[f64]) -> Option<Self> {
        let spread = sd(log_ratios)?;
        Some(Self {
            n: u32::try_from(log_ratios.len()).ok()?,
            mean: mean(log_ratios)?,
            sd: if spread < NO_SPREAD { 0.0 } else { spread },
        })
    }

    /// Standard error of the mean.
    pub fn se(&self) -> f64 {
        self.sd / f64::from(self.n).sqrt()
    }

    /// The two-sided t interval with error `alpha`, on the log scale.
    pub fn interval(&self, alpha: f64) -> [f64; 2] {
        if self.sd == 0.0 {
            return [self.mean, self.mean];
        }
        let half = t_two_sided(alpha, self.n - 1) * self.se();
        [self.mean - half, self.mean + half]
    }

    /// Error probability of the claim that the log-ratio is above `bound`, one-sided.
    fn p_above(&self, bound: f64) -> f64 {
        if self.sd == 0.0 {
            return if self.mean > bound + NO_SPREAD {
                0.0
            } else {
                1.0
            };
        }
        t_tail((self.mean - bound) / self.se(), self.n - 1)
    }
}

/// What the figures say, before null pair and timer resolution have their word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ruling {
    /// The verdict; UNDECIDED when this look does not decide.
    pub kind: VerdictKind,
    /// The interval that decided, on the log scale.
    pub interval: [f64; 2],
    /// Its two-sided error; the level on screen is one minus this.
    pub alpha: f64,
}

/// Applies the rules at one look; `delta` is a log (see [`log_bound`]).
pub fn rule(e: &Estimate, alpha: f64, delta: f64) -> Ruling {
    let wide = e.interval(alpha);
    let narrow = e.interval(ALPHA_SAME);
    let (kind, interval, alpha) = if wide[1] < 0.0 && e.mean < -delta {
        (VerdictKind::Faster, wide, alpha)
    } else if narrow[0] > -delta && narrow[1] < delta {
        // Before SLOWER: a slowdown may be proven and still too small to matter.
        (VerdictKind::Same, narrow, ALPHA_SAME)
    } else if wide[0] > 0.0 {
        (VerdictKind::Slower, wide, alpha)
    } else if narrow[0] > -delta {
        (VerdictKind::NoGain, narrow, ALPHA_SAME)
    } else {
        (VerdictKind::Undecided, wide, alpha)
    };
    Ruling {
        kind,
        interval,
        alpha,
    }
}

/// A relative bound such as 0.01 on the log scale.
pub fn log_bound(relative: f64) -> f64 {
    relative.ln_1p()
}

/// The processes that would settle the question if mean and spread stay what they are.
///
/// `None` when more than 1,000 would be needed, e.g. for an effect right at delta.
pub fn processes_needed(e: &Estimate, alpha: f64, delta: f64) -> Option<u32> {
    // What [`rule`] asks of the intervals, asked of error probabilities: no quantile is needed.
    let settled = |n: u32| {
        let e = Estimate { n, ..*e };
        let proven = |gain: f64, bound: f64, level: f64| {
            let flipped = Estimate {
                mean: gain * e.mean,
                ..e
            };
            flipped.p_above(gain * bound) < level / 2.0
        };
        let faster = e.mean < -delta && proven(-1.0, 0.0, alpha);
        faster || proven(1.0, 0.0, alpha) || proven(1.0, -delta, ALPHA_SAME)
    };
    let most = 1000;
    if !settled(most) {
        return None;
    }
    let (mut low, mut high) = (LEAST_PROCESSES - 1, most);
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if settled(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// Which of several hypotheses fall at a total level of `alpha`, by Holm's step-down procedure.
pub fn holm(p: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|i, j| p[*i].total_cmp(&p[*j]));
    let mut out = vec![false; p.len()];
    for (step, i) in order.iter().enumerate() {
        if p[*i] > alpha / (p.len() - step) as f64 || p[*i].is_nan() {
            break;
        }
        out[*i] = true;
    }
    out
}

/// For each estimate -1, 0 or 1: proven below zero, not proven, proven above zero.
///
/// Holm over all of them at the two-sided level `alpha`.
pub fn proven_signs(estimates: &[Estimate], alpha: f64) -> Vec<i8> {
    let tails: Vec<[f64; 2]> = estimates
        .iter()
        .map(|e| {
            let mirrored = Estimate {
                mean: -e.mean,
                ..*e
            };
            [mirrored.p_above(0.0), e.p_above(0.0)]
        })
        .collect();
    let p: Vec<f64> = tails.iter().map(|t| 2.0 * t[0].min(t[1])).collect();
    let fallen = holm(&p, alpha).into_iter().zip(&tails);
    fallen
        .map(|(fallen, t)| match fallen {
            false => 0,
            true if t[0] < t[1] => -1,
            true => 1,
        })
        .collect()
}

/// What the guard says of one workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guarded {
    /// Whether it is proven slower than the guard allows.
    pub broken: bool,
    /// The interval that decided, on the log scale.
    pub interval: [f64; 2],
}

/// Tests each workload for a slowdown beyond `guard` (a log), by Holm's step-down procedure.
///
/// Holm 1979. The workload at step k of K is tested at level / (K - k + 1), and its interval has
/// that level, so that "broken" and "the interval lies above the guard" are the same thing. From
/// the first step that is not proven on, all keep that step's level.
pub fn guard(estimates: &[Estimate], guard: f64) -> Vec<Guarded> {
    let p: Vec<f64> = estimates.iter().map(|e| e.p_above(guard)).collect();
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|i, j| p[*i].total_cmp(&p[*j]));
    let mut out = vec![
        Guarded {
            broken: false,
            interval: [0.0, 0.0]
        };
        p.len()
    ];
    let mut left = p.len();
    let mut stopped = false;
    for i in order {
        let level = ALPHA_GUARD / left as f64;
        stopped |= p[i] > level;
        out[i] = Guarded {
            broken: !stopped,
            interval: estimates[i].interval(2.0 * level),
        };
        if !stopped {
            left -= 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(n: u32, mean: f64, sd: f64) -> Estimate {
        Estimate { n, mean, sd }
    }

    fn kind(mean: f64, sd: f64) -> VerdictKind {
        rule(&estimate(12, mean, sd), 0.045, log_bound(0.01)).kind
    }

    #[test]
    fn each_kind_of_verdict_has_its_region() {
        assert_eq!(kind(-0.03, 0.007), VerdictKind::Faster);
        assert_eq!(kind(0.03, 0.007), VerdictKind::Slower);
        assert_eq!(kind(0.0, 0.007), VerdictKind::Same);
        assert_eq!(kind(0.008, 0.015), VerdictKind::NoGain);
        assert_eq!(kind(-0.008, 0.015), VerdictKind::Undecided);
        // A gain proven but below delta is no FASTER, and a tiny proven slowdown is SAME.
        assert_eq!(kind(-0.005, 0.002), VerdictKind::Same);
        assert_eq!(kind(0.005, 0.002), VerdictKind::Same);
        // Beyond delta but not proven.
        assert_eq!(kind(-0.02, 0.05), VerdictKind::Undecided);
    }

    #[test]
    fn the_interval_is_the_textbook_one() {
        // n = 4, mean 0, sd 2: 0 +- 3.182446 * 2 / 2.
        let e = Estimate::of(&[-2.0, 2.0, -1.0, 1.0]).unwrap();
        let [low, high] = e.interval(0.05);
        let half = 3.182_446_305_284_263 * e.sd / 2.0;
        assert!((high - half).abs() < 1e-9 && (low + half).abs() < 1e-9);
        assert_eq!(Estimate::of(&[1.0]), None);
    }

    #[test]
    fn without_spread_the_interval_is_a_point() {
        let e = Estimate::of(&[-0.1; 4]).unwrap();
        assert_eq!((e.sd, e.interval(0.0005)), (0.0, [e.mean, e.mean]));
        assert_eq!(rule(&e, 0.0005, 0.01).kind, VerdictKind::Faster);
        assert_eq!(
            rule(&estimate(4, 0.0, 0.0), 0.0005, 0.01).kind,
            VerdictKind::Same
        );
    }

    #[test]
    fn the_number_of_processes_settles_and_one_fewer_does_not() {
        for (mean, sd) in [(-0.02, 0.04), (-0.009, 0.01), (0.0, 0.03)] {
            let delta = log_bound(0.01);
            let n = processes_needed(&estimate(12, mean, sd), 0.045, delta).unwrap();
            let at = |n| rule(&estimate(n, mean, sd), 0.045, delta).kind;
            assert!(n > 12 && at(n) != VerdictKind::Undecided, "{n}");
            assert_eq!(at(n - 1), VerdictKind::Undecided);
        }
        assert_eq!(
            processes_needed(&estimate(12, -0.00995, 0.01), 0.045, log_bound(0.01)),
            None
        );
    }

    #[test]
    fn signs_are_proven_over_all_workloads_together() {
        let all = [
            estimate(8, -0.02, 0.005),
            estimate(8, 0.03, 0.005),
            estimate(8, 0.003, 0.004),
            estimate(8, 0.0, 0.0),
        ];
        assert_eq!(proven_signs(&all, 0.05), [-1, 1, 0, 0]);
        // Alone the third would nearly be proven; t = 2.12 on 7 degrees has p = 0.07.
        assert_eq!(proven_signs(&all[2..3], 0.08), [1]);
        assert_eq!(holm(&[0.01, 0.04, f64::NAN], 0.05), [true, false, false]);
    }

    #[test]
    fn holm_flags_the_loser_and_its_interval_says_the_same() {
        let bound = log_bound(0.02);
        let mut all = vec![estimate(8, 0.0, 0.007); 14];
        all.push(estimate(8, 0.05, 0.007));
        all.push(estimate(8, 0.021, 0.007));
        let out = guard(&all, bound);
        assert!(out[14].broken && !out[15].broken);
        assert_eq!(out.iter().filter(|g| g.broken).count(), 1);
        for g in &out {
            assert_eq!(g.broken, g.interval[0] > bound);
        }
        // Alone, the second loser would still not be proven; with K = 1 the level is undivided.
        assert!(guard(&[estimate(8, 0.03, 0.007)], bound)[0].broken);
        assert!(guard(&[], bound).is_empty());
    }
}
