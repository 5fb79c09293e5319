//! Counters of two or more launches side by side, and what changed between them.
//!
//! A column is one launch. The rows are the union of the counters: those of one tool are paired by
//! section and name, those of different tools by canonical name. A change is said only where the
//! two figures can be compared, and counts as one only where it is larger than the threshold and
//! than what the printed digits can hide.

mod align;
mod amount;
mod change;
mod published;
mod render;
mod say;
mod unit;
mod warn;

use std::collections::{BTreeMap, HashMap};

use assay_core::view::{CellView, ColumnView, CounterCompareView, CounterRow, PublishedView};

use crate::{Catalog, CounterRef, Direction, Launch, Profile, Scope, Status};

pub use change::relative_interval;
pub(crate) use published::{FACTOR, POINTS};
pub use published::{PUBLISHED, is_published, published_changes};
pub use render::{claimed, prints, tally, to_csv, to_markdown};
pub use warn::{mode_differs, version_differs};

use align::Line;
use unit::Reading;

/// The schema of the view.
pub const SCHEMA: &str = "assay.counter-compare/1";

/// Changes up to this many percent are no news, where nothing else is asked for.
pub const DEFAULT_THRESHOLD: f64 = 1.0;

/// The same for a published time, `claim.time`: the smallest gap that rules take for one.
pub const TIME_THRESHOLD: f64 = 0.5;

/// The counter that [`TIME_THRESHOLD`] is for.
const TIME: &str = "claim.time";

/// What a counter that the catalog does not know weighs against one that it knows.
const UNKNOWN_WEIGHT: f64 = 0.5;

/// One side of a comparison: one launch of a report.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// Variant or file.
    pub label: &'a str,
    /// The report.
    pub profile: &'a Profile,
    /// The launch in it.
    pub launch: &'a Launch,
}

/// How to compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The column that changes are against.
    pub base: usize,
    /// Leave out rows in which nothing changed.
    pub changed_only: bool,
    /// For single counters the largest change in percent that is no news, by canonical name or by
    /// the tool's name; a `*` at the end stands for any rest.
    pub thresholds: BTreeMap<String, f64>,
    /// The same for all others.
    pub default_threshold: f64,
    /// The same for a published time, where nothing is asked for it by name.
    pub time_threshold: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            base: 0,
            changed_only: false,
            thresholds: BTreeMap::new(),
            default_threshold: DEFAULT_THRESHOLD,
            time_threshold: TIME_THRESHOLD,
        }
    }
}

/// Why nothing can be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// Fewer than two columns.
    #[error(
        "{0} {launches} to compare, two or more are needed: name another report or another launch",
        launches = if *.0 == 1 { "launch" } else { "launches" }
    )]
    TooFew(usize),
    /// The base is none of the columns.
    #[error("base {base} is none of the {columns} columns; they are counted from 0")]
    Base {
        /// What was asked for.
        base: usize,
        /// How many there are.
        columns: usize,
    },
    /// A threshold that cannot be one.
    #[error("the threshold of `{name}` is {value}: a percentage from 0 is needed")]
    Threshold {
        /// Name, or `default`.
        name: String,
        /// What was asked for.
        value: f64,
    },
}

