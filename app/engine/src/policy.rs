//! The written policy: what to decide when nobody is there to decide. `demo` uses it.
//!
//! | evidence | decision |
//! |---|---|
//! | the run failed (build, check, time limit, crash) | reject, with the failure |
//! | a gate of the campaign failed, or the evaluator was touched | reject, naming it |
//! | no champion yet, all gates pass | accept |
//! | FASTER, all gates pass | accept, with the figures |
//! | SLOWER, SAME, NO_GAIN | reject, with the figures |
//! | UNDECIDED, INVALID, a gate without evidence | park, with what would settle it |

use assay_core::fold::State;
use assay_core::record::{Body, DecisionKind, GateResult, VerdictKind};

use crate::gates;

/// What the policy would decide, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The decision.
    pub kind: DecisionKind,
    /// The reason, with figures.
    pub reason: String,
}

/// Applies the written policy to a variant with these gates.
pub fn propose(state: &State, name: &str, gates: &[GateResult]) -> Proposal {
    let proposal = |kind, reason: String| Proposal { kind, reason };
    let failed = |g: &&GateResult| {
        g.pass == Some(false) && g.name != gates::VERDICT && g.name != gates::GUARD
    };
    if let Some(g) = gates.iter().find(failed) {
        let what = if g.name == gates::EVIDENCE {
            String::new()
        } else {
            format!("gate {} failed: ", g.name)
        };
        return proposal(DecisionKind::Reject, format!("{what}{}", g.evidence));
    }
    let found = state
        .variant(name)
        .and_then(|v| v.verdict)
        .and_then(|id| state.get(id))
        .map(|r| &r.body);
    let verdict = match found {
        Some(Body::Verdict(v)) => Some(v),
        _ => None,
    };
    let judged = gates.iter().find(|g| g.name == gates::VERDICT);
    if let (Some(g), Some(v)) = (judged, verdict)
        && g.pass == Some(false)
    {
        return match v.verdict {
            VerdictKind::Slower | VerdictKind::Same | VerdictKind::NoGain => proposal(
                DecisionKind::Reject,
                format!("{}: {}", v.verdict.name(), v.reason),
            ),
            _ => {
                let next = if v.next.is_empty() {
                    String::new()
                } else {
                    format!(" Next: {}", v.next)
                };
                proposal(
                    DecisionKind::Park,
                    format!("{}.{next}", g.evidence.trim_end_matches('.')),
                )
            }
        };
    }
    if let Some(g) = gates::blocking(gates).next() {
        return match g.pass {
            Some(_) => proposal(
                DecisionKind::Reject,
                format!("gate {} failed: {}", g.name, g.evidence),
            ),
            None => proposal(
                DecisionKind::Park,
                format!("no evidence for gate {}: {}", g.name, g.evidence),
            ),
        };
    }
    match (state.champion().name(), verdict) {
        (Some(_), Some(v)) => proposal(
            DecisionKind::Accept,
            format!("{}: {}", v.verdict.name(), v.reason),
        ),
        _ => proposal(
            DecisionKind::Accept,
            "the first variant that passes all gates; there was no champion to beat".into(),
        ),
    }
}
