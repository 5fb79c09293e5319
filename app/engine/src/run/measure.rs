//! Measuring: fresh processes of prepared subjects, one after the other, until the caller has enough.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_core::record::{Failure, FailureKind, Note, NullGround, SampleSummary, Stage};
use assay_exec::bench::{BenchJob, ProcessOutcome, Schedule, ScheduleOf, StdoutParse, run_watched};
use assay_exec::conditions::{MIXED, NOT_SAMPLED, Policy, common_regime};
use assay_exec::device::{DeviceLock, LockRequest};
use assay_exec::progress::Progress;
use assay_ledger::Blob;
use assay_stats::{Samples, Settings, design, summaries};

use super::Staged;
use super::intact::tampered;
use super::prepare::{Prepared, Session};
use super::suspected::{TOPIC, accusation};
use crate::error::{Error, Result};

/// Warnings about conditions that are kept; further ones are counted.
const WARNINGS_MAX: usize = 12;

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

/// Figures of each subject on each workload, under the subjects' plain names.
pub(crate) fn plain_summaries(samples: &Samples) -> Vec<SampleSummary> {
    summaries(samples)
        .into_iter()
        .map(|s| SampleSummary {
            subject: plain_name(&s.subject).to_owned(),
            ..s
        })
        .collect()
}

/// What the processes of a measurement came to.
#[derive(Default)]
pub(super) struct Collected {
    /// Lines of samples and conditions, in order.
    pub lines: Vec<String>,
    /// What was wrong with answers and logs, with the process.
    pub problems: Vec<String>,
    /// State of the machine around each process, for the record.
    pub conditions: BTreeMap<String, String>,
    /// What is worth knowing of the conditions: the first of each form, and in how many processes.
    warnings: Vec<(String, u32)>,
    more_warnings: u32,
    /// The regime of each process.
    regimes: Vec<Option<String>>,
    /// Whether the clocks were locked in each process that tells.
    locked: Vec<bool>,
    /// Lowest and highest clock of all processes that tell, in MHz, and how many tell.
    clocks: Option<([f64; 2], u32)>,
    /// Processes of which nobody told a clock of the device.
    unclocked: u32,
    /// Fresh processes so far.
    pub processes: u32,
}

impl Collected {
    /// The lines as the text of a file.
    pub fn text(&self) -> String {
        format!("{}\n", self.lines.join("\n"))
    }

    /// The lines as the blob that is kept.
    pub fn blob(&self) -> Blob {
        Blob::new("samples.jsonl", self.text().into_bytes())
    }

    /// The condition that held throughout all processes, if there was one.
    pub fn regime(&self) -> Option<String> {
        common_regime(self.regimes.iter().map(Option::as_deref))
    }

    /// Whether the clocks were locked: what was never seen otherwise.
    pub fn locked(&self) -> Option<bool> {
        (!self.locked.is_empty()).then(|| self.locked.iter().all(|l| *l))
    }

    /// The settings with what the conditions add to them.
    pub fn settings(&self, settings: &Settings) -> Settings {
        Settings {
            regime: self.regime(),
            clocks_locked: self.locked(),
            ..settings.clone()
        }
    }

    /// The warnings about conditions, with a word on those that are not kept.
    pub fn all_warnings(&self) -> Vec<String> {
        let told = self.warnings.iter().map(|(text, n)| match n {
            1 => text.clone(),
            n => format!("{text} (in {n} of {} processes)", self.processes),
        });
        let more = (self.more_warnings > 0).then(|| {
            format!(
                "and {} more warnings about conditions; the measurement's record has them by process",
                self.more_warnings
            )
        });
        told.chain(self.clocks_unknown())
            .chain(self.clocks_moved())
            .chain(more)
            .collect()
    }

    /// That clocks were not sampled: absent is not the same as steady.
    fn clocks_unknown(&self) -> Option<String> {
        (self.unclocked > 0).then(|| {
            let of = match self.unclocked == self.processes {
                true => String::new(),
                false => format!(" in {} of {} processes", self.unclocked, self.processes),
            };
            format!(
                "clocks were not sampled{of}: neither the tool of the device nor the bench program tells them, so that \
                 blocks at differing clocks go unseen"
            )
        })
    }

    /// That clocks differ over the processes by more than a block may.
    fn clocks_moved(&self) -> Option<String> {
        let ([low, high], told) = self.clocks?;
        let most = Policy::device().clock_tolerance;
        let moved = told > 1 && high / low - 1.0 > most && self.regime().is_none();
        moved.then(|| {
            format!(
                "the clocks differ by {:.1} % over {told} processes ({low:.0} to {high:.0} MHz), more than {}: \
                 lock them, or let the device reach its steady state before it is measured",
                (high / low - 1.0) * 100.0,
                assay_core::units::format_percent(most)
            )
        })
    }

