//! Ctrl-C and its like: the first one cancels, the second one ends us at once.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_default;
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;

use crate::Cancel;

/// The signals that cancel.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// How many listen. While nobody does, the signals have their usual effect.
static LISTENERS: Mutex<usize> = Mutex::new(0);

/// Listens for signals until it is dropped; hold it as long as there is something to clean up.
///
/// Once the last one is dropped, these signals end the program at once, as they usually do.
#[derive(Debug)]
pub struct SignalGuard(Handle);

impl Drop for SignalGuard {
    fn drop(&mut self) {
        self.0.close();
        let _ = count(|n| n.saturating_sub(1));
    }
}

/// Cancels `cancel` at the first INT, TERM or HUP; the second one has its usual effect.
///
/// Programs run in groups of their own and get no signal from the terminal: the cancellation ends
/// them with their grace period. A user who cannot wait for that presses the key again, and the
/// kernel ends the programs with us.
///
/// # Errors
/// When the handlers cannot be set.
pub fn cancel_on_signals(cancel: &Cancel) -> io::Result<SignalGuard> {
    // Handlers run in the order in which they were set. This one looks at the flag first: after ours
    // has woken the listener, all could be over and the flag be set before it is looked at.
    usual()?;
    let mut signals = Signals::new(SIGNALS)?;
    let handle = signals.handle();
    count(|n| n + 1)?;
    let guard = SignalGuard(handle);
    let cancel = cancel.clone();
    thread::Builder::new()
        .name("assay-signals".into())
        .spawn(move || {
            for signal in signals.forever() {
                if cancel.is_cancelled() {
                    let _ = emulate_default_handler(signal);
                }
                cancel.cancel();
            }
        })?;
    Ok(guard)
}

/// Changes the number of listeners, and with it whether signals have their usual effect.
fn count(change: impl FnOnce(usize) -> usize) -> io::Result<()> {
    let mut listeners = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
    let usual = usual()?;
    *listeners = change(*listeners);
    usual.store(*listeners == 0, Ordering::SeqCst);
    Ok(())
}

/// Whether signals have their usual effect, as a flag that the handlers look at.
fn usual() -> io::Result<&'static AtomicBool> {
    static USUAL: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(flag) = USUAL.get() {
        return Ok(flag);
    }
    let flag = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        register_conditional_default(signal, Arc::clone(&flag))?;
    }
    Ok(USUAL.get_or_init(|| flag))
}
