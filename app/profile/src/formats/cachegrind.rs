//! The output file of cachegrind, which simulates caches and counts instructions exactly.
//!
//! `desc:` and `cmd:` lines, `events:`, then for each function lines of `line count...`, and a
//! `summary:` at the end. A missing count is zero by the definition of the format. The whole
//! program comes first, then its functions, costliest first.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{head, text};
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// Name of the format.
pub const NAME: &str = "cachegrind.out";

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "cachegrind";

/// How many functions are listed beside the whole program.
pub const MAX_FUNCTIONS: usize = 50;

/// No version of the tool has more events than this.
const MAX_EVENTS: usize = 64;

pub(super) fn matches(bytes: &[u8]) -> bool {
    let head = head(bytes);
    let has = |prefixes: &[&str]| {
        head.lines()
            .any(|l| prefixes.iter().any(|p| l.starts_with(p)))
    };
    // Callgrind has the same lines and more, and other rules for adding them up.
    has(&["events:"])
        && has(&["desc:", "cmd:", "fl=", "fn="])
        && !has(&["creator: callgrind", "positions:", "part:", "calls="])
}

pub(super) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::new(TOOL, "out");
    let text = text(bytes, &mut profile.notices);
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line.trim_end());
    }
    reader.finish(profile, NAME)
}

/// Costs by function; callgrind adds them up in the same way.
#[derive(Default)]
pub(super) struct Reader<'a> {
    descriptions: Vec<&'a str>,
    command: Option<&'a str>,
    pub events: Vec<&'a str>,
    pub summary: Option<Vec<Cow<'a, str>>>,
    totals: Sums,
    /// Functions by their place, and the place of the one that counts belong to.
    functions: Vec<(&'a str, Sums)>,
    places: HashMap<&'a str, usize>,
    pub function: Option<usize>,
    rows: u64,
    pub unread: u64,
}

/// Sums by event; `None` once one has grown past 64 bits.
#[derive(Default, Clone)]
struct Sums(Vec<Option<u64>>);

impl Sums {
    fn add(&mut self, counts: &[u64]) {
        // What no line had yet is zero and takes no place.
        self.0.resize(self.0.len().max(counts.len()), Some(0));
        for (sum, n) in self.0.iter_mut().zip(counts) {
            *sum = sum.and_then(|s| s.checked_add(*n));
        }
    }
}

