//! Writes a raw page of Nsight Compute and says how fast it is read; `benches/ncu_raw_pandas.py`
//! says the same of pandas for the same file.
//!
//!     cargo run --release -p assay-profile --example ncu_raw_speed -- 500 raw.csv
//!     python3 app/profile/benches/ncu_raw_pandas.py raw.csv
#![allow(clippy::print_stdout)]

#[path = "../benches/generator/mod.rs"]
#[allow(dead_code)]
mod generator;

use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let launches = args.next().ok_or("how many launches?")?.parse()?;
    let path = args.next().ok_or("which file?")?;
    std::fs::write(&path, generator::ncu_raw(2227, launches, 7))?;
    let mut best = f64::MAX;
    let mut megabytes = 0.0;
    for _ in 0..7 {
        let start = Instant::now();
        let bytes = std::fs::read(&path)?;
        megabytes = bytes.len() as f64 / 1e6;
        let profile = assay_profile::parse(&bytes)?;
        if profile.launches.len() != launches {
            return Err("not all launches were read".into());
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "assay: {megabytes:.1} MB, {:.1} MB/s (best of 7)",
        megabytes / best
    );
    Ok(())
}
