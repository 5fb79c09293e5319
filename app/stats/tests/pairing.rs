//! What enters a comparison, what does not, and that the latter is always listed.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::paired::{Unpaired, pair};
use assay_stats::{Leg, PAIRED_T_1, PROCEDURES, Settings, Step};
use common::{around, exact, judge, judge_as, leg, samples};

fn paired(legs: Vec<Leg>) -> Result<assay_stats::paired::Paired, Unpaired> {
    pair(&samples(legs), "A", "B", |_| true)
}

fn sorted(legs: Vec<Leg>) -> String {
    let p = paired(legs).expect("a pair");
    let mut out: Vec<String> = p.dropped.iter().map(ToString::to_string).collect();
    out.extend(p.unmatched.iter().map(|(w, why)| format!("{w}: {why}")));
    format!("{:?} {}", p.processes, out.join("; "))
}

#[test]
fn the_ratio_of_a_process_is_the_median_over_its_blocks() {
    let mut legs = exact("w", 1e6, &[-0.05, -0.06, -0.07, -0.08]);
    // One disturbed block moves nothing.
    for l in legs.iter_mut().filter(|l| l.block == 2 && l.subject == "B") {
        l.values_ns.iter_mut().for_each(|v| *v *= 3.0);
    }
    let p = paired(legs).unwrap();
    for (got, want) in p.workloads[0]
        .log_ratios
        .iter()
        .zip([-0.05, -0.06, -0.07, -0.08])
    {
        assert!((got - want).abs() < 1e-12, "{got}");
    }
    assert_eq!(
        (p.processes, p.attempted, p.dropped),
        (vec![1, 2, 3, 4], 4, vec![])
    );
}

#[test]
fn incomplete_and_void_blocks_are_dropped_and_listed() {
    let mut legs = exact("w", 1e6, &[0.0; 4]);
    legs.retain(|l| (l.process, l.block, l.leg) != (2, 1, 3));
    legs.iter_mut()
        .filter(|l| (l.process, l.block, l.leg) == (3, 0, 1))
        .for_each(|l| {
            l.void = Some("thermal slowdown".into());
        });
    assert_eq!(
        sorted(legs),
        "[1, 2, 3, 4] dropped block 1 of process 2 (workload w): 2 legs of A and 1 of B, of 2 \
         each; dropped block 0 of process 3 (workload w): void: thermal slowdown"
    );
}

#[test]
fn a_process_with_too_few_blocks_is_dropped_and_the_driver_asks_for_another() {
    let mut legs = exact("w", 1e6, &around(-0.1, 0.001, 4));
    legs.retain(|l| l.process != 2 || l.block == 0);
    assert_eq!(
        sorted(legs.clone()),
        "[1, 3, 4] dropped process 2 (workload w): 1 of 4 blocks are complete, 2 needed"
    );
    let j = judge(&samples(legs), "A", "B", &Settings::default());
    assert_eq!(
        (j.kind, j.step),
        (VerdictKind::Invalid, Step::More { processes: 1 })
    );
    assert_eq!(
        j.reason,
        "3 processes; the procedure needs 4; dropped process 2 (workload w): 1 of 4 blocks are \
         complete, 2 needed"
    );
    assert_eq!(j.warnings.len(), 1);
}

#[test]
fn a_driver_does_not_run_for_ever_when_processes_keep_failing() {
    // Every second process loses most of its blocks, so the looks are reached late or never.
    let mut legs = exact("w", 1e6, &around(-0.02, 0.05, 24));
    legs.retain(|l| l.block == 0 || l.process % 4 < 2);
    let judged = |legs: &[Leg]| judge(&samples(legs.to_vec()), "A", "B", &Settings::default());
    let some: Vec<Leg> = legs.iter().filter(|l| l.process < 21).cloned().collect();
    let j = judged(&some);
    assert_eq!(
        (j.kind, j.step),
        (VerdictKind::Undecided, Step::More { processes: 2 })
    );
    legs.retain(|l| l.block == 0 || l.process < 20);
    legs.extend(exact("v", 1e6, &around(-0.02, 0.05, 24)));
    // Ten of 24 are under half, so `w` is not matched, and that is listed.
    assert_eq!(judged(&legs).workloads.len(), 1);
    legs.retain(|l| l.workload == "w");
    let j = judged(&legs);
    assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
    assert!(
        j.reason.starts_with("no workload was measured"),
        "{}",
        j.reason
    );
    assert!(
        j.warnings.last().unwrap().starts_with("and "),
        "{:?}",
        j.warnings
    );
}

