//! Views of imported profiler reports and benchmark logs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FileView;
use crate::record::{NamedText, ReadingRow, RowProblem};

/// `assay import PATH… --variant NAME --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileImportView {
    /// `assay.import-profile/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// The variant that the report is filed under.
    pub variant: String,
    /// The commit at which its content was found.
    pub commit: String,
    /// `same`: the source given equals the captured one; `differs`: it does not, and a note says
    /// why it counts; `unchecked`: none was given.
    pub source_checked: String,
    /// The records, one for each workload.
    pub records: Vec<ImportedView>,
    /// The files that were looked at, and what became of each.
    pub files: Vec<FileView>,
    /// What could not be read or was left out, said plainly.
    pub notices: Vec<String>,
}

/// A profile as it was filed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedView {
    /// Record id.
    pub id: String,
    /// Workload.
    pub workload: String,
    /// Tool; `published` for figures of a table.
    pub tool: String,
    /// Kernel, or the row of the table; absent for all kernels together.
    pub kernel: Option<String>,
    /// Launches of it in the report.
    pub launches: Option<u32>,
    /// Counters that have a name in the catalog.
    pub counters: usize,
    /// How many of them differ between the launches; their median is taken.
    pub varying: usize,
    /// The same report was filed under this content before, and nothing was written.
    pub already: bool,
}

/// `assay import LOG… --json`: benchmark logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogImportView {
    /// `assay.import-log/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// Folder of the ledger that the logs are kept in; absent for the branch of a repository.
    pub folder: Option<String>,
    /// Only said, and nothing was written.
    pub dry_run: bool,
    /// The logs.
    pub logs: Vec<ImportedLogView>,
}

/// A benchmark log as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedLogView {
    /// Record id; absent on a dry run of what is not filed.
    pub id: Option<String>,
    /// The file as named.
    pub path: String,
    /// Form of the log, e.g. `tileops`.
    pub kind: String,
    /// Hash of its content.
    pub sha256: String,
    /// The same log was filed before in the same way, and nothing was written.
    pub already: bool,
    /// The record that this one corrects: the same log, filed with other words beside it.
    pub corrects: Option<String>,
    /// What was timed, in the order of the log.
    pub subjects: Vec<String>,
    /// Subjects that the others are held against.
    pub baselines: Vec<String>,
    /// Names of further figures that rows have.
    pub figures: Vec<String>,
    /// What the log says about its machine and run.
    pub facts: Vec<NamedText>,
    /// The device, where the log names one.
    pub device: Option<String>,
    /// Rows with a time.
    pub timed: u64,
    /// Rows without one.
    pub failed: u64,
    /// The rows.
    pub rows: Vec<ReadingRow>,
    /// Rows that could not be used, the first ones.
    pub problems: Vec<RowProblem>,
    /// What a person should know before using it.
    pub notices: Vec<String>,
}
