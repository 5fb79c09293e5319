//! Filed logs as the report shows them.

use assay_core::Record;
use assay_core::campaign::{Campaign, ParseKind};
use assay_core::fold::State;
use assay_core::record::{self, Body};
use assay_core::text::truncate;
use assay_exec::readings::claims::{self, Compared, Quantity};
use assay_exec::readings::table::{
    Cell, Ranged, ReadingsTable, TableRow, latency, supported_digits, table,
};
use assay_exec::readings::{Extra, Reading, Readings};
use assay_report::{
    LogCell, LogDisagreement, LogFact, LogProblem, LogRate, LogRow, LogSpeedup, LogSummary,
    LogTable, LogTime,
};

use super::rows::readings;
use super::work::{Found, Known};
use crate::workbench::Workbench;

/// Columns of a text in a table.
const TEXT: usize = 200;

impl Workbench {
    /// The filed benchmark logs as tables, oldest first. A log whose rows are not stored here says
    /// so and has none.
    pub fn log_tables(&self, state: &State) -> Vec<LogTable> {
        let logs = state.active().filter_map(|r| match &r.body {
            Body::Readings(log) => Some((r, log)),
            _ => None,
        });
        logs.map(|(r, log)| {
            let mut out = head(r, log);
            match self.log_rows(log) {
                Ok(rows) => fill(&mut out, log, readings(&rows), self.config.as_ref()),
                Err(e) => out.missing = Some(e.message),
            }
            out
        })
        .collect()
    }
}

fn short(text: &str) -> String {
    truncate(text, TEXT).into_owned()
}

fn head(r: &Record, log: &record::Readings) -> LogTable {
    LogTable {
        record: r.id.to_string(),
        at: r.created_at.to_string(),
        by: r.by.clone(),
        name: log.name.clone(),
        kind: log.kind.clone(),
        device: log.device.clone(),
        target: log.target.clone(),
        note: log.note.clone(),
        facts: (log.facts.iter())
            .map(|f| LogFact {
                name: f.name.clone(),
                value: f.value.clone(),
            })
            .collect(),
        subjects: log.subjects.clone(),
        baselines: log.baselines.clone(),
        problems: (log.problems.iter())
            .map(|p| LogProblem {
                line: p.line,
                row: p.row.clone(),
                kind: p.kind.clone(),
                message: p.message.clone(),
            })
            .collect(),
        failed: log.failed,
        notices: log.notices.clone(),
        ..LogTable::default()
    }
}

fn fill(out: &mut LogTable, log: &record::Readings, rows: Vec<Reading>, config: Option<&Campaign>) {
    let readings = Readings {
        kind: ParseKind::from_name(&log.kind).unwrap_or(ParseKind::Regex),
        facts: Vec::new(),
        rows,
        notices: Vec::new(),
    };
    let known = Known::new(config, &log.rule);
    let found: Vec<Found> = readings.rows.iter().map(|r| known.find(r)).collect();
    let side = table(&readings, None, &|_| None);
    // What the table left out is said by it.
    out.notices.extend(side.notices.iter().cloned());
    out.subjects = side.tags.iter().map(|t| short(t)).collect();
    let context = Context {
        readings: &readings,
        found: &found,
        side: &side,
        baselines: (log.baselines.iter())
            .filter_map(|b| side.tags.iter().position(|t| t == b))
            .collect(),
    };
    out.baselines = (context.baselines.iter())
        .filter_map(|i| out.subjects.get(*i).cloned())
        .collect();
    out.rows = side.rows.iter().map(|r| context.row(r)).collect();
    out.summaries = summaries(out);
}

/// What cells are made from.
struct Context<'a> {
    readings: &'a Readings,
    found: &'a [Found],
    side: &'a ReadingsTable,
    /// Places of the baselines among the tags.
    baselines: Vec<usize>,
}

