//! The evaluator is the pinned one, whatever a variant does to its files.

use crate::support::{Lab, gate, write};

/// A variant whose branch also holds a harness that reports a tenth of every time.
fn cheat(lab: &Lab) {
    lab.assay(&["new", "cheat", "--why", "a test"]).ok();
    let tree = lab.edit("cheat");
    write(&tree.join("kernel/k.txt"), &Lab::kernel(&[("cost", "98")]));
    let harness = std::fs::read_to_string(tree.join("harness/harness.awk")).unwrap();
    write(
        &tree.join("harness/harness.awk"),
        &harness.replace("* 1000", "* 100"),
    );
    lab.git_in(
        &tree,
        &["commit", "-q", "-a", "-m", "a step, and a little help"],
    );
}

#[test]
fn edits_of_protected_files_are_flagged_and_not_used() {
    let lab = Lab::new();
    cheat(&lab);
    lab.assay(&["run", "cheat"]).ok();
    let row = lab.row("cheat");
    let flagged = gate(&row, "evaluator-untouched");
    assert_eq!(flagged["pass"], false);
    assert!(
        flagged["evidence"]
            .as_str()
            .unwrap()
            .contains("harness/harness.awk"),
        "{row:#}"
    );
    let median = row["median_ns"]["small"].as_f64().unwrap();
    assert!(
        (147_000.0..149_000.0).contains(&median),
        "the pinned harness was used: {median}"
    );

    let before = lab.records().len();
    let err = lab
        .assay(&["accept", "cheat", "--reason", "x"])
        .fails(1, &["evaluator-untouched: failed", "harness/harness.awk"]);
    assert!(
        err.contains("take the edits of protected files out") && !err.contains("--override"),
        "{err}"
    );
    lab.assay(&[
        "accept",
        "cheat",
        "--reason",
        "x",
        "--override",
        "evaluator-untouched=trust me",
    ])
    .fails(1, &["gate `evaluator-untouched` cannot be overridden"]);
    assert_eq!(lab.records().len(), before);
    assert!(lab.list()["champion"].is_null());
}

#[test]
fn a_child_of_an_offender_is_flagged_too() {
    let lab = Lab::new();
    cheat(&lab);
    lab.assay(&["new", "child", "--from", "cheat", "--why", "a test"])
        .ok();
    let tree = lab.edit("child");
    write(&tree.join("kernel/k.txt"), &Lab::kernel(&[("cost", "60")]));
    lab.assay(&["commit", "child"]).ok();
    lab.assay(&["run", "child"]).ok();
    assert_eq!(
        gate(&lab.row("child"), "evaluator-untouched")["pass"],
        false
    );
}

#[test]
fn a_run_that_ends_before_its_check_does_not_hide_the_edits() {
    let lab = Lab::new();
    cheat(&lab);
    let tree = lab.edit("cheat");
    write(
        &tree.join("kernel/k.txt"),
        &Lab::kernel(&[("bad", "compile")]),
    );
    lab.git_in(&tree, &["commit", "-q", "-a", "-m", "breaks"]);
    lab.assay(&["run", "cheat"]).fails(1, &[]);
    lab.assay(&[
        "accept",
        "cheat",
        "--reason",
        "x",
        "--override",
        "evidence=trust me",
    ])
    .fails(1, &["evaluator-untouched: failed"]);
}

#[test]
fn a_new_evaluator_opens_a_new_version_and_older_evidence_is_not_comparable() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.variant("next", &[("cost", "80")]);
    lab.assay(&["run", "next"]).ok();
    lab.sh("echo '# stricter' >> harness/harness.awk; git commit -qam stricter");
    lab.write("harness/harness.awk", "half an edit");
    lab.assay(&["init", "--why", "stricter"]).fails(
        3,
        &[
            "harness/harness.awk differs from what is committed",
            "commit the evaluator first",
        ],
    );
    lab.git(&["checkout", "-q", "--", "."]);
    lab.assay(&["init", "--why", "stricter oracle"]).ok();

    let err = lab
        .assay(&["accept", "next", "--reason", "x"])
        .fails(1, &["evidence: failed: measured with an earlier evaluator"]);
    assert!(!err.contains("evaluator-untouched"), "{err}");
    let shown = lab.assay(&["show", "next"]).ok();
    assert!(shown.contains("not the one pinned now"), "{shown}");
    let compared = lab.assay(&["compare", "base", "next"]);
    assert!(
        compared
            .out
            .contains("not the one pinned now: not comparable with newer evidence"),
        "{compared:#?}"
    );
    lab.assay(&["trust", "--trust"]).ok();
    let run = lab.assay(&["run", "next"]);
    assert!(
        run.code == 0 && !run.out.contains("evidence that was there"),
        "{run:#?}"
    );
    lab.assay(&["accept", "next", "--reason", "still faster"])
        .ok();
    lab.verify();
}
