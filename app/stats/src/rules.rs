//! The rules that people use by hand, so that they can be kept where they must be and measured
//! against the procedure of this crate.
//!
//! None of them knows how much a ratio moves from process to process, so none controls its error:
//! they are here to be named beside a verdict, with the rate at which they accept a change that
//! does nothing (see [`crate::simulate`] and [`crate::resample`]).

use assay_core::record::{NullGround, VerdictKind, WorkloadVerdict};
use assay_core::text::inert;

use crate::blocks::ClockRules;
use crate::case::{ALARM, UNEXPLAINED, first_dropped, one_number};
use crate::describe::Scratch;
use crate::explain::{odd, split, wrong_units};
use crate::paired::{Paired, PairedWorkload, did_not_enter, pair_with};
use crate::procedure::{Judgement, Settings, Step, invalid, unpaired};
use crate::samples::Samples;
use crate::tdist::normal_tail;
use crate::wording::{percent, processes, time};

/// A rule that looks at the pooled samples and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Accept when the median of B is below that of A.
    MedianLower,
    /// Accept when the median of B is below that of A by more than [`Settings::gain`].
    Threshold,
    /// Accept when a Mann-Whitney test on the raw samples has p below [`MANN_WHITNEY_ALPHA`] and
    /// the median of B is lower.
    MannWhitney,
}

/// Two-sided level of the Mann-Whitney rule, as the usual comparison scripts have it.
pub const MANN_WHITNEY_ALPHA: f64 = 0.05;

impl Rule {
    /// Every rule.
    pub const ALL: &'static [Self] = &[Self::MedianLower, Self::Threshold, Self::MannWhitney];

    /// Name of the policy in the campaign file.
    pub fn policy(self) -> &'static str {
        match self {
            Self::MedianLower => "median-lower",
            Self::Threshold => "threshold",
            Self::MannWhitney => "mann-whitney",
        }
    }

    /// Name of the procedure in records.
    pub fn procedure(self) -> &'static str {
        match self {
            Self::MedianLower => "median-lower/1",
            Self::Threshold => "threshold/1",
            Self::MannWhitney => "mann-whitney/1",
        }
    }

    /// The rule of a procedure's name.
    pub fn of_procedure(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|r| r.procedure() == name)
    }

    /// The rule of a policy's name; `None` for `assay`, which is no rule, and unknown names.
    pub fn of_policy(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|r| r.policy() == name)
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.policy())
    }
}

/// The samples of both sides on one workload.
struct Pool<'a> {
    paired: &'a PairedWorkload,
    a: Vec<f64>,
    b: Vec<f64>,
    medians: [f64; 2],
    tick: Option<f64>,
}

