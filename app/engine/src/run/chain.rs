//! The chain of accepted steps against one measurement end to end.
//!
//! Every accepted step was picked because it looked good, so that their product promises too much.
//! Every few steps the champion is measured against what the first of them was measured against.

use std::time::Instant;

use assay_core::fold::{self, State, Steps};
use assay_core::record::{Body, Chain, ChainLink, Failure, FailureKind, Stage};
use assay_core::text;
use assay_core::units::format_ns;
use assay_core::view::ChainView;
use assay_stats::chain::{Drift, Link, drift};
use assay_stats::{PROCEDURE, Samples};

use super::judged::most;
use super::measure::{Measuring, plain_summaries};
use super::prepare::Session;
use super::{Running, Staged, build, nanos, was_checked};
use crate::error::{Error, Result};
use crate::index;
use crate::trust::Prompt;
use crate::workbench::Workbench;

impl Workbench {
    /// Measures the chain end to end when that is due, before anything else is measured.
    ///
    /// That it cannot be measured is said and stands in nobody's way.
    pub(super) fn chain_first(&self, session: &Session<'_>, prompt: &dyn Prompt) -> Result<()> {
        let (request, progress) = (session.request, session.progress);
        if !request.stages.contains(&Stage::Bench) || !session.has(Stage::Bench) {
            return Ok(());
        }
        let Some(view) = index::chain(self)?.filter(ChainView::due) else {
            return Ok(());
        };
        let asked_for = request.names.as_slice() == [view.to.clone()]
            && request.against.as_ref() == Some(&view.from);
        if asked_for {
            return Ok(());
        }
        let since = format!(
            "{} steps were accepted since the chain was last measured end to end",
            view.since
        );
        if !request.chain {
            progress.line(&format!("chain: {since}; left out as asked (--no-chain)"));
            return Ok(());
        }
        let settings = session.procedure_settings(None);
        let least = settings.looks.first().copied().unwrap_or(4);
        progress.line(&format!(
            "chain: {since}: first {} is measured against {}, which costs what the benchmark of one variant does, {least} to {} fresh processes (--no-chain leaves it out)",
            view.to,
            view.from,
            most(&settings)
        ));
        progress.stage(&format!("chain: {} against {}", view.to, view.from));
        let ended = self.measure_chain(session, prompt);
        if session.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        let why = match ended {
            Ok(Ok(chain)) => {
                progress.line(&format!(
                    "chain: {} ({} processes in {})",
                    chain.text,
                    chain.processes,
                    format_ns(chain.wall_ns as f64)
                ));
                return Ok(());
            }
            Ok(Err(failure)) => failure.message,
            Err(e) => e.message,
        };
        progress.line(&format!(
            "chain: not measured, and the next run tries again: {}",
            text::inert(&why)
        ));
        Ok(())
    }

    /// The state with all that the chain of accepted steps rests on.
    fn state_of_chain(&self) -> Result<State> {
        let placed = self.state_of(&[])?;
        let names: Vec<&str> = placed
            .decisions()
            .map(|(_, d)| d.variant.as_str())
            .collect();
        self.state_of(&names)
    }

