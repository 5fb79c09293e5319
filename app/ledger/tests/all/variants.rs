//! Branches made, read and changed without a work tree.

use assay_ledger::{Changes, CommitId, CommittedHere, Error, Variants};

use crate::lab::{Lab, git, put};

const FILE: &str = "gemm/kernel/a.c";

fn change(text: &str) -> Changes {
    Changes::from([(FILE.to_owned(), Some(text.into()))])
}

fn with(v: &Variants<'_>, slug: &str, from: &str, text: &str) -> CommitId {
    let base = v.create("gemm", slug, from).unwrap();
    let branch = Variants::branch("gemm", slug);
    v.commit_files(&branch, Some(base), &change(text), slug)
        .unwrap()
}

fn text(v: &Variants<'_>, commit: CommitId) -> String {
    String::from_utf8(v.read_file(commit, FILE).unwrap().unwrap()).unwrap()
}

#[test]
fn names_that_cannot_be_are_refused_with_the_reason() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    for slug in ["", "-x", ".x", "a b", "a..b", "a/b", "a:b", "x.lock", "a\n"] {
        let err = v.create("gemm", slug, "HEAD").unwrap_err();
        assert!(matches!(err, Error::BranchName { .. }), "{slug}: {err}");
    }
    assert!(v.create("gemm", &"核".repeat(80), "HEAD").is_err());
    assert!(v.create("ledger", "x", "HEAD").is_err());
    v.create("gemm", "核-1", "HEAD").unwrap();
    v.create("gemm", "Tiled", "HEAD").unwrap();
    let err = v.create("gemm", "Tiled", "HEAD").unwrap_err();
    assert!(matches!(err, Error::BranchExists { .. }), "{err}");
    let err = v.create("gemm", "tiled", "HEAD").unwrap_err();
    assert!(matches!(err, Error::BranchBlocked { .. }), "{err}");
    git(&lab.dir, &["branch", "assay/gemm/deep/er"]);
    let err = v.create("gemm", "deep", "HEAD").unwrap_err();
    assert!(err.to_string().contains("assay/gemm/deep/er"), "{err}");
    git(&lab.dir, &["branch", "assay/conv"]);
    let err = v.create("conv", "x", "HEAD").unwrap_err();
    assert!(
        err.hint().unwrap().contains("git branch -m assay/conv"),
        "{err}"
    );
    let err = v.create("gemm", "new", "no-such-rev").unwrap_err();
    assert!(matches!(err, Error::NoRevision { .. }), "{err}");
    let slugs: Vec<String> = v.tips("gemm").unwrap().into_keys().collect();
    assert_eq!(slugs, ["Tiled", "deep/er", "核-1"]);
}

#[test]
fn a_plain_branch_called_assay_is_named_as_what_is_in_the_way() {
    let lab = Lab::new();
    git(&lab.dir, &["branch", "assay"]);
    let repo = lab.repo();
    let err = Variants::new(&repo)
        .create("gemm", "x", "HEAD")
        .unwrap_err();
    assert!(
        matches!(&err, Error::BranchBlocked { by, .. } if by == "assay"),
        "{err}"
    );
}

#[test]
fn content_is_hashed_by_path_mode_and_bytes_only() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let head = v.resolve("HEAD").unwrap();
    let hash = |c, paths: &[&str]| v.content_hash(c, "gemm", paths).unwrap();
    let first = hash(head, &["kernel"]);
    assert_eq!(hash(head, &["./kernel/"]), first);
    assert_ne!(
        hash(head, &["kernel", "variant.toml"]),
        first,
        "absent is said"
    );
    // Another commit with the same content, and a change elsewhere.
    put(&lab.dir, "README", "x");
    git(&lab.dir, &["add", "-A"]);
    git(&lab.dir, &["commit", "-qm", "docs"]);
    assert_eq!(hash(v.resolve("HEAD").unwrap(), &["kernel"]), first);
    assert_ne!(hash(with(&v, "x", "HEAD", "other"), &["kernel"]), first);
    git(&lab.dir, &["update-index", "--chmod=+x", FILE]);
    git(&lab.dir, &["commit", "-qm", "mode"]);
    assert_ne!(hash(v.resolve("HEAD").unwrap(), &["kernel"]), first);
    // An empty file is not an absent one.
    let empty = with(&v, "empty", "HEAD", "");
    let gone = v
        .commit_files(
            "assay/gemm/gone",
            Some(empty),
            &Changes::from([(FILE.to_owned(), None)]),
            "gone",
        )
        .unwrap();
    assert_ne!(hash(empty, &["kernel/a.c"]), hash(gone, &["kernel/a.c"]));
    // Two files as one path each, or by their folder, are the same content.
    assert_eq!(hash(head, &["kernel", "kernel/a.c"]), first);
}

