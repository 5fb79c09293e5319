//! Mode `invocation`: one process for each leg, for evaluators that exist already.
//!
//! Besides the plan (one workload, one block, one leg) the command finds what a shell line needs:
//! `ASSAY_WORKLOAD`, `ASSAY_BLOCK`, `ASSAY_LEG`, and a variable `ASSAY_DIM_<NAME>` for each dim.
//! A program whose output covers all workloads is run once for all: the plan holds them all, and
//! there is neither `ASSAY_WORKLOAD` nor a dim.

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
    let mut failed = None;
    let at_once = match &job.parse {
        Some(parse) if parse.covers_all() => job.workloads.len().max(1),
        _ => 1,
    };
    'legs: for workloads in job.workloads.chunks(at_once) {
        for block in 0..job.blocks {
            for (leg, slot) in (0..).zip(ctx.schedule.slots(block)) {
                let at = Leg {
                    workloads,
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
                        Ok(lines) => done.answers.lines.extend(lines),
                        Err(why) => done.failure = Some(runtime(&done, why)),
                    }
                }
                all.push(done.answers);
                if let Some(mut f) = done.failure {
                    f.message = format!("{} ({place})", f.message);
                    if f.kind != FailureKind::Cancelled {
                        failed = Some(job.subjects[slot].id.clone());
                    }
                    failure = Some(f);
                    break 'legs;
                }
                workloads.iter().for_each(|_| ctx.legs.one());
            }
            ctx.watch.block(workloads, block); // no program of ours runs
        }
    }
    let mut out = outcome(ctx, &all, failure);
    out.failed = failed;
    out.problems.extend(problems);
    out.logs.push(log);
    Ok(out)
}

struct Leg<'a> {
    /// One, or all of them.
    workloads: &'a [WorkloadSpec],
    block: u32,
    leg: u32,
    slot: usize,
}

impl Leg<'_> {
    fn name(&self, ctx: &Context<'_>) -> String {
        let what = match self.workloads {
            [one] => format!("workload {}", one.name),
            _ => "all workloads".to_owned(),
        };
        format!(
            "`{}`, {what}, block {}, leg {}",
            ctx.job.subjects[self.slot].id, self.block, self.leg
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
        workloads: at.workloads.to_vec(),
        blocks: 1,
        block: Some(at.block),
        leg: Some(at.leg),
        ..ctx.plan_alone()
    };
    let mut env = ctx.env(subject, std::slice::from_ref(subject), &plan);
    env.insert("ASSAY_BLOCK".into(), at.block.to_string().into());
    env.insert("ASSAY_LEG".into(), at.leg.to_string().into());
    if !job.parse.as_ref().is_some_and(StdoutParse::covers_all)
        && let [workload] = at.workloads
    {
        env.insert("ASSAY_WORKLOAD".into(), workload.name.clone().into());
        for (name, value) in &workload.dims {
            env.insert(format!("ASSAY_DIM_{name}"), number_text(*value).into());
        }
    }
    let stage = StageJob {
        // One log for all legs: what each may add is limited accordingly.
        limits: Limits {
            log_kept: job.limits.log_kept / 16,
            ..job.limits.clone()
        },
        append_log: append,
        keep_stdout: job.parse.as_ref().map(|_| STDOUT_MAX + 1),
        ..StageJob::new(Stage::Bench, job.command.clone(), &job.cwd, env, log)
    };
    run_stage(&stage, ctx.cancel, ctx.legs.progress, |_| {})
}

/// Makes the sample lines that the program would have answered.
fn from_stdout(
    ctx: &Context<'_>,
    at: &Leg<'_>,
    parse: &StdoutParse,
    stdout: &[u8],
) -> Result<Vec<Line>, String> {
    if stdout.len() > STDOUT_MAX {
        return Err(format!(
            "standard output is longer than the {STDOUT_MAX} bytes that are searched for times; \
             print less, or to standard error"
        ));
    }
    let mut reader = Reader::new("");
    for leg in parse.legs(stdout, at.workloads)? {
        let mut line = json!({
            "assay": 1, "nonce": "", "kind": "samples",
            "workload": leg.workload, "subject": ctx.job.subjects[at.slot].id,
            "process": ctx.process, "block": at.block, "leg": at.leg,
            "unit": leg.unit, "values": leg.values, "tick": leg.unit.to_ns(leg.tick),
            "timer": leg.timer, "cache": ctx.job.cache,
        });
        if let Some(statistic) = leg.statistic {
            line["statistic"] = statistic.into();
        }
        reader.push(format!("{line}\n").as_bytes());
    }
    let Answers {
        lines, problems, ..
    } = reader.finish();
    match problems.first() {
        Some(problem) => Err(problem.to_string()),
        None => Ok(lines),
    }
}

fn runtime(done: &StageOutcome, why: String) -> Failure {
    Failure {
        kind: FailureKind::Runtime,
        stage: Stage::Bench,
        message: format!("bench: {why}"),
        stderr_tail: done.finished.tail_text(),
    }
}
