//! Reports of a large campaign: 500 variants x 15 workloads.

mod big;

use assay_report::{Lang, csv, html, json, markdown};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

#[divan::bench]
fn markdown_500_by_15(bencher: Bencher) {
    let model = big::campaign(500, 15, 10);
    bencher.bench(|| markdown(black_box(&model), Lang::En));
}

#[divan::bench]
fn html_500_by_15(bencher: Bencher) {
    let model = big::campaign(500, 15, 10);
    bencher.bench(|| html(black_box(&model), Lang::En));
}

/// Every variant has a card.
#[divan::bench]
fn html_500_accepted(bencher: Bencher) {
    let model = big::campaign(500, 15, 1);
    bencher.bench(|| html(black_box(&model), Lang::Zh));
}

#[divan::bench]
fn csv_500_by_15(bencher: Bencher) {
    let model = big::campaign(500, 15, 10);
    bencher.bench(|| csv(black_box(&model)));
}

#[divan::bench]
fn json_500_by_15(bencher: Bencher) {
    let model = big::campaign(500, 15, 10);
    bencher.bench(|| json(black_box(&model)));
}
