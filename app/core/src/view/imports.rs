//! Views of imported profiler reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FileView;

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
