//! How near the champion is to what the device can do, and to the references.

use std::collections::BTreeMap;

use assay_core::view::VariantRow;

use super::distance;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE};
use crate::plot::{Roof, RoofPoint, Roofline};
use crate::said::said_of;
use crate::strings::{Strings, fill};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.rf_title);
    let subjects = subjects(m);
    let plot = plot(m, &subjects);
    if plot.points.is_empty() {
        out.paragraph(s.rf_none);
    } else {
        roofs(m, s, &subjects, &plot, out);
        if m.peaks.is_some() {
            out.plot(|lang| Some(plot.svg(lang)));
        }
    }
    distance::write(m, s, out);
}

/// A subject with its medians; whether it is a baseline.
type Subject<'m> = (&'m str, &'m BTreeMap<String, f64>, bool);

/// The champion and the baselines.
fn subjects(m: &ReportModel) -> Vec<Subject<'_>> {
    let champion: Option<&VariantRow> = (m.list.champion.as_ref())
        .and_then(|name| m.list.variants.iter().find(|v| v.name == *name));
    let mut out: Vec<Subject<'_>> = Vec::new();
    out.extend(champion.map(|v| (v.name.as_str(), &v.median_ns, false)));
    let baselines = m.task.baselines.iter();
    out.extend(baselines.map(|b| (b.name.as_str(), &b.median_ns, true)));
    out
}

fn plot(m: &ReportModel, subjects: &[Subject<'_>]) -> Roofline {
    let mut out = Roofline::default();
    for (name, medians, is_reference) in subjects {
        for w in &m.task.workloads {
            let (Some(flops), Some(bytes), Some(ns)) = (w.flops, w.bytes, medians.get(&w.name))
            else {
                continue;
            };
            out.points.push(RoofPoint {
                label: format!("{name}, {}", w.name),
                subject: (*name).to_owned(),
                dtype: w.dtype.clone(),
                flops,
                bytes,
                ns: *ns,
                is_reference: *is_reference,
            });
        }
    }
    let Some(peaks) = &m.peaks else {
        return out;
    };
    out.bytes_per_s = peaks.bytes_per_s;
    out.device.clone_from(&peaks.device);
    let roofs = peaks.flops_per_s.iter();
    out.roofs = roofs
        .map(|(dtype, flops_per_s)| Roof {
            dtype: dtype.clone(),
            flops_per_s: *flops_per_s,
        })
        .collect();
    out
}

fn roofs(m: &ReportModel, s: &Strings, subjects: &[Subject<'_>], plot: &Roofline, out: &mut Doc) {
    match &m.peaks {
        None => out.paragraph(s.rf_no_peaks),
        Some(p) => {
            let own = |v: f64| Line::own(figure::rate(v));
            let peaks = p.flops_per_s.iter().map(|(dtype, f)| {
                let value = [Line::outside(dtype), own(f / 1e12)];
                fill(s.rf_peak, &value)
            });
            let values = [
                Line::outside(&p.device),
                own(p.bytes_per_s / 1e9),
                Line::join(peaks, ", "),
                said_of(out.lang, &p.source, &p.source_zh),
            ];
            out.paragraph(fill(s.rf_peaks, &values));
        }
    }
    if let Some((first, _, _)) = subjects.first() {
        own_roofs(m, s, first, plot, out);
    }
    if let [_, references @ ..] = subjects
        && !references.is_empty()
    {
        let names = references.iter().map(|(name, _, _)| *name);
        beside(m, s, &names.collect::<Vec<_>>(), plot, out);
    }
    out.paragraph(s.rf_formula);
}

/// The first subject in full: its work, its time and its roof on each workload.
fn own_roofs(m: &ReportModel, s: &Strings, name: &str, plot: &Roofline, out: &mut Doc) {
    let subject = m.list.variants.iter().find(|v| v.name == name);
    let rows = plot.points.iter().filter(|p| p.subject == name);
    let rows: Vec<Vec<Line>> = rows
        .filter_map(|p| {
            let place = plot.place(p)?;
            let own = |v: f64| Line::own(figure::rate(v));
            let roof = place.share.map(|share| place.speed / share);
            let workload = p.label.strip_prefix(&p.subject).unwrap_or(&p.label);
            let workload = workload.trim_start_matches(", ");
            let doubt = match subject.is_some_and(|v| v.time_is_doubted(Some(workload))) {
                true => " (!)",
                false => "",
            };
            Some(vec![
                Line::outside(workload),
                figure::with_unit(p.flops, "1"),
                figure::with_unit(p.bytes, "1"),
                own(place.intensity),
                Line::own(format!("{}{doubt}", figure::time(Some(p.ns)))),
                own(place.speed),
                // bytes/ns is GB/s.
                own(p.bytes / p.ns),
                roof.map_or_else(|| NONE.into(), own),
                place
                    .share
                    .map_or_else(|| NONE.into(), |x| Line::own(figure::share(x))),
            ])
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    out.paragraph(fill(s.rf_of, &[Line::outside(name)]));
    let head = [
        s.workload,
        s.flops,
        s.bytes,
        s.rf_intensity,
        s.median,
        s.rf_speed,
        s.rf_rate,
        s.rf_roof,
        s.rf_share,
    ];
    out.table(head, &[1, 2, 3, 4, 5, 6, 7, 8], rows);
    super::doubted(m.doubts_of(name).into_iter(), s, out);
}

/// The speed of each reference and its share of the roof, workload by workload.
fn beside(m: &ReportModel, s: &Strings, references: &[&str], plot: &Roofline, out: &mut Doc) {
    let cell = |name: &str, w: &str| {
        let label = format!("{name}, {w}");
        let point = plot
            .points
            .iter()
            .find(|p| p.subject == name && p.label == label);
        point.and_then(|p| plot.place(p)).map_or_else(
            || Line::from(NONE),
            |place| {
                let speed = Line::own(figure::rate(place.speed));
                match place.share {
                    Some(share) => fill(s.interval_at, &[speed, Line::own(figure::share(share))]),
                    None => speed,
                }
            },
        )
    };
    let rows = m.task.workloads.iter().map(|w| {
        let mut row = vec![Line::outside(&w.name)];
        row.extend(references.iter().map(|name| cell(name, &w.name)));
        row
    });
    out.paragraph(s.rf_references);
    let mut head: Vec<Line> = vec![s.workload.into()];
    let names = references.iter().map(|name| Line::outside(*name));
    head.extend(names.map(|name| fill(s.rf_reference_speed, &[name])));
    let right: Vec<usize> = (1..head.len()).collect();
    out.table(head, &right, rows.collect());
}
