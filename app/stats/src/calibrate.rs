//! What an A/A measurement says of a machine: how small an effect it can show.
//!
//! Both sides are the same thing, so every difference is noise. Effects and floors are ratios
//! minus one (0.01 is 1 %), standard deviations are of logs, which is nearly the same.

use serde::{Deserialize, Serialize};

use crate::blocks::BlockRatio;
use crate::decide::{Estimate, log_bound};
use crate::describe::sd;
use crate::paired::{Paired, PairedWorkload, Unpaired, pair};
use crate::power::{DESIGN_ALPHA, sd_interval, smallest_effect};
use crate::procedure::Settings;
use crate::resample::{FalseAccepts, Pool, false_accepts};
use crate::samples::Samples;
use crate::wording::{percent, processes};

/// Power behind "smallest effect".
pub const WANTED_POWER: f64 = 0.8;

/// The noise of one machine, from A against A.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Fresh processes that entered.
    pub processes: u32,
    /// Time of one side / time of the other; 1 but for noise and bias.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Whether that interval leaves 1 out: the measurement is biased.
    pub biased: bool,
    /// Standard deviation of the log-ratio from process to process, over all workloads together.
    pub sd: f64,
    /// Its 90 % interval; wide, because few processes say little about a spread.
    pub sd_interval: [f64; 2],
    /// What being first in a block is worth, over all workloads together; `None` where the order
    /// was never flipped inside a process.
    pub slot: Option<Slot>,
    /// Smallest effect shown with 80 % power, by number of processes.
    pub smallest_effects: Vec<SmallestEffect>,
    /// The smallest delta that this machine supports, as a ratio minus one: the smallest effect
    /// at the last look, one tick, or a proven bias, whichever is largest.
    pub floor: f64,
    /// Each workload.
    pub workloads: Vec<WorkloadNoise>,
    /// How often each policy accepts a change that does nothing, on this machine.
    pub false_accepts: Vec<FalseAccepts>,
}

/// What being first in a block is worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// log(time of who comes first / time of who comes second).
    pub effect: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
}

/// The smallest effect that a number of processes shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SmallestEffect {
    /// Fresh processes.
    pub processes: u32,
    /// Effect proven with 80 % power by a two-sided 95 % t interval, as a ratio minus one.
    pub effect: f64,
}

/// The noise of one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadNoise {
    /// Workload.
    pub workload: String,
    /// Median time in nanoseconds.
    pub median_ns: f64,
    /// Decade of the median: 3 for times from 1 us to 10 us.
    pub decade: i32,
    /// Standard deviation of the log-ratio from process to process.
    pub sd: f64,
    /// Standard deviation of the log-ratio from block to block inside a process.
    pub sd_block: Option<f64>,
    /// Resolution of the values in nanoseconds.
    pub tick_ns: Option<f64>,
    /// Whether the harness stated it; else it is the least step between values.
    pub tick_stated: bool,
    /// What being first in a block is worth.
    pub slot: Option<Slot>,
}

/// Why there is no calibration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotCalibrated {
    /// The two sides cannot be compared.
    #[error(transparent)]
    Unpaired(#[from] Unpaired),
    /// Too few processes to speak of a spread.
    #[error("{0} fresh processes entered; a calibration needs 4, better 8")]
    TooFew(usize),
}

/// Calibrates from A/A samples: `a` and `b` are the names of two subjects that are the same.
///
/// Draws `campaigns` campaigns for the false-accept rate of each policy; 0 leaves that out.
///
/// # Errors
/// When the two cannot be compared or too few processes entered.
pub fn calibrate(
    samples: &Samples,
    a: &str,
    b: &str,
    settings: &Settings,
    campaigns: u32,
    seed: u64,
) -> Result<Calibration, NotCalibrated> {
    let paired = pair(samples, a, b, |w| settings.weight(w) > 0.0)?;
    let n = paired.processes.len();
    let estimate = Estimate::of(&pooled(&paired, settings)).filter(|_| n >= 4);
    let Some(e) = estimate else {
        return Err(NotCalibrated::TooFew(n));
    };
    let interval = e.interval(DESIGN_ALPHA);
    let biased = interval[0] > 0.0 || interval[1] < 0.0;
    let effects: Vec<SmallestEffect> = settings
        .looks
        .iter()
        .filter_map(|n| {
            let effect = smallest_effect(e.sd, *n, DESIGN_ALPHA, WANTED_POWER)?;
            Some(SmallestEffect {
                processes: *n,
                effect: effect.exp_m1(),
            })
        })
        .collect();
    let ticks = paired.workloads.iter().filter_map(|w| {
        let tick = settings.tick_ns.filter(|t| *t > 0.0).or(w.tick_ns)?;
        Some(tick / w.a_median_ns)
    });
    let bias = if biased { e.mean.abs().exp_m1() } else { 0.0 };
    let floor = effects
        .last()
        .map_or(0.0, |s| s.effect)
        .max(ticks.fold(0.0, f64::max))
        .max(bias);
    let all: Vec<&BlockRatio> = paired.workloads.iter().flat_map(|w| &w.blocks).collect();
    Ok(Calibration {
        processes: e.n,
        ratio: e.mean.exp(),
        interval: interval.map(f64::exp),
        biased,
        sd: e.sd,
        sd_interval: sd_interval(e.sd, e.n, 0.10).unwrap_or([0.0, f64::INFINITY]),
        slot: slot(&all, &paired.processes),
        smallest_effects: effects,
        floor,
        workloads: paired
            .workloads
            .iter()
            .filter_map(|w| noise(w, &paired.processes))
            .collect(),
        false_accepts: false_accepts(&Pool::new(samples, a, b), settings, campaigns, seed),
    })
}

