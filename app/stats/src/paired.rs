//! From legs to one log-ratio for each process and workload.
//!
//! A leg is summarised by the median of its values. A block gives mean(log B legs) minus
//! mean(log A legs); a process gives the median over its blocks. Nothing is left out in silence:
//! what does not enter is listed with the reason.

use std::collections::BTreeSet;

use crate::blocks::{Attempted, BlockRatio, ClockRules, Clocks, NOT_MIRRORED, Sides, Yield, sides};
use crate::copies::copies;
use crate::describe::Scratch;
use crate::samples::{Leg, Run, Samples};
use crate::steps::visible_step;

/// Why two subjects cannot be compared at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unpaired {
    /// There is nothing to judge.
    #[error("there are no samples")]
    NoSamples,
    /// A was compared with A.
    #[error("A and B are both {0}; a subject cannot be paired with itself")]
    SameSubject(String),
    /// A subject has no samples.
    #[error("there are no samples of {name}; the samples are of {}", .present.join(", "))]
    MissingSubject {
        /// The subject that was asked for.
        name: String,
        /// The subjects that are there.
        present: Vec<String>,
    },
    /// Two timers were used.
    #[error("the samples mix the timers {}; times of different timers cannot be compared", .0.join(", "))]
    MixedTimers(Vec<String>),
    /// Two cache modes were used.
    #[error("the samples mix the cache modes {}; they cannot be compared", .0.join(", "))]
    MixedCaches(Vec<String>),
    /// Two devices were used.
    #[error("the samples mix the devices {}; times of different devices cannot be compared", .0.join(", "))]
    MixedDevices(Vec<String>),
    /// No workload has both subjects.
    #[error("no workload was measured with both {a} and {b} in the same blocks")]
    NoMatchedWorkload {
        /// Subject A.
        a: String,
        /// Subject B.
        b: String,
        /// What was left out and why, one sentence each.
        left_out: Vec<String>,
    },
    /// Blocks have both subjects, and too few of them can be used.
    #[error(
        "{blocks} blocks were measured with both {a} and {b} and {}, so that too few are left; the \
         first: {first}",
        if *.voided { "voided" } else { "dropped" }
    )]
    NothingLeft {
        /// Subject A.
        a: String,
        /// Subject B.
        b: String,
        /// Blocks that were dropped.
        blocks: usize,
        /// Whether all of them were void.
        voided: bool,
        /// Why the first of them was dropped.
        first: String,
        /// What was left out and why, one sentence each.
        left_out: Vec<String>,
    },
}

impl Unpaired {
    /// What to do about it; empty where the message says it.
    pub fn next(&self) -> &'static str {
        match self {
            Self::NothingLeft { first, .. } if first == NOT_MIRRORED => {
                "measure in a mirrored order, ABBA and BAAB in turn, so that a steady drift falls \
                 out of the comparison"
            }
            Self::NothingLeft { voided: true, .. } => {
                "find out what voided the blocks, and measure again once it is gone"
            }
            Self::NothingLeft { .. } => {
                "find out why the blocks were dropped, which the warnings list, and measure again"
            }
            _ => "",
        }
    }
}

/// A block or a process that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Workload on which it was found wanting; `None` when it concerns them all.
    pub workload: Option<String>,
    /// Process.
    pub process: u32,
    /// Block; `None` when the whole process is out.
    pub block: Option<u32>,
    /// Why.
    pub why: String,
}

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.block {
            Some(block) => write!(f, "dropped block {block} of process {}", self.process)?,
            None => write!(f, "dropped process {}", self.process)?,
        }
        if let Some(workload) = &self.workload {
            write!(f, " (workload {workload})")?;
        }
        write!(f, ": {}", self.why)
    }
}

