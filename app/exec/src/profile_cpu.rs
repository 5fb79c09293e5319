//! Counters on the CPU: which profiler this machine offers, and running a command under it.
//!
//! The raw output is handed back as it is; reading it is the work of `assay-profile`. Times of a
//! profiled run are never evidence of speed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::record::{Failure, FailureKind, Stage};

use crate::answers::Answers;
use crate::fingerprint::tool_version;
use crate::process::{CommandLine, Env, Finished, Outcome, capture};
use crate::progress::Progress;
use crate::stage::{StageJob, run_stage};
use crate::{Cancel, ExecError};

/// Events that `perf stat` is asked for.
pub const PERF_EVENTS: &str = "instructions,cycles,cache-references,cache-misses,branches,\
branch-misses,L1-dcache-loads,L1-dcache-load-misses";

/// Bytes of raw output that are read at most.
const RAW_MAX: u64 = 64 << 20;

/// The ways to get counters for the CPU, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profiler {
    /// Hardware counters through `perf stat`.
    PerfStat,
    /// A simulated cache, and exact instruction counts, through Valgrind.
    Cachegrind,
    /// Nothing is run: only what can be counted in the generated source.
    Static,
}

/// A profiler and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The profiler.
    pub profiler: Profiler,
    /// Why this one, for people.
    pub reason: String,
    /// Its version line.
    pub version: Option<String>,
}

impl Choice {
    /// Asks the tools on this machine.
    pub fn probe(env: &Env, cancel: &Cancel) -> Self {
        let time = Duration::from_secs(20);
        let perf = ["perf", "stat", "-e", "instructions", "-x", ",", "true"];
        let perf = capture(&perf, env.clone(), time, cancel);
        let valgrind = tool_version("valgrind", &["--version"], env, cancel);
        let mut choice = Self::of(&perf, valgrind);
        if choice.profiler == Profiler::PerfStat {
            choice.version = tool_version("perf", &["--version"], env, cancel);
        }
        choice
    }

    /// Chooses by what `perf stat -e instructions -x , true` did and by Valgrind's version.
    pub fn of(perf: &Finished, valgrind: Option<String>) -> Self {
        let without_perf = match perf_problem(perf) {
            None => {
                return Self {
                    profiler: Profiler::PerfStat,
                    reason: "perf reads hardware counters here".into(),
                    version: None,
                };
            }
            Some(why) => why,
        };
        match valgrind {
            Some(version) => Self {
                profiler: Profiler::Cachegrind,
                reason: format!("{without_perf}; Cachegrind simulates the caches instead"),
                version: Some(version),
            },
            None => Self {
                profiler: Profiler::Static,
                reason: format!(
                    "{without_perf}, and valgrind is not installed; only static counts are given"
                ),
                version: None,
            },
        }
    }
}

fn perf_problem(perf: &Finished) -> Option<String> {
    let said = perf.tail_text();
    if matches!(perf.outcome, Outcome::SpawnFailed(_)) {
        return Some("perf is not installed".into());
    }
    if said.contains("<not supported>") {
        return Some("this machine shows perf no hardware counters (a virtual machine?)".into());
    }
    if ["ermission", "paranoid", "EACCES"]
        .iter()
        .any(|w| said.contains(w))
    {
        return Some(
            "perf may not read counters (lower /proc/sys/kernel/perf_event_paranoid to 2)".into(),
        );
    }
    if !perf.outcome.ok() {
        return Some(format!(
            "perf does not work here: {}",
            perf.outcome.describe()
        ));
    }
    let counted = said.lines().any(|l| {
        let mut fields = l.split(',');
        let value = fields.next().unwrap_or("").parse::<f64>();
        value.is_ok_and(|v| v > 0.0) && l.contains("instructions")
    });
    (!counted).then(|| "perf counts nothing here".into())
}

/// What a profiled run gave.
#[derive(Debug, Clone)]
pub struct Profiled {
    /// `perf-stat` or `cachegrind`.
    pub tool: &'static str,
    /// The tool's version line.
    pub version: Option<String>,
    /// The command as run, tool included.
    pub command: Vec<String>,
    /// The tool's output file, as it is; empty when there is none.
    pub raw: Vec<u8>,
    /// A name for it, e.g. `cachegrind.out`.
    pub raw_name: &'static str,
    /// What people should know about it, e.g. which of several processes it is of.
    pub notes: Vec<String>,
    /// What the program answered.
    pub answers: Answers,
    /// The program.
    pub finished: Finished,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
}