    fn take(&mut self, number: u32, outcome: &ProcessOutcome) {
        self.processes = number;
        self.lines.extend(outcome.lines.iter().cloned());
        let problems = outcome.problems.iter();
        self.problems
            .extend(problems.map(|p| format!("process {number}: {p}")));
        for (name, value) in &outcome.conditions {
            self.conditions
                .insert(format!("process-{number:02}.{name}"), value.clone());
        }
        let notes = outcome.notes.iter().take(WARNINGS_MAX);
        let notes = notes.map(|note| format!("the bench program notes: {note}"));
        for warning in outcome.warnings.iter().cloned().chain(notes) {
            let same = |(text, _): &(String, u32)| form(text) == form(&warning);
            match self.warnings.iter().position(same) {
                Some(i) => self.warnings[i].1 += 1,
                None if self.warnings.len() < WARNINGS_MAX => {
                    self.warnings.push((warning, 1));
                }
                None => self.more_warnings += 1,
            }
        }
        let clock = outcome.conditions.get("clock");
        self.unclocked += u32::from(clock.is_some_and(|c| c == NOT_SAMPLED));
        self.locked.extend(outcome.locked);
        if let Some([low, high]) = outcome.clocks {
            let ([l, h], told) = self.clocks.unwrap_or(([low, high], 0));
            self.clocks = Some(([l.min(low), h.max(high)], told + 1));
        }
        self.regimes.push(outcome.regime.clone());
    }
}

/// A warning without its figures: the same thing is worth saying once, not with each share.
fn form(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// A measurement to be made: a job, and the subjects whose files it uses.
pub(super) struct Measuring<'a> {
    pub session: &'a Session<'a>,
    pub job: &'a BenchJob,
    /// Subjects with what stands before their names in answers: `A-`, `B-`.
    pub sides: &'a [(&'a Prepared, &'a str)],
    /// Processes that are expected at most, for progress.
    pub most: u32,
}

impl Measuring<'_> {
    /// Runs as many fresh processes as `more` asks for, and asks again, until it asks for none.
    ///
    /// After each process the builds are looked at, and a process that failed, or whose timed
    /// launches gave wrong results, ends the measurement.
    pub fn run(&self, mut more: impl FnMut(&Collected) -> Staged<u32>) -> Staged<Collected> {
        let refused = self.session.refused_device(Stage::Bench);
        let busy = refused.or_else(|| self.session.occupied_device(Stage::Bench));
        if let Some(failure) = busy.or_else(|| self.session.lost_device(Stage::Bench)) {
            return Ok(Err(failure));
        }
        let mut got = Collected::default();
        let unwatched = self.session.watcher.problem.iter();
        got.warnings.extend(unwatched.map(|why| (why.clone(), 1)));
        let started = Instant::now();
        loop {
            let next = match more(&got)? {
                Ok(next) => next,
                Err(failure) => return Ok(Err(failure)),
            };
            if next == 0 {
                return Ok(Ok(got));
            }
            for _ in 0..next {
                if let Err(failure) = self.one(&mut got, started)? {
                    return Ok(Err(failure));
                }
            }
        }
    }

    /// Runs one fresh process more, `started` being when the first one was.
    pub fn one(&self, got: &mut Collected, started: Instant) -> Staged<()> {
        let outcome = self.process(got, started)?;
        if let Some(failure) = self.session.lost_device(Stage::Bench) {
            return Ok(Err(failure));
        }
        for (p, slot) in self.sides {
            let loaded = outcome
                .loaded
                .iter()
                .map(|(id, sha256)| (id.as_str(), *sha256));
            if let Some(f) = tampered(self.session, p, slot, loaded, Stage::Bench)? {
                return Ok(Err(f));
            }
        }
        if let Some(found) = accusation(&outcome) {
            if let Some(what) = found.of_opponent {
                self.note_opponent(what)?;
            }
            return Ok(Err(found.failure));
        }
        match unusable(&outcome) {
            Some(failure) => self.whose(failure, &outcome),
            None => Ok(Ok(())),
        }
    }

    /// Keeps what the first of the sides is accused of as a note about it: the run that ends over it is another's.
    pub(super) fn note_opponent(&self, what: String) -> Result<()> {
        let Some((opponent, _)) = self.sides.first() else {
            return Ok(());
        };
        let bench = self.session.bench;
        let note = Note {
            topic: Some(TOPIC.into()),
            ..Note::new(Some(opponent.subject.name.clone()), what)
        };
        bench.append(bench.record(note), &[])?;
        Ok(())
    }

    /// Runs this many fresh processes.
    pub fn fixed(&self, processes: u32) -> Staged<Collected> {
        self.run(|got| Ok(Ok(processes.saturating_sub(got.processes))))
    }

    fn process(&self, got: &mut Collected, started: Instant) -> Result<ProcessOutcome> {
        let number = got.processes + 1;
        let watch = Overall {
            inner: self.session.progress,
            done: u64::from(got.processes),
            most: u64::from(self.most),
            started,
        };
        let how = self.session.watcher.watching();
        let outcome = run_watched(self.job, number, how, self.session.cancel, &watch)?;
        got.take(number, &outcome);
        Ok(outcome)
    }
}

