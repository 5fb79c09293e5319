//! The decision procedure by name: samples in, verdict with reason out.
//!
//! `paired-t/1`: the unit of evidence is a fresh process, which yields one log-ratio (a weighted
//! mean over workloads, so a geometric mean of ratios). The verdict is a t interval on those,
//! looked at after a few processes at corrected levels. Records name the procedure that made
//! them, so an old one stays executable here when a new one comes.

use std::collections::BTreeMap;

use assay_core::record::{VerdictKind, WorkloadVerdict};
use assay_core::text::inert;

use crate::case::Case;
use crate::explain::listed;
use crate::levels::{LEAST_PROCESSES, LOOKS, alphas};
use crate::paired::{Unpaired, pair};
use crate::rules::{Rule, judge_by};
use crate::samples::Samples;

/// Name of the procedure that [`judge`] applies.
pub const PROCEDURE: &str = "paired-t/1";

/// Every procedure that [`judge_as`] can apply.
pub const PROCEDURES: &[&str] = &[PROCEDURE, "median-lower/1", "threshold/1", "mann-whitney/1"];

/// What the procedure is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The effect that matters, as a ratio minus one (0.01 is 1 %).
    pub delta: f64,
    /// The slowdown that no single workload may be proven to exceed, as a ratio minus one.
    pub guard: f64,
    /// The least gain of the rule `threshold`, as a share of A's time (0.03 is 3 %).
    pub gain: f64,
    /// Numbers of fresh processes at which to look, ascending.
    pub looks: Vec<u32>,
    /// Weight of each workload in the geometric mean; 1 where absent, 0 leaves it out.
    pub weights: BTreeMap<String, f64>,
    /// Resolution of the timer in nanoseconds; `None` takes what the samples state or show.
    pub tick_ns: Option<f64>,
    /// Whether A and B have equal machine code, launch parameters, wrapper and recipe.
    pub null_pair: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            delta: 0.01,
            guard: 0.02,
            gain: 0.03,
            looks: LOOKS.to_vec(),
            weights: BTreeMap::new(),
            tick_ns: None,
            null_pair: false,
        }
    }
}

impl Settings {
    pub(crate) fn weight(&self, workload: &str) -> f64 {
        self.weights.get(workload).copied().unwrap_or(1.0)
    }

    fn validate(&self) -> Result<(), String> {
        if !(self.delta > 0.0 && self.delta < 1.0) {
            return Err(format!("delta {} is not between 0 and 1", self.delta));
        }
        if !(self.guard >= 0.0 && self.guard.is_finite()) {
            return Err(format!("guard {} is not a number from 0", self.guard));
        }
        if let Some((w, x)) = self
            .weights
            .iter()
            .find(|(_, x)| !(**x >= 0.0 && **x <= 1e9))
        {
            return Err(format!(
                "weight {x} of workload {w} is not between 0 and 1e9"
            ));
        }
        alphas(&self.looks).map(drop)
    }
}

/// What the sequential driver does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Measure this many more fresh processes, then judge all of them again.
    More {
        /// Number of processes to add.
        processes: u32,
    },
    /// Stop; the judgement stands.
    Done,
}

/// The outcome, always of B against A.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub kind: VerdictKind,
    /// Time B / time A, weighted geometric mean over the matched workloads.
    pub ratio: Option<f64>,
    /// The interval of the ratio that decided, `[low, high]`.
    pub interval: Option<[f64; 2]>,
    /// Level of that interval, e.g. 0.955; 0 when there is none.
    pub level: f64,
    /// Standard deviation of the log-ratio from process to process.
    pub sd: Option<f64>,
    /// Fresh processes that entered.
    pub processes: u32,
    /// Why, in one sentence with the figures.
    pub reason: String,
    /// What would settle it, or what to do next; empty when nothing is open.
    pub next: String,
    /// Each matched workload, sorted by name.
    pub workloads: Vec<WorkloadVerdict>,
    /// What else must be known: what was dropped, a broken guard, a coarse timer.
    pub warnings: Vec<String>,
    /// False when a workload is proven slower than the guard allows; the verdict stays.
    pub guard_ok: bool,
    /// What the sequential driver does next.
    pub step: Step,
}

/// A procedure that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "procedure {name:?} is unknown to this version, which knows {}; use the version of assay that \
     wrote the record, or a later one",
    PROCEDURES.join(", ")
)]
pub struct UnknownProcedure {
    /// The name as it was asked for.
    pub name: String,
}

/// Judges by the procedure of that name, so that an old verdict can be computed again.
///
/// # Errors
/// When this version does not know the procedure.
pub fn judge_as(
    procedure: &str,
    samples: &Samples,
    a: &str,
    b: &str,
    settings: &Settings,
) -> Result<Judgement, UnknownProcedure> {
    if procedure == PROCEDURE {
        return Ok(judge(samples, a, b, settings));
    }
    match Rule::of_procedure(procedure) {
        Some(rule) => Ok(judge_by(rule, samples, a, b, settings)),
        None => Err(UnknownProcedure {
            name: procedure.to_owned(),
        }),
    }
}

/// Judges `b` against `a` by [`PROCEDURE`].
pub fn judge(samples: &Samples, a: &str, b: &str, settings: &Settings) -> Judgement {
    if let Err(why) = settings.validate() {
        return invalid(0, why, Step::Done);
    }
    let first = settings.looks.first().copied().unwrap_or(LEAST_PROCESSES);
    match pair(samples, a, b, |w| settings.weight(w) > 0.0) {
        Ok(paired) => Case {
            a,
            b,
            settings,
            paired: &paired,
            samples,
        }
        .judge(),
        // A driver that starts from nothing asks what to do first.
        Err(why @ Unpaired::NoSamples) => {
            invalid(0, why.to_string(), Step::More { processes: first })
        }
        Err(why) => {
            let mut judgement = invalid(0, inert(&why.to_string()).into_owned(), Step::Done);
            if let Unpaired::NoMatchedWorkload { left_out, .. } = why {
                judgement.warnings = listed(left_out);
            }
            judgement
        }
    }
}

/// What the sequential driver does next, without the rest of the judgement.
pub fn step(samples: &Samples, a: &str, b: &str, settings: &Settings) -> Step {
    judge(samples, a, b, settings).step
}

pub(crate) fn invalid(processes: u32, reason: String, step: Step) -> Judgement {
    Judgement {
        kind: VerdictKind::Invalid,
        ratio: None,
        interval: None,
        level: 0.0,
        sd: None,
        processes,
        reason,
        next: String::new(),
        workloads: Vec::new(),
        warnings: Vec::new(),
        guard_ok: true,
        step,
    }
}
