//! Readings as a table: a row for each workload, a column for each tag.
//!
//! Speed-ups are made from the figures, with the range that their printed digits leave. Rates are
//! made from formulas where the work is known, and else are those of the log, marked as such.

use std::fmt::Write as _;

use assay_core::text::{csv_field, inert, markdown_cell};

use super::claims::{self, Quantity};
use super::{Reading, Readings};

/// Tags beyond which no further column is made.
const TAGS_MAX: usize = 64;
/// Disagreements between a log and its formulas that are told word by word.
const DISAGREEMENTS_MAX: usize = 20;

/// Work of one launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes that are moved at least.
    pub bytes: f64,
}

/// A value with the least and greatest that the printed digits leave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranged {
    /// From the figures as printed.
    pub value: f64,
    /// Least and greatest.
    pub range: [f64; 2],
}

impl Ranged {
    /// `other` over this: how many times as fast this time is.
    pub fn under(&self, other: &Self) -> Self {
        Self {
            value: other.value / self.value,
            range: [
                other.range[0] / self.range[1],
                other.range[1] / self.range[0],
            ],
        }
    }

    /// Whether two printed times lie so near to each other, one display digit of the coarser one
    /// at most, that the log does not show which of them is less.
    pub fn is_one_digit_from(&self, other: &Self) -> bool {
        let step = |r: &Self| r.range[1] - r.range[0];
        let quantum = step(self).max(step(other));
        // A little more than the step, since floats round.
        (self.value - other.value).abs() <= quantum * (1.0 + 1e-6)
    }
}

/// A rate and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub enum Rate {
    /// Work by a formula over the time.
    Computed(Ranged),
    /// As the log has it: name of the column and text.
    Printed {
        /// Column of the log, which holds the unit.
        name: String,
        /// The figure as printed.
        text: String,
    },
}

/// One workload under one tag.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Place of its row in [`Readings::rows`].
    pub row: usize,
    /// Nanoseconds; the median where there are several times.
    pub latency_ns: Option<Ranged>,
    /// What the latency stands for, e.g. `samples`, `median of 50`.
    pub taken: String,
    /// Latency of the base over this one: above 1 is faster than the base.
    pub speedup: Option<Ranged>,
    /// 10^12 floating-point operations a second.
    pub tflops: Option<Rate>,
    /// 10^9 bytes a second.
    pub gbs: Option<Rate>,
    /// Why there is no latency.
    pub failure: Option<String>,
    /// What sets the time apart.
    pub marks: Vec<String>,
}

/// One workload.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    /// Operator, heading, benchmark or tuning run.
    pub group: String,
    /// Workload as the log names it.
    pub workload: String,
    /// A cell for each tag, in the order of [`ReadingsTable::tags`]; absent where the log has no row.
    pub cells: Vec<Option<Cell>>,
}

/// Readings side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadingsTable {
    /// What the log says about its machine and run.
    pub facts: Vec<(String, String)>,
    /// Tags in the order of the log.
    pub tags: Vec<String>,
    /// The tag that speed-ups are against.
    pub base: Option<String>,
    /// Rows in the order of the log.
    pub rows: Vec<TableRow>,
    /// What a person should know.
    pub notices: Vec<String>,
}

/// Sets readings side by side. `work` gives what one launch of a row does, where it is known.
///
/// A base that the log does not have is a notice, and there are no speed-ups then; nor are there
/// any between figures that are marked as timed in different ways.
pub fn table(
    readings: &Readings,
    base: Option<&str>,
    work: &dyn Fn(&Reading) -> Option<Work>,
) -> ReadingsTable {
    let mut out = ReadingsTable {
        facts: readings.facts.clone(),
        tags: Vec::new(),
        base: None,
        rows: Vec::new(),
        notices: readings.notices.clone(),
    };
    let mut places = std::collections::BTreeMap::new();
    let (mut left_out, mut disagreements) = (0usize, Vec::new());
    for (place, reading) in readings.rows.iter().enumerate() {
        let tag = match out.tags.iter().position(|t| *t == reading.tag) {
            Some(at) => at,
            None if out.tags.len() >= TAGS_MAX => {
                left_out += 1;
                continue;
            }
            None => {
                out.tags.push(reading.tag.clone());
                out.tags.len() - 1
            }
        };
        // Rows that are too damaged to have a name stand for themselves.
        let own = if reading.workload.is_empty() {
            reading.line
        } else {
            0
        };
        let key = (reading.group.as_str(), reading.workload.as_str(), own);
        let at = *places.entry(key).or_insert_with(|| {
            let workload = match own {
                0 => reading.workload.clone(),
                line => format!("(line {line})"),
            };
            out.rows.push(TableRow {
                group: reading.group.clone(),
                workload,
                cells: Vec::new(),
            });
            out.rows.len() - 1
        });
        let work = work(reading);
        let cell = cell(reading, place, work, &mut disagreements);
        let Some(row) = out.rows.get_mut(at) else {
            continue;
        };
        row.cells.resize(row.cells.len().max(tag + 1), None);
        // Of rows that claim the same, none has a figure, so it does not matter which is shown.
        if let Some(place) = row.cells.get_mut(tag) {
            *place = Some(cell);
        }
    }
    if left_out > 0 {
        out.notices.push(format!(
            "{left_out} rows of further tags than the first {TAGS_MAX} are left out"
        ));
    }
    let more = disagreements.len().saturating_sub(DISAGREEMENTS_MAX);
    out.notices
        .extend(disagreements.into_iter().take(DISAGREEMENTS_MAX));
    if more > 0 {
        out.notices.push(format!(
            "and {more} more figures that formula and time deny"
        ));
    }
    let tags = out.tags.len();
    out.rows.iter_mut().for_each(|r| r.cells.resize(tags, None));
    if let Some(base) = base {
        match out.tags.iter().position(|t| t == base) {
            Some(at) => {
                out.base = Some(base.to_owned());
                out.rows.iter_mut().for_each(|r| speedups(r, at));
            }
            None => out.notices.push(format!(
                "the log has no tag `{}` to compare with; it has {}",
                inert(base),
                inert(&out.tags.join(", "))
            )),
        }
    }
    out
}

