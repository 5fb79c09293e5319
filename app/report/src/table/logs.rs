//! Figures of imported benchmark logs, one row each.

use super::{About, Rows};
use crate::ReportModel;
use crate::logs::{LogCell, LogDisagreement, LogRow, LogTable};

pub(super) fn write(out: &mut Rows, m: &ReportModel) {
    for log in &m.logs {
        for row in &log.rows {
            for (subject, cell) in log.subjects.iter().zip(&row.cells) {
                if let Some(cell) = cell {
                    one(out, log, row, subject, cell);
                }
            }
        }
        summaries(out, log);
    }
}

/// `group: workload`, or what there is of it.
fn workload(row: &LogRow) -> String {
    let parts = [row.group.as_str(), row.workload.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    parts.join(": ")
}

fn one(out: &mut Rows, log: &LogTable, row: &LogRow, subject: &str, cell: &LogCell) {
    let name = workload(row);
    let place = match cell.line {
        0 => log.name.clone(),
        line => format!("{}:{line}", log.name),
    };
    let marks = match cell.marks.as_slice() {
        [] => String::new(),
        marks => format!(" ({})", marks.join("; ")),
    };
    let mut add = |metric: &str, value: Option<f64>, unit: &str, source: &str| {
        let source = format!("{place}: {source}{marks}");
        let about = About {
            record: &log.record,
            variant: subject,
            workload: &name,
            source: &source,
        };
        out.add(about, metric, value, unit);
    };
    if let Some(t) = &cell.time {
        let taken = match t.taken.as_str() {
            "samples" => "as raw samples",
            statistic => statistic,
        };
        let source = format!("printed {}, {taken}", t.printed);
        add("log.time", Some(t.ns), "ns", &source);
        add(
            "log.time_low",
            Some(t.low_ns),
            "ns",
            "resolution of the print",
        );
        add(
            "log.time_high",
            Some(t.high_ns),
            "ns",
            "resolution of the print",
        );
    }
    for x in &cell.speedups {
        let told = if x.is_told { "" } else { "; one display digit" };
        let source = format!("time of {} / time of this{told}", x.baseline);
        add("log.speedup", Some(x.value), "1", &source);
        add("log.speedup_low", Some(x.low), "1", &source);
        add("log.speedup_high", Some(x.high), "1", &source);
    }
    for (metric, unit, rate) in [
        ("log.tflops", "Tflop/s", &cell.tflops),
        ("log.bandwidth", "GB/s", &cell.gbs),
    ] {
        let Some(rate) = rate else { continue };
        let source = match &rate.column {
            Some(column) if rate.from != "formula" => {
                format!("printed as {} in {column}", rate.text)
            }
            _ => "formula / time".to_owned(),
        };
        add(metric, Some(rate.value), unit, &source);
        if let Some(d) = &rate.disagreement {
            add(
                &format!("{metric}.printed_over_computed"),
                Some(d.factor),
                "1",
                &differs(d),
            );
        }
    }
    if let Some(d) = &cell.printed_speedup {
        add(
            "log.speedup.printed_over_computed",
            Some(d.factor),
            "1",
            &differs(d),
        );
    }
}

fn differs(d: &LogDisagreement) -> String {
    format!("{} is printed as {}", d.column, d.printed)
}

fn summaries(out: &mut Rows, log: &LogTable) {
    for x in &log.summaries {
        let source = format!("{}: against {} over the matched rows", log.name, x.baseline);
        let about = About {
            record: &log.record,
            variant: &x.subject,
            workload: &x.group,
            source: &source,
        };
        out.add(about, "log.geomean_speedup", x.geomean, "1");
        out.add(about, "log.geomean_speedup_low", x.low, "1");
        out.add(about, "log.geomean_speedup_high", x.high, "1");
        for (metric, n) in [
            ("log.matched", x.matched),
            ("log.faster", x.wins),
            ("log.slower", x.losses),
            ("log.one_display_digit", x.untold),
            ("log.unmatched", x.unmatched),
        ] {
            out.add(about, metric, Some(n as f64), "1");
        }
    }
}
