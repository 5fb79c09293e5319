//! The counter catalog: one name, unit and direction for what each tool calls its own way.
//!
//! It is data, in `profiles/counters/`. Adding a counter or a tool's name for it needs no code.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::{Counter, Profile};

/// The schema that this version reads.
pub const SCHEMA: &str = "assay.counters/1";

const BUILTIN: &[(&str, &str)] = &[(
    "cpu.toml",
    include_str!("../../../profiles/counters/cpu.toml"),
)];

/// Which way a counter should move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// It depends.
    Neither,
}

/// What is known about a counter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterInfo {
    /// Canonical name, e.g. `inst.executed`.
    pub canonical: String,
    /// Canonical unit: `1`, `ns`, `bytes`, `bits`, `%`.
    pub unit: String,
    /// Which way it should move.
    pub direction: Direction,
    /// One sentence.
    pub meaning: String,
    /// For each tool, regular expressions that match its name for the counter as a whole.
    #[serde(default)]
    pub names: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogFile {
    schema: String,
    counter: Vec<CounterInfo>,
}

/// What is wrong with a catalog file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// Not TOML of the right shape.
    #[error("counter catalog `{file}`: {problem}")]
    File {
        /// Name of the file.
        file: String,
        /// What is wrong, with line and column.
        problem: String,
    },
    /// An entry cannot be used.
    #[error("counter catalog `{file}`, counter `{counter}`: {problem}")]
    Entry {
        /// Name of the file.
        file: String,
        /// Canonical name of the entry.
        counter: String,
        /// What is wrong.
        problem: String,
    },
}

/// Canonical counters and the names that tools have for them.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    entries: Vec<CounterInfo>,
    patterns: Vec<(String, Regex, usize)>,
}

static DEFAULT: LazyLock<Catalog> = LazyLock::new(|| {
    // A test holds the built-in files to be valid; an empty catalog would leave counters unnamed.
    Catalog::load(BUILTIN.iter().copied()).unwrap_or_default()
});

impl Catalog {
    /// The catalog that is built in.
    pub fn builtin() -> &'static Self {
        &DEFAULT
    }

    /// Reads catalog files, given as (name, content). A later entry replaces an earlier one of the
    /// same canonical name.
    ///
    /// # Errors
    /// When a file is not a catalog, or an entry repeats a name or has a pattern that is none.
    pub fn load<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, CatalogError> {
        let mut catalog = Self::default();
        for (file, text) in files {
            let problem = |problem: String| CatalogError::File {
                file: file.to_owned(),
                problem,
            };
            let read: CatalogFile = toml::from_str(text).map_err(|e| problem(e.to_string()))?;
            if read.schema != SCHEMA {
                return Err(problem(format!(
                    "schema `{}` is not `{SCHEMA}`",
                    read.schema
                )));
            }
            let mut seen = BTreeSet::new();
            for entry in read.counter {
                let bad = |problem: String| CatalogError::Entry {
                    file: file.to_owned(),
                    counter: entry.canonical.clone(),
                    problem,
                };
                if !seen.insert(entry.canonical.clone()) {
                    return Err(bad("stands twice in this file".into()));
                }
                let at = catalog
                    .entries
                    .iter()
                    .position(|e| e.canonical == entry.canonical)
                    .unwrap_or(catalog.entries.len());
                catalog.patterns.retain(|(_, _, i)| *i != at);
                for (tool, names) in &entry.names {
                    for name in names {
                        let pattern = Regex::new(&format!("^(?:{name})$"))
                            .map_err(|e| bad(format!("name `{name}`: {e}")))?;
                        catalog.patterns.push((tool.clone(), pattern, at));
                    }
                }
                if at == catalog.entries.len() {
                    catalog.entries.push(entry);
                } else {
                    catalog.entries[at] = entry;
                }
            }
        }
        Ok(catalog)
    }

    /// All entries, in the order of the files.
    pub fn entries(&self) -> &[CounterInfo] {
        &self.entries
    }

    /// The entry of a canonical name.
    pub fn get(&self, canonical: &str) -> Option<&CounterInfo> {
        self.entries.iter().find(|e| e.canonical == canonical)
    }

    /// The entry for what a tool calls `name`.
    pub fn lookup(&self, tool: &str, name: &str) -> Option<&CounterInfo> {
        self.patterns
            .iter()
            .find(|(t, p, _)| t == tool && p.is_match(name))
            .and_then(|(_, _, at)| self.entries.get(*at))
    }

    /// Gives the counters of a profile their canonical names. Those it does not know stay as they are.
    pub fn name_counters(&self, profile: &mut Profile) {
        let Profile { tool, launches, .. } = profile;
        let mut known: HashMap<SmolStr, Option<SmolStr>> = HashMap::new();
        let mut before: &[Counter] = &[];
        for launch in launches {
            for (i, c) in launch.counters.iter_mut().enumerate() {
                // Launches of one report mostly have the same counters in the same order.
                c.canonical = match before.get(i) {
                    Some(b) if b.name == c.name => b.canonical.clone(),
                    _ => match known.get(&c.name) {
                        Some(canonical) => canonical.clone(),
                        None => {
                            let entry = self.lookup(tool, &c.name);
                            let canonical = entry.map(|e| SmolStr::from(&e.canonical));
                            known.insert(c.name.clone(), canonical.clone());
                            canonical
                        }
                    },
                };
            }
            before = &launch.counters;
        }
    }
}

/// The factor from a tool's unit to the canonical one, if there is one.
pub(crate) fn unit_factor(from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(1.0);
    }
    let seconds = |u: &str| match u {
        "ns" | "nsec" | "nsecond" => Some(1.0),
        "us" | "usec" | "usecond" => Some(1e3),
        "ms" | "msec" | "msecond" => Some(1e6),
        "s" | "sec" | "second" => Some(1e9),
        _ => None,
    };
    Some(seconds(from)? / seconds(to)?)
}

/// The value of a counter in a canonical unit.
pub(crate) fn in_unit(c: &Counter, unit: &str) -> Option<f64> {
    let value = c.value.as_ref()?.as_f64()?;
    let converted = value * unit_factor(&c.unit, unit)?;
    converted.is_finite().then_some(converted)
}
