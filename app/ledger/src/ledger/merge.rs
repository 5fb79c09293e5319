//! Merging another state of the ledger branch as a set union.

use std::collections::BTreeSet;

use assay_core::Sha256;
use git2::Oid;

use super::entry::{Entry, is_record_path};
use super::git_store::GitStore;
use super::objects::{Content, TreeChange};
use super::transfer::entry_id;
use super::tree::{self, Difference, Leaf};
use super::{Ledger, Problem, ProblemKind};
use crate::error::{Error, Result};

/// What a merge did.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub received: usize,
    pub removed: usize,
    pub tombstoned: usize,
    pub refused: Vec<Problem>,
}

/// How the union differs from the local tree, and whether it is just the other tree.
struct Union {
    change: TreeChange,
    is_theirs: bool,
    merged: Merged,
}

impl GitStore {
    /// Brings the commit `theirs` of another copy of the ledger into the branch.
    pub fn merge(&self, theirs: Oid) -> Result<Merged> {
        let git = &self.repo.git;
        let fail = |e| Error::git("comparing ledgers")(e);
        let their_tree = self.tree_of(theirs)?;
        for _ in 0..20 {
            let mine = self.head()?;
            if let Some(mine) = mine
                && (mine == theirs || git.graph_descendant_of(mine, theirs).map_err(fail)?)
            {
                return Ok(Merged::default());
            }
            let tree = mine.map(|m| self.tree_of(m)).transpose()?;
            let behind = match mine {
                None => true,
                Some(mine) => git.graph_descendant_of(theirs, mine).map_err(fail)?,
            };
            let union = self.union(tree.as_ref(), &their_tree, behind)?;
            if behind && union.is_theirs {
                if self.swap(mine, theirs)? {
                    return Ok(union.merged);
                }
                continue;
            }
            let mut merged = union.merged;
            self.update("assay", "merge of two ledgers\n", Some(theirs), |now| {
                let union = self.union(now, &their_tree, false)?;
                merged = union.merged;
                Ok(union.change)
            })?;
            return Ok(merged);
        }
        Err(Error::RefMoved {
            name: "assay/ledger".into(),
        })
    }

    /// Computes the union; with `behind` their tree was made from mine, so that a blob that they
    /// dropped is dropped.
    fn union(
        &self,
        mine: Option<&git2::Tree<'_>>,
        theirs: &git2::Tree<'_>,
        behind: bool,
    ) -> Result<Union> {
        let git = &self.repo.git;
        if let Some(oid) = tree::find(theirs, "format.json") {
            super::git_store::check_format(&self.read(oid)?)?;
        }
        let mut merged = Merged::default();
        let mut change = TreeChange::default();
        let differences = tree::diff(git, mine, Some(theirs), "records")?;
        let incoming: Vec<Leaf> = differences.iter().filter_map(new_leaf).collect();
        let incoming = self.load(incoming)?;
        let their_dead = Ledger::tombstones(&incoming);
        let local = match (mine, differences.is_empty()) {
            (Some(tree), false) => self.load(tree::list(git, tree, "records")?)?,
            _ => Vec::new(),
        };
        let my_dead = Ledger::tombstones(&local);
        let mut incoming = incoming.into_iter().peekable();
        let mut needed: BTreeSet<Sha256> = BTreeSet::new();
        for d in &differences {
            let Some(theirs) = d.new else {
                // Only here: it stays, unless they removed it on purpose.
                if entry_id(&d.path).is_some_and(|id| their_dead.contains_key(&id)) {
                    change.remove.push(d.path.clone());
                    merged.removed += 1;
                }
                continue;
            };
            let Some(raw) = incoming.next_if(|r| r.path == d.path) else {
                merged
                    .refused
                    .push(refused(&d.path, "is not the name of a record"));
                continue;
            };
            let entry = match Entry::check(&raw.path, &raw.bytes) {
                Ok(entry) => entry,
                Err(problem) => {
                    merged.refused.push(refused(&d.path, &problem));
                    continue;
                }
            };
            let id = entry.record.id;
            if my_dead.contains_key(&id) || their_dead.contains_key(&id) {
                merged.tombstoned += 1;
                if d.old.is_some() {
                    change.remove.push(d.path.clone());
                }
                continue;
            }
            if let Some(old) = d.old {
                // One id with two contents. A sound one wins over a damaged one, else the one
                // with the smaller object id, so that all copies settle on the same.
                let mine_sound = Entry::check(&d.path, &self.read(old)?).is_ok();
                if mine_sound {
                    merged
                        .refused
                        .push(refused(&d.path, "the id has two contents"));
                    if old < theirs {
                        continue;
                    }
                }
            } else {
                merged.received += 1;
            }
            needed.extend(entry.refs.iter().map(|b| b.sha256));
            change.put.push((d.path.clone(), Content::Stored(theirs)));
        }
        let blobs = tree::diff(git, mine, Some(theirs), "blobs")?;
        if blobs.iter().any(|d| d.old.is_none()) {
            needed.extend(Ledger::referenced(&local));
        }
        for d in &blobs {
            let (Some(oid), None) = (d.new, d.old) else {
                if behind && d.new.is_none() {
                    change.remove.push(d.path.clone());
                }
                continue;
            };
            let sha: Option<Sha256> = d.path.rsplit('/').next().and_then(|n| n.parse().ok());
            let Some(sha) = sha.filter(|s| super::blobs::tree_path(*s) == d.path) else {
                merged
                    .refused
                    .push(refused(&d.path, "is not the name of a blob"));
                continue;
            };
            if !needed.contains(&sha) {
                continue;
            }
            if Sha256::of(self.read(oid)?) == sha {
                change.put.push((d.path.clone(), Content::Stored(oid)));
            } else {
                merged.refused.push(Problem {
                    kind: ProblemKind::BlobDamaged,
                    path: d.path.clone(),
                    detail: "its content does not match its name".into(),
                });
            }
        }
        let taken = change.put.len() + change.remove.len();
        Ok(Union {
            is_theirs: taken == differences.len() + blobs.len() && merged.refused.is_empty(),
            change,
            merged,
        })
    }
}

fn new_leaf(d: &Difference) -> Option<Leaf> {
    let oid = d.new.filter(|_| is_record_path(&d.path))?;
    Some(Leaf {
        path: d.path.clone(),
        oid,
    })
}

fn refused(path: &str, detail: &str) -> Problem {
    Problem {
        kind: ProblemKind::Damaged,
        path: path.to_owned(),
        detail: detail.to_owned(),
    }
}
