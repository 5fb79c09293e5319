//! Any CSV or JSON as a profile, told by a mapping file which part is what.
//!
//! ```toml
//! schema = "assay.mapping/1"
//! tool = "our-profiler"
//! format = "csv"              # or "json"
//! separator = ","             # csv only
//! rows = "/results"           # json only: pointer to the list of rows
//! decimal = "."               # or ","; without it a figure like 1,234 stays unread
//! kernel = "Kernel"           # csv: a column; json: a pointer inside a row, e.g. "/kernel/name"
//! section = "Group"
//! # One row a counter:
//! counter = "Metric"
//! value = "Value"
//! unit = "Unit"
//! # or one row a launch:
//! [[counters]]
//! from = "Time (us)"
//! name = "time"
//! unit = "us"                 # also taken off the figure, if it is printed with it
//! canonical = "claim.time"    # its name in the catalog, where the tool is none that it knows
//! ```
//!
//! Tables that people make by hand have more forms. One with a column for each side of a
//! comparison, perhaps with the change that its author worked out, gives one launch a side:
//!
//! ```toml
//! counter = "Metric"
//! magnitudes = true           # 24.603B is 24.603 * 10^9; K M B G T, thousand-based, and 万 亿
//! [[sides]]
//! label = "before"
//! column = "panel4"
//! [[sides]]
//! label = "after"
//! column = "panel2"
//! change = "Change"           # against the first side
//! [names]                     # names in the catalog, for counters that the tool's do not give
//! "matrix ops" = "inst.mma"
//! ```
//!
//! One with a line for each workload names it with `workload = "Case"`; `side = "before"` in
//! `[[counters]]` keeps the figures of several variants in one line apart. `against` says which side or
//! row a speed-up is over, `cite = ["Document", "Section"]` which columns say where a line is printed,
//! `formula` what any other figure of the line follows from, and `[[claims]]`
//! what the document says of the table in words; [`crate::claims`] computes them again.
//!
//! A published time is refused with row and column where it is missing, no figure, not above zero, or
//! not between a picosecond and a year; `optional = ["latency"]` names figures that some rows lack.

mod claim;
mod figure;
mod row;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use assay_core::text::nearest;
use serde::Deserialize;

use crate::catalog::unit_factor;
use crate::formats::mcprofiler::json::{self, Node};
use crate::formats::{Places, Table, text};
use crate::{Catalog, Fault, Profile, ProfileError};

use row::{Found, Out};

pub(crate) use claim::{Claim, What};

pub(crate) use row::before_side;

/// The schema that this version reads.
pub const SCHEMA: &str = "assay.mapping/1";

/// Flavour of a profile whose launches are the sides of one table.
pub(crate) const TABLE: &str = "table";

/// Name of the format in messages.
const NAME: &str = "mapped file";

/// What a file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shaped {
    Csv,
    Json,
}

/// Which part of a file is what.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    schema: String,
    tool: String,
    format: Shaped,
    #[serde(default = "comma")]
    separator: char,
    #[serde(default)]
    rows: String,
    #[serde(default)]
    decimal: Option<char>,
    #[serde(default)]
    kernel: Option<String>,
    #[serde(default)]
    section: Option<String>,
    #[serde(default)]
    counter: Option<String>,
    #[serde(default)]
    value: Option<String>,
    #[serde(default)]
    unit: Option<String>,
    #[serde(default)]
    workload: Option<String>,
    #[serde(default)]
    cite: Vec<String>,
    #[serde(default)]
    magnitudes: bool,
    /// Rows of one kernel print the same figures, each in another place.
    #[serde(default)]
    pub(crate) repeats: bool,
    #[serde(default)]
    pub(crate) counters: Vec<Column>,
    /// Published figures that may be missing in some rows.
    #[serde(default)]
    optional: Vec<String>,
    #[serde(default)]
    sides: Vec<Side>,
    #[serde(default)]
    names: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) claims: Vec<Claim>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Column {
    from: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    canonical: Option<String>,
    #[serde(default)]
    pub(crate) side: Option<String>,
    /// The side or row that a speed-up or a change is over; `previous` for the row before.
    #[serde(default)]
    pub(crate) against: Option<String>,
    /// What the figure follows from, over the columns of its line.
    #[serde(default)]
    pub(crate) formula: Option<String>,
}

