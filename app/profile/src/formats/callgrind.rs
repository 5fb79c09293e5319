//! The output file of callgrind: cachegrind's costs, with calls.
//!
//! Names are compressed (`(1) main`, later `(1)`), and positions may be relative (`+3`, `-1`, `*`).
//! The line after `calls=` holds what the called function cost; it is counted there already, so
//! that here each function has its own cost only.

use std::collections::HashMap;

use super::cachegrind::Reader as Costs;
use super::{head, text};
use crate::{Profile, ProfileError};

/// Name of the format.
pub const NAME: &str = "callgrind.out";

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "callgrind";

pub(super) fn matches(bytes: &[u8]) -> bool {
    let head = head(bytes);
    let has = |prefix: &str| head.lines().any(|l| l.starts_with(prefix));
    has("events:")
        && ["creator: callgrind", "positions:", "calls="]
            .into_iter()
            .any(has)
}

pub(super) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::new(TOOL, "out");
    let text = text(bytes, &mut profile.notices);
    let mut reader = Reader {
        positions: 1,
        ..Reader::default()
    };
    for line in text.lines() {
        reader.line(line.trim_end());
    }
    profile.tool_version = reader.version.map(str::to_owned);
    if reader.parts > 1 {
        profile
            .notices
            .push(format!("{} parts were added up.", reader.parts));
    }
    if reader.summaries.is_empty() && reader.ended && reader.parts <= 1 {
        reader.summaries.push(std::mem::take(&mut reader.totals));
    } else if reader.summaries.is_empty() {
        // Without a summary the reader of the costs says that the file may be cut.
    } else if !reader.ended {
        profile
            .notices
            .push("No `totals:` line at the end; the file may be cut.".into());
    }
    let mut costs = reader.costs;
    costs.summary = reader.summaries.into_iter().reduce(|a, b| {
        let add = |(a, b): (&std::borrow::Cow<'_, str>, &std::borrow::Cow<'_, str>)| {
            let sum = a.parse::<u64>().ok()?.checked_add(b.parse().ok()?)?;
            Some(sum.to_string())
        };
        let sum = a.iter().zip(&b).map(add);
        sum.map(|s| s.map_or_else(|| "more than 64 bits hold".into(), Into::into))
            .collect()
    });
    costs.finish(profile, NAME)
}

#[derive(Default)]
struct Reader<'a> {
    costs: Costs<'a>,
    /// Functions by the number that stands for their name.
    names: HashMap<&'a str, usize>,
    positions: usize,
    after_calls: bool,
    summaries: Vec<Vec<std::borrow::Cow<'a, str>>>,
    parts: u64,
    version: Option<&'a str>,
    /// The last `totals:` line; each part has one, of all that it counted.
    totals: Vec<std::borrow::Cow<'a, str>>,
    ended: bool,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) {
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        if line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*')) {
            return self.costs_line(line);
        }
        if self.after_calls {
            self.costs.unread += 1;
            self.after_calls = false;
        }
        if let Some(name) = line.strip_prefix("fn=") {
            self.costs.function = Some(self.function(name));
        } else if let Some(name) = line.strip_prefix("cfn=") {
            // It may be the place where the name is spelt out.
            self.function(name);
        } else if line.starts_with("calls=") {
            self.after_calls = true;
        } else if let Some(rest) = line.strip_prefix("positions:") {
            self.positions = rest.split_whitespace().count().clamp(1, 4);
        } else if let Some(rest) = line.strip_prefix("creator:") {
            self.version = Some(rest.trim()).filter(|v| !v.is_empty());
        } else if line.starts_with("part:") {
            self.parts += 1;
        } else if let Some(rest) = line.strip_prefix("summary:") {
            let counts = rest.split_whitespace().map(Into::into).collect();
            self.summaries.push(counts);
        } else if let Some(rest) = line.strip_prefix("totals:") {
            self.ended = true;
            self.totals = rest.split_whitespace().map(Into::into).collect();
        } else if let Some(events) = line.strip_prefix("events:") {
            let same = events
                .split_whitespace()
                .eq(self.costs.events.iter().copied());
            // Every part repeats them.
            if self.costs.events.is_empty() || !same {
                self.costs.line(line);
            }
        } else if line.starts_with("desc:") || line.starts_with("cmd:") {
            self.costs.line(line);
        } else if !line.contains([':', '=']) {
            self.costs.unread += 1;
        }
    }

    /// The place of the function that `(1) main` or `(1)` names.
    fn function(&mut self, text: &'a str) -> usize {
        let numbered = text.strip_prefix('(').and_then(|t| t.split_once(')'));
        match numbered.map(|(id, name)| (id, name.trim())) {
            Some((id, "")) => match self.names.get(id) {
                Some(at) => *at,
                None => self.costs.place(text),
            },
            Some((id, name)) => {
                let at = self.costs.place(name);
                self.names.insert(id, at);
                at
            }
            None => self.costs.place(text),
        }
    }

    fn costs_line(&mut self, line: &'a str) {
        let called = std::mem::take(&mut self.after_calls);
        let mut fields = line.split_whitespace();
        for _ in 0..self.positions {
            let position = fields.next().is_some_and(|f| {
                let n = f.trim_start_matches(['+', '-']);
                let hex = n.strip_prefix("0x");
                f == "*"
                    || n.parse::<u64>().is_ok()
                    || hex.is_some_and(|h| u64::from_str_radix(h, 16).is_ok())
            });
            if !position {
                self.costs.unread += 1;
                return;
            }
        }
        if !called {
            self.costs.counts(fields);
        }
    }
}