/// Runs a stage's command under a profiler; its files go to `folder`, a scratch folder for this alone.
///
/// Returns `None` for [`Profiler::Static`], for which nothing is run.
///
/// # Errors
/// When the folder cannot be used or no pipe can be made.
pub fn run_profile(
    choice: &Choice,
    job: &StageJob,
    folder: &Path,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Option<Profiled>, ExecError> {
    fs::create_dir_all(folder).map_err(ExecError::file("make the folder", folder))?;
    let (tool, raw_name, before) = match choice.profiler {
        Profiler::Static => return Ok(None),
        Profiler::PerfStat => ("perf-stat", "perf-stat.csv", perf_words(folder)),
        Profiler::Cachegrind => ("cachegrind", "cachegrind.out", cachegrind_words(folder)),
    };
    clear(folder);
    let command = CommandLine::Exec(before.into_iter().chain(job.command.argv()).collect());
    let wrapped = StageJob {
        command: command.clone(),
        ..job.clone()
    };
    let done = run_stage(&wrapped, cancel, progress, |_| {})?;
    let mut notes = Vec::new();
    let raw = match choice.profiler {
        Profiler::Cachegrind => largest(folder, &mut notes),
        _ => read_raw(&folder.join("perf-stat.csv")),
    };
    let mut failure = done.failure;
    if raw.is_none() && failure.is_none() {
        failure = Some(Failure {
            kind: FailureKind::Infra,
            stage: Stage::Profile,
            message: format!("profile: {tool} ended well and left no readable output"),
            stderr_tail: done.finished.tail_text(),
        });
    }
    Ok(Some(Profiled {
        tool,
        version: choice.version.clone(),
        command: command.argv(),
        raw: raw.unwrap_or_default(),
        raw_name,
        notes,
        answers: done.answers,
        finished: done.finished,
        failure,
    }))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&w| w.to_owned()).collect()
}

fn perf_words(folder: &Path) -> Vec<String> {
    let out = folder.join("perf-stat.csv");
    let out = out.to_string_lossy();
    words(&[
        "perf",
        "stat",
        "-x",
        ",",
        "-e",
        PERF_EVENTS,
        "-o",
        &out,
        "--",
    ])
}

fn cachegrind_words(folder: &Path) -> Vec<String> {
    // `%` begins a directive of Valgrind's own in the path.
    let folder = folder.to_string_lossy().replace('%', "%%");
    let out = format!("--cachegrind-out-file={folder}/cachegrind.out.%p");
    words(&[
        "valgrind",
        "--tool=cachegrind",
        "--cache-sim=yes",
        "--branch-sim=no",
        "--trace-children=yes",
        &out,
    ])
}

/// Removes what an earlier run left: it must not pass for the output of this one.
fn clear(folder: &Path) {
    for path in files(folder) {
        let _ = fs::remove_file(path);
    }
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| e.path()).filter(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("cachegrind.out.") || name == "perf-stat.csv"
    })
}

fn read_raw(path: &Path) -> Option<Vec<u8>> {
    let size = fs::metadata(path).ok()?.len();
    let bytes = (size > 0 && size <= RAW_MAX).then(|| fs::read(path).ok());
    bytes.flatten()
}

/// The output of the process that executed most instructions: the kernel, not the shell around it.
fn largest(folder: &Path, notes: &mut Vec<String>) -> Option<Vec<u8>> {
    let mut found: Vec<(u64, PathBuf, Vec<u8>)> = files(folder)
        .filter_map(|path| {
            let bytes = read_raw(&path)?;
            Some((instructions(&bytes)?, path, bytes))
        })
        .collect();
    found.sort_by_key(|(n, path, _)| (*n, path.clone()));
    let all: u64 = found.iter().map(|(n, ..)| n).sum();
    let count = found.len();
    let (most, _, bytes) = found.pop()?;
    if count > 1 {
        let percent = 100.0 * most as f64 / all.max(1) as f64;
        notes.push(format!(
            "{count} processes were profiled; the one shown executed {most} of {all} instructions ({percent:.1} %)"
        ));
    }
    Some(bytes)
}

/// The first figure of the `summary:` line, which is `Ir`.
fn instructions(raw: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(raw);
    let line = text
        .lines()
        .rev()
        .find_map(|l| l.strip_prefix("summary:"))?;
    line.split_whitespace()
        .next()?
        .replace(',', "")
        .parse()
        .ok()
}
