//! Whether an evaluator was seen to notice what it must notice, and what follows for its verdicts.

use crate::record::{Canary, CanaryOutcome, Verdict};
use crate::text::inert;
use crate::view::CanaryView;
use crate::{RecordId, Sha256};

use super::State;

/// A declared canary of an evaluator, with the record that counts for it.
#[derive(Debug, Clone, PartialEq)]
pub struct CanaryStanding<'a> {
    /// Its name.
    pub name: &'a str,
    /// The newest record; one that survived on any device goes before, since devices do not excuse
    /// each other, and one that was noticed before one that proves nothing. Absent when never run.
    pub newest: Option<(RecordId, &'a Canary)>,
}

impl CanaryStanding<'_> {
    /// What came of it, where it was run.
    pub fn outcome(&self) -> Option<CanaryOutcome> {
        self.newest.map(|(_, c)| c.outcome)
    }
}

/// How the canaries of an evaluator stand: those that its pin declares, in that order.
pub fn canaries_of(state: &State, evaluator: Sha256) -> Vec<CanaryStanding<'_>> {
    let mut pins = state.evaluators().rev();
    let Some(pin) = pins.find(|e| e.tree == evaluator) else {
        return Vec::new();
    };
    (pin.canaries.iter())
        .map(|name| CanaryStanding {
            name,
            newest: newest(state, evaluator, name),
        })
        .collect()
}

fn newest<'a>(state: &'a State, evaluator: Sha256, name: &str) -> Option<(RecordId, &'a Canary)> {
    let mut devices: Vec<(RecordId, &Canary)> = Vec::new();
    for (id, c) in state.canaries().rev() {
        let of_this = c.name == name && c.subject.key.evaluator == evaluator;
        let device = c.subject.key.device;
        if of_this && devices.iter().all(|(_, d)| d.subject.key.device != device) {
            devices.push((id, c));
        }
    }
    let first = |outcome| devices.iter().find(|(_, c)| c.outcome == outcome);
    first(CanaryOutcome::Survived)
        .or_else(|| first(CanaryOutcome::Noticed))
        .or_else(|| devices.first())
        .copied()
}

/// What stands beside a verdict of an evaluator whose canaries did not all come to what they must.
pub(super) fn doubts(state: &State, verdict: &Verdict) -> Vec<String> {
    let Some(m) = state.measurement(Some(verdict.measurement)) else {
        return Vec::new();
    };
    warnings(state, m.b.key.evaluator)
}

/// Warnings about an evaluator: canaries that survived, and those that were not seen to be noticed.
pub fn warnings(state: &State, evaluator: Sha256) -> Vec<String> {
    let all = canaries_of(state, evaluator);
    let mut out = Vec::new();
    for s in &all {
        if let Some((_, c)) = s
            .newest
            .filter(|(_, c)| c.outcome == CanaryOutcome::Survived)
        {
            out.push(format!(
                "DO NOT TRUST THIS: the evaluator did not notice the canary {} ({} was expected): {}; \
                 mend the evaluator, then `assay canary`",
                inert(s.name),
                c.expect.name(),
                inert(&c.found)
            ));
        }
    }
    let open: Vec<String> = (all.iter())
        .filter_map(|s| match s.newest {
            None => Some(format!("{} was never run", inert(s.name))),
            Some((_, c)) if c.outcome == CanaryOutcome::Unproven => Some(format!(
                "{} proved nothing ({})",
                inert(s.name),
                inert(&c.found)
            )),
            Some(_) => None,
        })
        .collect();
    if !open.is_empty() {
        out.push(format!(
            "whether this evaluator notices a broken or slowed kernel is not known: canary {}; `assay canary` tries it",
            open.join(", canary ")
        ));
    }
    out
}

/// The canaries of an evaluator as shown.
pub fn canary_views(state: &State, evaluator: Sha256) -> Vec<CanaryView> {
    (canaries_of(state, evaluator).iter())
        .map(|s| CanaryView {
            name: s.name.to_owned(),
            expect: s.newest.map(|(_, c)| c.expect.name().to_owned()),
            outcome: (s.outcome()).map_or_else(|| "not run".into(), |o| o.name().to_owned()),
            found: s.newest.map(|(_, c)| c.found.clone()).unwrap_or_default(),
            subject: s.newest.map(|(_, c)| c.subject.name.clone()),
            target: s.newest.map(|(_, c)| c.target.clone()),
            ratio: (s.newest).and_then(|(_, c)| c.verdict.as_ref()?.ratio),
            interval: (s.newest).and_then(|(_, c)| c.verdict.as_ref()?.interval),
            id: s.newest.map(|(id, _)| id.to_string()),
            at: (s.newest)
                .and_then(|(id, _)| state.get(id))
                .map(|r| r.created_at.to_string()),
        })
        .collect()
}
