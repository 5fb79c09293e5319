//! How fast the readers are, in bytes of input a second.

mod generator;
#[path = "../tests/mcprofiler/figures.rs"]
mod reports;

use std::io::Read;

use assay_profile::formats::mcprofiler::read_folder;
use assay_profile::{Format, parse};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

fn main() {
    divan::main();
}

fn whole(bencher: Bencher<'_, '_>, text: &str) {
    bencher
        .counter(BytesCount::of_str(text))
        .bench(|| parse(text.as_bytes()).map(|p| p.launches.len()));
}

/// Launches of a raw page with as many metrics as a real one has.
#[divan::bench(args = [9, 500, 4000], sample_count = 10, sample_size = 1)]
fn ncu_raw(bencher: Bencher<'_, '_>, launches: usize) {
    whole(bencher, &generator::ncu_raw(2227, launches, 7));
}

#[divan::bench(args = [2000], sample_count = 10, sample_size = 1)]
fn ncu_details(bencher: Bencher<'_, '_>, launches: usize) {
    whole(bencher, &generator::ncu_details(launches, 7));
}

/// Reports of one kernel, as many one after the other as a busy day gives.
fn reports_of(bencher: Bencher<'_, '_>, write: impl Fn(&[reports::Row]) -> String) {
    let texts: Vec<String> = (0..200).map(|seed| write(&reports::table(seed))).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        let read = texts.iter().map(|t| parse(t.as_bytes()));
        read.filter_map(Result::ok).count()
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn mc_txt_json(bencher: Bencher<'_, '_>) {
    reports_of(bencher, reports::txt_json);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn mc_dumped(bencher: Bencher<'_, '_>) {
    reports_of(bencher, reports::dumped);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn mc_txt(bencher: Bencher<'_, '_>) {
    reports_of(bencher, reports::txt);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn mc_csv(bencher: Bencher<'_, '_>) {
    reports_of(bencher, reports::csv);
}

/// Hardware counters of so many kernels.
#[divan::bench(args = [20, 200], sample_count = 10, sample_size = 1)]
fn mc_hardware(bencher: Bencher<'_, '_>, kernels: usize) {
    whole(bencher, &generator::mc_hardware(kernels, 7));
}

/// Hardware counters that are read as they come, and not kept in memory as text.
#[divan::bench(args = [20, 200], sample_count = 10, sample_size = 1)]
fn mc_hardware_streamed(bencher: Bencher<'_, '_>, kernels: usize) {
    let text = generator::mc_hardware(kernels, 7);
    streamed(bencher, Format::McProfilerHardware, &text);
}

fn streamed(bencher: Bencher<'_, '_>, format: Format, text: &str) {
    bencher.counter(BytesCount::of_str(text)).bench(|| {
        // Not a slice: nothing but what is read may be used.
        let mut source = text.as_bytes().chain(std::io::empty());
        format
            .parse_reader(&mut source)
            .map(|p| p.map(|p| p.launches.len()))
    });
}

/// An output folder with two flavours of so many launches, in files a second.
#[divan::bench(args = [10_000], sample_count = 5, sample_size = 1)]
fn mc_folder(bencher: Bencher<'_, '_>, files: usize) {
    let names = ["gemm", "softmax", "layer_norm", "attention"];
    let files: Vec<(String, String)> = (0..files / 2)
        .flat_map(|i| {
            let table = reports::table(i as u64 % 50);
            let stem = format!("out/{}_{}_kernel", i + 1, names[i % 4]);
            [
                (format!("{stem}.txt.json"), reports::txt_json(&table)),
                (
                    format!("{stem}_dumped_result.json"),
                    reports::dumped(&table),
                ),
            ]
        })
        .collect();
    bencher
        .counter(ItemsCount::new(files.len()))
        .bench(|| read_folder(files.iter().map(|(p, t)| (p, t))).runs.len());
}

/// Ten times the events take ten times the time, and not more memory once launches are not listed
/// one by one any more.
#[divan::bench(args = [30_000, 300_000], sample_count = 5, sample_size = 1)]
fn mc_trace(bencher: Bencher<'_, '_>, events: usize) {
    whole(bencher, &generator::mc_trace(events, 7));
}

#[divan::bench(args = [300_000], sample_count = 5, sample_size = 1)]
fn mc_trace_streamed(bencher: Bencher<'_, '_>, events: usize) {
    let text = generator::mc_trace(events, 7);
    streamed(bencher, Format::McTrace, &text);
}
