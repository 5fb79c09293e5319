//! Jobs go on whatever becomes of the terminal, and everybody sees the same queue.

use std::fs::File;
use std::io::Write;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::Lab;
use crate::terminal::{DEADLINE, Session};

/// A campaign with a variant whose check waits until it is let go.
fn held() -> Lab {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80"), ("bad", "check-meet")]);
    lab.variant("two", &[("cost", "70")]);
    lab.sh("mkfifo \"$HOME/meet\"");
    lab
}

/// Returns when the check has begun; writing lets it go on.
fn begun(lab: &Lab) -> File {
    let meet = lab.home().join("meet");
    File::options().write(true).open(meet).unwrap()
}

/// The jobs, newest first.
fn jobs(lab: &Lab) -> Vec<Value> {
    let view = lab.assay(&["jobs", "--json"]).json();
    assert_eq!(view["schema"], "assay.jobs/1");
    view["jobs"].as_array().unwrap().clone()
}

/// The state of a job, by its place from the newest.
fn state(lab: &Lab, at: usize) -> String {
    jobs(lab)[at]["state"].as_str().unwrap().to_owned()
}

fn wait(lab: &Lab, at: usize, wanted: &str) {
    let until = Instant::now() + DEADLINE;
    while state(lab, at) != wanted {
        assert!(Instant::now() < until, "no {wanted} in {:#?}", jobs(lab));
        std::thread::yield_now();
    }
}

fn open(lab: &Lab) -> Session {
    lab.interface(&[], (120, 40))
}

/// A log tells how it went before the job has ended, and leaving a running one asks.
fn none_runs(s: &Session) {
    s.wait("the job to end", |s| {
        !s.parser.screen().contents().contains("Jobs (1)")
    });
}

/// A job is ordered in the interface, whose end is `end`; it goes on, and the next interface has it.
fn outlives(end: impl FnOnce(&mut Session)) {
    let lab = held();
    let mut first = open(&lab);
    first.see("one");
    first.press("gr4");
    first.see("run one");
    let mut harness = begun(&lab);
    first.see("== one: check");
    // What the program prints shows while it runs, and acts on nothing.
    first.see("| the check is \\x1b[31mheld\\x1b[0m");
    end(&mut first);
    assert_eq!(state(&lab, 0), "running");
    let mut second = open(&lab);
    second.see("jobs that go on: 1");
    second.press("4");
    second.see("== one: check");
    second.see("| the check is");
    harness.write_all(b"go on\n").unwrap();
    second.see("one: FASTER against ref");
    none_runs(&second);
    second.press("qq");
    assert_eq!(second.exit_code(), 0);
    assert_eq!(lab.row("one")["verdict"], "FASTER");
    lab.verify();
}

#[test]
fn a_job_outlives_a_terminal_that_vanishes() {
    outlives(|s| {
        s.hang_up();
        assert_ne!(s.exit_code(), 0);
    });
}

#[test]
fn a_job_outlives_an_interface_that_is_killed() {
    outlives(|s| {
        kill_process(s.pid(), Signal::KILL).unwrap();
        s.exit_code();
    });
}

#[test]
fn a_job_outlives_an_interface_that_is_left() {
    outlives(|s| {
        s.press("qq");
        s.see("Quit with running jobs?");
        s.press("\r");
        assert_eq!(s.exit_code(), 0);
    });
}

#[test]
fn leaving_may_cancel_and_any_interface_can() {
    let lab = held();
    let (mut a, mut b) = (open(&lab), open(&lab));
    a.see("one");
    b.see("one");
    a.press("gr");
    let harness = begun(&lab);
    // The other one has it without being told.
    b.see("Jobs (1)");
    b.press("4x");
    b.see("Cancel this job?");
    b.press("y");
    a.see("run one: one: cancelled");
    drop(harness);
    assert_eq!(state(&lab, 0), "cancelled");
    // Once more, from the other one, as soon as it has seen the end.
    b.see("one: cancelled");
    b.press("r");
    let harness = begun(&lab);
    a.see("Jobs (1)");
    a.press("q");
    a.see("Quit with running jobs?");
    a.press("c");
    assert_eq!(a.exit_code(), 0);
    wait(&lab, 0, "cancelled");
    drop(harness);
    assert_eq!([state(&lab, 0), state(&lab, 1)], ["cancelled", "cancelled"]);
}

