//! The procedure keeps its promises on simulated campaigns: error rates and power.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::prng::SplitMix64;
use assay_stats::{Judgement, Settings, Step, judge};
use common::{NOISY, Noise, TYPICAL, samples, simulate};

/// Runs one campaign as the sequential driver would.
fn campaign(g: &mut SplitMix64, noise: &Noise, effect: f64, settings: &Settings) -> Judgement {
    let mut legs = Vec::new();
    let mut done = 0;
    let mut more = 4;
    loop {
        legs.extend(simulate(g, noise, effect, done + 1, done + more));
        done += more;
        let judgement = judge(&samples(legs.clone()), "A", "B", settings);
        match judgement.step {
            Step::More { processes } => more = processes,
            Step::Done => return judgement,
        }
    }
}

fn count(campaigns: u32, seed: u64, noise: &Noise, effect: f64, kind: VerdictKind) -> (u32, f64) {
    let mut g = SplitMix64::new(seed);
    let settings = Settings::default();
    let (mut hits, mut processes) = (0, 0);
    for _ in 0..campaigns {
        let judgement = campaign(&mut g, noise, effect, &settings);
        assert_ne!(judgement.kind, VerdictKind::Invalid, "{}", judgement.reason);
        assert!(judgement.processes <= 12);
        hits += u32::from(judgement.kind == kind);
        processes += judgement.processes;
    }
    (hits, f64::from(processes) / f64::from(campaigns))
}

#[test]
fn a_null_pair_is_hardly_ever_faster() {
    let (faster, processes) = count(1000, 1, &TYPICAL, 0.0, VerdictKind::Faster);
    println!("null: {faster} of 1000 FASTER, {processes:.2} processes");
    assert!(faster <= 15, "{faster} of 1000");
    assert!(processes < 8.0, "{processes}");
}

#[test]
fn a_null_pair_on_a_noisy_machine_is_hardly_ever_faster() {
    let (faster, processes) = count(1000, 4, &NOISY, 0.0, VerdictKind::Faster);
    println!("noisy null: {faster} of 1000 FASTER, {processes:.2} processes");
    assert!(faster <= 15, "{faster} of 1000");
}

#[test]
fn a_gain_of_three_percent_is_found() {
    let (faster, processes) = count(300, 2, &TYPICAL, 0.97f64.ln(), VerdictKind::Faster);
    println!("gain 3 %: {faster} of 300 FASTER, {processes:.2} processes");
    assert!(faster >= 285, "{faster} of 300");
}

#[test]
fn a_slowdown_of_three_percent_is_not_called_same() {
    let (same, processes) = count(300, 3, &TYPICAL, 1.03f64.ln(), VerdictKind::Same);
    println!("loss 3 %: {same} of 300 SAME, {processes:.2} processes");
    assert!(same <= 3, "{same} of 300");
}
