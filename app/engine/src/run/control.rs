//! The control kernel of a session: measured against itself before the first pair.

use std::time::Instant;

use assay_core::record::{Control, UnderControl};
use assay_core::text::inert;
use assay_core::{RecordId, Timestamp};

use super::measure::{Collected, Measuring, by_name, pair_names, plain_summaries, with_blocks};
use super::prepare::Session;
use super::{build, nanos, noise, ruling, seed_of};
use crate::error::{Error, Result};

/// The control kernel of a session, once it was looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Controlled {
    /// What it read; absent where none is declared, or it is not available here.
    pub under: Option<UnderControl>,
    /// What verdicts say where it is declared and missing.
    pub warning: Option<String>,
}

impl Session<'_> {
    /// The control kernel's reading: measured at the first call, with the device locked by the caller.
    pub(super) fn under_control(&self) -> Result<Controlled> {
        if let Some(known) = &*self.control.borrow() {
            return Ok(known.clone());
        }
        let found = self.find_control()?;
        *self.control.borrow_mut() = Some(found.clone());
        Ok(found)
    }

    fn find_control(&self) -> Result<Controlled> {
        let Some(declared) = &self.config.control else {
            return Ok(Controlled::default());
        };
        let name = &declared.baseline;
        let Some(baseline) = self.config.baselines.iter().find(|b| b.name == *name) else {
            return Ok(Controlled::default());
        };
        if !self.baseline_available(baseline)? {
            let warning = format!(
                "the control kernel {} is not available on this machine: nothing vouches for this session",
                inert(name)
            );
            self.warn(std::slice::from_ref(&warning));
            return Ok(Controlled {
                under: None,
                warning: Some(warning),
            });
        }
        self.progress.stage(&format!("control kernel {name}"));
        let started = Instant::now();
        let mut a = self.baseline(baseline)?;
        let b = self.baseline(baseline)?;
        build::ensure(self, &mut a)?;
        build::copy(&a, &b)?;
        let seed = seed_of(RecordId::fresh(Timestamp::now()));
        let job = with_blocks(self.bench_job(&a, &b, seed)?, declared.blocks, seed);
        let measuring = Measuring {
            session: self,
            job: &job,
            sides: &[(&a, "A-"), (&b, "B-")],
            most: declared.processes,
        };
        let ended = measuring.fixed(declared.processes)?;
        if self.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        let (got, failed) = match ended {
            Ok(got) => (got, None),
            Err(f) => (
                Collected::default(),
                Some(format!("{}: {}", f.kind.name(), f.message)),
            ),
        };
        let (samples, problems) = by_name(&got.text(), name, name);
        let [side_a, side_b] = pair_names(name, name);
        let reading = match (failed, problems.first()) {
            (Some(why), _) => Err(why),
            (None, Some(problem)) => Err(format!("its samples cannot be used: {problem}")),
            (None, None) => ruling::read_control(&samples, &side_a, &side_b),
        };
        let blob = got.blob();
        let record = Control {
            subject: b.subject.clone(),
            target: self.request.target.clone(),
            environment: self.environment.clone(),
            mode: job.mode.name().into(),
            protocol: 1,
            processes: got.processes,
            blocks: job.blocks,
            samples: blob.reference(),
            summary: noise::summary(plain_summaries(&samples)),
            conditions: got.conditions.clone(),
            reading: reading.as_ref().ok().copied(),
            problem: reading.as_ref().err().cloned().unwrap_or_default(),
            wall_ns: nanos(started),
        };
        let said = match &reading {
            Ok(r) => format!(
                "read {:.4} [{:.4}, {:.4}] x itself{}",
                r.ratio,
                r.interval[0],
                r.interval[1],
                if r.ok {
                    ""
                } else {
                    ": no verdict of this run will stand"
                }
            ),
            Err(why) => format!("could not be read: {why}"),
        };
        self.progress.line(&format!(
            "control kernel {name}: {said} ({} processes, {:.1} s)",
            got.processes,
            started.elapsed().as_secs_f64()
        ));
        let id = self.bench.append(self.bench.record(record), &[blob])?;
        Ok(Controlled {
            under: Some(UnderControl {
                record: id,
                name: name.clone(),
                reading: reading.ok(),
            }),
            warning: None,
        })
    }
}
