//! What a reader of a write-up expects to find recorded. What is missing breaks no rule: it is not known.

use super::{Outcome, Rule, told};
use crate::ReportModel;
use crate::strings::Strings;

/// A full commit: SHA-1 or SHA-256 in hexadecimal digits.
const COMMIT: [usize; 2] = [40, 64];

/// Every rule of this kind with what is missing.
pub(super) fn all(m: &ReportModel, s: &Strings) -> [(Rule, Outcome); 4] {
    [
        (Rule::Compared, compared(m, s)),
        (Rule::Profiled, profiled(m, s)),
        (Rule::Recorded, recorded(m, s)),
        (Rule::Commits, commits(m, s)),
    ]
}

fn missing(found: Vec<String>) -> Outcome {
    match found.is_empty() {
        true => (Some(true), found),
        false => (None, found),
    }
}

fn compared(m: &ReportModel, s: &Strings) -> Outcome {
    let name = m.list.champion.as_deref();
    let Some(champion) = m
        .list
        .variants
        .iter()
        .find(|v| Some(v.name.as_str()) == name)
    else {
        return (None, vec![s.ck_no_champion.into()]);
    };
    if m.task.baselines.is_empty() {
        return (None, vec![s.rf_no_reference.into()]);
    }
    let mut found = Vec::new();
    let baselines = m.task.baselines.iter().map(|b| (&b.name, &b.median_ns));
    for (name, medians) in std::iter::once((&champion.name, &champion.median_ns)).chain(baselines) {
        for w in m
            .list
            .workloads
            .iter()
            .filter(|w| !medians.contains_key(*w))
        {
            found.push(told(s.ck_no_time, [name, w]));
        }
    }
    missing(found)
}

fn profiled(m: &ReportModel, s: &Strings) -> Outcome {
    let Some(champion) = &m.list.champion else {
        return (None, vec![s.ck_no_champion.into()]);
    };
    let has = |w: &String| {
        let mut sets = m.counters_of(champion).iter();
        sets.any(|c| !c.is_published && c.workload == *w)
    };
    let without = m.list.workloads.iter().filter(|w| !has(w));
    missing(without.map(|w| told(s.ck_no_counters, [w])).collect())
}

/// Measured, the protocol has it; published, the notes have what the documents say.
fn recorded(m: &ReportModel, s: &Strings) -> Outcome {
    let has_note = |topic: &str| m.notes.iter().any(|n| n.topic.as_deref() == Some(topic));
    let p = &m.protocol;
    let parts: Vec<(&str, bool)> = match m.is_published() {
        true => vec![
            (s.protocol, has_note("protocol")),
            (s.environment, m.notes.iter().any(|n| n.is_environment())),
        ],
        false => vec![
            (s.p_mode, p.mode.is_some()),
            (s.p_blocks, p.blocks.is_some()),
            (s.p_timer, p.timer.is_some()),
            (s.p_cache, p.cache.is_some()),
            (s.environment, !m.environment.is_empty()),
            (s.log_device, m.list.device.is_some()),
        ],
    };
    let without = parts.into_iter().filter(|(_, is_there)| !is_there);
    missing(
        without
            .map(|(name, _)| told(s.ck_no_entry, [name]))
            .collect(),
    )
}

fn commits(m: &ReportModel, s: &Strings) -> Outcome {
    // The commits that stand in the records are those of the transcription.
    if m.is_published() {
        return (None, vec![s.pr_commit_published.into()]);
    }
    let champion = m.list.champion.as_deref().and_then(|c| m.show(c));
    let parts = [
        (s.pr_evaluator, m.task.evaluator.as_deref()),
        (
            s.pr_head,
            champion.and_then(|v| v.variant.commit.as_deref()),
        ),
    ];
    let is_full = |c: &str| COMMIT.contains(&c.len()) && c.bytes().all(|b| b.is_ascii_hexdigit());
    let found = parts.into_iter().filter_map(|(what, commit)| match commit {
        Some(c) if is_full(c) => None,
        Some(c) => Some(told(s.ck_short_commit, [what, c])),
        None => Some(told(s.ck_no_entry, [what])),
    });
    missing(found.collect())
}
