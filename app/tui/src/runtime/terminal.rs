//! The state of the terminal: taken on entry, given back on every way out.

use std::io;
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crossbeam_channel::Sender;
use crossterm::event::{EnableBracketedPaste, EnableFocusChange};
use crossterm::terminal::{EnterAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use rustix::process::{Signal, getpid, getsid, kill_current_process_group};

use super::executor::{WORKER, panic_text};
use crate::event::Event;
use crate::options::Notify;

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether an editor has it until it ends.
static AWAY: AtomicBool = AtomicBool::new(false);

/// Whether the mouse is reported.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Buttons and the wheel, in a form that holds any column; movement is not reported.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1000l";

/// End of a synchronized update, mouse off, focus reports off, bracketed paste off, plain style, main screen,
/// cursor shown. Written with one system call: any thread may do it, whatever locks are held.
const GIVE_BACK: &[u8] =
    b"\x1b[?2026l\x1b[?1006l\x1b[?1000l\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?1049l\x1b[?25h";

/// Takes the terminal.
fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        EnableBracketedPaste,
        EnableFocusChange,
        cursor::Hide
    )?;
    if MOUSE.load(Ordering::SeqCst) {
        rustix::io::write(rustix::stdio::stdout(), MOUSE_ON)?;
    }
    Ok(())
}

/// Has the mouse reported, or no longer.
pub fn mouse(on: bool) -> io::Result<()> {
    MOUSE.store(on, Ordering::SeqCst);
    let bytes = if on { MOUSE_ON } else { MOUSE_OFF };
    rustix::io::write(rustix::stdio::stdout(), bytes)?;
    Ok(())
}

/// Rings the bell, or asks the terminal for a notification of one line of inert text; tmux passes
/// that on where it is allowed to (`allow-passthrough`).
pub fn notify(by: Notify, tmux: bool, text: &str) -> io::Result<()> {
    let bytes = match (by, tmux) {
        (Notify::Off, _) => return Ok(()),
        (Notify::Bell, _) => "\x07".to_owned(),
        (Notify::Desktop, false) => format!("\x1b]9;{text}\x07"),
        (Notify::Desktop, true) => format!("\x1bPtmux;\x1b\x1b]9;{text}\x07\x1b\\"),
    };
    rustix::io::write(rustix::stdio::stdout(), bytes.as_bytes())?;
    Ok(())
}

/// Whether an editor has the terminal.
pub fn away() -> bool {
    AWAY.load(Ordering::SeqCst)
}

/// Gives the terminal to what `f` runs, and takes it again however that ends.
pub fn lend<T>(f: impl FnOnce() -> T) -> io::Result<T> {
    AWAY.store(true, Ordering::SeqCst);
    give_back();
    let done = f();
    let taken = enter_again();
    AWAY.store(false, Ordering::SeqCst);
    taken.map(|()| done)
}

/// Takes it again after someone else, such as a shell, may have changed its modes.
pub fn enter_again() -> io::Result<()> {
    // Raw mode is remembered as on, and switching on what is on does nothing.
    disable_raw_mode()?;
    enter()
}

/// Gives the terminal back; does nothing when it is not ours.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // Nothing can be done about a terminal that does not take this.
        let _ = rustix::io::write(rustix::stdio::stdout(), GIVE_BACK);
        let _ = disable_raw_mode();
    }
}

/// Gives the terminal back and stops the process; false when there is no shell that could
/// continue it (the process leads its session).
///
/// The stop may take effect a moment after this returns, so nothing may be drawn until SIGCONT
/// has come and [`enter_again`] was called.
pub fn suspend() -> io::Result<bool> {
    if getsid(None).is_ok_and(|session| session == getpid()) {
        return Ok(false);
    }
    give_back();
    // The whole group stops, so that a wrapper that started us stops too. Runs have groups of
    // their own.
    if let Err(e) = kill_current_process_group(Signal::STOP) {
        enter_again()?;
        return Err(e.into());
    }
    Ok(true)
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send>;

/// The taken terminal; dropping it gives it back.
pub struct Guard {
    before: Arc<Hook>,
}

impl Guard {
    /// Takes the terminal and installs a panic hook that gives it back before anything is printed.
    pub fn enter(events: Sender<Event>) -> io::Result<Self> {
        let before: Arc<Hook> = Arc::new(panic::take_hook());
        let (then, ui) = (before.clone(), thread::current().id());
        panic::set_hook(Box::new(move |info| {
            let here = thread::current();
            if here.id() == ui {
                give_back();
                then(info);
            } else if here.name() != Some(WORKER) {
                // The screen stays intact; workers turn their panics into answers themselves.
                let text = format!(
                    "a thread of the program failed: {}",
                    panic_text(info.payload())
                );
                let _ = events.send(Event::Notice(Err(text)));
            }
        }));
        let guard = Self { before };
        enter()?;
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
        if !thread::panicking() {
            let before = self.before.clone();
            panic::set_hook(Box::new(move |info| before(info)));
        }
    }
}