#[test]
fn files_are_listed_with_mode_and_content() {
    let lab = Lab::new();
    std::os::unix::fs::symlink("a.c", lab.dir.join("gemm/kernel/link")).unwrap();
    git(&lab.dir, &["add", "-A"]);
    git(
        &lab.dir,
        &["update-index", "--chmod=+x", "gemm/harness/run.sh"],
    );
    git(&lab.dir, &["commit", "-qm", "link"]);
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let head = v.resolve("HEAD").unwrap();
    let files = v
        .list_files(head, "gemm", &["kernel", "harness/run.sh", "nothing"])
        .unwrap();
    let shown: Vec<(String, u32, usize)> = files
        .into_iter()
        .map(|f| (f.path, f.mode, f.bytes.len()))
        .collect();
    assert_eq!(
        shown,
        [
            ("harness/run.sh".into(), 0o100_755, 21),
            ("kernel/a.c".into(), 0o100_644, 34),
            ("kernel/link".into(), 0o120_000, 3),
        ]
    );
    assert_eq!(v.read_file(head, "gemm/kernel").unwrap(), None);
    assert_eq!(v.read_file(head, "no/such").unwrap(), None);
    let tip = with(&v, "x", "HEAD", "new");
    assert_eq!(v.changed_paths(head, tip, "gemm").unwrap(), ["kernel/a.c"]);
    assert_eq!(v.changed_paths(head, tip, "").unwrap(), [FILE]);
    assert_eq!(
        v.changed_paths(head, tip, "gemm/harness").unwrap(),
        Vec::<String>::new()
    );
}

#[test]
fn a_commit_needs_the_branch_to_stand_where_it_was_seen() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let tip = with(&v, "x", "HEAD", "one");
    let base = v.resolve("HEAD").unwrap();
    let err = v
        .commit_files("assay/gemm/x", Some(base), &change("two"), "m")
        .unwrap_err();
    assert!(matches!(err, Error::RefMoved { .. }), "{err}");
    assert_eq!(v.tip("assay/gemm/x").unwrap(), Some(tip));
    let evil = Changes::from([("../x".to_owned(), Some(vec![]))]);
    let err = v
        .commit_files("assay/gemm/x", Some(tip), &evil, "m")
        .unwrap_err();
    assert!(matches!(err, Error::UnsafePath { .. }), "{err}");
    let root = v
        .commit_files("assay/gemm/fresh", None, &change("alone"), "root")
        .unwrap();
    assert_eq!(
        v.changed_paths(root, root, "").unwrap(),
        Vec::<String>::new()
    );
    let run = Changes::from([("gemm/harness/run.sh".to_owned(), Some(b"x".to_vec()))]);
    git(
        &lab.dir,
        &["update-index", "--chmod=+x", "gemm/harness/run.sh"],
    );
    git(&lab.dir, &["commit", "-qm", "mode"]);
    let head = v.resolve("HEAD").unwrap();
    let c = v
        .commit_files("assay/gemm/mode", Some(head), &run, "m")
        .unwrap();
    assert_eq!(
        v.list_files(c, "gemm", &["harness"]).unwrap()[0].mode,
        0o100_755
    );
    git(&lab.dir, &["fsck", "--strict"]);
}

#[test]
fn the_users_branch_is_not_moved_under_the_user() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let base = v.create("gemm", "x", "HEAD").unwrap();
    git(&lab.dir, &["checkout", "-q", "assay/gemm/x"]);
    let err = v
        .commit_files("assay/gemm/x", Some(base), &change("x"), "m")
        .unwrap_err();
    assert!(matches!(err, Error::CheckedOut { .. }), "{err}");
    assert_eq!(git(&lab.dir, &["status", "--porcelain"]), "");
    // In a linked work tree without changes the files move along; with changes they stay.
    git(&lab.dir, &["checkout", "-q", "main"]);
    git(
        &lab.dir,
        &["worktree", "add", "-q", "../linked", "assay/gemm/x"],
    );
    let tip = v
        .commit_files("assay/gemm/x", Some(base), &change("new"), "m")
        .unwrap();
    let linked = lab.path("linked");
    assert_eq!(std::fs::read_to_string(linked.join(FILE)).unwrap(), "new");
    assert_eq!(git(&linked, &["status", "--porcelain"]), "");
    assert_eq!(git(&linked, &["rev-parse", "HEAD"]), tip.to_string());
    put(&linked, FILE, "unsaved work");
    let err = v
        .commit_files("assay/gemm/x", Some(tip), &change("newer"), "m")
        .unwrap_err();
    assert!(matches!(err, Error::CheckedOut { .. }), "{err}");
    assert_eq!(
        std::fs::read_to_string(linked.join(FILE)).unwrap(),
        "unsaved work"
    );
}

