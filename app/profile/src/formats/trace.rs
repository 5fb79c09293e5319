//! Event traces of MetaX tools: mcTracer (kernels with their launch) and the cycle trace
//! (instructions by unit).
//!
//! Both write the trace event format. It is read event by event: what is kept grows with the
//! number of kernels and names, up to a limit, and not with the size of the file.

mod collect;
mod stream;
mod strict;

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

pub(super) use self::stream::parse_reader;

use self::collect::Collector;
use self::strict::Strict;
use crate::{Profile, ProfileError};

/// Name of the format.
pub const NAME: &str = "mcTracer or cycle trace JSON";

/// How far signs of these tools are looked for.
const LOOKED_AT: usize = 1 << 20;

/// Arguments that only mcTracer writes.
pub(super) const TRACER_ARGS: [&str; 3] = ["mtreg_occupancy(%)", "hw_queue_id", "submit_ts"];

/// Categories of the cycle trace.
pub(super) const UNITS: [&str; 7] = ["MTE", "STE", "MMA", "BSM", "GLOBAL", "ARRIVE", "LDU"];

pub(super) fn matches(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(bytes.get(..LOOKED_AT).unwrap_or(bytes));
    let head = head.trim_start_matches('\u{feff}').trim_start();
    if !head.starts_with(['{', '[']) || !head.contains("\"ph\"") {
        return false;
    }
    let quoted = |word: &str| head.contains(&format!("\"{word}\""));
    TRACER_ARGS.iter().any(|a| quoted(a))
        || head.match_indices("\"cat\"").any(|(at, _)| {
            let value = head[at + 5..].trim_start_matches([' ', ':']);
            let value = value.strip_prefix('"').and_then(|v| v.split('"').next());
            value.is_some_and(|v| UNITS.contains(&v))
        })
}

pub(super) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut collector = Collector::default();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = Document(&mut collector).deserialize(&mut json);
    let read = read.and_then(|()| json.end());
    if let Err(e) = read {
        collector.stopped(&e.to_string());
    }
    collector.finish()
}

/// The whole file: an object with `traceEvents`, a list of events, or one event.
struct Document<'a>(&'a mut Collector);

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trace events")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut event, mut any_twice) = (Map::new(), false);
        while let Some(key) = map.next_key::<String>()? {
            if key == "traceEvents" {
                map.next_value_seed(Events(self.0))?;
            } else if event.len() < 64 && !is_side_table(&key) {
                let Strict { value, twice } = map.next_value()?;
                any_twice |= twice | event.insert(key, value).is_some();
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if event.contains_key("ph") {
            match any_twice {
                true => self.0.twice(),
                false => self.0.event(&event),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        Events(self.0).visit_seq(seq)
    }
}

/// Parts of a trace file beside its events; they can be long.
fn is_side_table(key: &str) -> bool {
    [
        "stackFrames",
        "samples",
        "metadata",
        "otherData",
        "systemTraceEvents",
    ]
    .contains(&key)
}

struct Events<'a>(&'a mut Collector);

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of trace events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(Strict { value, twice }) = seq.next_element()? {
            match value {
                _ if twice => self.0.twice(),
                Value::Object(event) => self.0.event(&event),
                _ => self.0.odd(),
            }
        }
        Ok(())
    }
}
