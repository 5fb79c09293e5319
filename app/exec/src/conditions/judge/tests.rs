//! Tables of conditions and what they come to.

use assay_core::Timestamp;
use proptest::prelude::*;

use super::super::nvidia;
use super::*;

/// A reading of a GPU at work, `ms` after the first, after `blocks` blocks.
fn gpu(blocks: usize, ms: i64) -> Reading {
    let at = Timestamp::from_millisecond(1_000_000 + ms).unwrap();
    let mut conditions = Conditions::unknown(nvidia::SOURCE, at);
    conditions.sm_clock_mhz = Some(1980.0);
    conditions.throttle = Some(BTreeSet::new());
    Reading {
        after: blocks,
        conditions,
    }
}

fn cpu(blocks: usize, ms: i64) -> Reading {
    let mut r = gpu(blocks, ms);
    r.conditions.source = host::SOURCE;
    r.conditions.throttle = None;
    r
}

fn with(mut r: Reading, change: impl FnOnce(&mut Conditions)) -> Reading {
    change(&mut r.conditions);
    r
}

fn active(r: Reading, reasons: &[Reason]) -> Reading {
    with(r, |c| c.throttle = Some(reasons.iter().copied().collect()))
}

fn counted(r: Reading, reason: Reason, n: u64) -> Reading {
    with(r, |c| {
        c.throttle_counts.insert(reason, n);
    })
}

fn clock(r: Reading, mhz: f64) -> Reading {
    with(r, |c| c.sm_clock_mhz = Some(mhz))
}

fn blocks(n: u32) -> Vec<Place> {
    let place = |block| Place {
        workloads: vec!["w".into()],
        block,
    };
    (0..n).map(place).collect()
}

fn judged(n: u32, readings: &[Reading], policy: &Policy) -> Judgement {
    with_clocks(n, readings, &[], policy)
}

fn with_clocks(n: u32, readings: &[Reading], clocks: &[(u32, f64)], policy: &Policy) -> Judgement {
    let stated = |&(block, mhz): &(u32, f64)| LegClock {
        workload: "w".into(),
        block,
        mhz,
    };
    let clocks: Vec<LegClock> = clocks.iter().map(stated).collect();
    judge(
        &Evidence {
            process: 3,
            blocks: &blocks(n),
            readings,
            told: &[],
            clocks: &clocks,
        },
        policy,
    )
}

/// Void blocks with their reasons.
fn told(j: &Judgement) -> Vec<String> {
    let text = |m: &Mark| format!("{}: {}", m.block, m.reason);
    j.marks.iter().map(text).collect()
}

#[test]
fn a_slowdown_voids_the_blocks_on_either_side_of_the_reading_that_shows_it() {
    for reason in Reason::ALL {
        let readings = [
            gpu(0, 0),
            gpu(1, 100),
            active(gpu(2, 200), &[reason]),
            gpu(3, 300),
            gpu(4, 400),
        ];
        let got = told(&judged(4, &readings, &Policy::device()));
        let words = reason.words();
        if reason.voids() {
            assert_eq!(got, [format!("1: {words}"), format!("2: {words}")]);
        } else {
            assert!(got.is_empty(), "{reason:?}: {got:?}");
        }
    }
}

#[test]
fn a_counter_that_grew_voids_the_block_even_if_no_reading_shows_the_slowdown() {
    let heat = Reason::HardwareThermal;
    let readings = [
        counted(gpu(0, 0), heat, 7),
        counted(gpu(1, 100), heat, 7),
        counted(gpu(2, 200), heat, 9),
        counted(gpu(3, 300), heat, 0),
    ];
    let got = told(&judged(3, &readings, &Policy::device()));
    assert_eq!(
        got,
        ["1: a thermal slowdown by the hardware"],
        "a reset counter tells nothing"
    );
}

