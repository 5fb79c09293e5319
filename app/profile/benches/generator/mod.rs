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
