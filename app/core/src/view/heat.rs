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
    /// Gain that the verdict asks for, as a ratio minus one (0.01 is 1 %); absent for published times.
    pub delta: Option<f64>,
    /// Workloads proven faster; none of published times, of which nothing is proven.
    pub wins: usize,
    /// Workloads proven slower, likewise.
    pub losses: usize,
}

/// What a ratio of times proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Faster, by more than delta.
    Faster,
    /// Slower.
    Slower,
    /// Neither: the interval holds 1, or what it shows is too small to matter.
    Noise,
    /// There is no interval to judge by.
    Unknown,
}

impl HeatRow {
    /// Whether its times were published and not measured here.
    pub fn is_published(&self) -> bool {
        self.verdict.is_none()
    }

    /// What a ratio of this row proves, by the rules of a verdict: a gain counts above delta only,
    /// and what lies within delta on both sides is the same. Published times prove nothing.
    pub fn side(&self, ratio: Option<f64>, interval: Option<[f64; 2]>) -> Side {
        let (Some(ratio), Some([lo, hi]), false) = (ratio, interval, self.is_published()) else {
            return Side::Unknown;
        };
        let bound = 1.0 + self.delta.unwrap_or(0.0);
        if hi < 1.0 && ratio < 1.0 / bound {
            Side::Faster
        } else if lo > 1.0 && hi >= bound {
            Side::Slower
        } else {
            Side::Noise
        }
    }

    /// What a cell of this row proves.
    pub fn side_of(&self, cell: &WorkloadVerdictView) -> Side {
        self.side(cell.ratio, cell.interval)
    }
}