/// Judges `b` against `a` by a rule. It looks once, at the first planned look.
///
/// What the rule knows of the data is what the paired procedure lets in: matched workloads,
/// processes that entered, legs that are not void. A difference of one tick of the timer or less
/// is no finding here either. A workload breaks the guard when its median is beyond it.
pub fn judge_by(rule: Rule, samples: &Samples, a: &str, b: &str, settings: &Settings) -> Judgement {
    let first = settings.looks.first().copied().unwrap_or(1);
    if let Err(why) = settings.validate() {
        return invalid(0, why, Step::Done);
    }
    if !(settings.gain >= 0.0 && settings.gain < 1.0) {
        let why = format!("gain {} is not from 0 to 1", settings.gain);
        return invalid(0, why, Step::Done);
    }
    let rules = ClockRules {
        drawn: settings.drawn,
        ..ClockRules::default()
    };
    let enters = |w: &str| settings.weight(w) > 0.0;
    let paired = match pair_with(samples, a, b, enters, Some(rules)) {
        Ok(paired) => paired,
        Err(why) => return unpaired(why, settings),
    };
    let n = paired.processes.len() as u32;
    if n < first {
        let why = format!(
            "{}; {first} are planned{}",
            processes(n),
            first_dropped(&paired)
        );
        let step = if paired.attempted < 2 * first {
            Step::More {
                processes: first - n,
            }
        } else {
            Step::Done
        };
        let mut judgement = invalid(n, why, step);
        judgement.warnings = left_out(&paired);
        return judgement;
    }
    if let Some(judgement) = one_number(&paired, [a, b]) {
        return judgement;
    }
    let pools = pools(&paired, samples, [a, b], settings);
    let p: Vec<f64> = match rule {
        Rule::MannWhitney => pools.iter().map(|p| mann_whitney(&p.a, &p.b)).collect(),
        _ => Vec::new(),
    };
    // With several workloads the smallest p would be a lottery; the largest claims for all.
    let worst = p.iter().copied().reduce(f64::max);
    let bound = match rule {
        Rule::Threshold => -(-settings.gain).ln_1p(),
        _ => 0.0,
    };
    let log_ratio = pooled(&pools, settings, |_| true);
    let resolved = pooled(&pools, settings, |p| !p.below_tick());
    let claim = if worst.is_some_and(|p| p >= MANN_WHITNEY_ALPHA) {
        VerdictKind::NoGain
    } else if log_ratio < -bound {
        VerdictKind::Faster
    } else if log_ratio > bound {
        VerdictKind::Slower
    } else {
        VerdictKind::NoGain
    };
    let kind = match claim {
        VerdictKind::Faster if resolved >= -bound => VerdictKind::Undecided,
        VerdictKind::Slower if resolved <= bound => VerdictKind::Undecided,
        claim => claim,
    };
    let said = kind;
    // What is proven of a null pair is proven of the measurement; see the paired procedure.
    let kind = match kind {
        VerdictKind::Faster if settings.null_pair => VerdictKind::Undecided,
        VerdictKind::Slower if settings.null_pair => VerdictKind::NoGain,
        kind => kind,
    };
    let mut judgement = invalid(n, String::new(), Step::Done);
    judgement.kind = kind;
    judgement.ratio = Some(log_ratio.exp());
    judgement.workloads = pools.iter().map(|p| p.verdict(settings)).collect();
    judgement.guard_ok = judgement.workloads.iter().all(|w| !w.guard_broken);
    judgement.reason = reason(rule, [a, b], log_ratio.exp(), worst, settings);
    if said == VerdictKind::Undecided {
        judgement.reason += "; the difference is not above the resolution of the timer";
        judgement.next = "time more launches in one sample, so that the difference spans several \
                          ticks; state the tick if it is finer"
            .into();
    }
    judgement.warnings = warnings(&pools, &judgement, settings);
    if settings.null_pair {
        null_pair(&mut judgement, said, settings.null_ground);
    }
    judgement.warnings.extend(odd(samples, [a, b]));
    judgement.warnings.extend(left_out(&paired));
    judgement
}

impl Pool<'_> {
    fn log_ratio(&self) -> f64 {
        (self.medians[1] / self.medians[0]).ln()
    }

    fn below_tick(&self) -> bool {
        let difference = (self.medians[1] - self.medians[0]).abs();
        self.tick.is_some_and(|t| difference <= t * (1.0 + 1e-9))
    }

    fn verdict(&self, settings: &Settings) -> WorkloadVerdict {
        let [a, b] = self.medians;
        WorkloadVerdict {
            workload: self.paired.workload.clone(),
            weight: settings.weight(&self.paired.workload),
            ratio: Some(b / a),
            interval: None,
            a_median_ns: Some(a),
            b_median_ns: Some(b),
            guard_broken: b / a > 1.0 + settings.guard && !self.below_tick(),
        }
    }
}

fn pools<'a>(
    paired: &'a Paired,
    samples: &Samples,
    subjects: [&str; 2],
    settings: &Settings,
) -> Vec<Pool<'a>> {
    let mut scratch = Scratch::default();
    let mut pool = |w: &'a PairedWorkload| {
        let [a, b] = subjects.map(|subject| {
            let legs =
                samples.of(&w.workload, subject).0.iter().filter(|l| {
                    l.void.is_none() && paired.processes.binary_search(&l.process).is_ok()
                });
            legs.flat_map(|l| l.values_ns.iter().copied())
                .collect::<Vec<f64>>()
        });
        let medians = [scratch.median(&a)?, scratch.median(&b)?];
        Some(Pool {
            paired: w,
            a,
            b,
            medians,
            tick: w.tick(settings.tick_ns),
        })
    };
    paired.workloads.iter().filter_map(&mut pool).collect()
}

