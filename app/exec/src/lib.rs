//! Running programs for Assay: processes, the harness protocol, the local runner, the job queue,
//! the device lock, the trust store, the environment fingerprint and profiler wrapping.
//!
//! This crate starts processes and writes their logs; it holds no statistics, no git and no
//! parsing of profiler output. Times in the logs of benchmarks are read by [`readings`], which is pure. Everything that a program answers is data to check, never to trust.

pub mod answers;
pub mod bench;
pub mod cancel;
mod child_setup;
pub mod conditions;
pub mod cuda;
pub mod device;
mod error;
pub mod fingerprint;
pub mod gpu_profile;
pub mod input;
pub mod jobs;
pub mod plan;
pub mod process;
pub mod profile_cpu;
pub mod progress;
pub mod readings;
pub mod sanitizer;
pub mod signals;
pub mod stage;
pub mod trust;

pub use cancel::Cancel;
pub use error::ExecError;
