//! The noise of this machine: a subject measured against itself, and what follows for a verdict.

use std::collections::BTreeSet;
use std::time::Instant;

use assay_core::RecordId;
use assay_core::campaign::Policy;
use assay_core::fold::{Champion, State};
use assay_core::record::{
    Calibration, CalibrationSettings, FalseAccepts, Measurement, SampleSummary, Stage,
};
use assay_core::units::format_percent;
use assay_exec::Cancel;
use assay_exec::plan::Mode;
use assay_exec::progress::Progress;
use assay_ledger::Blob;
use assay_stats::Settings;

use super::device::{moved, same_device};
use super::isolation;
use super::measure::{
    Collected, Measuring, alone, by_name, pair_names, plain_summaries, unbelieved,
};
use super::prepare::{Prepared, Session};
use super::{Request, Running, build, was_checked};
use crate::calibrate::convert;
use crate::error::{Error, Result};
use crate::trust::Prompt;
use crate::workbench::Workbench;

/// Campaigns that are drawn for the false accepts of each policy.
const CAMPAIGNS: u32 = 1000;

/// Where the draws begin: fixed, so that the same samples give the same rates.
const SEED: u64 = 4;

/// What to calibrate with.
#[derive(Debug, Clone)]
pub struct NoiseRequest {
    /// What is measured against itself; absent for the champion, else the first baseline.
    pub name: Option<String>,
    /// Target in the campaign file.
    pub target: String,
    /// Fresh processes.
    pub processes: u32,
    /// Wait for the device when it is in use.
    pub wait: bool,
    /// Measure the subject alone as well, to see whether a pair disturbs.
    pub isolation: bool,
}

