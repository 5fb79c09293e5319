//! Cancellation: a token that many may hold, that wakes whoever waits.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::bounded;

type Waker = Box<dyn Fn() + Send>;

#[derive(Default)]
struct Inner {
    cancelled: AtomicBool,
    next: AtomicU64,
    wakers: Mutex<Vec<(u64, Waker)>>,
    parent: Option<Cancel>,
}

/// A cancellation token; clones are the same token.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Inner>);

impl Cancel {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled with this one, and can be cancelled without it.
    pub fn child(&self) -> Self {
        Self(Arc::new(Inner {
            parent: Some(self.clone()),
            ..Inner::default()
        }))
    }

    /// Cancels; whoever waits wakes up. It cannot be taken back.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        for (_, wake) in self.wakers().iter() {
            wake();
        }
    }

    /// Whether this token or one that it descends from is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
            || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }

    /// Waits until cancelled, at most `time`; says whether it is cancelled.
    pub fn wait(&self, time: Duration) -> bool {
        let (tx, rx) = bounded(1);
        let _guard = self.subscribe(move || {
            let _ = tx.try_send(());
        });
        self.is_cancelled() || {
            let _ = rx.recv_timeout(time);
            self.is_cancelled()
        }
    }

    /// Calls `wake` at every cancellation of this token or an ancestor, until the guard is dropped.
    ///
    /// A token that is already cancelled does not call it: look after subscribing.
    pub(crate) fn subscribe(&self, wake: impl Fn() + Send + Sync + 'static) -> Subscription {
        let wake = Arc::new(wake);
        let mut entries = Vec::new();
        let mut token = Some(self);
        while let Some(t) = token {
            let id = t.0.next.fetch_add(1, Ordering::Relaxed);
            let wake = Arc::clone(&wake);
            t.wakers().push((id, Box::new(move || wake())));
            entries.push((t.clone(), id));
            token = t.0.parent.as_ref();
        }
        Subscription(entries)
    }

    fn wakers(&self) -> MutexGuard<'_, Vec<(u64, Waker)>> {
        self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cancel({})", self.is_cancelled())
    }
}

/// Ends a subscription when dropped.
#[derive(Debug)]
pub(crate) struct Subscription(Vec<(Cancel, u64)>);

impl Drop for Subscription {
    fn drop(&mut self) {
        for (token, id) in &self.0 {
            token.wakers().retain(|(i, _)| i != id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_child_follows_its_parent_and_not_the_other_way_round() {
        let parent = Cancel::new();
        let child = parent.child();
        let other = parent.child();
        other.cancel();
        assert!(other.is_cancelled() && !parent.is_cancelled() && !child.is_cancelled());
        parent.cancel();
        assert!(child.is_cancelled());
    }

    #[test]
    fn waiting_ends_at_once_when_an_ancestor_is_cancelled() {
        let parent = Cancel::new();
        let child = parent.child().child();
        assert!(!child.wait(Duration::ZERO));
        let start = Instant::now();
        std::thread::scope(|s| {
            s.spawn(|| parent.cancel());
            assert!(child.wait(Duration::from_secs(30)));
        });
        assert!(start.elapsed() < Duration::from_secs(10));
        assert!(parent.wakers().is_empty(), "subscriptions are ended");
    }
}
