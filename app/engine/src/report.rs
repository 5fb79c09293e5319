//! The report: collects what the write-up shows from records, and writes it.

mod check;
mod cited;
mod counters;
mod pictured;
mod places;
mod published;
mod reproduce;
mod store;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_core::Timestamp;
use assay_core::campaign::Campaign;
use assay_core::fold::{self, State};
use assay_core::record::{Body, CLAIMED_TIME, Stage};
use assay_core::text::inert;
use assay_core::units::DurationNs;
use assay_core::view::{FileDiff, IsolationView};
pub use assay_report::Lang;
use assay_report::template::{Records, Template, TemplateError};
use assay_report::{
    Baseline, Better, ChainRow, MAX_DIFF_LINES, Protocol, ReportModel, SourceChange, Task,
    TaskGate, TaskWorkload, csv, first_lines, html, json, markdown, pull_request,
};

pub use check::{FileCheck, ReportCheck, RuleView, TemplateCheck};
pub use store::Stored;
pub(crate) use store::{for_all, put};

use crate::diff::How;
use crate::error::{Error, Result};
use crate::workbench::Workbench;

/// What a report is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown, GitHub flavour.
    Markdown,
    /// One page with its pictures in it.
    Html,
    /// One row a figure.
    Csv,
    /// Everything that the report is made of.
    Json,
    /// A pull-request description in Markdown, with a checklist that the records fill.
    PullRequest,
}

impl Format {
    /// Ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::PullRequest => "pr.md",
        }
    }

    /// Whether it has words, and therefore a language.
    pub fn has_words(self) -> bool {
        matches!(self, Self::Markdown | Self::Html | Self::PullRequest)
    }
}

/// A template with the records that it refers to.
#[derive(Debug, Clone)]
pub struct Writer {
    path: PathBuf,
    template: Template,
    records: Records,
}

/// A template of this name beside the campaign file is used without being asked for.
const TEMPLATE: &str = "report.template.md";

/// The same for reports in Chinese.
const TEMPLATE_ZH: &str = "report.template.zh.md";

/// What stands above the medians of the chain.
const MEDIAN_OF: &str = "geometric mean";

