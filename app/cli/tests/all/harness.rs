//! A harness that misbehaves makes a recorded failure of the right kind, and nothing else.

use std::fs;

use crate::support::Lab;

/// Runs a variant whose kernel file makes the stand-in misbehave; returns its row in the list.
///
/// It must end with `code`, be recorded as `kind` in `stage`, and stay out of the way of the next.
#[track_caller]
fn misbehave(
    lab: &Lab,
    bad: &str,
    code: i32,
    kind: &str,
    stage: &str,
    says: &str,
) -> serde_json::Value {
    lab.variant("bad", &[("cost", "50"), ("bad", bad)]);
    let run = lab.assay(&["run", "bad"]);
    assert_eq!(run.code, code, "{run:#?}");
    let row = lab.row("bad");
    let failure = &row["failure"];
    assert_eq!(
        (failure["kind"].as_str(), failure["stage"].as_str()),
        (Some(kind), Some(stage)),
        "{run:#?}\n{row:#}"
    );
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains(says), "no `{says}` in {message}\n{run:#?}");
    assert!(
        run.err.contains(message) || run.out.contains(message),
        "{run:#?}"
    );

    lab.assay(&["accept", "bad", "--reason", "x"]).fails(
        1,
        &["`bad` cannot be accepted", &format!("{kind} in {stage}")],
    );
    assert!(lab.list()["champion"].is_null());
    lab.variant("good", &[("cost", "80")]);
    assert!(lab.assay(&["run", "good"]).ok().contains("good: FASTER"));
    lab.verify();
    row
}

#[test]
fn a_build_that_fails() {
    let row = misbehave(&Lab::new(), "compile", 1, "compile", "build", "exit code 1");
    assert_eq!(
        row["failure"]["stderr_tail"],
        "k.txt:1: this does not compile\n"
    );
}

#[test]
fn a_build_that_makes_nothing() {
    misbehave(
        &Lab::new(),
        "no-artefact",
        1,
        "compile",
        "build",
        "did not make k.bin",
    );
}

#[test]
fn a_check_that_leaves_a_workload_out() {
    misbehave(
        &Lab::new(),
        "check-partial",
        1,
        "runtime",
        "check",
        "the check said nothing of large",
    );
}

#[test]
fn a_check_of_workloads_that_nobody_asked_about() {
    misbehave(
        &Lab::new(),
        "check-unknown",
        1,
        "runtime",
        "check",
        "the check said nothing of small, large",
    );
}

#[test]
fn a_check_that_prints_garbage() {
    misbehave(
        &Lab::new(),
        "check-garbage",
        1,
        "runtime",
        "check",
        "not JSON",
    );
}

#[test]
fn a_check_that_finds_a_wrong_result() {
    misbehave(
        &Lab::new(),
        "check-exit3",
        1,
        "correctness",
        "check",
        "exit code 3",
    );
}

#[test]
fn a_bench_that_prints_garbage() {
    misbehave(
        &Lab::new(),
        "bench-garbage",
        1,
        "runtime",
        "bench",
        "16 of 16 legs are missing: answer line 1: not JSON",
    );
}

#[test]
fn times_that_are_no_number() {
    misbehave(
        &Lab::new(),
        "bench-nan",
        1,
        "runtime",
        "bench",
        "NaN and Infinity are not JSON",
    );
}

#[test]
fn times_below_zero() {
    misbehave(
        &Lab::new(),
        "bench-negative",
        1,
        "runtime",
        "bench",
        "-5 is not a time: a time is finite and above zero",
    );
}

#[test]
fn times_of_zero() {
    misbehave(
        &Lab::new(),
        "bench-zero",
        1,
        "runtime",
        "bench",
        "0 is not a time: a time is finite and above zero",
    );
}

#[test]
fn times_that_nobody_believes() {
    misbehave(
        &Lab::new(),
        "bench-huge",
        1,
        "runtime",
        "bench",
        "1e+300 ns is not a time that is believed",
    );
}

#[test]
fn a_bench_that_is_cut_off() {
    misbehave(
        &Lab::new(),
        "bench-cut",
        1,
        "runtime",
        "bench",
        "bench: ended without the `done` answer",
    );
}

#[test]
fn a_check_that_is_cut_off() {
    misbehave(
        &Lab::new(),
        "check-cut",
        1,
        "runtime",
        "check",
        "check: ended without the `done` answer",
    );
}

#[test]
fn no_samples() {
    misbehave(
        &Lab::new(),
        "bench-silent",
        1,
        "runtime",
        "bench",
        "16 of 16 legs are missing",
    );
}

#[test]
fn samples_of_a_workload_that_nobody_asked_about() {
    misbehave(
        &Lab::new(),
        "bench-stranger",
        1,
        "runtime",
        "bench",
        "workload nobody-asked, process 1, block 0, leg 0: the plan has no such leg",
    );
}

#[test]
fn two_lines_for_one_leg() {
    misbehave(
        &Lab::new(),
        "bench-twice",
        1,
        "runtime",
        "bench",
        "block 0, leg 0 is claimed before on line 1",
    );
}

#[test]
fn answers_with_a_wrong_nonce() {
    misbehave(
        &Lab::new(),
        "bench-nonce",
        1,
        "exploit_suspected",
        "bench",
        "came without the run's nonce",
    );
}

#[test]
fn exit_codes_say_what_kind_of_failure_it_is() {
    let lab = Lab::new();
    for (bad, kind) in [
        ("exit2", "launch"),
        ("exit3", "correctness"),
        ("exit139", "runtime"),
    ] {
        lab.variant(bad, &[("bad", &format!("bench-{bad}"))]);
        lab.assay(&["run", bad]).fails(
            1,
            &[&format!(
                "{bad}: {kind} in bench: bench: exit code {}",
                &bad[4..]
            )],
        );
        assert_eq!(lab.row(bad)["failure"]["kind"], kind);
    }
    assert!(
        lab.row("exit2")["failure"]["stderr_tail"]
            .as_str()
            .unwrap()
            .ends_with("no such kernel\n")
    );
    lab.verify();
}

