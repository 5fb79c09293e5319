//! What happens when a writer is killed, the disk is full, or a lock was left behind.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use assay_core::RecordId;
use assay_ledger::{Error, FileLock, Ledger, Repo};

use crate::lab::{Lab, git, noise, note, setup, texts, with_blob};
use crate::many::{acks, writer};

/// Kills writers at points that a seed chooses and checks that what they acknowledged is there.
fn kill_many(dir: &Path, ledger: &Ledger, rounds: u64) {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut acknowledged = BTreeSet::new();
    let queue = dir.join(".git/assay/locks/ledger");
    let mut interrupted = 0;
    for round in 0..rounds {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let after = (seed >> 60) as usize % 5 + 1;
        let spin = (seed >> 40) % 400_000;
        let mut child = writer(dir, round * 1_000, 500);
        // The pipe stays open until the child is dead, or it would end by itself.
        let mut lines = acks(&mut child);
        acknowledged.extend(lines.by_ref().take(after));
        // Lands at another point of the next write each time.
        (0..spin).for_each(|_| std::hint::spin_loop());
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        acknowledged.extend(lines);
        interrupted += usize::from(queue.metadata().is_ok_and(|m| m.len() > 0));
    }
    // A writer does little else than write, so most kills land in the middle of it.
    assert!(interrupted > 0 || !dir.join(".git").exists());
    assert!(acknowledged.len() as u64 >= rounds);
    for id in &acknowledged {
        let id: RecordId = id.parse().unwrap();
        assert!(
            ledger.get(id).unwrap().is_some(),
            "{id} was acknowledged and is lost"
        );
    }
    let report = ledger.verify().unwrap();
    assert!(report.is_ok(), "{:?}", report.problems);
}

#[test]
fn a_hundred_kills_lose_no_acknowledged_record_on_a_branch() {
    let lab = Lab::new();
    kill_many(&lab.dir, &lab.ledger(), 100);
    git(&lab.dir, &["fsck", "--strict"]);
}

#[test]
fn kills_lose_no_acknowledged_record_in_a_folder() {
    let lab = Lab::new();
    let dir = lab.path("folder");
    std::fs::create_dir(&dir).unwrap();
    kill_many(&dir, &Ledger::folder(&dir).unwrap(), 30);
}

#[test]
fn the_lock_of_a_dead_writer_is_cleared_and_that_of_another_program_is_not() {
    let lab = Lab::new();
    let ledger = lab.ledger();
    ledger.append(&[note(1, "a")], &[]).unwrap();
    let lock = lab.dir.join(".git/refs/heads/assay/ledger.lock");
    std::fs::write(&lock, "").unwrap();
    let err = ledger.append(&[note(2, "b")], &[]).unwrap_err();
    assert!(matches!(err, Error::RefLocked { .. }), "{err}");
    assert!(err.hint().unwrap().contains(&lock.display().to_string()));
    // A writer that was killed leaves its name in the queue.
    std::fs::write(lab.dir.join(".git/assay/locks/ledger"), "assay (pid 1)").unwrap();
    ledger.append(&[note(2, "b")], &[]).unwrap();
    assert_eq!(texts(&ledger), ["a", "b"]);
}

#[test]
fn a_lock_ends_with_its_process() {
    let lab = Lab::new();
    let mut child = writer(&lab.dir, 0, 500);
    let mut lines = acks(&mut child);
    assert!(lines.next().is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    let lock = lab.dir.join(".git/assay/locks/ledger");
    assert!(FileLock::try_acquire(lock, "test").unwrap().is_some());
}

const LIMITED: &str = "ASSAY_TEST_LIMITED";

/// Does nothing unless started with a limit on the size of files.
#[test]
fn limited_process() {
    let Ok(dir) = std::env::var(LIMITED) else {
        return;
    };
    setup();
    let dir = Path::new(&dir);
    let stores = [
        Ledger::git(&Repo::open(dir.join("repo")).unwrap()).unwrap(),
        Ledger::folder(dir.join("folder")).unwrap(),
    ];
    for ledger in &stores {
        ledger.append(&[note(1, "fits")], &[]).unwrap();
        let head = ledger.head().unwrap();
        // One that goes into the tree, one that goes beside it, and a batch that becomes a pack.
        for size in [600_000, 3_000_000] {
            let blob = noise(7, size);
            let record = with_blob(2, &blob.reference());
            let err = ledger.append(&[note(3, "x"), record], &[blob]).unwrap_err();
            assert!(matches!(err, Error::DiskFull { .. }), "{err:?}");
            assert!(err.hint().unwrap().contains("free some space"));
        }
        let blobs: Vec<_> = (0..40).map(|n| noise(n + 1, 30_000)).collect();
        let records: Vec<_> = (0u64..)
            .zip(&blobs)
            .map(|(n, b)| with_blob(100 + n, &b.reference()))
            .collect();
        if ledger.is_git() {
            let err = ledger.append(&records, &blobs).unwrap_err();
            assert!(matches!(err, Error::DiskFull { .. }), "{err:?}");
        }
        assert_eq!(ledger.head().unwrap(), head);
        ledger.append(&[note(4, "goes on")], &[]).unwrap();
    }
    println!("LIMITED OK");
}

#[test]
fn a_full_disk_is_said_and_leaves_nothing_half_visible() {
    let lab = Lab::new();
    let program = std::env::current_exe().unwrap();
    // Files over 256 KiB cannot be written, as with a full disk; the signal that comes with it is
    // ignored so that the write fails instead. The unit of `ulimit -f` is 512 bytes in sh.
    let script = "trap '' XFSZ; ulimit -f 512 || exit 77; exec \"$0\" --exact crash::limited_process --nocapture";
    let out = Command::new("sh")
        .args(["-c", script])
        .arg(program)
        .env(LIMITED, lab.temp.path())
        .output()
        .unwrap();
    if out.status.code() == Some(77) {
        eprintln!("SKIPPED: this shell cannot limit the size of files");
        return;
    }
    let text =
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success() && text.contains("LIMITED OK"),
        "{text}"
    );
    let left: Vec<_> = std::fs::read_dir(lab.dir.join(".git/objects/pack"))
        .unwrap()
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    for ledger in [lab.ledger(), Ledger::folder(lab.path("folder")).unwrap()] {
        assert_eq!(texts(&ledger), ["fits", "goes on"]);
        assert!(ledger.verify().unwrap().is_ok());
    }
    git(&lab.dir, &["fsck", "--strict"]);
}
