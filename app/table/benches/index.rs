//! The index of 10,000 variants and 50,000 records: made, opened, brought up to date.

use std::fs;
use std::sync::OnceLock;

use assay_core::record::DecisionKind;
use assay_table::{Index, IndexState, Query};
use divan::Bencher;

mod generator;
use generator::{Maker, MemoryLedger};

fn main() {
    divan::main();
}

const VARIANTS: usize = 10_000;

fn big() -> &'static MemoryLedger {
    static LEDGER: OnceLock<MemoryLedger> = OnceLock::new();
    LEDGER.get_or_init(|| generator::campaign(1, VARIANTS).0)
}

fn indexed() -> &'static tempfile::TempDir {
    static DIR: OnceLock<tempfile::TempDir> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a folder");
        let (_, state) = Index::open(dir.path(), &mut big().clone()).expect("an index");
        assert!(matches!(state, IndexState::Rebuilt(_)));
        dir
    })
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn cold_build(bencher: Bencher) {
    bencher
        .with_inputs(|| (big().clone(), tempfile::tempdir().expect("a folder")))
        .bench_values(|(mut ledger, dir)| {
            let index = Index::open(dir.path(), &mut ledger).expect("an index").0;
            (index, dir)
        });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn warm_list_as_json(bencher: Bencher) {
    let dir = indexed();
    bencher
        .with_inputs(|| big().clone())
        .bench_values(|mut ledger| {
            let (mut index, state) = Index::open(dir.path(), &mut ledger).expect("an index");
            assert_eq!(state, IndexState::Fresh);
            let list = index.list(&mut ledger, "gemm-cpu").expect("a list");
            assert_eq!(list.variants.len(), VARIANTS);
            (serde_json::to_vec(&list).expect("JSON"), ledger)
        });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn warm_log_of_100(bencher: Bencher) {
    let dir = indexed();
    bencher
        .with_inputs(|| big().clone())
        .bench_values(|mut ledger| {
            let (mut index, _) = Index::open(dir.path(), &mut ledger).expect("an index");
            let log = index.log(&mut ledger, "gemm-cpu", None, Some(100));
            (log.expect("a log"), ledger)
        });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn sorted_by_ratio(bencher: Bencher) {
    let dir = indexed();
    let mut ledger = big().clone();
    let (mut index, _) = Index::open(dir.path(), &mut ledger).expect("an index");
    let query = Query {
        sort: Some("ratio".into()),
        filter: vec![(
            "verdict".into(),
            "=".parse().expect("an op"),
            "FASTER".into(),
        )],
        ..Query::default()
    };
    bencher.bench_local(|| {
        let list = index.query(&mut ledger, "gemm-cpu", &query);
        list.expect("a list")
    });
}

/// A copy of the index, to be brought up to date.
fn copy_of(dir: &tempfile::TempDir) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for e in fs::read_dir(dir.path()).expect("files").flatten() {
        fs::copy(e.path(), copy.path().join(e.file_name())).expect("a copy");
    }
    copy
}

/// One acceptance more: whom all others are held against.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn one_acceptance_more(bencher: Bencher) {
    let dir = indexed();
    bencher
        .with_inputs(|| {
            let mut ledger = big().clone();
            let mut m = Maker::new(78);
            ledger.put(&m.decide("tile-09900", 0, DecisionKind::Accept, Vec::new()));
            (ledger, copy_of(dir))
        })
        .bench_values(|(mut ledger, copy)| {
            let (mut index, state) = Index::open(copy.path(), &mut ledger).expect("an index");
            assert_eq!(state, IndexState::Updated(1));
            let list = index.list(&mut ledger, "gemm-cpu").expect("a list");
            assert_eq!(list.variants.len(), VARIANTS);
            (list, ledger, copy)
        });
}

/// One run of one variant more: six records.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn one_run_more(bencher: Bencher) {
    let dir = indexed();
    bencher
        .with_inputs(|| {
            let copy = copy_of(dir);
            let mut ledger = big().clone();
            let mut m = Maker::new(77);
            let mut more = vec![
                m.variant("later", &["tile-09900"]),
                m.run("later", 0, false),
            ];
            more.push(m.check("later", 0));
            more.extend(m.measure(("tile-09900", 0), ("later", 0)));
            more.push(m.decide("later", 0, DecisionKind::Reject, Vec::new()));
            more.iter().for_each(|r| ledger.put(r));
            (ledger, copy)
        })
        .bench_values(|(mut ledger, copy)| {
            let (index, state) = Index::open(copy.path(), &mut ledger).expect("an index");
            assert_eq!(state, IndexState::Updated(6));
            (index, ledger, copy)
        });
}
