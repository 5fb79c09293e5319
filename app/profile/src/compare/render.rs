//! Comparisons as Markdown and CSV.
//!
//! Names and figures come from reports that anyone may have written: each cell is made inert for
//! the place that it goes to.

use std::fmt::Write as _;

use assay_core::text::{count, csv_field, markdown_cell};
use assay_core::view::{
    CellView, ChangeView, ColumnView, CounterCompareView, CounterRow, PublishedView,
};

use super::warn::list;

/// Columns of the CSV form.
const HEADER: &str = "section,name,canonical,unit,direction,column,label,tool,kernel,occurrence,base,\
status,value,printed,resolution,suspect,absolute,percent,percent_low,percent_high,changed,better,\
weighted,resolved,threshold,outcome,published,published_consistent\n";

/// The comparison as a Markdown table: figures as printed, and changes against the base.
pub fn to_markdown(view: &CounterCompareView) -> String {
    let mut out = String::new();
    let base = view.columns.get(view.base);
    if let Some(base) = base {
        let _ = writeln!(out, "Changes are against {}.\n", markdown_cell(&base.label));
    }
    for warning in &view.warnings {
        let _ = writeln!(out, "- {}", markdown_cell(warning));
    }
    if !view.warnings.is_empty() {
        out.push('\n');
    }
    let mut head = String::from("| Section | Counter | Unit |");
    let mut rule = String::from("|---|---|---|");
    for (i, column) in view.columns.iter().enumerate() {
        let _ = write!(head, " {} |", markdown_cell(&title(column)));
        rule.push_str("---:|");
        if i != view.base {
            head.push_str(" Change |");
            rule.push_str("---:|");
            if prints(view, i) {
                head.push_str(" Published |");
                rule.push_str("---:|");
            }
        }
    }
    let _ = writeln!(out, "{head}\n{rule}");
    for row in &view.rows {
        let _ = write!(
            out,
            "| {} | {} | {} |",
            markdown_cell(&row.section),
            markdown_cell(&row.name),
            markdown_cell(&row.unit)
        );
        for (i, cell) in row.cells.iter().enumerate() {
            let _ = write!(out, " {} |", markdown_cell(&shown(cell)));
            if i != view.base {
                let change = row.changes.get(i).and_then(Option::as_ref);
                let text = change.map(|c| said(c, row)).unwrap_or_default();
                let _ = write!(out, " {} |", markdown_cell(&text));
                if prints(view, i) {
                    let published = row.published.get(i).and_then(Option::as_ref);
                    let text = published.map(claimed).unwrap_or_default();
                    let _ = write!(out, " {} |", markdown_cell(&text));
                }
            }
        }
        out.push('\n');
    }
    let left = tally(view);
    if !left.is_empty() {
        out.push('\n');
    }
    for line in left {
        let _ = writeln!(out, "{}.\n", markdown_cell(&line));
    }
    if !view.findings.is_empty() {
        out.push_str("\n## Findings\n\n");
    }
    for f in &view.findings {
        let cell = markdown_cell;
        let (rule, about, message) = (cell(&f.rule), cell(&f.subject), cell(&f.message));
        let _ = writeln!(
            out,
            "- **{} {rule}** ({}, {about}): {message}",
            cell(&f.severity),
            cell(&f.kind)
        );
        let said = [
            ("because", &f.evidence),
            ("try", &f.advice),
            ("rule from", &f.source),
        ];
        for (label, text) in said.into_iter().filter(|(_, t)| !t.is_empty()) {
            let _ = writeln!(out, "  - {label}: {}", cell(text));
        }
    }
    out
}

/// What is not in the table, and what is in it without a change: one line each.
pub fn tally(view: &CounterCompareView) -> Vec<String> {
    let mut out = Vec::new();
    let (unchanged, below) = (view.unchanged, view.below_threshold);
    if unchanged > 0 {
        out.push(format!(
            "{} did not change and {} left out",
            count(unchanged, "counter"),
            are(unchanged)
        ));
    }
    if below > 0 {
        out.push(format!(
            "{} changed, but by no more than the threshold ({} %, or what is set for one by name), and {} left out",
            count(below, "counter"),
            view.threshold,
            are(below)
        ));
    }
    if view.no_figure > 0 {
        out.push(format!(
            "{} with no figure on any side {} left out",
            count(view.no_figure, "counter"),
            are(view.no_figure)
        ));
    }
    if view.not_compared > 0 {
        let open = view.rows.iter().filter(|r| r.outcome == "not_compared");
        let names: Vec<&str> = open.map(|r| r.name.as_str()).collect();
        out.push(format!(
            "{} could not be compared in all columns (a figure is missing or unread, or unit, version or mode differ) and {} in the table: {}",
            count(view.not_compared, "counter"),
            are(view.not_compared),
            list(&names)
        ));
    }
    out
}

