//! Verification: every hash again, and every verdict again from its raw samples.

use assay_core::record::{BlobRef, Body, Calibration, Verdict};
use assay_core::{Record, RecordId};
use assay_ledger::VerifyReport;
use assay_stats::resample::Pool;
use assay_stats::{Settings, judge_as};
use serde::Serialize;

use crate::calibrate::convert;
use crate::error::Result;
use crate::run::measure::{by_name, pair_names};
use crate::workbench::Workbench;

/// A verdict or calibration that does not come out again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// Its record.
    pub verdict: String,
    /// `verdict` or `calibration`.
    pub kind: String,
    /// What differs.
    pub problem: String,
}

/// The outcome of `assay verify`.
#[derive(Debug, Clone, Serialize)]
pub struct Verified {
    /// `assay.verify/1`.
    pub schema: &'static str,
    /// Records looked at.
    pub records: usize,
    /// Blobs looked at.
    pub blobs: usize,
    /// Verdicts computed again with the same result.
    pub verdicts: usize,
    /// Calibrations computed again with the same result.
    pub calibrations: usize,
    /// What is wrong with records and blobs.
    pub problems: Vec<String>,
    /// Large blobs that are not stored here.
    pub missing: Vec<String>,
    /// Verdicts that could not be computed again, and why.
    pub unchecked: Vec<Disagreement>,
    /// Verdicts that come out otherwise.
    pub disagreements: Vec<Disagreement>,
    /// Nothing is wrong.
    pub ok: bool,
}

impl Workbench {
    /// Hashes every record and blob again and computes every verdict again from its samples.
    ///
    /// # Errors
    /// When the ledger cannot be read; what is wrong with its content is in the result.
    pub fn verify(&self) -> Result<Verified> {
        let report: VerifyReport = self.ledger.verify()?;
        let state = self.state()?;
        let mut out = Verified {
            schema: "assay.verify/1",
            records: report.records,
            blobs: report.blobs,
            verdicts: 0,
            calibrations: 0,
            problems: report
                .problems
                .iter()
                .map(|p| format!("{}: {}", p.path, p.detail))
                .collect(),
            missing: report
                .missing
                .iter()
                .map(|b| format!("{} ({}, {} bytes)", b.sha256, b.name, b.bytes))
                .collect(),
            unchecked: Vec::new(),
            disagreements: Vec::new(),
            ok: report.is_ok(),
        };
        for record in state.log() {
            let (again, good) = match &record.body {
                Body::Verdict(v) => (self.recompute(v, |id| state.get(id)), &mut out.verdicts),
                Body::Calibration(c) => (self.recalibrate(c), &mut out.calibrations),
                _ => continue,
            };
            let said = |problem: String| Disagreement {
                verdict: record.id.to_string(),
                kind: record.body.kind().to_owned(),
                problem,
            };
            match again {
                Ok(Some(problem)) => out.disagreements.push(said(problem)),
                Ok(None) => *good += 1,
                Err(why) => out.unchecked.push(said(why)),
            }
        }
        out.ok &= out.disagreements.is_empty();
        Ok(out)
    }

    /// Raw samples as text.
    fn raw(&self, samples: &BlobRef) -> std::result::Result<String, String> {
        let blob = self.ledger.blob(samples.sha256);
        let bytes = blob.map_err(|e| e.to_string())?.into_bytes();
        let bytes = bytes.ok_or("its raw samples are not stored here")?;
        String::from_utf8(bytes).map_err(|_| "its raw samples are not UTF-8".into())
    }

    /// Computes a calibration again, each rate by the procedure that it names.
    fn recalibrate(&self, old: &Calibration) -> std::result::Result<Option<String>, String> {
        let name = &old.subject.name;
        let (samples, _) = by_name(&self.raw(&old.samples)?, name, name);
        let settings = Settings {
            delta: old.settings.delta,
            guard: old.settings.guard,
            gain: old.settings.gain,
            looks: old.settings.looks.clone(),
            weights: old.settings.weights.clone(),
            ..Settings::default()
        };
        let [a, b] = pair_names(name, name);
        let new = assay_stats::calibrate::calibrate(&samples, &a, &b, &settings, 0, 0)
            .map_err(|e| e.to_string())?;
        let new = convert::noise(&new);
        for (what, was, is) in [
            ("floor", old.noise.floor, new.floor),
            ("spread", old.noise.sd, new.sd),
            ("ratio", old.noise.ratio, new.ratio),
            ("interval", old.noise.interval[0], new.interval[0]),
            ("interval", old.noise.interval[1], new.interval[1]),
        ] {
            if !close(Some(was), Some(is)) {
                return Ok(Some(format!("recorded {what} {was}, computed {is}")));
            }
        }
        let pool = Pool::new(&samples, &a, &b);
        let (campaigns, seed) = (old.settings.campaigns, old.settings.seed);
        for f in &old.noise.false_accepts {
            let tally = pool.tally(&f.procedure, &settings, true, campaigns, seed);
            let tally = tally.ok_or_else(|| format!("procedure {} is not known", f.procedure))?;
            if tally.faster != f.accepted || tally.campaigns != f.campaigns {
                return Ok(Some(format!(
                    "recorded {} of {} false accepts of {}, computed {} of {}",
                    f.accepted, f.campaigns, f.policy, tally.faster, tally.campaigns
                )));
            }
        }
        Ok(None)
    }

    /// Computes a verdict again; says what differs, or why it cannot be computed.
    fn recompute<'a>(
        &self,
        old: &Verdict,
        get: impl Fn(RecordId) -> Option<&'a Record>,
    ) -> std::result::Result<Option<String>, String> {
        let Some(Body::Measurement(m)) = get(old.measurement).map(|r| &r.body) else {
            return Err(format!(
                "its measurement {} is not in this ledger",
                old.measurement
            ));
        };
        let text = self.raw(&m.samples)?;
        let (samples, _) = by_name(&text, &old.a, &old.b);
        let defaults = Settings::default();
        let settings = Settings {
            delta: old.delta,
            guard: old.guard,
            gain: old.gain.unwrap_or(defaults.gain),
            weights: old
                .workloads
                .iter()
                .map(|w| (w.workload.clone(), w.weight))
                .collect(),
            tick_ns: m.tick_ns,
            null_pair: old.null_pair,
            ..defaults
        };
        let [a, b] = pair_names(&old.a, &old.b);
        let new =
            judge_as(&old.procedure, &samples, &a, &b, &settings).map_err(|e| e.to_string())?;
        if new.kind != old.verdict {
            return Ok(Some(format!(
                "recorded {}, computed {}",
                old.verdict.name(),
                new.kind.name()
            )));
        }
        let end = |i: Option<[f64; 2]>, k: usize| i.map(|i| i[k]);
        if !close(new.ratio, old.ratio)
            || !close(end(new.interval, 0), end(old.interval, 0))
            || !close(end(new.interval, 1), end(old.interval, 1))
        {
            return Ok(Some(format!(
                "recorded ratio {:?} {:?}, computed {:?} {:?}",
                old.ratio, old.interval, new.ratio, new.interval
            )));
        }
        Ok(None)
    }
}

/// Equal but for rounding.
fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
        (None, None) => true,
        _ => false,
    }
}
