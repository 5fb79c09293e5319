//! Views of profiler reports: `inspect`, `audit`, and the counters of `compare`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::figures::{AuditedFigure, FigureTotals};

/// `assay inspect PATH… --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileView {
    /// `assay.profile/1`.
    pub schema: String,
    /// Tool of the reports; `mixed` when they come from several.
    pub tool: String,
    /// Flavour of the report; `folder` for a report folder, `mixed` for several reports.
    pub flavour: String,
    /// Device that rates are held against, if one is known.
    pub device: Option<DeviceView>,
    /// The reports that were read.
    pub profiles: Vec<ReportView>,
    /// The files that were looked at, and what became of each.
    pub files: Vec<FileView>,
    /// Launches of all reports.
    pub launches: Vec<LaunchView>,
    /// What rules found.
    pub findings: Vec<FindingView>,
    /// What could not be read or compared, said plainly.
    pub notices: Vec<String>,
}

/// The device that a report is held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceView {
    /// Name of the device file, e.g. `c500`.
    pub name: String,
    /// What it is called, with its share when it is a slice.
    pub title: String,
    /// Share of the whole device, 1 for all of it.
    pub share: f64,
    /// Why it is taken to be this device.
    pub chosen: String,
}

/// One report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportView {
    /// Where it was read from.
    pub path: String,
    /// Tool.
    pub tool: String,
    /// Flavour.
    pub flavour: String,
    /// Version of the tool, where the report says it.
    pub tool_version: Option<String>,
    /// The command that was profiled, where the report says it.
    pub command: Option<String>,
    /// What could not be read and how it was dealt with.
    pub notices: Vec<String>,
}

/// A file and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileView {
    /// Path.
    pub path: String,
    /// `read`, `not_used`, `unreadable` or `not_a_report`.
    pub outcome: String,
    /// Flavour, or why it was not read.
    pub detail: String,
    /// Counters that were read from it.
    pub counters: usize,
    /// SHA-256 of the content of a file that was read.
    pub sha256: Option<String>,
}

/// The counters of one launch, function or program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LaunchView {
    /// Which of `profiles` it is from.
    pub profile: usize,
    /// Kernel, function or program.
    pub kernel: String,
    /// Which launch of that kernel, from 0.
    pub occurrence: Option<u32>,
    /// `per-kernel` or `aggregate`.
    pub scope: String,
    /// Grid.
    pub grid: Option<[u64; 3]>,
    /// Block.
    pub block: Option<[u64; 3]>,
    /// Counters in the order of the report.
    pub counters: Vec<CounterView>,
    /// Figures worked out from the counters, beside what the report says of them.
    pub derived: Vec<DerivedView>,
}

/// One counter as reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterView {
    /// Section of the report.
    pub section: String,
    /// Name as the tool prints it.
    pub name: String,
    /// Name in the catalog.
    pub canonical: Option<String>,
    /// The number; integers exactly.
    pub value: Option<Value>,
    /// The word, where it is none.
    pub text: Option<String>,
    /// Unit as the tool prints it.
    pub unit: String,
    /// What the last digit printed is worth.
    pub resolution: Option<f64>,
    /// The figure as printed.
    pub raw: String,
    /// `value`, `text`, `absent`, `not_supported` or `error`.
    pub status: String,
    /// Why it should not be taken at face value.
    pub suspect: Vec<String>,
}

/// A figure worked out from counters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DerivedView {
    /// Name.
    pub name: String,
    /// Formula over canonical counters.
    pub formula: String,
    /// What it yields.
    pub value: f64,
    /// Unit.
    pub unit: String,
    /// What the report itself says, if it has the figure.
    pub reported: Option<f64>,
    /// Whether the two agree within what their digits allow; absent when the report has none.
    pub agrees: Option<bool>,
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FindingView {
    /// Name of the rule, e.g. `duty-over-100`.
    pub rule: String,
    /// `audit`: the figures cannot be right or do not mean what they seem to; `diagnosis`: what
    /// they say about the kernel.
    pub kind: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// What it is about: kernel, variant or workload.
    pub subject: String,
    /// What was found, with the figures.
    pub message: String,
    /// The same in Simplified Chinese.
    pub message_zh: String,
    /// What to do or to try next; empty when nothing.
    pub advice: String,
    /// The same in Simplified Chinese.
    pub advice_zh: String,
    /// The counters that it rests on.
    pub counters: Vec<UsedFigure>,
    /// The conditions with the figures met and the thresholds.
    pub evidence: String,
    /// Where the rule and its threshold come from.
    pub source: String,
    /// The same in Chinese; absent where its maker has it in English only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source_zh: String,
    /// Records and places of documents that it is of, e.g. `01J… (review 9.3)`; empty where `subject`
    /// says all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<String>,
}

/// A figure that a finding rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsedFigure {
    /// Name, e.g. `inst.mma`; with `a.` or `b.` before it in a finding about a pair.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Unit.
    pub unit: String,
}

