//! Old verdicts come out again: `paired-t/1` is pinned to its last digits, and where samples state
//! no clocks its successor decides the same.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::prng::SplitMix64;
use assay_stats::simulate::{NOISY, TWO_LEVELS, TYPICAL, legs};
use assay_stats::{Judgement, PAIRED_T_1, PROCEDURE, PROCEDURES, Samples, Settings};
use common::{h200, judge_as};

fn by(procedure: &str, samples: &Samples, [a, b]: [&str; 2], settings: &Settings) -> Judgement {
    judge_as(procedure, samples, a, b, settings).expect("a known procedure")
}

/// Ratio and interval of the first version as it was first released, in bits.
///
/// Logarithms of different C libraries differ in the last bit, so a few units are allowed.
#[test]
fn the_first_version_gives_what_it_gave_when_it_was_released() {
    let settings = Settings::default();
    for (processes, pair, kind, ratio, low, high) in PINNED {
        let j = by(PAIRED_T_1, &h200(*processes), *pair, &settings);
        let [l, h] = j.interval.expect("an interval");
        assert_eq!(j.kind, *kind, "{processes} {pair:?}");
        let got = [j.ratio.expect("a ratio"), l, h].map(f64::to_bits);
        for (got, want) in got.into_iter().zip([*ratio, *low, *high]) {
            assert!(
                got.abs_diff(want) <= 8,
                "{processes} {pair:?}: {got:#x} {want:#x}"
            );
        }
    }
}

type Pin = (u32, [&'static str; 2], VerdictKind, u64, u64, u64);

const PINNED: &[Pin] = &[
    (
        4,
        ["v5", "v6"],
        VerdictKind::Faster,
        0x3fe9_edf2_41e6_219b,
        0x3fe8_c74c_3290_fe65,
        0x3feb_2248_12c1_dd22,
    ),
    (
        8,
        ["v0", "v1"],
        VerdictKind::Faster,
        0x3fef_76e5_a56c_32e4,
        0x3fef_2a9e_640b_db0b,
        0x3fef_c3e7_96be_538a,
    ),
    (
        12,
        ["v5", "v7"],
        VerdictKind::Same,
        0x3fef_eedd_5eb6_56a5,
        0x3fef_d606_7650_f6de,
        0x3ff0_03e3_d443_c67e,
    ),
    (
        12,
        ["v0", "v1"],
        VerdictKind::Faster,
        0x3fef_7ada_205a_e04d,
        0x3fef_48a1_8deb_5765,
        0x3fef_ad63_51f4_32d5,
    ),
    (
        12,
        ["v1", "v0"],
        VerdictKind::Slower,
        0x3ff0_43ac_84f3_956b,
        0x3ff0_29ba_101d_3312,
        0x3ff0_5dc8_a12f_ce78,
    ),
    (
        24,
        ["v5", "v7"],
        VerdictKind::Same,
        0x3fef_fa37_2abf_a651,
        0x3fef_edb7_fe5a_301a,
        0x3ff0_035d_9da5_9420,
    ),
];

#[test]
fn without_clocks_the_second_version_decides_the_same() {
    let mut g = SplitMix64::new(31);
    for (i, noise) in [TYPICAL, NOISY, TWO_LEVELS]
        .iter()
        .cycle()
        .take(60)
        .enumerate()
    {
        let effect = 0.01 * g.normal();
        let (s, _) = Samples::from_legs(legs(&mut g, noise, effect, 1, 4 + (i as u32 % 9)));
        let settings = Settings::default();
        let old = by(PAIRED_T_1, &s, ["A", "B"], &settings);
        let new = by(PROCEDURE, &s, ["A", "B"], &settings);
        assert!(old.levels.is_empty() && new.cycles.is_none());
        let warned = new.warnings.clone();
        assert!(old.warnings.iter().all(|w| warned.contains(w)));
        let same = Judgement {
            levels: Vec::new(),
            warnings: old.warnings.clone(),
            ..new
        };
        assert_eq!(same, old);
    }
}

#[test]
fn every_procedure_stays_executable_by_its_name() {
    let s = h200(4);
    for procedure in PROCEDURES {
        let j = by(procedure, &s, ["v5", "v6"], &Settings::default());
        assert_eq!(j.kind, VerdictKind::Faster, "{procedure}");
    }
    assert_ne!(PROCEDURE, PAIRED_T_1);
}
