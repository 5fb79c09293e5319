//! What records hold, one type for each kind.
//!
//! Times are in nanoseconds (`_ns`), sizes in bytes, and ratios are time B / time A. An absent
//! figure is `None`, never zero.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{RecordId, Sha256};

macro_rules! bodies {
    ($($(#[$doc:meta])* $name:ident = $kind:literal),* $(,)?) => {
        /// The content of a record.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Body {
            $($(#[$doc])* $name($name),)*
            /// A kind or shape that this version does not know; kept as it is.
            Unknown {
                /// The kind as it stands in the record.
                kind: String,
                /// The body as it stands in the record.
                body: Value,
                /// Why it was not understood.
                problem: String,
            },
        }

        impl Body {
            /// Every kind of record that this version knows.
            pub const KINDS: &[&str] = &[$($kind),*];

            /// The name of the kind as it stands in the record.
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$name(_) => $kind,)*
                    Self::Unknown { kind, .. } => kind,
                }
            }

            pub(super) fn to_parts(&self) -> Result<(String, Value), serde_json::Error> {
                let body = match self {
                    $(Self::$name(b) => serde_json::to_value(b)?,)*
                    Self::Unknown { body, .. } => body.clone(),
                };
                Ok((self.kind().to_owned(), body))
            }

            pub(super) fn from_parts(kind: &str, body: Value) -> Self {
                match kind {
                    $($kind => match serde_json::from_value(body.clone()) {
                        Ok(b) => Self::$name(b),
                        Err(e) => Self::Unknown { kind: kind.into(), body, problem: e.to_string() },
                    },)*
                    _ => Self::Unknown { kind: kind.into(), body, problem: "unknown kind".into() },
                }
            }
        }

        $(impl From<$name> for Body { fn from(b: $name) -> Self { Self::$name(b) } })*
    };
}

bodies! {
    /// The evaluator (harness, oracle, tests, campaign file) is pinned or changed.
    Evaluator = "evaluator",
    /// A variant is declared.
    Variant = "variant",
    /// A run is over, well or not.
    Run = "run",
    /// A build is done.
    Build = "build",
    /// Generated source is captured.
    Source = "source",
    /// Correctness and gates are checked.
    Check = "check",
    /// Raw samples are taken.
    Measurement = "measurement",
    /// Counters are taken.
    Profile = "profile",
    /// The decision procedure has spoken.
    Verdict = "verdict",
    /// A person, an agent or the written policy has decided.
    Decision = "decision",
    /// Free text.
    Note = "note",
    /// A record was removed on purpose and must not come back with a merge.
    Tombstone = "tombstone",
}

/// A blob referenced by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobRef {
    /// SHA-256 of the content.
    pub sha256: Sha256,
    /// Size in bytes.
    pub bytes: u64,
    /// What it is, e.g. `log`, `samples.jsonl`, `kernel.s`.
    pub name: String,
}

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
}

/// A figure with unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The value; never NaN or infinite.
    pub value: f64,
    /// Unit as text, e.g. `bytes`, `ns`, `instructions`, `1`.
    pub unit: String,
}

/// A built file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artefact {
    /// Path relative to the build folder.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: Sha256,
    /// Size in bytes.
    pub bytes: u64,
}

/// The outcome of a build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// The run it belongs to.
    pub run: RecordId,
    /// What was built.
    pub subject: Subject,
    /// The command as run.
    pub command: Vec<String>,
    /// Wall time in nanoseconds.
    pub wall_ns: u64,
    /// Files it made.
    pub artefacts: Vec<Artefact>,
    /// Hash of the code sections alone, where they could be read: equal means a null pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_code: Option<Sha256>,
    /// Resource usage: registers, spills, code size.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Figure>,
    /// Compiler output.
    pub log: BlobRef,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// Captured generated source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The run it belongs to.
    pub run: RecordId,
    /// Whose source it is.
    pub subject: Subject,
    /// Language, e.g. `asm-x86_64`.
    pub language: String,
    /// The files.
    pub files: Vec<BlobRef>,
    /// Hash of the files as they are.
    pub raw: Sha256,
    /// Hash after normalisation.
    pub normalised: Sha256,
    /// Facts by name, e.g. `vector.fma`; counts have unit `1`.
    pub facts: BTreeMap<String, Figure>,
}

/// Correctness on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Workload.
    pub workload: String,
    /// Largest absolute error against the oracle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_abs_error: Option<f64>,
    /// Largest relative error against the oracle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rel_error: Option<f64>,
    /// What else the harness said, e.g. where the first wrong element is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Whether the harness itself called it right; the gates judge apart from it.
    pub ok: bool,
}

/// The result of one gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// Name of the gate.
    pub name: String,
    /// Passed or not; `None` when there is no evidence to judge by.
    pub pass: Option<bool>,
    /// The figures it was judged by, or what is missing.
    pub evidence: String,
}

/// The outcome of the check stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The run it belongs to.
    pub run: RecordId,
    /// What was checked.
    pub subject: Subject,
    /// Results, one for each workload.
    pub results: Vec<CheckResult>,
    /// Gates judged so far.
    pub gates: Vec<GateResult>,
    /// Output of the check program.
    pub log: BlobRef,
}

/// Summary of one subject on one workload, over all valid legs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleSummary {
    /// Workload.
    pub workload: String,
    /// Subject.
    pub subject: String,
    /// Number of samples.
    pub n: u64,
    /// Median time in nanoseconds.
    pub median_ns: f64,
    /// Smallest time in nanoseconds.
    pub min_ns: f64,
    /// Median absolute deviation in nanoseconds.
    pub mad_ns: f64,
}

