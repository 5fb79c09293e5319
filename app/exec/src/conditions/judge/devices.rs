//! Whether all readings are of one device. Pure.

use assay_core::text;

use super::Reading;

/// What the reason of a process begins with whose readings are of several devices.
pub const MIXED: &str = "mixed devices";

/// Why the readings are not of the one device that measures, if they are not.
///
/// `expected` is its identity, or the beginning of one as `CUDA_VISIBLE_DEVICES` takes it.
pub fn mixed(readings: &[Reading], expected: Option<&str>) -> Option<String> {
    let seen: Vec<&str> = readings
        .iter()
        .filter_map(|r| r.conditions.device.as_deref())
        .collect();
    let first = *seen.first()?;
    let same = |id: &str| match expected {
        Some(expected) => {
            let begin = id.get(..expected.len());
            begin.is_some_and(|b| b.eq_ignore_ascii_case(expected))
        }
        None => id == first,
    };
    let other = seen.into_iter().find(|id| !same(id) || *id != first)?;
    let one = match expected {
        Some(expected) if !same(other) => expected,
        _ => first,
    };
    Some(format!(
        "{MIXED}: readings around it tell of {} and of {}",
        text::inert(one),
        text::inert(other)
    ))
}
