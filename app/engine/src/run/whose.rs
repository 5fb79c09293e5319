//! Whose a crash is where two subjects shared the process: each is run alone afterwards.
//!
//! A crash ends both sides, and what a program said last does not tell which of them it was: launches run on
//! after the host has gone on. A side that fails alone as well explains it. Where none does, or both do,
//! nothing was learnt of the variant, and it is not rejected for it.

use std::fs;

use assay_core::record::{Failure, FailureKind, Stage};
use assay_exec::bench::{BenchJob, ProcessOutcome, run_watched};
use assay_exec::plan::Mode;
use assay_exec::progress::Silent;

use super::Staged;
use super::measure::{Measuring, alone};
use super::suspected::{Accusation, of_opponent};
use crate::error::AtPath;

impl Measuring<'_> {
    /// How the measurement ends where the process of a pair ended with a failure.
    pub(super) fn whose(&self, failure: Failure, outcome: &ProcessOutcome) -> Staged<()> {
        let ([(a, _), (b, _)], Mode::Pair) = (self.sides, self.job.mode) else {
            return Ok(Err(failure));
        };
        let (a, b) = (&a.subject.name, &b.subject.name);
        let crashed = matches!(
            failure.kind,
            FailureKind::Runtime | FailureKind::Launch | FailureKind::Timeout
        );
        if a == b || !crashed || outcome.failure.is_none() {
            return Ok(Err(failure));
        }
        self.session.progress.line(&format!(
            "{}: {a} and {b} shared the process, and each is run alone to see whose failure it is",
            failure.message
        ));
        let alone = match self.each_alone(outcome.process)? {
            Ok(alone) => alone,
            Err(stopped) => return Ok(Err(stopped)),
        };
        let found = blamed(failure, &alone, [a, b]);
        if let Some(what) = found.of_opponent {
            self.note_opponent(what)?;
        }
        Ok(Err(found.failure))
    }

    /// How each side ends alone, A first, with as many legs as both have in a pair.
    fn each_alone(&self, process: u32) -> Staged<[Option<Failure>; 2]> {
        let mut ends = [None, None];
        for (slot, end) in ends.iter_mut().enumerate() {
            let mut job: BenchJob = self.job.clone();
            job.subjects.swap(0, slot);
            job.logs = job.logs.join(["alone-A", "alone-B"][slot]);
            fs::create_dir_all(&job.logs).at(&job.logs)?;
            let seed = (job.schedule)(process).seed;
            let how = self.session.watcher.watching();
            let done = run_watched(
                &alone(job, seed),
                process,
                how,
                self.session.cancel,
                &Silent,
            )?;
            if let Some(lost) = self.session.lost_device(Stage::Bench) {
                return Ok(Err(lost));
            }
            *end = done.failure;
            if let Some(f) = end.take_if(|f| f.kind == FailureKind::Cancelled) {
                return Ok(Err(f));
            }
        }
        Ok(Ok(ends))
    }
}

/// What comes of the failure of a shared process by how A and B end alone.
fn blamed(failure: Failure, alone: &[Option<Failure>; 2], [a, b]: [&str; 2]) -> Accusation {
    let said = |f: &Failure| {
        let stage = format!("{}: ", f.stage.name());
        f.message
            .strip_prefix(&stage)
            .unwrap_or(&f.message)
            .to_owned()
    };
    match alone {
        [None, Some(own)] => Accusation {
            failure: Failure {
                message: format!(
                    "{}; it is of {b}, which fails alone, too: {}",
                    failure.message,
                    said(own)
                ),
                ..failure
            },
            of_opponent: None,
        },
        [Some(own), None] => {
            let what = format!("{}; {a} fails alone, too: {}", failure.message, said(own));
            of_opponent(a, what, Some(&failure))
        }
        [None, None] => unknown(
            &failure,
            &format!(
                "{a} and {b} shared the process, and alone each of them ends well: which of them it was is not known; \
                 mode `resident` or `invocation` in [bench] keeps them apart"
            ),
        ),
        [Some(x), Some(y)] => unknown(
            &failure,
            &format!(
                "{a} and {b} shared the process, and alone each of them fails: {a}: {}, {b}: {}; it may be the device or \
                 the bench program as well as both",
                said(x),
                said(y)
            ),
        ),
    }
}

/// A failure of a pair that is nobody's in particular.
fn unknown(failure: &Failure, why: &str) -> Accusation {
    Accusation {
        failure: Failure {
            kind: FailureKind::Noisy,
            message: format!(
                "{}; {why}; this says nothing of the variant",
                failure.message
            ),
            ..failure.clone()
        },
        of_opponent: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: FailureKind, message: &str) -> Failure {
        Failure {
            kind,
            stage: Stage::Bench,
            message: format!("bench: {message}"),
            stderr_tail: "tail".into(),
        }
    }

    fn ended(alone: [Option<&str>; 2]) -> Accusation {
        let alone = alone.map(|m| m.map(|m| failure(FailureKind::Runtime, m)));
        let shared = failure(FailureKind::Launch, "exit code 2");
        blamed(shared, &alone, ["naive", "quick"])
    }

    #[test]
    fn who_fails_alone_has_failed() {
        let own = ended([None, Some("exit code 139")]);
        assert_eq!(
            own.failure.kind,
            FailureKind::Launch,
            "what was seen first stays"
        );
        assert!(
            own.failure.message.contains("it is of quick"),
            "{}",
            own.failure.message
        );
        assert_eq!(own.of_opponent, None);
        let other = ended([Some("exit code 139"), None]);
        assert_eq!(other.failure.kind, FailureKind::Noisy);
        assert_eq!(other.failure.stderr_tail, "tail");
        assert!(
            other
                .of_opponent
                .unwrap()
                .contains("naive fails alone, too: exit code 139")
        );
    }

    #[test]
    fn a_failure_that_nobody_has_alone_or_both_have_is_not_the_variant_s() {
        for (alone, words) in [
            (
                [None, None],
                "alone each of them ends well: which of them it was is not known",
            ),
            (
                [Some("x"), Some("y")],
                "alone each of them fails: naive: x, quick: y",
            ),
        ] {
            let found = ended(alone);
            assert_eq!(found.failure.kind, FailureKind::Noisy);
            assert_eq!(found.of_opponent, None);
            assert!(
                found.failure.message.contains(words),
                "{}",
                found.failure.message
            );
            assert!(
                found
                    .failure
                    .message
                    .ends_with("says nothing of the variant")
            );
        }
    }
}
