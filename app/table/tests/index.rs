//! The index against an in-memory ledger: fresh, updated, rebuilt, broken.

// The exemption for tests covers test functions, and this file has helpers.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use assay_core::fold::{BranchTip, State, heat_view, list_view, log_view, row, show_view};
use assay_core::record::{Body, DecisionKind, Record, Tombstone};
use assay_core::view::{ListView, VariantRow};
use assay_core::{RecordId, Sha256};
use assay_table::{Error, Index, IndexState, Op, Query, Records, list_csv, records_csv};

#[allow(dead_code)]
#[path = "../benches/generator/mod.rs"]
mod generator;
use generator::{Maker, MemoryLedger, Rng};

const CAMPAIGN: &str = "gemm-cpu";

fn open(dir: &Path, ledger: &mut MemoryLedger) -> (Index, IndexState) {
    Index::open(dir, ledger).unwrap()
}

/// What the fold says of the whole ledger.
fn truth(ledger: &MemoryLedger) -> State {
    let mut unreadable = 0;
    let records: Vec<Record> = (ledger.records.iter())
        .filter_map(|r| {
            let read = Record::from_bytes(&r.bytes).ok();
            unreadable += u64::from(read.is_none());
            read
        })
        .collect();
    let mut state = State::fold(CAMPAIGN, records);
    state.set_unreadable(unreadable);
    state
}

fn list(ledger: &MemoryLedger) -> ListView {
    list_view(&truth(ledger), &[])
}

fn files(dir: &Path, end: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = (fs::read_dir(dir).unwrap())
        .map(|e| e.unwrap().path())
        .filter(|p| p.to_str().unwrap().ends_with(end))
        .collect();
    found.sort();
    found
}

#[test]
fn made_once_and_then_read() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, _) = generator::campaign(3, 250);
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert!(matches!(state, IndexState::Rebuilt(why) if why.contains("no index")));
    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), list(&ledger));
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert_eq!((state, ledger.snapshots), (IndexState::Fresh, 1));
    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), list(&ledger));
    assert_eq!(index.campaigns().collect::<Vec<_>>(), [CAMPAIGN]);
    let all = truth(&ledger);
    assert_eq!(index.evaluator(CAMPAIGN).unwrap(), all.evaluator());
    assert!(all.evaluator().is_some());
    let (mut names, baselines) = index.names(&mut ledger, CAMPAIGN).unwrap();
    names.sort();
    assert!(names.iter().eq(all.variants().keys()));
    assert!(baselines.iter().eq(all.baselines()));
    let heat = index.heat(&mut ledger, CAMPAIGN).unwrap();
    assert_eq!(heat, heat_view(&all).rows);
    assert!(heat.len() > 100);
    for (variant, limit) in [(None, Some(7)), (Some("tile-00100"), None), (None, None)] {
        let log = index.log(&mut ledger, CAMPAIGN, variant, limit).unwrap();
        assert_eq!(log, log_view(&all, variant, limit));
    }
    assert_eq!(ledger.snapshots, 1);
}

#[test]
fn an_empty_ledger_has_no_campaign() {
    let dir = tempfile::tempdir().unwrap();
    let mut ledger = MemoryLedger::default();
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert_eq!(state, IndexState::Fresh);
    let error = index.list(&mut ledger, "gemm").unwrap_err();
    assert!(matches!(&error, Error::Campaign { .. }), "{error}");
    assert!(files(dir.path(), "").is_empty());
}

