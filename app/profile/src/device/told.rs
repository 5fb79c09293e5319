//! What a report says of the device that it was taken on.

use crate::Profile;

/// The column in which Nsight Compute has the name of the device.
const NAME: &str = "device__attribute_display_name";

/// The column of its compute capability.
const CAPABILITY: &str = "CC";

/// The device of some launches, as their report has it; empty where it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// Names of the devices, each once.
    pub names: Vec<String>,
    /// Their compute capabilities, each once.
    pub capabilities: Vec<String>,
}

/// What the report says of the device of these launches, given by their places.
pub fn told(profile: &Profile, launches: &[usize]) -> Told {
    let of = |column: &str| {
        let mut out: Vec<String> = Vec::new();
        for launch in launches.iter().filter_map(|at| profile.launches.get(*at)) {
            let cells = launch.iter().filter(|c| c.name() == column);
            for cell in cells {
                let text = cell.word().unwrap_or(cell.raw()).trim();
                if !text.is_empty() && !out.iter().any(|known| known == text) {
                    out.push(text.to_owned());
                }
            }
        }
        out
    };
    Told {
        names: of(NAME),
        capabilities: of(CAPABILITY),
    }
}
