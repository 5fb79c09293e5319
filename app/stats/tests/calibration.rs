//! What A/A samples say of a machine.

mod common;

use assay_stats::calibrate::{Calibration, NotCalibrated, calibrate, processes_for};
use assay_stats::isolation::isolation;
use assay_stats::simulate::{TYPICAL, legs, tally};
use assay_stats::{PROCEDURE, Samples, Settings};
use common::{around, exact, samples};

fn of(s: &Samples, campaigns: u32) -> Calibration {
    calibrate(s, "A", "B", &Settings::default(), campaigns, 1).expect("a calibration")
}

#[test]
fn figures_are_those_of_the_samples() {
    let c = of(&samples(exact("w", 4e3, &around(0.0, 0.007, 8))), 0);
    let sd = 0.007 * (8.0f64 / 7.0).sqrt();
    assert!((c.sd - sd).abs() < 1e-9 && (c.ratio - 1.0).abs() < 1e-9);
    assert!(c.sd_interval[0] < sd && sd < c.sd_interval[1]);
    assert!(!c.biased && c.interval[0] < 1.0 && c.interval[1] > 1.0);
    let w = &c.workloads[0];
    assert_eq!((w.decade, w.tick_ns, w.tick_stated), (3, Some(1.0), true));
    assert!(w.sd_block.unwrap() < 1e-9, "blocks of a process agree here");
    assert!(c.slot.unwrap().effect.abs() < 1e-9);
    let at: Vec<u32> = c.smallest_effects.iter().map(|s| s.processes).collect();
    assert_eq!(at, [4, 8, 12]);
    assert!(
        c.smallest_effects
            .windows(2)
            .all(|w| w[0].effect > w[1].effect)
    );
    assert_eq!(c.floor, c.smallest_effects[2].effect);
    assert!(c.false_accepts.is_empty());
    let text = serde_json::to_string(&c).unwrap();
    assert_eq!(serde_json::from_str::<Calibration>(&text).unwrap(), c);
}

#[test]
fn what_being_first_is_worth_is_told_apart_from_the_ratio() {
    let mut legs = exact("w", 1e6, &around(0.0, 0.002, 8));
    // Whoever leads a block is 1 % slower in it.
    for l in &mut legs {
        let a_leads = l.block % 2 == 0;
        if (l.subject == "A") == a_leads {
            l.values_ns.iter_mut().for_each(|v| *v *= 1.01);
        }
    }
    let c = of(&samples(legs), 0);
    let slot = c.slot.unwrap();
    assert!((slot.effect - 0.01f64.ln_1p()).abs() < 1e-9, "{slot:?}");
    assert!((c.ratio - 1.0).abs() < 1e-9);
}

#[test]
fn the_floor_is_the_worst_of_spread_tick_and_bias() {
    let mut coarse = exact("w", 1e6, &around(0.0, 0.001, 8));
    coarse.iter_mut().for_each(|l| l.tick_ns = Some(30_000.0));
    let c = of(&samples(coarse), 0);
    assert!((c.floor - 0.03).abs() < 1e-3, "{}", c.floor);
    let c = of(&samples(exact("w", 1e6, &around(0.02, 0.001, 8))), 0);
    assert!(
        c.biased && (c.floor - 0.02f64.exp_m1()).abs() < 1e-6,
        "{}",
        c.floor
    );
}

#[test]
fn a_delta_below_the_floor_is_refused_before_time_is_spent() {
    let c = of(&samples(exact("w", 1e6, &around(0.0, 0.015, 8))), 0);
    assert_eq!(c.supports(0.02), Ok(()));
    let why = c.supports(0.01).unwrap_err();
    assert!(
        why.starts_with(
            "this machine is too noisy for delta 1 %: its noise floor is 1.44 %; 23 pro"
        ),
        "{why}"
    );
    let biased = of(&samples(exact("w", 1e6, &around(0.02, 0.001, 8))), 0);
    assert!(biased.supports(0.01).unwrap_err().contains("bias"));
}

