//! Variants: names, branches, moves, and what stands in the way.

use std::fs;

use crate::support::{Lab, write};

/// Everything that says where the branches are and what is recorded.
fn refs(lab: &Lab) -> String {
    lab.git(&["for-each-ref"])
}

/// A record is shown by its id, with the text of the logs and samples that are stored beside it.
#[test]
fn a_record_is_shown_with_what_is_stored_beside_it() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80")]);
    lab.assay(&["run", "one"]).ok();
    let of = |kind: &str| {
        lab.records_of(kind).last().unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let measured = lab.assay(&["show", &of("measurement"), "--json"]).json();
    assert_eq!(measured["schema"], "assay.record-view/1");
    assert_eq!(
        (&measured["record"]["kind"], &measured["record"]["variant"]),
        (&"measurement".into(), &"one".into())
    );
    let samples = &measured["files"][0];
    assert_eq!(samples["stored"], true);
    let text = samples["text"].as_str().unwrap();
    assert!(text.contains("\"kind\":\"samples\""), "{text}");
    assert!(
        measured["body"]["processes"].as_u64().is_some(),
        "{measured}"
    );
    let shown = lab.assay(&["show", &of("check")]).ok();
    for part in ["check 01", "--- check.log (", "results 1:"] {
        assert!(shown.contains(part), "no {part} in {shown}");
    }
    // What is no record of this ledger is looked for among the variants.
    lab.assay(&["show", "01J00000000000000000000000"])
        .fails(3, &["01J00000000000000000000000"]);
}

#[test]
fn a_rebase_moves_onto_the_champion_and_a_conflict_changes_nothing() {
    let lab = Lab::new();
    lab.variant("load", &[("load", "40")]);
    lab.variant("rival", &[("cost", "85")]);
    lab.champion("base", &[("cost", "80")]);
    let moved = lab.assay(&["rebase", "load"]).ok();
    assert!(
        moved.starts_with("moved load from base on branch assay/lab/load ("),
        "{moved}"
    );
    assert_eq!(
        lab.git(&["show", "assay/lab/load:kernel/k.txt"]),
        Lab::kernel(&[("cost", "80"), ("load", "40")])
    );
    assert_eq!(lab.row("load")["parent"], "base");
    assert!(lab.edit("load").join("kernel/k.txt").is_file());
    lab.assay(&["run", "load"]).ok();

    let before = refs(&lab);
    lab.assay(&["rebase", "rival"])
        .fails(3, &["conflicts in kernel/k.txt", "nothing was changed"]);
    assert_eq!(refs(&lab), before);
    assert_eq!(
        fs::read_to_string(lab.edit("rival").join("kernel/k.txt")).unwrap(),
        Lab::kernel(&[("cost", "85")])
    );
}

#[test]
fn a_variant_is_not_made_its_own_ancestor() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "80")]);
    lab.variant("child", &[("cost", "80"), ("load", "40")]);
    let before = (refs(&lab), lab.records());
    lab.assay(&["rebase", "base"]).fails(
        3,
        &["`base` cannot be moved onto `base`, which is the same variant"],
    );
    lab.assay(&["rebase", "base", "--onto", "child"]).fails(
        3,
        &["`base` cannot be moved onto `child`, which was made from it"],
    );
    lab.assay(&["combine", "child", "child"])
        .fails(3, &["both sides are `child`", "with two variants"]);
    assert_eq!((refs(&lab), lab.records()), before);
}

#[test]
fn two_variants_are_combined_unless_they_conflict() {
    let lab = Lab::new();
    lab.variant("a", &[("cost", "90")]);
    lab.variant("b", &[("load", "40")]);
    lab.variant("c", &[("cost", "91")]);
    lab.assay(&["combine", "a", "b"]).ok();
    assert_eq!(
        lab.git(&["show", "assay/lab/a+b:kernel/k.txt"]),
        Lab::kernel(&[("cost", "90"), ("load", "40")])
    );
    assert_eq!(
        lab.assay(&["show", "a+b", "--json"]).json()["variant"]["parents"],
        serde_json::json!(["a", "b"])
    );
    lab.assay(&["run", "a+b"]).ok();
    let before = refs(&lab);
    lab.assay(&["combine", "a", "c"])
        .fails(3, &["conflicts in kernel/k.txt"]);
    lab.assay(&["combine", "a", "b"]).fails(
        3,
        &[
            "there is a variant or baseline `a+b` already",
            "choose another name",
        ],
    );
    assert_eq!(refs(&lab), before);
    lab.assay(&["combine", "a", "b", "--name", "both", "--why", "on purpose"])
        .ok();
    assert_eq!(lab.row("both")["why"], "on purpose");
}

