//! Running a stage's program with an answer channel: check, profile, and benchmarks in one process.

use std::path::PathBuf;

use assay_core::record::{Failure, FailureKind, Stage};

use crate::answers::{Answer, Answers, Reader};
use crate::process::{CommandLine, Env, Finished, Limits, Outcome, Program, run};
use crate::progress::Progress;
use crate::{Cancel, ExecError};

/// A program to run for a stage.
#[derive(Debug, Clone)]
pub struct StageJob {
    /// Which stage.
    pub stage: Stage,
    /// The campaign's command.
    pub command: CommandLine,
    /// Working folder: the campaign folder of the prepared work tree.
    pub cwd: PathBuf,
    /// The whole environment, without the answer channel.
    pub env: Env,
    /// Timeout and the like.
    pub limits: Limits,
    /// Where the log goes.
    pub log: PathBuf,
    /// Adds to a log that is there already.
    pub append_log: bool,
    /// Keeps this many bytes of standard output apart.
    pub keep_stdout: Option<usize>,
}

impl StageJob {
    /// A job with default limits and a new log.
    pub fn new(
        stage: Stage,
        command: CommandLine,
        cwd: impl Into<PathBuf>,
        env: Env,
        log: impl Into<PathBuf>,
    ) -> Self {
        Self {
            stage,
            command,
            cwd: cwd.into(),
            env,
            limits: Limits::default(),
            log: log.into(),
            append_log: false,
            keep_stdout: None,
        }
    }

    fn program<'a>(&self, env: Env) -> Program<'a> {
        let mut program =
            Program::new(self.command.clone(), &self.cwd, env).limits(self.limits.clone());
        if let Some(max) = self.keep_stdout {
            program = program.keep_stdout(max);
        }
        if self.append_log {
            program.append_log(&self.log)
        } else {
            program.log(&self.log)
        }
    }
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct StageOutcome {
    /// The program.
    pub finished: Finished,
    /// What it answered.
    pub answers: Answers,
    /// Why the stage failed, if it did; answers without the right nonce are a failure.
    pub failure: Option<Failure>,
}

/// Runs a program with an answer channel (`ASSAY_FD`, `ASSAY_NONCE`).
///
/// `progress` is told its output, and `on_answer` sees each sound answer, as they come.
///
/// # Errors
/// When no pipe can be made. How the program ends is no error.
pub fn run_stage(
    job: &StageJob,
    cancel: &Cancel,
    progress: &dyn Progress,
    mut on_answer: impl FnMut(&Answer) + Send,
) -> Result<StageOutcome, ExecError> {
    let nonce = fresh_nonce()?;
    let mut reader = Reader::new(&nonce);
    let mut env = job.env.clone();
    env.insert("ASSAY_NONCE".into(), nonce.into());
    let program = job
        .program(env)
        .told_to(progress)
        .read_channel("ASSAY_FD", |bytes| {
            reader.push(bytes).iter().for_each(&mut on_answer);
        })?;
    let finished = run(program, cancel);
    let answers = reader.finish();
    let mut failure = failure(job.stage, &finished, answers.suspect);
    // A program whose output is read says nothing on the descriptor; a profile counts, whatever
    // the program answers. Answers that are no answers are told first.
    let answering = matches!(job.stage, Stage::Check | Stage::Bench) && job.keep_stdout.is_none();
    if failure.is_none() && answering && answers.problems.is_empty() && !answers.done() {
        failure = Some(Failure {
            kind: FailureKind::Runtime,
            stage: job.stage,
            message: format!("{}: {CUT_OFF}", job.stage.name()),
            stderr_tail: finished.tail_text(),
        });
    }
    Ok(StageOutcome {
        finished,
        answers,
        failure,
    })
}

/// Runs a program without an answer channel: build and source. `progress` is told its output.
pub fn run_plain(
    job: &StageJob,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> (Finished, Option<Failure>) {
    let program = job.program(job.env.clone()).told_to(progress);
    let finished = run(program, cancel);
    let failure = finished.failure(job.stage);
    (finished, failure)
}

/// What is said of a program that ended well and did not say that it was through.
pub(crate) const CUT_OFF: &str =
    "ended without the `done` answer, so what it answered may be cut off";

/// The failure of a finished program, where forged answers weigh more than an exit code.
pub(crate) fn failure(stage: Stage, finished: &Finished, suspect: u64) -> Option<Failure> {
    if suspect > 0 && finished.outcome != Outcome::Cancelled {
        return Some(Failure {
            kind: FailureKind::ExploitSuspected,
            stage,
            message: format!("{}: {}", stage.name(), forged(suspect)),
            stderr_tail: finished.tail_text(),
        });
    }
    finished.failure(stage)
}

/// What is said about answers without the nonce.
pub(crate) fn forged(suspect: u64) -> String {
    format!("{suspect} answers came without the run's nonce; code under test may have written them")
}

/// 128 fresh bits from the operating system, as hex.
///
/// # Errors
/// When the system has none, e.g. at early boot.
pub fn fresh_nonce() -> Result<String, ExecError> {
    let mut bytes = [0u8; 16];
    let flags = rustix::rand::GetRandomFlags::empty();
    rustix::rand::getrandom(&mut bytes, flags)
        .map_err(|e| ExecError::system("draw a nonce")(e.into()))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}
