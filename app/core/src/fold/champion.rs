//! Who is champion: a graph of decisions, read without clocks.
//!
//! Acceptances and roll-backs name the decisions that they replace. Those that nothing replaces
//! are heads. One head is the champion; several contest the place until a decision replaces all.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::record::{Decision, DecisionKind};
use crate::{RecordId, Sha256};

use super::State;

/// A decision in force that nothing replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The decision.
    pub decision: RecordId,
    /// The variant that it makes champion.
    pub variant: String,
    /// The content decided on.
    pub kernel: Option<Sha256>,
    /// Where that content was found.
    pub commit: Option<String>,
}

/// Who holds the place of the champion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Champion {
    /// Nothing was accepted yet.
    #[default]
    None,
    /// One variant; several heads can agree on it.
    Holder(Head),
    /// Several acceptances over the same champion, by decision id; a person has to settle it.
    Contested(Vec<Head>),
}

impl Champion {
    /// Name of the champion; nothing while the place is contested.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Holder(h) => Some(&h.variant),
            Self::None | Self::Contested(_) => None,
        }
    }

    /// Names of the variants that contest the place, each once, in the order of their decisions.
    pub fn contested(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        if let Self::Contested(heads) = self {
            for h in heads {
                if !names.contains(&h.variant.as_str()) {
                    names.push(&h.variant);
                }
            }
        }
        names
    }
}

/// The decisions in force and how they replace each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Graph {
    heads: Vec<Head>,
    champion: Champion,
    /// Decision -> decisions that it replaces, of those in force.
    replaces: BTreeMap<RecordId, BTreeSet<RecordId>>,
    /// Acceptances that a roll-back to another variant replaced.
    rolled_back: BTreeSet<RecordId>,
    /// Decisions that the place of the champion rests on now: the heads, and what they replaced one
    /// after the other, without what a roll-back went behind.
    line: BTreeSet<RecordId>,
}

impl Graph {
    pub(super) fn of(state: &State) -> Self {
        let decisions: BTreeMap<RecordId, &Decision> = state
            .decisions()
            .filter(|(_, d)| matches!(d.kind, DecisionKind::Accept | DecisionKind::Rollback))
            .collect();
        let mut replaces: BTreeMap<RecordId, BTreeSet<RecordId>> = BTreeMap::new();
        let mut replaced = BTreeSet::new();
        let mut rolled_back = BTreeSet::new();
        for (&id, d) in &decisions {
            let targets = replaces.entry(id).or_default();
            for target in d.replaces.iter().flat_map(|t| in_place_of(state, *t)) {
                let Some(other) = decisions.get(&target).filter(|_| target != id) else {
                    continue;
                };
                targets.insert(target);
                replaced.insert(target);
                if d.kind == DecisionKind::Rollback && d.variant != other.variant {
                    rolled_back.insert(target);
                }
            }
        }
        let head = |(id, d): (&RecordId, &&Decision)| Head {
            decision: *id,
            variant: d.variant.clone(),
            kernel: d.kernel,
            commit: d.commit.clone(),
        };
        let mut heads: Vec<Head> = decisions
            .iter()
            .filter(|(id, _)| !replaced.contains(id))
            .map(head)
            .collect();
        if heads.is_empty() {
            // Only decisions that replace each other in a ring leave no head. No program writes
            // them, and choosing one would be a guess.
            heads = decisions.iter().map(head).collect();
        }
        let champion = match heads.as_slice() {
            [] => Champion::None,
            [first, rest @ ..]
                if (rest.iter())
                    .all(|h| h.variant == first.variant && h.kernel == first.kernel) =>
            {
                Champion::Holder(first.clone())
            }
            several => Champion::Contested(several.to_vec()),
        };
        let line = line(&decisions, &replaces, &heads);
        Self {
            heads,
            champion,
            replaces,
            rolled_back,
            line,
        }
    }

    /// Whether the place of the champion rests on a decision now.
    pub(super) fn rests_on(&self, decision: RecordId) -> bool {
        self.line.contains(&decision)
    }

