//! The bench stage: fresh processes in pairs, as many as the procedure asks for, then the verdict.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_core::campaign::Policy;
use assay_core::fold::resolve_name;
use assay_core::record::{
    Failure, FailureKind, Measurement, SampleSummary, Stage, Verdict, VerdictKind,
};
use assay_exec::bench::{BenchJob, ProcessOutcome, Schedule, StdoutParse, run_process};
use assay_exec::device::{DeviceLock, LockRequest};
use assay_exec::progress::Progress;
use assay_ledger::Blob;
use assay_stats::resample::procedure_of;
use assay_stats::{Samples, Settings, Step, design, judge_as, summaries};

use super::intact::tampered;
use super::noise::InForce;
use super::prepare::Prepared;
use super::{Running, Staged, build, floor};
use crate::calibrate;
use crate::error::{Error, Result};

/// The subject's name without its slot: `naive` of `A-naive`.
pub fn plain_name(id: &str) -> &str {
    match id.split_once('-') {
        Some(("A" | "B", name)) => name,
        _ => id,
    }
}

/// How the two sides are called in verdicts: by their names, and with the slot where both are one subject.
pub fn pair_names(a: &str, b: &str) -> [String; 2] {
    if a == b {
        [format!("A-{a}"), format!("B-{b}")]
    } else {
        [a.to_owned(), b.to_owned()]
    }
}

/// Reads samples and calls the two sides as [`pair_names`] does.
pub fn by_name(text: &str, a: &str, b: &str) -> (Samples, Vec<assay_stats::Problem>) {
    let (samples, mut problems) = Samples::parse_jsonl(text);
    if a == b {
        return (samples, problems);
    }
    let named = |mut leg: assay_stats::Leg| {
        leg.subject = plain_name(&leg.subject).to_owned();
        leg
    };
    let (samples, more) = Samples::from_legs(samples.into_legs().into_iter().map(named).collect());
    problems.extend(more);
    (samples, problems)
}

/// What the processes of a measurement came to.
#[derive(Default)]
pub(super) struct Collected {
    pub lines: Vec<String>,
    problems: Vec<String>,
    pub conditions: BTreeMap<String, String>,
    pub processes: u32,
}

