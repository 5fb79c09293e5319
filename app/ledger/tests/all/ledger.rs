//! Writing, reading, checking and removing records on a branch.

use assay_core::record::BlobRef;
use assay_core::{Record, Sha256};
use assay_ledger::{BlobState, Error, GcPlan, LARGE_BLOB, Ledger, ProblemKind, blob_refs};

use crate::lab::{Lab, at, git, noise, note, source_with, texts, with_blob};

#[test]
fn a_record_is_there_with_its_blob_after_append() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let blob = noise(1, 1000);
    let record = with_blob(1, &blob.reference());
    let head = ledger
        .append(&[record.clone(), note(2, "n")], &[blob.clone()])
        .unwrap();
    assert_eq!(ledger.head().unwrap(), Some(head));
    let raw = ledger.get(record.id).unwrap().unwrap();
    assert_eq!(raw.bytes, record.to_bytes().unwrap());
    assert_eq!(raw.path, record.path());
    assert_eq!(ledger.get(note(9, "").id).unwrap(), None);
    let sha = blob.reference().sha256;
    assert_eq!(ledger.blob(sha).unwrap(), BlobState::Here(blob.bytes));
    assert_eq!(ledger.blob(Sha256::of("no")).unwrap(), BlobState::Missing);
    assert!(ledger.verify().unwrap().is_ok());
    let format = git(&lab.dir, &["show", "assay/ledger:format.json"]);
    assert_eq!(format, r#"{"schema":"assay.ledger/1"}"#);
    let who = git(
        &lab.dir,
        &["log", "-1", "--format=%an <%ae> %cn <%ce>", "assay/ledger"],
    );
    assert_eq!(who, "tester <assay@localhost> assay <assay@localhost>");
    assert_eq!(
        git(&lab.dir, &["log", "-1", "--format=%s", "assay/ledger"]),
        "gemm: log, note"
    );
    git(&lab.dir, &["fsck", "--strict"]);
}

/// Few are looked up one by one and many through the list of all: what is found is the same, also of a record
/// that does not lie in the folder of its day.
#[test]
fn many_records_are_those_that_are_found_one_by_one() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let mut records: Vec<Record> = (0..600).map(|n| note(n, "n")).collect();
    records[7].created_at = assay_core::Timestamp::UNIX_EPOCH;
    ledger.append(&records, &[]).unwrap();
    let folder = lab.path("out/ledger");
    ledger.export(&folder).unwrap();
    let folder = Ledger::folder(&folder).unwrap();
    let absent = note(999, "").id;
    for count in [2, 600] {
        let mut ids: Vec<_> = records.iter().take(count).map(|r| r.id).collect();
        let mut one_by_one: Vec<_> = (ids.iter())
            .map(|id| ledger.get(*id).unwrap().unwrap())
            .collect();
        one_by_one.sort_by(|a, b| a.path.cmp(&b.path));
        ids.push(absent);
        for ledger in [&ledger, &folder] {
            let mut found = ledger.get_many(&ids).unwrap();
            found.sort_by(|a, b| a.path.cmp(&b.path));
            assert_eq!(found, one_by_one, "{count}");
        }
    }
    assert_eq!(Lab::new().ledger().get_many(&[absent; 600]).unwrap(), []);
}

#[test]
fn a_name_that_git_forbids_is_no_obstacle() {
    let lab = Lab::new();
    let mut record = note(1, "a");
    for (n, by) in ["<>", "", "a <b@c>\nd", "  .  ", "核"].iter().enumerate() {
        record.by = (*by).to_owned();
        record.id = note(100 + n as u64, "").id;
        lab.ledger().append(&[record.clone()], &[]).unwrap();
    }
    git(&lab.dir, &["fsck", "--strict"]);
    assert!(lab.ledger().verify().unwrap().is_ok());
}

#[test]
fn a_record_without_its_blob_is_refused_and_nothing_is_written() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let blob = noise(1, 10).reference();
    let err = ledger
        .append(&[note(1, "a"), with_blob(2, &blob)], &[])
        .unwrap_err();
    assert!(matches!(err, Error::BlobAbsent { .. }), "{err}");
    assert_eq!(ledger.head().unwrap(), None);
}

#[test]
fn the_same_record_again_changes_nothing_and_another_of_its_id_is_refused() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let head = ledger.append(&[note(1, "a")], &[]).unwrap();
    assert_eq!(ledger.append(&[note(1, "a")], &[]).unwrap(), head);
    let err = ledger.append(&[note(1, "b")], &[]).unwrap_err();
    assert!(matches!(err, Error::Record { .. }), "{err}");
    assert_eq!(ledger.head().unwrap(), Some(head));
}

