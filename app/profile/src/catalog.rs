//! The counter catalog: one name, unit and direction for what each tool calls its own way.
//!
//! It is data, in `profiles/counters/`. Adding a counter or a tool's name for it needs no code.

mod units;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::keys::{KeyList, Keys};
use crate::quick::Quick;
use crate::{Key, Profile};

pub(crate) use units::{in_unit, is_unit, unit_factor};

/// The schema that this version reads.
pub const SCHEMA: &str = "assay.counters/1";

const BUILTIN: &[(&str, &str)] = &[
    (
        "claims.toml",
        include_str!("../../../profiles/counters/claims.toml"),
    ),
    (
        "cpu.toml",
        include_str!("../../../profiles/counters/cpu.toml"),
    ),
    (
        "mcprofiler.toml",
        include_str!("../../../profiles/counters/mcprofiler.toml"),
    ),
    (
        "mcprofiler_charts.toml",
        include_str!("../../../profiles/counters/mcprofiler_charts.toml"),
    ),
    (
        "mcprofiler_prose.toml",
        include_str!("../../../profiles/counters/mcprofiler_prose.toml"),
    ),
    (
        "ncu.toml",
        include_str!("../../../profiles/counters/ncu.toml"),
    ),
    (
        "ncu_causes.toml",
        include_str!("../../../profiles/counters/ncu_causes.toml"),
    ),
    (
        "resources.toml",
        include_str!("../../../profiles/counters/resources.toml"),
    ),
    (
        "rocprof.toml",
        include_str!("../../../profiles/counters/rocprof.toml"),
    ),
];

/// Stands between section and name where a pattern is for one section only.
const IN_SECTION: &str = " > ";

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
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterInfo {
    /// Canonical name, e.g. `inst.executed`.
    pub canonical: String,
    /// Canonical unit: `1`, `ns`, `bytes`, `bits`, `%`, `GHz`, `GB/s`, `MB/s`, `TFLOPS`.
    pub unit: String,
    /// Which way it should move.
    pub direction: Direction,
    /// One sentence.
    pub meaning: String,
    /// Where the meaning is from; that of the file, where the entry has none of its own.
    #[serde(default)]
    pub source: Option<String>,
    /// What a change of it weighs in the order of a comparison, 1 where nothing is said; less for
    /// what follows from other counters or is of no interest, more for what decides. A counter that
    /// the catalog does not know weighs a half.
    #[serde(default = "one")]
    pub weight: f64,
    /// For each tool, regular expressions that match its name for the counter as a whole. With
    /// `Section > ` before it, one counts in that section only.
    #[serde(default)]
    pub names: BTreeMap<String, Vec<String>>,
}

fn one() -> f64 {
    1.0
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogFile {
    schema: String,
    source: Option<String>,
    #[serde(default)]
    counter: Vec<CounterInfo>,
    #[serde(default)]
    alias: Vec<Alias>,
}

/// What one more tool calls a counter that another file describes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Alias {
    canonical: String,
    names: BTreeMap<String, Vec<String>>,
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
    #[error("counter catalog `{file}`, line {line}, counter `{counter}`: {problem}")]
    Entry {
        /// Name of the file.
        file: String,
        /// Line that names the counter, from 1.
        line: usize,
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
    /// The canonical names of the entries, to be shared with counters.
    shared: Vec<SmolStr>,
    tools: HashMap<String, Tool>,
}

/// What one tool calls the counters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tool {
    patterns: Vec<Pattern>,
    /// By name, what needs no pattern.
    literals: HashMap<String, Vec<Literal>, Quick>,
}

