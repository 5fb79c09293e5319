//! Verification: every hash again, and every figure again that follows from raw samples.

mod absent;
mod given;

use std::collections::BTreeSet;

use assay_core::Record;
use assay_core::record::Body;
use assay_core::text::inert;
use assay_ledger::{Cover, VerifyReport};
use serde::Serialize;
use serde_json::Value;

use crate::bundle::{self, BundleCheck};
use crate::error::{Error, Result};
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

/// What makes a record that is gone as a whole be noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Covering {
    /// `commits` of a branch, `list` of a plain folder, or `nothing`.
    pub by: &'static str,
    /// The list, where there is one.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub list: Option<ListOfRecords>,
}

/// What the list of records beside a plain folder says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListOfRecords {
    /// Records that it names.
    pub listed: usize,
    /// Records that are here and that it does not name.
    pub unlisted: usize,
    /// Lines that are none of such a list.
    pub unread: usize,
    /// SHA-256 of the list: who keeps it elsewhere notices that the list was edited too.
    pub list_sha256: String,
}

impl Covering {
    fn of(is_git: bool, cover: Option<&Cover>) -> Self {
        let list = cover.map(|c| ListOfRecords {
            listed: c.listed,
            unlisted: c.unlisted,
            unread: c.unread,
            list_sha256: c.sha256.to_string(),
        });
        let by = match (is_git, &list) {
            (true, _) => "commits",
            (false, Some(_)) => "list",
            (false, None) => "nothing",
        };
        Self { by, list }
    }
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
    /// Whether a record that is gone as a whole would be noticed.
    pub cover: Covering,
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
    /// Lists the records of a plain folder, so that one that goes is noticed, and returns how many are new
    /// in the list.
    ///
    /// # Errors
    /// When something is wrong with the ledger as it is, and for a repository.
    pub fn cover(&self) -> Result<usize> {
        let found = self.ledger.verify()?;
        if let Some(p) = found.problems.iter().find(|_| !found.is_ok()) {
            return Err(Error::input(format!(
                "records that are not sound are not listed: {}: {}",
                inert(&p.path),
                inert(&p.detail)
            ))
            .hint("`assay verify` tells all of it"));
        }
        Ok(self.ledger.cover()?)
    }

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
            cover: Covering::of(self.ledger.is_git(), report.cover.as_ref()),
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
