//! The campaign file `assay.toml`: what is optimised, on what, and by which rules.
//!
//! One table of keys drives the checks, the defaults, the JSON schema and the reference page, so
//! that they cannot differ. Everything that is wrong with a file is reported at once, each with
//! line, column and what was expected.

mod build;
mod doc;
mod integrity;
mod keys;
mod kinds;
mod names;
mod problem;
mod resolve;
mod schema;
mod section;
mod settings;
mod stages;
mod tables;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_bad;
#[cfg(test)]
mod tests_counters;
mod variant;
mod walk;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::expr::Expr;
use crate::gate::GateSpec;
use crate::record::Stage;
use crate::units::Ratio;

pub use integrity::{CanaryChange, CanarySpec, UntimedStep};
pub use parse::{BenchParse, Covers, Delimiter, ParseKind, Template};
pub use problem::{ConfigError, Problem};
pub use resolve::{DTYPE_BYTES, ResolveError, ResolvedWorkload, dtype_bytes};
pub use schema::{reference_markdown, schema, settings_schema, variant_schema};
pub use settings::{Binding, Settings};
pub use tables::SCHEMA;
pub use variant::VariantFile;

/// Name of the campaign file.
pub const FILE: &str = "assay.toml";

/// Name of the file in which a variant sets parameters and flags, beside the campaign file.
pub const VARIANT_FILE: &str = "variant.toml";

/// Name of the target that every campaign has.
pub const LOCAL: &str = "local";

/// A campaign as its file declares it.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    /// Name; branches are `assay/<name>/<variant>`.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// What a variant may change and what it may not.
    pub kernel: KernelPaths,
    /// Derived dims, in order.
    pub dims: Vec<(String, Expr)>,
    /// Work of one launch.
    pub formulas: Formulas,
    /// Workloads, in the order of the file; at least one.
    pub workloads: Vec<Workload>,
    /// Parameters with their defaults.
    pub params: Params,
    /// References, in the order of the file.
    pub baselines: Vec<Baseline>,
    /// Gates, in the order of the file.
    pub gates: Vec<GateSpec>,
    /// What the evaluator must notice, in the order of the file.
    pub canaries: Vec<CanarySpec>,
    /// Steps that are not timed, in the order of the file.
    pub untimed: Vec<UntimedStep>,
    /// The decision procedure.
    pub decide: Decide,
    /// The noise that is put up with.
    pub noise: Noise,
    /// The control kernel, where one is declared.
    pub control: Option<Control>,
    /// Names of environment variables to pass on to commands.
    pub env_pass: Vec<String>,
    /// Targets by name; `local` is always there.
    pub targets: BTreeMap<String, Target>,
}

/// Paths relative to the campaign folder, with `/` between parts and none at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelPaths {
    /// Files and folders that a variant may change.
    pub paths: Vec<String>,
    /// The evaluator; always holds `assay.toml`. Disjoint from `paths`.
    pub protected: Vec<String>,
}

/// Formulas for the work of one launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formulas {
    /// Floating-point operations.
    pub flops: Expr,
    /// Bytes that must be moved at least.
    pub bytes: Expr,
    /// Output elements.
    pub outputs: Option<Expr>,
    /// Operations that one output element needs.
    pub ops_per_output: Option<Expr>,
    /// Workgroups of one launch.
    pub groups: Option<Expr>,
    /// Floating-point operations as a document about this work counts them.
    pub published_flops: Option<Expr>,
    /// Where that document says so, e.g. `review 3`.
    pub published_where: Option<String>,
}

/// One problem to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Name, unique in the campaign.
    pub name: String,
    /// Dims as declared, in the order of the file.
    pub dims: Vec<(String, f64)>,
    /// Element type, e.g. `f32`.
    pub dtype: String,
    /// Weight in the geometric mean; finite and above zero.
    pub weight: f64,
}

/// Parameters by name.
pub type Params = BTreeMap<String, ParamValue>;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamValue {
    /// A text on one line.
    Text(String),
    /// A finite number.
    Number(f64),
    /// A truth value.
    Bool(bool),
}

