//! The procedure on real measurements of one NVIDIA H200; see `data/README.md`.

mod common;

use assay_core::record::VerdictKind;
use assay_stats::{Judgement, Settings, Step};

use common::{h200, judge};

fn verdict(processes: u32, a: &str, b: &str) -> Judgement {
    judge(&h200(processes), a, b, &Settings::default())
}

#[test]
fn identical_source_is_never_told_apart() {
    for processes in [4, 8, 12, 24] {
        for (a, b) in [("v5", "v7"), ("v7", "v5")] {
            let j = verdict(processes, a, b);
            assert!(
                !matches!(j.kind, VerdictKind::Faster | VerdictKind::Slower),
                "{}",
                j.reason
            );
        }
    }
    assert_eq!(verdict(24, "v5", "v7").kind, VerdictKind::Same);
}

#[test]
fn a_gain_of_a_fifth_is_settled_at_the_first_look() {
    let j = verdict(4, "v5", "v6");
    assert_eq!(
        (j.kind, j.step, j.processes),
        (VerdictKind::Faster, Step::Done, 4)
    );
    let ratio = j.ratio.unwrap();
    assert!((ratio - 0.810).abs() < 0.002, "{ratio}");
    assert!(j.guard_ok && j.warnings.is_empty(), "{:?}", j.warnings);
    let back = verdict(4, "v6", "v5");
    assert_eq!((back.kind, back.guard_ok), (VerdictKind::Slower, false));
}

/// Old verdicts must come out again, so the figures of `paired-t/1` are pinned. The values were
/// computed apart from this crate, with a t quantile by numerical integration of the density.
#[test]
fn the_figures_of_the_procedure_are_pinned() {
    for (processes, b, ratio, low, high) in [
        (4, "v6", 0.810_296_181_4, 0.774_328_326_0, 0.847_934_757_8),
        (12, "v7", 0.997_908_291_8, 0.994_876_128_3, 1.000_949_696_7),
    ] {
        let j = verdict(processes, "v5", b);
        let [l, h] = j.interval.unwrap();
        for (got, want) in [(j.ratio.unwrap(), ratio), (l, low), (h, high)] {
            assert!((got - want).abs() < 1e-8, "{got} is not {want}");
        }
    }
}

/// As measured, without drawing any process twice, there is one level.
#[test]
fn no_two_levels_are_seen_in_the_real_processes() {
    for (a, b) in [("v5", "v7"), ("v0", "v1"), ("v5", "v6")] {
        for processes in [8, 12, 24] {
            let j = verdict(processes, a, b);
            assert_eq!(j.levels, [], "{a} {b} {processes}");
        }
    }
}
