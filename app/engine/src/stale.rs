//! Whether the evidence of a variant still speaks for what its branch holds.

use std::collections::{BTreeMap, HashMap};
use std::thread::{self, JoinHandle};

use assay_core::fold::{Tip, gates_at_tip};
use assay_core::view::{GateView, VariantRow};
use assay_ledger::{CommitId, Repo, Variants};

use crate::error::Result;
use crate::gates;
use crate::workbench::Workbench;

/// The tips of all variants, on their way: thousands of branches take as long to read as the list.
pub(crate) type Scan = JoinHandle<assay_ledger::Result<Tips>>;

type Tips = BTreeMap<String, CommitId>;

impl Workbench {
    /// Begins to read the tips of all variants on a thread of its own, with a handle of its own.
    pub(crate) fn scan_tips(&self) -> Option<Scan> {
        let git = self.git.as_ref()?;
        let (dir, campaign) = (git.repo.common_dir().to_owned(), self.campaign.clone());
        let scan = move || Variants::new(&Repo::open(dir)?).tips(&campaign);
        thread::Builder::new().spawn(scan).ok()
    }

    /// Marks the rows whose branch holds other kernel content than their evidence.
    ///
    /// Most branches stand on the commit that was run: only where they do not are files compared.
    /// A commit that is not in this clone says nothing, and the row stays unmarked.
    ///
    /// # Errors
    /// When the branches cannot be read.
    pub(crate) fn mark_stale(&self, rows: &mut [VariantRow], scan: Option<Scan>) -> Result<()> {
        if self.git.is_none() || self.config.is_none() {
            return Ok(());
        }
        let (folder, paths) = (&self.git()?.folder, self.variant_paths()?);
        let variants = self.variants()?;
        let tips = match scan.map(JoinHandle::join) {
            Some(Ok(tips)) => tips?,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => {
                let mut tips = Tips::new();
                for row in rows.iter() {
                    if let Some(tip) = variants.tip(&self.branch(&row.name))? {
                        tips.insert(row.name.clone(), tip);
                    }
                }
                tips
            }
        };
        for row in rows.iter_mut().filter(|row| has_evidence(row)) {
            let (Some(tip), Some(commit)) = (tips.get(&row.name), &row.commit) else {
                continue;
            };
            if let Ok(commit) = commit.parse::<CommitId>()
                && commit != *tip
            {
                row.stale = variants.same_files(commit, *tip, folder, &paths)? == Some(false);
            }
        }
        if self.can_run() {
            let mut compared = Compared::default();
            for row in rows {
                self.stand(row, tips.get(&row.name).copied(), &mut compared)?;
            }
        }
        Ok(())
    }

    /// The gates of one row beside what stands on its branch, as [`Workbench::mark_stale`] does it for many.
    ///
    /// # Errors
    /// When the branch cannot be read.
    pub(crate) fn gates_of_branch(
        &self,
        row: &mut VariantRow,
        tip: Option<CommitId>,
    ) -> Result<()> {
        match self.can_run() && self.config.is_some() {
            true => self.stand(row, tip, &mut Compared::default()),
            false => Ok(()),
        }
    }

    fn stand(
        &self,
        row: &mut VariantRow,
        tip: Option<CommitId>,
        compared: &mut Compared,
    ) -> Result<()> {
        if row.status == BASELINE {
            return Ok(());
        }
        let beside = match tip {
            None => Tip::Gone,
            Some(_) if row.stale => Tip::Other,
            Some(_) => Tip::Same,
        };
        gates_at_tip(&mut row.gates, beside);
        // A run that did not get as far as its check says nothing of the evaluator.
        if let Some(tip) = tip
            && self.evaluator.is_some()
            && row.gates.iter().all(|g| g.name != gates::EVALUATOR)
        {
            let g = match compared.same(self, tip)? {
                Some(true) => gates::evaluator(&[]),
                Some(false) if compared.changes < MOST_CHANGES => {
                    compared.changes += 1;
                    gates::evaluator(&self.touched(&row.name, tip)?)
                }
                _ => gates::not_compared(),
            };
            let gate = GateView {
                name: g.name,
                pass: g.pass,
                evidence: g.evidence,
                overridden: None,
                decided: false,
            };
            row.gates.insert(0, gate);
        }
        Ok(())
    }
}

/// Variants of a list that never were checked whose protected files are held against the pinned ones, and
/// of those that differ, whose files are compared with what they began with: some microseconds and some
/// milliseconds each.
const MOST_TIPS: usize = 1000;
const MOST_CHANGES: usize = 100;

/// What was compared for the rows of one list.
#[derive(Default)]
struct Compared {
    /// Whether a commit has the pinned protected files.
    tips: HashMap<CommitId, bool>,
    changes: usize,
}

impl Compared {
    /// Whether a commit has the pinned protected files; nothing when enough were looked at.
    fn same(&mut self, bench: &Workbench, tip: CommitId) -> Result<Option<bool>> {
        if let Some(known) = self.tips.get(&tip) {
            return Ok(Some(*known));
        }
        if self.tips.len() >= MOST_TIPS {
            return Ok(None);
        }
        let (pin, protected) = (bench.evaluator()?, &bench.config()?.kernel.protected);
        let found = bench
            .variants()?
            .same_files(bench.pinned()?, tip, &pin.folder, protected)?;
        let same = found == Some(true);
        self.tips.insert(tip, same);
        Ok(Some(same))
    }
}

/// The status of what variants are measured against.
const BASELINE: &str = "baseline";

/// Whether the commit of a row is that of evidence, and not that of the declaration.
fn has_evidence(row: &VariantRow) -> bool {
    let judged = |name: &str| !gates::RESERVED.contains(&name);
    matches!(row.status.as_str(), "built" | "checked" | "measured")
        || row.failure.is_some()
        || row.verdict.is_some()
        || !row.median_ns.is_empty()
        || row.gates.iter().any(|g| judged(&g.name))
}