/// A workload that entered, with its ratios.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedWorkload {
    /// Workload.
    pub workload: String,
    /// log(time B / time A), one for each process of [`Paired::processes`], in that order.
    pub log_ratios: Vec<f64>,
    /// The same in cycles (time x clock), where every leg that entered states its clock.
    pub cycle_ratios: Option<Vec<f64>>,
    /// Every complete block of [`Paired::processes`], by process and block.
    pub blocks: Vec<BlockRatio>,
    /// Median of A's samples in nanoseconds, over all legs that are not void.
    pub a_median_ns: f64,
    /// Median of B's samples in nanoseconds.
    pub b_median_ns: f64,
    /// Resolution of the values in nanoseconds: the coarsest that the harness stated or the step
    /// that the values show, whichever is greater; without either the least distance between two
    /// different values. Where the rules of clocks are not asked for, what is stated goes first.
    pub tick_ns: Option<f64>,
    /// Whether the harness stated it.
    pub tick_stated: bool,
    /// The side, 0 for A and 1 for B, all of whose values are one number.
    pub one_number: Option<usize>,
    /// Whether the same subject came first in every block, so that what being first is worth is
    /// not cancelled.
    pub never_flipped: bool,
}

impl PairedWorkload {
    /// The resolution in nanoseconds where `told` stands for what the harness stated: no finer
    /// than the values show.
    pub(crate) fn tick(&self, told: Option<f64>) -> Option<f64> {
        match (told.filter(|t| *t > 0.0), self.tick_ns) {
            (Some(told), Some(seen)) if !self.tick_stated => Some(told.max(seen)),
            (told, seen) => told.or(seen),
        }
    }
}

/// Paired data: a full table of processes by matched workloads.
#[derive(Debug, Clone, PartialEq)]
pub struct Paired {
    /// Processes that entered, ascending.
    pub processes: Vec<u32>,
    /// Matched workloads, sorted by name.
    pub workloads: Vec<PairedWorkload>,
    /// Workloads that did not enter, with the reason.
    pub unmatched: Vec<(String, String)>,
    /// Blocks and processes that did not enter.
    pub dropped: Vec<Dropped>,
    /// Processes in which both subjects were measured at all.
    pub attempted: u32,
    /// What is known of the clocks.
    pub clocks: Clocks,
}

/// Pairs `b` with `a` on the workloads for which `enters` is true.
///
/// A block needs as many legs of either subject as the fullest block of its workload, none void.
/// A process needs at least half of its workload's blocks. A workload is matched when at least
/// half of the processes have a ratio for it; processes without one are then left out, so that
/// every process speaks about the same set of workloads.
///
/// # Errors
/// When the two cannot be compared at all; see [`Unpaired`].
pub fn pair(
    samples: &Samples,
    a: &str,
    b: &str,
    enters: impl Fn(&str) -> bool,
) -> Result<Paired, Unpaired> {
    pair_with(samples, a, b, enters, None)
}

