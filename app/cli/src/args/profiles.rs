//! Arguments of the commands about profiler reports in a campaign.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LogArgs;

/// What `compare` compares.
#[derive(Debug, Args)]
#[command(
    after_help = "With --counters the exit code says nothing of a verdict: 0 is done, 3 usage or input error."
)]
pub struct CompareArgs {
    /// The variants; a pair is always B against A.
    #[arg(required_unless_present = "files", num_args = 2..)]
    pub names: Vec<String>,
    /// Only the counters of their profiles, from the raw reports: unknown ones too, as printed.
    #[arg(long)]
    pub counters: bool,
    /// Compare report files, without a campaign; `FILE#N` or `FILE#KERNEL` takes one launch of it, one file alone all of its launches.
    #[arg(long, requires = "counters", num_args = 1.., value_name = "FILE", conflicts_with = "names")]
    pub files: Option<Vec<String>>,
    /// Changes are against this one (default: the first).
    #[arg(long, requires = "counters", value_name = "NAME")]
    pub base: Option<String>,
    /// Leave out counters that did not change, or by no more than the threshold; those that could not be compared stay.
    #[arg(long, requires = "counters")]
    pub changed_only: bool,
    /// A change up to this is no news, `NAME=P%` or `P%` for all; repeatable (default: 1%, for a published time, `claim.time`, 0.5%).
    #[arg(long = "threshold", requires = "counters", value_name = "NAME=P%")]
    pub thresholds: Vec<String>,
    /// The workload that was profiled (default: that of `[profile]`).
    #[arg(long, requires = "counters", value_name = "W")]
    pub workload: Option<String>,
    /// The kernel: its name, or a part that only one has.
    #[arg(long, requires = "counters", value_name = "TEXT")]
    pub kernel: Option<String>,
    /// Which launch of the kernel, from 0 (default: the one nearest to the median of all).
    #[arg(long, requires = "counters", value_name = "N")]
    pub launch: Option<u32>,
    /// How to print it.
    #[arg(long, requires = "counters", value_enum, default_value_t = TableFormat::Table)]
    pub format: TableFormat,
    /// Read files as this mapping says (with --files).
    #[arg(long, requires = "files", value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Read counters, devices and rules of your own in this folder as well.
    #[arg(long, requires = "counters", value_name = "DIR")]
    pub profiles: Option<PathBuf>,
}

/// Forms of a comparison of counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// A table as wide as the terminal.
    Table,
    /// One JSON document, as with --json.
    Json,
    /// One line a counter and column.
    Csv,
    /// A Markdown table.
    Md,
}

/// What `import` takes, and as what.
#[derive(Debug, Args)]
#[command(
    after_help = "A folder or repository is a ledger, whose records are taken. A file is a benchmark log: what it prints \
becomes a table of the report, with its raw content kept. It can be read again and is no evidence for a verdict. \
Where there is no campaign, logs are kept in assay-logs/, and `assay report` there writes the tables. \
The keys --value, --unit, --pattern, --labels, --tag-column and --delimiter mean what they mean in [bench.parse]."
)]
pub struct ImportArgs {
    /// Ledgers (folders, repositories) or benchmark logs (files); with --variant the files and folders of one profiler report.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// File a profiler report, or a table of published figures, under this variant as it stands, or under a
    /// baseline of the campaign file.
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// The workload that was profiled (default: that of `[profile]`).
    #[arg(long, requires = "variant", value_name = "W")]
    pub workload: Option<String>,
    /// The kernel: its name, or a part that only one has (default: the only one, or what `[profile] kernel` matches).
    #[arg(long, requires = "variant", value_name = "TEXT")]
    pub kernel: Option<String>,
    /// Which launch of the kernel, from 0 (default: the medians of all, with their range).
    #[arg(long, requires = "variant", value_name = "N")]
    pub launch: Option<u32>,
    /// Take what is added up over all kernels of the process; it says nothing of a single kernel.
    #[arg(long, requires = "variant")]
    pub aggregate: bool,
    /// The target that the report or log is from (of a report: local unless given).
    #[arg(long, value_name = "T")]
    pub target: Option<String>,
    /// The format; `auto` tells it by content.
    #[arg(long, requires = "variant", default_value = assay_engine::counters::AUTO, value_name = "F")]
    pub format: String,
    /// Read a CSV or JSON that no reader knows as this file says.
    #[arg(long, requires = "variant", value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// The generated source that was profiled: it must be what this variant generates.
    #[arg(long, requires = "variant", value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// A remark to keep with it; with --source also why a report of other source counts.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Read counters, devices and rules of your own in this folder as well.
    #[arg(long, requires = "variant", value_name = "DIR")]
    pub profiles: Option<PathBuf>,
    /// How benchmark logs are read.
    #[command(flatten)]
    pub log: LogArgs,
}

/// What `audit` looks at.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 no rule found an error and no derived figure disagrees, 1 one did, 3 usage or input error, 4 environment or tool failure."
)]
pub struct AuditArgs {
    /// Only this variant (default: all that have a profile, the champion, and the figures of all
    /// records).
    pub name: Option<String>,
    /// Read counters, devices and rules of your own in this folder as well.
    #[arg(long, value_name = "DIR")]
    pub profiles: Option<PathBuf>,
}
