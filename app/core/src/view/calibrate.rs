//! What `assay calibrate` shows: peaks of the processor, and the noise of the machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RecordId;
use crate::record::{Calibration, FalseAccepts, Isolation};

/// `assay calibrate --json`.
///
/// What was not measured this time is `null` or empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrateView {
    /// `assay.calibrate/1`.
    pub schema: String,
    /// Name of the device, for `--device`.
    pub device: String,
    /// What it is called.
    pub title: String,
    /// The device file that was written.
    pub file: Option<String>,
    /// The compiler and its flags.
    pub compiler: Option<String>,
    /// Threads that were used at most.
    pub threads: Option<u32>,
    /// Bytes of each of the arrays whose transport was timed.
    pub array_bytes: Option<u64>,
    /// Peaks that were measured.
    pub peaks: Vec<PeakView>,
    /// What speaks against the figures, and what to do.
    pub remarks: Vec<String>,
    /// The calibration that was measured now; absent outside a campaign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<NoiseView>,
    /// All calibrations of this device in the campaign, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<NoiseView>,
}

/// One peak that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeakView {
    /// Name in the device file.
    pub name: String,
    /// Which of several of that name; may be empty.
    pub label: String,
    /// Unit.
    pub unit: String,
    /// The best repetition.
    pub best: f64,
    /// The median repetition.
    pub median: f64,
    /// Repetitions.
    pub repetitions: u32,
    /// Threads.
    pub threads: u32,
}

/// One A/A calibration: a subject against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseView {
    /// Id of the record.
    pub id: String,
    /// When, RFC 3339.
    pub at: String,
    /// What was measured against itself.
    pub subject: String,
    /// Target.
    pub target: String,
    /// Harness mode.
    pub mode: String,
    /// Timer.
    pub timer: String,
    /// Cache mode.
    pub cache: String,
    /// Hash of the compilers' identity, abridged.
    pub toolchain: String,
    /// Fresh processes that entered.
    pub processes: u32,
    /// Time of one side / time of the other; 1 but for noise and bias.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Whether that interval leaves 1 out.
    pub biased: bool,
    /// Standard deviation of the log-ratio from process to process.
    pub sd: f64,
    /// The smallest delta that the machine supports (0.004 is 0.4 %).
    pub floor: f64,
    /// The effect that matters, as the campaign had it.
    pub delta: f64,
    /// Smallest effect shown with 80 % power, by number of processes.
    pub smallest_effects: Vec<SmallestEffectView>,
    /// Noise of each workload.
    pub workloads: Vec<WorkloadNoiseView>,
    /// How often each policy accepts a change that does nothing.
    pub false_accepts: Vec<FalseAcceptsView>,
    /// Whether measuring two at once disturbs; absent when that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<IsolationView>,
}

/// A subject in a pair against the same subject alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IsolationView {
    /// Time in the pair / time alone.
    pub ratio: f64,
    /// Its 95 % interval; absent with fewer than two processes on a side.
    pub interval: Option<[f64; 2]>,
    /// Fresh processes in the pair and alone.
    pub processes: [u32; 2],
    /// Whether it is further from 1 than 1 % and, where there is an interval, that leaves 1 out.
    pub disturbed: bool,
}

impl From<&Isolation> for IsolationView {
    fn from(i: &Isolation) -> Self {
        Self {
            ratio: i.ratio,
            interval: i.interval,
            processes: i.processes,
            disturbed: i.disturbed,
        }
    }
}

/// What a look at a pair against a subject alone has shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairFinding {
    /// A pair disturbs.
    Disturbs,
    /// The interval lies within the limit on both sides: a pair does not disturb by more.
    Within,
    /// Neither is shown; how far off it could be (0.05 is 5 %), where there is an interval.
    Open(Option<f64>),
}

impl IsolationView {
    /// How far from 1 a subject in a pair may be (0.01 is 1 %).
    pub const LIMIT: f64 = 0.01;