impl Tool {
    /// The number of an entry; a name that is spelt out goes before a pattern.
    fn entry(&self, section: &str, name: &str) -> Option<usize> {
        if let Some(known) = self.literals.get(name) {
            let mut known = known.iter();
            let literal = match known.as_slice() {
                // Without a section, as in a table made by hand, the only one is meant.
                [only] if section.is_empty() => Some(only),
                _ => known.find(|l| fits(l.section.as_deref(), section)),
            };
            if let Some(l) = literal {
                return Some(l.entry);
            }
        }
        let mut patterns = self.patterns.iter();
        let matches = |p: &&Pattern| fits(p.section.as_deref(), section) && p.name.is_match(name);
        patterns.find(matches).map(|p| p.entry)
    }
}

#[derive(Debug, Clone)]
struct Pattern {
    section: Option<String>,
    name: Regex,
    entry: usize,
}

#[derive(Debug, Clone)]
struct Literal {
    section: Option<String>,
    entry: usize,
}

fn fits(wanted: Option<&str>, section: &str) -> bool {
    wanted.is_none_or(|w| w == section)
}

/// The only name that a pattern matches, where it has no operators.
fn literal(pattern: &str) -> Option<String> {
    let mut name = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => name.push(chars.next().filter(char::is_ascii_punctuation)?),
            '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
                return None;
            }
            c => name.push(c),
        }
    }
    Some(name)
}

