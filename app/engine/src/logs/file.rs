//! `assay import LOG…`: logs become records.

use std::collections::BTreeSet;

use assay_core::fold::State;
use assay_core::record::{self, Body, NamedText, ReadingRow, RowProblem};
use assay_core::text::{inert, nearest, truncate};
use assay_core::view::{ImportedLogView, LogImportView};
use assay_core::{Record, RecordId, Sha256};
use assay_exec::readings::Readings;
use assay_ledger::Blob;

use super::read::{Log, log};
use super::rows::{named, stored};
use super::{LogRequest, work};
use crate::Cancel;
use crate::error::{Error, Result};
use crate::workbench::Workbench;

/// Names and rows that a record lists; the blob beside it has all.
const LISTED: usize = 64;
/// Rows without a time that a record lists.
const PROBLEMS: usize = 200;
/// Columns of a text in a record; the blob beside it has the whole.
const TEXT: usize = 200;

/// Words in the name of an implementation that others are held against.
const REFERENCES: &[&str] = &[
    "ref",
    "reference",
    "base",
    "baseline",
    "torch",
    "pytorch",
    "eager",
    "naive",
    "vendor",
    "cublas",
    "cublaslt",
    "cudnn",
    "mcblas",
];

/// A log that is ready to be filed.
struct Draft {
    path: String,
    record: record::Readings,
    rows: Vec<ReadingRow>,
    blobs: Vec<Blob>,
}

impl Workbench {
    /// Files benchmark logs; all of them or, where one cannot be read, none.
    ///
    /// # Errors
    /// When a file cannot be read or has no time in it, or a word asked for does not fit it.
    pub fn import_logs(&self, request: &LogRequest, cancel: &Cancel) -> Result<LogImportView> {
        let drafts: Vec<Draft> = (request.paths.iter())
            .map(|path| {
                let log = log(path, request, self.config.as_ref(), cancel)?;
                let shown = path.display().to_string();
                self.draft(&shown, log, request)
                    .map_err(|e| e.context(inert(&shown)))
            })
            .collect::<Result<_>>()?;
        let state = self.state()?;
        let mut records: Vec<Record> = Vec::new();
        let mut blobs = Vec::new();
        let mut logs = Vec::new();
        for draft in drafts {
            let made: Vec<Record> = records.clone();
            let known = filed(&state).chain(made.iter().filter_map(readings_of));
            let same: Vec<(RecordId, &record::Readings)> = known
                .filter(|(_, r)| same_reading(r, &draft.record))
                .collect();
            let already = same.iter().find(|(_, r)| is_equal(r, &draft.record));
            let corrected = same.last().map(|(id, _)| *id).filter(|_| already.is_none());
            let mut id = already.map(|(id, _)| *id);
            let is_new = id.is_none();
            if is_new && !request.dry_run {
                let mut record = self.record(draft.record.clone());
                if corrected.is_some() {
                    record.supersedes = corrected;
                    record.reason = Some("imported again with other words beside it".into());
                }
                id = Some(record.id);
                records.push(record);
                blobs.extend(draft.blobs.iter().cloned());
            }
            logs.push(view(draft, id, !is_new, corrected));
        }
        if !records.is_empty() {
            self.ledger.append(&records, &blobs)?;
            self.tidy();
        }
        let folder = (!self.ledger.is_git()).then(|| self.ledger.location());
        Ok(LogImportView {
            schema: "assay.import-log/1".into(),
            campaign: self.campaign.clone(),
            folder: folder.map(|f| {
                let plain = f.strip_prefix(".").unwrap_or(&f);
                plain.display().to_string()
            }),
            dry_run: request.dry_run,
            logs,
        })
    }

    fn draft(&self, path: &str, log: Log, request: &LogRequest) -> Result<Draft> {
        let readings = &log.readings;
        let timed = readings.rows.iter().filter(|r| r.failure.is_none()).count();
        if timed == 0 {
            let why = problems(readings).next();
            let why = why.map_or_else(String::new, |p| format!("; line {}: {}", p.line, p.message));
            return Err(Error::input(format!(
                "no row of it has a time{}",
                truncate(&inert(&why), 400)
            )));
        }
        work::check(&log.rule, &readings.rows)?;
        let subjects = distinct(readings.rows.iter().map(|r| r.tag.as_str()));
        let baselines = self.baselines(&subjects, request)?;
        let figures = readings.rows.iter().flat_map(|r| &r.extras);
        let name = std::path::Path::new(path).file_name();
        let name = name.map_or_else(|| "log".into(), |n| n.to_string_lossy().into_owned());
        let rows = stored(readings);
        let rows_blob = Blob::new("rows.json", serde_json::to_vec(&rows)?);
        let file = Blob::new(name.clone(), log.bytes);
        let short = |t: &str| truncate(t, TEXT).into_owned();
        let facts: Vec<NamedText> = (readings.facts.iter().take(LISTED))
            .map(|(n, v)| named(&short(n), &short(v)))
            .collect();
        let record = record::Readings {
            kind: log.kind.name().to_owned(),
            name,
            log: file.reference(),
            sides: log.sides.iter().map(Blob::reference).collect(),
            rows: rows_blob.reference(),
            rule: log.rule,
            timed: timed as u64,
            failed: (readings.rows.len() - timed) as u64,
            subjects: (subjects.iter().take(LISTED)).map(|s| short(s)).collect(),
            figures: (distinct(figures.map(|e| e.name.as_str()))
                .iter()
                .take(LISTED))
            .map(|n| short(n))
            .collect(),
            baselines,
            device: device(&facts),
            facts,
            target: request.target.clone(),
            problems: problems(readings).take(PROBLEMS).collect(),
            notices: readings
                .notices
                .iter()
                .map(|n| truncate(n, 4 * TEXT).into_owned())
                .collect(),
            note: request.note.clone(),
        };
        let blobs = [file, rows_blob].into_iter().chain(log.sides).collect();
        Ok(Draft {
            path: path.to_owned(),
            record,
            rows,
            blobs,
        })
    }

