//! What is kept of the events.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::{NAME, TRACER_ARGS, UNITS};
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// Launches that are kept one by one; of the others only the totals are.
const MAX_LAUNCHES: usize = 10_000;

/// Different kernels or names that totals are kept for.
const MAX_NAMES: usize = 10_000;

/// Number and time of events of one name.
#[derive(Default)]
struct Total {
    count: u64,
    /// `None` once it is more than 64 bits hold, or a duration was no integer.
    time: Option<u64>,
    least: u64,
    most: u64,
}

impl Total {
    fn add(&mut self, duration: Option<u64>) {
        let d = duration.unwrap_or(0);
        self.time = match (self.count, duration) {
            (0, d) => d,
            (_, Some(d)) => self.time.and_then(|t| t.checked_add(d)),
            (_, None) => None,
        };
        self.least = if self.count == 0 {
            d
        } else {
            self.least.min(d)
        };
        self.most = self.most.max(d);
        self.count += 1;
    }
}

#[derive(Default)]
pub(super) struct Collector {
    launches: Vec<Launch>,
    occurrences: HashMap<String, u32>,
    kernels: BTreeMap<String, Total>,
    /// By category and name.
    others: BTreeMap<(String, String), Total>,
    cycle_trace: bool,
    tracer: bool,
    events: u64,
    odd: u64,
    twice: u64,
    left_out: u64,
    stopped: Option<String>,
}

impl Collector {
    /// An entry of the list that is no event.
    pub fn odd(&mut self) {
        self.odd += 1;
    }

    /// An event that has a key twice, so that either value could be meant.
    pub fn twice(&mut self) {
        self.twice += 1;
    }

    /// Reading stopped here.
    pub fn stopped(&mut self, why: &str) {
        self.stopped = Some(why.to_owned());
    }

    /// Takes one event.
    pub fn event(&mut self, event: &Map<String, Value>) {
        self.events += 1;
        let get = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or("");
        // Only complete events have a duration; others name threads, connect or count.
        if get("ph") != "X" {
            return;
        }
        let duration = event.get("dur").and_then(Value::as_u64);
        let (category, name) = (get("cat"), get("name"));
        let args = event.get("args").and_then(Value::as_object);
        let tracer = args.is_some_and(|a| TRACER_ARGS.iter().any(|k| a.contains_key(*k)));
        self.cycle_trace |= UNITS.contains(&category);
        self.tracer |= tracer;
        match args.filter(|a| a.contains_key("grid")) {
            Some(args) => self.kernel(name, event, args, tracer, duration),
            None => {
                let key = (category.to_owned(), name.to_owned());
                if self.others.len() < MAX_NAMES || self.others.contains_key(&key) {
                    self.others.entry(key).or_default().add(duration);
                } else {
                    self.left_out += 1;
                }
            }
        }
    }

    fn kernel(
        &mut self,
        name: &str,
        event: &Map<String, Value>,
        args: &Map<String, Value>,
        tracer: bool,
        duration: Option<u64>,
    ) {
        if self.kernels.len() < MAX_NAMES || self.kernels.contains_key(name) {
            self.kernels
                .entry(name.to_owned())
                .or_default()
                .add(duration);
        } else {
            self.left_out += 1;
        }
        if self.launches.len() >= MAX_LAUNCHES {
            return;
        }
        let mut launch = Launch::new(name, Scope::PerKernel);
        if let Some(before) = self.launches.last() {
            launch.counters = before.counters.again();
        }
        let count = self.occurrences.entry(name.to_owned()).or_insert(0);
        launch.occurrence = Some(*count);
        *count = count.saturating_add(1);
        launch.grid = dimensions(args.get("grid"));
        launch.block = dimensions(args.get("block"));
        let unit = if tracer { "ns" } else { "unknown" };
        for key in ["ts", "dur"] {
            if let Some(v) = event.get(key) {
                launch.push(counter("", key, v, unit));
            }
        }
        for (key, value) in args {
            let unit = match key.as_str() {
                "grid" | "block" => continue,
                k if k.ends_with("_ts") => unit,
                k if k.ends_with("(%)") => "%",
                _ => "1",
            };
            match value {
                Value::Object(inner) => {
                    for (k, v) in inner {
                        let unit = if k.starts_with("registers") {
                            "1"
                        } else {
                            "bytes"
                        };
                        launch.push(counter(key, k, v, unit));
                    }
                }
                value => launch.push(counter("args", key, value, unit)),
            }
        }
        self.launches.push(launch);
    }

