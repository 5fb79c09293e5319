//! Rows as they are stored, and back.

use assay_core::record::{NamedText, PrintedTime, ReadingRow, RowFailure};
use assay_core::units::TimeUnit;
use assay_exec::readings::{self, Extra, Figure, Reading, Readings, RowFailureKind, Taken};

/// All kinds of failures of a row.
const FAILURES: [RowFailureKind; 6] = [
    RowFailureKind::NotAvailable,
    RowFailureKind::Skipped,
    RowFailureKind::Error,
    RowFailureKind::Timeout,
    RowFailureKind::Unreadable,
    RowFailureKind::Duplicate,
];

/// The rows of a log as they are recorded.
pub(crate) fn stored(log: &Readings) -> Vec<ReadingRow> {
    log.rows.iter().map(row).collect()
}

pub(super) fn named(name: &str, value: &str) -> NamedText {
    NamedText {
        name: name.to_owned(),
        value: value.to_owned(),
    }
}

fn row(r: &Reading) -> ReadingRow {
    let (statistic, of) = match &r.taken {
        Taken::Samples => (None, None),
        Taken::Summary { statistic, of } => (Some(statistic.clone()), *of),
    };
    ReadingRow {
        group: r.group.clone(),
        workload: r.workload.clone(),
        params: r.params.iter().map(|(n, v)| named(n, v)).collect(),
        subject: r.tag.clone(),
        unit: r.unit.name().to_owned(),
        times: (r.times.iter())
            .map(|t| PrintedTime {
                value: t.value,
                quantum: t.quantum,
            })
            .collect(),
        statistic,
        of,
        figures: r
            .extras
            .iter()
            .map(|e| named(&e.name, &e.printed))
            .collect(),
        marks: r.marks.clone(),
        failure: r.failure.as_ref().map(|f| RowFailure {
            kind: f.kind.name().to_owned(),
            message: f.message.clone(),
        }),
        line: r.line as u64,
    }
}

/// Recorded rows as the readers give them.
pub(super) fn readings(rows: &[ReadingRow]) -> Vec<Reading> {
    rows.iter().map(reading).collect()
}

fn reading(r: &ReadingRow) -> Reading {
    Reading {
        group: r.group.clone(),
        workload: r.workload.clone(),
        params: (r.params.iter())
            .map(|p| (p.name.clone(), p.value.clone()))
            .collect(),
        tag: r.subject.clone(),
        unit: r.unit.parse().unwrap_or(TimeUnit::Ns),
        times: (r.times.iter())
            .map(|t| Figure {
                value: t.value,
                quantum: t.quantum,
            })
            .collect(),
        taken: match &r.statistic {
            None => Taken::Samples,
            Some(statistic) => Taken::Summary {
                statistic: statistic.clone(),
                of: r.of,
            },
        },
        extras: (r.figures.iter())
            .map(|f| Extra::new(&f.name, &f.value))
            .collect(),
        marks: r.marks.clone(),
        failure: r.failure.as_ref().map(|f| readings::RowFailure {
            kind: (FAILURES.into_iter())
                .find(|k| k.name() == f.kind)
                .unwrap_or(RowFailureKind::Unreadable),
            message: f.message.clone(),
        }),
        line: usize::try_from(r.line).unwrap_or_default(),
    }
}
