//! Two copies of a ledger that meet through a remote.

use std::path::PathBuf;
use std::time::Duration;

use assay_ledger::{
    BlobState, BranchSync, Changes, Error, GcPlan, LARGE_BLOB, Ledger, Repo, SyncOptions, Variants,
};

use crate::lab::{Lab, at, git, noise, note, source_with, texts};

/// A bare remote with two clones.
struct Pair {
    lab: Lab,
    a: PathBuf,
    b: PathBuf,
}

impl Pair {
    fn new() -> Self {
        let lab = Lab::new();
        let root = lab.temp.path();
        git(root, &["clone", "-q", "--bare", "repo", "hub"]);
        git(root, &["clone", "-q", "hub", "a"]);
        git(root, &["clone", "-q", "hub", "b"]);
        let (a, b) = (lab.path("a"), lab.path("b"));
        // A relative address must work as well.
        git(&b, &["remote", "set-url", "origin", "../hub"]);
        Self { lab, a, b }
    }

    fn ledgers(&self) -> (Ledger, Ledger) {
        let open = |dir: &PathBuf| Ledger::git(&Repo::open(dir).unwrap()).unwrap();
        (open(&self.a), open(&self.b))
    }
}

fn sync(ledger: &Ledger) -> assay_ledger::SyncReport {
    ledger.sync("origin", &SyncOptions::default()).unwrap()
}

#[test]
fn two_that_diverged_become_one_set() {
    let pair = Pair::new();
    let (a, b) = pair.ledgers();
    assert_eq!(sync(&a).received, 0, "nothing on either side");
    let blob = noise(1, 100);
    a.append(
        &[source_with(1, vec![blob.reference()]), note(2, "from a")],
        &[blob.clone()],
    )
    .unwrap();
    b.append(&[note(3, "from b")], &[]).unwrap();
    assert_eq!(sync(&a).sent, 2);
    let report = sync(&b);
    assert_eq!((report.received, report.sent), (2, 1));
    assert_eq!(sync(&a).received, 1);
    assert_eq!(a.read_all().unwrap(), b.read_all().unwrap());
    assert_eq!(
        a.head().unwrap(),
        b.head().unwrap(),
        "the second is only moved forward"
    );
    assert_eq!(texts(&a), ["from a", "from b"]);
    assert!(matches!(
        b.blob(blob.reference().sha256).unwrap(),
        BlobState::Here(_)
    ));
    assert!(b.verify().unwrap().is_ok());
    let again = sync(&b);
    assert_eq!((again.received, again.sent), (0, 0));
    assert!(git(&pair.a, &["status", "--porcelain"]).is_empty());
}

#[test]
fn what_was_removed_on_purpose_stays_removed() {
    let pair = Pair::new();
    let (a, b) = pair.ledgers();
    a.append(&[note(1, "bad"), note(2, "good")], &[]).unwrap();
    sync(&a);
    sync(&b);
    let plan = GcPlan {
        remove: vec![(note(1, "").id, "wrong clock".into())],
        by: "me".into(),
        at: at(),
        dry_run: false,
    };
    a.gc(&plan).unwrap();
    b.append(&[note(3, "meanwhile")], &[]).unwrap();
    sync(&b);
    sync(&a);
    let report = sync(&b);
    assert_eq!(report.removed, 1);
    for ledger in [&a, &b] {
        assert_eq!(texts(ledger), ["good", "meanwhile"]);
        assert!(ledger.verify().unwrap().is_ok());
    }
    // A third copy that still has it, and never saw the others' history.
    let c = Lab::new();
    let ledger = c.ledger();
    ledger
        .append(&[note(1, "bad"), note(4, "late")], &[])
        .unwrap();
    git(
        &c.dir,
        &[
            "remote",
            "add",
            "origin",
            &pair.lab.path("hub").display().to_string(),
        ],
    );
    assert_eq!(sync(&ledger).removed, 1);
    sync(&a);
    for ledger in [&a, &ledger] {
        assert_eq!(texts(ledger), ["good", "late", "meanwhile"]);
    }
}

#[test]
fn damage_at_the_remote_is_left_there() {
    let pair = Pair::new();
    let (a, b) = pair.ledgers();
    a.append(&[note(1, "a"), note(2, "b")], &[]).unwrap();
    git(
        &pair.a,
        &["worktree", "add", "-q", "../by-hand", "assay/ledger"],
    );
    let dir = pair.lab.path("by-hand");
    std::fs::write(dir.join(note(1, "").path()), "{}").unwrap();
    git(&dir, &["commit", "-qam", "oops"]);
    git(&dir, &["push", "-q", "origin", "assay/ledger"]);
    let report = sync(&b);
    assert_eq!((report.received, report.refused.len()), (1, 1));
    assert_eq!(texts(&b), ["b"]);
    assert_eq!(sync(&b).refused.len(), 0, "said once");
}

