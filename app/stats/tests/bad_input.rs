//! Bad samples end in INVALID or in a matched subset, with the reason: never a verdict by accident.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::{Judgement, Leg, PAIRED_T_1, PROCEDURES, Samples, Settings, Step};
use common::{around, exact, judge, judge_as, leg, samples};
use proptest::prelude::*;

fn ab(s: &Samples) -> Judgement {
    judge(s, "A", "B", &Settings::default())
}

/// A sound line of process `p`, block `b`, leg `k`, with its values and unit.
fn line(p: u32, b: u32, k: u32, values: &str, unit: &str) -> String {
    let subject = if (k == 0 || k == 3) == b.is_multiple_of(2) {
        "A"
    } else {
        "B"
    };
    format!(
        r#"{{"assay":1,"kind":"samples","workload":"w","subject":"{subject}","process":{p},"block":{b},"leg":{k},"unit":"{unit}","values":{values},"timer":"t","tick":0.001,"cache":"hot"}}"#
    )
}

/// Eight processes of four blocks in which B takes 0.9 x; `with` may rewrite a line.
fn text(with: impl Fn(u32, u32, u32, String) -> Option<String>) -> String {
    let mut lines = Vec::new();
    for (p, b, k) in
        (1..=8u32).flat_map(|p| (0..4u32).flat_map(move |b| (0..4).map(move |k| (p, b, k))))
    {
        let a = (k == 0 || k == 3) == b.is_multiple_of(2);
        let us = f64::from(1000 + p + b) * if a { 1.0 } else { 0.9 };
        let line = line(p, b, k, &format!("[{us},{}]", us + 0.5), "us");
        lines.extend(with(p, b, k, line));
    }
    lines.join("\n")
}

#[test]
fn a_bad_value_costs_its_block_and_no_more() {
    for bad in [
        "[0]", "[-1]", "[NaN]", "[null]", "[\"1\"]", "[]", "[1e999]", "[900,0]",
    ] {
        let t = text(|p, b, k, l| {
            Some(if (p, b, k) == (3, 1, 0) {
                line(p, b, k, bad, "us")
            } else {
                l
            })
        });
        let (s, problems) = Samples::parse_jsonl(&t);
        assert_eq!(problems.len(), 1, "{bad}");
        let j = ab(&s);
        assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 8), "{bad}");
        assert_eq!(
            j.warnings,
            ["dropped block 1 of process 3 (workload w): 2 legs of A and 1 of B, of 2 each"]
        );
    }
}

#[test]
fn units_are_converted_and_a_wrong_one_is_absurd_and_not_faster() {
    // The same times in other units are the same times.
    let mixed = text(|p, b, k, l| {
        let a = (k == 0 || k == 3) == b.is_multiple_of(2);
        let us = f64::from(1000 + p + b) * if a { 1.0 } else { 0.9 };
        Some(if a {
            l
        } else {
            line(
                p,
                b,
                k,
                &format!("[{},{}]", us * 1e3, us * 1e3 + 500.0),
                "ns",
            )
        })
    });
    let plain = ab(&Samples::parse_jsonl(&text(|_, _, _, l| Some(l))).0);
    let j = ab(&Samples::parse_jsonl(&mixed).0);
    assert!((j.ratio.unwrap() / plain.ratio.unwrap() - 1.0).abs() < 1e-9);
    // A unit that does not exist is a problem on every line, and nothing is left to judge.
    let (s, problems) =
        Samples::parse_jsonl(&text(|_, _, _, l| Some(l.replace("\"us\"", "\"cycles\""))));
    assert_eq!((s.legs().len(), problems.len()), (0, 128));
    assert_eq!(ab(&s).kind, VerdictKind::Invalid);
}

#[test]
fn constant_values_say_that_the_clock_is_too_coarse() {
    let constant = |ns: [f64; 2]| -> Samples {
        let mut legs = exact("w", 1.0, &[0.0; 8]);
        for l in &mut legs {
            l.values_ns = vec![ns[usize::from(l.subject == "B")]; 3];
            l.tick_ns = None;
        }
        samples(legs)
    };
    for s in [constant([1000.0, 900.0]), constant([1000.0, 1000.0])] {
        for procedure in PROCEDURES.iter().filter(|p| **p != PAIRED_T_1) {
            let j = judge_as(procedure, &s, "A", "B", &Settings::default()).unwrap();
            assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
            assert!(
                j.reason
                    .starts_with("all samples of A on workload w are the same number"),
                "{}",
                j.reason
            );
            assert!(!j.next.is_empty());
        }
    }
    // The first version says what it always said.
    let s = constant([1000.0, 900.0]);
    let j = judge_as(PAIRED_T_1, &s, "A", "B", &Settings::default()).unwrap();
    assert_eq!(j.kind, VerdictKind::Undecided);
    assert!(
        j.warnings
            .iter()
            .any(|w| w.contains("exactly the same ratio"))
    );
}