    /// What was shown; that nothing was found is no evidence that there is nothing.
    pub fn finding(&self) -> PairFinding {
        let off = self.interval.map(|[low, high]| {
            let slower = high - 1.0;
            let faster = 1.0 / low - 1.0;
            slower.max(faster)
        });
        match off {
            _ if self.disturbed => PairFinding::Disturbs,
            Some(off) if off <= Self::LIMIT => PairFinding::Within,
            off => PairFinding::Open(off.filter(|off| off.is_finite())),
        }
    }
}

/// The smallest effect that a number of processes shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SmallestEffectView {
    /// Fresh processes.
    pub processes: u32,
    /// The effect (0.01 is 1 %).
    pub effect: f64,
}

/// The noise of one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadNoiseView {
    /// Workload.
    pub workload: String,
    /// Median time in nanoseconds.
    pub median_ns: f64,
    /// Decade of the median: 3 for times from 1 us to 10 us.
    pub decade: i32,
    /// Standard deviation of the log-ratio from process to process.
    pub sd: f64,
    /// Resolution of the values in nanoseconds.
    pub tick_ns: Option<f64>,
}

/// How often a policy accepts a change that does nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FalseAcceptsView {
    /// Policy.
    pub policy: String,
    /// Procedure that it stood for.
    pub procedure: String,
    /// Campaigns that were drawn.
    pub campaigns: u32,
    /// Campaigns that ended FASTER.
    pub accepted: u32,
    /// Share of those, 0 to 1.
    pub rate: f64,
    /// 95 % interval of the share.
    pub interval: [f64; 2],
    /// Real processes that were drawn from.
    pub processes: u32,
}

impl From<&FalseAccepts> for FalseAcceptsView {
    fn from(f: &FalseAccepts) -> Self {
        Self {
            policy: f.policy.clone(),
            procedure: f.procedure.clone(),
            campaigns: f.campaigns,
            accepted: f.accepted,
            rate: f.rate,
            interval: f.interval,
            processes: f.processes,
        }
    }
}

impl NoiseView {
    /// A calibration as shown; `at` is when it was recorded.
    pub fn new(id: RecordId, at: String, c: &Calibration) -> Self {
        let n = &c.noise;
        Self {
            id: id.to_string(),
            at,
            subject: c.subject.name.clone(),
            target: c.target.clone(),
            mode: c.mode.clone(),
            timer: c.timer.clone(),
            cache: c.cache.clone(),
            toolchain: c.subject.key.toolchain.short().to_owned(),
            processes: n.processes,
            ratio: n.ratio,
            interval: n.interval,
            biased: n.biased,
            sd: n.sd,
            floor: n.floor,
            delta: c.settings.delta,
            smallest_effects: (n.smallest_effects.iter())
                .map(|e| SmallestEffectView {
                    processes: e.processes,
                    effect: e.effect,
                })
                .collect(),
            workloads: (n.workloads.iter())
                .map(|w| WorkloadNoiseView {
                    workload: w.workload.clone(),
                    median_ns: w.median_ns,
                    decade: w.decade,
                    sd: w.sd,
                    tick_ns: w.tick_ns,
                })
                .collect(),
            false_accepts: n.false_accepts.iter().map(FalseAcceptsView::from).collect(),
            isolation: c.isolation.as_ref().map(IsolationView::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{IsolationView, PairFinding};

    #[test]
    fn that_no_disturbance_was_found_is_no_evidence_that_there_is_none() {
        let of = |interval, disturbed| {
            IsolationView {
                ratio: 1.0092,
                interval,
                processes: [4, 4],
                disturbed,
            }
            .finding()
        };
        let within = Some([0.995, 1.009]);
        assert_eq!(of(within, false), PairFinding::Within);
        assert_eq!(of(within, true), PairFinding::Disturbs);
        assert_eq!(of(None, false), PairFinding::Open(None));
        for (interval, most) in [([0.9719, 1.0478], 0.0478), ([0.95, 1.0], 1.0 / 0.95 - 1.0)] {
            let PairFinding::Open(Some(off)) = of(Some(interval), false) else {
                panic!("{interval:?} settles nothing");
            };
            assert!((off - most).abs() < 1e-12, "{off}");
        }
    }
}