#[test]
fn whatever_is_broken_is_made_again() {
    let (mut ledger, _) = generator::campaign(4, 120);
    let want = list(&ledger);
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 8] = [
        ("no list", |d| {
            remove_largest_but_records(d, |p| fs::remove_file(p).unwrap())
        }),
        ("a list cut short", |d| {
            remove_largest_but_records(d, |p| {
                let bytes = fs::read(p).unwrap();
                fs::write(p, &bytes[..bytes.len() / 2]).unwrap();
            });
        }),
        ("one bit of a list", |d| {
            remove_largest_but_records(d, |p| {
                let mut bytes = fs::read(p).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(p, bytes).unwrap();
            });
        }),
        ("no manifest", |d| {
            fs::remove_file(&files(d, ".json")[0]).unwrap()
        }),
        ("an empty manifest", |d| {
            fs::write(&files(d, ".json")[0], "").unwrap()
        }),
        ("a manifest of another format", |d| {
            edit_manifest(d, |text| text.replace("\"format\":", "\"format\":9"));
        }),
        ("a manifest of another state", |d| {
            edit_manifest(d, |text| text.replace("\"ledger\":\"", "\"ledger\":\"1"));
        }),
        ("a manifest that leads elsewhere", |d| {
            edit_manifest(d, |text| text.replace("\"name\":\"", "\"name\":\"../"));
        }),
    ];
    for (what, damage) in damages {
        let dir = tempfile::tempdir().unwrap();
        open(dir.path(), &mut ledger);
        damage(dir.path());
        let (mut index, state) = open(dir.path(), &mut ledger);
        // The content of a list is read, and looked at, when the list is wanted.
        let seen_late = what == "one bit of a list";
        assert_eq!(
            matches!(state, IndexState::Rebuilt(_)),
            !seen_late,
            "{what}: {state:?}"
        );
        assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), want, "{what}");
        let (_, state) = open(dir.path(), &mut ledger);
        assert_eq!(state, IndexState::Fresh, "{what}");
    }
}

/// A list is read when it is wanted: until then another program may have added records and taken its file away.
#[test]
fn a_list_that_went_away_after_the_opening_is_that_of_the_present_state() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, mut m) = generator::campaign(5, 60);
    open(dir.path(), &mut ledger);
    let (mut early, state) = open(dir.path(), &mut ledger);
    assert_eq!(state, IndexState::Fresh);
    ledger.put(&m.variant("late", &[]));
    assert_eq!(
        open(dir.path(), &mut ledger).1,
        IndexState::Updated(1),
        "the other program"
    );
    assert_eq!(early.list(&mut ledger, CAMPAIGN).unwrap(), list(&ledger));
    assert_eq!(
        early.ledger_head(),
        ledger.head().unwrap().as_deref(),
        "it says of what state it is"
    );
    assert_eq!(ledger.snapshots, 1, "nothing is read anew for that");
}

/// The files of the lists and of the records, told apart by what the manifest says.
fn records_file(dir: &Path) -> PathBuf {
    let text = fs::read_to_string(&files(dir, ".json")[0]).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    dir.join(manifest["records"]["name"].as_str().unwrap())
}

fn remove_largest_but_records(dir: &Path, damage: fn(&Path)) {
    let records = records_file(dir);
    (files(dir, ".arrow").iter())
        .filter(|p| **p != records)
        .for_each(|p| damage(p));
}

fn edit_manifest(dir: &Path, edit: fn(&str) -> String) {
    let path = &files(dir, ".json")[0];
    let text = fs::read_to_string(path).unwrap();
    assert_ne!(edit(&text), text);
    fs::write(path, edit(&text)).unwrap();
}

#[test]
fn a_broken_record_table_is_noticed_when_it_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, mut m) = generator::campaign(5, 60);
    open(dir.path(), &mut ledger);
    fs::write(records_file(dir.path()), "x").unwrap();
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert_eq!(state, IndexState::Fresh);
    let log = index.log(&mut ledger, CAMPAIGN, None, None).unwrap();
    assert_eq!(log, log_view(&truth(&ledger), None, None));
    assert_eq!(ledger.snapshots, 2);
    // An update cannot start from it either.
    fs::write(records_file(dir.path()), "x").unwrap();
    let r = m.variant("later", &[]);
    ledger.put(&r);
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert!(matches!(state, IndexState::Rebuilt(_)), "{state:?}");
    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), list(&ledger));
}

#[test]
fn a_folder_that_cannot_be_written_is_no_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a-file");
    fs::write(&file, "").unwrap();
    let (mut ledger, _) = generator::campaign(6, 20);
    // No folder can be made below a file, whoever runs the test.
    let (mut index, state) = open(&file.join("index"), &mut ledger);
    assert!(matches!(state, IndexState::Rebuilt(_)));
    assert!(index.unsaved().is_some());
    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), list(&ledger));
}

