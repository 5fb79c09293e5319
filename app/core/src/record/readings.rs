//! Logs of benchmarks that were made elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlobRef;

/// A benchmark log, read as data and kept as the file that it was.
///
/// What it holds are figures that someone printed: a comparison can use them, no verdict rests on
/// them. The rows are a blob beside the record, a JSON list of [`ReadingRow`], since a log can
/// have many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Readings {
    /// Form of the log, as `[bench.parse] kind` names it.
    pub kind: String,
    /// Name of the file.
    pub name: String,
    /// The file.
    pub log: BlobRef,
    /// Files beside it that hold samples (nvbench).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<BlobRef>,
    /// What was read: a JSON list of [`ReadingRow`].
    pub rows: BlobRef,
    /// How it was read; a log that says all by itself needs nothing.
    #[serde(default, skip_serializing_if = "ReadingsRule::is_empty")]
    pub rule: ReadingsRule,
    /// Rows with a time.
    pub timed: u64,
    /// Rows without one.
    pub failed: u64,
    /// What was timed (implementations or devices), in the order of the log; the first ones.
    pub subjects: Vec<String>,
    /// Names of the further figures that rows have; the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// Subjects that the others are held against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<String>,
    /// What the log says about its machine and run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<NamedText>,
    /// The device, where the log names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The target that it is said to be from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Rows that could not be used, the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<RowProblem>,
    /// What a person should know before using it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// What whoever imported it says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How a log is read, where it does not say all by itself; keys as in `[bench.parse]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadingsRule {
    /// Columns, JSON pointers (`NAME=/pointer`) or the figure that is the time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub value: Vec<String>,
    /// Unit of the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Regular expression that finds times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Columns that name a row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Column that names the subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag_column: Option<String>,
    /// What stands between fields: `,`, `;` or `tab`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Floating-point operations of a row by its own parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flops: Option<String>,
    /// Bytes of a row by its own parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
}

impl ReadingsRule {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A text under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedText {
    /// Name as printed.
    pub name: String,
    /// Text as printed.
    pub value: String,
}

/// A row of a log that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowProblem {
    /// Line of the log from 1; 0 where a row is no line.
    pub line: u64,
    /// What the row is called.
    pub row: String,
    /// Kind of reason, e.g. `unreadable`, `not available`.
    pub kind: String,
    /// Why, for people.
    pub message: String,
}

/// One row of a log: what one subject took on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadingRow {
    /// Operator, heading, benchmark or tuning run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Name of the row.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workload: String,
    /// What the row says about its workload or configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<NamedText>,
    /// What was timed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// Unit of the times: `ns`, `us`, `ms` or `s`.
    pub unit: String,
    /// The times as printed; samples where the log has them; none where there is a failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<PrintedTime>,
    /// What a time sums up, e.g. `median`; absent where each time is a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<String>,
    /// How many samples it sums up, where the log says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// Further figures and texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<NamedText>,
    /// What sets the time apart, e.g. `event fallback`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// Why there is no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<RowFailure>,
    /// Line of the log from 1; 0 where a row is no line.
    pub line: u64,
}

/// A printed time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrintedTime {
    /// The value in the unit of the row.
    pub value: f64,
    /// What one step of its last printed digit is worth, in the same unit.
    pub quantum: f64,
}

/// Why a row has no time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowFailure {
    /// Kind of reason, e.g. `unreadable`, `not available`.
    pub kind: String,
    /// A sentence for people.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sha256;

    #[test]
    fn what_says_nothing_is_not_written() {
        let blob = BlobRef {
            sha256: Sha256::of("x"),
            bytes: 1,
            name: "run.log".into(),
        };
        let record = Readings {
            kind: "tileops".into(),
            name: "run.log".into(),
            log: blob.clone(),
            sides: Vec::new(),
            rows: blob,
            rule: ReadingsRule::default(),
            timed: 1,
            failed: 0,
            subjects: vec!["tileops".into()],
            figures: Vec::new(),
            baselines: Vec::new(),
            facts: Vec::new(),
            device: None,
            target: None,
            problems: Vec::new(),
            notices: Vec::new(),
            note: None,
        };
        let value = serde_json::to_value(&record).unwrap();
        let keys: Vec<&str> = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            keys,
            ["failed", "kind", "log", "name", "rows", "subjects", "timed"]
        );
        assert_eq!(serde_json::from_value::<Readings>(value).unwrap(), record);
    }
}
