//! What a report is made of.

use std::collections::BTreeMap;

use assay_core::record::CLAIMED_TIME;
use assay_core::view::{
    AuditView, CanaryView, DecisionView, DoubtedFigure, FileDiff, FindingView, GateView,
    IsolationView, ListView, NoteView, SampleSet, ShowView, SourceStatement, TableView, VariantRow,
};
use serde::{Deserialize, Serialize};

use crate::check::Verification;
use crate::logs::LogTable;

/// `ReportModel::median_of` where the medians are means over all workloads.
pub const GEOMETRIC_MEAN: &str = "geometric mean";

/// Everything that a report shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportModel {
    /// Title of the campaign.
    pub title: String,
    /// All variants.
    pub list: ListView,
    /// The variants in lineage order, parents first.
    pub shows: Vec<ShowView>,
    /// The chain of accepted versions with the rows between them, parents first.
    pub chain: Vec<ChainRow>,
    /// What the medians in `chain` are of: the name of a workload, or [`GEOMETRIC_MEAN`].
    pub median_of: String,
    /// The claim; when absent it is taken from the champion's own row.
    pub claim: Option<Claim>,
    /// What the task was.
    pub task: Task,
    /// Environment of the evidence.
    pub environment: BTreeMap<String, String>,
    /// The devices of the evidence, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<String>,
    /// How it was measured and judged.
    pub protocol: Protocol,
    /// Runs done over all variants, where they were counted.
    pub runs: Option<u64>,
    /// Unified kernel diff against the parent, by name of the variant.
    pub kernel_diffs: BTreeMap<String, String>,
    /// The first lines of the same diffs, for formats that show them in colour.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernel_files: BTreeMap<String, Vec<FileDiff>>,
    /// What became of the generated source against the parent's, by name of the variant.
    #[serde(default)]
    pub sources: BTreeMap<String, SourceChange>,
    /// Direction of counters and facts, by canonical name.
    pub better: BTreeMap<String, Better>,
    /// Counters over all workloads that were profiled, by name of the variant; oldest set first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, Vec<CounterSet>>,
    /// When the report was made, RFC 3339.
    pub generated_at: String,
    /// Name and version of the program.
    pub tool_version: String,
    /// Commands that repeat the campaign, one a line.
    pub reproduce: Vec<String>,
    /// Commits of the two sides that the claim was measured on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claim_commits: Vec<MeasuredCommit>,
    /// Commands by which a README beside the records measures again; only where nothing can be run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readme: Vec<String>,
    /// Raw samples of the newest paired measurement, by variant: both sides on each workload.
    #[serde(default)]
    pub samples: BTreeMap<String, Vec<SampleSet>>,
    /// What the device can reach at best; without it there is no roofline.
    #[serde(default)]
    pub peaks: Option<Peaks>,
    /// Imported benchmark logs, oldest first.
    #[serde(default)]
    pub logs: Vec<LogTable>,
    /// What the champion's reports say about the kernel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnosis: Vec<FindingView>,
    /// What in the figures cannot be right, or is not what it seems; absent where it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditView>,
    /// Accepted variants whose counters are not of the build that was timed, and how they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_builds: Vec<String>,
    /// Accepted variants with their evaluators, where those do not all have the same one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_evaluators: Vec<String>,
    /// Figures that are not what the record beside them says; absent where that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub miscited: Option<Vec<String>>,
    /// What verification came to; absent where it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verification>,
    /// Notes about the campaign, its variants and baselines, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteView>,
    /// Tables that published figures were filed from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<PublishedTable>,
}

/// A side of a measurement, and the commit that it was at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MeasuredCommit {
    /// Variant.
    pub name: String,
    /// Its commit.
    pub commit: String,
}

/// Counters of a variant on one workload by one tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CounterSet {
    /// Tool with its version, e.g. `perf stat 6.1`.
    pub tool: String,
    /// Workload that ran under it.
    pub workload: String,
    /// Whether the report was imported and not taken by a run.
    #[serde(default)]
    pub is_imported: bool,
    /// Whether these are times and rates that were published.
    #[serde(default)]
    pub is_published: bool,
    /// Records that the figures are from, newest first.
    pub records: Vec<String>,
    /// Figures by canonical name.
    pub figures: BTreeMap<String, Counter>,
}

/// A counter, and where it is from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Counter {
    /// Value in `unit`.
    pub value: f64,
    /// Unit; `1` for plain counts.
    pub unit: String,
    /// Record that states it.
    pub record: String,
}

impl CounterSet {
    /// Whether both are by one tool and came in one way, so that their figures mean the same.
    pub(crate) fn is_of_tool(&self, other: &Self) -> bool {
        let way = |s: &Self| (s.is_imported, s.is_published);
        self.tool == other.tool && way(self) == way(other)
    }
}

/// A table that was published, as it was filed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PublishedTable {
    /// The table; its own columns say which document and section each row is from.
    pub table: TableView,
    /// Variants and baselines that its figures are filed under.
    pub subjects: Vec<String>,
    /// What its figures are from, by the mapping that they were read with.
    pub tools: Vec<String>,
    /// Records made from it.
    pub records: Vec<String>,
}

