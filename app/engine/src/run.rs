//! Running a variant: build, source, check, bench, profile.
//!
//! Each stage's record is appended as soon as it is known, so that a killed run loses nothing that
//! was recorded. The record of the run comes last; a run without one was interrupted.

mod bench;
mod build;
mod canary;
pub(crate) mod card;
pub(crate) mod chain;
mod check;
mod control;
pub(crate) mod device;
mod floor;
mod folder;
mod intact;
mod isolation;
mod judged;
mod kernels;
mod limits;
mod listing;
pub(crate) mod measure;
pub(crate) mod model;
pub(crate) mod noise;
mod prepare;
mod profile;
mod resources;
pub(crate) mod ruling;
mod running;
mod sanitizer;
pub(crate) mod screen;
mod source;
mod suspected;
mod whose;

use std::time::Instant;

use assay_core::fold::{Champion, State};
use assay_core::record::{Body, Build, Failure, FailureKind, Source, Stage, Verdict};
use assay_core::{RecordId, Timestamp, record};
use assay_exec::Cancel;
use assay_exec::plan::{Plan, WorkloadSpec};
use assay_exec::progress::Progress;
use assay_exec::stage::StageJob;
use assay_ledger::Blob;
use assay_source::SourceFile;

use crate::error::{Error, Result};
use crate::trust::Prompt;
use crate::workbench::Workbench;

pub use canary::CanaryRequest;
pub use noise::NoiseRequest;
pub(crate) use prepare::{baseline_content, recipe};
pub use screen::Sifted;

use prepare::{Prepared, Session};
use running::Carried;

/// What to run.
#[derive(Debug, Clone)]
pub struct Request {
    /// Variants.
    pub names: Vec<String>,
    /// Target in the campaign file.
    pub target: String,
    /// Stages.
    pub stages: Vec<Stage>,
    /// What to measure against; absent for the champion, else the parent, else the first baseline.
    pub against: Option<String>,
    /// Do it again although there is evidence.
    pub again: bool,
    /// Build twice and compare.
    pub build_twice: bool,
    /// Wait for the device when it is in use.
    pub wait: bool,
    /// Measure the chain of accepted steps end to end first, when that is due.
    pub chain: bool,
}

impl Request {
    /// All stages of these variants on the local target.
    pub fn all(names: Vec<String>) -> Self {
        Self {
            names,
            target: "local".into(),
            stages: Stage::ALL.to_vec(),
            against: None,
            again: false,
            build_twice: false,
            wait: true,
            chain: true,
        }
    }
}

/// What became of one variant.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The variant.
    pub name: String,
    /// The run's record.
    pub run: RecordId,
    /// There was evidence already, and nothing was run.
    pub reused: bool,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// The verdict.
    pub verdict: Option<Verdict>,
}

/// How the run of one of several variants ended: an error of one does not stop the others.
#[derive(Debug)]
pub struct Ended {
    /// The variant.
    pub name: String,
    /// What became of it.
    pub result: Result<Summary>,
}

/// How a stage ended: a failure is data, an error is ours.
type Staged<T> = Result<std::result::Result<T, Failure>>;

