//! How near the champion is to what the device can do, and to the references.

use std::collections::BTreeMap;

use assay_core::view::VariantRow;

use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE};
use crate::plot::{Roof, RoofPoint, Roofline};
use crate::strings::{Strings, fill};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.rf_title);
    let subjects = subjects(m);
    let plot = plot(m, &subjects);
    if plot.points.is_empty() {
        out.paragraph(s.rf_none);
    } else {
        roofs(m, s, &plot, out);
        if m.peaks.is_some() {
            out.plot(|lang| Some(plot.svg(lang)));
        }
    }
    distance(m, s, &subjects, out);
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
    out.device = match peaks.source.as_str() {
        "" => peaks.device.clone(),
        source => format!("{} ({source})", peaks.device),
    };
    let roofs = peaks.flops_per_s.iter();
    out.roofs = roofs
        .map(|(dtype, flops_per_s)| Roof {
            dtype: dtype.clone(),
            flops_per_s: *flops_per_s,
        })
        .collect();
    out
}

fn roofs(m: &ReportModel, s: &Strings, plot: &Roofline, out: &mut Doc) {
    match &m.peaks {
        None => out.paragraph(s.rf_no_peaks),
        Some(p) => {
            let own = |v: f64| Line::own(figure::significant(v, 4));
            let peaks = p.flops_per_s.iter().map(|(dtype, f)| {
                let value = [Line::outside(dtype), own(f / 1e12)];
                fill(s.rf_peak, &value)
            });
            let values = [
                Line::outside(&p.device),
                own(p.bytes_per_s / 1e9),
                Line::join(peaks, ", "),
                super::or_none(Some(&p.source)),
            ];
            out.paragraph(fill(s.rf_peaks, &values));
        }
    }
    let rows: Vec<Vec<Line>> = plot
        .points
        .iter()
        .filter_map(|p| {
            let place = plot.place(p)?;
            let own = |v: f64| Line::own(figure::significant(v, 4));
            Some(vec![
                Line::outside(&p.label),
                own(place.intensity),
                own(place.speed),
                // bytes/ns is GB/s.
                own(p.bytes / p.ns),
                Line::own(figure::percent(place.share)),
            ])
        })
        .collect();
    let head = [s.rf_what, s.rf_intensity, s.rf_speed, s.rf_rate, s.rf_share];
    out.table(head, &[1, 2, 3, 4], rows);
    out.paragraph(s.rf_formula);
}

/// Times of the references / times of the champion.
fn distance(m: &ReportModel, s: &Strings, subjects: &[Subject<'_>], out: &mut Doc) {
    let [(champion, own, false), references @ ..] = subjects else {
        return;
    };
    if references.is_empty() {
        out.paragraph(s.rf_no_reference);
        return;
    }
    out.paragraph(fill(s.rf_distance, &[Line::outside(*champion)]));
    let mut head: Vec<Line> = vec![s.workload.into()];
    head.extend(references.iter().map(|(name, _, _)| Line::outside(*name)));
    let ratio = |medians: &BTreeMap<String, f64>, w: &String| {
        let (theirs, ours) = (medians.get(w)?, own.get(w)?);
        Some(theirs / ours)
    };
    let mut rows: Vec<Vec<Line>> = (m.list.workloads.iter())
        .map(|w| {
            let mut row = vec![Line::outside(w)];
            let cells = references.iter().map(|(_, medians, _)| ratio(medians, w));
            row.extend(cells.map(|r| Line::own(figure::ratio(r))));
            row
        })
        .collect();
    let mut last = vec![s.rf_mean.into()];
    for (_, medians, _) in references {
        let logs: Vec<f64> = (m.list.workloads.iter())
            .filter_map(|w| Some(ratio(medians, w)?.ln()))
            .filter(|l| l.is_finite())
            .collect();
        last.push(match logs.is_empty() {
            true => NONE.into(),
            false => {
                let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
                Line::own(format!("{} ({})", figure::ratio(Some(mean)), logs.len()))
            }
        });
    }
    rows.push(last);
    let mut wins = vec![Line::from(s.rf_wins)];
    for (_, medians, _) in references {
        let ratios = m.list.workloads.iter().filter_map(|w| ratio(medians, w));
        let (mut faster, mut slower) = (0, 0);
        for r in ratios {
            faster += usize::from(r > 1.0);
            slower += usize::from(r < 1.0);
        }
        wins.push(Line::own(format!("{faster} / {slower}")));
    }
    rows.push(wins);
    let right: Vec<usize> = (1..head.len()).collect();
    out.table(head, &right, rows);
}
