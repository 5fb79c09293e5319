//! The user's work tree and index are the same after everything as before.

use std::time::Duration;

use assay_core::Sha256;
use assay_ledger::{Changes, Edits, GcPlan, Ledger, Pool, Prepare, SyncOptions, Variants};

use crate::lab::{Lab, at, git, note, put};

#[test]
fn nothing_touches_the_users_work_tree_or_index() {
    let lab = Lab::new();
    let dir = &lab.dir;
    git(lab.temp.path(), &["clone", "-q", "--bare", "repo", "hub"]);
    git(dir, &["remote", "add", "origin", "../hub"]);
    // Work in every state: staged, changed, new, ignored, removed.
    put(dir, "staged", "s");
    git(dir, &["add", "staged"]);
    put(dir, "gemm/kernel/a.c", "half-done");
    put(dir, "new", "n");
    put(dir, "x.o", "ignored");
    std::fs::remove_file(dir.join("gemm/assay.toml")).unwrap();
    let state = || {
        let index = std::fs::read(dir.join(".git/index")).unwrap();
        (
            Sha256::of(index),
            git(
                dir,
                &["--no-optional-locks", "status", "--porcelain", "--ignored"],
            ),
            git(dir, &["rev-parse", "HEAD"]),
            std::fs::read_to_string(dir.join(".git/HEAD")).unwrap(),
            std::fs::read(dir.join("gemm/kernel/a.c")).unwrap(),
            git(dir, &["stash", "list"]),
        )
    };
    let before = state();

    let repo = lab.repo();
    let ledger = Ledger::git(&repo).unwrap();
    ledger.append(&[note(1, "a"), note(2, "b")], &[]).unwrap();
    let v = Variants::new(&repo);
    let base = v.create("gemm", "x", "HEAD").unwrap();
    let change = Changes::from([("gemm/kernel/a.c".to_owned(), Some(b"x".to_vec()))]);
    let tip = v
        .commit_files("assay/gemm/x", Some(base), &change, "m")
        .unwrap();
    v.create("gemm", "y", "HEAD").unwrap();
    v.combine("gemm", "z", (tip, base), None, "m").unwrap();
    v.rebase("assay/gemm/y", tip).unwrap();
    v.ablate(base, tip, "gemm", &["kernel"]).unwrap();
    let pool = Pool::new(&repo, lab.path("cache"), 1).unwrap();
    let lease = pool.acquire(Duration::ZERO, "test").unwrap();
    let protected = ["harness".to_owned()];
    lease
        .prepare(&Prepare {
            base: tip,
            overlay: base,
            folder: "gemm",
            paths: &protected,
        })
        .unwrap();
    let edits = Edits::new(&repo, lab.path("edits")).unwrap();
    let tree = edits.open("gemm", "y").unwrap();
    put(&tree, "gemm/kernel/a.c", "edited");
    edits.commit("gemm", "y", "gemm", &["kernel"], "m").unwrap();
    edits.remove("gemm", "y").unwrap();
    ledger.sync("origin", &SyncOptions::default()).unwrap();
    ledger.export(lab.path("out")).unwrap();
    ledger
        .import(&Ledger::folder(lab.path("out")).unwrap())
        .unwrap();
    let plan = GcPlan {
        remove: vec![(note(1, "").id, "x".into())],
        by: "me".into(),
        at: at(),
        dry_run: false,
    };
    ledger.gc(&plan).unwrap();
    ledger.pack().unwrap();
    ledger.verify().unwrap();

    assert_eq!(state(), before);
}
