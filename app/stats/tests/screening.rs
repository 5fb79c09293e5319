//! Screening ranks and never proves, and its samples cannot become evidence.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::screen::{Fate, Ranked, SCREEN_TOP, Screening};
use assay_stats::{Leg, Samples, Settings};
use common::{judge, leg, order, samples};

/// One process of three mirrored blocks: `B` named `subject` at log-ratio `effect`.
fn process(subject: &str, process: u32, effect: f64, jitter: f64) -> Vec<Leg> {
    let mut legs = Vec::new();
    for block in 0..3u32 {
        let off = jitter * (f64::from(block) - 1.0);
        for (at, side) in order(block).chars().enumerate() {
            let (name, log) = match side {
                'A' => ("old", 0.0),
                _ => (subject, effect + off),
            };
            let base = 1e6 * (1.0 + 3.7e-5 * f64::from(process));
            let values = vec![base * f64::exp(log); 3];
            legs.push(leg("w", name, (process, block, at as u32), values));
        }
    }
    legs
}

fn ranked(effects: &[f64], jitter: f64, process_sd: Option<f64>) -> Vec<Ranked> {
    let all = effects.iter().enumerate();
    let legs = all.flat_map(|(i, e)| process(&format!("v{i:02}"), i as u32, *e, jitter));
    let (screening, problems) = Screening::from_legs(legs.collect());
    assert_eq!(problems, []);
    screening.rank("old", &Settings::default(), process_sd, SCREEN_TOP)
}

#[test]
fn variants_are_ranked_fastest_first_with_an_interval() {
    let r = ranked(&[0.01, -0.05, -0.01], 0.002, None);
    let names: Vec<&str> = r.iter().map(|r| r.subject.as_str()).collect();
    assert_eq!(names, ["v01", "v02", "v00"]);
    // Three blocks, two degrees: 2.920 standard errors of 0.002 / sqrt 3.
    let [low, high] = r[0].interval.unwrap();
    let half = 2.920 * 0.002 / 3f64.sqrt();
    assert!((low.ln() + 0.05 + half).abs() < 1e-5 && (high.ln() + 0.05 - half).abs() < 1e-5);
    assert!(r.iter().all(|r| r.fate == Fate::Keep));
    // What one process cannot show comes from the calibration.
    let wide = ranked(&[0.01, -0.05, -0.01], 0.002, Some(0.007));
    let [low, _] = wide[0].interval.unwrap();
    assert!((low.ln() + 0.05 + half.hypot(1.6449 * 0.007)).abs() < 1e-5);
}

#[test]
fn the_fastest_and_what_overlaps_them_are_kept_and_clear_losers_dropped() {
    // Twelve near the best, three in the middle, one that may lose 2 %, one that surely does.
    let mut effects = vec![-0.05; 10];
    // These are slower and overlap.
    effects.extend([-0.048, -0.048]);
    effects.extend([-0.02, -0.02, -0.02, 0.0195, 0.04]);
    let r = ranked(&effects, 0.002, None);
    let count = |fate| r.iter().filter(|r| r.fate == fate).count();
    assert_eq!(
        (count(Fate::Keep), count(Fate::Spare), count(Fate::Drop)),
        (12, 3, 2),
        "{r:#?}"
    );
    assert!(count(Fate::Keep) > SCREEN_TOP, "all that overlap the best");
    assert!(r[15].why.contains("is possible") && r[16].why.contains("is certain"));
    // A certain loser is dropped even among few.
    let r = ranked(&[-0.01, 0.3], 0.002, None);
    assert_eq!((r[0].fate, r[1].fate), (Fate::Keep, Fate::Drop));
}

#[test]
fn what_cannot_be_ranked_is_listed_last_with_the_reason() {
    let mut legs = process("good", 1, -0.01, 0.002);
    legs.extend(process("half", 2, -0.50, 0.002).into_iter().take(5));
    legs.extend(
        process("alone", 3, -0.50, 0.0)
            .into_iter()
            .filter(|l| l.subject != "old"),
    );
    let (screening, _) = Screening::from_legs(legs);
    let r = screening.rank("old", &Settings::default(), None, SCREEN_TOP);
    assert_eq!((r[0].subject.as_str(), r[0].fate), ("good", Fate::Keep));
    for r in &r[1..] {
        assert_eq!((r.fate, r.ratio), (Fate::Unranked, None));
        assert!(!r.why.is_empty());
    }
    assert_eq!(r.len(), 3);
    assert!(
        Screening::default()
            .rank("old", &Settings::default(), None, SCREEN_TOP)
            .is_empty()
    );
}

#[test]
fn samples_measured_to_screen_cannot_confirm() {
    let line = r#"{"kind":"samples","workload":"w","subject":"A","process":1,"block":0,"leg":0,"unit":"ns","values":[5],"screen":true}"#;
    let (s, problems) = Samples::parse_jsonl(line);
    assert!(s.is_empty() && problems[0].message.contains("needs fresh samples"));
    assert_eq!(Screening::parse_jsonl(line).1, []);
    // Without the mark, a copied process is recognised.
    let legs = process("new", 1, -0.05, 0.002);
    let (screening, _) = Screening::from_legs(legs.clone());
    let mut confirm = Vec::new();
    for p in 2..=5 {
        confirm.extend(process("new", p, -0.05, 0.003));
    }
    let fresh = screening.fresh(samples(confirm.clone())).unwrap();
    let j = judge(&fresh, "old", "new", &Settings::default());
    assert_eq!(j.kind, VerdictKind::Faster);
    confirm.extend(legs);
    let reused = screening.fresh(samples(confirm)).unwrap_err();
    assert_eq!(reused.process, 1);
    assert!(
        reused
            .to_string()
            .contains("a verdict needs fresh processes")
    );
}

#[test]
fn each_variant_keeps_its_own_process() {
    // Every runner counts from 1 and calls the two sides by their slots.
    let text = |subject: &str, effect: f64| -> String {
        let line = |l: &Leg| {
            let slot = if l.subject == "old" { "A" } else { "B" };
            format!(
                r#"{{"kind":"samples","workload":"w","subject":"{slot}-{}","process":1,"block":{},"leg":{},"unit":"ns","values":[{}],"screen":true}}"#,
                l.subject, l.block, l.leg, l.values_ns[0]
            )
        };
        let legs = process(subject, 1, effect, 0.002);
        legs.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let name = |id: &str| id[2..].to_owned();
    let mut screening = Screening::default();
    for (subject, effect) in [("one", -0.02), ("two", 0.01), ("three", -0.05)] {
        assert_eq!(screening.add(&text(subject, effect), name), []);
    }
    let r = screening.rank("old", &Settings::default(), None, 1);
    let names: Vec<&str> = r.iter().map(|r| r.subject.as_str()).collect();
    assert_eq!(names, ["three", "one", "two"]);
    assert!(r.iter().all(|r| r.ratio.is_some()), "{r:#?}");
    assert_eq!(
        (r[0].fate, r[0].why.as_str()),
        (Fate::Keep, "among the 1 fastest")
    );
    assert_eq!(r[2].fate, Fate::Spare);
    assert_eq!(screening.add("{", name).len(), 1);
}
