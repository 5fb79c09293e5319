//! How long reading and writing takes in a ledger of 50,000 records.
//!
//! The repository lies in the folder for temporary files, so the figures include syncing to
//! that disk. `cargo bench -p assay-ledger`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use assay_core::record::Note;
use assay_core::{Record, RecordId, Timestamp};
use assay_ledger::{Blob, Ledger, Repo, User, Variants};

const RECORDS: u64 = 50_000;

struct Fixture {
    dir: tempfile::TempDir,
    first: String,
    next: AtomicU64,
}

static FIXTURE: OnceLock<Fixture> = OnceLock::new();

fn main() {
    divan::main();
}

/// A record of about 1 KiB; `n` makes its id and its day.
fn record(n: u64) -> Record {
    let day = 86_400_000 * (n % 40);
    let at = Timestamp::from_millisecond(i64::try_from(1_796_000_000_000 + day).unwrap_or(0))
        .unwrap_or_default();
    let text = format!("{n} ").repeat(120);
    let mut record = Record::new(at, "bench", "gemm", Note::new(None, text).into());
    let mixed = u128::from(n).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C);
    record.id = RecordId::from_parts(1_796_000_000_000 + day, mixed);
    record
}

fn fixture() -> &'static Fixture {
    FIXTURE.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(dir.path().join("kernel.c"), "x").expect("a file");
        let by = User {
            name: "bench".into(),
            email: "bench@localhost".into(),
            known: true,
        };
        let repo = Repo::init(dir.path(), &by, "first").expect("a repository");
        let ledger = Ledger::git(&repo).expect("a ledger");
        for batch in 0..RECORDS / 1_000 {
            let records: Vec<Record> = (batch * 1_000..).take(1_000).map(record).collect();
            ledger.append(&records, &[]).expect("a batch");
        }
        ledger.maintain().expect("maintenance");
        Fixture {
            first: ledger.head().expect("a head").unwrap_or_default(),
            next: AtomicU64::new(RECORDS),
            dir,
        }
    })
}

fn open() -> Ledger {
    Repo::open(fixture().dir.path())
        .and_then(|r| Ledger::git(&r))
        .expect("a ledger")
}

fn fresh() -> Record {
    record(fixture().next.fetch_add(1, Ordering::Relaxed))
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn append_one(b: divan::Bencher) {
    let ledger = open();
    b.with_inputs(fresh)
        .bench_local_values(|r| ledger.append(&[r], &[]));
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn append_one_with_a_blob_and_a_new_handle(b: divan::Bencher) {
    fixture();
    b.with_inputs(|| (fresh(), Blob::new("log", fresh().by.repeat(10_000))))
        .bench_local_values(|(r, blob)| open().append(&[r], &[blob]));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn append_1000(b: divan::Bencher) {
    let ledger = open();
    b.with_inputs(|| (0..1_000).map(|_| fresh()).collect::<Vec<_>>())
        .bench_local_values(|r| ledger.append(&r, &[]));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn read_all() -> usize {
    open().read_all().map_or(0, |r| r.len())
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn changed_since() -> usize {
    let delta = open().changed_since(&fixture().first);
    delta.ok().flatten().map_or(0, |d| d.added.len())
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn get_one() -> bool {
    open().get(record(4_711).id).is_ok_and(|r| r.is_some())
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn verify() -> usize {
    open().verify().map_or(0, |r| r.records)
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn content_hash() -> bool {
    let repo = Repo::open(fixture().dir.path()).expect("a repository");
    let variants = Variants::new(&repo);
    let head = variants.resolve("HEAD").expect("a commit");
    variants.content_hash(head, "", &["kernel.c"]).is_ok()
}
