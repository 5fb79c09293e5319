//! A backend over fixed data, and helpers that several tests share.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

pub mod data;
pub mod diffs;
pub mod dump;
pub mod heat;
pub mod play;
pub mod profiles;
pub mod published;
pub mod report;

use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use assay_core::record::DecisionKind;
use assay_core::view::*;
use assay_source::diff::OpenDiff;
use assay_tui::event::{DiffKey, ProfileKey};
use assay_tui::state::{ExportOrder, Form};
use assay_tui::{
    Backend, ColorLevel, EditPlace, JobHandle, JobSink, JobUpdate, Lang, Options, ReportChecks,
    ReportText,
};

/// The backend. Decisions change its list.
pub struct Fake {
    list: Mutex<ListView>,
    version: Mutex<u64>,
    jobs: Mutex<u64>,
    /// Names for which `show` panics, as a bug in the engine would.
    pub panics_on: Option<String>,
    /// Gates that `show` has and the list does not, as after a change of the champion.
    pub standing: Mutex<Vec<GateView>>,
    /// What `decide` refuses with.
    pub refusal: Option<String>,
}

impl Fake {
    pub fn new() -> Self {
        Self::with(data::list())
    }

    pub fn with(list: ListView) -> Self {
        Self {
            list: Mutex::new(list),
            version: Mutex::new(1),
            jobs: Mutex::new(0),
            panics_on: None,
            standing: Mutex::default(),
            refusal: None,
        }
    }

    pub fn touch(&self) {
        *self.version.lock().unwrap() += 1;
    }

    fn row(&self, name: &str) -> Result<VariantRow, String> {
        let list = self.list.lock().unwrap();
        let row = list.variants.iter().find(|v| v.name == name).cloned();
        row.ok_or_else(|| format!("no variant named {name:?}; `assay list` shows them all"))
    }
}

impl Backend for Fake {
    fn list(&self) -> Result<ListView, String> {
        Ok(self.list.lock().unwrap().clone())
    }

    fn show(&self, name: &str) -> Result<ShowView, String> {
        assert!(self.panics_on.as_deref() != Some(name), "show fell over");
        let mut row = self.row(name)?;
        row.gates
            .extend(self.standing.lock().unwrap().iter().cloned());
        Ok(data::show(row))
    }

    fn compare(&self, names: &[String]) -> Result<CompareView, String> {
        let rows = names
            .iter()
            .map(|n| self.row(n))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(data::compare(rows))
    }

    fn diff(&self, key: &DiffKey) -> Result<OpenDiff, String> {
        self.row(&key.a)?;
        self.row(&key.b)?;
        Ok(data::diff(key))
    }

    fn profile(&self, key: &ProfileKey) -> Result<VariantProfile, String> {
        let row = self.row(&key.variant)?;
        Ok(profiles::of(&row, key.workload.as_deref()))
    }

    fn findings(&self, variant: &str) -> Result<AuditView, String> {
        Ok(profiles::findings(&self.row(variant)?))
    }

    fn heat(&self) -> Result<HeatView, String> {
        Ok(heat::of(&self.list.lock().unwrap()))
    }

    fn log_view(&self) -> Result<LogView, String> {
        let list = self.list.lock().unwrap();
        match list.variants.iter().any(|v| !v.published.is_empty()) {
            true => Ok(published::log()),
            false => Ok(data::log()),
        }
    }

    fn decide(
        &self,
        name: &str,
        kind: DecisionKind,
        reason: &str,
        overrides: &[(String, String)],
    ) -> Result<String, String> {
        let row = self.row(name)?;
        if let Some(text) = self.refusal.as_ref().filter(|_| overrides.is_empty()) {
            return Err(text.clone());
        }
        let failing = row
            .gates
            .iter()
            .filter(|g| g.pass == Some(false) && g.overridden.is_none());
        for g in failing {
            if kind == DecisionKind::Accept && !overrides.iter().any(|(n, _)| *n == g.name) {
                return Err(format!("gate {} fails and is not overridden", g.name));
            }
        }
        let mut list = self.list.lock().unwrap();
        if kind == DecisionKind::Accept {
            if let Some(old) = list.variants.iter_mut().find(|v| v.status == "champion") {
                old.status = "accepted".into();
            }
            list.champion = Some(name.to_owned());
        }
        let status = match kind {
            DecisionKind::Accept => "champion",
            DecisionKind::Reject => "rejected",
            DecisionKind::Park => "parked",
            DecisionKind::Rollback => "rolled_back",
        };
        for v in list.variants.iter_mut().filter(|v| v.name == name) {
            v.status = status.into();
            v.decision = Some(DecisionView {
                kind: kind.name().into(),
                reason: reason.into(),
                by: "ann".into(),
                decided_by: "person".into(),
                at: "2026-11-30T02:00:00Z".into(),
            });
        }
        drop(list);
        self.touch();
        Ok(format!("{name}: {}", kind.name()))
    }