impl Calibration {
    /// Whether this machine can show effects of `delta` (a ratio minus one).
    ///
    /// # Errors
    /// A sentence for the user, before time is spent: what is too coarse, and what would do.
    pub fn supports(&self, delta: f64) -> Result<(), String> {
        if self.floor <= delta {
            return Ok(());
        }
        let (delta_text, floor) = (percent(delta, 3), percent(self.floor, 2));
        let spread = self.smallest_effects.last().map_or(0.0, |s| s.effect);
        let what = if self.floor > spread {
            "a tick of the timer or a bias between equal sides is larger: time more launches in one \
             sample, or find out what differs between the two sides"
                .to_owned()
        } else {
            match processes_for(self.sd, delta) {
                Some(n) => format!("{} would show it, or a quieter machine fewer", processes(n)),
                None => "no number of processes up to 1000 would show it".to_owned(),
            }
        };
        Err(format!(
            "this machine is too noisy for delta {delta_text}: its noise floor is {floor}; {what}"
        ))
    }
}

/// The processes that a machine of this spread needs to show an effect of `delta` (a ratio minus
/// one) with 80 % power; `None` above 1,000.
pub fn processes_for(sd: f64, delta: f64) -> Option<u32> {
    let enough = |n: u32| {
        smallest_effect(sd, n, DESIGN_ALPHA, WANTED_POWER).is_some_and(|e| e <= log_bound(delta))
    };
    let mut high = 4;
    while !enough(high) {
        if high >= 1000 {
            return None;
        }
        high = (2 * high).min(1000);
    }
    let mut low = 3;
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

fn pooled(paired: &Paired, settings: &Settings) -> Vec<f64> {
    let weights = paired
        .workloads
        .iter()
        .map(|w| settings.weight(&w.workload));
    let total: f64 = weights.sum();
    let process = |i: usize| {
        let all = paired.workloads.iter();
        let sum: f64 = all
            .map(|w| settings.weight(&w.workload) * w.log_ratios[i])
            .sum();
        sum / total
    };
    (0..paired.processes.len()).map(process).collect()
}

fn noise(w: &PairedWorkload, processes: &[u32]) -> Option<WorkloadNoise> {
    let blocks: Vec<&BlockRatio> = w.blocks.iter().collect();
    Some(WorkloadNoise {
        workload: w.workload.clone(),
        median_ns: w.a_median_ns,
        decade: w.a_median_ns.log10().floor() as i32,
        sd: sd(&w.log_ratios)?,
        sd_block: block_sd(&w.blocks),
        tick_ns: w.tick_ns,
        tick_stated: w.tick_stated,
        slot: slot(&blocks, processes),
    })
}

/// Standard deviation inside processes: squares about each process's mean, pooled.
fn block_sd(blocks: &[BlockRatio]) -> Option<f64> {
    let (mut squares, mut degrees) = (0.0, 0usize);
    for mine in blocks.chunk_by(|x, y| x.process == y.process) {
        let mean = mine.iter().map(|b| b.log_ratio).sum::<f64>() / mine.len() as f64;
        squares += mine
            .iter()
            .map(|b| (b.log_ratio - mean).powi(2))
            .sum::<f64>();
        degrees += mine.len() - 1;
    }
    (degrees > 0).then(|| (squares / degrees as f64).sqrt())
}

/// Half the difference between the ratio where B led and the ratio where A led, by process.
fn slot(blocks: &[&BlockRatio], processes: &[u32]) -> Option<Slot> {
    let of_process = |process: &u32| {
        let mean = |a_first: bool| {
            let mine = blocks
                .iter()
                .filter(|b| b.process == *process && b.a_first == a_first);
            let logs: Vec<f64> = mine.map(|b| b.log_ratio).collect();
            crate::describe::mean(&logs)
        };
        Some((mean(false)? - mean(true)?) / 2.0)
    };
    let effects: Vec<f64> = processes.iter().filter_map(of_process).collect();
    let e = Estimate::of(&effects)?;
    Some(Slot {
        effect: e.mean,
        interval: e.interval(DESIGN_ALPHA),
    })
}
