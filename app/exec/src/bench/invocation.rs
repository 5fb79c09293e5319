//! Mode `invocation`: one process for each leg, for evaluators that exist already.
//!
//! Besides the plan (one workload, one block, one leg) the command finds what a shell line needs:
//! `ASSAY_WORKLOAD`, `ASSAY_BLOCK`, `ASSAY_LEG`, and a variable `ASSAY_DIM_<NAME>` for each dim.

use assay_core::record::{Failure, FailureKind, Stage};
use serde_json::json;

use super::{Context, ProcessOutcome, StdoutParse, outcome};
use crate::ExecError;
use crate::answers::{Answers, Line, Reader};
use crate::plan::{Plan, WorkloadSpec, number_text};
use crate::process::Limits;
use crate::stage::{StageJob, StageOutcome, run_stage};

/// Bytes of standard output that are searched for the time.
const STDOUT_MAX: usize = 4 << 20;

pub(super) fn run(ctx: &Context<'_>) -> Result<ProcessOutcome, ExecError> {
    let job = ctx.job;
    let log = ctx.log("");
    let mut all = Vec::new();
    let mut problems = Vec::new();
    let mut failure = None;
    'legs: for workload in &job.workloads {
        for block in 0..job.blocks {
            for (leg, slot) in (0..).zip(ctx.schedule.slots(block)) {
                let at = Leg {
                    workload,
                    block,
                    leg,
                    slot,
                };
                let first = all.is_empty();
                let mut done = leg_process(ctx, &at, &log, !first)?;
                let place = at.name(ctx);
                problems.extend(
                    done.finished
                        .problems
                        .iter()
                        .map(|p| format!("{place}: {p}")),
                );
                if let (Some(parse), None) = (&job.parse, &done.failure) {
                    match from_stdout(ctx, &at, parse, &done.finished.stdout) {
                        Ok(line) => done.answers.lines.push(line),
                        Err(why) => done.failure = Some(runtime(&done, why)),
                    }
                }
                all.push(done.answers);
                if let Some(mut f) = done.failure {
                    f.message = format!("{} ({place})", f.message);
                    failure = Some(f);
                    break 'legs;
                }
                ctx.legs.one();
            }
        }
    }
    let mut out = outcome(ctx, &all, failure);
    out.problems.extend(problems);
    out.logs.push(log);
    Ok(out)
}

struct Leg<'a> {
    workload: &'a WorkloadSpec,
    block: u32,
    leg: u32,
    slot: usize,
}

impl Leg<'_> {
    fn name(&self, ctx: &Context<'_>) -> String {
        format!(
            "`{}`, workload {}, block {}, leg {}",
            ctx.job.subjects[self.slot].id, self.workload.name, self.block, self.leg
        )
    }
}

fn leg_process(
    ctx: &Context<'_>,
    at: &Leg<'_>,
    log: &std::path::Path,
    append: bool,
) -> Result<StageOutcome, ExecError> {
    let job = ctx.job;
    let subject = &job.subjects[at.slot];
    let plan = Plan {
        workloads: vec![at.workload.clone()],
        blocks: 1,
        block: Some(at.block),
        leg: Some(at.leg),
        ..ctx.plan_alone()
    };
    let mut env = ctx.env(subject, std::slice::from_ref(subject), &plan);
    env.insert("ASSAY_WORKLOAD".into(), at.workload.name.clone().into());
    env.insert("ASSAY_BLOCK".into(), at.block.to_string().into());
    env.insert("ASSAY_LEG".into(), at.leg.to_string().into());
    for (name, value) in &at.workload.dims {
        env.insert(format!("ASSAY_DIM_{name}"), number_text(*value).into());
    }
    let stage = StageJob {
        // One log for all legs: what each may add is limited accordingly.
        limits: Limits {
            log_kept: job.limits.log_kept / 16,
            ..job.limits.clone()
        },
        append_log: append,
        keep_stdout: job.parse.as_ref().map(|_| STDOUT_MAX),
        ..StageJob::new(Stage::Bench, job.command.clone(), &job.cwd, env, log)
    };
    run_stage(&stage, ctx.cancel, |_| {})
}

/// Makes the sample line that the program would have answered.
fn from_stdout(
    ctx: &Context<'_>,
    at: &Leg<'_>,
    parse: &StdoutParse,
    stdout: &[u8],
) -> Result<Line, String> {
    let values = parse.values(&String::from_utf8_lossy(stdout))?;
    let line = json!({
        "assay": 1, "nonce": "", "kind": "samples",
        "workload": at.workload.name, "subject": ctx.job.subjects[at.slot].id,
        "process": ctx.process, "block": at.block, "leg": at.leg,
        "unit": parse.unit(), "values": values,
        "timer": "reported", "cache": ctx.job.cache,
    });
    let mut reader = Reader::new("");
    reader.push(line.to_string().as_bytes());
    let Answers {
        mut lines,
        problems,
        ..
    } = reader.finish();
    lines.pop().ok_or_else(|| {
        problems
            .first()
            .map(ToString::to_string)
            .unwrap_or_default()
    })
}

fn runtime(done: &StageOutcome, why: String) -> Failure {
    Failure {
        kind: FailureKind::Runtime,
        stage: Stage::Bench,
        message: format!("bench: {why}"),
        stderr_tail: done.finished.tail_text(),
    }
}
