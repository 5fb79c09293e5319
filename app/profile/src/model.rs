//! The shape that all profiler output is read into.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Number;
use smol_str::SmolStr;

/// What one report of a tool holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Tool, e.g. `perf stat`, `cachegrind`, `static`.
    pub tool: String,
    /// Which of its outputs, e.g. `csv`, `out`.
    pub flavour: String,
    /// Version of the tool, where the output says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// The command that was profiled, where the output says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What was measured: kernels, functions, or the whole program.
    pub launches: Vec<Launch>,
    /// What could not be read and how it was dealt with; empty when all was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// What a set of counters is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One kernel or function.
    PerKernel,
    /// A whole program, or several launches added up.
    Aggregate,
}

/// The counters of one launch, function or program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// Name of the kernel, function or program.
    pub kernel: String,
    /// Which launch of that kernel, from 0, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<u32>,
    /// Whether the counters belong to this kernel alone.
    pub scope: Scope,
    /// Grid dimensions, where the tool says them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<[u64; 3]>,
    /// Block dimensions, where the tool says them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u64; 3]>,
    /// Counters in the order of the report.
    pub counters: Vec<Counter>,
}

/// What a counter's entry in the report amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A number.
    Value,
    /// A word.
    Text,
    /// Asked for and not delivered, e.g. never scheduled.
    Absent,
    /// The machine does not have it.
    NotSupported,
    /// Something is there that cannot be read for certain.
    Error,
}

/// What a counter is; launches of one report share it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Key {
    /// Section of the report; empty where it has none.
    pub section: SmolStr,
    /// Name as the tool prints it.
    pub name: SmolStr,
    /// Name in the catalog, where it has one.
    pub canonical: Option<SmolStr>,
    /// Unit as the tool prints it; `1` for counts.
    pub unit: SmolStr,
}

/// One counter as reported; its key is (section, name), and case matters.
///
/// A report can have millions of these, so that they are small and share what they can. Section,
/// name, canonical name and unit are reached as fields: see [`Key`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Counter {
    key: Arc<Key>,
    /// The number, with integers kept exactly; only with status `value`.
    pub value: Option<Number>,
    /// The word; only with status `text`.
    pub text: Option<Box<str>>,
    /// The last digit printed is worth this much (0.01 for `1.25`): the value is known no better.
    pub resolution: Option<f64>,
    /// The figure as printed.
    pub raw: SmolStr,
    /// What the entry amounts to.
    pub status: Status,
    /// Why it should not be taken at face value; empty when nothing speaks against it.
    pub suspect: Vec<String>,
}

impl Deref for Counter {
    type Target = Key;

    fn deref(&self) -> &Key {
        &self.key
    }
}

impl DerefMut for Counter {
    fn deref_mut(&mut self) -> &mut Key {
        Arc::make_mut(&mut self.key)
    }
}

/// A counter of a launch, to be looked at.
pub type CounterRef<'a> = &'a Counter;

/// A counter as it is stored: with all its fields side by side.
#[derive(Serialize, Deserialize)]
struct Stored {
    section: SmolStr,
    name: SmolStr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    canonical: Option<SmolStr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Box<str>>,
    unit: SmolStr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resolution: Option<f64>,
    raw: SmolStr,
    status: Status,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    suspect: Vec<String>,
}

impl From<Stored> for Counter {
    fn from(s: Stored) -> Self {
        Self {
            key: Arc::new(Key {
                section: s.section,
                name: s.name,
                canonical: s.canonical,
                unit: s.unit,
            }),
            value: s.value,
            text: s.text,
            resolution: s.resolution,
            raw: s.raw,
            status: s.status,
            suspect: s.suspect,
        }
    }
}

impl From<Counter> for Stored {
    fn from(c: Counter) -> Self {
        let key = Arc::unwrap_or_clone(c.key);
        Self {
            section: key.section,
            name: key.name,
            canonical: key.canonical,
            value: c.value,
            text: c.text,
            unit: key.unit,
            resolution: c.resolution,
            raw: c.raw,
            status: c.status,
            suspect: c.suspect,
        }
    }
}

impl Counter {
    /// A counter from a figure as printed. What is not a plain number gets status `error`.
    pub fn read(
        section: impl Into<SmolStr>,
        name: impl Into<SmolStr>,
        raw: &str,
        unit: impl Into<SmolStr>,
    ) -> Self {
        let mut c = Self::without_value(section, name, raw, unit, Status::Error);
        c.set(crate::number::read(raw));
        c
    }

