//! The engine as the terminal interface sees it.
//!
//! Every call opens the workbench anew: git handles belong to one thread, and a ledger that changed
//! under us is seen at once. Opening costs a few milliseconds.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use assay_core::record::DecisionKind;
use assay_core::view::{
    AuditView, CompareView, HeatView, ListView, LogView, ShowView, VariantProfile,
};
use assay_engine::data::{self, Data};
use assay_engine::diff::{How, Lines, OpenDiff};
use assay_engine::progress::Progress;
use assay_engine::report::Lang as ReportLang;
use assay_engine::run::Request;
use assay_engine::trust::Never;
use assay_engine::variants::NewVariant;
use assay_engine::{Cancel, Options, Workbench, decide};
use assay_tui::event::{DiffKey, ProfileKey};
use assay_tui::state::ExportOrder;
use assay_tui::{Backend, EditPlace, JobHandle, JobSink, JobUpdate, ReportChecks, ReportText};

use crate::args::Lang;

mod edit;
mod export;

/// The engine behind the terminal interface.
pub struct EngineBackend {
    options: Options,
    lang: Lang,
    jobs: Arc<Mutex<u64>>,
    /// Held by the job that runs: one at a time on this machine's device.
    turn: Arc<Mutex<()>>,
}

impl EngineBackend {
    /// A backend for the campaign that these options open.
    pub fn new(options: Options, lang: Lang) -> Self {
        Self {
            options,
            lang,
            jobs: Arc::default(),
            turn: Arc::default(),
        }
    }

    fn open(&self) -> Result<Workbench, String> {
        Workbench::open(self.options.clone()).map_err(|e| e.to_string())
    }

    /// Catalogs, devices and rules, those of the user and of the campaign among them.
    fn data(&self) -> Result<Data, String> {
        let folders = data::folders(Some(&self.options.dirs.data), &self.options.dir, None);
        told(folders.and_then(|f| Data::load(&f)))
    }
}

fn told<T>(result: assay_engine::Result<T>) -> Result<T, String> {
    result.map_err(|e| e.to_string())
}

impl Backend for EngineBackend {
    fn list(&self) -> Result<ListView, String> {
        told(self.open()?.list())
    }

    fn show(&self, name: &str) -> Result<ShowView, String> {
        told(self.open()?.show(name))
    }

    fn compare(&self, names: &[String]) -> Result<CompareView, String> {
        told(self.open()?.compare(names))
    }

    fn diff(&self, key: &DiffKey) -> Result<OpenDiff, String> {
        let how = How {
            generated: key.generated,
            lines: if key.normalised {
                Lines::Normalised
            } else {
                Lines::Raw
            },
            ..How::default()
        };
        told(self.open()?.open_diff(&key.a, &key.b, how))
    }

    fn heat(&self) -> Result<HeatView, String> {
        told(self.open()?.heat())
    }

    fn profile(&self, key: &ProfileKey) -> Result<VariantProfile, String> {
        let data = self.data()?;
        told(
            self.open()?
                .variant_profile(&key.variant, key.workload.as_deref(), &data),
        )
    }

    fn findings(&self, variant: &str) -> Result<AuditView, String> {
        let data = self.data()?;
        told(self.open()?.findings(variant, &data))
    }

    fn log_view(&self) -> Result<LogView, String> {
        told(self.open()?.log(None, None))
    }

    fn decide(
        &self,
        name: &str,
        kind: DecisionKind,
        reason: &str,
        overrides: &[(String, String)],
    ) -> Result<String, String> {
        let request = decide::Request {
            name: name.to_owned(),
            kind,
            reason: reason.to_owned(),
            overrides: overrides.to_vec(),
            decided_by: "person",
        };
        let done = told(self.open()?.decide(&request))?;
        let champion = done
            .champion
            .map_or(String::new(), |c| format!("; the champion is {c}"));
        Ok(format!("{}: {}{champion}", done.name, done.kind.name()))
    }

    fn run(&self, names: &[String], events: JobSink) -> Result<JobHandle, String> {
        let id = {
            let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
            *jobs += 1;
            format!("job-{jobs}")
        };
        // Approval needs a person at a prompt, which this screen is not: refuse at once.
        let bench = self.open()?;
        if !told(bench.evaluator_is_trusted())? {
            return Err(format!(
                "campaign `{}` is not approved on this machine; leave with q, look at it with `assay trust`, and approve",
                bench.campaign
            ));
        }
        drop(bench);
        let cancel = Cancel::new();
        let (options, turn, names, asked) = (
            self.options.clone(),
            Arc::clone(&self.turn),
            names.to_vec(),
            cancel.clone(),
        );
        let sink = Sink::new(events, id.clone(), format!("run {}", names.join(", ")));
        std::thread::Builder::new()
            .name(id.clone())
            .spawn(move || {
                sink.phase("queued");
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                let result = Workbench::open(options)
                    .and_then(|bench| bench.run(&asked_for(names), &Never, &sink, &asked))
                    .map_err(|e| e.to_string())
                    .and_then(|done| {
                        let told: Vec<Result<String, String>> = done.iter().map(outcome).collect();
                        let all_well = told.iter().all(Result::is_ok);
                        let texts: Vec<String> =
                            told.into_iter().map(|t| t.unwrap_or_else(|e| e)).collect();
                        let text = texts.join("; ");
                        if all_well { Ok(text) } else { Err(text) }
                    });
                sink.finish(result);
            })
            .map_err(|e| format!("no thread for the run: {e}"))?;
        Ok(JobHandle::new(id, move || cancel.cancel()))
    }

