//! Whether the evaluator notices a kernel that was broken or slowed on purpose.

use serde::{Deserialize, Serialize};

use super::{Check, Failure, Measurement, Subject, Verdict};
use crate::Sha256;

/// What must come of a canary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// A wrong result is found.
    Correctness,
    /// The verdict is SLOWER.
    Slower,
    /// The build fails.
    Compile,
    /// A gate fails.
    Constraint,
}

impl Expect {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Correctness,
        Self::Slower,
        Self::Compile,
        Self::Constraint,
    ];

    /// The word in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Correctness => "correctness",
            Self::Slower => "slower",
            Self::Compile => "compile",
            Self::Constraint => "constraint",
        }
    }

    /// What a word stands for.
    pub fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name() == word)
    }
}

/// What came of a canary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CanaryOutcome {
    /// What was expected: the evaluator sees this kind of fault.
    Noticed,
    /// The evaluator took it for a sound kernel.
    Survived,
    /// It ended in a way that says nothing of the evaluator, e.g. it did not build.
    Unproven,
}

impl CanaryOutcome {
    /// The word in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Noticed => "noticed",
            Self::Survived => "survived",
            Self::Unproven => "unproven",
        }
    }
}

/// A canary and what came of it.
///
/// It speaks of the evaluator in the key of its subject, on the device there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Canary {
    /// Its name in the campaign file.
    pub name: String,
    /// Hash of what it changes: its patch, or paths and contents of its overlay.
    pub content: Sha256,
    /// What it was made from and measured against, unmodified.
    pub subject: Subject,
    /// Hash of the kernel that came of it.
    pub kernel: Sha256,
    /// Name of the target, e.g. `local`.
    pub target: String,
    /// What had to come of it.
    pub expect: Expect,
    /// What came of it.
    pub outcome: CanaryOutcome,
    /// What was seen, in one sentence.
    pub found: String,
    /// Why it stopped, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Correctness and gates, where it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// Raw samples against the subject, where it was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<Box<Measurement>>,
    /// The verdict on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Box<Verdict>>,
    /// Wall time in nanoseconds.
    pub wall_ns: u64,
}