#[test]
fn variants_travel_forward_only() {
    let pair = Pair::new();
    let (a, b) = pair.ledgers();
    let (ra, rb) = (Repo::open(&pair.a).unwrap(), Repo::open(&pair.b).unwrap());
    let (va, vb) = (Variants::new(&ra), Variants::new(&rb));
    let base = va.create("gemm", "tiled", "HEAD").unwrap();
    va.create("gemm", "核函数", "HEAD").unwrap();
    let report = sync(&a);
    assert_eq!(report.branches["assay/gemm/tiled"], BranchSync::Sent);
    assert_eq!(sync(&b).branches["assay/gemm/核函数"], BranchSync::Created);
    let edit = |v: &Variants<'_>, parent, text: &str| {
        let changes = Changes::from([("gemm/kernel/a.c".into(), Some(text.into()))]);
        v.commit_files("assay/gemm/tiled", Some(parent), &changes, "edit")
            .unwrap()
    };
    let ahead = edit(&va, base, "from a");
    sync(&a);
    assert_eq!(sync(&b).branches["assay/gemm/tiled"], BranchSync::Updated);
    assert_eq!(vb.tip("assay/gemm/tiled").unwrap(), Some(ahead));
    let (in_a, in_b) = (edit(&va, ahead, "again a"), edit(&vb, ahead, "again b"));
    sync(&a);
    let report = sync(&b);
    let diverged = BranchSync::Diverged {
        local: in_b,
        remote: in_a,
    };
    assert_eq!(report.branches["assay/gemm/tiled"], diverged);
    assert_eq!(vb.tip("assay/gemm/tiled").unwrap(), Some(in_b));
}

#[test]
fn large_blobs_travel_on_request() {
    let pair = Pair::new();
    let (a, b) = pair.ledgers();
    let blob = noise(1, LARGE_BLOB + 10);
    let sha = blob.reference().sha256;
    a.append(&[source_with(1, vec![blob.reference()])], &[blob.clone()])
        .unwrap();
    sync(&a);
    sync(&b);
    assert_eq!(b.blob(sha).unwrap(), BlobState::Missing);
    assert_eq!(b.verify().unwrap().missing.len(), 1);
    let all = SyncOptions {
        with_blobs: true,
        ..SyncOptions::default()
    };
    assert_eq!(a.sync("origin", &all).unwrap().blobs_sent, 1);
    assert_eq!(a.sync("origin", &all).unwrap().blobs_sent, 0);
    assert_eq!(b.sync("origin", &all).unwrap().blobs_received, 1);
    assert_eq!(b.blob(sha).unwrap(), BlobState::Here(blob.bytes));
    let other = noise(2, LARGE_BLOB + 10);
    b.append(&[source_with(2, vec![other.reference()])], &[other.clone()])
        .unwrap();
    assert_eq!(b.sync("origin", &all).unwrap().blobs_sent, 1);
    assert_eq!(a.sync("origin", &all).unwrap().blobs_received, 1);
    assert!(a.verify().unwrap().missing.is_empty());
}

#[test]
fn two_that_push_at_once_both_arrive() {
    let pair = Pair::new();
    let (a, b) = pair.ledgers();
    a.append(&[note(1, "a")], &[]).unwrap();
    b.append(&[note(2, "b")], &[]).unwrap();
    std::thread::scope(|s| {
        for ledger in [a, b] {
            s.spawn(move || sync(&ledger));
        }
    });
    let (a, b) = pair.ledgers();
    sync(&a);
    sync(&b);
    assert_eq!(texts(&a), ["a", "b"]);
    assert_eq!(texts(&b), ["a", "b"]);
}

#[test]
fn a_remote_that_is_not_there_or_does_not_answer_is_an_error() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    ledger.append(&[note(1, "a")], &[]).unwrap();
    let err = ledger.sync("nowhere", &SyncOptions::default()).unwrap_err();
    assert!(
        matches!(&err, Error::Program { stderr, .. } if stderr.contains("nowhere")),
        "{err}"
    );
    assert!(err.hint().unwrap().contains("git remote -v"));
    // A transport that never says anything.
    git(
        &lab.dir,
        &["config", "remote.silent.url", "ext::sleep 1000"],
    );
    git(&lab.dir, &["config", "protocol.ext.allow", "always"]);
    let options = SyncOptions {
        timeout: Duration::from_millis(300),
        ..SyncOptions::default()
    };
    let err = ledger.sync("silent", &options).unwrap_err();
    assert!(matches!(err, Error::Timeout { .. }), "{err}");
    let folder = Ledger::folder(lab.path("folder")).unwrap();
    assert!(matches!(
        folder.sync("x", &options),
        Err(Error::Folder { .. })
    ));
}
