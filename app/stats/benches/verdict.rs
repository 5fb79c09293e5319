//! The cost of a verdict over a large campaign: 100 workloads, 12 processes, 360,000 samples.

use std::fmt::Write;

use assay_stats::prng::SplitMix64;
use assay_stats::{Samples, Settings, judge};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// 100 workloads x 12 processes x 5 blocks x 4 legs of 15 values.
fn lines() -> String {
    let mut g = SplitMix64::new(1);
    let mut text = String::new();
    for workload in 0..100 {
        for process in 1..=12 {
            for block in 0..5 {
                for (leg, subject) in "ABBA".chars().enumerate() {
                    let level = 1e5 * (1.0 + f64::from(workload));
                    let gain = if subject == 'B' { 0.97 } else { 1.0 };
                    let values: Vec<String> = (0..15)
                        .map(|_| format!("{:.0}", level * gain * (1.0 + 0.01 * g.normal())))
                        .collect();
                    let _ = writeln!(
                        text,
                        r#"{{"assay":1,"nonce":"0123456789abcdef","kind":"samples","workload":"shape-{workload}","subject":"{subject}","process":{process},"block":{block},"leg":{leg},"unit":"ns","values":[{}],"timer":"clock_monotonic","tick":1,"cache":"hot"}}"#,
                        values.join(",")
                    );
                }
            }
        }
    }
    text
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let text = lines();
    bencher
        .counter(divan::counter::BytesCount::of_str(&text))
        .bench(|| Samples::parse_jsonl(black_box(&text)));
}

#[divan::bench]
fn judge_360000_samples(bencher: Bencher) {
    let (samples, problems) = Samples::parse_jsonl(&lines());
    assert!(problems.is_empty() && samples.values() == 360_000);
    bencher.bench(|| judge(black_box(&samples), "A", "B", &Settings::default()));
}

#[divan::bench]
fn summaries(bencher: Bencher) {
    let (samples, _) = Samples::parse_jsonl(&lines());
    bencher.bench(|| assay_stats::summaries(black_box(&samples)));
}
