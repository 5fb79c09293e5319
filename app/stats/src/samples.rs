//! Raw samples: the legs that a harness answered with, as far as they can be believed.
//!
//! What cannot be trusted is a [`Problem`] with its line number and never becomes data. What is
//! accepted is sorted, so that the order in which lines arrived cannot matter.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use crate::describe::Scratch;
use crate::parse::{self, examine};

pub use assay_core::units::{GREATEST_NS, LEAST_NS};

/// What stands for a timer or cache mode that the harness did not state.
pub const NOT_STATED: &str = "not stated";

/// One leg: what one subject took on one workload at one position of one block.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// Workload.
    pub workload: String,
    /// Subject, by its id in the plan.
    pub subject: String,
    /// Fresh process, as numbered by the runner.
    pub process: u32,
    /// Block inside the process.
    pub block: u32,
    /// Position inside the block.
    pub leg: u32,
    /// Time of one launch in nanoseconds, one value for each timed batch.
    pub values_ns: Vec<f64>,
    /// Timer backend, e.g. `clock_monotonic`.
    pub timer: String,
    /// Resolution of the values in nanoseconds, where the harness states it.
    pub tick_ns: Option<f64>,
    /// `cold`, `hot` or `rotating`.
    pub cache: String,
    /// Why the leg must not be used, e.g. a thermal slowdown; voids its block.
    pub void: Option<String>,
    /// Clock of the device during the leg in MHz, where the harness states it.
    pub clock_mhz: Option<f64>,
    /// Whether the clock was locked, where the harness states it.
    pub clock_locked: Option<bool>,
    /// Device that ran it, e.g. a GPU's UUID, where the harness states it.
    pub device: Option<String>,
    /// What is stated beside the times and cannot be, in words; the times may be right.
    pub odd: Option<String>,
}

impl Leg {
    /// The clock in MHz, where it is stated and can be one.
    pub fn clock(&self) -> Option<f64> {
        // A monitor that knows no clock says 0; a terahertz is beyond any device.
        self.clock_mhz.filter(|mhz| *mhz > 0.0 && *mhz < 1e6)
    }

    fn key(&self) -> (&str, &str, u32, u32, u32) {
        (
            &self.workload,
            &self.subject,
            self.process,
            self.block,
            self.leg,
        )
    }
}

/// A line, or a leg, that did not become data, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Line of the text from 1, or position in the list of legs from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Accepted legs, sorted by workload, subject, process, block and leg, each key once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    legs: Vec<Leg>,
    /// Log of the median of each leg, computed once although a leg is judged at every look.
    logs: Vec<f64>,
    /// The legs of one subject on one workload, one run after the other.
    runs: Vec<Run>,
}

/// What the legs of one subject on one workload have in common.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Run {
    pub(crate) legs: Range<usize>,
    /// Timers, cache modes and devices of the legs that are not void.
    pub(crate) timers: BTreeSet<String>,
    pub(crate) caches: BTreeSet<String>,
    pub(crate) devices: BTreeSet<String>,
    /// Whether a leg, void or not, does not state its timer or cache mode.
    pub(crate) unstated: bool,
    /// Legs that state something odd, and what the first of them states.
    pub(crate) odd: Option<(usize, String)>,
}

impl Run {
    fn new(legs: &[Leg], at: Range<usize>) -> Self {
        let mut run = Self {
            legs: at,
            ..Self::default()
        };
        for leg in legs {
            if let Some(odd) = &leg.odd {
                run.odd.get_or_insert_with(|| (0, odd.clone())).0 += 1;
            }
            run.unstated |= leg.timer == NOT_STATED || leg.cache == NOT_STATED;
            if leg.void.is_none() {
                note(&mut run.timers, &leg.timer);
                note(&mut run.caches, &leg.cache);
                leg.device.iter().for_each(|d| note(&mut run.devices, d));
            }
        }
        run
    }
}

fn note(names: &mut BTreeSet<String>, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_owned());
    }
}

/// A leg with its line and the log of its median.
struct Entry {
    line: usize,
    leg: Leg,
    log: f64,
}

impl Samples {
    /// Reads the answers of a harness: JSON lines, of which those with kind `samples` are taken.
    ///
    /// Other kinds and blank lines are skipped. Everything that is not a sound sample line is a
    /// problem; so are all lines that claim the same workload, subject, process, block and leg,
    /// because there is no telling which is true, and those measured to screen, which may only
    /// rank (see [`crate::screen`]). Problems are sorted by line.
    pub fn parse_jsonl(text: &str) -> (Self, Vec<Problem>) {
        Self::read(text, |screen| {
            screen.then(|| "measured to screen; a verdict needs fresh samples".into())
        })
    }

