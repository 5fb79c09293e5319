//! Ratios of variants by workload: what a heat map is drawn from.

use super::WorkloadVerdictView;

/// Ratios of all variants that have some, each against its own reference.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatView {
    /// One row a variant and reference, in the order of the names.
    pub rows: Vec<HeatRow>,
}

/// The ratios of one variant against one reference.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatRow {
    /// Variant.
    pub name: String,
    /// What its times are divided by: side A of its verdict; of published times the parent, or a
    /// baseline.
    pub against: String,
    /// Word of the verdict; absent for published times, of which no verdict follows.
    pub verdict: Option<String>,
    /// Ids of the records: verdict and measurement, or the profiles with published times.
    pub records: Vec<String>,
    /// Geometric mean of time B / time A.
    pub ratio: Option<f64>,
    /// Confidence interval of the mean; absent for published times.
    pub interval: Option<[f64; 2]>,
    /// Each workload.
    pub cells: Vec<WorkloadVerdictView>,
    /// Workloads with a shorter time: proven of a verdict, as printed of published times.
    pub wins: usize,
    /// Workloads with a longer time, likewise.
    pub losses: usize,
}

impl HeatRow {
    /// Whether its times were published and not measured here.
    pub fn is_published(&self) -> bool {
        self.verdict.is_none()
    }
}