impl<'a> Reader<'a> {
    pub fn line(&mut self, line: &'a str) {
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            self.count_line(line);
        } else if let Some(name) = line.strip_prefix("fn=") {
            self.function = Some(self.place(name));
        } else if let Some(d) = line.strip_prefix("desc:") {
            self.descriptions.push(d.trim());
        } else if let Some(c) = line.strip_prefix("cmd:") {
            self.command = Some(c.trim());
        } else if let Some(e) = line.strip_prefix("events:") {
            if self.events.is_empty() {
                self.events = e.split_whitespace().take(MAX_EVENTS).collect();
            } else {
                self.unread += 1;
            }
        } else if let Some(s) = line.strip_prefix("summary:") {
            self.summary = Some(s.split_whitespace().map(Cow::Borrowed).collect());
        } else if !["fl=", "fi=", "fe=", "ob=", "version:", "creator:", "pid:"]
            .iter()
            .any(|p| line.starts_with(p))
        {
            self.unread += 1;
        }
    }

    /// The place of a function.
    pub fn place(&mut self, name: &'a str) -> usize {
        let next = self.functions.len();
        let at = *self.places.entry(name).or_insert(next);
        if at == next {
            self.functions.push((name, Sums::default()));
        }
        at
    }

    fn count_line(&mut self, line: &'a str) {
        let mut fields = line.split_whitespace();
        if fields.next().is_some_and(|n| n.parse::<u64>().is_ok()) {
            self.counts(fields);
        } else {
            self.unread += 1;
        }
    }

    /// Adds the counts of one line to its function.
    pub fn counts(&mut self, fields: impl Iterator<Item = &'a str>) {
        let counts: Option<Vec<u64>> = fields
            .map(|f| if f == "." { Some(0) } else { f.parse().ok() })
            .collect();
        let n = self.events.len();
        match counts {
            Some(counts) if !counts.is_empty() && counts.len() <= n => {
                self.rows += 1;
                self.totals.add(&counts);
                let function = self.function.and_then(|at| self.functions.get_mut(at));
                if let Some((_, sums)) = function {
                    sums.add(&counts);
                }
            }
            _ => self.unread += 1,
        }
    }

    /// The profile: the whole program first, then its functions.
    pub fn finish(
        mut self,
        mut profile: Profile,
        format: &'static str,
    ) -> Result<Profile, ProfileError> {
        let unusable = |problem: &str| ProfileError::Unusable {
            format,
            problem: problem.into(),
        };
        if self.events.is_empty() {
            return Err(unusable("no `events:` line; the file is not complete"));
        }
        if self.rows == 0 && self.summary.is_none() {
            return Err(unusable("no counts; the program did not run to its end"));
        }
        if self.unread > 0 {
            profile.notices.push(format!(
                "{} lines could not be read; counts that were added up may be too low.",
                self.unread
            ));
        }
        if self.summary.is_none() {
            profile.notices.push(
                "No `summary:` line: the file may be cut short, and counts may be too low.".into(),
            );
        }
        profile.command = self.command.map(str::to_owned);
        let program = self
            .command
            .and_then(|c| c.split_whitespace().next())
            // Where it lay when it was built says nothing of the program.
            .and_then(|path| path.rsplit('/').next())
            .filter(|name| !name.is_empty())
            .unwrap_or("(whole program)");
        let mut whole = Launch::new(program, Scope::Aggregate);
        self.totals.0.resize(self.events.len(), Some(0));
        for (i, event) in self.events.iter().enumerate() {
            whole.push(self.total(i, event));
        }
        for d in &self.descriptions {
            let (name, text) = d.split_once(':').unwrap_or((d, ""));
            let simulated = Counter::words("desc", name.trim(), text.trim());
            whole.push(simulated);
        }
        profile.launches.push(whole);
        self.list_functions(&mut profile);
        Ok(profile)
    }

    fn total(&self, i: usize, event: &str) -> Counter {
        let added = self.totals.0.get(i).copied().flatten();
        let Some(summary) = &self.summary else {
            let mut c = counter(event, added);
            c.suspect.push(
                "no `summary:` line: added up from what is there; the file may be cut short".into(),
            );
            return c;
        };
        let Some(raw) = summary.get(i) else {
            return Counter::without_value("", event, "", "1", Status::Absent);
        };
        let mut c = Counter::read("", event, raw, "1");
        let claimed = c.value.as_ref().and_then(serde_json::Number::as_u64);
        if c.status == Status::Value && claimed.is_none() {
            c = Counter::without_value("", event, raw, "1", Status::Error);
            c.suspect.push("not a count".into());
        } else if self.rows > 0 && claimed.is_some() && claimed != added {
            let added = added.map_or("more than 64 bits hold".to_owned(), |n| n.to_string());
            c.suspect
                .push(format!("the lines of the file add up to {added}"));
        }
        c
    }

    fn list_functions(&self, profile: &mut Profile) {
        let mut by_cost: Vec<(&str, &Sums)> = self
            .functions
            .iter()
            .filter(|(name, sums)| !name.is_empty() && !sums.0.is_empty())
            .map(|(n, s)| (*n, s))
            .collect();
        // A sum past 64 bits is the largest there is.
        let cost = |s: &Sums| s.0.first().copied().map_or(0, |n| n.unwrap_or(u64::MAX));
        by_cost.sort_by(|a, b| cost(b.1).cmp(&cost(a.1)).then_with(|| a.0.cmp(b.0)));
        if by_cost.len() > MAX_FUNCTIONS {
            profile.notices.push(format!(
                "{} of {} functions are listed, costliest first.",
                MAX_FUNCTIONS,
                by_cost.len()
            ));
        }
        for (name, sums) in by_cost.into_iter().take(MAX_FUNCTIONS) {
            let mut launch = Launch::new(name, Scope::PerKernel);
            for (i, event) in self.events.iter().enumerate() {
                let sum = sums.0.get(i).copied().unwrap_or(Some(0));
                launch.push(counter(event, sum));
            }
            profile.launches.push(launch);
        }
    }
}

fn counter(event: &str, sum: Option<u64>) -> Counter {
    match sum {
        Some(n) => Counter::read("", event, &n.to_string(), "1"),
        None => {
            let mut c = Counter::without_value("", event, "", "1", Status::Error);
            c.suspect.push("more than 64 bits hold".into());
            c
        }
    }
}
