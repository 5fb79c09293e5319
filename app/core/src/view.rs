//! Views: what the command line prints as JSON and the terminal interface shows.
//!
//! Each document carries its schema. Keys are only ever added within a version.

mod beside;
mod calibrate;
mod canary;
mod cited;
mod counters;
mod diff;
mod figures;
mod heat;
mod imports;
mod jobs;
mod notes;
mod published;
mod record;
mod said;
mod stages;
mod variant_profile;

use std::collections::BTreeMap;

use crate::text::inert;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::CapturedTwice;

pub use beside::{ControlView, CyclesView, SplitView, rate};
pub use calibrate::{
    CalibrateView, FalseAcceptsView, IsolationView, NoiseView, PairFinding, PeakView,
    SmallestEffectView, WorkloadNoiseView,
};
pub use canary::{CanariesView, CanaryView, UntimedView};
pub use cited::FigureRecords;
pub use counters::{
    AuditView, CellView, ChangeView, ColumnView, CounterCompareView, CounterRow, CounterView,
    DerivedView, DeviceView, FileView, FindingView, LaunchView, NotJudged, ProfileView,
    PublishedView, ReportView, UsedFigure,
};
pub use diff::{
    CaptureComparison, DiffLine, DiffPiece, DiffView, FileDiff, HunkNote, KernelPairView,
    SourceStatement,
};
pub use figures::{AuditedFigure, FigureTotals};
pub use heat::{HeatRow, HeatView, Side};
pub use imports::{ImportedLogView, ImportedView, LogImportView, ProfileImportView};
pub use jobs::{JobState, JobView, JobsView};
pub use notes::{NoteView, NotesView, TableView};
pub use published::{
    DOUBTED_MARK, DoubtedFigure, PUBLISHED_MARK, PublishedChange, PublishedFigures, PublishedTimes,
    doubting_rules,
};
pub use record::{RecordView, StoredFile};
pub use said::{Said, SaidList, SaidStep, SaidValue};
pub use stages::{ChainView, EndToEndView, RankedView, ScreenedView, ScreeningView};
pub use variant_profile::{RoofSpot, RoofState, RoofView, VariantProfile};

/// One gate as shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateView {
    /// Name of the gate.
    pub name: String,
    /// Passed or not; absent when there is no evidence.
    pub pass: Option<bool>,
    /// The figures it was judged by.
    pub evidence: String,
    /// Reason of the override, if it was overridden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overridden: Option<String>,
    /// It stands as it stood at a decision, which no later evidence has overtaken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decided: bool,
}

/// A failure as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureView {
    /// Kind, e.g. `compile`.
    pub kind: String,
    /// Stage, e.g. `build`.
    pub stage: String,
    /// One line.
    pub message: String,
    /// End of the error output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr_tail: String,
}

impl From<&crate::record::Failure> for FailureView {
    fn from(f: &crate::record::Failure) -> Self {
        Self {
            kind: f.kind.name().into(),
            stage: f.stage.name().into(),
            message: f.message.clone(),
            stderr_tail: f.stderr_tail.clone(),
        }
    }
}

