//! Campaign files that are wrong, missing, or not committed.

use std::fs;

use crate::support::Lab;

#[test]
fn an_unknown_key_is_named_with_its_place_and_the_key_that_was_meant() {
    let lab = Lab::committed();
    let text = fs::read_to_string(lab.repo().join("assay.toml")).unwrap();
    let line = 1 + text
        .lines()
        .position(|l| l.starts_with("artefact"))
        .unwrap();
    lab.write("assay.toml", &text.replace("artefact = ", "artifact = "));
    lab.assay(&["init"]).fails(
        3,
        &[&format!("assay.toml:{line}:1"), "artifact", "artefact"],
    );
    lab.assay(&["list"])
        .fails(3, &[&format!("assay.toml:{line}:1")]);
    lab.write("assay.toml", "schema = \"assay.campaign/1\"\nname = \n");
    lab.assay(&["list"]).fails(3, &["assay.toml:2:"]);
    fs::write(lab.repo().join("assay.toml"), [0xff, 0xfe]).unwrap();
    lab.assay(&["list"]).fails(3, &["assay.toml", "UTF-8"]);
    assert!(lab.records().is_empty());
}

#[test]
fn a_campaign_file_that_is_not_committed_is_not_pinned() {
    let lab = Lab::committed();
    lab.git(&["rm", "-q", "--cached", "assay.toml"]);
    lab.git(&["commit", "-q", "-m", "without"]);
    lab.assay(&["init"]).fails(
        3,
        &[
            "assay.toml is not committed",
            "git add assay.toml && git commit",
        ],
    );
    lab.assay(&["new", "x", "--why", "y"])
        .fails(3, &["not pinned yet", "assay init"]);
    lab.assay(&["run", "x"])
        .fails(3, &["not pinned yet", "assay init"]);
    lab.assay(&["trust", "--trust"])
        .fails(3, &["not pinned yet"]);
    assert!(lab.list()["variants"].as_array().unwrap().is_empty());
    assert!(lab.records().is_empty());
}

#[test]
fn a_folder_without_a_campaign_says_how_to_get_one() {
    let lab = Lab::empty();
    lab.git(&["init", "-q", "-b", "main"]);
    lab.assay(&["list"]).fails(
        3,
        &["no assay.toml at or above", "assay demo", "assay init"],
    );
    let wrote = lab.assay(&["init"]).ok();
    assert!(
        wrote.starts_with("wrote ") && wrote.contains("assay.toml"),
        "{wrote}"
    );
    let text = fs::read_to_string(lab.repo().join("assay.toml")).unwrap();
    assert!(text.contains("name = \"repo\""), "{text}");
    lab.assay(&["init"]).fails(3, &["commit"]);
    assert_eq!(
        fs::read_to_string(lab.repo().join("assay.toml")).unwrap(),
        text,
        "never written over"
    );
}

#[test]
fn edits_of_the_campaign_file_do_not_count_before_they_are_pinned() {
    let lab = Lab::new();
    let text = fs::read_to_string(lab.repo().join("assay.toml")).unwrap();
    lab.write("assay.toml", &text.replace("blocks = 2", "blocks = 3"));
    let list = lab.assay(&["list"]);
    assert_eq!(list.code, 0);
    assert!(
        list.err
            .contains("assay.toml differs from the pinned evaluator, which is in force"),
        "{list:#?}"
    );
    lab.assay(&["init", "--why", "more blocks"])
        .fails(3, &["assay.toml differs from what is committed"]);
}

#[test]
fn a_campaign_in_a_folder_of_the_repository_works_from_anywhere_below_it() {
    let lab = Lab::committed();
    lab.sh("mkdir -p kernels/lab && git mv assay.toml harness kernel kernels/lab/ && git commit -qm moved");
    let folder = lab.repo().join("kernels/lab");
    lab.assay(&["list"])
        .fails(3, &["no assay.toml at or above"]);
    lab.assay_in(&folder, &["init"]).ok();
    lab.assay_in(&folder, &["trust", "--trust"]).ok();
    lab.assay_in(&folder.join("harness"), &["new", "one", "--why", "x"])
        .ok();
    let tree = lab.assay_in(&folder, &["edit", "one"]).ok();
    assert!(tree.trim_end().ends_with("kernels/lab"), "{tree}");
    crate::support::write(
        &std::path::Path::new(tree.trim_end()).join("kernel/k.txt"),
        &Lab::kernel(&[("cost", "80")]),
    );
    lab.assay_in(&folder, &["commit", "one"]).ok();
    assert!(
        lab.assay_in(&lab.root(), &["-C", folder.to_str().unwrap(), "run", "one"])
            .ok()
            .contains("FASTER")
    );
    assert!(
        lab.assay(&["list"]).ok().contains("one"),
        "the ledger knows its only campaign"
    );
}