/// Pairs as [`pair`] does, with a look at devices and clocks where there are `rules` for them.
///
/// # Errors
/// When the two cannot be compared at all; see [`Unpaired`].
pub fn pair_with(
    samples: &Samples,
    a: &str,
    b: &str,
    enters: impl Fn(&str) -> bool,
    rules: Option<ClockRules>,
) -> Result<Paired, Unpaired> {
    check(samples, a, b, rules.is_some())?;
    let sides = sides(samples, a, b);
    let of_a = processes(sides.iter().map(|s| s.a.legs));
    let of_b = processes(sides.iter().map(|s| s.b.legs));
    let mut attempted = Attempted {
        processes: of_a.intersection(&of_b).copied().collect(),
        all: of_a == of_b,
    };
    let mut dropped: Vec<Dropped> = of_a
        .symmetric_difference(&of_b)
        .map(|process| Dropped {
            workload: None,
            process: *process,
            block: None,
            why: format!(
                "only {} was measured in it",
                if of_a.contains(process) { a } else { b }
            ),
        })
        .collect();

    let tried = attempted.processes.len();
    if rules.is_some_and(|r| !r.drawn) {
        for (process, first) in copies(&sides, &attempted) {
            attempted.processes.remove(&process);
            attempted.all = false;
            dropped.push(Dropped {
                workload: None,
                process,
                block: None,
                why: format!(
                    "all its values are those of process {first}: a copy is no fresh process"
                ),
            });
        }
    }
    let fresh = attempted.processes.len();
    let mut unmatched = Vec::new();
    let mut matched: Vec<(Sides<'_>, Yield)> = Vec::new();
    for side in sides {
        let measured = |legs: &[Leg]| legs.iter().any(|l| attempted.contains(l.process));
        let (has_a, has_b) = (measured(side.a.legs), measured(side.b.legs));
        let only = match (has_a, has_b) {
            (false, false) => continue,
            (true, true) => None,
            (true, false) => Some(a),
            (false, true) => Some(b),
        };
        let mut out = |why: String| unmatched.push((side.workload.to_owned(), why));
        if !enters(side.workload) {
            out("its weight is 0".to_owned());
        } else if let Some(only) = only {
            out(format!("only {only} was measured on it"));
        } else {
            let before = dropped.len();
            let found = side.ratios(&attempted, rules, &mut dropped);
            let n = found.ratios.len();
            if n == 0 || n * 2 < fresh {
                let lost = lost(dropped.get(before..).unwrap_or_default());
                out(match lost.filter(|_| found.blocks.is_empty()) {
                    Some((blocks, voided, first)) => format!(
                        "all its {blocks} blocks were measured and {}; the first: {first}",
                        if voided { "voided" } else { "dropped" }
                    ),
                    None => format!("{n} of {fresh} processes have a ratio"),
                });
            } else {
                matched.push((side, found));
            }
        }
    }
    if matched.is_empty() {
        let workloads = unmatched.iter().map(|(w, why)| did_not_enter(w, why));
        let left_out = workloads
            .chain(dropped.iter().map(Dropped::to_string))
            .collect();
        let (a, b) = (a.to_owned(), b.to_owned());
        return Err(match lost(&dropped) {
            Some((blocks, voided, first)) => Unpaired::NothingLeft {
                a,
                b,
                blocks,
                voided,
                first: first.to_owned(),
                left_out,
            },
            None => Unpaired::NoMatchedWorkload { a, b, left_out },
        });
    }

    let processes = on_all(&attempted, &matched, &mut dropped);
    let clocks = match rules {
        Some(rules) => clocks(&matched, &attempted, rules),
        None => Clocks::Unknown,
    };
    let mut scratch = Scratch::default();
    let workloads = matched
        .into_iter()
        .filter_map(|(side, found)| {
            let steps = rules.is_some();
            describe(&side, found, &processes, &attempted, steps, &mut scratch)
        })
        .collect();
    Ok(Paired {
        processes,
        workloads,
        unmatched,
        dropped,
        attempted: tried as u32,
        clocks,
    })
}

fn processes<'a>(runs: impl Iterator<Item = &'a [Leg]>) -> BTreeSet<u32> {
    runs.flat_map(|legs| legs.chunk_by(|x, y| x.process == y.process))
        .filter_map(|legs| legs.first().map(|l| l.process))
        .collect()
}

