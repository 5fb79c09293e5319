//! Evidence of the stages: build, source, check, measurement, profile.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BlobRef, Failure, Subject, Untimed};
use crate::{RecordId, Sha256};

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
    /// Identity of the generated sources that the artefact lists instead, with how they are launched, and of
    /// the command and flags that they are compiled with: equal under one toolchain means a null pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Sha256>,
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
    /// How a second build of the same commit compares; absent where it was built once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twice: Option<CapturedTwice>,
}

/// The source of one commit, captured after two builds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CapturedTwice {
    /// `equal`: byte for byte. `normalised-equal`: after normalisation. `differs`: even then.
    pub result: String,
    /// The first file that differs after normalisation; empty when none does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The beginning of its first hunk, in the unified form; empty when none differs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hunk: String,
    /// What could not be compared; empty when all was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notice: String,
}

impl CapturedTwice {
    /// Whether it differs even after normalisation.
    pub fn differs(&self) -> bool {
        self.result == "differs"
    }

    /// What came of it, in a few words.
    pub fn sentence(&self) -> String {
        match self.result.as_str() {
            "equal" => "built twice: the sources are equal byte for byte".into(),
            "normalised-equal" => "built twice: the sources are equal after normalisation".into(),
            _ if self.file.is_empty() => "built twice: the sources differ".into(),
            _ => format!("built twice: the sources differ, first in {}", self.file),
        }
    }
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
    /// Steps that are not timed, with what they cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untimed: Vec<Untimed>,
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

/// Where counters come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Taken by the profile stage of a run.
    #[default]
    Run,
    /// Read from a report that was made elsewhere.
    Imported,
}

impl Origin {
    fn is_run(&self) -> bool {
        *self == Self::Run
    }
}

/// Whether a report was shown to be of the source that it is filed under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceCheck {
    /// Nobody compared.
    Unchecked,
    /// The source given with the report equals the captured one after normalisation.
    Same,
    /// It differs; a note says why the report was imported all the same.
    Differs,
}

/// What only an imported report has to tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Whether the report was shown to be of this source.
    pub source_checked: SourceCheck,
    /// Name of the target that it is said to be from.
    pub target: String,
    /// The reader that was asked for by name; absent when the content told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The mapping file that it was read with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<BlobRef>,
    /// What whoever imported it says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Counters of one subject.
///
/// Of several launches of the kernel the counters are medians, unless one launch was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The run it belongs to; an imported report is a run of its own.
    pub run: RecordId,
    /// What was profiled.
    pub subject: Subject,
    /// Workload that ran under the profiler; empty for published figures of none ([`OF_NO_WORKLOAD`]).
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
    /// Further raw files of the same report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<BlobRef>,
    /// Which of the tool's outputs it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flavour: Option<String>,
    /// Name of the kernel that the counters are of; absent for the whole program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The launch of it that was chosen, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<u32>,
    /// Launches of it in the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launches: Option<u32>,
    /// Smallest and largest value over the launches, where they differ.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spread: BTreeMap<String, [f64; 2]>,
    /// Where the counters come from.
    #[serde(default, skip_serializing_if = "Origin::is_run")]
    pub origin: Origin,
    /// What an imported report has to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<Import>,
}

/// Tool of a profile that holds published figures: a summary, never measured here.
pub const PUBLISHED: &str = "published";

/// Published figures that are of no launch, and so of no workload: a profile that holds no others has an
/// empty workload.
pub const OF_NO_WORKLOAD: [&str; 1] = ["claim.tests"];

/// Name of a published time among the counters of such a profile, in nanoseconds.
pub const CLAIMED_TIME: &str = "claim.time";

impl Profile {
    /// A profile of the whole program without counters, taken by a run.
    pub fn new(
        run: RecordId,
        subject: Subject,
        workload: impl Into<String>,
        tool: impl Into<String>,
        raw: BlobRef,
    ) -> Self {
        Self {
            run,
            subject,
            workload: workload.into(),
            tool: tool.into(),
            tool_version: None,
            counters: BTreeMap::new(),
            raw,
            files: Vec::new(),
            flavour: None,
            kernel: None,
            occurrence: None,
            launches: None,
            spread: BTreeMap::new(),
            origin: Origin::Run,
            import: None,
        }
    }

    /// Whether it holds published figures, e.g. a row of a table in a paper.
    pub fn is_published(&self) -> bool {
        self.tool == PUBLISHED
    }

    /// Every raw file of it.
    pub fn blobs(&self) -> impl Iterator<Item = &BlobRef> {
        std::iter::once(&self.raw).chain(&self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile as the first version wrote it.
    const OLD: &str = r#"{"counters":{"inst.fma":{"unit":"1","value":3.0}},
        "raw":{"bytes":1,"name":"kernel.s","sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"},
        "run":"01ARZ3NDEKTSV4RRFFQ69G5FAV","tool":"static","workload":"w",
        "subject":{"name":"a","role":"variant","dirty":false,"key":{
        "kernel":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
        "recipe":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
        "toolchain":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
        "device":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
        "evaluator":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}}}"#;

    #[test]
    fn profiles_of_the_first_version_are_read_and_written_as_they_were() {
        let old: serde_json::Value = serde_json::from_str(OLD).unwrap();
        let profile: Profile = serde_json::from_value(old.clone()).unwrap();
        assert_eq!(profile.origin, Origin::Run);
        assert_eq!((&profile.import, profile.launches), (&None, None));
        assert_eq!(profile.blobs().count(), 1);
        // Equal to the byte, or its hash would no longer be that of the record.
        assert_eq!(serde_json::to_value(&profile).unwrap(), old);
    }
}
