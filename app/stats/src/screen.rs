//! Screening: many variants ranked cheaply, from one process each. A ranking and never a verdict.
//!
//! One process with three blocks against the incumbent says roughly where a variant stands. The
//! best of a hundred that do nothing looks a few percent faster, so nothing is accepted here:
//! what is kept goes on to confirmation with fresh samples. [`Screening`] gives no legs out and
//! [`crate::Samples`] refuses lines that are marked `"screen":true`, so the two cannot mix.

use serde::Serialize;

use crate::decide::log_bound;
use crate::describe::sd;
use crate::paired::{Paired, pair};
use crate::procedure::Settings;
use crate::samples::{Leg, Problem, Samples};
use crate::tdist::{normal_quantile, t_two_sided};
use crate::wording::percent;

/// Blocks of a screening process.
pub const SCREEN_BLOCKS: u32 = 3;
/// Variants that are kept whatever their intervals.
pub const SCREEN_TOP: usize = 10;
/// Two-sided error of the screening interval.
pub const SCREEN_ALPHA: f64 = 0.10;

/// Samples that may rank and not prove.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Screening {
    samples: Samples,
    processes: u32,
}

/// Samples given as fresh that are those of the screening.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "process {process} of {subject} on {workload} is the one measured to screen; a verdict needs \
     fresh processes, because the best of many was chosen by these very samples"
)]
pub struct Reused {
    /// Workload.
    pub workload: String,
    /// Subject.
    pub subject: String,
    /// Process.
    pub process: u32,
}

/// What becomes of a variant after screening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Confirm it with fresh samples.
    Keep,
    /// Neither among the best nor bad enough to drop: confirm it when there is time.
    Spare,
    /// Do not pursue it.
    Drop,
    /// It could not be ranked.
    Unranked,
}

/// One variant against the incumbent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// Subject.
    pub subject: String,
    /// Time of the variant / time of the incumbent.
    pub ratio: Option<f64>,
    /// Its 90 % interval.
    pub interval: Option<[f64; 2]>,
    /// What becomes of it.
    pub fate: Fate,
    /// Why.
    pub why: String,
}

impl Screening {
    /// Reads the answers of a harness, as [`Samples::parse_jsonl`] does; the mark is not needed.
    pub fn parse_jsonl(text: &str) -> (Self, Vec<Problem>) {
        let (samples, problems) = Samples::read(text, |_| None);
        (Self::of(samples), problems)
    }

    /// Takes legs that are parsed already.
    pub fn from_legs(legs: Vec<Leg>) -> (Self, Vec<Problem>) {
        let (samples, problems) = Samples::from_legs(legs);
        (Self::of(samples), problems)
    }

    fn of(samples: Samples) -> Self {
        let processes = samples.processes().last().copied().unwrap_or(0);
        Self { samples, processes }
    }

    /// Adds the answers of the one process in which a variant met the incumbent, with the subjects
    /// called as `name` says.
    ///
    /// Each runner counts its processes from 1; here it gets the next free number, so that the
    /// legs of the incumbent beside one variant are not taken for those beside another.
    pub fn add(&mut self, text: &str, name: impl Fn(&str) -> String) -> Vec<Problem> {
        let (samples, mut problems) = Samples::read(text, |_| None);
        self.processes += 1;
        let legs = samples.into_legs().into_iter().map(|leg| Leg {
            subject: name(&leg.subject),
            process: self.processes,
            ..leg
        });
        problems.extend(self.samples.add(legs.collect()));
        problems
    }

    /// Hands the samples of a confirmation back when no process of them is one of these.
    ///
    /// # Errors
    /// The first process whose legs all equal those measured to screen.
    pub fn fresh(&self, confirm: Samples) -> Result<Samples, Reused> {
        let same_process = |x: &Leg, y: &Leg| {
            (&x.workload, &x.subject, x.process) == (&y.workload, &y.subject, y.process)
        };
        for ours in self.samples.legs().chunk_by(same_process) {
            let Some(first) = ours.first() else { continue };
            let (theirs, _) = confirm.of(&first.workload, &first.subject);
            let theirs = theirs.iter().filter(|l| l.process == first.process);
            let values = |l: &Leg| (l.block, l.leg, l.values_ns.clone());
            if theirs.map(values).eq(ours.iter().map(values)) {
                return Err(Reused {
                    workload: first.workload.clone(),
                    subject: first.subject.clone(),
                    process: first.process,
                });
            }
        }
        Ok(confirm)
    }

