//! The built-in rules on tables that people published: what is wrong in them is found, and what is
//! right is left alone.

use assay_profile::rules::{Kind, Rules, on_campaign, on_launch, on_pair};
use assay_profile::{Catalog, Counter, Launch, Profile, Scope};

use crate::support::context;

fn row(figures: &[(&str, &str, &str)]) -> Profile {
    let mut profile = Profile::new("table", "csv");
    let mut launch = Launch::new("row", Scope::PerKernel);
    for (name, raw, unit) in figures {
        assert!(Catalog::builtin().get(name).is_some());
        let mut counter = Counter::read("", *name, raw, *unit);
        counter.canonical = Some((*name).into());
        launch.push(counter);
    }
    profile.launches.push(launch);
    profile
}

fn ids(profile: &Profile, figures: &[(&str, f64)]) -> Vec<String> {
    let launch = &profile.launches[0];
    let context = context(figures);
    let found = on_launch(Rules::builtin(), Kind::Audit, profile, launch, &context);
    found.findings.into_iter().map(|f| f.rule).collect()
}

/// A GEMM table of M = N = 8192 that prints milliseconds as seconds: K, latency, TFLOPS.
const GEMM: [(f64, &str, &str); 7] = [
    (256.0, "0.089056", "386"),
    (512.0, "0.132064", "520"),
    (1024.0, "0.218816", "628"),
    (2048.0, "0.390112", "705"),
    (4096.0, "0.746752", "736"),
    (8192.0, "1.449888", "758"),
    (16384.0, "2.871168", "766"),
];

#[test]
fn seconds_for_milliseconds_are_found_in_each_row_and_the_right_unit_is_not_accused() {
    for (k, time, tflops) in GEMM {
        let flops = [("workload.flops", 2.0 * 8192.0 * 8192.0 * k)];
        let tflops = ("claim.tflops", tflops, "TFLOPS");
        let wrong = row(&[("claim.time", time, "s"), tflops]);
        assert_eq!(ids(&wrong, &flops), ["tflops-unit-slip"], "K = {k}");
        let right = row(&[("claim.time", time, "ms"), tflops]);
        assert!(ids(&right, &flops).is_empty(), "K = {k}");
    }
}

#[test]
fn a_figure_whose_two_spellings_are_alike_is_said_once() {
    for (time, said, zh) in [
        ("1.449888", "and 1.44989 s are", "与 1.44989 s，而"),
        (
            "0.089056",
            "and 89.056 ms (0.089056 s) are",
            "与 89.056 ms（0.089056 s），而",
        ),
    ] {
        let tflops = format!("{}", 2000.0 / time.parse::<f64>().unwrap());
        let profile = row(&[
            ("claim.time", time, "s"),
            ("claim.tflops", &tflops, "TFLOPS"),
        ]);
        let known = context(&[("workload.flops", 2e12)]);
        let launch = &profile.launches[0];
        let found = on_launch(Rules::builtin(), Kind::Audit, &profile, launch, &known);
        let f = &found.findings[0];
        assert_eq!(f.rule, "tflops-unit-slip");
        assert!(f.message.contains(said), "{}", f.message);
        assert!(f.message_zh.contains(zh), "{}", f.message_zh);
    }
}

/// Rows of an elementwise kernel: B, N, C, time in us, throughput and traffic as printed.
const ELEMENTWISE: [(f64, f64, f64, &str, &str, f64); 5] = [
    (128.0, 4.0, 4096.0, "11.70", "0.3585", 9_439_232.0),
    (8192.0, 4.0, 4096.0, "405.60", "0.6618", 604_110_848.0),
    (4096.0, 4.0, 7168.0, "367.60", "0.6390", 528_547_840.0),
    (128.0, 2.0, 2048.0, "5.70", "0.1840", 2_622_464.0),
    (128.0, 8.0, 1024.0, "7.00", "0.2996", 4_460_544.0),
];

#[test]
fn a_formula_of_the_wrong_order_is_found_by_declaration_by_rate_and_by_what_is_published() {
    for (b, n, c, time, tflops, bytes) in ELEMENTWISE {
        let flops = 2.0 * b * n * c;
        let inflated = 2.0 * b * (n * n * c * c + n * c);
        let known = [
            ("workload.bytes", bytes),
            ("workload.outputs", b * n * c),
            ("workload.ops_per_output", 2.0),
            ("device.peak.most", 14.98),
            ("bench.time", time.parse::<f64>().unwrap() * 1e3),
        ];
        let with = |flops: f64| [&known[..], &[("workload.flops", flops)]].concat();
        // The campaign's own formula is wrong: nothing published is needed to see it.
        let found = on_campaign(Rules::builtin(), "it", &context(&with(inflated)));
        let messages: Vec<_> = found
            .findings
            .iter()
            .map(|f| (f.rule.as_str(), &f.message))
            .collect();
        let formula = messages
            .iter()
            .find(|(r, _)| *r == "formula-against-outputs");
        let factor = (n * c + 1.0) as u64;
        let factor = format!("{},{:03}x as much", factor / 1000, factor % 1000);
        assert!(
            formula.is_some_and(|(_, m)| m.contains(&factor)),
            "{messages:?}"
        );
        assert!(
            messages.iter().any(|(r, _)| *r == "formula-rate-over-peak"),
            "{messages:?}"
        );
        let found = on_campaign(Rules::builtin(), "it", &context(&with(flops)));
        assert!(found.findings.is_empty(), "{:?}", found.findings);
        // The formula is right and what is published is not.
        let time = ("claim.time", time, "us");
        let wrong = format!("{}", flops * (n * c + 1.0));
        let wrong = row(&[time, ("claim.flops", &wrong, "1")]);
        assert_eq!(ids(&wrong, &with(flops)), ["flops-inflated"]);
        let right = row(&[time, ("claim.tflops", tflops, "TFLOPS")]);
        assert!(ids(&right, &with(flops)).is_empty());
    }
}

/// Times in us and published speedups.
const SPEEDUPS: [(&str, &str, &str); 8] = [
    ("27.40", "3.50", "7.829"),
    ("22.80", "3.60", "6.333"),
    ("5747.60", "405.60", "14.171"),
    ("1262.70", "405.60", "3.113"),
    ("3.50", "3.60", "0.972"),
    ("5.50", "6.00", "0.917"),
    ("58.30", "7.00", "8.329"),
    ("1267.30", "97.00", "13.065"),
];

#[test]
fn speedups_that_follow_from_their_times_are_not_accused() {
    for (before, after, speedup) in SPEEDUPS {
        let a = row(&[("claim.time", before, "us")]);
        let with =
            |speedup: &str| row(&[("claim.time", after, "us"), ("claim.speedup", speedup, "x")]);
        let judged = |b: &Profile| {
            let sides = ((&a, &a.launches[0]), (b, &b.launches[0]));
            let none = context(&[]);
            let found = on_pair(Rules::builtin(), Kind::Audit, sides.0, sides.1, &none);
            let ids = found.findings.into_iter().map(|f| f.rule);
            ids.filter(|r| r == "speedup-not-times").count()
        };
        assert_eq!(judged(&with(speedup)), 0, "{before} / {after}");
        let other = format!("{:.3}", speedup.parse::<f64>().unwrap() * 1.05);
        assert_eq!(judged(&with(&other)), 1, "{before} / {after}");
    }
}
