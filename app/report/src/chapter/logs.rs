//! Imported benchmark logs: what they print, side by side, and no verdict.

use super::or_none;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE, second, significant};
use crate::logs::{LogCell, LogDisagreement, LogRate, LogRow, LogSpeedup, LogTable, LogTime};
use crate::strings::{Strings, fill};

/// Rows of a log that are shown; the CSV has all.
const ROWS: usize = 200;
/// Subjects side by side in one table, beside the baselines.
const SUBJECTS: usize = 3;
/// Rows without a time that are shown.
const PROBLEMS: usize = 50;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    if m.logs.is_empty() {
        return;
    }
    out.heading(2, s.logs);
    out.paragraph(s.logs_what);
    if m.logs.iter().any(|l| !l.baselines.is_empty()) {
        out.paragraph(s.logs_speedup);
    }
    for log in &m.logs {
        one(log, s, out);
    }
}

fn one(log: &LogTable, s: &Strings, out: &mut Doc) {
    out.heading(3, Line::outside(&log.name));
    out.paragraph(fill(
        s.log_from,
        &[
            Line::outside(&log.kind),
            Line::outside(&log.record),
            Line::outside(second(&log.at)),
            Line::outside(&log.by),
        ],
    ));
    let named = |name: &'static str, value: &Option<String>| {
        let value = value.as_deref()?;
        Some(fill(s.log_fact, &[name.into(), Line::outside(value)]))
    };
    let mut about: Vec<Line> = [
        named(s.log_device, &log.device),
        named(s.log_target, &log.target),
        named(s.log_note, &log.note),
    ]
    .into_iter()
    .flatten()
    .collect();
    about.extend(log.facts.iter().map(|f| {
        let value = [Line::outside(&f.name), Line::outside(&f.value)];
        fill(s.log_fact, &value)
    }));
    about.extend(
        log.notices
            .iter()
            .map(|n| fill(s.log_notice, &[Line::outside(n)])),
    );
    out.list(about);
    if let Some(why) = &log.missing {
        out.paragraph(fill(s.log_missing, &[Line::outside(why)]));
        return;
    }
    tables(log, s, out);
    summaries(log, s, out);
    problems(log, s, out);
}

fn tables(log: &LogTable, s: &Strings, out: &mut Doc) {
    let others = log.others();
    if log.rows.len() > ROWS {
        let values = [Line::count(ROWS), Line::count(log.rows.len())];
        out.paragraph(fill(s.log_cut, &values));
    }
    for some in others.chunks(SUBJECTS) {
        table(log, some, s, out);
    }
    let cells = || log.rows.iter().flat_map(|r| r.cells.iter().flatten());
    let rates = || cells().flat_map(|c| [&c.tflops, &c.gbs]).flatten();
    if rates().any(|r| r.from == "formula") {
        out.paragraph(s.log_rates);
    }
    if rates().any(|r| r.disagreement.is_some()) || cells().any(|c| c.printed_speedup.is_some()) {
        out.paragraph(s.log_disagrees);
    }
}

