//! The program as people start it: start-up, reading a large ledger, writing to it, and what it
//! adds to a benchmark.
//!
//! `cargo bench -p assay --bench process`; the two benches of a minute each run with
//! `-- --ignored`. Each figure is printed once more at the end as a ratio to its limit, or to a
//! peer that was measured in the same run. With `-- --test`, or from `cargo test --benches`, each
//! runs once on a small ledger, which proves only that it works.

use std::process::Command;
use std::time::{Duration, Instant};

use assay_core::record::{Decision, DecisionKind, Note};
use assay_ledger::{Ledger, Repo};
use divan::Bencher;

#[path = "../../table/benches/generator/mod.rs"]
#[allow(dead_code, reason = "other benches and tests use the rest")]
mod generator;
mod lab;
#[path = "../../tui/tests/support/terminal.rs"]
#[allow(
    dead_code,
    clippy::unwrap_used,
    reason = "tests of the interface use the rest"
)]
mod terminal;

use lab::figures::{self, Against, Figure};
use lab::{Lab, hold};

fn main() -> std::process::ExitCode {
    lab::hermetic(|| {
        divan::main();
        figures::print();
    })
}

const START: Figure = Figure {
    name: "assay --help",
    against: Against::Limit(Duration::from_millis(20)),
};
const SPAWN: Figure = Figure {
    name: "true",
    against: Against::Figure("assay --help"),
};
const WARM: Figure = Figure {
    name: "assay list --json, warm",
    against: Against::Limit(Duration::from_millis(100)),
};
const COLD: Figure = Figure {
    name: "assay list --json, cold",
    against: Against::Limit(Duration::from_secs(5)),
};
const MORE: Figure = Figure {
    name: "assay list --json, after a record",
    against: Against::Figure("assay list --json, warm"),
};
const ACCEPTED: Figure = Figure {
    name: "assay list --json, after an acceptance",
    against: Against::Limit(Duration::from_secs(1)),
};
const SHOW: Figure = Figure {
    name: "assay show NAME",
    against: Against::Limit(Duration::from_millis(100)),
};
const LOG: Figure = Figure {
    name: "assay log -n 20",
    against: Against::Limit(Duration::from_millis(100)),
};
const WRITE: Figure = Figure {
    name: "append one record",
    against: Against::Limit(Duration::from_millis(20)),
};