#[test]
fn a_subject_that_is_disturbed_by_its_partner_is_told() {
    let paired = samples(exact("w", 1e6, &around(0.03, 0.002, 4)));
    let mut legs = exact("w", 1e6, &around(0.0, 0.002, 4));
    legs.retain(|l| l.subject == "B");
    let alone = samples(legs);
    let i = isolation(&paired, "B", &alone, "B").unwrap();
    assert!(i.disturbed && (i.ratio.ln() - 0.03).abs() < 1e-9, "{i:?}");
    assert_eq!(i.processes, [4, 4]);
    let i = isolation(&paired, "A", &alone, "B").unwrap();
    assert!(!i.disturbed && i.interval.is_some(), "{i:?}");
    let one = samples(exact("w", 1e6, &[0.0]));
    let i = isolation(&paired, "B", &one, "B").unwrap();
    assert!(i.disturbed && i.interval.is_none(), "{i:?}");
    assert_eq!(isolation(&paired, "C", &alone, "B"), None);
}

#[test]
fn too_little_is_no_calibration() {
    let s = samples(exact("w", 1e6, &around(0.0, 0.001, 3)));
    let e = calibrate(&s, "A", "B", &Settings::default(), 0, 1).unwrap_err();
    assert_eq!(e, NotCalibrated::TooFew(3));
    assert!(e.to_string().contains("needs 4"));
    let e = calibrate(&s, "A", "C", &Settings::default(), 0, 1).unwrap_err();
    assert!(e.to_string().contains("no samples of C"));
}

/// The table of `experiments.md` 2.1: sd 0.7 %, effect 0.5 %: 18 processes for 80 % power.
#[test]
fn the_processes_needed_are_those_of_the_published_table() {
    for (sd, delta, want) in [
        (0.003, 0.005, 6),
        (0.005, 0.01, 5),
        (0.007, 0.005, 18),
        (0.007, 0.01, 7),
        (0.010, 0.01, 10),
        (0.015, 0.02, 7),
    ] {
        let n = processes_for(sd, delta).unwrap();
        assert!(
            n.abs_diff(want) <= 1,
            "sd {sd}, effect {delta}: {n}, not {want}"
        );
    }
    assert_eq!(processes_for(0.0, 0.01), Some(4));
    assert_eq!(processes_for(1.0, 0.01), None);
}

/// A machine that is calibrated shows what the calibration says it can.
#[test]
fn the_smallest_effect_is_found_as_often_as_promised() {
    let mut g = assay_stats::prng::SplitMix64::new(17);
    let (aa, _) = Samples::from_legs(legs(&mut g, &TYPICAL, 0.0, 1, 400));
    let c = of(&aa, 0);
    let effect = c.smallest_effects[1].effect;
    let settings = Settings {
        looks: vec![8],
        // So small that only the interval decides.
        delta: 1e-4,
        ..Settings::default()
    };
    let t = tally(PROCEDURE, &settings, &TYPICAL, -effect.ln_1p(), 500, 23).unwrap();
    let power = t.share(t.faster).unwrap();
    assert!((power - 0.8).abs() < 0.07, "{power} at {effect}");
}

#[test]
fn each_policy_gets_its_false_accept_rate() {
    let mut g = assay_stats::prng::SplitMix64::new(18);
    let (aa, _) = Samples::from_legs(legs(&mut g, &TYPICAL, 0.0, 1, 8));
    let c = of(&aa, 100);
    let policies: Vec<&str> = c.false_accepts.iter().map(|f| f.policy.as_str()).collect();
    assert_eq!(policies, assay_stats::resample::POLICIES);
    assert!(
        c.false_accepts
            .iter()
            .all(|f| f.processes == 8 && f.campaigns == 100)
    );
    assert!(c.false_accepts[0].accepted <= 3, "{:?}", c.false_accepts[0]);
    assert!(c.false_accepts[1].accepted > 20, "{:?}", c.false_accepts[1]);
}
