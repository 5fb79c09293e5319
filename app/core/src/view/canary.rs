//! What `assay canary` shows, and steps that are not timed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::Untimed;
use crate::units::format_ns;

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

/// A step that is not in the timed region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UntimedView {
    /// Name.
    pub name: String,
    /// Why it may stay outside; absent when the campaign file does not declare it.
    pub why: Option<String>,
    /// What it costs once, in nanoseconds; absent when the harness did not report it.
    pub cost_ns: Option<f64>,
}

impl UntimedView {
    /// In one line, e.g. `pack-b, 1.2 ms once (done when the model is loaded)`.
    pub fn text(&self) -> String {
        let cost = match self.cost_ns {
            Some(ns) => format!("{} once", format_ns(ns)),
            None => "cost not measured".into(),
        };
        let why = self.why.as_deref().unwrap_or("NOT DECLARED");
        format!("{}, {cost} ({why})", self.name)
    }
}

impl From<&Untimed> for UntimedView {
    fn from(u: &Untimed) -> Self {
        Self {
            name: u.name.clone(),
            why: u.why.clone(),
            cost_ns: u.cost_ns,
        }
    }
}
