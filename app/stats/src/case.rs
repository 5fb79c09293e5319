//! One case before the judge: from paired data to a judgement.

use assay_core::record::{VerdictKind, WorkloadVerdict};
use assay_core::text::inert;

use crate::bimodal::{self, TwoLevels};
use crate::blocks::Clocks;
use crate::decide::{ALPHA_SAME, Estimate, Guarded, Ruling, guard, log_bound, proven_signs, rule};
use crate::levels::{LEAST_PROCESSES, alpha_at, alphas};
use crate::paired::{Paired, PairedWorkload};
use crate::procedure::{Cycles, Judgement, Settings, Step, Version, invalid};
use crate::samples::Samples;
use crate::wording::processes;

/// One case before the judge: the data and everything said about it.
pub(crate) struct Case<'a> {
    pub(crate) a: &'a str,
    pub(crate) b: &'a str,
    pub(crate) settings: &'a Settings,
    pub(crate) paired: &'a Paired,
    pub(crate) samples: &'a Samples,
    pub(crate) version: Version,
}

/// Why a claim is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// The timer cannot resolve the difference.
    Unresolved,
    /// A null pair cannot differ.
    Unexplained,
    /// It does not hold in cycles.
    Cycles,
}

/// What a null pair that differs says about the measurement.
pub(crate) const ALARM: &str = "A/A alarm: a null pair reads as a difference, so this measurement is biased \
                     by more than it claims";

/// What to do about it.
pub(crate) const UNEXPLAINED: &str = "repeat the null pair on a quieter machine, and look for \
                                      what differs between the two sides: load order, alignment, \
                                      inputs";

/// Whether a verdict in time stands beside the ruling in cycles.
///
/// A claim of a difference needs the same claim; a claim that there is none must not be
/// contradicted.
fn holds(time: VerdictKind, cycles: VerdictKind) -> bool {
    use VerdictKind::{Faster, NoGain, Same, Slower};
    match time {
        Faster | Slower => cycles == time,
        Same => !matches!(cycles, Faster | Slower),
        NoGain => cycles != Faster,
        _ => true,
    }
}

