//! Mutation canaries: the kernel is broken or slowed on purpose, and the evaluator has to notice.
//!
//! What is changed never reaches the user's checkout or a branch: a commit that nothing points to is
//! laid into a folder of the pool, and goes through the same stages as a variant. What came of it is
//! one record about the evaluator; none of it is evidence about the subject.

use std::time::Instant;

use assay_core::campaign::{CanaryChange, CanarySpec};
use assay_core::fold::{self, Champion};
use assay_core::record::{
    Body, Canary, CanaryOutcome, Check, Expect, Failure, FailureKind, Measurement, Stage, Verdict,
    VerdictKind,
};
use assay_core::text::{inert, nearest};
use assay_core::view::CanariesView;
use assay_core::{RecordId, Sha256};
use assay_exec::Cancel;
use assay_exec::progress::Progress;
use assay_ledger::{Changes, CommitId};

use super::prepare::{Prepared, Session};
use super::{Request, Running, build, nanos, was_checked};
use crate::error::{Error, Result};
use crate::trust::Prompt;
use crate::workbench::{Workbench, join, under};

/// What is put behind the name of a file that an overlay replaces.
const KEPT: &str = ".subject";

/// How the kernel at the evaluator's commit is called when there is no champion yet.
const PINNED: &str = "pinned-kernel";

/// Which canaries to try, and on what.
#[derive(Debug, Clone)]
pub struct CanaryRequest {
    /// Names; all that are declared when empty.
    pub names: Vec<String>,
    /// The variant to change; absent for the champion, else the kernel at the evaluator's commit.
    pub of: Option<String>,
    /// Target in the campaign file.
    pub target: String,
    /// Wait for the device when it is in use.
    pub wait: bool,
}