/// How the generated source of a variant differs from that of its parent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceChange {
    /// Equal after normalisation.
    pub normalised_equal: bool,
    /// What the facts come to, and counters beside them.
    pub statements: Vec<SourceStatement>,
    /// Unified diff of what is left after normalisation.
    pub diff: String,
    /// The first lines of the same diff, for formats that show it in colour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileDiff>,
}

/// What a device can reach at best.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Peaks {
    /// Device.
    pub device: String,
    /// Where the figures come from, e.g. a record or a data sheet.
    pub source: String,
    /// The same in Chinese; empty where it is there in English only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source_zh: String,
    /// Record of a measured peak, else the file that states it, e.g. `devices/c500.toml`.
    #[serde(default)]
    pub record: String,
    /// Memory bandwidth in bytes/s.
    pub bytes_per_s: f64,
    /// Peak in flop/s by number type.
    pub flops_per_s: BTreeMap<String, f64>,
}

/// Which way a figure should move; figures that are in neither class are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
}

/// A row of the result chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainRow {
    /// Version.
    pub name: String,
    /// Its first parent.
    pub parent: Option<String>,
    /// Median time in nanoseconds of `ReportModel::median_of`.
    pub median_ns: Option<f64>,
    /// Time / time of `against`.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio.
    pub interval: Option<[f64; 2]>,
    /// What the ratio is against.
    pub against: Option<String>,
    /// Verdict word.
    pub verdict: Option<String>,
    /// Whether all that is known of it is a rank.
    #[serde(default)]
    pub only_screened: bool,
    /// Gates.
    pub gates: Vec<GateView>,
    /// Newest decision.
    pub decision: Option<DecisionView>,
}

/// What the report claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The version that the claim is about.
    pub variant: String,
    /// What it was measured against.
    pub against: Option<String>,
    /// Time / time of `against`.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio.
    pub interval: Option<[f64; 2]>,
    /// Verdict word.
    pub verdict: Option<String>,
    /// Fresh processes behind it.
    pub processes: Option<u32>,
}

/// The task contract.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Task {
    /// What a variant may change.
    pub kernel_paths: Vec<String>,
    /// The evaluator's files.
    pub protected: Vec<String>,
    /// Commit of the pinned evaluator.
    pub evaluator: Option<String>,
    /// Workloads.
    pub workloads: Vec<TaskWorkload>,
    /// Gates.
    pub gates: Vec<TaskGate>,
    /// Baselines.
    pub baselines: Vec<Baseline>,
}

/// A workload of the task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TaskWorkload {
    /// Name.
    pub name: String,
    /// Dimensions in order.
    pub dims: Vec<(String, u64)>,
    /// Element type.
    pub dtype: String,
    /// Weight in the geometric mean.
    pub weight: Option<f64>,
    /// Floating-point operations by the campaign's formula.
    pub flops: Option<f64>,
    /// Bytes by the campaign's formula.
    pub bytes: Option<f64>,
}

/// A gate of the task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskGate {
    /// Name.
    pub name: String,
    /// Rule.
    pub rule: String,
}

/// A baseline measured beside the variants.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Baseline {
    /// Name.
    pub name: String,
    /// Median time in nanoseconds for each workload.
    pub median_ns: BTreeMap<String, f64>,
    /// Record of each of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub records: BTreeMap<String, String>,
}

/// How it was measured and judged. What is not known is absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Protocol {
    /// The effect that matters (0.01 is 1 %).
    pub delta: Option<f64>,
    /// Loss allowed on a single workload (0.02 is 2 %).
    pub guard: Option<f64>,
    /// Numbers of processes after which the procedure looks.
    pub looks: Vec<u32>,
    /// Procedure and version.
    pub procedure: Option<String>,
    /// Policy.
    pub policy: Option<String>,
    /// Mode of the harness.
    pub mode: Option<String>,
    /// Mirrored blocks in a process.
    pub blocks: Option<u32>,
    /// Shortest leg, as in the campaign file.
    pub min_leg: Option<String>,
    /// Cache mode.
    pub cache: Option<String>,
    /// Timer.
    pub timer: Option<String>,
    /// Noise floor from A/A calibration (0.004 is 0.4 %); absent when it was not calibrated.
    pub noise_floor: Option<f64>,
    /// What measuring two at once does to one of them; absent when that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<IsolationView>,
    /// Kernels that were broken or slowed on purpose, and whether the evaluator noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub canaries: Vec<CanaryView>,
    /// A condition that held throughout the newest measurement, e.g. `power cap`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<String>,
    /// The control kernel of the newest verdict and what it read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
}

impl ChainRow {
    /// The row of a variant; its median is that of the workload `median_of`.
    pub fn from_row(row: &VariantRow, median_of: &str) -> Self {
        Self {
            name: row.name.clone(),
            parent: row.parent.clone(),
            median_ns: row.median_ns.get(median_of).copied(),
            ratio: row.ratio,
            interval: row.interval,
            against: row.against.clone(),
            verdict: row.verdict.clone(),
            only_screened: row.verdict.is_none() && row.screened.is_some(),
            gates: row.gates.clone(),
            decision: row.decision.clone(),
        }
    }
}

