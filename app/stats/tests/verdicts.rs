//! Every kind of verdict, with its reason, next step and warnings.

mod common;

use std::collections::BTreeMap;

use assay_core::record::{NullGround, VerdictKind};
use assay_stats::{Judgement, PROCEDURE, Samples, Settings, Step, step};
use common::{around, exact, judge, judge_as, samples};

fn judged(log_ratios: &[f64]) -> Judgement {
    with(log_ratios, &Settings::default())
}

fn with(log_ratios: &[f64], settings: &Settings) -> Judgement {
    judge(&samples(exact("w", 1e6, log_ratios)), "A", "B", settings)
}

#[test]
fn a_clear_gain_is_faster_and_the_reason_has_the_deciding_figures() {
    let j = judged(&around(-0.082, 0.004, 8));
    assert_eq!((j.kind, j.step), (VerdictKind::Faster, Step::Done));
    assert_eq!(
        j.reason,
        "B takes 0.921 x the time of A (98.6 % interval 0.917 to 0.926, 8 processes); the gain \
         exceeds delta 1 %"
    );
    let [low, high] = j.interval.unwrap();
    assert!(low < j.ratio.unwrap() && j.ratio.unwrap() < high);
    assert!((j.level - 0.986).abs() < 1e-12);
    assert_eq!(
        (j.next.as_str(), j.warnings.len(), j.guard_ok),
        ("", 0, true)
    );
    let w = &j.workloads[0];
    assert_eq!(
        (w.workload.as_str(), w.weight, w.guard_broken),
        ("w", 1.0, false)
    );
    assert!((w.ratio.unwrap() - (-0.082f64).exp()).abs() < 1e-9);
    assert!(w.a_median_ns.unwrap() > w.b_median_ns.unwrap());
}

#[test]
fn the_other_kinds_print_the_interval_that_decided_them() {
    let j = judged(&around(0.082, 0.004, 8));
    assert_eq!((j.kind, j.guard_ok), (VerdictKind::Slower, false));
    let j = judged(&around(0.001, 0.004, 12));
    assert_eq!((j.kind, j.step), (VerdictKind::Same, Step::Done));
    assert!(j.reason.contains("(90 % interval"), "{}", j.reason);
    // Proven slower, by too little to matter.
    let j = judged(&around(0.004, 0.001, 12));
    assert_eq!(j.kind, VerdictKind::Same);
    let j = judged(&around(0.004, 0.015, 12));
    assert_eq!((j.kind, j.step), (VerdictKind::NoGain, Step::Done));
    assert!(j.reason.contains("(90 % interval") && j.reason.contains("a loss is not"));
}

#[test]
fn an_early_look_that_does_not_decide_asks_for_more() {
    for (n, more, at) in [(4, 4, 8), (5, 3, 8), (8, 4, 12), (11, 1, 12)] {
        let j = judged(&around(-0.02, 0.03, n));
        assert_eq!(
            (j.kind, j.step),
            (VerdictKind::Undecided, Step::More { processes: more })
        );
        let want = format!("measure {more} more for the next look, at {at} processes");
        assert_eq!(j.next, want);
    }
    let s = samples(exact("w", 1e6, &around(-0.02, 0.03, 4)));
    assert_eq!(
        step(&s, "A", "B", &Settings::default()),
        Step::More { processes: 4 }
    );
}

#[test]
fn the_last_look_says_what_would_settle_it() {
    let j = judged(&around(-0.02, 0.04, 12));
    assert_eq!((j.kind, j.step), (VerdictKind::Undecided, Step::Done));
    assert!(
        j.next
            .starts_with("a fresh measurement of about 21 processes"),
        "{}",
        j.next
    );
    assert!(j.next.contains("sd 4.18 %"), "{}", j.next);
    let j = judged(&around(-0.00995, 0.01, 12));
    assert_eq!(j.kind, VerdictKind::Undecided);
    assert!(j.next.starts_with("more than 1000"), "{}", j.next);
    assert!(
        j.reason
            .ends_with("a gain is proven, whether it exceeds delta 1 % is not")
    );
}

