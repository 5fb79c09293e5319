//! Workers: latest wins, a panic becomes an answer, own writes are not taken for another's.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use assay_core::record::DecisionKind;
use assay_core::view::JobState;
use assay_tui::event::{Effect, Event, Load, Loaded};
use assay_tui::options::Lang;
use assay_tui::runtime::executor::Executor;
use crossbeam_channel::{Receiver, unbounded};
use support::Fake;
use support::slow::Slow;
use support::terminal::DEADLINE;

fn next(inbox: &Receiver<Event>) -> Event {
    inbox.recv_timeout(DEADLINE).expect("an event comes")
}

fn shown(event: Event) -> (String, Result<(), String>) {
    match event {
        Event::Loaded(Loaded::Show(name, answer)) => (name, answer.map(|_| ())),
        other => panic!("{other:?}"),
    }
}

/// A backend that holds what begins with `held` until the test lets it go, and tells of it.
fn held(what: &'static str) -> (Slow, mpsc::Receiver<String>, mpsc::Sender<()>) {
    let (entered, seen) = mpsc::channel();
    let (go, wait) = mpsc::channel();
    let (entered, wait) = (Mutex::new(entered), Mutex::new(wait));
    let slow = Slow::new(Arc::new(Fake::new()), move |asked| {
        if asked.starts_with(what) {
            entered.lock().unwrap().send(asked.to_owned()).unwrap();
            wait.lock().unwrap().recv().unwrap();
        }
    });
    (slow, seen, go)
}

/// The next event that is an answer: there is one about jobs at the start, and a list brings another.
fn reply(inbox: &Receiver<Event>) -> Event {
    loop {
        match next(inbox) {
            Event::Jobs(_) | Event::ReadOnly(_) => {}
            other => return other,
        }
    }
}

#[test]
fn the_latest_load_of_a_kind_wins() {
    let (gate, seen, go) = held("show");
    let (events, inbox) = unbounded();
    let executor = Executor::new(Arc::new(gate), events);
    let ask = |n: &str| executor.submit(Effect::Load(Load::Show(n.into())));
    ask("base");
    assert_eq!(seen.recv_timeout(DEADLINE).unwrap(), "show base");
    ask("tile-32");
    ask("tile-64");
    ask("fma");
    assert_eq!(executor.busy(), 2, "the ones in between are dropped");
    go.send(()).unwrap();
    go.send(()).unwrap();
    assert_eq!(shown(reply(&inbox)).0, "base");
    assert_eq!(shown(reply(&inbox)).0, "fma");
    // Another kind does not wait for a slow one.
    ask("base");
    executor.submit(Effect::Load(Load::Log(Lang::En)));
    assert!(matches!(reply(&inbox), Event::Loaded(Loaded::Log(Ok(_)))));
    go.send(()).unwrap();
    assert_eq!(shown(reply(&inbox)).0, "base");
}

#[test]
fn a_panic_of_the_backend_is_an_error_of_that_answer() {
    let mut fake = Fake::new();
    fake.panics_on = Some("fma".into());
    let (events, inbox) = unbounded();
    let executor = Executor::new(Arc::new(fake), events);
    executor.submit(Effect::Load(Load::Show("fma".into())));
    let (_, answer) = shown(reply(&inbox));
    assert!(
        answer
            .unwrap_err()
            .contains("internal error: show fell over")
    );
    executor.submit(Effect::Load(Load::Show("base".into())));
    assert_eq!(shown(reply(&inbox)), ("base".into(), Ok(())));
}

#[test]
fn changes_of_others_are_noticed_and_own_ones_are_not() {
    let fake = Arc::new(Fake::new());
    let (events, inbox) = unbounded();
    let executor = Executor::new(fake.clone(), events);
    executor.submit(Effect::Load(Load::List));
    assert!(matches!(reply(&inbox), Event::Loaded(Loaded::List(Ok(_)))));
    executor.submit(Effect::Decide {
        name: "fma".into(),
        kind: DecisionKind::Park,
        reason: "later".into(),
        overrides: vec![],
        seen: None,
    });
    assert!(matches!(
        reply(&inbox),
        Event::Loaded(Loaded::Decided(_, _, Ok(_)))
    ));
    fake.touch();
    // The next event is the change of another; our own decision brought none.
    assert!(matches!(reply(&inbox), Event::LedgerChanged));
    assert!(inbox.is_empty());
    // A campaign that vanishes is noticed without a key, and one that comes back too.
    for gone in [true, false] {
        fake.gone.store(gone, std::sync::atomic::Ordering::SeqCst);
        assert!(matches!(reply(&inbox), Event::LedgerChanged), "{gone}");
    }
}

#[test]
fn jobs_are_told_of_when_they_change_and_only_then() {
    let fake = Arc::new(Fake::new());
    let (events, inbox) = unbounded();
    let executor = Executor::new(fake.clone(), events);
    let jobs = |event| match event {
        Event::Jobs(Ok(jobs)) => jobs,
        other => panic!("{other:?}"),
    };
    assert_eq!(jobs(next(&inbox)), []);
    executor.submit(Effect::Run(vec!["fma".into()]));
    // The look that a start asks for may come before its answer.
    let mut id = None;
    let mut seen = Vec::new();
    while id.is_none() || seen.is_empty() {
        match next(&inbox) {
            Event::Loaded(Loaded::RunStarted(started)) => id = Some(started.unwrap()),
            event => seen = jobs(event),
        }
    }
    let id = id.unwrap();
    assert_eq!((seen.len(), &seen[0].id), (1, &id));
    // Time goes by in every account of it, which is no news; a cancellation is.
    fake.jobs
        .change(&id, |j| j.view.elapsed_ns = Some(1))
        .unwrap();
    executor.submit(Effect::Cancel(id.clone()));
    let mut ended = None;
    while ended.is_none() {
        match next(&inbox) {
            Event::Loaded(Loaded::Cancelled(done, answer)) => {
                assert_eq!((done, answer), (id.clone(), Ok(())))
            }
            event => ended = Some(jobs(event)),
        }
    }
    assert_eq!(ended.unwrap()[0].state, JobState::Cancelled);
    executor.submit(Effect::RunAgain(id.clone()));
    executor.submit(Effect::Load(Load::JobLog(id.clone(), 0)));
    let (mut again, mut log) = (false, None);
    while !again || log.is_none() {
        match next(&inbox) {
            Event::Loaded(Loaded::RunStarted(started)) => {
                assert_ne!(started.unwrap(), id);
                again = true;
            }
            Event::Loaded(Loaded::JobLog(of, part)) => {
                assert_eq!(of, id);
                log = Some(part.unwrap());
            }
            _ => {}
        }
    }
    assert_eq!(log.unwrap().text, support::jobs::LINE);
}

#[test]
fn what_was_ordered_is_done_before_the_program_ends() {
    let (gate, seen, go) = held("report");
    let (events, inbox) = unbounded();
    let executor = Executor::new(Arc::new(gate), events);
    executor.submit(Effect::Report);
    seen.recv_timeout(DEADLINE).unwrap();
    // It waits no longer than it may.
    executor.farewell(&inbox, std::time::Duration::from_millis(10));
    let let_go = std::thread::spawn(move || go.send(()).unwrap());
    executor.farewell(&inbox, DEADLINE);
    assert_eq!(executor.busy(), 0);
    let_go.join().unwrap();
}
