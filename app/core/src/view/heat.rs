//! Ratios of variants by workload: what a heat map is drawn from.

use super::{VerdictView, WorkloadVerdictView};
use crate::record::VerdictKind;

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
    /// Workloads proven faster; none of published times, of which nothing is proven.
    pub wins: Vec<String>,
    /// Workloads proven slower, likewise.
    pub losses: Vec<String>,
}

/// What a ratio of times proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Proven faster.
    Faster,
    /// Proven slower.
    Slower,
    /// Neither is proven, whatever the interval of this figure alone is.
    Noise,
    /// There is no interval to judge by.
    Unknown,
}

impl Side {
    /// What the figures of one workload prove, by the workloads that the verdict has proven faster
    /// and slower ([`proven`](crate::record::proven)).
    fn of(cell: &WorkloadVerdictView, wins: &[String], losses: &[String]) -> Self {
        match cell.interval {
            None => Self::Unknown,
            Some(_) if wins.contains(&cell.workload) => Self::Faster,
            Some(_) if losses.contains(&cell.workload) => Self::Slower,
            Some(_) => Self::Noise,
        }
    }
}

impl VerdictView {
    /// What the figures of one workload prove.
    pub fn side_of(&self, cell: &WorkloadVerdictView) -> Side {
        Side::of(cell, &self.wins, &self.losses)
    }
}

impl HeatRow {
    /// Whether its times were published and not measured here.
    pub fn is_published(&self) -> bool {
        self.verdict.is_none()
    }

    /// What the mean of this row proves: what the verdict says. Published times prove nothing.
    pub fn side(&self) -> Side {
        let is = |kind: VerdictKind| self.verdict.as_deref() == Some(kind.name());
        match self.interval {
            None => Side::Unknown,
            Some(_) if self.is_published() => Side::Unknown,
            Some(_) if is(VerdictKind::Faster) => Side::Faster,
            Some(_) if is(VerdictKind::Slower) => Side::Slower,
            Some(_) => Side::Noise,
        }
    }

    /// What a cell of this row proves.
    pub fn side_of(&self, cell: &WorkloadVerdictView) -> Side {
        match self.is_published() {
            true => Side::Unknown,
            false => Side::of(cell, &self.wins, &self.losses),
        }
    }
}
