//! Many writers at once.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use assay_core::Record;
use assay_ledger::{Ledger, Repo};

use crate::lab::{Lab, note, setup};

/// Set in a child process: what it is to write and where.
const ORDER: &str = "ASSAY_TEST_WRITER";

/// The beginning of a line that acknowledges a record.
pub const ACK: &str = "ACK ";

/// Starts this test program again as a writer of `count` records numbered from `first`.
pub fn writer(dir: &Path, first: u64, count: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "many::writer_process",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ORDER, format!("{first} {count} {}", dir.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The ids that a writer acknowledges, as they come.
pub fn acks(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        // The test program may have begun a line of its own before.
        .filter_map(|l| l.split_once(ACK).map(|(_, id)| id.to_owned()))
}

/// Does nothing unless started by [`writer`].
#[test]
fn writer_process() {
    let Ok(order) = std::env::var(ORDER) else {
        return;
    };
    setup();
    let mut parts = order.splitn(3, ' ');
    let first: u64 = parts.next().unwrap().parse().unwrap();
    let count: u64 = parts.next().unwrap().parse().unwrap();
    let dir = Path::new(parts.next().unwrap());
    let ledger = if dir.join(".git").exists() {
        Ledger::git(&Repo::open(dir).unwrap()).unwrap()
    } else {
        Ledger::folder(dir).unwrap()
    };
    for n in first..first + count {
        let record = note(n, "written by a child");
        ledger.append(&[record.clone()], &[]).unwrap();
        println!("{ACK}{}", record.id);
    }
}

fn eight_writers(dir: &Path, ledger: &Ledger) {
    let mut children: Vec<Child> = (0..8).map(|w| writer(dir, w * 1_000, 200)).collect();
    let mut acknowledged = Vec::new();
    for child in &mut children {
        acknowledged.extend(acks(child));
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(acknowledged.len(), 1_600);
    acknowledged.sort();
    let mut there: Vec<String> = ledger
        .read_all()
        .unwrap()
        .iter()
        .map(|r| Record::from_bytes(&r.bytes).unwrap().id.to_string())
        .collect();
    there.sort();
    assert_eq!(there, acknowledged);
    assert!(ledger.verify().unwrap().is_ok());
}

#[test]
fn eight_processes_lose_nothing_on_a_branch() {
    let lab = Lab::new();
    let mut children = [writer(&lab.dir, 900_000, 1)];
    assert!(children[0].wait().unwrap().success());
    let lab = Lab::new();
    eight_writers(&lab.dir, &lab.ledger());
}

#[test]
fn eight_processes_lose_nothing_in_a_folder() {
    let lab = Lab::new();
    let dir = lab.path("folder");
    std::fs::create_dir(&dir).unwrap();
    eight_writers(&dir, &Ledger::folder(&dir).unwrap());
}

#[test]
fn packing_while_others_write_and_read_loses_nothing() {
    let lab = Lab::new();
    let mut child = writer(&lab.dir, 0, 150);
    let reader = lab.ledger();
    for (n, _) in acks(&mut child).enumerate() {
        if n % 30 == 0 {
            lab.ledger().pack().unwrap();
        }
        if n % 10 == 0 {
            assert!(reader.read_all().unwrap().len() > n);
        }
    }
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(child.wait().unwrap().success(), "{said}");
    assert_eq!(reader.read_all().unwrap().len(), 150);
    assert!(reader.verify().unwrap().is_ok());
}
