//! The gates of a variant as every view shows them: that there is evidence, what was checked, the verdict
//! against the champion, and what decisions recorded.

use serde::{Deserialize, Serialize};

use crate::record::{Body, Failure, FailureKind, GateResult, Override, Record, Stage};
use crate::record::{Verdict, VerdictKind, WorkloadVerdict};
use crate::units::format_percent;
use crate::view::GateView;

use super::list::{decided_gates, was_accepted};
use super::variant::VariantState;
use super::{Champion, State};

/// There is evidence of the present content, with the pinned evaluator, and the run ended well.
pub const EVIDENCE: &str = "evidence";
/// The verdict against the present champion is FASTER.
pub const VERDICT: &str = "verdict";
/// No workload is proven slower beyond the guard.
pub const GUARD: &str = "workload-guard";

/// What is said of a variant that has no evidence of any content.
const NOTHING_RUN: &str = "nothing was run";

fn gate(name: &str, pass: Option<bool>, evidence: impl Into<String>) -> GateResult {
    GateResult {
        name: name.into(),
        pass,
        evidence: evidence.into(),
    }
}

/// What stands on the branch of a variant, beside its evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tip {
    /// The content that the evidence is of, or nobody knows better.
    Same,
    /// Other kernel content.
    Other,
    /// The branch is gone.
    Gone,
}

/// Whether there is evidence of what stands on the branch.
pub fn evidence_gate(state: &State, name: &str, tip: Tip) -> GateResult {
    let Some(v) = state.variant(name) else {
        return gate(EVIDENCE, None, "no such variant");
    };
    let Some(key) = &v.key else {
        return gate(EVIDENCE, None, NOTHING_RUN);
    };
    if let Some(why) = tip.problem() {
        return gate(EVIDENCE, Some(false), why);
    }
    let failed = |why: String| gate(EVIDENCE, Some(false), why);
    let body = |id| state.get(id).map(|r| &r.body);
    if let Some(Body::Run(run)) = v.run.and_then(body)
        && let Some(f) = &run.failure
        && !is_of_profiler(f)
    {
        return failed(format!(
            "{} in {}: {}",
            f.kind.name(),
            f.stage.name(),
            f.message
        ));
    }
    if !state.is_current(key) {
        return failed("measured with an earlier evaluator; run it again".into());
    }
    let Some(Body::Check(check)) = v.check.and_then(body) else {
        return gate(EVIDENCE, None, "correctness was not checked");
    };
    let ended = |r: &Record| matches!(&r.body, Body::Run(run) if run.run == check.run);
    if !state.owned(name).any(ended) {
        return failed("the run was interrupted before it ended; run it again".into());
    }
    gate(
        EVIDENCE,
        Some(true),
        format!("content {} was built and checked", key.kernel.short()),
    )
}

impl Tip {
    /// The tip that the evidence of a gate speaks of, if it speaks of one.
    pub fn said(evidence: &str) -> Option<Self> {
        let of = |tip: &Self| tip.problem() == Some(evidence);
        [Self::Other, Self::Gone].into_iter().find(of)
    }

    fn problem(self) -> Option<&'static str> {
        match self {
            Self::Same => None,
            Self::Other => Some("the branch holds other kernel content than was run; run it again"),
            Self::Gone => Some("the branch is gone"),
        }
    }
}

/// Holds the gates of a row against what stands on its branch. What stood at a decision stands.
pub fn gates_at_tip(gates: &mut [GateView], tip: Tip) {
    let of_tip = |g: &&mut GateView| {
        g.name == EVIDENCE && !g.decided && (g.pass.is_some() || g.evidence != NOTHING_RUN)
    };
    if let (Some(why), Some(g)) = (tip.problem(), gates.iter_mut().find(of_tip)) {
        g.pass = Some(false);
        g.evidence = why.into();
    }
}

/// Whether a failure says only that this host gave no counters: what was built, checked and timed
/// before stands without them.
fn is_of_profiler(f: &Failure) -> bool {
    f.stage == Stage::Profile && matches!(f.kind, FailureKind::Infra | FailureKind::Timeout)
}

/// Whose place a variant has to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contest<'a> {
    /// Nobody's yet.
    Free,
    /// That of the champion.
    Held(&'a str),
    /// It is contested.
    Contested,
}

