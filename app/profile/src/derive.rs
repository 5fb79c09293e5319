//! Figures that follow from the counters of a report, held against what the report says itself.
//!
//! The formulas are data, in `profiles/derived/`; the schema is described at the head of
//! `mcprofiler.toml` there. Whether a formula and the report agree is decided by intervals: a figure
//! printed as 7.11 is anything from 7.105 to 7.115, and the formula's value anything that such
//! inputs yield. Whole numbers are exact, and so are constants of the tool.

mod file;
pub(crate) mod formula;
pub(crate) mod interval;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assay_core::gate::{Lookup, Rule};
use assay_core::view::DerivedView;

use self::formula::Node;
use self::interval::Interval;
use crate::catalog::unit_factor;
use crate::{Catalog, CounterRef, Launch, Profile, Status, device};

/// The schema that this version reads.
pub const SCHEMA: &str = "assay.derived/1";

const BUILTIN: &[(&str, &str)] = &[
    (
        "mcprofiler.toml",
        include_str!("../../../profiles/derived/mcprofiler.toml"),
    ),
    (
        "ncu.toml",
        include_str!("../../../profiles/derived/ncu.toml"),
    ),
    (
        "cpu.toml",
        include_str!("../../../profiles/derived/cpu.toml"),
    ),
];

/// A formula over counters.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// Name of what it yields.
    pub name: String,
    /// Unit of what it yields.
    pub unit: String,
    /// Canonical counters and `device.*` figures with operators.
    pub formula: String,
    /// The tools whose reports it is for.
    pub tools: Vec<String>,
    /// The canonical counter that is the same figure as the report has it.
    pub reported: Option<String>,
    /// One sentence.
    pub meaning: String,
    /// The same in Simplified Chinese.
    pub meaning_zh: String,
    /// Where it is from.
    pub source: String,
    node: Node,
    when: Option<Rule>,
    /// What the formula is known to leave out of the reported figure at most, in its unit.
    within: f64,
    /// Inputs without width: constants of the tool.
    exact: Vec<String>,
    /// Inputs that the tool prints as whole numbers although they are estimates.
    rounded: Vec<String>,
}

/// What is wrong with a file of formulas.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("derived figures `{file}`, line {line}: {problem}")]
pub struct FormulaError {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// The formulas that are known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Formulas {
    formulas: Vec<Formula>,
    /// The catalog's units of the counters that they use.
    units: BTreeMap<String, String>,
}

static DEFAULT: LazyLock<Formulas> = LazyLock::new(|| {
    // A test holds the built-in files to be valid; without formulas nothing is derived.
    Formulas::load(BUILTIN.iter().copied(), Catalog::builtin()).unwrap_or_default()
});

impl Formulas {
    /// The formulas that are built in.
    pub fn builtin() -> &'static Self {
        &DEFAULT
    }

    /// The files of the built-in formulas, as (name, content): what others of one's own come after.
    pub fn builtin_files() -> &'static [(&'static str, &'static str)] {
        BUILTIN
    }

    /// Reads files of formulas, given as (name, content). A formula of a later file replaces an
    /// earlier one of the same name for any of its tools.
    ///
    /// # Errors
    /// Names the file and the line of what cannot be used, e.g. of a counter that the catalog does
    /// not have.
    pub fn load<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
        catalog: &Catalog,
    ) -> Result<Self, FormulaError> {
        let mut formulas: Vec<Formula> = Vec::new();
        for (name, text) in files {
            let read = file::parse(text, catalog).map_err(|(line, problem)| FormulaError {
                file: name.to_owned(),
                line,
                problem,
            })?;
            formulas.retain(|old| !read.iter().any(|new| new.replaces(old)));
            formulas.extend(read);
        }
        let units = formulas.iter().flat_map(Formula::counters);
        let units = units.filter_map(|n| Some((n.to_owned(), catalog.get(n)?.unit.clone())));
        Ok(Self {
            units: units.collect(),
            formulas,
        })
    }

    /// All formulas, in the order of the files.
    pub fn iter(&self) -> impl Iterator<Item = &Formula> {
        self.formulas.iter()
    }

    /// The formula of a name for a tool.
    pub fn get(&self, tool: &str, name: &str) -> Option<&Formula> {
        self.iter()
            .find(|f| f.name == name && f.tools.iter().any(|t| t == tool))
    }
}

impl Formula {
    /// The counters that it uses, those of its condition and the reported one included.
    pub fn counters(&self) -> impl Iterator<Item = &str> {
        let when = self.when.iter().flat_map(Rule::names);
        let names = self.node.names().into_iter().chain(when);
        names
            .chain(self.reported.as_deref())
            .filter(|n| !n.starts_with(device::PREFIX))
    }

    fn replaces(&self, other: &Self) -> bool {
        self.name == other.name && self.tools.iter().any(|t| other.tools.contains(t))
    }
}

