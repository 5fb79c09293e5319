//! The loop that drives one program from start to end.

use std::io::{self, PipeReader, PipeWriter, Write, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::log::Log;
use super::{Finished, Limits, Outcome, Program, Sink, strays};
use crate::{Cancel, child_setup};

const TAIL: usize = 16 << 10;

/// Runs a program to its end, whatever that is. Blocks; safe to call from any thread.
///
/// The calling thread must live until this returns: the child is killed when it ends.
pub fn run(program: Program<'_>, cancel: &Cancel) -> Finished {
    if cancel.is_cancelled() {
        return Finished::not_started(Outcome::Cancelled);
    }
    match start(program) {
        Ok((mut running, child)) => running.drive(child, cancel),
        Err(why) => Finished::not_started(Outcome::SpawnFailed(why)),
    }
}

enum Target<'a> {
    Log,
    Stdout,
    Channel(Sink<'a>),
}

struct Source<'a> {
    fd: Option<OwnedFd>,
    sink: Target<'a>,
}

struct Running<'a> {
    /// What all carry that this program starts.
    mark: String,
    started: Instant,
    limits: Limits,
    log: Log,
    path: Option<std::path::PathBuf>,
    sources: Vec<Source<'a>>,
    stdout: Vec<u8>,
    stdout_max: usize,
    on_output: Option<Sink<'a>>,
}

fn start(program: Program<'_>) -> Result<(Running<'_>, Child), String> {
    let argv = program.command.argv();
    let Some((name, args)) = argv.split_first() else {
        return Err("the command is empty".into());
    };
    let pipes = || pipe().map_err(|e| format!("no pipe: {e}"));
    let log = Log::open(
        program.log.as_deref(),
        program.append,
        program.limits.log_kept,
    )
    .map_err(|e| {
        let path = program.log.clone().unwrap_or_default();
        format!("cannot open the log `{}`: {e}", path.display())
    })?;
    let mark = strays::mark();
    let mut command = Command::new(name);
    command
        .args(args)
        .current_dir(&program.cwd)
        .env_clear()
        .envs(&program.env)
        .env(strays::MARK, &mark)
        .stdin(Stdio::null())
        .process_group(0);
    let (ours, theirs) = pipes()?;
    let mut sources = vec![Source {
        fd: Some(ours.into()),
        sink: Target::Log,
    }];
    command.stderr(theirs.try_clone().map_err(|e| format!("no pipe: {e}"))?);
    if program.keep_stdout.is_some() {
        let (ours, theirs) = pipes()?;
        command.stdout(theirs);
        sources.push(Source {
            fd: Some(ours.into()),
            sink: Target::Stdout,
        });
    } else {
        command.stdout(theirs);
    }
    sources.extend(program.channels.into_iter().map(|(fd, sink)| Source {
        fd: Some(fd),
        sink: Target::Channel(sink),
    }));
    child_setup::prepare(&mut command, program.inherit);
    let started = Instant::now();
    let child = command.spawn().map_err(|e| {
        let cwd = program.cwd.display();
        if program.cwd.is_dir() {
            format!("`{name}`: {e} (in `{cwd}`)")
        } else {
            format!("the folder `{cwd}` does not exist")
        }
    })?;
    // The command still holds our copies of the child's ends; without this no end of file comes.
    drop(command);
    let running = Running {
        mark,
        started,
        limits: program.limits,
        log,
        path: program.log,
        sources,
        stdout: Vec::new(),
        stdout_max: program.keep_stdout.unwrap_or(0),
        on_output: program.on_output,
    };
    Ok((running, child))
}

/// What a loop knows about the end of its program.
#[derive(Default)]
struct Ending {
    /// Why we are stopping it, if we are.
    stop: Option<Outcome>,
    /// When the group gets KILL.
    kill_at: Option<Instant>,
    /// When we stop waiting after KILL.
    give_up_at: Option<Instant>,
    /// The leader has ended (and is a zombie until we reap it).
    leader_ended: bool,
    lingered: bool,
}

