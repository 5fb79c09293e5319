//! Nsight Compute: its command line, its files, and what came of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::campaign::ProfileSpec;
use assay_core::record::FailureKind;

use super::ncu_said::Said;
use super::{Ask, GpuProfiled, RAW_MAX, failed, left, read};
use crate::process::{CommandLine, Env, Finished, Limits, Program};
use crate::stage::{StageJob, run_plain};
use crate::{Cancel, ExecError, cuda, fingerprint, process};

/// The binary report, and below what it prints of it: the names that an imported report has, too.
const REPORT: &str = "profile.ncu-rep";
const PRINTED: &str = "profile.ncu-rep.csv";

/// What is collected when nothing is named.
const DEFAULT_SET: &str = "full";

/// The word by which the program is found.
const PROGRAM: &str = "ncu";

/// How long `ncu` may take to print one report.
const PATIENCE: Duration = Duration::from_secs(600);

/// The `ncu` of this machine.
pub fn find(lookup: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    cuda::find(PROGRAM, lookup)
}

/// Why it cannot be used here.
pub fn missing(lookup: &dyn Fn(&str) -> Option<OsString>) -> Option<String> {
    find(lookup).is_none().then(|| {
        "there is no `ncu` in PATH, in CUDA_HOME, in /usr/local/cuda*/bin or in /opt/nvidia/nsight-compute: \
         install Nsight Compute, or take counters elsewhere and `assay import` the report"
            .into()
    })
}

/// Has `ncu` print a binary report: the raw page as CSV, in base units, on standard output.
pub fn print(ncu: &str, report: &str, env: Env, cancel: &Cancel) -> Finished {
    let words = [
        ncu,
        "--import",
        report,
        "--page",
        "raw",
        "--csv",
        "--print-units",
        "base",
    ]
    .map(str::to_owned);
    let limits = Limits {
        timeout: Some(PATIENCE),
        output_max: RAW_MAX,
        ..Limits::default()
    };
    let program = Program::new(CommandLine::Exec(words.into()), "/", env).limits(limits);
    process::run(program.keep_stdout(RAW_MAX as usize), cancel)
}

/// The words before the command of the program.
fn words(ncu: &Path, how: &ProfileSpec, folder: &Path, notes: &mut Vec<String>) -> Vec<String> {
    let in_folder = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let mut words: Vec<String> = vec![ncu.to_string_lossy().into_owned()];
    let mut put = |more: &[&str]| words.extend(more.iter().map(|w| (*w).to_owned()));
    put(&["--target-processes", "all"]);
    put(&["--csv", "--page", "raw", "--print-units", "base"]);
    put(&["--log-file", &in_folder(PRINTED)]);
    put(&["--export", &in_folder(REPORT), "--force-overwrite"]);
    put(&["--clock-control", how.clock_control.name()]);
    put(&["--cache-control", how.cache_control.name()]);
    let (mut metrics, mut chosen) = (Vec::new(), false);
    for name in &how.metrics {
        match kind_of(name) {
            Asked::Metric => metrics.push(name.as_str()),
            Asked::Section => put(&["--section", name]),
            Asked::Set => put(&["--set", name]),
        }
        chosen = true;
    }
    if !metrics.is_empty() {
        put(&["--metrics", &metrics.join(",")]);
    }
    if !chosen {
        put(&["--set", DEFAULT_SET]);
    }
    // A budget over launches must not be spent on other kernels than the one that is meant.
    let mut counted = true;
    if let Some(pattern) = &how.kernel {
        if is_portable(pattern) {
            put(&["--kernel-name-base", "demangled"]);
            put(&["--kernel-name", &format!("regex:{pattern}")]);
        } else {
            counted = false;
            notes.push(format!(
                "ncu cannot read [profile] kernel = \"{pattern}\": all kernels are profiled, and the one that is meant is chosen afterwards"
            ));
        }
    }
    if counted && how.launch_skip > 0 {
        put(&["--launch-skip", &how.launch_skip.to_string()]);
    }
    if counted && let Some(count) = how.launch_count {
        put(&["--launch-count", &count.to_string()]);
    }
    words.extend(how.options.iter().cloned());
    words
}

enum Asked {
    Metric,
    Section,
    Set,
}

/// Names of metrics have `__`, or a kind before a colon; sections begin with a capital.
fn kind_of(name: &str) -> Asked {
    if name.contains("__") || name.contains(':') {
        Asked::Metric
    } else if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        Asked::Section
    } else {
        Asked::Set
    }
}

/// Whether an expression means the same in the dialect of `ncu`, which is that of C++.
fn is_portable(pattern: &str) -> bool {
    let plain = pattern.replace("(?:", "(");
    let foreign = [
        "(?", "\\A", "\\z", "\\p", "\\P", "\\x", "\\u", "&&", "[[:^", "--",
    ];
    !foreign.iter().any(|f| plain.contains(f))
}

/// Runs a command under `ncu`.
///
/// # Errors
/// When no pipe can be made.
pub fn run(ask: &Ask<'_>) -> Result<GpuProfiled, ExecError> {
    let mut notes = Vec::new();
    let Some(ncu) = find(ask.lookup) else {
        return Ok(GpuProfiled::default());
    };
    let mut command = words(&ncu, ask.how, ask.folder, &mut notes);
    command.extend(ask.job.command.argv());
    let job = StageJob {
        command: CommandLine::Exec(command.clone()),
        ..ask.job.clone()
    };
    let name = ncu.to_string_lossy();
    let version = fingerprint::tool_version(&name, &["--version"], &job.env, ask.cancel);
    // Nothing that the program could answer matters here, and `ncu` need not pass descriptors on.
    let (finished, failure) = run_plain(&job, ask.cancel, ask.progress);
    let mut out = GpuProfiled {
        failure: None,
        notes,
        raw: Vec::new(),
        left: Vec::new(),
        tool_version: version,
        command,
        seconds: finished.wall.as_secs_f64(),
    };
    let printed = read(&ask.folder.join(PRINTED), &mut out.notes);
    let report = read(&ask.folder.join(REPORT), &mut out.notes);
    let text = String::from_utf8_lossy(&printed).into_owned();
    let tail = finished.tail_text();
    let said = Said::of(&text, &tail);
    let cancelled = failure.filter(|f| f.kind == FailureKind::Cancelled);
    out.failure = cancelled.or_else(|| said.failure(&finished, ask));
    if out.failure.is_some() {
        out.left = left(ask.folder, &mut out.notes);
        return Ok(out);
    }
    let printed = match said.has_table() || report.is_empty() {
        true => printed,
        // Where the report is written, some versions print no page of it.
        false => {
            let report = ask.folder.join(REPORT);
            let done = print(
                &name,
                &report.to_string_lossy(),
                job.env.clone(),
                ask.cancel,
            );
            if !done.outcome.ok() {
                let why = format!(
                    "ncu could not print its report: {}",
                    done.outcome.describe()
                );
                out.failure = Some(failed(FailureKind::Infra, why, &done.tail_text()));
                out.left = left(ask.folder, &mut out.notes);
                return Ok(out);
            }
            done.stdout
        }
    };
    out.failure = Said::of(&String::from_utf8_lossy(&printed), "").incomplete();
    if out.failure.is_some() {
        out.left = left(ask.folder, &mut out.notes);
        return Ok(out);
    }
    out.raw = vec![(PRINTED.into(), printed)];
    if !report.is_empty() {
        out.raw.push((REPORT.into(), report));
    }
    Ok(out)
}

#[cfg(test)]
#[path = "ncu_tests.rs"]
mod tests;
