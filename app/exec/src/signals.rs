//! Ctrl-C and its like: the first one cancels, the second one ends us at once.

use std::io;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;

use crate::Cancel;

/// Listens for signals until it is dropped; hold it to the end of the program.
///
/// Once dropped, these signals have no effect any more: the usual one does not come back.
#[derive(Debug)]
pub struct SignalGuard(Handle);

impl Drop for SignalGuard {
    fn drop(&mut self) {
        self.0.close();
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
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let handle = signals.handle();
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
    Ok(SignalGuard(handle))
}