#[test]
fn a_driver_gives_up_at_twice_the_last_look() {
    let mut legs = exact("w", 1e6, &around(-0.02, 0.05, 24));
    // Both workloads are matched, but only processes 6 to 15 have a ratio on both.
    legs.extend(exact("v", 1e6, &around(-0.02, 0.05, 24)));
    legs.retain(|l| match l.workload.as_str() {
        "v" => l.block == 0 || l.process <= 15,
        _ => l.block == 0 || l.process > 5,
    });
    let j = judge(&samples(legs), "A", "B", &Settings::default());
    assert_eq!(
        (j.processes, j.kind, j.step),
        (10, VerdictKind::Undecided, Step::Done)
    );
}

#[test]
fn only_matched_workloads_enter_and_the_others_are_listed() {
    let mut legs = exact("both", 1e6, &[0.0; 4]);
    legs.extend(
        exact("only-a", 1e6, &[0.0; 4])
            .into_iter()
            .filter(|l| l.subject == "A"),
    );
    legs.extend(exact("rare", 1e6, &[0.5]));
    assert_eq!(
        sorted(legs),
        "[1, 2, 3, 4] only-a: only A was measured on it; rare: 1 of 4 processes have a ratio"
    );
}

#[test]
fn every_process_speaks_about_the_same_workloads() {
    let mut legs = exact("v", 1e6, &[0.0; 5]);
    legs.extend(exact("w", 1e6, &[0.1; 4]));
    assert_eq!(
        sorted(legs),
        "[1, 2, 3, 4] dropped process 5 (workload w): not measured on it"
    );
    let mut legs = exact("v", 1e6, &[0.0; 5]);
    legs.retain(|l| l.process < 5 || l.subject == "A");
    assert_eq!(
        sorted(legs),
        "[1, 2, 3, 4] dropped process 5: only A was measured in it"
    );
}

#[test]
fn mixed_timers_and_cache_modes_are_invalid() {
    for (timer, cache, want) in [
        (
            "wall",
            "hot",
            "the samples mix the timers clock_monotonic, wall",
        ),
        (
            "clock_monotonic",
            "cold",
            "the samples mix the cache modes cold, hot",
        ),
    ] {
        let mut legs = exact("w", 1e6, &around(-0.1, 0.001, 8));
        legs[17].timer = timer.into();
        legs[17].cache = cache.into();
        let j = judge(&samples(legs.clone()), "A", "B", &Settings::default());
        assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
        assert!(j.reason.starts_with(want), "{}", j.reason);
        // A leg of somebody else, or a void one, does not matter.
        legs[17].void = Some("fallback".into());
        let mut other = leg("w", "C", (1, 0, 9), vec![1.0]);
        other.timer = "sundial".into();
        legs.push(other);
        let j = judge(&samples(legs), "A", "B", &Settings::default());
        assert_eq!(j.kind, VerdictKind::Faster);
    }
}

#[test]
fn a_missing_subject_and_a_subject_against_itself_are_refused() {
    let legs: Vec<Leg> = exact("w", 1e6, &[0.0; 4]);
    let only_a = legs.iter().filter(|l| l.subject == "A").cloned().collect();
    assert!(matches!(paired(only_a), Err(Unpaired::MissingSubject { name, .. }) if name == "B"));
    let same = pair(&samples(legs), "A", "A", |_| true);
    assert_eq!(same, Err(Unpaired::SameSubject("A".into())));
    assert_eq!(paired(vec![]), Err(Unpaired::NoSamples));
}

