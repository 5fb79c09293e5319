//! A backend that waits before it answers, as a slow disk or a slow git makes the real one wait.

use std::sync::Arc;

use assay_core::record::DecisionKind;
use assay_core::view::*;
use assay_source::diff::OpenDiff;
use assay_tui::event::{DiffKey, ProfileKey};
use assay_tui::state::ExportOrder;
use assay_tui::{Backend, EditPlace, JobLog, Lang, ReportChecks, ReportText};

use super::Fake;

/// Answers as the fake one does, after `wait` has come back; it is told what was asked.
pub struct Slow {
    pub fake: Arc<Fake>,
    wait: Box<dyn Fn(&str) + Send + Sync>,
}

impl Slow {
    pub fn new(fake: Arc<Fake>, wait: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            fake,
            wait: Box::new(wait),
        }
    }

    fn after(&self, asked: &str) -> &Fake {
        (self.wait)(asked);
        &self.fake
    }
}

impl Backend for Slow {
    fn list(&self) -> Result<ListView, String> {
        self.after("list").list()
    }
    fn show(&self, name: &str) -> Result<ShowView, String> {
        self.after(&format!("show {name}")).show(name)
    }
    fn compare(&self, names: &[String]) -> Result<CompareView, String> {
        self.after("compare").compare(names)
    }
    fn diff(&self, key: &DiffKey) -> Result<OpenDiff, String> {
        self.after("diff").diff(key)
    }
    fn profile(&self, key: &ProfileKey) -> Result<VariantProfile, String> {
        self.after("profile").profile(key)
    }
    fn findings(&self, variant: &str) -> Result<AuditView, String> {
        self.after("findings").findings(variant)
    }
    fn heat(&self) -> Result<HeatView, String> {
        self.after("heat").heat()
    }
    fn log_view(&self) -> Result<LogView, String> {
        self.after("log").log_view()
    }
    fn evidence(&self, names: &[String]) -> Result<Vec<LogRow>, String> {
        self.after("evidence").evidence(names)
    }
    fn record(&self, id: &str) -> Result<RecordView, String> {
        self.after("record").record(id)
    }
    fn decide(
        &self,
        name: &str,
        kind: DecisionKind,
        reason: &str,
        overrides: &[(String, String)],
        seen: Option<&[String]>,
    ) -> Result<Option<String>, String> {
        let fake = self.after("decide");
        fake.decide(name, kind, reason, overrides, seen)
    }
    fn standing(&self, name: &str) -> Result<Standing, String> {
        self.after("standing").standing(name)
    }
    fn run(&self, names: &[String]) -> Result<String, String> {
        self.after("run").run(names)
    }
    fn run_again(&self, id: &str) -> Result<String, String> {
        self.after("run again").run_again(id)
    }
    fn jobs(&self) -> Result<Vec<JobView>, String> {
        self.after("jobs").jobs()
    }
    fn job_log(&self, id: &str, from: u64) -> Result<JobLog, String> {
        self.after("job log").job_log(id, from)
    }
    fn cancel(&self, id: &str) -> Result<(), String> {
        self.after("cancel").cancel(id)
    }
    fn create(&self, name: &str, parent: Option<&str>, why: &str) -> Result<(), String> {
        self.after("create").create(name, parent, why)
    }
    fn report(&self) -> Result<String, String> {
        self.after("report").report()
    }
    fn report_text(&self, lang: Lang) -> Result<ReportText, String> {
        self.after("report text").report_text(lang)
    }
    fn report_checks(&self, lang: Lang) -> Result<ReportChecks, String> {
        self.after("report checks").report_checks(lang)
    }
    fn export(&self, order: &ExportOrder) -> Result<Vec<String>, String> {
        self.after("export").export(order)
    }
    fn save(&self, name: &str, text: &str) -> Result<String, String> {
        self.after("save").save(name, text)
    }
    fn edit(&self, name: &str) -> Result<EditPlace, String> {
        self.after("edit").edit(name)
    }
    fn commit(&self, name: &str) -> Result<String, String> {
        self.after("commit").commit(name)
    }
    fn ledger_version(&self) -> Option<String> {
        self.after("version").ledger_version()
    }
}
