//! A job queue: one job at a time on a device, several devices side by side.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::Cancel;
use crate::progress::Progress;

/// Identity of a job in its queue, in order of submission from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Where a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// It waits for its device.
    Queued,
    /// It runs.
    Running {
        /// What it is doing, e.g. `bench`; empty at first.
        phase: String,
        /// Steps done.
        done: u64,
        /// Steps in all; 0 where that is not known.
        total: u64,
        /// Estimated time left in nanoseconds.
        left_ns: Option<u64>,
    },
    /// It ended well.
    Done,
    /// It failed; the message says why.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl JobState {
    /// Whether nothing more will come of the job.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// Something that happened to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEvent {
    /// Which job.
    pub id: JobId,
    /// Its label, as submitted.
    pub label: Arc<str>,
    /// Where it stands now.
    pub state: JobState,
    /// A line for people; empty for mere progress.
    pub message: String,
}

type Work = Box<dyn FnOnce(&JobContext) -> Result<(), String> + Send>;

struct Task {
    id: JobId,
    label: Arc<str>,
    work: Work,
}

struct Entry {
    label: Arc<str>,
    cancel: Cancel,
    started: bool,
}

#[derive(Default)]
struct State {
    last: u64,
    /// Jobs that have not ended.
    open: BTreeMap<JobId, Entry>,
    devices: BTreeMap<String, Sender<Task>>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    idle: Condvar,
    events: Sender<JobEvent>,
}

/// A queue of jobs; dropping it cancels them and waits for their end.
pub struct Queue(Arc<Shared>);

/// What a running job has at hand. It is also where the job tells its progress.
pub struct JobContext {
    /// The job.
    pub id: JobId,
    /// Cancelled when the job is.
    pub cancel: Cancel,
    label: Arc<str>,
    events: Sender<JobEvent>,
    at: Mutex<(String, u64, u64, Option<u64>)>,
}

impl Queue {
    /// An empty queue that reports to `events`.
    pub fn new(events: Sender<JobEvent>) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::default(),
            idle: Condvar::new(),
            events,
        }))
    }

    /// Adds a job for a device. Jobs of one device run in order of submission.
    pub fn submit(
        &self,
        device: &str,
        label: &str,
        work: impl FnOnce(&JobContext) -> Result<(), String> + Send + 'static,
    ) -> JobId {
        let mut state = self.0.lock();
        state.last += 1;
        let id = JobId(state.last);
        let label: Arc<str> = label.into();
        let entry = Entry {
            label: Arc::clone(&label),
            cancel: Cancel::new(),
            started: false,
        };
        state.open.insert(id, entry);
        self.0.tell(id, &label, JobState::Queued, "");
        let task = Task {
            id,
            label: Arc::clone(&label),
            work: Box::new(work),
        };
        if let Err(why) = self.hand_over(&mut state, device, task) {
            state.open.remove(&id);
            self.0.tell(id, &label, JobState::Failed, &why);
        }
        id
    }

    fn hand_over(&self, state: &mut State, device: &str, task: Task) -> Result<(), String> {
        if let Some(sender) = state.devices.get(device) {
            return sender.send(task).map_err(|_| "the worker is gone".into());
        }
        let (sender, tasks) = unbounded();
        let shared = Arc::clone(&self.0);
        let worker = thread::Builder::new()
            .name(format!("job-{device}"))
            .spawn(move || shared.work(&tasks))
            .map_err(|e| format!("no thread for device `{device}`: {e}"))?;
        state.workers.push(worker);
        let sent = sender.send(task).map_err(|_| "the worker is gone".into());
        state.devices.insert(device.to_owned(), sender);
        sent
    }

    /// Cancels a job; says whether there was one that had not ended.
    ///
    /// A job that waits ends at once; one that runs ends when it heeds its token.
    pub fn cancel(&self, id: JobId) -> bool {
        let mut state = self.0.lock();
        let Some(entry) = state.open.get(&id) else {
            return false;
        };
        entry.cancel.cancel();
        if !entry.started {
            let label = Arc::clone(&entry.label);
            let message = "cancelled before it began";
            self.0.tell(id, &label, JobState::Cancelled, message);
            state.open.remove(&id);
            self.0.idle.notify_all();
        }
        true
    }

    /// Cancels every job.
    pub fn cancel_all(&self) {
        let ids: Vec<JobId> = self.0.lock().open.keys().copied().collect();
        for id in ids {
            self.cancel(id);
        }
    }

    /// Jobs that wait or run.
    pub fn busy(&self) -> usize {
        self.0.lock().open.len()
    }

    /// Waits until no job waits or runs, at most `time`; says whether that is so.
    ///
    /// All events of those jobs have been sent then.
    pub fn wait_idle(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut state = self.0.lock();
        while !state.open.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.0.idle.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.cancel_all();
        let workers = {
            let mut state = self.0.lock();
            state.devices.clear();
            std::mem::take(&mut state.workers)
        };
        for worker in workers {
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, id: JobId, label: &Arc<str>, state: JobState, message: &str) {
        // A receiver that is gone wants no events.
        let _ = self.events.send(JobEvent {
            id,
            label: Arc::clone(label),
            state,
            message: message.to_owned(),
        });
    }

    fn work(&self, tasks: &Receiver<Task>) {
        for task in tasks {
            let cancel = match self.lock().open.get_mut(&task.id) {
                None => continue, // cancelled while it waited
                Some(entry) => {
                    entry.started = true;
                    entry.cancel.clone()
                }
            };
            let context = JobContext {
                id: task.id,
                cancel,
                label: Arc::clone(&task.label),
                events: self.events.clone(),
                at: Mutex::default(),
            };
            context.tell("");
            // A job that panics must not take the queue with it.
            let result = catch_unwind(AssertUnwindSafe(|| (task.work)(&context)));
            let (state, message) = match result {
                Ok(Ok(())) => (JobState::Done, String::new()),
                Ok(Err(_)) if context.cancel.is_cancelled() => {
                    (JobState::Cancelled, "cancelled".into())
                }
                Ok(Err(message)) => (JobState::Failed, message),
                Err(panic) => (JobState::Failed, panic_text(&*panic)),
            };
            self.tell(task.id, &task.label, state, &message);
            self.lock().open.remove(&task.id);
            self.idle.notify_all();
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!(
        "a fault in Assay itself: {}",
        text.as_deref().unwrap_or("no text")
    )
}

impl JobContext {
    fn tell(&self, message: &str) {
        let (phase, done, total, left_ns) = self.at().clone();
        let _ = self.events.send(JobEvent {
            id: self.id,
            label: Arc::clone(&self.label),
            state: JobState::Running {
                phase,
                done,
                total,
                left_ns,
            },
            message: message.to_owned(),
        });
    }

    fn at(&self) -> MutexGuard<'_, (String, u64, u64, Option<u64>)> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for JobContext {
    fn stage(&self, name: &str) {
        *self.at() = (name.to_owned(), 0, 0, None);
        self.tell("");
    }

    fn step(&self, done: u64, total: u64, estimate_ns: Option<u64>) {
        {
            let mut at = self.at();
            (at.1, at.2, at.3) = (done, total, estimate_ns);
        }
        self.tell("");
    }

    fn line(&self, text: &str) {
        self.tell(text);
    }
}