#[test]
fn several_programs_may_open_it_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, mut m) = generator::campaign(11, 80);
    for round in 0..4 {
        let r = m.variant(&format!("more-{round}"), &["tile-00000"]);
        ledger.put(&r);
        let want = list(&ledger);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let mut ledger = ledger.clone();
                let (dir, want) = (dir.path(), &want);
                scope.spawn(move || {
                    let (mut index, _) = open(dir, &mut ledger);
                    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), *want);
                    assert_eq!(index.unsaved(), None);
                });
            }
        });
        let (mut index, state) = open(dir.path(), &mut ledger);
        assert_eq!(state, IndexState::Fresh, "round {round}");
        assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), want);
    }
}

#[test]
fn files_that_are_no_records_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, _) = generator::campaign(7, 5);
    ledger.put_raw("records/x.json".into(), b"not JSON".to_vec());
    let (mut index, _) = open(dir.path(), &mut ledger);
    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap().unreadable, 1);
    ledger.put_raw("records/y.json".into(), b"{}".to_vec());
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert_eq!(state, IndexState::Updated(0));
    let list = index.list(&mut ledger, CAMPAIGN).unwrap();
    assert_eq!((list.unreadable, list.damaged), (2, 2));
}

/// Appends a few records of any kind and returns the ids so far.
fn append(m: &mut Maker, ledger: &mut MemoryLedger, ids: &mut Vec<RecordId>, far: bool) {
    const NAMES: [&str; 5] = ["one", "two", "three", "base-a", "base-b"];
    for _ in 0..=m.rng.below(4) {
        let a = (NAMES[m.rng.below(5)], m.rng.below(2));
        let b = (NAMES[m.rng.below(5)], m.rng.below(2));
        let replaces: Vec<RecordId> = (0..m.rng.below(3))
            .filter_map(|_| ids.get(m.rng.below(ids.len().max(1))).copied())
            .collect();
        let kind = [
            DecisionKind::Accept,
            DecisionKind::Rollback,
            DecisionKind::Reject,
        ];
        let kind = kind[m.rng.below(3)];
        let made: Vec<Record> = match m.rng.below(if far { 11 } else { 8 }) {
            0 => vec![m.variant(a.0, &[b.0])],
            1 => {
                let failed = m.rng.below(4) == 0;
                vec![m.run(a.0, a.1, failed)]
            }
            2 => vec![m.check(a.0, a.1)],
            3..=5 => m.measure(a, b).into(),
            6 => vec![m.decide(a.0, a.1, kind, replaces)],
            7 => vec![m.record(Body::Unknown {
                kind: "measurement".into(),
                body: serde_json::json!({"new": 1}),
                problem: String::new(),
            })],
            8 => {
                let removed = ids[m.rng.below(ids.len())];
                vec![m.record(Tombstone {
                    removed,
                    sha256: Sha256::of(""),
                    kind: "any".into(),
                    why: "gc".into(),
                })]
            }
            9 => {
                let mut r = m.decide(a.0, a.1, kind, replaces);
                r.supersedes = Some(ids[m.rng.below(ids.len())]);
                r.reason = Some("was wrong".into());
                vec![r]
            }
            _ => vec![m.evaluator()],
        };
        for r in made {
            ids.push(r.id);
            ledger.put(&r);
        }
    }
}