impl Running<'_> {
    pub(super) fn bench_stage(&mut self, against: &str) -> Staged<()> {
        self.ensure_built()?;
        let mut a = self.opponent(against)?;
        let a_code = build::ensure(self.session, &mut a)?;
        let b_code = build::ensure(self.session, &mut self.b)?;
        let null_pair = a_code.is_some()
            && a_code == b_code
            && a.subject.key.recipe == self.b.subject.key.recipe;
        let job = self.job(&a)?;
        let settings = self.settings(null_pair)?;
        let mut noise = InForce::of(self.state, self.session, &settings)?;
        self.session.warn(noise.before());
        let lock = self.lock(&a)?;
        let policy = self.session.config.decide.policy;
        let procedure = procedure_of(policy.name()).ok_or_else(|| unknown(policy))?;
        let ids = pair_names(&a.subject.name, &self.b.subject.name);
        let mut got = Collected::default();
        let most = settings.looks.last().copied().unwrap_or(12).max(1);
        let started = Instant::now();
        let (samples, judgement) = loop {
            let more = match got.processes {
                0 => settings.looks.first().copied().unwrap_or(4),
                done => {
                    let (samples, problems) =
                        by_name(&got.lines.join("\n"), &a.subject.name, &self.b.subject.name);
                    if let Some(failure) = unbelieved(&problems) {
                        return Ok(Err(failure));
                    }
                    let judgement = judge_as(procedure, &samples, &ids[0], &ids[1], &settings)
                        .map_err(|e| Error::input(e.to_string()))?;
                    match judgement.step {
                        Step::Done => break (samples, judgement),
                        Step::More { .. } if done >= most.saturating_mul(2) => {
                            return Ok(Err(endless(done, &judgement.reason)));
                        }
                        Step::More { processes } => processes.max(1),
                    }
                }
            };
            for _ in 0..more.min(most.saturating_mul(2) - got.processes) {
                let outcome = self.one_process(&job, &mut got, most, started)?;
                for (p, slot) in [(&a, "A-"), (&self.b, "B-")] {
                    let loaded = outcome
                        .loaded
                        .iter()
                        .map(|(id, sha256)| (id.as_str(), *sha256));
                    if let Some(f) = tampered(self.session, p, slot, loaded, Stage::Bench)? {
                        return Ok(Err(f));
                    }
                }
                if let Some(failure) = unusable(&outcome) {
                    return Ok(Err(failure));
                }
            }
        };
        drop(lock);
        if let Some(what) = self.below_floor(&samples, &ids, &job) {
            return Ok(Err(Failure {
                kind: FailureKind::ExploitSuspected,
                stage: Stage::Bench,
                message: what,
                stderr_tail: String::new(),
            }));
        }
        let blob = Blob::new(
            "samples.jsonl",
            format!("{}\n", got.lines.join("\n")).into_bytes(),
        );
        let timer = samples
            .legs()
            .first()
            .map_or_else(|| "unknown".into(), |l| l.timer.clone());
        let tick_ns = samples
            .legs()
            .iter()
            .filter_map(|l| l.tick_ns)
            .reduce(f64::max);
        let measurement = Measurement {
            run: self.run,
            a: a.subject.clone(),
            b: self.b.subject.clone(),
            mode: job.mode.name().into(),
            timer,
            tick_ns,
            cache: samples
                .legs()
                .first()
                .map_or_else(String::new, |l| l.cache.clone()),
            protocol: 1,
            processes: got.processes,
            samples: blob.reference(),
            summary: plain_summaries(&samples),
            conditions: got.conditions,
        };
        let (calibration, false_accepts) = noise.rate(&measurement, policy, procedure, &settings);
        let id = self.append(measurement, &[blob])?;
        let mut warnings = judgement.warnings.clone();
        warnings.append(&mut noise.warnings);
        let most = self.session.config.noise.max_cv.0;
        if let Some(sd) = judgement.sd.filter(|sd| *sd > most) {
            warnings.push(format!(
                "noisy: the log-ratio varies by {:.1} % from process to process, more than [noise] max_cv = {:.1} %; \
                 measure again on a quieter machine",
                sd * 100.0,
                most * 100.0
            ));
        }
        warnings.extend(got.problems.into_iter().take(8));
        let verdict = Verdict {
            run: self.run,
            a: a.subject.name.clone(),
            b: self.b.subject.name.clone(),
            measurement: id,
            procedure: procedure.into(),
            policy: policy.name().into(),
            delta: settings.delta,
            guard: settings.guard,
            gain: (policy == Policy::Threshold).then_some(settings.gain),
            null_pair,
            processes: judgement.processes,
            ratio: judgement.ratio,
            interval: judgement.interval,
            verdict: judgement.kind,
            reason: judgement.reason.clone(),
            next: judgement.next.clone(),
            workloads: judgement.workloads.clone(),
            warnings,
            calibration,
            false_accepts,
        };
        self.session.progress.line(&format!(
            "{}: {}: {}",
            self.b.subject.name,
            verdict.verdict.name(),
            verdict.reason
        ));
        self.append(verdict.clone(), &[])?;
        let noisy = (verdict.verdict == VerdictKind::Invalid).then(|| verdict.reason.clone());
        self.verdict = Some(verdict);
        Ok(match noisy {
            None => Ok(()),
            Some(why) => Err(Failure {
                kind: FailureKind::Noisy,
                stage: Stage::Bench,
                message: format!("the samples cannot be judged: {why}"),
                stderr_tail: String::new(),
            }),
        })
    }

    /// A time that this machine's CPU cannot reach, where `assay calibrate` has measured it.
    fn below_floor(&self, samples: &Samples, ids: &[String; 2], job: &BenchJob) -> Option<String> {
        let target = self
            .session
            .config
            .targets
            .get(&self.session.request.target);
        if target.is_some_and(|t| t.device != assay_core::campaign::Device::Cpu) {
            return None;
        }
        let device = calibrate::measured(&self.bench.options.dirs)?;
        let of = |id: &String| floor::broken(&device, samples, id, &job.workloads, job.cache);
        ids.iter().find_map(of)
    }

    /// What is measured against, with its files in place.
    fn opponent(&self, against: &str) -> Result<Prepared> {
        if let Some(b) = self
            .session
            .config
            .baselines
            .iter()
            .find(|b| b.name == against)
        {
            return self.session.baseline(b);
        }
        let name = resolve_name(self.state, against).map_err(|e| Error::input(e.to_string()))?;
        self.session
            .variant(name, self.bench.standing_commit(self.state, name)?)
    }

    pub(super) fn job(&self, a: &Prepared) -> Result<BenchJob> {
        let spec = self.session.stage(Stage::Bench)?;
        let how = spec
            .bench()
            .ok_or_else(|| Error::input("the bench stage is not declared"))?;
        let command = spec
            .command
            .as_ref()
            .ok_or_else(|| Error::input("the bench stage has no command"))?;
        let seed = self.seed();
        let blocks = how.blocks;
        let parse = how.parse.as_ref().map(StdoutParse::new).transpose()?;
        Ok(BenchJob {
            command: command.clone(),
            cwd: self.b.source.clone(),
            env: self.session.env().clone(),
            mode: how.mode,
            subjects: [self.session.spec("A-", a), self.session.spec("B-", &self.b)],
            workloads: self.session.workloads(&self.b)?,
            blocks,
            schedule: Arc::new(move |process| Schedule {
                order: design::orders(process, blocks, seed),
                load_order: design::load_order(process, seed).to_owned(),
                seed: seed.wrapping_add(u64::from(process)),
            }),
            min_leg_ns: how.min_leg_ns,
            warmup_ns: how.warmup_ns,
            cache: how.cache,
            parse,
            limits: self.session.limits(Stage::Bench)?,
            logs: self.b.build.side("bench")?,
        })
    }

    /// Locks the device across processes and users of this host.
    pub(super) fn lock(&self, a: &Prepared) -> Result<DeviceLock> {
        let device = self
            .session
            .config
            .targets
            .get(&self.session.request.target)
            .map_or("cpu", |t| t.device.name());
        let wait = if self.session.request.wait {
            Duration::from_secs(24 * 3600)
        } else {
            Duration::ZERO
        };
        let what = format!(
            "{}: bench {} against {}",
            self.bench.campaign, self.b.subject.name, a.subject.name
        );
        let user = std::env::var("USER").unwrap_or_else(|_| self.bench.author());
        let request = LockRequest {
            folder: &self.bench.options.dirs.locks,
            device,
            user: &user,
            what: &what,
            wait,
        };
        let mut told = false;
        Ok(DeviceLock::acquire(
            &request,
            self.session.cancel,
            |holder, _| {
                if !told {
                    let who = holder.map_or_else(|| "another process".into(), ToString::to_string);
                    self.session
                        .progress
                        .line(&format!("waiting for the device, in use by {who}"));
                    told = true;
                }
            },
        )?)
    }

    pub(super) fn settings(&self, null_pair: bool) -> Result<Settings> {
        let config = self.session.config;
        Ok(Settings {
            delta: config.decide.delta.0,
            guard: config.decide.guard.0,
            gain: config.decide.threshold.0,
            weights: config
                .workloads
                .iter()
                .map(|w| (w.name.clone(), w.weight))
                .collect(),
            null_pair,
            ..Settings::default()
        })
    }

    pub(super) fn one_process(
        &self,
        job: &BenchJob,
        got: &mut Collected,
        most: u32,
        started: Instant,
    ) -> Result<ProcessOutcome> {
        let number = got.processes + 1;
        let watch = Overall {
            inner: self.session.progress,
            done: u64::from(got.processes),
            most: u64::from(most),
            started,
        };
        let outcome = run_process(job, number, self.session.cancel, &watch)?;
        got.processes = number;
        got.lines.extend(outcome.lines.iter().cloned());
        got.problems.extend(
            outcome
                .problems
                .iter()
                .map(|p| format!("process {number}: {p}")),
        );
        for (name, value) in &outcome.conditions {
            got.conditions
                .insert(format!("process-{number:02}.{name}"), value.clone());
        }
        Ok(outcome)
    }
}