    pub(super) fn heads(&self) -> &[Head] {
        &self.heads
    }

    pub(super) fn champion(&self) -> &Champion {
        &self.champion
    }

    /// The nearest decision with a property of those that one replaces, directly or not.
    pub(super) fn nearest(
        &self,
        decision: RecordId,
        wanted: impl Fn(RecordId) -> bool,
    ) -> Option<RecordId> {
        nearest(&self.replaces, decision, wanted)
    }

    pub(super) fn was_rolled_back(&self, decision: RecordId) -> bool {
        self.rolled_back.contains(&decision)
    }

    /// Decisions in an order in which what is replaced stands before what replaces it; ties by id.
    pub(super) fn in_order(&self) -> Vec<RecordId> {
        let mut left: BTreeMap<RecordId, usize> = BTreeMap::new();
        let mut after: BTreeMap<RecordId, Vec<RecordId>> = BTreeMap::new();
        for (id, targets) in &self.replaces {
            left.insert(*id, targets.len());
            for t in targets {
                after.entry(*t).or_default().push(*id);
            }
        }
        let mut ready: BTreeSet<RecordId> = (left.iter())
            .filter(|(_, n)| **n == 0)
            .map(|(id, _)| *id)
            .collect();
        let mut order = Vec::with_capacity(left.len());
        while let Some(id) = ready.pop_first() {
            order.push(id);
            for next in after.remove(&id).unwrap_or_default() {
                if let Some(n) = left.get_mut(&next) {
                    *n -= 1;
                    if *n == 0 {
                        ready.insert(next);
                    }
                }
            }
        }
        // A ring never becomes ready; its members are still shown.
        let placed: BTreeSet<RecordId> = order.iter().copied().collect();
        order.extend(left.keys().filter(|id| !placed.contains(id)));
        order
    }
}

/// The decisions from the heads back to the first. A roll-back goes on from the nearest decision for its
/// own variant of those that it replaced: what lies between is taken out.
fn line(
    decisions: &BTreeMap<RecordId, &Decision>,
    replaces: &BTreeMap<RecordId, BTreeSet<RecordId>>,
    heads: &[Head],
) -> BTreeSet<RecordId> {
    let mut line = BTreeSet::new();
    let mut left: Vec<RecordId> = heads.iter().map(|h| h.decision).collect();
    while let Some(at) = left.pop() {
        if !line.insert(at) {
            continue;
        }
        match decisions.get(&at) {
            Some(d) if d.kind == DecisionKind::Rollback => {
                let is_own = |id: RecordId| {
                    (decisions.get(&id)).is_some_and(|other| other.variant == d.variant)
                };
                left.extend(nearest(replaces, at, is_own));
            }
            _ => left.extend(replaces.get(&at).into_iter().flatten()),
        }
    }
    line
}

/// The nearest decision with a property of those that one replaces, directly or not.
fn nearest(
    replaces: &BTreeMap<RecordId, BTreeSet<RecordId>>,
    decision: RecordId,
    wanted: impl Fn(RecordId) -> bool,
) -> Option<RecordId> {
    let mut queue = VecDeque::from([decision]);
    let mut seen = BTreeSet::from([decision]);
    while let Some(at) = queue.pop_front() {
        if at != decision && wanted(at) {
            return Some(at);
        }
        let replaced = replaces.get(&at).into_iter().flatten().copied();
        queue.extend(replaced.filter(|id| seen.insert(*id)));
    }
    None
}

/// A decision and whatever stands in its place: who replaces a decision replaces its corrections.
fn in_place_of(state: &State, id: RecordId) -> Vec<RecordId> {
    let mut found = vec![id];
    let mut seen = BTreeSet::from([id]);
    let mut next = 0;
    while let Some(&id) = found.get(next) {
        next += 1;
        for c in state.corrections(id) {
            if seen.insert(c) {
                found.push(c);
            }
        }
    }
    found
}
