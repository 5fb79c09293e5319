//! The rules that people use by hand: what each accepts, and what it is not spared.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::resample::{POLICIES, Pool, false_accept, procedure_of};
use assay_stats::simulate::{TYPICAL, legs};
use assay_stats::{Judgement, Leg, PROCEDURE, Rule, Samples, Settings, Step};
use common::{around, exact, judge_as, judge_by, samples};

fn by(rule: Rule, legs: Vec<Leg>) -> Judgement {
    judge_by(rule, &samples(legs), "A", "B", &Settings::default())
}

fn kinds(mean: f64) -> [VerdictKind; 3] {
    let of = |rule| by(rule, exact("w", 1e6, &around(mean, 0.0005, 4))).kind;
    [Rule::MedianLower, Rule::Threshold, Rule::MannWhitney].map(of)
}

#[test]
fn each_rule_has_its_limit() {
    use VerdictKind::{Faster, NoGain, Slower};
    assert_eq!(kinds(-0.002), [Faster, NoGain, NoGain]);
    assert_eq!(kinds(-0.029), [Faster, NoGain, Faster]);
    assert_eq!(kinds(-0.05), [Faster, Faster, Faster]);
    assert_eq!(kinds(0.05), [Slower, Slower, Slower]);
    // 3 % of A's time: the ratio 0.97 is not below it, and 0.969 is.
    let at = |ratio: f64| {
        let legs = exact("w", 1e6, &[ratio.ln(); 4]);
        by(Rule::Threshold, legs).kind
    };
    assert_eq!((at(0.9701), at(0.969)), (NoGain, Faster));
    let settings = Settings {
        gain: 0.05,
        ..Settings::default()
    };
    let s = samples(exact("w", 1e6, &[0.96f64.ln(); 4]));
    let j = judge_as("threshold/1", &s, "A", "B", &settings).unwrap();
    assert_eq!(j.kind, NoGain);
    assert!(j.reason.ends_with("the threshold is 5 %"), "{}", j.reason);
}

#[test]
fn a_null_pair_is_never_faster_by_any_rule() {
    let settings = Settings {
        null_pair: true,
        ..Settings::default()
    };
    for rule in Rule::ALL.iter().copied() {
        for (mean, kind, said) in [
            (-0.05, VerdictKind::Undecided, "FASTER"),
            (0.05, VerdictKind::NoGain, "SLOWER"),
        ] {
            let s = samples(exact("w", 1e6, &around(mean, 0.0005, 4)));
            let j = judge_by(rule, &s, "A", "B", &settings);
            assert_eq!((j.kind, j.step), (kind, Step::Done), "{rule}");
            assert!(j.reason.starts_with("identical machine code: a null pair"));
            let end = format!("the rule would say {said}");
            assert!(j.reason.ends_with(&end), "{}", j.reason);
            assert!(j.warnings[0].starts_with("A/A alarm"), "{:?}", j.warnings);
            assert!(j.warnings[1].contains("a null pair"), "{:?}", j.warnings);
            assert!(j.next.starts_with("repeat the null pair"));
        }
    }
    let s = samples(exact("w", 1e6, &around(0.001, 0.0005, 4)));
    let j = judge_by(Rule::Threshold, &s, "A", "B", &settings);
    assert_eq!(j.kind, VerdictKind::NoGain);
    let told = j.warnings.iter().filter(|w| w.contains("null pair"));
    assert_eq!(told.count(), 1);
}

#[test]
fn a_rule_says_how_many_it_is_documented_for_and_no_p_is_zero() {
    for (n, told) in [(4, false), (8, true)] {
        let j = by(Rule::MannWhitney, exact("w", 1e6, &around(-0.08, 0.001, n)));
        let want = "this rule is documented for one look at 4 processes, and judged 8 processes";
        assert_eq!(
            j.warnings.iter().any(|w| w == want),
            told,
            "{:?}",
            j.warnings
        );
        assert!(j.reason.contains("p < 0.001 against"), "{}", j.reason);
    }
}