fn are(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

/// The comparison as CSV in long form: one line a counter and column.
pub fn to_csv(view: &CounterCompareView) -> String {
    let mut out = String::from(HEADER);
    for row in &view.rows {
        for (i, (cell, column)) in row.cells.iter().zip(&view.columns).enumerate() {
            let change = row.changes.get(i).and_then(Option::as_ref);
            let published = row.published.get(i).and_then(Option::as_ref);
            let number = |n: Option<f64>| n.map(|n| n.to_string()).unwrap_or_default();
            let interval = change.and_then(|c| c.interval);
            let flag = |b: Option<bool>| b.map(|b| b.to_string()).unwrap_or_default();
            let fields = [
                csv_field(&row.section),
                csv_field(&row.name),
                csv_field(row.canonical.as_deref().unwrap_or_default()),
                csv_field(&row.unit),
                csv_field(row.direction.as_deref().unwrap_or_default()),
                i.to_string(),
                csv_field(&column.label),
                csv_field(&column.tool),
                csv_field(&column.kernel),
                column.occurrence.map(|n| n.to_string()).unwrap_or_default(),
                (i == view.base).to_string(),
                csv_field(&cell.status),
                cell.value
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                csv_field(&cell.raw),
                number(cell.resolution),
                csv_field(&cell.suspect.join("; ")),
                number(change.map(|c| c.absolute)),
                number(change.and_then(|c| c.percent)),
                number(interval.map(|i| i[0])),
                number(interval.map(|i| i[1])),
                flag(change.map(|c| c.changed)),
                flag(change.and_then(|c| c.better)),
                number(Some(row.weighted)),
                flag(change.map(|c| c.resolved)),
                number(Some(row.threshold)),
                row.outcome.clone(),
                csv_field(published.map_or("", |p| p.printed.as_str())),
                flag(published.and_then(|p| p.consistent)),
            ];
            out.push_str(&fields.join(","));
            out.push('\n');
        }
    }
    out
}

fn title(column: &ColumnView) -> String {
    match column.occurrence {
        Some(n) if n > 0 => format!("{} #{n}", column.label),
        _ => column.label.clone(),
    }
}

fn shown(cell: &CellView) -> String {
    let text = match cell.status.as_str() {
        "none" => "not in the report",
        "absent" if cell.raw.is_empty() => "absent",
        "not_supported" if cell.raw.is_empty() => "not supported",
        _ => &cell.raw,
    };
    if cell.suspect.is_empty() {
        text.to_owned()
    } else {
        format!("{text} (suspect: {})", cell.suspect.join("; "))
    }
}

fn said(change: &ChangeView, row: &CounterRow) -> String {
    let mut text = match change.percent {
        None if change.absolute != 0.0 => format!("{:+}, from zero", change.absolute),
        _ => change.text.clone(),
    };
    if change.resolved && !change.changed {
        let _ = write!(text, ", below the threshold of {} %", row.threshold);
    } else if !change.changed {
        text.push_str(", no change");
    }
    match change.better {
        Some(true) => text.push_str(", better"),
        Some(false) => text.push_str(", worse"),
        None => {}
    }
    text
}

/// Whether a table prints changes of a column.
pub fn prints(view: &CounterCompareView, column: usize) -> bool {
    let mut rows = view.rows.iter();
    rows.any(|r| r.published.get(column).is_some_and(Option::is_some))
}

/// A published change, and whether the figures beside it allow it.
pub fn claimed(published: &PublishedView) -> String {
    let mark = match published.consistent {
        Some(true) => " (consistent)",
        Some(false) => " (CONTRADICTED)",
        None => " (not judged)",
    };
    format!("{}{mark}", published.printed)
}
