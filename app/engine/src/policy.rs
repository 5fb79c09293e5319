//! The written policy: what to decide when nobody is there to decide. `demo` uses it.
//!
//! | evidence | decision |
//! |---|---|
//! | the run failed (build, check, time limit, crash) | reject, with the failure |
//! | it was cancelled or interrupted, the machine failed, or the measurement was too noisy | none: run it again |
//! | a gate of the campaign failed, or the evaluator was touched | reject, naming it |
//! | no champion yet, all gates pass | accept |
//! | FASTER, all gates pass | accept, with the figures |
//! | SLOWER, SAME, NO_GAIN | reject, with the figures |
//! | UNDECIDED, a gate without evidence | park, with what would settle it |

use assay_core::fold::State;
use assay_core::record::{Body, DecisionKind, Failure, FailureKind, GateResult, VerdictKind};

use crate::gates;

/// What the policy would decide, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The decision.
    pub kind: DecisionKind,
    /// The reason, with figures.
    pub reason: String,
}

/// Why nothing can be decided yet: what there is says nothing about the variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsettled(pub String);

/// Applies the written policy to a variant with these gates.
///
/// # Errors
/// When the last run says nothing about the variant: it has to be run again first.
pub fn propose(state: &State, name: &str, gates: &[GateResult]) -> Result<Proposal, Unsettled> {
    if let Some(g) = gates.iter().find(|g| g.name == gates::EVIDENCE)
        && g.pass == Some(false)
        && !failure(state, name).is_some_and(says_something)
    {
        return Err(Unsettled(g.evidence.clone()));
    }
    Ok(settled(state, name, gates))
}

/// The failure that the last run of a variant ended with.
fn failure<'s>(state: &'s State, name: &str) -> Option<&'s Failure> {
    let run = state.variant(name).and_then(|v| v.run)?;
    match &state.get(run)?.body {
        Body::Run(run) => run.failure.as_ref(),
        _ => None,
    }
}

/// Whether a failure is the variant's, and not the machine's or a person's doing.
fn says_something(failure: &Failure) -> bool {
    !matches!(
        failure.kind,
        FailureKind::Cancelled | FailureKind::Infra | FailureKind::Noisy
    )
}

fn settled(state: &State, name: &str, gates: &[GateResult]) -> Proposal {
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

#[cfg(test)]
mod tests {
    use assay_core::record::Stage;

    use super::*;

    #[test]
    fn what_was_stopped_or_could_not_be_measured_says_nothing_of_the_variant() {
        let failed = |kind| Failure {
            kind,
            stage: Stage::Bench,
            message: String::new(),
            stderr_tail: String::new(),
        };
        for kind in [
            FailureKind::Cancelled,
            FailureKind::Infra,
            FailureKind::Noisy,
        ] {
            assert!(!says_something(&failed(kind)), "{}", kind.name());
        }
        for kind in [
            FailureKind::Timeout,
            FailureKind::Compile,
            FailureKind::Correctness,
            FailureKind::ExploitSuspected,
        ] {
            assert!(says_something(&failed(kind)), "{}", kind.name());
        }
    }
}