#[test]
fn large_blobs_stay_out_of_git_and_are_said_to_be_missing() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let blob = noise(1, LARGE_BLOB + 1);
    let sha = blob.reference().sha256;
    ledger
        .append(&[with_blob(1, &blob.reference())], &[blob.clone()])
        .unwrap();
    assert_eq!(
        ledger.blob(sha).unwrap(),
        BlobState::Here(blob.bytes.clone())
    );
    let hex = sha.to_string();
    let file = lab.dir.join(".git/assay/blobs").join(&hex[..2]).join(&hex);
    assert!(file.is_file());
    assert!(!git(&lab.dir, &["ls-tree", "-r", "assay/ledger"]).contains(&hex));
    std::fs::remove_file(&file).unwrap();
    let report = ledger.verify().unwrap();
    assert!(report.is_ok());
    assert_eq!(report.missing, [blob.reference()]);
    assert_eq!(ledger.blob(sha).unwrap(), BlobState::Missing);
    std::fs::write(&file, b"something else").unwrap();
    assert!(matches!(ledger.blob(sha), Err(Error::BlobCorrupt { .. })));
    let problems = ledger.verify().unwrap().problems;
    assert!(problems.iter().any(|p| p.kind == ProblemKind::BlobDamaged));
    // Handing the right content over again repairs it.
    ledger.put_blob("noise", &blob.bytes).unwrap();
    assert!(matches!(ledger.blob(sha), Ok(BlobState::Here(_))));
}

#[test]
fn a_small_blob_stored_ahead_moves_into_the_tree_with_its_record() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let blob = ledger.put_blob("log", b"hello").unwrap();
    ledger
        .append(&[source_with(1, vec![blob.clone()])], &[])
        .unwrap();
    let hex = blob.sha256.to_string();
    assert!(git(&lab.dir, &["ls-tree", "-r", "assay/ledger"]).contains(&hex));
}

#[test]
fn references_are_found_by_shape_in_any_kind() {
    let blob = noise(1, 10).reference();
    assert_eq!(blob_refs(&with_blob(1, &blob)), [blob.clone()]);
    assert_eq!(blob_refs(&source_with(1, vec![blob.clone()])), [blob]);
    assert_eq!(blob_refs(&note(1, "x")), Vec::<BlobRef>::new());
}

#[test]
fn changes_since_a_state_are_just_what_came_and_went() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let first = ledger.append(&[note(1, "a"), note(2, "b")], &[]).unwrap();
    assert_eq!(ledger.changed_since(&first).unwrap().unwrap().added, []);
    ledger.append(&[note(3, "c")], &[]).unwrap();
    let plan = GcPlan {
        remove: vec![(note(1, "").id, "old".into())],
        by: "me".into(),
        at: at(),
        dry_run: false,
    };
    assert!(ledger.gc(&plan).unwrap().written);
    let delta = ledger.changed_since(&first).unwrap().unwrap();
    assert_eq!(delta.head, ledger.head().unwrap());
    assert_eq!(delta.removed, [note(1, "").path()]);
    assert_eq!(delta.added.len(), 2, "the note and the tombstone");
    let other = git(&lab.dir, &["rev-parse", "main"]);
    assert_eq!(ledger.changed_since(&other).unwrap(), None);
    assert_eq!(ledger.changed_since(&"0".repeat(40)).unwrap(), None);
    assert_eq!(ledger.changed_since("nonsense").unwrap(), None);
}

#[test]
fn gc_says_first_and_then_does_it_with_the_blobs() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let (large, small, shared) = (noise(1, LARGE_BLOB + 1), noise(2, 100), noise(3, 100));
    let gone = source_with(
        1,
        vec![large.reference(), small.reference(), shared.reference()],
    );
    let kept = source_with(2, vec![shared.reference()]);
    let blobs = [large.clone(), small.clone(), shared.clone()];
    ledger.append(&[gone.clone(), kept], &blobs).unwrap();
    let mut plan = GcPlan {
        remove: vec![
            (gone.id, "superseded".into()),
            (note(77, "").id, "x".into()),
        ],
        by: "me".into(),
        at: at(),
        dry_run: true,
    };
    let head = ledger.head().unwrap();
    let dry = ledger.gc(&plan).unwrap();
    assert_eq!(ledger.head().unwrap(), head);
    assert!(!dry.written);
    plan.dry_run = false;
    let wet = ledger.gc(&plan).unwrap();
    assert_eq!(
        (&wet.records, &wet.blobs, &wet.unknown),
        (&dry.records, &dry.blobs, &dry.unknown)
    );
    assert_eq!(wet.blobs.len(), 2);
    assert_eq!(wet.unknown, [note(77, "").id]);
    assert_eq!(ledger.get(gone.id).unwrap(), None);
    for (blob, there) in [(large, false), (small, false), (shared, true)] {
        assert_eq!(ledger.has_blob(blob.reference().sha256).unwrap(), there);
    }
    assert!(ledger.verify().unwrap().is_ok());
    // A tombstone cannot be removed, or the record could come back.
    let tombstone = ledger.read_all().unwrap().iter().find_map(|r| {
        let r = Record::from_bytes(&r.bytes).unwrap();
        (r.body.kind() == "tombstone").then_some(r.id)
    });
    plan.remove = vec![(tombstone.unwrap(), "x".into())];
    assert_eq!(ledger.gc(&plan).unwrap().kept.len(), 1);
}

