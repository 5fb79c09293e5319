//! What a record says of the launches that were chosen in a report.

use std::collections::BTreeMap;

use assay_core::record::{self, Figure};
use assay_profile::{Launch, Profile, Scope, canonical_notices, launch_figures};

use super::select::{Chosen, middle};

/// Fills in a record: of several launches the medians, with the smallest and the largest value where
/// they differ; `notices` gets what a single launch has to tell.
pub fn of_launches(
    profile: &Profile,
    chosen: &Chosen,
    draft: record::Profile,
    notices: &mut Vec<String>,
) -> record::Profile {
    let launches: Vec<&Launch> = (chosen.launches.iter())
        .filter_map(|l| profile.launches.get(*l))
        .collect();
    let figures: Vec<BTreeMap<String, Figure>> =
        launches.iter().map(|l| launch_figures(l)).collect();
    if let [only] = launches.as_slice() {
        let mut alone = Profile::new(&profile.tool, &profile.flavour);
        alone.launches.push((*only).clone());
        notices.extend(canonical_notices(&alone));
    }
    let middle = middle(&figures);
    let varies = |[low, high]: &[f64; 2]| low < high;
    record::Profile {
        tool_version: profile.tool_version.clone(),
        flavour: Some(profile.flavour.clone()),
        kernel: chosen.kernel.clone(),
        occurrence: chosen.occurrence,
        launches: Some(of_kernel(profile, chosen)),
        spread: (middle.iter())
            .filter(|(_, (_, range))| varies(range))
            .map(|(name, (_, range))| (name.clone(), *range))
            .collect(),
        counters: (middle.into_iter())
            .map(|(name, (figure, _))| (name, figure))
            .collect(),
        ..draft
    }
}

/// Launches of the kernel in the report, whether one was chosen or not.
fn of_kernel(profile: &Profile, chosen: &Chosen) -> u32 {
    let of = match &chosen.kernel {
        Some(kernel) => (profile.launches.iter())
            .filter(|l| l.scope == Scope::PerKernel && l.kernel == *kernel)
            .count(),
        None => 1,
    };
    u32::try_from(of.max(1)).unwrap_or(u32::MAX)
}
