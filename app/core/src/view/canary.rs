//! What `assay canary` shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `assay canary --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanariesView {
    /// `assay.canary/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// Hash of the evaluator, abridged.
    pub evaluator: String,
    /// The commit that it is pinned at.
    pub commit: String,
    /// Every canary that it declares, in the order of the campaign file.
    pub canaries: Vec<CanaryView>,
    /// All of them were noticed.
    pub ok: bool,
}

/// One canary and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CanaryView {
    /// Name.
    pub name: String,
    /// What has to come of it: `correctness`, `slower`, `compile` or `constraint`; absent when it was
    /// never run.
    pub expect: Option<String>,
    /// `noticed`, `survived`, `unproven` or `not run`.
    pub outcome: String,
    /// What was seen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub found: String,
    /// What it was made from and measured against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Its time / time of the subject, where it was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Id of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// When, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}
