//! Campaigns drawn from real measurements: what a procedure does on this machine's own noise.
//!
//! Whole processes are drawn with replacement, because the process is the unit of evidence; what
//! happened inside one stays together. With A/A data (two subjects that are the same) every FASTER
//! is a false accept. Drawing from few processes underestimates the noise a little, so the number
//! of processes drawn from belongs beside the rate.

use std::collections::BTreeMap;
use std::fmt;

use crate::prng::SplitMix64;
use serde::{Deserialize, Serialize};

use crate::power::share_interval;
use crate::procedure::{PROCEDURE, Settings};
use crate::rules::Rule;
use crate::samples::{Leg, Samples};
use crate::simulate::{Tally, campaign};
use crate::wording::{percent, processes};

/// Every policy of a campaign file.
pub const POLICIES: &[&str] = &["assay", "median-lower", "threshold", "mann-whitney"];

/// The procedure that a policy stands for today; `None` for a policy that is not known.
pub fn procedure_of(policy: &str) -> Option<&'static str> {
    match policy {
        "assay" => Some(PROCEDURE),
        rule => Rule::of_policy(rule).map(Rule::procedure),
    }
}

/// How often a policy accepts a change that does nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FalseAccepts {
    /// Policy, e.g. `median-lower`.
    pub policy: String,
    /// Procedure that it stood for, e.g. `median-lower/1`.
    pub procedure: String,
    /// Campaigns that were drawn.
    pub campaigns: u32,
    /// Campaigns that ended FASTER.
    pub accepted: u32,
    /// Share of those, 0 to 1.
    pub rate: f64,
    /// 95 % interval of the share (Wilson), for the number of campaigns; that there are few
    /// processes to draw from comes on top.
    pub interval: [f64; 2],
    /// Real processes that were drawn from.
    pub processes: u32,
}

impl fmt::Display for FalseAccepts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |share: f64| percent(share, 2);
        write!(
            f,
            "policy {} accepts {} ({} to {}) of changes that do nothing on this machine: {} \
             campaigns drawn from {}",
            self.policy,
            of(self.rate),
            of(self.interval[0]),
            of(self.interval[1]),
            self.campaigns,
            processes(self.processes)
        )
    }
}

/// Draws campaigns from A/A processes and counts what a policy accepts.
///
/// `None` for a policy that is not known, without processes or without campaigns.
pub fn false_accept(
    policy: &str,
    pool: &Pool,
    settings: &Settings,
    campaigns: u32,
    seed: u64,
) -> Option<FalseAccepts> {
    let procedure = procedure_of(policy)?;
    let t = pool.tally(procedure, settings, true, campaigns, seed)?;
    Some(FalseAccepts {
        policy: policy.to_owned(),
        procedure: procedure.to_owned(),
        campaigns: t.campaigns,
        accepted: t.faster,
        rate: t.share(t.faster)?,
        interval: share_interval(t.faster, t.campaigns, 0.05)?,
        processes: pool.len() as u32,
    })
}

/// The same for every policy.
pub fn false_accepts(
    pool: &Pool,
    settings: &Settings,
    campaigns: u32,
    seed: u64,
) -> Vec<FalseAccepts> {
    let of = |policy: &&str| false_accept(policy, pool, settings, campaigns, seed);
    POLICIES.iter().filter_map(of).collect()
}

/// Real processes of one pair to draw from.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    processes: Vec<Vec<Leg>>,
}

impl Pool {
    /// The processes of `samples` in which both subjects were measured.
    pub fn new(samples: &Samples, a: &str, b: &str) -> Self {
        let mut by_process: BTreeMap<u32, Vec<Leg>> = BTreeMap::new();
        for leg in samples.legs() {
            let subject = match leg.subject.as_str() {
                s if s == a => "A",
                s if s == b => "B",
                _ => continue,
            };
            by_process.entry(leg.process).or_default().push(Leg {
                subject: subject.into(),
                ..leg.clone()
            });
        }
        let both = |legs: &Vec<Leg>| {
            ["A", "B"]
                .iter()
                .all(|s| legs.iter().any(|l| l.subject == *s))
        };
        Self {
            processes: by_process.into_values().filter(both).collect(),
        }
    }

    /// Adds the processes of another session of the same pair.
    pub fn extend(&mut self, other: Self) {
        self.processes.extend(other.processes);
    }

    /// How many processes there are to draw from.
    pub fn len(&self) -> usize {
        self.processes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// One process by chance, numbered `process`; with `swap` A and B change places.
    fn draw(&self, g: &mut SplitMix64, process: u32, swap: bool) -> Vec<Leg> {
        let at = (g.unit() * self.processes.len() as f64) as usize;
        let Some(legs) = self.processes.get(at) else {
            return Vec::new();
        };
        let renamed = |l: &Leg| Leg {
            process,
            subject: match (l.subject.as_str(), swap) {
                ("A", true) => "B".into(),
                ("B", true) => "A".into(),
                (s, _) => s.into(),
            },
            ..l.clone()
        };
        legs.iter().map(renamed).collect()
    }

    /// Draws `campaigns` campaigns of a procedure. `null` says that the two subjects are the same:
    /// each campaign then calls either of them B, by chance. `None` for a procedure that is not
    /// known, or without a process.
    pub fn tally(
        &self,
        procedure: &str,
        settings: &Settings,
        null: bool,
        campaigns: u32,
        seed: u64,
    ) -> Option<Tally> {
        if self.is_empty() {
            return None;
        }
        // What is counted is what the policy would say if nobody knew that the pair is null.
        let settings = &Settings {
            null_pair: false,
            drawn: true,
            ..settings.clone()
        };
        let mut g = SplitMix64::new(seed);
        let mut tally = Tally::default();
        for _ in 0..campaigns {
            let swap = null && g.unit() < 0.5;
            let mut more = |first: u32, last: u32| {
                (first..=last)
                    .flat_map(|process| self.draw(&mut g, process, swap))
                    .collect()
            };
            tally.add(&campaign(procedure, settings, &mut more)?);
        }
        Some(tally)
    }
}
