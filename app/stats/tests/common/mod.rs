//! Builders of samples for the tests.
#![allow(dead_code)]

use assay_stats::prng::SplitMix64;
use assay_stats::{Leg, Samples};

/// A leg with everything ordinary.
pub fn leg(workload: &str, subject: &str, at: (u32, u32, u32), values_ns: Vec<f64>) -> Leg {
    Leg {
        workload: workload.into(),
        subject: subject.into(),
        process: at.0,
        block: at.1,
        leg: at.2,
        values_ns,
        timer: "clock_monotonic".into(),
        tick_ns: Some(1.0),
        cache: "hot".into(),
        void: None,
    }
}

/// Legs of workload `w`, 4 mirrored blocks a process; process i has log-ratio `ratios[i]`, exactly.
pub fn exact(workload: &str, base_ns: f64, log_ratios: &[f64]) -> Vec<Leg> {
    let mut legs = Vec::new();
    for (i, r) in log_ratios.iter().enumerate() {
        let process = i as u32 + 1;
        for block in 0..4u32 {
            // The level moves from block to block; the pairing takes it out.
            let level = base_ns * (1.0 + 0.01 * f64::from(block));
            for (at, subject) in order(block).chars().enumerate() {
                let time = if subject == 'B' {
                    level * r.exp()
                } else {
                    level
                };
                let values = vec![time * 0.999, time, time * 1.003];
                legs.push(leg(
                    workload,
                    &subject.to_string(),
                    (process, block, at as u32),
                    values,
                ));
            }
        }
    }
    legs
}

pub fn order(block: u32) -> &'static str {
    if block.is_multiple_of(2) {
        "ABBA"
    } else {
        "BAAB"
    }
}

pub fn samples(legs: Vec<Leg>) -> Samples {
    let (samples, problems) = Samples::from_legs(legs);
    assert_eq!(problems, []);
    samples
}

/// `n` log-ratios with exactly this mean and about this spread.
pub fn around(mean: f64, sd: f64, n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| mean + sd * if i % 2 == 0 { 1.0 } else { -1.0 })
        .collect()
}

/// The noise model that the procedure was designed on: slow drift, an offset of each process and
/// subject, jitter and an exponential tail of each launch; all relative.
pub struct Noise {
    pub drift: f64,
    pub process: f64,
    pub jitter: f64,
}

/// A machine as it usually is.
pub const TYPICAL: Noise = Noise {
    drift: 0.01,
    process: 0.005,
    jitter: 0.006,
};

/// A machine with neighbours.
pub const NOISY: Noise = Noise {
    drift: 0.025,
    process: 0.008,
    jitter: 0.01,
};

/// Simulates processes `first..=last` with 6 blocks and 6 launches a leg; `effect` is B's log-ratio.
pub fn simulate(g: &mut SplitMix64, noise: &Noise, effect: f64, first: u32, last: u32) -> Vec<Leg> {
    const TAU_S: f64 = 60.0;
    const LEG_S: f64 = 0.33;
    let keep = (-LEG_S / TAU_S).exp();
    let kick = noise.drift * (1.0 - keep * keep).sqrt();
    let mut legs = Vec::new();
    for process in first..=last {
        // A process starts long after the one before, so its drift starts anew.
        let mut drift = noise.drift * g.normal();
        let offset = [
            noise.process * g.normal(),
            effect + noise.process * g.normal(),
        ];
        for block in 0..6 {
            for (at, subject) in order(block).chars().enumerate() {
                drift = keep * drift + kick * g.normal();
                let level = drift + offset[usize::from(subject == 'B')];
                let values = (0..6)
                    .map(|_| {
                        let noise = noise.jitter * (g.normal() + 0.5 * g.exponential());
                        1e6 * (level + noise).exp()
                    })
                    .collect();
                legs.push(leg(
                    "w",
                    &subject.to_string(),
                    (process, block, at as u32),
                    values,
                ));
            }
        }
    }
    legs
}
