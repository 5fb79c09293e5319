//! The checker of memory accesses that a check may be run under once more.

use serde::{Deserialize, Serialize};

use super::keys::{Key, Kind, may};

pub(crate) const TOOLS: &[&str] = &["memcheck", "racecheck", "initcheck", "synccheck"];

/// The key `sanitizer` of `[check]`.
pub(super) const KEY: Key = may(
    "sanitizer",
    Kind::Choice(TOOLS),
    "Tool of `compute-sanitizer` under which the check of the workload with the least work is run once more, for a target of kind `cuda`; what it finds fails the gate `sanitizer`. Where it is not installed the gate has no evidence.",
);

words! {
    /// A tool of `compute-sanitizer`.
    Sanitizer {
        /// Accesses out of bounds or misaligned, and leaks.
        Memcheck = "memcheck",
        /// Hazards between threads on shared memory.
        Racecheck = "racecheck",
        /// Reads of device memory that nothing was written to.
        Initcheck = "initcheck",
        /// Barriers that are not used as they must be.
        Synccheck = "synccheck",
    }
}