#[test]
fn what_cannot_be_placed_voids_all_blocks_of_a_device_and_is_a_warning_for_a_processor() {
    let heat = Reason::Thermal;
    let readings = [counted(cpu(0, 0), heat, 1), counted(cpu(3, 900), heat, 2)];
    let got = judged(3, &readings, &Policy::cpu());
    assert!(got.marks.is_empty());
    assert_eq!(
        got.warnings,
        ["a thermal slowdown in one of 3 blocks between two readings; mode resident tells which"]
    );
    let got = judged(3, &readings, &Policy::device());
    assert_eq!(got.marks.len(), 3);
    assert_eq!(
        (got.marks[0].process, got.marks[0].reason.as_str()),
        (
            3,
            "a thermal slowdown in one of the 3 blocks between two readings"
        )
    );
    let single = [counted(cpu(0, 0), heat, 1), counted(cpu(1, 900), heat, 2)];
    assert_eq!(
        told(&judged(1, &single, &Policy::cpu())),
        ["0: a thermal slowdown"]
    );
}

#[test]
fn clocks_of_legs_void_a_block_when_they_differ_by_more_than_a_hundredth() {
    let none = [];
    let clocks = [
        (0, 1400.0),
        (0, 1413.0),
        (1, 1400.0),
        (1, 1415.0),
        (2, f64::NAN),
        (2, 0.0),
    ];
    let got = with_clocks(3, &none, &clocks, &Policy::device());
    assert_eq!(
        told(&got),
        ["1: the clocks in it differ by 1.1 % (1400 to 1415 MHz)"]
    );
    let named = Policy {
        regime: Some("fan fixed".into()),
        ..Policy::device()
    };
    let got = with_clocks(3, &none, &clocks, &named);
    assert_eq!(
        (got.marks.len(), got.regime.as_deref()),
        (0, Some("fan fixed"))
    );
}

#[test]
fn clocks_read_around_a_single_block_count_where_the_device_was_at_work() {
    let cold = active(clock(gpu(0, 0), 345.0), &[Reason::Idle]);
    let readings = [
        cold,
        clock(gpu(1, 100), 1980.0),
        clock(gpu(2, 200), 1905.0),
        clock(gpu(4, 400), 1800.0),
    ];
    let got = judged(4, &readings, &Policy::device());
    assert_eq!(
        told(&got),
        ["1: the clocks in it differ by 3.9 % (1905 to 1980 MHz)"]
    );
    let steady = [(1, 1980.0), (1, 1981.0)];
    let got = with_clocks(4, &readings, &steady, &Policy::device());
    assert!(
        got.marks.is_empty(),
        "the harness knows the legs themselves: {got:?}"
    );
    let cores = [clock(cpu(0, 0), 800.0), clock(cpu(1, 100), 3400.0)];
    assert!(judged(1, &cores, &Policy::cpu()).marks.is_empty());
}

#[test]
fn a_power_cap_that_holds_throughout_is_a_regime_and_voids_nothing() {
    let cap = |after, ms, mhz| active(clock(gpu(after, ms), mhz), &[Reason::PowerCap]);
    let idle = active(clock(gpu(0, 0), 345.0), &[Reason::Idle]);
    let readings = [idle, cap(1, 100, 1920.0), cap(2, 200, 1545.0)];
    let got = with_clocks(2, &readings, &[(0, 1500.0), (0, 1900.0)], &Policy::device());
    assert_eq!(
        (got.regime.as_deref(), told(&got).len()),
        (Some("power cap"), 0)
    );
    assert!(got.warnings.is_empty());

    let mut readings = readings.to_vec();
    readings[2] = clock(gpu(2, 200), 1545.0);
    let got = judged(2, &readings, &Policy::device());
    assert_eq!(got.regime, None);
    assert_eq!(
        told(&got),
        ["1: the clocks in it differ by 24.3 % (1545 to 1920 MHz)"]
    );
    assert_eq!(
        got.warnings,
        [
            "a power cap held in 1 of 2 stretches between readings: it came or went during the measurement"
        ]
    );
}

#[test]
fn a_power_cap_is_also_known_by_its_counter_and_a_spike_is_none() {
    let at = |after, ms, us| {
        counted(
            active(gpu(after, ms), &[Reason::Idle]),
            Reason::PowerCap,
            us,
        )
    };
    let long = judged(6, &[at(0, 0, 50), at(6, 1000, 700_050)], &Policy::device());
    assert_eq!(long.regime.as_deref(), Some("power cap"));
    let spike = judged(6, &[at(0, 0, 50), at(6, 1000, 60_050)], &Policy::device());
    assert_eq!((spike.regime, spike.marks.len()), (None, 0));
}

