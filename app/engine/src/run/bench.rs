//! The bench stage: fresh processes in pairs, as many as the procedure asks for, then the verdict.

use assay_core::campaign::Policy;
use assay_core::fold::{captured, equal_sources, source_remarks};
use assay_core::record::{Failure, FailureKind, Measurement, Stage, Verdict, VerdictKind};
use assay_exec::bench::BenchJob;
use assay_stats::Samples;
use assay_stats::resample::procedure_of;

use super::judged::{Judged, most};
use super::measure::{Measuring, pair_names, plain_summaries};
use super::noise::InForce;
use super::prepare::Prepared;
use super::ruling::{self, Ruling};
use super::{Running, Staged, build, floor};
use crate::calibrate;
use crate::error::Error;

impl Running<'_> {
    pub(super) fn bench_stage(&mut self, against: &str) -> Staged<()> {
        let a = self.session.opponent(self.state, against)?;
        self.bench_pair(a)
    }

    /// Times the subject against another one.
    pub(super) fn bench_pair(&mut self, mut a: Prepared) -> Staged<()> {
        self.ensure_built()?;
        build::ensure(self.session, &mut a)?;
        build::ensure(self.session, &mut self.b)?;
        let null = build::null_ground(self.session, &a, &self.b)?;
        let job = self.session.bench_job(&a, &self.b, self.seed())?;
        let settings = self.session.procedure_settings(null);
        let mut noise = InForce::of(self.state, self.session, &settings)?;
        self.session.warn(noise.before());
        let lock = self.session.lock(&format!(
            "bench {} against {}",
            self.b.subject.name, a.subject.name
        ))?;
        let control = self.session.under_control()?;
        let policy = self.session.config.decide.policy;
        let procedure = procedure_of(policy.name()).ok_or_else(|| unknown(policy))?;
        let ids = pair_names(&a.subject.name, &self.b.subject.name);
        let measuring = Measuring {
            session: self.session,
            job: &job,
            sides: &[(&a, "A-"), (&self.b, "B-")],
            most: most(&settings),
        };
        let judged = match measuring.judged(procedure, &settings)? {
            Ok(judged) => judged,
            Err(failure) => return Ok(Err(failure)),
        };
        drop(lock);
        let Judged {
            mut got, samples, ..
        } = judged;
        if let Some(what) = self.below_floor(&samples, &ids, &job) {
            return Ok(Err(Failure {
                kind: FailureKind::ExploitSuspected,
                stage: Stage::Bench,
                message: what,
                stderr_tail: String::new(),
            }));
        }
        let blob = got.blob();
        let conditions = got.all_warnings();
        let problems = std::mem::take(&mut got.problems);
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
            conditions: std::mem::take(&mut got.conditions),
        };
        let settings = got.settings(&settings);
        let (calibration, false_accepts) = noise.rate(&measurement, policy, procedure, &settings);
        let id = self.append(measurement, &[blob])?;
        let sides = [ids[0].as_str(), ids[1].as_str()];
        let ruling = ruling::rule(
            procedure,
            &samples,
            sides,
            &settings,
            control.under.as_ref(),
        )
        .map_err(|e| Error::input(e.to_string()))?;
        let cycles = ruling.cycles();
        let Ruling { judgement, split } = ruling;
        let mut warnings = judgement.warnings;
        warnings.append(&mut noise.warnings);
        warnings.extend(control.warning);
        let source_a = captured(self.state, &a.subject);
        let carried = self.source.as_ref().map(|(source, _)| source);
        let source_b = carried.or_else(|| captured(self.state, &self.b.subject));
        warnings.extend(source_remarks(
            (&a.subject.name, source_a),
            (&self.b.subject.name, source_b),
        ));
        let normalised_equal = equal_sources(source_a, source_b);
        let most = self.session.config.noise.max_cv.0;
        if let Some(sd) = judgement.sd.filter(|sd| *sd > most) {
            warnings.push(format!(
                "noisy: the log-ratio varies by {:.1} % from process to process, more than [noise] max_cv = {:.1} %; \
                 measure again on a quieter machine",
                sd * 100.0,
                most * 100.0
            ));
        }
        warnings.extend(conditions);
        warnings.extend(problems.into_iter().take(8));
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
            null_pair: null.is_some(),
            null_ground: null,
            normalised_equal,
            processes: judgement.processes,
            ratio: judgement.ratio,
            interval: judgement.interval,
            verdict: judgement.kind,
            reason: judgement.reason,
            next: judgement.next,
            workloads: judgement.workloads,
            warnings,
            calibration,
            false_accepts,
            regime: settings.regime,
            clocks_locked: settings.clocks_locked,
            cycles,
            wins: Some(judgement.wins),
            losses: Some(judgement.losses),
            split,
            control: control.under,
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
}

pub(super) fn unknown(policy: Policy) -> Error {
    Error::input(format!(
        "[decide] policy: `{}` is not computed by this version",
        policy.name()
    ))
}