/// Whether a process ended so that the measurement cannot stand.
pub(super) fn unusable(outcome: &ProcessOutcome) -> Option<Failure> {
    if outcome.failure.is_some() {
        return outcome.failure.clone();
    }
    let wrong = outcome.checks.iter().find(|c| !c.ok)?;
    Some(Failure {
        kind: FailureKind::Correctness,
        stage: Stage::Bench,
        message: format!(
            "a timed launch gave a wrong result on {}: {}",
            wrong.workload, wrong.detail
        ),
        stderr_tail: String::new(),
    })
}

/// Samples that the statistics refuse can only be missed, look after look: that ends the bench.
pub(super) fn unbelieved(problems: &[assay_stats::Problem]) -> Option<Failure> {
    let first = problems.first()?;
    let more = match problems.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    Some(failed(format!(
        "the samples cannot be used: {first}{more}; look at what the bench program times"
    )))
}

fn unknown(policy: Policy) -> Error {
    Error::input(format!(
        "[decide] policy: `{}` is not computed by this version",
        policy.name()
    ))
}

/// The procedure asked for more at twice the processes of its last look.
fn endless(processes: u32, reason: &str) -> Failure {
    failed(format!(
        "no verdict after {processes} processes, twice as many as the procedure's last look: {reason}"
    ))
}

