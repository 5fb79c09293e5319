//! What `ncu` says beside its figures: why there are none, or not all. Pure.
//!
//! Its lines begin with `==PROF==`, `==WARNING==` and `==ERROR==`; the table of the raw page stands
//! among them. The words are those of versions 2020 to 2025.

use assay_core::record::FailureKind;
use assay_core::text::{inert, truncate};

use super::{Ask, failed};
use crate::process::{Finished, Outcome};

/// Kernels that a message names.
const NAMED: usize = 12;

/// Columns of a line that a message repeats.
const WIDTH: usize = 300;

/// Words in what it says, what they mean, and what to do.
const CAUSES: [(&str, &str); 11] = [
    (
        "ERR_NVGPUCTRPERM",
        "this host lets only the administrator read the counters of the GPU (ERR_NVGPUCTRPERM). That is a setting of the host's driver, \
         not of the container or of the kernel: its administrator sets `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in \
         /etc/modprobe.d and loads the driver again, or runs this as root or with CAP_SYS_ADMIN. Everything but counters works without",
    ),
    (
        "driver resource was unavailable",
        "another tool holds the counters of the GPU (DCGM, a monitoring exporter, another profiler): stop it (`dcgmi profiling --pause`) and run again",
    ),
    (
        "Cannot lock GPU clock frequencies on MIG",
        "clocks cannot be held on a MIG slice: set [profile] clock_control = \"none\"",
    ),
    (
        "LibraryNotLoaded",
        "this `ncu` does not fit the driver: install the Nsight Compute of the driver's CUDA version, or a newer driver",
    ),
    (
        "stub libcuda.so",
        "this `ncu` cannot speak to the driver: it is newer than the driver, or a stub of libcuda.so is found first (LD_LIBRARY_PATH)",
    ),
    (
        "driver is not compatible",
        "this `ncu` does not fit the driver: install the Nsight Compute of the driver's CUDA version, or a newer driver",
    ),
    (
        "InterfaceMismatch",
        "this `ncu` does not fit the driver: install the Nsight Compute of the driver's CUDA version, or a newer driver",
    ),
    (
        "Profiling is not supported on device",
        "this version of Nsight Compute does not know the GPU (`ncu --list-chips`): install a newer one",
    ),
    (
        "nsight-compute-lock",
        "another user's lock file of Nsight Compute is in the way: remove nsight-compute-lock in TMPDIR or /tmp, or set another TMPDIR",
    ),
    (
        "No CUDA-capable device",
        "there is no CUDA device here, or CUDA_VISIBLE_DEVICES hides it",
    ),
    (
        "no CUDA-capable device",
        "there is no CUDA device here, or CUDA_VISIBLE_DEVICES hides it",
    ),
];

/// What the lines of `ncu` come to.
#[derive(Debug, Default)]
pub(super) struct Said<'a> {
    /// Lines that begin with `==ERROR==`, without that.
    errors: Vec<&'a str>,
    /// Everything it and the program said, for words that tell a cause.
    printed: &'a str,
    tail: &'a str,
    /// Kernels that it lists because none of them was profiled.
    available: Vec<&'a str>,
    none_profiled: bool,
    /// The exit code of the program, where it was not 0.
    code: Option<i32>,
    /// Kernels whose counting did not end well.
    broken: Vec<&'a str>,
    table: bool,
}

impl<'a> Said<'a> {
    /// `printed` is the file for its output, `tail` the end of what else came.
    pub fn of(printed: &'a str, tail: &'a str) -> Self {
        let mut out = Self {
            printed,
            tail,
            ..Self::default()
        };
        let mut listing = false;
        for line in printed.lines().chain(tail.lines()) {
            let line = line.trim_end();
            if line.starts_with("\"ID\",") {
                out.table = true;
            }
            if let Some(error) = line.strip_prefix("==ERROR== ") {
                out.errors.push(error);
                out.code = out.code.or_else(|| exit_code(error));
                out.broken.extend(quoted(error, "Failed to profile \""));
            } else if line.contains("No kernels were profiled") {
                out.none_profiled = true;
            }
            listing = match listing {
                true => match numbered(line) {
                    Some(kernel) => {
                        out.available.push(kernel);
                        true
                    }
                    None => false,
                },
                false => line.trim().eq_ignore_ascii_case("available kernels:"),
            };
        }
        out
    }

    /// Whether there is a table among the lines.
    pub fn has_table(&self) -> bool {
        self.table
    }

