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
            Self::Exited(NOT_FOUND) => {
                "exit code 127: a command was not found; see the log for its name".into()
            }
            Self::Exited(NOT_EXECUTED) => "exit code 126: a command could not be executed".into(),
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
            (Self::Exited(NOT_EXECUTED | NOT_FOUND), _) => FailureKind::Infra,
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

/// Programs that a kernel is built and checked with, by names that none of a variant's own has. That one of them is
/// missing says nothing about the variant either.
const TOOLS: [&str; 13] = [
    "cc",
    "c++",
    "gcc",
    "g++",
    "clang",
    "clang++",
    "nvcc",
    "mxcc",
    "cuobjdump",
    "ninja",
    "cmake",
    "python",
    "python3",
];

/// How a shell, `env`, `make` and Python end the line in which they say that there is no such program.
const NO_PROGRAM: [&str; 3] = [
    ": not found",
    ": command not found",
    ": No such file or directory",
];

/// How Python says it of a program that it was to start, before the name.
const NO_FILE: &str = "FileNotFoundError: [Errno 2] No such file or directory: ";

/// Exit codes by which a shell says that a command was not found, or could not be executed. Scripts of a campaign that
/// look for a tool themselves end with the first of them, too.
const NOT_FOUND: i32 = 127;
const NOT_EXECUTED: i32 = 126;

/// The last line that tells more than that a step of `make` ended.
fn last_line(said: &str) -> Option<&str> {
    let of_make = |l: &str| l.starts_with("make") && l.contains(": *** ");
    let mut lines = said.lines().rev().map(str::trim);
    lines.find(|l| !l.is_empty() && !of_make(l))
}

/// The last line, where it says that a program of the toolchain is missing.
fn lacking_tool(said: &str) -> Option<&str> {
    let line = last_line(said)?;
    let called = match line.strip_prefix(NO_FILE) {
        Some(path) => path,
        None => {
            let before = NO_PROGRAM.iter().find_map(|end| line.strip_suffix(end))?;
            before.rsplit([' ', ':']).next()?
        }
    };
    let called = called.trim_matches(['\'', '"', '`', '\u{2018}', '\u{2019}']);
    let name = called.rsplit('/').next()?;
    TOOLS.contains(&name).then_some(line)
}

/// Why a program that ended with this code lacked another one, where it did.
fn lacking_program(code: i32, said: &str) -> Option<String> {
    let line = match code {
        NOT_FOUND | NOT_EXECUTED => last_line(said)?,
        _ => lacking_tool(said)?,
    };
    let line = shortened(line);
    Some(match code {
        NOT_EXECUTED => format!("exit code {code}: a command could not be executed: {line}"),
        _ => format!(
            "exit code {code}: a command was not found: {line}; install it, or put its folder into PATH: `assay doctor` \
             looks for the tools of each back end"
        ),
    })
}

/// How the harnesses of `kernels/harness` begin what they end over.
const HARNESS: &str = "assay harness: ";

/// What the harness ended over, by its last line about it: it knows more than its exit code says.
fn told_by_harness(said: &str) -> Option<&str> {
    let mut lines = said.lines().rev().map(str::trim);
    lines.find_map(|l| l.strip_prefix(HARNESS)).map(shortened)
}

/// As much of a line as a message repeats.
fn shortened(line: &str) -> &str {
    let end = line.char_indices().nth(TOLD);
    end.map_or(line, |(i, _)| &line[..i])
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
        let code = match self.outcome {
            Outcome::Exited(code) => Some(code),
            _ => None,
        };
        // A result that is wrong stays wrong whatever was printed beside it.
        let is_open = matches!(
            kind,
            FailureKind::Compile | FailureKind::Runtime | FailureKind::Infra
        );
        let code_of_tools = code.filter(|_| is_open);
        let package = code_of_tools.and_then(|_| lacking_package(&said));
        let (kind, how) = if let Some(name) = package {
            let how = format!(
                "{name} is not installed for this Python: `assay doctor` looks for it, and \
                 only what [env] pass names is seen of PYTHONPATH and PYTHON"
            );
            (FailureKind::Infra, how)
        } else if let Some(how) = code_of_tools.and_then(|code| lacking_program(code, &said)) {
            (FailureKind::Infra, how)
        } else {
            let told = code.and_then(|_| told_by_harness(&said));
            let told = told.map_or_else(String::new, |t| format!(": {t}"));
            (kind, format!("{}{told}", self.outcome.describe()))
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
