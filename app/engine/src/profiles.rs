//! Profiler reports inside a campaign: filed under variants, audited, compared.
//!
//! | module | what it does |
//! |---|---|
//! | `select` | which launches of a report are meant |
//! | `content` | which content of a variant a report is filed under |
//! | `import` | files reports and published tables |
//! | `stored` | reads a filed report again from its raw files |
//! | `context` | what rules may know beside the counters |
//! | `audit` | what cannot be right in the profiles of a campaign |
//! | `compare` | counters of variants or files side by side |

mod content;
mod import;
mod select;
mod stored;

pub use import::ImportRequest;
