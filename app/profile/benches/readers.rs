//! How fast the readers are, in bytes of input a second.

mod generator;

use assay_profile::parse;
use divan::counter::BytesCount;

fn main() {
    divan::main();
}

/// Launches of a raw page with as many metrics as a real one has.
#[divan::bench(args = [9, 500, 4000], sample_count = 10, sample_size = 1)]
fn ncu_raw(bencher: divan::Bencher, launches: usize) {
    let text = generator::ncu_raw(2227, launches, 7);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| parse(text.as_bytes()).map(|p| p.launches.len()));
}

#[divan::bench(args = [2000], sample_count = 10, sample_size = 1)]
fn ncu_details(bencher: divan::Bencher, launches: usize) {
    let text = generator::ncu_details(launches, 7);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| parse(text.as_bytes()).map(|p| p.launches.len()));
}

/// Ten times the events take ten times the time, and not more memory once launches are not listed
/// one by one any more.
#[divan::bench(args = [30_000, 300_000], sample_count = 5, sample_size = 1)]
fn mc_trace(bencher: divan::Bencher, events: usize) {
    let text = generator::mc_trace(events, 7);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| parse(text.as_bytes()).map(|p| p.launches.len()));
}
