//! Running the `git` program: no prompts, own process group, a time limit.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Local operations that touch no network.
pub(crate) const LOCAL: Duration = Duration::from_secs(120);

/// Variables that would point git at another repository, e.g. when run from a hook.
const REDIRECTS: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// A `git` command under construction.
pub(crate) struct Git {
    command: Command,
    shown: Vec<String>,
    limit: Duration,
}

/// What a command said and how it ended.
pub(crate) struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Git {
    /// A command on the repository whose git folder is `dir`.
    pub fn on_git_dir(dir: &Path) -> Self {
        let mut git = Self::new(dir);
        git.command.arg("--git-dir").arg(dir);
        git
    }

    /// A command in the work tree `dir`.
    pub fn in_worktree(dir: &Path) -> Self {
        Self::new(dir)
    }

    fn new(cwd: &Path) -> Self {
        let mut command = Command::new("git");
        command
            .current_dir(cwd)
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GIT_MERGE_AUTOEDIT", "no")
            .env("GIT_EDITOR", "true")
            .process_group(0);
        for name in REDIRECTS {
            command.env_remove(name);
        }
        Self {
            command,
            shown: vec!["git".into()],
            limit: LOCAL,
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.shown.push(redact(&arg.as_ref().to_string_lossy()));
        self.command.arg(arg);
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        for arg in args {
            self = self.arg(arg);
        }
        self
    }

    /// Sets a variable.
    pub fn env(mut self, key: &str, value: &str) -> Self {
        self.command.env(key, value);
        self
    }

    /// Sets the time limit.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs it and returns what it said, well or not.
    pub fn output(mut self) -> Result<Output> {
        let shown = self.shown.join(" ");
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().map_err(|source| {
            if source.kind() == std::io::ErrorKind::NotFound {
                Error::NoProgram
            } else {
                Error::Io {
                    action: "starting",
                    path: "git".into(),
                    source,
                }
            }
        })?;
        let (send, receive) = mpsc::channel();
        for (which, pipe) in [
            (
                0,
                child
                    .stdout
                    .take()
                    .map(|p| Box::new(p) as Box<dyn Read + Send>),
            ),
            (
                1,
                child
                    .stderr
                    .take()
                    .map(|p| Box::new(p) as Box<dyn Read + Send>),
            ),
        ] {
            let send = send.clone();
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                if let Some(mut pipe) = pipe {
                    let _ = pipe.read_to_end(&mut bytes);
                }
                let _ = send.send((which, bytes));
            });
        }
        let deadline = Instant::now() + self.limit;
        let mut said = [Vec::new(), Vec::new()];
        for _ in 0..2 {
            match receive.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok((which, bytes)) => said[which] = bytes,
                Err(_) => {
                    stop(&mut child);
                    return Err(Error::Timeout {
                        command: shown,
                        seconds: self.limit.as_secs(),
                    });
                }
            }
        }
        let status = child
            .wait()
            .map_err(Error::io("waiting for", Path::new("git")))?;
        let [stdout, stderr] = said;
        Ok(Output {
            status,
            stdout,
            stderr: tail(&String::from_utf8_lossy(&stderr)),
        })
    }

    /// Runs it and returns its output; a status other than 0 is an error.
    pub fn run(self) -> Result<Vec<u8>> {
        let command = self.shown.join(" ");
        let out = self.output()?;
        if out.status.success() {
            Ok(out.stdout)
        } else {
            Err(failed(command, &out))
        }
    }

    /// The command as shown in errors.
    pub fn shown(&self) -> String {
        self.shown.join(" ")
    }
}

/// The error for a command that ended badly.
pub(crate) fn failed(command: String, out: &Output) -> Error {
    let text = out.stderr.trim();
    if text.contains("No space left on device") || text.contains("Disk quota exceeded") {
        return Error::DiskFull {
            action: format!("running `{command}` in"),
            path: "the repository".into(),
        };
    }
    Error::Program {
        command,
        status: match out.status.code() {
            Some(code) => format!("exit status {code}"),
            None => "killed by a signal".into(),
        },
        stderr: if text.is_empty() {
            "no error output".into()
        } else {
            text.to_owned()
        },
    }
}

fn stop(child: &mut std::process::Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn tail(text: &str) -> String {
    const KEEP: usize = 4096;
    let mut at = text.len().saturating_sub(KEEP);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    text[at..].to_owned()
}

/// Hides a password in an URL.
fn redact(arg: &str) -> String {
    let Some((scheme, rest)) = arg.split_once("://") else {
        return arg.to_owned();
    };
    match rest.split_once('@') {
        Some((user, host)) if !user.contains('/') => {
            let name = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{name}@{host}")
        }
        _ => arg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(redact("https://me:secret@host/x"), "https://me@host/x");
        assert_eq!(redact("https://host/a@b"), "https://host/a@b");
        assert_eq!(redact("origin"), "origin");
    }
}
