//! Repositories in every state, and an index that can be thrown away at any time.

use std::fs;
use std::path::PathBuf;

use crate::support::Lab;

#[test]
fn a_folder_that_is_no_repository() {
    let lab = Lab::empty();
    let err = lab.assay(&["list"]).fails(3, &["git init"]);
    assert!(err.contains("repo"), "{err}");
    lab.assay(&["-C", "/nowhere/at/all", "list"])
        .fails(3, &["/nowhere/at/all: no such folder"]);
}

#[test]
fn a_repository_without_commits() {
    let lab = Lab::empty();
    lab.git(&["init", "-q", "-b", "main"]);
    lab.write("assay.toml", include_str!("standin/assay.toml"));
    lab.assay(&["init"])
        .fails(3, &["commit the kernel and its harness first"]);
    lab.assay(&["new", "x", "--why", "y"])
        .fails(3, &["assay init"]);
    assert_eq!(lab.list()["variants"].as_array().unwrap().len(), 0);
}

#[test]
fn a_bare_repository_is_read_and_run_from_and_nothing_is_edited_in_it() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "80")]);
    lab.git_in(&lab.root(), &["clone", "-q", "--bare", "repo", "bare.git"]);
    let bare = lab.root().join("bare.git");
    assert_eq!(
        lab.assay_in(&bare, &["list", "--json"]).json()["champion"],
        "base"
    );
    lab.assay_in(&bare, &["edit", "base"])
        .fails(3, &["bare", "work tree"]);
    assert_eq!(lab.assay_in(&bare, &["verify"]).code, 0);
    assert!(
        lab.assay_in(&bare, &["run", "base", "--trust", "--again"])
            .ok()
            .contains("FASTER")
    );
}

#[test]
fn a_detached_head() {
    let lab = Lab::new();
    lab.git(&["checkout", "-q", "--detach"]);
    let head = lab.git(&["rev-parse", "HEAD"]);
    lab.champion("base", &[("cost", "80")]);
    assert_eq!(lab.list()["champion"], "base");
    assert_eq!(lab.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(lab.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "HEAD\n");
}

#[test]
fn a_shallow_clone_is_told_and_works() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "80")]);
    lab.sh("git commit -q --allow-empty -m two; git commit -q --allow-empty -m three");
    let url = format!("file://{}", lab.repo().display());
    lab.git_in(
        &lab.root(),
        &[
            "clone",
            "-q",
            "--depth",
            "1",
            "--no-single-branch",
            &url,
            "shallow",
        ],
    );
    let shallow = lab.root().join("shallow");
    lab.assay_in(&shallow, &["sync"]).ok();
    let list = lab.assay_in(&shallow, &["list", "--json"]);
    assert_eq!(list.code, 0, "{list:#?}");
    assert!(list.err.contains("shallow"), "{list:#?}");
    assert!(
        list.err
            .contains("is not in this clone: everything can be read, and nothing can be run"),
        "{list:#?}"
    );
    assert_eq!(list.json()["champion"], "base");
    assert!(
        lab.assay_in(&shallow, &["show", "base"])
            .ok()
            .contains("FASTER")
    );
    lab.assay_in(&shallow, &["run", "base", "--trust", "--again"])
        .fails(3, &["the evaluator's commit", "git fetch --unshallow"]);
    lab.git_in(&shallow, &["fetch", "-q", "--unshallow"]);
    assert!(
        lab.assay_in(&shallow, &["run", "base", "--trust", "--again"])
            .ok()
            .contains("FASTER")
    );
}

#[test]
fn git_that_fails_is_an_error_of_the_environment() {
    let lab = Lab::new();
    lab.assay(&["sync"]).fails(4, &["origin", "git remote -v"]);
    lab.assay(&["sync", "/nowhere.git"])
        .fails(4, &["/nowhere.git"]);
    lab.verify();
}

/// The files of the index.
fn index(lab: &Lab) -> Vec<PathBuf> {
    let dir = lab.repo().join(".git/assay/index");
    fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect()
}

#[test]
fn an_index_that_is_missing_or_garbled_is_made_again() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "80")]);
    lab.variant("next", &[("cost", "70")]);
    let expected = lab.list();
    let dir = lab.repo().join(".git/assay/index");
    fs::remove_dir_all(&dir).unwrap();
    assert_eq!(lab.list(), expected);
    assert!(!index(&lab).is_empty());
    for garbage in [&b""[..], b"not an index", &[0xff; 4096]] {
        for path in index(&lab) {
            fs::write(&path, garbage).unwrap();
        }
        assert_eq!(lab.list(), expected);
        for path in index(&lab) {
            fs::write(&path, garbage).unwrap();
        }
        assert!(lab.assay(&["show", "base"]).ok().contains("FASTER"));
        assert_eq!(
            lab.assay(&["log", "--json"]).json()["records"]
                .as_array()
                .unwrap()
                .len(),
            lab.records().len()
        );
    }
    for path in index(&lab) {
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    lab.assay(&["run", "next"]).ok();
    lab.assay(&["accept", "next", "--reason", "x"]).ok();
    fs::remove_dir_all(&dir).unwrap();
    fs::write(&dir, "a file where the folder should be").unwrap();
    assert_eq!(lab.list()["champion"], "next");
    lab.verify();
}

#[test]
fn an_index_that_cannot_be_written_is_done_without() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "80")]);
    let dir = lab.repo().join(".git/assay/index");
    lab.sh("chmod -R a-w .git/assay/index");
    lab.variant("next", &[("cost", "70")]);
    lab.assay(&["run", "next"]).ok();
    assert_eq!(lab.row("next")["verdict"], "FASTER");
    lab.verify();
    lab.sh("chmod -R u+w .git/assay/index");
    assert!(dir.is_dir());
}

#[test]
fn records_of_a_later_version_are_counted_and_kept() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "80")]);
    let before = lab.records().len();
    let folder = lab.root().join("out");
    lab.assay(&["export", folder.to_str().unwrap()]).ok();
    let paths: Vec<PathBuf> = lab.records().iter().map(|p| folder.join(p)).collect();
    fs::write(&paths[0], "{\"schema\":\"assay.record/99\"").unwrap();
    let list = lab
        .assay_in(
            &lab.root(),
            &["-C", folder.to_str().unwrap(), "list", "--json"],
        )
        .json();
    assert_eq!(list["unreadable"], 1);
    let verify = lab.assay_in(
        &lab.root(),
        &["-C", folder.to_str().unwrap(), "verify", "--json"],
    );
    assert_eq!(verify.code, 1, "{verify:#?}");
    assert_eq!(verify.json()["ok"], false);
    assert_eq!(lab.records().len(), before);
}
