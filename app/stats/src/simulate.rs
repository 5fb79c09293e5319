//! Simulated campaigns: what each procedure does when the truth is known.
//!
//! The noise model has a slow drift, an offset of each process and subject (memory layout, first
//! clock), jitter with an exponential tail of each launch, and, in some regimes, two levels that a
//! process can be caught on. All of it is relative and seeded, so that a table can be made again.

use assay_core::record::VerdictKind;

use crate::bimodal::{TwoLevels, Where};
use crate::prng::SplitMix64;
use crate::procedure::{Judgement, Settings, Step, judge_as};
use crate::samples::{Leg, Samples};

/// How a machine disturbs measurements; standard deviations relative to the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Name of the regime.
    pub name: &'static str,
    /// Slow drift of the whole machine (Ornstein-Uhlenbeck, time constant 60 s).
    pub drift: f64,
    /// Offset of each process and subject.
    pub process: f64,
    /// Jitter of each launch, with half as much again as an exponential tail.
    pub jitter: f64,
    /// Distance between two levels of which each process and subject takes one by chance.
    pub levels: f64,
}

/// A machine that nobody else uses.
pub const QUIET: Noise = Noise {
    name: "quiet",
    drift: 0.003,
    process: 0.002,
    jitter: 0.003,
    levels: 0.0,
};

/// A machine as it usually is.
pub const TYPICAL: Noise = Noise {
    name: "typical",
    drift: 0.01,
    process: 0.005,
    jitter: 0.006,
    levels: 0.0,
};

/// A machine with neighbours.
pub const NOISY: Noise = Noise {
    name: "noisy",
    drift: 0.025,
    process: 0.008,
    jitter: 0.01,
    levels: 0.0,
};

/// A kernel that runs at one of two speeds, by how its memory happens to lie.
pub const TWO_LEVELS: Noise = Noise {
    name: "two levels",
    drift: 0.01,
    process: 0.003,
    jitter: 0.006,
    levels: 0.02,
};

/// The regimes of the published table.
pub const REGIMES: &[Noise] = &[QUIET, TYPICAL, NOISY, TWO_LEVELS];

/// Blocks of one simulated process.
const BLOCKS: u32 = 6;
/// Timed launches of a leg.
const LAUNCHES: u32 = 6;
/// Time constant of the drift and length of a leg, in seconds.
const TAU_S: f64 = 60.0;
const LEG_S: f64 = 0.33;
/// Time of A in nanoseconds.
const BASE_NS: f64 = 1e6;

/// The legs of processes `first..=last`, subjects `A` and `B` on workload `w`; `effect` is the
/// true log-ratio of B against A.
pub fn legs(g: &mut SplitMix64, noise: &Noise, effect: f64, first: u32, last: u32) -> Vec<Leg> {
    let keep = (-LEG_S / TAU_S).exp();
    let kick = noise.drift * (1.0 - keep * keep).sqrt();
    let mut legs = Vec::new();
    for process in first..=last {
        // A process starts long after the one before, so its drift starts anew.
        let mut drift = noise.drift * g.normal();
        let mut offset = [0.0, effect];
        for o in &mut offset {
            *o += noise.process * g.normal();
            if noise.levels > 0.0 && g.unit() < 0.5 {
                *o += noise.levels;
            }
        }
        for block in 0..BLOCKS {
            let order = if block.is_multiple_of(2) {
                "ABBA"
            } else {
                "BAAB"
            };
            for (at, subject) in order.chars().enumerate() {
                drift = keep * drift + kick * g.normal();
                let level = drift + offset[usize::from(subject == 'B')];
                let values = (0..LAUNCHES)
                    .map(|_| {
                        let noise = noise.jitter * (g.normal() + 0.5 * g.exponential());
                        BASE_NS * (level + noise).exp()
                    })
                    .collect();
                legs.push(Leg {
                    workload: "w".into(),
                    subject: subject.into(),
                    process,
                    block,
                    leg: at as u32,
                    values_ns: values,
                    timer: "clock_monotonic".into(),
                    tick_ns: Some(1.0),
                    cache: "hot".into(),
                    void: None,
                    clock_mhz: None,
                    clock_locked: None,
                    device: None,
                    odd: None,
                });
            }
        }
    }
    legs
}

/// Where the processes of a campaign come from: `more(first, last)` measures those.
pub type More<'a> = &'a mut dyn FnMut(u32, u32) -> Vec<Leg>;

/// Runs one campaign of a procedure as the sequential driver would. `None` for a procedure that
/// is not known.
pub fn campaign(procedure: &str, settings: &Settings, more: More<'_>) -> Option<Judgement> {
    let mut samples = Samples::default();
    let (mut done, mut next) = (0, settings.looks.first().copied()?);
    loop {
        samples.add(more(done + 1, done + next));
        done += next;
        let judgement = judge_as(procedure, &samples, "A", "B", settings).ok()?;
        match judgement.step {
            Step::More { processes } => next = processes,
            Step::Done => return Some(judgement),
        }
    }
}

/// How often a procedure said what, over many campaigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Campaigns.
    pub campaigns: u32,
    /// FASTER: the change would be accepted.
    pub faster: u32,
    /// SLOWER.
    pub slower: u32,
    /// SAME.
    pub same: u32,
    /// NO_GAIN.
    pub no_gain: u32,
    /// UNDECIDED.
    pub undecided: u32,
    /// INVALID.
    pub invalid: u32,
    /// Campaigns that were warned of two levels in the ratio or from process to process.
    pub two_levels: u32,
    /// Campaigns that were warned of two levels inside processes.
    pub two_levels_inside: u32,
    /// Fresh processes measured, over all campaigns.
    pub processes: u32,
}

impl Tally {
    /// Counts one campaign.
    pub fn add(&mut self, judgement: &Judgement) {
        self.campaigns += 1;
        self.processes += judgement.processes;
        let inside = |l: &TwoLevels| matches!(l.at, Where::InsideOfA | Where::InsideOfB);
        self.two_levels += u32::from(judgement.levels.iter().any(|l| !inside(l)));
        self.two_levels_inside += u32::from(judgement.levels.iter().any(inside));
        *match judgement.kind {
            VerdictKind::Faster => &mut self.faster,
            VerdictKind::Slower => &mut self.slower,
            VerdictKind::Same => &mut self.same,
            VerdictKind::NoGain => &mut self.no_gain,
            VerdictKind::Undecided => &mut self.undecided,
            VerdictKind::Invalid => &mut self.invalid,
        } += 1;
    }

    /// A count as a share of the campaigns; `None` before the first.
    pub fn share(&self, count: u32) -> Option<f64> {
        (self.campaigns > 0).then(|| f64::from(count) / f64::from(self.campaigns))
    }

    /// Mean number of fresh processes of a campaign.
    pub fn mean_processes(&self) -> Option<f64> {
        self.share(self.processes)
    }
}

/// Simulates `campaigns` campaigns with a true log-ratio of `effect`. `None` for a procedure that
/// is not known.
pub fn tally(
    procedure: &str,
    settings: &Settings,
    noise: &Noise,
    effect: f64,
    campaigns: u32,
    seed: u64,
) -> Option<Tally> {
    let mut g = SplitMix64::new(seed);
    let mut tally = Tally::default();
    for _ in 0..campaigns {
        let mut more = |first, last| legs(&mut g, noise, effect, first, last);
        tally.add(&campaign(procedure, settings, &mut more)?);
    }
    Some(tally)
}
