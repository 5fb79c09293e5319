//! Mode `resident`: one process per subject, measuring on request over a pipe. Where the schedule has
//! no leg of B, there is no process of B.
//!
//! Requests are JSON lines on `ASSAY_REQ_FD`:
//! `{"assay":1,"request":"leg","workload":"…","block":0,"leg":0}` and `{"assay":1,"request":"end"}`.
//! A half answers a leg with one sample line that carries the same numbers. One half is asked at a
//! time, and the second is started only when the first has answered a leg that does not count
//! (`"warm":true`, its block is one past the last), so that no start-up disturbs a measurement.
//! A shell reads requests with `while read -r line; do …; done </dev/fd/$ASSAY_REQ_FD`: other
//! low numbers may be taken by the answer channel.

use std::io::{PipeWriter, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use assay_core::record::{Failure, FailureKind, Stage};
use crossbeam_channel::{Receiver, Sender, unbounded};
use serde_json::{Value, json};

use super::{Context, ProcessOutcome, outcome};
use crate::ExecError;
use crate::answers::{Answer, Answers, LegKey, Reader, Samples};
use crate::process::{Finished, Limits, Outcome, Program, run as run_program};
use crate::stage::{CUT_OFF, forged, fresh_nonce};

/// Time that a half gets to end after it was asked to.
const END: Duration = Duration::from_secs(5);

enum Event {
    Answers(usize, Vec<Answer>),
    Ended(usize),
}

/// Why a pair stops before its time.
enum Stop {
    /// This half ended, or could not be asked.
    Died(usize),
    /// This half did not answer in time.
    Hung(usize),
    /// This half did not do what it was asked.
    Disobeyed(usize, String),
}

struct Half<'a> {
    program: Program<'a>,
    requests: PipeWriter,
}

pub(super) fn run(ctx: &Context<'_>) -> Result<ProcessOutcome, ExecError> {
    let nonces = [fresh_nonce()?, fresh_nonce()?];
    let readers = [0, 1].map(|i: usize| Mutex::new(Reader::new(&nonces[i])));
    let (events, inbox) = unbounded();
    let mut halves = [None, None];
    let mut requests = [None, None];
    for slot in [0, 1] {
        let half = prepare(ctx, slot, &nonces[slot], &readers[slot], events.clone())?;
        halves[slot] = Some(half.program);
        requests[slot] = Some(half.requests);
    }
    let stop = ctx.cancel.child();
    let mut driver = Driver {
        ctx,
        requests,
        inbox,
        deadline: ctx.job.limits.timeout.map(|t| Instant::now() + t),
        ended: [false; 2],
    };
    let (end, finished) = thread::scope(|scope| {
        let mut handles = [None, None];
        let mut start = |slot: usize| {
            if let Some(program) = halves[slot].take() {
                let (stop, events) = (&stop, events.clone());
                let ended = events.clone();
                let thread = thread::Builder::new().spawn_scoped(scope, move || {
                    let finished = run_program(program, stop);
                    let _ = events.send(Event::Ended(slot));
                    finished
                });
                if thread.is_err() {
                    let _ = ended.send(Event::Ended(slot));
                }
                handles[slot] = thread.ok();
            }
        };
        let end = driver.drive(&mut start);
        driver.end(&end);
        stop.cancel();
        (end, handles.map(|h| h.and_then(|h| h.join().ok())))
    });
    drop(halves); // a half that was never started still borrows its reader
    let answers = readers.map(|r| {
        r.into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .finish()
    });
    Ok(conclude(ctx, end, finished, answers))
}

fn prepare<'a, 'c: 'a>(
    ctx: &Context<'c>,
    slot: usize,
    nonce: &str,
    reader: &'a Mutex<Reader>,
    events: Sender<Event>,
) -> Result<Half<'a>, ExecError> {
    let job = ctx.job;
    let subject = &job.subjects[slot];
    let mut env = ctx.env(subject, std::slice::from_ref(subject), &ctx.plan_alone());
    env.insert("ASSAY_NONCE".into(), nonce.into());
    let limits = Limits {
        timeout: None, // the driver keeps the time, because it knows who is waited for
        ..job.limits.clone()
    };
    let (program, requests) = Program::new(job.command.clone(), &job.cwd, env)
        .limits(limits)
        .log(log(ctx, slot))
        .told_to(ctx.legs.progress)
        .read_channel("ASSAY_FD", move |bytes| {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let answers = reader.push(bytes);
            if !answers.is_empty() {
                let _ = events.send(Event::Answers(slot, answers));
            }
        })?
        .write_channel("ASSAY_REQ_FD")?;
    Ok(Half { program, requests })
}