impl Running<'_> {
    fn drive(&mut self, mut child: Child, cancel: &Cancel) -> Finished {
        let group = Pid::from_child(&child);
        let wake = match Wake::watch(group, cancel) {
            Ok(wake) => wake,
            Err(e) => {
                let _ = kill_process_group(group, Signal::KILL);
                let _ = child.wait();
                return Finished::not_started(Outcome::SpawnFailed(format!(
                    "cannot watch the program: {e}"
                )));
            }
        };
        let mut end = Ending::default();
        let mut buffer = vec![0u8; 64 << 10];
        loop {
            end.leader_ended = wake.leader_ended.load(Ordering::SeqCst);
            let open = self.sources.iter().any(|s| s.fd.is_some());
            if end.leader_ended && !open {
                break;
            }
            let now = Instant::now();
            self.stop_if_due(&mut end, group, cancel, now);
            if end.kill_at.is_some_and(|t| now >= t) {
                let _ = kill_process_group(group, Signal::KILL);
                end.lingered |= end.leader_ended;
                end.kill_at = None;
                end.give_up_at = Some(now + self.limits.give_up);
            }
            if end.give_up_at.is_some_and(|t| now >= t) {
                break;
            }
            let deadline = [end.kill_at, end.give_up_at, self.timeout_at(&end)]
                .into_iter()
                .flatten()
                .min();
            self.wait(&wake, deadline.map(|t| t - now.min(t)), &mut buffer);
        }
        self.finish(child, group, end)
    }

    fn timeout_at(&self, end: &Ending) -> Option<Instant> {
        let running = end.stop.is_none() && !end.leader_ended;
        self.limits
            .timeout
            .filter(|_| running)
            .map(|t| self.started + t)
    }

    fn stop_if_due(&self, end: &mut Ending, group: Pid, cancel: &Cancel, now: Instant) {
        if end.leader_ended {
            // Whoever still holds the output gets a moment to write what it has.
            if end.kill_at.is_none() && end.give_up_at.is_none() {
                end.kill_at = Some(now + self.limits.linger);
            }
            return;
        }
        if end.stop.is_some() {
            return;
        }
        let stop = if cancel.is_cancelled() {
            Outcome::Cancelled
        } else if self.timeout_at(end).is_some_and(|t| now >= t) {
            Outcome::TimedOut(self.limits.timeout.unwrap_or_default())
        } else if self.log.total() > self.limits.output_max {
            Outcome::OutputLimit(self.log.total())
        } else {
            return;
        };
        let _ = kill_process_group(group, Signal::TERM);
        // A stopped process cannot act on TERM.
        let _ = kill_process_group(group, Signal::CONT);
        end.stop = Some(stop);
        end.kill_at = Some(now + self.limits.grace);
    }

    /// Waits for the next event, at most `time`, and takes what output there is.
    fn wait(&mut self, wake: &Wake, time: Option<Duration>, buffer: &mut [u8]) {
        let mut ready = Vec::with_capacity(self.sources.len());
        {
            let mut polled = vec![PollFd::new(&wake.reader, PollFlags::IN)];
            let mut index = Vec::with_capacity(self.sources.len());
            for (i, source) in self.sources.iter().enumerate() {
                if let Some(fd) = &source.fd {
                    polled.push(PollFd::new(fd, PollFlags::IN));
                    index.push(i);
                }
            }
            // A timeout is rounded up, or the loop would spin through the last millisecond.
            let time = time
                .map(|t| t + Duration::from_micros(100))
                .and_then(|t| Timespec::try_from(t).ok());
            match poll(&mut polled, time.as_ref()) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            if !polled[0].revents().is_empty() {
                let _ = rustix::io::read(&wake.reader, &mut [0u8; 64]);
            }
            for (fd, i) in polled[1..].iter().zip(index) {
                if !fd.revents().is_empty() {
                    ready.push(i);
                }
            }
        }
        for i in ready {
            self.take(i, buffer);
        }
    }

    fn take(&mut self, i: usize, buffer: &mut [u8]) {
        let source = &mut self.sources[i];
        let Some(fd) = &source.fd else { return };
        let n = match rustix::io::read(fd, &mut *buffer) {
            Ok(0) => {
                source.fd = None;
                return;
            }
            Ok(n) => n,
            Err(Errno::INTR | Errno::AGAIN) => return,
            Err(_) => {
                source.fd = None;
                return;
            }
        };
        let bytes = &buffer[..n];
        match &mut source.sink {
            Target::Channel(sink) => return sink(bytes),
            Target::Stdout => {
                let room = self.stdout_max - self.stdout.len();
                self.stdout.extend_from_slice(&bytes[..n.min(room)]);
            }
            Target::Log => {}
        }
        self.log.push(bytes);
        if let Some(sink) = &mut self.on_output {
            sink(bytes);
        }
    }

    fn finish(&mut self, mut child: Child, group: Pid, end: Ending) -> Finished {
        let mut problems = Vec::new();
        let stopped = end.stop.is_some();
        let outcome = if end.leader_ended {
            // Children that closed the output may still run. The leader is a zombie, so the
            // number of the group is still ours.
            let _ = kill_process_group(group, Signal::KILL);
            let status = child.wait();
            match (end.stop, status) {
                (Some(stop), _) => stop,
                (None, Ok(status)) => match (status.code(), status.signal()) {
                    (Some(code), _) => Outcome::Exited(code),
                    (None, Some(signal)) => Outcome::Signalled(signal),
                    (None, None) => Outcome::Lost(status.to_string()),
                },
                (None, Err(e)) => Outcome::Lost(e.to_string()),
            }
        } else {
            problems.push(format!(
                "process {} does not end on KILL; a driver may hold it",
                child.id()
            ));
            end.stop
                .unwrap_or_else(|| Outcome::Lost("it does not end on KILL".into()))
        };
        if stopped {
            problems.extend(strays::kill(&self.mark));
        }
        if self.sources.iter().any(|s| s.fd.is_some()) {
            problems.push(
                "a process outside the group still holds the output; the log may lack its end"
                    .into(),
            );
        }
        if end.lingered {
            problems.push("children went on when the program had ended, and were stopped".into());
        }
        let cut_bytes = self.log.finish();
        problems.extend(self.log.problem());
        Finished {
            outcome,
            wall: self.started.elapsed(),
            log: self.path.take(),
            output_bytes: self.log.total(),
            cut_bytes,
            tail: self.log.tail(TAIL),
            stdout: std::mem::take(&mut self.stdout),
            lingered: end.lingered,
            problems,
        }
    }
}

/// Wakes the loop when the leader ends or the token is cancelled.
struct Wake {
    reader: PipeReader,
    leader_ended: Arc<AtomicBool>,
    _subscription: crate::cancel::Subscription,
}

impl Wake {
    fn watch(leader: Pid, cancel: &Cancel) -> io::Result<Self> {
        let (reader, writer) = pipe()?;
        let writer = Arc::new(writer);
        let leader_ended = Arc::new(AtomicBool::new(false));
        let (flag, bell) = (Arc::clone(&leader_ended), Arc::clone(&writer));
        thread::Builder::new()
            .name("assay-wait".into())
            .stack_size(64 << 10)
            .spawn(move || {
                // NOWAIT leaves the zombie, so that the process number cannot be reused yet.
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                while matches!(waitid(WaitId::Pid(leader), options), Err(Errno::INTR)) {}
                flag.store(true, Ordering::SeqCst);
                ring(&bell);
            })?;
        let subscription = cancel.subscribe(move || ring(&writer));
        Ok(Self {
            reader,
            leader_ended,
            _subscription: subscription,
        })
    }
}

fn ring(bell: &PipeWriter) {
    let mut bell = bell;
    let _ = bell.write(&[1]);
}
