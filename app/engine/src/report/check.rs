//! Whether a write-up can be trusted: the campaign itself, its template, and files exported earlier.

use std::path::{Path, PathBuf};

use assay_core::fold::State;
use assay_core::record::{Body, ContentKey, Origin, SourceCheck};
use assay_core::text::{inert, truncate};
use assay_core::view::VariantRow;
use assay_core::{RecordId, Sha256};
use assay_report::check::{Checked, Verification, check, literals, placeholders};
use assay_report::template::Template;
use assay_report::{Lang, ReportModel, csv, json, markdown, pull_request, was_accepted};
use regex::Regex;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Writer, values};
use crate::error::{Error, Result};
use crate::input::{self, WHOLE};
use crate::workbench::Workbench;
use assay_exec::Cancel;

/// Places that are listed for one file; more are counted.
const MOST_PLACES: usize = 20;

/// Problems of verification that are listed.
const MOST_PROBLEMS: usize = 20;

/// The outcome of `assay report --check`.
#[derive(Debug, Clone, Serialize)]
pub struct ReportCheck {
    /// `assay.report-check/1`.
    pub schema: &'static str,
    /// Each rule, and what it came to.
    pub rules: Vec<RuleView>,
    /// What is wrong with the template, `line N: …`; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateCheck>,
    /// Files that were exported earlier.
    pub files: Vec<FileCheck>,
    /// No rule is broken, and no file says anything else than the records.
    pub ok: bool,
}

/// A rule, in words.
#[derive(Debug, Clone, Serialize)]
pub struct RuleView {
    /// The rule and what it came to.
    #[serde(flatten)]
    pub checked: Checked,
    /// What it asks for.
    pub text: String,
}

/// A template that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct TemplateCheck {
    /// Where it is.
    pub path: String,
    /// What is wrong with it.
    pub problems: Vec<String>,
}

/// A file that was exported earlier, set beside what the records come to now.
#[derive(Debug, Clone, Serialize)]
pub struct FileCheck {
    /// The file.
    pub path: String,
    /// What it was taken for: `md`, `html`, `csv`, `json` or `pr`, and its language.
    pub form: String,
    /// Lines that the records come to as well.
    pub same: usize,
    /// Lines with figures that the records do not come to, lines of the report that are changed or
    /// gone, and gaps still to be filled in, `line N: …`.
    pub problems: Vec<String>,
    /// Places where somebody added words without figures.
    pub words: usize,
}

impl Workbench {
    /// Holds the campaign, the template and files exported earlier to the rules of a write-up.
    ///
    /// # Errors
    /// When the ledger or a file cannot be read.
    pub fn check_report(
        &self,
        lang: Lang,
        template: Option<&Path>,
        files: &[PathBuf],
    ) -> Result<ReportCheck> {
        let mut model = self.report_model()?;
        model.verified = Some(self.verification()?);
        let rules: Vec<RuleView> = (check(&model, lang).into_iter())
            .map(|checked| RuleView {
                text: checked.rule.text(lang).to_owned(),
                checked,
            })
            .collect();
        let writer = self.writer(template, lang)?;
        let template = (writer.as_ref()).map(|w| template_check(w, &model, lang));
        let mut checks = Vec::new();
        for path in files {
            let bytes = input::bytes(path, WHOLE, &Cancel::new())?;
            let text = String::from_utf8(bytes)
                .map_err(|_| Error::input(format!("{}: not UTF-8", path.display())))?;
            checks.push(file_check(path, &text, &model, writer.as_ref())?);
        }
        let ok = rules.iter().all(|r| r.checked.holds != Some(false))
            && template.as_ref().is_none_or(|t| t.problems.is_empty())
            && checks.iter().all(|f| f.problems.is_empty());
        Ok(ReportCheck {
            schema: "assay.report-check/1",
            rules,
            template,
            files: checks,
            ok,
        })
    }

    /// What verification came to, in short.
    pub(super) fn verification(&self) -> Result<Verification> {
        let done = self.verify()?;
        let differs =
            (done.disagreements.iter()).map(|d| format!("{} {}: {}", d.kind, d.verdict, d.problem));
        let bundle = done.bundle.iter().flat_map(|b| b.problems.clone());
        let problems = done.problems.iter().cloned().chain(differs).chain(bundle);
        let mut problems: Vec<String> = problems.collect();
        let more = problems.len().saturating_sub(MOST_PROBLEMS);
        if more > 0 {
            problems.truncate(MOST_PROBLEMS);
            problems.push(format!("(+{more})"));
        }
        Ok(Verification {
            problems,
            unchecked: done.unchecked.len() + done.missing.len(),
        })
    }
}