impl Workbench {
    /// Changes the kernel as each canary says, puts it before the evaluator, and records what came of it.
    ///
    /// # Errors
    /// When there is no such canary or nothing to change, it is not approved, the unchanged kernel
    /// does not pass itself, or the machine fails. A canary that survives is no error: it is recorded.
    pub fn canary(
        &self,
        request: &CanaryRequest,
        prompt: &dyn Prompt,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Vec<RecordId>> {
        self.evaluator()?;
        let chosen = self.chosen(&request.names)?;
        self.require_trust(prompt)?;
        let run = Request {
            target: request.target.clone(),
            wait: request.wait,
            ..Request::all(Vec::new())
        };
        let session = Session::open(self, &run, progress, cancel)?;
        let (name, commit) = self.canary_subject(request.of.as_deref())?;
        self.require_content_trust(&name, commit, prompt)?;
        let state = self.state_of(&[&name])?;
        let sound = || session.content(&name, commit, &[]);
        let subject = sound()?;
        if session.has(Stage::Check) && !was_checked(&state, &subject) {
            progress.stage(&format!("{name}: check of the unchanged kernel"));
            let mut control = Running::new(self, &session, &state, subject).held();
            if let Some(f) = control.put(&[Stage::Build, Stage::Check], &sound)? {
                return Err(Error::input(format!(
                    "`{name}`, unchanged, does not pass itself, so that a canary made of it proves nothing: {} in {}: {}",
                    f.kind.name(),
                    f.stage.name(),
                    f.message
                ))
                .hint("assay canary --of VARIANT, with one that passes its check"));
            }
        }
        let mut out = Vec::new();
        for spec in chosen {
            let started = Instant::now();
            let changed = self.changed(spec, commit)?;
            let b = session.content(
                &format!("canary-{}", spec.name),
                changed.commit,
                &changed.kept,
            )?;
            let kernel = b.subject.key.kernel;
            let mut running = Running::new(self, &session, &state, b).held();
            let failure = running.put(stages(spec.expect), &sound)?;
            let same = running.is_same_code(&sound)?;
            let seen = running.seen(failure, same);
            let (outcome, found) = judge(spec.expect, &seen);
            progress.line(&format!(
                "canary {}: {}: {found}",
                spec.name,
                match outcome {
                    CanaryOutcome::Noticed => "noticed",
                    CanaryOutcome::Survived => "NOT NOTICED",
                    CanaryOutcome::Unproven => "proves nothing",
                }
            ));
            let canary = Canary {
                name: spec.name.clone(),
                content: changed.content,
                subject: sound()?.subject,
                kernel,
                target: request.target.clone(),
                expect: spec.expect,
                outcome,
                found,
                failure: seen.failure,
                check: seen.check,
                measurement: seen.measurement.map(Box::new),
                verdict: seen.verdict.map(Box::new),
                wall_ns: nanos(started),
            };
            let blobs = running.held.take().unwrap_or_default().into_iter();
            let blobs: Vec<_> = blobs
                .filter(|(b, _)| matches!(b, Body::Check(_) | Body::Measurement(_)))
                .flat_map(|(_, blobs)| blobs)
                .collect();
            out.push(self.append(self.record(canary), &blobs)?);
        }
        self.tidy();
        Ok(out)
    }

    /// The canaries of the pinned evaluator and how they stand.
    ///
    /// # Errors
    /// When no evaluator is pinned or the ledger cannot be read.
    pub fn canaries(&self) -> Result<CanariesView> {
        let pin = self.evaluator()?;
        let canaries = fold::canary_views(&self.state_of(&[])?, pin.tree);
        Ok(CanariesView {
            schema: "assay.canary/1".into(),
            campaign: self.campaign.clone(),
            evaluator: pin.tree.short().to_owned(),
            commit: pin.commit.clone(),
            ok: canaries.iter().all(|c| c.outcome == "noticed"),
            canaries,
        })
    }

    fn chosen(&self, names: &[String]) -> Result<Vec<&CanarySpec>> {
        let all = &self.config()?.canaries;
        if all.is_empty() {
            return Err(Error::input(format!(
                "campaign `{}` declares no canary: whether its evaluator notices a broken kernel is not known",
                self.campaign
            ))
            .hint("add [[canary]] to assay.toml, see docs/guide.md, and pin it: assay init --why TEXT"));
        }
        if names.is_empty() {
            return Ok(all.iter().collect());
        }
        let known = || all.iter().map(|c| c.name.as_str());
        let one = |name: &String| {
            all.iter().find(|c| c.name == *name).ok_or_else(|| {
                let known_text: Vec<&str> = known().collect();
                let error = Error::input(format!(
                    "no canary `{}`; there are {}",
                    inert(name),
                    known_text.join(", ")
                ));
                match nearest(name, known()) {
                    Some(n) => error.hint(format!("did you mean `{n}`?")),
                    None => error,
                }
            })
        };
        names.iter().map(one).collect()
    }

    /// What is changed: as asked for, else the champion, else the kernel at the evaluator's commit.
    fn canary_subject(&self, of: Option<&str>) -> Result<(String, CommitId)> {
        let name = match of {
            Some(text) => Some(self.resolve(text)?),
            None => match self.state_of(&[])?.champion() {
                Champion::Holder(head) => Some(head.variant.clone()),
                Champion::None | Champion::Contested(_) => None,
            },
        };
        match name {
            Some(name) => {
                let state = self.state_of(&[&name])?;
                let commit = self.standing_commit(&state, &name)?;
                Ok((name, commit))
            }
            None => Ok((PINNED.to_owned(), self.pinned()?)),
        }
    }

    /// The kernel with the change of a canary, as a commit that no branch holds.
    fn changed(&self, spec: &CanarySpec, commit: CommitId) -> Result<Changed> {
        let (pinned, folder) = (self.pinned()?, &self.evaluator()?.folder);
        let variants = self.variants()?;
        let path = spec.change.path();
        let files = variants.list_files(pinned, folder, &[path])?;
        let mend = |why: String| Error::input(format!("canary `{}`: {why}", spec.name));
        if files.is_empty() {
            let why = format!("there is no {} in the pinned evaluator", inert(path));
            return Err(mend(why).hint("commit it, and pin it: assay init --why TEXT"));
        }
        let parts: Vec<Vec<u8>> = (files.iter())
            .flat_map(|f| [f.path.clone().into_bytes(), f.bytes.clone()])
            .collect();
        let content = Sha256::of_parts(&parts);
        let (mut changes, mut kept) = (Changes::new(), Vec::new());
        match &spec.change {
            CanaryChange::Patch(_) => {
                let patch = files
                    .first()
                    .map(|f| f.bytes.as_slice())
                    .unwrap_or_default();
                changes = variants.patched(commit, folder, patch).map_err(|e| {
                    mend(format!("{} does not fit the kernel: {e}", inert(path)))
                        .hint("an overlay that wraps the kernel fits every version of it")
                })?;
            }
            CanaryChange::Overlay(_) => {
                for file in files {
                    if ![0o100_644, 0o100_755].contains(&file.mode) {
                        return Err(mend(format!("{} is no plain file", inert(&file.path))));
                    }
                    let at = file.path.strip_prefix(path).unwrap_or(&file.path);
                    let at = join(folder, at.trim_start_matches('/'));
                    if let Some(old) = variants.read_file(commit, &at)? {
                        changes.insert(format!("{at}{KEPT}"), Some(old));
                        kept.push(format!("{at}{KEPT}"));
                    }
                    changes.insert(at, Some(file.bytes));
                }
            }
        }
        let inside = |p: &str| match folder.as_str() {
            "" => p.to_owned(),
            folder => p
                .strip_prefix(&format!("{folder}/"))
                .unwrap_or(p)
                .to_owned(),
        };
        let kernel = &self.config()?.kernel.paths;
        for full in changes.keys() {
            let plain = inside(full);
            if !under(plain.strip_suffix(KEPT).unwrap_or(&plain), kernel) {
                return Err(mend(format!(
                    "it changes {}, which is not among [kernel] paths",
                    inert(&plain)
                )));
            }
        }
        let message = format!("canary {}", spec.name);
        Ok(Changed {
            commit: variants.aside(commit, &changes, &message)?,
            kept: kept.iter().map(|k| inside(k)).collect(),
            content,
        })
    }
}

/// A kernel that was changed on purpose.
struct Changed {
    commit: CommitId,
    /// Files beside the kernel that hold what was replaced, relative to the campaign file.
    kept: Vec<String>,
    /// Hash of what the canary changes.
    content: Sha256,
}

/// The stages that can show what is expected; later ones only run where earlier ones see nothing.
fn stages(expect: Expect) -> &'static [Stage] {
    match expect {
        Expect::Compile => &[Stage::Build],
        Expect::Constraint => &[Stage::Build, Stage::Source, Stage::Check],
        Expect::Correctness | Expect::Slower => &[Stage::Build, Stage::Check, Stage::Bench],
    }
}

