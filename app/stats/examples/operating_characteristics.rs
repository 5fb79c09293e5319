//! Prints what each procedure does when the truth is known, as the tables of `docs/statistics.md`.
//!
//! `cargo run --release -p assay-stats --example operating_characteristics [CAMPAIGNS]`
#![allow(clippy::print_stdout, reason = "a program that prints tables")]

use assay_stats::resample::Pool;
use assay_stats::simulate::{REGIMES, Tally, tally};
use assay_stats::{PROCEDURES, Samples, Settings};

const H200: &str = include_str!("../tests/data/h200_gemm.csv");

/// True changes of the time of B against A, as a share.
const EFFECTS: &[f64] = &[0.0, -0.005, -0.01, -0.015, -0.02, -0.03, -0.05, 0.03];

fn main() {
    let campaigns = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(4000);
    println!("## Simulated machines\n");
    println!("{campaigns} campaigns a cell.\n");
    for procedure in PROCEDURES {
        println!("### `{procedure}`\n");
        println!(
            "| machine | true change | FASTER | SLOWER | SAME | NO_GAIN | UNDECIDED | mean processes |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        for (r, noise) in REGIMES.iter().enumerate() {
            for (e, effect) in EFFECTS.iter().enumerate() {
                let seed = 1000 * (r as u64 + 1) + e as u64;
                let settings = Settings::default();
                if let Some(t) = tally(procedure, &settings, noise, effect.ln_1p(), campaigns, seed)
                {
                    println!(
                        "| {} | {:+.1} % | {} |",
                        noise.name,
                        effect * 100.0,
                        cells(&t)
                    );
                }
            }
        }
        println!();
    }
    println!("## Real legs of one H200\n");
    println!("{campaigns} campaigns drawn from 24 fresh processes.\n");
    println!(
        "| procedure | delta | pair | FASTER | SLOWER | SAME | NO_GAIN | UNDECIDED | mean processes |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for procedure in PROCEDURES {
        for (a, b, null, what) in [
            ("v5", "v7", true, "v5, v7 (the same code)"),
            ("v0", "v1", false, "v0, v1"),
            ("v1", "v0", false, "v1, v0"),
            ("v5", "v6", false, "v5, v6"),
        ] {
            for delta in [0.01, 0.005] {
                let settings = Settings {
                    delta,
                    ..Settings::default()
                };
                let pool = Pool::new(&h200(), a, b);
                if let Some(t) = pool.tally(procedure, &settings, null, campaigns, 7) {
                    println!(
                        "| `{procedure}` | {} % | {what} | {} |",
                        delta * 100.0,
                        cells(&t)
                    );
                }
            }
        }
    }
}

fn cells(t: &Tally) -> String {
    let share = |n: u32| format!("{:.4}", t.share(n).unwrap_or(0.0));
    format!(
        "{} | {} | {} | {} | {} | {:.2}",
        share(t.faster),
        share(t.slower),
        share(t.same),
        share(t.no_gain),
        share(t.undecided),
        t.mean_processes().unwrap_or(0.0)
    )
}

/// The legs of the file, as the harness would have written them.
fn h200() -> Samples {
    let lines: Vec<String> = H200
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.splitn(5, ',').collect();
            let values: Option<Vec<String>> = (cells.get(4)?.split(','))
                .map(|v| Some(format!("{}", v.parse::<f64>().ok()? / 1e5)))
                .collect();
            Some(format!(
                r#"{{"assay":1,"kind":"samples","workload":"gemm","subject":"{}","process":{},"block":{},"leg":{},"unit":"ms","values":[{}],"timer":"cuda_event","cache":"rotating"}}"#,
                cells[3], cells[0], cells[1], cells[2], values?.join(",")
            ))
        })
        .collect();
    Samples::parse_jsonl(&lines.join("\n")).0
}
