//! How a program ended, and what that means for a stage.

use std::path::PathBuf;
use std::time::Duration;

use assay_core::record::{Failure, FailureKind, Stage};
use assay_core::text;

/// How a program ended: the full error space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ended by itself with this exit code.
    Exited(i32),
    /// A signal that we did not send ended it.
    Signalled(i32),
    /// It ran past its time limit and was stopped.
    TimedOut(Duration),
    /// It was stopped because someone asked for it.
    Cancelled,
    /// It wrote more than this many bytes of output and was stopped.
    OutputLimit(u64),
    /// It could not be started.
    SpawnFailed(String),
    /// It was started, and the system cannot say how it ended.
    Lost(String),
}

impl Outcome {
    /// Whether it ended by itself with exit code 0.
    pub fn ok(&self) -> bool {
        *self == Self::Exited(0)
    }

    /// One sentence for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Exited(0) => "ended well".into(),
            Self::Exited(127) => {
                "exit code 127: a command was not found; see the log for its name".into()
            }
            Self::Exited(126) => "exit code 126: a command could not be executed".into(),
            Self::Exited(n) => format!("exit code {n}"),
            Self::Signalled(n) => format!("killed by signal {n}{}", signal_name(*n)),
            Self::TimedOut(t) => format!("not done after {} s", t.as_secs_f64()),
            Self::Cancelled => "cancelled".into(),
            Self::OutputLimit(n) => format!("stopped after {n} bytes of output"),
            Self::SpawnFailed(why) => format!("cannot be started: {why}"),
            Self::Lost(why) => format!("its end was not seen: {why}"),
        }
    }

    /// The kind of failure in `stage`, by the protocol's exit codes; `None` when it ended well.
    ///
    /// In build and source any exit code is a failure to compile; elsewhere 2 is a launch
    /// failure, 3 a wrong result, 4 tampering that the harness saw, and anything else a crash. 126 and 127 are the shell's way to
    /// say that a tool is missing, which says nothing about the variant.
    pub fn failure_kind(&self, stage: Stage) -> Option<FailureKind> {
        Some(match (self, stage) {
            (Self::Exited(0), _) => return None,
            (Self::Exited(126 | 127), _) => FailureKind::Infra,
            (Self::Exited(_), Stage::Build | Stage::Source) => FailureKind::Compile,
            (Self::Exited(2), _) => FailureKind::Launch,
            (Self::Exited(3), _) => FailureKind::Correctness,
            (Self::Exited(4), _) => FailureKind::ExploitSuspected,
            (Self::Exited(_), _) => FailureKind::Runtime,
            (Self::Signalled(_), Stage::Build | Stage::Source) => FailureKind::Compile,
            (Self::Signalled(_) | Self::OutputLimit(_), _) => FailureKind::Runtime,
            (Self::TimedOut(_), _) => FailureKind::Timeout,
            (Self::Cancelled, _) => FailureKind::Cancelled,
            (Self::SpawnFailed(_) | Self::Lost(_), _) => FailureKind::Infra,
        })
    }
}

/// Packages that a kernel is built and checked with. That one of them is missing says nothing about
/// the variant; that a module of the variant's own is missing does.
const TOOLCHAIN: [&str; 4] = ["torch", "tilelang", "triton", "tvm"];

/// The package of the toolchain for want of which Python ended, by the last such line.
fn lacking_package(said: &str) -> Option<&'static str> {
    let prefix = "ModuleNotFoundError: No module named ";
    let mut lines = said.lines().rev().map(str::trim);
    let name = lines.find_map(|l| l.strip_prefix(prefix))?;
    let name = name.trim_matches(['\'', '"']);
    TOOLCHAIN.into_iter().find(|n| *n == name)
}

/// How the harnesses of `kernels/harness` begin what they end over.
const HARNESS: &str = "assay harness: ";

/// What the harness ended over, by its last line about it: it knows more than its exit code says.
fn told_by_harness(said: &str) -> Option<&str> {
    let mut lines = said.lines().rev().map(str::trim);
    let told = lines.find_map(|l| l.strip_prefix(HARNESS))?;
    Some(
        told.char_indices()
            .nth(TOLD)
            .map_or(told, |(i, _)| &told[..i]),
    )
}