impl Workbench {
    /// Runs variants one after the other.
    ///
    /// # Errors
    /// When something is unknown, not approved, or the machine fails. A variant that fails is no
    /// error: it is recorded and reported.
    pub fn run(
        &self,
        request: &Request,
        prompt: &dyn Prompt,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Vec<Ended>> {
        let names = self.approved(&request.names, prompt)?;
        let session = Session::open(self, request, progress, cancel)?;
        self.chain_first(&session, prompt)?;
        let mut out = Vec::new();
        for name in names {
            let result = self.run_one(&session, &name, prompt, None);
            out.push(Ended { name, result });
            if cancel.is_cancelled() {
                break;
            }
        }
        self.tidy();
        Ok(out)
    }

    /// The full names of what is to be run, each once, when all of it may be.
    pub(crate) fn approved(&self, asked: &[String], prompt: &dyn Prompt) -> Result<Vec<String>> {
        self.evaluator()?;
        let mut names: Vec<String> = Vec::new();
        for text in asked {
            let name = self.resolve(text)?;
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in &names {
            self.refuse_dirty(name)?;
        }
        self.require_trust(prompt)?;
        Ok(names)
    }

    /// Refuses to run or accept a variant whose work tree holds edits that no commit has.
    pub(crate) fn refuse_dirty(&self, name: &str) -> Result<()> {
        let git = self.git()?;
        if git.repo.is_bare() {
            return Ok(());
        }
        let status =
            self.edits()?
                .status(&self.campaign, name, &git.folder, &self.variant_paths()?)?;
        if let assay_ledger::EditStatus::Dirty(files) = status {
            let files = assay_core::text::inert(&files.join(", ")).into_owned();
            return Err(Error::input(format!(
                "the work tree of `{name}` holds edits that are not committed: {files}"
            ))
            .hint(format!("assay commit {name}")));
        }
        Ok(())
    }

    /// Runs one variant; `carried` is what its screening has done of it already.
    fn run_one(
        &self,
        session: &Session<'_>,
        name: &str,
        prompt: &dyn Prompt,
        carried: Option<Carried>,
    ) -> Result<Summary> {
        let started = Instant::now();
        let tip = self.tip(name)?;
        self.require_content_trust(name, tip, prompt)?;
        let against = self.against(session, name)?;
        let subjects: Vec<&str> = against.iter().map(String::as_str).chain([name]).collect();
        let state = self.state_of(&subjects)?;
        if let Some(a) = &against
            && state.variant(a).is_some()
        {
            self.require_content_trust(a, self.standing_commit(&state, a)?, prompt)?;
        }
        let prepared = session.variant(name, tip)?;
        if !session.request.again
            && let Some(done) = self.evidence(&state, session, &prepared, against.as_deref())
        {
            session.progress.line(&format!(
                "{name}: evidence for this content exists (run {})",
                done.run
            ));
            return Ok(done);
        }
        if !session.request.stages.contains(&Stage::Check)
            && session.request.stages.contains(&Stage::Bench)
            && session.has(Stage::Check)
            && !was_checked(&state, &prepared)
        {
            return Err(Error::input(format!(
                "this content of `{name}` was not checked, and nothing is timed before that"
            ))
            .hint("--stages check,bench"));
        }
        let mut run = Running::new(self, session, &state, prepared);
        if let Some(carried) = carried {
            run.take_over(carried)?;
        }
        let ended = run.stages(against.as_deref());
        let ended = ended.and_then(|failure| {
            if failure.is_none() {
                run.note_chain()?;
            }
            Ok(failure)
        });
        run.conclude(started, ended)
    }

    /// What a variant is measured against.
    fn against(&self, session: &Session<'_>, name: &str) -> Result<Option<String>> {
        let config = self.config()?;
        if let Some(text) = &session.request.against {
            if config.baselines.iter().any(|b| b.name == *text) {
                return Ok(Some(text.clone()));
            }
            return Ok(Some(self.resolve_subject(text)?));
        }
        let state = self.state_of(&[name])?;
        match state.champion() {
            Champion::Holder(head) if head.variant != name => {
                return Ok(Some(head.variant.clone()));
            }
            Champion::Contested(_) => {
                return Err(Error::input(format!(
                    "the champion is contested by {}",
                    state.champion().contested().join(", ")
                ))
                .hint("--against REF, or settle it with `assay rollback NAME --reason TEXT`"));
            }
            Champion::Holder(_) | Champion::None => {}
        }
        for b in &config.baselines {
            if session.baseline_available(b)? {
                return Ok(Some(b.name.clone()));
            }
        }
        let parent =
            crate::lineage::declaration(&state, name).and_then(|v| v.parents.first().cloned());
        Ok(parent)
    }

    /// The evidence that exists for this content, if it covers what was asked for.
    fn evidence(
        &self,
        state: &State,
        session: &Session<'_>,
        prepared: &Prepared,
        against: Option<&str>,
    ) -> Option<Summary> {
        let v = state.variant(&prepared.subject.name)?;
        let record = state.get(v.run?)?;
        let Body::Run(run) = &record.body else {
            return None;
        };
        let same: bool = run.subject.key == prepared.subject.key;
        let covered = session
            .request
            .stages
            .iter()
            .all(|s| run.done.contains(s) || !session.has(*s));
        let verdict = v
            .verdict
            .and_then(|id| state.get(id))
            .and_then(|r| match &r.body {
                Body::Verdict(v) => Some(v.clone()),
                _ => None,
            });
        let benched = session.request.stages.contains(&Stage::Bench);
        let right_pair = !benched
            || verdict
                .as_ref()
                .is_some_and(|x| Some(x.a.as_str()) == against);
        let final_failure = run.failure.as_ref().is_some_and(|f| {
            matches!(
                f.kind,
                FailureKind::Compile
                    | FailureKind::Correctness
                    | FailureKind::Timeout
                    | FailureKind::Constraint
            )
        });
        (same && (final_failure || (run.failure.is_none() && covered && right_pair))).then(|| {
            Summary {
                name: prepared.subject.name.clone(),
                run: run.run,
                reused: true,
                failure: run.failure.clone(),
                verdict,
            }
        })
    }
}

/// Whether a run of this content passed its check.
fn was_checked(state: &State, prepared: &Prepared) -> bool {
    state.owned(&prepared.subject.name).any(|r| {
        matches!(&r.body, Body::Run(run)
            if run.subject.key == prepared.subject.key && run.done.contains(&Stage::Check))
    })
}

/// A run on its way.
struct Running<'a> {
    bench: &'a Workbench,
    session: &'a Session<'a>,
    run: RecordId,
    b: Prepared,
    state: &'a State,
    records: Vec<RecordId>,
    done: Vec<Stage>,
    build: Option<Build>,
    source: Option<(Source, String)>,
    /// The generated source after the first of two builds.
    first_source: Option<Vec<SourceFile>>,
    check: Option<(RecordId, record::Check)>,
    /// The gate of the check that was run once more under a sanitizer.
    sanitized: Option<record::GateResult>,
    profile: Option<record::Profile>,
    /// What a stage that failed left.
    left: Vec<Blob>,
    verdict: Option<Verdict>,
    /// Records that are kept back instead of appended, where they are no evidence about the subject.
    held: Option<Vec<(Body, Vec<Blob>)>>,
}

impl<'a> Running<'a> {
    /// A run of which nothing is done yet.
    fn new(bench: &'a Workbench, session: &'a Session<'a>, state: &'a State, b: Prepared) -> Self {
        Self {
            bench,
            session,
            run: RecordId::fresh(Timestamp::now()),
            b,
            state,
            records: Vec::new(),
            done: Vec::new(),
            build: None,
            source: None,
            first_source: None,
            check: None,
            sanitized: None,
            profile: None,
            left: Vec::new(),
            verdict: None,
            held: None,
        }
    }
}

impl Running<'_> {
    /// Does the stages that were asked for; returns the failure that stopped them.
    fn stages(&mut self, against: Option<&str>) -> Result<Option<Failure>> {
        for stage in Stage::ALL {
            let asked = self.session.request.stages.contains(&stage);
            if !asked || !self.session.has(stage) || self.done.contains(&stage) {
                continue;
            }
            if self.session.cancel.is_cancelled() {
                return Ok(Some(Failure {
                    kind: FailureKind::Cancelled,
                    stage,
                    message: "cancelled".into(),
                    stderr_tail: String::new(),
                }));
            }
            self.session
                .progress
                .stage(&format!("{}: {}", self.b.subject.name, stage.name()));
            if let Some(failure) = self.session.refused_device(stage) {
                return Ok(Some(failure));
            }
            let ended = match stage {
                Stage::Build => self.build_stage()?,
                Stage::Source => self.source_stage()?,
                Stage::Check => self.check_stage()?,
                Stage::Bench => match against {
                    Some(a) => self.bench_stage(a)?,
                    None => {
                        self.session
                            .progress
                            .line("bench: nothing to measure against; left out");
                        continue;
                    }
                },
                Stage::Profile => self.profile_stage()?,
            };
            match ended.and_then(|()| self.within_limits(stage)) {
                Ok(()) => self.done.push(stage),
                Err(failure) => {
                    let lost = self.session.device_lost_under(&failure);
                    let explained = || self.explained(self.exceeding(failure.clone()));
                    return Ok(Some(lost.unwrap_or_else(explained)));
                }
            }
        }
        self.final_gates()?;
        Ok(None)
    }

