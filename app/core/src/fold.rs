//! Folding records into the state of a campaign.
//!
//! Records are a set: two ledgers merge by union, and a merge may bring them in any order, so the
//! state depends on which records there are and never on the order in which they came. The place
//! of the champion follows from which decision replaces which, never from a time stamp.
//!
//! | step | file |
//! |---|---|
//! | which records count (corrections, tombstones), who owns them | `state` |
//! | evidence of one variant, its status | `variant` |
//! | who is champion, what is contested | `champion` |
//! | rows of `list`, the whole of `show`, `compare`, `log`, the chain of a report | one file each |
//! | the gates of a variant, as every view shows them | `gates` |
//! | in which run something was measured | `runs` |
//! | ratios of all variants by workload | `heat` |
//! | the accepted steps to the champion, measured end to end | `steps` |
//! | what captured sources say beside a verdict | `sources` |
//! | finding a variant by the beginning of its name | `names` |

mod canary;
mod chain;
mod champion;
mod compare;
mod gates;
mod heat;
mod list;
mod log;
mod names;
mod published;
mod repeats;
mod runs;
mod show;
mod sources;
mod state;
mod steps;
mod variant;

pub use canary::{CanaryStanding, canaries_of, canary_views, warnings as evaluator_warnings};
pub use chain::{ChainRow, ChampionStep, chain, chain_of, champion_history};
pub use champion::{Champion, Head};
pub use compare::{Pair, compare_view, pair};
pub use gates::{
    Contest, EVIDENCE, GUARD, GateParts, Tip, VERDICT, evidence_gate, gate_parts, gates_at_tip,
    verdict_gates,
};
pub use heat::{heat_row, heat_view};
pub use list::{list_view, recorded_workloads, row};
pub use log::{log_row, log_view, owner, ranked, reference, summary};
pub use names::{NameError, resolve_among, resolve_name, resolve_subject};
pub use show::{BranchTip, all_notes, predictions, show_view, verdict_view};
pub use sources::{captured, equal_sources, source_remarks};
pub use state::{Place, State, campaigns};
pub use steps::{Steps, chain_view, steps};
pub use variant::{Status, VariantState, subject};

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod view_tests;
