//! What a machine measures when it measures one thing against itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BlobRef, Environment, SampleSummary, Subject};

/// An A/A calibration: a subject measured against itself, so that every difference is noise.
///
/// It holds for the device and the toolchain in the key of its subject, and for its mode, timer
/// and cache mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// What was measured against itself.
    pub subject: Subject,
    /// Name of the target, e.g. `local`.
    pub target: String,
    /// Where it was measured.
    pub environment: Environment,
    /// `pair`, `resident` or `invocation`.
    pub mode: String,
    /// Timer backend, e.g. `clock_monotonic`.
    pub timer: String,
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
    /// What the result was computed with.
    pub settings: CalibrationSettings,
    /// The result.
    pub noise: MachineNoise,
    /// Whether measuring two at once disturbs; absent when that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
}

/// A subject in a pair against the same subject alone in processes of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Isolation {
    /// Raw samples of the subject alone, JSON lines; those of the pairs are the calibration's.
    pub samples: BlobRef,
    /// Time in the pair / time alone, geometric mean over the workloads.
    pub ratio: f64,
    /// Its 95 % interval; absent with fewer than two processes on a side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Fresh processes in the pair and alone.
    pub processes: [u32; 2],
    /// Whether it is further from 1 than 1 % and, where there is an interval, that leaves 1 out.
    pub disturbed: bool,
}

/// What a calibration is computed with; with the raw samples enough to compute it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationSettings {
    /// The effect that matters, as a ratio minus one.
    pub delta: f64,
    /// The slowdown that no workload may be proven to exceed, as a ratio minus one.
    pub guard: f64,
    /// Least gain of the policy `threshold`, as a share of A's time.
    pub gain: f64,
    /// Numbers of fresh processes after which the procedure looks.
    pub looks: Vec<u32>,
    /// Weight of each workload in the geometric mean.
    pub weights: BTreeMap<String, f64>,
    /// Campaigns drawn from the processes for the false accepts of each policy.
    pub campaigns: u32,
    /// Seed of those draws.
    pub seed: u64,
}

/// The noise of a machine. Effects and floors are ratios minus one, spreads are of logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineNoise {
    /// Fresh processes that entered.
    pub processes: u32,
    /// Time of one side / time of the other; 1 but for noise and bias.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Whether that interval leaves 1 out.
    pub biased: bool,
    /// Standard deviation of the log-ratio from process to process, all workloads together.
    pub sd: f64,
    /// Its 90 % interval.
    pub sd_interval: [f64; 2],
    /// What being first in a block is worth; absent where the order was never flipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<SlotEffect>,
    /// Smallest effect shown with 80 % power, by number of processes.
    pub smallest_effects: Vec<SmallestEffect>,
    /// The smallest delta that the machine supports.
    pub floor: f64,
    /// Each workload.
    pub workloads: Vec<WorkloadNoise>,
    /// How often each policy accepts a change that does nothing.
    pub false_accepts: Vec<FalseAccepts>,
}

/// What being first in a block is worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SlotEffect {
    /// log(time of who comes first / time of who comes second).
    pub effect: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
}

/// The smallest effect that a number of processes shows with 80 % power.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SmallestEffect {
    /// Fresh processes.
    pub processes: u32,
    /// The effect, as a ratio minus one.
    pub effect: f64,
}

/// The noise of one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadNoise {
    /// Workload.
    pub workload: String,
    /// Median time in nanoseconds.
    pub median_ns: f64,
    /// Decade of the median: 3 for times from 1 us to 10 us.
    pub decade: i32,
    /// Standard deviation of the log-ratio from process to process.
    pub sd: f64,
    /// Standard deviation of the log-ratio from block to block inside a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd_block: Option<f64>,
    /// Resolution of the values in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick_ns: Option<f64>,
    /// Whether the harness stated it; else it is the least step between values.
    pub tick_stated: bool,
    /// What being first in a block is worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<SlotEffect>,
}

/// How often a policy accepts a change that does nothing, measured on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FalseAccepts {
    /// Policy, e.g. `median-lower`.
    pub policy: String,
    /// Procedure that it stood for, e.g. `median-lower/1`.
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

