//! Prints what Assay adds to a run of a device's profiler beyond the tool's own time: for
//! `docs/performance.md`.
//!
//!     cargo run --release -p assay-engine --example adapter_cost -- REPORT.csv [COUNT]
//!
//! The tool is a stand-in that copies the report, which takes it no longer than it takes a shell to
//! start. Each round runs it alone and through the adapter, one right after the other.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use assay_core::campaign::Campaign;
use assay_core::record::Stage;
use assay_engine::Cancel;
use assay_engine::counters::{Opening, open};
use assay_exec::gpu_profile::{Ask, Tool, run};
use assay_exec::process::{CommandLine, Env, capture};
use assay_exec::stage::StageJob;

const NCU: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo 'Version 2025.0'; exit; }
while [ $# -gt 0 ]; do case $1 in --log-file) log=$2; shift 2;; --export) echo x > "$2"; shift 2;;
--csv|--force-overwrite) shift;; --*) shift 2;; *) break;; esac; done
"$@"; cat "$REPORT" > "$log"
"#;

const CAMPAIGN: &str = r#"
schema = "assay.campaign/1"
name = "cost"
kernel = { paths = ["k"] }
formulas = { flops = "1", bytes = "1" }
workload = [{ name = "w" }]
build = { command = "true", artefact = "a" }
check = { command = "true" }
bench = { command = "true" }
profile = { command = "true" }
"#;

const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let report = args.next().ok_or("name a report of ncu as CSV")?;
    let report = PathBuf::from(report).canonicalize()?;
    let count: u32 = args.next().map_or(Ok(50), |n| n.parse())?;
    let dir = tempfile::tempdir()?;
    let ncu = dir.path().join("ncu");
    fs::write(&ncu, NCU)?;
    fs::set_permissions(&ncu, fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:/bin:/usr/bin", dir.path().display());
    let env = Env::from([
        ("PATH".into(), path.into()),
        ("REPORT".into(), report.into_os_string()),
    ]);
    let campaign = Campaign::parse(CAMPAIGN, "campaign")?;
    let stage = campaign.stage("local", Stage::Profile).ok_or("no stage")?;
    let how = stage.profile().ok_or("no stage")?;
    let command = CommandLine::Exec(vec!["true".into()]);
    let log = dir.path().join("log");
    let job = StageJob::new(Stage::Profile, command, dir.path(), env.clone(), log);
    let folder = dir.path().join("report");
    let cancel = Cancel::new();
    let (mut alone, mut through, mut reading) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let started = Instant::now();
        tool_alone(dir.path(), &ncu, &env, &cancel);
        alone.push(started.elapsed());
        let started = Instant::now();
        let ask = Ask {
            how,
            job: &job,
            folder: &folder,
            kernels: &[],
            lookup: &|name| env.get(name).cloned(),
            cancel: &cancel,
        };
        let done = run(Tool::Ncu, &ask)?;
        through.push(started.elapsed());
        if let Some(failure) = done.failure {
            return Err(failure.message.into());
        }
        let started = Instant::now();
        let (name, bytes) = done.raw.first().ok_or("no file")?;
        let file = dir.path().join(name);
        fs::write(&file, bytes)?;
        let opening = Opening {
            format: None,
            mapping: None,
            cancel: &cancel,
        };
        open(std::slice::from_ref(&file), &opening)?;
        reading.push(started.elapsed());
    }
    let added: Vec<Duration> = (through.iter().zip(&alone))
        .map(|(with, without)| with.saturating_sub(*without))
        .collect();
    for (what, times) in [
        ("the tool alone, and its version", alone),
        ("through the adapter", through),
        ("added by the adapter", added),
        ("writing and reading the report", reading),
    ] {
        told(what, times)?;
    }
    Ok(())
}

/// What the adapter has the tool do: tell its version, and run once.
fn tool_alone(dir: &Path, ncu: &Path, env: &Env, cancel: &Cancel) {
    let ncu = ncu.to_string_lossy();
    let of = |name: &str| dir.join(name).to_string_lossy().into_owned();
    capture(&[&ncu, "--version"], env.clone(), PATIENCE, cancel);
    let (log, export) = (of("alone.csv"), of("alone.rep"));
    let argv = [&*ncu, "--log-file", &log, "--export", &export, "true"];
    capture(&argv, env.clone(), PATIENCE, cancel);
}

fn told(what: &str, mut times: Vec<Duration>) -> io::Result<()> {
    times.sort_unstable();
    let ms = |t: Option<&Duration>| t.map_or(0.0, |t| t.as_secs_f64() * 1e3);
    let (median, most) = (ms(times.get(times.len() / 2)), ms(times.last()));
    writeln!(
        io::stdout(),
        "{what}: median {median:.2} ms, slowest {most:.2} ms of {}",
        times.len()
    )
}