/// Weighted mean of the log-ratios, where those that do not count are 0.
fn pooled(pools: &[Pool<'_>], settings: &Settings, counts: impl Fn(&Pool<'_>) -> bool) -> f64 {
    let weight = |p: &Pool<'_>| settings.weight(&p.paired.workload);
    let total: f64 = pools.iter().map(weight).sum();
    let counted = pools.iter().filter(|p| counts(p));
    counted.map(|p| weight(p) * p.log_ratio()).sum::<f64>() / total
}

fn reason(
    rule: Rule,
    [a, b]: [&str; 2],
    ratio: f64,
    p: Option<f64>,
    settings: &Settings,
) -> String {
    let change = percent((ratio - 1.0).abs(), 3);
    let (a, b) = (inert(a), inert(b));
    let way = if ratio < 1.0 { "below" } else { "above" };
    let what = match rule {
        Rule::MannWhitney => format!(
            "Mann-Whitney on raw samples: p {} against {MANN_WHITNEY_ALPHA}",
            match p.unwrap_or(1.0) {
                p if p < 0.001 => "< 0.001".to_owned(),
                p => format!("= {p:.3}"),
            }
        ),
        Rule::Threshold => format!("the threshold is {}", percent(settings.gain, 3)),
        Rule::MedianLower => "any difference counts".into(),
    };
    format!(
        "rule {}: the median of {b} is {change} {way} that of {a}; {what}",
        rule.policy()
    )
}

/// What is said of a null pair: the rule may have its opinion, and it is no finding.
fn null_pair(judgement: &mut Judgement, said: VerdictKind, ground: NullGround) {
    let what = ground.words();
    judgement.reason = format!("identical {what}: a null pair; {}", judgement.reason);
    let told =
        format!("A and B have identical {what}: a null pair, which no policy may call faster");
    judgement.warnings.insert(0, told);
    if said != judgement.kind {
        judgement.reason += &format!("; the rule would say {}", said.name());
        judgement.next = UNEXPLAINED.into();
        judgement.warnings.insert(0, ALARM.into());
    }
}

fn warnings(pools: &[Pool<'_>], judgement: &Judgement, settings: &Settings) -> Vec<String> {
    let ratios = judgement.workloads.iter();
    let ratios = ratios.filter_map(|w| Some((w.workload.as_str(), w.ratio?)));
    let mut out: Vec<String> = wrong_units(ratios).into_iter().collect();
    out.push(
        "this rule does not know how much the ratio moves from process to process; how often it \
         accepts a change that does nothing is its false-accept rate, which a calibration tells"
            .to_owned(),
    );
    let planned = settings
        .looks
        .first()
        .copied()
        .unwrap_or(judgement.processes);
    if judgement.processes > planned {
        out.push(format!(
            "this rule is documented for one look at {}, and judged {}",
            processes(planned),
            processes(judgement.processes)
        ));
    }
    let split = split(
        judgement
            .workloads
            .iter()
            .any(|w| w.ratio.is_some_and(|r| r < 1.0)),
    );
    for w in judgement.workloads.iter().filter(|w| w.guard_broken) {
        if pools.len() > 1 {
            out.push(format!(
                "workload {} takes {:.3} x: more than the guard {} allows{split}",
                inert(&w.workload),
                w.ratio.unwrap_or(1.0),
                percent(settings.guard, 3)
            ));
        }
    }
    for p in pools.iter().filter(|p| p.below_tick()) {
        if let Some(tick) = p.tick.filter(|t| *t > 0.1 * settings.delta * p.medians[0]) {
            out.push(format!(
                "workload {}: the difference is not above one step of the timer or of the values ({})",
                inert(&p.paired.workload),
                time(tick)
            ));
        }
    }
    out
}

fn left_out(paired: &Paired) -> Vec<String> {
    let unmatched = paired.unmatched.iter();
    let mut out: Vec<String> = unmatched.map(|(w, why)| did_not_enter(w, why)).collect();
    out.extend(paired.dropped.iter().map(ToString::to_string));
    crate::explain::listed(out)
}

/// Two-sided p of the Mann-Whitney test, by the normal approximation with correction for ties and
/// continuity.
///
/// Mann and Whitney 1947; variance with ties as in Hollander and Wolfe, "Nonparametric Statistical
/// Methods", section 4.1. 1 when nothing can be said: an empty side, or all values equal.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (a, b) = (sorted_keys(a), sorted_keys(b));
    let (mut i, mut j) = (0usize, 0usize);
    let (mut ranks_of_b, mut ties) = (0.0, 0.0);
    // Both sides are sorted, so equal values of both come up together.
    while let Some(key) = [a.get(i), b.get(j)].into_iter().flatten().min() {
        let run = |side: &[i64]| side.iter().take_while(|k| *k == key).count();
        let of_a = run(a.get(i..).unwrap_or_default());
        let of_b = run(b.get(j..).unwrap_or_default());
        let same = (of_a + of_b) as f64;
        let rank = (i + j) as f64 + (same + 1.0) / 2.0;
        ranks_of_b += rank * of_b as f64;
        ties += same.powi(3) - same;
        i += of_a;
        j += of_b;
    }
    let u = ranks_of_b - m * (m + 1.0) / 2.0;
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance.is_nan() || variance <= 0.0 {
        return 1.0;
    }
    let z = ((u - n * m / 2.0).abs() - 0.5).max(0.0) / variance.sqrt();
    (2.0 * normal_tail(z)).min(1.0)
}

