//! What must happen in a child between `fork` and `exec`.
//!
//! This is the only module with unsafe code: the standard library has no safe way to hand further
//! descriptors to a child or to tie its life to ours. The closure makes system calls only; it
//! allocates nothing, takes no lock and touches no state of other threads, as is required there.
#![expect(
    unsafe_code,
    reason = "`pre_exec` is unsafe; the closure makes async-signal-safe system calls only"
)]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};

/// Lets the child inherit `inherit` under the same numbers, and ties its life to this thread.
///
/// The command owns the descriptors: dropping it closes our copies. The kernel kills the direct
/// child when the thread that started it ends, so that no program goes on measuring after a
/// `kill -9` of Assay. Grandchildren are not covered; they lose their output pipe instead.
pub(crate) fn prepare(command: &mut Command, inherit: Vec<OwnedFd>) {
    #[cfg(target_os = "linux")]
    let parent = rustix::process::getpid();
    let setup = move || -> io::Result<()> {
        for fd in &inherit {
            fcntl_setfd(fd, FdFlags::empty())?;
        }
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Signal, getppid, set_parent_process_death_signal};
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The parent may have died before the call above could see it.
            if getppid() != Some(parent) {
                return Err(io::Error::from(rustix::io::Errno::CHILD));
            }
        }
        Ok(())
    };
    // SAFETY: see the module's head.
    unsafe {
        command.pre_exec(setup);
    }
}