impl ParamValue {
    /// The kind of value, for people.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Bool(_) => "a boolean",
        }
    }
}

/// Written as the plain text, number or truth value that it is.
impl Serialize for ParamValue {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => s.serialize_str(text),
            Self::Number(n) => s.serialize_f64(*n),
            Self::Bool(b) => s.serialize_bool(*b),
        }
    }
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(s) => f.write_str(s),
            Self::Number(n) => write!(f, "{n}"),
            Self::Bool(b) => write!(f, "{b}"),
        }
    }
}

/// A reference implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// Name, unique in the campaign.
    pub name: String,
    /// Builds it, in the environment of a variant's build.
    pub build: Command,
    /// Exits with 0 where the baseline is available.
    pub requires: Option<Command>,
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// A text for `sh -c`.
    Shell(String),
    /// A program and its arguments; never empty.
    Exec(Vec<String>),
}

impl Command {
    /// The program and its arguments, as they are started.
    pub fn argv(&self) -> Vec<String> {
        match self {
            Self::Shell(text) => vec!["sh".into(), "-c".into(), text.clone()],
            Self::Exec(argv) => argv.clone(),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell(text) => f.write_str(text),
            Self::Exec(argv) => f.write_str(&argv.join(" ")),
        }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All of them, in the order of the reference page.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word in files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What a word stands for.
            pub fn from_name(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.name() == word)
            }
        }
    };
}

mod languages;
mod parse;
mod profiling;
mod sanitizer;

pub use languages::Language;
pub use profiling::{CacheControl, ClockControl, ProfileSpec, ProfileTool};
pub use sanitizer::Sanitizer;

words! {
    /// How the two subjects of a benchmark are held.
    Mode {
        /// One process holds both.
        Pair = "pair",
        /// One process for each, measuring on request.
        Resident = "resident",
        /// One process for each leg.
        Invocation = "invocation",
    }
}

words! {
    /// State of the caches before each launch.
    Cache {
        /// What the launch before left.
        Hot = "hot",
        /// Flushed.
        Cold = "cold",
        /// Buffers are rotated.
        Rotating = "rotating",
    }
}

words! {
    /// Rule that turns samples into a verdict.
    Policy {
        /// Paired t interval with corrected looks.
        Assay = "assay",
        /// The lower median wins.
        MedianLower = "median-lower",
        /// The lower median wins by a threshold.
        Threshold = "threshold",
        /// Rank test on pooled samples.
        MannWhitney = "mann-whitney",
    }
}

words! {
    /// Kind of device.
    Device {
        /// The host's processor.
        Cpu = "cpu",
        /// An NVIDIA GPU.
        Cuda = "cuda",
        /// A MetaX GPU.
        Metax = "metax",
    }
}

/// The decision procedure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decide {
    /// The effect that matters.
    pub delta: Ratio,
    /// No single workload may be proven slower by more than this.
    pub guard: Ratio,
    /// The rule.
    pub policy: Policy,
    /// Least gain for [`Policy::Threshold`].
    pub threshold: Ratio,
}

/// The noise that is put up with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Largest standard deviation of the log-ratio between processes.
    pub max_cv: Ratio,
}

/// A kernel that never changes, measured against itself once a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The baseline that it is.
    pub baseline: String,
    /// Fresh processes.
    pub processes: u32,
    /// Mirrored blocks in each of them.
    pub blocks: u32,
}

/// One place to run on.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Name.
    pub name: String,
    /// Kind of device.
    pub device: Device,
    /// Name of the device file whose figures counters are held against.
    pub model: Option<String>,
    /// The device that is watched, as its tool names it; absent where there is one.
    pub gpu: Option<String>,
    /// It is measured although no tool says which device it is.
    pub unknown_device: bool,
    /// Share of the device that the target is given; absent for all of it.
    pub share: Option<Ratio>,
    /// Stages with the target's overrides applied.
    pub stages: BTreeMap<Stage, StageSpec>,
}