/// Processes that have a ratio on every matched workload; the others are listed.
fn on_all(
    attempted: &Attempted,
    matched: &[(Sides<'_>, Yield)],
    dropped: &mut Vec<Dropped>,
) -> Vec<u32> {
    let mut processes = Vec::new();
    for process in &attempted.processes {
        let lacking = |(_, found): &&(Sides<'_>, Yield)| !found.ratios.contains_key(process);
        match matched.iter().find(lacking) {
            None => processes.push(*process),
            Some((side, _)) => {
                let entry = Dropped {
                    workload: Some(side.workload.to_owned()),
                    process: *process,
                    block: None,
                    why: "not measured on it".to_owned(),
                };
                // Where it was measured but too little, that is listed already.
                let same = |d: &Dropped| {
                    (d.process, d.block, &d.workload) == (*process, None, &entry.workload)
                };
                if !dropped.iter().any(same) {
                    dropped.push(entry);
                }
            }
        }
    }
    processes
}

fn clocks(matched: &[(Sides<'_>, Yield)], attempted: &Attempted, rules: ClockRules) -> Clocks {
    let (mut all, mut known, mut locked) = (0usize, 0usize, 0usize);
    for (side, found) in matched {
        for leg in side.valid(attempted, &found.void).into_iter().flatten() {
            all += 1;
            known += usize::from(leg.clock().is_some());
            locked += usize::from(leg.clock_locked.or(rules.locked) == Some(true));
        }
    }
    match known {
        0 => Clocks::Unknown,
        n if n < all => Clocks::Partly,
        _ if locked < all => Clocks::NotLocked,
        _ => Clocks::Locked,
    }
}

/// How many blocks were dropped, whether all of them for being void, and why the first was.
fn lost(dropped: &[Dropped]) -> Option<(usize, bool, &str)> {
    let blocks = || dropped.iter().filter(|d| d.block.is_some());
    let first = blocks().next()?;
    let voided = blocks().all(|d| d.why.starts_with("void"));
    Some((blocks().count(), voided, &first.why))
}

/// The sentence for a workload that did not enter.
pub(crate) fn did_not_enter(workload: &str, why: &str) -> String {
    format!("workload {workload} did not enter: {why}")
}

fn check(samples: &Samples, a: &str, b: &str, devices: bool) -> Result<(), Unpaired> {
    if samples.is_empty() {
        return Err(Unpaired::NoSamples);
    }
    if a == b {
        return Err(Unpaired::SameSubject(a.to_owned()));
    }
    let present = samples.subjects();
    for name in [a, b] {
        if !present.contains(&name) {
            return Err(Unpaired::MissingSubject {
                name: name.to_owned(),
                present: present.into_iter().map(str::to_owned).collect(),
            });
        }
    }
    let mixed = |of: fn(&Run) -> &BTreeSet<String>| {
        let ours = samples.runs().filter(|(_, legs, _)| {
            let subject = legs.first().map(|l| l.subject.as_str());
            subject == Some(a) || subject == Some(b)
        });
        let names: BTreeSet<&String> = ours.flat_map(|(run, _, _)| of(run)).collect();
        let names: Vec<String> = names.into_iter().cloned().collect();
        (names.len() > 1).then_some(names)
    };
    if let Some(timers) = mixed(|r| &r.timers) {
        return Err(Unpaired::MixedTimers(timers));
    }
    if let Some(caches) = mixed(|r| &r.caches) {
        return Err(Unpaired::MixedCaches(caches));
    }
    if let Some(names) = mixed(|r| &r.devices).filter(|_| devices) {
        return Err(Unpaired::MixedDevices(names));
    }
    Ok(())
}

fn describe(
    side: &Sides<'_>,
    found: Yield,
    processes: &[u32],
    attempted: &Attempted,
    steps: bool,
    scratch: &mut Scratch,
) -> Option<PairedWorkload> {
    let [of_a, of_b] = side.valid(attempted, &found.void);
    let stated = of_a
        .clone()
        .chain(of_b.clone())
        .filter_map(|l| l.tick_ns.filter(|t| *t > 0.0))
        .reduce(f64::max);
    let a_median_ns = scratch.median_of(of_a.clone().map(|l| l.values_ns.as_slice()))?;
    let b_median_ns = scratch.median_of(of_b.clone().map(|l| l.values_ns.as_slice()))?;
    let values = |legs: &mut dyn Iterator<Item = &Leg>| -> Vec<f64> {
        legs.flat_map(|l| l.values_ns.iter().copied()).collect()
    };
    let (mut step, mut one_number) = (None, None);
    if steps {
        let (a, b) = (values(&mut of_a.clone()), values(&mut of_b.clone()));
        let one = |values: &Vec<f64>| values.windows(2).all(|w| w[0] == w[1]);
        one_number = [&a, &b].into_iter().position(one);
        step = visible_step(&[a, b].concat(), a_median_ns.min(b_median_ns));
    }
    let tick_stated = stated.is_some_and(|t| step.is_none_or(|s| s <= t));
    let tick_ns = stated.into_iter().chain(step).reduce(f64::max).or_else(|| {
        let all = of_a.chain(of_b);
        scratch.least_distance(all.map(|l| l.values_ns.as_slice()))
    });
    let entered = || processes.iter().filter_map(|p| found.ratios.get(p));
    Some(PairedWorkload {
        workload: side.workload.to_owned(),
        log_ratios: entered().map(|(time, _)| *time).collect(),
        cycle_ratios: entered().map(|(_, cycles)| *cycles).collect(),
        a_median_ns,
        b_median_ns,
        tick_ns,
        tick_stated,
        one_number,
        never_flipped: found.never_flipped,
        blocks: {
            let entered = |b: &BlockRatio| processes.binary_search(&b.process).is_ok();
            found.blocks.iter().copied().filter(entered).collect()
        },
    })
}