#[test]
fn the_command_line_orders_lists_follows_and_cancels() {
    let lab = held();
    assert!(lab.assay(&["jobs"]).ok().contains("no jobs"));
    let ordered = lab.assay(&["run", "one", "--detach"]).ok();
    assert!(ordered.contains("was started"), "{ordered}");
    let harness = begun(&lab);
    lab.assay(&["run", "two", "--detach"]).ok();
    let all = jobs(&lab);
    let (first, second) = (&all[1], &all[0]);
    assert_eq!(
        (&first["state"], &first["phase"]),
        (&"running".into(), &"check".into())
    );
    assert_eq!(
        (&second["state"], &second["names"][0]),
        (&"queued".into(), &"two".into())
    );
    let id = first["id"].as_str().unwrap();
    let short = &id[20..].to_ascii_lowercase();
    let text = lab.assay(&["jobs"]).ok();
    assert!(
        text.contains("check of one") && text.contains("queued"),
        "{text}"
    );
    let until = Instant::now() + DEADLINE;
    let log = loop {
        let log = lab.assay(&["jobs", short]).ok();
        if log.contains("| the check is") {
            break log;
        }
        assert!(Instant::now() < until, "{log}");
        std::thread::yield_now();
    };
    assert!(
        log.contains("== one: check\n| the check is \\x1b[31mheld"),
        "{log}"
    );
    let asked = lab.assay(&["jobs", short, "--cancel"]).ok();
    assert!(asked.contains("was asked to stop"), "{asked}");
    let log = lab.assay(&["jobs", short, "--follow"]);
    assert_eq!(log.code, 4, "{log:#?}");
    assert!(log.out.contains("one: cancelled"), "{log:#?}");
    drop(harness);
    // The next one has its turn.
    let followed = lab
        .assay(&["jobs", second["id"].as_str().unwrap(), "--follow"])
        .ok();
    assert!(followed.contains("two: FASTER against ref"), "{followed}");
    assert!(
        lab.assay(&["jobs", short, "--cancel"])
            .ok()
            .contains("has ended")
    );
    // What was cancelled can be ordered once more, in the same words.
    lab.change("one", &[("cost", "80")]);
    lab.assay(&["jobs", short, "--again"]).ok();
    let again = jobs(&lab)[0]["id"].as_str().unwrap().to_owned();
    let followed = lab.assay(&["jobs", &again, "--follow"]).ok();
    assert!(followed.contains("one: FASTER against ref"), "{followed}");
    lab.assay(&["jobs", "nothing"])
        .fails(3, &["no job `nothing`"]);
    lab.verify();
}

#[test]
fn a_job_that_is_killed_is_lost_and_the_next_one_has_its_turn() {
    let lab = held();
    lab.assay(&["run", "one", "--detach"]).ok();
    let harness = begun(&lab);
    lab.assay(&["run", "two", "--detach"]).ok();
    let pid = jobs(&lab)[1]["pid"].as_i64().unwrap();
    kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL).unwrap();
    wait(&lab, 1, "lost");
    drop(harness);
    wait(&lab, 0, "done");
    assert!(lab.assay(&["jobs"]).ok().contains("lost"));
    lab.verify();
}

#[test]
fn what_cannot_run_is_refused_before_it_is_a_job() {
    let lab = Lab::pinned();
    lab.assay(&["new", "one", "--why", "x"]).ok();
    lab.assay(&["run", "one", "--detach"])
        .fails(3, &["is not approved on this machine"]);
    lab.assay(&["run", "two", "--detach"]).fails(3, &["two"]);
    assert_eq!(jobs(&lab), [Value::Null; 0]);
    let mut s = open(&lab);
    s.see("one");
    s.press("gr");
    s.see("assay trust");
    // A variant that fails says why where it is looked for.
    lab.assay(&["trust", "--trust"]).ok();
    lab.change("one", &[("bad", "compile")]);
    s.press("\x1b");
    s.wait("the message to close", |s| {
        !s.parser.screen().contents().contains("assay trust")
    });
    s.press("r4");
    s.see("this does not compile");
    none_runs(&s);
    s.press("qq");
    assert_eq!(s.exit_code(), 0);
    assert_eq!(state(&lab, 0), "failed");
    let id = jobs(&lab)[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(lab.assay(&["jobs", &id, "--follow"]).code, 1);
}
