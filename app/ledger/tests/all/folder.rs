//! The same ledger in a plain folder, and copying between the two.

use assay_ledger::{BlobState, Error, GcPlan, LARGE_BLOB, Ledger, ProblemKind};

use crate::lab::{Lab, at, noise, note, source_with, temp, texts};

#[test]
fn a_folder_holds_the_same_tree() {
    let lab = Lab::new();
    let (small, large) = (noise(1, 100), noise(2, LARGE_BLOB + 1));
    let record = source_with(1, vec![small.reference(), large.reference()]);
    let git = lab.ledger();
    git.append(
        &[record.clone(), note(2, "b")],
        &[small.clone(), large.clone()],
    )
    .unwrap();
    let dir = lab.path("out/ledger");
    let report = git.export(&dir).unwrap();
    assert_eq!(
        (report.records, report.blobs, report.missing_blobs),
        (2, 2, 0)
    );
    let folder = Ledger::folder(&dir).unwrap();
    assert_eq!(folder.read_all().unwrap(), git.read_all().unwrap());
    assert!(folder.verify().unwrap().is_ok());
    let sha = large.reference().sha256;
    assert_eq!(folder.blob(sha).unwrap(), BlobState::Here(large.bytes));
    assert_eq!(folder.get(record.id).unwrap(), git.get(record.id).unwrap());
    // Again changes nothing.
    let head = folder.head().unwrap();
    git.export(&dir).unwrap();
    assert_eq!(folder.head().unwrap(), head);
    assert_eq!(
        folder.changed_since(&head.unwrap()).unwrap().unwrap().added,
        []
    );
    // And back into another repository.
    let other = Lab::new();
    let report = other.ledger().import(&folder).unwrap();
    assert_eq!((report.added, report.blobs), (2, 2));
    assert_eq!(other.ledger().read_all().unwrap(), git.read_all().unwrap());
    assert!(other.ledger().verify().unwrap().is_ok());
    let report = other.ledger().import(&folder).unwrap();
    assert_eq!((report.added, report.already), (0, 2));
}

#[test]
fn import_leaves_damage_out_and_takes_the_rest() {
    let dir = temp();
    let from = Ledger::folder(dir.path().join("a")).unwrap();
    let blob = noise(1, 100);
    let record = source_with(2, vec![blob.reference()]);
    from.append(&[note(1, "a"), record, note(3, "c")], &[blob.clone()])
        .unwrap();
    let file = dir.path().join("a").join(note(1, "").path());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"a\"", "\"forged\"")).unwrap();
    let hex = blob.reference().sha256.to_string();
    let stored = dir.path().join("a/blobs").join(&hex[..2]).join(&hex);
    std::fs::write(stored, "rotten").unwrap();
    // Pretty-printed by an editor: another text, the same record.
    let file = dir.path().join("a").join(note(3, "").path());
    let value: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    std::fs::write(&file, serde_json::to_string_pretty(&value).unwrap()).unwrap();

    let lab = Lab::new();
    let report = lab.ledger().import(&from).unwrap();
    assert_eq!((report.added, report.missing_blobs), (2, 1));
    assert_eq!(report.refused.len(), 2, "{:?}", report.refused);
    assert_eq!(texts(&lab.ledger()), ["c"]);
    let raw = lab.ledger().get(note(3, "").id).unwrap().unwrap();
    assert_eq!(raw.bytes, note(3, "c").to_bytes().unwrap());
}

#[test]
fn a_tombstone_counts_in_both_directions() {
    let dir = temp();
    let a = Ledger::folder(dir.path().join("a")).unwrap();
    let b = Ledger::folder(dir.path().join("b")).unwrap();
    a.append(&[note(1, "x"), note(2, "y")], &[]).unwrap();
    b.import(&a).unwrap();
    let plan = GcPlan {
        remove: vec![(note(1, "").id, "wrong machine".into())],
        by: "me".into(),
        at: at(),
        dry_run: false,
    };
    a.gc(&plan).unwrap();
    let report = a.import(&b).unwrap();
    assert_eq!((report.added, report.tombstoned), (0, 1));
    let report = b.import(&a).unwrap();
    assert_eq!((report.added, report.removed), (1, 1));
    assert_eq!(texts(&a), ["y"]);
    assert_eq!(a.read_all().unwrap(), b.read_all().unwrap());
}

