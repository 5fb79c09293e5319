//! The report of a device's profiler that the profile stage has taken.
//!
//! It is read, and its launches are chosen, as when it is imported: the files are laid out and
//! opened, and the kernel is the one that the campaign names.

use assay_core::campaign::ProfileSpec;
use assay_core::record;
use assay_core::text::inert;
use assay_ledger::Blob;
use assay_profile::device::Devices;
use assay_profile::{Profile, Status, partly};

use super::measured::of_launches;
use super::of_device::{Meant, other_device};
use super::raw_files::NCU_REP;
use super::select::{Wanted, listed};
use super::stored::{find, reopened};
use crate::error::{Error, Result};

/// Ends the flavour of a report whose counters were inferred from one pass.
pub(crate) const SINGLE_PASS: &str = "single pass";

/// What was read of it.
pub(crate) struct Taken {
    /// The record, of the run and the subject of its draft.
    pub record: record::Profile,
    /// What people should know about it.
    pub notices: Vec<String>,
}

/// Reads the files of a report that a tool has just written.
///
/// # Errors
/// When they cannot be read, part of them is missing, nothing was counted, they are of another device than `meant`, or it is not certain
/// which kernel is meant.
pub(crate) fn taken(
    files: &[Blob],
    how: &ProfileSpec,
    meant: &Meant<'_>,
    draft: impl FnOnce(&str) -> record::Profile,
) -> Result<Taken> {
    let is_binary = files
        .iter()
        .any(|f| f.name.ends_with(&format!(".{NCU_REP}")));
    let opened = reopened(files, is_binary, None, None)?;
    let pattern = how.kernel.as_deref().map(regex::Regex::new).transpose();
    let wanted = Wanted {
        pattern: pattern.map_err(|e| Error::input(format!("[profile] kernel: {e}")))?,
        in_stage: true,
        ..Wanted::default()
    };
    let (mut report, chosen) = find(opened, &wanted)?;
    if let Some(why) = partly(&report.profile.notices) {
        return Err(Error::environment(format!(
            "the report is not whole, and nothing of it is used: {}",
            inert(why)
        )));
    }
    if !has_figures(&report.profile, &chosen.launches) {
        return Err(
            Error::environment("nothing was counted: no figure in the report has a value").hint(
                "run the profiler by hand on the same program to see why: what it left is kept with the failed run \
                 (`assay show NAME --left DIR` writes it)",
            ),
        );
    }
    let devices = Devices::builtin();
    if let Some(why) = other_device(&report.profile, &chosen.launches, meant, devices) {
        return Err(
            Error::environment(format!("{why}: nothing of it is used")).hint(
                "choose the device by [target.NAME] gpu, and pass what the profiler chooses it by in [env]",
            ),
        );
    }
    if is_binary {
        report.profile.flavour = NCU_REP.into();
    }
    let profile = &report.profile;
    let mut notices = profile.notices.clone();
    if !chosen.others.is_empty() {
        let others: Vec<&str> = chosen.others.iter().map(String::as_str).collect();
        notices.push(format!("left out: {}", listed(&others)));
    }
    let record = of_launches(profile, &chosen, draft(&profile.tool), &mut notices);
    if let (Some(wanted), Some(got)) = (how.launch_count, record.launches)
        && got < wanted
    {
        notices.push(format!(
            "{got} of the {wanted} launches that [profile] launch_count asks for were there"
        ));
    }
    Ok(Taken { record, notices })
}

/// Whether a counter of these launches has a value.
fn has_figures(profile: &Profile, launches: &[usize]) -> bool {
    let mut chosen = launches.iter().filter_map(|at| profile.launches.get(*at));
    chosen.any(|l| l.iter().any(|c| c.status() == Status::Value))
}
