//! Every flavour and version of a report that is described, by a fixture of each.

mod amd;
mod cpu;
mod cut;
mod hostile;
mod mapped;
mod mcprofiler;
mod metax;
mod ncu;

use std::path::{Path, PathBuf};

use assay_profile::{CounterRef, Profile, Status, parse};

/// A fixture by its path.
fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn read(path: &str) -> Profile {
    parse(&bytes(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The counter of a launch by its name alone.
fn named<'p>(p: &'p Profile, launch: usize, name: &str) -> CounterRef<'p> {
    let found = p.launches[launch].iter().find(|c| c.name() == name);
    found.unwrap_or_else(|| panic!("{name} in {:?}", p.launches[launch].kernel))
}

/// Its number, unit and resolution; a doubt about it fails the test.
fn sure(c: CounterRef<'_>) -> (f64, &str) {
    assert!(
        c.status() == Status::Value && c.suspect().is_empty(),
        "{c:?}"
    );
    (c.number().expect("a number"), c.unit())
}

/// An integer with all its digits.
fn whole(c: CounterRef<'_>) -> u64 {
    c.exact()
        .and_then(|n| n.as_u64())
        .unwrap_or_else(|| panic!("{c:?}"))
}

/// The notices that have a word in them.
fn notices<'p>(p: &'p Profile, word: &str) -> Vec<&'p str> {
    let all = p.notices.iter().map(String::as_str);
    all.filter(|n| n.contains(word)).collect()
}
