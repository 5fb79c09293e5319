//! Variant branches in an exchange: created and moved forward, never forced.

use std::collections::BTreeMap;

use git2::Oid;

use super::{BranchSync, Exchange, SyncReport};
use crate::error::{Error, Result};
use crate::repo::CommitId;

const LOCAL: &str = "refs/heads/assay/";

impl Exchange<'_> {
    /// Brings variant branches up to date here and returns those to push.
    pub(super) fn exchange_branches(&self, report: &mut SyncReport) -> Result<Vec<String>> {
        let git = &self.store.repo.git;
        let theirs = self.branches(&format!("{}heads/", self.prefix))?;
        let mine = self.branches(LOCAL)?;
        let checked_out = self.store.repo.checked_out();
        let mut push = Vec::new();
        for (name, remote) in &theirs {
            let Some(local) = mine.get(name) else {
                let made = git.reference(&format!("{LOCAL}{name}"), *remote, false, "assay sync");
                let state = match made {
                    Ok(_) => BranchSync::Created,
                    Err(e) => BranchSync::Refused(e.message().to_owned()),
                };
                report.branches.insert(format!("assay/{name}"), state);
                continue;
            };
            if local == remote {
                continue;
            }
            let after = |a: &Oid, b: &Oid| git.graph_descendant_of(*a, *b).unwrap_or(false);
            if after(local, remote) {
                push.push(name.clone());
                continue;
            }
            let state = if !after(remote, local) {
                BranchSync::Diverged {
                    local: CommitId(*local),
                    remote: CommitId(*remote),
                }
            } else if let Some(at) = checked_out.get(&format!("assay/{name}")) {
                BranchSync::CheckedOut { at: at.clone() }
            } else {
                let full = format!("{LOCAL}{name}");
                match git.reference_matching(&full, *remote, true, *local, "assay sync") {
                    Ok(_) => BranchSync::Updated,
                    Err(e) => BranchSync::Refused(e.message().to_owned()),
                }
            };
            report.branches.insert(format!("assay/{name}"), state);
        }
        push.extend(mine.keys().filter(|n| !theirs.contains_key(*n)).cloned());
        for name in &push {
            report
                .branches
                .insert(format!("assay/{name}"), BranchSync::Sent);
        }
        if self.options.fetch_only {
            for name in &push {
                report.branches.remove(&format!("assay/{name}"));
            }
            push.clear();
        }
        Ok(push.into_iter().map(|n| format!("{LOCAL}{n}")).collect())
    }

    /// `campaign/slug` and tip of every variant branch below `prefix`.
    fn branches(&self, prefix: &str) -> Result<BTreeMap<String, Oid>> {
        let git = &self.store.repo.git;
        let fail = |e| Error::git("reading the variant branches")(e);
        let mut out = BTreeMap::new();
        for reference in git.references_glob(&format!("{prefix}*")).map_err(fail)? {
            let reference = reference.map_err(fail)?;
            let name = reference.name().ok().and_then(|n| n.strip_prefix(prefix));
            if let (Some(name), Some(tip)) = (name, reference.target())
                && name.contains('/')
            {
                out.insert(name.to_owned(), tip);
            }
        }
        Ok(out)
    }
}
