//! Profiler output, read into one shape whatever tool it comes from.
//!
//! One file a format under `formats`; the catalog gives counters of different tools one name, unit
//! and direction. Everything is a function of bytes. A figure that cannot be read for certain is
//! kept as it was printed and marked, never guessed; an absent one is absent, never zero.

mod canonical;
pub mod catalog;
pub mod claims;
pub mod compare;
mod counter;
mod counters;
mod data_file;
pub mod derive;
pub mod device;
pub mod encoding;
pub mod formats;
mod keys;
pub mod mapping;
mod model;
pub mod number;
mod partly;
mod plain;
mod quick;
mod rows;
pub mod rules;
mod scan;
mod separators;

pub use canonical::{canonical_figures, canonical_notices, launch_figures};
pub use catalog::{Catalog, CatalogError, CounterInfo, Direction};
pub use counter::Counter;
pub use counters::CounterRef;
pub use derive::{Formula, FormulaError, Formulas};
pub use device::{Device, DeviceError, Devices};
pub use formats::{Format, detect, parse};
pub use mapping::{Mapping, MappingError};
pub use model::{Fault, Key, Launch, Profile, Scope, Status};
pub use partly::partly;

/// Why bytes are not a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// No reader recognises the content.
    #[error("not the output of a profiler that is known here ({known}); {seen}")]
    Unknown {
        /// Names of the formats.
        known: String,
        /// What the content looks like.
        seen: String,
    },
    /// Recognised, but without a single counter.
    #[error("{format}: {problem}")]
    Unusable {
        /// Name of the format.
        format: &'static str,
        /// What is missing, and what to do.
        problem: String,
    },
}
