//! Derived figures, computed again: part of `assay.audit/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A derived figure as it is recorded or printed, and as it comes out again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditedFigure {
    /// The record that holds it.
    pub record: String,
    /// Where its document prints it, as the table says, e.g. `review 2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Kind of that record, `published` for a table that was made elsewhere.
    pub kind: String,
    /// What it is of: variant, baseline, pair, or row of a table.
    pub subject: String,
    /// Workload; absent for a figure over all of them.
    pub workload: Option<String>,
    /// What is stated, e.g. `median`, `interval.low`, `speed-up over torch-ref`.
    pub figure: String,
    /// Unit of `stated`, `computed` and `interval`; `1` for ratios and counts.
    pub unit: String,
    /// What is recorded or printed: a number, a word, or nothing.
    pub stated: Value,
    /// The same as printed, for a figure of a table.
    pub printed: Option<String>,
    /// What comes out; nothing where it cannot be computed.
    pub computed: Value,
    /// What can come out, given the digits that the figures it follows from are printed with.
    pub interval: Option<[f64; 2]>,
    /// `agrees`; `rounding`: the last digit differs and the digits of what it follows from allow it;
    /// `disagrees`; `ambiguous`: it is right only if it means something else than it says;
    /// `not_recomputed`.
    pub outcome: String,
    /// Why; empty for what agrees without a remark.
    pub why: String,
    /// The same in Simplified Chinese.
    pub why_zh: String,
    /// Records and blobs that it was computed from.
    pub sources: Vec<String>,
}

/// How many derived figures came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FigureTotals {
    /// Come out as they stand.
    pub agrees: usize,
    /// Differ in the last digit, which the digits of their sources allow.
    pub rounding: usize,
    /// Come out otherwise.
    pub disagrees: usize,
    /// Are right only if they mean something else than they say.
    pub ambiguous: usize,
    /// Could not be computed.
    pub not_recomputed: usize,
    /// Of all these, not listed in `figures`, so that the document stays of a size to read.
    pub left_out: usize,
}

impl FigureTotals {
    /// The counts in the order in which sentences name them: agree, differ in the last digit, ambiguous,
    /// disagree, not computed.
    pub fn counts(&self) -> [usize; 5] {
        [
            self.agrees,
            self.rounding,
            self.ambiguous,
            self.disagrees,
            self.not_recomputed,
        ]
    }
}
