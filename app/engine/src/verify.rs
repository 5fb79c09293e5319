//! Verification: every hash again, and every figure again that follows from raw samples.

mod absent;
mod given;

use std::collections::BTreeSet;

use assay_core::Record;
use assay_core::record::Body;
use assay_ledger::VerifyReport;
use serde::Serialize;
use serde_json::Value;

use crate::bundle::{self, BundleCheck};
use crate::error::Result;
use crate::figures::{Beside, again};
use crate::workbench::Workbench;

/// A record whose figures do not come out again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// Its record.
    pub verdict: String,
    /// `measurement`, `verdict`, `calibration`, `control`, `canary`, `readings`, `screened`,
    /// `screening` or `chain`.
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
    /// Control kernels read again with the same result.
    pub controls: usize,
    /// Rankings computed again with the same result.
    pub rankings: usize,
    /// Chains measured end to end that were computed again with the same result.
    pub chains: usize,
    /// Measurements whose summaries were computed again with the same result.
    pub measurements: usize,
    /// Benchmark logs read again with the same rows.
    pub logs: usize,
    /// What is wrong with records and blobs.
    pub problems: Vec<String>,
    /// Large blobs that are not stored here.
    pub missing: Vec<String>,
    /// Records that could not be computed again, and why.
    pub unchecked: Vec<Disagreement>,
    /// Records that come out otherwise.
    pub disagreements: Vec<Disagreement>,
    /// What the files of a bundle came to; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<BundleCheck>,
    /// Nothing is wrong.
    pub ok: bool,
}

impl Workbench {
    /// Hashes every record and blob again and computes everything again that follows from raw
    /// samples.
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
            controls: 0,
            rankings: 0,
            chains: 0,
            measurements: 0,
            logs: 0,
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
            bundle: bundle::check(self)?,
            ok: report.is_ok(),
        };
        for (record, problem) in absent::absent(&state) {
            let kind = record.body.kind();
            out.problems
                .push(format!("{kind} {}: {problem}", record.id));
        }
        let given = given::given(self, &state);
        let mut wrong = BTreeSet::new();
        for (record, problem) in given.problems {
            wrong.insert(record.id);
            out.disagreements.push(disagreement(record, problem));
        }
        for (record, verdicts, why) in given.unchecked {
            let problem = format!(
                "policy, delta, guard, gain and weights of {verdicts} verdicts with its evaluator \
                 could not be set beside the campaign file: {why}"
            );
            out.unchecked.push(disagreement(record, problem));
        }
        for (record, told) in again(self, &state, state.log()) {
            let said = |problem| disagreement(record, problem);
            let figures = match told {
                Ok(figures) => figures,
                Err(why) => {
                    out.unchecked.push(said(why));
                    continue;
                }
            };
            match problem(&figures) {
                Some(problem) => out.disagreements.push(said(problem)),
                None if wrong.contains(&record.id) => {}
                None => match &record.body {
                    Body::Verdict(_) | Body::Canary(_) => out.verdicts += 1,
                    Body::Calibration(_) => out.calibrations += 1,
                    Body::Control(_) => out.controls += 1,
                    Body::Screening(_) => out.rankings += 1,
                    Body::Chain(_) => out.chains += 1,
                    _ => out.measurements += 1,
                },
            }
        }
        for record in state.log() {
            let Body::Readings(log) = &record.body else {
                continue;
            };
            match self.read_log_again(log) {
                Ok(None) => out.logs += 1,
                Ok(Some(problem)) => out.disagreements.push(disagreement(record, problem)),
                Err(why) => out.unchecked.push(disagreement(record, why)),
            }
        }
        out.ok &= out.disagreements.is_empty() && out.problems.is_empty();
        out.ok &= out.bundle.as_ref().is_none_or(|b| b.problems.is_empty());
        Ok(out)
    }
}

fn disagreement(record: &Record, problem: String) -> Disagreement {
    Disagreement {
        verdict: record.id.to_string(),
        kind: record.body.kind().to_owned(),
        problem,
    }
}

/// The first figure that comes out otherwise, and how many more do.
pub(crate) fn problem(figures: &[Beside]) -> Option<String> {
    let mut wrong = figures.iter().filter(|f| !f.agrees());
    let first = wrong.next()?;
    let more = match wrong.count() {
        0 => String::new(),
        n => format!(" (and {n} more figures; `assay audit` lists them)"),
    };
    let word = |v: &Value| match v {
        Value::Null => "nothing".to_owned(),
        Value::String(s) => s.clone(),
        other => other.to_string(),
    };
    Some(format!(
        "recorded {} {}, computed {}{more}",
        first.name(),
        word(&first.recorded),
        word(&first.computed)
    ))
}
