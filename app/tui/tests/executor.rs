//! Workers: latest wins, a panic becomes an answer, own writes are not taken for another's.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use assay_core::record::DecisionKind;
use assay_core::view::*;
use assay_source::diff::OpenDiff;
use assay_tui::event::{DiffKey, Effect, Event, Load, Loaded, ProfileKey};
use assay_tui::runtime::executor::Executor;
use assay_tui::{Backend, JobHandle, JobSink};
use crossbeam_channel::{Receiver, unbounded};
use support::{DEADLINE, Fake};

fn next(inbox: &Receiver<Event>) -> Event {
    inbox.recv_timeout(DEADLINE).expect("an event comes")
}

fn shown(event: Event) -> (String, Result<(), String>) {
    match event {
        Event::Loaded(Loaded::Show(name, answer)) => (name, answer.map(|_| ())),
        other => panic!("{other:?}"),
    }
}

/// Holds each `show` until the test lets it go.
struct Gate {
    fake: Fake,
    entered: Mutex<mpsc::Sender<String>>,
    go: Mutex<mpsc::Receiver<()>>,
}

impl Backend for Gate {
    fn list(&self) -> Result<ListView, String> {
        self.fake.list()
    }
    fn show(&self, name: &str) -> Result<ShowView, String> {
        self.entered.lock().unwrap().send(name.to_owned()).unwrap();
        self.go.lock().unwrap().recv().unwrap();
        self.fake.show(name)
    }
    fn compare(&self, n: &[String]) -> Result<CompareView, String> {
        self.fake.compare(n)
    }
    fn diff(&self, key: &DiffKey) -> Result<OpenDiff, String> {
        self.fake.diff(key)
    }
    fn profile(&self, key: &ProfileKey) -> Result<VariantProfile, String> {
        self.fake.profile(key)
    }
    fn findings(&self, variant: &str) -> Result<AuditView, String> {
        self.fake.findings(variant)
    }
    fn heat(&self) -> Result<HeatView, String> {
        Ok(HeatView::default())
    }
    fn log_view(&self) -> Result<LogView, String> {
        self.fake.log_view()
    }
    fn decide(
        &self,
        n: &str,
        k: DecisionKind,
        r: &str,
        o: &[(String, String)],
    ) -> Result<String, String> {
        self.fake.decide(n, k, r, o)
    }
    fn run(&self, n: &[String], s: JobSink) -> Result<JobHandle, String> {
        self.fake.run(n, s)
    }
    fn report(&self) -> Result<String, String> {
        self.fake.report()
    }
    fn ledger_version(&self) -> Option<String> {
        self.fake.ledger_version()
    }
}

#[test]
fn the_latest_load_of_a_kind_wins() {
    let (entered, seen) = mpsc::channel();
    let (go, wait) = mpsc::channel();
    let gate = Gate {
        fake: Fake::new(),
        entered: Mutex::new(entered),
        go: Mutex::new(wait),
    };
    let (events, inbox) = unbounded();
    let executor = Executor::new(Arc::new(gate), events);
    let ask = |n: &str| executor.submit(Effect::Load(Load::Show(n.into())));
    ask("base");
    assert_eq!(seen.recv_timeout(DEADLINE).unwrap(), "base");
    ask("tile-32");
    ask("tile-64");
    ask("fma");
    assert_eq!(executor.busy(), 2, "the ones in between are dropped");
    go.send(()).unwrap();
    go.send(()).unwrap();
    assert_eq!(shown(next(&inbox)).0, "base");
    assert_eq!(shown(next(&inbox)).0, "fma");
    // Another kind does not wait for a slow one.
    ask("base");
    executor.submit(Effect::Load(Load::Log));
    assert!(matches!(next(&inbox), Event::Loaded(Loaded::Log(Ok(_)))));
    go.send(()).unwrap();
    assert_eq!(shown(next(&inbox)).0, "base");
}

#[test]
fn a_panic_of_the_backend_is_an_error_of_that_answer() {
    let mut fake = Fake::new();
    fake.panics_on = Some("fma".into());
    let (events, inbox) = unbounded();
    let executor = Executor::new(Arc::new(fake), events);
    executor.submit(Effect::Load(Load::Show("fma".into())));
    let (_, answer) = shown(next(&inbox));
    assert!(
        answer
            .unwrap_err()
            .contains("internal error: show fell over")
    );
    executor.submit(Effect::Load(Load::Show("base".into())));
    assert_eq!(shown(next(&inbox)), ("base".into(), Ok(())));
}

#[test]
fn changes_of_others_are_noticed_and_own_ones_are_not() {
    let fake = Arc::new(Fake::new());
    let (events, inbox) = unbounded();
    let executor = Executor::new(fake.clone(), events);
    executor.submit(Effect::Load(Load::List));
    assert!(matches!(next(&inbox), Event::Loaded(Loaded::List(Ok(_)))));
    executor.submit(Effect::Decide {
        name: "fma".into(),
        kind: DecisionKind::Park,
        reason: "later".into(),
        overrides: vec![],
    });
    assert!(matches!(
        next(&inbox),
        Event::Loaded(Loaded::Decided(_, Ok(_)))
    ));
    fake.touch();
    // The next event is the change of another; our own decision brought none.
    assert!(matches!(next(&inbox), Event::LedgerChanged));
    assert!(inbox.is_empty());
}

#[test]
fn jobs_are_cancelled_and_forgotten() {
    let (events, inbox) = unbounded();
    let executor = Executor::new(Arc::new(Fake::new()), events);
    executor.submit(Effect::Run(vec!["fma".into()]));
    let mut id = None;
    while id.is_none() {
        if let Event::Loaded(Loaded::RunStarted(Ok(started))) = next(&inbox) {
            id = Some(started);
        }
    }
    assert_eq!(executor.jobs().lock().unwrap().len(), 1);
    executor.submit(Effect::Cancel(id.unwrap()));
    loop {
        if let Event::Job(update) = next(&inbox)
            && let Some(end) = update.finished
        {
            assert_eq!(end, Err("cancelled".into()));
            break;
        }
    }
    assert!(executor.jobs().lock().unwrap().is_empty());
    // Quitting cancels what still runs, and waits for it.
    executor.submit(Effect::Run(vec!["fma".into()]));
    while !matches!(next(&inbox), Event::Loaded(Loaded::RunStarted(Ok(_)))) {}
    executor.farewell(&inbox, DEADLINE);
    assert!(executor.jobs().lock().unwrap().is_empty());
    // A job that ends at once is not remembered for ever.
    executor.submit(Effect::Run(vec!["base".into()]));
    while executor.busy() > 0 || !executor.jobs().lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
}
