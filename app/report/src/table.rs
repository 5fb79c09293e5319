//! The figures of a report as CSV in long form: one row for each figure.

use assay_core::text::csv_field;
use assay_core::view::{ShowView, VariantRow};

use crate::{CounterSet, ReportModel};

mod logs;
mod published;

/// Columns.
const HEAD: &str = "record,variant,workload,metric,value,unit,source\n";

/// Marks at the end of a line of evidence that is not about what the figures are of.
const OF_OTHER: [&str; 3] = [
    ", not that of the newest run)",
    "(of other content than the newest run)",
    "(with an earlier evaluator)",
];

/// Writes every figure of the model, with the record that it comes from where that was handed
/// over.
///
/// Absent figures have no row. Raw samples are not in it: they are in the records.
pub fn csv(model: &ReportModel) -> String {
    let mut out = Rows(HEAD.to_owned());
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
    out.0
}

struct Rows(String);

/// What a row is about.
#[derive(Clone, Copy, Default)]
struct About<'m> {
    record: &'m str,
    variant: &'m str,
    workload: &'m str,
    source: &'m str,
}

impl Rows {
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
        let cells = [
            csv_field(about.record),
            csv_field(about.variant),
            csv_field(about.workload),
            csv_field(metric),
            csv_field(value),
            csv_field(unit),
            csv_field(about.source),
        ];
        self.0.push_str(&cells.join(","));
        self.0.push('\n');
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

/// The newest record of a kind that the figures of the variant can come from.
fn record<'m>(show: Option<&'m ShowView>, kind: &str) -> &'m str {
    let fits = |summary: &str| !OF_OTHER.iter().any(|mark| summary.ends_with(mark));
    show.and_then(|s| {
        let mut newest = s.evidence.iter().rev();
        newest.find(|e| e.kind == kind && fits(&e.summary))
    })
    .map_or("", |e| e.id.as_str())
}

fn list_row(out: &mut Rows, model: &ReportModel, row: &VariantRow) {
    let show = model.show(&row.name);
    let mut about = About {
        record: record(show, "measurement"),
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
        record: record(show, "verdict"),
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
            record: record(Some(show), "verdict"),
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
            record: record(Some(show), "check"),
            variant,
            workload: &check.workload,
            source: "check",
        };
        out.add(about, "max_abs_error", check.max_abs_error, "1");
        out.add(about, "max_rel_error", check.max_rel_error, "1");
    }
    let profile = record(Some(show), "profile");
    let tool = show.counter_tool.as_deref().unwrap_or("profile");
    let about = About {
        record: record(Some(show), "source"),
        variant,
        workload: "",
        source: "generated source",
    };
    for (name, f) in &show.facts {
        out.add(about, name, Some(f.value), &f.unit);
    }
    for p in &show.predictions {
        let about = About {
            record: profile,
            variant,
            workload: "",
            source: tool,
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