impl Workbench {
    /// The report as Markdown.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn report_markdown(&self, lang: Lang) -> Result<String> {
        self.report(Format::Markdown, lang)
    }

    /// The report in a format; figures as CSV or JSON have no language.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn report(&self, format: Format, lang: Lang) -> Result<String> {
        Ok(self.reports(&[format], lang)?.concat())
    }

    /// The report in each of these formats, of one state of the ledger.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn reports(&self, formats: &[Format], lang: Lang) -> Result<Vec<String>> {
        self.reports_by(None, formats, lang)
    }

    /// The same by a template; figures alone and pull requests have a form of their own.
    ///
    /// # Errors
    /// When the ledger cannot be read, or a reference of the template leads nowhere.
    pub fn reports_by(
        &self,
        writer: Option<&Writer>,
        formats: &[Format],
        lang: Lang,
    ) -> Result<Vec<String>> {
        let has_words = |f: &Format| *f != Format::Csv;
        let model = match formats.iter().any(has_words) {
            true => self.report_model()?,
            false => self.report_figures()?,
        };
        let write = |format: &Format| {
            let Some(w) = writer else {
                return self.written(&model, *format, lang);
            };
            match format {
                Format::Markdown => w.template.markdown(&model, &w.records, lang),
                Format::Html => w.template.html(&model, &w.records, lang),
                _ => return self.written(&model, *format, lang),
            }
            .map_err(|e| w.failed(&e))
        };
        formats.iter().map(write).collect()
    }

    /// A model in one of the forms that need no template.
    pub(crate) fn written(&self, m: &ReportModel, format: Format, lang: Lang) -> Result<String> {
        Ok(match format {
            Format::Markdown => markdown(m, lang),
            Format::Html => html(m, lang),
            Format::PullRequest => {
                let verified = Some(self.verification()?);
                let model = ReportModel {
                    verified,
                    ..m.clone()
                };
                pull_request(&model, lang)
            }
            Format::Csv => csv(m),
            Format::Json => json(m).map_err(|e| Error::environment(e.to_string()))?,
        })
    }

    /// The template to write by: the one named, else one beside the campaign file, else none.
    ///
    /// # Errors
    /// When it cannot be read, or a line of it is none of a template.
    pub fn writer(&self, named: Option<&Path>, lang: Lang) -> Result<Option<Writer>> {
        if let Some(path) = named {
            return Writer::read(self, path).map(Some);
        }
        let folder = match &self.git {
            Some(git) => git.root.as_deref(),
            None => Some(self.options.dir.as_path()),
        };
        let Some(folder) = folder else {
            return Ok(None);
        };
        let names: &[&str] = match lang {
            Lang::Zh => &[TEMPLATE_ZH, TEMPLATE],
            Lang::En => &[TEMPLATE],
        };
        let found = names.iter().map(|n| folder.join(n)).find(|p| p.is_file());
        found.map(|path| Writer::read(self, &path)).transpose()
    }

    /// Whether benchmark logs were imported.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn has_logs(&self) -> Result<bool> {
        let state = self.state()?;
        Ok((state.active()).any(|r| matches!(r.body, Body::Readings(_))))
    }

    /// What a version changed in the kernel, as both were measured; nothing where one is not here.
    fn kernel_change(&self, state: &State, parent: &str, name: &str) -> Option<Vec<FileDiff>> {
        let [a, b] = [parent, name].map(|n| self.measured_files(state, n).ok());
        Some(assay_source::diff(&a?, &b?, &How::default().options()))
    }

    /// What became of the generated source; nothing where it was not captured on both sides.
    fn source_change(&self, state: &State, parent: &str, name: &str) -> Option<SourceChange> {
        let view = self.diff_in(state, parent.into(), name.into(), How::generated());
        let view = view.ok()?;
        let stands = |n: &str| state.source(state.variant(n)?.source);
        Some(SourceChange {
            normalised_equal: fold::equal_sources(stands(parent), stands(name)) == Some(true),
            diff: assay_source::to_unified(&view.files),
            files: first_lines(&view.files, MAX_DIFF_LINES),
            statements: view.statements,
        })
    }

    /// Everything that a report shows.
    pub(crate) fn report_model(&self) -> Result<ReportModel> {
        let state = self.state()?;
        let mut model = self.figures_of(&state)?;
        self.changes(&state, &mut model);
        self.picture(&state, &mut model);
        Ok(model)
    }

    /// What the CSV form shows: figures, without diffs, samples, diagnosis and audit.
    pub(crate) fn report_figures(&self) -> Result<ReportModel> {
        self.figures_of(&self.state()?)
    }

    fn figures_of(&self, state: &State) -> Result<ReportModel> {
        let list = self.list()?;
        let workloads = list.workloads.clone();
        let chain: Vec<fold::ChainRow> = fold::chain_of(&list.variants);
        let mut model = ReportModel::new(list);
        let row = |name: &str| model.list.variants.iter().find(|v| v.name == name).cloned();
        let mut rows = Vec::new();
        let mut shows = Vec::new();
        for link in &chain {
            shows.push(self.show_in(state, &link.variant)?);
            let Some(row) = row(&link.variant) else {
                continue;
            };
            rows.push(ChainRow {
                median_ns: row.geomean_ns(&workloads),
                ..ChainRow::from_row(&row, MEDIAN_OF)
            });
        }
        model.counters = (shows.iter())
            .map(|s| &s.variant.name)
            .map(|name| (name.clone(), counters::sets(state, name)))
            .filter(|(_, sets)| !sets.is_empty())
            .collect();
        model.other_builds = check::other_builds(state, &model);
        model.other_evaluators = check::evaluators(state, &model);
        model.chain = rows;
        model.median_of = MEDIAN_OF.into();
        model.shows = shows;
        model.runs = Some(
            state
                .active()
                .filter(|r| matches!(r.body, Body::Run(_)))
                .count() as u64,
        );
        model.logs = self.log_tables(state);
        model.notes = self.notes(state);
        model.tables = published::tables(self, state);
        model.environment = places::environment(state);
        model.devices = places::devices(state);
        model.protocol = protocol(state, self.config.as_ref());
        model.better = directions();
        model.generated_at = made_at()?;
        if model.list.variants.is_empty() && self.config.is_none() {
            title_of_logs(&mut model);
        }
        model.tool_version = format!("assay {}", env!("CARGO_PKG_VERSION"));
        if let Some(config) = &self.config {
            model.title.clone_from(&config.title);
            model.task = task(
                state,
                config,
                self.evaluator.as_ref().map(|e| e.commit.clone()),
            );
        }
        self.repeat(state, &mut model);
        self.roofs(state, &mut model);
        model.miscited = Some(cited::miscited(state, &model));
        Ok(model)
    }

    /// Fills in what each version changed: in the kernel, and in the generated source.
    fn changes(&self, state: &State, model: &mut ReportModel) {
        let rows = model.chain.iter();
        let steps = rows.filter_map(|r| Some((r.name.clone(), r.parent.clone()?)));
        let steps: Vec<(String, String)> = steps.collect();
        for (name, parent) in steps {
            if let Some(files) = self.kernel_change(state, &parent, &name) {
                let diff = assay_source::to_unified(&files);
                model.kernel_diffs.insert(name.clone(), diff);
                let files = first_lines(&files, MAX_DIFF_LINES);
                model.kernel_files.insert(name.clone(), files);
            }
            if let Some(change) = self.source_change(state, &parent, &name) {
                model.sources.insert(name, change);
            }
        }
    }
}