/// The time of a row in nanoseconds with what its digits leave: the median where there are several.
pub fn latency(reading: &Reading) -> Option<Ranged> {
    let half = reading.quantum_ns() / 2.0;
    reading.median_ns().map(|ns| Ranged {
        value: ns,
        range: [(ns - half).max(f64::MIN_POSITIVE), ns + half],
    })
}

fn cell(reading: &Reading, row: usize, work: Option<Work>, notices: &mut Vec<String>) -> Cell {
    let rate = |quantity| match claims::computed(reading, quantity, work) {
        Some(made) => Some(Rate::Computed(made)),
        None => claims::claim(reading, quantity).map(|c| Rate::Printed {
            name: c.extra.name.clone(),
            text: c.extra.printed.clone(),
        }),
    };
    for quantity in [Quantity::Tflops, Quantity::Bandwidth] {
        let held = claims::rate_held(reading, quantity, work);
        if let Some((claim, compared)) = held.filter(|(_, c)| !c.agrees) {
            notices.push(format!(
                "{}: {} is printed as {}, and by formula and time it is {}, {} to {} (the printed one is {} times that)",
                reading.title(),
                inert(&claim.extra.name),
                inert(&claim.extra.printed),
                digits(compared.computed.value),
                digits(compared.computed.range[0]),
                digits(compared.computed.range[1]),
                digits(compared.factor)
            ));
        }
    }
    Cell {
        row,
        latency_ns: latency(reading),
        taken: match reading.times.len() {
            0 | 1 => reading.taken.to_string(),
            n => format!("median of {n} {}", reading.taken),
        },
        speedup: None,
        tflops: rate(Quantity::Tflops),
        gbs: rate(Quantity::Bandwidth),
        failure: (reading.failure.as_ref()).map(|f| format!("{}: {}", f.kind.name(), f.message)),
        marks: reading.marks.clone(),
    }
}

fn speedups(row: &mut TableRow, base: usize) {
    let Some(Some(against)) = row.cells.get(base).cloned() else {
        return;
    };
    let Some(b) = against.latency_ns else { return };
    for (i, cell) in row.cells.iter_mut().enumerate() {
        let Some(cell) = cell
            .as_mut()
            .filter(|c| i != base && c.marks == against.marks)
        else {
            continue;
        };
        cell.speedup = cell.latency_ns.map(|t| t.under(&b));
    }
}

/// Four significant digits, with an exponent only where it would be long.
fn digits(value: f64) -> String {
    significant(value, 4)
}

fn significant(value: f64, figures: u32) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e7).contains(&magnitude) {
        let places = figures.saturating_sub(1) as usize;
        return format!("{value:.places$e}");
    }
    let before = magnitude.max(1e-9).log10().floor() + 1.0;
    let places = (f64::from(figures) - before).clamp(0.0, 8.0) as usize;
    format!("{value:.places$}")
}

/// As many of four significant digits as the range leaves, and two at least.
pub fn supported_digits(r: &Ranged) -> String {
    let share = (r.range[1] - r.range[0]) / 2.0 / r.value;
    let sure = if share > 0.0 {
        1.0 - share.log10()
    } else {
        4.0
    };
    significant(r.value, sure.clamp(2.0, 4.0) as u32)
}

/// Microseconds with no more decimals than were printed.
fn microseconds(t: &Ranged) -> String {
    let quantum = (t.range[1] - t.range[0]) / 1e3;
    let places = if quantum > 0.0 {
        (-quantum.log10() - 1e-9).ceil().clamp(0.0, 4.0) as usize
    } else {
        4
    };
    format!("{:.places$}", t.value / 1e3)
}

/// A factor with its range where the printed digits leave more than half a percent.
fn factor(f: &Ranged) -> String {
    let coarse = (f.range[1] - f.range[0]) / f.value > 0.01;
    match coarse {
        true => format!("{:.2}x ({:.2} to {:.2})", f.value, f.range[0], f.range[1]),
        false => format!("{:.3}x", f.value),
    }
}

