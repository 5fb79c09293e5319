//! Nothing of a campaign runs before a person on this machine has approved it.

use crate::support::{Lab, write};

#[test]
fn nothing_runs_before_approval_when_nobody_can_be_asked() {
    let lab = Lab::pinned();
    lab.variant("one", &[("cost", "80")]);
    let before = lab.records();
    let err = lab.assay(&["run", "one"]).fails(
        3,
        &["campaign `lab` is not approved on this machine; nothing was run"],
    );
    for shown in [
        "sh harness/build.sh",
        "exec sh harness/harness.sh bench",
        "protected files: harness assay.toml",
        "assay trust",
    ] {
        assert!(err.contains(shown), "{shown} in {err}");
    }
    lab.assay(&["trust"]).fails(3, &["not approved"]);
    assert!(lab.ran().is_empty());
    assert_eq!(lab.records(), before);

    lab.assay(&["run", "one", "--trust"]).ok();
    assert_eq!(lab.ran()[..2], ["build one", "check one"]);
    assert!(lab.assay(&["trust"]).ok().ends_with("approved already\n"));
    lab.assay(&["run", "one", "--again"]).ok();
    assert_eq!(
        lab.assay(&["trust", "--revoke"]).ok(),
        "approval withdrawn\n"
    );
    assert_eq!(
        lab.assay(&["trust", "--revoke"]).ok(),
        "it was not approved\n"
    );
    lab.ran();
    lab.assay(&["run", "one", "--again"])
        .fails(3, &["not approved"]);
    assert!(lab.ran().is_empty());
}

#[test]
fn a_changed_evaluator_asks_again_and_only_counts_once_it_is_pinned() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80")]);
    lab.sh("echo 'echo more >> \"$HOME/ran\"' >> harness/build.sh; git commit -qam 'more'");
    lab.assay(&["run", "one"]).ok();
    assert!(
        !lab.ran().contains(&"more".to_owned()),
        "the pinned evaluator is in force"
    );
    lab.assay(&["init"]).fails(
        3,
        &[
            "the evaluator differs from the pinned one",
            "assay init --why TEXT",
        ],
    );
    lab.assay(&["init", "--why", "says more"]).ok();
    lab.assay(&["run", "one"])
        .fails(3, &["not approved", "nothing was run"]);
    assert!(lab.ran().is_empty());
    lab.assay(&["trust", "--trust"]).ok();
    lab.assay(&["run", "one"]).ok();
    assert!(lab.ran().contains(&"more".to_owned()));
}

#[test]
fn approval_stays_with_this_user_and_repository() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80")]);
    assert_eq!(lab.git(&["status", "--porcelain"]), "");
    let clone = lab.clone_to("clone");
    lab.assay_in(&clone, &["sync"]).ok();
    lab.assay_in(&clone, &["run", "one"])
        .fails(3, &["campaign `lab` is not approved on this machine"]);
    assert!(lab.ran().is_empty());
}

#[test]
fn a_variant_that_came_by_sync_is_asked_about_once() {
    let lab = Lab::new();
    let clone = lab.clone_to("clone");
    lab.assay_in(&clone, &["sync"]).ok();
    lab.assay_in(&clone, &["new", "theirs", "--why", "a test"])
        .ok();
    let tree = lab.assay_in(&clone, &["edit", "theirs"]).ok();
    write(
        &std::path::Path::new(tree.trim_end()).join("kernel/k.txt"),
        &Lab::kernel(&[("cost", "70")]),
    );
    lab.assay_in(&clone, &["commit", "theirs"]).ok();

    lab.git(&["remote", "add", "clone", clone.to_str().unwrap()]);
    let told = lab.assay(&["sync", "clone"]).ok();
    assert!(
        told.contains("assay/lab/theirs: new here; its code is not approved yet"),
        "{told}"
    );
    let err = lab.assay(&["run", "theirs"]).fails(
        3,
        &[
            "variant `theirs` came from elsewhere and is not approved; nothing was run",
            "`assay --trust run theirs` approves it unasked",
        ],
    );
    assert!(
        err.contains("kernel/k.txt (") && err.contains("assay diff PARENT theirs"),
        "{err}"
    );
    assert!(lab.ran().is_empty());
    assert_eq!(lab.row("theirs")["status"], "new");

    lab.variant("ours", &[("cost", "95")]);
    lab.assay(&["run", "theirs", "ours"])
        .fails(3, &["variant `theirs` came from elsewhere"]);
    assert_eq!(
        lab.row("ours")["status"],
        "measured",
        "one that may not run does not stop the others"
    );
    lab.ran();
    lab.assay(&["run", "ours", "--again", "--against", "theirs"])
        .fails(3, &["variant `theirs` came from elsewhere"]);
    assert!(lab.ran().is_empty(), "what is measured against runs too");

    lab.assay(&["run", "theirs", "--trust"]).ok();
    lab.assay(&["run", "theirs", "--again"]).ok();
}

#[test]
fn files_beside_the_kernel_count_too() {
    let lab = Lab::new();
    lab.sh("git checkout -q -b theirs; printf '[build]\\nflags = \"-wrapper evil\"\\n' > variant.toml; git add -A; git commit -qm flags");
    lab.sh("git checkout -q main; git branch keep theirs; git branch -D theirs -q");
    lab.assay(&[
        "new",
        "flags",
        "--from",
        "keep",
        "--why",
        "same kernel, other flags",
    ])
    .ok();
    lab.assay(&["run", "flags"])
        .fails(3, &["variant `flags` came from elsewhere"]);
    assert!(lab.ran().is_empty());
}

#[test]
fn what_git_commit_made_in_this_clone_is_not_asked_about() {
    let lab = Lab::new();
    lab.assay(&["new", "one", "--why", "a test"]).ok();
    lab.git(&["worktree", "add", "-q", "../mine", "assay/lab/one"]);
    write(
        &lab.root().join("mine/kernel/k.txt"),
        &Lab::kernel(&[("cost", "70")]),
    );
    lab.git_in(
        &lab.root().join("mine"),
        &["commit", "-q", "-a", "-m", "by hand"],
    );
    lab.assay(&["run", "one"]).ok();
    assert_eq!(lab.row("one")["verdict"], "FASTER");

    lab.git_in(
        &lab.root().join("mine"),
        &[
            "commit",
            "-q",
            "--amend",
            "--allow-empty",
            "-m",
            "by hand, again",
        ],
    );
    lab.assay(&["run", "one"]).ok();
    lab.write("kernel/k.txt", &Lab::kernel(&[("cost", "97")]));
    lab.git(&["commit", "-q", "-a", "-m", "on main"]);
    lab.assay(&["new", "two", "--why", "starts from HEAD"]).ok();
    lab.assay(&["run", "two"]).ok();
}
