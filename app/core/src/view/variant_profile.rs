//! The counters of one variant on one workload, and where its times lie below the roofs.

use std::collections::BTreeMap;

use super::CounterCompareView;

/// The newest counters of a variant on one workload.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VariantProfile {
    /// Variant.
    pub variant: String,
    /// The workload of the counters; absent when the variant was never profiled.
    pub workload: Option<String>,
    /// Workloads that it was profiled on, in the order of the campaign.
    pub workloads: Vec<String>,
    /// What the counters are compared with: side A of the verdict, a parent or the champion.
    pub against: Option<String>,
    /// Why they are compared with nothing.
    pub alone: Option<String>,
    /// The counters: a column for the reference where there is one, then that of the variant.
    pub counters: Option<CounterCompareView>,
    /// Ids of the records of the variant's counters.
    pub records: Vec<String>,
    /// The roofs and the times below them, or why there are none.
    pub roof: RoofState,
}

/// The roofs of a device, or why there are none.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum RoofState {
    /// They are known.
    Known(RoofView),
    /// The campaign file is not here, or has no formulas that can be computed.
    NoFormulas,
    /// Nobody knows the bandwidth of the device.
    #[default]
    NoPeaks,
    /// Nothing was timed.
    NoTimes,
}

/// The roofs of a device and what lies below them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoofView {
    /// Device.
    pub device: String,
    /// Where its figures come from.
    pub source: String,
    /// The same in Chinese, as far as the files of the device say it.
    pub source_zh: String,
    /// Memory bandwidth in bytes/s.
    pub bytes_per_s: f64,
    /// Peak in flop/s, by the number types of the workloads; a type without a peak is not there.
    pub flops_per_s: BTreeMap<String, f64>,
    /// Timed subjects by workload, the reference before the variant.
    pub points: Vec<RoofSpot>,
}

/// A subject on a workload.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoofSpot {
    /// Subject.
    pub subject: String,
    /// Workload.
    pub workload: String,
    /// Number type.
    pub dtype: String,
    /// Operations of a launch, by the campaign's formula.
    pub flops: f64,
    /// Bytes of a launch, by the campaign's formula.
    pub bytes: f64,
    /// Median time of a launch in nanoseconds.
    pub ns: f64,
    /// The time was published and not measured here.
    pub published: bool,
    /// It was published, and an audit contradicts it.
    pub doubted: bool,
}

impl RoofSpot {
    /// Arithmetic intensity in flop/byte.
    pub fn intensity(&self) -> f64 {
        self.flops / self.bytes
    }

    /// Speed in flop/s.
    pub fn speed(&self) -> f64 {
        self.flops / self.ns * 1e9
    }
}

impl RoofView {
    /// Intensity in flop/byte at which the peak of a type meets the bandwidth.
    pub fn ridge(&self, dtype: &str) -> Option<f64> {
        Some(self.flops_per_s.get(dtype)? / self.bytes_per_s)
    }

    /// The roof above a spot in flop/s: the lesser of the peak of its type and intensity times
    /// bandwidth (Williams, Waterman and Patterson, 2009); absent where its type has no peak and
    /// it cannot be known to lie below the bandwidth.
    pub fn above(&self, spot: &RoofSpot) -> Option<f64> {
        let peak = self.flops_per_s.get(&spot.dtype)?;
        Some(peak.min(spot.intensity() * self.bytes_per_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spot_lies_below_the_roof_of_its_own_type() {
        let roof = RoofView {
            bytes_per_s: 1e12,
            flops_per_s: BTreeMap::from([("f16".into(), 1e14), ("f32".into(), 1e13)]),
            ..RoofView::default()
        };
        let spot = |dtype: &str, flops: f64| RoofSpot {
            dtype: dtype.into(),
            flops,
            bytes: 1e6,
            ns: 1e3,
            ..RoofSpot::default()
        };
        assert_eq!(roof.ridge("f32"), Some(10.0));
        assert_eq!(roof.above(&spot("f32", 5e6)), Some(5e12));
        assert_eq!(roof.above(&spot("f32", 5e7)), Some(1e13));
        assert_eq!(roof.above(&spot("f16", 5e7)), Some(5e13));
        assert_eq!(roof.above(&spot("i8", 5e7)), None);
        assert_eq!(spot("f32", 5e6).speed(), 5e12);
    }
}