    /// Takes over a number, or the reason why there is none.
    pub fn set(&mut self, read: Result<crate::number::Read, String>) {
        match read {
            Ok(n) => {
                self.value = Some(n.value);
                self.resolution = Some(n.resolution);
                self.status = Status::Value;
                self.suspect.extend(n.suspect);
            }
            Err(why) => {
                self.status = Status::Error;
                self.suspect.push(why);
            }
        }
    }

    /// An entry that is a word, not a number.
    pub fn words(section: impl Into<SmolStr>, name: impl Into<SmolStr>, text: &str) -> Self {
        let mut c = Self::without_value(section, name, text, "", Status::Text);
        c.text = Some(text.into());
        c
    }

    /// A counter that has no number; the status says why.
    pub fn without_value(
        section: impl Into<SmolStr>,
        name: impl Into<SmolStr>,
        raw: &str,
        unit: impl Into<SmolStr>,
        status: Status,
    ) -> Self {
        let unit = unit.into();
        let key = Key {
            section: section.into(),
            name: name.into(),
            canonical: None,
            unit: if unit.is_empty() {
                SmolStr::new_static("1")
            } else {
                unit
            },
        };
        Self::of(Arc::new(key), raw, status)
    }

    /// A counter without number of a key that other launches have too.
    #[inline]
    pub fn of(key: Arc<Key>, raw: &str, status: Status) -> Self {
        Self {
            key,
            value: None,
            text: None,
            resolution: None,
            raw: raw.into(),
            status,
            suspect: Vec::new(),
        }
    }

    /// Section of the report; empty where it has none.
    pub fn section(&self) -> &str {
        &self.key.section
    }

    /// Name as the tool prints it.
    pub fn name(&self) -> &str {
        &self.key.name
    }

    /// Name in the catalog, where it has one.
    pub fn canonical(&self) -> Option<&str> {
        self.key.canonical.as_deref()
    }

    /// Unit as the tool prints it; `1` for counts.
    pub fn unit(&self) -> &str {
        &self.key.unit
    }

    /// The number as a double; integers beyond 2^53 are rounded here and exact in [`Self::exact`].
    pub fn number(&self) -> Option<f64> {
        self.value.as_ref().and_then(Number::as_f64)
    }

    /// The number with integers kept exactly.
    pub fn exact(&self) -> Option<Number> {
        self.value.clone()
    }

    /// The word; only with status `text`.
    pub fn word(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The figure as printed.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// What the last digit printed is worth.
    pub fn resolution(&self) -> Option<f64> {
        self.resolution
    }

    /// What the entry amounts to.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why it should not be taken at face value.
    pub fn suspect(&self) -> &[String] {
        &self.suspect
    }

    /// The number in a unit of the catalog, if it can be converted.
    pub fn in_unit(&self, unit: &str) -> Option<f64> {
        crate::catalog::in_unit(self, unit)
    }

    /// What the counter is, to be shared.
    pub fn key(&self) -> &Arc<Key> {
        &self.key
    }

    /// Takes the key of another counter.
    pub(crate) fn share(&mut self, other: &Self) {
        self.key = Arc::clone(&other.key);
    }
}

impl Launch {
    /// A launch without counters.
    pub fn new(kernel: impl Into<String>, scope: Scope) -> Self {
        Self {
            kernel: kernel.into(),
            occurrence: None,
            scope,
            grid: None,
            block: None,
            counters: Vec::new(),
        }
    }

    /// The counters in the order of the report.
    pub fn iter(&self) -> impl Iterator<Item = CounterRef<'_>> {
        self.counters.iter()
    }

    /// The counter of a section and name; the first one if the report repeats it.
    pub fn counter(&self, section: &str, name: &str) -> Option<CounterRef<'_>> {
        self.iter()
            .find(|c| c.section() == section && c.name() == name)
    }

    /// The counters that the catalog gives this name, in the order of the report.
    pub fn canonical<'a>(&'a self, name: &'a str) -> impl Iterator<Item = CounterRef<'a>> {
        self.iter().filter(move |c| c.canonical() == Some(name))
    }
}

impl Profile {
    /// The counters of a kernel or function by name; the first launch where there are several.
    pub fn launch(&self, kernel: &str) -> Option<&Launch> {
        self.launches.iter().find(|l| l.kernel == kernel)
    }

    /// A profile without launches.
    pub fn new(tool: &str, flavour: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            flavour: flavour.to_owned(),
            tool_version: None,
            command: None,
            launches: Vec::new(),
            notices: Vec::new(),
        }
    }
}
