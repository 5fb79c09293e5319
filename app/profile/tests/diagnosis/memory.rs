//! The memory of the device and the way to it.

use crate::launches::{Case, NONE};
use crate::support::Tool::{McProfiler, Mxcc, Ptxas};

const C500: &[(&str, f64)] = &[("device.bandwidth", 1843.2)];

pub const MEMORY: &[Case] = &[
    Case {
        id: "memory-bandwidth-bound",
        tool: McProfiler,
        figures: &[("cache.l2.hit_rate", "0.06%"), ("mem.bandwidth", "1456.10")],
        context: C500,
        says: &["L2 hits 0.06 %", "1,456.1 GB/s of 1,843.2 GB/s (78.9985 %)"],
        beside: &[
            &[("cache.l2.hit_rate", "60.0%")],
            &[("mem.bandwidth", "1105.9")],
            &[("duty.mma", "60.0%")],
        ],
        ..NONE
    },
    Case {
        id: "memory-bandwidth-bound",
        figures: &[("cache.l2.hit_rate", "50.93"), ("throughput.dram", "85.25")],
        says: &["L2 hits 50.93 %", "85.25 %"],
        beside: &[
            &[("cache.l2.hit_rate", "60")],
            &[("throughput.dram", "59.99")],
        ],
        ..NONE
    },
    Case {
        id: "poor-l2-locality",
        tool: McProfiler,
        kernel: "gemm_kernel",
        figures: &[
            ("cache.l2.hit_rate", "40.0%"),
            ("mem.bandwidth", "950.0"),
            ("inst.mma", "100.0"),
        ],
        context: C500,
        says: &["L2 hits only 40 %"],
        beside: &[
            &[("cache.l2.hit_rate", "60.0%")],
            &[("mem.bandwidth", "921.6")],
            &[("inst.mma", "0.0")],
        ],
        ..NONE
    },
    Case {
        id: "poor-l2-locality",
        figures: &[
            ("cache.l2.hit_rate", "40"),
            ("throughput.dram", "55"),
            ("mem.read_bytes", "400"),
            ("mem.write_bytes", "200"),
        ],
        context: &[("workload.bytes", 399.0)],
        says: &[
            "L2 hits only 40 %",
            "600 bytes were moved, 399 bytes would do",
        ],
        beside: &[&[("mem.read_bytes", "398")], &[("throughput.dram", "50")]],
        ..NONE
    },
    Case {
        id: "fixed-cost-bound",
        tool: McProfiler,
        figures: &[("cache.l2.hit_rate", "99.40%"), ("mem.bandwidth", "6.05")],
        context: &[("device.bandwidth", 1843.2), ("claim.time", 6000.0)],
        says: &[
            "it takes 6 us",
            "L2 hits 99.4 %",
            "6.05 GB/s of 1,843.2 GB/s",
        ],
        beside: &[
            &[("cache.l2.hit_rate", "95.00%")],
            &[("mem.bandwidth", "737.3")],
            &[("claim.time", "10000")],
            &[("bench.time", "10000")],
        ],
        ..NONE
    },
    Case {
        id: "near-memory-roof",
        figures: &[("inst.executed", "1")],
        context: &[
            ("device.bandwidth", 1843.2),
            ("workload.bytes", 604_110_848.0),
            ("claim.time", 405_600.0),
        ],
        says: &["405.6 us", "1,489.43 GB/s", "80.8065 %"],
        beside: &[
            &[("claim.time", "470000")],
            &[("claim.time", "300000")],
            &[("bench.time", "470000")],
        ],
        optional: &["inst.executed"],
        ..NONE
    },
    Case {
        id: "near-compute-roof",
        figures: &[("inst.executed", "1")],
        context: &[
            ("device.peak", 239.6),
            ("workload.flops", 3_848_290_697_216.0),
            ("bench.time", 16_474_111.557),
        ],
        says: &["16.4741 ms", "233.596 TFLOPS", "97.4943 %"],
        beside: &[&[("bench.time", "20200000")], &[("bench.time", "16000000")]],
        optional: &["inst.executed"],
        ..NONE
    },
    Case {
        id: "uncoalesced-global",
        figures: &[
            ("global.sectors.excess", "67371008"),
            ("global.load.sectors", "134217728"),
            ("global.store.sectors", "524288"),
            ("global.load.requests", "16777216"),
        ],
        says: &[
            "67,371,008 of 134,742,016 sectors (50 %)",
            "8 sectors for each load request",
        ],
        beside: &[&[("global.sectors.excess", "13474201")]],
        optional: &["global.load.requests"],
        ..NONE
    },
    Case {
        id: "register-spill",
        figures: &[("inst.spill", "42949632"), ("inst.executed", "262149888")],
        says: &["42,949,632 instructions, 16.3836 % of all"],
        beside: &[&[("inst.spill", "2621498")]],
        ..NONE
    },
    Case {
        id: "register-spill",
        tool: McProfiler,
        figures: &[
            ("inst.private.load", "60"),
            ("inst.private.store", "40"),
            ("inst.executed", "10000"),
        ],
        says: &["100 instructions, 1 % of all"],
        beside: &[&[("inst.private.store", "39")]],
        ..NONE
    },
    Case {
        id: "register-spill-few",
        tool: McProfiler,
        figures: &[
            ("inst.private.load", "330,240"),
            ("inst.private.store", "330,240"),
            ("inst.executed", "3,101,536,473"),
        ],
        says: &["660,480 instructions", "0.0212953 % of all"],
        beside: &[
            &[("inst.private.load", "0"), ("inst.private.store", "0")],
            &[("inst.private.load", "31015365")],
        ],
        ..NONE
    },
    Case {
        id: "local-arrays",
        figures: &[
            ("inst.spill", "0"),
            ("inst.private.load", "60"),
            ("inst.private.store", "40"),
            ("inst.executed", "10000"),
        ],
        says: &["100 instructions on private memory without a spill"],
        beside: &[&[("inst.private.store", "39")], &[("inst.spill", "1")]],
        // Without it, private memory is taken for a spill.
        ..NONE
    },
    Case {
        id: "spill-compiled",
        tool: Ptxas,
        figures: &[
            ("resource.stack", "0"),
            ("resource.spill.stores", "8"),
            ("resource.spill.loads", "12"),
            ("resource.registers", "64"),
        ],
        says: &[
            "registers: 64",
            "8 bytes are spilled and 12 bytes read back",
        ],
        beside: &[&[
            ("resource.spill.stores", "0"),
            ("resource.spill.loads", "0"),
        ]],
        optional: &[
            "resource.stack",
            "resource.spill.stores",
            "resource.spill.loads",
            "resource.registers",
        ],
        ..NONE
    },
    Case {
        id: "spill-compiled",
        tool: Mxcc,
        figures: &[
            ("resource.stack", "28"),
            ("resource.registers", "256"),
            ("resource.waves_per_scheduler", "2"),
        ],
        says: &["registers: 256", "28 bytes"],
        beside: &[&[("resource.stack", "0")]],
        optional: &[
            "resource.stack",
            "resource.registers",
            "resource.waves_per_scheduler",
        ],
        ..NONE
    },
];