    /// A job says one line and then waits to be cancelled, or ends when its variant is `done`.
    fn run(&self, names: &[String], events: JobSink) -> Result<JobHandle, String> {
        let mut n = self.jobs.lock().unwrap();
        *n += 1;
        let id = format!("job-{n}");
        let title = format!("run {}", names.join(" "));
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let (waits, job, ends) = (stop.clone(), id.clone(), names.iter().any(|n| n == "base"));
        std::thread::spawn(move || {
            let update = JobUpdate {
                job,
                title,
                phase: "bench".into(),
                done: 3,
                total: 12,
                ..JobUpdate::default()
            };
            events.send(JobUpdate {
                line: Some("block 3 of 12: \x1b[31m812 us\x1b[0m / 890 us".into()),
                ..update.clone()
            });
            let finished = if ends {
                Ok("measured: SAME 1.001".to_owned())
            } else {
                let mut stopped = waits.0.lock().unwrap();
                while !*stopped {
                    stopped = waits.1.wait(stopped).unwrap();
                }
                Err("cancelled".to_owned())
            };
            events.send(JobUpdate {
                finished: Some(finished),
                ..update
            });
        });
        Ok(JobHandle::new(id, move || {
            *stop.0.lock().unwrap() = true;
            stop.1.notify_all();
        }))
    }

    fn create(&self, name: &str, parent: Option<&str>, why: &str) -> Result<String, String> {
        let mut row = data::row(name, parent, "new");
        row.why = why.into();
        self.list.lock().unwrap().variants.push(row);
        self.touch();
        Ok(format!("declared {name}"))
    }

    fn report(&self) -> Result<String, String> {
        Ok("reports/gemm-cpu.md".into())
    }

    fn report_text(&self, lang: Lang) -> Result<ReportText, String> {
        Ok(report::text(lang))
    }

    fn report_checks(&self, lang: Lang) -> Result<ReportChecks, String> {
        Ok(report::checks(lang))
    }

    fn export(&self, order: &ExportOrder) -> Result<Vec<String>, String> {
        if order.folder.contains("full") {
            return Err("full: no space left on device".into());
        }
        let path = |f: &Form| format!("{}/report.{}", order.folder, f.name());
        Ok(order.forms.iter().map(path).collect())
    }

    fn edit(&self, name: &str) -> Result<EditPlace, String> {
        self.row(name)?;
        let editor = std::env::var("EDITOR").map_err(|_| "no editor is set".to_owned())?;
        Ok(EditPlace {
            editor,
            folder: std::env::temp_dir(),
            files: vec!["kernel 核.cu".into()],
        })
    }

    fn commit(&self, name: &str) -> Result<String, String> {
        Ok(format!("{name}: committed as 0123456"))
    }

    fn save(&self, name: &str, _text: &str) -> Result<String, String> {
        Ok(format!("reports/{name}"))
    }

    fn ledger_version(&self) -> Option<String> {
        Some(self.version.lock().unwrap().to_string())
    }
}

/// The interface over fixed data: the example, and what the terminal tests run.
pub fn program(args: &[String]) -> ExitCode {
    let has = |name: &str| args.iter().any(|a| a == name);
    let many = args
        .iter()
        .position(|a| a == "--many")
        .and_then(|i| args.get(i + 1)?.parse().ok());
    let options = Options {
        lang: if has("--zh") { Lang::Zh } else { Lang::En },
        color_level: match has("--no-color") {
            true => ColorLevel::None,
            false => ColorLevel::Ansi16,
        },
        ascii: has("--ascii"),
        mouse: has("--mouse"),
        ..Options::default()
    };
    let backend = many.map_or_else(Fake::new, |n| Fake::with(data::many(n)));
    match assay_tui::run(Arc::new(backend), options) {
        Ok(_) => ExitCode::SUCCESS,
        Err(e) => {
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{e}\n").as_bytes());
            ExitCode::from(4)
        }
    }
}

/// Longest a test waits for something that should come at once.
pub const DEADLINE: Duration = Duration::from_secs(20);