/// A decision as shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionView {
    /// `accept`, `reject`, `park` or `rollback`.
    pub kind: String,
    /// The reason given.
    pub reason: String,
    /// Who decided.
    pub by: String,
    /// `policy` or `person`.
    pub decided_by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// One variant in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantRow {
    /// Record id of the declaration.
    pub id: String,
    /// Name.
    pub name: String,
    /// First parent.
    pub parent: Option<String>,
    /// All parents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// `new`, `failed`, `built`, `checked`, `measured`, `accepted`, `rejected`, `parked`,
    /// `champion`, `contested`, `rolled_back`; of what variants are measured against `baseline`.
    pub status: String,
    /// Family.
    pub family: Option<String>,
    /// Knobs.
    pub knobs: BTreeMap<String, String>,
    /// Hypothesis.
    pub why: String,
    /// Commit of the newest evidence, or of the declaration when there is none.
    pub commit: Option<String>,
    /// Median time in nanoseconds for each workload.
    pub median_ns: BTreeMap<String, f64>,
    /// Workloads whose median was published elsewhere and not measured here: it may be compared, and
    /// no verdict follows from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<String>,
    /// Published figures that an audit contradicts: they stand as they were printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubted: Vec<DoubtedFigure>,
    /// Time of this variant / time of `against`.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio.
    pub interval: Option<[f64; 2]>,
    /// What it was measured against.
    pub against: Option<String>,
    /// Verdict word.
    pub verdict: Option<String>,
    /// How it was screened, if it was: a rank from one process, never a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screened: Option<ScreenedView>,
    /// The branch holds other kernel content than the evidence.
    #[serde(default)]
    pub stale: bool,
    /// Gates.
    pub gates: Vec<GateView>,
    /// Failure of the newest run, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureView>,
    /// Failure of a later run that was stopped, or whose machine or device failed, so that the
    /// evidence before it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later_failure: Option<FailureView>,
    /// Newest decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionView>,
    /// When anything was last recorded about it, RFC 3339.
    pub updated_at: String,
}

impl VariantRow {
    /// Geometric mean of the medians in nanoseconds; absent when a workload is missing.
    pub fn geomean_ns(&self, workloads: &[String]) -> Option<f64> {
        let logs: Option<Vec<f64>> = workloads
            .iter()
            .map(|w| self.median_ns.get(w).map(|m| m.ln()))
            .collect();
        logs.filter(|l| !l.is_empty())
            .map(|l| (l.iter().sum::<f64>() / l.len() as f64).exp())
    }
}

/// `assay list --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListView {
    /// `assay.list/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// Devices that the shown measurements were taken on, joined by ` and `; where nothing was
    /// measured, that of the newest run that did not fail.
    pub device: Option<String>,
    /// Name of the champion.
    pub champion: Option<String>,
    /// Names of the accepted variants that contest the place, when it is contested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contested: Vec<String>,
    /// Workload names in the order of the campaign file.
    pub workloads: Vec<String>,
    /// Variants, oldest first.
    pub variants: Vec<VariantRow>,
    /// The accepted steps to the champion; absent when no verdict leads to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<ChainView>,
    /// Records that this version could not use: damaged ones, and those that it does not know.
    #[serde(default)]
    pub unreadable: u64,
    /// Of these, damaged ones: no records at all, or with content that does not match its hash.
    #[serde(default)]
    pub damaged: u64,
    /// Nothing can be run or decided here: a ledger in a plain folder.
    #[serde(default)]
    pub read_only: bool,
    /// Further campaigns in the same ledger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherCampaign>,
}

/// A further campaign in a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherCampaign {
    /// Its name.
    pub campaign: String,
    /// Variants in it.
    pub variants: usize,
}

/// One workload of a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadVerdictView {
    /// Workload.
    pub workload: String,
    /// Weight.
    pub weight: f64,
    /// Time B / time A.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio.
    pub interval: Option<[f64; 2]>,
    /// Median of A in nanoseconds.
    pub a_median_ns: Option<f64>,
    /// Median of B in nanoseconds.
    pub b_median_ns: Option<f64>,
    /// Proven slower beyond the guard.
    pub guard_broken: bool,
}

impl From<&crate::record::WorkloadVerdict> for WorkloadVerdictView {
    fn from(w: &crate::record::WorkloadVerdict) -> Self {
        Self {
            workload: w.workload.clone(),
            weight: w.weight,
            ratio: w.ratio,
            interval: w.interval,
            a_median_ns: w.a_median_ns,
            b_median_ns: w.b_median_ns,
            guard_broken: w.guard_broken,
        }
    }
}

