//! Screen, then confirm: many variants are built, checked and measured once against the same
//! incumbent; the best of them, and what cannot be told from the best, go on to a verdict.
//!
//! What was measured to screen is marked in its lines and can never be read as evidence of a
//! verdict: the best of many was chosen by these very samples.

use std::collections::BTreeMap;
use std::time::Instant;

use assay_core::record::{Failure, Fate, Ranked, SampleSummary, Screened, Screening, Stage};
use assay_core::view::ScreeningView;
use assay_core::{RecordId, Timestamp};
use assay_exec::Cancel;
use assay_exec::progress::Progress;
use assay_ledger::Blob;
use assay_stats::screen::{self, SCREEN_BLOCKS};
use assay_stats::{Samples, Settings};
use serde_json::Value;

use super::measure::{Collected, Measuring, plain_name, plain_summaries, unbelieved, with_blocks};
use super::noise::InForce;
use super::prepare::{Prepared, Session};
use super::running::Carried;
use super::{Ended, Request, Running, Staged, Summary, build};
use crate::error::{Error, Result};
use crate::trust::Prompt;
use crate::workbench::Workbench;

/// What a screening came to.
#[derive(Debug)]
pub struct Sifted {
    /// The ranking; absent when nothing could be measured, or it was cancelled before the end.
    pub ranking: Option<ScreeningView>,
    /// Variants with evidence, those that failed, and those that were confirmed.
    pub ended: Vec<Ended>,
}

/// A screening on its way.
struct Sieve {
    screening: RecordId,
    incumbent: Prepared,
    settings: Settings,
    keep: usize,
    /// The spread from process to process, with the calibration that it is from.
    spread: Option<(RecordId, f64)>,
    candidates: BTreeMap<String, Candidate>,
    failed: BTreeMap<String, String>,
    samples: screen::Screening,
}

/// A variant that was measured once.
struct Candidate {
    screened: RecordId,
    record: Screened,
    carried: Carried,
}

/// How far one variant came.
enum Once {
    /// It has evidence already, or failed.
    Ended(Box<Summary>),
    /// It was measured.
    Measured(Box<Candidate>, String),
}

