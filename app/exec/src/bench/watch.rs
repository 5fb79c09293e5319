//! The state of the machine around the blocks of one process, and what it voids.
//!
//! Readings are taken where nothing is timed: before the programs start and after they ended, and
//! between blocks in the modes in which a program waits for the runner. In mode `pair` the program
//! does not wait, so there counters have to tell what happened in between, or the program itself,
//! which may answer with the state of its device.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use assay_core::{Timestamp, json};
use serde_json::Value;

use super::{Context, ProcessOutcome};
use crate::Cancel;
use crate::answers::DeviceState;
use crate::conditions::{
    Conditions, Cost, Evidence, LegClock, Mark, NOT_SAMPLED, Place, Policy, Reading, Sampler,
    at_work, judge,
};
use crate::plan::{Mode, WorkloadSpec};

/// Source of a reading that the program under the runner took.
const PROGRAM: &str = "program";

/// How the machine is watched and judged.
#[derive(Debug, Clone, Copy)]
pub struct Watching<'a> {
    /// Takes the readings; one for all processes of a session, so that a tool that hangs costs it
    /// a single wait.
    pub sampler: &'a Sampler,
    /// Judges them.
    pub policy: &'a Policy,
}

pub(super) struct Watch<'a> {
    how: Watching<'a>,
    cancel: &'a Cancel,
    earlier: Cost,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    blocks: Vec<Place>,
    readings: Vec<Reading>,
}

impl<'a> Watch<'a> {
    pub(super) fn start(how: Watching<'a>, cancel: &'a Cancel) -> Self {
        let earlier = how.sampler.cost();
        let mut seen = Seen::default();
        seen.read(how.sampler.full(cancel));
        Self {
            how,
            cancel,
            earlier,
            seen: Mutex::new(seen),
        }
    }

