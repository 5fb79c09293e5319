//! Driving a benchmark: one fresh process (or pair of them) at a time.
//!
//! The caller decides how many processes are run and looks at the samples between them. What comes
//! back is raw evidence: sample lines as they were answered, without the nonce, and what is wrong
//! with them.

mod invocation;
mod pair;
mod parse;
mod resident;
mod schedule;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_core::Sha256;
use assay_core::record::{Failure, FailureKind, Stage};

pub use parse::{LegTimes, StdoutParse};
pub use schedule::Schedule;
pub use watch::Watching;

use crate::answers::{Answers, CheckAnswer, DeviceState, Suspicion};
use crate::conditions::{Cost, Mark, Policy, Sampler};
use crate::plan::{Cache, Mode, Plan, StageEnv, SubjectSpec, WorkloadSpec};
use crate::process::{CommandLine, Env, Limits};
use crate::progress::Progress;
use crate::{Cancel, ExecError, conditions};
use watch::Watch;

/// Gives the leg order, load order and seed of a process, by its number from 1.
pub type ScheduleOf = Arc<dyn Fn(u32) -> Schedule + Send + Sync>;

/// A benchmark of two subjects, A first.
#[derive(Clone)]
pub struct BenchJob {
    /// The campaign's command.
    pub command: CommandLine,
    /// Working folder: the campaign folder of the prepared work tree.
    pub cwd: PathBuf,
    /// Environment without subject, subjects and plan: those are set here.
    pub env: StageEnv,
    /// How the command is driven.
    pub mode: Mode,
    /// A and B.
    pub subjects: [SubjectSpec; 2],
    /// Workloads, in order.
    pub workloads: Vec<WorkloadSpec>,
    /// Blocks per workload and process.
    pub blocks: u32,
    /// Order of legs.
    pub schedule: ScheduleOf,
    /// Least time of a leg in nanoseconds.
    pub min_leg_ns: u64,
    /// Warm-up in nanoseconds.
    pub warmup_ns: u64,
    /// Cache mode.
    pub cache: Cache,
    /// Mode `invocation`: how to read the output of a program that does not speak the protocol.
    pub parse: Option<StdoutParse>,
    /// Limits; the timeout is that of one process (of one pair in mode `resident`).
    pub limits: Limits,
    /// Folder for logs.
    pub logs: PathBuf,
}

impl fmt::Debug for BenchJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BenchJob")
            .field("command", &self.command)
            .field("mode", &self.mode)
            .field("subjects", &self.subjects)
            .field("blocks", &self.blocks)
            .finish_non_exhaustive()
    }
}

/// What one fresh process (or pair) came to.
#[derive(Debug, Clone, Default)]
pub struct ProcessOutcome {
    /// Its number, from 1.
    pub process: u32,
    /// Sample lines: canonical JSON without the nonce, in the order of the answers; those of a void
    /// block with a `void` mark. Behind them stand the states of the device that the program told
    /// and the runner's own readings, both of kind `conditions`, and what they came to, `judged`.
    pub lines: Vec<String>,
    /// States of the device that the program told.
    pub states: Vec<DeviceState>,
    /// Correctness that the program reported, if it did, and of whom.
    pub checks: Vec<CheckAnswer>,
    /// What subjects are suspected of.
    pub suspicions: Vec<Suspicion>,
    /// Which files were loaded, by the ids of subjects, with their content, if the program said so.
    pub loaded: Vec<(String, Sha256)>,
    /// Notes of the program.
    pub notes: Vec<String>,
    /// What is wrong with its answers, its log or its end; each is worth showing.
    pub problems: Vec<String>,
    /// Answers without the run's nonce.
    pub suspect: u64,
    /// Why it failed, if it did; the lines are then what came before.
    pub failure: Option<Failure>,
    /// Id of the subject whose process it was that failed; absent where both share one, or it is nobody's.
    pub failed: Option<String>,
    /// Load, clocks and temperature before and after, and what they came to, as text.
    pub conditions: BTreeMap<String, String>,
    /// Blocks that the conditions void; their lines carry the mark already.
    pub marks: Vec<Mark>,
    /// A condition that held throughout and has a name, e.g. `power cap`.
    pub regime: Option<String>,
    /// Whether the clocks were locked in all readings that tell; absent where none does.
    pub locked: Option<bool>,
    /// Lowest and highest clock of an accelerator at work in MHz, where it is known.
    pub clocks: Option<[f64; 2]>,
    /// What is worth knowing about the conditions and voids nothing.
    pub warnings: Vec<String>,
    /// What the readings cost.
    pub sampling: Cost,
    /// Wall time.
    pub wall: Duration,
    /// The logs written.
    pub logs: Vec<PathBuf>,
}

/// Runs process number `process` (from 1) of a benchmark on the processors of this machine.
///
/// # Errors
/// When the system refuses a pipe or a thread. How the programs end is no error.
pub fn run_process(
    job: &BenchJob,
    process: u32,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<ProcessOutcome, ExecError> {
    let how = Watching {
        sampler: &Sampler::cpu(Path::new("/")),
        policy: &Policy::cpu(),
    };
    run_watched(job, process, how, cancel, progress)
}

/// Like [`run_process`], with the state of the device read and judged as `how` says.
///
/// # Errors
/// When the system refuses a pipe or a thread. How the programs end is no error.
pub fn run_watched(
    job: &BenchJob,
    process: u32,
    how: Watching<'_>,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<ProcessOutcome, ExecError> {
    let schedule = (job.schedule)(process);
    let started = Instant::now();
    let before = conditions::sample(Path::new("/"));
    let ctx = Context {
        job,
        process,
        schedule: &schedule,
        cancel,
        watch: Watch::start(how, cancel),
        legs: Counter::new(progress, schedule.legs(job.blocks, job.workloads.len())),
    };
    let mut out = match job.mode {
        Mode::Pair => pair::run(&ctx),
        Mode::Resident => resident::run(&ctx),
        Mode::Invocation => invocation::run(&ctx),
    }?;
    out.process = process;
    out.wall = started.elapsed();
    out.conditions = conditions::around(before, conditions::sample(Path::new("/")));
    ctx.watch.finish(&ctx, &mut out);
    Ok(out)
}

struct Context<'a> {
    job: &'a BenchJob,
    process: u32,
    schedule: &'a Schedule,
    cancel: &'a Cancel,
    watch: Watch<'a>,
    legs: Counter<'a>,
}