impl ReportModel {
    /// A model with the list and nothing else; the chain is the accepted variants of the list.
    pub fn new(list: ListView) -> Self {
        let median_of = list.workloads.first().cloned().unwrap_or_default();
        let chain = list
            .variants
            .iter()
            .filter(|v| was_accepted(v))
            .map(|v| ChainRow::from_row(v, &median_of))
            .collect();
        Self {
            title: list.campaign.clone(),
            list,
            shows: Vec::new(),
            chain,
            median_of,
            claim: None,
            task: Task::default(),
            environment: BTreeMap::new(),
            devices: Vec::new(),
            protocol: Protocol::default(),
            runs: None,
            kernel_diffs: BTreeMap::new(),
            kernel_files: BTreeMap::new(),
            sources: BTreeMap::new(),
            better: BTreeMap::new(),
            counters: BTreeMap::new(),
            generated_at: String::new(),
            tool_version: String::new(),
            reproduce: Vec::new(),
            claim_commits: Vec::new(),
            readme: Vec::new(),
            samples: BTreeMap::new(),
            peaks: None,
            logs: Vec::new(),
            diagnosis: Vec::new(),
            audit: None,
            other_builds: Vec::new(),
            other_evaluators: Vec::new(),
            miscited: None,
            verified: None,
            notes: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// Whether there are benchmark logs and nothing else, as where there is no campaign.
    pub(crate) fn is_logs_alone(&self) -> bool {
        !self.logs.is_empty() && self.list.variants.is_empty() && self.task == Task::default()
    }

    /// What an audit says against the published times of a variant, on any workload.
    pub(crate) fn doubts_of(&self, name: &str) -> Vec<&DoubtedFigure> {
        let row = self.list.variants.iter().find(|v| v.name == name);
        let row = row.into_iter().filter(|v| v.time_is_doubted(None));
        row.flat_map(|v| v.doubts(None, CLAIMED_TIME)).collect()
    }

    /// Whether an audit contradicts a published figure of a record.
    pub(crate) fn is_doubted(&self, record: &str, figure: &str) -> bool {
        let mut all = self.list.variants.iter().flat_map(|v| &v.doubted);
        all.any(|d| d.record == record && d.figure == figure)
    }

    /// Whether a variant has medians that were published and not measured here.
    pub(crate) fn has_published(&self, name: &str) -> bool {
        let rows = &self.list.variants;
        rows.iter()
            .any(|v| v.name == name && !v.published.is_empty())
    }

    /// Whether all figures were published, and nothing was measured here.
    pub(crate) fn is_published(&self) -> bool {
        let rows = &self.list.variants;
        let measured =
            |v: &VariantRow| v.verdict.is_some() || v.median_ns.len() > v.published.len();
        rows.iter().any(|v| !v.published.is_empty()) && !rows.iter().any(measured)
    }

    /// The level of the interval of a verdict against `against`, e.g. `98.6 %`, as its reason states it.
    pub(crate) fn level(&self, name: &str, against: Option<&str>) -> Option<&str> {
        let verdict = self.show(name)?.verdict.as_ref()?;
        if Some(verdict.a.as_str()) != against {
            return None;
        }
        let (before, _) = verdict.reason.split_once(" interval ")?;
        let level = before.rsplit_once('(')?.1;
        let number = level.strip_suffix('%')?.trim();
        number.parse::<f64>().ok().map(|_| level)
    }

    /// The record of a published time; empty where it was not handed over.
    pub(crate) fn published_record(&self, name: &str, workload: &str) -> &str {
        let mut sets = self.counters_of(name).iter();
        let set = sets.find(|s| s.is_published && s.workload == workload);
        let time = set.and_then(|s| s.figures.get(CLAIMED_TIME));
        time.map_or("", |c| c.record.as_str())
    }

    /// Counters of a variant, one set for each tool and workload.
    pub(crate) fn counters_of(&self, name: &str) -> &[CounterSet] {
        self.counters.get(name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn show(&self, name: &str) -> Option<&ShowView> {
        self.shows.iter().find(|s| s.variant.name == name)
    }

    /// The claim given, or the one that the champion's row supports.
    pub(crate) fn claim(&self) -> Option<Claim> {
        if self.claim.is_some() {
            return self.claim.clone();
        }
        let name = self.list.champion.as_deref()?;
        let row = self.list.variants.iter().find(|v| v.name == name)?;
        Some(Claim {
            variant: row.name.clone(),
            against: row.against.clone(),
            ratio: row.ratio,
            interval: row.interval,
            verdict: row.verdict.clone(),
            processes: self
                .show(name)
                .and_then(|s| s.verdict.as_ref())
                .map(|v| v.processes),
        })
    }
}

/// Whether the variant is or was a champion.
pub fn was_accepted(row: &VariantRow) -> bool {
    matches!(
        row.status.as_str(),
        "champion" | "accepted" | "contested" | "rolled_back"
    )
}
