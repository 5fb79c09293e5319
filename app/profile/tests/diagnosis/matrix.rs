//! The matrix unit and the shared memory that feeds it.

use crate::launches::{Case, NONE};
use crate::support::Tool::McProfiler;

pub const MATRIX: &[Case] = &[
    Case {
        id: "mma-starved-by-shared-memory",
        tool: McProfiler,
        kernel: "gemm_kernel",
        figures: &[
            ("inst.shared", "8424000000"),
            ("inst.mma", "6107000000"),
            ("duty.mma", "43.5%"),
            ("cache.l2.hit_rate", "85.0%"),
            ("duty.l2", "20.0%"),
            ("duty.vector", "10.5%"),
        ],
        says: &[
            "8,424,000,000 shared memory instructions for 6,107,000,000 matrix instructions (1.3794 for each)",
            "works only 43.5 %",
            "L2 hits 85 % and is at 20 %",
            "the vector unit works 10.5 %",
        ],
        beside: &[
            &[("inst.shared", "6106999999")],
            &[("duty.mma", "60.0%")],
            &[("cache.l2.hit_rate", "59.9%")],
            &[("duty.l2", "50.0%")],
        ],
        optional: &["duty.vector"],
        ..NONE
    },
    Case {
        id: "mma-starved-by-shared-memory",
        kernel: "gemm_kernel",
        figures: &[
            ("inst.shared", "200"),
            ("inst.mma", "100"),
            ("duty.mma", "30"),
            ("cache.l2.hit_rate", "85"),
            ("throughput.l2", "20"),
        ],
        says: &["200 shared memory instructions for 100", "is at 20 %"],
        beside: &[&[("inst.shared", "99")], &[("throughput.l2", "50")]],
        ..NONE
    },
    Case {
        id: "mma-fed-slowly",
        tool: McProfiler,
        kernel: "gemm_kernel",
        figures: &[
            ("inst.shared", "3846000000"),
            ("inst.mma", "6109000000"),
            ("duty.mma", "44.51%"),
            ("cache.l2.hit_rate", "85.0%"),
            ("duty.l2", "20.0%"),
        ],
        says: &[
            "works only 44.51 %",
            "0.629563 shared memory instructions for each",
        ],
        beside: &[
            &[("inst.shared", "3054499999")],
            &[("inst.shared", "6109000000")],
            &[("duty.mma", "60.0%")],
            &[("cache.l2.hit_rate", "59.9%")],
            &[("duty.l2", "50.0%")],
        ],
        ..NONE
    },
    Case {
        id: "mma-saturated",
        figures: &[("duty.mma", "80")],
        says: &["works 80 %"],
        beside: &[&[("duty.mma", "79.99")], &[("duty.mma", "100.1")]],
        ..NONE
    },
    Case {
        id: "matmul-without-mma",
        tool: McProfiler,
        kernel: "my_Gemm_kernel",
        figures: &[("inst.mma", "0.0")],
        says: &["executed no matrix instruction"],
        beside: &[&[("inst.mma", "1.0")], &[("workload.fp32", "1")]],
        ..NONE
    },
    Case {
        id: "matmul-without-mma",
        kernel: "main_kernel",
        figures: &[
            ("duty.mma", "0.02"),
            ("ops.mma.fp16", "0"),
            ("ops.mma.bf16", "0"),
            ("ops.mma.tf32", "0"),
            ("ops.mma.int8", "0"),
            ("ops.mma.fp64", "0"),
        ],
        context: &[("workload.ops_per_output", 4096.0)],
        says: &["executed no matrix instruction"],
        beside: &[
            &[("ops.mma.fp16", "17179869184")],
            // fp8 has counters of other names.
            &[("duty.mma", "0.1")],
            &[("workload.ops_per_output", "63")],
        ],
        ..NONE
    },
    Case {
        id: "no-matrix-work-expected",
        tool: McProfiler,
        kernel: "mhc_post_kernel",
        figures: &[
            ("inst.mma", "0.0"),
            ("duty.vector", "53.22%"),
            ("duty.scalar", "2.39%"),
        ],
        context: &[
            ("workload.flops", 268_435_456.0),
            ("workload.bytes", 604_110_848.0),
            ("device.ridge", 130.0),
        ],
        says: &["none is expected: 0.444348 FLOP/byte", "53.22 %", "2.39 %"],
        beside: &[
            &[("inst.mma", "1.0")],
            &[("workload.flops", "78534410240")],
            &[("workload.ops_per_output", "64")],
        ],
        optional: &["duty.vector", "duty.scalar"],
        ..NONE
    },
    Case {
        id: "overhead-instructions",
        tool: McProfiler,
        figures: &[
            ("inst.mma", "100.0"),
            ("inst.executed", "501"),
            ("duty.mma", "91.9%"),
            ("inst.vector", "250.0"),
        ],
        says: &[
            "19.9601 % of the 501",
            "91.9 %",
            "vector instructions alone are 250",
        ],
        beside: &[&[("inst.executed", "500")], &[("duty.mma", "92.0%")]],
        optional: &["inst.vector"],
        with: &["mma-saturated"],
        ..NONE
    },
    Case {
        id: "shared-conflicts",
        tool: McProfiler,
        figures: &[
            ("shared.efficiency", "66.67%"),
            ("inst.shared.total", "3846000000.0"),
            ("shared.conflict_cycles", "2.40"),
        ],
        says: &["33.33 % of the cycles", "2.4 conflict cycles"],
        beside: &[
            &[("shared.efficiency", "90.01%")],
            &[("inst.shared.total", "0.0")],
        ],
        optional: &["shared.conflict_cycles"],
        ..NONE
    },
    Case {
        id: "shared-load-conflicts",
        figures: &[
            ("shared.bank_conflicts.load", "209520999"),
            ("shared.passes.load", "216279399"),
        ],
        says: &["209,520,999 of 216,279,399 passes (96.8752 %)"],
        beside: &[&[("shared.bank_conflicts.load", "21627939")]],
        ..NONE
    },
    Case {
        id: "shared-store-conflicts",
        figures: &[
            ("shared.bank_conflicts.store", "209510400"),
            ("shared.passes.store", "216268800"),
        ],
        says: &["209,510,400 of 216,268,800 passes (96.875 %)"],
        beside: &[&[("shared.bank_conflicts.store", "21626879")]],
        ..NONE
    },
    Case {
        id: "shared-conflict-free",
        tool: McProfiler,
        figures: &[("shared.efficiency", "100%"), ("inst.shared", "1000.0")],
        says: &["100 % of its accesses"],
        beside: &[
            &[("shared.efficiency", "98.99%")],
            &[("inst.shared", "0.0")],
        ],
        ..NONE
    },
    Case {
        id: "shared-conflict-free",
        figures: &[
            ("shared.bank_conflicts", "975902"),
            ("shared.passes", "354081691"),
            ("inst.shared", "352321536"),
        ],
        says: &["99.7244 % of its accesses"],
        beside: &[
            &[("shared.bank_conflicts", "3540817")],
            &[("inst.shared", "0")],
        ],
        ..NONE
    },
];