impl Session<'_> {
    /// The bench job of a pair as the campaign declares it, with the parameters of `b`.
    pub(super) fn bench_job(&self, a: &Prepared, b: &Prepared, seed: u64) -> Result<BenchJob> {
        let spec = self.stage(Stage::Bench)?;
        let how = spec
            .bench()
            .ok_or_else(|| Error::input("the bench stage is not declared"))?;
        let command = spec
            .command
            .as_ref()
            .ok_or_else(|| Error::input("the bench stage has no command"))?;
        Ok(BenchJob {
            command: command.clone(),
            cwd: b.source.clone(),
            env: self.env().clone(),
            mode: how.mode,
            subjects: [self.spec("A-", a), self.spec("B-", b)],
            workloads: self.workloads(b)?,
            blocks: how.blocks,
            schedule: mirrored(how.blocks, seed),
            min_leg_ns: how.min_leg_ns,
            warmup_ns: how.warmup_ns,
            cache: how.cache,
            parse: how.parse.as_ref().map(StdoutParse::new).transpose()?,
            limits: self.limits(Stage::Bench)?,
            logs: b.build.side("bench")?,
        })
    }

    /// Locks the device across processes and users of this host; `what` is told to who waits.
    pub(super) fn lock(&self, what: &str) -> Result<DeviceLock> {
        let device = self
            .config
            .targets
            .get(&self.request.target)
            .map_or("cpu", |t| t.device.name());
        let wait = if self.request.wait {
            Duration::from_secs(24 * 3600)
        } else {
            Duration::ZERO
        };
        let what = format!("{}: {what}", self.bench.campaign);
        let user = std::env::var("USER").unwrap_or_else(|_| self.bench.author());
        let request = LockRequest {
            folder: &self.bench.options.dirs.locks,
            device,
            user: &user,
            what: &what,
            wait,
        };
        let mut told = false;
        Ok(DeviceLock::acquire(&request, self.cancel, |holder, _| {
            if !told {
                let who = holder.map_or_else(|| "another process".into(), ToString::to_string);
                self.progress
                    .line(&format!("waiting for the device, in use by {who}"));
                told = true;
            }
        })?)
    }

    /// What the procedure is told by the campaign file.
    pub(super) fn procedure_settings(&self, null: Option<NullGround>) -> Settings {
        let config = self.config;
        Settings {
            delta: config.decide.delta.0,
            guard: config.decide.guard.0,
            gain: config.decide.threshold.0,
            weights: config
                .workloads
                .iter()
                .map(|w| (w.name.clone(), w.weight))
                .collect(),
            null_pair: null.is_some(),
            null_ground: null.unwrap_or_default(),
            ..Settings::default()
        }
    }
}

/// Mirrored blocks in an order that is drawn anew for each process.
fn mirrored(blocks: u32, seed: u64) -> ScheduleOf {
    Arc::new(move |process| Schedule {
        order: design::orders(process, blocks, seed),
        load_order: design::load_order(process, seed).to_owned(),
        seed: seed.wrapping_add(u64::from(process)),
    })
}

/// The job with another number of blocks per workload and process.
pub(super) fn with_blocks(job: BenchJob, blocks: u32, seed: u64) -> BenchJob {
    BenchJob {
        blocks,
        schedule: mirrored(blocks, seed),
        ..job
    }
}

/// The job with legs of A alone, as many as a pair has of both.
pub(super) fn alone(job: BenchJob, seed: u64) -> BenchJob {
    let blocks = job.blocks;
    BenchJob {
        schedule: Arc::new(move |process| Schedule {
            order: vec!["AAAA".to_owned(); blocks as usize],
            load_order: "A".to_owned(),
            seed: seed.wrapping_add(u64::from(process)),
        }),
        ..job
    }
}

/// Whether a process ended so that the measurement cannot stand.
fn unusable(outcome: &ProcessOutcome) -> Option<Failure> {
    if outcome.failure.is_some() {
        return outcome.failure.clone();
    }
    // Whatever the figures are of, they are not of the one device that they would be recorded for.
    let mut marks = outcome.marks.iter();
    let mixed = marks.find(|m| m.reason.starts_with(MIXED))?;
    Some(Failure {
        kind: FailureKind::Infra,
        stage: Stage::Bench,
        message: format!("process {}: {}", outcome.process, mixed.reason),
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

/// A failure of the bench that is nobody's in particular.
pub(super) fn failed(message: String) -> Failure {
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

    fn said(&self, text: &str) {
        self.inner.said(text);
    }
}

#[cfg(test)]
mod tests;