impl Column {
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.from)
    }
}

/// One side of a table that has a column for each.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Side {
    label: String,
    column: String,
    #[serde(default)]
    change: Option<String>,
}

fn comma() -> char {
    ','
}

/// Why a mapping file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("mapping `{file}`: {problem}")]
pub struct MappingError {
    /// Name of the file.
    pub file: String,
    /// What is wrong, with line and column where there is one.
    pub problem: String,
}

impl Mapping {
    /// Reads a mapping file; `file` is its name in messages.
    ///
    /// # Errors
    /// When it is not TOML of this shape or does not say where counters are.
    pub fn read(file: &str, text: &str) -> Result<Self, MappingError> {
        let bad = |problem: String| MappingError {
            file: file.to_owned(),
            problem,
        };
        let m: Self = toml::from_str(text).map_err(|e| bad(e.to_string()))?;
        match m.problem() {
            Some(problem) => Err(bad(problem)),
            None => Ok(m),
        }
    }

    fn problem(&self) -> Option<String> {
        let problem = if self.schema != SCHEMA {
            format!("schema `{}` is not `{SCHEMA}`", self.schema)
        } else if self.tool.trim().is_empty() {
            "`tool` is empty".into()
        } else if self.sides.is_empty() && self.counter.is_some() != self.value.is_some() {
            "`counter` and `value` belong together".into()
        } else if self.counter.is_none() && self.counters.is_empty() {
            "neither `counter` and `value` nor `[[counters]]` say where the figures are".into()
        } else if self.decimal.is_some_and(|d| !matches!(d, '.' | ',')) {
            "`decimal` is neither `.` nor `,`".into()
        } else if self.format == Shaped::Csv
            && (!self.separator.is_ascii() || self.separator == '"')
        {
            "`separator` is not one plain character".into()
        } else if self.repeats && (self.kernel.is_none() || self.workload.is_none()) {
            "`repeats` needs `kernel`, which the figures are of, and `workload`, the place of each print".into()
        } else if self.format == Shaped::Json
            && !self.rows.is_empty()
            && !self.rows.starts_with('/')
        {
            "`rows` is no JSON pointer; it begins with `/`".into()
        } else {
            return (self.problem_of_sides())
                .or_else(|| self.problem_of_names())
                .or_else(|| self.problem_of_optional())
                .or_else(|| self.problem_of_claims());
        };
        Some(problem)
    }

    fn problem_of_sides(&self) -> Option<String> {
        let mut labels = HashSet::new();
        let with_side = self.counters.iter().filter(|c| c.side.is_some()).count();
        if with_side > 0 && with_side < self.counters.len() {
            return Some("some `[[counters]]` have a `side` and some have none".into());
        }
        if self.sides.is_empty() {
            return None;
        }
        let problem = if self.counter.is_none() || self.value.is_some() || !self.counters.is_empty()
        {
            "`[[sides]]` go with `counter`, and with neither `value` nor `[[counters]]`".into()
        } else if self.kernel.is_some() || self.workload.is_some() {
            "`[[sides]]` are the launches; `kernel` and `workload` do not go with them".into()
        } else if self.sides.first().is_some_and(|s| s.change.is_some()) {
            "changes are against the first of the `[[sides]]`, so that it has no `change`".into()
        } else {
            let twice = self
                .sides
                .iter()
                .find(|s| !labels.insert(s.label.as_str()))?;
            format!("two `[[sides]]` are called `{}`", twice.label)
        };
        Some(problem)
    }