fn failed(message: String) -> Failure {
    Failure {
        kind: FailureKind::Runtime,
        stage: Stage::Bench,
        message,
        stderr_tail: String::new(),
    }
}

/// Shows progress over all processes instead of one.
struct Overall<'a> {
    inner: &'a dyn Progress,
    done: u64,
    most: u64,
    started: Instant,
}

impl Progress for Overall<'_> {
    fn stage(&self, name: &str) {
        self.inner.stage(name);
    }

    fn step(&self, done: u64, total: u64, _: Option<u64>) {
        const FINE: u64 = 1000;
        let total = total.max(1);
        let all = self.done * FINE + done.min(total) * FINE / total;
        let whole = self.most * FINE;
        let spent = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let left =
            (all > 0).then(|| (spent / all.max(1)).saturating_mul(whole.saturating_sub(all)));
        self.inner.step(all, whole, left);
    }

    fn line(&self, text: &str) {
        self.inner.line(text);
    }
}

pub(super) fn plain_summaries(samples: &Samples) -> Vec<SampleSummary> {
    summaries(samples)
        .into_iter()
        .map(|s| SampleSummary {
            subject: plain_name(&s.subject).to_owned(),
            ..s
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use assay_core::record::FailureKind;

    use super::{by_name, plain_name, unbelieved};

    #[test]
    fn what_the_statistics_refuse_fails_the_bench_with_the_first_problem() {
        let line = |leg: u32, value: &str| {
            format!(
                r#"{{"assay":1,"kind":"samples","workload":"w","subject":"A-x","process":1,"block":0,"leg":{leg},"unit":"ns","values":[{value}]}}"#
            )
        };
        let (_, problems) = by_name(&line(0, "2.5"), "x", "y");
        assert_eq!(unbelieved(&problems), None);
        let text = [line(0, "1e300"), line(1, "3"), line(2, "1e-9")].join("\n");
        let (samples, problems) = by_name(&text, "x", "y");
        assert_eq!(samples.legs().len(), 1);
        let failure = unbelieved(&problems).unwrap();
        assert_eq!(failure.kind, FailureKind::Runtime);
        assert!(
            failure.message.contains("eleven days"),
            "{}",
            failure.message
        );
        assert!(
            failure.message.contains("(and 1 more)"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn only_a_slot_is_cut_off_a_name() {
        assert_eq!(plain_name("A-naive"), "naive");
        assert_eq!(plain_name("B-loop-order"), "loop-order");
        assert_eq!(plain_name("loop-order"), "loop-order");
    }
}
