//! Whether pairing in one process disturbs: a subject alone against the same subject in a pair.
//!
//! Persistent workspaces, streams and caches of one side can slow the other. Where they do, the
//! two belong in processes of their own.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::describe::{mean, sd};
use crate::samples::Samples;
use crate::tdist::t_two_sided;

/// A subject that is further than this from itself (as a ratio minus one) is disturbed.
///
/// `experiments.md` 2.3.
pub const ISOLATION_LIMIT: f64 = 0.01;

/// A subject in a pair against itself alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Isolation {
    /// Time in the pair / time alone, geometric mean over the workloads measured both ways.
    pub ratio: f64,
    /// Its 95 % interval; `None` with fewer than two processes on a side.
    pub interval: Option<[f64; 2]>,
    /// Fresh processes in the pair and alone.
    pub processes: [u32; 2],
    /// Whether it is beyond [`ISOLATION_LIMIT`] and, where there is an interval, that leaves 1 out.
    pub disturbed: bool,
}

/// Compares `subject` of the paired samples with `alone` of samples of that subject only.
///
/// Processes are independent here, so the interval is that of two groups with their own spread
/// (Welch), with the degrees of the smaller group. `None` where no workload was measured both ways.
pub fn isolation(
    paired: &Samples,
    subject: &str,
    single: &Samples,
    alone: &str,
) -> Option<Isolation> {
    let both: Vec<&str> = paired
        .workloads()
        .into_iter()
        .filter(|w| !paired.of(w, subject).0.is_empty() && !single.of(w, alone).0.is_empty())
        .collect();
    let (x, y) = (levels(paired, &both, subject), levels(single, &both, alone));
    let difference = mean(&x)? - mean(&y)?;
    let interval = sd(&x).zip(sd(&y)).map(|(sx, sy)| {
        let (n, m) = (x.len() as f64, y.len() as f64);
        let half =
            t_two_sided(0.05, x.len().min(y.len()) as u32 - 1) * (sx * sx / n + sy * sy / m).sqrt();
        [(difference - half).exp(), (difference + half).exp()]
    });
    let outside = interval.is_none_or(|[low, high]| low > 1.0 || high < 1.0);
    Some(Isolation {
        ratio: difference.exp(),
        interval,
        processes: [x.len() as u32, y.len() as u32],
        disturbed: difference.abs() > ISOLATION_LIMIT.ln_1p() && outside,
    })
}

/// Mean log of each process that has legs on every workload; a leg counts by its median.
fn levels(samples: &Samples, workloads: &[&str], subject: &str) -> Vec<f64> {
    let mut by_process: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for workload in workloads {
        let (legs, logs) = samples.of(workload, subject);
        let mut of: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (leg, log) in legs.iter().zip(logs).filter(|(l, _)| l.void.is_none()) {
            of.entry(leg.process).or_default().push(*log);
        }
        for (process, logs) in of {
            by_process.entry(process).or_default().extend(mean(&logs));
        }
    }
    let whole = by_process.into_values();
    whole
        .filter(|l| l.len() == workloads.len())
        .filter_map(|l| mean(&l))
        .collect()
}
