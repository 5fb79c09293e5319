//! Properties that hold for any samples.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::{Judgement, Leg, Rule, Samples, Settings};
use common::{exact, judge, judge_by, samples};
use proptest::prelude::*;

/// Two workloads with their own ratios in each of 4 to 14 processes, from exact to very noisy.
fn legs() -> impl Strategy<Value = Vec<Leg>> {
    let spread = prop::sample::select(vec![0.0, 0.002, 0.01, 0.05]);
    let draw = prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 4..14);
    (-0.05..0.05f64, spread, draw).prop_map(|(mean, spread, draw)| {
        let of = |pick: fn(&(f64, f64)) -> f64| -> Vec<f64> {
            draw.iter().map(|d| mean + spread * pick(d)).collect()
        };
        let mut legs = exact("x", 2e6, &of(|d| d.0));
        legs.extend(exact("y", 3e4, &of(|d| d.1)));
        legs
    })
}

fn ab(legs: Vec<Leg>) -> Judgement {
    judge(&samples(legs), "A", "B", &Settings::default())
}

fn near(x: Option<f64>, y: Option<f64>) -> bool {
    match (x, y) {
        (Some(x), Some(y)) => (x / y - 1.0).abs() < 1e-9,
        (x, y) => x == y,
    }
}

/// Whether a bound of the interval lies so close to a limit that rounding decides.
fn on_edge(j: &Judgement) -> bool {
    let limits = [1.0 / 1.01, 1.0, 1.01];
    let values = j.interval.into_iter().flatten().chain(j.ratio);
    values
        .into_iter()
        .any(|v| limits.iter().any(|l| (v / l - 1.0).abs() < 1e-8))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn swapping_a_and_b_inverts_the_ratio_and_mirrors_the_verdict(legs in legs()) {
        let there = ab(legs.clone());
        let back = judge(&samples(legs), "B", "A", &Settings::default());
        prop_assume!(!on_edge(&there) && !on_edge(&back));
        prop_assert!(near(there.ratio, back.ratio.map(|r| 1.0 / r)));
        match there.kind {
            VerdictKind::Faster => prop_assert_eq!(back.kind, VerdictKind::Slower),
            VerdictKind::Same => prop_assert_eq!(back.kind, VerdictKind::Same),
            // A slowdown needs no delta, a gain does: the way back may fall short of it.
            VerdictKind::Slower => prop_assert!(
                matches!(back.kind, VerdictKind::Faster | VerdictKind::Undecided)
            ),
            _ => prop_assert!(back.kind != VerdictKind::Faster && back.kind != VerdictKind::Same),
        }
    }

    #[test]
    fn scaling_all_times_changes_nothing(legs in legs(), scale in 0.01..1000.0f64) {
        let scaled = legs.iter().cloned().map(|mut l| {
            l.values_ns.iter_mut().for_each(|v| *v *= scale);
            l.tick_ns = l.tick_ns.map(|t| t * scale);
            l
        });
        let (one, two) = (ab(legs.clone()), ab(scaled.collect()));
        prop_assume!(!on_edge(&one));
        prop_assert!(near(one.ratio, two.ratio));
        prop_assert_eq!((one.kind, one.step, one.guard_ok), (two.kind, two.step, two.guard_ok));
        prop_assert_eq!(one.reason, two.reason);
    }

    #[test]
    fn the_order_of_lines_changes_nothing(
        (legs, shuffled) in legs().prop_flat_map(|l| (Just(l.clone()), Just(l).prop_shuffle())),
    ) {
        prop_assert_eq!(ab(legs), ab(shuffled));
    }

    #[test]
    fn figures_are_finite_and_the_interval_holds_the_ratio(legs in legs()) {
        let j = ab(legs);
        let ([low, high], ratio) = (j.interval.unwrap(), j.ratio.unwrap());
        prop_assert!(low > 0.0 && high.is_finite());
        prop_assert!(low <= ratio && ratio <= high);
        if j.kind == VerdictKind::Faster {
            prop_assert!(high < 1.0 && ratio < 1.0 / 1.01);
        }
    }

    #[test]
    fn equal_clocks_change_nothing(legs in legs(), mhz in 200.0..3000.0f64) {
        let plain = ab(legs.clone());
        let clocked = legs.into_iter().map(|mut l| {
            (l.clock_mhz, l.clock_locked) = (Some(mhz), Some(true));
            l
        });
        let j = ab(clocked.collect());
        prop_assume!(!on_edge(&plain));
        prop_assert_eq!((j.kind, j.interval, j.step), (plain.kind, plain.interval, plain.step));
        prop_assert_eq!(j.warnings, plain.warnings);
        prop_assert!(near(j.cycles.map(|c| c.ratio), plain.ratio));
    }

    #[test]
    fn rules_know_no_order_and_mirror_when_the_sides_swap(
        (legs, shuffled) in legs().prop_flat_map(|l| (Just(l.clone()), Just(l).prop_shuffle())),
    ) {
        for rule in Rule::ALL.iter().copied() {
            let by = |legs: &[Leg], a, b| judge_by(rule, &samples(legs.to_vec()), a, b, &Settings::default());
            let there = by(&legs, "A", "B");
            prop_assert_eq!(&there, &by(&shuffled, "A", "B"));
            let back = by(&legs, "B", "A");
            prop_assert!(near(there.ratio, back.ratio.map(|r| 1.0 / r)));
            let mirrored = match there.kind {
                VerdictKind::Faster => VerdictKind::Slower,
                VerdictKind::Slower => VerdictKind::Faster,
                other => other,
            };
            prop_assert_eq!(mirrored, back.kind);
        }
    }

    #[test]
    fn no_line_whatever_makes_it_panic(lines in prop::collection::vec(line(), 0..60)) {
        let (samples, problems) = Samples::parse_jsonl(&lines.join("\n"));
        for p in &problems {
            prop_assert!(p.line >= 1 && !p.message.is_empty());
        }
        for leg in samples.legs() {
            prop_assert!(leg.values_ns.iter().all(|v| v.is_finite() && *v > 0.0));
        }
        let j = judge(&samples, "A", "B", &Settings::default());
        prop_assert!(!j.reason.is_empty());
        prop_assert!(j.ratio.is_none_or(|r| r.is_finite() && r > 0.0));
    }
}