fn table(log: &LogTable, subjects: &[(usize, &str)], s: &Strings, out: &mut Doc) {
    let (unit, unit_ns) = log.unit();
    let grouped = log.rows.iter().any(|r| !r.group.is_empty());
    let baselines: Vec<(usize, &str)> = (log.baselines.iter())
        .filter_map(|b| Some((log.subjects.iter().position(|x| x == b)?, b.as_str())))
        .collect();
    let rated = |pick: fn(&LogCell) -> &Option<LogRate>| {
        let has = |r: &LogRow| {
            let mut cells = subjects
                .iter()
                .filter_map(|(i, _)| r.cells.get(*i)?.as_ref());
            cells.any(|c| pick(c).is_some())
        };
        log.rows.iter().any(has)
    };
    let (tflops, gbs) = (rated(|c| &c.tflops), rated(|c| &c.gbs));
    let mut head: Vec<Line> = Vec::new();
    let mut right = Vec::new();
    let mut column = |title: Line, is_right: bool| {
        if is_right {
            right.push(head.len());
        }
        head.push(title);
    };
    if grouped {
        column(s.log_group.into(), false);
    }
    column(s.workload.into(), false);
    for (_, name) in subjects.iter().chain(&baselines) {
        column(fill(s.log_time, &[name_of(name, s), unit.into()]), true);
    }
    for (_, name) in subjects {
        for (_, baseline) in &baselines {
            let names = [name_of(name, s), name_of(baseline, s)];
            column(fill(s.log_against, &names), true);
        }
        for (is_there, rate) in [(tflops, "TFLOPS"), (gbs, "GB/s")] {
            if is_there {
                column(fill(s.log_rate, &[name_of(name, s), rate.into()]), true);
            }
        }
    }
    let rows = log.rows.iter().take(ROWS).map(|row| {
        let mut cells = Vec::new();
        if grouped {
            cells.push(or_none(Some(&row.group)));
        }
        cells.push(workload(row));
        let cell = |i: usize| row.cells.get(i).and_then(Option::as_ref);
        for (i, _) in subjects.iter().chain(&baselines) {
            cells.push(time(cell(*i), unit_ns, s));
        }
        for (i, _) in subjects {
            let cell = cell(*i);
            for (_, baseline) in &baselines {
                let all = cell.map_or(&[][..], |c| &c.speedups);
                let found = all.iter().find(|x| x.baseline == *baseline);
                cells.push(speedup(found, cell, s));
            }
            for (is_there, pick) in [
                (tflops, cell.and_then(|c| c.tflops.as_ref())),
                (gbs, cell.and_then(|c| c.gbs.as_ref())),
            ] {
                if is_there {
                    cells.push(rate(pick, s));
                }
            }
        }
        cells
    });
    let rows = rows.collect();
    out.table(head, &right, rows);
}

/// A subject; a log that has one kind of rows only need not name it.
fn name_of(name: &str, s: &Strings) -> Line {
    match name {
        "" => s.log_time_alone.into(),
        name => Line::outside(name),
    }
}

fn workload(row: &LogRow) -> Line {
    match &row.campaign_workload {
        Some(name) if *name != row.workload => Line::outside(name)
            .and(" (")
            .and(Line::outside(&row.workload))
            .and(")"),
        _ => or_none(Some(&row.workload)),
    }
}

fn time(cell: Option<&LogCell>, unit_ns: f64, s: &Strings) -> Line {
    let Some(cell) = cell else {
        return s.log_absent.into();
    };
    let shown = match (&cell.time, &cell.failure) {
        (Some(t), _) => Line::own(printed(t, unit_ns)),
        (None, why) => or_none(why.as_deref()),
    };
    cell.marks.iter().fold(shown, |line, mark| {
        line.and(" (").and(Line::outside(mark)).and(")")
    })
}