#[test]
fn an_update_gives_what_a_rebuild_gives() {
    let mut updated = 0;
    for seed in 0..15 {
        let dir = tempfile::tempdir().unwrap();
        let mut m = Maker::new(seed);
        let mut ledger = MemoryLedger::default();
        let mut ids = Vec::new();
        for step in 0..12 {
            append(&mut m, &mut ledger, &mut ids, step % 6 == 3);
            let (mut index, state) = open(dir.path(), &mut ledger);
            updated += usize::from(matches!(state, IndexState::Updated(_)));
            let all = truth(&ledger);
            let want = list_view(&all, &[]);
            assert_eq!(
                index.list(&mut ledger, CAMPAIGN).unwrap(),
                want,
                "seed {seed}, step {step}"
            );
            // What is known of a few variants from their records alone is the same as well.
            let names: Vec<&str> = want
                .variants
                .iter()
                .map(|v| v.name.as_str())
                .take(2)
                .collect();
            let part = index.state(&mut ledger, CAMPAIGN, &names).unwrap();
            assert_eq!(part.champion(), all.champion());
            assert_eq!(index.evaluator(CAMPAIGN).unwrap(), all.evaluator());
            for name in names {
                assert_eq!(row(&part, name), row(&all, name), "seed {seed}");
                let show = |s: &State| show_view(s, name, BranchTip::default());
                assert_eq!(show(&part), show(&all), "seed {seed}, step {step}");
            }
        }
        // One index at a time stays on disk.
        assert_eq!(files(dir.path(), ".json").len(), 1);
        assert_eq!(files(dir.path(), ".arrow").len(), 3);
    }
    assert!(updated > 80, "only {updated} updates were tried");
}

#[test]
fn an_update_reads_only_what_it_touches() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, mut m) = generator::campaign(8, 400);
    open(dir.path(), &mut ledger);
    for r in m.measure(("tile-00300", 0), ("tile-00399", 0)) {
        ledger.put(&r);
    }
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert_eq!((state, ledger.snapshots), (IndexState::Updated(2), 1));
    assert!(ledger.gets < 30, "{} records were read", ledger.gets);
    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), list(&ledger));
}

#[test]
fn what_gates_follow_from_is_made_again_where_it_is_broken() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, mut m) = generator::campaign(13, 60);
    open(dir.path(), &mut ledger);
    let text = fs::read_to_string(&files(dir.path(), ".json")[0]).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let parts = manifest["campaigns"][CAMPAIGN]["parts"]["name"]
        .as_str()
        .unwrap();
    fs::write(dir.path().join(parts), "rotten").unwrap();
    // A list does not need it.
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert_eq!(state, IndexState::Fresh);
    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), list(&ledger));
    ledger.put(&m.decide("tile-00010", 0, DecisionKind::Accept, Vec::new()));
    let (mut index, state) = open(dir.path(), &mut ledger);
    assert!(matches!(state, IndexState::Rebuilt(_)), "{state:?}");
    assert_eq!(index.list(&mut ledger, CAMPAIGN).unwrap(), list(&ledger));
}

#[test]
fn an_acceptance_reads_only_what_was_ever_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, mut m) = generator::campaign(12, 400);
    let (mut index, _) = open(dir.path(), &mut ledger);
    let before = index.list(&mut ledger, CAMPAIGN).unwrap();
    let heads = truth(&ledger).heads();
    for (name, kind, replaces) in [
        ("tile-00399", DecisionKind::Accept, heads),
        ("tile-00398", DecisionKind::Accept, Vec::new()),
    ] {
        ledger.put(&m.decide(name, 0, kind, replaces));
        ledger.gets = 0;
        let (mut index, state) = open(dir.path(), &mut ledger);
        assert_eq!(
            (state, ledger.snapshots),
            (IndexState::Updated(1), 1),
            "{name}"
        );
        let all: usize = ledger.records.len();
        assert!(
            ledger.gets < all / 2,
            "{} of {all} records were read",
            ledger.gets
        );
        assert_eq!(
            index.list(&mut ledger, CAMPAIGN).unwrap(),
            list(&ledger),
            "{name}"
        );
    }
    let (mut index, _) = open(dir.path(), &mut ledger);
    let after = index.list(&mut ledger, CAMPAIGN).unwrap();
    assert_eq!(after.contested.len(), 2, "both are named");
    let moved = |(a, b): &(&VariantRow, &VariantRow)| a.gates != b.gates;
    let rows = before.variants.iter().zip(&after.variants);
    assert!(
        rows.filter(moved).count() > 200,
        "others are held against them"
    );
    let asked = Query {
        filter: vec![("gates".into(), Op::Contains, "is contested".into())],
        ..Query::default()
    };
    assert!(
        index
            .query(&mut ledger, CAMPAIGN, &asked)
            .unwrap()
            .variants
            .len()
            > 200
    );
}

