//! What the judge says: the reason, the next step and the warnings, with their figures.

use assay_core::record::VerdictKind;
use assay_core::text::inert;

use crate::bimodal::{TwoLevels, Where};
use crate::blocks::Clocks;
use crate::case::{Case, Doubt};
use crate::decide::{Estimate, Guarded, processes_needed};
use crate::paired::{PairedWorkload, did_not_enter};
use crate::power::about_smallest_effect;
use crate::procedure::{Judgement, Step, Version};
use crate::samples::{Leg, Samples};
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
            _ if doubt == Some(Doubt::Cycles) => self.in_cycles_text(j),
            _ if interval[1] < 1.0 => {
                format!("a gain is proven, whether it exceeds delta {delta} is not")
            }
            _ => "neither a difference nor its absence is proven".into(),
        };
        let regime = match &self.settings.regime {
            Some(regime) if self.version == Version::Two => {
                format!("; measured under {}", inert(regime))
            }
            _ => String::new(),
        };
        let null = if self.settings.null_pair {
            let what = self.settings.null_ground.words();
            format!("identical {what}: a null pair; ")
        } else {
            String::new()
        };
        format!(
            "{null}{b} takes {ratio} x the time of {a} ({level} interval {low} to {high}, {n}); {what}{regime}",
            b = inert(self.b),
            a = inert(self.a),
            n = processes(j.processes),
        )
    }

    fn in_cycles_text(&self, j: &Judgement) -> String {
        let Some(cycles) = j.cycles else {
            return String::new();
        };
        let [ratio, low, high] = figures(cycles.ratio, cycles.interval);
        format!(
            "this does not hold in cycles, of which it takes {ratio} x ({low} to {high}): the two \
             sides ran at different clocks"
        )
    }

    fn clock_warnings(&self) -> Option<String> {
        let what = match self.paired.clocks {
            Clocks::Unknown | Clocks::Locked => return None,
            Clocks::Partly => "clocks are known for some legs only",
            Clocks::NotLocked => "clocks were not locked",
        };
        Some(format!(
            "{what}, so the verdict is in time and not in cycles"
        ))
    }

    /// Where the spread is so large that delta no longer keeps false accepts rare.
    fn below_floor(&self, pooled: &Estimate) -> Option<String> {
        let last = self.settings.looks.last().copied()?.max(pooled.n);
        let floor = about_smallest_effect(pooled.sd, last).exp_m1();
        (floor > self.settings.delta).then(|| {
            format!(
                "delta {} is below the noise floor of this measurement, about {} with {} (sd {} \
                 from process to process, seen in {}): false accepts are less rare than they \
                 should be",
                percent(self.settings.delta, 3),
                percent(floor, 1),
                processes(last),
                percent(pooled.sd, 2),
                processes(pooled.n)
            )
        })
    }

    fn level_text(&self, l: &TwoLevels) -> String {
        let workload = inert(&l.workload);
        let (a, b) = (inert(self.a), inert(self.b));
        let times = |who: &str| {
            format!(
                "workload {workload}: {who} runs at two speeds, {} in {} and {} in {}",
                time(l.low),
                processes(l.processes_low),
                time(l.high),
                processes(l.processes_high)
            )
        };
        let inside = |who: &str| {
            format!(
                "workload {workload}: {who} changes between two speeds inside {}, {} and {}",
                processes(l.processes_low),
                time(l.low),
                time(l.high)
            )
        };
        match l.at {
            Where::Ratio => format!(
                "workload {workload}: the ratio has two levels, {:.3} x in {} and {:.3} x in {}; \
                 their mean describes neither",
                l.low,
                processes(l.processes_low),
                l.high,
                processes(l.processes_high)
            ),
            Where::ProcessesOfA => times(&a),
            Where::ProcessesOfB => times(&b),
            Where::InsideOfA => inside(&a),
            Where::InsideOfB => inside(&b),
        }
    }

    fn tick_text(&self, w: &PairedWorkload, tick: f64) -> String {
        let what = if self.settings.tick_ns == Some(tick) || w.tick_stated {
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
        if self.settings.null_pair {
            return format!(
                "nothing is to be settled of a null pair: the interval is what this machine cannot \
                 tell apart at the observed spread (sd {sd} a process); a quieter machine narrows it"
            );
        }
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

    pub(crate) fn warnings(
        &self,
        pooled: &Estimate,
        guarded: &[Guarded],
        levels: &[TwoLevels],
    ) -> Vec<String> {
        let mut out: Vec<String> = wrong_units(self.paired.workloads.iter().filter_map(|w| {
            let ratio = Estimate::of(&w.log_ratios)?.mean.exp();
            Some((w.workload.as_str(), ratio))
        }))
        .into_iter()
        .collect();
        let allowed = percent(self.settings.guard, 3);
        let faster = |w: &PairedWorkload| Estimate::of(&w.log_ratios).is_some_and(|e| e.mean < 0.0);
        let split = split(self.paired.workloads.iter().any(faster));
        for (w, g) in self.paired.workloads.iter().zip(guarded) {
            // With one workload the verdict itself says it.
            let told = g.broken && self.paired.workloads.len() > 1;
            if let (true, Some(e)) = (told, Estimate::of(&w.log_ratios)) {
                let [ratio, low, high] = figures(e.mean.exp(), g.interval.map(f64::exp));
                out.push(format!(
                    "workload {} takes {ratio} x ({low} to {high}): proven slower than the guard \
                     {allowed} allows{split}",
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
        let unstated = self.samples.runs().any(|(run, legs, _)| {
            let ours = |l: &Leg| l.subject == self.a || l.subject == self.b;
            run.unstated && legs.first().is_some_and(ours)
        });
        if unstated {
            out.push("the samples do not state timer and cache mode".into());
        }
        out.extend(odd(self.samples, [self.a, self.b]));
        if self.version == Version::Two {
            let told = levels.iter().map(|l| self.level_text(l)).collect();
            out.extend(cut(told, "more workloads with two levels"));
            out.extend(self.clock_warnings());
            out.extend(self.below_floor(pooled));
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

/// What follows a broken guard: a split needs a workload that gains.
pub(crate) fn split(any_faster: bool) -> &'static str {
    if any_faster {
        "; consider a dispatch split"
    } else {
        ""
    }
}

/// A ratio beyond this, or below one over it, is hardly a kernel's.
const UNITS: f64 = 300.0;

/// The warning where a ratio looks like two units of time.
pub(crate) fn wrong_units<'w>(ratios: impl Iterator<Item = (&'w str, f64)>) -> Option<String> {
    let mut far = ratios.filter(|(_, ratio)| *ratio > UNITS || *ratio < 1.0 / UNITS);
    let (workload, ratio) = far.next()?;
    Some(format!(
        "workload {} takes {ratio:.3e} x, about a factor of a thousand: check the units of either side",
        inert(workload)
    ))
}

/// The warning where legs state what cannot be.
pub(crate) fn odd(samples: &Samples, names: [&str; 2]) -> Option<String> {
    let runs = samples.runs().filter_map(|(run, legs, _)| {
        let ours = legs
            .first()
            .is_some_and(|l| names.contains(&l.subject.as_str()));
        run.odd.as_ref().filter(|_| ours)
    });
    let all: Vec<&(usize, String)> = runs.collect();
    let (_, first) = all.first()?;
    let legs: usize = all.iter().map(|(n, _)| n).sum();
    Some(format!(
        "{legs} legs state what cannot be, the first: {}; their times are used, and the harness \
         should be looked at",
        inert(first)
    ))
}

/// What did not enter, safe to print; a long list is cut and counted.
pub(crate) fn listed(left_out: Vec<String>) -> Vec<String> {
    cut(
        left_out,
        "more workloads, blocks or processes that did not enter",
    )
}

fn cut(mut left_out: Vec<String>, rest: &str) -> Vec<String> {
    const MOST: usize = 12;
    let more = left_out.len().saturating_sub(MOST);
    left_out.truncate(MOST);
    let mut out: Vec<String> = left_out.iter().map(|t| inert(t).into_owned()).collect();
    if more > 0 {
        out.push(format!("and {more} {rest}"));
    }
    out
}
