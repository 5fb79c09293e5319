//! Signals, on a thread of their own: leaving never depends on the loop or the input.

use std::io;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::{Handle, Signals as Source};

use super::terminal::{self, give_back};
use crate::event::Event;

/// The signal of a terminal that has gone.
pub const HANGUP: i32 = SIGHUP;

/// Time for giving the terminal back. One that is stopped (Ctrl-s) takes nothing, so it is not
/// waited for without end.
const PATIENCE: Duration = Duration::from_secs(3);

/// The signal thread; dropping it ends it.
pub struct Signals {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Signals {
    /// Starts listening.
    pub fn watch(events: Sender<Event>) -> io::Result<Self> {
        let mut source =
            Source::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGCONT, SIGTSTP])?;
        let handle = source.handle();
        let thread = thread::Builder::new()
            .name("assay-signals".into())
            .spawn(move || {
                for signal in source.forever() {
                    let event = match signal {
                        // While an editor has the terminal, its keys are its own; when it stops
                        // itself we stop with it, or no shell would ever continue it.
                        SIGINT | SIGQUIT | SIGCONT if terminal::away() => continue,
                        SIGTSTP if terminal::away() => {
                            let _ = kill_process(getpid(), Signal::STOP);
                            continue;
                        }
                        SIGWINCH => match crossterm::terminal::size() {
                            Ok((w, h)) => Event::Resize(w, h),
                            Err(_) => continue,
                        },
                        SIGCONT => Event::Resumed,
                        SIGTSTP => Event::SuspendRequested,
                        signal => leave(signal),
                    };
                    if events.send(event).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            handle,
            thread: Some(thread),
        })
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(t) = self.thread.take() {
            let _ = t.join();
        }
    }
}

/// Gives the terminal back, ends the process with 128 + signal. Jobs are processes of their own and
/// go on.
pub fn leave(signal: i32) -> ! {
    let (done, wait) = bounded::<()>(0);
    // On a thread of its own, because it may block.
    let _ = thread::Builder::new().spawn(move || {
        give_back();
        drop(done);
    });
    let _ = wait.recv_timeout(PATIENCE);
    std::process::exit(128 + signal)
}