#[test]
fn a_thermal_slowdown_voids_under_a_power_cap_too() {
    let both = [Reason::PowerCap, Reason::SoftwareThermal];
    let readings = [
        active(gpu(0, 0), &[Reason::PowerCap]),
        active(gpu(1, 100), &both),
    ];
    let got = judged(1, &readings, &Policy::device());
    assert_eq!(got.regime.as_deref(), Some("power cap"));
    assert_eq!(told(&got), ["0: a thermal slowdown by the driver"]);
}

#[test]
fn what_the_program_tells_of_its_blocks_places_what_the_runner_could_only_count() {
    let told = |readings: &[Reading], told: &[Reading]| {
        let evidence = Evidence {
            process: 3,
            blocks: &blocks(4),
            readings,
            told,
            clocks: &[],
        };
        judge(&evidence, &Policy::device())
    };
    let heat = Reason::HardwareThermal;
    let ends = [
        counted(gpu(0, 0), heat, 5),
        counted(gpu(4, 4000), heat, 900),
    ];
    let quiet: Vec<Reading> = (1..=4).map(|i| gpu(i, 0)).collect();
    let mut hot = quiet.clone();
    hot[3] = active(gpu(4, 0), &[heat]);
    // Counted and seen in the last block alone; counted and seen nowhere.
    let last = ["3: a thermal slowdown by the hardware"];
    assert_eq!(self::told(&told(&ends, &hot)), last);
    assert_eq!(told(&ends, &quiet).marks.len(), 4);
    // The program's word is enough where the runner has no tool.
    assert_eq!(self::told(&told(&[], &hot)), last);
    assert_eq!(told(&[], &quiet), Judgement::default());
    // A clock that moved over one block voids that block.
    let mut slow = quiet.clone();
    slow[2] = clock(gpu(3, 0), 1900.0);
    slow[3] = clock(gpu(4, 0), 1900.0);
    let marks = told(&[], &slow).marks;
    assert_eq!((marks.len(), marks[0].block), (1, 2), "{marks:?}");
    // A cap in every block is a regime although the start-up dilutes what was counted.
    let capped: Vec<Reading> = (1..=4)
        .map(|i| active(gpu(i, 0), &[Reason::PowerCap]))
        .collect();
    let ends = [
        counted(gpu(0, 0), Reason::PowerCap, 0),
        counted(gpu(4, 4000), Reason::PowerCap, 1000),
    ];
    assert_eq!(told(&ends, &capped).regime.as_deref(), Some("power cap"));
    assert_eq!(told(&ends, &quiet).regime, None);
    // A cap in some blocks is none throughout, however much of it was counted over all of them.
    let long = [
        counted(gpu(0, 0), Reason::PowerCap, 0),
        counted(gpu(4, 4000), Reason::PowerCap, 2_000_000),
    ];
    let two = [&capped[..2], &quiet[2..]].concat();
    let came = told(&long, &two);
    assert_eq!((came.regime, came.warnings.len()), (None, 1));
    let partly = told(&[], &[capped[0].clone(), quiet[1].clone()]);
    assert_eq!((partly.regime, partly.warnings.len()), (None, 1));
}

