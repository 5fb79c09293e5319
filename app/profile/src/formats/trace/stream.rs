//! Events that come in pieces: one of them is in memory at a time.

use std::io::Read;

use serde_json::{Map, Value};

use super::collect::Collector;
use super::is_side_table;
use super::strict::Strict;
use crate::formats::pieces::Pieces;
use crate::{Profile, ProfileError};

pub(in crate::formats) fn parse_reader(source: &mut dyn Read) -> Result<Profile, ProfileError> {
    let mut pieces = Pieces::new(source);
    let mut collector = Collector::default();
    match pieces.begins() {
        Some(b'{') => document(&mut pieces, &mut collector),
        Some(b'[') => events(&mut pieces, &mut collector),
        _ => {}
    }
    if let Some(p) = pieces.finish() {
        collector.stopped(&format!("{} at line {} column {}", p.why, p.line, p.column));
    }
    collector.finish()
}

/// An object with `traceEvents`, or one event.
fn document(pieces: &mut Pieces<'_>, collector: &mut Collector) {
    let (mut event, mut any_twice) = (Map::new(), false);
    let mut first = true;
    pieces.open();
    while pieces.goes_on(b'}', std::mem::take(&mut first)) {
        let Some(key) = pieces.key() else { return };
        let Ok(key) = serde_json::from_slice::<String>(&key) else {
            return pieces.fail("a name that is no text");
        };
        match pieces.begins() {
            Some(b'[') if key == "traceEvents" => events(pieces, collector),
            Some(_) if key == "traceEvents" => {
                return pieces.fail("`traceEvents` is no list of trace events");
            }
            _ if event.len() < 64 && !is_side_table(&key) => match value(pieces) {
                Some(Strict { value, twice }) => {
                    any_twice |= twice | event.insert(key, value).is_some();
                }
                None => return,
            },
            _ => pieces.skip(),
        }
    }
    if event.contains_key("ph") {
        match any_twice {
            true => collector.twice(),
            false => collector.event(&event),
        }
    }
}

fn events(pieces: &mut Pieces<'_>, collector: &mut Collector) {
    let mut first = true;
    pieces.open();
    while pieces.goes_on(b']', std::mem::take(&mut first)) {
        match value(pieces) {
            Some(Strict { twice: true, .. }) => collector.twice(),
            Some(Strict {
                value: Value::Object(event),
                ..
            }) => collector.event(&event),
            Some(_) => collector.odd(),
            None => return,
        }
    }
}

fn value(pieces: &mut Pieces<'_>) -> Option<Strict> {
    let value = pieces.value()?;
    let bytes = pieces.bytes(value);
    match serde_json::from_slice(bytes) {
        Ok(read) => Some(read),
        Err(e) => {
            let lines = bytes.split_inclusive(|b| *b == b'\n');
            let before: usize = lines
                .take(e.line().saturating_sub(1))
                .map(<[u8]>::len)
                .sum();
            let said = e.to_string();
            let why = said.split(" at line ").next().unwrap_or(&said);
            pieces.fail_in(value, before + e.column().saturating_sub(1), why);
            None
        }
    }
}
