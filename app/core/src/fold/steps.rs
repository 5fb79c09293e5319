//! The accepted steps from the first baseline to the champion, and whether they were ever measured
//! end to end.

use crate::RecordId;
use crate::record::{Body, Chain, ChainLink, Decision, DecisionKind, Verdict};
use crate::view::{ChainView, EndToEndView};

use super::State;
use super::champion::Champion;

/// The steps that lead to the champion.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// What the oldest step was measured against.
    pub from: String,
    /// The champion.
    pub to: String,
    /// The decision that made it champion.
    pub decision: RecordId,
    /// The steps, oldest first; at least one.
    pub links: Vec<ChainLink>,
    /// Steps since the chain was last measured end to end.
    pub since: u32,
    /// That measurement.
    pub latest: Option<RecordId>,
}

/// The steps to the champion; `None` without one, and where no verdict leads to it.
///
/// From the champion it goes back by what each accepted verdict was measured against, until that
/// is no variant that was accepted before. A verdict against an earlier champion or a baseline
/// leaves out the steps between, because it does not rest on them.
pub fn steps(state: &State) -> Option<Steps> {
    let Champion::Holder(head) = state.champion() else {
        return None;
    };
    let mut links: Vec<ChainLink> = Vec::new();
    // Decisions on the way, each with the number of steps that came after it.
    let mut passed: Vec<(RecordId, u32)> = Vec::new();
    let mut next = Some(head.decision);
    while let Some(at) = next.take() {
        if passed.iter().any(|(id, _)| *id == at) {
            break;
        }
        passed.push((at, links.len() as u32));
        let decision = state.decision(Some(at))?;
        if decision.kind == DecisionKind::Rollback {
            next = before(state, at, &decision.variant);
            continue;
        }
        let Some(link) = link(state, at, decision) else {
            break;
        };
        next = before(state, at, &link.against);
        links.push(link);
    }
    links.reverse();
    let from = links.first()?.against.clone();
    let measured = state.chains().rev().find_map(|(id, c)| {
        let found = passed.iter().find(|(d, _)| *d == c.decision)?;
        (c.a.name == from).then_some((id, found.1))
    });
    Some(Steps {
        to: head.variant.clone(),
        decision: head.decision,
        since: measured.map_or(links.len() as u32, |(_, after)| after),
        latest: measured.map(|(id, _)| id),
        from,
        links,
    })
}

/// The step of an acceptance: the verdict that it cites.
fn link(state: &State, id: RecordId, decision: &Decision) -> Option<ChainLink> {
    let cited = |e: &RecordId| -> Option<(RecordId, &Verdict)> {
        let v = state.verdict(Some(*e))?;
        (v.b == decision.variant && v.a != v.b).then_some((*e, v))
    };
    let (verdict, v) = decision.evidence.iter().find_map(cited)?;
    // Ratios under another evaluator are of another thing.
    let measured = state.measurement(Some(v.measurement));
    if measured.is_some_and(|m| !state.is_current(&m.b.key)) {
        return None;
    }
    Some(ChainLink {
        variant: decision.variant.clone(),
        against: v.a.clone(),
        decision: id,
        verdict,
        ratio: v.ratio?,
        interval: v.interval?,
    })
}

/// The nearest acceptance of `name` (or roll-back to it) of those that a decision replaces, directly or not.
fn before(state: &State, decision: RecordId, name: &str) -> Option<RecordId> {
    let named = |id| state.decision(Some(id)).is_some_and(|d| d.variant == name);
    state.graph().nearest(decision, named)
}

/// The chain as shown: the steps and the newest measurement end to end.
pub fn chain_view(state: &State) -> Option<ChainView> {
    let steps = steps(state)?;
    Some(ChainView {
        latest: steps.latest.and_then(|id| end_to_end(state, id, &steps)),
        from: steps.from,
        to: steps.to,
        steps: steps.links.len() as u32,
        since: steps.since,
    })
}

fn end_to_end(state: &State, id: RecordId, steps: &Steps) -> Option<EndToEndView> {
    let record = state.get(id)?;
    let Body::Chain(c) = &record.body else {
        return None;
    };
    let c: &Chain = c;
    Some(EndToEndView {
        id: id.to_string(),
        at: record.created_at.to_string(),
        from: c.a.name.clone(),
        to: c.b.name.clone(),
        current: c.b.name == steps.to && steps.since == 0,
        steps: c.links.len() as u32,
        processes: c.processes,
        ratio: c.ratio,
        interval: c.interval,
        promised: c.promised,
        promised_interval: c.promised_interval,
        overstated: c.overstated,
        text: c.text.clone(),
    })
}