/// What was seen of a canary.
#[derive(Debug, Default)]
struct Seen {
    failure: Option<Failure>,
    check: Option<Check>,
    measurement: Option<Measurement>,
    verdict: Option<Verdict>,
    /// It has the machine code of the subject.
    same_code: bool,
}

impl Running<'_> {
    /// Keeps records back instead of appending them.
    fn held(mut self) -> Self {
        self.held = Some(Vec::new());
        self
    }

    /// Goes through stages until one fails; `against` is what it is timed against.
    fn put(
        &mut self,
        stages: &[Stage],
        against: &dyn Fn() -> Result<Prepared>,
    ) -> Result<Option<Failure>> {
        for stage in stages.iter().filter(|s| self.session.has(**s)) {
            if self.session.cancel.is_cancelled() {
                return Err(Error::cancelled());
            }
            let what = format!("{}: {}", self.b.subject.name, stage.name());
            self.session.progress.stage(&what);
            let ended = match stage {
                Stage::Build => self.build_stage()?,
                Stage::Source => self.source_stage()?,
                Stage::Check => self.check_stage()?,
                Stage::Bench => self.bench_pair(against()?)?,
                Stage::Profile => Ok(()),
            };
            if let Err(failure) = ended {
                return match failure.kind {
                    FailureKind::Cancelled => Err(Error::cancelled()),
                    FailureKind::Infra => Err(Error::environment(failure.message)),
                    _ => Ok(Some(failure)),
                };
            }
        }
        Ok(None)
    }

    /// Whether the canary was compiled to what the subject is: then nothing was changed.
    fn is_same_code(&self, sound: &dyn Fn() -> Result<Prepared>) -> Result<bool> {
        if self.build.as_ref().is_none_or(|b| b.failure.is_some()) {
            return Ok(false);
        }
        let mut sound = sound()?;
        build::ensure(self.session, &mut sound)?;
        build::same_code(self.session, &self.b, &sound)
    }

    fn seen(&self, failure: Option<Failure>, same_code: bool) -> Seen {
        let held = self.held.iter().flatten();
        let mut measurement = held.filter_map(|(b, _)| match b {
            Body::Measurement(m) => Some(m.clone()),
            _ => None,
        });
        Seen {
            failure,
            check: self.check.as_ref().map(|(_, c)| c.clone()),
            measurement: measurement.next_back(),
            verdict: self.verdict.clone(),
            same_code,
        }
    }
}

