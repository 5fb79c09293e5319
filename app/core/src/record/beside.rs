//! What stands beside a verdict: the control kernel, the ratio in cycles, a proposed dispatch split.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BlobRef, Environment, SampleSummary, Subject};
use crate::RecordId;

/// A control kernel measured against itself, once for all pairs of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// The control kernel.
    pub subject: Subject,
    /// Name of the target, e.g. `local`.
    pub target: String,
    /// Where it was measured.
    pub environment: Environment,
    /// `pair`, `resident` or `invocation`.
    pub mode: String,
    /// Version of the harness protocol.
    pub protocol: u32,
    /// Fresh processes measured.
    pub processes: u32,
    /// Blocks in each of them.
    pub blocks: u32,
    /// Raw samples, JSON lines.
    pub samples: BlobRef,
    /// Summary of the samples.
    pub summary: Vec<SampleSummary>,
    /// What was seen about the machine while measuring.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
    /// What came of it; absent where it could not be read, and `problem` says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ControlRatio>,
    /// Why there is no reading.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub problem: String,
    /// What it took in nanoseconds.
    pub wall_ns: u64,
}

/// What a control kernel read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ControlRatio {
    /// Time of one side / time of the other, geometric mean over processes and workloads.
    pub ratio: f64,
    /// Its 90 % interval.
    pub interval: [f64; 2],
    /// Fresh processes that entered.
    pub processes: u32,
    /// Whether it lies within the limit of the procedure.
    pub ok: bool,
}

/// The control kernel that a verdict was computed under.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnderControl {
    /// Its record.
    pub record: RecordId,
    /// Name of the control kernel.
    pub name: String,
    /// What it read; absent where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ControlRatio>,
}

/// The comparison in cycles (time x clock).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CyclesRatio {
    /// Cycles of B / cycles of A.
    pub ratio: f64,
    /// Its interval, at the level of the interval in time.
    pub interval: [f64; 2],
}

/// A proposal: each workload goes to the side that is faster on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DispatchSplit {
    /// Workloads on which B is proven faster: they would go to B.
    pub to_b: Vec<String>,
    /// Workloads on which B is proven slower: they stay with A.
    pub to_a: Vec<String>,
    /// Workloads on which nothing is proven: they stay with A.
    pub open: Vec<String>,
    /// Expected time after the split / time of A, weighted geometric mean, each process under the
    /// routing that the others chose.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Time of B alone / time of A.
    pub b_alone: f64,
    /// Fresh processes.
    pub processes: u32,
}