/// Compares the counters of launches.
///
/// The findings of the view are left empty. Published changes of a table are no counters and are
/// not among the rows; see [`published_changes`].
///
/// # Errors
/// With fewer than two columns, a base that is none of them, or a threshold below zero.
pub fn compare(
    columns: &[Column<'_>],
    options: &Options,
    catalog: &Catalog,
) -> Result<CounterCompareView, CompareError> {
    check(columns, options)?;
    let mut warnings = warn::columns(columns, options.base);
    let (lines, joined) = align::lines(columns, options.base, catalog);
    warnings.extend(joined);
    let mut mixed = Vec::new();
    let base = &columns[options.base];
    let apart: Vec<bool> = columns
        .iter()
        .map(|c| warn::incomparable(base, c))
        .collect();
    let published: Vec<_> = (columns.iter().enumerate())
        .map(|(i, c)| match i == options.base {
            true => HashMap::new(),
            false => published::beside(base.launch, c.profile, c.launch),
        })
        .collect();
    let against = Against {
        apart: &apart,
        published: &published,
    };
    let mut rows: Vec<CounterRow> = lines
        .iter()
        .map(|line| row(line, columns, &against, options, catalog, &mut mixed))
        .collect();
    warnings.extend(mixed);
    warnings.extend(warn::rows(columns, &rows));
    warnings.extend(warn::thresholds(options, &rows));
    let views = columns.iter().enumerate().map(|(i, c)| ColumnView {
        label: c.label.to_owned(),
        tool: tool(c.profile),
        tool_version: c.profile.tool_version.clone(),
        kernel: c.launch.kernel.clone(),
        occurrence: c.launch.occurrence,
        scope: scope(c.launch.scope).to_owned(),
        values: rows.iter().filter(|r| r.cells[i].status == "value").count(),
    });
    let views = views.collect();
    let count = |outcome: Outcome| rows.iter().filter(|r| r.outcome == outcome.name()).count();
    let left = |outcome| {
        if options.changed_only {
            count(outcome)
        } else {
            0
        }
    };
    let [unchanged, below_threshold, no_figure] =
        [Outcome::Unchanged, Outcome::Below, Outcome::NoFigure].map(left);
    let not_compared = count(Outcome::NotCompared);
    if options.changed_only {
        let kept = [Outcome::Changed, Outcome::NotCompared].map(Outcome::name);
        rows.retain(|r| kept.contains(&r.outcome.as_str()));
    }
    // Rows of one weight stay in the order of the report, those that changed before the others.
    let changed = |r: &CounterRow| r.changes.iter().flatten().any(|c| c.changed);
    rows.sort_by(|a, b| {
        let by_change = || changed(b).cmp(&changed(a));
        b.weighted.total_cmp(&a.weighted).then_with(by_change)
    });
    Ok(CounterCompareView {
        schema: SCHEMA.to_owned(),
        columns: views,
        base: options.base,
        unchanged,
        below_threshold,
        no_figure,
        not_compared,
        threshold: options.default_threshold,
        rows,
        findings: Vec::new(),
        warnings,
    })
}

/// The rows of a pair in which something changed, the largest weighted change first.
///
/// Empty where the two cannot be compared: with different versions or modes of the tool.
pub fn moved(
    a: Column<'_>,
    b: Column<'_>,
    options: &Options,
    catalog: &Catalog,
) -> Vec<CounterRow> {
    let options = Options {
        base: 0,
        changed_only: true,
        ..options.clone()
    };
    let view = compare(&[a, b], &options, catalog);
    let mut rows = view.map(|v| v.rows).unwrap_or_default();
    rows.retain(|r| r.changes.iter().flatten().any(|c| c.changed));
    rows
}

fn check(columns: &[Column<'_>], options: &Options) -> Result<(), CompareError> {
    if columns.len() < 2 {
        return Err(CompareError::TooFew(columns.len()));
    }
    if options.base >= columns.len() {
        return Err(CompareError::Base {
            base: options.base,
            columns: columns.len(),
        });
    }
    let named = options.thresholds.iter().map(|(n, v)| (n.as_str(), *v));
    let others = [
        ("default", options.default_threshold),
        (TIME, options.time_threshold),
    ];
    for (name, value) in named.chain(others) {
        // Also refuses what is no number.
        if !(value.is_finite() && value >= 0.0) {
            return Err(CompareError::Threshold {
                name: name.to_owned(),
                value,
            });
        }
    }
    Ok(())
}

/// What is known of the columns against the base, before their rows.
struct Against<'a> {
    /// Whether no change can be said.
    apart: &'a [bool],
    /// Changes that a table prints, by section and name.
    published: &'a [HashMap<(String, String), PublishedView>],
}

fn row(
    line: &Line<'_>,
    columns: &[Column<'_>],
    against: &Against<'_>,
    options: &Options,
    catalog: &Catalog,
    warnings: &mut Vec<String>,
) -> CounterRow {
    let info = line.canonical.as_deref().and_then(|c| catalog.get(c));
    let unit = unit::of_row(line, options.base, info);
    let read: Vec<Option<Reading>> = line
        .cells
        .iter()
        .map(|c| c.as_ref().and_then(|c| unit::read(c, &unit)))
        .collect();
    warnings.extend(unit::mixed(line, columns, &unit));
    let threshold = threshold(options, line);
    let base = &columns[options.base];
    let mut largest = 0f64;
    let changes: Vec<_> = read
        .iter()
        .zip(columns)
        .enumerate()
        .map(|(i, (other, column))| {
            if i == options.base || against.apart[i] {
                return None;
            }
            let (mut change, size) =
                change::change(read[options.base].as_ref()?, other.as_ref()?, threshold)?;
            largest = largest.max(size);
            // How two tools count differs by more than the kernel; that is no judgement of it.
            if change.changed && base.profile.tool == column.profile.tool {
                change.better = match info.map(|i| i.direction) {
                    Some(Direction::Lower) => Some(change.absolute < 0.0),
                    Some(Direction::Higher) => Some(change.absolute > 0.0),
                    Some(Direction::Neither) | None => None,
                };
            }
            Some(change)
        })
        .collect();
    let published = line.cells.iter().zip(against.published);
    let published = published.map(|(cell, of)| {
        // Most columns have none; their cells need no key.
        let c = cell.as_ref().filter(|_| !of.is_empty())?;
        of.get(&(c.section().to_owned(), c.name().to_owned()))
            .cloned()
    });
    let published = published.collect();
    let cells = line.cells.iter().zip(&read);
    let mut row = CounterRow {
        section: line.section.clone(),
        name: line.name.clone(),
        canonical: line.canonical.clone(),
        direction: info.map(|i| direction(i.direction).to_owned()),
        cells: cells
            .map(|(c, r)| cell(c.as_ref(), r.as_ref(), &unit))
            .collect(),
        changes,
        published,
        outcome: String::new(),
        threshold,
        weighted: largest * info.map_or(UNKNOWN_WEIGHT, |i| i.weight),
        unit,
    };
    for i in 0..row.changes.len() {
        let coarsest = read[options.base].iter().chain(&read[i]);
        let coarsest = coarsest.filter_map(|r| r.resolution).fold(0.0, f64::max);
        let exact = coarsest == 1.0 && unit::counts(&row.unit);
        if let Some(change) = &mut row.changes[i] {
            change.text = say::change(change, &row.unit, exact, decimals(coarsest));
        }
    }
    row.outcome = outcome(&row, options.base).name().to_owned();
    row
}

/// How many digits after the point a figure has.
fn decimals(resolution: f64) -> usize {
    if resolution > 0.0 && resolution < 1.0 {
        (-resolution.log10()).round().clamp(0.0, 9.0) as usize
    } else {
        2
    }
}

fn cell(counter: Option<&CounterRef<'_>>, read: Option<&Reading>, unit: &str) -> CellView {
    let Some(c) = counter else {
        return CellView {
            status: "none".into(),
            value: None,
            raw: String::new(),
            resolution: None,
            suspect: Vec::new(),
        };
    };
    CellView {
        status: status(c.status()).into(),
        value: read.and_then(|r| r.amount.json()),
        raw: unit::printed(c, unit),
        resolution: read.and_then(|r| r.resolution),
        suspect: c.suspect().to_vec(),
    }
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// A change beyond threshold and digits, or other words.
    Changed,
    /// All columns were compared, and none differs from the base by more than the digits hide.
    Unchanged,
    /// All columns were compared, and what changed is within the threshold.
    Below,
    /// Some column could not be compared.
    NotCompared,
    /// No column has anything to compare.
    NoFigure,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Below => "below_threshold",
            Self::NotCompared => "not_compared",
            Self::NoFigure => "no_figure",
        }
    }
}

