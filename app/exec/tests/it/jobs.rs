//! The job queue.

use std::sync::mpsc;
use std::time::Duration;

use assay_exec::jobs::{JobEvent, JobState, Queue};
use assay_exec::progress::Progress;
use crossbeam_channel::{Receiver, unbounded};

const LONG: Duration = Duration::from_secs(30);

fn queue() -> (Queue, Receiver<JobEvent>) {
    let (tx, rx) = unbounded();
    (Queue::new(tx), rx)
}

#[test]
fn a_job_is_queued_runs_tells_progress_and_ends() {
    let (queue, events) = queue();
    let id = queue.submit("cpu", "run blocking", |job| {
        job.stage("bench");
        job.step(1, 4, Some(9));
        job.line("process 1 of 4");
        Ok(())
    });
    assert!(queue.wait_idle(LONG));
    let running = |phase: &str, done, total, left_ns| JobState::Running {
        phase: phase.into(),
        done,
        total,
        left_ns,
    };
    let got: Vec<JobEvent> = events.try_iter().collect();
    assert!(
        got.iter()
            .all(|e| e.id == id && &*e.label == "run blocking")
    );
    let states: Vec<JobState> = got.iter().map(|e| e.state.clone()).collect();
    assert_eq!(
        states,
        [
            JobState::Queued,
            running("", 0, 0, None),
            running("bench", 0, 0, None),
            running("bench", 1, 4, Some(9)),
            running("bench", 1, 4, Some(9)),
            JobState::Done
        ]
    );
    assert_eq!(got[4].message, "process 1 of 4");
}

#[test]
fn one_device_runs_one_job_at_a_time_and_devices_run_side_by_side() {
    let (queue, events) = queue();
    let (free_cpu, cpu) = mpsc::channel::<()>();
    let (started, on_gpu) = mpsc::channel::<()>();
    queue.submit("cpu", "1", move |_| cpu.recv().map_err(|e| e.to_string()));
    queue.submit("cpu", "2", |_| Ok(()));
    queue.submit("gpu", "3", move |_| {
        started.send(()).map_err(|e| e.to_string())
    });
    on_gpu.recv_timeout(LONG).unwrap();
    assert!(queue.busy() >= 2);
    assert!(!queue.wait_idle(Duration::ZERO));
    free_cpu.send(()).unwrap();
    assert!(queue.wait_idle(LONG));
    let order: Vec<(String, bool)> = events
        .try_iter()
        .filter(|e| &*e.label != "3" && e.state != JobState::Queued)
        .map(|e| (e.label.to_string(), e.state.is_final()))
        .collect();
    let want = [("1", false), ("1", true), ("2", false), ("2", true)];
    assert_eq!(order, want.map(|(l, f)| (l.to_owned(), f)));
}

#[test]
fn failures_and_panics_end_the_job_and_not_the_queue() {
    let (queue, events) = queue();
    queue.submit("cpu", "a", |_| Err("no compiler".into()));
    queue.submit("cpu", "b", |_| panic!("index out of range"));
    queue.submit("cpu", "c", |_| Ok(()));
    assert!(queue.wait_idle(LONG));
    let ends: Vec<(JobState, String)> = events
        .try_iter()
        .filter(|e| e.state.is_final())
        .map(|e| (e.state, e.message))
        .collect();
    assert_eq!(ends[0], (JobState::Failed, "no compiler".into()));
    assert_eq!(ends[1].1, "a fault in Assay itself: index out of range");
    assert_eq!(ends[2].0, JobState::Done);
}

#[test]
fn cancelling_reaches_a_running_job_and_ends_a_waiting_one_at_once() {
    let (queue, events) = queue();
    let (started, running) = mpsc::channel::<()>();
    let first = queue.submit("cpu", "first", move |job| {
        started.send(()).map_err(|e| e.to_string())?;
        job.cancel.wait(LONG);
        Err("stopped".into())
    });
    let second = queue.submit("cpu", "second", |_| panic!("must not run"));
    running.recv_timeout(LONG).unwrap();
    assert!(queue.cancel(second));
    let ended: Vec<_> = events
        .try_iter()
        .filter(|e| e.state.is_final())
        .map(|e| e.id)
        .collect();
    assert_eq!(ended, [second]);
    assert!(queue.cancel(first));
    assert!(queue.wait_idle(LONG));
    let last = events.try_iter().last().unwrap();
    assert_eq!((last.id, last.state), (first, JobState::Cancelled));
    assert!(!queue.cancel(first), "it has ended");
}

#[test]
fn dropping_the_queue_cancels_and_waits() {
    let (queue, events) = queue();
    let (started, running) = mpsc::channel::<()>();
    queue.submit("cpu", "x", move |job| {
        started.send(()).map_err(|e| e.to_string())?;
        job.cancel.wait(LONG);
        Err("stopped".into())
    });
    queue.submit("cpu", "y", |_| Ok(()));
    running.recv_timeout(LONG).unwrap();
    drop(queue);
    let ends: Vec<JobState> = events
        .iter()
        .map(|e| e.state)
        .filter(JobState::is_final)
        .collect();
    assert_eq!(ends, [JobState::Cancelled, JobState::Cancelled]);
}