/// `assay verdict --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictView {
    /// `assay.verdict/1`.
    pub schema: String,
    /// Subject A.
    pub a: String,
    /// Subject B.
    pub b: String,
    /// Policy.
    pub policy: String,
    /// Procedure and version.
    pub procedure: String,
    /// The effect that matters (0.01 is 1 %).
    pub delta: f64,
    /// Fresh processes.
    pub processes: u32,
    /// Time B / time A.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio.
    pub interval: Option<[f64; 2]>,
    /// Verdict word.
    pub verdict: String,
    /// Why.
    pub reason: String,
    /// What would settle it.
    pub next: String,
    /// Each workload.
    pub workloads: Vec<WorkloadVerdictView>,
    /// Remarks beside the verdict.
    pub warnings: Vec<String>,
    /// Least gain that the policy `threshold` accepts (0.03 is 3 %); absent for other policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// How often the policy accepts a change that does nothing; absent without a calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_accepts: Option<FalseAcceptsView>,
    /// A condition that held throughout, e.g. `power cap`; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<String>,
    /// The comparison in cycles; absent where clocks are not known for each leg or not locked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<CyclesView>,
    /// Workloads proven faster, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wins: Vec<String>,
    /// Workloads proven slower, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// A proposed dispatch split; absent without wins and losses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitView>,
    /// The control kernel of the session; absent where none is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlView>,
    /// Level of the interval (0.9 is 90 %); absent where there is no interval, and in a verdict of
    /// the ledger, whose reason names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
    /// The record of the calibration that the verdict is read with; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<String>,
}

/// A figure with its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureView {
    /// Value.
    pub value: f64,
    /// Unit.
    pub unit: String,
}

/// What an acceptance of a variant would be judged by now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Standing {
    /// The gates as they stand, against the present champion.
    pub gates: Vec<GateView>,
    /// Ids of the decisions that hold the place of the champion.
    pub place: Vec<String>,
    /// What to say of whose name would stand under a decision; nothing where it is known.
    pub nameless: Option<String>,
}

/// A prediction and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictionView {
    /// As written, e.g. `inst.shared<-30%`.
    pub text: String,
    /// Observed relative change in percent.
    pub observed_percent: Option<f64>,
    /// Whether it held.
    pub held: Option<bool>,
    /// Records that the observed change follows from: the decision that states it, the verdict, or
    /// those of the parent and of the variant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<String>,
    /// Why there is no percentage, safe to print; empty where there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// `assay show NAME --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShowView {
    /// `assay.show/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// The row of the list.
    pub variant: VariantRow,
    /// Branch; empty for a baseline.
    pub branch: String,
    /// Tip of the branch now; absent when the branch is gone, and where there is none.
    pub tip: Option<String>,
    /// The branch holds other kernel content than the evidence.
    pub stale: bool,
    /// Predictions and outcomes.
    pub predictions: Vec<PredictionView>,
    /// Verdict with its workloads.
    pub verdict: Option<VerdictView>,
    /// Correctness per workload, as one line each.
    pub checks: Vec<CheckView>,
    /// Steps that are not in the timed region, and what they cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untimed: Vec<UntimedView>,
    /// Counters of the newest profile.
    pub counters: BTreeMap<String, FigureView>,
    /// Published figures of the present content, one row for each workload in the order of the campaign file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedFigures>,
    /// Tool that the counters come from.
    pub counter_tool: Option<String>,
    /// Facts of the generated source.
    pub facts: BTreeMap<String, FigureView>,
    /// How the generated source of a second build compares; absent where it was built once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twice: Option<CapturedTwice>,
    /// Environment of the newest run.
    pub environment: BTreeMap<String, String>,
    /// All decisions, oldest first.
    pub decisions: Vec<DecisionView>,
    /// Notes about it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteView>,
    /// Failed stages that left files, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptView>,
    /// Evidence: kind and record id, oldest first.
    pub evidence: Vec<EvidenceView>,
    /// The records that the figures of this view are from.
    #[serde(default, skip_serializing_if = "FigureRecords::is_empty")]
    pub records: FigureRecords,
    /// Of the champion: the accepted steps to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<ChainView>,
}