/// Why the first process that did not enter did not, to follow a sentence.
pub(crate) fn first_dropped(paired: &Paired) -> String {
    let mut whole = paired.dropped.iter().filter(|d| d.block.is_none());
    let Some(first) = whole.next() else {
        return String::new();
    };
    let more = match whole.count() {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    format!("; {}{more}", inert(&first.to_string()))
}

/// INVALID where the samples of a side are one number and every process says exactly the same.
pub(crate) fn one_number(paired: &Paired, names: [&str; 2]) -> Option<Judgement> {
    let all = paired.workloads.iter();
    let (w, side) = all
        .filter_map(|w| Some((w, w.one_number?)))
        .find(|(w, _)| {
            let estimate = Estimate::of(&w.log_ratios);
            estimate.is_some_and(|e| e.sd == 0.0)
        })?;
    let reason = format!(
        "all samples of {} on workload {} are the same number: not measured times, or a timer too \
         coarse to show any spread",
        inert(names.get(side).unwrap_or(&"")),
        inert(&w.workload)
    );
    let mut judgement = invalid(paired.processes.len() as u32, reason, Step::Done);
    judgement.next = "measure with a finer timer, or more launches in one sample, and keep every \
                      digit of the values"
        .into();
    Some(judgement)
}

impl Case<'_> {
    pub(crate) fn judge(&self) -> Judgement {
        let n = self.paired.processes.len() as u32;
        let looks = alphas(&self.settings.looks).unwrap_or_default();
        let alpha = alpha_at(n, &self.settings.looks, &looks);
        let pooled = Estimate::of(&self.pooled(|w| Some(&w.log_ratios)));
        let (Some(alpha), Some(pooled)) = (alpha, pooled) else {
            return self.too_few(n);
        };
        if let Some(judgement) = one_number(self.paired, [self.a, self.b])
            && self.version == Version::Two
        {
            return judgement;
        }
        let delta = log_bound(self.settings.delta);
        let mut ruling = rule(&pooled, alpha, delta);
        let claim = matches!(ruling.kind, VerdictKind::Faster | VerdictKind::Slower);
        let doubt = if !claim {
            None
        } else if self.unresolved(ruling.kind, delta) {
            Some(Doubt::Unresolved)
        } else {
            self.settings.null_pair.then_some(Doubt::Unexplained)
        };
        let cycles = self.in_cycles();
        let doubt = doubt.or_else(|| {
            let cycles = rule(cycles.as_ref()?, alpha, delta).kind;
            (!holds(ruling.kind, cycles)).then_some(Doubt::Cycles)
        });
        match doubt {
            None => {}
            // A proven slowdown excludes a gain too; that much may be said of a null pair.
            Some(Doubt::Unexplained) if ruling.kind == VerdictKind::Slower => {
                ruling = Ruling {
                    kind: VerdictKind::NoGain,
                    interval: pooled.interval(ALPHA_SAME),
                    alpha: ALPHA_SAME,
                };
            }
            Some(_) => ruling.kind = VerdictKind::Undecided,
        }
        let level = ruling.alpha;
        // An interval above 1 is on its way to SLOWER, and a reader must not take it for no gain.
        let slowing =
            ruling.kind == VerdictKind::NoGain && ruling.interval[0] > 0.0 && pooled.mean > delta;
        // More processes would not take a doubt away, unless it is about another noisy figure.
        let open = ruling.kind == VerdictKind::Undecided || slowing;
        let step = if open && matches!(doubt, None | Some(Doubt::Cycles)) {
            self.more(n)
        } else {
            Step::Done
        };
        let guarded = self.guarded();
        let levels = self.levels(delta);
        let [wins, losses] = self.proven(alpha);
        let mut judgement = Judgement {
            kind: ruling.kind,
            ratio: Some(pooled.mean.exp()),
            interval: Some(ruling.interval.map(f64::exp)),
            level: 1.0 - ruling.alpha,
            sd: Some(pooled.sd),
            processes: n,
            reason: String::new(),
            next: String::new(),
            workloads: self.workloads(&guarded),
            wins,
            losses,
            cycles: cycles.map(|c| Cycles {
                ratio: c.mean.exp(),
                interval: c.interval(level).map(f64::exp),
            }),
            warnings: self.warnings(&pooled, &guarded, &levels),
            levels,
            guard_ok: guarded.iter().all(|g| !g.broken),
            step,
        };
        judgement.reason = self.reason(&judgement, doubt);
        let last = looks.last().copied().unwrap_or(alpha);
        judgement.next = match doubt {
            None if slowing && judgement.step != Step::Done => {
                "measure on to the next look: a loss is likely, and would then be proven".into()
            }
            None => self.next(&judgement, &pooled, last, delta),
            Some(Doubt::Unresolved) => {
                "time more launches in one sample, so that the difference spans several ticks; \
                 state the tick if it is finer"
                    .into()
            }
            Some(Doubt::Cycles) if judgement.step != Step::Done => {
                self.next(&judgement, &pooled, last, delta)
            }
            Some(Doubt::Cycles) => {
                "find out why the two sides ran at different clocks, and measure again at a clock \
                 that both can hold"
                    .into()
            }
            Some(Doubt::Unexplained) => {
                judgement.warnings.insert(0, ALARM.into());
                UNEXPLAINED.into()
            }
        };
        judgement
    }

    /// One log-ratio for each process: the weighted mean over workloads.
    fn pooled<'w>(&'w self, of: impl Fn(&'w PairedWorkload) -> Option<&'w Vec<f64>>) -> Vec<f64> {
        let weights: Vec<f64> = self.weights();
        let total: f64 = weights.iter().sum();
        let ratios: Option<Vec<&Vec<f64>>> = self.paired.workloads.iter().map(of).collect();
        let ratios = ratios.unwrap_or_default();
        let process = |i: usize| {
            let of = |(w, x): (&&Vec<f64>, &f64)| x * w[i];
            ratios.iter().zip(&weights).map(of).sum::<f64>() / total
        };
        (0..self.paired.processes.len()).map(process).collect()
    }

    /// The estimate in cycles, where clocks are known and locked for every leg.
    fn in_cycles(&self) -> Option<Estimate> {
        if self.paired.clocks != Clocks::Locked {
            return None;
        }
        let known = self.paired.workloads.iter();
        if known.clone().any(|w| w.cycle_ratios.is_none()) {
            return None;
        }
        Estimate::of(&self.pooled(|w| w.cycle_ratios.as_ref()))
    }

    fn levels(&self, delta: f64) -> Vec<TwoLevels> {
        if self.version == Version::One {
            return Vec::new();
        }
        let names = [self.a, self.b];
        let of = |w| bimodal::find(w, &self.paired.processes, self.samples, names, delta);
        self.paired.workloads.iter().flat_map(of).collect()
    }

    /// Workloads proven faster, and those proven slower.
    fn proven(&self, alpha: f64) -> [Vec<String>; 2] {
        let signs = proven_signs(&self.estimates(), alpha);
        let of = |sign: i8| {
            let all = self.paired.workloads.iter().zip(&signs);
            all.filter(|(w, s)| **s == sign && self.below_tick(w).is_none())
                .map(|(w, _)| w.workload.clone())
                .collect()
        };
        [of(-1), of(1)]
    }

    fn weights(&self) -> Vec<f64> {
        let names = self.paired.workloads.iter();
        names.map(|w| self.settings.weight(&w.workload)).collect()
    }

    fn estimates(&self) -> Vec<Estimate> {
        let all = self.paired.workloads.iter();
        all.filter_map(|w| Estimate::of(&w.log_ratios)).collect()
    }

    pub(crate) fn guarded(&self) -> Vec<Guarded> {
        guard(&self.estimates(), log_bound(self.settings.guard))
    }

    fn too_few(&self, n: u32) -> Judgement {
        let need = self
            .settings
            .looks
            .first()
            .copied()
            .unwrap_or(LEAST_PROCESSES);
        let reason = format!(
            "{}; the procedure needs {need}{}",
            processes(n),
            first_dropped(self.paired)
        );
        let mut judgement = invalid(n, reason, self.more(n));
        if let Step::More { processes: more } = judgement.step {
            judgement.next = format!("measure {more} more");
        } else {
            judgement.next =
                "find out why the processes were dropped; the warnings list them".into();
        }
        judgement.warnings = self.left_out();
        judgement
    }

    /// Up to the next look; gives up where processes keep being dropped.
    fn more(&self, n: u32) -> Step {
        let last = self.settings.looks.last().copied().unwrap_or(0);
        match self.settings.looks.iter().find(|look| **look > n) {
            Some(look) if self.paired.attempted < 2 * last => Step::More {
                processes: look - n,
            },
            _ => Step::Done,
        }
    }

    fn tick(&self, w: &PairedWorkload) -> Option<f64> {
        match self.version {
            Version::One => self.settings.tick_ns.filter(|t| *t > 0.0).or(w.tick_ns),
            Version::Two => w.tick(self.settings.tick_ns),
        }
    }

    /// Whether the difference on a workload is no more than one tick of the timer.
    pub(crate) fn below_tick(&self, w: &PairedWorkload) -> Option<f64> {
        let estimate = Estimate::of(&w.log_ratios)?;
        let difference = w.a_median_ns * estimate.mean.exp_m1().abs();
        self.tick(w)
            .filter(|tick| difference <= tick * (1.0 + 1e-9))
    }

    /// Whether the claim falls when differences that the timer cannot resolve count as none.
    fn unresolved(&self, claim: VerdictKind, delta: f64) -> bool {
        let weights = self.weights();
        let resolved: f64 = self
            .paired
            .workloads
            .iter()
            .zip(&weights)
            .filter(|(w, _)| self.below_tick(w).is_none())
            .filter_map(|(w, x)| Some(x * Estimate::of(&w.log_ratios)?.mean))
            .sum::<f64>()
            / weights.iter().sum::<f64>();
        match claim {
            VerdictKind::Faster => resolved >= -delta,
            _ => resolved <= 0.0,
        }
    }

    fn workloads(&self, guarded: &[Guarded]) -> Vec<WorkloadVerdict> {
        let estimates = self.estimates();
        let all = self.paired.workloads.iter().zip(&estimates).zip(guarded);
        all.map(|((w, e), g)| WorkloadVerdict {
            workload: w.workload.clone(),
            weight: self.settings.weight(&w.workload),
            ratio: Some(e.mean.exp()),
            interval: Some(g.interval.map(f64::exp)),
            a_median_ns: Some(w.a_median_ns),
            b_median_ns: Some(w.b_median_ns),
            guard_broken: g.broken,
        })
        .collect()
    }
}