#[test]
fn a_step_is_taken_apart_into_one_variant_for_each_part() {
    let lab = Lab::new();
    lab.variant("big", &[("cost", "80"), ("load", "40"), ("size", "20")]);
    let made = lab.assay(&["ablate", "big"]).ok();
    assert_eq!(made.lines().count(), 3, "{made}");
    for (name, changes) in [
        ("big-without-1", [("load", "40"), ("size", "20")]),
        ("big-without-2", [("cost", "80"), ("size", "20")]),
        ("big-without-3", [("cost", "80"), ("load", "40")]),
    ] {
        assert_eq!(
            lab.git(&["show", &format!("assay/lab/{name}:kernel/k.txt")]),
            Lab::kernel(&changes),
            "{name}"
        );
        assert_eq!(lab.row(name)["parent"], "big");
    }
    let why = lab.row("big-without-1")["why"].as_str().unwrap().to_owned();
    assert!(
        why.contains("k.txt") && why.ends_with("this is big without it"),
        "{why}"
    );
    lab.assay(&["run", "big-without-1"]).ok();
    lab.variant("small", &[("cost", "80")]);
    lab.assay(&["ablate", "small"])
        .fails(3, &["`small` changes one place only"]);
}

#[test]
fn the_champion_is_rolled_back_to_an_earlier_one_only() {
    let lab = Lab::new();
    lab.champion("one", &[("cost", "90")]);
    lab.champion("two", &[("cost", "80")]);
    lab.variant("never", &[("cost", "70")]);
    lab.assay(&["rollback", "never", "--reason", "x"])
        .fails(3, &["`never` was never accepted", "assay accept"]);
    lab.assay(&["rollback", "two", "--reason", "x"])
        .fails(3, &["`two` is the champion already"]);
    let out = lab
        .assay(&["rollback", "one", "--reason", "two breaks on old machines"])
        .ok();
    assert!(out.ends_with("the champion is one\n"), "{out}");
    assert_eq!(lab.list()["champion"], "one");
    lab.assay(&["new", "three", "--why", "x"]).ok();
    assert_eq!(lab.row("three")["parent"], "one");
}

#[test]
fn two_acceptances_over_the_same_champion_are_contested_until_a_person_settles_it() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    let clone = lab.clone_to("clone");
    lab.assay_in(&clone, &["sync"]).ok();
    lab.champion("mine", &[("cost", "80")]);
    lab.assay_in(&clone, &["new", "theirs", "--why", "x"]).ok();
    let tree = lab.assay_in(&clone, &["edit", "theirs"]).ok();
    write(
        &std::path::Path::new(tree.trim_end()).join("kernel/k.txt"),
        &Lab::kernel(&[("cost", "70")]),
    );
    lab.assay_in(&clone, &["commit", "theirs"]).ok();
    lab.assay_in(&clone, &["run", "theirs", "--trust"]).ok();
    lab.assay_in(&clone, &["accept", "theirs", "--reason", "x"])
        .ok();
    lab.assay_in(&clone, &["sync"]).ok();

    for dir in [lab.repo(), &clone] {
        let list = lab.assay_in(dir, &["list", "--json"]).json();
        assert_eq!(list["contested"], serde_json::json!(["mine", "theirs"]));
        assert!(list["champion"].is_null(), "{list:#}");
    }
    assert!(
        lab.assay(&["list"])
            .ok()
            .contains("the champion is contested by mine, theirs; settle it with `assay rollback")
    );
    lab.variant("next", &[("cost", "60")]);
    lab.assay(&["run", "next"]).fails(
        3,
        &[
            "the champion is contested by mine, theirs",
            "assay rollback NAME",
        ],
    );
    lab.assay(&["accept", "mine", "--reason", "x"])
        .fails(1, &["the champion is contested by mine, theirs"]);
    lab.assay(&[
        "rollback",
        "theirs",
        "--reason",
        "measured on the machine that counts",
    ])
    .ok();
    assert_eq!(lab.list()["champion"], "theirs");
    assert!(lab.list()["contested"].is_null());
    lab.verify();
}

