//! What the interface needs from the rest of Assay.
//!
//! The command line implements [`Backend`] over the engine; tests implement it over fixed data.
//! Every call may block: the runtime calls them on worker threads only.

use std::path::PathBuf;

use assay_core::record::DecisionKind;
use assay_core::view::{
    AuditView, CompareView, HeatView, JobView, ListView, LogRow, LogView, RecordView, SampleSet,
    ShowView, Standing, VariantProfile,
};
use assay_source::diff::OpenDiff;

use crate::event::{DiffKey, ProfileKey};
use crate::options::Lang;
use crate::state::ExportOrder;

/// The engine as the interface sees it. An error is one text that says what failed and what to do.
pub trait Backend: Send + Sync + 'static {
    /// All variants of the campaign.
    fn list(&self) -> Result<ListView, String>;
    /// Everything about one variant.
    fn show(&self, name: &str) -> Result<ShowView, String>;
    /// Variants side by side, in the order given.
    fn compare(&self, names: &[String]) -> Result<CompareView, String>;
    /// The diff of the kernel source, or of the generated source. Its rows are made when they are
    /// looked at.
    fn diff(&self, key: &DiffKey) -> Result<OpenDiff, String>;
    /// Ratios by workload of all variants that have some.
    fn heat(&self) -> Result<HeatView, String>;
    /// Samples of a pair, reference first; none where none are stored here.
    fn samples(&self, pair: &[String; 2]) -> Result<Vec<SampleSet>, String> {
        self.compare(pair).map(|view| view.samples)
    }
    /// Counters of a variant on a workload, against what it came from, and the roofs above it.
    fn profile(&self, key: &ProfileKey) -> Result<VariantProfile, String>;
    /// What audit and diagnosis find in the reports of a variant, errors first.
    fn findings(&self, variant: &str) -> Result<AuditView, String>;
    /// The records of the ledger, newest first.
    fn log_view(&self) -> Result<LogView, String>;
    /// Records that are evidence about these variants, of each the newest first; an id stands for its
    /// record.
    fn evidence(&self, names: &[String]) -> Result<Vec<LogRow>, String>;
    /// One record, with what is stored beside it.
    fn record(&self, id: &str) -> Result<RecordView, String>;
    /// What an acceptance of a variant would be judged by now, by the function that judges it.
    fn standing(&self, name: &str) -> Result<Standing, String>;
    /// Records a decision; the answer is the champion afterwards. `overrides` are (gate, reason), `seen` is the
    /// place of the champion that [`Self::standing`] told: another one by now refuses an acceptance.
    fn decide(
        &self,
        name: &str,
        kind: DecisionKind,
        reason: &str,
        overrides: &[(String, String)],
        seen: Option<&[String]>,
    ) -> Result<Option<String>, String>;
    /// Orders a run of these variants, which goes on whatever becomes of the interface; the answer is
    /// the id of the job.
    fn run(&self, names: &[String]) -> Result<String, String>;
    /// Orders once more what a job did; the answer is the id of the new one.
    fn run_again(&self, id: &str) -> Result<String, String>;
    /// The jobs of the campaign, newest first. Cheap: asked for several times a second while one runs.
    fn jobs(&self) -> Result<Vec<JobView>, String>;
    /// The log of a job from a byte on; a late part of it where it is long.
    fn job_log(&self, id: &str, from: u64) -> Result<JobLog, String>;
    /// Asks a job to stop.
    fn cancel(&self, id: &str) -> Result<(), String>;
    /// Declares a variant.
    fn create(&self, name: &str, parent: Option<&str>, why: &str) -> Result<(), String> {
        let _ = (name, parent, why);
        Err("declaring a variant is not available here: use `assay new NAME --why TEXT`".into())
    }
    /// Writes the report; the answer is its path.
    fn report(&self) -> Result<String, String>;
    /// The write-up as Markdown, and where it would be written.
    fn report_text(&self, lang: Lang) -> Result<ReportText, String> {
        let _ = lang;
        Err("the report is not available here: use `assay report`".into())
    }
    /// The rules of a write-up and what they came to.
    fn report_checks(&self, lang: Lang) -> Result<ReportChecks, String> {
        let _ = lang;
        Err("the checks are not available here: use `assay report --check`".into())
    }
    /// Writes files; the answer is their paths. An error says what was written before it.
    fn export(&self, order: &ExportOrder) -> Result<Vec<String>, String> {
        let _ = order;
        Err("exporting is not available here: use `assay report -o DIR`".into())
    }
    /// Writes a table into a file of this name where the reports lie; the answer is its path.
    fn save(&self, name: &str, text: &str) -> Result<String, String> {
        let _ = (name, text);
        Err("writing files is not available here".into())
    }
    /// Opens the work tree of a variant; an error says where it is when there is no editor.
    fn edit(&self, name: &str) -> Result<EditPlace, String> {
        let _ = name;
        Err("editing is not available here: use `assay edit NAME`".into())
    }
    /// Commits the edits of a variant to its branch; the answer is one line to show.
    fn commit(&self, name: &str) -> Result<String, String> {
        let _ = name;
        Err("committing is not available here: use `assay commit NAME`".into())
    }
    /// Whether nothing can be run, decided or declared here, as in a ledger that is a plain folder.
    fn read_only(&self) -> bool {
        false
    }
    /// A token that changes when the ledger changes. Cheap: asked for about once a second.
    fn ledger_version(&self) -> Option<String>;
}

/// Where a variant is edited, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditPlace {
    /// The editor as the user names it, which may hold arguments.
    pub editor: String,
    /// Its work tree.
    pub folder: PathBuf,
    /// What is opened.
    pub files: Vec<PathBuf>,
}

/// The write-up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportText {
    /// Markdown, as it would be written.
    pub markdown: String,
    /// Folder in which reports of this campaign lie unless another is named.
    pub folder: String,
}

/// What stands against the write-up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportChecks {
    /// Each rule, and what it came to.
    pub rules: Vec<RuleLine>,
}

/// A rule of a write-up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleLine {
    /// Whether it is kept; absent where that cannot be said.
    pub holds: Option<bool>,
    /// What it asks for.
    pub text: String,
    /// What stands against it or is not known.
    pub found: Vec<String>,
}

/// A part of the log of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobLog {
    /// Byte of the log at which it begins: later than was asked for when what lies before is gone.
    pub from: u64,
    /// Byte at which it ends, to ask from next.
    pub end: u64,
    /// Whole lines.
    pub text: String,
}
