//! Published figures: part of `assay.show/1` and `assay.compare/1`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FigureView, VariantRow};
use crate::record::CLAIMED_TIME;

/// The mark behind a figure that was published and not measured here.
pub const PUBLISHED_MARK: &str = "p";

/// The mark behind a published figure that an audit contradicts.
pub const DOUBTED_MARK: &str = "!";

/// A published figure that an audit contradicts. It stays as it was printed; what is wrong with it, the
/// finding says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoubtedFigure {
    /// Workload; absent for figures of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// Name of the figure in the catalog, e.g. `claim.time`.
    pub figure: String,
    /// The rule of the finding; `disagrees` for a figure that does not follow from those beside it.
    pub rule: String,
    /// The record that it stands in.
    pub record: String,
    /// What is wrong.
    pub message: String,
    /// The same in Simplified Chinese.
    pub message_zh: String,
}

impl VariantRow {
    /// What an audit says against a published figure on a workload, or on any of them.
    pub fn doubts<'r>(
        &'r self,
        workload: Option<&'r str>,
        figure: &'r str,
    ) -> impl Iterator<Item = &'r DoubtedFigure> {
        let fits = move |d: &&DoubtedFigure| {
            d.figure == figure && workload.is_none_or(|w| d.workload.as_deref() == Some(w))
        };
        self.doubted.iter().filter(fits)
    }

    /// Whether the median on a workload, or on any of them, is a published time that an audit contradicts.
    pub fn time_is_doubted(&self, workload: Option<&str>) -> bool {
        let mut doubts = self.doubts(workload, CLAIMED_TIME);
        doubts.any(|d| (d.workload.as_ref()).is_some_and(|w| self.published.contains(w)))
    }

    /// The mark behind the median on a workload, or behind one over all of them: `p`, `p!`, or nothing.
    pub fn median_mark(&self, workload: Option<&str>) -> &'static str {
        let is_published = match workload {
            Some(w) => self.published.iter().any(|p| p == w),
            None => !self.published.is_empty(),
        };
        match (is_published, self.time_is_doubted(workload)) {
            (false, _) => "",
            (true, false) => PUBLISHED_MARK,
            (true, true) => "p!",
        }
    }
}

/// The rules of findings that contradict figures, each once, in order of appearance.
pub fn doubting_rules<'d>(doubts: impl Iterator<Item = &'d DoubtedFigure>) -> Vec<&'d str> {
    let mut rules: Vec<&str> = Vec::new();
    for d in doubts {
        if !rules.contains(&d.rule.as_str()) {
            rules.push(&d.rule);
        }
    }
    rules
}

/// Published figures of one subject on one workload: they were not measured here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedFigures {
    /// Workload; absent for figures of none, e.g. a number of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// Figures by their names in the catalog; of several the newest.
    pub figures: BTreeMap<String, FigureView>,
    /// Records that they stand in, newest first.
    pub records: Vec<String>,
}

/// Published times of B beside those of A. It is a comparison of what others measured: no verdict
/// follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTimes {
    /// Subject A.
    pub a: String,
    /// Subject B.
    pub b: String,
    /// Workloads with a published time of both.
    pub workloads: usize,
    /// On how many of them B takes less time as it is printed.
    pub faster: usize,
    /// On how many the two times are printed alike.
    pub equal: usize,
    /// Where B takes more time, in the order of the workloads.
    pub slower: Vec<PublishedChange>,
    /// Step in which the times are shown, in nanoseconds, as far as many of them tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_ns: Option<f64>,
    /// Where the two times differ, by no more than that step: no finding about speed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within_step: Vec<String>,
    /// Geometric mean of time A / time B: above 1 is faster.
    pub speedup: f64,
}

/// The change of a published time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedChange {
    /// Workload.
    pub workload: String,
    /// Change of the time of B against that of A, in percent of that of A.
    pub change_percent: f64,
    /// 1 minus the speed-up, in percent: what is often quoted in place of the change.
    pub one_minus_speedup_percent: f64,
}
