//! Screening: many variants measured cheaply, to choose which are worth a verdict.
//!
//! What was measured to screen may rank and never proves: it is no measurement, and no verdict is
//! computed from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BlobRef, SampleSummary, Subject};
use crate::{RecordId, Sha256};

/// One variant measured once, in one fresh process, to be ranked.
///
/// It is recorded as soon as it is known, so that a screening that ends before its ranking loses
/// nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Screened {
    /// The screening it belongs to.
    pub screening: RecordId,
    /// The run that built and checked it.
    pub run: RecordId,
    /// The incumbent.
    pub a: Subject,
    /// The variant.
    pub b: Subject,
    /// `pair`, `resident` or `invocation`.
    pub mode: String,
    /// Timer backend, e.g. `clock_monotonic`.
    pub timer: String,
    /// `cold`, `hot` or `rotating`.
    pub cache: String,
    /// Version of the harness protocol.
    pub protocol: u32,
    /// Mirrored blocks in the one process.
    pub blocks: u32,
    /// Raw samples, JSON lines that carry `"screen":true`.
    pub samples: BlobRef,
    /// Summary of the samples.
    pub summary: Vec<SampleSummary>,
    /// What was seen about the machine while measuring.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
    /// Weight of each workload in the geometric mean.
    pub weights: BTreeMap<String, f64>,
    /// Standard deviation of the log-ratio from process to process that the interval has in it;
    /// absent when the machine was not calibrated, and the interval is too narrow then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_sd: Option<f64>,
    /// Time of the variant / time of the incumbent; absent when it could not be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Its 90 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// What becomes of a variant after screening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It goes on to be confirmed with fresh samples.
    Keep,
    /// Neither among the best nor bad enough to drop.
    Spare,
    /// It is not pursued.
    Drop,
    /// It could not be ranked.
    Unranked,
}

impl Fate {
    /// The name in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Spare => "spare",
            Self::Drop => "drop",
            Self::Unranked => "unranked",
        }
    }

    /// Whether the variant goes on to be confirmed. What could not be ranked does: nothing speaks
    /// against it.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::Keep | Self::Unranked)
    }
}

/// One variant in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// Its [`Screened`] record.
    pub screened: RecordId,
    /// Name.
    pub name: String,
    /// Hash of its kernel files.
    pub kernel: Sha256,
    /// Hash of its recipe.
    pub recipe: Sha256,
    /// Raw samples, those of the record.
    pub samples: BlobRef,
    /// Time of the variant / time of the incumbent; absent when it could not be ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Its 90 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// What becomes of it.
    pub fate: Fate,
    /// Why.
    pub why: String,
}

/// The ranking of a screening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Screening {
    /// The screening, as its [`Screened`] records name it.
    pub screening: RecordId,
    /// What every variant was measured against.
    pub incumbent: Subject,
    /// Name of the target, e.g. `local`.
    pub target: String,
    /// Mirrored blocks of each process.
    pub blocks: u32,
    /// The effect that matters, as a ratio minus one.
    pub delta: f64,
    /// Weight of each workload in the geometric mean.
    pub weights: BTreeMap<String, f64>,
    /// Variants that were kept whatever their intervals.
    pub keep: u32,
    /// Standard deviation of the log-ratio from process to process that the intervals have in them;
    /// absent when the machine was not calibrated, and the intervals are too narrow then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_sd: Option<f64>,
    /// The calibration that it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<RecordId>,
    /// The variants, fastest first.
    pub ranking: Vec<Ranked>,
    /// Variants that were asked for and could not be measured, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed: BTreeMap<String, String>,
}

impl Screening {
    /// How many variants have this fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.ranking.iter().filter(|r| r.fate == fate).count()
    }
}