    /// A block is done and nothing is being timed.
    pub(super) fn block<'w>(
        &self,
        workloads: impl IntoIterator<Item = &'w WorkloadSpec>,
        block: u32,
    ) {
        let mut seen = self.lock();
        seen.blocks.push(Place {
            workloads: workloads.into_iter().map(|w| w.name.clone()).collect(),
            block,
        });
        let reading = self.how.sampler.between(self.cancel);
        seen.read(reading);
    }

    /// The programs have ended: takes the last reading, judges, and enters what came of it.
    pub(super) fn finish(&self, ctx: &Context<'_>, out: &mut ProcessOutcome) {
        let mut seen = std::mem::take(&mut *self.lock());
        if ctx.job.mode == Mode::Pair {
            seen.blocks = planned(ctx);
        }
        seen.read(self.how.sampler.full(self.cancel));
        let mut clocks = stated(&out.lines);
        clocks.extend(of_legs(&out.states));
        let told = told(&out.states, &seen.blocks);
        let judged = judge(
            &Evidence {
                process: ctx.process,
                blocks: &seen.blocks,
                readings: &seen.readings,
                told: &told,
                clocks: &clocks,
            },
            self.how.policy,
        );
        if !judged.marks.is_empty() {
            for line in &mut out.lines {
                if let Some(marked) = marked(line, &judged.marks) {
                    *line = marked;
                }
            }
        }
        out.lines.extend(seen.lines(ctx.process));
        out.warnings = self.how.sampler.take_problems();
        out.warnings.extend(judged.warnings);
        out.marks = judged.marks;
        out.regime = judged.regime;
        // What the program tells of its blocks is nearer to them than what the runner reads.
        let stated: Vec<f64> = clocks.iter().map(|c| c.mhz).collect();
        let told: Vec<f64> = told.iter().filter_map(|r| at_work(&r.conditions)).collect();
        let read = seen.readings.iter().filter_map(|r| at_work(&r.conditions));
        let known = [stated, told, read.collect()];
        let nearest = known.iter().find(|k| !k.is_empty());
        out.clocks = nearest.and_then(|k| span(k));
        out.locked = locked(seen.readings.iter().filter_map(|r| r.conditions.locked));
        out.lines.extend(summed_up(ctx.process, out));
        let now = self.how.sampler.cost();
        out.sampling = Cost {
            readings: now.readings - self.earlier.readings,
            wall: now.wall.saturating_sub(self.earlier.wall),
        };
        let is_cpu = self.how.sampler.is_cpu();
        out.conditions.extend(seen.texts(is_cpu));
        if !is_cpu && !seen.tells_clocks() && known.iter().all(Vec::is_empty) {
            let absent = ("clock".to_owned(), NOT_SAMPLED.to_owned());
            out.conditions.extend([absent]);
        }
        out.conditions.extend(summary(out, seen.blocks.len()));
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn read(&mut self, conditions: Option<Conditions>) {
        self.readings.extend(conditions.map(|conditions| Reading {
            after: self.blocks.len(),
            conditions,
        }));
    }

    /// The readings as lines for the file of samples.
    fn lines(&self, process: u32) -> Vec<String> {
        let last = self.readings.len().saturating_sub(1);
        let line = |(i, r): (usize, &Reading)| {
            let when = match i {
                0 => "before",
                i if i == last => "after",
                _ => "between",
            };
            let mut place = vec![("process", process.into()), ("when", when.into())];
            let done = r.after.checked_sub(1).and_then(|i| self.blocks.get(i));
            if let (Some(done), "between") = (done, when) {
                place.push(("block", done.block.into()));
                place.push(("workloads", done.workloads.clone().into()));
            }
            r.conditions.line(&place)
        };
        self.readings.iter().enumerate().map(line).collect()
    }

    /// Whether any reading tells the clock of the compute units.
    fn tells_clocks(&self) -> bool {
        let mut all = self.readings.iter();
        all.any(|r| r.conditions.sm_clock_mhz.is_some())
    }

    /// First and last reading as text. The processors have theirs by other means.
    fn texts(&self, cpu: bool) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        let ends = [
            (self.readings.first(), "before"),
            (self.readings.last(), "after"),
        ];
        for (reading, when) in ends {
            for (key, value) in reading.iter().flat_map(|r| r.conditions.texts()) {
                if !cpu || ["locked", "others"].contains(&key.as_str()) {
                    out.insert(format!("{key}.{when}"), value);
                }
            }
        }
        let between = self.readings.iter().skip(1);
        let clocks = between.filter_map(|r| r.conditions.sm_clock_mhz.filter(|_| !cpu));
        let low = clocks.clone().reduce(f64::min);
        if let (Some(low), Some(high)) = (low, clocks.reduce(f64::max)) {
            out.insert("clock.range".into(), format!("{low:.0}-{high:.0} MHz"));
        }
        out
    }
}

/// Lowest and highest of some clocks; those that are none are left out.
fn span(clocks: &[f64]) -> Option<[f64; 2]> {
    let sound = clocks
        .iter()
        .copied()
        .filter(|mhz| mhz.is_finite() && *mhz > 0.0);
    sound
        .map(|mhz| [mhz; 2])
        .reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

/// Locked is what was never seen otherwise.
fn locked(mut told: impl Iterator<Item = bool>) -> Option<bool> {
    let first = told.next()?;
    Some(first && told.all(|l| l))
}

/// What whoever judges the samples has to know of the conditions; nothing where that is nothing.
fn summed_up(process: u32, out: &ProcessOutcome) -> Option<String> {
    let mut line = serde_json::json!({"assay": 1, "kind": "judged", "process": process});
    if let Some(regime) = &out.regime {
        line["regime"] = regime.clone().into();
    }
    if let Some(locked) = out.locked {
        line["clocks_locked"] = locked.into();
    }
    let tells = out.regime.is_some() || out.locked.is_some();
    tells.then(|| json::canonical(&line).ok())?
}

/// What a record should tell at a glance.
fn summary(out: &ProcessOutcome, blocks: usize) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    let mut put = |key: &str, value: Option<String>| {
        if let Some(v) = value {
            map.insert(key.to_owned(), v);
        }
    };
    put("regime", out.regime.clone());
    put("void", voided(&out.marks, blocks));
    put(
        "warnings",
        (!out.warnings.is_empty()).then(|| out.warnings.join("; ")),
    );
    let cost = out.sampling;
    let ms = cost.wall.as_secs_f64() * 1e3;
    let sampling = format!("{} readings, {ms:.1} ms", cost.readings);
    put("sampling", (cost.readings > 0).then_some(sampling));
    map
}

