//! A chain of accepted changes against one measurement end to end.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BlobRef, SampleSummary, Subject};
use crate::RecordId;

/// Accepts after which the champion is measured against the first baseline of its chain again.
pub const CHAIN_EVERY: u32 = 5;

/// One accepted step of a chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainLink {
    /// The variant that was accepted.
    pub variant: String,
    /// What it was measured against.
    pub against: String,
    /// The acceptance.
    pub decision: RecordId,
    /// The verdict that it rests on.
    pub verdict: RecordId,
    /// Time of the variant / time of `against`.
    pub ratio: f64,
    /// Its confidence interval.
    pub interval: [f64; 2],
}

/// The champion measured against the first baseline of its chain, and what the steps promised.
///
/// It is about the chain: it never stands in the place of the champion's own verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// The first baseline, side A.
    pub a: Subject,
    /// The champion, side B.
    pub b: Subject,
    /// The decision that made it champion.
    pub decision: RecordId,
    /// The accepted steps, oldest first.
    pub links: Vec<ChainLink>,
    /// Name of the target, e.g. `local`.
    pub target: String,
    /// `pair`, `resident` or `invocation`.
    pub mode: String,
    /// Timer backend, e.g. `clock_monotonic`.
    pub timer: String,
    /// Resolution of the timer in nanoseconds, where the harness states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick_ns: Option<f64>,
    /// `cold`, `hot` or `rotating`.
    pub cache: String,
    /// Version of the harness protocol.
    pub protocol: u32,
    /// Fresh processes measured.
    pub processes: u32,
    /// Raw samples, JSON lines.
    pub samples: BlobRef,
    /// Summary of the samples.
    pub summary: Vec<SampleSummary>,
    /// What was seen about the machine while measuring.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
    /// The measurement that the samples belong to; absent when they were taken for this alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<RecordId>,
    /// Version of the procedure behind ratio and interval, e.g. `paired-t/1`.
    pub procedure: String,
    /// The effect that matters, as a ratio minus one.
    pub delta: f64,
    /// The slowdown that no workload may be proven to exceed, as a ratio minus one.
    pub guard: f64,
    /// Weight of each workload in the geometric mean.
    pub weights: BTreeMap<String, f64>,
    /// Time of the champion / time of the baseline, measured at once.
    pub ratio: f64,
    /// Its confidence interval.
    pub interval: [f64; 2],
    /// Product of the ratios of the steps.
    pub promised: f64,
    /// Its interval: the half widths of the steps (of logs) added in squares.
    pub promised_interval: [f64; 2],
    /// Whether the whole measured interval lies above the promised one.
    pub overstated: bool,
    /// The same in words.
    pub text: String,
    /// Time that it took in nanoseconds.
    pub wall_ns: u64,
}
