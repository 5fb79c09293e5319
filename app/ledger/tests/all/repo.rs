//! Every state a repository can be in.

use assay_ledger::{Error, Ledger, Repo, User, Variants};

use crate::lab::{Lab, git, note, put, temp, texts, try_git};

#[test]
fn no_repository_says_what_to_do() {
    let dir = temp();
    let err = Repo::open(dir.path()).unwrap_err();
    assert!(matches!(err, Error::NotARepository { .. }), "{err}");
    assert!(err.hint().unwrap().contains("git init"));
}

#[test]
fn without_commits_the_ledger_works_and_variants_do_not() {
    let dir = temp();
    git(dir.path(), &["init", "-q"]);
    let repo = Repo::open(dir.path()).unwrap();
    assert_eq!(repo.head().unwrap(), None);
    assert!(repo.remarks()[0].contains("no commit yet"));
    let ledger = Ledger::git(&repo).unwrap();
    assert_eq!(ledger.head().unwrap(), None);
    ledger.append(&[note(1, "a")], &[]).unwrap();
    assert_eq!(texts(&ledger), ["a"]);
    let err = Variants::new(&repo)
        .create("gemm", "x", "HEAD")
        .unwrap_err();
    assert!(matches!(err, Error::NoCommits { .. }), "{err}");
}

#[test]
fn a_bare_repository_keeps_records_but_has_no_work_tree() {
    let lab = Lab::new();
    git(lab.temp.path(), &["clone", "-q", "--bare", "repo", "bare"]);
    let repo = Repo::open(lab.path("bare")).unwrap();
    assert!(repo.is_bare());
    let ledger = Ledger::git(&repo).unwrap();
    ledger.append(&[note(1, "a")], &[]).unwrap();
    assert_eq!(texts(&ledger), ["a"]);
    let err = assay_ledger::Edits::new(&repo, lab.path("edits")).unwrap_err();
    assert!(matches!(err, Error::Bare { .. }), "{err}");
    assert!(matches!(repo.folder_of("."), Err(Error::Bare { .. })));
    ledger.pack().unwrap();
    assert_eq!(texts(&ledger), ["a"]);
}

#[test]
fn shallow_and_detached_work_and_are_said() {
    let lab = Lab::new();
    put(&lab.dir, "more", "x");
    git(&lab.dir, &["add", "-A"]);
    git(&lab.dir, &["commit", "-q", "-m", "second"]);
    let from = format!("file://{}", lab.dir.display());
    git(
        lab.temp.path(),
        &["clone", "-q", "--depth=1", &from, "shallow"],
    );
    let dir = lab.path("shallow");
    git(&dir, &["checkout", "-q", "--detach"]);
    let repo = Repo::open(&dir).unwrap();
    let remarks = repo.remarks().join("\n");
    assert!(repo.is_shallow() && remarks.contains("shallow") && remarks.contains("detached"));
    assert_eq!(repo.head_branch(), None);
    assert!(repo.head().unwrap().is_some());
    let ledger = Ledger::git(&repo).unwrap();
    ledger.append(&[note(1, "a")], &[]).unwrap();
    assert_eq!(texts(&ledger), ["a"]);
    Variants::new(&repo).create("gemm", "x", "HEAD").unwrap();
}

#[test]
fn formats_that_cannot_be_read_are_named_with_a_way_out() {
    let cases = [
        ("--object-format=sha256", "objectformat", "sha1"),
        ("--ref-format=reftable", "refstorage", "git refs migrate"),
    ];
    for (option, extension, way_out) in cases {
        let dir = temp();
        let (ok, said) = try_git(dir.path(), &["init", "-q", option]);
        if !ok {
            eprintln!("SKIPPED: this git does not know {option}: {said}");
            continue;
        }
        let err = Repo::open(dir.path()).unwrap_err();
        assert!(
            matches!(&err, Error::UnsupportedFormat { extension: e, .. } if e.contains(extension)),
            "{option}: {err:?}"
        );
        assert!(err.hint().unwrap().contains(way_out), "{:?}", err.hint());
    }
    let lab = Lab::new();
    git(&lab.dir, &["config", "core.repositoryFormatVersion", "1"]);
    git(&lab.dir, &["config", "extensions.partialClone", "origin"]);
    let err = Repo::open(&lab.dir).unwrap_err();
    assert!(err.hint().unwrap().contains("full clone"), "{err:?}");
}

#[test]
fn a_repository_of_another_user_gives_the_command_to_trust_it() {
    let lab = Lab::new();
    let chown = |p: &std::path::Path| std::os::unix::fs::chown(p, Some(12345), Some(12345));
    if chown(&lab.dir).is_err() || chown(&lab.dir.join(".git")).is_err() {
        eprintln!("SKIPPED: giving a folder to another user needs root");
        return;
    }
    let err = Repo::open(&lab.dir).unwrap_err();
    assert!(matches!(err, Error::Ownership { .. }), "{err:?}");
    let hint = err.hint().unwrap();
    let wanted = format!(
        "git config --global --add safe.directory {}",
        lab.dir.display()
    );
    assert!(hint.contains(&wanted), "{hint}");
}

#[test]
fn identity_and_places_come_from_git() {
    let lab = Lab::new();
    let repo = lab.repo();
    assert_eq!(repo.user().name, "unknown");
    assert!(!repo.user().known);
    git(&lab.dir, &["config", "user.name", "王小明"]);
    git(&lab.dir, &["config", "user.email", "wang@example.org"]);
    assert_eq!(
        repo.user(),
        User {
            name: "王小明".into(),
            email: "wang@example.org".into(),
            known: true
        }
    );
    assert_eq!(
        repo.folder_of(lab.dir.join("gemm/kernel")).unwrap(),
        "gemm/kernel"
    );
    assert_eq!(repo.folder_of(&lab.dir).unwrap(), "");
    assert!(repo.folder_of(lab.temp.path()).is_err());
    assert_eq!(repo.head_branch().as_deref(), Some("main"));
    let inner = Repo::open(lab.dir.join("gemm")).unwrap();
    assert_eq!(inner.common_dir(), repo.common_dir());
    assert_eq!(inner.key(), repo.key());
}

#[test]
fn a_linked_work_tree_shares_the_ledger() {
    let lab = Lab::new();
    lab.ledger().append(&[note(1, "a")], &[]).unwrap();
    git(
        &lab.dir,
        &["worktree", "add", "-q", "../linked", "-b", "other"],
    );
    let repo = Repo::open(lab.path("linked")).unwrap();
    assert_eq!(repo.common_dir(), lab.repo().common_dir());
    let ledger = Ledger::git(&repo).unwrap();
    ledger.append(&[note(2, "b")], &[]).unwrap();
    assert_eq!(texts(&lab.ledger()), ["a", "b"]);
}

#[test]
fn init_makes_a_first_commit_of_a_folder() {
    let dir = temp();
    put(dir.path(), "kernel/a.c", "x");
    let by = User {
        name: "n".into(),
        email: "e".into(),
        known: true,
    };
    let repo = Repo::init(dir.path(), &by, "demo").unwrap();
    assert_eq!(repo.head_branch().as_deref(), Some("main"));
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "");
    assert!(Repo::init(dir.path(), &by, "again").is_err());
}
