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
//! unit = "us"
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::formats::{Table, json_number, text};
use crate::separators::{self, Shape};
use crate::{Catalog, Counter, Launch, Profile, ProfileError, Scope, Status};

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
    counters: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    from: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    unit: String,
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
        let problem = if m.schema != SCHEMA {
            format!("schema `{}` is not `{SCHEMA}`", m.schema)
        } else if m.tool.trim().is_empty() {
            "`tool` is empty".into()
        } else if m.counter.is_some() != m.value.is_some() {
            "`counter` and `value` belong together".into()
        } else if m.counter.is_none() && m.counters.is_empty() {
            "neither `counter` and `value` nor `[[counters]]` say where the figures are".into()
        } else if m.decimal.is_some_and(|d| !matches!(d, '.' | ',')) {
            "`decimal` is neither `.` nor `,`".into()
        } else if m.format == Shaped::Csv && (!m.separator.is_ascii() || m.separator == '"') {
            "`separator` is not one plain character".into()
        } else if m.format == Shaped::Json && !m.rows.is_empty() && !m.rows.starts_with('/') {
            "`rows` is no JSON pointer; it begins with `/`".into()
        } else {
            return Ok(m);
        };
        Err(bad(problem))
    }

    /// Reads a profile as the mapping says.
    ///
    /// # Errors
    /// When the content is not of the mapping's format, lacks what it names, or has no counter.
    pub fn parse(&self, bytes: &[u8]) -> Result<Profile, ProfileError> {
        let flavour = match self.format {
            Shaped::Csv => "csv",
            Shaped::Json => "json",
        };
        let mut profile = Profile::new(&self.tool, flavour);
        let mut out = Out::default();
        match self.format {
            Shaped::Csv => self.csv(bytes, &mut profile, &mut out)?,
            Shaped::Json => self.json(bytes, &mut profile, &mut out)?,
        }
        profile.launches = out.launches;
        if out.missing > 0 {
            profile.notices.push(format!(
                "{} rows lack what the mapping names and were not read.",
                out.missing
            ));
        }
        if profile.launches.iter().all(|l| l.is_empty()) {
            return Err(unusable("no counter where the mapping says"));
        }
        Catalog::builtin().name_counters(&mut profile);
        Ok(profile)
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
        while table.row(&mut fields) {
            let get = |name: &str| {
                let field = columns.get(name).and_then(|i| fields.get(*i));
                field.map(|f| Found::Text(Cow::Borrowed(f.trim())))
            };
            self.row(&get, out);
        }
        profile.notices.extend(table.notice());
        Ok(())
    }

    fn json(&self, bytes: &[u8], profile: &mut Profile, out: &mut Out) -> Result<(), ProfileError> {
        let content = text(bytes, &mut profile.notices);
        let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
        let document: Value = serde_json::from_str(content)
            .map_err(|e| unusable(&format!("the content is not JSON: {e}")))?;
        let rows = document.pointer(&self.rows).ok_or_else(|| {
            unusable(&format!(
                "nothing at `{}`, where the rows should be",
                self.rows
            ))
        })?;
        let rows = match rows {
            Value::Array(rows) => rows.as_slice(),
            one => std::slice::from_ref(one),
        };
        for row in rows {
            let get = |pointer: &str| match row.pointer(pointer) {
                Some(Value::Number(n)) => Some(Found::Number(n)),
                Some(Value::String(s)) => Some(Found::Text(Cow::Borrowed(s.as_str()))),
                Some(Value::Null) | None => None,
                Some(other) => Some(Found::Text(Cow::Owned(other.to_string()))),
            };
            self.row(&get, out);
        }
        Ok(())
    }

    /// Everything that the mapping refers to.
    fn names(&self) -> impl Iterator<Item = &str> {
        [
            &self.kernel,
            &self.section,
            &self.counter,
            &self.value,
            &self.unit,
        ]
        .into_iter()
        .filter_map(|n| n.as_deref())
        .chain(self.counters.iter().map(|c| c.from.as_str()))
    }

    fn row<'v>(&self, get: &dyn Fn(&str) -> Option<Found<'v>>, out: &mut Out) {
        let word = |name: &Option<String>| {
            let found = name.as_deref().and_then(get);
            found.map_or(Cow::Borrowed(""), Found::word)
        };
        let kernel = match &self.kernel {
            Some(_) => word(&self.kernel),
            None => Cow::Borrowed("(whole program)"),
        };
        let section = word(&self.section);
        let named = self.counter.is_some();
        let counter = word(&self.counter);
        if self.kernel.is_some() && kernel.is_empty() || named && counter.is_empty() {
            out.missing += 1;
            return;
        }
        let scope = match self.kernel {
            Some(_) => Scope::PerKernel,
            None => Scope::Aggregate,
        };
        // A counter that a launch has already belongs to the kernel's next launch.
        let fresh = !named
            || !out.seen.insert((
                kernel.to_string(),
                out.current.get(kernel.as_ref()).copied().unwrap_or(0),
                section.to_string(),
                counter.to_string(),
            ));
        let at = out.launch(&kernel, scope, fresh);
        let launch = &mut out.launches[at];
        if let (true, Some(value)) = (named, &self.value) {
            let unit = word(&self.unit);
            launch.push(self.counter(&section, &counter, get(value), &unit));
            if fresh {
                let n = out.current.get(kernel.as_ref()).copied().unwrap_or(0);
                out.seen.insert((
                    kernel.to_string(),
                    n,
                    section.to_string(),
                    counter.to_string(),
                ));
            }
        }
        for column in &self.counters {
            let name = column.name.as_deref().unwrap_or(&column.from);
            launch.push(self.counter(&section, name, get(&column.from), &column.unit));
        }
    }

    fn counter(&self, section: &str, name: &str, found: Option<Found<'_>>, unit: &str) -> Counter {
        let raw = match found {
            None => return Counter::without_value(section, name, "", unit, Status::Absent),
            Some(Found::Number(n)) => return json_number(section, name, n, unit),
            Some(Found::Text(t)) => t,
        };
        let mut c = Counter::without_value(section, name, &raw, unit, Status::Error);
        let decimal = self.decimal.and_then(|d| u8::try_from(d).ok());
        match (separators::shape(&raw), decimal) {
            (Shape::Certain(read, proof), _)
                if proof.is_none() || decimal.is_none() || proof == decimal =>
            {
                c.set(Ok(read));
            }
            (Shape::Certain(..), _) => {
                c.suspect
                    .push("not a figure with the decimal sign that the mapping names".into());
            }
            (Shape::Open(sign, digits), Some(decimal)) => {
                c.set(Ok(separators::settle(sign, digits, decimal)));
            }
            (Shape::Open(sign, _), None) => c.suspect.push(separators::open_problem(
                sign,
                separators::Evidence::default(),
            )),
            (Shape::Not, _) if raw.is_empty() => c.status = Status::Absent,
            (Shape::Not, _) => c.suspect.push("not a number".into()),
        }
        c
    }
}