impl Context<'_> {
    fn row(&self, row: &TableRow) -> LogRow {
        let cells = row.cells.iter().enumerate();
        let first = row.cells.iter().flatten().next();
        let found = first.and_then(|c| self.found.get(c.row));
        LogRow {
            group: short(&row.group),
            workload: short(&row.workload),
            campaign_workload: found.and_then(|f| f.workload.clone()),
            cells: cells
                .map(|(at, c)| c.as_ref().and_then(|c| self.cell(row, at, c)))
                .collect(),
        }
    }

    fn cell(&self, row: &TableRow, at: usize, cell: &Cell) -> Option<LogCell> {
        let reading = self.readings.rows.get(cell.row)?;
        let work = self.found.get(cell.row).and_then(|f| f.work);
        let rate = |quantity| {
            let held = claims::rate_held(reading, quantity, work);
            let disagreement = held.filter(|(_, c)| !c.agrees);
            match claims::computed(reading, quantity, work) {
                Some(made) => Some(LogRate {
                    value: made.value,
                    from: "formula".into(),
                    text: supported_digits(&made),
                    column: None,
                    disagreement: disagreement.map(|(claim, c)| differs(claim.extra, &c)),
                }),
                None => claims::claim(reading, quantity).map(|c| LogRate {
                    value: c.figure.value * c.scale,
                    from: "printed".into(),
                    text: short(&c.extra.printed),
                    column: Some(short(&c.extra.name)),
                    disagreement: None,
                }),
            }
        };
        let others: Vec<&Reading> = (row.cells.iter().enumerate())
            .filter(|(i, _)| *i != at)
            .filter_map(|(_, c)| self.readings.rows.get(c.as_ref()?.row))
            .collect();
        let printed_speedup = claims::speedup_held(reading, &others)
            .filter(|(_, c)| !c.agrees)
            .map(|(claim, c)| differs(claim.extra, &c));
        Some(LogCell {
            line: reading.line as u64,
            time: latency(reading).map(|t| time(reading, cell, &t)),
            speedups: self.speedups(row, at, cell),
            tflops: rate(Quantity::Tflops),
            gbs: rate(Quantity::Bandwidth),
            printed_speedup,
            marks: cell.marks.iter().map(|m| short(m)).collect(),
            failure: cell.failure.as_ref().map(|f| short(f)),
        })
    }

    /// Against each baseline whose time was taken in the same way.
    fn speedups(&self, row: &TableRow, at: usize, cell: &Cell) -> Vec<LogSpeedup> {
        let Some(mine) = cell.latency_ns else {
            return Vec::new();
        };
        let others = self.baselines.iter().filter(|i| **i != at);
        others
            .filter_map(|i| {
                let other = row.cells.get(*i)?.as_ref()?;
                let base = other.latency_ns.filter(|_| other.marks == cell.marks)?;
                let speedup = mine.under(&base);
                Some(LogSpeedup {
                    baseline: short(self.side.tags.get(*i)?),
                    value: speedup.value,
                    low: speedup.range[0],
                    high: speedup.range[1],
                    is_told: !mine.is_one_digit_from(&base),
                })
            })
            .collect()
    }
}

fn time(reading: &Reading, cell: &Cell, t: &Ranged) -> LogTime {
    let printed = match reading.times.as_slice() {
        [one] => format!("{} {}", one.text(), reading.unit.name()),
        many => format!("{} times in {}", many.len(), reading.unit.name()),
    };
    LogTime {
        ns: t.value,
        low_ns: t.range[0],
        high_ns: t.range[1],
        printed,
        taken: cell.taken.clone(),
    }
}

fn differs(extra: &Extra, compared: &Compared) -> LogDisagreement {
    LogDisagreement {
        column: short(&extra.name),
        printed: short(&extra.printed),
        computed: compared.computed.value,
        low: compared.computed.range[0],
        high: compared.computed.range[1],
        factor: compared.factor,
    }
}

/// Each subject against each baseline, for each group of rows.
fn summaries(log: &LogTable) -> Vec<LogSummary> {
    let mut groups: Vec<&str> = Vec::new();
    for row in &log.rows {
        if !groups.contains(&row.group.as_str()) && groups.len() < 64 {
            groups.push(&row.group);
        }
    }
    let mut out = Vec::new();
    for group in groups {
        let rows: Vec<&LogRow> = log.rows.iter().filter(|r| r.group == group).collect();
        for (at, subject) in log.subjects.iter().enumerate() {
            if log.baselines.contains(subject) {
                continue;
            }
            for baseline in &log.baselines {
                let base = log.subjects.iter().position(|s| s == baseline);
                out.extend(
                    base.and_then(|base| summary(&rows, group, (at, subject), (base, baseline))),
                );
            }
        }
    }
    out
}

/// One subject against one baseline; nothing where neither has a time.
fn summary(
    rows: &[&LogRow],
    group: &str,
    (at, subject): (usize, &str),
    (base, baseline): (usize, &str),
) -> Option<LogSummary> {
    let has_time = |row: &LogRow, i: usize| {
        let cell = row.cells.get(i).and_then(Option::as_ref);
        cell.is_some_and(|c| c.time.is_some())
    };
    let (mut some, mut all) = (0u64, Vec::new());
    for row in rows {
        some += u64::from(has_time(row, at) || has_time(row, base));
        let cell = row.cells.get(at).and_then(Option::as_ref);
        all.extend(cell.and_then(|c| c.speedups.iter().find(|s| s.baseline == baseline)));
    }
    let count = |is: &dyn Fn(&&LogSpeedup) -> bool| all.iter().filter(|s| is(s)).count() as u64;
    let mean = |of: &dyn Fn(&LogSpeedup) -> f64| {
        let sum: f64 = all.iter().map(|s| of(s).ln()).sum();
        (!all.is_empty()).then(|| (sum / all.len() as f64).exp())
    };
    (some > 0).then(|| LogSummary {
        group: group.to_owned(),
        subject: subject.to_owned(),
        baseline: baseline.to_owned(),
        geomean: mean(&|s| s.value),
        low: mean(&|s| s.low),
        high: mean(&|s| s.high),
        matched: all.len() as u64,
        wins: count(&|s| s.is_told && s.value > 1.0),
        losses: count(&|s| s.is_told && s.value < 1.0),
        untold: count(&|s| !s.is_told),
        unmatched: some - all.len() as u64,
    })
}
