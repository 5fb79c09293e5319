//! What the judge says: the reason, the next step and the warnings, with their figures.

use assay_core::record::VerdictKind;
use assay_core::text::inert;

use crate::case::Case;
use crate::decide::{Estimate, processes_needed};
use crate::paired::did_not_enter;
use crate::procedure::{Judgement, Step};
use crate::samples::NOT_STATED;
use crate::wording::{figures, percent, processes, time};

impl Case<'_> {
    pub(crate) fn reason(&self, j: &Judgement, unresolved: bool) -> String {
        let (ratio, interval) = (j.ratio.unwrap_or(1.0), j.interval.unwrap_or([1.0, 1.0]));
        let [ratio, low, high] = figures(ratio, interval);
        let level = percent(j.level, 2);
        let delta = percent(self.settings.delta, 3);
        let what = match j.kind {
            VerdictKind::Faster => format!("the gain exceeds delta {delta}"),
            VerdictKind::Slower => "the slowdown is proven".into(),
            VerdictKind::Same => format!("the interval lies within +-delta {delta}"),
            VerdictKind::NoGain => format!("a gain of delta {delta} is excluded, a loss is not"),
            _ if unresolved => {
                let ticks = self
                    .paired
                    .workloads
                    .iter()
                    .filter_map(|w| self.below_tick(w));
                let tick = ticks.max_by(f64::total_cmp).map_or_else(String::new, time);
                format!("the difference is not above one tick of the timer ({tick})")
            }
            _ if self.settings.null_pair && j.step == Step::Done => {
                "no difference in the code explains this".into()
            }
            _ => "neither a difference nor its absence is proven".into(),
        };
        let null = if self.settings.null_pair {
            "identical machine code: a null pair; "
        } else {
            ""
        };
        format!(
            "{null}{b} takes {ratio} x the time of {a} ({level} interval {low} to {high}, {n}); {what}",
            b = inert(self.b),
            a = inert(self.a),
            n = processes(j.processes),
        )
    }

    pub(crate) fn next(&self, j: &Judgement, pooled: &Estimate, alpha: f64, delta: f64) -> String {
        if j.kind != VerdictKind::Undecided {
            return String::new();
        }
        if let Step::More { processes: more } = j.step {
            return format!(
                "{} more make the next look, at {}",
                processes(more),
                j.processes + more
            );
        }
        let sd = percent(pooled.sd, 2);
        match processes_needed(pooled, alpha, delta) {
            Some(n) => format!(
                "about {} would settle it at the observed spread (sd {sd} a process); a quieter \
                 machine needs fewer",
                processes(n)
            ),
            None => format!(
                "more than 1000 processes would be needed at the observed spread (sd {sd} a \
                 process): the effect is too close to delta, so treat it as no gain or choose \
                 another delta"
            ),
        }
    }

    pub(crate) fn warnings(&self, pooled: &Estimate) -> Vec<String> {
        let mut out = Vec::new();
        let allowed = percent(self.settings.guard, 3);
        for (w, g) in self.paired.workloads.iter().zip(self.guarded()) {
            if let (true, Some(e)) = (g.broken, Estimate::of(&w.log_ratios)) {
                let [ratio, low, high] = figures(e.mean.exp(), g.interval.map(f64::exp));
                out.push(format!(
                    "workload {} takes {ratio} x ({low} to {high}): proven slower than the guard \
                     {allowed} allows; consider a dispatch split",
                    inert(&w.workload)
                ));
            }
        }
        if pooled.sd == 0.0 {
            out.push(
                "every process gave exactly the same ratio: either the clock is too coarse to show \
                 any spread, or these are not measured times"
                    .into(),
            );
        }
        for w in &self.paired.workloads {
            // A tick far below delta cannot matter, and then the difference is simply small.
            let coarse = |tick: &f64| *tick > 0.1 * self.settings.delta * w.a_median_ns;
            if let Some(tick) = self.below_tick(w).filter(coarse) {
                out.push(format!(
                    "workload {}: the difference is not above one tick of the timer ({})",
                    inert(&w.workload),
                    time(tick)
                ));
            }
            if w.never_flipped {
                out.push(format!(
                    "workload {}: the same subject came first in every block, so what being first \
                     is worth is not cancelled",
                    inert(&w.workload)
                ));
            }
        }
        let stated = |name: &str| name != NOT_STATED;
        if self
            .samples
            .legs()
            .first()
            .is_some_and(|l| !stated(&l.timer) || !stated(&l.cache))
        {
            out.push("the samples do not state timer and cache mode".into());
        }
        out.extend(self.left_out());
        out
    }

    pub(crate) fn left_out(&self) -> Vec<String> {
        let unmatched = self.paired.unmatched.iter();
        let mut out: Vec<String> = unmatched.map(|(w, why)| did_not_enter(w, why)).collect();
        for (workload, weight) in &self.settings.weights {
            let known = self
                .paired
                .workloads
                .iter()
                .any(|w| w.workload == *workload)
                || self.paired.unmatched.iter().any(|(w, _)| w == workload);
            if *weight > 0.0 && !known {
                out.push(format!("workload {workload} has no samples"));
            }
        }
        out.extend(self.paired.dropped.iter().map(ToString::to_string));
        listed(out)
    }
}

/// What did not enter, safe to print; a long list is cut and counted.
pub(crate) fn listed(mut left_out: Vec<String>) -> Vec<String> {
    const MOST: usize = 12;
    let more = left_out.len().saturating_sub(MOST);
    left_out.truncate(MOST);
    let mut out: Vec<String> = left_out.iter().map(|t| inert(t).into_owned()).collect();
    if more > 0 {
        out.push(format!(
            "and {more} more workloads, blocks or processes that did not enter"
        ));
    }
    out
}
