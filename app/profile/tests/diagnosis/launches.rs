//! For each rule about one launch: figures with which it speaks, and figures just beside.

use crate::support::Tool::{self, McProfiler, Ncu};

/// A rule on figures.
pub struct Case {
    pub id: &'static str,
    pub tool: Tool,
    pub kernel: &'static str,
    pub block: &'static str,
    pub figures: &'static [(&'static str, &'static str)],
    pub context: &'static [(&'static str, f64)],
    /// What the English message holds.
    pub says: &'static [&'static str],
    /// Each of these, in place of or beside the figures, silences the rule.
    pub beside: &'static [&'static [(&'static str, &'static str)]],
    /// Without these the rule still speaks; without any other it must not.
    pub optional: &'static [&'static str],
    /// Other rules that speak, too.
    pub with: &'static [&'static str],
}

pub const NONE: Case = Case {
    id: "",
    tool: Ncu,
    kernel: "kernel",
    block: "(256, 1, 1)",
    figures: &[],
    context: &[],
    says: &[],
    beside: &[],
    optional: &[],
    with: &[],
};

pub const SPEED_OF_LIGHT: &[Case] = &[
    Case {
        id: "sol-grid-too-small",
        figures: &[
            ("throughput.compute", "59.99"),
            ("throughput.memory", "0.15"),
            ("launch.rounds", "0.5"),
        ],
        says: &["fill it 0.5 times", "59.99 %", "0.15 %"],
        beside: &[
            &[("throughput.compute", "60")],
            &[("throughput.memory", "60")],
            &[("launch.rounds", "1")],
        ],
        ..NONE
    },
    Case {
        id: "sol-latency-bound",
        figures: &[
            ("throughput.compute", "39.04"),
            ("throughput.memory", "59.99"),
            ("launch.rounds", "1"),
        ],
        says: &["latency bound", "39.04 %", "59.99 %", "1 times"],
        beside: &[
            &[("throughput.compute", "60")],
            &[("throughput.memory", "60")],
            &[("launch.rounds", "0.99")],
        ],
        ..NONE
    },
    Case {
        id: "sol-compute-leads",
        figures: &[
            ("throughput.compute", "64"),
            ("throughput.memory", "54"),
            ("duty.mma", "2"),
            ("duty.fma", "63"),
            ("duty.alu", "19"),
            ("duty.issue.load_store", "40"),
        ],
        says: &[
            "64 %",
            "54 %",
            "the multiply-add pipe is the busiest with 63 %",
        ],
        beside: &[
            &[("throughput.memory", "54.01")],
            &[("throughput.compute", "80"), ("throughput.memory", "60")],
            &[("throughput.compute", "59.99"), ("throughput.memory", "5")],
        ],
        optional: &["duty.mma", "duty.fma", "duty.alu", "duty.issue.load_store"],
        ..NONE
    },
    Case {
        id: "sol-memory-leads",
        figures: &[
            ("throughput.compute", "38.22"),
            ("throughput.memory", "79.78"),
            ("throughput.dram", "38.89"),
            ("throughput.l1", "40.1"),
            ("throughput.l2", "79.78"),
        ],
        says: &["79.78 %", "38.22 %", "the L2 cache is the busiest part"],
        beside: &[
            &[("throughput.memory", "80")],
            &[("throughput.compute", "69.79")],
            &[("throughput.memory", "59.99")],
        ],
        optional: &["throughput.dram", "throughput.l1", "throughput.l2"],
        ..NONE
    },
    Case {
        id: "sol-balanced",
        figures: &[
            ("throughput.compute", "64.16"),
            ("throughput.memory", "62.15"),
        ],
        says: &["64.16 %", "62.15 %", "in balance"],
        beside: &[
            &[("throughput.memory", "54.16")],
            &[("throughput.compute", "80"), ("throughput.memory", "79")],
            &[("throughput.compute", "59"), ("throughput.memory", "59.9")],
        ],
        ..NONE
    },
    Case {
        id: "sol-compute-saturated",
        figures: &[
            ("throughput.compute", "83.19"),
            ("duty.mma", "0.02"),
            ("duty.fma", "48.29"),
            ("duty.alu", "3.06"),
            ("duty.issue.load_store", "85.01"),
        ],
        says: &["83.19 %", "the load-store pipe is the busiest with 85.01 %"],
        beside: &[&[("throughput.compute", "79.99")]],
        optional: &["duty.mma", "duty.fma", "duty.alu", "duty.issue.load_store"],
        ..NONE
    },
    Case {
        id: "sol-memory-saturated",
        figures: &[
            ("throughput.memory", "96.35"),
            ("throughput.dram", "0.58"),
            ("throughput.l1", "99.73"),
            ("throughput.l2", "33.67"),
        ],
        says: &[
            "96.35 %",
            "L1 and shared memory is that part with 99.73 %",
            "0.58 %",
        ],
        beside: &[&[("throughput.memory", "79.99")]],
        optional: &["throughput.dram", "throughput.l1", "throughput.l2"],
        ..NONE
    },
];

