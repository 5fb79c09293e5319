//! Gates stand in the way of an acceptance until they are overridden, with a reason that stays.

use crate::support::{Lab, gate};

#[test]
fn a_failing_gate_blocks_until_it_is_overridden_and_that_shows_for_ever() {
    let lab = Lab::new();
    lab.variant("fat", &[("cost", "80"), ("size", "500")]);
    lab.assay(&["run", "fat"]).ok();
    let before = lab.records().len();
    let err = lab
        .assay(&["accept", "fat", "--reason", "fast"])
        .fails(1, &["`fat` cannot be accepted:", "small-size: failed: "]);
    assert!(err.contains("--override small-size=REASON"), "{err}");
    lab.assay(&[
        "accept",
        "fat",
        "--reason",
        "fast",
        "--override",
        "small-size=",
    ])
    .fails(3, &["needs a reason of its own"]);
    lab.assay(&[
        "accept",
        "fat",
        "--reason",
        "fast",
        "--override",
        "small-size",
    ])
    .fails(3, &["GATE=REASON"]);
    lab.assay(&[
        "accept",
        "fat",
        "--reason",
        "fast",
        "--override",
        "smal-size=x",
    ])
    .fails(3, &["no gate `smal-size`", "did you mean `small-size`?"]);
    assert_eq!(lab.records().len(), before);
    assert!(lab.list()["champion"].is_null());

    lab.assay(&[
        "accept",
        "fat",
        "--reason",
        "fast",
        "--override",
        "small-size=memory is cheap here",
    ])
    .ok();
    lab.champion("slim", &[("cost", "60")]);
    let row = lab.row("fat");
    let kept = gate(&row, "small-size");
    assert_eq!(kept["pass"], false);
    assert_eq!(kept["overridden"], "memory is cheap here");
    assert!(
        lab.assay(&["show", "fat"])
            .ok()
            .contains("small-size: overridden (memory is cheap here)")
    );
    lab.verify();
}

#[test]
fn what_was_not_run_or_failed_says_so_when_it_is_accepted() {
    let lab = Lab::new();
    lab.variant("idle", &[("cost", "80")]);
    lab.assay(&["accept", "idle", "--reason", "x"]).fails(
        1,
        &[
            "`idle` cannot be accepted:",
            "evidence: no evidence: nothing was run",
            "assay run idle",
        ],
    );
    lab.variant("broken", &[("bad", "compile")]);
    lab.assay(&["run", "broken"])
        .fails(1, &["broken: compile in build: build: exit code 1"]);
    lab.assay(&["accept", "broken", "--reason", "x"]).fails(
        1,
        &["evidence: failed: compile in build: build: exit code 1"],
    );
    lab.variant("wrong", &[("error", "0.5")]);
    lab.assay(&["run", "wrong"])
        .fails(1, &["wrong: correctness in check: gate correct: "]);
    lab.assay(&["accept", "wrong", "--reason", "x"])
        .fails(1, &["correct: failed: max_abs_error = 0.5"]);
    assert_eq!(
        lab.ran().iter().filter(|l| l.starts_with("bench")).count(),
        0,
        "nothing wrong is timed"
    );
}

#[test]
fn what_is_accepted_without_any_run_is_what_stands_on_the_branch() {
    let lab = Lab::new();
    lab.variant("idle", &[("cost", "80")]);
    lab.assay(&[
        "accept",
        "idle",
        "--reason",
        "x",
        "--override",
        "evidence=measured elsewhere",
    ])
    .ok();
    lab.variant("next", &[("cost", "80"), ("load", "40")]);
    assert_eq!(lab.row("next")["parent"], "idle");
    assert!(
        lab.assay(&["diff", "next"])
            .ok()
            .contains("-load = 50\n+load = 40\n")
    );
    assert!(
        lab.assay(&["run", "next"])
            .ok()
            .contains("next: FASTER 0.923")
    );
}

#[test]
fn only_what_is_faster_than_the_champion_as_it_is_now_passes() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.variant("slow", &[("cost", "120")]);
    lab.variant("quick", &[("cost", "60")]);
    lab.variant("middle", &[("cost", "80")]);
    let run = lab.assay(&["run", "slow", "quick", "middle"]);
    assert_eq!(run.code, 0, "{run:#?}");
    lab.assay(&["accept", "slow", "--reason", "x"])
        .fails(1, &["verdict: failed: SLOWER", "workload-guard: failed"]);
    lab.assay(&["accept", "quick", "--reason", "x"]).ok();
    lab.assay(&["accept", "middle", "--reason", "x"]).fails(
        1,
        &["verdict: failed: measured against base, and the champion is quick"],
    );
    lab.assay(&["accept", "quick", "--reason", "x"])
        .fails(3, &["`quick` is the champion already"]);
    lab.change("middle", &[("cost", "50")]);
    lab.assay(&["accept", "middle", "--reason", "x"])
        .fails(1, &["the branch holds other kernel content than was run"]);
    assert_eq!(
        lab.assay(&["show", "middle", "--json"]).json()["stale"],
        true
    );
}

#[test]
fn nothing_is_timed_before_it_was_checked() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80")]);
    lab.variant("wrong", &[("error", "0.5")]);
    lab.assay(&["run", "one", "--stages", "bench"]).fails(
        3,
        &[
            "this content of `one` was not checked, and nothing is timed before that",
            "--stages check,bench",
        ],
    );
    lab.assay(&["run", "one", "--stages", "build,check"]).ok();
    assert!(
        lab.assay(&["run", "one", "--stages", "bench"])
            .ok()
            .contains("FASTER")
    );
    lab.assay(&["run", "wrong", "--stages", "check"])
        .fails(1, &["correctness in check"]);
    lab.assay(&["run", "wrong", "--stages", "bench", "--again"])
        .fails(3, &["was not checked"]);
    assert!(!lab.ran().contains(&"bench wrong".to_owned()));
    lab.assay(&["accept", "one", "--reason", "x"]).ok();
}
