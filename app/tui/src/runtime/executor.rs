//! Carries out effects on worker threads.
//!
//! Loads go through one slot for each kind, in which the latest request wins: holding `j` down
//! reads the detail of the row where it stops, not of each row passed. Everything else is done in
//! order by one thread. A panic of the backend becomes an error of that answer.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::backend::{Backend, JobHandle, JobSink};
use crate::event::{Effect, Event, Load, Loaded};
use crate::state::report::written;

/// Name of the worker threads.
pub const WORKER: &str = "assay-worker";

/// Time between two looks at the ledger.
const WATCH: Duration = Duration::from_secs(1);

/// Jobs that have not finished.
pub type JobTable = Arc<Mutex<HashMap<String, JobHandle>>>;

/// The workers. Dropping it stops them after what they are doing.
pub struct Executor {
    shared: Arc<Shared>,
    slots: Vec<Arc<Slot>>,
    queue: Sender<Effect>,
    _watch: Sender<()>,
}

struct Shared {
    backend: Arc<dyn Backend>,
    events: Sender<Event>,
    jobs: JobTable,
    busy: AtomicUsize,
    /// Ledger version that was last read, once a list was read. Held while we write, so that our
    /// own change is not taken for another's.
    seen: Mutex<Option<Option<String>>>,
}

#[derive(Default)]
struct Slot {
    next: Mutex<Next>,
    wake: Condvar,
}

#[derive(Default)]
struct Next {
    load: Option<Load>,
    stop: bool,
}

/// A lock whose holder panicked still guards plain data here.
fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a panic said.
pub fn panic_text(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}

fn guarded<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|p| {
        Err(format!(
            "internal error: {}; please report it with the command you ran",
            panic_text(&*p)
        ))
    })
}

/// Starts a worker; without one its work is never done, so a failure to start is a panic of the
/// UI thread, which gives the terminal back and says why.
fn worker(f: impl FnOnce() + Send + 'static) {
    thread::Builder::new()
        .name(WORKER.into())
        .spawn(f)
        .expect("threads can be started");
}

impl Executor {
    /// Starts the workers; answers go to `events`.
    pub fn new(backend: Arc<dyn Backend>, events: Sender<Event>) -> Self {
        let shared = Arc::new(Shared {
            backend,
            events,
            jobs: JobTable::default(),
            busy: AtomicUsize::new(0),
            seen: Mutex::new(None),
        });
        let slots: Vec<Arc<Slot>> = (0..Load::SLOTS).map(|_| Arc::default()).collect();
        for slot in &slots {
            let (shared, slot) = (shared.clone(), slot.clone());
            worker(move || {
                while let Some(load) = slot.take() {
                    shared.load(load);
                }
            });
        }
        let (queue, orders) = unbounded::<Effect>();
        let own = shared.clone();
        worker(move || orders.into_iter().for_each(|order| own.order(order)));
        let (watch, stopped) = bounded(0);
        let own = shared.clone();
        worker(move || own.watch(&stopped));
        Self {
            shared,
            slots,
            queue,
            _watch: watch,
        }
    }

    /// Takes a load or an order; returns at once. Effects on the terminal are not for it.
    pub fn submit(&self, effect: Effect) {
        match effect {
            Effect::Load(load) => {
                self.shared.busy.fetch_add(1, Ordering::SeqCst);
                let slot = &self.slots[load.slot()];
                if lock(&slot.next).load.replace(load).is_some() {
                    self.shared.busy.fetch_sub(1, Ordering::SeqCst);
                }
                slot.wake.notify_one();
            }
            Effect::Cancel(id) => {
                if let Some(job) = lock(&self.shared.jobs).get(&id) {
                    job.cancel();
                }
            }
            order => {
                self.shared.busy.fetch_add(1, Ordering::SeqCst);
                // The receiver lives as long as the queue.
                let _ = self.queue.send(order);
            }
        }
    }

    /// Effects taken and not yet answered. Tests wait for 0 instead of sleeping.
    pub fn busy(&self) -> usize {
        self.shared.busy.load(Ordering::SeqCst)
    }

    /// Jobs that have not finished.
    pub fn jobs(&self) -> JobTable {
        self.shared.jobs.clone()
    }

    /// Cancels all jobs and waits until they have ended, or the time is over.
    pub fn farewell(&self, inbox: &Receiver<Event>, patience: Duration) {
        cancel_all(&self.shared.jobs);
        let until = Instant::now() + patience;
        while running(&self.shared.jobs) && inbox.recv_deadline(until).is_ok() {}
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        for slot in &self.slots {
            lock(&slot.next).stop = true;
            slot.wake.notify_one();
        }
    }
}

/// Whether a job has not ended.
pub fn running(jobs: &JobTable) -> bool {
    !lock(jobs).is_empty()
}

/// Asks all jobs to stop.
pub fn cancel_all(jobs: &JobTable) {
    let all: Vec<JobHandle> = lock(jobs).values().cloned().collect();
    all.iter().for_each(JobHandle::cancel);
}