#[test]
fn names_lead_to_rules_and_back() {
    for rule in Rule::ALL.iter().copied() {
        assert_eq!(Rule::of_policy(rule.policy()), Some(rule));
        assert_eq!(Rule::of_procedure(rule.procedure()), Some(rule));
        assert_eq!(procedure_of(rule.policy()), Some(rule.procedure()));
    }
    assert_eq!(procedure_of("assay"), Some(PROCEDURE));
    assert_eq!(procedure_of("coin"), None);
    assert_eq!(POLICIES.len(), Rule::ALL.len() + 1);
}

#[test]
fn a_rule_looks_once_and_says_that_it_knows_no_noise() {
    let j = by(Rule::MedianLower, exact("w", 1e6, &around(-0.05, 0.001, 3)));
    assert_eq!(
        (j.kind, j.step),
        (VerdictKind::Invalid, Step::More { processes: 1 })
    );
    for n in [4, 8, 12] {
        let j = by(Rule::MedianLower, exact("w", 1e6, &around(-0.05, 0.001, n)));
        assert_eq!((j.kind, j.step), (VerdictKind::Faster, Step::Done));
        assert_eq!((j.interval, j.level, j.processes), (None, 0.0, n as u32));
        assert!(j.warnings[0].contains("false-accept rate"));
        assert!(
            j.reason
                .starts_with("rule median-lower: the median of B is 4."),
            "{}",
            j.reason
        );
    }
    let j = judge_by(
        Rule::Threshold,
        &Samples::default(),
        "A",
        "B",
        &Settings::default(),
    );
    assert_eq!(j.step, Step::More { processes: 4 });
    for settings in [
        Settings {
            gain: f64::NAN,
            ..Settings::default()
        },
        Settings {
            gain: 1.0,
            ..Settings::default()
        },
        Settings {
            delta: -1.0,
            ..Settings::default()
        },
    ] {
        let s = samples(exact("w", 1e6, &[0.0; 4]));
        let j = judge_by(Rule::Threshold, &s, "A", "B", &settings);
        assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
    }
}

#[test]
fn void_legs_and_dropped_processes_do_not_enter() {
    let mut legs = exact("w", 1e6, &around(-0.05, 0.001, 6));
    for l in legs.iter_mut().filter(|l| l.block == 1 && l.subject == "B") {
        l.values_ns.iter_mut().for_each(|v| *v *= 100.0);
        l.void = Some("thermal slowdown".into());
    }
    legs.retain(|l| l.process < 6 || l.subject == "A");
    let j = by(Rule::MedianLower, legs);
    assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 5));
    assert!(j.ratio.unwrap() < 0.96);
    assert!(j.warnings.iter().any(|w| w.contains("only A was measured")));
    assert!(j.warnings.iter().any(|w| w.contains("thermal slowdown")));
}

/// One display digit is no finding, whatever the rule: 3.5 us against 3.6 us.
#[test]
fn one_tick_is_no_finding() {
    for rule in Rule::ALL.iter().copied() {
        for (a, b) in [(3600.0, 3500.0), (3500.0, 3600.0)] {
            let mut legs = exact("w", 1.0, &[0.0; 8]);
            for l in &mut legs {
                l.tick_ns = Some(100.0);
                let time = if l.subject == "A" { a } else { b };
                let odd = if l.leg == 1 { 100.0 } else { 0.0 };
                l.values_ns = vec![time, time, time + odd];
            }
            let settings = Settings {
                gain: 0.01,
                ..Settings::default()
            };
            let j = judge_by(rule, &samples(legs.clone()), "A", "B", &settings);
            assert_eq!(j.kind, VerdictKind::Undecided, "{}", j.reason);
            assert!(j.reason.contains("resolution of the timer"));
            assert!(j.guard_ok && j.wins.is_empty() && j.losses.is_empty());
            // A finer tick that is stated does not hide the step that the values show.
            legs.iter_mut().for_each(|l| l.tick_ns = Some(1.0));
            let j = judge_by(rule, &samples(legs.clone()), "A", "B", &settings);
            assert_eq!(j.kind, VerdictKind::Undecided, "{}", j.reason);
            // With values as fine as that it is a finding.
            for (i, l) in legs.iter_mut().enumerate() {
                l.values_ns
                    .iter_mut()
                    .for_each(|v| *v += (i * i % 23) as f64);
            }
            let j = judge_by(rule, &samples(legs), "A", "B", &settings);
            assert_ne!(j.kind, VerdictKind::Undecided, "{}", j.reason);
        }
    }
}

