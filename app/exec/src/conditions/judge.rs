//! Which blocks the conditions void, and what they are called. Pure.
//!
//! Two neighbouring readings enclose a stretch of blocks. What was counted between them happened
//! in one of those blocks; which one is known only where there is a single one.

use std::collections::{BTreeMap, BTreeSet};

use super::host;
use super::reading::{Conditions, OtherProcess, Reason, names};

mod clocks;
mod devices;

pub(crate) use clocks::at_work;
pub use devices::MIXED;
use devices::mixed;

/// What is to be done about other processes on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Foreign {
    /// Nothing.
    Ignore,
    /// A warning.
    #[default]
    Warn,
    /// All blocks of the process are void.
    Void,
}

/// What voids a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// Clocks of a block that differ by more than this (as a ratio minus one) void it.
    ///
    /// `0.01`: nvbench's limit of 75 % of the base clock is far too lax for decisions about 1 %.
    pub clock_tolerance: f64,
    /// Other processes.
    pub foreign: Foreign,
    /// Whether a slowdown that is counted over several blocks voids them all, or is a warning.
    pub void_unplaced: bool,
    /// A condition that is known to hold throughout, e.g. `power cap`: clocks then void nothing.
    pub regime: Option<String>,
    /// The device that measures, where it is known; a reading of another one voids the process.
    pub device: Option<String>,
}

impl Policy {
    /// For an accelerator.
    pub fn device() -> Self {
        Self {
            clock_tolerance: 0.01,
            foreign: Foreign::Warn,
            void_unplaced: true,
            regime: None,
            device: None,
        }
    }

    /// For a processor, whose thermal events are those of all cores and of all that runs on them:
    /// they void a block that they can be placed in, and are a warning otherwise.
    pub fn cpu() -> Self {
        Self {
            void_unplaced: false,
            ..Self::device()
        }
    }
}

/// A block that was measured: of one workload, or of several in one run of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its workloads.
    pub workloads: Vec<String>,
    /// Its number, from 0.
    pub block: u32,
}

/// A reading and how many blocks were done when it was taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Blocks done.
    pub after: usize,
    /// What was read.
    pub conditions: Conditions,
}

/// The clock that a harness states for a leg.
#[derive(Debug, Clone, PartialEq)]
pub struct LegClock {
    /// Workload.
    pub workload: String,
    /// Block, from 0.
    pub block: u32,
    /// Clock in MHz.
    pub mhz: f64,
}

/// What is known of one process.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// Its number.
    pub process: u32,
    /// Its blocks, in the order in which they were measured.
    pub blocks: &'a [Place],
    /// The runner's readings, in order.
    pub readings: &'a [Reading],
    /// What the program told of its device after blocks, in order, at most one for each block.
    pub told: &'a [Reading],
    /// Clocks that the harness states.
    pub clocks: &'a [LegClock],
}

/// A void block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Process.
    pub process: u32,
    /// Workload.
    pub workload: String,
    /// Block, from 0.
    pub block: u32,
    /// Why, in words.
    pub reason: String,
}

/// What the conditions of one process come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// Void blocks, each once, sorted.
    pub marks: Vec<Mark>,
    /// A condition that held throughout and has a name: `power cap`.
    pub regime: Option<String>,
    /// What readers of a report should know.
    pub warnings: Vec<String>,
}