/// Accepted variants whose counters are of another build than their times, and what differs.
///
/// All counters that the report shows are looked at.
pub(super) fn other_builds(state: &State, model: &ReportModel) -> Vec<String> {
    let mut out = Vec::new();
    for row in accepted(model) {
        let measured = state.variant(&row.name).and_then(|v| v.measurement);
        let Some(time) = measured.and_then(|id| side_of(state, id, &row.name)) else {
            continue;
        };
        let sets = model.counters.get(&row.name).into_iter().flatten();
        let records = sets.flat_map(|s| &s.records);
        let profiles = records.filter_map(|id| match &state.get(id.parse().ok()?)?.body {
            Body::Profile(p) if !p.is_published() => Some(p),
            _ => None,
        });
        let mut differ: Vec<&str> = Vec::new();
        for p in profiles {
            // Of an imported report it is known which source it is of, and not which compiler.
            let is_here = p.origin == Origin::Run;
            let source = p.import.as_ref().map(|i| i.source_checked);
            let key = &p.subject.key;
            let parts = [
                ("kernel", key.kernel != time.kernel),
                ("recipe", key.recipe != time.recipe),
                ("toolchain", is_here && key.toolchain != time.toolchain),
                ("generated source", source == Some(SourceCheck::Differs)),
            ];
            let parts = parts.into_iter().filter(|(_, differs)| *differs);
            differ.extend(parts.map(|(what, _)| what));
        }
        differ.sort_unstable();
        differ.dedup();
        if !differ.is_empty() {
            out.push(format!("{}: {}", row.name, differ.join(", ")));
        }
    }
    out
}

/// Accepted variants with their evaluators, where those that were measured do not have the same one.
pub(super) fn evaluators(state: &State, model: &ReportModel) -> Vec<String> {
    let measured = accepted(model).filter_map(|row| {
        let id = state.variant(&row.name)?.measurement?;
        Some((row.name.as_str(), side_of(state, id, &row.name)?.evaluator))
    });
    let measured: Vec<(&str, Sha256)> = measured.collect();
    let first = measured.first().map(|m| m.1);
    match measured.iter().all(|m| Some(m.1) == first) {
        true => Vec::new(),
        false => (measured.iter())
            .map(|(name, evaluator)| format!("{name}: {}", evaluator.short()))
            .collect(),
    }
}

fn accepted(model: &ReportModel) -> impl Iterator<Item = &VariantRow> {
    model.list.variants.iter().filter(|v| was_accepted(v))
}

/// What a measurement timed under a name.
fn side_of<'s>(state: &'s State, measurement: RecordId, name: &str) -> Option<&'s ContentKey> {
    match &state.get(measurement)?.body {
        Body::Measurement(m) if m.b.name == name => Some(&m.b.key),
        Body::Measurement(m) => Some(&m.a.key),
        _ => None,
    }
}

fn template_check(w: &Writer, model: &ReportModel, lang: Lang) -> TemplateCheck {
    let mut problems: Vec<String> = (w.template.literals().iter())
        .map(|l| {
            format!(
                "line {}: `{}` is written out; a figure comes from a record, e.g. `{{{{champion ratio}}}}`",
                l.line, l.text
            )
        })
        .collect();
    let gaps = w.template.placeholders();
    problems.extend(
        gaps.iter()
            .map(|l| format!("line {}: `{}` is still to be filled in", l.line, l.text)),
    );
    if let Err(e) = w.template.markdown(model, &w.records, lang) {
        problems.push(e.to_string());
    }
    TemplateCheck {
        path: w.path.display().to_string(),
        problems,
    }
}

/// One way in which a file may have been made.
struct Form {
    name: String,
    text: String,
}

