//! The reasoning of two published reviews, from the figures that they print.

use assay_profile::Profile;
use assay_profile::rules::Context;

use crate::support::Tool::McProfiler;
use crate::support::{context, figures, ids, on_one, on_two, report};

/// Figures of a C500 GEMM (131072 x 2048 x 7168, fp16), in thousands of millions where they are so
/// printed.
fn gemm(list: &[(&str, &str)]) -> Profile {
    report(McProfiler, "gemm_kernel", "", &figures(list))
}

/// The first version that the review has counters of. It says of the L2 cache only that it hits
/// often and does little; that the matrix unit works 43 to 44 % and the vector one 10 to 11 %.
fn first() -> Profile {
    gemm(&[
        ("inst.executed", "24,603,000,000"),
        ("inst.memory", "9,208,000,000"),
        ("inst.shared", "8424000000"),
        ("inst.vector", "5924000000"),
        ("inst.mma", "6107000000"),
        ("duty.mma", "43.5%"),
        ("duty.vector", "10.5%"),
        ("cache.l2.hit_rate", "85.0%"),
        ("duty.l2", "20.0%"),
    ])
}

/// With B prepacked.
fn prepacked() -> Profile {
    gemm(&[
        ("inst.executed", "18,658,000,000"),
        ("inst.memory", "4,820,000,000"),
        ("inst.shared", "3846000000"),
        ("inst.vector", "4087000000"),
        ("inst.mma", "6109000000"),
    ])
}

#[test]
fn the_first_version_is_starved_by_shared_memory_and_by_nothing_else() {
    let found = on_one(&first(), &context(&[("device.bandwidth", 1843.2)]));
    assert_eq!(ids(&found), ["mma-starved-by-shared-memory"]);
    let f = &found[0];
    for part in [
        "8,424,000,000 shared memory instructions for 6,107,000,000 matrix instructions",
        "the matrix unit works only 43.5 %",
        "it is not the bandwidth of L2 or of the device's memory",
        "the vector unit works 10.5 %, it is not that either",
    ] {
        assert!(f.message.contains(part), "{}", f.message);
    }
    assert!(
        f.message_zh.contains("不是 HBM/L2 带宽瓶颈"),
        "{}",
        f.message_zh
    );
    assert!(f.message_zh.contains("没有喂饱"), "{}", f.message_zh);
    assert!(
        f.advice.contains("prepack or interleave B along K"),
        "{}",
        f.advice
    );
    assert!(
        f.advice
            .contains("inst.shared must fall while inst.mma stays")
    );
    let used: Vec<&str> = f.counters.iter().map(|c| c.name.as_str()).collect();
    for name in [
        "inst.mma",
        "inst.shared",
        "duty.mma",
        "cache.l2.hit_rate",
        "duty.l2",
    ] {
        assert!(used.contains(&name), "{used:?}");
    }
}

#[test]
fn prepacking_removed_movement_and_left_the_maths() {
    let times = context(&[
        ("a.claim.time", 36_160_896.0),
        ("b.claim.time", 35_812_864.0),
    ]);
    let found = on_two(&first(), &prepacked(), &times);
    assert_eq!(ids(&found), ["movement-removed"]);
    let message = &found[0].message;
    for part in [
        "data movement removed, maths unchanged; time -0.96 %",
        "matrix instructions +0.03 %",
        "memory instructions -47.65 %",
        "shared memory instructions -54.34 %",
    ] {
        assert!(message.contains(part), "{message}");
    }
    // Without a time there is nothing to explain.
    assert_eq!(
        ids(&on_two(&first(), &prepacked(), &Context::default())),
        [""; 0]
    );
    // A verdict that found no gain outweighs the published times.
    let mut judged = times.clone();
    judged.set("verdict.faster", 0.0);
    judged.set("verdict.no_gain", 1.0);
    let found = on_two(&first(), &prepacked(), &judged);
    assert_eq!(
        ids(&found),
        ["off-the-critical-path", "fewer-instructions-not-faster"]
    );
}