/// Judges the conditions of one process.
pub fn judge(evidence: &Evidence<'_>, policy: &Policy) -> Judgement {
    let stretches = stretches(evidence.blocks, evidence.readings);
    // The first block has the runner's reading before it, or nothing better than its own.
    let told: Vec<Reading> = evidence
        .readings
        .first()
        .or(evidence.told.first())
        .filter(|_| !evidence.told.is_empty())
        .map(|first| Reading {
            after: 0,
            ..first.clone()
        })
        .into_iter()
        .chain(evidence.told.iter().cloned())
        .collect();
    let told = self::stretches(evidence.blocks, &told);
    let mut out = Judgement::default();
    let mut marks = Marks {
        process: evidence.process,
        found: BTreeMap::new(),
    };
    if let Some(mixed) = mixed(evidence.readings, policy.device.as_deref()) {
        marks.all(evidence.blocks, &mixed);
    }
    out.regime = policy.regime.clone().or_else(|| {
        // What was read after each block places a cap; a counter over all of them cannot.
        let held = capped(&told, &mut out.warnings);
        let held = held.or_else(|| capped(&stretches, &mut out.warnings));
        held.filter(|throughout| *throughout)
            .map(|_| "power cap".to_owned())
    });
    let nothing = BTreeSet::new();
    let mut placed = BTreeSet::new();
    for s in &told {
        placed.extend(slowdowns(
            s,
            &nothing,
            policy,
            &mut marks,
            &mut out.warnings,
        ));
    }
    // What the program saw in some of its blocks explains what was counted over all of them.
    for s in &stretches {
        slowdowns(s, &placed, policy, &mut marks, &mut out.warnings);
    }
    if out.regime.is_none() {
        clocks::stated(evidence, policy, &mut marks);
        for s in told.iter().chain(&stretches) {
            clocks::read(s, evidence, policy, &mut marks);
        }
        let unplaced = stretches
            .iter()
            .find_map(|s| clocks::unplaced(s, evidence, policy));
        out.warnings.extend(unplaced);
    }
    cap_at_start(&stretches, &mut out.warnings);
    let foreign = foreign(evidence.readings);
    if !foreign.is_empty() && policy.foreign != Foreign::Ignore {
        let text = format!("other processes worked on the device: {}", names(&foreign));
        match policy.foreign {
            Foreign::Void => marks.all(evidence.blocks, &text),
            _ => out.warnings.push(text),
        }
    }
    waiting(evidence.readings, &mut out.warnings);
    out.marks = marks.finish();
    out
}

/// The regime that all processes share; `None` when one of them was under another, or none.
pub fn common_regime<'a>(each: impl IntoIterator<Item = Option<&'a str>>) -> Option<String> {
    let all: BTreeSet<Option<&str>> = each.into_iter().collect();
    match all.into_iter().collect::<Vec<_>>().as_slice() {
        [Some(one)] => Some((*one).to_owned()),
        _ => None,
    }
}

struct Marks {
    process: u32,
    found: BTreeMap<(String, u32), String>,
}

impl Marks {
    fn one(&mut self, workload: &str, block: u32, reason: &str) {
        // The first reason stays: they are looked for from the gravest on.
        let key = (workload.to_owned(), block);
        self.found.entry(key).or_insert_with(|| reason.to_owned());
    }

    fn all(&mut self, blocks: &[Place], reason: &str) {
        for place in blocks {
            for workload in &place.workloads {
                self.one(workload, place.block, reason);
            }
        }
    }

    fn finish(self) -> Vec<Mark> {
        let process = self.process;
        let mark = |((workload, block), reason)| Mark {
            process,
            workload,
            block,
            reason,
        };
        self.found.into_iter().map(mark).collect()
    }
}

/// Blocks between two neighbouring readings.
struct Stretch<'a> {
    blocks: &'a [Place],
    before: &'a Conditions,
    after: &'a Conditions,
    /// Whether the first reading follows a block: before all blocks nothing of ours has run yet,
    /// and the clock is that of rest, or of someone else.
    warm: bool,
}

impl Stretch<'_> {
    /// How much a counter grew, where both readings have it and it was not reset.
    fn counted(&self, reason: Reason) -> u64 {
        let at = |c: &Conditions| c.throttle_counts.get(&reason).copied();
        match (at(self.before), at(self.after)) {
            (Some(a), Some(b)) => b.saturating_sub(a),
            _ => 0,
        }
    }

    fn microseconds(&self) -> f64 {
        let time = self.after.at.duration_since(self.before.at);
        (time.as_secs_f64() * 1e6).max(0.0)
    }
}

fn stretches<'a>(blocks: &'a [Place], readings: &'a [Reading]) -> Vec<Stretch<'a>> {
    let pairs = readings.windows(2).filter_map(|w| match w {
        [a, b] => Some(Stretch {
            blocks: blocks.get(a.after..b.after)?,
            before: &a.conditions,
            after: &b.conditions,
            warm: a.after > 0,
        }),
        _ => None,
    });
    pairs.filter(|s| !s.blocks.is_empty()).collect()
}

