//! The decision procedure by name: samples in, verdict with reason out.
//!
//! `paired-t`: the unit of evidence is a fresh process, which yields one log-ratio (a weighted
//! mean over workloads, so a geometric mean of ratios). The verdict is a t interval on those,
//! looked at after a few processes at corrected levels. Records name the procedure that made
//! them, so an old one stays executable here when a new one comes.
//!
//! - `paired-t/1` knows nothing of clocks and devices.
//! - `paired-t/2` is the same on samples that state neither. Where they do, a block whose clocks
//!   differ is void, devices must not be mixed, and where all clocks were locked the verdict must
//!   also hold in cycles. It also warns of two levels. Blocks whose legs are not mirrored and
//!   copies of a process do not enter, samples that are one number are no measurement, and a step
//!   that the values show counts beside a finer one that is stated.

use std::collections::BTreeMap;

use assay_core::record::{NullGround, VerdictKind, WorkloadVerdict};
use assay_core::text::inert;

use crate::bimodal::TwoLevels;
use crate::blocks::ClockRules;
use crate::case::Case;
use crate::explain::listed;
use crate::levels::{LEAST_PROCESSES, LOOKS, alphas};
use crate::paired::{Unpaired, pair_with};
use crate::rules::{Rule, judge_by};
use crate::samples::Samples;

/// Name of the procedure that [`judge`] applies.
pub const PROCEDURE: &str = "paired-t/2";

/// Name of the first version, which knows nothing of clocks.
pub const PAIRED_T_1: &str = "paired-t/1";

/// Every procedure that [`judge_as`] can apply.
pub const PROCEDURES: &[&str] = &[
    PROCEDURE,
    PAIRED_T_1,
    "median-lower/1",
    "threshold/1",
    "mann-whitney/1",
];

/// Versions of the paired procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

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
    /// By what a null pair is one; it changes words alone.
    pub null_ground: NullGround,
    /// Whether the clocks were locked, for legs that do not say; `None` when it is not known.
    pub clocks_locked: Option<bool>,
    /// Whether whole processes were drawn with replacement, so that copies are no fault.
    pub drawn: bool,
    /// A condition that held throughout, e.g. `power cap`: differing clocks then void nothing,
    /// and the reason names it.
    pub regime: Option<String>,
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
            null_ground: NullGround::default(),
            clocks_locked: None,
            drawn: false,
            regime: None,
        }
    }
}

impl Settings {
    pub(crate) fn weight(&self, workload: &str) -> f64 {
        self.weights.get(workload).copied().unwrap_or(1.0)
    }

    /// How the clocks of the legs are regarded.
    pub fn clock_rules(&self) -> ClockRules {
        ClockRules {
            void_blocks: self.regime.is_none(),
            locked: self.clocks_locked,
            drawn: self.drawn,
        }
    }

    pub(crate) fn validate(&self) -> Result<(), String> {
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
    /// Workloads proven faster and above one tick, sorted (Holm over workloads at this look);
    /// always empty by a rule, which proves nothing of a single workload.
    pub wins: Vec<String>,
    /// Workloads proven slower and above one tick, sorted.
    pub losses: Vec<String>,
    /// The ratio in cycles, where clocks are known and locked; `paired-t/2` only.
    pub cycles: Option<Cycles>,
    /// Two levels in ratios or times; `paired-t/2` only.
    pub levels: Vec<TwoLevels>,
    /// What else must be known: what was dropped, a broken guard, a coarse timer.
    pub warnings: Vec<String>,
    /// False when a workload is proven slower than the guard allows; the verdict stays.
    pub guard_ok: bool,
    /// What the sequential driver does next.
    pub step: Step,
}

/// The comparison in cycles (time x clock), which a different clock of the two sides cannot fake.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycles {
    /// Cycles of B / cycles of A.
    pub ratio: f64,
    /// Its interval, at the level of the interval that decided in time.
    pub interval: [f64; 2],
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
    match procedure {
        PROCEDURE => return Ok(judge(samples, a, b, settings)),
        PAIRED_T_1 => return Ok(judge_paired(Version::One, samples, a, b, settings)),
        _ => {}
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
    judge_paired(Version::Two, samples, a, b, settings)
}

fn judge_paired(
    version: Version,
    samples: &Samples,
    a: &str,
    b: &str,
    settings: &Settings,
) -> Judgement {
    if let Err(why) = settings.validate() {
        return invalid(0, why, Step::Done);
    }
    let rules = (version == Version::Two).then(|| settings.clock_rules());
    match pair_with(samples, a, b, |w| settings.weight(w) > 0.0, rules) {
        Ok(paired) => Case {
            a,
            b,
            settings,
            paired: &paired,
            samples,
            version,
        }
        .judge(),
        Err(why) => unpaired(why, settings),
    }
}

/// The judgement where the two cannot be compared at all.
pub(crate) fn unpaired(why: Unpaired, settings: &Settings) -> Judgement {
    let first = settings.looks.first().copied().unwrap_or(LEAST_PROCESSES);
    match why {
        // A driver that starts from nothing asks what to do first.
        Unpaired::NoSamples => invalid(0, why.to_string(), Step::More { processes: first }),
        why => {
            let mut judgement = invalid(0, inert(&why.to_string()).into_owned(), Step::Done);
            judgement.next = why.next().to_owned();
            if let Unpaired::NoMatchedWorkload { left_out, .. }
            | Unpaired::NothingLeft { left_out, .. } = why
            {
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
        wins: Vec::new(),
        losses: Vec::new(),
        cycles: None,
        levels: Vec::new(),
        warnings: Vec::new(),
        guard_ok: true,
        step,
    }
}
