//! Comparisons as Markdown and CSV.
//!
//! Names and figures come from reports that anyone may have written: each cell is made inert for
//! the place that it goes to.

use std::fmt::Write as _;

use assay_core::text::{csv_field, markdown_cell};
use assay_core::view::{CellView, ChangeView, ColumnView, CounterCompareView, CounterRow};

/// Columns of the CSV form.
const HEADER: &str = "section,name,canonical,unit,direction,column,label,tool,kernel,occurrence,base,\
status,value,printed,resolution,suspect,absolute,percent,percent_low,percent_high,changed,better,\
weighted\n";

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
            }
        }
        out.push('\n');
    }
    if view.unchanged > 0 {
        let _ = writeln!(
            out,
            "\n{} counters did not change and are left out.",
            view.unchanged
        );
    }
    out
}

/// The comparison as CSV in long form: one line a counter and column.
pub fn to_csv(view: &CounterCompareView) -> String {
    let mut out = String::from(HEADER);
    for row in &view.rows {
        for (i, (cell, column)) in row.cells.iter().zip(&view.columns).enumerate() {
            let change = row.changes.get(i).and_then(Option::as_ref);
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
        Some(p) => percent(p),
        None if change.absolute == 0.0 => "0".to_owned(),
        None => format!("{:+}, from zero", change.absolute),
    };
    if row.unit == "%" && change.percent.is_some() {
        let _ = write!(text, ", {} points", points(change.absolute, row));
    }
    if !change.changed {
        text.push_str(", no change");
    }
    match change.better {
        Some(true) => text.push_str(", better"),
        Some(false) => text.push_str(", worse"),
        None => {}
    }
    text
}

fn percent(p: f64) -> String {
    if p.abs() < 1e6 {
        format!("{p:+.2} %")
    } else {
        format!("{p:+.2e} %")
    }
}

/// Points with as many decimals as the coarser one of the figures has.
fn points(absolute: f64, row: &CounterRow) -> String {
    let coarsest = row
        .cells
        .iter()
        .filter_map(|c| c.resolution)
        .fold(0.0, f64::max);
    let decimals = if coarsest > 0.0 && coarsest < 1.0 {
        (-coarsest.log10()).round().clamp(0.0, 9.0) as usize
    } else {
        2
    };
    format!("{absolute:+.decimals$}")
}
