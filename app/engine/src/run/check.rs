//! The check stage: correctness, and the gates that can be judged.

use assay_core::gate::judge_with_text;
use assay_core::record::{
    Check, CheckResult, Failure, FailureKind, Figure, GateResult, Stage, Untimed,
};
use assay_exec::answers::{Answer, Line};
use assay_source::{Language, code};

use assay_exec::stage::run_stage;
use assay_ledger::Blob;

use super::build::read_log;
use super::intact::tampered;
use super::{Running, Staged, limits};
use crate::error::Result;
use crate::gates;

impl Running<'_> {
    pub(super) fn check_stage(&mut self) -> Staged<()> {
        self.ensure_built()?;
        let workloads = self.session.workloads(&self.b)?;
        let job = self.unpaired_job(Stage::Check, workloads.clone())?;
        let ended = run_stage(&job, self.session.cancel, self.session.progress, |_| {})?;
        let log = Blob::new("check.log", read_log(&job.log));
        let results: Vec<CheckResult> = ended.answers.checks().map(|c| c.result.clone()).collect();
        for l in &ended.answers.lines {
            if let Answer::Resource { name, value, unit } = &l.answer
                && let Some(build) = &mut self.build
            {
                build.resources.insert(
                    name.clone(),
                    Figure {
                        value: *value,
                        unit: unit.clone(),
                    },
                );
            }
        }
        let untimed = self.untimed(&ended.answers.lines);
        let mut failure = ended.failure;
        if failure.is_none()
            && let Some(problem) = ended.answers.problem_texts().first()
        {
            failure = Some(self.check_failure(
                FailureKind::Runtime,
                format!("the check's answers cannot be used: {problem}"),
            ));
        }
        let wrong: Vec<&CheckResult> = results.iter().filter(|r| !r.ok).collect();
        if let Some(first) = wrong.first() {
            let more = if wrong.len() > 1 {
                format!(" and {} more", wrong.len() - 1)
            } else {
                String::new()
            };
            let what = format!("wrong result on {}{more}: {}", first.workload, first.detail);
            failure = Some(self.check_failure(FailureKind::Correctness, what));
        }
        // It weighs more than a wrong result: whatever was found was not found of what was built.
        let loaded = ended.answers.loaded();
        if let Some(f) = tampered(self.session, &self.b, "", loaded, Stage::Check)? {
            failure = Some(f);
        }
        let unchecked: Vec<&str> = workloads
            .iter()
            .map(|w| w.name.as_str())
            .filter(|name| !results.iter().any(|r| r.workload == *name))
            .collect();
        if failure.is_none() && !unchecked.is_empty() {
            let what = format!("the check said nothing of {}", unchecked.join(", "));
            failure = Some(self.check_failure(FailureKind::Runtime, what));
        }
        let mut log = log;
        if failure.is_none()
            && let Some(sanitized) = self.sanitize(&workloads)?
        {
            log.bytes.extend(sanitized.log);
            self.sanitized = Some(sanitized.gate);
        }
        // What a device gave that is gone is no evidence of a result, right or wrong.
        let lost = failure
            .as_ref()
            .and_then(|f| self.session.device_lost_under(f));
        if let Some(lost) = lost {
            return Ok(Err(lost));
        }
        let check = Check {
            run: self.run,
            subject: self.b.subject.clone(),
            gates: self.judge(&results)?,
            results,
            untimed,
            log: log.reference(),
        };
        if failure.is_none() {
            failure = self.broken_oracle_gate(&check.gates)?;
        }
        let id = self.append(check.clone(), &[log])?;
        self.check = Some((id, check));
        Ok(failure.map_or(Ok(()), Err))
    }

    /// Steps that are not timed, as declared and as the harness reports them.
    fn untimed(&self, lines: &[Line]) -> Vec<Untimed> {
        let reported = lines.iter().filter_map(|l| match &l.answer {
            Answer::Resource { name, value, unit } if unit == "ms" => {
                Some((Untimed::step_of(name)?, *value))
            }
            _ => None,
        });
        let declared = self.session.config.untimed.iter();
        let steps = Untimed::settle(
            declared.map(|s| (s.name.as_str(), s.why.as_str())),
            reported,
        );
        let warnings: Vec<String> = steps.iter().filter_map(Untimed::warning).collect();
        self.session.warn(&warnings);
        steps
    }

    fn check_failure(&self, kind: FailureKind, message: String) -> Failure {
        Failure {
            kind,
            stage: Stage::Check,
            message,
            stderr_tail: String::new(),
        }
    }

    /// A failing gate on the oracle's figures means a wrong result, and nothing is benched then.
    fn broken_oracle_gate(&self, results: &[GateResult]) -> Result<Option<Failure>> {
        let specs = &self.bench.config()?.gates;
        let broken = results.iter().find(|r| {
            r.pass == Some(false)
                && specs
                    .iter()
                    .any(|s| s.name == r.name && gates::about_oracle(s))
        });
        Ok(broken.map(|g| {
            self.check_failure(
                FailureKind::Correctness,
                format!("gate {}: {}", g.name, g.evidence),
            )
        }))
    }

    /// Judges the campaign's gates with what is known so far, and whether the evaluator was left alone.
    pub(super) fn judge(&self, results: &[CheckResult]) -> Result<Vec<GateResult>> {
        // What stands in a comment or a string is not in the code.
        let text = self.source.as_ref().map(|(source, text)| {
            let language = source.language.parse();
            code(language.unwrap_or(Language::Text), text)
        });
        let text = text.as_deref();
        let lookup = |name: &str| self.figure(results, name);
        let config = self.bench.config()?;
        let mut out = vec![gates::evaluator(&self.b.touched)];
        out.extend(
            config
                .gates
                .iter()
                .map(|g| gates::oracle(judge_with_text(g, &lookup, text), g, results)),
        );
        out.extend(self.sanitized.clone());
        out.extend(
            self.limiting()
                .into_iter()
                .flat_map(|device| limits::gates(device, self.known())),
        );
        Ok(out)
    }

    /// A figure by the name that a gate rule uses, with or without its kind in front.
    fn figure(&self, results: &[CheckResult], name: &str) -> Option<f64> {
        let (kind, bare) = name.split_once(':').unwrap_or(("", name));
        let is = |k: &str| kind.is_empty() || kind == k;
        let from = |map: Option<&std::collections::BTreeMap<String, Figure>>| {
            map.and_then(|m| m.get(bare)).map(|f| f.value)
        };
        let checked = is("check").then(|| gates::worst_error(results, bare));
        checked
            .flatten()
            .or_else(|| {
                let resources = self.build.as_ref().map(|b| &b.resources);
                is("resource")
                    .then(|| gates::resource(resources, bare))
                    .flatten()
            })
            .or_else(|| {
                is("fact")
                    .then(|| from(self.source.as_ref().map(|(s, _)| &s.facts)))
                    .flatten()
            })
            .or_else(|| {
                is("counter")
                    .then(|| from(self.profile.as_ref().map(|p| &p.counters)))
                    .flatten()
            })
    }

    /// Judges the gates again when counters have come since; a changed result corrects the record.
    pub(super) fn final_gates(&mut self) -> Result<()> {
        let Some((id, check)) = self.check.clone() else {
            return Ok(());
        };
        let gates = self.judge(&check.results)?;
        if gates == check.gates {
            return Ok(());
        }
        let mut record = self.bench.record(Check { gates, ..check });
        record.supersedes = Some(id);
        record.reason = Some("gates judged again with the counters of the profile stage".into());
        let id = self.bench.append(record, &[])?;
        self.records.push(id);
        Ok(())
    }

    /// A seed that no variant can know: drawn when the run began.
    pub(super) fn seed(&self) -> u64 {
        super::seed_of(self.run)
    }
}
