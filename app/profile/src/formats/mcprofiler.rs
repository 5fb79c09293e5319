//! Reports of mcProfiler, the profiler of MetaX GPUs.
//!
//! One measurement is written in several flavours, told apart by content: `txt_json`, `txt` and
//! `csv` hold figures rounded for people, `dumped` the same rows with all digits, `raw` the hardware
//! counters beneath. No flavour names its kernel, the version of the tool or the time: [`subject`]
//! reads the kernel from the name of the file, and [`read_folder`] puts a whole output folder
//! together.
//!
//! The key of a counter is (section, name). Charts fall into their figures: `Instructions
//! Comparison` has the counter `Instructions Comparison.BSM`, the roofline `RoofLine.data.case_I`.

pub mod csv;
pub mod dumped;
mod expected;
mod figure;
mod folder;
mod input;
pub(crate) mod json;
mod merge;
mod metrics;
mod name;
pub mod raw;
mod rows;
pub mod txt;
pub mod txt_json;

pub use folder::{FileRead, Folder, KernelLaunches, Outcome, Run, read_folder};
pub use name::{Subject, subject};
pub use rows::{TOOL, UNNAMED};

use crate::{Profile, Scope};

/// Gives a report that was read alone the kernel that its file name tells. A path that tells none
/// leaves it [`UNNAMED`], with a notice.
pub fn name_by_path(profile: &mut Profile, path: &str) {
    let subject = subject(path);
    for launch in &mut profile.launches {
        if launch.kernel != UNNAMED {
            continue;
        }
        match &subject {
            Subject::AllKernels => raw::ALL_KERNELS.clone_into(&mut launch.kernel),
            Subject::Kernel { kernel, .. } => {
                launch.kernel.clone_from(kernel);
                launch.scope = Scope::PerKernel;
            }
            Subject::Unclear(_) => profile.notices.push(
                "Which kernel it is about, or whether all of them added up, is told by the name that the tool gave the file (`<n>_<kernel>.*`, `report.*`), which this is not.".into(),
            ),
        }
    }
}