/// A stage on one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageSpec {
    /// What to run; absent only where the source stage reads what the build wrote, and where
    /// counters are imported and never taken.
    pub command: Option<Command>,
    /// Time limit of one process, in nanoseconds.
    pub timeout_ns: u64,
    /// What only this stage has.
    pub detail: StageDetail,
}

/// What only one stage has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageDetail {
    /// Build.
    Build {
        /// What it makes, relative to the build folder.
        artefact: String,
    },
    /// Source.
    Source {
        /// The files, relative to the build folder.
        files: Vec<String>,
        /// Their language.
        language: Language,
    },
    /// Check.
    Check {
        /// What it is run under once more.
        sanitizer: Option<Sanitizer>,
    },
    /// Bench.
    Bench(BenchSpec),
    /// Profile.
    Profile(ProfileSpec),
}

/// How a pair is timed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchSpec {
    /// How the subjects are held.
    pub mode: Mode,
    /// Mirrored blocks in one process, 1 to 1000.
    pub blocks: u32,
    /// Least time of one leg, in nanoseconds.
    pub min_leg_ns: u64,
    /// Untimed work before the first leg, in nanoseconds.
    pub warmup_ns: u64,
    /// State of the caches.
    pub cache: Cache,
    /// How to read the output of an existing program; only with [`Mode::Invocation`].
    pub parse: Option<BenchParse>,
}

impl StageSpec {
    /// The built file, for the build stage.
    pub fn artefact(&self) -> Option<&str> {
        match &self.detail {
            StageDetail::Build { artefact } => Some(artefact),
            _ => None,
        }
    }

    /// The plan, for the bench stage.
    pub fn bench(&self) -> Option<&BenchSpec> {
        match &self.detail {
            StageDetail::Bench(spec) => Some(spec),
            _ => None,
        }
    }

    /// Files and language, for the source stage.
    pub fn source(&self) -> Option<(&[String], Language)> {
        match &self.detail {
            StageDetail::Source { files, language } => Some((files, *language)),
            _ => None,
        }
    }

    /// What the check is run under once more, for the check stage.
    pub fn sanitizer(&self) -> Option<Sanitizer> {
        match &self.detail {
            StageDetail::Check { sanitizer } => *sanitizer,
            _ => None,
        }
    }

    /// How counters are taken, for the profile stage.
    pub fn profile(&self) -> Option<&ProfileSpec> {
        match &self.detail {
            StageDetail::Profile(spec) => Some(spec),
            _ => None,
        }
    }

    /// Name of the workload, for the profile stage.
    pub fn profile_workload(&self) -> Option<&str> {
        self.profile().map(|spec| spec.workload.as_str())
    }

    /// Regular expression for the name of the kernel in reports, for the profile stage.
    pub fn profile_kernel(&self) -> Option<&str> {
        self.profile()?.kernel.as_deref()
    }
}

impl Campaign {
    /// Reads a campaign file; `file_label` names it in messages.
    ///
    /// # Errors
    /// Lists everything that is wrong, each with its place.
    pub fn parse(text: &str, file_label: &str) -> Result<Self, ConfigError> {
        build::campaign(text, file_label)
    }

    /// A stage on a target, with the target's overrides; `None` when there is no such target or
    /// the campaign does not have the stage.
    pub fn stage(&self, target: &str, stage: Stage) -> Option<&StageSpec> {
        self.targets.get(target)?.stages.get(&stage)
    }

    /// The workload of that name.
    pub fn workload(&self, name: &str) -> Option<&Workload> {
        self.workloads.iter().find(|w| w.name == name)
    }

    /// The baseline of that name.
    pub fn baseline(&self, name: &str) -> Option<&Baseline> {
        self.baselines.iter().find(|b| b.name == name)
    }

    /// The branch of a variant, without `refs/heads/`.
    pub fn branch(&self, variant: &str) -> String {
        format!("assay/{}/{variant}", self.name)
    }
}