    /// Makes sure that there is a build to work with when the build stage was not asked for.
    fn ensure_built(&mut self) -> Result<()> {
        if self.build.is_none() {
            build::ensure(self.session, &mut self.b)?;
        }
        Ok(())
    }

    /// The program of a stage that runs the variant alone: check and profile.
    fn unpaired_job(&self, stage: Stage, workloads: Vec<WorkloadSpec>) -> Result<StageJob> {
        let command = self.session.stage(stage)?.command.clone();
        let command = command
            .ok_or_else(|| Error::input(format!("the {} stage has no command", stage.name())))?;
        let plan = Plan::unpaired(stage, workloads, self.seed());
        let subject = self.session.spec("", &self.b);
        let env = self.session.env_of(&self.b);
        let env = env.plan(std::slice::from_ref(&subject), &plan).vars();
        let log = self.b.build.log(stage.name());
        Ok(StageJob {
            limits: self.session.limits(stage)?,
            ..StageJob::new(stage, command, &self.b.source, env, log)
        })
    }

    fn next_stage(&self) -> Stage {
        let asked = &self.session.request.stages;
        Stage::ALL
            .into_iter()
            .find(|s| asked.contains(s) && !self.done.contains(s))
            .unwrap_or(Stage::Build)
    }

    fn append(&mut self, body: impl Into<Body>, blobs: &[Blob]) -> Result<RecordId> {
        let record = self.bench.record(body);
        let id = match &mut self.held {
            Some(held) => {
                held.push((record.body, blobs.to_vec()));
                record.id
            }
            None => self.bench.append(record, blobs)?,
        };
        self.records.push(id);
        Ok(id)
    }
}

/// A seed that follows from a fresh id, so that nobody can know it before.
fn seed_of(id: RecordId) -> u64 {
    let digest = assay_core::Sha256::of(id.to_string()).to_string();
    u64::from_str_radix(&digest[..16], 16).unwrap_or(1)
}

/// Elapsed time in nanoseconds.
fn nanos(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
