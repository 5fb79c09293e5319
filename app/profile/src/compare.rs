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
mod unit;
mod warn;

use std::collections::BTreeMap;

use assay_core::view::{CellView, ColumnView, CounterCompareView, CounterRow};

use crate::{Catalog, CounterRef, Direction, Launch, Profile, Scope, Status};

pub use change::relative_interval;
pub(crate) use published::{FACTOR, POINTS};
pub use published::{PUBLISHED, is_published, published_changes};
pub use render::{to_csv, to_markdown};
pub use warn::{mode_differs, version_differs};

use align::Line;
use unit::Reading;

/// The schema of the view.
pub const SCHEMA: &str = "assay.counter-compare/1";

/// Changes up to this many percent are no news, where nothing else is asked for.
pub const DEFAULT_THRESHOLD: f64 = 1.0;

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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            base: 0,
            changed_only: false,
            thresholds: BTreeMap::new(),
            default_threshold: DEFAULT_THRESHOLD,
        }
    }
}

/// Why nothing can be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// Fewer than two columns.
    #[error(
        "{0} launch(es) to compare, two or more are needed: name another report or another launch"
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
    let mut rows: Vec<CounterRow> = lines
        .iter()
        .map(|line| row(line, columns, &apart, options, catalog, &mut mixed))
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
    let all = rows.len();
    if options.changed_only {
        rows.retain(differs);
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
        unchanged: all - rows.len(),
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
    for (name, value) in named.chain([("default", options.default_threshold)]) {
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

fn row(
    line: &Line<'_>,
    columns: &[Column<'_>],
    apart: &[bool],
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
            if i == options.base || apart[i] {
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
    let cells = line.cells.iter().zip(&read);
    CounterRow {
        section: line.section.clone(),
        name: line.name.clone(),
        canonical: line.canonical.clone(),
        direction: info.map(|i| direction(i.direction).to_owned()),
        cells: cells
            .map(|(c, r)| cell(c.as_ref(), r.as_ref(), &unit))
            .collect(),
        changes,
        weighted: largest * info.map_or(UNKNOWN_WEIGHT, |i| i.weight),
        unit,
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

/// Whether a row has something to see when only changes are asked for: a change, or other words.
/// The files that charts were drawn to are called differently each time.
fn differs(row: &CounterRow) -> bool {
    if row.name.ends_with(".filename") {
        return false;
    }
    let mut words = row.cells.iter().filter(|c| c.status == "text");
    let first = words.next().map(|c| c.raw.as_str());
    row.changes.iter().flatten().any(|c| c.changed) || words.any(|c| Some(c.raw.as_str()) != first)
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
    named
        .max_by_key(|(n, _)| n.len())
        .map_or(options.default_threshold, |(_, v)| *v)
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