impl Workbench {
    /// Measures a subject against a copy of itself and records what noise this machine has.
    ///
    /// # Errors
    /// When there is nothing to measure, it was not checked or not approved, or the measurement
    /// does not end well.
    pub fn calibrate(
        &self,
        request: &NoiseRequest,
        prompt: &dyn Prompt,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<RecordId> {
        self.evaluator()?;
        self.require_trust(prompt)?;
        let run = Request {
            target: request.target.clone(),
            stages: vec![Stage::Bench],
            wait: request.wait,
            ..Request::all(Vec::new())
        };
        let session = Session::open(self, &run, progress, cancel)?;
        let name = self.calibrated_with(&session, request.name.as_deref())?;
        let state = self.state_of(&[&name])?;
        let take = || self.take(&session, &state, &name, prompt);
        let (a, b) = (take()?, take()?);
        progress.stage(&format!("{name}: against itself"));
        let running = Running::new(self, &session, &state, b);
        let (calibration, blobs) = running.against_itself(a, request)?;
        let id = self.append(self.record(calibration), &blobs)?;
        self.tidy();
        Ok(id)
    }

    /// What is measured against itself: as asked for, else the champion, else the first baseline.
    fn calibrated_with(&self, session: &Session<'_>, name: Option<&str>) -> Result<String> {
        let config = session.config;
        if let Some(text) = name {
            if config.baselines.iter().any(|b| b.name == text) {
                return Ok(text.to_owned());
            }
            return self.resolve_subject(text);
        }
        if let Champion::Holder(head) = self.state_of(&[])?.champion() {
            return Ok(head.variant.clone());
        }
        for b in &config.baselines {
            if session.baseline_available(b)? {
                return Ok(b.name.clone());
            }
        }
        Err(
            Error::input("there is neither a champion nor a baseline to measure against itself")
                .hint("assay calibrate NAME"),
        )
    }

    /// A subject with its files in place.
    fn take(
        &self,
        session: &Session<'_>,
        state: &State,
        name: &str,
        prompt: &dyn Prompt,
    ) -> Result<Prepared> {
        if let Some(b) = session.config.baselines.iter().find(|b| b.name == name) {
            return session.baseline(b);
        }
        let commit = self.standing_commit(state, name)?;
        self.require_content_trust(name, commit, prompt)?;
        let prepared = session.variant(name, commit)?;
        if session.has(Stage::Check) && !was_checked(state, &prepared) {
            return Err(Error::input(format!(
                "this content of `{name}` was not checked, and nothing is timed before that"
            ))
            .hint(format!("assay run {name} --stages build,check")));
        }
        Ok(prepared)
    }
}

impl Running<'_> {
    fn against_itself(
        self,
        mut a: Prepared,
        request: &NoiseRequest,
    ) -> Result<(Calibration, Vec<Blob>)> {
        let processes = request.processes;
        let stopped = |why: String| Error::environment(format!("calibration: {why}"));
        build::ensure(self.session, &mut a)?;
        // Two files, as when two variants are measured: where code lies in memory is noise too.
        build::copy(&a, &self.b)?;
        let job = self.session.bench_job(&a, &self.b, self.seed())?;
        let settings = self.session.procedure_settings(None);
        let name = &a.subject.name;
        let lock = self.session.lock(&format!("bench {name} against {name}"))?;
        let measuring = Measuring {
            session: self.session,
            job: &job,
            sides: &[(&a, "A-"), (&self.b, "B-")],
            most: processes,
        };
        // What is alone is measured between the pairs, so that a drift of the machine meets both.
        let apart = alone(job.clone(), self.seed().rotate_left(32));
        let single = Measuring {
            job: &apart,
            sides: &[(&a, "A-")],
            ..measuring
        };
        let looks_apart = request.isolation && job.mode != Mode::Invocation;
        if request.isolation && !looks_apart {
            self.session.progress.line(isolation::NOTHING_TO_CHECK);
        }
        let (mut by_itself, started) = (Collected::default(), Instant::now());
        let got = measuring.run(|got| {
            if got.processes == processes || self.session.cancel.is_cancelled() {
                return Ok(Ok(0));
            }
            if looks_apart && let Err(failure) = single.one(&mut by_itself, started)? {
                return Ok(Err(failure));
            }
            Ok(Ok(1))
        })?;
        drop(lock);
        if self.session.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        let got = got.map_err(|f| stopped(format!("{}: {}", f.kind.name(), f.message)))?;
        let (samples, problems) = by_name(&got.text(), name, name);
        if let Some(f) = unbelieved(&problems) {
            return Err(stopped(f.message));
        }
        let [side_a, side_b] = pair_names(name, name);
        let noise = assay_stats::calibrate::calibrate(
            &samples, &side_a, &side_b, &settings, CAMPAIGNS, SEED,
        )
        .map_err(|e| stopped(e.to_string()))?;
        let blob = got.blob();
        let isolation = match looks_apart {
            true => Some(isolation::of(&samples, &by_itself, name).map_err(stopped)?),
            false => None,
        };
        let first = samples.legs().first();
        let calibration = Calibration {
            subject: self.b.subject.clone(),
            target: self.session.request.target.clone(),
            environment: self.session.environment.clone(),
            mode: job.mode.name().into(),
            timer: first.map_or_else(|| "unknown".into(), |l| l.timer.clone()),
            cache: first.map_or_else(String::new, |l| l.cache.clone()),
            protocol: 1,
            processes: got.processes,
            samples: blob.reference(),
            summary: summary(plain_summaries(&samples)),
            conditions: got.conditions,
            settings: kept(&settings),
            noise: convert::noise(&noise),
            isolation,
        };
        let blobs = match looks_apart {
            true => vec![blob, by_itself.blob()],
            false => vec![blob],
        };
        Ok((calibration, blobs))
    }
}

/// Both sides are one subject: one line each is enough, the one with more samples.
pub(crate) fn summary(mut all: Vec<SampleSummary>) -> Vec<SampleSummary> {
    all.sort_by(|x, y| (&x.workload, y.n).cmp(&(&y.workload, x.n)));
    all.dedup_by(|x, y| x.workload == y.workload);
    all
}

fn kept(settings: &Settings) -> CalibrationSettings {
    CalibrationSettings {
        delta: settings.delta,
        guard: settings.guard,
        gain: settings.gain,
        looks: settings.looks.clone(),
        weights: settings.weights.clone(),
        campaigns: CAMPAIGNS,
        seed: SEED,
    }
}

/// The calibration in force for a run, and what it says of the run.
pub(super) struct InForce {
    found: Option<(RecordId, Calibration)>,
    /// Calibrations whose figures do not come out of their samples again.
    forged: bool,
    /// What stays with the verdict.
    pub warnings: Vec<String>,
}