#[test]
fn a_copied_process_is_no_fresh_one() {
    let mut legs = exact("w", 1e6, &around(-0.1, 0.001, 5));
    let copy = |legs: &mut Vec<Leg>, from: u32, to: u32| {
        let of: Vec<Leg> = legs.iter().filter(|l| l.process == from).cloned().collect();
        legs.retain(|l| l.process != to);
        legs.extend(of.into_iter().map(|l| Leg { process: to, ..l }));
    };
    copy(&mut legs, 2, 6);
    let s = samples(legs.clone());
    let j = ab(&s);
    assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 5));
    let told = "dropped process 6: all its values are those of process 2";
    assert!(
        j.warnings.iter().any(|w| w.starts_with(told)),
        "{:?}",
        j.warnings
    );
    // Drawn with replacement, copies are what one gets.
    let drawn = Settings {
        drawn: true,
        ..Settings::default()
    };
    assert_eq!(judge(&s, "A", "B", &drawn).processes, 6);
    assert_eq!(
        judge_as(PAIRED_T_1, &s, "A", "B", &drawn)
            .unwrap()
            .processes,
        6
    );
    for process in 2..=6 {
        copy(&mut legs, 1, process);
    }
    let s = samples(legs);
    for procedure in PROCEDURES.iter().filter(|p| **p != PAIRED_T_1) {
        let j = judge_as(procedure, &s, "A", "B", &Settings::default()).unwrap();
        assert_eq!((j.kind, j.processes), (VerdictKind::Invalid, 1));
        assert!(
            j.reason.contains("a copy is no fresh process"),
            "{}",
            j.reason
        );
    }
}

#[test]
fn a_unit_that_is_wrong_on_one_side_is_the_first_warning() {
    for (factor, told) in [(1e3, true), (1e-3, true), (250.0, false)] {
        let mut legs = exact("w", 1e6, &around(-0.1, 0.001, 8));
        for l in legs.iter_mut().filter(|l| l.subject == "B") {
            l.values_ns.iter_mut().for_each(|v| *v *= factor);
        }
        let s = samples(legs);
        for procedure in PROCEDURES {
            let j = judge_as(procedure, &s, "A", "B", &Settings::default()).unwrap();
            let first = j.warnings.first().cloned().unwrap_or_default();
            let says = first.contains("a factor of a thousand: check the units");
            assert_eq!(says, told, "{procedure} {factor}: {:?}", j.warnings);
        }
    }
}

#[test]
fn launches_and_clocks_that_cannot_be_are_told_and_change_nothing() {
    let mut legs = exact("w", 1e6, &around(-0.1, 0.001, 8));
    let plain = ab(&samples(legs.clone()));
    for l in legs.iter_mut().filter(|l| l.process == 3) {
        l.odd = Some("\"launches\" is 0".into());
    }
    let s = samples(legs);
    let j = ab(&s);
    assert_eq!((j.kind, j.interval), (plain.kind, plain.interval));
    let told = "16 legs state what cannot be, the first: \"launches\" is 0";
    assert!(
        j.warnings.iter().any(|w| w.starts_with(told)),
        "{:?}",
        j.warnings
    );
    let j = judge_as("threshold/1", &s, "A", "B", &Settings::default()).unwrap();
    assert!(
        j.warnings.iter().any(|w| w.starts_with(told)),
        "{:?}",
        j.warnings
    );
}

#[test]
fn one_process_is_too_few() {
    let s = samples(vec![
        leg("w", "A", (1, 0, 0), vec![1000.0]),
        leg("w", "B", (1, 0, 1), vec![900.0]),
        leg("w", "B", (1, 0, 2), vec![901.0]),
        leg("w", "A", (1, 0, 3), vec![1001.0]),
    ]);
    let j = ab(&s);
    assert_eq!(
        (j.kind, j.step),
        (VerdictKind::Invalid, Step::More { processes: 3 })
    );
    assert_eq!((j.ratio, j.interval, j.level), (None, None, 0.0));
}

#[test]
fn a_process_that_died_half_way_keeps_what_is_complete() {
    // Dead after two and a half of four blocks: two complete ones are enough.
    let t = text(|p, b, k, l| (p != 5 || (b, k) < (2, 2)).then_some(l));
    let j = ab(&Samples::parse_jsonl(&t).0);
    assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 8));
    // Dead after one and a half: too little, so the process is out.
    let t = text(|p, b, k, l| (p != 5 || (b, k) < (1, 2)).then_some(l));
    let j = ab(&Samples::parse_jsonl(&t).0);
    assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 7));
    assert!(
        j.warnings
            .iter()
            .any(|w| w.contains("1 of 4 blocks are complete, 2 needed"))
    );
    // Its B never came: only A was measured.
    let t = text(|p, _, _, l| (p != 5 || l.contains("\"A\"")).then_some(l));
    let j = ab(&Samples::parse_jsonl(&t).0);
    assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 7));
    assert!(
        j.warnings
            .iter()
            .any(|w| w.contains("only A was measured in it"))
    );
}

