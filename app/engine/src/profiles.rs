//! Profiler reports inside a campaign: filed under variants, audited, compared.
//!
//! | module | what it does |
//! |---|---|
//! | `select` | which launches of a report are meant |
//! | `content` | which content of a variant a report is filed under |
//! | `import`, `published`, `raw_files`, `source`, `judged` | files reports and published tables |
//! | `taken` | reads the report of a device's profiler that a run has taken |
//! | `of_device` | whether a report is of the device that it is filed for |
//! | `measured` | what a record says of the launches that were chosen |
//! | `stored` | reads a filed report again from its raw files |
//! | `context` | what rules may know beside the counters |
//! | `audit`, `provenance`, `steps`, `collect` | what cannot be right in the profiles of a campaign |
//! | `diagnose` | what the reports of a variant say about the kernel |
//! | `claimed`, `traffic` | computes published tables again |
//! | `doubted` | the published figures that an audit contradicts, for every view that shows them |
//! | `compare`, `files` | counters of variants or files side by side |

mod audit;
mod claimed;
mod collect;
mod compare;
mod content;
pub(crate) mod context;
mod diagnose;
pub(crate) mod doubted;
mod files;
mod import;
mod judged;
mod measured;
mod of_device;
mod page;
mod provenance;
mod published;
mod raw_files;
mod select;
mod slices;
mod source;
mod steps;
mod stored;
mod taken;
mod traffic;

pub use assay_profile::compare::{
    claimed, prints, tally, to_csv as counters_csv, to_markdown as counters_markdown,
};
pub use compare::CounterRequest;
pub use files::compare_files;
pub use import::ImportRequest;
pub(crate) use of_device::Meant;
pub(crate) use taken::{SINGLE_PASS, Taken, taken};