#[test]
fn an_order_that_was_never_flipped_is_said() {
    let mut legs = Vec::new();
    for process in 1..=4 {
        for block in 0..4 {
            let time = 1e6 + f64::from(process * 7 + block);
            legs.push(leg("w", "A", (process, block, 0), vec![time]));
            legs.push(leg(
                "w",
                "B",
                (process, block, 1),
                vec![time + f64::from(process)],
            ));
        }
    }
    let s = samples(legs.clone());
    let j = judge_as(PAIRED_T_1, &s, "A", "B", &Settings::default()).unwrap();
    assert_eq!(j.warnings.len(), 1);
    assert!(
        j.warnings[0].contains("came first in every block"),
        "{:?}",
        j.warnings
    );
    // Nothing is left by the procedures of today.
    for procedure in PROCEDURES.iter().filter(|p| **p != PAIRED_T_1) {
        let j = judge_as(procedure, &s, "A", "B", &Settings::default()).unwrap();
        assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
        assert_eq!(
            j.reason,
            "16 blocks were measured with both A and B and dropped, so that too few are left; the \
             first: legs of A and B are not mirrored: drift is not cancelled"
        );
        assert!(
            j.next.starts_with("measure in a mirrored order"),
            "{}",
            j.next
        );
    }
    // AB and then BA mirror each other; what has no such neighbour is dropped.
    for l in legs.iter_mut().filter(|l| l.block == 1) {
        l.leg = 1 - l.leg;
    }
    let j = judge(&samples(legs.clone()), "A", "B", &Settings::default());
    assert_eq!((j.kind, j.processes), (VerdictKind::Invalid, 0));
    assert!(
        j.reason.starts_with("8 blocks were measured"),
        "{}",
        j.reason
    );
    for l in legs.iter_mut().filter(|l| l.block == 2) {
        l.leg = 1 - l.leg;
    }
    let j = judge(&samples(legs), "A", "B", &Settings::default());
    assert_eq!((j.processes, j.warnings), (4, vec![]));
}

#[test]
fn orders_that_do_not_cancel_drift_are_dropped() {
    // A steady drift of 1 % a leg, and nothing else.
    let drifting = |order: &str| -> Vec<Leg> {
        let mut legs = Vec::new();
        for process in 1..=4u32 {
            for block in 0..2u32 {
                for (at, subject) in order.chars().enumerate() {
                    let time = 1e6 * (1.0 - 0.01 * at as f64) + f64::from(process * 7 + block);
                    let at = (process, block, at as u32);
                    legs.push(leg("w", &subject.to_string(), at, vec![time, time + 3.0]));
                }
            }
        }
        legs
    };
    for order in ["AB", "AABB", "AAABBB", "ABAB", "AAAAAAAAAABBBBBBBBBB"] {
        let j = judge(&samples(drifting(order)), "A", "B", &Settings::default());
        assert_eq!(j.kind, VerdictKind::Invalid, "{order}");
        assert!(j.reason.contains("not mirrored"), "{order}: {}", j.reason);
    }
    for order in ["ABBA", "BAAB", "AABBBBAA", "ABBABAAB"] {
        let j = judge(&samples(drifting(order)), "A", "B", &Settings::default());
        assert_eq!(j.kind, VerdictKind::Same, "{order}: {}", j.reason);
    }
}

#[test]
fn what_was_measured_and_voided_is_told() {
    let mut legs = exact("w", 1e6, &around(-0.1, 0.001, 4));
    legs.extend(exact("v", 1e6, &around(-0.1, 0.001, 4)));
    for l in legs
        .iter_mut()
        .filter(|l| l.workload == "w" && l.subject == "B")
    {
        l.void = Some("thermal slowdown".into());
    }
    let j = judge(&samples(legs.clone()), "A", "B", &Settings::default());
    assert_eq!((j.kind, j.workloads.len()), (VerdictKind::Faster, 1));
    assert_eq!(
        j.warnings[0],
        "workload w did not enter: all its 16 blocks were measured and voided; the first: void: \
         thermal slowdown"
    );
    legs.retain(|l| l.workload == "w");
    let j = judge(&samples(legs), "A", "B", &Settings::default());
    assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
    assert_eq!(
        j.reason,
        "16 blocks were measured with both A and B and voided, so that too few are left; the \
         first: void: thermal slowdown"
    );
    assert!(j.next.starts_with("find out what voided"), "{}", j.next);
}
