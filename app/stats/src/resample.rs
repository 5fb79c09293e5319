//! Campaigns drawn from real measurements: what a procedure does on this machine's own noise.
//!
//! Whole processes are drawn with replacement, because the process is the unit of evidence; what
//! happened inside one stays together. With A/A data (two subjects that are the same) every FASTER
//! is a false accept. Drawing from few processes underestimates the noise a little, so the number
//! of processes drawn from belongs beside the rate.

use std::collections::BTreeMap;

use crate::prng::SplitMix64;
use crate::procedure::Settings;
use crate::samples::{Leg, Samples};
use crate::simulate::{Tally, campaign};

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
