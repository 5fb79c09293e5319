//! What records hold, one type for each kind.
//!
//! Times are in nanoseconds (`_ns`), sizes in bytes, and ratios are time B / time A. An absent
//! figure is `None`, never zero.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Build, Calibration, Canary, Chain, Check, Control, Decision, Evaluator, Measurement, Profile,
    Readings, Run, Screened, Screening, Source, Variant, Verdict,
};
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
    /// A subject was measured against itself, to know the noise of the machine.
    Calibration = "calibration",
    /// A kernel was broken or slowed on purpose, to see whether the evaluator notices.
    Canary = "canary",
    /// A control kernel was measured against itself, to know whether a session can be believed.
    Control = "control",
    /// A benchmark log that was made elsewhere is read.
    Readings = "readings",
    /// A variant was measured once, to be ranked.
    Screened = "screened",
    /// Variants that were measured once are ranked.
    Screening = "screening",
    /// The champion was measured against the first baseline of its chain.
    Chain = "chain",
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

/// Free text about something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The record or variant it is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What kind of thing it says, in a few words, e.g. `next step`; see [`ENVIRONMENT`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The text.
    pub text: String,
    /// A table that belongs to it: separated values as they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<BlobRef>,
}

impl Note {
    /// A text, about a variant or baseline or about the campaign.
    pub fn new(about: Option<String>, text: impl Into<String>) -> Self {
        Self {
            about,
            topic: None,
            text: text.into(),
            table: None,
        }
    }
}

/// Topic of a note about the machine that published figures were measured on.
pub const ENVIRONMENT: &str = "environment";

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