    /// Subjects that the others are held against: those asked for, else the campaign's baselines,
    /// else those whose names say so, else the first one.
    fn baselines(&self, subjects: &[String], request: &LogRequest) -> Result<Vec<String>> {
        for asked in &request.baselines {
            if !subjects.contains(asked) {
                let known = subjects.iter().map(String::as_str);
                let near = nearest(asked, known)
                    .map_or_else(String::new, |n| format!("; did you mean `{}`?", inert(n)));
                return Err(
                    Error::input(format!("no subject `{}`{near}", inert(asked))).hint(format!(
                        "there are {}",
                        truncate(&inert(&subjects.join(", ")), 2 * TEXT)
                    )),
                );
            }
        }
        if !request.baselines.is_empty() {
            return Ok(distinct(request.baselines.iter().map(String::as_str)));
        }
        let [first, _, ..] = subjects else {
            return Ok(Vec::new());
        };
        let of_campaign = |s: &&String| {
            let mut names = self.config.iter().flat_map(|c| &c.baselines);
            names.any(|b| b.name == **s)
        };
        let is_reference = |s: &&String| {
            let mut words = s.split(|c: char| !c.is_alphanumeric());
            words.any(|w| REFERENCES.contains(&w.to_ascii_lowercase().as_str()))
        };
        let by_campaign: Vec<String> = subjects.iter().filter(of_campaign).cloned().collect();
        let by_name: Vec<String> = subjects.iter().filter(is_reference).cloned().collect();
        let found = [by_campaign, by_name].into_iter();
        let mut found = found.filter(|f| !f.is_empty() && f.len() < subjects.len());
        Ok(found.next().unwrap_or_else(|| vec![first.clone()]))
    }
}

/// The logs that are filed and not corrected, oldest first.
pub(super) fn filed(state: &State) -> impl Iterator<Item = (RecordId, &record::Readings)> {
    state.active().filter_map(readings_of)
}

fn readings_of(r: &Record) -> Option<(RecordId, &record::Readings)> {
    match &r.body {
        Body::Readings(log) => Some((r.id, log)),
        _ => None,
    }
}

/// Whether two records are of the same content, read in the same way.
fn same_reading(a: &record::Readings, b: &record::Readings) -> bool {
    let sides =
        |r: &record::Readings| -> BTreeSet<Sha256> { r.sides.iter().map(|s| s.sha256).collect() };
    (a.log.sha256, &a.kind, &a.rule) == (b.log.sha256, &b.kind, &b.rule) && sides(a) == sides(b)
}

/// Whether two records say the same, whatever the file was called.
fn is_equal(a: &record::Readings, b: &record::Readings) -> bool {
    let plain = |r: &record::Readings| {
        let mut r = r.clone();
        r.name.clear();
        r.log.name.clear();
        r
    };
    plain(a) == plain(b)
}

fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    all.filter(|t| seen.insert(*t)).map(str::to_owned).collect()
}

/// Rows without a time.
fn problems(log: &Readings) -> impl Iterator<Item = RowProblem> {
    log.rows.iter().filter_map(|r| {
        let failure = r.failure.as_ref()?;
        Some(RowProblem {
            line: r.line as u64,
            row: truncate(&r.title(), TEXT).into_owned(),
            kind: failure.kind.name().to_owned(),
            message: truncate(&failure.message, 2 * TEXT).into_owned(),
        })
    })
}

/// The device that a log names: TileOps, nvbench and others each in their way.
fn device(facts: &[NamedText]) -> Option<String> {
    let is = |f: &&NamedText| {
        let name = f.name.to_lowercase();
        name == "gpu model" || name == "gpu" || name == "device" || name.starts_with("device ")
    };
    let found: Vec<&str> = (facts.iter().filter(is))
        .map(|f| f.value.as_str())
        .filter(|v| !v.is_empty() && !v.eq_ignore_ascii_case("n/a"))
        .collect();
    (!found.is_empty()).then(|| found.join(", "))
}

fn view(
    draft: Draft,
    id: Option<RecordId>,
    already: bool,
    corrects: Option<RecordId>,
) -> ImportedLogView {
    let r = draft.record;
    ImportedLogView {
        id: id.map(|i| i.to_string()),
        path: draft.path,
        kind: r.kind,
        sha256: r.log.sha256.to_string(),
        already,
        corrects: corrects.map(|i| i.to_string()),
        subjects: r.subjects,
        baselines: r.baselines,
        figures: r.figures,
        facts: r.facts,
        device: r.device,
        timed: r.timed,
        failed: r.failed,
        rows: draft.rows,
        problems: r.problems,
        notices: r.notices,
    }
}