#[test]
fn verify_names_each_kind_of_damage() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    ledger
        .append(&[note(1, "a"), note(2, "b"), note(3, "c")], &[])
        .unwrap();
    let mut correction = note(4, "d");
    correction.supersedes = Some(note(999, "").id);
    assert!(
        ledger.append(&[correction.clone()], &[]).is_err(),
        "no reason"
    );
    correction.reason = Some("typo".into());
    ledger.append(&[correction], &[]).unwrap();
    // Damage the branch as a careless person would: through a work tree.
    git(
        &lab.dir,
        &["worktree", "add", "-q", "../by-hand", "assay/ledger"],
    );
    let dir = lab.path("by-hand");
    let file = |n: u64| dir.join(note(n, "").path());
    std::fs::write(file(1), "{").unwrap();
    let text = std::fs::read_to_string(file(2)).unwrap();
    std::fs::write(file(2), text.replace("\"b\"", "\"B\"")).unwrap();
    std::fs::copy(file(3), dir.join("records/copy.json")).unwrap();
    git(&dir, &["add", "-A"]);
    git(&dir, &["commit", "-q", "-m", "oops"]);
    let report = ledger.verify().unwrap();
    assert!(!report.is_ok());
    let kinds: Vec<ProblemKind> = report.problems.iter().map(|p| p.kind).collect();
    assert_eq!(
        kinds.iter().filter(|k| **k == ProblemKind::Damaged).count(),
        3,
        "{report:?}"
    );
    assert!(kinds.contains(&ProblemKind::SupersedesNothing));
    // The rest can still be read and written.
    ledger.append(&[note(5, "e")], &[]).unwrap();
}

#[test]
fn a_ledger_of_a_newer_version_is_not_written() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    ledger.append(&[note(1, "a")], &[]).unwrap();
    git(
        &lab.dir,
        &["worktree", "add", "-q", "../by-hand", "assay/ledger"],
    );
    let dir = lab.path("by-hand");
    std::fs::write(dir.join("format.json"), "{\"schema\":\"assay.ledger/9\"}").unwrap();
    git(&dir, &["commit", "-qam", "newer"]);
    let err = ledger.append(&[note(2, "b")], &[]).unwrap_err();
    assert!(
        matches!(&err, Error::LedgerSchema { schema } if schema == "assay.ledger/9"),
        "{err}"
    );
    assert_eq!(texts(&ledger), ["a"]);
}

#[test]
fn batches_become_packs_and_maintenance_joins_them() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    for batch in 0..5u64 {
        let records: Vec<Record> = (0..100).map(|n| note(batch * 100 + n, "x")).collect();
        ledger.append(&records, &[]).unwrap();
    }
    ledger.append(&[note(1000, "single")], &[]).unwrap();
    let packs = || {
        let dir = std::fs::read_dir(lab.dir.join(".git/objects/pack")).unwrap();
        dir.flatten()
            .filter(|e| e.path().extension().is_some_and(|x| x == "pack"))
            .count()
    };
    assert_eq!(packs(), 5);
    let other = lab.ledger();
    assert_eq!(other.read_all().unwrap().len(), 501);
    assert!(!ledger.maintain().unwrap().packed, "too few to bother");
    assert!(ledger.pack().unwrap().packed);
    assert_eq!(packs(), 1);
    // A handle that was open before sees everything, and so does a new one.
    assert_eq!(other.read_all().unwrap().len(), 501);
    other.append(&[note(1001, "after")], &[]).unwrap();
    assert_eq!(ledger.read_all().unwrap().len(), 502);
    assert!(lab.ledger().verify().unwrap().is_ok());
    git(&lab.dir, &["fsck", "--strict"]);
}

#[test]
fn records_survive_gits_own_collection() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    let blob = noise(1, 100);
    ledger
        .append(&[with_blob(1, &blob.reference())], &[blob])
        .unwrap();
    git(&lab.dir, &["gc", "-q", "--prune=now"]);
    let fresh = Ledger::git(&lab.repo()).unwrap();
    assert!(fresh.verify().unwrap().is_ok());
    fresh.append(&[note(2, "b")], &[]).unwrap();
    ledger.append(&[note(3, "c")], &[]).unwrap();
    assert_eq!(texts(&fresh), ["b", "c"]);
}