impl<'a> Contest<'a> {
    /// The place as it is in a state.
    pub fn of(state: &'a State) -> Self {
        match state.champion() {
            Champion::None => Self::Free,
            Champion::Contested(_) => Self::Contested,
            Champion::Holder(head) => Self::Held(&head.variant),
        }
    }
}

/// What the gates of a variant follow from, whoever is champion and whatever stands on its branch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateParts {
    /// As long as the branch holds what was run.
    evidence: Option<GateResult>,
    /// Gates as checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    checked: Vec<GateResult>,
    /// It was accepted: later champions are not what it had to beat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    was_accepted: bool,
    /// Its newest verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<Stood>,
    /// As they stood at the decision on the present content, as far as no later evidence speaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    decided: Vec<GateResult>,
    /// Whatever content they were given for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    overrides: Vec<Override>,
}

/// A verdict as gates against the one that it was measured against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Stood {
    against: String,
    gates: Vec<GateResult>,
}

impl Stood {
    fn of(v: &Verdict) -> Self {
        let word = format!("{}: {}", v.verdict.name(), v.reason);
        Self {
            against: v.a.clone(),
            gates: vec![
                gate(VERDICT, Some(v.verdict == VerdictKind::Faster), word),
                guard(v.guard, &v.workloads),
            ],
        }
    }
}

/// What the gates of a variant follow from.
pub fn gate_parts(state: &State, name: &str) -> Option<GateParts> {
    state.variant(name).map(|v| parts(state, v))
}

pub(super) fn parts(state: &State, v: &VariantState) -> GateParts {
    let overrides = state.owned(&v.name).flat_map(|r| match &r.body {
        Body::Decision(d) => d.overrides.as_slice(),
        _ => &[],
    });
    GateParts {
        evidence: Some(evidence_gate(state, &v.name, Tip::Same)),
        checked: (state.check(v.check).into_iter())
            .flat_map(|c| c.gates.iter().cloned())
            .collect(),
        was_accepted: was_accepted(state, v),
        verdict: state.verdict(v.verdict).map(Stood::of),
        decided: decided_gates(state, v).cloned().collect(),
        overrides: overrides.cloned().collect(),
    }
}

impl GateParts {
    /// The gates: evidence, what was checked, and the verdict as they stand, then as they stood at the
    /// decision. An override shows for ever, whatever content it was given for.
    pub fn gates(&self, place: Contest<'_>) -> Vec<GateView> {
        let mut gates: Vec<GateView> = Vec::new();
        let mut put = |g: &GateResult, decided: bool| {
            let new = GateView {
                name: g.name.clone(),
                pass: g.pass,
                evidence: bare(&g.evidence).into(),
                overridden: None,
                decided,
            };
            match gates.iter_mut().find(|g| g.name == new.name) {
                Some(g) => *g = new,
                None => gates.push(new),
            }
        };
        (self.evidence.iter().chain(&self.checked)).for_each(|g| put(g, false));
        if !self.was_accepted {
            let standing = against(place, self.verdict.as_ref());
            standing.iter().for_each(|g| put(g, false));
        }
        self.decided.iter().for_each(|g| put(g, true));
        for o in &self.overrides {
            match gates.iter_mut().find(|g| g.name == o.gate) {
                Some(g) => g.overridden = Some(o.reason.clone()),
                None => gates.push(GateView {
                    name: o.gate.clone(),
                    pass: None,
                    evidence: "nothing is known of the present content".into(),
                    overridden: Some(o.reason.clone()),
                    decided: false,
                }),
            }
        }
        gates
    }
}

/// Evidence without the words that views put before it; records of old carry them.
fn bare(evidence: &str) -> &str {
    evidence.strip_prefix("no evidence: ").unwrap_or(evidence)
}

/// The gates that rest on the newest verdict of a variant, held against the present champion.
pub fn verdict_gates(state: &State, name: &str) -> Vec<GateResult> {
    let found = state.variant(name).and_then(|v| state.verdict(v.verdict));
    against(Contest::of(state), found.map(Stood::of).as_ref())
}