#[test]
fn an_accusation_of_the_opponent_ends_the_run_and_rejects_nobody() {
    let lab = Lab::new();
    for (accused, says) in [
        (
            "wrong",
            "a timed launch gave a wrong result on small: it is off",
        ),
        ("remembers", "on small: it remembers"),
    ] {
        let (old, new) = (format!("old-{accused}"), format!("new-{accused}"));
        lab.variant(&old, &[("cost", "90"), ("accused", accused)]);
        lab.variant(&new, &[("cost", "80")]);
        lab.assay(&["run", &old]).ok();
        let what = format!("the opponent {old} could not be measured: {says}");
        lab.assay(&["run", &new, "--against", &old])
            .fails(1, &["noisy in bench", &what, "--against NAME"]);
        assert_eq!(lab.row(&new)["failure"]["kind"], "noisy");
        assert!(lab.row(&new)["decision"].is_null());
        // The accused has a note of it, and its own verdict stands.
        let told = lab.assay(&["show", &old, "--json"]).json()["notes"].to_string();
        assert!(told.contains("suspected") && told.contains(says), "{told}");
        assert_eq!(lab.row(&old)["verdict"], "FASTER");
        // Against another one there is a verdict.
        assert!(lab.assay(&["run", &new]).ok().contains("FASTER"));
    }
    lab.verify();
}

#[test]
fn a_crash_of_a_shared_process_is_of_whom_it_ends_alone_too() {
    let lab = Lab::new();
    lab.variant("old", &[("cost", "90"), ("crash", "always")]);
    lab.variant("new", &[("cost", "80")]);
    // Its own crash is its failure.
    lab.assay(&["run", "old"]).fails(
        1,
        &["runtime in bench: bench: exit code 139; it is of old, which fails alone, too"],
    );
    assert_eq!(lab.row("old")["failure"]["kind"], "runtime");
    // That of the opponent is not.
    lab.assay(&["run", "new", "--against", "old"]).fails(
        1,
        &[
            "noisy in bench",
            "the opponent old could not be measured: bench: exit code 139; old fails alone, too",
        ],
    );
    assert_eq!(lab.row("new")["failure"]["kind"], "noisy");
    assert!(lab.row("new")["decision"].is_null());
    let told = lab.assay(&["show", "old", "--json"]).json()["notes"].to_string();
    assert!(told.contains("old fails alone, too"), "{told}");
    // Where nobody fails alone, or both do, it is said that it is not known.
    lab.variant("beside", &[("cost", "80"), ("crash", "beside")]);
    lab.assay(&["run", "beside"]).fails(
        1,
        &[
            "noisy in bench",
            "which of them it was is not known",
            "mode `resident`",
        ],
    );
    lab.variant("both", &[("cost", "70"), ("crash", "always")]);
    lab.assay(&["run", "both", "--against", "old"]).fails(
        1,
        &[
            "noisy in bench",
            "alone each of them fails: old: exit code 139",
        ],
    );
    for name in ["beside", "both"] {
        assert_eq!(lab.row(name)["failure"]["kind"], "noisy");
    }
    assert!(lab.assay(&["run", "new"]).ok().contains("FASTER"));
    lab.verify();
}

#[test]
fn a_log_without_end_is_cut_and_the_run_goes_on() {
    let lab = Lab::new();
    lab.variant("loud", &[("cost", "80"), ("bad", "check-log")]);
    lab.assay(&["run", "loud"]).ok();
    assert_eq!(lab.row("loud")["verdict"], "FASTER");
    let mut largest = 0;
    let mut open = vec![lab.home(), lab.repo().join(".git")];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                open.push(entry.path());
            } else {
                largest = largest.max(meta.len());
            }
        }
    }
    assert!(largest < 1 << 20, "{largest} bytes of log were kept");
    lab.verify();
}

#[test]
fn a_program_that_never_returns_is_stopped_with_all_its_children() {
    let lab = Lab::committed();
    let text = fs::read_to_string(lab.repo().join("assay.toml")).unwrap();
    let (before, bench) = text.split_once("[bench]").unwrap();
    lab.write(
        "assay.toml",
        &format!(
            "{before}[bench]{}",
            bench.replace("timeout = \"20s\"", "timeout = \"1s\"")
        ),
    );
    lab.git(&["commit", "-q", "-a", "-m", "less patience"]);
    lab.assay(&["init"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    misbehave(
        &lab,
        "bench-hang",
        1,
        "timeout",
        "bench",
        "not done after 1 s",
    );
    let pid = fs::read_to_string(lab.home().join("hung")).unwrap();
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[test]
fn a_champion_that_no_longer_builds_is_said_to_be_the_trouble() {
    let lab = Lab::new();
    lab.variant("broken", &[("bad", "compile")]);
    lab.variant("one", &[("cost", "80")]);
    lab.variant("two", &[("cost", "70")]);
    let run = lab.assay(&["run", "one", "two", "--against", "broken"]);
    run.fails(
        4,
        &[
            "running one: broken does not build",
            "running two: broken does not build",
            "--against",
        ],
    );
    assert_eq!(lab.row("one")["failure"]["kind"], "infra");
    lab.assay(&["run", "one"]).ok();
    assert_eq!(lab.row("one")["verdict"], "FASTER");
    assert!(
        lab.row("one")
            .get("failure")
            .is_none_or(serde_json::Value::is_null)
    );
}
