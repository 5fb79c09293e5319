//! How a run begins with what was done before, and how it ends.

use std::time::Instant;

use assay_core::RecordId;
use assay_core::record::{Build, Check, ContentKey, Failure, FailureKind, Run, Source, Stage};
use assay_ledger::Blob;

use super::{Running, Summary, build, nanos};
use crate::error::Result;

/// What an earlier run of the same content has done, so that it need not be done again.
pub(super) struct Carried {
    key: ContentKey,
    records: Vec<RecordId>,
    done: Vec<Stage>,
    build: Option<Build>,
    source: Option<(Source, String)>,
    check: Option<(RecordId, Check)>,
}

impl Running<'_> {
    /// What may be carried over to another run of the same content.
    pub(super) fn carried(&self) -> Carried {
        Carried {
            key: self.b.subject.key.clone(),
            records: self.records.clone(),
            done: self.done.clone(),
            build: self.build.clone(),
            source: self.source.clone(),
            check: self.check.clone(),
        }
    }

    /// Takes over what was done of this content; of other content nothing.
    pub(super) fn take_over(&mut self, carried: Carried) -> Result<()> {
        if carried.key != self.b.subject.key {
            return Ok(());
        }
        build::ensure(self.session, &mut self.b)?;
        self.records = carried.records;
        self.done = carried.done;
        self.build = carried.build;
        self.source = carried.source;
        self.check = carried.check;
        Ok(())
    }

    /// Records the run with how its stages ended.
    ///
    /// An error is recorded as a failure and handed on.
    pub(super) fn conclude(
        self,
        started: Instant,
        ended: Result<Option<Failure>>,
    ) -> Result<Summary> {
        let (session, name) = (self.session, self.b.subject.name.clone());
        let failed = |kind, message| Failure {
            kind,
            stage: self.next_stage(),
            message,
            stderr_tail: String::new(),
        };
        let (failure, error) = match ended {
            Ok(failure) => (failure, None),
            Err(e) if session.cancel.is_cancelled() => {
                let what = format!("cancelled ({e})");
                (Some(failed(FailureKind::Cancelled, what)), None)
            }
            Err(e) => (Some(failed(FailureKind::Infra, e.message.clone())), Some(e)),
        };
        let body = Run {
            run: self.run,
            subject: self.b.subject.clone(),
            target: session.request.target.clone(),
            stages: session.request.stages.clone(),
            done: self.done.clone(),
            failure: failure.clone(),
            environment: session.environment.clone(),
            wall_ns: nanos(started),
            records: self.records.clone(),
            left: self.left.iter().map(Blob::reference).collect(),
        };
        let noted = self.bench.append(self.bench.record(body), &self.left);
        if let Some(e) = error {
            return Err(e.context(format!("running {name}")));
        }
        noted?;
        if let Some(f) = &failure {
            session.progress.line(&format!(
                "{name}: {} in {}: {}",
                f.kind.name(),
                f.stage.name(),
                f.message
            ));
        }
        Ok(Summary {
            name,
            run: self.run,
            reused: false,
            failure,
            verdict: self.verdict,
        })
    }
}
