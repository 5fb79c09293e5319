//! Promises of this crate, kept with real processes.

mod process;