    fn problem_of_names(&self) -> Option<String> {
        let catalog = Catalog::builtin();
        let of_columns = self
            .counters
            .iter()
            .filter_map(|c| Some((c.canonical.as_ref()?, Some(c))));
        let of_names = self.names.values().map(|canonical| (canonical, None));
        of_columns.chain(of_names).find_map(|(canonical, column)| {
            let Some(entry) = catalog.get(canonical) else {
                let known = catalog.entries().iter().map(|e| e.canonical.as_str());
                let near = nearest(canonical, known).map(|n| format!("; did you mean `{n}`?"));
                return Some(format!(
                    "`{canonical}` is no name in the counter catalog{}",
                    near.unwrap_or_default()
                ));
            };
            let unit = match column?.unit.as_str() {
                "" => "1",
                unit => unit,
            };
            unit_factor(unit, &entry.unit).is_none().then(|| {
                format!(
                    "`{canonical}` is in `{}`, and `{unit}` cannot be converted to it",
                    entry.unit
                )
            })
        })
    }

    fn problem_of_optional(&self) -> Option<String> {
        let is_known = |name: &str| {
            self.names.contains_key(name) || self.counters.iter().any(|c| c.name() == name)
        };
        let stranger = self.optional.iter().find(|n| !is_known(n))?;
        Some(format!(
            "`optional` names `{stranger}`, which neither `[[counters]]` nor `[names]` have"
        ))
    }

    /// Reads a profile as the mapping says.
    ///
    /// # Errors
    /// When the content is not of the mapping's format, lacks what it names, or has no counter.
    pub fn parse(&self, bytes: &[u8]) -> Result<Profile, ProfileError> {
        let flavour = match self.format {
            _ if self.has_sides() => TABLE,
            Shaped::Csv => "csv",
            Shaped::Json => "json",
        };
        let mut profile = Profile::new(&self.tool, flavour);
        let mut out = Out::default();
        match self.format {
            Shaped::Csv => self.csv(bytes, &mut profile, &mut out)?,
            Shaped::Json => self.json(bytes, &mut profile, &mut out)?,
        }
        let is_optional = |(n, c): (&String, &String)| c == row::TIME && self.optional.contains(n);
        if self.counter.is_some() && !self.names.iter().any(is_optional) {
            out.without_time(&|name| self.names.get(name).cloned());
        }
        profile.notices.extend(out.notice());
        profile.faults = out.faults;
        profile.places = out.cited;
        profile.launches = out.launches;
        if profile.launches.iter().all(|l| l.is_empty()) {
            return Err(match profile.faults.first() {
                Some(fault) => unusable(&format!("{}: {}", fault.place, fault.what)),
                None => unusable("no counter where the mapping says"),
            });
        }
        Catalog::builtin().name_counters(&mut profile);
        self.name_directly(&mut profile);
        Ok(profile)
    }

    /// Gives counters the names in the catalog that the mapping says.
    fn name_directly(&self, profile: &mut Profile) {
        let columns = self
            .counters
            .iter()
            .filter_map(|c| Some((c.name(), c.canonical.as_deref()?)));
        let names = self.names.iter().map(|(n, c)| (n.as_str(), c.as_str()));
        let given: HashMap<&str, &str> = names.chain(columns).collect();
        if given.is_empty() {
            return;
        }
        for launch in &mut profile.launches {
            launch.give_names(|name| given.get(name).copied());
        }
    }

    fn has_sides(&self) -> bool {
        !self.sides.is_empty() || self.counters.iter().any(|c| c.side.is_some())
    }

