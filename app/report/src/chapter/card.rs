//! A card for each accepted variant: hypothesis, change, evidence, verdict, decision.

use std::collections::BTreeMap;

use assay_core::view::{FigureView, ShowView, VerdictView};

use super::{heading, or_none, paragraph};
use crate::escape::{fence, md, table};
use crate::figure::{self, NONE, change, relative_change, with_unit};
use crate::model::was_accepted;
use crate::strings::{Strings, fill};
use crate::{Better, MAX_DIFF_LINES, ReportModel};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    heading(out, s.cards);
    let accepted: Vec<&ShowView> = m
        .shows
        .iter()
        .filter(|v| was_accepted(&v.variant))
        .collect();
    if accepted.is_empty() {
        let any = m.list.variants.iter().any(was_accepted);
        paragraph(out, if any { s.cards_none } else { s.chain_none });
        return;
    }
    for show in accepted {
        card(m, s, show, out);
    }
}

fn card(m: &ReportModel, s: &Strings, show: &ShowView, out: &mut String) {
    let row = &show.variant;
    out.push_str(&format!("### {}\n\n", md(&row.name)));
    paragraph(out, &fill(s.hypothesis, &[&or_none(Some(&row.why))]));
    if row.family.is_some() || !row.knobs.is_empty() {
        let knobs: Vec<String> = row
            .knobs
            .iter()
            .map(|(k, v)| format!("{} = {}", md(k), md(v)))
            .collect();
        let knobs = if knobs.is_empty() {
            NONE.into()
        } else {
            knobs.join(", ")
        };
        paragraph(
            out,
            &fill(s.family, &[&or_none(row.family.as_deref()), &knobs]),
        );
    }
    if show.stale {
        paragraph(out, s.stale);
    }
    predictions(s, show, out);
    match &show.verdict {
        Some(v) => verdict(s, v, out),
        None => paragraph(out, s.card_verdict_none),
    }
    gates(s, show, out);
    kernel_diff(m, s, show, out);
    let parent = row.parent.as_deref().and_then(|p| m.show(p));
    figures(m, s, s.facts, parent.map(|p| &p.facts), &show.facts, out);
    counters(m, s, parent, show, out);
    for d in &show.decisions {
        let by = match d.decided_by.as_str() {
            "policy" => s.by_policy,
            _ => s.by_person,
        };
        let values = [
            s.decision_kind(&d.kind),
            md(&d.by),
            by.to_owned(),
            md(&figure::second(&d.at)),
            or_none(Some(&d.reason)),
        ];
        paragraph(
            out,
            &fill(s.decided, &values.each_ref().map(String::as_str)),
        );
    }
}

fn predictions(s: &Strings, show: &ShowView, out: &mut String) {
    if show.predictions.is_empty() {
        paragraph(out, s.predictions_none);
        return;
    }
    let rows: Vec<Vec<String>> = show
        .predictions
        .iter()
        .map(|p| {
            vec![
                md(&p.text),
                change(p.observed_percent),
                s.yes_no(p.held).to_owned(),
            ]
        })
        .collect();
    paragraph(out, &fill(s.colon, &[s.predictions]));
    table(out, &[s.prediction, s.observed, s.held], &[1], &rows);
}

fn verdict(s: &Strings, v: &VerdictView, out: &mut String) {
    let reason = or_none(Some(&v.reason));
    paragraph(out, &fill(s.card_verdict, &[&md(&v.verdict), &reason]));
    if v.workloads.is_empty() {
        return;
    }
    let rows: Vec<Vec<String>> = v
        .workloads
        .iter()
        .map(|w| {
            let guard = if w.guard_broken {
                s.guard_broken
            } else {
                s.guard_kept
            };
            vec![
                md(&w.workload),
                figure::time(w.a_median_ns),
                figure::time(w.b_median_ns),
                figure::ratio(w.ratio),
                figure::interval(w.interval),
                guard.to_owned(),
            ]
        })
        .collect();
    let a = fill(s.reference_median, &[&md(&v.a)]);
    let b = fill(s.reference_median, &[&md(&v.b)]);
    let head = [s.workload, a.as_str(), &b, s.ratio, s.interval, s.guard];
    table(out, &head, &[1, 2, 3, 4], &rows);
}

