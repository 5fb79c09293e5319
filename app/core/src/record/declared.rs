//! What is declared and where it ran: evaluator, variant, subject, environment, run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::BlobRef;
use crate::{RecordId, Sha256};

/// The pinned evaluator of a campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluator {
    /// Commit that the protected files are taken from.
    pub commit: String,
    /// Hash of the protected files' contents.
    pub tree: Sha256,
    /// Hash of `assay.toml`.
    pub config: Sha256,
    /// Folder of the campaign inside the repository; empty for the root.
    pub folder: String,
    /// Why it was pinned or changed.
    pub why: String,
    /// Names of the canaries that it declares: what it must notice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub canaries: Vec<String>,
}

/// A change expected in a counter, stated before measuring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Canonical counter name, e.g. `inst.shared`, or `time`.
    pub counter: String,
    /// `<`, `<=`, `>` or `>=`.
    pub op: String,
    /// The bound, as relative change against the parent, in percent.
    pub percent: f64,
}

/// A declared variant: a branch with a parent and a hypothesis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Name, unique in the campaign.
    pub name: String,
    /// Full name of the branch, e.g. `assay/gemm-cpu/blocking`.
    pub branch: String,
    /// Parent variants; empty for a root, two for a combination.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// Commit that the branch started from.
    pub base: String,
    /// The hypothesis.
    pub why: String,
    /// Family of ideas, e.g. `b-layout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Knobs that it sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub knobs: BTreeMap<String, String>,
    /// What should move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<Prediction>,
}

/// What evidence is keyed by: content, not commit.
///
/// Two pieces of evidence may be compared only when `evaluator`, `device` and `toolchain` agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentKey {
    /// Hash of the kernel files (paths, modes and contents).
    pub kernel: Sha256,
    /// Hash of build command, flags and `variant.toml`.
    pub recipe: Sha256,
    /// Hash of the compilers' identity.
    pub toolchain: Sha256,
    /// Hash of the stable part of the environment fingerprint.
    pub device: Sha256,
    /// Hash of the protected files.
    pub evaluator: Sha256,
}

/// What a stage worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Name of the variant or baseline.
    pub name: String,
    /// Whether it is a variant or a baseline.
    pub role: Role,
    /// Where the content was found (a locator, not the key); absent for a baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether the work tree held uncommitted changes to kernel files.
    #[serde(default)]
    pub dirty: bool,
    /// The key of the evidence.
    pub key: ContentKey,
}

/// What a benchmark subject is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// One of the competing variants.
    Variant,
    /// A reference implementation, never in competition.
    Baseline,
}

/// The stages of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Compile the variant.
    Build,
    /// Capture the generated source.
    Source,
    /// Correctness and gates.
    Check,
    /// Paired measurement.
    Bench,
    /// Counters.
    Profile,
}

impl Stage {
    /// All stages in the order in which they run.
    pub const ALL: [Self; 5] = [
        Self::Build,
        Self::Source,
        Self::Check,
        Self::Bench,
        Self::Profile,
    ];

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Source => "source",
            Self::Check => "check",
            Self::Bench => "bench",
            Self::Profile => "profile",
        }
    }
}

/// Why something failed: the closed list that the ledger uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A stage ran past its time limit.
    Timeout,
    /// The build failed.
    Compile,
    /// The kernel could not be started.
    Launch,
    /// The kernel or its harness crashed.
    Runtime,
    /// A result was wrong.
    Correctness,
    /// A limit of the device or the campaign was exceeded.
    Constraint,
    /// The compiler dropped the fast path that the campaign requires.
    LoweringLost,
    /// The measurement was too noisy to use.
    Noisy,
    /// The measurement looks as if the evaluator was fooled.
    ExploitSuspected,
    /// The machine, the file system or a tool failed.
    Infra,
    /// Someone stopped it.
    Cancelled,
}

impl FailureKind {
    /// The name in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Compile => "compile",
            Self::Launch => "launch",
            Self::Runtime => "runtime",
            Self::Correctness => "correctness",
            Self::Constraint => "constraint",
            Self::LoweringLost => "lowering_lost",
            Self::Noisy => "noisy",
            Self::ExploitSuspected => "exploit_suspected",
            Self::Infra => "infra",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A failure, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// In which stage.
    pub stage: Stage,
    /// One line that says what happened.
    pub message: String,
    /// The end of the program's error output, at most a few KiB.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr_tail: String,
}

/// Environment of a run, split so that only what is stable is hashed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// Name of the device for people, e.g. the CPU model.
    pub device: String,
    /// Hashed: model, core count, memory, operating system, tool versions.
    pub stable: BTreeMap<String, String>,
    /// Recorded, not hashed: clocks, load, temperature, other processes.
    pub volatile: BTreeMap<String, String>,
}

/// A run: the stages done for one variant content on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Joins the records of one run.
    pub run: RecordId,
    /// What was run.
    pub subject: Subject,
    /// Name of the target, e.g. `local`.
    pub target: String,
    /// Stages that were asked for.
    pub stages: Vec<Stage>,
    /// Stages that ended well.
    pub done: Vec<Stage>,
    /// Why it stopped, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Where it ran.
    pub environment: Environment,
    /// Wall time in nanoseconds.
    pub wall_ns: u64,
    /// Records made by this run, in order.
    pub records: Vec<RecordId>,
    /// What the stage that failed left, as it is: a report by half, raw counters without a report. To be looked
    /// at; nothing is computed from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<BlobRef>,
}
