//! Profiler reports as they lie on disk: opened, looked at, held against rules. No campaign needed.
//!
//! | module | what it does |
//! |---|---|
//! | `open` | opens files, folders and standard input, one report after the other |
//! | `digested` | the digest of what is read, as it comes |
//! | `refused` | why nothing was read |
//! | `group` | puts the flavours of one report together |
//! | `walk` | lists a folder within bounds |
//! | `ncu_rep` | has Nsight Compute print its binary reports |
//! | `inspect` | counters, derived figures and findings of what was opened |
//! | `judged` | devices and rules on launches |
//! | `rows` | counters of the model as views |

pub(crate) mod digested;
mod group;
mod inspect;
mod judged;
mod ncu_rep;
mod open;
mod refused;
mod rows;
mod walk;

pub use crate::input::STDIN;
pub use assay_profile::{CounterRef, Launch, Scope, Status};
pub use inspect::{Inspection, Request, format_asked, inspect};
pub(crate) use ncu_rep::print as printed_by_ncu;
pub use open::{AUTO, FORMATS, Opened, OpenedReport, Opening, open};
pub use rows::{launch_view, scope};
