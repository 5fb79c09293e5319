//! Builders of samples for the tests.
#![allow(dead_code)]

use assay_stats::control;
use assay_stats::{Judgement, Leg, Rule, Samples, Settings, UnknownProcedure};

/// The judgement, of which every sentence must be in the table of what records say.
pub fn judge(samples: &Samples, a: &str, b: &str, settings: &Settings) -> Judgement {
    said(assay_stats::judge(samples, a, b, settings))
}

/// The same by a procedure.
pub fn judge_as(
    procedure: &str,
    samples: &Samples,
    a: &str,
    b: &str,
    settings: &Settings,
) -> Result<Judgement, UnknownProcedure> {
    assay_stats::judge_as(procedure, samples, a, b, settings).map(said)
}

/// The same by a rule.
pub fn judge_by(rule: Rule, samples: &Samples, a: &str, b: &str, settings: &Settings) -> Judgement {
    said(assay_stats::judge_by(rule, samples, a, b, settings))
}

/// The same beside a control.
pub fn judge_with_control(
    samples: &Samples,
    sides: [&str; 2],
    control: [&str; 2],
    settings: &Settings,
) -> Judgement {
    said(control::judge_with_control(
        samples, sides, control, settings,
    ))
}

fn said(judgement: Judgement) -> Judgement {
    let all = std::iter::once(&judgement.reason).chain([&judgement.next]);
    for text in all.chain(&judgement.warnings).filter(|t| !t.is_empty()) {
        let unsaid = assay_said::unsaid(text);
        assert!(unsaid.is_empty(), "not in the table: {unsaid:?} of {text}");
    }
    judgement
}

/// A leg with everything ordinary.
pub fn leg(workload: &str, subject: &str, at: (u32, u32, u32), values_ns: Vec<f64>) -> Leg {
    Leg {
        workload: workload.into(),
        subject: subject.into(),
        process: at.0,
        block: at.1,
        leg: at.2,
        values_ns,
        timer: "clock_monotonic".into(),
        tick_ns: Some(1.0),
        cache: "hot".into(),
        void: None,
        clock_mhz: None,
        clock_locked: None,
        device: None,
        odd: None,
    }
}

/// Legs of workload `w`, 4 mirrored blocks a process; process i has log-ratio `ratios[i]`, exactly.
pub fn exact(workload: &str, base_ns: f64, log_ratios: &[f64]) -> Vec<Leg> {
    let mut legs = Vec::new();
    for (i, r) in log_ratios.iter().enumerate() {
        let process = i as u32 + 1;
        for block in 0..4u32 {
            // The level moves from block to block and process to process; the pairing takes it out.
            let level = base_ns * (1.0 + 0.01 * f64::from(block) + 3.7e-5 * f64::from(process));
            for (at, subject) in order(block).chars().enumerate() {
                let time = if subject == 'B' {
                    level * r.exp()
                } else {
                    level
                };
                let values = vec![time * 0.999, time, time * 1.003];
                legs.push(leg(
                    workload,
                    &subject.to_string(),
                    (process, block, at as u32),
                    values,
                ));
            }
        }
    }
    legs
}

pub fn order(block: u32) -> &'static str {
    if block.is_multiple_of(2) {
        "ABBA"
    } else {
        "BAAB"
    }
}

pub fn samples(legs: Vec<Leg>) -> Samples {
    let (samples, problems) = Samples::from_legs(legs);
    assert_eq!(problems, []);
    samples
}

/// `n` evenly spread log-ratios with exactly this mean; their squares about it sum to n sd^2.
pub fn around(mean: f64, sd: f64, n: usize) -> Vec<f64> {
    let size = n as f64;
    let scale = sd * (12.0 / (size * size - 1.0).max(1.0)).sqrt();
    (0..n)
        .map(|i| {
            // Low and high alternate, so that the first few are spread as well.
            let rank = if i % 2 == 0 { i / 2 } else { n - 1 - i / 2 };
            mean + scale * (rank as f64 - (size - 1.0) / 2.0)
        })
        .collect()
}

const CSV: &str = include_str!("../data/h200_gemm.csv");

/// The first processes of the H200 legs, as the harness would have written them.
pub fn h200(processes: u32) -> Samples {
    let mut text = String::new();
    for line in CSV.lines() {
        let cells: Vec<&str> = line.splitn(5, ',').collect();
        if cells[0].parse::<u32>().expect("a process number") > processes {
            continue;
        }
        let values: Vec<String> = cells[4]
            .split(',')
            .map(|v| format!("{}", v.parse::<f64>().expect("a time") / 1e5))
            .collect();
        text.push_str(&format!(
            r#"{{"assay":1,"kind":"samples","workload":"gemm","subject":"{}","process":{},"block":{},"leg":{},"unit":"ms","values":[{}],"timer":"cuda_event","cache":"rotating"}}"#,
            cells[3], cells[0], cells[1], cells[2], values.join(",")
        ));
        text.push('\n');
    }
    let (samples, problems) = Samples::parse_jsonl(&text);
    assert_eq!(problems, []);
    samples
}
