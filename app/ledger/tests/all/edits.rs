//! Work trees for the user.

use assay_ledger::{EditStatus, Edits, Error, Variants};

use crate::lab::{Lab, git, put};

const PATHS: [&str; 2] = ["kernel", "variant.toml"];

#[test]
fn a_work_tree_is_made_used_and_committed_without_the_users_hooks() {
    let lab = Lab::new();
    let repo = lab.repo();
    let hook = lab.dir.join(".git/hooks/pre-commit");
    put(&lab.dir, ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    put(&lab.dir, ".git/hooks/post-checkout", "#!/bin/sh\nexit 1\n");
    for h in [&hook, &lab.dir.join(".git/hooks/post-checkout")] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(h, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let v = Variants::new(&repo);
    let base = v.create("gemm", "核-1", "HEAD").unwrap();
    let edits = Edits::new(&repo, lab.path("edits")).unwrap();
    let status = || edits.status("gemm", "核-1", "gemm", &PATHS).unwrap();
    assert_eq!(status(), EditStatus::Absent);
    let dir = edits.open("gemm", "核-1").unwrap();
    assert_eq!(edits.open("gemm", "核-1").unwrap(), dir, "used again");
    assert_eq!(status(), EditStatus::Clean);
    assert_eq!(
        edits.commit("gemm", "核-1", "gemm", &PATHS, "m").unwrap(),
        None
    );
    put(&dir, "gemm/notes.txt", "not a kernel file");
    assert_eq!(status(), EditStatus::Clean);
    put(&dir, "gemm/kernel/a.c", "new");
    put(&dir, "gemm/kernel/sub/b.h", "b");
    let dirty = ["gemm/kernel/a.c", "gemm/kernel/sub/b.h"].map(str::to_owned);
    assert_eq!(status(), EditStatus::Dirty(dirty.to_vec()));
    let tip = edits
        .commit("gemm", "核-1", "gemm", &PATHS, "faster")
        .unwrap()
        .unwrap();
    assert_eq!(v.tip("assay/gemm/核-1").unwrap(), Some(tip));
    assert_eq!(v.changed_paths(base, tip, "").unwrap(), dirty);
    assert_eq!(status(), EditStatus::Clean);
    put(&dir, "gemm/kernel2/c.c", "a namesake is no kernel file");
    put(&dir, "gemm/kernel/a.c", "again");
    assert_eq!(
        edits.left_out("gemm", "核-1", "gemm", &PATHS).unwrap(),
        ["gemm/kernel2/c.c", "gemm/notes.txt"]
    );
    std::fs::remove_dir_all(dir.join("gemm/kernel2")).unwrap();
    std::fs::remove_dir_all(dir.join("gemm/kernel")).unwrap();
    let gone = edits
        .commit("gemm", "核-1", "gemm", &PATHS, "gone")
        .unwrap()
        .unwrap();
    assert!(v.list_files(gone, "gemm", &["kernel"]).unwrap().is_empty());
    assert!(
        edits.remove("gemm", "核-1").is_err(),
        "a file would be lost"
    );
    std::fs::remove_file(dir.join("gemm/notes.txt")).unwrap();
    edits.remove("gemm", "核-1").unwrap();
    assert_eq!(status(), EditStatus::Absent);
}

#[test]
fn a_folder_that_vanished_is_made_again_and_others_are_left_alone() {
    let lab = Lab::new();
    let repo = lab.repo();
    Variants::new(&repo).create("gemm", "x", "HEAD").unwrap();
    git(
        &lab.dir,
        &["worktree", "add", "-q", "../users", "-b", "users"],
    );
    std::fs::remove_dir_all(lab.path("users")).unwrap();
    let edits = Edits::new(&repo, lab.path("edits")).unwrap();
    let dir = edits.open("gemm", "x").unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!(
        edits.status("gemm", "x", "gemm", &PATHS).unwrap(),
        EditStatus::Absent
    );
    let err = edits.commit("gemm", "x", "gemm", &PATHS, "m").unwrap_err();
    assert!(err.to_string().contains("assay edit x"), "{err}");
    assert_eq!(edits.open("gemm", "x").unwrap(), dir);
    assert!(dir.join("gemm/kernel/a.c").is_file());
    assert!(
        git(&lab.dir, &["worktree", "list"]).contains("users"),
        "not ours to prune"
    );
}

#[test]
fn a_branch_checked_out_elsewhere_says_where() {
    let lab = Lab::new();
    let repo = lab.repo();
    Variants::new(&repo).create("gemm", "x", "HEAD").unwrap();
    git(&lab.dir, &["checkout", "-q", "assay/gemm/x"]);
    let edits = Edits::new(&repo, lab.path("edits")).unwrap();
    let err = edits.open("gemm", "x").unwrap_err();
    let at = lab.dir.canonicalize().unwrap();
    assert!(
        matches!(&err, Error::CheckedOut { at: a, .. } if *a == at),
        "{err}"
    );
    put(&lab.dir, "gemm/kernel/a.c", "mine");
    let status = edits.status("gemm", "x", "gemm", &PATHS).unwrap();
    assert_eq!(status, EditStatus::Dirty(vec!["gemm/kernel/a.c".into()]));
    let err = edits.commit("gemm", "x", "gemm", &PATHS, "m").unwrap_err();
    assert!(matches!(err, Error::CheckedOut { .. }), "{err}");
    let err = edits.open("gemm", "nothing").unwrap_err();
    assert!(matches!(err, Error::NoBranch { .. }), "{err}");
}