/// Characters of it that a message repeats.
const TOLD: usize = 300;

fn signal_name(n: i32) -> &'static str {
    match n {
        1 => " (HUP)",
        2 => " (INT)",
        4 => " (ILL: an instruction that this processor lacks?)",
        6 => " (ABRT)",
        7 => " (BUS)",
        8 => " (FPE)",
        9 => " (KILL: out of memory?)",
        11 => " (SEGV)",
        13 => " (PIPE)",
        15 => " (TERM)",
        24 => " (XCPU)",
        _ => "",
    }
}

/// A program that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// Wall time.
    pub wall: Duration,
    /// The log, if one was asked for.
    pub log: Option<PathBuf>,
    /// Bytes written to standard output and error.
    pub output_bytes: u64,
    /// Bytes of them that the log leaves out.
    pub cut_bytes: u64,
    /// The end of the output, at most 16 KiB, as it came.
    pub tail: Vec<u8>,
    /// Standard output, if it was to be kept.
    pub stdout: Vec<u8>,
    /// Children were still holding the output when the leader had ended, and were killed.
    pub lingered: bool,
    /// What else went wrong, e.g. the log could not be written.
    pub problems: Vec<String>,
}

impl Finished {
    pub(crate) fn not_started(outcome: Outcome) -> Self {
        Self {
            outcome,
            wall: Duration::ZERO,
            log: None,
            output_bytes: 0,
            cut_bytes: 0,
            tail: Vec::new(),
            stdout: Vec::new(),
            lingered: false,
            problems: Vec::new(),
        }
    }

    /// The last 4 KiB of output, from the start of a line, safe to show.
    pub fn tail_text(&self) -> String {
        let from = self.tail.len().saturating_sub(4 << 10);
        let mut bytes = &self.tail[from..];
        if from > 0
            && let Some(i) = bytes.iter().position(|&b| b == b'\n')
        {
            bytes = &bytes[i + 1..];
        }
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        text::inert_block(&text).into_owned()
    }

    /// The failure to record for `stage`; `None` when the program ended well.
    pub fn failure(&self, stage: Stage) -> Option<Failure> {
        let kind = self.outcome.failure_kind(stage)?;
        let said = self.tail_text();
        let lacking = lacking_package(&said).filter(|_| {
            // A result that is wrong stays wrong whatever was printed beside it.
            matches!(self.outcome, Outcome::Exited(_))
                && matches!(kind, FailureKind::Compile | FailureKind::Runtime)
        });
        let (kind, how) = match lacking {
            Some(name) => (
                FailureKind::Infra,
                format!(
                    "{name} is not installed for this Python: `assay doctor` looks for it, and \
                     only what [env] pass names is seen of PYTHONPATH and PYTHON"
                ),
            ),
            None => {
                let told =
                    told_by_harness(&said).filter(|_| matches!(self.outcome, Outcome::Exited(_)));
                let told = told.map_or_else(String::new, |t| format!(": {t}"));
                (kind, format!("{}{told}", self.outcome.describe()))
            }
        };
        Some(Failure {
            kind,
            stage,
            message: format!("{}: {how}", stage.name()),
            stderr_tail: said,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(outcome: Outcome, said: &str) -> Failure {
        let finished = Finished {
            tail: said.as_bytes().to_vec(),
            ..Finished::not_started(outcome)
        };
        finished.failure(Stage::Check).unwrap()
    }

    #[test]
    fn what_the_harness_ends_over_is_in_the_message() {
        let said = "loading\nassay harness: a launch failed: 262144 bytes of shared memory, 232448 are there\nbye\n";
        let failure = ended(Outcome::Exited(2), said);
        assert_eq!(failure.kind, FailureKind::Launch);
        assert_eq!(
            failure.message,
            "check: exit code 2: a launch failed: 262144 bytes of shared memory, 232448 are there"
        );
        let silent = ended(Outcome::Exited(2), "a launch failed\n");
        assert_eq!(silent.message, "check: exit code 2");
        // A signal is not explained by what was said before it.
        assert!(
            !ended(Outcome::Signalled(11), said)
                .message
                .contains("launch")
        );
        let long = format!("assay harness: {}", "x".repeat(999));
        assert!(ended(Outcome::Exited(1), &long).message.len() < 400);
    }
}
