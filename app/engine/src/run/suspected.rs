//! What a bench comes to when its harness accuses a subject, of remembering results or of wrong ones, or when
//! the process of one subject fails.
//!
//! Only what is said of B is B's failure. Where the one that it is measured against is accused, or its process
//! failed, nothing was learnt about B: the measurement has failed, and what happened is kept as a note about it.

use assay_core::record::{Failure, FailureKind, Stage};
use assay_exec::bench::ProcessOutcome;

/// What stands before the name of the subject that is only measured against.
const OPPONENT: &str = "A-";

/// Topic of the note about an accused opponent.
pub(super) const TOPIC: &str = "suspected";

/// How a bench ends over an accusation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Accusation {
    /// How the run of B ends.
    pub failure: Failure,
    /// What the opponent is accused of, where it is not B: for a note about it.
    pub of_opponent: Option<String>,
}

/// One thing said of one subject.
struct Said<'a> {
    subject: &'a str,
    workload: &'a str,
    detail: &'a str,
    kind: FailureKind,
}

/// What comes of what the harness says of the subjects.
///
/// B looks as if it cheated, or gave a wrong result, as soon as it is accused at all; A alone accused cannot be
/// measured against here and now, and B has not failed by that. Answers that anybody may have written say nothing.
pub(super) fn accusation(outcome: &ProcessOutcome) -> Option<Accusation> {
    let kind = outcome.failure.as_ref().map(|f| f.kind);
    if outcome.suspect > 0 {
        return None;
    }
    let suspicions = outcome.suspicions.iter().map(|s| Said {
        subject: &s.subject,
        workload: &s.workload,
        detail: &s.detail,
        kind: FailureKind::ExploitSuspected,
    });
    let wrong = outcome.checks.iter().filter(|c| !c.result.ok);
    let wrong = wrong.map(|c| Said {
        subject: c.subject.as_deref().unwrap_or_default(),
        workload: &c.result.workload,
        detail: &c.result.detail,
        kind: FailureKind::Correctness,
    });
    // A crash or a time limit is not explained by an accusation; the program must have ended over it.
    let fits = |s: &Said<'_>| kind.is_none_or(|k| k == s.kind);
    let said: Vec<Said<'_>> = suspicions.chain(wrong).filter(fits).collect();
    let of_subject = said.iter().find(|s| !s.subject.starts_with(OPPONENT));
    let Some(s) = of_subject.or(said.first()) else {
        return failed_alone(outcome);
    };
    let text = match s.kind {
        FailureKind::Correctness => format!(
            "a timed launch gave a wrong result on {}: {}",
            s.workload, s.detail
        ),
        _ => format!("on {}: {}", s.workload, s.detail),
    };
    let failure = |kind, message| Failure {
        kind,
        stage: Stage::Bench,
        message,
        stderr_tail: outcome
            .failure
            .as_ref()
            .map_or_else(String::new, |f| f.stderr_tail.clone()),
    };
    Some(if of_subject.is_some() {
        let message = match s.kind {
            FailureKind::Correctness => text,
            _ => format!("bench: {text}"),
        };
        Accusation {
            failure: failure(s.kind, message),
            of_opponent: None,
        }
    } else {
        let name = s.subject.trim_start_matches(OPPONENT);
        of_opponent(name, text, outcome.failure.as_ref())
    })
}

/// The process of the opponent failed, where each subject has a process of its own.
fn failed_alone(outcome: &ProcessOutcome) -> Option<Accusation> {
    let name = outcome.failed.as_ref()?.strip_prefix(OPPONENT)?;
    let failure = outcome.failure.as_ref()?;
    let is_its = matches!(
        failure.kind,
        FailureKind::Runtime
            | FailureKind::Launch
            | FailureKind::Correctness
            | FailureKind::Timeout
            | FailureKind::ExploitSuspected
    );
    is_its.then(|| of_opponent(name, failure.message.clone(), Some(failure)))
}

/// How the run of B ends where A could not be measured, by the failure that the process ended with.
pub(super) fn of_opponent(name: &str, what: String, failure: Option<&Failure>) -> Accusation {
    let tail = failure.map(|f| f.stderr_tail.clone());
    Accusation {
        failure: Failure {
            kind: FailureKind::Noisy,
            stage: Stage::Bench,
            message: format!(
                "the opponent {name} could not be measured: {what}; this says nothing of the variant: measure again \
                 on a quieter machine or against another one (--against NAME), and look at {name} if it stays"
            ),
            stderr_tail: tail.unwrap_or_default(),
        },
        of_opponent: Some(what),
    }
}

#[cfg(test)]
mod tests {
    use assay_core::record::CheckResult;
    use assay_exec::answers::{CheckAnswer, Suspicion};

    use super::*;

