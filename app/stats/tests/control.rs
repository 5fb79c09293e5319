//! The control kernel of a session voids it; two levels are told.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::bimodal::Where;
use assay_stats::control::read;
use assay_stats::{Judgement, Leg, Settings, Step};
use common::{around, exact, judge, judge_with_control, samples};

fn with_control(control: &[f64]) -> Judgement {
    let mut legs = exact("w", 1e6, &around(-0.05, 0.002, 8));
    let mut other = exact("control", 1e6, control);
    for l in &mut other {
        l.subject = format!("c-{}", l.subject);
    }
    legs.extend(other);
    let s = samples(legs);
    judge_with_control(&s, ["A", "B"], ["c-A", "c-B"], &Settings::default())
}

#[test]
fn a_control_that_moved_makes_the_judgement_invalid() {
    for mean in [-0.015, 0.015] {
        let j = with_control(&around(mean, 0.002, 8));
        assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
        assert!(
            j.reason.starts_with("the control kernel c-A read") && j.reason.contains("than 1 %"),
            "{}",
            j.reason
        );
        assert!(j.warnings[0].starts_with("without the control this would be: B takes 0.951"));
        assert!(j.ratio.is_some(), "the figures stay to be seen");
    }
    let j = with_control(&around(0.002, 0.002, 8));
    // A control within its limit stands beside the verdict and is nothing to warn of.
    assert_eq!((j.kind, j.warnings), (VerdictKind::Faster, vec![]));
}

#[test]
fn a_control_that_cannot_be_read_is_said() {
    let s = samples(exact("w", 1e6, &around(-0.05, 0.002, 8)));
    let j = judge_with_control(&s, ["A", "B"], ["x", "y"], &Settings::default());
    assert_eq!(j.kind, VerdictKind::Faster);
    assert!(j.warnings[0].starts_with("the control kernel could not be read: there are no"));
    let one = samples(exact("w", 1e6, &[0.0]));
    assert_eq!(
        read(&one, "A", "B").unwrap_err(),
        "1 process of the control; 2 are needed"
    );
    let c = read(&s, "A", "B").unwrap();
    assert!(!c.ok && c.processes == 8 && c.interval[0] < c.ratio);
}

fn levels(legs: Vec<Leg>) -> (Vec<Where>, Judgement) {
    let j = judge(&samples(legs), "A", "B", &Settings::default());
    (j.levels.iter().map(|l| l.at).collect(), j)
}

#[test]
fn two_levels_of_the_ratio_are_told_with_both() {
    let ratios = [-0.03, 0.02, -0.031, 0.021, -0.029, 0.019, -0.03, 0.02];
    let mut legs = exact("w", 1e6, &ratios);
    // The machine itself drifts, so that no side has two speeds of its own.
    for l in &mut legs {
        let drift = 1.0 + 0.03 * f64::from(l.process);
        l.values_ns.iter_mut().for_each(|v| *v *= drift);
    }
    let (at, j) = levels(legs);
    assert_eq!(at, [Where::Ratio]);
    assert_eq!(j.kind, VerdictKind::Undecided);
    assert!(
        j.warnings.contains(
            &"workload w: the ratio has two levels, 0.970 x in 4 processes and 1.020 x in 4 \
              processes; their mean describes neither"
                .to_owned()
        ),
        "{:?}",
        j.warnings
    );
    assert!((j.levels[0].low - (-0.03f64).exp()).abs() < 1e-9);
}

/// 22.5 ms against 25.5 ms from run to run, as one kernel was seen to do.
#[test]
fn two_speeds_from_process_to_process_are_told_in_times() {
    let mut legs = exact("w", 22.5e6, &around(-0.05, 0.002, 8));
    for l in legs.iter_mut().filter(|l| l.process % 2 == 0) {
        l.values_ns.iter_mut().for_each(|v| *v *= 25.5 / 22.5);
    }
    let (at, j) = levels(legs);
    assert_eq!(at, [Where::ProcessesOfA, Where::ProcessesOfB]);
    // The pairs share their speed, so the ratio is as clear as ever.
    assert_eq!(j.kind, VerdictKind::Faster);
    assert!(
        j.warnings[0].starts_with(
            "workload w: A runs at two speeds, 22.8 ms in 4 processes and 25.9 ms in 4"
        ),
        "{:?}",
        j.warnings
    );
}

/// Eight processes, in the first few of which B changes between two speeds.
fn switching(processes: u32) -> Vec<Leg> {
    let mut legs = exact("w", 1e6, &around(0.0, 0.002, 8));
    let switched = |l: &&mut Leg| l.subject == "B" && l.leg % 2 == 1 && l.process <= processes;
    for l in legs.iter_mut().filter(switched) {
        l.values_ns.iter_mut().for_each(|v| *v *= 1.3);
    }
    legs
}

#[test]
fn switching_inside_processes_is_told() {
    let (at, _) = levels(switching(1));
    assert!(
        !at.contains(&Where::InsideOfB),
        "one process is an incident"
    );
    let (at, j) = levels(switching(4));
    assert!(
        at.contains(&Where::InsideOfB) && !at.contains(&Where::InsideOfA),
        "{at:?}"
    );
    assert!(
        j.warnings
            .iter()
            .any(|w| w.contains("B changes between two speeds inside 4"))
    );
}

#[test]
fn one_outlier_and_a_steady_drift_are_no_levels() {
    let mut ratios = around(0.0, 0.002, 8);
    ratios[3] = 0.09;
    let (at, _) = levels(exact("w", 1e6, &ratios));
    assert_eq!(at, []);
    let (at, _) = levels(exact("w", 1e6, &around(0.0, 0.02, 12)));
    assert_eq!(at, []);
}
