//! What the judge says: the reason, the next step and the warnings, with their figures.

use assay_core::record::VerdictKind;
use assay_core::text::inert;

use crate::case::{Case, Doubt};
use crate::decide::{Estimate, processes_needed};
use crate::paired::{PairedWorkload, did_not_enter};
use crate::procedure::{Judgement, Step};
use crate::samples::{Leg, NOT_STATED};
use crate::wording::{figures, percent, processes, time};

impl Case<'_> {
    pub(crate) fn reason(&self, j: &Judgement, doubt: Option<Doubt>) -> String {
        let interval = j.interval.unwrap_or([1.0, 1.0]);
        let [ratio, low, high] = figures(j.ratio.unwrap_or(1.0), interval);
        let level = percent(j.level, 2);
        let delta = percent(self.settings.delta, 3);
        let what = match j.kind {
            VerdictKind::Faster => format!("the gain exceeds delta {delta}"),
            VerdictKind::Slower => "the slowdown is proven".into(),
            VerdictKind::Same => format!("the interval lies within +-delta {delta}"),
            VerdictKind::NoGain => format!("a gain of delta {delta} is excluded, a loss is not"),
            _ if doubt == Some(Doubt::Unresolved) => {
                let coarse = self.paired.workloads.iter();
                let coarse = coarse.filter_map(|w| Some((self.below_tick(w)?, w)));
                let coarsest = coarse.max_by(|(x, _), (y, _)| x.total_cmp(y));
                let tick = coarsest.map_or_else(String::new, |(tick, w)| self.tick_text(w, tick));
                format!("the difference is not above {tick}")
            }
            _ if doubt == Some(Doubt::Unexplained) => "nothing in the code explains this".into(),
            _ if interval[1] < 1.0 => {
                format!("a gain is proven, whether it exceeds delta {delta} is not")
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

    fn tick_text(&self, w: &PairedWorkload, tick: f64) -> String {
        let what = if self.settings.tick_ns.is_some() || w.tick_stated {
            "tick of the timer"
        } else {
            "step of the values"
        };
        format!("one {what} ({})", time(tick))
    }

    pub(crate) fn next(&self, j: &Judgement, pooled: &Estimate, alpha: f64, delta: f64) -> String {
        if j.kind != VerdictKind::Undecided {
            return String::new();
        }
        if let Step::More { processes: more } = j.step {
            let at = processes(j.processes + more);
            return format!("measure {more} more for the next look, at {at}");
        }
        let sd = percent(pooled.sd, 2);
        match processes_needed(pooled, alpha, delta) {
            Some(n) => format!(
                "a fresh measurement of about {} would settle it at the observed spread (sd {sd} a \
                 process); a quieter machine needs fewer",
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
            // With one workload the verdict itself says it.
            let told = g.broken && self.paired.workloads.len() > 1;
            if let (true, Some(e)) = (told, Estimate::of(&w.log_ratios)) {
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
        let last = self.settings.looks.last().copied().unwrap_or(0);
        if pooled.n > last {
            out.push(format!(
                "{} are more than the last planned look at {last}: the error rate holds only if \
                 their number was fixed beforehand",
                processes(pooled.n)
            ));
        }
        for w in &self.paired.workloads {
            // A tick far below delta cannot matter, and then the difference is simply small.
            let coarse = |tick: &f64| *tick > 0.1 * self.settings.delta * w.a_median_ns;
            if let Some(tick) = self.below_tick(w).filter(coarse) {
                out.push(format!(
                    "workload {}: the difference is not above {}",
                    inert(&w.workload),
                    self.tick_text(w, tick)
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
        let unstated = |l: &Leg| l.timer == NOT_STATED || l.cache == NOT_STATED;
        let ours = |l: &&Leg| l.subject == self.a || l.subject == self.b;
        if self.samples.legs().iter().filter(ours).any(unstated) {
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
