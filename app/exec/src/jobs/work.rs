//! The process of a job: takes its lock, waits for its turn, tells where it stands.

use std::fs::{self, File, TryLockError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use assay_core::view::JobState;
use assay_core::{RecordId, Timestamp};

use super::log::Log;
use super::{End, Jobs, Order, Status, write};
use crate::progress::{Progress, SAID};
use crate::{Cancel, ExecError};

/// Shortest time between two writes of mere progress.
const PACE: Duration = Duration::from_millis(200);

/// Time between two looks at the jobs before this one.
const LOOK: Duration = Duration::from_millis(250);

/// A job's process, from its lock to its end. It is also where the job tells its progress.
///
/// One that is dropped without an end is seen as lost.
#[derive(Debug)]
pub struct Work {
    jobs: Jobs,
    id: RecordId,
    /// What was asked for.
    pub order: Order,
    /// Held until the process ends.
    _lock: File,
    now: Mutex<Now>,
}

#[derive(Debug)]
struct Now {
    status: Status,
    log: Log,
    written: Option<Instant>,
    /// When the phase began.
    phase_at: Instant,
    /// Why telling failed, which is told once.
    failed: bool,
}

impl Jobs {
    /// Takes up a job in this process.
    ///
    /// # Errors
    /// When there is no such job, another process has taken it up, or its folder cannot be written.
    pub fn take_up(&self, id: RecordId) -> Result<Work, ExecError> {
        let order = self.order(id)?;
        let folder = self.folder_of(id);
        let taken = || ExecError::JobTaken {
            title: order.title.clone(),
        };
        let path = folder.join("lock");
        let lock = File::create(&path).map_err(ExecError::file("make", &path))?;
        // Whoever looks whether it is locked holds it for a moment.
        let until = Instant::now() + Duration::from_secs(1);
        while let Err(e) = lock.try_lock() {
            match e {
                TryLockError::WouldBlock if Instant::now() < until => {
                    Cancel::new().wait(Duration::from_millis(5));
                }
                TryLockError::WouldBlock => return Err(taken()),
                TryLockError::Error(e) => return Err(ExecError::file("lock", &path)(e)),
            }
        }
        if folder.join("status.json").exists() {
            return Err(taken());
        }
        let pid = std::process::id();
        let status = Status {
            pid,
            started_ticks: started_ticks(pid),
            host: host(),
            subject: None,
            phase: None,
            done: 0,
            total: 0,
            left_ns: None,
            began_at: None,
            ended_at: None,
            end: None,
        };
        let log = Log::create(&folder).map_err(ExecError::file("write the log in", &folder))?;
        write(&folder.join("status.json"), &status)?;
        Ok(Work {
            jobs: self.clone(),
            id,
            order,
            _lock: lock,
            now: Mutex::new(Now {
                status,
                log,
                written: None,
                phase_at: Instant::now(),
                failed: false,
            }),
        })
    }
}

impl Work {
    /// Waits until all jobs that were asked for before have ended.
    ///
    /// # Errors
    /// When cancelled meanwhile, or the folder cannot be read.
    pub fn wait_turn(&self, cancel: &Cancel) -> Result<(), ExecError> {
        while self.jobs.is_behind(self.id)? {
            if cancel.wait(LOOK) {
                return Err(ExecError::Cancelled);
            }
        }
        self.tell(true, |now| now.status.began_at = Some(Timestamp::now()));
        Ok(())
    }

    /// Tells how it ended.
    pub fn finish(self, state: JobState, text: &str) {
        self.line(text);
        self.tell(true, |now| {
            now.status.ended_at = Some(Timestamp::now());
            now.status.end = Some(End {
                state,
                text: text.to_owned(),
            });
        });
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is told; `always` or when it was not told a moment ago.
    fn tell(&self, always: bool, change: impl FnOnce(&mut Now)) {
        let mut now = self.now();
        change(&mut now);
        if !always && now.written.is_some_and(|t| t.elapsed() < PACE) {
            return;
        }
        now.written = Some(Instant::now());
        let path = self.jobs.folder_of(self.id).join("status.json");
        // A full disk must not end a measurement that another disk records.
        if let Err(e) = write(&path, &now.status)
            && !std::mem::replace(&mut now.failed, true)
        {
            let _ = now.log.line(&format!("warning: {e}"));
        }
    }

    /// Adds to the log, with the time since the phase began.
    fn log(now: &mut Now, text: &str) {
        for line in text.lines() {
            let _ = now.log.line(line);
        }
    }
}

impl Progress for Work {
    fn stage(&self, name: &str) {
        self.tell(true, |now| {
            let (subject, phase) = match name.rsplit_once(": ") {
                Some((subject, phase)) => (Some(subject.to_owned()), phase),
                None => (None, name),
            };
            if let Some(before) = now.status.phase.take() {
                let took = now.phase_at.elapsed().as_secs_f64();
                Self::log(now, &format!("{before}: {took:.1} s"));
            }
            let s = &mut now.status;
            (s.subject, s.phase) = (subject, Some(phase.to_owned()));
            (s.done, s.total, s.left_ns) = (0, 0, None);
            now.phase_at = Instant::now();
            Self::log(now, &format!("== {name}"));
        });
    }

    fn step(&self, done: u64, total: u64, estimate_ns: Option<u64>) {
        self.tell(done >= total, |now| {
            let s = &mut now.status;
            (s.done, s.total, s.left_ns) = (done, total, estimate_ns);
        });
    }

    fn line(&self, text: &str) {
        Self::log(&mut self.now(), text);
    }

    fn said(&self, text: &str) {
        Self::log(&mut self.now(), &format!("{SAID}{text}"));
    }
}

/// Makes this process lead a session without a terminal, so that the end of one does not reach it.
/// A process that leads its group already has been given its own by whoever started it.
pub fn lead_a_session() {
    let _ = rustix::process::setsid();
}

/// Name of this host.
pub(super) fn host() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

/// When a process started, in ticks of the kernel since it booted; absent where it cannot be told.
pub(super) fn started_ticks(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold anything: what follows is behind its last bracket. Field 22
    // of proc(5).
    let rest = text.rsplit_once(')')?.1;
    rest.split_whitespace().nth(19)?.parse().ok()
}