#[test]
fn other_processes_warn_or_void_by_policy() {
    let other = |memory_mib, busy_percent| OtherProcess {
        pid: 4711,
        name: "python3".into(),
        memory_mib,
        busy_percent,
    };
    let seen = |r, p| with(r, |c: &mut Conditions| c.other_processes = Some(vec![p]));
    let readings = [
        seen(gpu(0, 0), other(Some(512.0), None)),
        seen(gpu(2, 100), other(Some(600.0), None)),
    ];
    let text = "other processes worked on the device: python3 (512 MiB)";
    let how = |foreign| Policy {
        foreign,
        ..Policy::device()
    };
    assert_eq!(judged(2, &readings, &how(Foreign::Warn)).warnings, [text]);
    assert_eq!(
        judged(2, &readings, &how(Foreign::Ignore)),
        Judgement::default()
    );
    let void = judged(2, &readings, &how(Foreign::Void));
    assert_eq!(told(&void), [format!("0: {text}"), format!("1: {text}")]);

    let moment = [seen(cpu(0, 0), other(None, None)), cpu(2, 100)];
    assert!(judged(2, &moment, &Policy::cpu()).warnings.is_empty());
    let long = [cpu(0, 0), seen(cpu(2, 100), other(None, Some(98.0)))];
    assert_eq!(
        judged(2, &long, &Policy::cpu()).warnings,
        ["other processes worked on the device: python3 (98 %)"]
    );
}

#[test]
fn waiting_and_stolen_time_are_told_with_their_share() {
    let at = |r: Reading, waited, stolen| {
        with(r, |c| {
            c.waited_us = Some(waited);
            c.stolen_ms = Some(stolen);
        })
    };
    let busy = [at(cpu(0, 0), 1000, 10), at(cpu(2, 1000), 351_000, 60)];
    assert_eq!(
        judged(2, &busy, &Policy::cpu()).warnings,
        [
            "some task waited for a processor for 35 % of the time: other work, or more threads than processors",
            "the hypervisor gave 5.0 % of a processor to other machines"
        ]
    );
    let calm = [at(cpu(0, 0), 1000, 10), at(cpu(2, 1000), 101_000, 20)];
    assert!(judged(2, &calm, &Policy::cpu()).warnings.is_empty());
    let backwards = [at(cpu(0, 1000), 0, 0), at(cpu(2, 0), 1_000_000, 0)];
    assert!(judged(2, &backwards, &Policy::cpu()).warnings.is_empty());
}

#[test]
fn without_readings_nothing_is_claimed() {
    for readings in [vec![], vec![gpu(0, 0)], vec![gpu(2, 0), gpu(2, 10)]] {
        assert_eq!(
            judged(2, &readings, &Policy::device()),
            Judgement::default()
        );
    }
    let short = [active(gpu(0, 0), &[Reason::PowerBrake]), gpu(9, 10)];
    assert_eq!(judged(2, &short, &Policy::device()), Judgement::default());
}

#[test]
fn a_session_has_the_regime_that_all_its_processes_share() {
    let cap = Some("power cap");
    assert_eq!(common_regime([cap, cap]).as_deref(), cap);
    assert_eq!(common_regime([cap, None]), None);
    assert_eq!(common_regime([cap, Some("fan fixed")]), None);
    assert_eq!(common_regime([]), None);
}

#[test]
fn readings_of_another_device_void_the_whole_process() {
    let of = |r, id: &str| with(r, |c: &mut Conditions| c.device = Some(id.into()));
    let moved = [of(gpu(0, 0), "GPU-1a"), of(gpu(2, 100), "GPU-2b")];
    let text = "mixed devices: readings around it tell of GPU-1a and of GPU-2b";
    let both = [format!("0: {text}"), format!("1: {text}")];
    assert_eq!(told(&judged(2, &moved, &Policy::device())), both);
    let stays = [of(gpu(0, 0), "GPU-2b"), of(gpu(2, 100), "GPU-2b")];
    let named = |device: &str| Policy {
        device: Some(device.into()),
        ..Policy::device()
    };
    assert_eq!(told(&judged(2, &stays, &named("GPU-1a"))), both);
    for sound in [named("GPU-2b"), named("gpu-2"), Policy::device()] {
        assert_eq!(told(&judged(2, &stays, &sound)), Vec::<String>::new());
    }
    assert_eq!(told(&judged(2, &moved, &named("GPU-1"))).len(), 2);
    assert!(
        judged(2, &[gpu(0, 0), gpu(2, 9)], &named("GPU-1"))
            .marks
            .is_empty()
    );
}