#[test]
fn unequal_blocks_are_judged_on_those_that_are_complete() {
    // Odd processes lack a block, some blocks have only half their legs.
    let t = text(|p, b, k, l| (!(p % 2 == 1 && b == 3) && (b != 2 || k < 2)).then_some(l));
    let j = ab(&Samples::parse_jsonl(&t).0);
    assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 8));
    assert!(
        j.warnings
            .iter()
            .any(|w| w.contains("1 legs of A and 1 of B, of 2 each"))
    );
}

#[test]
fn mixed_timers_caches_and_devices_are_invalid_by_every_procedure() {
    for (from, to, want) in [
        (
            "\"timer\":\"t\"",
            "\"timer\":\"event\"",
            "mix the timers event, t",
        ),
        (
            "\"cache\":\"hot\"",
            "\"cache\":\"cold\"",
            "mix the cache modes cold, hot",
        ),
    ] {
        let t = text(|p, b, k, l| {
            Some(if (p, b, k) == (6, 0, 0) {
                l.replace(from, to)
            } else {
                l
            })
        });
        let (s, _) = Samples::parse_jsonl(&t);
        for procedure in PROCEDURES {
            let j = judge_as(procedure, &s, "A", "B", &Settings::default()).unwrap();
            assert_eq!(
                (j.kind, j.step),
                (VerdictKind::Invalid, Step::Done),
                "{procedure}"
            );
            assert!(j.reason.contains(want), "{}", j.reason);
        }
    }
}

/// What can happen to a leg on its way here.
#[derive(Debug, Clone)]
enum Harm {
    Lose,
    Void,
    Absurd(f64),
    Timer,
    Device,
    Clock(f64),
    Duplicate,
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        4 => Just(Harm::Lose),
        2 => Just(Harm::Void),
        2 => prop::sample::select(vec![0.0, -1.0, f64::NAN, f64::INFINITY, 1e300]).prop_map(Harm::Absurd),
        1 => Just(Harm::Timer),
        1 => Just(Harm::Device),
        2 => (500.0..3000.0f64).prop_map(Harm::Clock),
        1 => Just(Harm::Duplicate),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// The truth is no difference at all, and every leg says so: whatever is lost, void, absurd or
    /// claimed twice, no procedure may find one.
    #[test]
    fn no_harm_makes_a_difference_out_of_none(
        harms in prop::collection::vec((0..128usize, harm()), 0..90),
        processes in 4..9usize,
    ) {
        let mut legs: Vec<Leg> = exact("w", 1e6, &around(0.0, 0.0005, processes));
        let mut more = Vec::new();
        let mut lost = Vec::new();
        for (at, harm) in &harms {
            let at = at % legs.len();
            let leg = &mut legs[at];
            match harm {
                Harm::Lose => lost.push(at),
                Harm::Void => leg.void = Some("hot".into()),
                Harm::Absurd(v) => leg.values_ns[0] = *v,
                Harm::Timer => leg.timer = "event".into(),
                Harm::Device => leg.device = Some(format!("GPU-{}", at % 2)),
                Harm::Clock(mhz) => leg.clock_mhz = Some(*mhz),
                Harm::Duplicate => more.push(leg.clone()),
            }
        }
        let kept = legs.into_iter().enumerate().filter(|(i, _)| !lost.contains(i));
        let mut legs: Vec<Leg> = kept.map(|(_, l)| l).collect();
        legs.extend(more);
        let (s, _) = Samples::from_legs(legs);
        for procedure in &PROCEDURES[..2] {
            let j = judge_as(procedure, &s, "A", "B", &Settings::default()).unwrap();
            prop_assert!(
                !matches!(j.kind, VerdictKind::Faster | VerdictKind::Slower),
                "{} by {}", j.reason, procedure
            );
            prop_assert!(!j.reason.is_empty());
            prop_assert_eq!(j.kind == VerdictKind::Invalid, j.ratio.is_none());
            if j.kind != VerdictKind::Invalid {
                prop_assert!(j.processes >= 4);
            }
        }
        for procedure in &PROCEDURES[2..] {
            let j = judge_as(procedure, &s, "A", "B", &Settings::default()).unwrap();
            prop_assert!(j.ratio.is_none_or(|r| (r - 1.0).abs() < 0.05), "{}", j.reason);
        }
    }

    /// Looks one after the other and all at once say the same.
    #[test]
    fn adding_looks_is_judging_all_at_once(cut in 1..7u32, mean in -0.05..0.05f64) {
        let legs = exact("w", 1e6, &around(mean, 0.004, 8));
        let (first, rest): (Vec<Leg>, Vec<Leg>) = legs.iter().cloned().partition(|l| l.process <= cut);
        let (mut s, _) = Samples::from_legs(first);
        prop_assert_eq!(s.add(rest), []);
        prop_assert_eq!(ab(&s), ab(&samples(legs)));
    }
}