#[test]
fn processes_beyond_the_plan_are_used_and_said() {
    let j = judged(&around(-0.05, 0.004, 16));
    assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 16));
    assert!((j.level - 0.955).abs() < 1e-12);
    assert!(j.warnings[0].starts_with("16 processes are more than the last planned look at 12"));
    let settings = Settings {
        looks: vec![16],
        ..Settings::default()
    };
    assert!(
        with(&around(-0.05, 0.004, 16), &settings)
            .warnings
            .is_empty()
    );
}

#[test]
fn too_few_processes_are_invalid_and_the_driver_is_told_how_many_are_missing() {
    let j = judged(&[-0.1, -0.1]);
    assert_eq!(
        (j.kind, j.step),
        (VerdictKind::Invalid, Step::More { processes: 2 })
    );
    assert_eq!(j.reason, "2 processes; the procedure needs 4");
    let j = judge(&Samples::default(), "A", "B", &Settings::default());
    assert_eq!(
        (j.kind, j.step),
        (VerdictKind::Invalid, Step::More { processes: 4 })
    );
    let j = judge(
        &samples(exact("w", 1e6, &[0.0; 4])),
        "A",
        "C",
        &Settings::default(),
    );
    assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
    assert_eq!(
        j.reason,
        "there are no samples of C; the samples are of A, B"
    );
}

#[test]
fn a_null_pair_is_never_faster_or_slower() {
    let null = Settings {
        null_pair: true,
        ..Settings::default()
    };
    for (mean, sd, kind, alarm) in [
        (-0.05, 0.004, VerdictKind::Undecided, true),
        (0.05, 0.004, VerdictKind::NoGain, true),
        (0.0, 0.004, VerdictKind::Same, false),
        (0.005, 0.01, VerdictKind::NoGain, false),
        (-0.02, 0.05, VerdictKind::Undecided, false),
    ] {
        let j = with(&around(mean, sd, 12), &null);
        assert_eq!(j.kind, kind);
        assert_eq!(j.step, Step::Done);
        assert!(
            j.reason.starts_with("identical machine code: a null pair"),
            "{}",
            j.reason
        );
        assert_eq!(j.warnings.iter().any(|w| w.starts_with("A/A alarm")), alarm);
    }
}

#[test]
fn a_null_pair_says_what_is_identical() {
    let null = Settings {
        null_pair: true,
        null_ground: NullGround::GeneratedSource,
        ..Settings::default()
    };
    let j = with(&around(-0.05, 0.004, 12), &null);
    assert_eq!(j.kind, VerdictKind::Undecided);
    let begins = "identical generated source: a null pair; ";
    assert!(j.reason.starts_with(begins), "{}", j.reason);
    let legs = samples(exact("w", 1e6, &around(-0.05, 0.004, 12)));
    let j = judge_as("median-lower/1", &legs, "A", "B", &null).unwrap();
    assert!(j.reason.starts_with(begins), "{}", j.reason);
    assert!(
        j.warnings
            .iter()
            .any(|w| w.starts_with("A and B have identical generated source")),
        "{:?}",
        j.warnings
    );
}

#[test]
fn what_is_said_fits_what_was_measured() {
    // The spread is of the processes that were measured, the floor of those that are planned.
    let j = judged(&around(-0.09, 0.0155, 4));
    let floor = j
        .warnings
        .iter()
        .find(|w| w.contains("noise floor"))
        .unwrap();
    assert!(
        floor.contains("with 12 processes (sd ") && floor.contains("seen in 4 processes)"),
        "{floor}"
    );
    // Nothing would be settled of a null pair.
    let null = Settings {
        null_pair: true,
        ..Settings::default()
    };
    let j = with(&around(-0.008, 0.04, 12), &null);
    assert_eq!(j.kind, VerdictKind::Undecided);
    assert!(
        j.next
            .starts_with("nothing is to be settled of a null pair"),
        "{}",
        j.next
    );
    // Where every workload is slower there is nothing to split.
    let mut legs = exact("x", 1e6, &around(0.08, 0.002, 8));
    legs.extend(exact("y", 1e6, &around(0.05, 0.002, 8)));
    let j = judge(&samples(legs), "A", "B", &Settings::default());
    assert_eq!((j.kind, j.guard_ok), (VerdictKind::Slower, false));
    assert!(
        j.warnings.iter().all(|w| !w.contains("dispatch split")),
        "{:?}",
        j.warnings
    );
}

