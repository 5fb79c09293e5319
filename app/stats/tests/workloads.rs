//! Many workloads: wins, losses, the dispatch split, and what a tick does to them.

mod common;

use std::collections::BTreeMap;

use assay_core::record::VerdictKind;
use assay_stats::prng::SplitMix64;
use assay_stats::split::{Split, dispatch};
use assay_stats::{Leg, Settings};
use common::{around, exact, judge, samples};

/// Workloads by name with the mean log-ratio of each, 8 processes.
fn of(effects: &[(&str, f64)]) -> Vec<Leg> {
    let all = effects.iter();
    all.flat_map(|(name, mean)| exact(name, 1e6, &around(*mean, 0.004, 8)))
        .collect()
}

fn split(legs: Vec<Leg>, settings: &Settings) -> Option<Split> {
    dispatch(&samples(legs), "A", "B", settings).expect("a pair")
}

const MIXED: &[(&str, f64)] = &[("a", -0.06), ("b", 0.08), ("c", 0.0), ("d", -0.10)];

#[test]
fn wins_and_losses_are_listed() {
    let j = judge(&samples(of(MIXED)), "A", "B", &Settings::default());
    assert_eq!(
        (j.wins, j.losses),
        (vec!["a".into(), "d".into()], vec!["b".into()])
    );
    assert!(!j.guard_ok);
}

#[test]
fn a_split_routes_what_is_proven_and_says_what_it_would_bring() {
    let s = split(of(MIXED), &Settings::default()).unwrap();
    assert_eq!(s.to_b, ["a", "d"]);
    assert_eq!((s.to_a, s.open), (vec!["b".into()], vec!["c".into()]));
    // Four workloads, two of which gain: -0.16 / 4, against -0.08 / 4 for B alone.
    assert!((s.ratio.ln() + 0.04).abs() < 1e-9, "{}", s.ratio);
    assert!((s.b_alone.ln() + 0.02).abs() < 1e-9, "{}", s.b_alone);
    assert!(s.interval[0] < s.ratio && s.ratio < s.interval[1] && s.interval[1] < 1.0);
    let weights = BTreeMap::from([("d".to_owned(), 5.0), ("c".to_owned(), 0.0)]);
    let settings = Settings {
        weights,
        ..Settings::default()
    };
    let s = split(of(MIXED), &settings).unwrap();
    assert!((s.ratio.ln() + (0.06 + 0.5) / 7.0).abs() < 1e-9);
    assert!(s.open.is_empty());
}

#[test]
fn there_is_no_split_where_one_side_does() {
    let none = |effects: &[(&str, f64)]| split(of(effects), &Settings::default()).is_none();
    assert!(none(&[("a", -0.06), ("b", -0.08)]), "B does for all");
    assert!(none(&[("a", 0.0), ("b", 0.08)]), "B wins nowhere");
    assert!(none(&[("a", -0.06)]), "one workload");
    assert!(dispatch(&samples(of(MIXED)), "A", "C", &Settings::default()).is_err());
}

#[test]
fn a_win_of_one_tick_is_none() {
    let mut legs = of(MIXED);
    for l in legs
        .iter_mut()
        .filter(|l| l.workload == "a" || l.workload == "b")
    {
        l.tick_ns = Some(90_000.0);
    }
    let j = judge(&samples(legs.clone()), "A", "B", &Settings::default());
    assert_eq!((j.wins, j.losses), (vec!["d".to_owned()], vec![]));
    let s = split(legs, &Settings::default()).unwrap();
    assert_eq!((s.to_b, s.to_a.len()), (vec!["d".to_owned()], 0));
    assert_eq!(s.open, ["a", "b", "c"]);
}

/// A routing that hangs on one process does not count that process for it.
#[test]
fn a_process_is_counted_under_the_routing_of_the_others() {
    // Proven over all eight, and not without any of the four that gain most.
    let slight = [-0.010, -0.004, -0.011, 0.001, -0.012, 0.003, -0.010, -0.003];
    let mut legs = exact("slight", 1e6, &slight);
    legs.extend(exact("slow", 1e6, &around(0.08, 0.002, 8)));
    let s = split(legs, &Settings::default()).unwrap();
    assert_eq!(s.to_b, ["slight"]);
    let flattered = slight.iter().sum::<f64>() / 16.0;
    assert!(
        s.ratio.ln() > flattered / 2.0 && s.interval[1] > 1.0,
        "{s:?}"
    );
}

/// Choosing sides by noise must not look like a gain: eight workloads on which nothing differs.
#[test]
fn a_split_of_nothing_promises_nothing() {
    let mut g = SplitMix64::new(21);
    let (mut proposed, mut promised) = (0, 0);
    for _ in 0..150 {
        let mut legs = Vec::new();
        for w in 0..8 {
            let ratios: Vec<f64> = (0..8).map(|_| 0.01 * g.normal()).collect();
            legs.extend(exact(&format!("w{w}"), 1e6, &ratios));
        }
        if let Some(s) = split(legs, &Settings::default()) {
            proposed += 1;
            promised += u32::from(s.interval[1] < 1.0);
        }
    }
    // Holm at 5 % over both directions: about 2.5 % propose to route something to B.
    assert!(proposed <= 12, "{proposed} of 150");
    assert!(promised <= 6, "{promised} of {proposed}");
}

#[test]
fn a_subset_of_workloads_on_either_side_is_matched_and_the_rest_listed() {
    let mut legs = of(&[("both", -0.05), ("a-only", 0.0), ("b-only", 0.0)]);
    legs.retain(|l| match l.workload.as_str() {
        "a-only" => l.subject == "A",
        "b-only" => l.subject == "B",
        _ => true,
    });
    let j = judge(&samples(legs), "A", "B", &Settings::default());
    assert_eq!((j.kind, j.workloads.len()), (VerdictKind::Faster, 1));
    assert_eq!(
        j.warnings,
        [
            "workload a-only did not enter: only A was measured on it",
            "workload b-only did not enter: only B was measured on it"
        ]
    );
}