impl Context<'_> {
    fn plan(&self) -> Plan {
        let job = self.job;
        Plan {
            assay: 1,
            stage: Stage::Bench,
            mode: job.mode,
            workloads: job.workloads.clone(),
            blocks: job.blocks,
            order: (0..job.blocks).map(|b| self.schedule.order(b)).collect(),
            load_order: self.schedule.load_order.clone(),
            seed: self.schedule.seed,
            inputs: "fresh".into(),
            min_leg_ns: job.min_leg_ns,
            warmup_ns: job.warmup_ns,
            cache: job.cache,
            process: self.process,
            block: None,
            leg: None,
            legs_per_look: None,
        }
    }

    /// The plan for a process that holds one subject.
    fn plan_alone(&self) -> Plan {
        Plan {
            order: vec!["A".into()],
            load_order: "A".into(),
            ..self.plan()
        }
    }

    /// The environment for `subjects`, of which `subject` is the one that it is about.
    ///
    /// Its size is varied by process: the address of the stack depends on it, and with that the
    /// speed of some code, so a fixed size would favour one subject in every process alike.
    fn env(&self, subject: &SubjectSpec, subjects: &[SubjectSpec], plan: &Plan) -> Env {
        let pad = usize::try_from(self.schedule.seed % 4096).unwrap_or(0);
        self.job
            .env
            .clone()
            .subject(subject)
            .plan(subjects, plan)
            .set("ASSAY_PAD", "x".repeat(pad))
            .vars()
    }

    fn log(&self, suffix: &str) -> PathBuf {
        let name = format!("process-{}{suffix}.log", self.process);
        self.job.logs.join(name)
    }
}

/// Joins answers into an outcome: evidence, problems, and legs that are missing or unasked.
fn outcome(ctx: &Context<'_>, answers: &[Answers], failure: Option<Failure>) -> ProcessOutcome {
    let mut out = ProcessOutcome {
        failure,
        ..ProcessOutcome::default()
    };
    for a in answers {
        out.lines.extend(a.sample_lines());
        out.checks.extend(a.checks().cloned());
        out.suspicions.extend(a.suspicions().cloned());
        out.loaded
            .extend(a.loaded().map(|(id, sha256)| (id.to_owned(), sha256)));
        out.notes.extend(a.notes().map(str::to_owned));
        out.problems.extend(a.problem_texts());
        out.suspect += a.suspect;
    }
    let states = answers.iter().flat_map(Answers::states);
    for (line, state) in states {
        out.lines.push(line.json.clone());
        out.states.push(state.clone());
    }
    states_fit(ctx, &mut out);
    let samples = answers.iter().flat_map(Answers::samples).map(|(_, s)| s);
    let missing = ctx.schedule.compare(ctx, samples, &mut out.problems);
    // Answers that cannot all be true are no evidence: which of them to believe is not ours to choose.
    if let (None, Some(first)) = (&out.failure, out.problems.first()) {
        let total = ctx.legs.total;
        let what = match missing {
            0 => "its answers do not fit the plan".to_owned(),
            n => format!("it ended well but {n} of {total} legs are missing"),
        };
        out.failure = Some(Failure {
            kind: FailureKind::Runtime,
            stage: Stage::Bench,
            message: format!("bench: {what}: {first}"),
            stderr_tail: String::new(),
        });
    }
    out
}

/// A state of the device that belongs to no block of the plan is a problem, as such a leg is.
fn states_fit(ctx: &Context<'_>, out: &mut ProcessOutcome) {
    let mut seen = BTreeSet::new();
    for s in &out.states {
        let place = format!(
            "conditions of workload {}, process {}, block {}",
            s.workload, s.process, s.block
        );
        let known = ctx.job.workloads.iter().any(|w| w.name == s.workload);
        let legs = ctx.schedule.slots(s.block).len();
        let in_block = s.leg.is_none_or(|leg| (leg as usize) < legs);
        if !known || s.process != ctx.process || s.block >= ctx.job.blocks || !in_block {
            out.problems
                .push(format!("{place}: the plan has no such block or leg"));
        } else if !seen.insert((&s.workload, s.block, s.leg)) {
            out.problems.push(format!("{place}: told more than once"));
        }
    }
}

/// Counts legs and tells progress with an estimate.
struct Counter<'a> {
    progress: &'a dyn Progress,
    total: u64,
    done: std::sync::atomic::AtomicU64,
    started: Instant,
}

impl<'a> Counter<'a> {
    fn new(progress: &'a dyn Progress, total: u64) -> Self {
        Self {
            progress,
            total,
            done: std::sync::atomic::AtomicU64::new(0),
            started: Instant::now(),
        }
    }

    fn one(&self) {
        let done = 1 + self.done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let spent = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let left = (spent / done).saturating_mul(self.total.saturating_sub(done));
        self.progress
            .step(done.min(self.total), self.total, Some(left));
    }
}
