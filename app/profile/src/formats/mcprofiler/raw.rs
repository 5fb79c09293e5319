//! `<casename>.json`: hardware counters before any formula, for each device first the sum over all
//! kernels, then each kernel in the order of the launches. Kernels have no names here.
//!
//! The section of a counter is its block and instance, e.g. `ISU/dpcId0,blockId3`.

use smol_str::SmolStr;

use super::json::{self, Members, Node, member};
use super::rows::{TOOL, mark_repeated};
use super::{figure, input};
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// Name of the format.
pub const NAME: &str = "mcProfiler hardware counters (<casename>.json)";

/// The flavour in the profile.
pub const FLAVOUR: &str = "hardware.json";

const ROOT: &str = "perf_counters";

pub(in crate::formats) fn matches(bytes: &[u8]) -> bool {
    input::any_head(bytes, |root| {
        let root = member(root.members()?, ROOT)?;
        Some(matches!(root, Node::Object(..)))
    })
}

/// What the launch is called that has the sum over all kernels.
pub(super) const ALL_KERNELS: &str = "(all kernels)";

/// What a kernel is called that has no name but its place in the order of the launches, from 1.
pub(super) fn nameless(index: usize) -> String {
    format!("(kernel {index})")
}

pub(in crate::formats) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::new(TOOL, FLAVOUR);
    let text = input::text(bytes, &mut profile.notices);
    let (root, problem) = json::read(&text);
    profile.notices.extend(problem.map(|p| input::damage(&p)));
    for (key, value) in root.iter().filter_map(Node::members).flatten() {
        match (key.as_ref(), value) {
            (ROOT, Node::Object(devices, _)) => read_devices(devices, &mut profile),
            (_, Node::Null) => {}
            (_, v) if v.members().is_some_and(Vec::is_empty) => {}
            (_, v) if v.items().is_some_and(<[_]>::is_empty) => {}
            (key, _) => profile
                .notices
                .push(format!("`{}` is not read.", input::shown(key))),
        }
    }
    if profile.launches.iter().all(|l| l.is_empty()) {
        return Err(ProfileError::Unusable {
            format: NAME,
            problem: match profile.notices.as_slice() {
                [] => "no counter in it".into(),
                all => format!("no counter in it: {}", all.join(" ")),
            },
        });
    }
    Ok(profile)
}

fn read_devices(devices: &Members<'_>, profile: &mut Profile) {
    for (device, list) in devices {
        let Some(items) = list.items() else {
            profile.notices.push(format!(
                "Device `{}` has no list of kernels.",
                input::shown(device)
            ));
            continue;
        };
        for (i, item) in items.iter().enumerate() {
            let (name, scope) = match i {
                0 => (ALL_KERNELS.to_owned(), Scope::Aggregate),
                i => (nameless(i), Scope::PerKernel),
            };
            let name = if devices.len() > 1 {
                format!("device {device}: {name}")
            } else {
                name
            };
            let mut launch = Launch::new(name, scope);
            let mut counters = Vec::new();
            blocks(item, &SmolStr::default(), &mut counters);
            mark_repeated(&mut counters);
            launch.counters.extend(counters);
            if !item.is_whole() {
                let last = input::shown(&launch.kernel);
                profile
                    .notices
                    .push(format!("{last}: cut off, not all its counters are there."));
            }
            profile.launches.push(launch);
        }
    }
}

/// Blocks hold instances, and instances hold counters.
fn blocks(node: &Node<'_>, path: &SmolStr, out: &mut Vec<Counter>) {
    for (key, value) in node.members().into_iter().flatten() {
        match value {
            Node::Object(..) => {
                let path = if path.is_empty() {
                    SmolStr::from(key.as_ref())
                } else {
                    smol_str::format_smolstr!("{path}/{key}")
                };
                blocks(value, &path, out);
            }
            Node::Number(raw) => out.push(figure::hardware(path, key, raw)),
            Node::Text(text) => out.push(Counter::words(path.clone(), key.as_ref(), text)),
            Node::Null => out.push(Counter::without_value(
                path.clone(),
                key.as_ref(),
                "null",
                "",
                Status::Absent,
            )),
            other => {
                let why = "not a number".into();
                out.push(figure::problem(path, key, other.brief(), why));
            }
        }
    }
}
