//! Counters of a slice and of a whole card are not set against each other.

use assay_core::RecordId;
use assay_core::fold::State;
use assay_core::record;
use assay_core::text::inert;

use super::context;
use crate::error::{Error, Result};

/// Facts that say which part of a device was given.
const PARTS: [&str; 4] = ["gpu.sgpu", "gpu.sgpu.share", "gpu.slice", "gpu.slice.uuid"];

/// Refuses profiles that runs took on different parts of a device.
///
/// # Errors
/// Names the devices.
pub(super) fn refuse_mixed(state: &State, records: &[(RecordId, &record::Profile)]) -> Result<()> {
    let runs = records.iter().filter_map(|(_, p)| {
        let run = context::run(state, &p.subject.name, p.run)?;
        let stable = &run.environment.stable;
        let part = PARTS.map(|name| stable.get(name).cloned());
        Some((&p.subject.name, &run.environment.device, part))
    });
    let runs: Vec<_> = runs.collect();
    let Some((first, rest)) = runs.split_first() else {
        return Ok(());
    };
    match rest.iter().find(|(.., part)| *part != first.2) {
        None => Ok(()),
        Some((name, device, _)) => Err(Error::input(format!(
            "not comparable: the counters of `{name}` are of {}, those of `{}` of {}: a slice says nothing of a whole card, nor of another slice",
            inert(device),
            first.0,
            inert(first.1)
        ))
        .hint("profile both on the same part of the device")),
    }
}
