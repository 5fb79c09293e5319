//! Whether a report is of the device that it is filed for, as far as the report itself says.

use assay_core::campaign::{Campaign, Device, ProfileTool, Target};
use assay_core::record::{Environment, Stage};
use assay_core::text::inert;
use assay_profile::Profile;
use assay_profile::device::{Devices, told};

use crate::run::model::names;

/// The device that a report should be of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meant<'a> {
    /// The target that it is filed for.
    pub target: Option<&'a Target>,
    /// Whether the target says itself by which tool its counters are taken.
    pub has_own_tool: bool,
    /// The fingerprint with the device that a run has found; absent for what was taken elsewhere.
    pub found: Option<&'a Environment>,
}

impl<'a> Meant<'a> {
    /// The device of a target, as far as the campaign says it.
    pub fn by(config: Option<&'a Campaign>, target: &str) -> Self {
        let stage = config.and_then(|c| c.stage(target, Stage::Profile));
        let tool = stage.and_then(|s| s.profile()).map(|how| how.tool);
        Self {
            target: config.and_then(|c| c.targets.get(target)),
            has_own_tool: tool.is_some_and(|t| t != ProfileTool::Auto),
            found: None,
        }
    }
}

/// The kind of device that a tool takes counters of.
fn kind_of(tool: &str) -> Option<Device> {
    match tool {
        "ncu" => Some(Device::Cuda),
        "mcProfiler" => Some(Device::Metax),
        _ => None,
    }
}

/// Why some launches of a report, given by their places, are of another device than the one that is meant: in
/// words. What neither of them tells is not held against the other.
pub(crate) fn other_device(
    report: &Profile,
    launches: &[usize],
    meant: &Meant<'_>,
    devices: &Devices,
) -> Option<String> {
    let told = told(report, launches);
    let fact = |name: &str| meant.found.and_then(|e| e.stable.get(name));
    let found = fact("gpu.model");
    if let Some(target) = meant.target
        && !meant.has_own_tool
        && let Some(kind) = kind_of(&report.tool)
        && kind != target.device
    {
        return Some(format!(
            "the report is one of {}, and the device of target `{}` is of the kind {}",
            inert(&report.tool),
            inert(&target.name),
            target.device.name()
        ));
    }
    for name in &told.names {
        if let Some(found) = found {
            if !names(name, found) && !names(found, name) {
                return Some(other(name, found));
            }
        } else if let Some((target, model)) =
            meant.target.and_then(|t| Some((t, t.model.as_ref()?)))
            && !names(name, model)
        {
            return Some(format!(
                "the report is of {}, and target `{}` declares the model `{}`",
                inert(name),
                inert(&target.name),
                inert(model)
            ));
        }
    }
    if told.names.is_empty()
        && let Some(found) = fact("gpu.capability")
        && let Some(capability) = told.capabilities.iter().find(|c| *c != found)
    {
        return Some(format!(
            "the report is of a device of compute capability {}, and the one that measures has {}",
            inert(capability),
            inert(found)
        ));
    }
    let (seen, _) = devices.recognise(report)?;
    let found = found?;
    let called = devices.called(found)?;
    (called.name != seen.name).then(|| other(&seen.title, found))
}

fn other(told: &str, found: &str) -> String {
    format!(
        "the report is of {}, and the device that measures is {}",
        inert(told),
        inert(found)
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use assay_profile::{Counter, Launch, Scope};

    use super::*;

    fn target(device: Device, model: Option<&str>) -> Target {
        Target {
            name: "t".into(),
            device,
            model: model.map(str::to_owned),
            gpu: None,
            unknown_device: false,
            share: None,
            stages: BTreeMap::new(),
        }
    }

    fn report(tool: &str, facts: &[(&str, &str)]) -> Profile {
        let mut launch = Launch::new("gemm", Scope::PerKernel);
        for (name, value) in facts {
            launch.push(Counter::words("", *name, value));
        }
        let mut profile = Profile::new(tool, "raw");
        profile.launches.push(launch);
        profile
    }

    fn found(facts: &[(&str, &str)]) -> Environment {
        let mut e = Environment::default();
        for (name, value) in facts {
            e.stable.insert((*name).into(), (*value).into());
        }
        e
    }

    const NAME: &str = "device__attribute_display_name";

    #[test]
    fn a_report_is_held_against_the_device_that_was_found_or_declared_as_far_as_both_tell() {
        let cuda = target(Device::Cuda, Some("h200"));
        let h200 = found(&[("gpu.model", "NVIDIA H200"), ("gpu.capability", "9.0")]);
        let of = |facts: &[(&str, &str)], found: Option<&Environment>| {
            let meant = Meant {
                target: Some(&cuda),
                found,
                ..Meant::default()
            };
            other_device(&report("ncu", facts), &[0], &meant, Devices::builtin())
        };
        for same in ["NVIDIA H200", "NVIDIA H200 MIG 1g.18gb"] {
            assert_eq!(of(&[(NAME, same)], Some(&h200)), None);
            assert_eq!(of(&[(NAME, same)], None), None);
        }
        let a100 = [(NAME, "NVIDIA A100-SXM4-80GB"), ("CC", "8.0")];
        let why = of(&a100, Some(&h200)).unwrap();
        assert_eq!(
            why,
            "the report is of NVIDIA A100-SXM4-80GB, and the device that measures is NVIDIA H200"
        );
        let why = of(&a100, None).unwrap();
        assert!(
            why.ends_with("target `t` declares the model `h200`"),
            "{why}"
        );
        let why = of(&[("CC", "8.0")], Some(&h200)).unwrap();
        assert!(why.contains("compute capability 8.0"), "{why}");
        for nothing in [&[("CC", "9.0")][..], &[]] {
            assert_eq!(of(nothing, Some(&h200)), None);
        }
    }

    #[test]
    fn a_report_of_a_gpu_is_none_of_a_processor_unless_its_target_names_the_tool() {
        let cpu = target(Device::Cpu, None);
        let of = |tool: &str, has_own_tool| {
            let meant = Meant {
                target: Some(&cpu),
                has_own_tool,
                found: None,
            };
            let report = report(tool, &[(NAME, "NVIDIA H200")]);
            other_device(&report, &[0], &meant, Devices::builtin())
        };
        assert!(of("ncu", false).unwrap().contains("of the kind cpu"));
        assert!(of("mcProfiler", false).is_some());
        assert_eq!(of("ncu", true), None);
        assert_eq!(of("perf stat", false), None);
    }

    #[test]
    fn figures_that_show_another_card_than_the_driver_names_are_told() {
        let mut launch = Launch::new("gemm", Scope::PerKernel);
        for (name, unit, value) in [
            ("roofline.units", "1", "104"),
            ("roofline.bandwidth.peak", "GB/s", "1843.2"),
        ] {
            launch.push(Counter::read("", name, value, unit));
        }
        let mut report = Profile::new("mcProfiler", "json");
        report.launches.push(launch);
        let of = |model: &str| {
            let found = found(&[("gpu.model", model)]);
            let meant = Meant {
                found: Some(&found),
                ..Meant::default()
            };
            other_device(&report, &[0], &meant, Devices::builtin())
        };
        assert_eq!(of("MetaX C500"), None);
        assert_eq!(of("a card without a file"), None);
        assert!(of("NVIDIA H200").unwrap().contains("MetaX C500"));
    }
}
