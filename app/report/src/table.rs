//! The figures of a report as CSV in long form: one row for each figure.

use assay_core::text::csv_field;
use assay_core::view::{FigureRecords, ShowView, VariantRow};

use crate::{CounterSet, ReportModel};

mod logs;
mod published;

/// Columns.
const HEAD: &str = "record,variant,workload,metric,value,unit,source\n";

/// A figure of a report, with the record that it is said to be from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedFigure {
    /// Record; empty where the figure is of none, e.g. one of the campaign file.
    pub record: String,
    /// Variant or baseline; empty for what is of the whole campaign.
    pub variant: String,
    /// Workload; empty for what is of all.
    pub workload: String,
    /// What it is.
    pub metric: String,
    /// The value with all its digits.
    pub value: String,
    /// Unit.
    pub unit: String,
    /// Where it is from, in words.
    pub source: String,
}

/// Writes every figure of the model, with the record that it comes from where that was handed
/// over.
///
/// Absent figures have no row. Raw samples are not in it: they are in the records.
pub fn csv(model: &ReportModel) -> String {
    let mut out = HEAD.to_owned();
    rows(model, &mut |f| {
        let cells = [
            f.record, f.variant, f.workload, f.metric, f.value, f.unit, f.source,
        ];
        out.push_str(&cells.map(csv_field).join(","));
        out.push('\n');
    });
    out
}

/// The same figures, to be held against their records.
pub fn cited(model: &ReportModel) -> Vec<CitedFigure> {
    let mut out = Vec::new();
    rows(model, &mut |f| {
        out.push(CitedFigure {
            record: f.record.to_owned(),
            variant: f.variant.to_owned(),
            workload: f.workload.to_owned(),
            metric: f.metric.to_owned(),
            value: f.value.to_owned(),
            unit: f.unit.to_owned(),
            source: f.source.to_owned(),
        });
    });
    out
}

fn rows(model: &ReportModel, add: &mut dyn FnMut(Row)) {
    let mut out = Rows(add);
    for row in &model.list.variants {
        let show = model.show(&row.name);
        list_row(&mut out, model, row);
        if let Some(show) = show {
            details(&mut out, show);
        }
        counters(&mut out, model.counters_of(&row.name), &row.name);
    }
    task(&mut out, model);
    if !model.is_logs_alone() {
        protocol(&mut out, model);
    }
    logs::write(&mut out, model);
    published::write(&mut out, model);
}

/// One row.
#[derive(Clone, Copy)]
struct Row<'r> {
    record: &'r str,
    variant: &'r str,
    workload: &'r str,
    metric: &'r str,
    value: &'r str,
    unit: &'r str,
    source: &'r str,
}

/// Takes the rows, one after the other.
struct Rows<'o>(&'o mut dyn FnMut(Row));

/// What a row is about.
#[derive(Clone, Copy, Default)]
struct About<'m> {
    record: &'m str,
    variant: &'m str,
    workload: &'m str,
    source: &'m str,
}

impl Rows<'_> {
    fn add(&mut self, about: About, metric: &str, value: Option<f64>, unit: &str) {
        if let Some(value) = value.filter(|v| v.is_finite()) {
            self.text(about, metric, &number(value), unit);
        }
    }

    /// A value as it was written; nothing for an empty one.
    fn text(&mut self, about: About, metric: &str, value: &str, unit: &str) {
        if value.trim().is_empty() {
            return;
        }
        (self.0)(Row {
            record: about.record,
            variant: about.variant,
            workload: about.workload,
            metric,
            value,
            unit,
            source: about.source,
        });
    }

    fn interval(&mut self, about: About, interval: Option<[f64; 2]>) {
        self.add(about, "ratio_low", interval.map(|i| i[0]), "1");
        self.add(about, "ratio_high", interval.map(|i| i[1]), "1");
    }
}

/// All digits, as short as reads back to the same number.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value:?}")
    }
}

/// A record as a cell; empty where it was not handed over.
fn id(record: &Option<String>) -> &str {
    record.as_deref().unwrap_or_default()
}

fn list_row(out: &mut Rows, model: &ReportModel, row: &VariantRow) {
    let none = FigureRecords::default();
    let records = model.show(&row.name).map_or(&none, |s| &s.records);
    let mut about = About {
        record: id(&records.measurement),
        variant: &row.name,
        source: "measurement",
        ..About::default()
    };
    let measurement = about.record;
    for (workload, ns) in &row.median_ns {
        about.workload = workload;
        (about.source, about.record) = match row.published.contains(workload) {
            true => ("published", model.published_record(&row.name, workload)),
            false => ("measurement", measurement),
        };
        out.add(about, "median", Some(*ns), "ns");
    }
    let source = match &row.against {
        Some(against) => format!("verdict against {against}"),
        None => "verdict".to_owned(),
    };
    let about = About {
        record: id(&records.verdict),
        workload: "",
        source: &source,
        ..about
    };
    out.add(about, "ratio", row.ratio, "1");
    out.interval(about, row.interval);
}