fn log(ctx: &Context<'_>, slot: usize) -> std::path::PathBuf {
    ctx.log(["-a", "-b"][slot])
}

struct Driver<'a> {
    ctx: &'a Context<'a>,
    requests: [Option<PipeWriter>; 2],
    inbox: Receiver<Event>,
    deadline: Option<Instant>,
    ended: [bool; 2],
}

impl Driver<'_> {
    fn drive(&mut self, start: &mut impl FnMut(usize)) -> Result<(), Stop> {
        let ctx = self.ctx;
        let Some(first) = ctx.job.workloads.first() else {
            return Ok(());
        };
        for &slot in ctx.schedule.load() {
            start(slot);
            self.ask(slot, &first.name, ctx.job.blocks, 0, true)?;
        }
        for workload in &ctx.job.workloads {
            for block in 0..ctx.job.blocks {
                for (leg, slot) in (0..).zip(ctx.schedule.slots(block)) {
                    self.ask(slot, &workload.name, block, leg, false)?;
                    ctx.legs.one();
                }
                ctx.watch.block([workload], block); // both halves wait for a request
            }
        }
        Ok(())
    }

    fn ask(
        &mut self,
        slot: usize,
        workload: &str,
        block: u32,
        leg: u32,
        warm: bool,
    ) -> Result<(), Stop> {
        let mut request = json!({
            "assay": 1, "request": "leg", "workload": workload, "block": block, "leg": leg,
        });
        if warm {
            request["warm"] = Value::Bool(true);
        }
        if !self.send(slot, &request) {
            return Err(Stop::Died(slot));
        }
        let asked = LegKey {
            workload: workload.to_owned(),
            process: self.ctx.process,
            block,
            leg,
        };
        loop {
            let event = match self.deadline {
                Some(t) => self.inbox.recv_deadline(t).ok(),
                None => self.inbox.recv().ok(),
            };
            match event {
                None => return Err(Stop::Hung(slot)),
                Some(Event::Ended(who)) => {
                    self.ended[who] = true;
                    return Err(Stop::Died(who));
                }
                Some(Event::Answers(who, answers)) => {
                    let mut given = answers.iter().filter_map(samples);
                    let Some(got) = given.next() else { continue };
                    if who != slot || given.next().is_some() {
                        let text = "measured a leg that nobody asked for".to_owned();
                        return Err(Stop::Disobeyed(who, text));
                    }
                    if key(got) != asked || got.subject != self.ctx.job.subjects[slot].id {
                        let text = format!(
                            "was asked for {asked} and answered {} of `{}`",
                            key(got),
                            got.subject
                        );
                        return Err(Stop::Disobeyed(slot, text));
                    }
                    return Ok(());
                }
            }
        }
    }

    fn send(&mut self, slot: usize, request: &Value) -> bool {
        let line = format!("{request}\n");
        let pipe = self.requests[slot].as_mut();
        pipe.is_some_and(|p| p.write_all(line.as_bytes()).is_ok())
    }

    /// Asks both halves to end and, after a good run, gives them time for it.
    ///
    /// A half that cannot be asked has closed its pipe and is about to end: it gets that time, too,
    /// so that it is known how it ended by itself.
    fn end(&mut self, end: &Result<(), Stop>) {
        for slot in [0, 1] {
            if end.is_ok() {
                self.send(slot, &json!({"assay": 1, "request": "end"}));
            }
            self.requests[slot] = None;
        }
        let awaited = match end {
            Ok(()) => [0, 1].map(|slot| self.ctx.schedule.load().contains(&slot)),
            Err(Stop::Died(who)) => [*who == 0, *who == 1],
            Err(_) => [false; 2],
        };
        let until = Instant::now() + END;
        let until = self.deadline.map_or(until, |t| t.min(until));
        while (0..2).any(|slot| awaited[slot] && !self.ended[slot]) {
            match self.inbox.recv_deadline(until) {
                Ok(Event::Ended(who)) => self.ended[who] = true,
                Ok(Event::Answers(..)) => {}
                Err(_) => break,
            }
        }
    }
}

