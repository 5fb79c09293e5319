//! Whether a variant may be accepted: the campaign's gates and those that always hold.

use assay_core::fold::{Champion, State};
use assay_core::record::{Body, GateResult, VerdictKind};
use assay_core::{Record, RecordId, Sha256};

/// The evaluator was left alone. The only gate that cannot be overridden.
pub const EVALUATOR: &str = "evaluator-untouched";
/// There is evidence of the present content, with the pinned evaluator, and the run ended well.
pub const EVIDENCE: &str = "evidence";
/// The verdict against the present champion is FASTER.
pub const VERDICT: &str = "verdict";
/// No workload is proven slower beyond the guard.
pub const GUARD: &str = "workload-guard";

/// Names that a campaign file cannot give to a gate of its own.
pub const RESERVED: [&str; 4] = [EVALUATOR, EVIDENCE, VERDICT, GUARD];

fn gate(name: &str, pass: Option<bool>, evidence: impl Into<String>) -> GateResult {
    GateResult {
        name: name.into(),
        pass,
        evidence: evidence.into(),
    }
}

/// All gates of a variant as they stand.
///
/// `tip` is the content of its branch now: evidence of another content is none.
pub fn standing(state: &State, name: &str, tip: Option<Sha256>) -> Vec<GateResult> {
    let Some(v) = state.variant(name) else {
        return Vec::new();
    };
    let body = |id: Option<RecordId>| id.and_then(|id| state.get(id)).map(|r| &r.body);
    let mut gates = vec![evidence(state, name, tip)];
    if let Some(Body::Check(check)) = body(v.check) {
        gates.extend(check.gates.iter().cloned());
    }
    gates.extend(verdict(state, name));
    gates
}

/// Whether the evaluator was left alone, by the protected files that a variant changed.
pub fn evaluator(touched: &[String]) -> GateResult {
    let evidence = match touched {
        [] => "no protected file differs from where the variant began".to_owned(),
        touched => format!(
            "the variant changes protected files (they were not used): {}",
            touched.join(", ")
        ),
    };
    gate(EVALUATOR, Some(touched.is_empty()), evidence)
}

fn evidence(state: &State, name: &str, tip: Option<Sha256>) -> GateResult {
    let Some(v) = state.variant(name) else {
        return gate(EVIDENCE, None, "no such variant");
    };
    let Some(key) = &v.key else {
        return gate(EVIDENCE, None, "nothing was run");
    };
    let failed = |why: String| gate(EVIDENCE, Some(false), why);
    match tip {
        None => return failed("the branch is gone".into()),
        Some(tip) if tip != key.kernel => {
            return failed(
                "the branch holds other kernel content than was run; run it again".into(),
            );
        }
        Some(_) => {}
    }
    let body = |id: Option<RecordId>| id.and_then(|id| state.get(id)).map(|r| &r.body);
    if let Some(Body::Run(run)) = body(v.run)
        && let Some(f) = &run.failure
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
    let Some(Body::Check(check)) = body(v.check) else {
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

fn verdict(state: &State, name: &str) -> Vec<GateResult> {
    let against = match state.champion() {
        Champion::None => {
            return vec![gate(
                VERDICT,
                Some(true),
                "there is no champion to beat yet",
            )];
        }
        Champion::Contested(_) => {
            return vec![gate(
                VERDICT,
                Some(false),
                "the champion is contested; settle that first",
            )];
        }
        Champion::Holder(head) => &head.variant,
    };
    let found = state
        .variant(name)
        .and_then(|v| v.verdict)
        .and_then(|id| state.get(id))
        .map(|r| &r.body);
    let Some(Body::Verdict(v)) = found else {
        return vec![gate(
            VERDICT,
            None,
            format!("not measured against the champion {against}"),
        )];
    };
    if v.a != *against {
        return vec![gate(
            VERDICT,
            Some(false),
            format!("measured against {}, and the champion is {against}", v.a),
        )];
    }
    let slow: Vec<&str> = v
        .workloads
        .iter()
        .filter(|w| w.guard_broken)
        .map(|w| w.workload.as_str())
        .collect();
    let guard = match slow.as_slice() {
        [] => gate(
            GUARD,
            Some(true),
            format!(
                "no workload is proven more than {} % slower",
                v.guard * 100.0
            ),
        ),
        slow => gate(
            GUARD,
            Some(false),
            format!(
                "proven slower beyond {} %: {}",
                v.guard * 100.0,
                slow.join(", ")
            ),
        ),
    };
    let word = format!("{}: {}", v.verdict.name(), v.reason);
    vec![
        gate(VERDICT, Some(v.verdict == VerdictKind::Faster), word),
        guard,
    ]
}

/// The gates that stand in the way: failed ones and those without evidence.
pub fn blocking(gates: &[GateResult]) -> impl Iterator<Item = &GateResult> {
    gates.iter().filter(|g| g.pass != Some(true))
}