/// Anything, JSON of any shape, and lines that are nearly sound.
fn line() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("1.5".to_owned()),
        Just("1e15".to_owned()),
        Just("0.001".to_owned()),
        Just("-1".to_owned()),
        Just("0".to_owned()),
        Just("1e999".to_owned()),
        Just("null".to_owned()),
        Just("[]".to_owned()),
        any::<f64>().prop_map(|v| format!("{v:e}")),
    ];
    let nearly = (
        prop::sample::select(vec!["A", "B", "C", ""]),
        0..5u32,
        0..3u32,
        0..4u32,
        prop::sample::select(vec!["ns", "us", "ms", "s", "h"]),
        prop::collection::vec(value, 0..3),
    )
        .prop_map(|(subject, process, block, leg, unit, values)| {
            format!(
                r#"{{"assay":1,"kind":"samples","workload":"w","subject":"{subject}","process":{process},"block":{block},"leg":{leg},"unit":"{unit}","values":[{}],"tick":1}}"#,
                values.join(",")
            )
        });
    let sound = (prop::sample::select(vec!["A", "B"]), 1..7u32, 0..2u32, 0..4u32, 1e-3..1e15f64)
        .prop_map(|(subject, process, block, leg, value)| {
            format!(
                r#"{{"kind":"samples","workload":"w","subject":"{subject}","process":{process},"block":{block},"leg":{leg},"unit":"ns","values":[{value}]}}"#
            )
        });
    prop_oneof![
        any::<String>(),
        "[\\[\\]{}\":,0-9a-z ]{0,40}",
        (0..5000usize).prop_map(|n| "[".repeat(n)),
        nearly,
        sound,
    ]
}