    /// Ranks every other subject against the incumbent, fastest first.
    ///
    /// The interval has the spread of the blocks, and with `process_sd` (from a calibration) also
    /// that from process to process, which one process cannot show; without it the interval is too
    /// narrow. A variant is dropped when its whole interval is a loss beyond 2 delta. Of the rest
    /// the `top` fastest (usually [`SCREEN_TOP`]) are kept and all whose interval overlaps the fastest's; then
    /// those whose gain may be below -2 delta are dropped, and what is left is spare.
    pub fn rank(
        &self,
        incumbent: &str,
        settings: &Settings,
        process_sd: Option<f64>,
        top: usize,
    ) -> Vec<Ranked> {
        let others = self.samples.subjects().into_iter();
        let others = others.filter(|s| *s != incumbent);
        let mut ranked: Vec<Ranked> = others
            .map(|subject| self.one(incumbent, subject, settings, process_sd))
            .collect();
        let key = |r: &Ranked| r.ratio.unwrap_or(f64::INFINITY);
        ranked.sort_by(|x, y| key(x).total_cmp(&key(y)).then(x.subject.cmp(&y.subject)));
        let best = ranked.first().and_then(|r| r.interval);
        for (rank, r) in ranked.iter_mut().enumerate() {
            if let (Some(interval), Some(best)) = (r.interval, best) {
                (r.fate, r.why) = fate(rank, interval, best, settings.delta, top);
            }
        }
        ranked
    }

    fn one(
        &self,
        incumbent: &str,
        subject: &str,
        settings: &Settings,
        process_sd: Option<f64>,
    ) -> Ranked {
        let mut out = Ranked {
            subject: subject.to_owned(),
            ratio: None,
            interval: None,
            fate: Fate::Unranked,
            why: String::new(),
        };
        let enters = |w: &str| settings.weight(w) > 0.0;
        match pair(&self.samples, incumbent, subject, enters) {
            Err(why) => out.why = why.to_string(),
            Ok(paired) => match estimate(&paired, settings, process_sd.unwrap_or(0.0)) {
                None => out.why = "fewer than two complete blocks on a workload".into(),
                Some([mean, half]) => {
                    out.ratio = Some(mean.exp());
                    out.interval = Some([(mean - half).exp(), (mean + half).exp()]);
                }
            },
        }
        out
    }
}

/// Mean log-ratio over workloads and half the width of its interval.
fn estimate(paired: &Paired, settings: &Settings, process_sd: f64) -> Option<[f64; 2]> {
    let (mut mean, mut variance, mut total) = (0.0, 0.0, 0.0);
    let mut fewest = u32::MAX;
    for w in &paired.workloads {
        let blocks: Vec<f64> = w.blocks.iter().map(|b| b.log_ratio).collect();
        let n = blocks.len() as f64;
        let weight = settings.weight(&w.workload);
        mean += weight * crate::describe::mean(&blocks)?;
        variance += (weight * sd(&blocks)?).powi(2) / n;
        total += weight;
        fewest = fewest.min(blocks.len() as u32);
    }
    let blocks = t_two_sided(SCREEN_ALPHA, fewest.checked_sub(1)?) * variance.sqrt() / total;
    let between = normal_quantile(1.0 - SCREEN_ALPHA / 2.0) * process_sd;
    let between = between / (paired.processes.len() as f64).sqrt();
    Some([mean / total, blocks.hypot(between)])
}

fn fate(
    rank: usize,
    [low, high]: [f64; 2],
    best: [f64; 2],
    delta: f64,
    top: usize,
) -> (Fate, String) {
    let loss = (2.0 * log_bound(delta)).exp();
    let limit = percent(2.0 * delta, 3);
    if low > loss {
        (Fate::Drop, format!("a loss beyond {limit} is certain"))
    } else if rank < top {
        (Fate::Keep, format!("among the {top} fastest"))
    } else if low <= best[1] {
        (Fate::Keep, "cannot be told from the fastest".into())
    } else if high > loss {
        (
            Fate::Drop,
            format!("not among the fastest, and a loss beyond {limit} is possible"),
        )
    } else {
        (
            Fate::Spare,
            "not among the fastest, and no clear loss".into(),
        )
    }
}
