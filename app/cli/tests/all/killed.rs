//! A run that is killed at its worst moment loses nothing that was recorded.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;

use crate::support::Lab;

#[test]
fn kill_in_the_middle_of_a_bench_loses_nothing_and_frees_the_device() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80"), ("bad", "bench-meet")]);
    let meet = lab.home().join("meet");
    lab.sh("mkfifo \"$HOME/meet\"");
    let mut running = lab.start(&["run", "one"]);
    // Opening it to write returns when the harness has opened it to read: the bench has begun.
    let mut harness = fs::File::options().write(true).open(&meet).unwrap();
    let recorded = lab.records();
    running.kill().unwrap();
    assert_eq!(running.wait().unwrap().signal(), Some(9));
    // The harness ends with the program that started it, so that nobody may be there to read.
    let _ = harness.write_all(b"go on\n");
    drop(harness);
    fs::remove_file(&meet).unwrap();

    assert_eq!(lab.records(), recorded);
    let log = lab.assay(&["log", "one", "--json"]).json();
    let kinds: Vec<&str> = log["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["check", "build", "variant"]);
    lab.verify();
    lab.assay(&["accept", "one", "--reason", "x"]).fails(
        1,
        &["evidence: failed: the run was interrupted before it ended; run it again"],
    );

    lab.change("one", &[("cost", "80")]);
    assert!(
        lab.assay(&["run", "one", "--no-wait"])
            .ok()
            .contains("one: FASTER")
    );
    lab.assay(&["accept", "one", "--reason", "x"]).ok();
    lab.verify();
}

#[test]
fn a_device_in_use_is_waited_for_or_refused() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80"), ("bad", "bench-meet")]);
    lab.variant("two", &[("cost", "70")]);
    lab.sh("mkfifo \"$HOME/meet\"");
    let mut running = lab.start(&["run", "one"]);
    let harness = fs::File::options()
        .write(true)
        .open(lab.home().join("meet"))
        .unwrap();
    lab.assay(&["run", "two", "--no-wait"])
        .fails(4, &["running two", "cpu", "lab: bench one against ref"]);
    running.kill().unwrap();
    running.wait().unwrap();
    drop(harness);
    lab.assay(&["run", "two", "--no-wait"]).ok();
    assert_eq!(lab.row("two")["verdict"], "FASTER");
}

#[test]
fn an_interrupt_is_recorded_as_cancelled() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80"), ("bad", "bench-meet")]);
    lab.sh("mkfifo \"$HOME/meet\"");
    let mut running = lab.start(&["run", "one"]);
    let harness = fs::File::options()
        .write(true)
        .open(lab.home().join("meet"))
        .unwrap();
    lab.sh(&format!("kill -INT {}", running.id()));
    assert_eq!(running.wait().unwrap().code(), Some(4));
    drop(harness);
    assert_eq!(lab.row("one")["failure"]["kind"], "cancelled");
    lab.verify();
}
