//! A dispatch split: each workload routed to the side that is faster on it.

use serde::Serialize;

use crate::decide::{Estimate, proven_signs};
use crate::paired::{Paired, Unpaired, pair_with};
use crate::procedure::Settings;
use crate::samples::Samples;

/// Total two-sided level at which a workload's side must be proven, and error of the interval.
pub const SPLIT_ALPHA: f64 = 0.05;

/// Which workloads should go to which side, and what that would bring.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Split {
    /// Workloads on which B is proven faster, by more than one tick: route them to B.
    pub to_b: Vec<String>,
    /// Workloads on which B is proven slower: leave them with A.
    pub to_a: Vec<String>,
    /// Workloads on which nothing is proven: they stay with A, which is in use.
    pub open: Vec<String>,
    /// Expected time after the split / time of A, weighted geometric mean over matched workloads.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Time of B alone / time of A, for comparison.
    pub b_alone: f64,
    /// Fresh processes.
    pub processes: u32,
}

/// Proposes a split; `None` where one side does for all workloads, or there is only one.
///
/// The routing is by all processes. The expected ratio is not taken from the data that chose the
/// routing, which would flatter it: each process is counted under the routing that the others
/// chose (leave one out), and the interval is the t interval over those figures. They are not
/// quite independent, as any two share most of what chose them.
///
/// # Errors
/// When the two cannot be compared at all.
pub fn dispatch(
    samples: &Samples,
    a: &str,
    b: &str,
    settings: &Settings,
) -> Result<Option<Split>, Unpaired> {
    let enters = |w: &str| settings.weight(w) > 0.0;
    let paired = pair_with(samples, a, b, enters, Some(settings.clock_rules()))?;
    let resolved: Vec<bool> = paired
        .workloads
        .iter()
        .map(|w| above_tick(w, settings))
        .collect();
    let Some(signs) = route(&paired, None, &resolved) else {
        return Ok(None);
    };
    if paired.workloads.len() < 2 || !signs.contains(&-1) || signs.iter().all(|s| *s == -1) {
        return Ok(None);
    }
    let weights: Vec<f64> = paired
        .workloads
        .iter()
        .map(|w| settings.weight(&w.workload))
        .collect();
    let total: f64 = weights.iter().sum();
    let of_process = |i: usize, to_b: &dyn Fn(usize) -> bool| {
        let all = paired.workloads.iter().zip(&weights).enumerate();
        let routed = all.filter(|(k, _)| to_b(*k));
        routed.map(|(_, (w, x))| x * w.log_ratios[i]).sum::<f64>() / total
    };
    let n = paired.processes.len();
    let expected: Option<Vec<f64>> = (0..n)
        .map(|i| {
            let signs = route(&paired, Some(i), &resolved)?;
            Some(of_process(i, &|k| signs.get(k) == Some(&-1)))
        })
        .collect();
    let Some(e) = expected.as_deref().and_then(Estimate::of) else {
        return Ok(None);
    };
    let alone: Vec<f64> = (0..n).map(|i| of_process(i, &|_| true)).collect();
    let named = |sign: i8| {
        let all = paired.workloads.iter().zip(&signs);
        all.filter(|(_, s)| **s == sign)
            .map(|(w, _)| w.workload.clone())
            .collect()
    };
    Ok(Some(Split {
        to_b: named(-1),
        to_a: named(1),
        open: named(0),
        ratio: e.mean.exp(),
        interval: e.interval(SPLIT_ALPHA).map(f64::exp),
        b_alone: (alone.iter().sum::<f64>() / n as f64).exp(),
        processes: e.n,
    }))
}

/// -1 for each workload that goes to B, 1 for each proven slower, 0 where nothing is proven.
fn route(paired: &Paired, without: Option<usize>, resolved: &[bool]) -> Option<Vec<i8>> {
    let of = |ratios: &Vec<f64>| {
        let kept = ratios
            .iter()
            .enumerate()
            .filter(|(i, _)| Some(*i) != without);
        Estimate::of(&kept.map(|(_, r)| *r).collect::<Vec<f64>>())
    };
    let estimates: Option<Vec<Estimate>> =
        paired.workloads.iter().map(|w| of(&w.log_ratios)).collect();
    let signs = proven_signs(&estimates?, SPLIT_ALPHA);
    let checked = signs.into_iter().zip(resolved);
    Some(checked.map(|(s, ok)| if *ok { s } else { 0 }).collect())
}

fn above_tick(w: &crate::paired::PairedWorkload, settings: &Settings) -> bool {
    let Some(e) = Estimate::of(&w.log_ratios) else {
        return false;
    };
    let tick = w.tick(settings.tick_ns);
    let difference = w.a_median_ns * e.mean.exp_m1().abs();
    tick.is_none_or(|t| difference > t * (1.0 + 1e-9))
}