    /// The profile of all events.
    pub fn finish(self) -> Result<Profile, ProfileError> {
        let (tool, unit) = match (self.tracer, self.cycle_trace) {
            (true, _) => ("mcTracer", "ns"),
            (_, true) => ("cycle-trace", "cycles"),
            _ => ("trace", "unknown"),
        };
        let mut profile = Profile::new(tool, "trace-events");
        let launched: u64 = self.kernels.values().map(|t| t.count).sum();
        let listed = self.launches.len() as u64;
        profile.launches = self.launches;
        if launched > 1 {
            for (kernel, total) in &self.kernels {
                let mut all = Launch::new(kernel, Scope::Aggregate);
                push(&mut all, "all launches", "", total, unit);
                profile.launches.push(all);
            }
        }
        if !self.others.is_empty() {
            let mut all = Launch::new("(other events)", Scope::Aggregate);
            for ((category, name), total) in &self.others {
                push(&mut all, category, name, total, unit);
            }
            profile.launches.push(all);
        }
        let mut more = |n: u64, text: &str| {
            if n > 0 {
                profile.notices.push(format!("{n} {text}"));
            }
        };
        more(
            launched.saturating_sub(listed),
            "launches are not listed one by one; the totals of their kernels have them.",
        );
        more(
            self.left_out,
            "events have names past the limit and are not in any total.",
        );
        more(self.odd, "entries of the list are no events.");
        more(self.twice, "events have a key twice and were not read.");
        if let Some(why) = self.stopped {
            profile.notices.push(format!(
                "Only the first {} events were read: {why}.",
                self.events
            ));
        }
        if profile.launches.is_empty() {
            let why = profile.notices.join(" ");
            return Err(ProfileError::Unusable {
                format: NAME,
                problem: format!("no complete event (`\"ph\": \"X\"`) in it. {why}")
                    .trim_end()
                    .to_owned(),
            });
        }
        Ok(profile)
    }
}

fn push(launch: &mut Launch, section: &str, name: &str, total: &Total, unit: &str) {
    let named = |what: &str| match name {
        "" => what.to_owned(),
        name => format!("{name}: {what}"),
    };
    let count = total.count.to_string();
    launch.push(Counter::read(section, named("events"), &count, "1"));
    match total.time {
        Some(time) => {
            for (what, n) in [
                ("total time", time),
                ("least time", total.least),
                ("most time", total.most),
            ] {
                let c = Counter::read(section, named(what), &n.to_string(), unit);
                launch.push(c);
            }
        }
        None => {
            let mut c =
                Counter::without_value(section, named("total time"), "", unit, Status::Error);
            c.suspect
                .push("durations that are no integers, or more than 64 bits hold".into());
            launch.push(c);
        }
    }
}

fn dimensions(value: Option<&Value>) -> Option<[u64; 3]> {
    let axis = |a| value?.get(a)?.as_u64();
    Some([axis("x")?, axis("y")?, axis("z")?])
}

fn counter(section: &str, name: &str, value: &Value, unit: &str) -> Counter {
    match value {
        Value::Number(n) => super::super::json_number(section, name, n, unit),
        Value::Null => Counter::without_value(section, name, "null", unit, Status::Absent),
        Value::String(s) => Counter::words(section, name, s),
        other => {
            let mut text = other.to_string();
            if text.len() > 500 {
                text = assay_core::text::truncate(&text, 500).into_owned();
            }
            Counter::words(section, name, &text)
        }
    }
}