impl Workbench {
    /// Screens variants against one incumbent and confirms those that are kept.
    ///
    /// # Errors
    /// As [`Workbench::run`], and when there is nothing to screen against. That one variant fails
    /// is no error.
    pub fn screen(
        &self,
        request: &Request,
        keep: usize,
        prompt: &dyn Prompt,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Sifted> {
        if !request.stages.contains(&Stage::Bench) {
            return Err(Error::input(
                "to screen is to measure, and stage `bench` is not asked for",
            ));
        }
        let names = self.approved(&request.names, prompt)?;
        let session = Session::open(self, request, progress, cancel)?;
        self.chain_first(&session, prompt)?;
        // Until the ranking nothing but build, source and check are done of the stages.
        let first = Request {
            stages: (request.stages.iter().copied())
                .filter(|s| *s < Stage::Bench)
                .collect(),
            ..request.clone()
        };
        let once = Session::open(self, &first, progress, cancel)?;
        let mut sieve = self.sieve(&once, &names, keep, prompt)?;
        progress.line(&format!(
            "screening {} variants against {}: one process of {SCREEN_BLOCKS} blocks each; a ranking, no verdict",
            names.len(),
            sieve.incumbent.subject.name
        ));
        let mut ended = Vec::new();
        for name in &names {
            let result = self.screen_one(&session, &once, &mut sieve, name, prompt);
            match result {
                Ok(Once::Measured(candidate, text)) => sieve.take(*candidate, &text),
                Ok(Once::Ended(summary)) => {
                    if let (Some(f), false) = (&summary.failure, summary.reused) {
                        let what = format!("{} in {}", f.kind.name(), f.stage.name());
                        sieve.failed.insert(name.clone(), what);
                    }
                    ended.push(Ended {
                        name: name.clone(),
                        result: Ok(*summary),
                    });
                }
                Err(e) => {
                    sieve.failed.insert(name.clone(), e.message.clone());
                    ended.push(Ended {
                        name: name.clone(),
                        result: Err(e),
                    });
                }
            }
            if cancel.is_cancelled() {
                self.tidy();
                return Ok(Sifted {
                    ranking: None,
                    ended,
                });
            }
        }
        let Some(ranking) = sieve.rank(&request.target) else {
            self.tidy();
            return Ok(Sifted {
                ranking: None,
                ended,
            });
        };
        let id = self.append(self.record(ranking.clone()), &[])?;
        let kept = ranking.ranking.iter().filter(|r| r.fate.goes_on());
        progress.line(&format!(
            "screened: {} of {} variants go on to be confirmed with fresh samples",
            kept.clone().count(),
            ranking.ranking.len()
        ));
        // Its work tree is needed no more.
        drop(sieve.incumbent);
        let mut candidates = sieve.candidates;
        for r in kept {
            let Some(c) = candidates.remove(&r.name) else {
                continue;
            };
            let result = self.run_one(&session, &r.name, prompt, Some(c.carried));
            ended.push(Ended {
                name: r.name.clone(),
                result,
            });
            if cancel.is_cancelled() {
                break;
            }
        }
        self.tidy();
        Ok(Sifted {
            ranking: Some(ScreeningView::new(id, &ranking)),
            ended,
        })
    }

    /// A sieve with the incumbent in place, which is the same for all.
    fn sieve(
        &self,
        once: &Session<'_>,
        names: &[String],
        keep: usize,
        prompt: &dyn Prompt,
    ) -> Result<Sieve> {
        let against = self.against(once, "")?.ok_or_else(|| {
            Error::input("there is neither a champion nor a baseline to screen against")
                .hint("--against REF")
        })?;
        if names.contains(&against) {
            return Err(Error::input(format!(
                "`{against}` is what the others are screened against"
            ))
            .hint("leave it out, or name another incumbent with --against REF"));
        }
        let state = self.state_of(&[&against])?;
        if state.variant(&against).is_some() {
            let commit = self.standing_commit(&state, &against)?;
            self.require_content_trust(&against, commit, prompt)?;
        }
        let mut incumbent = once.opponent(&state, &against)?;
        build::ensure(once, &mut incumbent)?;
        let settings = once.procedure_settings(None);
        let noise = InForce::of(&state, once, &settings)?;
        once.warn(noise.before());
        let spread = noise.spread();
        if spread.is_none() {
            once.warn(&[
                "this machine is not calibrated in this mode: the intervals of the \
                         screening lack what differs from process to process, and are too narrow; \
                         `assay calibrate` measures it"
                    .to_owned(),
            ]);
        }
        Ok(Sieve {
            screening: RecordId::fresh(Timestamp::now()),
            incumbent,
            settings,
            keep,
            spread,
            candidates: BTreeMap::new(),
            failed: BTreeMap::new(),
            samples: screen::Screening::default(),
        })
    }

    /// Builds, checks and measures one variant once.
    fn screen_one(
        &self,
        session: &Session<'_>,
        once: &Session<'_>,
        sieve: &mut Sieve,
        name: &str,
        prompt: &dyn Prompt,
    ) -> Result<Once> {
        let started = Instant::now();
        let tip = self.tip(name)?;
        self.require_content_trust(name, tip, prompt)?;
        let against = sieve.incumbent.subject.name.clone();
        let state = self.state_of(&[&against, name])?;
        let prepared = once.variant(name, tip)?;
        if !session.request.again
            && let Some(done) = self.evidence(&state, session, &prepared, Some(&against))
        {
            session.progress.line(&format!(
                "{name}: evidence for this content exists (run {}), and it is not screened",
                done.run
            ));
            return Ok(Once::Ended(Box::new(done)));
        }
        let mut run = Running::new(self, once, &state, prepared);
        let mut measured = None;
        let ended = run.stages(None).and_then(|failure| match failure {
            Some(failure) => Ok(Some(failure)),
            None => match run.screen(sieve)? {
                Ok(found) => {
                    measured = Some(found);
                    Ok(None)
                }
                Err(failure) => Ok(Some(failure)),
            },
        });
        let carried = run.carried();
        let summary = run.conclude(started, ended)?;
        Ok(match measured {
            Some((screened, record, text)) => Once::Measured(
                Box::new(Candidate {
                    screened,
                    record,
                    carried,
                }),
                text,
            ),
            None => Once::Ended(Box::new(summary)),
        })
    }
}

impl Running<'_> {
    /// Measures the variant in one process against the incumbent and records that.
    fn screen(&mut self, sieve: &Sieve) -> Staged<(RecordId, Screened, String)> {
        let (session, a) = (self.session, &sieve.incumbent);
        build::ensure(session, &mut self.b)?;
        let name = self.b.subject.name.clone();
        session.progress.stage(&format!("{name}: screen"));
        let seed = self.seed();
        let job = with_blocks(session.bench_job(a, &self.b, seed)?, SCREEN_BLOCKS, seed);
        let lock = session.lock(&format!("screen {name} against {}", a.subject.name))?;
        let measuring = Measuring {
            session,
            job: &job,
            sides: &[(a, "A-"), (&self.b, "B-")],
            most: 1,
        };
        let got = match measuring.fixed(1)? {
            Ok(got) => got,
            Err(failure) => return Ok(Err(failure)),
        };
        drop(lock);
        let (summary, timer, cache) = match plainly(&got) {
            Ok(found) => found,
            Err(failure) => return Ok(Err(failure)),
        };
        let text = marked(&got.lines);
        let mut alone = screen::Screening::default();
        let problems = alone.add(&text, |id| plain_name(id).to_owned());
        if let Some(failure) = unbelieved(&problems) {
            return Ok(Err(failure));
        }
        let sd = sieve.spread.map(|(_, sd)| sd);
        let ranked = alone.rank(&a.subject.name, &sieve.settings, sd, 1).pop();
        let blob = Blob::new("samples.jsonl", text.clone().into_bytes());
        let record = Screened {
            screening: sieve.screening,
            run: self.run,
            a: a.subject.clone(),
            b: self.b.subject.clone(),
            mode: job.mode.name().into(),
            timer,
            cache,
            protocol: 1,
            blocks: SCREEN_BLOCKS,
            samples: blob.reference(),
            summary,
            conditions: got.conditions,
            weights: sieve.settings.weights.clone(),
            process_sd: sd,
            ratio: ranked.as_ref().and_then(|r| r.ratio),
            interval: ranked.as_ref().and_then(|r| r.interval),
        };
        let id = self.append(record.clone(), &[blob])?;
        Ok(Ok((id, record, text)))
    }
}

