//! Running one program: own process group, exact environment, log, timeout, cancellation.
//!
//! One loop per program waits in `poll` for output, answers, the end of the leader, cancellation
//! and the next deadline; nothing sleeps and nothing spins. The leader stays unreaped until its
//! group has been killed, so that a signal can never reach a stranger with a reused number.
//!
//! SIGPIPE must be ignored in our own process, as it is in every Rust program that does not ask
//! for something else: pipes to programs that are gone are written to here.

mod live;
mod log;
mod outcome;
mod run;
mod strays;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{PipeReader, PipeWriter, pipe};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

pub use assay_core::campaign::Command as CommandLine;
pub use outcome::{Finished, Outcome};
pub use run::run;

use crate::progress::Progress;
use crate::{Cancel, ExecError};

/// The whole environment of a program.
pub type Env = BTreeMap<String, OsString>;

/// How patient we are with a program and how much of its output is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Wall time from the start, if limited.
    pub timeout: Option<Duration>,
    /// Time between TERM and KILL.
    pub grace: Duration,
    /// Time that children may hold the output after the leader has ended, before they are killed.
    pub linger: Duration,
    /// Time after KILL until we stop waiting for a process that the kernel cannot end.
    pub give_up: Duration,
    /// Bytes of output kept in the log; beyond it the head and the tail are kept.
    pub log_kept: u64,
    /// Bytes of output after which the program is killed.
    pub output_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: None,
            grace: Duration::from_secs(2),
            linger: Duration::from_millis(500),
            give_up: Duration::from_secs(5),
            log_kept: 64 << 20,
            output_max: 1 << 30,
        }
    }
}

type Sink<'a> = Box<dyn FnMut(&[u8]) + Send + 'a>;

/// A program to run.
pub struct Program<'a> {
    command: CommandLine,
    cwd: PathBuf,
    env: Env,
    limits: Limits,
    log: Option<PathBuf>,
    append: bool,
    keep_stdout: Option<usize>,
    on_output: Option<Sink<'a>>,
    channels: Vec<(OwnedFd, Sink<'a>)>,
    inherit: Vec<OwnedFd>,
}

impl<'a> Program<'a> {
    /// A program in folder `cwd` with exactly the environment `env`; standard input is empty.
    pub fn new(command: CommandLine, cwd: impl Into<PathBuf>, env: Env) -> Self {
        Self {
            command,
            cwd: cwd.into(),
            env,
            limits: Limits::default(),
            log: None,
            append: false,
            keep_stdout: None,
            on_output: None,
            channels: Vec::new(),
            inherit: Vec::new(),
        }
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the time limit alone.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = Some(timeout);
        self
    }

    /// Writes standard output and error, in the order in which they come, to a new log.
    pub fn log(mut self, path: impl Into<PathBuf>) -> Self {
        self.log = Some(path.into());
        self
    }

    /// Like [`Program::log`], behind what the file already holds.
    pub fn append_log(mut self, path: impl Into<PathBuf>) -> Self {
        self.append = true;
        self.log(path)
    }

    /// Keeps the first `max` bytes of standard output apart, in [`Finished::stdout`].
    ///
    /// Output and error come through two pipes then, and their order in the log is approximate.
    pub fn keep_stdout(mut self, max: usize) -> Self {
        self.keep_stdout = Some(max);
        self
    }

    /// Hands over all output as it comes, for a live view. A sink that blocks stops the program.
    pub fn on_output(mut self, sink: impl FnMut(&[u8]) + Send + 'a) -> Self {
        self.on_output = Some(Box::new(sink));
        self
    }

    /// Tells its output line by line while it runs, see [`Progress::said`].
    pub fn told_to(self, progress: &'a dyn Progress) -> Self {
        let mut live = live::Live::new(progress);
        self.on_output(move |bytes| live.push(bytes))
    }

    /// Gives the program a descriptor to write on; its number goes to the variable `name`.
    ///
    /// # Errors
    /// When no pipe can be made.
    pub fn read_channel(
        mut self,
        name: &str,
        sink: impl FnMut(&[u8]) + Send + 'a,
    ) -> Result<Self, ExecError> {
        let (ours, theirs) = pipe().map_err(ExecError::system("make a pipe"))?;
        self.env
            .insert(name.to_owned(), theirs.as_raw_fd().to_string().into());
        self.inherit.push(theirs.into());
        self.channels.push((ours.into(), Box::new(sink)));
        Ok(self)
    }

    /// Gives the program a descriptor to read from; its number goes to the variable `name`.
    ///
    /// # Errors
    /// When no pipe can be made.
    pub fn write_channel(mut self, name: &str) -> Result<(Self, PipeWriter), ExecError> {
        let (theirs, ours): (PipeReader, PipeWriter) =
            pipe().map_err(ExecError::system("make a pipe"))?;
        self.env
            .insert(name.to_owned(), theirs.as_raw_fd().to_string().into());
        self.inherit.push(theirs.into());
        Ok((self, ours))
    }
}

/// Runs a short command without a log and returns what it said: for probing tools.
pub fn capture(argv: &[&str], env: Env, timeout: Duration, cancel: &Cancel) -> Finished {
    let command = CommandLine::Exec(argv.iter().map(|&a| a.to_owned()).collect());
    let limits = Limits {
        timeout: Some(timeout),
        grace: Duration::from_millis(100),
        output_max: 16 << 20,
        ..Limits::default()
    };
    run(
        Program::new(command, "/", env)
            .limits(limits)
            .keep_stdout(1 << 20),
        cancel,
    )
}
