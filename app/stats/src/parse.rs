//! One line of a harness, parsed with suspicion.
//!
//! Sound lines take the quick way, straight into a struct. Whatever fails there is read again in
//! the slow way, which finds the words for what is wrong; so the quick way may never accept what
//! the slow one refuses.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::samples::{GREATEST_NS, LEAST_NS, Leg, NOT_STATED};

#[derive(Deserialize)]
struct Quick<'a> {
    assay: u64,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    unit: Cow<'a, str>,
    values: Vec<f64>,
    #[serde(borrow)]
    workload: Cow<'a, str>,
    #[serde(borrow)]
    subject: Cow<'a, str>,
    process: u32,
    block: u32,
    leg: u32,
    tick: Option<f64>,
    #[serde(borrow)]
    timer: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cache: Option<Cow<'a, str>>,
    #[serde(borrow)]
    void: Option<Cow<'a, str>>,
    clock_mhz: Option<f64>,
    clock_locked: Option<bool>,
    #[serde(borrow)]
    device: Option<Cow<'a, str>>,
    screen: Option<bool>,
    launches: Option<f64>,
    // Read only so that it is refused when it is there twice.
    #[serde(rename = "nonce")]
    _nonce: Option<IgnoredAny>,
}

/// Reads one line: a leg and whether it was measured to screen, so that it may only rank.
///
/// `None` for a line that is well formed and not a sample line.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn line(line: &str) -> Result<Option<(Leg, bool)>, String> {
    match quick(line) {
        Some(leg) => Ok(Some(leg)),
        None => slow(line),
    }
}

fn quick(line: &str) -> Option<(Leg, bool)> {
    let q: Quick<'_> = serde_json::from_str(line).ok()?;
    if q.assay != 1 || q.kind != "samples" {
        return None;
    }
    let unit = unit(&q.unit)?;
    let mut values_ns = q.values;
    values_ns.iter_mut().for_each(|v| *v *= unit);
    let leg = Leg {
        workload: q.workload.into_owned(),
        subject: q.subject.into_owned(),
        process: q.process,
        block: q.block,
        leg: q.leg,
        values_ns,
        timer: q.timer.map_or_else(|| NOT_STATED.into(), Cow::into_owned),
        tick_ns: q.tick,
        cache: q.cache.map_or_else(|| NOT_STATED.into(), Cow::into_owned),
        void: q.void.map(Cow::into_owned),
        clock_mhz: q.clock_mhz,
        clock_locked: q.clock_locked,
        device: q.device.map(Cow::into_owned),
        odd: odd(q.launches, q.clock_mhz),
    };
    examine(&leg).ok()?;
    Some((leg, q.screen.unwrap_or(false)))
}

fn slow(line: &str) -> Result<Option<(Leg, bool)>, String> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(line).map_err(|e| format!("not JSON: {e}"))?;
    let Value::Object(map) = value else {
        return Err("not a JSON object".into());
    };
    if let Ok(Twice(Some(key))) = serde_json::from_str(line) {
        return Err(format!(
            "{key:?} is there twice; there is no telling which is true"
        ));
    }
    if text(&map, "kind")? != "samples" {
        return Ok(None);
    }
    match map.get("assay").map(Value::as_u64) {
        None | Some(Some(1)) => {}
        Some(_) => return Err("\"assay\" is not 1, the version of the protocol known here".into()),
    }
    let name = text(&map, "unit")?;
    let unit = unit(name).ok_or_else(|| format!("unit {name:?} is not one of ns, us, ms, s"))?;
    let values = match map.get("values") {
        None => return Err("\"values\" is missing".into()),
        Some(Value::Array(values)) => values,
        Some(_) => return Err("\"values\" is not a list".into()),
    };
    let mut values_ns = Vec::with_capacity(values.len());
    for (i, v) in values.iter().enumerate() {
        let Some(v) = v.as_f64() else {
            return Err(format!("value {} is not a number: {v}", i + 1));
        };
        values_ns.push(v * unit);
    }
    let leg = Leg {
        workload: text(&map, "workload")?.to_owned(),
        subject: text(&map, "subject")?.to_owned(),
        process: whole(&map, "process")?,
        block: whole(&map, "block")?,
        leg: whole(&map, "leg")?,
        values_ns,
        timer: optional(&map, "timer")?.unwrap_or(NOT_STATED).to_owned(),
        tick_ns: number(&map, "tick")?,
        cache: optional(&map, "cache")?.unwrap_or(NOT_STATED).to_owned(),
        void: optional(&map, "void")?.map(str::to_owned),
        // Conditions describe a leg and are not its time: what makes no sense there is unknown.
        clock_mhz: map.get("clock_mhz").and_then(Value::as_f64),
        clock_locked: map.get("clock_locked").and_then(Value::as_bool),
        device: map.get("device").and_then(Value::as_str).map(str::to_owned),
        odd: odd(stated(&map, "launches"), stated(&map, "clock_mhz")),
    };
    examine(&leg)?;
    let screen = map.get("screen").and_then(Value::as_bool).unwrap_or(false);
    Ok(Some((leg, screen)))
}

