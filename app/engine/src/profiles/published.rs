//! Tables of published figures: one record for each workload that has a row.

use std::collections::BTreeMap;
use std::path::Path;

use assay_core::record::{self, Figure, OF_NO_WORKLOAD, PUBLISHED};
use assay_core::text::inert;
use assay_ledger::Blob;
use assay_profile::{Fault, Launch, Profile, Scope, launch_figures};

use super::import::Filing;
use super::raw_files::{KEPT, file_name};
use super::select::listed;
use crate::Cancel;
use crate::counters::Opened;
use crate::error::{Error, Result};
use crate::input;

impl Filing<'_> {
    /// A table of published figures: one record for each workload that has a row.
    pub(super) fn published(
        &self,
        opened: Opened,
        notices: &mut Vec<String>,
        cancel: &Cancel,
    ) -> Result<(Vec<record::Profile>, Vec<Blob>)> {
        let [report] = opened.reports.as_slice() else {
            return Err(Error::input("one published table at a time"));
        };
        let profile = &report.profile;
        notices.extend(profile.notices.iter().cloned());
        let bytes = input::bytes(Path::new(&report.path), KEPT, cancel)?;
        let blob = Blob::new(file_name(&report.path), bytes);
        let names = self.bench.workload_names();
        let rows = self.rows(profile)?;
        whole(&report.path, profile, &rows)?;
        let mut drafts: Vec<record::Profile> = Vec::new();
        let mut strangers: Vec<&str> = Vec::new();
        for launch in rows {
            let label = launch.kernel.as_str();
            let counters = launch_figures(launch);
            let of_none = of_no_workload(&counters);
            let workload = match &self.request.workload {
                Some(name) if of_none => {
                    return Err(Error::input(format!(
                        "row `{}` has figures of no workload, and --workload says `{}`",
                        inert(label),
                        inert(name)
                    ))
                    .hint("leave --workload out"));
                }
                Some(_) => self.workload()?,
                None if of_none => String::new(),
                None => match names.iter().find(|w| same_label(w, label)) {
                    Some(name) => name.clone(),
                    None => {
                        strangers.push(label);
                        continue;
                    }
                },
            };
            if !of_none && drafts.iter().any(|d| d.workload == workload) {
                return Err(Error::input(format!(
                    "the table has several rows for the workload `{workload}`: which one counts cannot be told"
                ))
                .hint("--kernel takes the rows of one kernel or side, or one row"));
            }
            if counters.is_empty() {
                notices.push(format!("`{}`: no figure of it can be used", inert(label)));
                continue;
            }
            drafts.push(record::Profile {
                flavour: Some(profile.tool.clone()),
                kernel: (launch.scope == Scope::PerKernel).then(|| label.to_owned()),
                occurrence: launch.occurrence.filter(|n| *n > 0),
                launches: Some(1),
                counters,
                ..self.draft(&workload, PUBLISHED, blob.reference())
            });
        }
        if !strangers.is_empty() {
            notices.push(format!(
                "rows of no workload of the campaign, left out: {}",
                listed(&strangers)
            ));
        }
        if drafts.is_empty() {
            return Err(Error::input(format!(
                "no row of the table is of a workload of the campaign; rows: {}",
                listed(&strangers)
            ))
            .hint(format!(
                "workloads are {}; --workload NAME --kernel ROW takes one row for one of them",
                names.join(", ")
            )));
        }
        Ok((drafts, vec![blob]))
    }

    /// The rows of a published table that are meant: all, or those of a row, kernel or side.
    fn rows<'p>(&self, profile: &'p Profile) -> Result<Vec<&'p Launch>> {
        if self.request.launch.is_some() {
            return Err(
                Error::input("a row of a published table is not chosen by --launch")
                    .hint("--kernel ROW"),
            );
        }
        let all: Vec<&Launch> = profile.launches.iter().collect();
        let Some(text) = &self.request.kernel else {
            return match self.request.workload.is_some() && all.len() > 1 {
                true => Err(Error::input(format!(
                    "the table has {} rows and --workload names one workload",
                    all.len()
                ))
                .hint("--kernel ROW says which row, or leave --workload out to take each row by its name")),
                false => Ok(all),
            };
        };
        let exact = |l: &Launch| l.kernel == *text || parts(&l.kernel).any(|p| p == text);
        let mut meant: Vec<&Launch> = all.iter().copied().filter(|l| exact(l)).collect();
        if meant.is_empty() {
            meant = (all.iter().copied())
                .filter(|l| l.kernel.contains(text.as_str()))
                .collect();
        }
        if meant.is_empty() {
            let labels: Vec<&str> = all.iter().map(|l| l.kernel.as_str()).collect();
            return Err(Error::input(format!(
                "no row of the table has `{}` in its name",
                inert(text)
            ))
            .hint(format!("rows: {}", listed(&labels))));
        }
        Ok(meant)
    }
}

/// Refuses a table with a fault in the rows that are meant: a figure that is missing, that cannot be read
/// or that stands twice would be filed as if it were not there.
fn whole(path: &str, profile: &Profile, rows: &[&Launch]) -> Result<()> {
    let meant = |f: &&Fault| f.launch.is_empty() || rows.iter().any(|l| l.kernel == f.launch);
    let mut faults = profile.faults.iter().filter(meant);
    let Some(first) = faults.next() else {
        return Ok(());
    };
    let more = match faults.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Err(Error::input(format!(
        "{}: {}: {}{more}",
        inert(path),
        inert(&first.place),
        first.what
    ))
    .hint("rows are counted as a spreadsheet shows them: the header is row 1"))
}

/// Whether figures are of no launch, e.g. a number of tests.
fn of_no_workload(figures: &BTreeMap<String, Figure>) -> bool {
    let is_it = |name: &String| OF_NO_WORKLOAD.contains(&name.as_str());
    !figures.is_empty() && figures.keys().all(is_it)
}

/// What the name of a row is made of: kernel, workload, side.
fn parts(label: &str) -> impl Iterator<Item = &str> {
    label.split(" · ").map(str::trim)
}

/// Whether a table holds published figures, which nobody measured here.
pub(super) fn is_published(profile: &Profile) -> bool {
    let mut counters = profile.launches.iter().flat_map(Launch::iter);
    counters.any(|c| c.canonical().is_some_and(|n| n.starts_with("claim.")))
}

fn same_label(workload: &str, label: &str) -> bool {
    workload == label.trim() || parts(label).any(|p| p.eq_ignore_ascii_case(workload))
}