impl Slot {
    fn take(&self) -> Option<Load> {
        let mut next = lock(&self.next);
        loop {
            if next.stop {
                return None;
            }
            if let Some(load) = next.load.take() {
                return Some(load);
            }
            next = self.wake.wait(next).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Shared {
    fn answer(&self, event: Event) {
        // Nobody listens once the interface is left.
        let _ = self.events.send(event);
        self.busy.fetch_sub(1, Ordering::SeqCst);
    }

    fn load(&self, load: Load) {
        let b = &self.backend;
        let answer = match load {
            Load::List => {
                let version = guarded(|| Ok(b.ledger_version())).unwrap_or_default();
                let list = guarded(|| b.list()).map(Box::new);
                *lock(&self.seen) = Some(version);
                Loaded::List(list)
            }
            Load::Show(name) => {
                let show = guarded(|| b.show(&name)).map(Box::new);
                Loaded::Show(name, show)
            }
            Load::Compare(names) => {
                let view = guarded(|| b.compare(&names)).map(Box::new);
                Loaded::Compare(names, view)
            }
            Load::Diff(key) => {
                let diff = guarded(|| b.diff(&key));
                Loaded::Diff(key, diff.map(Arc::new))
            }
            Load::Log => Loaded::Log(guarded(|| b.log_view())),
            Load::Page(lang) => Loaded::Page(lang, guarded(|| b.report_text(lang).map(written))),
            Load::Checks(lang) => Loaded::Checks(lang, guarded(|| b.report_checks(lang))),
            Load::Profile(key) => {
                let view = guarded(|| b.profile(&key)).map(Arc::new);
                Loaded::Profile(key, view)
            }
            Load::Findings(name) => {
                let view = guarded(|| b.findings(&name)).map(Box::new);
                Loaded::Findings(name, view)
            }
            Load::Heat => Loaded::Heat(guarded(|| b.heat())),
            Load::Samples(pair) => {
                let sets = guarded(|| b.samples(&pair));
                Loaded::Samples(pair, sets)
            }
        };
        self.answer(Event::Loaded(answer));
    }

    fn order(self: &Arc<Self>, order: Effect) {
        let b = &self.backend;
        let answer = match order {
            Effect::Decide {
                name,
                kind,
                reason,
                overrides,
            } => {
                let done = self.writing(|| b.decide(&name, kind, &reason, &overrides));
                Loaded::Decided(name, done)
            }
            Effect::Create { name, parent, why } => {
                let done = self.writing(|| b.create(&name, parent.as_deref(), &why));
                Loaded::Created(name, done)
            }
            Effect::Report => Loaded::Report(guarded(|| b.report())),
            Effect::SaveTable { name, text } => {
                let path = guarded(|| b.save(&name, &text));
                Loaded::Exported(path.map(|p| vec![p]))
            }
            Effect::Edit(name) => {
                let place = guarded(|| b.edit(&name));
                Loaded::Edit(name, place)
            }
            Effect::Commit(name) => Loaded::Committed(self.writing(|| b.commit(&name))),
            Effect::Export(order) => Loaded::Exported(guarded(|| b.export(&order))),
            Effect::Run(names) => Loaded::RunStarted(self.run(&names)),
            // The rest are not orders; the count is settled all the same.
            _ => return self.answer(Event::Notice(Err("not an order".into()))),
        };
        self.answer(Event::Loaded(answer));
    }

    fn writing(&self, f: impl FnOnce() -> Result<String, String>) -> Result<String, String> {
        let mut seen = lock(&self.seen);
        let done = guarded(f);
        if seen.is_some() {
            *seen = Some(guarded(|| Ok(self.backend.ledger_version())).unwrap_or_default());
        }
        done
    }

    /// Starts a run. Its handle stays in the table until its last update, which may come before
    /// the backend returns the handle: such a job is never put there.
    fn run(self: &Arc<Self>, names: &[String]) -> Result<String, String> {
        let own = self.clone();
        let ended = Arc::new(Mutex::new(Vec::<String>::new()));
        let seen = ended.clone();
        let sink = JobSink::new(move |update| {
            if update.finished.is_some() {
                lock(&seen).push(update.job.clone());
                lock(&own.jobs).remove(&update.job);
            }
            let _ = own.events.send(Event::Job(update));
        });
        let handle = guarded(|| self.backend.run(names, sink))?;
        let id = handle.id().to_owned();
        // Locked until the handle is in the table, so that no end slips in between.
        let ended = lock(&ended);
        if !ended.contains(&id) {
            lock(&self.jobs).insert(id.clone(), handle);
        }
        Ok(id)
    }

    /// Notices a ledger that was changed by someone else.
    fn watch(&self, stopped: &Receiver<()>) {
        while stopped.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
            let mut seen = lock(&self.seen);
            let Some(before) = seen.as_ref() else {
                continue;
            };
            let now = guarded(|| Ok(self.backend.ledger_version())).unwrap_or_default();
            if now.is_some() && now != *before {
                *seen = Some(now);
                let _ = self.events.send(Event::LedgerChanged);
            }
        }
    }
}