#[test]
fn names_may_be_of_any_script_and_bad_ones_come_with_a_suggestion() {
    let lab = Lab::new();
    lab.champion("核函数-分块", &[("cost", "80")]);
    assert_eq!(lab.list()["champion"], "核函数-分块");
    assert!(
        lab.assay(&["show", "核函数"])
            .ok()
            .starts_with("核函数-分块  [champion]")
    );
    assert!(
        lab.assay(&["report", "--lang", "zh"])
            .ok()
            .contains("核函数-分块")
    );
    let before = (refs(&lab), lab.records());
    for (name, says) in [
        ("my idea", "it holds a space; try `my-idea`"),
        ("a..b", "it holds `..`; try `a.b`"),
        ("-fast", "it starts with `-`; try `fast`"),
        ("..", "cannot be a variant's name"),
        ("a/b", "it holds `/`; try `a-b`"),
        ("x.lock", "it ends with `.lock`; try `x`"),
        ("a\u{1b}[2Jb", "invisible character `\\x1b`"),
        ("", "it is empty"),
    ] {
        let err = lab
            .assay(&["new", "--why", "x", "--", name])
            .fails(3, &[says]);
        assert!(!err.contains('\u{1b}'), "{err:?}");
    }
    lab.assay(&["new", "-fast", "--why", "x"]).fails(3, &["-f"]);
    lab.assay(&["new", "x", "--why", " "])
        .fails(3, &["a variant needs a hypothesis", "--why TEXT"]);
    lab.assay(&["new", "x", "--why", "y", "--knob", "m"])
        .fails(3, &["knob `m` is not of the form K=V"]);
    lab.assay(&["new", "x", "--why", "y", "--predict", "time down"])
        .fails(3, &["time down"]);
    lab.assay(&["new", "x", "--why", "y", "--from", "nowhere"])
        .fails(3, &["`nowhere` is neither a variant nor a revision"]);
    lab.assay(&["new", "ref", "--why", "y"])
        .fails(3, &["there is a variant or baseline `ref` already"]);
    lab.assay(&["new", "x", "--why", "y", "--from", "assay/ledger"])
        .fails(3, &["holds no kernel files (kernel)", "--from REV"]);
    assert_eq!((refs(&lab), lab.records()), before);
}

#[test]
fn names_are_found_by_their_beginning_and_near_misses_are_named() {
    let lab = Lab::new();
    for name in ["tile-4", "tile-8", "vector"] {
        lab.assay(&["new", name, "--why", "x"]).ok();
    }
    assert!(lab.assay(&["show", "vec"]).ok().starts_with("vector"));
    for verb in [
        &["show", "tile"][..],
        &["run", "tile"],
        &["park", "tile", "--reason", "x"],
        &["edit", "tile"],
        &["rebase", "tile"],
    ] {
        lab.assay(verb).fails(
            3,
            &["`tile` could be tile-4, tile-8; write more of the name"],
        );
    }
    lab.assay(&["show", "vektor"]).fails(
        3,
        &["no variant is called `vektor`", "did you mean `vector`?"],
    );
    lab.assay(&["run", "vector", "qqq"]).fails(
        3,
        &["no variant is called `qqq`", "`assay list` shows the names"],
    );
    assert!(lab.ran().is_empty());
    lab.assay(&["run", "vector", "--target", "lokal"])
        .fails(3, &["no target `lokal`", "local"]);
    lab.assay(&["run", "vector", "--stages", "build,chek"])
        .fails(3, &["no stage `chek`", "did you mean `check`?"]);
    lab.assay(&["run", "vector", "--against", "tile-5"])
        .fails(3, &["no variant is called `tile-5`"]);
    assert!(lab.ran().is_empty());
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_stays_where_it_is() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "80")]);
    lab.assay(&["new", "held", "--why", "x", "--from", "HEAD"])
        .ok();
    lab.git(&["worktree", "add", "-q", "../elsewhere", "assay/lab/held"]);
    write(
        &lab.root().join("elsewhere/kernel/k.txt"),
        &Lab::kernel(&[("load", "40")]),
    );
    let before = refs(&lab);
    lab.assay(&["edit", "held"])
        .fails(3, &["assay/lab/held", "elsewhere", "work there"]);
    lab.assay(&["rebase", "held"])
        .fails(3, &["assay/lab/held", "elsewhere"]);
    assert_eq!(refs(&lab), before);
    assert_eq!(
        fs::read_to_string(lab.root().join("elsewhere/kernel/k.txt")).unwrap(),
        Lab::kernel(&[("load", "40")])
    );

    lab.git(&["worktree", "remove", lab.edit("base").to_str().unwrap()]);
    lab.git(&["checkout", "-q", "assay/lab/base"]);
    lab.assay(&["edit", "base"]).fails(3, &["assay/lab/base"]);
    lab.assay(&["run", "base", "--again"]).ok();
}

