//! Reports of any size, the same for the same seed, modelled on real ones.

use std::fmt::Write;

/// A generator of numbers that needs no more than to be the same everywhere (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

const UNITS: [&str; 10] = [
    "",
    "%",
    "%",
    "%",
    "sector",
    "inst",
    "cycle",
    "warp",
    "byte",
    "inst/cycle",
];

/// A raw page of Nsight Compute: `columns` metrics, `launches` launches, the program's output in
/// between, US grouping. A real page has some 2,200 metrics, names of 57 characters and 7 bytes a
/// cell.
pub fn ncu_raw(columns: usize, launches: usize, seed: u64) -> String {
    let mut r = Random::new(seed);
    let mut out = String::from("==PROF== Connected to process 511 (/tmp/mm)\nvariant 0: 1.2 ms\n");
    out.push_str("\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"");
    let units: Vec<&str> = (0..columns)
        .map(|_| UNITS[r.below(UNITS.len() as u64) as usize])
        .collect();
    for i in 0..columns {
        let _ = write!(
            out,
            ",\"unit{:02}__metric_{i:05}_of_some_length.sum.per_cycle_elapsed\"",
            r.below(40)
        );
    }
    out.push_str("\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"");
    for unit in &units {
        let _ = write!(out, ",\"{unit}\"");
    }
    out.push('\n');
    for id in 0..launches {
        let kernel = ["gemm_naive", "gemm_shared", "gemm_wmma"][id % 3];
        let _ = write!(
            out,
            "\"{id}\",\"511\",\"mm\",\"127.0.0.1\",\"{kernel}(const __half *, const __half *, __half *, int, int, int)\",\"1\",\"7\",\"(32, 8, 1)\",\"(64, 256, 1)\",\"0\",\"9.0\""
        );
        for _ in 0..columns {
            out.push_str(",\"");
            figure(&mut out, &mut r);
            out.push('"');
        }
        out.push('\n');
    }
    out
}

/// In real pages a third of the figures are zero, and the others spread over all magnitudes.
fn figure(out: &mut String, r: &mut Random) {
    let digits = r.below(10);
    let n = r.next() % 10u64.pow(digits as u32 + 1);
    match r.below(100) {
        0..30 => out.push('0'),
        30..31 => {}
        31..70 => {
            let _ = write!(out, "{}.{:02}", n % 100, r.below(100));
        }
        _ => grouped(out, n),
    }
}

fn grouped(out: &mut String, n: u64) {
    let digits = n.to_string();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(d);
    }
}

/// A details page: 50 metrics a launch, as ncu prints them.
pub fn ncu_details(launches: usize, seed: u64) -> String {
    let mut r = Random::new(seed);
    let mut out = String::from(
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n",
    );
    for id in 0..launches {
        for metric in 0..50 {
            let unit = UNITS[metric % UNITS.len()];
            let section = [
                "Launch Statistics",
                "Occupancy",
                "GPU Speed Of Light Throughput",
            ][metric / 17];
            let _ = write!(
                out,
                "\"{id}\",\"920\",\"mm\",\"127.0.0.1\",\"gemm_naive(const __half *, const __half *, __half *, int, int, int)\",\"1\",\"7\",\"(32, 8, 1)\",\"(64, 256, 1)\",\"0\",\"9.0\",\"{section}\",\"Metric {metric} Of The Page\",\"{unit}\",\""
            );
            figure(&mut out, &mut r);
            out.push_str("\"\n");
        }
    }
    out
}

/// A trace of mcTracer: kernels with their launch, and calls of the host.
pub fn mc_trace(events: usize, seed: u64) -> String {
    let mut r = Random::new(seed);
    let mut out = String::from("{\"traceEvents\":[\n");
    for i in 0..events {
        if i > 0 {
            out.push_str(",\n");
        }
        let (ts, dur, kernel) = (
            1_789_465_586_316_884_736 + i as u64 * 1000,
            r.below(90_000),
            r.below(40),
        );
        let _ = match i % 3 {
            0 => write!(
                out,
                "{{\"ph\":\"X\",\"cat\":\"0\",\"ts\":{ts},\"dur\":{dur},\"name\":\"kernel_{kernel}(int, float, float const*, float*)\",\"pid\":2,\"tid\":1024,\"args\":{{\"name\":\"_Z12kernel\",\"grid\":{{\"x\":4096,\"y\":1,\"z\":1}},\"block\":{{\"x\":256,\"y\":1,\"z\":1}},\"mem\":{{\"registers_per_thread\":6,\"static_shared\":0,\"dynamic_shared\":0,\"private_per_thread\":0}},\"mtreg_occupancy(%)\":1,\"queue_ts\":{ts},\"submit_ts\":{ts},\"complete_ts\":{ts},\"device_id\":0,\"hw_queue_id\":[538976288]}}}}"
            ),
            _ => write!(
                out,
                "{{\"ph\":\"X\",\"cat\":\"api\",\"ts\":{ts},\"dur\":{dur},\"name\":\"call_{kernel}\",\"pid\":1,\"tid\":7,\"args\":{{\"id\":{i}}}}}"
            ),
        };
    }
    out.push_str("\n]}\n");
    out
}

/// Blocks of the hardware with their counters; all but the first have one instance.
const BLOCKS: [(&str, &[&str]); 7] = [
    (
        "ISU",
        &[
            "AP_PERF_WAVES",
            "AP_PERF_BUSY_CYCLES",
            "AP_PERF_INSTS_TOTAL",
            "AP_PERF_INSTS_MMA",
            "AP_PERF_INSTS_MTE",
            "AP_PERF_INSTS_STE",
            "AP_PERF_INSTS_BSM",
            "AP_PERF_BSM_CONFLICT_CYCLES",
            "AP_PERF_ISU_ARB_WSM_STALL",
            "AP_PERF_MMA_BUSY_CYCLES",
            "AP_PERF_MTE_BUSY_CYCLES",
            "AP_PERF_STE_BUSY_CYCLES",
        ],
    ),
    ("CE", &["CE_PERF_WAVES", "CE_PERF_SEND_RM_WAVES"]),
    ("L2C", &["perf_hit", "perf_miss", "perf_dnoc_rdreq_128B"]),
    ("RM", &["RM_PERF_BUSY"]),
    ("SL1", &["perf_hit", "perf_miss"]),
    ("VL1", &["p_total_read_instruction_event", "perf_hit"]),
    ("VLS", &["VLS_PERF_BUSY"]),
];

/// Hardware counters of mcProfiler: the sum over all kernels, then each kernel.
pub fn mc_hardware(kernels: usize, seed: u64) -> String {
    let mut r = Random::new(seed);
    let mut out = String::from("{\"perf_counters\": {\"0\": [");
    for kernel in 0..=kernels {
        out.push_str(if kernel > 0 { ", {" } else { "{" });
        for (b, (block, counters)) in BLOCKS.iter().enumerate() {
            let _ = write!(out, "{}\"{block}\": {{", if b > 0 { ", " } else { "" });
            for instance in 0..if b == 0 { 104 } else { 1 } {
                let comma = if instance > 0 { ", " } else { "" };
                let _ = match b {
                    0 => write!(
                        out,
                        "{comma}\"dpcId{},blockId{}\": {{",
                        instance / 13,
                        instance % 13
                    ),
                    _ => write!(out, "\"generic\": {{"),
                };
                for (i, name) in counters.iter().enumerate() {
                    let digits = r.below(9) as u32 + 1;
                    let n = r.next() % 10u64.pow(digits);
                    let _ = write!(out, "{}\"{name}\": {n}", if i > 0 { ", " } else { "" });
                }
                out.push('}');
            }
            out.push('}');
        }
        out.push('}');
    }
    out.push_str("]}, \"umd_data\": {}}");
    out
}
