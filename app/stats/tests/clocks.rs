//! Clocks and devices as data: blocks they void, verdicts that must hold in cycles, regimes.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::blocks::Clocks;
use assay_stats::paired::pair_with;
use assay_stats::prng::SplitMix64;
use assay_stats::simulate::{TYPICAL, Tally, campaign, legs};
use assay_stats::{Judgement, Leg, PAIRED_T_1, PROCEDURE, Settings, Step};
use common::{around, exact, judge, judge_as, samples};

/// Legs whose clocks are `mhz` for A and for B, locked or not.
fn clocked(ratios: &[f64], mhz: [f64; 2], locked: Option<bool>) -> Vec<Leg> {
    let mut legs = exact("w", 1e6, ratios);
    for l in &mut legs {
        l.clock_mhz = Some(mhz[usize::from(l.subject == "B")]);
        l.clock_locked = locked;
    }
    legs
}

fn ab(legs: Vec<Leg>) -> Judgement {
    judge(&samples(legs), "A", "B", &Settings::default())
}

/// Time that comes from a higher clock alone, by 0.9 %, which is too little to void a block.
fn boosted(n: usize) -> Vec<Leg> {
    clocked(&around(-0.012, 0.001, n), [1400.0, 1412.6], Some(true))
}

#[test]
fn a_gain_that_is_only_a_higher_clock_is_undecided() {
    let j = ab(boosted(12));
    assert_eq!((j.kind, j.step), (VerdictKind::Undecided, Step::Done));
    assert!(
        j.reason.contains("does not hold in cycles") && j.reason.contains("different clocks"),
        "{}",
        j.reason
    );
    assert!(
        j.next.starts_with("find out why the two sides"),
        "{}",
        j.next
    );
    let cycles = j.cycles.unwrap();
    assert!((cycles.ratio.ln() + 0.012 - 0.009f64.ln_1p()).abs() < 1e-9);
    // An early look may measure on: the claim in cycles may only lack processes.
    let j = ab(boosted(8));
    assert_eq!(
        (j.kind, j.step),
        (VerdictKind::Undecided, Step::More { processes: 4 })
    );
    // The first version does not look.
    let s = samples(boosted(12));
    let old = judge_as(PAIRED_T_1, &s, "A", "B", &Settings::default()).unwrap();
    assert_eq!((old.kind, old.cycles), (VerdictKind::Faster, None));
}

#[test]
fn the_other_claims_must_hold_in_cycles_too() {
    // As slow as it is only because its clock is lower.
    let slower = clocked(&around(0.008, 0.001, 12), [1410.0, 1399.0], Some(true));
    let settings = Settings {
        delta: 0.005,
        ..Settings::default()
    };
    let j = judge(&samples(slower.clone()), "A", "B", &settings);
    assert_eq!(j.kind, VerdictKind::Undecided);
    // Same in time, and yet fewer cycles: not the same.
    let masked = clocked(&around(0.0, 0.0005, 12), [1410.0, 1396.5], Some(true));
    let j = judge(&samples(masked), "A", "B", &settings);
    assert_eq!(j.kind, VerdictKind::Undecided, "{}", j.reason);
    // With equal clocks every claim stands, with the same interval in cycles.
    for (mean, kind) in [
        (-0.03, VerdictKind::Faster),
        (0.03, VerdictKind::Slower),
        (0.0, VerdictKind::Same),
    ] {
        let legs = clocked(&around(mean, 0.002, 12), [1410.0; 2], Some(true));
        let j = ab(legs);
        assert_eq!((j.kind, j.warnings.len()), (kind, 0), "{:?}", j.warnings);
        let (time, cycles) = (j.interval.unwrap(), j.cycles.unwrap().interval);
        assert!((time[0] - cycles[0]).abs() + (time[1] - cycles[1]).abs() < 1e-9);
    }
}

#[test]
fn clocks_that_are_not_locked_or_not_all_known_are_said_and_change_nothing() {
    let ratios = around(-0.03, 0.002, 8);
    let plain = ab(exact("w", 1e6, &ratios));
    for (locked, drop_one, want) in [
        (Some(false), false, "clocks were not locked"),
        (None, false, "clocks were not locked"),
        (Some(true), true, "clocks are known for some legs only"),
    ] {
        let mut legs = clocked(&ratios, [1410.0; 2], locked);
        if drop_one {
            legs[5].clock_mhz = None;
        }
        let j = ab(legs);
        assert_eq!((j.kind, j.interval), (plain.kind, plain.interval));
        assert_eq!((j.cycles, j.warnings.len()), (None, 1));
        assert!(j.warnings[0].starts_with(want), "{:?}", j.warnings);
    }
    // What the legs do not say, the settings may.
    let settings = Settings {
        clocks_locked: Some(true),
        ..Settings::default()
    };
    let legs = clocked(&ratios, [1410.0; 2], None);
    assert!(judge(&samples(legs), "A", "B", &settings).cycles.is_some());
}

