//! The task contract: what is computed, what may change, what is timed.

use super::{heading, or_none, paragraph};
use crate::ReportModel;
use crate::escape::{md, table};
use crate::figure::{self, NONE, with_unit};
use crate::strings::{Strings, fill, names};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    let t = &m.task;
    heading(out, s.task);
    let list = |paths: &[String]| names(paths.iter().map(String::as_str), 20);
    paragraph(out, &fill(s.task_may_change, &[&list(&t.kernel_paths)]));
    let commit = or_none(t.evaluator.as_deref());
    paragraph(
        out,
        &fill(s.task_protected, &[&list(&t.protected), &commit]),
    );
    paragraph(out, s.task_timed);
    if !t.workloads.is_empty() {
        let rows: Vec<Vec<String>> = t
            .workloads
            .iter()
            .map(|w| {
                let dims: Vec<String> = w
                    .dims
                    .iter()
                    .map(|(k, v)| format!("{} = {v}", md(k)))
                    .collect();
                let number = |v: Option<f64>| v.map_or_else(|| NONE.into(), |v| with_unit(v, "1"));
                vec![
                    md(&w.name),
                    or_none_text(dims.join(", ")),
                    or_none(Some(&w.dtype)),
                    number(w.weight),
                    number(w.flops),
                    number(w.bytes),
                ]
            })
            .collect();
        let head = [s.workload, s.dims, s.dtype, s.weight, s.flops, s.bytes];
        table(out, &head, &[3, 4, 5], &rows);
    }
    if !t.gates.is_empty() {
        paragraph(out, &fill(s.colon, &[s.gates]));
        let rows: Vec<Vec<String>> = t
            .gates
            .iter()
            .map(|g| vec![md(&g.name), md(&g.rule)])
            .collect();
        table(out, &[s.gate, s.rule], &[], &rows);
    }
    baselines(m, s, out);
}

fn baselines(m: &ReportModel, s: &Strings, out: &mut String) {
    if m.task.baselines.is_empty() {
        return;
    }
    paragraph(out, &fill(s.colon, &[s.baselines]));
    let workloads: Vec<String> = m.list.workloads.iter().map(|w| md(w)).collect();
    let mut head = vec![s.baseline];
    head.extend(workloads.iter().map(String::as_str));
    let rows: Vec<Vec<String>> = m
        .task
        .baselines
        .iter()
        .map(|b| {
            let mut row = vec![md(&b.name)];
            let median = |w: &String| figure::time(b.median_ns.get(w).copied());
            row.extend(m.list.workloads.iter().map(median));
            row
        })
        .collect();
    let right: Vec<usize> = (1..head.len()).collect();
    table(out, &head, &right, &rows);
}

fn or_none_text(text: String) -> String {
    if text.is_empty() { NONE.into() } else { text }
}