/// `2 of 12 blocks: a thermal slowdown`; further reasons are counted.
fn voided(marks: &[Mark], blocks: usize) -> Option<String> {
    let first = marks.first()?;
    let others = marks.iter().filter(|m| m.reason != first.reason).count();
    let more = match others {
        0 => String::new(),
        n => format!(", and {n} for other reasons"),
    };
    // A program that measures several workloads at once has fewer blocks than marks.
    let of = blocks.max(marks.len());
    Some(format!(
        "{} of {of} blocks: {}{more}",
        marks.len(),
        first.reason
    ))
}

/// All blocks of the plan, for a program that measures them without being asked.
fn planned(ctx: &Context<'_>) -> Vec<Place> {
    let of = |w: &WorkloadSpec| {
        let name = w.name.clone();
        (0..ctx.job.blocks).map(move |block| Place {
            workloads: vec![name.clone()],
            block,
        })
    };
    ctx.job.workloads.iter().flat_map(of).collect()
}

/// The clocks that sample lines state.
fn stated(lines: &[String]) -> Vec<LegClock> {
    let with_clock = lines.iter().filter(|l| l.contains("\"clock_mhz\""));
    let clock = |line: &String| {
        let line: Value = serde_json::from_str(line).ok()?;
        let (workload, block) = place(&line)?;
        Some(LegClock {
            workload: workload.to_owned(),
            block,
            mhz: line.get("clock_mhz")?.as_f64()?,
        })
    };
    with_clock.filter_map(clock).collect()
}

/// The clocks that the program tells with the states of single legs.
fn of_legs(states: &[DeviceState]) -> impl Iterator<Item = LegClock> {
    states.iter().filter(|s| s.leg.is_some()).filter_map(|s| {
        Some(LegClock {
            workload: s.workload.clone(),
            block: s.block,
            mhz: s.sm_mhz?,
        })
    })
}

/// The states that the program told, one for each block, in the order of the blocks.
///
/// Of several in one block the last figures count, and every reason that any of them has.
fn told(states: &[DeviceState], blocks: &[Place]) -> Vec<Reading> {
    let mut by_block: BTreeMap<usize, Conditions> = BTreeMap::new();
    for s in states {
        let is_place = |p: &Place| p.block == s.block && p.workloads.contains(&s.workload);
        let Some(i) = blocks.iter().position(is_place) else {
            continue;
        };
        let c = by_block
            .entry(i + 1)
            .or_insert_with(|| Conditions::unknown(PROGRAM, Timestamp::now()));
        c.sm_clock_mhz = s.sm_mhz.or(c.sm_clock_mhz);
        c.mem_clock_mhz = s.mem_mhz.or(c.mem_clock_mhz);
        c.power_w = s.power_w.or(c.power_w);
        c.power_cap_w = s.power_cap_w.or(c.power_cap_w);
        c.temperature_c = s.celsius.or(c.temperature_c);
        if let Some(reasons) = &s.reasons {
            c.throttle.get_or_insert_default().extend(reasons);
        }
    }
    let reading = |(after, conditions)| Reading { after, conditions };
    by_block.into_iter().map(reading).collect()
}

fn place(line: &Value) -> Option<(&str, u32)> {
    let block = u32::try_from(line.get("block")?.as_u64()?).ok()?;
    Some((line.get("workload")?.as_str()?, block))
}

/// The line with its `void` mark; `None` when there is none, or it states one itself.
fn marked(line: &str, marks: &[Mark]) -> Option<String> {
    let mut line: Value = serde_json::from_str(line).ok()?;
    let (workload, block) = place(&line)?;
    let mark = marks
        .iter()
        .find(|m| m.workload == workload && m.block == block)?;
    if line.get("void").is_some_and(Value::is_string) {
        return None;
    }
    line["void"] = mark.reason.clone().into();
    json::canonical(&line).ok()
}
