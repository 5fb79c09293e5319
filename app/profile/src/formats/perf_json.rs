//! `perf stat -j`: one JSON object a line.
//!
//! Keys: what is counted (`interval`, `cpu`, `core`, `socket`, `die`, `node`), `counter-value` as
//! text, `unit`, `event`, `variance`, `event-runtime`, `pcnt-running`, `metric-value`,
//! `metric-unit`. In a locale with decimal commas some lines are no JSON; they are not read.

use super::mcprofiler::json::{self, Members, Node, member};
use super::{head, text};
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// Name of the format.
pub const NAME: &str = "perf stat -j";

/// Keys that say which part of the machine or of the run a line is about.
const PLACES: [&str; 8] = [
    "interval", "cpu", "core", "socket", "die", "cluster", "node", "thread",
];

pub(super) fn matches(bytes: &[u8]) -> bool {
    head(bytes).lines().take(500).any(|l| {
        let l = l.trim_start();
        l.starts_with('{')
            && (l.contains("\"counter-value\"") && l.contains("\"event\"")
                || l.contains("\"metric-value\"") && l.contains("\"metric-unit\""))
    })
}

pub(super) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::new(super::perf_stat::TOOL, "json");
    let text = text(bytes, &mut profile.notices);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut launch = Launch::new("(whole program)", Scope::Aggregate);
    let (mut unread, mut odd, mut commas) = (0u64, 0u64, false);
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match json::read(line) {
            (Some(Node::Object(object, _)), None) if is_flat(&object) => read(&object, &mut launch),
            (Some(Node::Object(..)), None) => odd += 1,
            _ => {
                unread += 1;
                commas |= line.starts_with('{') && line.ends_with('}');
            }
        }
    }
    if unread > 0 {
        let why = if commas {
            " Decimal commas may be the reason: run perf with LC_ALL=C."
        } else {
            ""
        };
        profile.notices.push(format!(
            "{unread} lines are not JSON and were not read.{why}"
        ));
    }
    if odd > 0 {
        profile.notices.push(format!(
            "{odd} lines have a key twice, or lists where a figure should be, and were not read."
        ));
    }
    if launch.is_empty() {
        return Err(ProfileError::Unusable {
            format: NAME,
            problem: "no counter in it; was it made with `perf stat -j -o FILE`?".into(),
        });
    }
    profile.launches.push(launch);
    Ok(profile)
}

/// Whether each key stands once and has a figure or a word.
fn is_flat(object: &Members<'_>) -> bool {
    let plain = |n: &Node<'_>| !matches!(n, Node::List(..) | Node::Object(..));
    let mut keys: Vec<&str> = object.iter().map(|(k, _)| k.as_ref()).collect();
    keys.sort_unstable();
    object.iter().all(|(_, n)| plain(n)) && keys.windows(2).all(|w| w[0] != w[1])
}

fn read(object: &Members<'_>, out: &mut Launch) {
    // Figures have the digits they were printed with.
    let get = |key| match member(object, key) {
        Some(Node::Null) | None => "",
        Some(node) => node.brief().trim(),
    };
    let place: Vec<&str> = PLACES
        .iter()
        .map(|k| get(k))
        .filter(|p| !p.is_empty())
        .collect();
    let section = place.join(" ");
    let (event, value, unit) = (get("event"), get("counter-value"), get("unit"));
    if !event.is_empty() {
        let none = |status| Counter::without_value(&section, event, value, unit, status);
        let mut c = match value {
            "<not counted>" => none(Status::Absent),
            "<not supported>" => none(Status::NotSupported),
            v => Counter::read(&section, event, v, unit),
        };
        if c.status == Status::Value {
            c.suspect
                .extend(share(get("event-runtime"), get("pcnt-running")));
        }
        out.push(c);
    }
    let (value, unit) = (get("metric-value"), get("metric-unit"));
    if !value.is_empty() && !unit.is_empty() && unit != "(null)" {
        let name = if event.is_empty() {
            unit.to_owned()
        } else {
            format!("{event}: {unit}")
        };
        let c = match value {
            "(null)" | "none" => {
                Counter::without_value("derived", name, value, unit, Status::Absent)
            }
            v => Counter::read("derived", name, v, unit),
        };
        out.push(c);
    }
}

fn share(runtime: &str, percent: &str) -> Option<String> {
    // The first version of this output glued the two together.
    if percent.is_empty() && runtime.contains('.') {
        return Some("the share of time counted cannot be read".into());
    }
    let share: f64 = percent.parse().ok()?;
    (share < 100.0).then(|| format!("counted during {share} % of the time and scaled up by perf"))
}