    fn csv(&self, bytes: &[u8], profile: &mut Profile, out: &mut Out) -> Result<(), ProfileError> {
        let content = text(bytes, &mut profile.notices);
        let separator = u8::try_from(self.separator).unwrap_or(b',');
        let mut table =
            Table::new(&content, separator).ok_or_else(|| unusable("no header line"))?;
        for name in self.names() {
            if table.column(name).is_none() {
                return Err(unusable(&format!(
                    "no column `{name}`, which the mapping names"
                )));
            }
        }
        let columns: HashMap<&str, usize> = self
            .names()
            .filter_map(|n| Some((n, table.column(n)?)))
            .collect();
        let mut fields = Vec::new();
        let mut missing = Places::default();
        while table.row(&mut fields) {
            let get = |name: &str| {
                let field = columns.get(name).and_then(|i| fields.get(*i));
                field.map(|f| Found::Text(Cow::Borrowed(f.trim())))
            };
            let before = out.missing;
            out.row = table.row_number();
            self.row(&get, out);
            if out.missing > before {
                missing.push(table.row_at());
            }
        }
        out.lines = table.lines(&missing);
        out.faults.extend(table.unread_rows().iter().map(|m| Fault {
            place: m.place.clone(),
            launch: String::new(),
            what: m.what.into(),
        }));
        profile.notices.extend(table.notice());
        Ok(())
    }

    fn json(&self, bytes: &[u8], profile: &mut Profile, out: &mut Out) -> Result<(), ProfileError> {
        let content = text(bytes, &mut profile.notices);
        let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
        let (document, problem) = json::read(content);
        let found = document.as_ref().and_then(|d| at(d, &self.rows));
        let rows = match (found, &problem) {
            (Some(At::One(rows)), _) => rows,
            (Some(At::Many), _) => {
                return Err(unusable(&format!(
                    "a key of `{}`, where the rows should be, stands twice",
                    self.rows
                )));
            }
            (None, Some(why)) => {
                return Err(unusable(&format!("the content is not JSON: {why}")));
            }
            (None, None) => {
                return Err(unusable(&format!(
                    "nothing at `{}`, where the rows should be",
                    self.rows
                )));
            }
        };
        let rows = rows.items().unwrap_or(std::slice::from_ref(rows));
        for row in rows.iter().filter(|r| r.is_whole()) {
            out.row += 1;
            let get = |pointer: &str| match at(row, pointer)? {
                At::Many => Some(Found::Twice),
                At::One(Node::Null) => None,
                At::One(Node::Number(digits)) => Some(Found::Number(digits)),
                At::One(other) => Some(Found::Text(Cow::Borrowed(other.brief()))),
            };
            self.row(&get, out);
        }
        if let Some(why) = problem {
            profile.notices.push(format!(
                "Cut short or damaged at {why}. The rows before are read, nothing behind them."
            ));
        }
        Ok(())
    }

    /// Everything that the mapping refers to.
    fn names(&self) -> impl Iterator<Item = &str> {
        [
            &self.kernel,
            &self.workload,
            &self.section,
            &self.counter,
            &self.value,
            &self.unit,
        ]
        .into_iter()
        .filter_map(|n| n.as_deref())
        .chain(self.cite.iter().map(String::as_str))
        .chain(self.counters.iter().map(|c| c.from.as_str()))
        .chain(self.sides.iter().map(|s| s.column.as_str()))
        .chain(self.sides.iter().filter_map(|s| s.change.as_deref()))
    }
}

/// What a JSON pointer leads to.
enum At<'n, 'a> {
    One(&'n Node<'a>),
    /// A key on the way stands twice, so that either could be meant.
    Many,
}

fn at<'n, 'a>(node: &'n Node<'a>, pointer: &str) -> Option<At<'n, 'a>> {
    let mut here = node;
    // The empty pointer is the whole; any other begins with a slash.
    let parts = match pointer.strip_prefix('/') {
        Some(rest) => rest.split('/').map(Some).collect(),
        None if pointer.is_empty() => Vec::new(),
        None => vec![None],
    };
    for part in parts {
        let part = part?.replace("~1", "/").replace("~0", "~");
        here = match here {
            Node::Object(members, _) => {
                let mut named = members.iter().filter(|(k, _)| *k == part);
                let (_, found) = named.next()?;
                if named.next().is_some() {
                    return Some(At::Many);
                }
                found
            }
            Node::List(items, _) => items.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(At::One(here))
}

fn unusable(problem: &str) -> ProfileError {
    ProfileError::Unusable {
        format: NAME,
        problem: problem.to_owned(),
    }
}
