//! Which device a report is about, by what the report itself says.

use super::{Device, Sign};
use crate::{CounterRef, Launch, Profile};

pub(super) fn recognise<'a>(
    devices: &'a [Device],
    profile: &Profile,
) -> Option<(&'a Device, String)> {
    for device in devices {
        for sign in device.signs.iter().filter(|s| s.tool == profile.tool) {
            if let Some(seen) = profile.launches.iter().find_map(|l| shown(sign, l)) {
                let why = format!("taken to be {} because {seen}", device.title);
                return Some((device, why));
            }
        }
    }
    None
}

/// What a launch shows of a sign, as a sentence, if it shows all of it.
fn shown(sign: &Sign, launch: &Launch) -> Option<String> {
    let mut seen = Vec::new();
    for (name, word) in &sign.words {
        let c = counter(launch, name)?;
        let says = c.word().unwrap_or(c.raw()).trim() == word;
        says.then(|| seen.push(format!("{name} is `{word}`")))?;
    }
    for (name, value) in &sign.values {
        let found = counter(launch, name)?.number()?;
        // Tools print it in any number of digits.
        let is_same = (found - value).abs() <= value.abs() * 1e-9;
        is_same.then(|| seen.push(format!("{name} is {value}")))?;
    }
    Some(seen.join(" and "))
}

fn counter<'a>(launch: &'a Launch, name: &str) -> Option<CounterRef<'a>> {
    launch
        .iter()
        .find(|c| c.canonical() == Some(name) || c.name() == name)
}
