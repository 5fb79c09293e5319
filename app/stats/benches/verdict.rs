//! The cost of a verdict over a large campaign: 100 workloads, 12 processes, 360,000 samples.

use std::fmt::Write;

use assay_stats::prng::SplitMix64;
use assay_stats::simulate::{REGIMES, tally};
use assay_stats::{PROCEDURE, Rule, Samples, Settings, judge, judge_by};
use divan::{Bencher, black_box};

const TICK: &str = r#","tick":1"#;
const CLOCKS: &str = r#","tick":1,"clock_mhz":1410,"clock_locked":true"#;

fn main() {
    divan::main();
}

/// 100 workloads x 12 processes x 5 blocks x 4 legs of 15 values; `more` goes on each line.
fn lines(more: &str) -> String {
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
                        r#"{{"assay":1,"nonce":"0123456789abcdef","kind":"samples","workload":"shape-{workload}","subject":"{subject}","process":{process},"block":{block},"leg":{leg},"unit":"ns","values":[{}],"timer":"clock_monotonic","cache":"hot"{more}}}"#,
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
    let text = lines(TICK);
    bencher
        .counter(divan::counter::BytesCount::of_str(&text))
        .bench(|| Samples::parse_jsonl(black_box(&text)));
}

#[divan::bench]
fn judge_360000_samples(bencher: Bencher) {
    let (samples, problems) = Samples::parse_jsonl(&lines(TICK));
    assert!(problems.is_empty() && samples.values() == 360_000);
    bencher.bench(|| judge(black_box(&samples), "A", "B", &Settings::default()));
}

/// Without a stated tick the least step between values is looked for.
#[divan::bench]
fn judge_without_tick(bencher: Bencher) {
    let (samples, _) = Samples::parse_jsonl(&lines(""));
    bencher.bench(|| judge(black_box(&samples), "A", "B", &Settings::default()));
}

/// In time and in cycles.
#[divan::bench]
fn judge_with_clocks(bencher: Bencher) {
    let (samples, _) = Samples::parse_jsonl(&lines(CLOCKS));
    bencher.bench(|| judge(black_box(&samples), "A", "B", &Settings::default()));
}

#[divan::bench(args = Rule::ALL)]
fn rule(bencher: Bencher, rule: &Rule) {
    let (samples, _) = Samples::parse_jsonl(&lines(TICK));
    bencher.bench(|| judge_by(*rule, black_box(&samples), "A", "B", &Settings::default()));
}

/// 100 simulated campaigns; 10,000 are to stay below ten seconds.
#[divan::bench(args = ["quiet", "typical", "noisy", "two levels"])]
fn campaigns_100(bencher: Bencher, regime: &str) {
    let noise = REGIMES.iter().find(|r| r.name == regime);
    let noise = noise.expect("a regime");
    bencher.bench(|| {
        tally(
            PROCEDURE,
            &Settings::default(),
            noise,
            -0.01,
            100,
            black_box(1),
        )
    });
}

#[divan::bench]
fn summaries(bencher: Bencher) {
    let (samples, _) = Samples::parse_jsonl(&lines(TICK));
    bencher.bench(|| assay_stats::summaries(black_box(&samples)));
}