/// What stands where the mapping points to.
enum Found<'v> {
    Text(Cow<'v, str>),
    Number(&'v serde_json::Number),
}

impl<'v> Found<'v> {
    fn word(self) -> Cow<'v, str> {
        match self {
            Self::Text(t) => t,
            Self::Number(n) => Cow::Owned(n.to_string()),
        }
    }
}

#[derive(Default)]
struct Out {
    launches: Vec<Launch>,
    /// Launch of a kernel that rows belong to now, by its occurrence and its place.
    current: HashMap<String, u32>,
    places: HashMap<String, usize>,
    seen: std::collections::HashSet<(String, u32, String, String)>,
    missing: u64,
}

impl Out {
    fn launch(&mut self, kernel: &str, scope: Scope, fresh: bool) -> usize {
        if let Some(at) = self.places.get(kernel).filter(|_| !fresh) {
            return *at;
        }
        let mut launch = Launch::new(kernel, scope);
        let next = match self.current.get(kernel) {
            Some(n) => n.saturating_add(1),
            None => 0,
        };
        launch.occurrence = (scope == Scope::PerKernel).then_some(next);
        self.current.insert(kernel.to_owned(), next);
        self.launches.push(launch);
        let at = self.launches.len() - 1;
        self.places.insert(kernel.to_owned(), at);
        at
    }
}

fn unusable(problem: &str) -> ProfileError {
    ProfileError::Unusable {
        format: NAME,
        problem: problem.to_owned(),
    }
}
