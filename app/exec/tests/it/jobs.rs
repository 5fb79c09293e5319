//! Jobs as folders that everybody can read.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use assay_core::view::{JobState, JobView};
use assay_core::{RecordId, Timestamp};
use assay_exec::jobs::{Jobs, Order};
use assay_exec::progress::Progress;
use assay_exec::{Cancel, ExecError};

const LONG: Duration = Duration::from_secs(30);

fn order(name: &str, at: i64) -> Order {
    Order {
        campaign: "gemm".into(),
        title: format!("run {name}"),
        names: vec![name.into()],
        args: vec!["run".into(), name.into()],
        asked_at: Timestamp::from_second(at).unwrap(),
    }
}

/// Orders a job whose process does nothing: the test takes it up itself.
fn ask(jobs: &Jobs, order: &Order) -> RecordId {
    jobs.submit(order, |_| Command::new("true")).unwrap()
}

fn one(jobs: &Jobs) -> JobView {
    let mut all = jobs.list(None).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn now() -> i64 {
    Timestamp::now().as_second()
}

#[test]
fn everybody_sees_where_a_job_stands() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = Jobs::at(dir.path().join("jobs"));
    assert_eq!(jobs.list(None).unwrap(), []);
    let id = ask(&jobs, &order("blocking", now()));
    assert_eq!(one(&jobs).state, JobState::Queued);
    let work = jobs.take_up(id).unwrap();
    assert_eq!(
        (one(&jobs).state, one(&jobs).elapsed_ns),
        (JobState::Queued, None)
    );
    work.wait_turn(&Cancel::new()).unwrap();
    work.stage("blocking: bench");
    work.step(6, 24, Some(9_000_000_000));
    work.line("waiting for the device\nin use by ann");
    // What a program prints cannot pass for a line of the workbench.
    work.said("== blocking: accepted");
    work.stage("blocking: profile");
    work.step(24, 24, None);
    // Another reader, who shares nothing with the one above.
    let other = Jobs::at(dir.path().join("jobs"));
    let seen = one(&other);
    assert_eq!(seen.state, JobState::Running);
    assert_eq!(
        (seen.subject.as_deref(), seen.phase.as_deref()),
        (Some("blocking"), Some("profile"))
    );
    assert_eq!((seen.done, seen.total), (24, 24));
    assert!(seen.elapsed_ns.is_some() && seen.pid == Some(std::process::id()));
    let log = other.log(id, 0).unwrap();
    assert!(
        log.text
            .starts_with("== blocking: bench\nwaiting for the device\nin use by ann\n| == blocking: accepted\nbench: ")
    );
    assert_eq!((log.end, seen.log_bytes), (log.text.len() as u64, log.end));
    work.finish(JobState::Failed, "blocking: compile in build: exit code 1");
    let seen = one(&other);
    assert_eq!(seen.state, JobState::Failed);
    assert!(seen.ended_at.is_some());
    assert_eq!(
        seen.result.as_deref(),
        Some("blocking: compile in build: exit code 1")
    );
    assert_eq!(jobs.list(Some("other")).unwrap(), []);
    assert!(!jobs.cancel(id).unwrap(), "there is nothing to cancel");
}

#[test]
fn a_job_whose_process_is_gone_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = Jobs::at(dir.path().to_owned());
    let id = ask(&jobs, &order("a", now()));
    let work = jobs.take_up(id).unwrap();
    work.wait_turn(&Cancel::new()).unwrap();
    let folder = one(&jobs).folder;
    fs::write(format!("{folder}/stderr"), "thread panicked\n").unwrap();
    drop(work);
    let seen = one(&jobs);
    assert_eq!((seen.state, seen.elapsed_ns), (JobState::Lost, None));
    assert_eq!(seen.result.as_deref(), Some("thread panicked"));
    assert!(!jobs.cancel(id).unwrap());
    // It cannot be taken up again: what it did is not known.
    assert!(matches!(jobs.take_up(id), Err(ExecError::JobTaken { .. })));
    // One whose process never began is lost after a while.
    let old = ask(&jobs, &order("b", now() - 3600));
    let state = |id: RecordId| {
        let all = jobs.list(None).unwrap();
        all.iter().find(|j| j.id == id.to_string()).unwrap().state
    };
    assert_eq!(state(old), JobState::Lost);
}

#[test]
fn jobs_run_in_the_order_in_which_they_were_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = Jobs::at(dir.path().to_owned());
    let ids: Vec<RecordId> = (0..3)
        .map(|i| ask(&jobs, &order("a", now() - 3 + i)))
        .collect();
    let mut work: Vec<_> = ids
        .iter()
        .map(|id| Some(jobs.take_up(*id).unwrap()))
        .collect();
    let [Some(first), Some(second), Some(third)] = [0, 1, 2].map(|i: usize| work[i].take()) else {
        unreachable!()
    };
    first.wait_turn(&Cancel::new()).unwrap();
    let never = Cancel::new();
    never.cancel();
    assert!(matches!(
        second.wait_turn(&never),
        Err(ExecError::Cancelled)
    ));
    let begun = Instant::now();
    thread::scope(|s| {
        let waiting = s.spawn(|| third.wait_turn(&Cancel::new()));
        // The one before it is lost, the one before that ends.
        drop(second);
        first.finish(JobState::Done, "fine");
        waiting.join().unwrap().unwrap();
    });
    assert!(begun.elapsed() < LONG);
    let states: Vec<JobState> = jobs.list(None).unwrap().iter().map(|j| j.state).collect();
    assert_eq!(states, [JobState::Running, JobState::Lost, JobState::Done]);
}

#[test]
fn what_cannot_be_started_or_read_is_no_job() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = Jobs::at(dir.path().to_owned());
    let missing = dir.path().join("no-such-program");
    let refused = jobs.submit(&order("a", now()), |_| Command::new(&missing));
    assert!(matches!(refused, Err(ExecError::System { .. })));
    fs::create_dir(dir.path().join("notes")).unwrap();
    let half = dir
        .path()
        .join(RecordId::fresh(Timestamp::now()).to_string());
    fs::create_dir(&half).unwrap();
    fs::write(half.join("order.json"), "{").unwrap();
    assert_eq!(jobs.list(None).unwrap(), []);
    let id = RecordId::fresh(Timestamp::now());
    assert!(matches!(jobs.cancel(id), Err(ExecError::NoJob { .. })));
    // A status that is nonsense counts as none.
    let id = ask(&jobs, &order("a", now()));
    fs::write(dir.path().join(id.to_string()).join("status.json"), "[]").unwrap();
    assert_eq!(jobs.list(None).unwrap()[0].state, JobState::Queued);
}

#[test]
fn old_jobs_are_forgotten_and_live_ones_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = Jobs::at(dir.path().to_owned());
    let first = ask(&jobs, &order("first", now() - 10_000));
    let work = jobs.take_up(first).unwrap();
    for i in 0..110 {
        ask(&jobs, &order("a", now() - 9_000 + i));
    }
    let all = jobs.list(None).unwrap();
    assert_eq!(
        all.len(),
        102,
        "a hundred, the newest, and the one that lives"
    );
    assert_eq!(all.last().unwrap().title, "run first");
    drop(work);
}
