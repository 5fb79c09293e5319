//! The legs of a process: which subject stands where, and whether the answers fit.

use std::collections::BTreeMap;

use super::Context;
use crate::answers::{LegKey, Samples};

/// Leg orders, load order and seed of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Order of each block, e.g. `ABBA`; used in turn when there are fewer than blocks.
    pub order: Vec<String>,
    /// Which subject is loaded first: `AB` or `BA`.
    pub load_order: String,
    /// Seed of inputs, poison and the size of the environment.
    pub seed: u64,
}

impl Schedule {
    /// The order of a block, from 0.
    pub fn order(&self, block: u32) -> String {
        let n = self.order.len().max(1);
        let order = self.order.get(block as usize % n);
        order.cloned().unwrap_or_else(|| "ABBA".into())
    }

    /// Whether no leg is of B: A is then measured alone, and B is not even loaded.
    pub fn alone(&self) -> bool {
        !self.order.is_empty() && !self.order.iter().any(|o| o.contains('B'))
    }

    /// The slots (0 for A, 1 for B) of a block, in order.
    pub(super) fn slots(&self, block: u32) -> Vec<usize> {
        let order = self.order(block);
        order.bytes().map(|b| usize::from(b == b'B')).collect()
    }

    /// The slots in the order in which they are loaded.
    pub(super) fn load(&self) -> &'static [usize] {
        if self.alone() {
            &[0]
        } else if self.load_order.starts_with('B') {
            &[1, 0]
        } else {
            &[0, 1]
        }
    }

    pub(super) fn legs(&self, blocks: u32, workloads: usize) -> u64 {
        let per_workload: usize = (0..blocks).map(|b| self.order(b).len()).sum();
        (per_workload * workloads) as u64
    }

    /// Says what was answered without being asked, and by whom it should have been; returns how
    /// many legs are missing.
    pub(super) fn compare<'s>(
        &self,
        ctx: &Context<'_>,
        samples: impl Iterator<Item = &'s Samples>,
        problems: &mut Vec<String>,
    ) -> usize {
        let job = ctx.job;
        let mut expected = BTreeMap::new();
        for workload in &job.workloads {
            for block in 0..job.blocks {
                for (leg, slot) in (0..).zip(self.slots(block)) {
                    let key = LegKey {
                        workload: workload.name.clone(),
                        process: ctx.process,
                        block,
                        leg,
                    };
                    expected.insert(key, (&job.subjects[slot].id, false));
                }
            }
        }
        for s in samples {
            let key = LegKey {
                workload: s.workload.clone(),
                process: s.process,
                block: s.block,
                leg: s.leg,
            };
            match expected.get_mut(&key) {
                None => problems.push(format!("{key}: the plan has no such leg")),
                Some((subject, seen)) => {
                    *seen = true;
                    if **subject != s.subject {
                        problems.push(format!(
                            "{key}: answered for `{}`, planned for `{subject}`",
                            s.subject
                        ));
                    }
                }
            }
        }
        let missing = expected.iter().filter(|(_, (_, seen))| !seen);
        let count = missing.clone().count();
        if let Some((key, (subject, _))) = missing.take(1).next() {
            problems.push(format!("{key} of `{subject}` has no samples"));
        }
        count
    }
}