fn file_check(
    path: &Path,
    text: &str,
    model: &ReportModel,
    writer: Option<&Writer>,
) -> Result<FileCheck> {
    // The report is made again as if at the same time.
    let mut model = model.clone();
    let at = match is_json(path) {
        true => values::made_at(text),
        false => first_time(text),
    };
    if let Some(at) = at {
        model.generated_at = at;
    }
    // Whether it was verified stands in the form for pull requests alone.
    let forms = forms(path, &model, writer)?;
    let compared = forms.iter().map(|f| match is_json(path) {
        true => (f, of_values(text, &f.text)),
        false => (f, beside(text, &f.text)),
    });
    let (form, (same, places)) = compared
        .max_by_key(|(_, (same, _))| *same)
        .ok_or_else(|| Error::input(format!("{}: no report of a known form", path.display())))?;
    let mut problems = Vec::new();
    let (mut words, mut more) = (0, 0);
    for place in places {
        if !place.is_wrong {
            words += 1;
        } else if problems.len() < MOST_PLACES {
            problems.push(place.text);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        problems.push(format!("and {more} more places"));
    }
    Ok(FileCheck {
        path: path.display().to_string(),
        form: form.name.clone(),
        same,
        problems,
        words,
    })
}

/// What the file may be, made from the records.
fn forms(path: &Path, model: &ReportModel, writer: Option<&Writer>) -> Result<Vec<Form>> {
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    let mut out = Vec::new();
    let mut add = |name: &str, text: String| {
        out.push(Form {
            name: name.to_owned(),
            text,
        });
    };
    match ending {
        "csv" => add("csv", csv(model)),
        "json" => {
            let model = ReportModel {
                verified: None,
                ..model.clone()
            };
            add(
                "json",
                json(&model).map_err(|e| Error::environment(e.to_string()))?,
            );
        }
        "md" | "html" => {
            for lang in Lang::ALL {
                let name = |form: &str| format!("{form} {}", lang.name());
                if ending == "html" {
                    add(&name("html"), assay_report::html(model, lang));
                } else {
                    add(&name("md"), markdown(model, lang));
                    add(&name("pr"), pull_request(model, lang));
                }
                let Some(w) = writer else { continue };
                let made = match ending {
                    "html" => w.template.html(model, &w.records, lang),
                    _ => w.template.markdown(model, &w.records, lang),
                };
                // What is wrong with the template is said of the template.
                if let Ok(text) = made {
                    add(&name("template"), text);
                }
            }
        }
        _ => {
            return Err(Error::input(format!(
                "{}: a report ends in .md, .html, .csv or .json",
                path.display()
            )));
        }
    }
    Ok(out)
}

/// When a report says that it was made.
fn first_time(text: &str) -> Option<String> {
    let time = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").ok()?;
    time.find(text).map(|m| m.as_str().to_owned())
}

struct Place {
    text: String,
    is_wrong: bool,
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "json")
}

/// Values that both documents have, and where they differ: of one long line its number says nothing.
fn of_values(stored: &str, made: &str) -> (usize, Vec<Place>) {
    let (same, differ) = values::beside(stored, made).unwrap_or_else(|why| (0, vec![why]));
    let wrong = |text| Place {
        text,
        is_wrong: true,
    };
    (same, differ.into_iter().map(wrong).collect())
}

/// Lines that both have, and where they differ.
fn beside(stored: &str, made: &str) -> (usize, Vec<Place>) {
    let (a, b): (Vec<&str>, Vec<&str>) = (stored.lines().collect(), made.lines().collect());
    let mut same = 0;
    let mut places = Vec::new();
    let short = |lines: &[&str]| match lines {
        [] => "nothing".to_owned(),
        [one] => format!("`{}`", truncate(&inert(one), 160)),
        [first, rest @ ..] => format!("`{}` (+{})", truncate(&inert(first), 160), rest.len()),
    };
    for op in capture_diff_slices(Algorithm::Histogram, &a, &b) {
        let (old, new) = (&a[op.old_range()], &b[op.new_range()]);
        if let DiffOp::Equal { len, .. } = op {
            same += len;
            continue;
        }
        // What the report says itself is not for anybody to change; words beside it are free.
        let is_changed = new.iter().any(|l| !l.trim().is_empty());
        let gap = old.iter().position(|l| !placeholders(l).is_empty());
        let figure = old.iter().position(|l| has_figure(l));
        let at = figure.or(gap).unwrap_or(0);
        places.push(Place {
            text: format!(
                "line {}: {}; the records come to {}",
                op.old_range().start + 1 + at,
                short(old.get(at..).unwrap_or(old)),
                short(new)
            ),
            is_wrong: is_changed || figure.is_some() || gap.is_some(),
        });
    }
    (same, places)
}

/// Whether a line of a report holds a number: cells have theirs without a unit.
fn has_figure(line: &str) -> bool {
    let cells =
        line.contains('|') || line.contains(',') || line.contains('<') || line.contains(':');
    match cells {
        true => line.bytes().any(|b| b.is_ascii_digit()),
        false => !literals(line).is_empty(),
    }
}

impl Writer {
    /// Reads a template with the records that it refers to.
    pub(super) fn read(bench: &Workbench, path: &Path) -> Result<Self> {
        let named = |e: &dyn std::fmt::Display| Error::input(format!("{}: {e}", path.display()));
        let text = input::text(path, input::BY_HAND, &Cancel::new())?.text;
        let template = Template::parse(&text).map_err(|e| named(&e))?;
        let state = bench.state()?;
        let mut records = assay_report::template::Records::new();
        for id in template.records() {
            let record = id.parse().ok().and_then(|id| state.get(id));
            if let Some(value) = record.and_then(as_json) {
                records.insert(id.to_owned(), value);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            template,
            records,
        })
    }
}

/// A record as it is stored.
fn as_json(record: &assay_core::Record) -> Option<serde_json::Value> {
    serde_json::from_slice(&record.to_bytes().ok()?).ok()
}
