//! The chain of variants as a report or the demo prints it, and the history of the champion.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::record::DecisionKind;
use crate::view::{DecisionView, GateView, VariantRow};

use super::State;
use super::list::{decision_view, list_view};

/// One variant in the chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainRow {
    /// Name.
    pub variant: String,
    /// First parent.
    pub parent: Option<String>,
    /// Steps from a root of the lineage.
    pub depth: usize,
    /// Status word.
    pub status: String,
    /// Hypothesis.
    pub why: String,
    /// Median time in nanoseconds for each workload.
    pub median_ns: BTreeMap<String, f64>,
    /// Workloads whose median was published elsewhere and not measured here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<String>,
    /// What the ratio is against.
    pub against: Option<String>,
    /// Time of this variant / time of `against`.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio.
    pub interval: Option<[f64; 2]>,
    /// Verdict word.
    pub verdict: Option<String>,
    /// Gates.
    pub gates: Vec<GateView>,
    /// Why the newest run failed, if it did: kind and message.
    pub failure: Option<String>,
    /// Newest decision.
    pub decision: Option<DecisionView>,
}

/// All variants, parents before children; siblings in the order of declaration.
pub fn chain(state: &State) -> Vec<ChainRow> {
    chain_of(&list_view(state, &[]).variants)
}

/// The chain of the rows of a list, oldest first.
pub fn chain_of(rows: &[VariantRow]) -> Vec<ChainRow> {
    let index: BTreeMap<&str, usize> = (rows.iter().enumerate())
        .map(|(i, r)| (r.name.as_str(), i))
        .collect();
    let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut roots = Vec::new();
    for (i, r) in rows.iter().enumerate() {
        let parent = r.parent.as_deref().and_then(|p| index.get(p));
        match parent {
            Some(&p) if p != i => children.entry(p).or_default().push(i),
            _ => roots.push(i),
        }
    }
    let mut done = BTreeSet::new();
    let mut out = Vec::with_capacity(rows.len());
    // Variants that are their own ancestors hang on no root; they follow at the end.
    for start in roots.into_iter().chain(0..rows.len()) {
        let mut stack = vec![(start, 0)];
        while let Some((i, depth)) = stack.pop() {
            if !done.insert(i) {
                continue;
            }
            out.push(chain_row(&rows[i], depth));
            let below = children.get(&i).into_iter().flatten().rev();
            stack.extend(below.map(|c| (*c, depth + 1)));
        }
    }
    out
}

fn chain_row(r: &VariantRow, depth: usize) -> ChainRow {
    ChainRow {
        variant: r.name.clone(),
        parent: r.parent.clone(),
        depth,
        status: r.status.clone(),
        why: r.why.clone(),
        median_ns: r.median_ns.clone(),
        published: r.published.clone(),
        against: r.against.clone(),
        ratio: r.ratio,
        interval: r.interval,
        verdict: r.verdict.clone(),
        gates: r.gates.clone(),
        failure: (r.failure.as_ref()).map(|f| format!("{}: {}", f.kind, f.message)),
        decision: r.decision.clone(),
    }
}

/// One step in the history of the champion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChampionStep {
    /// Record id of the decision.
    pub id: String,
    /// The variant that became champion by it.
    pub variant: String,
    /// `accept` or `rollback`.
    pub kind: String,
    /// Record ids of the decisions that it replaced, as it names them.
    pub replaces: Vec<String>,
    /// Whether nothing replaces it.
    pub head: bool,
    /// The decision.
    pub decision: DecisionView,
    /// Time ratio of the verdict that the decision cites, else of the variant's newest.
    pub ratio: Option<f64>,
    /// Its confidence interval.
    pub interval: Option<[f64; 2]>,
    /// What that ratio is against.
    pub against: Option<String>,
}

/// Acceptances and roll-backs in force, each after those that it replaces.
pub fn champion_history(state: &State) -> Vec<ChampionStep> {
    let heads: BTreeSet<_> = state.heads().into_iter().collect();
    (state.graph().in_order().into_iter())
        .filter_map(|id| {
            let d = state.decision(Some(id))?;
            let cited = (d.evidence.iter())
                .filter_map(|e| state.verdict(Some(*e)))
                .find(|v| v.b == d.variant);
            let verdict = cited.or_else(|| {
                let v = state.variant(&d.variant)?;
                state.verdict(v.verdict)
            });
            let verdict = verdict.filter(|_| d.kind == DecisionKind::Accept);
            Some(ChampionStep {
                id: id.to_string(),
                variant: d.variant.clone(),
                kind: d.kind.name().into(),
                replaces: d.replaces.iter().map(ToString::to_string).collect(),
                head: heads.contains(&id),
                decision: decision_view(state, id)?,
                ratio: verdict.and_then(|v| v.ratio),
                interval: verdict.and_then(|v| v.interval),
                against: verdict.map(|v| v.a.clone()),
            })
        })
        .collect()
}
