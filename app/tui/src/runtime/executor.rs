//! Carries out effects on worker threads.
//!
//! Loads go through one slot for each kind, in which the latest request wins: holding `j` down
//! reads the detail of the row where it stops, not of each row passed. Everything else is done in
//! order by one thread. A panic of the backend becomes an error of that answer.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use assay_core::view::JobView;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::backend::Backend;
use crate::event::{Effect, Event, Load, Loaded};
use crate::state::Log;
use crate::state::report::written;

/// Name of the worker threads.
pub const WORKER: &str = "assay-worker";

/// Time between two looks at the ledger, and at jobs of which none runs.
const WATCH: Duration = Duration::from_secs(1);

/// Time between two looks at jobs of which one waits or runs.
const WATCH_JOBS: Duration = Duration::from_millis(250);

/// The workers. Dropping it stops them after what they are doing.
pub struct Executor {
    shared: Arc<Shared>,
    slots: Vec<Arc<Slot>>,
    queue: Sender<Effect>,
    _watch: Sender<()>,
}

/// Told to look at the jobs at once.
type Poke = Sender<()>;

struct Shared {
    backend: Arc<dyn Backend>,
    events: Sender<Event>,
    poke: Poke,
    busy: AtomicUsize,
    /// Orders, which are also counted as busy, that are not done.
    orders: AtomicUsize,
    /// Ledger version that was last read, once a list was read. Held while we write, so that our
    /// own change is not taken for another's.
    seen: Mutex<Option<Option<String>>>,
}

/// The answer to what was asked.
pub fn answer_to(b: &dyn Backend, load: Load) -> Loaded {
    match load {
        Load::List => Loaded::List(guarded(|| b.list()).map(Box::new)),
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
        Load::Log(lang) => {
            let log = guarded(|| b.log_view());
            Loaded::Log(log.map(|view| Log::new(view, lang)))
        }
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
        Load::JobLog(id, from) => {
            let part = guarded(|| b.job_log(&id, from));
            Loaded::JobLog(id, part)
        }
        Load::Evidence(names) => {
            let rows = guarded(|| b.evidence(&names));
            Loaded::Evidence(names, rows)
        }
        Load::Record(id) => {
            let view = guarded(|| b.record(&id)).map(Box::new);
            Loaded::Record(id, view)
        }
        Load::Standing(name) => {
            let standing = guarded(|| b.standing(&name));
            Loaded::Standing(name, standing)
        }
        Load::Heat => Loaded::Heat(guarded(|| b.heat())),
        Load::Samples(pair) => {
            let sets = guarded(|| b.samples(&pair));
            Loaded::Samples(pair, sets)
        }
    }
}

/// Jobs without what changes by itself as time goes by.
fn timeless(mut jobs: Vec<JobView>) -> Vec<JobView> {
    jobs.iter_mut().for_each(|j| j.elapsed_ns = None);
    jobs
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
        // One is enough: a look that is to come sees what both pokes were about.
        let (poke, poked) = bounded(1);
        let shared = Arc::new(Shared {
            backend,
            events,
            poke,
            busy: AtomicUsize::new(0),
            orders: AtomicUsize::new(0),
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
        let own = shared.clone();
        worker(move || own.watch_jobs(&poked));
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
            order => {
                self.shared.busy.fetch_add(1, Ordering::SeqCst);
                self.shared.orders.fetch_add(1, Ordering::SeqCst);
                // The receiver lives as long as the queue.
                let _ = self.queue.send(order);
            }
        }
    }

    /// Effects taken and not yet answered. Tests wait for 0 instead of sleeping.
    pub fn busy(&self) -> usize {
        self.shared.busy.load(Ordering::SeqCst)
    }

    /// Waits until all orders were carried out, such as a decision that is being written, or the
    /// time is over.
    pub fn farewell(&self, inbox: &Receiver<Event>, patience: Duration) {
        let until = Instant::now() + patience;
        // Every order answers with an event when it is done.
        while self.shared.orders.load(Ordering::SeqCst) > 0 && inbox.recv_deadline(until).is_ok() {}
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
        let b = &*self.backend;
        let listed = load == Load::List;
        let version = listed.then(|| guarded(|| Ok(b.ledger_version())).unwrap_or_default());
        let answer = answer_to(b, load);
        if let Some(version) = version {
            let read_only = guarded(|| Ok(b.read_only())).unwrap_or_default();
            let _ = self.events.send(Event::ReadOnly(read_only));
            *lock(&self.seen) = Some(version);
        }
        self.answer(Event::Loaded(answer));
    }

    fn order(&self, order: Effect) {
        let answer = self.carry_out(order);
        self.orders.fetch_sub(1, Ordering::SeqCst);
        self.answer(answer);
    }

    fn carry_out(&self, order: Effect) -> Event {
        let b = &self.backend;
        let answer = match order {
            Effect::Decide {
                name,
                kind,
                reason,
                overrides,
                seen,
            } => {
                let seen = seen.as_deref();
                let done = self.writing(|| b.decide(&name, kind, &reason, &overrides, seen));
                Loaded::Decided(name, kind, done)
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
            Effect::Run(names) => Loaded::RunStarted(self.on_jobs(|| b.run(&names))),
            Effect::RunAgain(id) => Loaded::RunStarted(self.on_jobs(|| b.run_again(&id))),
            Effect::Cancel(id) => {
                let done = self.on_jobs(|| b.cancel(&id));
                Loaded::Cancelled(id, done)
            }
            // The rest are not orders; the count is settled all the same.
            _ => return Event::Notice(Err("not an order".into())),
        };
        Event::Loaded(answer)
    }

    fn writing<T>(&self, f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let mut seen = lock(&self.seen);
        let done = guarded(f);
        if seen.is_some() {
            *seen = Some(guarded(|| Ok(self.backend.ledger_version())).unwrap_or_default());
        }
        done
    }

    /// Does something about jobs, which are looked at again right after.
    fn on_jobs<T>(&self, f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let done = guarded(f);
        let _ = self.poke.try_send(());
        done
    }

    /// Tells of the jobs whenever they stand otherwise than before.
    fn watch_jobs(&self, poked: &Receiver<()>) {
        let mut told = None;
        loop {
            let now = guarded(|| self.backend.jobs());
            let open = |jobs: &Vec<JobView>| jobs.iter().any(|j| !j.state.is_over());
            let pause = if now.as_ref().is_ok_and(open) {
                WATCH_JOBS
            } else {
                WATCH
            };
            let stands = now.clone().map(timeless);
            if told.as_ref() != Some(&stands) {
                told = Some(stands);
                if self.events.send(Event::Jobs(now)).is_err() {
                    return;
                }
            }
            if poked.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    /// Notices a ledger that was changed by someone else, or that is gone.
    fn watch(&self, stopped: &Receiver<()>) {
        // One look that fails is no news: a disk may be slow, a lock may be held.
        let mut missed = false;
        while stopped.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
            let mut seen = lock(&self.seen);
            let Some(before) = seen.as_ref() else {
                continue;
            };
            let now = guarded(|| Ok(self.backend.ledger_version())).unwrap_or_default();
            let missed_before = std::mem::replace(&mut missed, now.is_none());
            if (now.is_some() || missed_before) && now != *before {
                *seen = Some(now);
                let _ = self.events.send(Event::LedgerChanged);
            }
        }
    }
}