    fn measure_chain(&self, session: &Session<'_>, prompt: &dyn Prompt) -> Staged<Chain> {
        let started = Instant::now();
        let state = self.state_of_chain()?;
        let steps = fold::steps(&state)
            .ok_or_else(|| Error::environment("the accepted steps are not all here"))?;
        let commit = self.standing_commit(&state, &steps.to)?;
        self.require_content_trust(&steps.to, commit, prompt)?;
        if state.variant(&steps.from).is_some() {
            let commit = self.standing_commit(&state, &steps.from)?;
            self.require_content_trust(&steps.from, commit, prompt)?;
        }
        let b = session.variant(&steps.to, commit)?;
        if session.has(Stage::Check) && !was_checked(&state, &b) {
            return Err(Error::input(format!(
                "this content of `{}` was not checked, and nothing is timed before that",
                steps.to
            )));
        }
        let mut a = session.opponent(&state, &steps.from)?;
        let mut run = Running::new(self, session, &state, b);
        build::ensure(session, &mut a)?;
        build::ensure(session, &mut run.b)?;
        let null = build::null_ground(session, &a, &run.b)?;
        let settings = session.procedure_settings(null);
        let job = session.bench_job(&a, &run.b, run.seed())?;
        let lock = session.lock(&format!("chain: {} against {}", steps.to, steps.from))?;
        let measuring = Measuring {
            session,
            job: &job,
            sides: &[(&a, "A-"), (&run.b, "B-")],
            most: most(&settings),
        };
        let judged = match measuring.judged(PROCEDURE, &settings)? {
            Ok(judged) => judged,
            Err(failure) => return Ok(Err(failure)),
        };
        drop(lock);
        let (found, samples) = (&judged.judgement, &judged.samples);
        let link = found.ratio.zip(found.interval);
        let Some((link, held)) = link.and_then(|l| held(&steps.links, l)) else {
            return Ok(Err(Failure {
                kind: FailureKind::Noisy,
                stage: Stage::Bench,
                message: format!("the samples cannot be judged: {}", found.reason),
                stderr_tail: String::new(),
            }));
        };
        let blob = judged.got.blob();
        let first = samples.legs().first();
        let chain = Chain {
            a: a.subject.clone(),
            b: run.b.subject.clone(),
            decision: steps.decision,
            links: steps.links,
            target: session.request.target.clone(),
            mode: job.mode.name().into(),
            timer: first.map_or_else(|| "unknown".into(), |l| l.timer.clone()),
            tick_ns: tick(samples),
            cache: first.map_or_else(String::new, |l| l.cache.clone()),
            protocol: 1,
            processes: judged.got.processes,
            samples: blob.reference(),
            summary: plain_summaries(samples),
            conditions: judged.got.conditions.clone(),
            measurement: None,
            procedure: PROCEDURE.into(),
            delta: settings.delta,
            guard: settings.guard,
            weights: settings.weights.clone(),
            ratio: link.ratio,
            interval: link.interval,
            promised: held.promised,
            promised_interval: held.promised_interval,
            overstated: held.overstated,
            text: held.text,
            wall_ns: nanos(started),
        };
        self.append(self.record(chain.clone()), &[blob])?;
        Ok(Ok(chain))
    }
}

impl Running<'_> {
    /// Records that a run by hand has measured the champion against the first baseline of its chain.
    pub(super) fn note_chain(&mut self) -> Result<()> {
        let Some(v) = self.verdict.clone() else {
            return Ok(());
        };
        // A chain ends at the champion: the index need not be brought up to date for any other subject.
        if self.state.champion().name() != Some(v.b.as_str()) {
            return Ok(());
        }
        let is_it = |c: &ChainView| c.to == v.b && c.from == v.a && c.steps > 1;
        if index::chain(self.bench)?.filter(is_it).is_none() {
            return Ok(());
        }
        let state = self.bench.state_of_chain()?;
        let accepted = |s: &Steps| {
            let d = state.decision(Some(s.decision));
            d.is_some_and(|d| d.kernel == Some(self.b.subject.key.kernel))
        };
        let Some(steps) = fold::steps(&state).filter(accepted) else {
            return Ok(());
        };
        let ends = v.ratio.zip(v.interval);
        let Some((link, held)) = ends.and_then(|ends| held(&steps.links, ends)) else {
            return Ok(());
        };
        let Body::Measurement(m) = index::body(self.bench, v.measurement)? else {
            return Ok(());
        };
        self.session.progress.line(&format!("chain: {}", held.text));
        let weights = v.workloads.iter().map(|w| (w.workload.clone(), w.weight));
        let chain = Chain {
            a: m.a,
            b: m.b,
            decision: steps.decision,
            links: steps.links,
            target: self.session.request.target.clone(),
            mode: m.mode,
            timer: m.timer,
            tick_ns: m.tick_ns,
            cache: m.cache,
            protocol: m.protocol,
            processes: v.processes,
            samples: m.samples,
            summary: m.summary,
            conditions: m.conditions,
            measurement: Some(v.measurement),
            procedure: v.procedure.clone(),
            delta: v.delta,
            guard: v.guard,
            weights: weights.collect(),
            ratio: link.ratio,
            interval: link.interval,
            promised: held.promised,
            promised_interval: held.promised_interval,
            overstated: held.overstated,
            text: held.text,
            wall_ns: 0,
        };
        self.append(chain, &[])?;
        Ok(())
    }
}

/// What the steps promise against what was measured.
pub(crate) fn held(
    links: &[ChainLink],
    (ratio, interval): (f64, [f64; 2]),
) -> Option<(Link, Drift)> {
    let measured = Link { ratio, interval };
    let links: Vec<Link> = links
        .iter()
        .map(|l| Link {
            ratio: l.ratio,
            interval: l.interval,
        })
        .collect();
    Some((measured, drift(&links, measured)?))
}

/// The coarsest resolution that the harness stated, in nanoseconds.
fn tick(samples: &Samples) -> Option<f64> {
    let ticks = samples.legs().iter().filter_map(|l| l.tick_ns);
    ticks.reduce(f64::max)
}