#[test]
fn many_workloads_are_weighted_and_the_guard_is_kept() {
    let mut legs = exact("fast", 1e6, &around(-0.08, 0.001, 4));
    legs.extend(exact("slow", 1e6, &around(0.05, 0.001, 4)));
    for rule in Rule::ALL.iter().copied() {
        let settings = Settings {
            gain: 0.01,
            ..Settings::default()
        };
        let j = judge_by(rule, &samples(legs.clone()), "A", "B", &settings);
        assert_eq!((j.kind, j.guard_ok), (VerdictKind::Faster, false));
        // It proves nothing, of single workloads least of all.
        assert_eq!((j.wins.len(), j.losses.len()), (0, 0));
        assert!((j.ratio.unwrap().ln() + 0.015).abs() < 1e-3);
        assert!(
            j.warnings
                .iter()
                .any(|w| w.starts_with("workload slow takes 1.051 x"))
        );
        let heavy = Settings {
            weights: [("slow".into(), 9.0)].into(),
            ..settings
        };
        let j = judge_by(rule, &samples(legs.clone()), "A", "B", &heavy);
        assert_eq!(j.kind, VerdictKind::Slower);
    }
}

#[test]
fn the_false_accept_rate_comes_with_its_interval_and_the_processes_behind_it() {
    let mut g = assay_stats::prng::SplitMix64::new(11);
    let (aa, _) = Samples::from_legs(legs(&mut g, &TYPICAL, 0.0, 1, 8));
    let pool = Pool::new(&aa, "A", "B");
    let of = |policy| false_accept(policy, &pool, &Settings::default(), 200, 3);
    let lower = of("median-lower").unwrap();
    assert_eq!((lower.campaigns, lower.processes), (200, 8));
    assert_eq!(lower.procedure, "median-lower/1");
    assert!(lower.rate > 0.3 && lower.rate < 0.7, "{lower:?}");
    assert!(lower.interval[0] < lower.rate && lower.rate < lower.interval[1]);
    let text = lower.to_string();
    assert!(
        text.starts_with("policy median-lower accepts ") && text.ends_with("from 8 processes"),
        "{text}"
    );
    let assay = of("assay").unwrap();
    assert!(assay.rate <= 0.02, "{assay:?}");
    assert_eq!(of("coin"), None);
    let none = Pool::new(&Samples::default(), "A", "B");
    assert_eq!(
        false_accept("assay", &none, &Settings::default(), 9, 1),
        None
    );
    assert_eq!(
        false_accept("assay", &pool, &Settings::default(), 0, 1),
        None
    );
}

/// A pool that leans to one side must not turn into a policy's false accepts, or hide them.
#[test]
fn a_null_pool_calls_either_side_b_by_chance() {
    let pool = Pool::new(
        &samples(exact("w", 1e6, &around(-0.03, 0.002, 8))),
        "A",
        "B",
    );
    let t = pool.tally("median-lower/1", &Settings::default(), true, 200, 5);
    let t = t.expect("processes");
    assert!(
        (70..130).contains(&t.faster) && t.faster + t.slower == 200,
        "{t:?}"
    );
    let t = pool.tally("median-lower/1", &Settings::default(), false, 50, 5);
    assert_eq!(t.expect("processes").faster, 50);
}