/// What came of a canary, and in one sentence why.
fn judge(expect: Expect, seen: &Seen) -> (CanaryOutcome, String) {
    use CanaryOutcome::{Noticed, Survived, Unproven};
    let told = |f: &Failure| format!("{} in {}: {}", f.kind.name(), f.stage.name(), f.message);
    let failure = seen.failure.as_ref();
    let of_build = failure.filter(|f| f.stage == Stage::Build);
    if let (Expect::Compile, Some(f)) = (expect, of_build) {
        return match f.kind {
            FailureKind::Compile => (Noticed, told(f)),
            _ => (Unproven, format!("it ended otherwise: {}", told(f))),
        };
    }
    if let Some(f) = of_build {
        return (Unproven, format!("it does not build: {}", f.message));
    }
    if seen.same_code {
        let why = "it was compiled to the machine code of the subject, so that nothing is changed";
        return (Unproven, why.into());
    }
    match expect {
        Expect::Compile => (Survived, "it builds".into()),
        Expect::Correctness => match failure {
            Some(f) if is_wrong(f) => (Noticed, told(f)),
            Some(f) => (Unproven, format!("it ended otherwise: {}", told(f))),
            None => {
                let n = seen.check.as_ref().map_or(0, |c| c.results.len());
                let timed = seen.verdict.as_ref();
                let timed = timed.map(|v| format!(", and was timed: {}", v.verdict.name()));
                let why = format!("its check passed on {n} of {n} workloads");
                (Survived, format!("{why}{}", timed.unwrap_or_default()))
            }
        },
        Expect::Constraint => {
            let gates = seen.check.iter().flat_map(|c| &c.gates);
            let broken = gates.clone().find(|g| g.pass == Some(false));
            match (failure, broken) {
                (Some(f), _) if f.kind == FailureKind::Constraint => (Noticed, told(f)),
                (Some(f), _) => (Unproven, format!("it ended otherwise: {}", told(f))),
                (None, Some(g)) => (Noticed, format!("gate {}: {}", g.name, g.evidence)),
                (None, None) => {
                    let n = gates.filter(|g| g.pass == Some(true)).count();
                    (Survived, format!("no gate fails; {n} pass"))
                }
            }
        }
        Expect::Slower => match (failure, &seen.verdict) {
            (Some(f), _) => (Unproven, format!("it ended otherwise: {}", told(f))),
            (None, Some(v)) => {
                let outcome = match v.verdict {
                    VerdictKind::Slower => Noticed,
                    VerdictKind::Faster | VerdictKind::Same => Survived,
                    VerdictKind::NoGain | VerdictKind::Undecided | VerdictKind::Invalid => Unproven,
                };
                let ratio = v
                    .ratio
                    .map_or_else(String::new, |r| format!(", time ratio {r:.3}"));
                (
                    outcome,
                    format!("{}{ratio} in {} processes", v.verdict.name(), v.processes),
                )
            }
            (None, None) => (Unproven, "it was not timed".into()),
        },
    }
}

/// Whether the evaluator found the result wrong, or the measuring tampered with.
fn is_wrong(f: &Failure) -> bool {
    let wrong = [FailureKind::Correctness, FailureKind::ExploitSuspected].contains(&f.kind);
    wrong && [Stage::Check, Stage::Bench].contains(&f.stage)
}