/// The first key that a JSON object has twice.
struct Twice(Option<String>);

impl<'de> Deserialize<'de> for Twice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Twice;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Twice, M::Error> {
                let mut seen = BTreeSet::new();
                let mut twice = None;
                while let Some((key, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
                    if !seen.insert(key.clone()) && twice.is_none() {
                        twice = Some(key);
                    }
                }
                Ok(Twice(twice))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// A number that is stated; not a number where something else is.
fn stated(map: &Map<String, Value>, key: &str) -> Option<f64> {
    let value = map.get(key).filter(|v| !v.is_null())?;
    Some(value.as_f64().unwrap_or(f64::NAN))
}

/// What is stated beside the times and cannot be.
fn odd(launches: Option<f64>, clock_mhz: Option<f64>) -> Option<String> {
    let no = |value: f64| match value.is_nan() {
        true => "no number".to_owned(),
        false => value.to_string(),
    };
    let positive = |value: &f64| *value > 0.0 && value.is_finite();
    if let Some(launches) = launches.filter(|n| !positive(n)) {
        return Some(format!("\"launches\" is {}", no(launches)));
    }
    let clock = clock_mhz.filter(|mhz| !positive(mhz))?;
    Some(format!("\"clock_mhz\" is {}", no(clock)))
}

fn unit(name: &str) -> Option<f64> {
    match name {
        "ns" => Some(1.0),
        "us" => Some(1e3),
        "ms" => Some(1e6),
        "s" => Some(1e9),
        _ => None,
    }
}

/// What a leg must fulfil before anything is computed from it.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn examine(leg: &Leg) -> Result<(), String> {
    for (name, value) in [("workload", &leg.workload), ("subject", &leg.subject)] {
        if value.trim().is_empty() {
            return Err(format!("\"{name}\" is empty"));
        }
    }
    if leg.values_ns.is_empty() {
        return Err("\"values\" is empty".into());
    }
    for (i, v) in leg.values_ns.iter().enumerate() {
        let wrong = if v.is_nan() {
            "is not a number"
        } else if *v <= 0.0 {
            "is not above zero"
        } else if *v < LEAST_NS {
            "is below a thousandth of a nanosecond"
        } else if *v > GREATEST_NS {
            "is above eleven days"
        } else {
            continue;
        };
        return Err(format!("value {} ({v} ns) {wrong}", i + 1));
    }
    match leg.tick_ns {
        Some(tick) if !tick.is_finite() || tick < 0.0 => {
            Err(format!("tick {tick} ns is no resolution"))
        }
        _ => Ok(()),
    }
}

fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    optional(map, key)?.ok_or_else(|| format!("\"{key}\" is missing"))
}

fn optional<'a>(map: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(s)) => Ok(Some(s)),
        Some(_) => Err(format!("\"{key}\" is not a text")),
    }
}

fn number(map: &Map<String, Value>, key: &str) -> Result<Option<f64>, String> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(v) => v
            .as_f64()
            .map(Some)
            .ok_or_else(|| format!("\"{key}\" is not a number")),
    }
}

fn whole(map: &Map<String, Value>, key: &str) -> Result<u32, String> {
    let value = map
        .get(key)
        .ok_or_else(|| format!("\"{key}\" is missing"))?;
    value
        .as_u64()
        .and_then(|n| u32::try_from(n).ok())
        .ok_or_else(|| format!("\"{key}\" is not a whole number from 0 to {}", u32::MAX))
}
