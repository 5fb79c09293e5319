//! Reads keys, and notices that the terminal has gone.
//!
//! The terminal library spins for ever when its terminal vanishes while it waits. So it never
//! waits here: the threads wait in `poll`, together with a pipe that tells them to stop, and the
//! library is called only when there is something to read. It is built to read the terminal by its
//! level (`use-dev-tty`): waiting for edges, it forgets a key that comes with a new size.

use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use crossterm::event::{self as input, MouseButton, MouseEventKind};
use rustix::event::{PollFd, PollFlags, poll};

use super::signals;
use crate::event::Event;

/// How long a thread may take to stop; one that the library does not give back is left behind.
const JOIN: Duration = Duration::from_millis(500);

/// The input threads; dropping it stops and joins them.
pub struct Input {
    stop: Option<OwnedFd>,
    threads: Vec<JoinHandle<()>>,
}

/// How long the library may look for an event. With no time at all it does not look, and hands
/// over nothing of what it has read.
const PATIENCE: Duration = Duration::from_millis(20);

/// What `poll` found.
enum Ready {
    Data,
    Stop,
    Gone,
}

impl Input {
    /// Starts reading; keys go to `events`.
    pub fn read(events: Sender<Event>) -> io::Result<Self> {
        let (wait, stop) = rustix::pipe::pipe()?;
        let tty = tty()?;
        let (wait2, tty2) = (wait.try_clone()?, tty.try_clone()?);
        let reader = thread::Builder::new()
            .name("assay-input".into())
            .spawn(move || {
                loop {
                    match ready(&tty, &wait, PollFlags::IN) {
                        Ready::Data if drain(&events) => {}
                        Ready::Data | Ready::Stop => return,
                        Ready::Gone => signals::leave(signals::HANGUP),
                    }
                }
            })?;
        // A second thread, because the reader may be inside the library when the terminal goes.
        let watchdog = thread::Builder::new()
            .name("assay-watchdog".into())
            .spawn(move || {
                if let Ready::Gone = ready(&tty2, &wait2, PollFlags::empty()) {
                    signals::leave(signals::HANGUP);
                }
            })?;
        Ok(Self {
            stop: Some(stop),
            threads: vec![reader, watchdog],
        })
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        // Closing the pipe wakes both threads.
        self.stop.take();
        let until = Instant::now() + JOIN;
        for t in self.threads.drain(..) {
            while !t.is_finished() && Instant::now() < until {
                thread::sleep(Duration::from_millis(1));
            }
            if t.is_finished() {
                let _ = t.join();
            }
        }
    }
}

/// The same terminal as the library reads.
fn tty() -> io::Result<OwnedFd> {
    if io::stdin().is_terminal() {
        io::stdin().as_fd().try_clone_to_owned()
    } else {
        std::fs::File::open("/dev/tty").map(Into::into)
    }
}

fn ready(tty: &OwnedFd, stop: &OwnedFd, want: PollFlags) -> Ready {
    loop {
        let mut fds = [PollFd::new(tty, want), PollFd::new(stop, PollFlags::IN)];
        match poll(&mut fds, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return Ready::Gone,
            Ok(_) => {}
        }
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        // A terminal that has gone comes first: the loop stops too, because it cannot draw, while
        // the reader may never come back from the library.
        if fds[0].revents().intersects(gone) {
            return Ready::Gone;
        } else if !fds[1].revents().is_empty() {
            return Ready::Stop;
        } else if fds[0].revents().contains(PollFlags::IN) {
            return Ready::Data;
        }
    }
}

/// Hands over all events that are there; false when nobody takes them any more.
fn drain(events: &Sender<Event>) -> bool {
    loop {
        match input::poll(PATIENCE) {
            Ok(true) => {}
            Ok(false) | Err(_) => return true,
        }
        let event = match input::read() {
            Ok(input::Event::Key(key)) => Event::Key(key),
            Ok(input::Event::Paste(text)) => Event::Paste(text),
            Ok(input::Event::FocusGained) => Event::FocusGained,
            Ok(input::Event::Mouse(m)) => match m.kind {
                MouseEventKind::ScrollUp => Event::Wheel(-1, m.column, m.row),
                MouseEventKind::ScrollDown => Event::Wheel(1, m.column, m.row),
                MouseEventKind::Down(MouseButton::Left) => Event::Click(m.column, m.row),
                _ => continue,
            },
            // A new size too: the thread of the signals has told of it, without waiting for a key.
            Ok(_) => continue,
            Err(_) => return true,
        };
        if events.send(event).is_err() {
            return false;
        }
    }
}