#[test]
fn a_folder_of_something_else_is_refused_and_odd_files_are_ignored() {
    let dir = temp();
    std::fs::write(dir.path().join("thesis.tex"), "x").unwrap();
    assert!(matches!(
        Ledger::folder(dir.path()),
        Err(Error::Folder { .. })
    ));
    let ledger = Ledger::folder(dir.path().join("new")).unwrap();
    assert_eq!(ledger.head().unwrap(), None);
    assert!(!dir.path().join("new").exists(), "reading makes nothing");
    ledger.append(&[note(1, "a")], &[]).unwrap();
    let records = dir.path().join("new/records");
    std::fs::write(records.join(".tmp-1.json"), "half").unwrap();
    std::fs::write(records.join("README"), "half").unwrap();
    std::os::unix::fs::symlink("/etc", records.join("link")).unwrap();
    assert_eq!(texts(&ledger), ["a"]);
    let err = ledger.append(&[note(1, "b")], &[]).unwrap_err();
    assert!(matches!(err, Error::Record { .. }), "{err}");
}

#[test]
fn the_list_of_a_folder_tells_of_records_that_are_gone_or_changed() {
    let dir = temp();
    let root = dir.path().join("a");
    let ledger = Ledger::folder(&root).unwrap();
    ledger.append(&[note(1, "a"), note(2, "b")], &[]).unwrap();
    ledger.append(&[note(3, "c"), note(1, "a")], &[]).unwrap();
    let list = root.join("records.sha256");
    let text = std::fs::read_to_string(&list).unwrap();
    let line = |n: u64, text: &str| {
        let record = note(n, text);
        let sum = assay_core::Sha256::of(record.to_bytes().unwrap());
        format!("{sum}  {}\n", record.path())
    };
    assert_eq!(text, [line(1, "a"), line(2, "b"), line(3, "c")].concat());
    let cover = ledger.verify().unwrap().cover.unwrap();
    assert_eq!((cover.listed, cover.unlisted, cover.unread), (3, 0, 0));

    // Another sound record under the same path, and one that is gone.
    std::fs::write(
        root.join(note(1, "").path()),
        note(1, "x").to_bytes().unwrap(),
    )
    .unwrap();
    std::fs::remove_file(root.join(note(2, "").path())).unwrap();
    let report = ledger.verify().unwrap();
    let kinds: Vec<ProblemKind> = report.problems.iter().map(|p| p.kind).collect();
    assert_eq!(
        kinds,
        [ProblemKind::Replaced, ProblemKind::Lost],
        "{report:?}"
    );
    assert!(!report.is_ok());

    // What a crash cut short is a line of its own, and covers nothing.
    std::fs::write(&list, format!("{}0123", line(3, "c"))).unwrap();
    ledger.append(&[note(4, "d")], &[]).unwrap();
    let cover = ledger.verify().unwrap().cover.unwrap();
    assert_eq!((cover.listed, cover.unlisted, cover.unread), (2, 1, 1));
    assert_eq!(ledger.cover().unwrap(), 1, "the one that was not listed");
    assert_eq!(ledger.verify().unwrap().cover.unwrap().unlisted, 0);
}

#[test]
fn a_folder_of_old_is_not_covered_and_does_not_get_half_a_list() {
    let dir = temp();
    let root = dir.path().join("a");
    let ledger = Ledger::folder(&root).unwrap();
    ledger.append(&[note(1, "a")], &[]).unwrap();
    std::fs::remove_file(root.join("records.sha256")).unwrap();
    ledger.append(&[note(2, "b")], &[]).unwrap();
    assert_eq!(ledger.verify().unwrap().cover, None);
    assert!(!root.join("records.sha256").exists());
    assert_eq!(ledger.cover().unwrap(), 2);
    // What was removed on purpose is not missed.
    let plan = GcPlan {
        remove: vec![(note(1, "").id, "wrong machine".into())],
        by: "me".into(),
        at: at(),
        dry_run: false,
    };
    ledger.gc(&plan).unwrap();
    let report = ledger.verify().unwrap();
    assert!(report.is_ok(), "{report:?}");
    assert_eq!(report.cover.unwrap().listed, 3, "with the tombstone");
    // Commits cover a branch.
    let lab = Lab::new();
    lab.ledger().append(&[note(1, "a")], &[]).unwrap();
    assert_eq!(lab.ledger().verify().unwrap().cover, None);
    assert!(lab.ledger().cover().is_err());
}