fn rate(rate: Option<&Rate>) -> String {
    match rate {
        None => String::new(),
        Some(Rate::Computed(r)) => supported_digits(r),
        Some(Rate::Printed { name, text }) => format!("{text} (printed, {name})"),
    }
}

/// The table as Markdown: latency in microseconds, speed-up, and rates, for each tag.
pub fn to_markdown(table: &ReadingsTable) -> String {
    let mut out = String::new();
    for (name, value) in &table.facts {
        let _ = writeln!(out, "- {}: {}", markdown_cell(name), markdown_cell(value));
    }
    for notice in &table.notices {
        let _ = writeln!(out, "- Note: {}", markdown_cell(notice));
    }
    if let Some(base) = &table.base {
        let _ = writeln!(
            out,
            "- Speed-ups are the latency of {} over that of the column.",
            markdown_cell(base)
        );
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let cells = || table.rows.iter().flat_map(|r| r.cells.iter().flatten());
    let has_tflops = cells().any(|c| c.tflops.is_some());
    let has_gbs = cells().any(|c| c.gbs.is_some());
    let grouped = table.rows.iter().any(|r| !r.group.is_empty());
    let mut head = String::from("|");
    let mut rule = String::from("|");
    let mut column = |title: &str, right: bool| {
        let _ = write!(head, " {} |", markdown_cell(title));
        rule.push_str(if right { "---:|" } else { "---|" });
    };
    if grouped {
        column("Group", false);
    }
    column("Workload", false);
    for tag in &table.tags {
        let name = if tag.is_empty() { "" } else { " " };
        column(&format!("{tag}{name}us"), true);
        if table.base.as_ref().is_some_and(|b| b != tag) {
            column("Speed-up", true);
        }
        if has_tflops {
            column("TFLOPS", true);
        }
        if has_gbs {
            column("GB/s", true);
        }
    }
    let _ = writeln!(out, "{head}\n{rule}");
    for row in &table.rows {
        let mut texts = Vec::new();
        if grouped {
            texts.push(row.group.clone());
        }
        texts.push(row.workload.clone());
        for (tag, cell) in table.tags.iter().zip(&row.cells) {
            let mut time = match cell {
                None => "not in the log".to_owned(),
                Some(c) => match (&c.latency_ns, &c.failure) {
                    (Some(t), _) => microseconds(t),
                    (None, why) => why.clone().unwrap_or_default(),
                },
            };
            for mark in cell.iter().flat_map(|c| &c.marks) {
                let _ = write!(time, " ({mark})");
            }
            texts.push(time);
            let cell = cell.as_ref();
            if table.base.as_ref().is_some_and(|b| b != tag) {
                texts.push(
                    cell.and_then(|c| c.speedup.as_ref())
                        .map_or_else(String::new, factor),
                );
            }
            if has_tflops {
                texts.push(rate(cell.and_then(|c| c.tflops.as_ref())));
            }
            if has_gbs {
                texts.push(rate(cell.and_then(|c| c.gbs.as_ref())));
            }
        }
        out.push('|');
        for text in texts {
            let _ = write!(out, " {} |", markdown_cell(&text));
        }
        out.push('\n');
    }
    out
}

/// Columns of the CSV form.
const HEADER: &str = "group,workload,tag,latency_ns,latency_low_ns,latency_high_ns,taken,base,speedup,\
speedup_low,speedup_high,tflops,tflops_from,gbs,gbs_from,marks,failure\n";

/// The table as CSV in long form: one line for each workload and tag. A rate that is only printed
/// keeps its figure and names the column of the log as where it is from.
pub fn to_csv(table: &ReadingsTable) -> String {
    let mut out = String::from(HEADER);
    let number = |n: Option<f64>| n.map(|n| n.to_string()).unwrap_or_default();
    let ranged = |r: Option<&Ranged>| {
        [
            number(r.map(|r| r.value)),
            number(r.map(|r| r.range[0])),
            number(r.map(|r| r.range[1])),
        ]
    };
    let rate = |r: Option<&Rate>| match r {
        None => [String::new(), String::new()],
        Some(Rate::Computed(r)) => [r.value.to_string(), "formula".to_owned()],
        Some(Rate::Printed { name, text }) => {
            [csv_field(text), csv_field(&format!("printed: {name}"))]
        }
    };
    for row in &table.rows {
        for (tag, cell) in table.tags.iter().zip(&row.cells) {
            let Some(cell) = cell else { continue };
            let mut fields = vec![
                csv_field(&row.group),
                csv_field(&row.workload),
                csv_field(tag),
            ];
            fields.extend(ranged(cell.latency_ns.as_ref()));
            fields.push(csv_field(&cell.taken));
            fields.push(csv_field(table.base.as_deref().unwrap_or_default()));
            fields.extend(ranged(cell.speedup.as_ref()));
            fields.extend(rate(cell.tflops.as_ref()));
            fields.extend(rate(cell.gbs.as_ref()));
            fields.push(csv_field(&cell.marks.join("; ")));
            fields.push(csv_field(cell.failure.as_deref().unwrap_or_default()));
            out.push_str(&fields.join(","));
            out.push('\n');
        }
    }
    out
}