#[test]
fn more_threads_and_another_order_are_a_trade() {
    let before = gemm(&[
        ("inst.executed", "18,658,000,000"),
        ("inst.memory", "4,820,000,000"),
        ("inst.global.load", "952,760,000"),
        ("cache.l2.reads", "12,188,000,000"),
        ("inst.shared.total", "3,846,000,000.0"),
        ("shared.conflict_cycles", "2.40"),
        ("shared.efficiency", "66.67%"),
        ("duty.vector", "7.63%"),
        ("duty.mma", "44.51%"),
    ]);
    let after = gemm(&[
        ("inst.executed", "21,254,000,000"),
        ("inst.memory", "6,159,000,000"),
        ("inst.global.load", "763,565,000"),
        ("cache.l2.reads", "9,161,000,000"),
        ("inst.shared.total", "5,371,000,000.0"),
        ("shared.conflict_cycles", "1.72"),
        ("shared.efficiency", "72.70%"),
        ("duty.vector", "5.18%"),
        ("duty.mma", "47.10%"),
    ]);
    let times = context(&[
        ("a.claim.time", 35_812_864.0),
        ("b.claim.time", 33_586_561.0),
    ]);
    let found = on_two(&before, &after, &times);
    assert_eq!(ids(&found), ["trade"]);
    let message = &found[0].message;
    let (paid, bought) = message.split_once("; bought: ").expect("two lists");
    assert!(
        paid.starts_with("a trade; paid: inst.shared.total +39.65 %"),
        "{paid}"
    );
    assert!(message.ends_with("; time -6.22 %"), "{message}");
    for part in ["inst.memory +27.78 %", "inst.executed +13.91 %"] {
        assert!(paid.contains(part), "{paid}");
    }
    for part in [
        "shared.conflict_cycles -28.33 %",
        "cache.l2.reads -24.84 %",
        "inst.global.load -19.86 %",
        "shared.efficiency +9.04 %",
        "duty.mma +5.82 %",
    ] {
        assert!(bought.contains(part), "{bought}");
    }
    assert!(found[0].message_zh.contains("代价：inst.shared.total"));
    // What is left after it, in the words of the review: the shared path, not whether MMA is used.
    let found = on_one(&after, &Context::default());
    assert_eq!(ids(&found), ["shared-conflicts"]);
    assert!(
        found[0].message.contains("27.3 % of the cycles"),
        "{}",
        found[0].message
    );
}

#[test]
fn later_versions_are_still_fed_slowly() {
    let later = gemm(&[
        ("inst.executed", "21,254,000,000"),
        ("inst.shared", "5371000000"),
        ("inst.mma", "6109000000"),
        ("duty.mma", "47.10%"),
        ("cache.l2.hit_rate", "85.0%"),
        ("duty.l2", "20.0%"),
        ("shared.efficiency", "72.70%"),
    ]);
    let found = on_one(&later, &context(&[("device.bandwidth", 1843.2)]));
    assert_eq!(ids(&found), ["mma-fed-slowly", "shared-conflicts"]);
}

/// A workload of the element-wise kernel: batch, branches, channels; time in us; hit rates of L2 and
/// L1, duty of vector and scalar unit, bandwidth in the profile, and the rules that speak beside the
/// two that always do.
struct Workload {
    name: &'static str,
    dims: [f64; 3],
    time: f64,
    l2: &'static str,
    l1: &'static str,
    vector: &'static str,
    scalar: &'static str,
    bandwidth: &'static str,
    speaks: &'static [&'static str],
}

const fn workload(
    name: &'static str,
    dims: [f64; 3],
    time: f64,
    figures: [&'static str; 5],
    speaks: &'static [&'static str],
) -> Workload {
    let [l2, l1, vector, scalar, bandwidth] = figures;
    Workload {
        name,
        dims,
        time,
        l2,
        l1,
        vector,
        scalar,
        bandwidth,
        speaks,
    }
}

const FIXED: &[&str] = &["fixed-cost-bound"];
const MEMORY: &[&str] = &["memory-bandwidth-bound"];
const ROOF: &[&str] = &["memory-bandwidth-bound", "near-memory-roof"];