/// `assay audit [NAME] --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditView {
    /// `assay.audit/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// Variants that were looked at.
    pub variants: Vec<String>,
    /// Variants with profiles not looked at: a write-up reads 64 MiB of reports, `assay audit` all.
    #[serde(default)]
    pub left_out: usize,
    /// What was found, the worst first.
    pub findings: Vec<FindingView>,
    /// Derived figures computed again: what disagrees first, then what is ambiguous, what could not be
    /// computed, what differs by rounding, and what agrees.
    #[serde(default)]
    pub figures: Vec<AuditedFigure>,
    /// How many derived figures came out how.
    #[serde(default)]
    pub figure_totals: FigureTotals,
    /// Rules that could not be judged, and what is missing for them.
    pub not_judged: Vec<NotJudged>,
    /// What could not be read or compared, said plainly.
    pub notices: Vec<String>,
}

/// A rule that had no evidence to judge by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct NotJudged {
    /// Name of the rule.
    pub rule: String,
    /// What it is about.
    pub subject: String,
    /// The names that have no value.
    pub missing: Vec<String>,
}

/// `assay compare --counters … --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterCompareView {
    /// `assay.counter-compare/1`.
    pub schema: String,
    /// What is compared, in the order asked for.
    pub columns: Vec<ColumnView>,
    /// Which column the changes are against.
    pub base: usize,
    /// One row a counter, the largest weighted change first.
    pub rows: Vec<CounterRow>,
    /// Rows that `--changed-only` left out: compared in all columns, and no change that their digits
    /// can show.
    pub unchanged: usize,
    /// Rows that `--changed-only` left out: they changed, by no more than their threshold.
    pub below_threshold: usize,
    /// Rows that `--changed-only` left out: no column has a figure or a word to compare.
    pub no_figure: usize,
    /// Rows that could not be compared in some column and show no change in the others; they are
    /// among the rows, whatever was left out.
    pub not_compared: usize,
    /// The threshold of counters that have none of their own, in percent.
    pub threshold: f64,
    /// What rules say about each pair with the base.
    pub findings: Vec<FindingView>,
    /// Why columns may not be comparable, and what is missing.
    pub warnings: Vec<String>,
}

/// One side of a comparison of counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ColumnView {
    /// Variant or file.
    pub label: String,
    /// Tool and flavour.
    pub tool: String,
    /// Version of the tool.
    pub tool_version: Option<String>,
    /// Kernel.
    pub kernel: String,
    /// Which launch of it, from 0.
    pub occurrence: Option<u32>,
    /// `per-kernel` or `aggregate`.
    pub scope: String,
    /// How many of the rows it has a value for.
    pub values: usize,
}

/// One counter of all sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterRow {
    /// Section of the report.
    pub section: String,
    /// Name as the tool of the base prints it.
    pub name: String,
    /// Name in the catalog.
    pub canonical: Option<String>,
    /// Unit that all values are in.
    pub unit: String,
    /// `lower`, `higher` or `neither`; absent for a counter that the catalog does not know.
    pub direction: Option<String>,
    /// One cell for each column.
    pub cells: Vec<CellView>,
    /// One change for each column; absent for the base and where none can be said.
    pub changes: Vec<Option<ChangeView>>,
    /// One change that a table prints for the counter, for each column; absent where it prints none.
    pub published: Vec<Option<PublishedView>>,
    /// `changed`, `unchanged`, `below_threshold`, `not_compared` or `no_figure`.
    pub outcome: String,
    /// Changes of this counter up to this many percent are no news.
    pub threshold: f64,
    /// What the rows are sorted by: the largest relative change times the counter's weight.
    pub weighted: f64,
}

/// A counter on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellView {
    /// `value`, `text`, `absent`, `not_supported`, `error`, or `none` when the report lacks it.
    pub status: String,
    /// The value in the row's unit; integers of that unit exactly.
    pub value: Option<Value>,
    /// The figure as printed.
    pub raw: String,
    /// What the last digit printed is worth, in the row's unit.
    pub resolution: Option<f64>,
    /// Why it should not be taken at face value.
    pub suspect: Vec<String>,
}

/// A change against the base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// Difference, in the row's unit; for percentages these are points.
    pub absolute: f64,
    /// Relative change in percent; absent when the base is zero.
    pub percent: Option<f64>,
    /// What the printed digits allow the relative change to be, in percent.
    pub interval: Option<[f64; 2]>,
    /// The change for people: in percent with no more than its digits support, of percentages in
    /// points too; `=` for none.
    pub text: String,
    /// Whether it exceeds what the digits can hide.
    pub resolved: bool,
    /// Whether it exceeds the counter's threshold and what the digits can hide.
    pub changed: bool,
    /// Better, worse, or neither where the counter has no direction or did not change.
    pub better: Option<bool>,
}

/// A change that a table prints beside its figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedView {
    /// As printed, e.g. `-54.35%`.
    pub printed: String,
    /// Whether the figures beside it allow it; absent where that cannot be told.
    pub consistent: Option<bool>,
}