#[test]
fn clocks_that_moved_over_several_blocks_are_a_warning_that_names_the_way() {
    let readings = [clock(gpu(0, 0), 1474.0), clock(gpu(3, 300), 1611.0)];
    let got = judged(3, &readings, &Policy::device());
    assert!(got.marks.is_empty());
    let begin = "the clocks before and after 3 blocks differ by 9.3 % (1474 to 1611 MHz)";
    assert!(got.warnings[0].starts_with(begin), "{:?}", got.warnings);
    for way in ["mode `resident`", "`conditions`"] {
        assert!(got.warnings[0].contains(way), "{:?}", got.warnings);
    }
    let stated = [(0, 1474.0), (1, 1474.0)];
    let got = with_clocks(3, &readings, &stated, &Policy::device());
    assert!(got.warnings.is_empty(), "the harness tells itself");
    let idle = [
        active(clock(gpu(0, 0), 345.0), &[Reason::Idle]),
        readings[1].clone(),
    ];
    assert!(judged(3, &idle, &Policy::device()).warnings.is_empty());
}

#[test]
fn a_power_cap_that_came_before_the_next_reading_is_told() {
    let none = gpu(0, 0);
    let capped = active(gpu(3, 300), &[Reason::PowerCap]);
    let still = |r| counted(r, Reason::PowerCap, 0);
    for readings in [
        [none.clone(), capped.clone()],
        [still(none.clone()), still(capped.clone())],
    ] {
        let got = judged(3, &readings, &Policy::device());
        let begin = "a power cap came or went: it came between";
        assert!(got.warnings[0].starts_with(begin), "{:?}", got.warnings);
    }
    let idle = active(gpu(0, 0), &[Reason::Idle]);
    assert!(
        judged(3, &[idle, capped], &Policy::device())
            .warnings
            .is_empty()
    );
}

/// The regime of the H200 samples: every reading of 24 processes has the bit of the power cap and
/// clocks from 1365 to 1980 MHz.
#[test]
fn the_bits_of_a_capped_card_name_the_regime() {
    let mhz = [1770.0, 1845.0, 1920.0, 1590.0, 1905.0, 1545.0];
    let mut readings = vec![with(gpu(0, 0), |c| c.throttle = Some(nvidia::reasons(1)))];
    for (i, mhz) in mhz.into_iter().enumerate() {
        let r = clock(gpu(i + 1, 1000 * (i as i64 + 1)), mhz);
        readings.push(with(r, |c| c.throttle = Some(nvidia::reasons(4))));
    }
    let got = judged(6, &readings, &Policy::device());
    assert_eq!(got.regime.as_deref(), Some("power cap"));
    assert!(got.marks.is_empty() && got.warnings.is_empty());
}

prop_compose! {
    fn any_reading()(
        after in 0usize..6,
        ms in 0i64..10_000,
        mhz in proptest::option::of(proptest::num::f64::ANY),
        mask in proptest::option::of(any::<u64>()),
        counts in proptest::collection::btree_map(0usize..11, any::<u64>(), 0..4),
        host in any::<bool>(),
        waited in proptest::option::of(any::<u64>()),
    ) -> Reading {
        let mut r = if host { cpu(after, ms) } else { gpu(after, ms) };
        r.conditions.sm_clock_mhz = mhz;
        r.conditions.throttle = mask.map(nvidia::reasons);
        r.conditions.throttle_counts =
            counts.into_iter().map(|(i, n)| (Reason::ALL[i], n)).collect();
        r.conditions.waited_us = waited;
        r.conditions.stolen_ms = waited;
        r
    }
}

proptest! {
    /// Whatever is read: marks are unique, sorted, of measured blocks, and say why.
    #[test]
    fn marks_are_sound(
        readings in proptest::collection::vec(any_reading(), 0..6),
        clocks in proptest::collection::vec((0u32..7, proptest::num::f64::ANY), 0..8),
        device in any::<bool>(),
    ) {
        let policy = if device { Policy::device() } else { Policy::cpu() };
        let got = with_clocks(4, &readings, &clocks, &policy);
        let keys: Vec<u32> = got.marks.iter().map(|m| m.block).collect();
        prop_assert!(keys.windows(2).all(|w| w[0] < w[1]));
        prop_assert!(got.marks.iter().all(|m| !m.reason.is_empty() && m.process == 3));
    }
}