/// Only gates that did not simply pass.
fn gates(s: &Strings, show: &ShowView, out: &mut String) {
    let mut any = false;
    for g in &show.variant.gates {
        let line = match (&g.overridden, g.pass) {
            (Some(reason), _) => fill(s.gate_overridden, &[&md(&g.name), &md(reason)]),
            (None, Some(true)) => continue,
            (None, Some(false)) => fill(s.gate_failed, &[&md(&g.name), &md(&g.evidence)]),
            (None, None) => fill(s.gate_unknown, &[&md(&g.name), &md(&g.evidence)]),
        };
        out.push_str(&format!("- {line}\n"));
        any = true;
    }
    if any {
        out.push('\n');
    }
}

fn kernel_diff(m: &ReportModel, s: &Strings, show: &ShowView, out: &mut String) {
    let Some(diff) = m.kernel_diffs.get(&show.variant.name) else {
        return;
    };
    let parent = or_none(show.variant.parent.as_deref());
    paragraph(out, &fill(s.colon, &[&fill(s.diff, &[&parent])]));
    let total = diff.lines().count();
    let shown: Vec<&str> = diff.lines().take(MAX_DIFF_LINES).collect();
    out.push_str(&fence("diff", &shown.join("\n")));
    out.push('\n');
    if total > shown.len() {
        let values = [shown.len().to_string(), total.to_string()];
        paragraph(
            out,
            &fill(s.diff_cut, &values.each_ref().map(String::as_str)),
        );
    }
}

/// Counters of different tools have the same names and other meanings: no comparison then.
fn counters(
    m: &ReportModel,
    s: &Strings,
    parent: Option<&ShowView>,
    show: &ShowView,
    out: &mut String,
) {
    let title = fill(s.counters, &[&or_none(show.counter_tool.as_deref())]);
    let same_tool = parent.filter(|p| p.counter_tool == show.counter_tool);
    let before = same_tool.map(|p| &p.counters);
    figures(m, s, &title, before, &show.counters, out);
    let other = parent.filter(|p| p.counter_tool != show.counter_tool && !p.counters.is_empty());
    if let Some(p) = other
        && !show.counters.is_empty()
    {
        let tool = or_none(p.counter_tool.as_deref());
        paragraph(
            out,
            &fill(s.counters_other_tool, &[&md(&p.variant.name), &tool]),
        );
    }
}

/// The union of both sides: changed figures in a table, the others in one line.
fn figures(
    m: &ReportModel,
    s: &Strings,
    title: &str,
    before: Option<&BTreeMap<String, FigureView>>,
    after: &BTreeMap<String, FigureView>,
    out: &mut String,
) {
    if after.is_empty() {
        return;
    }
    paragraph(out, &fill(s.colon, &[title]));
    let Some(before) = before.filter(|b| !b.is_empty()) else {
        let rows: Vec<Vec<String>> = after
            .iter()
            .map(|(name, f)| vec![md(name), with_unit(f.value, &f.unit)])
            .collect();
        table(out, &[s.figure, s.value], &[1], &rows);
        return;
    };
    let mut rows = Vec::new();
    let mut same = Vec::new();
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let (a, b) = (before.get(name), after.get(name));
        if a == b {
            let value = b.map_or_else(|| NONE.into(), |f| with_unit(f.value, &f.unit));
            same.push(format!("{} {value}", md(name)));
            continue;
        }
        let show =
            |f: Option<&FigureView>| f.map_or_else(|| NONE.into(), |f| with_unit(f.value, &f.unit));
        // Figures in different units have no ratio.
        let percent = a
            .zip(b)
            .filter(|(a, b)| a.unit == b.unit)
            .and_then(|(a, b)| relative_change(a.value, b.value));
        let moved = match (a, b) {
            (Some(a), Some(b)) if a.unit == b.unit => good_or_bad(m, s, name, a.value, b.value),
            (None, Some(_)) => s.only_after,
            (Some(_), None) => s.only_before,
            _ => "",
        };
        rows.push(vec![
            md(name),
            show(a),
            show(b),
            change(percent),
            moved.to_owned(),
        ]);
    }
    if !rows.is_empty() {
        let head = [s.figure, s.before, s.after, s.change, s.direction];
        table(out, &head, &[1, 2, 3], &rows);
    }
    if !same.is_empty() {
        paragraph(out, &fill(s.unchanged, &[&same.join(", ")]));
    }
}

fn good_or_bad<'s>(m: &ReportModel, s: &'s Strings, name: &str, a: f64, b: f64) -> &'s str {
    match m.better.get(name) {
        Some(Better::Lower) if b < a => s.better,
        Some(Better::Higher) if b > a => s.better,
        Some(_) if a != b => s.worse,
        _ => "",
    }
}