#[test]
fn queries_sort_and_filter() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, mut m) = generator::campaign(9, 50);
    let r = m.variant("bare", &[]);
    ledger.put(&r);
    let (mut index, _) = open(dir.path(), &mut ledger);
    let all = index.list(&mut ledger, CAMPAIGN).unwrap().variants;
    let mut ask = |sort: Option<&str>, descending: bool, filter: &[(&str, Op, &str)]| {
        let filter = filter
            .iter()
            .map(|(c, o, v)| ((*c).into(), *o, (*v).into()));
        let query = Query {
            sort: sort.map(str::to_owned),
            descending,
            filter: filter.collect(),
        };
        index.query(&mut ledger, CAMPAIGN, &query)
    };
    for descending in [false, true] {
        let rows = ask(Some("ratio"), descending, &[]).unwrap().variants;
        // What has no ratio stands last in either direction.
        assert_eq!(rows.last().unwrap().name, "bare");
        let ratios: Vec<f64> = rows.iter().filter_map(|r| r.ratio).collect();
        assert!(ratios.is_sorted_by(|a, b| if descending { a >= b } else { a <= b }));
    }
    let faster = ask(
        None,
        false,
        &[
            ("verdict", Op::Equal, "FASTER"),
            ("ratio", Op::Less, "0.95"),
        ],
    );
    let want: Vec<_> = (all.iter())
        .filter(|r| r.verdict.as_deref() == Some("FASTER") && r.ratio.unwrap() < 0.95)
        .cloned()
        .collect();
    assert_eq!(faster.unwrap().variants, want);
    let tile = ask(Some("knob.tile"), true, &[("why", Op::Contains, "CACHE")]).unwrap();
    let tiles: Vec<u32> = tile
        .variants
        .iter()
        .map(|r| r.knobs["tile"].parse().unwrap())
        .collect();
    assert!(tiles.is_sorted_by(|a, b| a >= b) && tiles[0] == 128);
    let median = ask(Some("median_ns.decode-1"), false, &[])
        .unwrap()
        .variants;
    assert!(median.is_sorted_by(|a, b| {
        let of = |r: &VariantRow| r.median_ns.get("decode-1").copied();
        of(b).is_none() || of(a) <= of(b)
    }));
    let not = ask(None, false, &[("verdict", Op::NotEqual, "FASTER")]).unwrap();
    assert!(not.variants.iter().any(|r| r.name == "bare"));
    let error = ask(Some("ratoi"), false, &[]).unwrap_err().to_string();
    assert!(error.contains("did you mean `ratio`"), "{error}");
    assert!(ask(None, false, &[("ratio", Op::Less, "fast")]).is_err());
    assert!("=~".parse::<Op>().is_err());
}

#[test]
fn csv_cells_are_no_formulas() {
    use assay_table::cell;
    for (text, want) in [
        ("plain", "plain"),
        ("=1+2", "'=1+2"),
        ("@sum", "'@sum"),
        ("-5.5e-3", "-5.5e-3"),
        ("+3", "+3"),
        ("-inf", "'-inf"),
        ("-cmd|x", "'-cmd|x"),
        ("\ta", "'\ta"),
        (" =x", "' =x"),
        ("\r=x", "\"'\r=x\""),
        ("a,b", "\"a,b\""),
        ("say \"x\"", "\"say \"\"x\"\"\""),
        ("", ""),
    ] {
        assert_eq!(cell(text), want, "{text:?}");
    }
    let dir = tempfile::tempdir().unwrap();
    let (mut ledger, _) = generator::campaign(10, 3);
    let (mut index, _) = open(dir.path(), &mut ledger);
    let text = list_csv(&index.list(&mut ledger, CAMPAIGN).unwrap());
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].ends_with(
        "median_ns.square-256,median_ns.square-512,median_ns.tall-1024,median_ns.decode-1"
    ));
    let log = index.log(&mut ledger, CAMPAIGN, None, None).unwrap();
    assert_eq!(records_csv(&log).lines().count(), log.records.len() + 1);
}

#[test]
fn the_generator_is_seeded() {
    assert_eq!(Rng(1).next(), Rng(1).next());
    let (a, b) = (generator::campaign(1, 3).0, generator::campaign(1, 3).0);
    assert_eq!(a.records, b.records);
}