/// The last line that names a counter, from 1.
fn line_of(text: &str, canonical: &str) -> usize {
    let quoted = [format!("\"{canonical}\""), format!("'{canonical}'")];
    let names = |l: &str| {
        l.trim_start().starts_with("canonical") && quoted.iter().any(|q| l.contains(q.as_str()))
    };
    let lines = text.lines().enumerate().filter(|(_, l)| names(l));
    lines.last().map_or(1, |(at, _)| at + 1)
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

    /// The files of the built-in catalog, as (name, content): what others of one's own come after.
    pub fn builtin_files() -> &'static [(&'static str, &'static str)] {
        BUILTIN
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
        catalog.read(files, false)?;
        Ok(catalog)
    }

    /// The built-in catalog and files of one's own, given as (name, content). What those call a
    /// counter goes before what the built-in files call it; a name that is spelt out still goes
    /// before a pattern.
    ///
    /// # Errors
    /// As [`Catalog::load`].
    pub fn builtin_and<'a>(
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, CatalogError> {
        let mut catalog = Self::default();
        catalog.read(BUILTIN.iter().copied(), false)?;
        catalog.read(own, true)?;
        Ok(catalog)
    }

    fn read<'a>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
        first: bool,
    ) -> Result<(), CatalogError> {
        let catalog = self;
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
            for mut entry in read.counter {
                entry.source = entry.source.or_else(|| read.source.clone());
                let bad = |problem: String| CatalogError::Entry {
                    file: file.to_owned(),
                    line: line_of(text, &entry.canonical),
                    counter: entry.canonical.clone(),
                    problem,
                };
                if !seen.insert(entry.canonical.clone()) {
                    return Err(bad("stands twice in this file".into()));
                }
                if !(entry.weight.is_finite() && entry.weight >= 0.0) {
                    return Err(bad("`weight` is not a number from 0".into()));
                }
                let at = catalog
                    .entries
                    .iter()
                    .position(|e| e.canonical == entry.canonical)
                    .unwrap_or(catalog.entries.len());
                catalog.forget(at);
                catalog.add_names(&entry.names, at, first).map_err(bad)?;
                if at == catalog.entries.len() {
                    catalog.entries.push(entry);
                } else {
                    catalog.entries[at] = entry;
                }
            }
            for alias in read.alias {
                let bad = |problem: String| CatalogError::Entry {
                    file: file.to_owned(),
                    line: line_of(text, &alias.canonical),
                    counter: alias.canonical.clone(),
                    problem,
                };
                let at = catalog
                    .entries
                    .iter()
                    .position(|e| e.canonical == alias.canonical)
                    .ok_or_else(|| bad("an alias for a counter that no file describes".into()))?;
                catalog.add_names(&alias.names, at, first).map_err(bad)?;
                for (tool, names) in alias.names {
                    let known = catalog.entries[at].names.entry(tool).or_default();
                    known.extend(names);
                }
            }
        }
        let names = catalog.entries.iter().map(|e| SmolStr::from(&e.canonical));
        catalog.shared = names.collect();
        Ok(())
    }

    fn forget(&mut self, entry: usize) {
        for tool in self.tools.values_mut() {
            tool.patterns.retain(|p| p.entry != entry);
            for known in tool.literals.values_mut() {
                known.retain(|l| l.entry != entry);
            }
        }
    }

    fn add_names(
        &mut self,
        names: &BTreeMap<String, Vec<String>>,
        entry: usize,
        first: bool,
    ) -> Result<(), String> {
        let at = |len: usize| if first { 0 } else { len };
        for (tool, patterns) in names {
            let tool = self.tools.entry(tool.clone()).or_default();
            for pattern in patterns {
                let (section, name) = match pattern.split_once(IN_SECTION) {
                    Some((section, name)) => (Some(section.to_owned()), name),
                    None => (None, pattern.as_str()),
                };
                if let Some(word) = literal(name) {
                    let known = tool.literals.entry(word).or_default();
                    known.insert(at(known.len()), Literal { section, entry });
                } else {
                    let name = Regex::new(&format!("^(?:{name})$"))
                        .map_err(|e| format!("name `{pattern}`: {e}"))?;
                    let pattern = Pattern {
                        section,
                        name,
                        entry,
                    };
                    tool.patterns.insert(at(tool.patterns.len()), pattern);
                }
            }
        }
        Ok(())
    }

    /// All entries, in the order of the files.
    pub fn entries(&self) -> &[CounterInfo] {
        &self.entries
    }

    /// The entry of a canonical name.
    pub fn get(&self, canonical: &str) -> Option<&CounterInfo> {
        self.entries.iter().find(|e| e.canonical == canonical)
    }

    /// The entry for what a tool calls `name` in a section of its report; a name that is spelt out
    /// goes before a pattern.
    pub fn lookup(&self, tool: &str, section: &str, name: &str) -> Option<&CounterInfo> {
        let at = self.tools.get(tool)?.entry(section, name)?;
        self.entries.get(at)
    }

    /// Gives the counters of a profile their canonical names. Those it does not know stay as they are.
    pub fn name_counters(&self, profile: &mut Profile) {
        let tool = self.tools.get(&profile.tool);
        let mut before: Option<(KeyList, KeyList)> = None;
        for launch in &mut profile.launches {
            let (read, count) = launch.counters.keys.parts();
            // Launches of one report mostly have the same counters in the same order.
            let named = match &before {
                Some((r, named)) if Arc::ptr_eq(r, &read) || r == &read => Arc::clone(named),
                _ => {
                    let known = |at: usize, key: &Arc<Key>| {
                        let (r, named) = before.as_ref()?;
                        let same = r.get(at).is_some_and(|r| r == key);
                        same.then(|| named.get(at).cloned()).flatten()
                    };
                    let keys = read.iter().enumerate();
                    keys.map(|(at, key)| known(at, key).unwrap_or_else(|| self.named(tool, key)))
                        .collect()
                }
            };
            launch.counters.keys = Keys::first(Arc::clone(&named), count);
            before = Some((read, named));
        }
    }

    /// What a tool calls its counters.
    pub(crate) fn tool(&self, tool: &str) -> Option<&Tool> {
        self.tools.get(tool)
    }

    /// The canonical name of what a tool calls `name` in a section of its report.
    pub(crate) fn canonical(
        &self,
        tool: Option<&Tool>,
        section: &str,
        name: &str,
    ) -> Option<SmolStr> {
        self.shared.get(tool?.entry(section, name)?).cloned()
    }

    fn named(&self, tool: Option<&Tool>, key: &Arc<Key>) -> Arc<Key> {
        let canonical = self.canonical(tool, &key.section, &key.name);
        if key.canonical == canonical {
            return Arc::clone(key);
        }
        Arc::new(Key {
            canonical,
            ..Key::clone(key)
        })
    }
}