/// Whole numbers in the order of the values, which sort far quicker than the values do.
fn sorted_keys(values: &[f64]) -> Vec<i64> {
    let key = |v: &f64| {
        // Plus zero makes both zeros one. Then as `f64::total_cmp` does it.
        let bits = (v + 0.0).to_bits() as i64;
        bits ^ (((bits >> 63) as u64) >> 1) as i64
    };
    let mut keys: Vec<i64> = values.iter().map(key).collect();
    keys.sort_unstable();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_agrees_with_a_worked_example() {
        // Hollander and Wolfe's approach on distinct values: U = 1 of 25.
        let a = [1.0, 2.0, 3.0, 4.0, 6.0];
        let b = [5.0, 7.0, 8.0, 9.0, 10.0];
        // u = 24, mean 12.5, sd = sqrt(25*11/12) = 4.787; z = 11/4.787 = 2.298; p = 0.0216.
        assert!(
            (mann_whitney(&a, &b) - 0.021_57).abs() < 1e-4,
            "{}",
            mann_whitney(&a, &b)
        );
        assert_eq!(mann_whitney(&a, &b), mann_whitney(&b, &a));
    }

    /// Pairs counted one by one, ties as half: the definition of U.
    #[test]
    fn ranks_count_the_pairs() {
        let a = [3.0, -1.0, 0.0, 3.0, 2.0, 5.0, -0.0];
        let b = [3.0, 0.0, 7.0, 2.0, -4.0, 3.0];
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
        let u: f64 = pairs
            .map(|(x, y)| match y.partial_cmp(x) {
                Some(std::cmp::Ordering::Greater) => 1.0,
                Some(std::cmp::Ordering::Equal) => 0.5,
                _ => 0.0,
            })
            .sum();
        // Values -4, -1, 0 x 3, 2 x 2, 3 x 4, 5, 7: ties 24 + 6 + 60.
        let variance = 42.0 / 12.0 * (14.0 - 90.0 / (13.0 * 12.0));
        let z = ((u - 21.0f64).abs() - 0.5).max(0.0) / f64::sqrt(variance);
        assert!((mann_whitney(&a, &b) - (2.0 * normal_tail(z)).min(1.0)).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_tell_apart_has_p_one() {
        assert_eq!(mann_whitney(&[], &[1.0]), 1.0);
        assert_eq!(mann_whitney(&[2.0; 9], &[2.0; 7]), 1.0);
        assert_eq!(mann_whitney(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), 1.0);
    }
}
