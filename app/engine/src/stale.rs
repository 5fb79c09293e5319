//! Whether the evidence of a variant still speaks for what its branch holds.

use std::collections::BTreeMap;
use std::thread::{self, JoinHandle};

use assay_core::view::VariantRow;
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
        Ok(())
    }
}

/// Whether the commit of a row is that of evidence, and not that of the declaration.
fn has_evidence(row: &VariantRow) -> bool {
    let judged = |name: &str| !gates::RESERVED.contains(&name);
    matches!(row.status.as_str(), "built" | "checked" | "measured")
        || row.failure.is_some()
        || row.verdict.is_some()
        || !row.median_ns.is_empty()
        || row.gates.iter().any(|g| judged(&g.name))
}