#[test]
fn edits_that_no_commit_has_are_never_run_and_never_lost() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "95")]);
    lab.variant("one", &[("cost", "80")]);
    lab.assay(&["commit", "one"]).fails(
        3,
        &["nothing to commit: the kernel files of `one` are as they were"],
    );
    let tree = lab.edit("one");
    write(&tree.join("kernel/k.txt"), &Lab::kernel(&[("cost", "70")]));
    lab.ran();
    lab.assay(&["run", "one"]).fails(
        3,
        &[
            "the work tree of `one` holds edits that are not committed: kernel/k.txt",
            "assay commit one",
        ],
    );
    assert!(lab.ran().is_empty());
    assert_eq!(lab.edit("one"), tree);
    assert_eq!(
        fs::read_to_string(tree.join("kernel/k.txt")).unwrap(),
        Lab::kernel(&[("cost", "70")])
    );
    lab.assay(&["commit", "one", "-m", "tuned"]).ok();
    assert_eq!(
        lab.git(&["log", "-1", "--format=%s", "assay/lab/one"]),
        "tuned\n"
    );
    lab.assay(&["run", "one"]).ok();
}

#[test]
fn a_deleted_branch_is_said_to_be_gone_and_can_be_made_again() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "80")]);
    lab.assay(&["run", "one"]).ok();
    let commit = lab.row("one")["commit"].as_str().unwrap().to_owned();
    lab.git(&[
        "worktree",
        "remove",
        "--force",
        lab.edit("one").to_str().unwrap(),
    ]);
    lab.git(&["branch", "-q", "-D", "assay/lab/one"]);
    lab.assay(&["run", "one", "--again"])
        .fails(3, &["the branch assay/lab/one is gone", "assay show"]);
    lab.assay(&["new", "two", "--from", "one", "--why", "x"])
        .fails(3, &["the branch assay/lab/one is gone"]);
    lab.assay(&["accept", "one", "--reason", "x"])
        .fails(1, &["evidence: failed: the branch is gone"]);
    let shown = lab.assay(&["show", "one"]).ok();
    assert!(
        shown.contains("the branch is gone") && shown.contains(&commit),
        "{shown}"
    );
    lab.git(&["branch", "assay/lab/one", &commit]);
    lab.assay(&["accept", "one", "--reason", "x"]).ok();
}

#[test]
fn a_new_that_was_cut_off_after_the_branch_can_be_repeated() {
    let lab = Lab::new();
    lab.git(&["branch", "assay/lab/one"]);
    lab.assay(&["new", "one", "--why", "x"]).ok();
    assert_eq!(lab.row("one")["status"], "new");
    lab.assay(&["new", "one", "--why", "x"])
        .fails(3, &["there is a variant or baseline `one` already"]);
    lab.sh("git commit -q --allow-empty -m other; git branch assay/lab/two");
    lab.assay(&["new", "two", "--why", "x", "--from", "HEAD~1"])
        .fails(3, &["assay/lab/two", "choose another name"]);
}