/// The figures that follow from the counters of a launch, in the order of the formulas. `device`
/// gives the values of `device.*` names. One whose inputs are not all there, or contradict each
/// other, is left out.
pub fn derive(
    formulas: &Formulas,
    profile: &Profile,
    launch: &Launch,
    device: Lookup<'_>,
) -> Vec<DerivedView> {
    let for_tool = |f: &&Formula| f.tools.contains(&profile.tool);
    let mut of_tool = formulas.iter().filter(for_tool).peekable();
    if of_tool.peek().is_none() {
        return Vec::new();
    }
    let inputs = Inputs::of(launch, &formulas.units);
    of_tool
        .filter_map(|f| evaluate(f, &inputs, device))
        .collect()
}

fn evaluate(f: &Formula, inputs: &Inputs<'_>, device: Lookup<'_>) -> Option<DerivedView> {
    let point = |name: &str| {
        if name.starts_with(device::PREFIX) {
            return device(name);
        }
        inputs.figure(name).map(|i| i.value)
    };
    if let Some(when) = &f.when
        && when.eval(&point) != Some(true)
    {
        return None;
    }
    let value = f.node.value(&point)?;
    let range = f.node.interval(&|name| {
        if name.starts_with(device::PREFIX) {
            return device(name).map(Interval::exact);
        }
        let input = inputs.figure(name)?;
        let listed = |names: &[String]| names.iter().any(|n| n == name);
        Some(if listed(&f.exact) {
            Interval::exact(input.value)
        } else if listed(&f.rounded) {
            input.rounded()
        } else {
            input.range()
        })
    })?;
    let reported = f.reported.as_deref().and_then(|name| inputs.figure(name));
    let agrees = reported.map(|r| {
        // A whole number is exact where the formula's value is whole, else the tool rounded it.
        let is_whole = range.lo == range.hi && range.lo.fract() == 0.0;
        let printed = if r.width == 0.0 && !is_whole {
            r.rounded()
        } else {
            r.range()
        };
        let range = Interval::new(range.lo - f.within, range.hi + f.within);
        range.with_slack().meets(printed.with_slack())
    });
    Some(DerivedView {
        name: f.name.clone(),
        formula: f.formula.clone(),
        value,
        unit: f.unit.clone(),
        reported: reported.map(|r| r.value),
        agrees,
    })
}

/// A counter's value in the catalog's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Input {
    value: f64,
    /// What the last printed digit is worth; 0 for a whole number.
    width: f64,
    /// What one unit of the printed number is worth.
    unit: f64,
}

impl Input {
    /// What was rounded to the value as printed.
    fn range(self) -> Interval {
        let half = self.width / 2.0;
        Interval::new(self.value - half, self.value + half)
    }

    /// What a tool that rounds or cuts to whole numbers would print as the value.
    fn rounded(self) -> Interval {
        if self.width > 0.0 {
            return self.range();
        }
        Interval::new(self.value - self.unit / 2.0, self.value + self.unit)
    }
}

/// The counters of a launch that have a canonical name and a value, by name.
struct Inputs<'a> {
    /// Sorted by name; several of one name are several counters of the report.
    all: Vec<(&'a str, Input)>,
}

impl<'a> Inputs<'a> {
    fn of(launch: &'a Launch, units: &BTreeMap<String, String>) -> Self {
        let mut all: Vec<(&str, Input)> = launch
            .iter()
            .filter_map(|c| {
                let name = c.canonical()?;
                Some((name, input(c, units.get(name)?)?))
            })
            .collect();
        // The finest of a name first.
        all.sort_by(|a, b| a.0.cmp(b.0).then(a.1.width.total_cmp(&b.1.width)));
        Self { all }
    }

    /// The figure of a name, in the finest digits there are; none where they contradict each other.
    fn figure(&self, name: &str) -> Option<Input> {
        let from = self.all.partition_point(|(n, _)| *n < name);
        let mut same = self.all.get(from..)?.iter().take_while(|(n, _)| *n == name);
        let (_, best) = same.next()?;
        let fits = |(_, other): &(&str, Input)| {
            best.rounded()
                .with_slack()
                .meets(other.rounded().with_slack())
        };
        let is_settled = same.all(|o| o.1 == *best || (o.1.width != best.width && fits(o)));
        is_settled.then_some(*best)
    }
}

fn input(c: CounterRef<'_>, unit: &str) -> Option<Input> {
    if c.status() != Status::Value {
        return None;
    }
    let factor = unit_factor(c.unit(), unit)?;
    let number = c.exact()?;
    let value = number.as_f64()? * factor;
    let width = if number.is_u64() || number.is_i64() {
        0.0
    } else {
        c.resolution().unwrap_or(0.0) * factor
    };
    value.is_finite().then_some(Input {
        value,
        width,
        unit: factor,
    })
}
