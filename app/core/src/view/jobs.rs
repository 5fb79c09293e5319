//! Jobs: runs that go on by themselves, whoever looks at them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `assay jobs`: the queue of a repository, newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct JobsView {
    /// `assay.jobs/1`.
    pub schema: String,
    /// The jobs.
    pub jobs: Vec<JobView>,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// It waits for those before it.
    #[default]
    Queued,
    /// It runs.
    Running,
    /// It ended well.
    Done,
    /// It failed; the result says why.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// Its process ended without a word: it was killed, or the machine went down.
    Lost,
}

impl JobState {
    /// Its word, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }

    /// Whether nothing more will come of it.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// One job.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct JobView {
    /// Identifier, which sorts by the time at which it was asked for.
    pub id: String,
    /// What it does, e.g. `run tile-128`.
    pub title: String,
    /// The variants it runs.
    pub names: Vec<String>,
    /// Where it stands.
    pub state: JobState,
    /// The variant that it is at.
    pub subject: Option<String>,
    /// What it is doing, e.g. `bench`.
    pub phase: Option<String>,
    /// Steps of the phase that are done.
    pub done: u64,
    /// Steps of the phase in all; 0 where that is not known.
    pub total: u64,
    /// Estimated time that the phase will yet take, in nanoseconds.
    pub left_ns: Option<u64>,
    /// When it was asked for.
    pub asked_at: String,
    /// When its turn came.
    pub began_at: Option<String>,
    /// When it ended.
    pub ended_at: Option<String>,
    /// Time since its turn came, until its end or until now, in nanoseconds.
    pub elapsed_ns: Option<u64>,
    /// What came of it: the verdicts, or what failed.
    pub result: Option<String>,
    /// Process; absent before it began and where it lives on another host.
    pub pid: Option<u32>,
    /// Host on which it runs.
    pub host: Option<String>,
    /// Bytes that were written to its log; what is older than the newest few may be gone.
    pub log_bytes: u64,
    /// Folder of its files.
    pub folder: String,
}
