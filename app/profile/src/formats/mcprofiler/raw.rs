//! `<casename>.json`: hardware counters before any formula, for each device first the sum over all
//! kernels, then each kernel in the order of the launches. Kernels have no names here.
//!
//! The section of a counter is its block and instance, e.g. `ISU/dpcId0,blockId3`.

mod devices;
mod stream;

use self::devices::Devices;
use super::input;
use super::json::Reader;
use super::rows::TOOL;
use crate::{Profile, ProfileError};

/// Name of the format.
pub const NAME: &str = "mcProfiler hardware counters (<casename>.json)";

/// The flavour in the profile.
pub const FLAVOUR: &str = "hardware.json";

const ROOT: &str = "perf_counters";

/// What the launch is called that has the sum over all kernels.
pub(super) const ALL_KERNELS: &str = "(all kernels)";

pub(super) use devices::nameless;
pub(in crate::formats) use stream::parse_reader;

pub(in crate::formats) fn matches(bytes: &[u8]) -> bool {
    input::any_head(bytes, |document| {
        let mut found = None;
        document.each_member(0, |r, key| {
            if key == ROOT {
                found = Some(r.begins() == Some(b'{'));
                return None;
            }
            r.value(1).map(drop)
        });
        found
    })
}

pub(in crate::formats) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::new(TOOL, FLAVOUR);
    let text = input::text(bytes, &mut profile.notices);
    let mut devices = Devices::new(profile);
    let mut document = Reader::new(&text);
    if document.begins() == Some(b'{') {
        document.each_member(0, |r, key| devices.root(r, &key));
    } else {
        document.value(0);
    }
    devices.finish(document.finish())
}