fn against(place: Contest<'_>, verdict: Option<&Stood>) -> Vec<GateResult> {
    let one = |pass, evidence: String| vec![gate(VERDICT, pass, evidence)];
    match (place, verdict) {
        (Contest::Free, _) => one(Some(true), "there is no champion to beat yet".into()),
        (Contest::Contested, _) => one(
            Some(false),
            "the champion is contested; settle that first".into(),
        ),
        (Contest::Held(name), None) => {
            one(None, format!("not measured against the champion {name}"))
        }
        (Contest::Held(name), Some(v)) if v.against != name => one(
            Some(false),
            format!("measured against {}, and the champion is {name}", v.against),
        ),
        (Contest::Held(_), Some(v)) => v.gates.clone(),
    }
}

fn guard(guard: f64, workloads: &[WorkloadVerdict]) -> GateResult {
    let slow: Vec<&str> = (workloads.iter())
        .filter(|w| w.guard_broken)
        .map(|w| w.workload.as_str())
        .collect();
    let bound = format_percent(guard);
    let evidence = match slow.as_slice() {
        [] => format!("no workload is proven more than {bound} slower"),
        slow => format!("proven slower beyond {bound}: {}", slow.join(", ")),
    };
    gate(GUARD, Some(slow.is_empty()), evidence)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Maker;
    use super::super::row;
    use super::*;
    use crate::record::DecisionKind::Accept;

    #[test]
    fn the_guard_is_written_as_in_the_campaign_file() {
        // 0.07 times 100 is 7.000000000000001.
        let all = guard(0.07, &[]);
        assert_eq!(all.evidence, "no workload is proven more than 7 % slower");
    }

    /// The champion `old`, `new`, which was run and checked, and `idle`, which never was.
    fn one_of_three_is_champion() -> Maker {
        let mut m = Maker::new();
        for name in ["old", "new", "idle"] {
            m.variant(name, &[]);
        }
        for name in ["old", "new"] {
            m.run(name, None);
            m.check(name, &[("right", Some(true))]);
        }
        m.decide("old", Accept, &[]);
        m
    }

    #[test]
    fn a_variant_that_nobody_has_decided_on_has_the_gates_of_its_verdict() {
        let mut m = one_of_three_is_champion();
        m.measure("old", "new", (8.0, 9.0), VerdictKind::Slower);
        let state = State::fold("gemm", m.records);
        let of = |name: &str| -> Vec<(String, Option<bool>)> {
            let row = row(&state, name).unwrap();
            row.gates.into_iter().map(|g| (g.name, g.pass)).collect()
        };
        let gate = |name: &str, pass| (name.to_owned(), Some(pass));
        let unknown = |name: &str| (name.to_owned(), None);
        assert_eq!(
            of("new"),
            [
                gate(EVIDENCE, true),
                gate("right", true),
                gate(VERDICT, false),
                gate(GUARD, true)
            ]
        );
        // The champion is held against nothing, and of what never ran nothing is known.
        assert_eq!(of("old"), [gate(EVIDENCE, true), gate("right", true)]);
        assert_eq!(of("idle"), [unknown(EVIDENCE), unknown(VERDICT)]);
    }

    #[test]
    fn what_stands_on_the_branch_counts_unless_it_was_decided_on() {
        let m = one_of_three_is_champion();
        let state = State::fold("gemm", m.records);
        for (name, tip, pass, says) in [
            ("new", Tip::Same, Some(true), "was built and checked"),
            ("new", Tip::Other, Some(false), "other kernel content"),
            ("new", Tip::Gone, Some(false), "the branch is gone"),
            ("idle", Tip::Gone, None, NOTHING_RUN),
        ] {
            let mut gates = row(&state, name).unwrap().gates;
            gates_at_tip(&mut gates, tip);
            let g = gates.iter().find(|g| g.name == EVIDENCE).unwrap();
            let alone = evidence_gate(&state, name, tip);
            assert_eq!((g.pass, &g.evidence), (alone.pass, &alone.evidence));
            assert_eq!(g.pass, pass, "{name} {tip:?}");
            assert!(g.evidence.contains(says), "{}", g.evidence);
        }
        let mut decided = vec![GateView {
            name: EVIDENCE.into(),
            pass: Some(true),
            evidence: "as it was".into(),
            overridden: None,
            decided: true,
        }];
        gates_at_tip(&mut decided, Tip::Gone);
        assert_eq!(decided[0].pass, Some(true), "a decision stands");
    }
}
