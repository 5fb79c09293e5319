//! Prints what Assay adds to a run of a device's profiler beyond the tool's own time: for
//! `docs/performance.md`.
//!
//!     cargo run --release -p assay-engine --example adapter_cost -- REPORT.csv [COUNT]
//!
//! The tool is a stand-in that copies the report, which takes it no longer than it takes a shell to
//! start. Each round runs it alone and through the adapter, in turns which comes first.

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
    let ask = Ask {
        how,
        job: &job,
        folder: &folder,
        kernels: &[],
        lookup: &|name| env.get(name).cloned(),
        cancel: &cancel,
    };
    let timed_alone = || {
        let started = Instant::now();
        tool_alone(dir.path(), &ncu, &env, &cancel);
        ms(started.elapsed())
    };
    let (mut alone, mut added, mut reading) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..count {
        let before = (round % 2 == 0).then(&timed_alone);
        let started = Instant::now();
        let done = run(Tool::Ncu, &ask)?;
        let through = ms(started.elapsed());
        let own = before.unwrap_or_else(&timed_alone);
        alone.push(own);
        added.push(through - own);
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
        reading.push(ms(started.elapsed()));
    }
    for (what, times) in [
        ("the tool alone, and its version", alone),
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

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn told(what: &str, mut times: Vec<f64>) -> io::Result<()> {
    times.sort_unstable_by(f64::total_cmp);
    let at = |i: usize| times.get(i).copied().unwrap_or(f64::NAN);
    writeln!(
        io::stdout(),
        "{what}: median {:.2} ms, slowest {:.2} ms of {}",
        at(times.len() / 2),
        at(times.len().saturating_sub(1)),
        times.len()
    )
}
