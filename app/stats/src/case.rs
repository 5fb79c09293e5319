//! One case before the judge: from paired data to a judgement.

use assay_core::record::{VerdictKind, WorkloadVerdict};

use crate::decide::{ALPHA_SAME, Estimate, Guarded, Ruling, guard, log_bound, rule};
use crate::levels::{LEAST_PROCESSES, alpha_at, alphas};
use crate::paired::{Paired, PairedWorkload};
use crate::procedure::{Judgement, Settings, Step, invalid};
use crate::samples::Samples;
use crate::wording::processes;

/// One case before the judge: the data and everything said about it.
pub(crate) struct Case<'a> {
    pub(crate) a: &'a str,
    pub(crate) b: &'a str,
    pub(crate) settings: &'a Settings,
    pub(crate) paired: &'a Paired,
    pub(crate) samples: &'a Samples,
}

/// Why a claim of FASTER or SLOWER is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// The timer cannot resolve the difference.
    Unresolved,
    /// A null pair cannot differ.
    Unexplained,
}

/// What a null pair that differs says about the measurement.
const ALARM: &str = "A/A alarm: a null pair reads as a difference, so this measurement is biased \
                     by more than it claims";

impl Case<'_> {
    pub(crate) fn judge(&self) -> Judgement {
        let n = self.paired.processes.len() as u32;
        let levels = alphas(&self.settings.looks).unwrap_or_default();
        let alpha = alpha_at(n, &self.settings.looks, &levels);
        let pooled = Estimate::of(&self.pooled());
        let (Some(alpha), Some(pooled)) = (alpha, pooled) else {
            return self.too_few(n);
        };
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
        // An interval above 1 is on its way to SLOWER, and a reader must not take it for no gain.
        let slowing =
            ruling.kind == VerdictKind::NoGain && ruling.interval[0] > 0.0 && pooled.mean > delta;
        // More processes would not take a doubt away.
        let open = ruling.kind == VerdictKind::Undecided || slowing;
        let step = if open && doubt.is_none() {
            self.more(n)
        } else {
            Step::Done
        };
        let guarded = self.guarded();
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
            warnings: self.warnings(&pooled),
            guard_ok: guarded.iter().all(|g| !g.broken),
            step,
        };
        judgement.reason = self.reason(&judgement, doubt);
        let last = levels.last().copied().unwrap_or(alpha);
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
            Some(Doubt::Unexplained) => {
                judgement.warnings.insert(0, ALARM.into());
                "repeat the null pair on a quieter machine, and look for what differs between the \
                 two sides: load order, alignment, inputs"
                    .into()
            }
        };
        judgement
    }

    /// One log-ratio for each process: the weighted mean over workloads.
    fn pooled(&self) -> Vec<f64> {
        let weights: Vec<f64> = self.weights();
        let total: f64 = weights.iter().sum();
        (0..self.paired.processes.len())
            .map(|i| {
                let of = |(w, x): (&PairedWorkload, &f64)| x * w.log_ratios[i];
                self.paired
                    .workloads
                    .iter()
                    .zip(&weights)
                    .map(of)
                    .sum::<f64>()
                    / total
            })
            .collect()
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
        let reason = format!("{}; the procedure needs {need}", processes(n));
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
        self.settings.tick_ns.filter(|t| *t > 0.0).or(w.tick_ns)
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