/// Correctness on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckView {
    /// Workload.
    pub workload: String,
    /// Largest absolute error.
    pub max_abs_error: Option<f64>,
    /// Largest relative error.
    pub max_rel_error: Option<f64>,
    /// Right or not.
    pub ok: bool,
    /// Detail.
    pub detail: String,
}

/// A stage that failed, with the files that it left: they are not whole, and nothing is computed from them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptView {
    /// Record of the run.
    pub id: String,
    /// When, RFC 3339.
    pub at: String,
    /// Stage.
    pub stage: String,
    /// Kind of the failure.
    pub kind: String,
    /// What went wrong.
    pub message: String,
    /// The files.
    pub files: Vec<LeftFile>,
}

/// A file that a failed stage left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Hash of its content.
    pub sha256: String,
}

/// A record as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceView {
    /// Record id.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// When, RFC 3339.
    pub at: String,
    /// One line.
    pub summary: String,
}

/// A figure of several subjects side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedFigure {
    /// Name.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// One value for each subject, in order; absent where there is none.
    pub values: Vec<Option<f64>>,
    /// Relative change of the last against the first in percent; absent when it cannot be said.
    pub change_percent: Option<f64>,
}

/// `assay compare A B [C…] --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareView {
    /// `assay.compare/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// Rows of the compared variants, in the order asked for.
    pub variants: Vec<VariantRow>,
    /// The verdict on the pair, when it was measured as a pair.
    pub verdict: Option<VerdictView>,
    /// Where there is no paired measurement, why, and what to run.
    pub verdict_missing: Option<String>,
    /// Medians in nanoseconds, one row for each workload.
    pub workloads: Vec<ComparedFigure>,
    /// What published times come to, where none was measured as a pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedTimes>,
    /// Counters, union over all.
    pub counters: Vec<ComparedFigure>,
    /// The workload that the counters of each variant are of, in their order; null where it has
    /// none, or they are of no workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counter_workloads: Vec<Option<String>>,
    /// Facts of the generated source, union over all.
    pub facts: Vec<ComparedFigure>,
    /// Facts that differ beside counters of both profiles; of a pair only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attribution: Vec<SourceStatement>,
    /// Raw samples in nanoseconds by workload and subject, of the paired measurement.
    pub samples: Vec<SampleSet>,
    /// Remarks: different device, evaluator, toolchain.
    pub warnings: Vec<String>,
}

impl CompareView {
    /// The workload of the counters, safe to show; where they are of several, with the variants.
    pub fn counters_of(&self) -> Option<String> {
        let known: Vec<&String> = self.counter_workloads.iter().flatten().collect();
        let first = known.first()?;
        if known.iter().all(|w| w == first) {
            return Some(inert(first).into_owned());
        }
        let each = self.variants.iter().zip(&self.counter_workloads);
        let each = each.filter_map(|(v, w)| Some(format!("{}: {}", v.name, w.as_ref()?)));
        Some(inert(&each.collect::<Vec<_>>().join(", ")).into_owned())
    }
}

/// Raw samples of one subject on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SampleSet {
    /// Workload.
    pub workload: String,
    /// Subject.
    pub subject: String,
    /// Samples in nanoseconds, in the order taken.
    pub values_ns: Vec<f64>,
}

/// `assay log --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogView {
    /// `assay.log/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// Records, newest first.
    pub records: Vec<LogRow>,
}

/// One record in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogRow {
    /// Record id.
    pub id: String,
    /// When, RFC 3339.
    pub at: String,
    /// Who.
    pub by: String,
    /// Kind.
    pub kind: String,
    /// Variant concerned, if any.
    pub variant: Option<String>,
    /// One line.
    pub summary: String,
    /// The record it corrects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
}