    fn create(&self, name: &str, parent: Option<&str>, why: &str) -> Result<String, String> {
        let new = NewVariant {
            name: name.to_owned(),
            from: parent.map(str::to_owned),
            why: why.to_owned(),
            ..NewVariant::default()
        };
        let made = told(self.open()?.new_variant(&new))?;
        Ok(format!(
            "made {} on branch {}; `assay edit {}` opens its work tree",
            made.name, made.branch, made.name
        ))
    }

    fn report(&self) -> Result<String, String> {
        let bench = self.open()?;
        let (lang, name) = match self.lang {
            Lang::En => (ReportLang::En, "report.en.md"),
            Lang::Zh => (ReportLang::Zh, "report.zh.md"),
        };
        let text = told(bench.report_markdown(lang))?;
        let folder = report_folder(&self.options, &bench.campaign);
        let path = told(bench.write_report(&folder, name, &text))?;
        Ok(path.display().to_string())
    }

    fn report_text(&self, lang: assay_tui::Lang) -> Result<ReportText, String> {
        export::text(&self.open()?, &self.options, lang)
    }

    fn report_checks(&self, lang: assay_tui::Lang) -> Result<ReportChecks, String> {
        export::checks(&self.open()?, lang)
    }

    fn export(&self, order: &ExportOrder) -> Result<Vec<String>, String> {
        export::write(&self.open()?, order)
    }

    fn edit(&self, name: &str) -> Result<EditPlace, String> {
        edit::place(&self.open()?, name)
    }

    fn commit(&self, name: &str) -> Result<String, String> {
        edit::commit(&self.open()?, name)
    }

    fn save(&self, name: &str, text: &str) -> Result<String, String> {
        let bench = self.open()?;
        let folder = report_folder(&self.options, &bench.campaign);
        let path = told(bench.write_report(&folder, name, text))?;
        Ok(path.display().to_string())
    }

    fn ledger_version(&self) -> Option<String> {
        self.open().ok()?.ledger.head().ok()?
    }
}

/// What the key for a run asks for: whoever presses it on a variant with evidence wants it anew.
fn asked_for(names: Vec<String>) -> Request {
    Request {
        again: true,
        ..Request::all(names)
    }
}

/// Where reports of a campaign go: never into the checkout, which a stray file would make dirty.
fn report_folder(options: &Options, campaign: &str) -> PathBuf {
    options.dirs.state.join("reports").join(campaign)
}

fn outcome(ended: &assay_engine::run::Ended) -> Result<String, String> {
    let name = &ended.name;
    let s = (ended.result.as_ref()).map_err(|e| format!("{name}: {e}"))?;
    match (&s.failure, &s.verdict) {
        (Some(f), _) => {
            let (kind, stage) = (f.kind.name(), f.stage.name());
            Err(format!("{name}: {kind} in {stage}: {}", f.message))
        }
        (None, Some(v)) => Ok(format!("{name}: {} against {}", v.verdict.name(), v.a)),
        (None, None) => Ok(format!("{name}: done")),
    }
}

/// Progress of a run as updates of a job.
struct Sink {
    events: JobSink,
    now: Mutex<JobUpdate>,
}

impl Sink {
    fn new(events: JobSink, job: String, title: String) -> Self {
        Self {
            events,
            now: Mutex::new(JobUpdate {
                job,
                title,
                ..JobUpdate::default()
            }),
        }
    }

    fn send(&self, change: impl FnOnce(&mut JobUpdate)) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut now);
        self.events.send(now.clone());
        now.line = None;
    }

    fn phase(&self, phase: &str) {
        self.send(|u| {
            u.phase = phase.to_owned();
            u.done = 0;
            u.total = 0;
        });
    }

    fn finish(&self, result: Result<String, String>) {
        self.send(|u| u.finished = Some(result));
    }
}

impl Progress for Sink {
    fn stage(&self, name: &str) {
        self.phase(name);
    }

    fn step(&self, done: u64, total: u64, _: Option<u64>) {
        self.send(|u| {
            u.done = done;
            u.total = total;
        });
    }

    fn line(&self, text: &str) {
        self.send(|u| u.line = Some(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_by_key_does_it_again() {
        let request = asked_for(vec!["a".into()]);
        assert!(request.again && request.names == ["a"]);
    }

    #[test]
    fn a_report_stays_out_of_the_checkout() {
        let options = Options {
            dir: "checkout".into(),
            dirs: assay_engine::Dirs {
                cache: "cache".into(),
                state: "state".into(),
                data: "data".into(),
                locks: "locks".into(),
            },
            author: None,
        };
        let folder = report_folder(&options, "gemm");
        assert_eq!(folder, PathBuf::from("state/reports/gemm"));
    }
}