/// Thermal and hardware slowdowns, without those that are `explained`; returns what it found.
fn slowdowns(
    s: &Stretch<'_>,
    explained: &BTreeSet<Reason>,
    policy: &Policy,
    marks: &mut Marks,
    warnings: &mut Vec<String>,
) -> BTreeSet<Reason> {
    let active = |c: &Conditions| c.throttle.clone().unwrap_or_default();
    let mut found: BTreeSet<Reason> = active(s.before);
    found.extend(active(s.after));
    found.extend(Reason::ALL.into_iter().filter(|r| s.counted(*r) > 0));
    found.retain(|r| r.voids() && !explained.contains(r));
    if found.is_empty() {
        return found;
    }
    let words: Vec<&str> = found.iter().map(|r| r.words()).collect();
    let words = words.join(" and ");
    match s.blocks.len() {
        1 => marks.all(s.blocks, &words),
        n if policy.void_unplaced => {
            marks.all(
                s.blocks,
                &format!("{words} in one of the {n} blocks between two readings"),
            );
        }
        n => warnings.push(format!(
            "{words} in one of {n} blocks between two readings; mode resident tells which"
        )),
    }
    found
}

/// Whether a power cap held throughout; `None` where no reading tells.
fn capped(stretches: &[Stretch<'_>], warnings: &mut Vec<String>) -> Option<bool> {
    // The cap comes and goes from one millisecond to the next while a device works at its limit,
    // and a stretch holds the time in which inputs are made: a tenth is far more than a spike.
    const LEAST_SHARE: f64 = 0.1;
    let held = |s: &Stretch<'_>| {
        let counts = |c: &Conditions| c.throttle_counts.contains_key(&Reason::PowerCap);
        if counts(s.before) && counts(s.after) {
            return Some(s.counted(Reason::PowerCap) as f64 > LEAST_SHARE * s.microseconds());
        }
        let said = s.after.throttle.as_ref().filter(|_| !s.after.idle())?;
        Some(said.contains(&Reason::PowerCap))
    };
    let known: Vec<bool> = stretches.iter().filter_map(held).collect();
    let yes = known.iter().filter(|h| **h).count();
    if yes > 0 && yes < known.len() {
        warnings.push(format!(
            "a power cap held in {yes} of {} stretches between readings: it came or went during \
             the measurement",
            known.len()
        ));
    }
    (!known.is_empty()).then_some(yes == known.len())
}

/// A cap that the first reading does not show and the next one does, or the other way round, with
/// the device at work at both: counters that are coarse, or stand still, do not tell that.
fn cap_at_start(stretches: &[Stretch<'_>], warnings: &mut Vec<String>) {
    let shown = |c: &Conditions| {
        let active = c.throttle.as_ref().filter(|_| !c.idle())?;
        Some(active.contains(&Reason::PowerCap))
    };
    let Some(s) = stretches.first().filter(|s| !s.warm) else {
        return;
    };
    let word = match (shown(s.before), shown(s.after)) {
        (Some(false), Some(true)) => "came",
        (Some(true), Some(false)) => "went",
        _ => return,
    };
    warnings.push(format!(
        "a power cap came or went: it {word} between the reading before the first block and the next one"
    ));
}

/// Other processes in any reading, each once.
fn foreign(readings: &[Reading]) -> Vec<OtherProcess> {
    let mut out: Vec<OtherProcess> = Vec::new();
    for c in readings.iter().map(|r| &r.conditions) {
        for p in c.other_processes.iter().flatten() {
            // A process that runs at one moment on a machine with many cores is no finding; one
            // that used a processor all the time is.
            let counts = c.source != host::SOURCE || p.busy_percent.is_some();
            if counts && !out.iter().any(|o| o.pid == p.pid) {
                out.push(p.clone());
            }
        }
    }
    out
}

/// Time that tasks waited for a processor, or that the hypervisor took.
fn waiting(readings: &[Reading], warnings: &mut Vec<String>) {
    const WAITED: f64 = 0.2;
    const STOLEN: f64 = 0.02;
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
        return;
    };
    let (a, b) = (&first.conditions, &last.conditions);
    let us = b.at.duration_since(a.at).as_secs_f64() * 1e6;
    if us <= 0.0 {
        return;
    }
    let share = |a: Option<u64>, b: Option<u64>, to_us: f64| {
        Some(b?.saturating_sub(a?) as f64 * to_us / us)
    };
    if let Some(s) = share(a.waited_us, b.waited_us, 1.0).filter(|s| *s > WAITED) {
        warnings.push(format!(
            "some task waited for a processor for {:.0} % of the time: other work, or more threads than processors",
            s.min(1.0) * 100.0
        ));
    }
    if let Some(s) = share(a.stolen_ms, b.stolen_ms, 1e3).filter(|s| *s > STOLEN) {
        warnings.push(format!(
            "the hypervisor gave {:.1} % of a processor to other machines",
            s * 100.0
        ));
    }
}

#[cfg(test)]
mod tests;