    /// The failure that the run comes to, the cause first.
    pub fn failure(
        &self,
        finished: &Finished,
        ask: &Ask<'_>,
    ) -> Option<assay_core::record::Failure> {
        let said = self.excerpt(finished);
        let fail = |kind, message: String| Some(failed(kind, message, &said));
        if let Outcome::TimedOut(time) = finished.outcome {
            return fail(
                FailureKind::Timeout,
                format!(
                    "ncu was not done after {} s and was stopped; what it had counted is not used. It runs each launch many times over: \
                     collect less ([profile] metrics), fewer launches (launch_count), or give it longer (timeout)",
                    time.as_secs_f64()
                ),
            );
        }
        let has = |words: &str| self.printed.contains(words) || self.tail.contains(words);
        let failed_at_all = !self.errors.is_empty() || self.none_profiled || !finished.outcome.ok();
        if failed_at_all && let Some((_, why)) = CAUSES.iter().find(|(words, _)| has(words)) {
            return fail(FailureKind::Infra, (*why).to_owned());
        }
        if !self.broken.is_empty() {
            let kernels = listed(&self.broken);
            return fail(
                FailureKind::Infra,
                format!(
                    "ncu could not count {kernels}, and what it did count is not used{}",
                    self.first_error()
                ),
            );
        }
        if let Some(code) = self.code {
            let outcome = Outcome::Exited(code);
            let kind = outcome.failure_kind(assay_core::record::Stage::Profile);
            return fail(
                kind.unwrap_or(FailureKind::Runtime),
                format!(
                    "under ncu the program ended with exit code {code}, so that what was counted is not used; see the end of its output"
                ),
            );
        }
        if self.none_profiled {
            return fail(
                FailureKind::Runtime,
                self.no_kernel(ask.how.kernel.as_deref()),
            );
        }
        if let Some(error) = self.errors.first() {
            return fail(
                FailureKind::Infra,
                format!(
                    "ncu failed: {}; all that it said is kept: `assay show NAME --left DIR` writes it",
                    short(error)
                ),
            );
        }
        if !finished.outcome.ok() {
            let kind = match finished.outcome {
                Outcome::Signalled(_) => FailureKind::Infra,
                _ => finished
                    .outcome
                    .failure_kind(assay_core::record::Stage::Profile)?,
            };
            return fail(
                kind,
                format!(
                    "ncu, or the program under it: {}; run the program without it (`assay run NAME --stages check`) to see which of \
                     the two it is, and see the end of its output",
                    finished.outcome.describe()
                ),
            );
        }
        None
    }

    /// The failure of a table that is missing, or whose end is.
    pub fn incomplete(&self) -> Option<assay_core::record::Failure> {
        let why = if !self.table {
            "ncu ended well and left no table of counters: see what it left (`assay show NAME --left DIR` writes it), and whether \
             there is space where builds lie and in TMPDIR"
        } else if !self.printed.ends_with('\n') {
            "the table that ncu left ends within a line: its disk may be full; nothing of it is used"
        } else {
            return None;
        };
        Some(failed(FailureKind::Infra, why, ""))
    }

    fn no_kernel(&self, pattern: Option<&str>) -> String {
        let seen = match self.available.as_slice() {
            [] => "ncu does not say which ones it saw".to_owned(),
            kernels => format!("ncu saw {}", listed(kernels)),
        };
        match pattern {
            Some(pattern) => format!(
                "no kernel that was launched matches [profile] kernel = \"{}\"; {seen}",
                inert(pattern)
            ),
            None if self.available.is_empty() => {
                "the program launched no kernel that ncu could see".to_owned()
            }
            None => format!("ncu profiled none of the kernels; {seen}"),
        }
    }

    fn first_error(&self) -> String {
        let first = self
            .errors
            .iter()
            .find(|e| !e.starts_with("Failed to profile"));
        first.map_or_else(String::new, |e| format!(": {}", short(e)))
    }

    /// Its own lines, else the end of what the program printed.
    fn excerpt(&self, finished: &Finished) -> String {
        let own: Vec<String> = (self.printed.lines())
            .filter(|l| l.starts_with("==ERROR==") || l.starts_with("==WARNING=="))
            .map(|l| truncate(&inert(l), WIDTH).into_owned())
            .take(NAMED)
            .collect();
        match own.is_empty() {
            true => finished.tail_text(),
            false => format!("{}\n{}", own.join("\n"), finished.tail_text()),
        }
    }
}

fn short(line: &str) -> String {
    truncate(&inert(line), WIDTH).into_owned()
}

/// `3` of `The application returned an error code (3).`
fn exit_code(error: &str) -> Option<i32> {
    let rest = error.strip_prefix("The application returned an error code (")?;
    rest.split_once(')')?.0.parse().ok()
}

/// What stands between quotes behind a beginning.
fn quoted<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    Some(line.strip_prefix(begin)?.split_once('"')?.0)
}

/// `name` of `12. name`.
fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.trim().split_once(". ")?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && !name.is_empty()).then_some(name)
}

fn listed(kernels: &[&str]) -> String {
    let mut out: Vec<String> = (kernels.iter().take(NAMED))
        .map(|k| format!("`{}`", short(k)))
        .collect();
    if kernels.len() > NAMED {
        out.push(format!("{} more", kernels.len() - NAMED));
    }
    out.join(", ")
}

#[cfg(test)]
#[path = "ncu_said_tests.rs"]
pub(super) mod tests;
