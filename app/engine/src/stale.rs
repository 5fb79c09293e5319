//! Whether the evidence of a variant still speaks for what its branch holds.

use std::collections::BTreeMap;

use assay_core::view::VariantRow;
use assay_ledger::CommitId;

use crate::error::Result;
use crate::gates;
use crate::workbench::Workbench;

/// Rows up to which branches are looked up one by one, and not in a scan of all.
const FEW: usize = 16;

impl Workbench {
    /// Marks the rows whose branch holds other kernel content than their evidence.
    ///
    /// Most branches stand on the commit that was run: only where they do not are files compared.
    /// A commit that is not in this clone says nothing, and the row stays unmarked.
    ///
    /// # Errors
    /// When the branches cannot be read.
    pub(crate) fn mark_stale(&self, rows: &mut [VariantRow]) -> Result<()> {
        if self.git.is_none() || self.config.is_none() {
            return Ok(());
        }
        let (folder, paths) = (&self.git()?.folder, self.variant_paths()?);
        let variants = self.variants()?;
        let tips: BTreeMap<String, CommitId> = if rows.len() > FEW {
            variants.tips(&self.campaign)?
        } else {
            let mut tips = BTreeMap::new();
            for row in rows.iter() {
                if let Some(tip) = variants.tip(&self.branch(&row.name))? {
                    tips.insert(row.name.clone(), tip);
                }
            }
            tips
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