fn details(out: &mut Rows, show: &ShowView) {
    let variant = show.variant.name.as_str();
    if let Some(v) = &show.verdict {
        let source = format!("verdict against {} by {}", v.a, v.procedure);
        let mut about = About {
            record: id(&show.records.verdict),
            variant,
            workload: "",
            source: &source,
        };
        out.add(about, "processes", Some(f64::from(v.processes)), "1");
        out.add(about, "delta", Some(v.delta), "1");
        for w in &v.workloads {
            about.workload = &w.workload;
            out.add(about, "reference_median", w.a_median_ns, "ns");
            out.add(about, "paired_median", w.b_median_ns, "ns");
            out.add(about, "ratio", w.ratio, "1");
            out.interval(about, w.interval);
            out.add(about, "weight", Some(w.weight), "1");
        }
    }
    for check in &show.checks {
        let about = About {
            record: id(&show.records.check),
            variant,
            workload: &check.workload,
            source: "check",
        };
        out.add(about, "max_abs_error", check.max_abs_error, "1");
        out.add(about, "max_rel_error", check.max_rel_error, "1");
    }
    let about = About {
        record: id(&show.records.source),
        variant,
        workload: "",
        source: "generated source",
    };
    for (name, f) in &show.facts {
        out.add(about, name, Some(f.value), &f.unit);
    }
    for p in &show.predictions {
        let source = match p.records.as_slice() {
            [before, _] => format!("beside {before} of the parent"),
            _ => "decision or verdict".to_owned(),
        };
        let about = About {
            record: p.records.last().map_or("", String::as_str),
            variant,
            workload: "",
            source: &source,
        };
        let metric = format!("change for {}", p.text);
        out.add(about, &metric, p.observed_percent, "%");
    }
}

/// Counters with the workload and the record of each; published times are rows of their own.
fn counters(out: &mut Rows, sets: &[CounterSet], variant: &str) {
    for set in sets.iter().filter(|s| !s.is_published) {
        for (name, c) in &set.figures {
            let about = About {
                record: &c.record,
                variant,
                workload: &set.workload,
                source: &set.tool,
            };
            out.add(about, name, Some(c.value), &c.unit);
        }
    }
}

fn task(out: &mut Rows, m: &ReportModel) {
    for w in &m.task.workloads {
        let mut about = About {
            workload: &w.name,
            source: "campaign file",
            ..About::default()
        };
        for (name, value) in &w.dims {
            out.add(about, &format!("dim.{name}"), Some(*value as f64), "1");
        }
        out.add(about, "weight", w.weight, "1");
        about.source = "formula of the campaign";
        out.add(about, "flops", w.flops, "flop");
        out.add(about, "bytes", w.bytes, "bytes");
    }
    for b in &m.task.baselines {
        for (workload, ns) in &b.median_ns {
            let about = About {
                record: b.records.get(workload).map_or("", String::as_str),
                variant: &b.name,
                workload,
                source: match m.is_published() {
                    true => "published figure of the baseline",
                    false => "measurement of the baseline",
                },
            };
            out.add(about, "median", Some(*ns), "ns");
        }
    }
    if let Some(peaks) = &m.peaks {
        let about = About {
            record: &peaks.record,
            source: &peaks.source,
            ..About::default()
        };
        out.add(about, "peak.bandwidth", Some(peaks.bytes_per_s), "bytes/s");
        for (dtype, peak) in &peaks.flops_per_s {
            out.add(about, &format!("peak.{dtype}"), Some(*peak), "flop/s");
        }
    }
}

fn protocol(out: &mut Rows, m: &ReportModel) {
    let p = &m.protocol;
    let about = About {
        source: "protocol",
        ..About::default()
    };
    out.add(about, "protocol.delta", p.delta, "1");
    out.add(about, "protocol.guard", p.guard, "1");
    out.add(about, "protocol.noise_floor", p.noise_floor, "1");
    let alone = p.isolation.as_ref().map(|i| i.ratio);
    out.add(about, "protocol.pair_alone", alone, "1");
    out.add(about, "protocol.blocks", p.blocks.map(f64::from), "1");
    let about = About {
        source: "count of records",
        ..about
    };
    out.add(about, "variants", Some(m.list.variants.len() as f64), "1");
    out.add(about, "runs", m.runs.map(|r| r as f64), "1");
}
