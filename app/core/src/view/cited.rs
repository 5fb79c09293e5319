//! Records that shown figures are from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The records that the figures of a variant were taken from, each the very one that was read.
///
/// Of several records of a kind not always the newest speaks for a variant: a version measured against
/// another variant and later against a baseline keeps the verdict of the former.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FigureRecords {
    /// Declaration: hypothesis, parents, knobs and predictions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    /// Run that speaks for the present content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Record that states the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Generated source with its facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Errors of the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Medians that were not published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<String>,
    /// Ratio, interval, processes and figures by workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Counters of the newest profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Newest decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
}

impl FigureRecords {
    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// All of them by their kinds, in the order in which a variant comes by them.
    pub fn by_kind(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("variant", &self.declaration),
            ("run", &self.run),
            ("source", &self.source),
            ("check", &self.check),
            ("measurement", &self.measurement),
            ("verdict", &self.verdict),
            ("profile", &self.profile),
            ("decision", &self.decision),
        ];
        all.into_iter()
            .filter_map(|(kind, id)| Some((kind, id.as_deref()?)))
            .collect()
    }
}