    /// Reads lines; `refuse` says of a leg, by whether it was measured to screen, why it is none.
    pub(crate) fn read(
        text: &str,
        refuse: impl Fn(bool) -> Option<String>,
    ) -> (Self, Vec<Problem>) {
        let mut legs = Vec::new();
        let mut problems = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let message = match parse::line(line) {
                Ok(None) => continue,
                Ok(Some((leg, screen))) => match refuse(screen) {
                    None => {
                        legs.push((i + 1, leg));
                        continue;
                    }
                    Some(message) => message,
                },
                Err(message) => message,
            };
            problems.push(Problem {
                line: i + 1,
                message,
            });
        }
        let mut samples = Self::default();
        samples.join(legs, &mut problems);
        (samples, problems)
    }

    /// Takes legs that are parsed already, under the same rules as [`Samples::parse_jsonl`].
    ///
    /// The line of a problem is then the position in the list, from 1.
    pub fn from_legs(legs: Vec<Leg>) -> (Self, Vec<Problem>) {
        let mut samples = Self::default();
        let problems = samples.add(legs);
        (samples, problems)
    }

    /// Adds the legs of a further look, under the same rules.
    ///
    /// The line of a problem is the position in the added list, from 1; a leg that was there
    /// before and is claimed again is taken out, and its line is 0.
    pub fn add(&mut self, legs: Vec<Leg>) -> Vec<Problem> {
        let mut good = Vec::with_capacity(legs.len());
        let mut problems = Vec::new();
        for (i, leg) in legs.into_iter().enumerate() {
            match examine(&leg) {
                Ok(()) => good.push((i + 1, leg)),
                Err(message) => problems.push(Problem {
                    line: i + 1,
                    message,
                }),
            }
        }
        self.join(good, &mut problems);
        problems
    }

    fn join(&mut self, legs: Vec<(usize, Leg)>, problems: &mut Vec<Problem>) {
        let mut scratch = Scratch::default();
        let old = std::mem::take(&mut self.legs).into_iter();
        let old = old.zip(std::mem::take(&mut self.logs));
        let mut all: Vec<Entry> = old.map(|(leg, log)| Entry { line: 0, leg, log }).collect();
        all.extend(legs.into_iter().map(|(line, leg)| {
            // Every accepted leg has a positive median; see `parse::examine`.
            let log = scratch.median(&leg.values_ns).map_or(f64::NAN, f64::ln);
            Entry { line, leg, log }
        }));
        all.sort_by(|x, y| x.leg.key().cmp(&y.leg.key()).then(x.line.cmp(&y.line)));
        self.legs.reserve(all.len());
        self.logs.reserve(all.len());
        let mut rest = all.into_iter().peekable();
        while let Some(Entry { line, leg, log }) = rest.next() {
            if rest.peek().is_none_or(|next| next.leg.key() != leg.key()) {
                self.legs.push(leg);
                self.logs.push(log);
                continue;
            }
            let mut lines = vec![line];
            while let Some(again) = rest.next_if(|e| e.leg.key() == leg.key()) {
                lines.push(again.line);
            }
            problems.extend(lines.into_iter().map(|at| Problem {
                line: at,
                message: format!(
                    "workload {}, subject {}, process {}, block {}, leg {} is claimed more than \
                     once (first on line {line}); none of them is used",
                    leg.workload, leg.subject, leg.process, leg.block, leg.leg
                ),
            }));
        }
        problems.sort();
        self.runs.clear();
        let mut at = 0;
        for legs in self
            .legs
            .chunk_by(|x, y| x.subject == y.subject && x.workload == y.workload)
        {
            self.runs.push(Run::new(legs, at..at + legs.len()));
            at += legs.len();
        }
    }

    /// Each run with its legs and the logs of their medians.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (&Run, &[Leg], &[f64])> {
        self.runs.iter().map(|run| {
            let legs = self.legs.get(run.legs.clone()).unwrap_or_default();
            let logs = self.logs.get(run.legs.clone()).unwrap_or_default();
            (run, legs, logs)
        })
    }

    /// The accepted legs in order.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// The legs of one subject on one workload, with the logs of their medians.
    pub(crate) fn of(&self, workload: &str, subject: &str) -> (&[Leg], &[f64]) {
        let name = |run: &Run| {
            let first = self.legs.get(run.legs.start);
            first.map(|l| (l.workload.as_str(), l.subject.as_str()))
        };
        let wanted = Some((workload, subject));
        let at = self.runs.binary_search_by(|run| name(run).cmp(&wanted));
        let Some(run) = at.ok().and_then(|at| self.runs.get(at)) else {
            return (&[], &[]);
        };
        (
            self.legs.get(run.legs.clone()).unwrap_or_default(),
            self.logs.get(run.legs.clone()).unwrap_or_default(),
        )
    }

    /// Hands the legs out, e.g. to join those of a further look with [`Samples::from_legs`].
    pub fn into_legs(self) -> Vec<Leg> {
        self.legs
    }

    /// Whether there is no leg at all.
    pub fn is_empty(&self) -> bool {
        self.legs.is_empty()
    }

    /// Number of single values over all legs.
    pub fn values(&self) -> usize {
        self.legs.iter().map(|l| l.values_ns.len()).sum()
    }

    /// Names of the subjects, sorted.
    pub fn subjects(&self) -> Vec<&str> {
        distinct(self.firsts().map(|l| l.subject.as_str()))
    }

    fn firsts(&self) -> impl Iterator<Item = &Leg> {
        self.runs.iter().filter_map(|r| self.legs.get(r.legs.start))
    }

    /// Names of the workloads, sorted.
    pub fn workloads(&self) -> Vec<&str> {
        distinct(self.firsts().map(|l| l.workload.as_str()))
    }

    /// Numbers of the processes, sorted.
    pub fn processes(&self) -> Vec<u32> {
        distinct(self.legs.iter().map(|l| l.process))
    }
}

/// Each value once, sorted. Values come in runs, so most are seen to be the one before.
pub(crate) fn distinct<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut set = BTreeSet::new();
    let mut before = None;
    for value in values {
        if before != Some(value) {
            set.insert(value);
            before = Some(value);
        }
    }
    set.into_iter().collect()
}

#[cfg(test)]
mod tests;
