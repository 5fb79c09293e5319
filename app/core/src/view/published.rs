//! Published figures: part of `assay.show/1` and `assay.compare/1`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FigureView;

/// Published figures of one subject on one workload: they were not measured here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedFigures {
    /// Workload; absent for figures of none, e.g. a number of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// Figures by their names in the catalog; of several the newest.
    pub figures: BTreeMap<String, FigureView>,
    /// Records that they stand in, newest first.
    pub records: Vec<String>,
}

/// Published times of B beside those of A. It is a comparison of what others measured: no verdict
/// follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTimes {
    /// Subject A.
    pub a: String,
    /// Subject B.
    pub b: String,
    /// Workloads with a published time of both.
    pub workloads: usize,
    /// On how many of them B takes less time as it is printed.
    pub faster: usize,
    /// On how many the two times are printed alike.
    pub equal: usize,
    /// Where B takes more time, in the order of the workloads.
    pub slower: Vec<PublishedChange>,
    /// Step in which the times are shown, in nanoseconds, as far as many of them tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_ns: Option<f64>,
    /// Where the two times differ, by no more than that step: no finding about speed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within_step: Vec<String>,
    /// Geometric mean of time A / time B: above 1 is faster.
    pub speedup: f64,
}

/// The change of a published time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedChange {
    /// Workload.
    pub workload: String,
    /// Change of the time of B against that of A, in percent of that of A.
    pub change_percent: f64,
    /// 1 minus the speed-up, in percent: what is often quoted in place of the change.
    pub one_minus_speedup_percent: f64,
}