#[divan::bench(sample_count = 100, sample_size = 1)]
fn start(b: Bencher) {
    b.bench(|| START.time(|| lab::assay().arg("--help").output()));
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn start_of_true(b: Bencher) {
    b.bench(|| SPAWN.time(|| Command::new("true").output()));
}

fn list(lab: &Lab) -> usize {
    let out = lab.assay(&["list", "--json"]);
    assert!(out.len() > lab.variants * 100, "a list of all variants");
    out.len()
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn list_warm(b: Bencher) {
    let lab = Lab::big();
    list(lab);
    b.bench(|| WARM.time(|| list(lab)));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn list_cold(b: Bencher) {
    let lab = Lab::big();
    b.with_inputs(|| lab.forget_index())
        .bench_values(|()| COLD.time(|| list(lab)));
}

/// The index is brought up to date by the program that comes next.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn list_after_a_record(b: Bencher) {
    let lab = Lab::big();
    list(lab);
    let ledger = ledger(lab);
    b.with_inputs(|| ledger.append(&[note()], &[]))
        .bench_local_values(|_| MORE.time(|| list(lab)));
}

/// The same after an acceptance: all others are held against another champion then.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn list_after_an_acceptance(b: Bencher) {
    let lab = Lab::big();
    list(lab);
    let ledger = ledger(lab);
    let mut next = (0..lab.variants).rev().map(|i| lab.name(i));
    b.with_inputs(|| {
        let name = next.next().expect("a variant");
        ledger.append(&[acceptance(name)], &[])
    })
    .bench_local_values(|_| ACCEPTED.time(|| list(lab)));
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn show(b: Bencher) {
    let lab = Lab::big();
    list(lab);
    let name = lab.name(lab.variants / 2);
    b.bench(|| SHOW.time(|| lab.assay(&["show", &name])));
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn log(b: Bencher) {
    let lab = Lab::big();
    list(lab);
    b.bench(|| LOG.time(|| lab.assay(&["log", "-n", "20"])));
}

/// With all that makes a record durable: objects and branch are synced to disk.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn write(b: Bencher) {
    let ledger = ledger(Lab::big());
    b.with_inputs(note)
        .bench_local_values(|r| WRITE.time(|| ledger.append(&[r], &[]).expect("a record")));
}

fn ledger(lab: &Lab) -> Ledger {
    Repo::open(&lab.dir)
        .and_then(|r| Ledger::git(&r))
        .expect("a ledger")
}

fn note() -> assay_core::Record {
    let text = "the tile of 16 keeps the panel of B in the second level cache. ".repeat(12);
    let note = Note::new(None, text);
    assay_core::Record::new(
        assay_core::Timestamp::now(),
        "someone",
        lab::CAMPAIGN,
        note.into(),
    )
}

fn acceptance(variant: String) -> assay_core::Record {
    let decision = Decision {
        variant,
        kind: DecisionKind::Accept,
        reason: "the gain holds on every workload".into(),
        decided_by: "person".into(),
        kernel: None,
        commit: None,
        replaces: Vec::new(),
        evidence: Vec::new(),
        gates: Vec::new(),
        overrides: Vec::new(),
        predictions: Vec::new(),
    };
    assay_core::Record::new(
        assay_core::Timestamp::now(),
        "someone",
        lab::CAMPAIGN,
        decision.into(),
    )
}

const FRAME: Figure = Figure {
    name: "interface, first frame with rows",
    against: Against::Limit(Duration::from_millis(100)),
};
const MAP: Figure = Figure {
    name: "interface, map of ratios",
    against: Against::Limit(Duration::from_secs(1)),
};

/// The interface in a pseudo-terminal, with its first rows painted.
fn interface(lab: &Lab) -> terminal::Session {
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_assay"));
    command.cwd(&lab.dir);
    command.env("LC_ALL", "C.UTF-8");
    let session = terminal::Session::start(command, &[], (200, 50));
    session.see("tile-0");
    session
}

#[divan::bench(sample_count = 15, sample_size = 1)]
fn first_frame(b: Bencher) {
    let lab = Lab::big();
    list(lab);
    b.bench_local(|| FRAME.time(|| interface(lab)));
}

/// Read from the ledger, arranged and painted, while everything else goes on.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn map_of_ratios(b: Bencher) {
    let lab = Lab::big();
    list(lab);
    b.with_inputs(|| interface(lab))
        .bench_local_values(|mut session| {
            MAP.time(|| {
                session.press("6");
                session.see("time / reference");
            });
            session
        });
}

const IDLE: Figure = Figure {
    name: "interface, processor while idle",
    against: Against::Share(0.005),
};

/// While nobody touches it: it looks whether the ledger has moved, and how the jobs stand.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn idle(b: Bencher) {
    let lab = Lab::big();
    list(lab);
    b.bench_local(|| {
        let session = interface(lab);
        // All that is loaded at the start has come by then.
        std::thread::sleep(hold());
        let (before, begun) = (session.processor_time(), Instant::now());
        std::thread::sleep(hold() * 4);
        let used = session.processor_time() - before;
        IDLE.note_added(used, begun.elapsed());
        let peak = session.peak_memory();
        assert!(peak < 300_000_000, "{peak} bytes of memory");
    });
}

const ADDED: Figure = Figure {
    name: "added to a benchmark of a minute",
    against: Against::Share(0.02),
};
const ADDED_BIG: Figure = Figure {
    name: "added to a benchmark of a minute, large ledger",
    against: Against::Share(0.02),
};

/// Wall time of a run less the time that the benchmark's own processes lived.
fn added(figure: &Figure, lab: &Lab) {
    let before = lab.held();
    let started = Instant::now();
    lab.assay(&["run", lab::PROBE, "--stages", "bench", "--again", "--trust"]);
    let wall = started.elapsed();
    let own = lab.held() - before;
    assert!(own >= hold() * 4 && wall > own, "{own:?} of {wall:?}");
    figure.note_added(wall - own, own);
}

#[divan::bench(sample_count = 1, sample_size = 1, ignore)]
fn minute(b: Bencher) {
    let lab = Lab::small();
    lab.assay(&["run", lab::PROBE, "--stages", "build", "--trust"]);
    b.bench(|| added(&ADDED, lab));
}

#[divan::bench(sample_count = 1, sample_size = 1, ignore)]
fn minute_in_a_large_ledger(b: Bencher) {
    let lab = Lab::big();
    lab.assay(&["run", lab::PROBE, "--stages", "build", "--trust"]);
    b.bench(|| added(&ADDED_BIG, lab));
}