#[test]
fn a_loser_among_the_workloads_breaks_the_guard_and_not_the_verdict() {
    let mut legs = Vec::new();
    for w in 0..9 {
        legs.extend(exact(&format!("w{w}"), 1e6, &around(-0.06, 0.004, 8)));
    }
    legs.extend(exact("w9", 1e6, &around(0.05, 0.004, 8)));
    let j = judge(&samples(legs.clone()), "A", "B", &Settings::default());
    assert_eq!((j.kind, j.guard_ok), (VerdictKind::Faster, false));
    let broken: Vec<_> = j.workloads.iter().filter(|w| w.guard_broken).collect();
    assert_eq!(broken.len(), 1);
    assert!(broken[0].workload == "w9" && broken[0].interval.unwrap()[0] > 1.02);
    assert!(
        j.warnings[0].starts_with("workload w9 takes 1.051 x"),
        "{:?}",
        j.warnings
    );

    // All the weight on the loser turns the verdict; weight 0 takes it out and says so.
    let heavy = Settings {
        weights: BTreeMap::from([("w9".into(), 100.0)]),
        ..Settings::default()
    };
    assert_eq!(
        judge(&samples(legs.clone()), "A", "B", &heavy).kind,
        VerdictKind::Slower
    );
    let out = Settings {
        weights: BTreeMap::from([("w9".into(), 0.0), ("gone".into(), 1.0)]),
        ..Settings::default()
    };
    let j = judge(&samples(legs), "A", "B", &out);
    assert_eq!(
        (j.kind, j.guard_ok, j.workloads.len()),
        (VerdictKind::Faster, true, 9)
    );
    assert_eq!(
        j.warnings,
        [
            "workload w9 did not enter: its weight is 0",
            "workload gone has no samples"
        ]
    );
}

#[test]
fn the_geometric_mean_is_weighted() {
    let mut legs = exact("x", 1e6, &around(-0.08, 0.002, 8));
    legs.extend(exact("y", 5e3, &around(-0.02, 0.002, 8)));
    let weights = BTreeMap::from([("x".into(), 1.0), ("y".into(), 3.0)]);
    let settings = Settings {
        weights,
        ..Settings::default()
    };
    let j = judge(&samples(legs), "A", "B", &settings);
    assert!((j.ratio.unwrap().ln() + 0.035).abs() < 1e-9);
}

#[test]
fn a_difference_below_one_tick_is_not_claimed() {
    let coarse = Settings {
        tick_ns: Some(100_000.0),
        ..Settings::default()
    };
    for mean in [-0.05, 0.05] {
        let j = with(&around(mean, 0.001, 8), &coarse);
        assert_eq!((j.kind, j.step), (VerdictKind::Undecided, Step::Done));
        assert!(
            j.reason
                .contains("not above one tick of the timer (100 us)"),
            "{}",
            j.reason
        );
        assert!(j.next.starts_with("time more launches"), "{}", j.next);
    }
    // Well above a tick it is claimed.
    assert_eq!(
        with(&around(-0.15, 0.001, 8), &coarse).kind,
        VerdictKind::Faster
    );
}

