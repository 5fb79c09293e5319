//! From legs to one log-ratio for each process and workload.
//!
//! A leg is summarised by the median of its values. A block gives mean(log B legs) minus
//! mean(log A legs); a process gives the median over its blocks. Nothing is left out in silence:
//! what does not enter is listed with the reason.

use std::collections::{BTreeMap, BTreeSet};

use crate::describe::median;
use crate::samples::{Leg, Samples};

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
    /// Median of A's samples in nanoseconds, over all legs that are not void.
    pub a_median_ns: f64,
    /// Median of B's samples in nanoseconds.
    pub b_median_ns: f64,
    /// Resolution of the values in nanoseconds: the coarsest that the harness stated, else the
    /// least distance between two different values, which is how a rounded print shows itself.
    pub tick_ns: Option<f64>,
    /// Whether the harness stated it.
    pub tick_stated: bool,
    /// Whether the same subject came first in every block, so that what being first is worth is
    /// not cancelled.
    pub never_flipped: bool,
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
    check(samples, a, b)?;
    let processes_of = |subject: &str| -> BTreeSet<u32> {
        let of_subject = samples.legs().iter().filter(|l| l.subject == subject);
        of_subject.map(|l| l.process).collect()
    };
    let (of_a, of_b) = (processes_of(a), processes_of(b));
    let attempted: BTreeSet<u32> = of_a.intersection(&of_b).copied().collect();
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
    let mut groups: BTreeMap<&str, Vec<&Leg>> = BTreeMap::new();
    for leg in samples
        .legs()
        .iter()
        .filter(|l| l.subject == a || l.subject == b)
    {
        if attempted.contains(&leg.process) {
            groups.entry(&leg.workload).or_default().push(leg);
        }
    }

    let mut unmatched = Vec::new();
    let mut matched = Vec::new();
    for (workload, legs) in groups {
        if !enters(workload) {
            unmatched.push((workload.to_owned(), "its weight is 0".to_owned()));
            continue;
        }
        if let Some(only) = only_subject(&legs) {
            unmatched.push((
                workload.to_owned(),
                format!("only {only} was measured on it"),
            ));
            continue;
        }
        let ratios = process_ratios(workload, a, &legs, &mut dropped);
        if ratios.is_empty() || ratios.len() * 2 < attempted.len() {
            let why = format!(
                "{} of {} processes have a ratio",
                ratios.len(),
                attempted.len()
            );
            unmatched.push((workload.to_owned(), why));
            continue;
        }
        matched.push((workload, legs, ratios));
    }
    if matched.is_empty() {
        let workloads = unmatched.iter().map(|(w, why)| did_not_enter(w, why));
        return Err(Unpaired::NoMatchedWorkload {
            a: a.to_owned(),
            b: b.to_owned(),
            left_out: workloads
                .chain(dropped.iter().map(Dropped::to_string))
                .collect(),
        });
    }

    let mut processes = Vec::new();
    for process in &attempted {
        match matched
            .iter()
            .find(|(_, _, ratios)| !ratios.contains_key(process))
        {
            None => processes.push(*process),
            Some((workload, _, _)) => {
                let entry = Dropped {
                    workload: Some((*workload).to_owned()),
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
    let workloads = matched
        .into_iter()
        .filter_map(|(workload, legs, ratios)| describe(workload, a, &legs, &ratios, &processes))
        .collect();
    Ok(Paired {
        processes,
        workloads,
        unmatched,
        dropped,
        attempted: attempted.len() as u32,
    })
}

/// The sentence for a workload that did not enter.
pub(crate) fn did_not_enter(workload: &str, why: &str) -> String {
    format!("workload {workload} did not enter: {why}")
}

fn check(samples: &Samples, a: &str, b: &str) -> Result<(), Unpaired> {
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
    let ours = || {
        let of_pair = |l: &&Leg| l.void.is_none() && (l.subject == a || l.subject == b);
        samples.legs().iter().filter(of_pair)
    };
    let names = |set: BTreeSet<&str>| set.into_iter().map(str::to_owned).collect();
    let timers: BTreeSet<&str> = ours().map(|l| l.timer.as_str()).collect();
    if timers.len() > 1 {
        return Err(Unpaired::MixedTimers(names(timers)));
    }
    let caches: BTreeSet<&str> = ours().map(|l| l.cache.as_str()).collect();
    if caches.len() > 1 {
        return Err(Unpaired::MixedCaches(names(caches)));
    }
    Ok(())
}

fn only_subject<'a>(legs: &[&'a Leg]) -> Option<&'a str> {
    let first = legs.first()?.subject.as_str();
    legs.iter().all(|l| l.subject == first).then_some(first)
}

