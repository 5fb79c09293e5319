//! What mcProfiler says beside its reports: whether it is through, and why not. Pure.

use std::path::{Path, PathBuf};

use assay_core::record::{Failure, FailureKind};
use assay_core::text::{inert, truncate};

use super::{SERVICE, numbers, services};
use crate::gpu_profile::{Ask, failed};
use crate::process::{Finished, Outcome};

/// What it prints when it is through.
const DONE: &str = "perf done, please check report file";

/// Where it says that its reports go.
const OUTPUT: &str = "[info] output path is:";

/// What it prints when another listens on its port.
pub(super) const PORT_TAKEN: &str = "Address already in use";

/// Columns of a line that a message repeats.
const WIDTH: usize = 300;

/// Words in what it says, what they mean, and what to do.
const CAUSES: [(&str, &str); 5] = [
    (
        PORT_TAKEN,
        "its port was taken in the meantime: set another [profile] port",
    ),
    (
        "StatusCode.UNIMPLEMENTED",
        "this version cannot write its values out (grpc UNIMPLEMENTED, as with MACA 3.7.0): use another one",
    ),
    (
        "division by zero",
        "its report generator divided by zero, as it does when kernels without work are counted: name the kernel with [profile] kernel, and capture the generated source",
    ),
    ("execute_failed", "the program failed under it"),
    ("profiler_failed", "it could not count"),
];

/// What it printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said<'t> {
    log: &'t str,
}

impl<'t> Said<'t> {
    /// Of its log, with what the program printed.
    pub fn of(log: &'t str) -> Self {
        Self { log }
    }

    fn has(&self, words: &str) -> bool {
        self.log.contains(words)
    }

    /// What people should know about a report that is there.
    pub fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.has("cannot draw from data") {
            out.push(
                "it could not draw the roofline: the work is too small for a single pass, and its figures are doubtful"
                    .into(),
            );
        }
        out
    }

    /// Why there is no report that could be used, if there is none.
    pub fn failure(
        &self,
        finished: &Finished,
        files: &[PathBuf],
        ask: &Ask<'_>,
    ) -> Option<Failure> {
        let tail = finished.tail_text();
        let of = |kind, message: String| Some(failed(kind, message, &tail));
        match &finished.outcome {
            Outcome::Cancelled => return finished.failure(ask.job.stage),
            Outcome::TimedOut(time) => {
                let seconds = time.as_secs_f64();
                return of(FailureKind::Timeout, self.hang(seconds));
            }
            _ => {}
        }
        if self.has("clean server failed") {
            let there = numbers(&services());
            return of(
                FailureKind::Infra,
                format!(
                    "a {SERVICE} of an aborted run is in the way{there} (\"clean server failed\"): end that process, then run again"
                ),
            );
        }
        if self.has("No such file or directory") && self.has("/config'") {
            return of(
                FailureKind::Infra,
                "it found no `config/` in the folder that it was started in: set ASSAY_MCPROFILER to the folder that it is installed in".into(),
            );
        }
        let cause = CAUSES.iter().find(|(words, _)| self.has(words));
        let why = cause.map_or_else(String::new, |(_, why)| format!(": {why}"));
        if !finished.outcome.ok() {
            let kind = match cause {
                Some((words, _)) if *words == "execute_failed" => FailureKind::Runtime,
                _ => FailureKind::Infra,
            };
            return of(
                kind,
                format!(
                    "mcProfiler {}{why}; what it left is not used, and kept with the failed run",
                    finished.outcome.describe()
                ),
            );
        }
        if !self.has(DONE) {
            let left = match (files.is_empty(), self.has(OUTPUT)) {
                (true, true) => "raw counters may be there, and no report",
                (true, false) => "there is no report",
                (false, _) => "a report is there, and may be cut short",
            };
            return of(
                FailureKind::Infra,
                format!(
                    "mcProfiler ended without saying that it is through{why}: {left}; it is not used, and kept with the failed run"
                ),
            );
        }
        if !files.iter().any(|f| launch_of(&file_name(f)).is_some()) {
            return of(FailureKind::Runtime, self.nothing(files, ask));
        }
        None
    }

    /// Why it hangs.
    fn hang(&self, seconds: f64) -> String {
        let last = self
            .log
            .lines()
            .rev()
            .map(str::trim)
            .find(|l| !l.is_empty());
        let last = last.map_or_else(String::new, |l| {
            format!("; it said last: {}", truncate(&inert(l), WIDTH))
        });
        let why = match self.has("try to connect to server") && !self.has(OUTPUT) {
            true => {
                "it waits for its own service: a proxy in the environment of the user or a service of an aborted run does that"
            }
            false => {
                "it runs the program once for each batch of counters, ten to a hundred times slower: raise [profile] timeout, or count less (metrics, launch_count, a smaller workload)"
            }
        };
        format!("mcProfiler was not done after {seconds} s and was stopped: {why}{last}")
    }

    /// Why there is no report of a kernel.
    fn nothing(&self, files: &[PathBuf], ask: &Ask<'_>) -> String {
        let meant = match ask.kernels {
            [] => "any kernel".to_owned(),
            names => names
                .iter()
                .map(|n| format!("`{}`", inert(n)))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let custom = match ask.how.custom {
            true => {
                "; with `custom` only launches between mcProfilerStart and mcProfilerStop count"
            }
            false => "",
        };
        let sum = match files.is_empty() {
            true => "",
            false => "; the sum over all kernels is not used",
        };
        format!("mcProfiler saw no launch of {meant}{custom}{sum}")
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Whether a file is named like a report, of a kernel or of all of them.
pub(super) fn is_report(name: &str) -> bool {
    let ends = ["_dumped_result.json", ".txt.json", ".txt.csv", ".txt"];
    ends.iter().any(|e| name.ends_with(e))
        && (name.starts_with("report") || launch_of(name).is_some())
}

/// The number of the launch that a report is of; nothing for the sum over all.
pub(super) fn launch_of(name: &str) -> Option<u32> {
    let (number, rest) = name.split_once('_')?;
    (!rest.is_empty() && !name.starts_with("report")).then(|| number.parse().ok())?
}