/// One display digit: 3.5 against 3.6 us in every process is no evidence of 2.9 %.
#[test]
fn one_printed_digit_is_no_gain() {
    let text = |a: f64, b: f64, tick: &str| {
        let mut text = String::new();
        for process in 1..=8 {
            for (leg, subject) in "ABBA".chars().enumerate() {
                let value = if subject == 'A' { a } else { b };
                let odd = value + if (leg + process) % 4 == 0 { 0.1 } else { 0.0 };
                text += &format!(
                    r#"{{"kind":"samples","workload":"w","subject":"{subject}","process":{process},"block":0,"leg":{leg},"unit":"us","values":[{value},{value},{odd:.1}]{tick}}}"#
                );
                text.push('\n');
            }
        }
        let (samples, problems) = Samples::parse_jsonl(&text);
        assert_eq!(problems, []);
        judge(&samples, "A", "B", &Settings::default())
    };
    let j = text(3.6, 3.5, "");
    assert_eq!(j.kind, VerdictKind::Undecided);
    assert!(
        j.reason
            .contains("not above one step of the values (100 ns)"),
        "{}",
        j.reason
    );
    assert!(
        j.warnings
            .iter()
            .any(|w| w.contains("exactly the same ratio"))
    );
    assert!(j.warnings.iter().any(|w| w.contains("do not state timer")));
    // A finer tick that is stated, always in ns, does not hide the step.
    let fine = text(3.6, 3.5, r#","tick":1"#);
    assert_eq!(fine.kind, VerdictKind::Undecided);
    assert!(
        fine.reason.contains("step of the values (100 ns)"),
        "{}",
        fine.reason
    );
    let coarse = text(3.6, 3.3, r#","tick":300"#);
    assert!(
        coarse.reason.contains("tick of the timer (300 ns)"),
        "{}",
        coarse.reason
    );
    assert_eq!(text(3.6, 3.3, r#","tick":1"#).kind, VerdictKind::Faster);
    let j = text(3.5, 3.5, "");
    assert_eq!(
        (j.kind, j.ratio, j.interval),
        (VerdictKind::Same, Some(1.0), Some([1.0, 1.0]))
    );
}

#[test]
fn settings_that_make_no_sense_are_invalid_with_the_reason() {
    let s = samples(exact("w", 1e6, &around(-0.08, 0.004, 8)));
    let d = Settings::default;
    for (settings, want) in [
        (Settings { delta: 0.0, ..d() }, "delta 0"),
        (
            Settings {
                delta: f64::NAN,
                ..d()
            },
            "delta NaN",
        ),
        (Settings { guard: -1.0, ..d() }, "guard -1"),
        (
            Settings {
                looks: vec![],
                ..d()
            },
            "no looks",
        ),
        (
            Settings {
                looks: vec![2, 4],
                ..d()
            },
            "the procedure needs 4",
        ),
        (
            Settings {
                weights: [("w".into(), f64::NAN)].into(),
                ..d()
            },
            "weight NaN",
        ),
        (
            Settings {
                weights: [("w".into(), 0.0)].into(),
                ..d()
            },
            "no workload was measured",
        ),
    ] {
        let j = judge(&s, "A", "B", &settings);
        assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
        assert!(j.reason.contains(want), "{}", j.reason);
    }
}

#[test]
fn old_verdicts_are_recomputed_by_the_name_of_their_procedure() {
    let s = samples(exact("w", 1e6, &around(-0.08, 0.004, 8)));
    let settings = Settings::default();
    let again = judge_as(PROCEDURE, &s, "A", "B", &settings).unwrap();
    assert_eq!(again, judge(&s, "A", "B", &settings));
    let unknown = judge_as("paired-t/9", &s, "A", "B", &settings).unwrap_err();
    assert!(unknown.to_string().contains("paired-t/9"));
}

#[test]
fn names_with_escape_sequences_come_out_inert() {
    let mut legs = exact("w\x1b[2J", 1e6, &around(0.05, 0.004, 8));
    legs.extend(exact("v", 1e6, &around(0.05, 0.004, 8)));
    for leg in &mut legs {
        leg.subject = format!("{}\x1b]0;x\x07", leg.subject);
    }
    let j = judge(
        &samples(legs.clone()),
        "A\x1b]0;x\x07",
        "B\x1b]0;x\x07",
        &Settings::default(),
    );
    assert!(j.warnings.len() == 2, "{:?}", j.warnings);
    let missing = judge(&samples(legs), "A", "B", &Settings::default());
    for text in j.warnings.iter().chain([&j.reason, &missing.reason]) {
        assert!(!text.contains('\x1b'), "{text:?}");
    }
    for text in [&j.reason, &missing.reason, &j.warnings[1]] {
        assert!(text.contains("\\x1b"), "{text:?}");
    }
}