impl Calibration {
    /// How often a policy accepts a change that does nothing.
    pub fn false_accepts_of(&self, policy: &str) -> Option<&FalseAccepts> {
        let mut all = self.noise.false_accepts.iter();
        all.find(|f| f.policy == policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::{State, log_row};
    use crate::record::{Body, Record, Verdict};

    const HASH: &str = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";

    fn calibration() -> Calibration {
        let text = r#"{"subject":{"name":"naive","role":"baseline","dirty":false,"key":{
            "kernel":"@","recipe":"@","toolchain":"@","device":"@","evaluator":"@"}},
            "target":"local","environment":{"device":"cpu","stable":{},"volatile":{}},
            "mode":"pair","timer":"t","cache":"hot","protocol":1,"processes":8,
            "samples":{"sha256":"@","bytes":1,"name":"samples.jsonl"},"summary":[],
            "settings":{"delta":0.01,"guard":0.02,"gain":0.03,"looks":[4,8,12],
            "weights":{"w":1.0},"campaigns":100,"seed":4},
            "noise":{"processes":8,"ratio":1.001,"interval":[0.99,1.01],"biased":false,"sd":0.004,
            "sd_interval":[0.003,0.005],"smallest_effects":[{"processes":4,"effect":0.0093}],
            "floor":0.0039,"workloads":[{"workload":"w","median_ns":1500.0,"decade":3,"sd":0.004,
            "tick_stated":true}],"false_accepts":[{"policy":"assay","procedure":"paired-t/2",
            "campaigns":100,"accepted":0,"rate":0.0,"interval":[0.0,0.04],"processes":8}]}}"#;
        serde_json::from_str(&text.replace('@', HASH)).unwrap()
    }

    #[test]
    fn a_calibration_is_a_record_that_belongs_to_no_variant() {
        let at = "2026-11-30T01:02:03Z".parse().unwrap();
        let record = Record::new(at, "someone", "gemm", Body::Calibration(calibration()));
        let bytes = record.to_bytes().unwrap();
        assert_eq!(Record::from_bytes(&bytes).unwrap(), record);
        let row = log_row(&record);
        assert_eq!(
            (row.kind.as_str(), row.variant.as_deref()),
            ("calibration", Some("naive"))
        );
        assert_eq!(
            row.summary,
            "measured against itself in 8 processes (pair, hot): floor 0.39 %; smallest effect 0.93 % with 4"
        );
        let mut again = record.clone();
        again.id = crate::RecordId::fresh(at);
        again.supersedes = Some(record.id);
        again.reason = Some("a clock was not locked".into());
        let mut state = State::fold("gemm", [record.clone()]);
        assert_eq!(state.calibrations().count(), 1);
        assert!(state.variants().is_empty() && state.baselines().is_empty());
        state.add(again.clone());
        let in_use: Vec<_> = state.calibrations().map(|(id, _)| id).collect();
        assert_eq!(in_use, [again.id], "the corrected one is not in use");
    }

    #[test]
    fn the_rate_of_a_policy_is_found_by_its_name() {
        let c = calibration();
        assert_eq!(c.false_accepts_of("assay").unwrap().campaigns, 100);
        assert_eq!(c.false_accepts_of("threshold"), None);
    }

    #[test]
    fn verdicts_of_the_first_version_are_read_and_written_as_they_were() {
        let old: serde_json::Value = serde_json::from_str(
            r#"{"run":"01ARZ3NDEKTSV4RRFFQ69G5FAV","a":"x","b":"y",
            "measurement":"01ARZ3NDEKTSV4RRFFQ69G5FAV","procedure":"paired-t/1","policy":"assay",
            "delta":0.01,"guard":0.02,"null_pair":false,"processes":4,"ratio":0.9,
            "interval":[0.8,0.95],"verdict":"FASTER","reason":"because","workloads":[]}"#,
        )
        .unwrap();
        let verdict: Verdict = serde_json::from_value(old.clone()).unwrap();
        assert_eq!((verdict.gain, verdict.calibration), (None, None));
        // Equal to the byte, or its hash would no longer be that of the record.
        assert_eq!(serde_json::to_value(&verdict).unwrap(), old);
    }
}