/// When a report is made, RFC 3339: now, or what `SOURCE_DATE_EPOCH` says, by which the same ledger
/// gives the same file (reproducible-builds.org).
///
/// # Errors
/// When the variable holds anything but seconds.
pub(crate) fn made_at() -> Result<String> {
    let at = match std::env::var_os("SOURCE_DATE_EPOCH") {
        None => Timestamp::now(),
        Some(told) => {
            let seconds = told.to_str().and_then(|s| s.trim().parse().ok());
            let at = seconds.and_then(|s| Timestamp::from_second(s).ok());
            at.ok_or_else(|| {
                let told = inert(&told.to_string_lossy()).into_owned();
                Error::input(format!("SOURCE_DATE_EPOCH: `{told}` is no time"))
                    .hint("seconds since 1970-01-01T00:00:00Z, e.g. 1795996800; or unset it")
            })?
        }
    };
    Ok(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

impl Writer {
    /// Where the template is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, e: &TemplateError) -> Error {
        Error::input(format!("{}: {e}", self.path.display()))
    }
}

/// Where there is no campaign, the report is called after its logs.
fn title_of_logs(model: &mut ReportModel) {
    let mut names: Vec<&str> = model.logs.iter().map(|l| l.name.as_str()).collect();
    names.dedup();
    match names.as_slice() {
        [] => {}
        [one] => model.title = (*one).to_owned(),
        [one, rest @ ..] => model.title = format!("{one} (+{})", rest.len()),
    }
}

fn protocol(state: &State, config: Option<&Campaign>) -> Protocol {
    let newest = |pick: fn(&Body) -> bool| state.active().rfind(|r| pick(&r.body)).map(|r| &r.body);
    let mut out = Protocol {
        looks: assay_stats::Settings::default().looks,
        ..Protocol::default()
    };
    if let Some(Body::Verdict(v)) = newest(|b| matches!(b, Body::Verdict(_))) {
        out.delta = Some(v.delta);
        out.guard = Some(v.guard);
        out.procedure = Some(v.procedure.clone());
        out.policy = Some(v.policy.clone());
        out.regime.clone_from(&v.regime);
        out.control = v.control.as_ref().map(|c| match c.reading {
            Some(r) => format!("{}: {:.4} x itself", c.name, r.ratio),
            None => format!("{}: not read", c.name),
        });
    }
    if let Some(Body::Measurement(m)) = newest(|b| matches!(b, Body::Measurement(_))) {
        out.mode = Some(m.mode.clone());
        out.cache = Some(m.cache.clone());
        out.timer = Some(m.timer.clone());
    }
    let device = state.shown_run().map(|r| r.subject.key.device);
    let mut calibrations = state.calibrations().rev();
    let here = calibrations.find(|(_, c)| Some(c.subject.key.device) == device);
    out.canaries = (state.evaluator()).map_or_else(Vec::new, |e| fold::canary_views(state, e.tree));
    out.noise_floor = here.map(|(_, c)| c.noise.floor);
    // That is not looked at with each calibration; the newest look in this mode counts.
    let mut looked = state.calibrations().rev().map(|(_, c)| c);
    let looked = looked.find(|c| {
        let here = Some(c.subject.key.device) == device && Some(&c.mode) == out.mode.as_ref();
        here && c.isolation.is_some()
    });
    let isolation = looked.and_then(|c| c.isolation.as_ref());
    out.isolation = isolation.map(IsolationView::from);
    let bench = config.and_then(|c| {
        c.targets
            .values()
            .next()?
            .stages
            .get(&Stage::Bench)?
            .bench()
    });
    if let Some(bench) = bench {
        out.blocks = Some(bench.blocks);
        out.min_leg = Some(DurationNs(bench.min_leg_ns).to_string());
    }
    out
}

fn task(state: &State, config: &Campaign, evaluator: Option<String>) -> Task {
    let resolved = config.resolve_all().unwrap_or_default();
    Task {
        kernel_paths: config.kernel.paths.clone(),
        protected: config.kernel.protected.clone(),
        evaluator,
        workloads: resolved
            .iter()
            .map(|w| TaskWorkload {
                name: w.name.clone(),
                dims: w.dims.iter().map(|(k, v)| (k.clone(), *v as u64)).collect(),
                dtype: w.dtype.clone(),
                weight: Some(w.weight),
                flops: Some(w.flops),
                bytes: Some(w.bytes),
            })
            .collect(),
        gates: config
            .gates
            .iter()
            .map(|g| TaskGate {
                name: g.name.clone(),
                rule: g.rule.source().to_owned(),
            })
            .collect(),
        baselines: config
            .baselines
            .iter()
            .map(|b| baseline(state, &b.name))
            .collect(),
    }
}

/// A baseline with its medians in the newest measurement that it took part in, else with those published
/// for it.
fn baseline(state: &State, name: &str) -> Baseline {
    let mut newest = state.against(name).filter_map(|r| match &r.body {
        Body::Measurement(m) if m.a.name == name => Some((r.id, m)),
        _ => None,
    });
    let mut out = Baseline {
        name: name.to_owned(),
        ..Baseline::default()
    };
    let Some((id, m)) = newest.next_back() else {
        out.median_ns = fold::row(state, name).map_or_else(BTreeMap::new, |r| r.median_ns);
        for set in counters::sets(state, name) {
            if let Some(time) = set.figures.get(CLAIMED_TIME) {
                out.records.insert(set.workload, time.record.clone());
            }
        }
        return out;
    };
    for s in m.summary.iter().filter(|s| s.subject == name) {
        out.median_ns.insert(s.workload.clone(), s.median_ns);
        out.records.insert(s.workload.clone(), id.to_string());
    }
    out
}

/// Which way each canonical counter should move, from the catalog.
fn directions() -> BTreeMap<String, Better> {
    let catalog = assay_profile::Catalog::builtin();
    catalog
        .entries()
        .iter()
        .filter_map(|c| match c.direction {
            assay_profile::Direction::Lower => Some((c.canonical.clone(), Better::Lower)),
            assay_profile::Direction::Higher => Some((c.canonical.clone(), Better::Higher)),
            assay_profile::Direction::Neither => None,
        })
        .collect()
}
