//! Prints what readings of the device's state cost on this machine: for `docs/performance.md`.
//!
//!     cargo run --release -p assay-exec --example sampling_cost -- cpu [COUNT]
//!     cargo run --release -p assay-exec --example sampling_cost -- nvidia [COUNT]

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use assay_exec::Cancel;
use assay_exec::conditions::{Conditions, Sampler};
use assay_exec::process::Env;

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let kind = args.next().unwrap_or_else(|| "cpu".into());
    let count = args.next().and_then(|n| n.parse().ok()).unwrap_or(200);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let env = Env::from([("PATH".into(), path)]);
    let sampler = match kind.as_str() {
        "nvidia" => Sampler::nvidia(env, None),
        "metax" => Sampler::metax(env, None),
        _ => Sampler::cpu(Path::new("/")),
    };
    let sampler = sampler.share(1.0);
    let cancel = Cancel::new();
    report("between blocks", count, || sampler.between(&cancel))?;
    report("before and after", count, || sampler.full(&cancel))?;
    let mut out = io::stdout().lock();
    if let Some(c) = sampler.full(&cancel) {
        writeln!(out, "{}", c.line(&[]))?;
    }
    for problem in sampler.take_problems() {
        writeln!(out, "{problem}")?;
    }
    Ok(())
}

fn report(what: &str, count: u32, read: impl Fn() -> Option<Conditions>) -> io::Result<()> {
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let started = Instant::now();
            let _ = read();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied();
    let ms = |t: Option<Duration>| t.unwrap_or_default().as_secs_f64() * 1e3;
    let (median, most) = (ms(at(50)), ms(times.last().copied()));
    writeln!(
        io::stdout(),
        "{what}: median {median:.3} ms, slowest {most:.3} ms of {count}"
    )
}