/// A time with the digits that were printed, and with five where that are more.
fn printed(t: &LogTime, unit_ns: f64) -> String {
    let value = t.ns / unit_ns;
    let quantum = (t.high_ns - t.low_ns) / unit_ns;
    if quantum <= value.abs() * 1e-6 {
        return significant(value, 5);
    }
    let places = (-quantum.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
    format!("{value:.places$}")
}

/// A factor, with its range where the printed digits leave more than half a percent.
fn factor(value: f64, low: f64, high: f64) -> String {
    if (high - low) / value > 0.01 {
        let places = if value >= 10.0 { 1 } else { 2 };
        format!("{value:.places$} ({low:.places$} .. {high:.places$})")
    } else {
        significant(value, 4)
    }
}

fn speedup(found: Option<&LogSpeedup>, cell: Option<&LogCell>, s: &Strings) -> Line {
    let Some(x) = found else {
        return NONE.into();
    };
    let mut out = Line::own(factor(x.value, x.low, x.high));
    if !x.is_told {
        out = out.and(": ").and(s.log_untold);
    }
    match cell.and_then(|c| c.printed_speedup.as_ref()) {
        Some(d) => out.and("; ").and(disagreement(d, s)),
        None => out,
    }
}

fn rate(rate: Option<&LogRate>, s: &Strings) -> Line {
    let Some(rate) = rate else {
        return NONE.into();
    };
    let shown = match rate.from.as_str() {
        "formula" => Line::own(rate.text.clone()),
        _ => {
            // A figure in the unit of this column needs no name of the log's column.
            let same = rate.text.trim().parse().is_ok_and(|v: f64| v == rate.value);
            match rate.column.as_deref().filter(|_| !same) {
                None => fill(s.log_printed, &[as_printed(&rate.text)]),
                Some(column) => {
                    let converted = significant(rate.value, digits(&rate.text));
                    let printed = as_printed(&rate.text);
                    let values = [Line::own(converted), printed, Line::outside(column)];
                    fill(s.log_printed_as, &values)
                }
            }
        }
    };
    match &rate.disagreement {
        Some(d) => shown.and("; ").and(disagreement(d, s)),
        None => shown,
    }
}

/// Significant digits of a printed number; those of a double at most.
fn digits(text: &str) -> i32 {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let all = mantissa.chars().filter(char::is_ascii_digit);
    let some = all.skip_while(|c| *c == '0').take(15).count();
    i32::try_from(some).unwrap_or(15).max(1)
}

/// A text of the log; a plain number is shown without any marks.
fn as_printed(text: &str) -> Line {
    let is_number = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
    let begins = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    match begins && text.bytes().all(is_number) {
        true => Line::own(text.to_owned()),
        false => Line::outside(text),
    }
}

fn disagreement(d: &LogDisagreement, s: &Strings) -> Line {
    let values = [
        as_printed(&d.printed)
            .and(" ")
            .and(Line::outside(&d.column)),
        Line::own(significant(d.factor, 4)),
    ];
    fill(s.log_differs, &values).strong()
}

fn summaries(log: &LogTable, s: &Strings, out: &mut Doc) {
    if log.summaries.is_empty() {
        return;
    }
    let grouped = log.summaries.iter().any(|x| !x.group.is_empty());
    let rows = log.summaries.iter().take(ROWS).map(|x| {
        let mean = match (x.geomean, x.low, x.high) {
            (Some(v), Some(low), Some(high)) => Line::own(format!(
                "{} ({})",
                significant(v, 4),
                figure::interval(Some([low, high]))
            )),
            _ => NONE.into(),
        };
        let group = grouped.then(|| or_none(Some(&x.group)));
        let names = [name_of(&x.subject, s), name_of(&x.baseline, s), mean];
        let counts = [x.wins, x.losses, x.untold, x.matched, x.unmatched];
        group
            .into_iter()
            .chain(names)
            .chain(counts.map(Line::count))
            .collect()
    });
    let rows: Vec<Vec<Line>> = rows.collect();
    let head = [
        s.log_subject,
        s.baseline,
        s.log_geomean,
        s.log_wins,
        s.log_losses,
        s.log_untold,
        s.log_matched,
        s.log_unmatched,
    ];
    let group = grouped.then_some(s.log_group);
    let from = usize::from(grouped) + 2;
    let right: Vec<usize> = (from..from + 6).collect();
    out.table(group.into_iter().chain(head), &right, rows);
    out.paragraph(s.log_mean);
}

fn problems(log: &LogTable, s: &Strings, out: &mut Doc) {
    if log.problems.is_empty() {
        return;
    }
    out.paragraph(fill(s.log_failed, &[Line::count(log.failed)]));
    let shown = log.problems.iter().take(PROBLEMS);
    let rows: Vec<Vec<Line>> = shown
        .map(|p| {
            vec![
                match p.line {
                    0 => NONE.into(),
                    line => Line::count(line),
                },
                Line::outside(&p.row),
                Line::outside(&p.kind),
                Line::outside(&p.message),
            ]
        })
        .collect();
    let (listed, all) = (rows.len() as u64, log.failed);
    out.table([s.log_line, s.log_row, s.kind, s.message], &[0], rows);
    if listed < all {
        let values = [Line::count(listed), Line::count(all)];
        out.paragraph(fill(s.log_failed_cut, &values));
    }
}
