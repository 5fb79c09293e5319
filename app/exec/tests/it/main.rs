//! Promises of this crate, kept with real processes.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not recognised as tests"
)]

mod alone;
mod bench;
mod campaign;
mod conditions;
mod device;
mod gpu_profile;
mod jobs;
mod modes;
mod process;
mod profile;
