//! Folders that hold a variant with the evaluator's protected files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use assay_ledger::{Changes, Error, Lease, Pool, Prepare, Variants};

use crate::lab::{Lab, git, put};

fn read(dir: &Path, path: &str) -> String {
    fs::read_to_string(dir.join(path)).unwrap()
}

/// All files below a folder, sorted.
fn files(dir: &Path) -> Vec<String> {
    fn walk(dir: &Path, top: &Path, out: &mut Vec<String>) {
        for e in fs::read_dir(dir).unwrap().flatten() {
            if e.file_type().unwrap().is_dir() {
                walk(&e.path(), top, out);
            } else {
                out.push(e.path().strip_prefix(top).unwrap().display().to_string());
            }
        }
    }
    let mut out = Vec::new();
    walk(dir, dir, &mut out);
    out.sort();
    out
}

fn lease(lab: &Lab) -> Lease {
    let pool = Pool::new(&lab.repo(), lab.path("cache"), 2).unwrap();
    pool.acquire(Duration::ZERO, "test").unwrap()
}

#[test]
fn protected_files_never_come_from_the_variant() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let evaluator = v.resolve("HEAD").unwrap();
    let base = v.create("gemm", "cheat", "HEAD").unwrap();
    let cheat = Changes::from([
        ("gemm/kernel/a.c".to_owned(), Some(b"fast".to_vec())),
        (
            "gemm/harness/run.sh".to_owned(),
            Some(b"echo always right".to_vec()),
        ),
        ("gemm/harness/extra.sh".to_owned(), Some(b"x".to_vec())),
        ("gemm/assay.toml".to_owned(), None),
    ]);
    let commit = v
        .commit_files("assay/gemm/cheat", Some(base), &cheat, "m")
        .unwrap();
    let protected = ["harness".to_owned(), "assay.toml".to_owned()];
    let what = Prepare {
        base: commit,
        overlay: evaluator,
        folder: "gemm",
        paths: &protected,
    };
    let lease = lease(&lab);
    let dir = lease.prepare(&what).unwrap();
    assert_eq!(read(&dir, "kernel/a.c"), "fast");
    assert_eq!(read(&dir, "harness/run.sh"), "#!/bin/sh\necho judge\n");
    assert_eq!(files(&dir), ["assay.toml", "harness/run.sh", "kernel/a.c"]);
    // A variant that puts a link where the evaluator's folder belongs.
    let evil = lab.path("evil");
    fs::create_dir(&evil).unwrap();
    git(&lab.dir, &["checkout", "-q", "-b", "evil"]);
    fs::remove_dir_all(lab.dir.join("gemm/harness")).unwrap();
    std::os::unix::fs::symlink(&evil, lab.dir.join("gemm/harness")).unwrap();
    git(&lab.dir, &["add", "-A"]);
    git(&lab.dir, &["commit", "-qm", "evil"]);
    let commit = v.resolve("HEAD").unwrap();
    let dir = lease
        .prepare(&Prepare {
            base: commit,
            ..what
        })
        .unwrap();
    assert!(dir.join("harness").symlink_metadata().unwrap().is_dir());
    assert_eq!(fs::read_dir(&evil).unwrap().count(), 0);
    // The whole campaign may be protected as well.
    let all = [".".to_owned()];
    let dir = lease
        .prepare(&Prepare {
            base: commit,
            paths: &all,
            ..what
        })
        .unwrap();
    assert_eq!(
        v.changed_paths(evaluator, commit, "gemm").unwrap(),
        ["harness", "harness/run.sh"]
    );
    assert_eq!(read(&dir, "harness/run.sh"), "#!/bin/sh\necho judge\n");
}

