//! The task contract: what is computed, what may change, what is timed.

use super::or_none;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE, with_unit};
use crate::strings::{Strings, fill, names};
use crate::{Baseline, ReportModel};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let t = &m.task;
    out.heading(2, s.task);
    let list = |paths: &[String]| names(paths.iter().map(String::as_str), 20);
    out.paragraph(fill(s.task_may_change, &[list(&t.kernel_paths)]));
    let commit = or_none(t.evaluator.as_deref());
    out.paragraph(fill(s.task_protected, &[list(&t.protected), commit]));
    out.paragraph(match m.is_published() {
        true => s.task_published,
        false => s.task_timed,
    });
    if !t.workloads.is_empty() {
        let rows: Vec<Vec<Line>> = t
            .workloads
            .iter()
            .map(|w| {
                let dims = w
                    .dims
                    .iter()
                    .map(|(k, v)| Line::outside(k).and(" = ").and(Line::count(v)));
                let number = |v: Option<f64>| v.map_or_else(|| NONE.into(), |v| with_unit(v, "1"));
                vec![
                    Line::outside(&w.name),
                    Line::join(dims, ", "),
                    or_none(Some(&w.dtype)),
                    number(w.weight),
                    number(w.flops),
                    number(w.bytes),
                ]
            })
            .collect();
        let head = [s.workload, s.dims, s.dtype, s.weight, s.flops, s.bytes];
        out.table(head, &[3, 4, 5], rows);
    }
    if !t.gates.is_empty() {
        out.paragraph(fill(s.colon, &[s.gates.into()]));
        let rows: Vec<Vec<Line>> = t
            .gates
            .iter()
            .map(|g| vec![Line::outside(&g.name), Line::outside(&g.rule)])
            .collect();
        out.table([s.gate, s.rule], &[], rows);
    }
    baselines(m, s, out);
}

fn baselines(m: &ReportModel, s: &Strings, out: &mut Doc) {
    if m.task.baselines.is_empty() {
        return;
    }
    let title = match m.is_published() {
        true => s.baselines_published,
        false => s.baselines,
    };
    out.paragraph(fill(s.colon, &[title.into()]));
    let cell = |b: &Baseline, w: &String| Line::own(figure::time(b.median_ns.get(w).copied()));
    let (workloads, all) = (&m.list.workloads, &m.task.baselines);
    // The longer side goes down the page.
    let (mut head, rows): (Vec<Line>, Vec<Vec<Line>>) = if workloads.len() > all.len() {
        let row = |w: &String| {
            let mut row = vec![Line::outside(w)];
            row.extend(all.iter().map(|b| cell(b, w)));
            row
        };
        let rows = workloads.iter().map(row).collect();
        (all.iter().map(|b| Line::outside(&b.name)).collect(), rows)
    } else {
        let row = |b: &Baseline| {
            let mut row = vec![Line::outside(&b.name)];
            row.extend(workloads.iter().map(|w| cell(b, w)));
            row
        };
        let rows = all.iter().map(row).collect();
        (workloads.iter().map(Line::outside).collect(), rows)
    };
    let corner = match workloads.len() > all.len() {
        true => s.workload,
        false => s.baseline,
    };
    head.insert(0, corner.into());
    let right: Vec<usize> = (1..head.len()).collect();
    out.table(head, &right, rows);
}
