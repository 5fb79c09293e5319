//! The shape that all profiler output is read into.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::counters::Counters;
use crate::{Counter, CounterRef};

/// What one report of a tool holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Tool, e.g. `perf stat`, `cachegrind`, `static`.
    pub tool: String,
    /// Which of its outputs, e.g. `csv`, `out`.
    pub flavour: String,
    /// Version of the tool, where the output says it.
    pub tool_version: Option<String>,
    /// The command that was profiled, where the output says it.
    pub command: Option<String>,
    /// What was measured: kernels, functions, or the whole program.
    pub launches: Vec<Launch>,
    /// What could not be read and how it was dealt with; empty when all was.
    pub notices: Vec<String>,
    /// Where a document prints the figures of a launch, by its name, as the table itself says.
    pub places: BTreeMap<String, String>,
    /// Cells and rows of a mapped table that a published figure may not rest on.
    pub faults: Vec<Fault>,
}

/// What is wrong with a cell or row of a mapped table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands, e.g. `row 4, column `latency``; rows are counted as a spreadsheet does.
    pub place: String,
    /// The launch that it would be part of; empty where the row names none.
    pub launch: String,
    /// What is wrong.
    pub what: String,
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
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Name of the kernel, function or program.
    pub kernel: String,
    /// Which launch of that kernel, from 0, where it is known.
    pub occurrence: Option<u32>,
    /// Whether the counters belong to this kernel alone.
    pub scope: Scope,
    /// Grid dimensions, where the tool says them.
    pub grid: Option<[u64; 3]>,
    /// Block dimensions, where the tool says them.
    pub block: Option<[u64; 3]>,
    /// Counters in the order of the report.
    pub(crate) counters: Counters,
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

impl Launch {
    /// A launch without counters.
    pub fn new(kernel: impl Into<String>, scope: Scope) -> Self {
        Self {
            kernel: kernel.into(),
            occurrence: None,
            scope,
            grid: None,
            block: None,
            counters: Counters::default(),
        }
    }

    /// How many counters it has.
    pub fn len(&self) -> usize {
        self.counters.len()
    }

    /// Whether it has no counter.
    pub fn is_empty(&self) -> bool {
        self.counters.len() == 0
    }

    /// The counters in the order of the report.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = CounterRef<'_>> + ExactSizeIterator {
        self.counters.iter()
    }

    /// The counter at a place in the order of the report.
    pub fn get(&self, at: usize) -> Option<CounterRef<'_>> {
        self.counters.get(at)
    }

    /// Adds a counter at the end.
    pub fn push(&mut self, counter: Counter) {
        self.counters.push(counter);
    }

    /// Gives counters a name in the catalog, where there is one for what the tool calls them.
    pub(crate) fn give_names<'n>(&mut self, given: impl Fn(&str) -> Option<&'n str>) {
        for at in 0..self.len() {
            let Some(canonical) = self.get(at).and_then(|c| given(c.name())) else {
                continue;
            };
            self.counters
                .edit(at, |c| c.canonical = Some(canonical.into()));
        }
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
            places: BTreeMap::new(),
            faults: Vec::new(),
        }
    }
}