#[derive(Default)]
struct Block<'a> {
    a: Vec<f64>,
    b: Vec<f64>,
    void: Option<&'a str>,
}

/// The log-ratio of each process that has enough complete blocks.
fn process_ratios(
    workload: &str,
    a: &str,
    legs: &[&Leg],
    dropped: &mut Vec<Dropped>,
) -> BTreeMap<u32, f64> {
    let mut blocks: BTreeMap<(u32, u32), Block<'_>> = BTreeMap::new();
    for leg in legs {
        let block = blocks.entry((leg.process, leg.block)).or_default();
        // Every accepted leg has a positive median; see `samples::examine`.
        let log = median(&leg.values_ns).map_or(f64::NAN, f64::ln);
        if leg.subject == a {
            &mut block.a
        } else {
            &mut block.b
        }
        .push(log);
        if block.void.is_none() {
            block.void = leg.void.as_deref();
        }
    }
    let full = blocks
        .values()
        .map(|b| b.a.len().max(b.b.len()))
        .max()
        .unwrap_or(0);
    let planned: BTreeSet<u32> = blocks.keys().map(|(_, block)| *block).collect();

    let mut of_process: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for ((process, number), block) in &blocks {
        let logs = of_process.entry(*process).or_default();
        let why = if let Some(why) = block.void {
            format!("void: {why}")
        } else if block.a.len() < full || block.b.len() < full {
            format!(
                "{} legs of A and {} of B, of {full} each",
                block.a.len(),
                block.b.len()
            )
        } else {
            logs.push(mean(&block.b) - mean(&block.a));
            continue;
        };
        dropped.push(Dropped {
            workload: Some(workload.to_owned()),
            process: *process,
            block: Some(*number),
            why,
        });
    }
    let need = planned.len().div_ceil(2).max(1);
    let mut ratios = BTreeMap::new();
    for (process, logs) in of_process {
        match median(&logs) {
            Some(ratio) if logs.len() >= need => {
                ratios.insert(process, ratio);
            }
            _ => dropped.push(Dropped {
                workload: Some(workload.to_owned()),
                process,
                block: None,
                why: format!(
                    "{} of {} blocks are complete, {need} needed",
                    logs.len(),
                    planned.len()
                ),
            }),
        }
    }
    ratios
}

fn mean(logs: &[f64]) -> f64 {
    logs.iter().sum::<f64>() / logs.len() as f64
}

fn describe(
    workload: &str,
    a: &str,
    legs: &[&Leg],
    ratios: &BTreeMap<u32, f64>,
    processes: &[u32],
) -> Option<PairedWorkload> {
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    let mut stated: Option<f64> = None;
    // Sum of positions of A minus that of B, by block.
    let mut lead: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for leg in legs.iter().filter(|l| l.void.is_none()) {
        let sign = if leg.subject == a { 1 } else { -1 };
        if sign == 1 { &mut of_a } else { &mut of_b }.extend_from_slice(&leg.values_ns);
        if let Some(tick) = leg.tick_ns.filter(|t| *t > 0.0) {
            stated = Some(stated.map_or(tick, |s| s.max(tick)));
        }
        *lead.entry((leg.process, leg.block)).or_default() += sign * i64::from(leg.leg);
    }
    let a_median_ns = median(&of_a)?;
    let b_median_ns = median(&of_b)?;
    let tick_ns = stated.or_else(|| {
        of_a.append(&mut of_b);
        least_distance(of_a)
    });
    Some(PairedWorkload {
        workload: workload.to_owned(),
        log_ratios: processes
            .iter()
            .filter_map(|p| ratios.get(p).copied())
            .collect(),
        a_median_ns,
        b_median_ns,
        tick_ns,
        tick_stated: stated.is_some(),
        never_flipped: lead.values().all(|l| *l < 0) || lead.values().all(|l| *l > 0),
    })
}

fn least_distance(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values
        .windows(2)
        .map(|w| w[1] - w[0])
        .filter(|d| *d > 0.0)
        .min_by(f64::total_cmp)
}