fn samples(answer: &Answer) -> Option<&Samples> {
    match answer {
        Answer::Samples(s) => Some(s),
        _ => None,
    }
}

fn key(s: &Samples) -> LegKey {
    LegKey {
        workload: s.workload.clone(),
        process: s.process,
        block: s.block,
        leg: s.leg,
    }
}

fn conclude(
    ctx: &Context<'_>,
    end: Result<(), Stop>,
    finished: [Option<Finished>; 2],
    mut answers: [Answers; 2],
) -> ProcessOutcome {
    let ids = [0, 1].map(|i: usize| ctx.job.subjects[i].id.as_str());
    let tail = |slot: usize| finished[slot].as_ref().map(Finished::tail_text);
    let fail = |slot: usize, kind, what: String| Failure {
        kind,
        stage: Stage::Bench,
        message: format!("bench: `{}` {what}", ids[slot]),
        stderr_tail: tail(slot).unwrap_or_default(),
    };
    let named = |slot: usize, f: Failure| Failure {
        message: format!("{} (`{}`)", f.message, ids[slot]),
        ..f
    };
    let mut problems = Vec::new();
    let mut whose = match &end {
        Ok(()) => None,
        Err(Stop::Disobeyed(slot, _) | Stop::Hung(slot)) => Some(*slot),
        // One that the system would not start has failed at nothing.
        Err(Stop::Died(slot)) => finished[*slot].is_some().then_some(*slot),
    };
    let mut found = match end {
        Ok(()) => None,
        Err(Stop::Disobeyed(slot, what)) => Some(fail(slot, FailureKind::Runtime, what)),
        Err(Stop::Hung(slot)) => {
            let time = ctx.job.limits.timeout.unwrap_or_default().as_secs_f64();
            let what = format!("was waited for when the {time} s of the process were over");
            Some(fail(slot, FailureKind::Timeout, what))
        }
        Err(Stop::Died(slot)) if finished[slot].is_none() => {
            let what = "cannot be started: the system gives no more threads".to_owned();
            Some(fail(slot, FailureKind::Infra, what))
        }
        Err(Stop::Died(slot)) => {
            let own = finished[slot]
                .as_ref()
                .and_then(|f| f.failure(Stage::Bench));
            let what = "ended before it was asked to".to_owned();
            Some(own.map_or_else(
                || fail(slot, FailureKind::Runtime, what),
                |f| named(slot, f),
            ))
        }
    };
    for (slot, f) in finished.iter().enumerate() {
        let Some(f) = f else { continue };
        problems.extend(f.problems.iter().map(|p| format!("`{}`: {p}", ids[slot])));
        if found.is_none() && !ctx.cancel.is_cancelled() && f.outcome == Outcome::Cancelled {
            problems.push(format!(
                "`{}` did not end when asked to and was stopped",
                ids[slot]
            ));
        } else if found.is_none() {
            found = f.failure(Stage::Bench).map(|f| named(slot, f));
            if found.is_none() && !answers[slot].done() {
                found = Some(fail(slot, FailureKind::Runtime, CUT_OFF.to_owned()));
            }
            whose = found.is_some().then_some(slot);
        }
        if answers[slot].suspect > 0 {
            let what = format!("is suspect: {}", forged(answers[slot].suspect));
            found = Some(fail(slot, FailureKind::ExploitSuspected, what));
            whose = Some(slot);
        }
    }
    if ctx.cancel.is_cancelled() {
        found = Some(fail(
            0,
            FailureKind::Cancelled,
            "and its partner were cancelled".into(),
        ));
        whose = None;
    }
    for a in &mut answers {
        a.lines
            .retain(|l| samples(&l.answer).is_none_or(|s| s.block < ctx.job.blocks));
    }
    let mut out = outcome(ctx, &answers, found);
    out.failed = whose.map(|slot| ids[slot].to_owned());
    out.problems.extend(problems);
    out.logs = finished
        .into_iter()
        .flatten()
        .filter_map(|f| f.log)
        .collect();
    out
}