fn outcome(row: &CounterRow, base: usize) -> Outcome {
    let is = |c: &CellView, all: &[&str]| all.contains(&c.status.as_str());
    let mut cells = row.cells.iter();
    // The files that charts were drawn to are called differently each time.
    let is_file = row.name.ends_with(".filename") && cells.all(|c| is(c, &["text", "none"]));
    let mut cells = row.cells.iter();
    if is_file || cells.all(|c| is(c, &["none", "absent", "not_supported"])) {
        return Outcome::NoFigure;
    }
    let is_word = |c: &CellView| is(c, &["text"]);
    let other = row.cells.iter().enumerate().filter(|(i, _)| *i != base);
    let (mut changed, mut open, mut below) = (false, false, false);
    for (i, cell) in other {
        match &row.changes[i] {
            Some(c) => {
                changed |= c.changed;
                below |= c.resolved && !c.changed;
            }
            None if is_word(cell) && is_word(&row.cells[base]) => {
                changed |= cell.raw != row.cells[base].raw;
            }
            None => open = true,
        }
    }
    match (changed, open, below) {
        (true, ..) => Outcome::Changed,
        (_, true, _) => Outcome::NotCompared,
        (_, _, true) => Outcome::Below,
        _ => Outcome::Unchanged,
    }
}

/// The threshold of a counter: the longest name that fits it.
fn threshold(options: &Options, line: &Line<'_>) -> f64 {
    let fits = |wanted: &str| {
        line.canonical
            .as_deref()
            .is_some_and(|c| is_named(wanted, c))
            || is_named(wanted, &line.name)
    };
    let named = options.thresholds.iter().filter(|(n, _)| fits(n));
    let named = named.max_by_key(|(n, _)| n.len()).map(|(_, v)| *v);
    let of_time = || (line.canonical.as_deref() == Some(TIME)).then_some(options.time_threshold);
    named.or_else(of_time).unwrap_or(options.default_threshold)
}

fn is_named(wanted: &str, name: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == wanted,
    }
}

fn tool(profile: &Profile) -> String {
    format!("{} {}", profile.tool, profile.flavour)
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::PerKernel => "per-kernel",
        Scope::Aggregate => "aggregate",
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Value => "value",
        Status::Text => "text",
        Status::Absent => "absent",
        Status::NotSupported => "not_supported",
        Status::Error => "error",
    }
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Lower => "lower",
        Direction::Higher => "higher",
        Direction::Neither => "neither",
    }
}