const WORKLOADS: &[Workload] = &[
    workload(
        "flash-decode-s",
        [32.0, 4.0, 4096.0],
        6.00,
        ["99.40%", "93.02%", "35.89%", "4.09%", "6.05"],
        FIXED,
    ),
    workload(
        "pro-decode-s",
        [32.0, 4.0, 7168.0],
        6.30,
        ["99.03%", "91.04%", "47.38%", "2.20%", "26.42"],
        FIXED,
    ),
    workload(
        "flash-decode-m",
        [128.0, 4.0, 4096.0],
        11.70,
        ["54.88%", "91.04%", "49.61%", "2.28%", "831.39"],
        &[],
    ),
    workload(
        "pro-decode-m",
        [128.0, 4.0, 7168.0],
        14.80,
        ["6.59%", "91.04%", "43.64%", "1.07%", "1207.23"],
        MEMORY,
    ),
    workload(
        "flash-decode-l",
        [512.0, 4.0, 4096.0],
        31.60,
        ["2.02%", "91.04%", "46.58%", "1.12%", "1328.60"],
        MEMORY,
    ),
    workload(
        "pro-decode-l",
        [512.0, 4.0, 7168.0],
        51.60,
        ["1.44%", "91.04%", "45.84%", "1.10%", "1308.14"],
        MEMORY,
    ),
    workload(
        "flash-prefill-s",
        [1024.0, 4.0, 4096.0],
        56.80,
        ["1.12%", "91.04%", "50.42%", "2.27%", "1362.05"],
        ROOF,
    ),
    workload(
        "pro-prefill-s",
        [1024.0, 4.0, 7168.0],
        97.00,
        ["0.93%", "91.04%", "49.46%", "2.22%", "1325.39"],
        ROOF,
    ),
    workload(
        "flash-prefill-l",
        [8192.0, 4.0, 4096.0],
        405.60,
        ["0.06%", "91.04%", "53.22%", "2.39%", "1456.10"],
        ROOF,
    ),
    workload(
        "pro-prefill-l",
        [4096.0, 4.0, 7168.0],
        367.60,
        ["0.27%", "91.04%", "48.96%", "1.16%", "1414.07"],
        ROOF,
    ),
];

#[test]
fn an_element_wise_kernel_is_bound_by_fixed_cost_when_small_and_by_memory_when_large() {
    for w in WORKLOADS {
        let [batch, branches, channels] = w.dims;
        let profile = report(
            McProfiler,
            "mhc_post_kernel",
            "",
            &figures(&[
                ("cache.l2.hit_rate", w.l2),
                ("cache.l1.hit_rate", w.l1),
                ("duty.vector", w.vector),
                ("duty.scalar", w.scalar),
                ("shared.efficiency", "100%"),
                ("mem.bandwidth", w.bandwidth),
                // No matrix work, and some use of shared memory, which the review says in words.
                ("inst.mma", "0.0"),
                ("inst.shared", "4096.0"),
            ]),
        );
        let outputs = batch * branches * channels;
        let given = context(&[
            ("device.bandwidth", 1843.2),
            ("device.ridge", 130.0),
            ("claim.time", w.time * 1e3),
            ("workload.flops", 2.0 * outputs),
            (
                "workload.bytes",
                (batch * channels + 2.0 * outputs) * 2.0 + batch * branches * 4.0,
            ),
            ("workload.ops_per_output", 2.0),
        ]);
        let found = on_one(&profile, &given);
        let mut expected = vec!["no-matrix-work-expected", "shared-conflict-free"];
        expected.extend(w.speaks);
        assert_eq!(ids(&found), expected, "{}", w.name);
        let says = |rule: &str, part: &str| {
            let f = found.iter().find(|f| f.rule == rule).expect(rule);
            assert!(f.message.contains(part), "{}: {}", w.name, f.message);
        };
        says("no-matrix-work-expected", "the vector unit works");
        match w.name {
            "flash-decode-s" => {
                says("fixed-cost-bound", "it takes 6 us although L2 hits 99.4 %");
                says("fixed-cost-bound", "6.05 GB/s of 1,843.2 GB/s");
            }
            "flash-prefill-l" => {
                says(
                    "memory-bandwidth-bound",
                    "1,456.1 GB/s of 1,843.2 GB/s (78.9985 %)",
                );
                says("memory-bandwidth-bound", "L2 hits 0.06 %");
                says("memory-bandwidth-bound", "there is no matrix work");
                says("near-memory-roof", "80.8065 % of the memory roof");
                says("no-matrix-work-expected", "0.444348 FLOP/byte");
            }
            _ => {}
        }
    }
}
