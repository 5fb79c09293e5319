//! Jobs: each is a process of its own, and a folder that tells everybody about it.
//!
//! ```text
//! <folder>/<id>/order.json   what was asked for, written by whoever asked
//!              lock          locked by the job's process for as long as it lives
//!              status.json   where it stands, replaced by the job's process
//!              log.<n>       its log from byte <n> on; only the newest two pieces are kept
//!              stderr        what the process said beside it, e.g. when it fell over
//! ```
//!
//! There is no server: whoever looks reads the folders. Whether a job lives is told by its lock,
//! which the kernel frees however its process ends. Jobs of a folder run one after the other, in
//! the order in which they were asked for.

mod log;
mod work;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use assay_core::view::{JobState, JobView};
use assay_core::{RecordId, Timestamp};
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::ExecError;

pub use log::LogPart;
pub use work::{Work, lead_a_session};

/// Jobs that have ended and are kept to be looked at.
const KEPT: usize = 100;

/// How long a process may take from its order to its lock.
const START: Duration = Duration::from_secs(60);

/// Longest file of an order or a status that is read, in bytes.
const FILE_MOST: u64 = 1 << 20;

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Campaign.
    pub campaign: String,
    /// What it does, for people.
    pub title: String,
    /// Variants it is about.
    pub names: Vec<String>,
    /// Arguments of the program, by which it can be asked for again.
    pub args: Vec<String>,
    /// When it was asked for.
    pub asked_at: Timestamp,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Done, failed or cancelled.
    pub state: JobState,
    /// What came of it.
    pub text: String,
}

/// Where a job stands, by its own account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Status {
    pid: u32,
    /// When the process started, in the kernel's ticks: with the number it names one process.
    started_ticks: Option<u64>,
    host: String,
    subject: Option<String>,
    phase: Option<String>,
    done: u64,
    total: u64,
    left_ns: Option<u64>,
    began_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    end: Option<End>,
}

/// The jobs of one folder.
#[derive(Debug, Clone)]
pub struct Jobs {
    folder: PathBuf,
}

/// What is known of one job.
struct Seen {
    id: RecordId,
    order: Order,
    status: Option<Status>,
    state: JobState,
}

impl Jobs {
    /// Jobs that are kept here; the folder need not be there yet.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes an order down and starts its process: `program` with its arguments and the id.
    ///
    /// The process has no terminal and outlives this one. What it must do is in [`Work`].
    ///
    /// # Errors
    /// When the folder cannot be written or the program cannot be started.
    pub fn submit(
        &self,
        order: &Order,
        program: impl FnOnce(RecordId) -> Command,
    ) -> Result<RecordId, ExecError> {
        self.forget_old();
        let id = RecordId::fresh(order.asked_at);
        let folder = self.folder_of(id);
        fs::create_dir_all(&folder).map_err(ExecError::file("make the folder", &folder))?;
        let started = self.start(id, order, program(id));
        if started.is_err() {
            let _ = fs::remove_dir_all(&folder);
        }
        started.map(|()| id)
    }

    fn start(&self, id: RecordId, order: &Order, mut command: Command) -> Result<(), ExecError> {
        let folder = self.folder_of(id);
        write(&folder.join("order.json"), order)?;
        let path = folder.join("stderr");
        let stderr = File::create(&path).map_err(ExecError::file("make", &path))?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .map_err(ExecError::system("start the process of a job"))?;
        // A process that has ended is kept by the kernel until someone asks how.
        std::thread::Builder::new()
            .name("assay-job".into())
            .spawn(move || _ = child.wait())
            .map_err(ExecError::system("start a thread"))?;
        Ok(())
    }

    /// All jobs of a campaign, newest first; those of all campaigns where none is named.
    ///
    /// # Errors
    /// When the folder is there and cannot be read.
    pub fn list(&self, campaign: Option<&str>) -> Result<Vec<JobView>, ExecError> {
        let now = Timestamp::now();
        let mut ids = self.ids()?;
        ids.reverse();
        let seen = ids.into_iter().filter_map(|id| self.look(id, now));
        let of = |s: &Seen| campaign.is_none_or(|c| s.order.campaign == c);
        Ok(seen.filter(of).map(|s| self.view(s, now)).collect())
    }

    /// What was asked for.
    ///
    /// # Errors
    /// When there is no such job.
    pub fn order(&self, id: RecordId) -> Result<Order, ExecError> {
        read(&self.folder_of(id).join("order.json"))
            .ok_or_else(|| ExecError::NoJob { id: id.to_string() })
    }

    /// A part of a job's log, from a byte on; see [`LogPart`].
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn log(&self, id: RecordId, from: u64) -> Result<LogPart, ExecError> {
        log::read(&self.folder_of(id), from)
    }

