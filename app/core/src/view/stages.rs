//! Views of what stands beside a verdict: how a variant was screened, and whether the chain holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::CHAIN_EVERY;

/// A variant that was measured once to be ranked. This is no verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenedView {
    /// Record id of the samples.
    pub id: String,
    /// When, RFC 3339.
    pub at: String,
    /// The incumbent.
    pub against: String,
    /// Time of the variant / time of the incumbent, from one fresh process.
    pub ratio: Option<f64>,
    /// Its 90 % interval.
    pub interval: Option<[f64; 2]>,
    /// Mirrored blocks in the process.
    pub blocks: u32,
    /// `keep`, `spare`, `drop` or `unranked`; absent when the screening ended before its ranking.
    pub fate: Option<String>,
    /// Why.
    pub why: String,
}

/// The ranking of a screening, in `assay run --screen --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScreeningView {
    /// Record id of the ranking.
    pub id: String,
    /// What every variant was measured against.
    pub incumbent: String,
    /// Mirrored blocks of the one process of each variant.
    pub blocks: u32,
    /// The effect that matters (0.01 is 1 %).
    pub delta: f64,
    /// Variants that were kept whatever their intervals.
    pub keep: u32,
    /// Standard deviation of the log-ratio from process to process that the intervals have in
    /// them; absent when the machine was not calibrated, and the intervals are too narrow then.
    pub process_sd: Option<f64>,
    /// The variants, fastest first.
    pub ranking: Vec<RankedView>,
    /// Variants that could not be measured, with the reason.
    pub failed: std::collections::BTreeMap<String, String>,
}

/// One variant in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedView {
    /// Name.
    pub name: String,
    /// Time of the variant / time of the incumbent.
    pub ratio: Option<f64>,
    /// Its 90 % interval.
    pub interval: Option<[f64; 2]>,
    /// `keep`, `spare`, `drop` or `unranked`.
    pub fate: String,
    /// Why.
    pub why: String,
}

impl ScreeningView {
    /// A ranking as shown.
    pub fn new(id: crate::RecordId, s: &crate::record::Screening) -> Self {
        let ranked = |r: &crate::record::Ranked| RankedView {
            name: r.name.clone(),
            ratio: r.ratio,
            interval: r.interval,
            fate: r.fate.name().into(),
            why: r.why.clone(),
        };
        Self {
            id: id.to_string(),
            incumbent: s.incumbent.name.clone(),
            blocks: s.blocks,
            delta: s.delta,
            keep: s.keep,
            process_sd: s.process_sd,
            ranking: s.ranking.iter().map(ranked).collect(),
            failed: s.failed.clone(),
        }
    }
}

/// The accepted steps to the champion, and what they come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChainView {
    /// What the first step was measured against.
    pub from: String,
    /// The champion.
    pub to: String,
    /// Accepted steps between them.
    pub steps: u32,
    /// Accepted steps since the chain was last measured end to end.
    pub since: u32,
    /// That measurement; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<EndToEndView>,
}

/// The champion measured against the first baseline of its chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndToEndView {
    /// Record id.
    pub id: String,
    /// When, RFC 3339.
    pub at: String,
    /// The first baseline.
    pub from: String,
    /// The champion at that time.
    pub to: String,
    /// Whether it is the champion still.
    pub current: bool,
    /// Accepted steps at that time.
    pub steps: u32,
    /// Fresh processes.
    pub processes: u32,
    /// Time of the champion / time of the baseline, measured at once.
    pub ratio: f64,
    /// Its confidence interval.
    pub interval: [f64; 2],
    /// Product of the ratios of the steps.
    pub promised: f64,
    /// Its interval.
    pub promised_interval: [f64; 2],
    /// Whether the whole measured interval lies above the promised one.
    pub overstated: bool,
    /// The same in words.
    pub text: String,
}

impl ChainView {
    /// Whether the chain is to be measured end to end before the next run.
    pub fn due(&self) -> bool {
        self.since >= CHAIN_EVERY
    }

    /// What was measured end to end, in one line; nothing when it was not.
    pub fn measured(&self) -> Option<String> {
        let m = self.latest.as_ref()?;
        let [low, high] = m.interval;
        let stale = match self.since {
            0 => String::new(),
            1 => "; one step was accepted since".into(),
            n => format!("; {n} steps were accepted since"),
        };
        Some(format!(
            "{} against {}, measured end to end in {} processes: {:.3} [{low:.3}, {high:.3}] for {} accepted steps{stale}",
            m.to, m.from, m.processes, m.ratio, m.steps
        ))
    }

    /// What speaks against taking the product of the steps for what they come to.
    pub fn warnings(&self) -> Vec<String> {
        let overstated = self.latest.iter().filter(|m| m.overstated);
        let mut out: Vec<String> = overstated.map(|m| m.text.clone()).collect();
        if self.due() {
            out.push(format!(
                "{} steps were accepted since the chain was last measured end to end: the next \
                 `assay run` first measures {} against {}",
                self.since, self.to, self.from
            ));
        }
        out
    }
}
