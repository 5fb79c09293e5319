//! Comparisons as Markdown and CSV.
//!
//! Names and figures come from reports that anyone may have written: each cell is made inert for
//! the place that it goes to. A pipe must not add a column, markup must not be rendered, and a
//! spreadsheet must not run a name as a formula.

use std::fmt::Write as _;

use assay_core::text::inert;
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
        let _ = writeln!(out, "Changes are against {}.\n", markdown(&base.label));
    }
    for warning in &view.warnings {
        let _ = writeln!(out, "- {}", markdown(warning));
    }
    if !view.warnings.is_empty() {
        out.push('\n');
    }
    let mut head = String::from("| Section | Counter | Unit |");
    let mut rule = String::from("|---|---|---|");
    for (i, column) in view.columns.iter().enumerate() {
        let _ = write!(head, " {} |", markdown(&title(column)));
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
            markdown(&row.section),
            markdown(&row.name),
            markdown(&row.unit)
        );
        for (i, cell) in row.cells.iter().enumerate() {
            let _ = write!(out, " {} |", markdown(&shown(cell)));
            if i != view.base {
                let change = row.changes.get(i).and_then(Option::as_ref);
                let text = change.map(|c| said(c, row)).unwrap_or_default();
                let _ = write!(out, " {} |", markdown(&text));
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
                csv(&row.section),
                csv(&row.name),
                csv(row.canonical.as_deref().unwrap_or_default()),
                csv(&row.unit),
                csv(row.direction.as_deref().unwrap_or_default()),
                i.to_string(),
                csv(&column.label),
                csv(&column.tool),
                csv(&column.kernel),
                column.occurrence.map(|n| n.to_string()).unwrap_or_default(),
                (i == view.base).to_string(),
                csv(&cell.status),
                cell.value
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                csv(&cell.raw),
                number(cell.resolution),
                csv(&cell.suspect.join("; ")),
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

/// Text as it is to be read in a Markdown table, whatever it holds.
fn markdown(text: &str) -> String {
    let text = inert(text);
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Underscores inside words mean nothing, and names of counters are full of them.
            '_' if is_inside(before, &text[at..]) => out.push('_'),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' | '!' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        before = c;
    }
    out
}

fn is_inside(before: char, from: &str) -> bool {
    let after = from.trim_start_matches('_').chars().next();
    (before.is_alphanumeric() || before == '_') && after.is_some_and(char::is_alphanumeric)
}

/// A field of a CSV file that a spreadsheet takes as text or as a plain number.
fn csv(text: &str) -> String {
    let text = inert(text);
    let is_formula = text
        .trim_start()
        .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let text = if is_formula && !is_number(text.trim_end_matches('%')) {
        format!("'{text}")
    } else {
        text.into_owned()
    };
    if text.contains([',', '"', ';', '\'']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

fn is_number(text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(is_plain) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_cell() {
        assert_eq!(
            markdown("a|b\n<b>_x_ sm__inst `c` \\"),
            "a\\|b\\\\n&lt;b&gt;\\_x\\_ sm__inst \\`c\\` \\\\"
        );
        assert_eq!(markdown("\u{1b}[2J\u{202e}"), "\\\\x1b\\[2J\\\\u{202e}");
    }

    #[test]
    fn no_text_is_a_formula() {
        for bad in [
            "=1+1",
            "+cmd|'/c calc'!A0",
            "-2+3",
            "@SUM(A1)",
            " =1",
            "\t=1",
            "＝1",
            "\r=1",
            "--1",
        ] {
            let field = csv(bad);
            let inner = field.trim_matches('"');
            assert!(
                inner.starts_with('\'') || inner.starts_with('\\'),
                "{bad:?} {field}"
            );
        }
        for fine in ["-54.35%", "-1e-3", "+5", "24.603B", ""] {
            assert_eq!(csv(fine), fine);
        }
        assert_eq!(csv("a,\"b\"\nc"), "\"a,\"\"b\"\"\\nc\"");
    }
}