pub const STALLS: &[Case] = &[
    Case {
        id: "issue-slots-idle",
        figures: &[
            ("duty.issue", "11.53"),
            ("schedule.eligible", "0.13"),
            ("occupancy.achieved", "95.52"),
            ("occupancy.theoretical", "100"),
        ],
        says: &[
            "only 11.53 %",
            "0.13 waves",
            "there are waves enough (occupancy 95.52 % of 100 %)",
        ],
        beside: &[&[("duty.issue", "60")], &[("duty.mma", "60")]],
        optional: &[
            "schedule.eligible",
            "occupancy.achieved",
            "occupancy.theoretical",
        ],
        ..NONE
    },
    Case {
        id: "stalls-shared-lead",
        tool: McProfiler,
        figures: &[
            ("stall.shared", "6"),
            ("stall.load_store", "2"),
            ("stall.load_store.data", "1"),
            ("stall.vector", "1"),
            ("inst.global.load", "100"),
            ("cache.l1.reads", "110"),
        ],
        says: &["60 % of the stall cycles"],
        beside: &[
            &[("inst.global.load", "54")],
            &[("stall.shared", "3.9")],
            // A single-pass report.
            &[("inst.global.load", "594"), ("cache.l1.reads", "118318387")],
        ],
        ..NONE
    },
    Case {
        id: "stalls-load-store-lead",
        tool: McProfiler,
        figures: &[
            ("stall.shared", "2"),
            ("stall.load_store", "2"),
            ("stall.load_store.data", "1"),
            ("stall.vector", "1"),
            ("inst.global.load", "100"),
            ("cache.l1.reads", "110"),
        ],
        says: &["50 % of the stall cycles"],
        beside: &[
            &[("inst.global.load", "54")],
            &[("stall.vector", "1.1")],
            &[
                ("stall.shared", "0"),
                ("stall.load_store", "0"),
                ("stall.load_store.data", "0"),
                ("stall.vector", "0"),
            ],
        ],
        ..NONE
    },
    Case {
        id: "stalls-vector-lead",
        tool: McProfiler,
        figures: &[
            ("stall.shared", "1"),
            ("stall.load_store", "1"),
            ("stall.load_store.data", "1"),
            ("stall.vector", "5"),
            ("inst.global.load", "100"),
            ("cache.l1.reads", "110"),
        ],
        says: &["62.5 % of the stall cycles"],
        beside: &[&[("inst.global.load", "54")], &[("stall.vector", "2.9")]],
        ..NONE
    },
];

/// Why waves wait: rule and counter.
pub const STALL_REASONS: &[(&str, &str)] = &[
    ("stall-global-memory", "long_scoreboard"),
    ("stall-shared-memory", "short_scoreboard"),
    ("stall-barrier", "barrier"),
    ("stall-shared-queue", "mio_throttle"),
    ("stall-memory-queue", "lg_throttle"),
    ("stall-math-pipe", "math_pipe_throttle"),
    ("stall-fixed-latency", "wait"),
    ("stall-fetch", "no_instruction"),
    ("stall-matrix-wait", "gmma"),
    ("stall-memory-fence", "membar"),
    ("stall-drain", "drain"),
    ("stall-dispatch", "dispatch"),
    ("stall-branch", "branch"),
    ("stall-constant-miss", "constant_miss"),
    ("stall-texture-queue", "texture_queue"),
    ("stall-sleeping", "sleeping"),
];