#[test]
fn whatever_a_run_leaves_behind_is_gone_and_whatever_it_changed_is_restored() {
    let lab = Lab::new();
    let repo = lab.repo();
    let commit = Variants::new(&repo).resolve("HEAD").unwrap();
    let what = Prepare {
        base: commit,
        overlay: commit,
        folder: "gemm",
        paths: &[],
    };
    let lease = lease(&lab);
    let dir = lease.prepare(&what).unwrap();
    let clean = files(&lease.root());
    put(&dir, "kernel/a.o", "ignored by git");
    put(&dir, "deep/er/file", "x");
    put(&dir, ".git/config", "[core]");
    fs::set_permissions(dir.join("deep/er"), fs::Permissions::from_mode(0o500)).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.join("kernel/link")).unwrap();
    // Same size, so that only times and content can tell.
    put(
        &dir,
        "kernel/a.c",
        "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n",
    );
    fs::set_permissions(dir.join("assay.toml"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(dir.join("harness/run.sh")).unwrap();
    put(&dir, "harness/run.sh/now/a/folder", "x");
    fs::set_permissions(dir.join("harness"), fs::Permissions::from_mode(0o500)).unwrap();
    lease.prepare(&what).unwrap();
    assert_eq!(files(&lease.root()), clean);
    assert_eq!(
        read(&dir, "kernel/a.c"),
        "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
    );
    assert_eq!(
        fs::metadata(dir.join("assay.toml"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o644
    );
    // A second name outside lets a process change the file later on.
    fs::hard_link(dir.join("kernel/a.c"), lab.path("alias")).unwrap();
    lease.prepare(&what).unwrap();
    fs::write(lab.path("alias"), "changed from outside").unwrap();
    assert_eq!(
        read(&dir, "kernel/a.c"),
        "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
    );
    // The slot itself may vanish or be damaged.
    fs::remove_dir_all(lease.root()).unwrap();
    fs::write(lease.root(), "a file").unwrap();
    fs::write(lease.root().with_file_name("list.json"), "rubbish").unwrap();
    lease.prepare(&what).unwrap();
    assert_eq!(files(&lease.root()), clean);
    assert!(
        !lab.dir.join(".git/worktrees").exists(),
        "nothing is registered"
    );
}

#[test]
fn modes_and_links_are_kept() {
    let lab = Lab::new();
    std::os::unix::fs::symlink("a.c", lab.dir.join("gemm/kernel/link")).unwrap();
    git(&lab.dir, &["add", "-A"]);
    git(
        &lab.dir,
        &["update-index", "--chmod=+x", "gemm/harness/run.sh"],
    );
    git(&lab.dir, &["commit", "-qm", "link"]);
    let repo = lab.repo();
    let commit = Variants::new(&repo).resolve("HEAD").unwrap();
    let what = Prepare {
        base: commit,
        overlay: commit,
        folder: "",
        paths: &[],
    };
    let lease = lease(&lab);
    for _ in 0..2 {
        let dir = lease.prepare(&what).unwrap();
        assert_eq!(
            fs::read_link(dir.join("gemm/kernel/link")).unwrap(),
            Path::new("a.c")
        );
        let mode = fs::metadata(dir.join("gemm/harness/run.sh"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755);
    }
    let err = lease
        .prepare(&Prepare {
            folder: "nowhere",
            ..what
        })
        .unwrap_err();
    assert!(matches!(err, Error::NoPath { .. }), "{err}");
}

#[test]
fn slots_are_shared_out_and_come_back() {
    let lab = Lab::new();
    let pool = Pool::new(&lab.repo(), lab.path("cache"), 2).unwrap();
    let a = pool.acquire(Duration::ZERO, "first run").unwrap();
    let b = pool.acquire(Duration::ZERO, "second run").unwrap();
    assert_ne!(a.number(), b.number());
    let err = pool.acquire(Duration::ZERO, "third").unwrap_err();
    assert!(err.to_string().contains("first run"), "{err}");
    drop(a);
    assert_eq!(pool.acquire(Duration::ZERO, "third").unwrap().number(), 0);
    let err = Pool::new(&lab.repo(), lab.dir.join("cache"), 2).unwrap_err();
    assert!(err.to_string().contains("must be outside"), "{err}");
}

#[test]
fn handles_go_to_other_threads() {
    fn send<T: Send>() {}
    fn share<T: Send + Sync>() {}
    send::<assay_ledger::Repo>();
    send::<assay_ledger::Ledger>();
    share::<Pool>();
    share::<Lease>();
    share::<assay_ledger::FileLock>();
}
