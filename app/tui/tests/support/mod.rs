//! A backend over fixed data, and helpers that several tests share.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

pub mod data;
pub mod diffs;
pub mod dump;
pub mod heat;
pub mod jobs;
pub mod play;
pub mod profiles;
pub mod published;
pub mod report;
pub mod said;
pub mod slow;
pub mod terminal;

use std::process::ExitCode;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_core::record::DecisionKind;
use assay_core::view::*;
use assay_source::diff::OpenDiff;
use assay_tui::event::{DiffKey, ProfileKey};
use assay_tui::runtime::run_drawn;
use assay_tui::state::{ExportOrder, Form, Screen, State};
use assay_tui::view;
use assay_tui::{Backend, ColorLevel, EditPlace, JobLog, Lang, Options, ReportChecks, ReportText};
use ratatui::Frame;

/// The backend. Decisions change its list.
pub struct Fake {
    pub list: Mutex<ListView>,
    version: Mutex<u64>,
    /// Counters that a profile has at least.
    pub counters: usize,
    /// Jobs, which a test may change as another process would.
    pub jobs: jobs::FakeJobs,
    /// Names for which `show` panics, as a bug in the engine would.
    pub panics_on: Option<String>,
    /// Gates that `show` has and the list does not, as after a change of the champion.
    pub standing: Mutex<Vec<GateView>>,
    /// What is said of whose name would stand under a decision.
    pub nameless: Option<String>,
    /// The campaign is not there any more.
    pub gone: std::sync::atomic::AtomicBool,
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
            counters: 0,
            jobs: jobs::FakeJobs::default(),
            panics_on: None,
            standing: Mutex::default(),
            nameless: None,
            refusal: None,
            gone: false.into(),
        }
    }

    /// Takes all variants away, as the loss of the ledger would.
    pub fn empty(&self) {
        let mut list = self.list.lock().unwrap();
        list.variants.clear();
        list.champion = None;
        drop(list);
        self.touch();
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
        match self.gone.load(SeqCst) {
            true => Err("lab: no such folder".into()),
            false => Ok(self.list.lock().unwrap().clone()),
        }
    }

    fn show(&self, name: &str) -> Result<ShowView, String> {
        assert!(self.panics_on.as_deref() != Some(name), "show fell over");
        Ok(data::show(self.row(name)?))
    }

    fn standing(&self, name: &str) -> Result<Standing, String> {
        let mut gates = self.row(name)?.gates;
        for g in self.standing.lock().unwrap().iter() {
            gates.retain(|known| known.name != g.name);
            gates.push(g.clone());
        }
        let place = vec![format!("decision-{}", self.version.lock().unwrap())];
        let nameless = self.nameless.clone();
        Ok(Standing {
            gates,
            place,
            nameless,
        })
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
        let profile = profiles::of(&row, key.workload.as_deref());
        Ok(profiles::with_counters(profile, self.counters))
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

    fn evidence(&self, names: &[String]) -> Result<Vec<LogRow>, String> {
        let all = self.log_view()?.records.into_iter();
        let of = |r: &LogRow| {
            names
                .iter()
                .any(|n| *n == r.id || Some(n) == r.variant.as_ref())
        };
        Ok(all.filter(of).collect())
    }

    fn record(&self, id: &str) -> Result<RecordView, String> {
        let row = self.log_view()?.records.into_iter().find(|r| r.id == id);
        row.map(data::record)
            .ok_or_else(|| format!("there is no record {id} in the ledger"))
    }

    fn decide(
        &self,
        name: &str,
        kind: DecisionKind,
        reason: &str,
        overrides: &[(String, String)],
        seen: Option<&[String]>,
    ) -> Result<Option<String>, String> {
        let row = self.row(name)?;
        if seen.is_some_and(|seen| seen != self.standing(name).unwrap_or_default().place) {
            return Err(format!(
                "`{name}` was not accepted: another decision came first"
            ));
        }
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
        let champion = list.champion.clone();
        drop(list);
        self.touch();
        Ok(champion)
    }

    fn run(&self, names: &[String]) -> Result<String, String> {
        Ok(self.jobs.run(names))
    }

    fn run_again(&self, id: &str) -> Result<String, String> {
        let names = self.jobs.list().into_iter().find(|j| j.id == id);
        names
            .map(|j| self.jobs.run(&j.names))
            .ok_or_else(|| format!("no job {id}"))
    }

    fn jobs(&self) -> Result<Vec<JobView>, String> {
        Ok(self.jobs.list())
    }

    fn job_log(&self, id: &str, from: u64) -> Result<JobLog, String> {
        self.jobs.log(id, from)
    }

    fn cancel(&self, id: &str) -> Result<(), String> {
        self.jobs.change(id, |j| {
            (j.view.state, j.view.result) = (JobState::Cancelled, Some("cancelled".into()));
        })
    }

    fn read_only(&self) -> bool {
        let list = self.list.lock().unwrap();
        list.variants.iter().any(|v| !v.published.is_empty())
    }

    fn create(&self, name: &str, parent: Option<&str>, why: &str) -> Result<(), String> {
        let mut row = data::row(name, parent, "new");
        row.why = why.into();
        self.list.lock().unwrap().variants.push(row);
        self.touch();
        Ok(())
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
        let version = self.version.lock().unwrap().to_string();
        (!self.gone.load(SeqCst)).then_some(version)
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
    let number = |name: &str| -> Option<usize> {
        let at = args.iter().position(|a| a == name)?;
        args.get(at + 1)?.parse().ok()
    };
    let mut fake = many.map_or_else(Fake::new, |n| Fake::with(data::many(n)));
    fake.counters = number("--counters").unwrap_or(0);
    let fake = Arc::new(fake);
    // Nothing is answered until the file of this name is there.
    let until = (args.iter().position(|a| a == "--until")).and_then(|i| args.get(i + 1).cloned());
    let backend: Arc<dyn Backend> = match until {
        None => fake,
        Some(path) => Arc::new(slow::Slow::new(fake, move |_| {
            while !std::path::Path::new(&path).exists() {
                std::thread::sleep(Duration::from_millis(10));
            }
        })),
    };
    // Drawing that screen is a fault of the program, as one in the real thing would be.
    let fails = has("--fails-at-history");
    let draw = move |state: &State, frame: &mut Frame<'_>| {
        assert!(
            !(fails && state.screen == Screen::History),
            "drawing fell over"
        );
        view::draw(state, frame);
    };
    match run_drawn(backend, options, &draw) {
        Ok(_) => ExitCode::SUCCESS,
        Err(e) => {
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{e}\n").as_bytes());
            ExitCode::from(4)
        }
    }
}
