//! Mode `pair`: one process holds both subjects, or A alone where the schedule has no leg of B.

use assay_core::record::Stage;

use super::{Context, ProcessOutcome, outcome};
use crate::ExecError;
use crate::answers::Answer;
use crate::stage::{StageJob, run_stage};

pub(super) fn run(ctx: &Context<'_>) -> Result<ProcessOutcome, ExecError> {
    let job = ctx.job;
    let [a, b] = &job.subjects;
    let (subjects, subject) = if ctx.schedule.alone() {
        (std::slice::from_ref(a), a)
    } else {
        (&job.subjects[..], b)
    };
    let stage = StageJob {
        limits: job.limits.clone(),
        ..StageJob::new(
            Stage::Bench,
            job.command.clone(),
            &job.cwd,
            ctx.env(subject, subjects, &ctx.plan()),
            ctx.log(""),
        )
    };
    let done = run_stage(&stage, ctx.cancel, ctx.legs.progress, |answer| {
        if matches!(answer, Answer::Samples(_)) {
            ctx.legs.one();
        }
    })?;
    let mut out = outcome(ctx, &[done.answers], done.failure);
    out.problems.extend(done.finished.problems);
    out.logs.extend(done.finished.log);
    Ok(out)
}
