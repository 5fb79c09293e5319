//! What is made of the processes of a measurement.

use assay_core::record::FailureKind;

use assay_exec::bench::ProcessOutcome;
use assay_exec::conditions::Mark;

use super::{Collected, by_name, plain_name, unbelieved, unusable};

#[test]
fn what_the_statistics_refuse_fails_the_bench_with_the_first_problem() {
    let line = |leg: u32, value: &str| {
        format!(
            r#"{{"assay":1,"kind":"samples","workload":"w","subject":"A-x","process":1,"block":0,"leg":{leg},"unit":"ns","values":[{value}]}}"#
        )
    };
    let (_, problems) = by_name(&line(0, "2.5"), "x", "y");
    assert_eq!(unbelieved(&problems), None);
    let text = [line(0, "1e300"), line(1, "3"), line(2, "1e-9")].join("\n");
    let (samples, problems) = by_name(&text, "x", "y");
    assert_eq!(samples.legs().len(), 1);
    let failure = unbelieved(&problems).unwrap();
    assert_eq!(failure.kind, FailureKind::Runtime);
    assert!(
        failure.message.contains("eleven days"),
        "{}",
        failure.message
    );
    assert!(
        failure.message.contains("(and 1 more)"),
        "{}",
        failure.message
    );
}

#[test]
fn a_process_on_several_devices_ends_the_measurement() {
    let mark = |reason: &str| Mark {
        process: 2,
        workload: "w".into(),
        block: 0,
        reason: reason.into(),
    };
    let with = |reason| ProcessOutcome {
        process: 2,
        marks: vec![mark(reason)],
        ..ProcessOutcome::default()
    };
    assert_eq!(unusable(&with("a thermal slowdown")), None);
    let failure = unusable(&with("mixed devices: GPU-1 and GPU-2")).unwrap();
    assert_eq!(failure.kind, FailureKind::Infra);
    assert_eq!(failure.message, "process 2: mixed devices: GPU-1 and GPU-2");
}

#[test]
fn clocks_that_differ_from_process_to_process_are_told_with_their_range() {
    let told = |clocks: &[[f64; 2]], regime: Option<&str>| {
        let mut got = Collected::default();
        for (i, c) in clocks.iter().enumerate() {
            let outcome = ProcessOutcome {
                clocks: Some(*c),
                regime: regime.map(str::to_owned),
                ..ProcessOutcome::default()
            };
            got.take(i as u32 + 1, &outcome);
        }
        got.all_warnings()
    };
    let moved = [[1885.0; 2], [1459.0, 1500.0]];
    let text = told(&moved, None);
    let begin = "the clocks differ by 29.2 % over 2 processes (1459 to 1885 MHz)";
    assert!(text[0].starts_with(begin), "{text:?}");
    assert!(told(&moved, Some("power cap")).is_empty());
    assert!(told(&[[1885.0; 2], [1880.0; 2]], None).is_empty());
    assert!(
        told(&moved[1..], None).is_empty(),
        "within one it is placed"
    );
}

#[test]
fn only_a_slot_is_cut_off_a_name() {
    assert_eq!(plain_name("A-naive"), "naive");
    assert_eq!(plain_name("B-loop-order"), "loop-order");
    assert_eq!(plain_name("loop-order"), "loop-order");
}