impl Sieve {
    fn take(&mut self, candidate: Candidate, text: &str) {
        // It was read once already, without a problem.
        self.samples.add(text, |id| plain_name(id).to_owned());
        let name = candidate.record.b.name.clone();
        self.candidates.insert(name, candidate);
    }

    /// The ranking of all that was measured; nothing when nothing was.
    fn rank(&self, target: &str) -> Option<Screening> {
        let sd = self.spread.map(|(_, sd)| sd);
        let incumbent = &self.incumbent.subject;
        let ranking: Vec<Ranked> = self
            .samples
            .rank(&incumbent.name, &self.settings, sd, self.keep)
            .into_iter()
            .filter_map(|r| {
                let c = self.candidates.get(&r.subject)?;
                Some(Ranked {
                    screened: c.screened,
                    kernel: c.record.b.key.kernel,
                    recipe: c.record.b.key.recipe,
                    samples: c.record.samples.clone(),
                    name: r.subject,
                    ratio: r.ratio,
                    interval: r.interval,
                    fate: fate(r.fate),
                    why: r.why,
                })
            })
            .collect();
        (!ranking.is_empty()).then(|| Screening {
            screening: self.screening,
            incumbent: incumbent.clone(),
            target: target.to_owned(),
            blocks: SCREEN_BLOCKS,
            delta: self.settings.delta,
            weights: self.settings.weights.clone(),
            keep: u32::try_from(self.keep).unwrap_or(u32::MAX),
            process_sd: sd,
            calibration: self.spread.map(|(id, _)| id),
            ranking,
            failed: self.failed.clone(),
        })
    }
}

/// What the statistics say becomes of a variant, as it stands in the ledger.
pub(crate) fn fate(fate: screen::Fate) -> Fate {
    match fate {
        screen::Fate::Keep => Fate::Keep,
        screen::Fate::Spare => Fate::Spare,
        screen::Fate::Drop => Fate::Drop,
        screen::Fate::Unranked => Fate::Unranked,
    }
}

/// Summary, timer and cache mode of one process, by plain names.
fn plainly(got: &Collected) -> std::result::Result<(Vec<SampleSummary>, String, String), Failure> {
    let (samples, problems) = Samples::parse_jsonl(&got.text());
    if let Some(failure) = unbelieved(&problems) {
        return Err(failure);
    }
    let first = samples.legs().first();
    Ok((
        plain_summaries(&samples),
        first.map_or_else(|| "unknown".into(), |l| l.timer.clone()),
        first.map_or_else(String::new, |l| l.cache.clone()),
    ))
}

/// The lines with samples marked as measured to screen, so that no verdict can be computed of them.
fn marked(lines: &[String]) -> String {
    let mut out = String::new();
    for line in lines {
        match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(mut map)) if map.get("kind").is_some_and(|k| k == "samples") => {
                map.insert("screen".into(), Value::Bool(true));
                out.push_str(&Value::Object(map).to_string());
            }
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use assay_stats::Samples;
    use assay_stats::screen::Screening;

    use super::marked;

    #[test]
    fn what_was_measured_to_screen_is_refused_as_evidence() {
        let line = r#"{"assay":1,"kind":"samples","workload":"w","subject":"A-x","process":1,"block":0,"leg":0,"unit":"ns","values":[2.5]}"#;
        let other = r#"{"kind":"conditions","screen":"no"}"#;
        let text = marked(&[line.into(), other.into()]);
        assert!(text.ends_with(&format!("{other}\n")), "{text}");
        let (samples, problems) = Samples::parse_jsonl(&text);
        assert!(samples.is_empty() && problems.len() == 1, "{problems:?}");
        assert_eq!(Screening::parse_jsonl(&text).1, []);
    }
}