impl InForce {
    /// The newest calibration of the device, harness mode and cache mode of this session.
    pub fn of(state: &State, session: &Session<'_>, settings: &Settings) -> Result<Self> {
        let how = session.stage(Stage::Bench)?;
        let how = how
            .bench()
            .ok_or_else(|| Error::input("the bench stage is not declared"))?;
        let fits = |c: &Calibration| {
            same_device(&c.environment, &session.environment)
                && c.mode == how.mode.name()
                && (c.cache == how.cache.name() || c.cache.is_empty())
        };
        let moved = |c: &Calibration| moved(&c.environment, &session.environment, session.kind);
        let fitting: Vec<_> = state
            .calibrations()
            .rev()
            .filter(|(_, c)| fits(c))
            .collect();
        let newest = fitting.first();
        // Whether a pair disturbs is not looked at each time: the newest look counts.
        let mut looked = fitting.iter().map(|(_, c)| *c);
        let looked = looked.find(|c| c.isolation.is_some());
        let mut doubts = Vec::new();
        let found = (fitting.iter()).filter(|(_, c)| moved(c).is_empty()).find(|(id, _)| {
            let why = session.forged(state, *id);
            doubts.extend(why.iter().map(|why| {
                format!(
                    "the A/A calibration {id} does not come out of its samples again ({why}) and is not used; \
                     `assay verify` names what is wrong, `assay calibrate --noise` measures anew"
                )
            }));
            why.is_none()
        });
        let found = found.map(|(id, c)| (*id, (*c).clone()));
        let warning = match (&found, newest) {
            (None, _) if !doubts.is_empty() => None,
            (None, Some((_, c))) => Some(format!(
                "the A/A calibration of this machine no longer holds ({}): its noise floor is not known; \
                 `assay calibrate --noise` measures it",
                moved(c).join("; ")
            )),
            (None, None) => Some(
                "no A/A calibration of this machine in this mode: its noise floor is not known; \
                 `assay calibrate` measures it"
                    .to_owned(),
            ),
            (Some((_, c)), _) => convert::too_coarse(&c.noise, settings.delta),
        };
        Ok(Self {
            found,
            forged: !doubts.is_empty(),
            warnings: (doubts.into_iter().chain(warning))
                .chain(looked.and_then(isolation::warning))
                .collect(),
        })
    }

    /// What differs from process to process (standard deviation of the log-ratio), and the calibration
    /// that says so.
    pub fn spread(&self) -> Option<(RecordId, f64)> {
        self.found.as_ref().map(|(id, c)| (*id, c.noise.sd))
    }

    /// What the user is told before time is spent: that the noise hides what is looked for.
    pub fn before(&self) -> &[String] {
        match self.found {
            None if !self.forged => &[],
            _ => &self.warnings,
        }
    }

    /// Where the measurement turns out not to be what was calibrated, that is warned of; else the
    /// rate of the policy. Returns the calibration's record beside it.
    pub fn rate(
        &mut self,
        m: &Measurement,
        policy: Policy,
        procedure: &str,
        settings: &Settings,
    ) -> (Option<RecordId>, Option<FalseAccepts>) {
        let Some((id, c)) = &self.found else {
            return (None, None);
        };
        if c.timer != m.timer {
            self.warnings.push(format!(
                "the calibration of this machine is of timer {}, and this was measured with {}: \
                 its noise floor is not known",
                c.timer, m.timer
            ));
            return (Some(*id), None);
        }
        let near = |ns: f64| {
            let mut known = c.noise.workloads.iter();
            known.any(|w| (ns.log10() - w.median_ns.log10()).abs() <= 1.0)
        };
        let far = m.summary.iter().filter(|s| !near(s.median_ns));
        let far: BTreeSet<&str> = far.map(|s| s.workload.as_str()).collect();
        if !far.is_empty() {
            self.warnings.push(format!(
                "the calibration of this machine has no times within a factor of ten of those of {}",
                far.into_iter().collect::<Vec<_>>().join(", ")
            ));
        }
        let (what, then, now) = match policy {
            Policy::Threshold => ("threshold", c.settings.gain, settings.gain),
            _ => ("delta", c.settings.delta, settings.delta),
        };
        let asked = matches!(policy, Policy::Threshold | Policy::Assay);
        if asked && then != now {
            self.warnings.push(format!(
                "this machine was calibrated for {what} {}, and {what} is {}: how often policy {} \
                 accepts a change that does nothing is not known",
                format_percent(then),
                format_percent(now),
                policy.name()
            ));
            return (Some(*id), None);
        }
        let rate = c.false_accepts_of(policy.name());
        let rate = rate.filter(|f| f.procedure == procedure).cloned();
        (Some(*id), rate)
    }
}