#[test]
fn rebase_replays_or_changes_nothing() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let ours = "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n";
    let onto = with(
        &v,
        "champion",
        "HEAD",
        "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n",
    );
    let before = with(&v, "x", "HEAD", ours);
    let new = v.rebase("assay/gemm/x", onto).unwrap();
    assert_eq!(text(&v, new), "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
    assert_eq!(v.tip("assay/gemm/x").unwrap(), Some(new));
    assert!(v.contains(new, onto).unwrap() && !v.contains(new, before).unwrap());
    assert_eq!(repo.message(new), "x");
    assert_eq!(
        v.rebase("assay/gemm/x", onto).unwrap(),
        new,
        "again is nothing"
    );
    let clash = with(
        &v,
        "clash",
        "HEAD",
        "eins\ntwo\nthree\nfour\nfive\nsix\nseven\n",
    );
    let err = v.rebase("assay/gemm/clash", onto).unwrap_err();
    assert!(
        matches!(&err, Error::Conflict { files, .. } if files == &[FILE]),
        "{err}"
    );
    assert_eq!(v.tip("assay/gemm/clash").unwrap(), Some(clash));
    assert!(matches!(
        v.rebase("assay/gemm/no", onto),
        Err(Error::NoBranch { .. })
    ));
}

#[test]
fn combine_takes_both_or_nothing() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let a = with(&v, "a", "HEAD", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    let b = with(&v, "b", "HEAD", "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
    let both = v.combine("gemm", "both", (a, b), None, "a and b").unwrap();
    assert_eq!(text(&v, both), "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
    assert!(v.contains(both, a).unwrap() && v.contains(both, b).unwrap());
    let err = v
        .combine("gemm", "both", (a, b), None, "again")
        .unwrap_err();
    assert!(matches!(err, Error::BranchExists { .. }), "{err}");
    let c = with(
        &v,
        "c",
        "HEAD",
        "eins\ntwo\nthree\nfour\nfive\nsix\nseven\n",
    );
    let err = v.combine("gemm", "no", (a, c), None, "m").unwrap_err();
    assert!(
        matches!(&err, Error::Conflict { files, .. } if files == &[FILE]),
        "{err}"
    );
    assert_eq!(v.tip("assay/gemm/no").unwrap(), None);
    // A combination can be rebased; it becomes one commit.
    let onto = with(
        &v,
        "champion",
        "HEAD",
        "one\ntwo\nthree\nVIER\nfive\nsix\nseven\n",
    );
    let new = v.rebase("assay/gemm/both", onto).unwrap();
    assert_eq!(text(&v, new), "ONE\ntwo\nthree\nVIER\nfive\nsix\nSEVEN\n");
}

#[test]
fn ablation_removes_one_step_at_a_time() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let base = v.resolve("HEAD").unwrap();
    let tip = with(&v, "x", "HEAD", "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
    let more = Changes::from([
        ("gemm/kernel/new.h".to_owned(), Some(b"new".to_vec())),
        (
            "gemm/harness/run.sh".to_owned(),
            Some(b"not a kernel file".to_vec()),
        ),
    ]);
    let tip = v
        .commit_files("assay/gemm/x", Some(tip), &more, "more")
        .unwrap();
    let steps = v.ablate(base, tip, "gemm", &["kernel"]).unwrap();
    let labels: Vec<&str> = steps.steps.iter().map(|s| s.label.as_str()).collect();
    assert_eq!(labels, ["kernel/a.c:1-1", "kernel/a.c:7-7", "kernel/new.h"]);
    let without = |n: usize| {
        let branch = format!("assay/gemm/x-{n}");
        v.commit_files(&branch, Some(tip), &steps.steps[n].changes, "less")
            .unwrap()
    };
    assert_eq!(
        text(&v, without(0)),
        "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"
    );
    assert_eq!(
        text(&v, without(1)),
        "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n"
    );
    assert_eq!(v.read_file(without(2), "gemm/kernel/new.h").unwrap(), None);
    let lines = |f: &dyn Fn(usize) -> String| (0..100).map(f).collect::<String>();
    let a = with(&v, "many-a", "HEAD", &lines(&|n| format!("line {n}\n")));
    let b = with(
        &v,
        "many-b",
        "HEAD",
        &lines(&|n| {
            if n % 2 == 0 {
                format!("LINE {n}\n")
            } else {
                format!("line {n}\n")
            }
        }),
    );
    let steps = v.ablate(a, b, "gemm", &["kernel"]).unwrap();
    assert_eq!((steps.steps.len(), steps.omitted), (32, 18));
}

#[test]
fn commits_made_in_this_clone_are_told_from_those_that_came() {
    let lab = Lab::new();
    let dir = &lab.dir;
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let base = v.create("gemm", "x", "HEAD").unwrap();
    let branch = Variants::branch("gemm", "x");
    assert_eq!(
        v.committed_here(&branch).unwrap(),
        None,
        "made by a command"
    );
    assert_eq!(v.committed_here("no/such/branch").unwrap(), None);

    git(dir, &["checkout", "-q", &branch]);
    put(dir, FILE, "one");
    git(dir, &["commit", "-q", "-a", "-m", "one"]);
    put(dir, FILE, "two");
    git(dir, &["commit", "-q", "-a", "-m", "two"]);
    git(dir, &["commit", "-q", "--amend", "-m", "two, better"]);
    let here = |onto: CommitId| Some(CommittedHere { onto: Some(onto) });
    assert_eq!(v.committed_here(&branch).unwrap(), here(base));

    git(dir, &["checkout", "-q", "-b", "foreign", "HEAD~1"]);
    put(dir, "gemm/other.c", "theirs");
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-q", "-m", "theirs"]);
    git(dir, &["checkout", "-q", &branch]);
    git(dir, &["merge", "-q", "--no-edit", "foreign"]);
    assert_eq!(v.committed_here(&branch).unwrap(), None, "a merge");
    let merged = v.tip(&branch).unwrap().unwrap();
    put(dir, FILE, "three");
    git(dir, &["commit", "-q", "-a", "-m", "three"]);
    assert_eq!(v.committed_here(&branch).unwrap(), here(merged));
    git(dir, &["reset", "-q", "--hard", "foreign"]);
    assert_eq!(v.committed_here(&branch).unwrap(), None, "a reset");
    git(dir, &["checkout", "-q", "--orphan", "root"]);
    git(dir, &["commit", "-q", "-m", "root"]);
    let root = v.committed_here("root").unwrap();
    assert_eq!(root, Some(CommittedHere { onto: None }));
    std::fs::remove_dir_all(dir.join(".git/logs")).unwrap();
    assert_eq!(v.committed_here("root").unwrap(), None, "no reflog");
    assert_ne!(v.tree_id(base).unwrap(), v.tree_id(merged).unwrap());
}

#[test]
fn files_of_two_commits_are_compared_by_path() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let base = v.create("gemm", "x", "HEAD").unwrap();
    let commit = |path: &str, text: &str| {
        let change = [(path.to_owned(), Some(text.as_bytes().to_vec()))].into();
        let branch = Variants::branch("gemm", "x");
        let tip = v.tip(&branch).unwrap();
        v.commit_files(&branch, tip, &change, "m").unwrap()
    };
    let same = |a, b| v.same_files(a, b, "gemm", &["kernel", "variant.toml"]);
    let outside = commit("gemm/notes.txt", "n");
    assert_eq!(same(base, outside).unwrap(), Some(true));
    let flags = commit("gemm/variant.toml", "f");
    assert_eq!(same(base, flags).unwrap(), Some(false));
    let kernel = commit(FILE, "other");
    assert_eq!(same(flags, kernel).unwrap(), Some(false));
    let elsewhere: CommitId = "0123456789012345678901234567890123456789".parse().unwrap();
    assert_eq!(same(elsewhere, kernel).unwrap(), None);
}

#[test]
fn a_patch_changes_a_commit_that_no_branch_holds() {
    let lab = Lab::new();
    let repo = lab.repo();
    let v = Variants::new(&repo);
    let base = with(&v, "x", "HEAD", "one\ntwo\nthree\n");
    let refs = git(&lab.dir, &["for-each-ref"]);
    let plain = b"--- a/kernel/a.c\t2020-01-01\n+++ b/kernel/a.c\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\
        --- /dev/null\n+++ b/kernel/new.c\n@@ -0,0 +1 @@\n+new\n";
    let changes = v.patched(base, "gemm", plain).unwrap();
    let changed = v.aside(base, &changes, "canary").unwrap();
    assert_eq!(text(&v, changed), "one\n2\nthree\n");
    let new = v.read_file(changed, "gemm/kernel/new.c").unwrap();
    assert_eq!(new.as_deref(), Some(&b"new\n"[..]));
    assert_eq!(git(&lab.dir, &["for-each-ref"]), refs);
    let gone = b"diff --git a/kernel/a.c b/kernel/a.c\ndeleted file mode 100644\n--- a/kernel/a.c\n+++ /dev/null\n\
        @@ -1,3 +0,0 @@\n-one\n-two\n-three\n";
    let changes = v.patched(base, "gemm", gone).unwrap();
    assert_eq!(changes, Changes::from([(FILE.to_owned(), None)]));
    let fails = |patch: &[u8]| v.patched(base, "gemm", patch).unwrap_err().to_string();
    let other = b"--- a/kernel/a.c\n+++ b/kernel/a.c\n@@ -1,1 +1,1 @@\n-four\n+4\n";
    assert!(fails(other).starts_with("applying the patch: "));
    assert!(fails(b"no diff\n").starts_with("applying the patch: "));
}
