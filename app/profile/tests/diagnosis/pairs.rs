//! For each rule about a pair: figures with which it speaks, and figures just beside.

use crate::support::Tool::{self, McProfiler, Ncu};

/// A rule on the figures of two reports.
pub struct Pair {
    pub id: &'static str,
    pub tool: Tool,
    /// Counter, its figure before and after.
    pub figures: &'static [(&'static str, &'static str, &'static str)],
    pub context: &'static [(&'static str, f64)],
    pub says: &'static [&'static str],
    /// Each of these, as figures after or of the context, silences the rule.
    pub beside: &'static [&'static [(&'static str, &'static str)]],
    /// Without these the rule still speaks; without any other it must not.
    pub optional: &'static [&'static str],
    pub with: &'static [&'static str],
}

const NONE: Pair = Pair {
    id: "",
    tool: McProfiler,
    figures: &[],
    context: &[],
    says: &[],
    beside: &[],
    optional: &[],
    with: &[],
};

pub const PAIRS: &[Pair] = &[
    Pair {
        id: "movement-removed",
        figures: &[
            ("inst.mma", "6107000000", "6109000000"),
            ("inst.memory", "9208000000", "4820000000"),
            ("inst.shared", "8424000000", "3846000000"),
        ],
        context: &[
            ("a.claim.time", 36_160_896.0),
            ("b.claim.time", 35_812_864.0),
        ],
        says: &[
            "time -0.96 %",
            "matrix instructions +0.03 %",
            "memory instructions -47.65 %",
            "shared memory instructions -54.34 %",
        ],
        beside: &[
            &[("b.claim.time", "35990000")],
            &[("inst.mma", "6140000000")],
            &[("inst.memory", "8757000000"), ("inst.shared", "8010000000")],
            &[("inst.memory", "9301000000")],
        ],
        optional: &["inst.memory", "inst.shared"],
        ..NONE
    },
    Pair {
        id: "movement-removed",
        tool: Ncu,
        figures: &[
            ("ops.mma.fp16", "17179869184", "17179869184"),
            ("mem.read_bytes", "1000", "900"),
        ],
        context: &[("verdict.faster", 1.0), ("time.change", -3.0)],
        says: &["time -3.00 %", "bytes read from memory -10.00 %"],
        beside: &[
            &[("mem.read_bytes", "951")],
            &[("verdict.faster", "0")],
            &[("ops.mma.fp16", "17000000000")],
        ],
        // Without a verdict the published time counts.
        optional: &["verdict.faster", "time.change"],
        ..NONE
    },
    Pair {
        id: "trade",
        figures: &[
            ("inst.executed", "18658000000", "21254000000"),
            ("cache.l2.reads", "12188000000", "9161000000"),
        ],
        context: &[
            ("a.claim.time", 35_812_864.0),
            ("b.claim.time", 33_586_561.0),
        ],
        says: &[
            "a trade; paid: inst.executed +13.91 %; bought: cache.l2.reads -24.84 %; time -6.22 %",
        ],
        beside: &[
            &[("inst.executed", "19590000000")],
            &[("cache.l2.reads", "12188000000")],
            &[("b.claim.time", "35650000")],
        ],
        ..NONE
    },
    Pair {
        id: "faster-without-a-cause",
        figures: &[("inst.executed", "1000000", "1005000")],
        context: &[("verdict.faster", 1.0), ("time.change", -3.3)],
        says: &["faster, but no counter moved", "time -3.30 %"],
        beside: &[&[("inst.executed", "1020000")], &[("verdict.faster", "0")]],
        // Nothing moves where there is nothing; without a verdict the time counts.
        optional: &["inst.executed", "verdict.faster", "time.change"],
        ..NONE
    },
    Pair {
        id: "off-the-critical-path",
        figures: &[
            ("inst.shared", "1000000", "800000"),
            ("shared.conflict_cycles", "2.40", "1.72"),
        ],
        context: &[("verdict.no_gain", 1.0)],
        says: &["Better: shared.conflict_cycles -28.33 %, inst.shared -20.00 %"],
        beside: &[
            &[("verdict.no_gain", "0"), ("verdict.same", "0")],
            &[("inst.shared", "1200000")],
            &[
                ("inst.shared", "1000000"),
                ("shared.conflict_cycles", "2.40"),
            ],
        ],
        optional: &["inst.shared", "shared.conflict_cycles"],
        ..NONE
    },
    Pair {
        id: "fewer-instructions-not-faster",
        figures: &[("inst.executed", "1000000", "950000")],
        context: &[("verdict.slower", 1.0)],
        says: &["instructions -5.00 %"],
        beside: &[
            &[("inst.executed", "950001")],
            &[
                ("verdict.slower", "0"),
                ("verdict.same", "0"),
                ("verdict.no_gain", "0"),
            ],
        ],
        ..NONE
    },
    Pair {
        id: "mma-dropped",
        figures: &[("inst.mma", "6107000000", "0")],
        says: &["from 6,107,000,000 to 0 (-100.00 %)", "none is left"],
        beside: &[&[("inst.mma", "6046000000")]],
        ..NONE
    },
    Pair {
        id: "traffic-amplified",
        figures: &[
            ("mem.read_bytes", "1000.0byte", "1510.0byte"),
            ("cache.l2.hit_rate", "64.80%", "59.80%"),
        ],
        says: &["+51.00 %", "-5.00 points"],
        beside: &[
            &[("mem.read_bytes", "1500.0byte")],
            &[("cache.l2.hit_rate", "59.90%")],
        ],
        ..NONE
    },
    Pair {
        id: "more-workgroups-more-cycles",
        figures: &[
            ("launch.workgroups", "1000.0", "1500.0"),
            ("cycles.elapsed", "100.00(Kcycles)", "102.10(Kcycles)"),
        ],
        says: &["workgroups +50.00 %", "cycles +2.10 %"],
        beside: &[
            &[("launch.workgroups", "1499.0")],
            &[("cycles.elapsed", "102.00(Kcycles)")],
        ],
        ..NONE
    },
    Pair {
        id: "spill-appeared",
        figures: &[
            ("inst.private.load", "0", "330240"),
            ("inst.private.store", "0", "330240"),
        ],
        says: &["660,480 instructions on it"],
        beside: &[&[("inst.private.load", "0"), ("inst.private.store", "0")]],
        ..NONE
    },
    Pair {
        id: "spill-appeared",
        tool: Ncu,
        figures: &[("inst.spill", "0", "42949632")],
        says: &["registers are spilled"],
        beside: &[&[("inst.spill", "0")]],
        ..NONE
    },
];