#[test]
fn a_block_whose_clocks_differ_is_void_kept_and_listed() {
    let mut legs = clocked(&around(-0.03, 0.002, 8), [1400.0; 2], Some(true));
    let throttled = |l: &&mut Leg| (l.process, l.block, l.subject.as_str()) == (2, 1, "B");
    for l in legs.iter_mut().filter(throttled) {
        l.clock_mhz = Some(1330.0);
        l.values_ns.iter_mut().for_each(|v| *v *= 1400.0 / 1330.0);
    }
    let j = ab(legs.clone());
    assert_eq!(j.kind, VerdictKind::Faster);
    assert_eq!(
        j.warnings,
        [
            "dropped block 1 of process 2 (workload w): void: the clocks of its legs differ by \
             5.3 % (1330 to 1400 MHz)"
        ]
    );
    let s = samples(legs);
    assert_eq!(s.legs().len(), 8 * 16, "the legs are kept");
    let p = pair_with(
        &s,
        "A",
        "B",
        |_| true,
        Some(Settings::default().clock_rules()),
    )
    .unwrap();
    assert_eq!(
        (p.clocks, p.workloads[0].blocks.len()),
        (Clocks::Locked, 31)
    );
}

#[test]
fn clocks_that_differ_everywhere_leave_nothing_to_judge() {
    let j = ab(clocked(
        &around(-0.03, 0.002, 8),
        [1400.0, 1500.0],
        Some(true),
    ));
    assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
    assert!(
        j.warnings
            .iter()
            .any(|w| w.contains("clocks of its legs differ"))
    );
}

#[test]
fn a_regime_that_holds_throughout_voids_nothing_and_is_named() {
    let capped = Settings {
        regime: Some("power cap\x1b[2J".into()),
        ..Settings::default()
    };
    let legs = clocked(&around(-0.03, 0.002, 8), [1400.0, 1500.0], Some(false));
    let j = judge(&samples(legs), "A", "B", &capped);
    assert_eq!((j.kind, j.processes), (VerdictKind::Faster, 8));
    assert!(
        j.reason.ends_with("; measured under power cap\\x1b[2J"),
        "{}",
        j.reason
    );
    assert!(j.warnings.iter().all(|w| !w.contains("void")));
}

#[test]
fn mixed_devices_are_invalid() {
    let mut legs = exact("w", 1e6, &around(-0.1, 0.001, 8));
    legs.iter_mut()
        .for_each(|l| l.device = Some("GPU-1".into()));
    assert_eq!(ab(legs.clone()).kind, VerdictKind::Faster);
    legs[9].device = Some("GPU-2".into());
    let j = ab(legs.clone());
    assert_eq!((j.kind, j.step), (VerdictKind::Invalid, Step::Done));
    assert!(
        j.reason
            .starts_with("the samples mix the devices GPU-1, GPU-2"),
        "{}",
        j.reason
    );
    let old = judge_as(
        PAIRED_T_1,
        &samples(legs.clone()),
        "A",
        "B",
        &Settings::default(),
    );
    assert_eq!(old.unwrap().kind, VerdictKind::Faster);
    for rule in ["median-lower/1", "threshold/1", "mann-whitney/1"] {
        let s = samples(legs.clone());
        let j = judge_as(rule, &s, "A", "B", &Settings::default()).unwrap();
        assert_eq!(j.kind, VerdictKind::Invalid, "{rule}");
    }
}

/// Campaigns on the typical machine with locked clocks that are read with an error of 0.1 %;
/// `boost` is how much higher the clock of B is, and how much faster it is for that.
fn campaigns(effect: f64, boost: f64, procedure: &str) -> Tally {
    let mut g = SplitMix64::new(77);
    let mut clock = SplitMix64::new(78);
    let mut tally = Tally::default();
    for _ in 0..150 {
        let mut more = |first, last| {
            let mut all = legs(&mut g, &TYPICAL, effect - boost, first, last);
            for l in &mut all {
                let of_b = f64::from(u8::from(l.subject == "B"));
                let read = boost * of_b + 0.001 * clock.normal();
                l.clock_mhz = Some(1400.0 * read.exp());
                l.clock_locked = Some(true);
            }
            all
        };
        let judgement = campaign(procedure, &Settings::default(), &mut more);
        tally.add(&judgement.expect("a known procedure"));
    }
    tally
}

#[test]
fn a_true_gain_holds_in_cycles_and_a_boost_alone_does_not() {
    let gain = campaigns(-0.025, 0.0, PROCEDURE);
    assert!(gain.faster >= 147, "{gain:?}");
    // 0.6 % higher clocks make a true 0.8 % look like 1.4 %, which exceeds delta in time alone.
    let in_time = campaigns(-0.008, 0.006, PAIRED_T_1);
    let in_cycles = campaigns(-0.008, 0.006, PROCEDURE);
    assert!(in_time.faster > 130, "{in_time:?}");
    assert!(in_cycles.faster < in_time.faster / 2, "{in_cycles:?}");
}
