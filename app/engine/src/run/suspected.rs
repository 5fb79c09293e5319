//! What a bench comes to when its harness suspects a subject.

use assay_core::record::{Failure, FailureKind, Stage};
use assay_exec::answers::Suspicion;
use assay_exec::bench::ProcessOutcome;

/// What comes of the harness's suspicions, which rest on times: B looks as if it cheated, but A, which is only measured
/// against, cannot be measured here and now, and B has not failed by that.
pub(super) fn suspected(outcome: &ProcessOutcome) -> Option<Failure> {
    let kind = outcome.failure.as_ref().map(|f| f.kind);
    let by_suspicion = matches!(kind, None | Some(FailureKind::ExploitSuspected));
    if !by_suspicion || outcome.suspect > 0 {
        return None;
    }
    let of_opponent = |s: &&Suspicion| s.subject.starts_with("A-");
    let subject = outcome.suspicions.iter().find(|s| !of_opponent(s));
    let s = subject.or(outcome.suspicions.first())?;
    let (kind, message) = match subject {
        Some(_) => (
            FailureKind::ExploitSuspected,
            format!("bench: on {}: {}", s.workload, s.detail),
        ),
        None => (
            FailureKind::Noisy,
            format!(
                "the opponent {} could not be measured: on {}: {}; measure again on a quieter machine",
                s.subject.trim_start_matches("A-"),
                s.workload,
                s.detail
            ),
        ),
    };
    Some(Failure {
        kind,
        stage: Stage::Bench,
        message,
        stderr_tail: outcome
            .failure
            .as_ref()
            .map_or_else(String::new, |f| f.stderr_tail.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suspicion_of_the_opponent_is_no_failure_of_the_variant() {
        let found = |subjects: &[&str]| {
            let suspicions = subjects.iter().map(|s| Suspicion {
                subject: (*s).to_owned(),
                workload: "w".into(),
                detail: "remembers".into(),
            });
            suspected(&ProcessOutcome {
                suspicions: suspicions.collect(),
                ..ProcessOutcome::default()
            })
        };
        assert_eq!(found(&[]), None);
        let noisy = found(&["A-naive"]).unwrap();
        assert_eq!(noisy.kind, FailureKind::Noisy);
        assert!(
            noisy.message.starts_with(
                "the opponent naive could not be measured: on w: remembers; measure again"
            ),
            "{}",
            noisy.message
        );
        for subjects in [&["B-x"][..], &["A-naive", "B-x"]] {
            assert_eq!(found(subjects).unwrap().kind, FailureKind::ExploitSuspected);
        }
    }
}
