//! What clocks void and warn of. Pure.

use std::collections::BTreeMap;

use super::super::host;
use super::super::reading::Conditions;
use super::{Evidence, LegClock, Marks, Policy, Stretch};

/// Clocks that the harness states for the legs of a block.
pub(super) fn stated(evidence: &Evidence<'_>, policy: &Policy, marks: &mut Marks) {
    let mut ranges: BTreeMap<(&str, u32), [f64; 2]> = BTreeMap::new();
    for c in evidence
        .clocks
        .iter()
        .filter(|c| c.mhz.is_finite() && c.mhz > 0.0)
    {
        let range = ranges.entry((&c.workload, c.block)).or_insert([c.mhz; 2]);
        *range = [range[0].min(c.mhz), range[1].max(c.mhz)];
    }
    for ((workload, block), [low, high]) in ranges {
        if differ(low, high, policy) {
            marks.one(workload, block, &clocks_text(low, high));
        }
    }
}

/// Clocks that were read right before and right after a block, while the device was at work.
///
/// Those of a processor are left out: an idle core is clocked down within a millisecond, and what
/// the runner sees is the clock of its own core.
pub(super) fn read(s: &Stretch<'_>, evidence: &Evidence<'_>, policy: &Policy, marks: &mut Marks) {
    let ([place], true) = (s.blocks, s.warm) else {
        return;
    };
    let Some((low, high)) = range(s, policy) else {
        return;
    };
    for workload in &place.workloads {
        // What the harness says of the legs themselves is worth more.
        let of_block = |c: &LegClock| c.block == place.block && c.workload == *workload;
        if !evidence.clocks.iter().any(of_block) {
            marks.one(workload, place.block, &clocks_text(low, high));
        }
    }
}

/// Clocks at the ends of a stretch of several blocks, or of the first one, that differ although the
/// device was at work at both: in which block they moved is not known.
pub(super) fn unplaced(
    s: &Stretch<'_>,
    evidence: &Evidence<'_>,
    policy: &Policy,
) -> Option<String> {
    // What the program says of its own blocks is judged by itself.
    let itself = !evidence.clocks.is_empty() || !evidence.told.is_empty();
    if itself || (s.warm && s.blocks.len() == 1) {
        return None;
    }
    let (low, high) = range(s, policy)?;
    Some(format!(
        "the clocks before and after {} differ by {:.1} % ({low:.0} to {high:.0} MHz), and in which block \
         they moved is not known: mode `resident` reads them after each block, and so does a harness that \
         answers with `conditions`",
        match s.blocks.len() {
            1 => "the first block".to_owned(),
            n => format!("{n} blocks"),
        },
        (high / low - 1.0) * 100.0
    ))
}

/// Clock at work; that of a processor is left out.
pub fn at_work(c: &Conditions) -> Option<f64> {
    c.sm_clock_mhz
        .filter(|mhz| c.source != host::SOURCE && !c.idle() && mhz.is_finite() && *mhz > 0.0)
}

/// Lowest and highest clock of the two ends of a stretch, where they differ by too much.
fn range(s: &Stretch<'_>, policy: &Policy) -> Option<(f64, f64)> {
    let (a, b) = (at_work(s.before)?, at_work(s.after)?);
    let (low, high) = (a.min(b), a.max(b));
    differ(low, high, policy).then_some((low, high))
}

fn differ(low: f64, high: f64, policy: &Policy) -> bool {
    low > 0.0 && high / low - 1.0 > policy.clock_tolerance
}

fn clocks_text(low: f64, high: f64) -> String {
    format!(
        "the clocks in it differ by {:.1} % ({low:.0} to {high:.0} MHz)",
        (high / low - 1.0) * 100.0
    )
}