/// Raw samples of a paired measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The run it belongs to.
    pub run: RecordId,
    /// Subject A: what B is measured against.
    pub a: Subject,
    /// Subject B.
    pub b: Subject,
    /// `pair`, `resident` or `invocation`.
    pub mode: String,
    /// Timer backend, e.g. `clock_monotonic`.
    pub timer: String,
    /// Timer resolution in nanoseconds, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick_ns: Option<f64>,
    /// `cold`, `hot` or `rotating`.
    pub cache: String,
    /// Version of the harness protocol.
    pub protocol: u32,
    /// Fresh processes measured.
    pub processes: u32,
    /// Raw samples, JSON lines.
    pub samples: BlobRef,
    /// Summary of the samples.
    pub summary: Vec<SampleSummary>,
    /// What was seen about the machine while measuring.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
}

/// Counters of one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The run it belongs to.
    pub run: RecordId,
    /// What was profiled.
    pub subject: Subject,
    /// Workload that ran under the profiler.
    pub workload: String,
    /// Tool, e.g. `perf stat`, `cachegrind`, `static`.
    pub tool: String,
    /// Version of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Counters by canonical name.
    pub counters: BTreeMap<String, Figure>,
    /// Raw output of the tool.
    pub raw: BlobRef,
}

/// What the evidence supports, always of B against A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictKind {
    /// B is faster by more than delta.
    Faster,
    /// B is slower.
    Slower,
    /// The 90 % interval lies within plus or minus delta.
    Same,
    /// A gain of delta is excluded, a loss is not.
    NoGain,
    /// Not settled; `next` says what would settle it.
    Undecided,
    /// The samples cannot be judged; `reason` says why.
    Invalid,
}

impl VerdictKind {
    /// The word on screen and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
            Self::Same => "SAME",
            Self::NoGain => "NO_GAIN",
            Self::Undecided => "UNDECIDED",
            Self::Invalid => "INVALID",
        }
    }
}

/// The verdict on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadVerdict {
    /// Workload.
    pub workload: String,
    /// Weight in the geometric mean.
    pub weight: f64,
    /// Time B / time A.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio, `[low, high]`.
    pub interval: Option<[f64; 2]>,
    /// Median time of A in nanoseconds.
    pub a_median_ns: Option<f64>,
    /// Median time of B in nanoseconds.
    pub b_median_ns: Option<f64>,
    /// Whether it is proven slower beyond the guard.
    #[serde(default)]
    pub guard_broken: bool,
}

/// A computed verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The run it belongs to.
    pub run: RecordId,
    /// Subject A.
    pub a: String,
    /// Subject B.
    pub b: String,
    /// The measurement it was computed from.
    pub measurement: RecordId,
    /// Version of the procedure, e.g. `paired-t/1`.
    pub procedure: String,
    /// Name of the policy, e.g. `assay`.
    pub policy: String,
    /// The effect that matters, as a ratio minus one (0.01 is 1 %).
    pub delta: f64,
    /// A workload proven slower than one plus this breaks the guard (0.02 is 2 %).
    pub guard: f64,
    /// Whether both sides have the same machine code, launch parameters and recipe.
    pub null_pair: bool,
    /// Fresh processes used.
    pub processes: u32,
    /// Time B / time A, weighted geometric mean over workloads.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio, `[low, high]`.
    pub interval: Option<[f64; 2]>,
    /// The verdict.
    pub verdict: VerdictKind,
    /// Why, in one sentence with the figures.
    pub reason: String,
    /// What would settle it or what to do next; empty when nothing is open.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// Each workload.
    pub workloads: Vec<WorkloadVerdict>,
    /// Remarks that stand beside the verdict, e.g. equal generated source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// The variant becomes the champion.
    Accept,
    /// The variant is not pursued.
    Reject,
    /// Put aside, open.
    Park,
    /// An earlier champion becomes the champion again.
    Rollback,
}

impl DecisionKind {
    /// The name in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Park => "park",
            Self::Rollback => "rollback",
        }
    }
}

/// A gate that was overridden, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// Name of the gate.
    pub gate: String,
    /// Why it does not stand in the way.
    pub reason: String,
}

/// Whether a prediction came true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictionOutcome {
    /// The prediction.
    pub prediction: Prediction,
    /// Observed relative change in percent; `None` when there is no evidence.
    pub observed_percent: Option<f64>,
    /// Whether it held; `None` when there is no evidence.
    pub held: Option<bool>,
}

/// A decision with its reason and evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The variant decided on.
    pub variant: String,
    /// What was decided.
    pub kind: DecisionKind,
    /// Why; never empty.
    pub reason: String,
    /// `policy` or `person`.
    pub decided_by: String,
    /// The content decided on; absent when nothing was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Sha256>,
    /// Commit at which that content was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// For accept and roll-back: the decisions whose champion this one replaces.
    /// Empty for the first champion; more than one settles a contest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<RecordId>,
    /// Records that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<RecordId>,
    /// Gates as they stood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateResult>,
    /// Gates overridden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<Override>,
    /// What the predictions came to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<PredictionOutcome>,
}

/// Free text about something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The record or variant it is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The text.
    pub text: String,
}

/// A removed record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    /// The record that was removed.
    pub removed: RecordId,
    /// Its hash.
    pub sha256: Sha256,
    /// Its kind.
    pub kind: String,
    /// Why it was removed.
    pub why: String,
}