    fn suspicions(subjects: &[&str]) -> ProcessOutcome {
        let suspicions = subjects.iter().map(|s| Suspicion {
            subject: (*s).to_owned(),
            workload: "w".into(),
            detail: "remembers".into(),
        });
        ProcessOutcome {
            suspicions: suspicions.collect(),
            ..ProcessOutcome::default()
        }
    }

    fn wrong(subjects: &[Option<&str>]) -> ProcessOutcome {
        let checks = subjects.iter().map(|s| CheckAnswer {
            subject: s.map(str::to_owned),
            result: CheckResult {
                workload: "w".into(),
                max_abs_error: None,
                max_rel_error: None,
                detail: "off".into(),
                ok: false,
            },
        });
        ProcessOutcome {
            checks: checks.collect(),
            ..ProcessOutcome::default()
        }
    }

    fn ended(outcome: ProcessOutcome, kind: FailureKind) -> ProcessOutcome {
        let failure = Failure {
            kind,
            stage: Stage::Bench,
            message: "bench: exit code 3".into(),
            stderr_tail: "tail".into(),
        };
        ProcessOutcome {
            failure: Some(failure),
            ..outcome
        }
    }

    #[test]
    fn an_accusation_of_the_opponent_is_no_failure_of_the_variant() {
        assert_eq!(accusation(&suspicions(&[])), None);
        let cases = [
            (suspicions(&["A-naive"]), "on w: remembers"),
            (
                ended(suspicions(&["A-naive"]), FailureKind::ExploitSuspected),
                "on w: remembers",
            ),
            (
                ended(wrong(&[Some("A-naive")]), FailureKind::Correctness),
                "a timed launch gave a wrong result on w: off",
            ),
            (
                wrong(&[Some("A-naive")]),
                "a timed launch gave a wrong result on w: off",
            ),
        ];
        for (outcome, what) in cases {
            let found = accusation(&outcome).unwrap();
            assert_eq!(found.failure.kind, FailureKind::Noisy);
            assert_eq!(found.of_opponent.as_deref(), Some(what));
            let begins =
                format!("the opponent naive could not be measured: {what}; this says nothing");
            assert!(
                found.failure.message.starts_with(&begins),
                "{}",
                found.failure.message
            );
        }
    }

    #[test]
    fn an_accusation_of_the_variant_stands_whoever_else_is_accused() {
        for subjects in [&["B-x"][..], &["A-naive", "B-x"]] {
            let found = accusation(&suspicions(subjects)).unwrap();
            assert_eq!(found.failure.kind, FailureKind::ExploitSuspected);
            assert_eq!(found.of_opponent, None);
        }
        // A harness that does not say whose result was wrong is not read as if it did.
        for subjects in [&[Some("B-x")][..], &[Some("A-naive"), Some("B-x")], &[None]] {
            let outcome = ended(wrong(subjects), FailureKind::Correctness);
            let found = accusation(&outcome).unwrap();
            assert_eq!(found.failure.kind, FailureKind::Correctness);
            assert_eq!(found.failure.stderr_tail, "tail");
        }
    }

    #[test]
    fn a_process_of_the_opponent_that_fails_is_no_failure_of_the_variant() {
        let of = |id: Option<&str>, kind| ProcessOutcome {
            failed: id.map(str::to_owned),
            ..ended(ProcessOutcome::default(), kind)
        };
        for kind in [
            FailureKind::Runtime,
            FailureKind::Correctness,
            FailureKind::Timeout,
        ] {
            let found = accusation(&of(Some("A-naive"), kind)).unwrap();
            assert_eq!(found.failure.kind, FailureKind::Noisy);
            assert_eq!(found.failure.stderr_tail, "tail");
            assert_eq!(found.of_opponent.as_deref(), Some("bench: exit code 3"));
            assert!(found.failure.message.contains("the opponent naive"));
            // Its own, or that of a process which both share: it stays what it is.
            assert_eq!(accusation(&of(Some("B-x"), kind)), None);
            assert_eq!(accusation(&of(None, kind)), None);
        }
        for kind in [FailureKind::Infra, FailureKind::Cancelled] {
            assert_eq!(accusation(&of(Some("A-naive"), kind)), None);
        }
    }

    #[test]
    fn what_it_does_not_explain_it_does_not_excuse() {
        let crashed = ended(suspicions(&["A-naive"]), FailureKind::Runtime);
        assert_eq!(accusation(&crashed), None);
        let timed_out = ended(wrong(&[Some("A-naive")]), FailureKind::Timeout);
        assert_eq!(accusation(&timed_out), None);
        let forged = ProcessOutcome {
            suspect: 1,
            ..suspicions(&["A-naive"])
        };
        assert_eq!(accusation(&forged), None);
    }
}