    /// Asks a job to stop, and says whether there was one to ask: it ends its programs with their
    /// grace period and says so itself.
    ///
    /// # Errors
    /// When there is no such job, it lives on another host, or belongs to another user.
    pub fn cancel(&self, id: RecordId) -> Result<bool, ExecError> {
        let order = self.order(id)?;
        let Some(seen) = self.look(id, Timestamp::now()) else {
            return Ok(false);
        };
        let Some(status) = seen.status.filter(|_| !seen.state.is_over()) else {
            return Ok(false);
        };
        let refused = |why: String| ExecError::NotCancelled {
            title: order.title.clone(),
            why,
        };
        if status.host != work::host() {
            return Err(refused(format!("it runs on {}", status.host)));
        }
        if status.started_ticks != work::started_ticks(status.pid) {
            let why = "its process lives where this one cannot see it, such as in a container";
            return Err(refused(why.into()));
        }
        let pid = i32::try_from(status.pid).ok().and_then(Pid::from_raw);
        match pid.map(|pid| kill_process(pid, Signal::TERM)) {
            Some(Ok(())) => Ok(true),
            Some(Err(rustix::io::Errno::SRCH)) | None => Ok(false),
            Some(Err(e)) => Err(refused(format!("process {}: {e}", status.pid))),
        }
    }

    /// Ids of all jobs, oldest first.
    fn ids(&self) -> Result<Vec<RecordId>, ExecError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(ExecError::file("read the folder", &self.folder)(e)),
        };
        let names = entries.flatten().map(|e| e.file_name());
        let mut ids: Vec<RecordId> = names
            .filter_map(|n| n.to_str().and_then(|n| n.parse().ok()))
            .collect();
        ids.sort();
        Ok(ids)
    }

    fn folder_of(&self, id: RecordId) -> PathBuf {
        self.folder.join(id.to_string())
    }

    /// What is known of a job; nothing where its order cannot be read (yet).
    fn look(&self, id: RecordId, now: Timestamp) -> Option<Seen> {
        let folder = self.folder_of(id);
        let order: Order = read(&folder.join("order.json"))?;
        // First whether it lives, then what it says: what it says last is seen in any case.
        let lives = is_locked(&folder.join("lock"));
        let status: Option<Status> = read(&folder.join("status.json"));
        let state = match &status {
            Some(Status { end: Some(end), .. }) => end.state,
            Some(s) if lives && s.began_at.is_some() => JobState::Running,
            Some(_) if lives => JobState::Queued,
            Some(_) => JobState::Lost,
            None if lives || now.duration_since(order.asked_at).unsigned_abs() < START => {
                JobState::Queued
            }
            None => JobState::Lost,
        };
        Some(Seen {
            id,
            order,
            status,
            state,
        })
    }

    fn view(&self, seen: Seen, now: Timestamp) -> JobView {
        let folder = self.folder_of(seen.id);
        let s = seen.status.as_ref();
        let until = s.and_then(|s| s.ended_at).unwrap_or(now);
        let elapsed = s.and_then(|s| s.began_at).map(|t| until.duration_since(t));
        let lost = seen.state == JobState::Lost;
        let said = || log::tail(&folder.join("stderr")).trim().to_owned();
        let text = |t: Timestamp| t.to_string();
        JobView {
            id: seen.id.to_string(),
            title: seen.order.title,
            names: seen.order.names,
            state: seen.state,
            subject: s.and_then(|s| s.subject.clone()),
            phase: s.and_then(|s| s.phase.clone()),
            done: s.map_or(0, |s| s.done),
            total: s.map_or(0, |s| s.total),
            left_ns: s.and_then(|s| s.left_ns),
            asked_at: text(seen.order.asked_at),
            began_at: s.and_then(|s| s.began_at).map(text),
            ended_at: s.and_then(|s| s.ended_at).map(text),
            // A job that was lost has no end, and nobody knows how long it went on.
            elapsed_ns: elapsed
                .filter(|_| !lost)
                .map(|d| u64::try_from(d.as_nanos()).unwrap_or(0)),
            result: match s.and_then(|s| s.end.clone()) {
                Some(end) => Some(end.text),
                None if lost => Some(said()).filter(|t| !t.is_empty()),
                None => None,
            },
            pid: s.filter(|s| s.host == work::host()).map(|s| s.pid),
            host: s.map(|s| s.host.clone()),
            log_bytes: log::end(&folder),
            folder: folder.display().to_string(),
        }
    }

    /// Whether a job before this one has not ended.
    fn is_behind(&self, id: RecordId) -> Result<bool, ExecError> {
        let now = Timestamp::now();
        let mut before = self.ids()?.into_iter().filter(|other| *other < id);
        Ok(before.any(|other| self.look(other, now).is_some_and(|s| !s.state.is_over())))
    }

    /// Removes the oldest jobs that are over. A failure to do so harms nobody.
    fn forget_old(&self) {
        let now = Timestamp::now();
        let ids = self.ids().unwrap_or_default();
        let over = |id: &RecordId| self.look(*id, now).is_none_or(|s| s.state.is_over());
        let ended: Vec<RecordId> = ids.into_iter().filter(over).collect();
        let most = ended.len().saturating_sub(KEPT);
        for id in &ended[..most] {
            let _ = fs::remove_dir_all(self.folder_of(*id));
        }
    }
}

/// Whether a process holds this lock.
fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Replaces a file by the JSON of a value, at once or not at all.
fn write(path: &Path, value: &impl Serialize) -> Result<(), ExecError> {
    let cannot = |e: io::Error| ExecError::file("write", path)(e);
    let text = serde_json::to_vec(value).map_err(|e| cannot(e.into()))?;
    let beside = path.with_extension("new");
    fs::write(&beside, text).map_err(cannot)?;
    fs::rename(&beside, path).map_err(cannot)
}

/// The value in a file; nothing where there is none that can be read.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    use std::io::Read;
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(FILE_MOST).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
