//! The engine as the terminal interface sees it.
//!
//! Every call opens the workbench anew: git handles belong to one thread, and a ledger that changed
//! under us is seen at once. Opening costs a few milliseconds, most of it for the names of all branches; what is
//! asked every second, whether the ledger has moved, has a handle of its own.

use std::path::PathBuf;
use std::sync::OnceLock;

use assay_core::Sha256;
use assay_core::record::DecisionKind;
use assay_core::view::{
    AuditView, CompareView, HeatView, JobView, ListView, LogRow, LogView, RecordView, ShowView,
    Standing, VariantProfile,
};
use assay_engine::data::{self, Data};
use assay_engine::diff::{How, Lines, OpenDiff};
use assay_engine::jobs::Queue;
use assay_engine::report::Lang as ReportLang;
use assay_engine::run::Request;
use assay_engine::trust::Never;
use assay_engine::variants::NewVariant;
use assay_engine::watch::Watch;
use assay_engine::{Options, Workbench, decide};
use assay_tui::event::{DiffKey, ProfileKey};
use assay_tui::state::ExportOrder;
use assay_tui::{Backend, EditPlace, JobLog, ReportChecks, ReportText};

use crate::args::{Lang, of_request};

mod edit;
mod export;

/// The engine behind the terminal interface.
pub struct EngineBackend {
    options: Options,
    lang: Lang,
    /// Found once: it is asked several times a second. A plain folder has none.
    queue: OnceLock<Option<Queue>>,
    /// What is asked whether the ledger has moved.
    watch: Watch,
}

impl EngineBackend {
    /// A backend for the campaign that these options open.
    pub fn new(options: Options, lang: Lang) -> Self {
        Self {
            watch: Watch::new(options.clone()),
            options,
            lang,
            queue: OnceLock::new(),
        }
    }

    fn open(&self) -> Result<Workbench, String> {
        Workbench::open(self.options.clone()).map_err(|e| e.to_string())
    }

    /// The jobs of the campaign.
    fn queue(&self) -> Result<Option<&Queue>, String> {
        if let Some(queue) = self.queue.get() {
            return Ok(queue.as_ref());
        }
        let bench = self.open()?;
        let queue = match bench.git {
            Some(_) => Some(told(bench.queue())?),
            None => None,
        };
        Ok(self.queue.get_or_init(|| queue).as_ref())
    }

    /// Catalogs, devices and rules, those of the user and of the campaign among them.
    fn data(&self) -> Result<Data, String> {
        let folders = data::folders(Some(&self.options.dirs.data), &self.options.dir, None);
        told(folders.and_then(|f| Data::load(&f)))
    }
}

/// There are no jobs where nothing can be run.
fn none<T>() -> Result<T, String> {
    Err("there are no jobs in a plain folder".into())
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

    fn evidence(&self, names: &[String]) -> Result<Vec<LogRow>, String> {
        told(self.open()?.records_of(names)).map(|view| view.records)
    }

    fn record(&self, id: &str) -> Result<RecordView, String> {
        let found = told(self.open()?.record_of(id))?;
        found.ok_or_else(|| format!("there is no record {id} in the ledger"))
    }

    fn standing(&self, name: &str) -> Result<Standing, String> {
        told(self.open()?.standing(name))
    }

    fn decide(
        &self,
        name: &str,
        kind: DecisionKind,
        reason: &str,
        overrides: &[(String, String)],
        seen: Option<&[String]>,
    ) -> Result<Option<String>, String> {
        let request = decide::Request {
            name: name.to_owned(),
            kind,
            reason: reason.to_owned(),
            overrides: overrides.to_vec(),
            decided_by: "person",
            seen: seen.map(<[String]>::to_vec),
        };
        told(self.open()?.decide(&request)).map(|done| done.champion)
    }

    fn run(&self, names: &[String]) -> Result<String, String> {
        let bench = self.open()?;
        // Approval needs a person at a prompt, which this screen is not: refuse at once.
        if !told(bench.evaluator_is_trusted())? {
            return Err(format!(
                "campaign `{}` is not approved on this machine; leave with q, look at it with `assay trust`, and approve",
                bench.campaign
            ));
        }
        let names = told(bench.may_run(names, &Never))?;
        let args = of_request(&asked_for(names.clone()), None);
        told(told(bench.queue())?.submit(&names, args))
    }

    fn run_again(&self, id: &str) -> Result<String, String> {
        self.queue()?.map_or_else(none, |q| told(q.again(id)))
    }

    fn jobs(&self) -> Result<Vec<JobView>, String> {
        let Some(queue) = self.queue()? else {
            return Ok(Vec::new());
        };
        told(queue.list()).map(|view| view.jobs)
    }

    fn job_log(&self, id: &str, from: u64) -> Result<JobLog, String> {
        let part = self.queue()?.map_or_else(none, |q| told(q.log(id, from)))?;
        Ok(JobLog {
            from: part.from,
            end: part.end,
            text: part.text,
        })
    }

    fn cancel(&self, id: &str) -> Result<(), String> {
        self.queue()?.map_or_else(none, |q| told(q.cancel(id)))?;
        Ok(())
    }

    fn read_only(&self) -> bool {
        self.watch.is_folder()
    }

    fn create(&self, name: &str, parent: Option<&str>, why: &str) -> Result<(), String> {
        let new = NewVariant {
            name: name.to_owned(),
            from: parent.map(str::to_owned),
            why: why.to_owned(),
            ..NewVariant::default()
        };
        told(self.open()?.new_variant(&new)).map(drop)
    }

    fn report(&self) -> Result<String, String> {
        let bench = self.open()?;
        let (lang, name) = match self.lang {
            Lang::En => (ReportLang::En, "report.en.md"),
            Lang::Zh => (ReportLang::Zh, "report.zh.md"),
        };
        let text = told(bench.report_markdown(lang))?;
        let folder = report_folder(&bench);
        Ok(told(bench.write_report(&folder, name, &text))?.to_string())
    }

    fn report_text(&self, lang: assay_tui::Lang) -> Result<ReportText, String> {
        export::text(&self.open()?, lang)
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
        let folder = report_folder(&bench);
        Ok(told(bench.write_report(&folder, name, text))?.to_string())
    }

    fn ledger_version(&self) -> Option<String> {
        self.watch.version()
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
fn report_folder(bench: &Workbench) -> PathBuf {
    let place = match &bench.git {
        Some(git) => Sha256::of(format!("{}/{}", git.repo.key(), git.folder)).to_string(),
        None => {
            let dir = &bench.options.dir;
            let whole = dir.canonicalize().unwrap_or_else(|_| dir.clone());
            Sha256::of(whole.as_os_str().as_encoded_bytes()).to_string()
        }
    };
    folder_of(&bench.options, &bench.campaign, &place)
}

/// Two repositories may each have a campaign of one name.
fn folder_of(options: &Options, campaign: &str, place: &str) -> PathBuf {
    let short: String = place.chars().take(12).collect();
    let name = format!("{campaign}-{short}");
    options.dirs.state.join("reports").join(name)
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
            campaign: None,
        };
        let folder = folder_of(&options, "gemm", "0123456789abcdef");
        assert_eq!(folder, PathBuf::from("state/reports/gemm-0123456789ab"));
        let other = folder_of(&options, "gemm", "fedcba9876543210");
        assert_ne!(
            folder, other,
            "another repository with a campaign of that name"
        );
    }
}
