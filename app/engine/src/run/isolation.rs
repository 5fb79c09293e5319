//! Whether measuring two at once disturbs: a subject in pairs against the same subject alone.

use assay_core::record::{Calibration, Isolation};
use assay_core::text::inert;
use assay_core::units::format_percent;
use assay_stats::Samples;
use assay_stats::isolation::isolation;

use super::measure::{Collected, by_name, pair_names, unbelieved};

/// What is said of mode `invocation`.
pub const NOTHING_TO_CHECK: &str = "isolation: in mode `invocation` each leg is a process of its own, \
     so that nothing of one side can disturb the other: there is nothing to check";

/// What a subject alone says of the same subject in pairs.
///
/// # Errors
/// What is wrong with the samples, in words.
pub(super) fn of(
    paired: &Samples,
    alone: &Collected,
    name: &str,
) -> std::result::Result<Isolation, String> {
    let (single, problems) = by_name(&alone.text(), name, name);
    if let Some(failure) = unbelieved(&problems) {
        return Err(failure.message);
    }
    let [id, _] = pair_names(name, name);
    let found = isolation(paired, &id, &single, &id)
        .ok_or("no workload was measured both in pairs and alone")?;
    Ok(Isolation {
        samples: alone.blob().reference(),
        ratio: found.ratio,
        interval: found.interval,
        processes: found.processes,
        disturbed: found.disturbed,
    })
}

/// What stands beside a verdict where a pair was found to disturb.
pub(super) fn warning(c: &Calibration) -> Option<String> {
    let i = c.isolation.as_ref().filter(|i| i.disturbed)?;
    let interval = i.interval.map_or_else(String::new, |[low, high]| {
        format!(" (95 % interval {low:.3} to {high:.3})")
    });
    let way_out = match c.mode.as_str() {
        "pair" => "mode `resident` or `invocation` in [bench] keeps the two apart",
        _ => "mode `invocation` in [bench] keeps the two apart",
    };
    Some(format!(
        "measuring two at once disturbs in mode `{}`: {} takes {:.3} times as long in a pair as alone{interval}, more than {} off: {way_out}",
        inert(&c.mode),
        inert(&c.subject.name),
        i.ratio,
        format_percent(assay_stats::isolation::ISOLATION_LIMIT)
    ))
}
