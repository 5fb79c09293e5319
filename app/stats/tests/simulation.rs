//! The procedure keeps its promises on simulated campaigns: error rates and power.

use assay_core::record::VerdictKind;
use assay_stats::simulate::{NOISY, Noise, TYPICAL, tally};
use assay_stats::{PROCEDURE, Settings};

fn count(campaigns: u32, seed: u64, noise: &Noise, effect: f64, kind: VerdictKind) -> (u32, f64) {
    let settings = Settings::default();
    let t = tally(PROCEDURE, &settings, noise, effect, campaigns, seed).expect("a known procedure");
    assert_eq!(t.invalid, 0);
    let hits = match kind {
        VerdictKind::Faster => t.faster,
        VerdictKind::Same => t.same,
        other => unreachable!("{other:?}"),
    };
    (hits, t.mean_processes().expect("campaigns"))
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

#[test]
fn the_rules_used_by_hand_accept_nothing_half_the_time() {
    let settings = Settings::default();
    let of = |procedure| tally(procedure, &settings, &TYPICAL, 0.0, 400, 5).unwrap();
    let lower = of("median-lower/1");
    assert!((140..260).contains(&lower.faster), "{lower:?}");
    let raw = of("mann-whitney/1");
    assert!(raw.faster > 20, "{raw:?}");
    let threshold = of("threshold/1");
    assert!(threshold.faster <= 4, "{threshold:?}");
    // A true gain of 2 % is below the threshold.
    let gain = tally("threshold/1", &settings, &TYPICAL, 0.98f64.ln(), 400, 6).unwrap();
    assert!(gain.faster < 40, "{gain:?}");
}
