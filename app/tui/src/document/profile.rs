//! Beside the counters: the roofline, what stands against the comparison, and what rules found.

use assay_core::view::{AuditView, FindingView, RoofState, VariantProfile};
use ratatui::text::Line;

use super::parts::Pen;
use super::roofline;
use crate::fmt;
use crate::options::Lang;
use crate::state::Slot;
use crate::theme::Role;

/// The text, and the first line of each finding in it.
pub fn lines(
    pen: &Pen,
    view: Option<&VariantProfile>,
    found: &Slot<AuditView>,
) -> (Vec<Line<'static>>, Vec<usize>) {
    let mut out = Vec::new();
    if let Some(view) = view {
        match &view.roof {
            RoofState::Known(roof) => roofline::lines(pen, roof, &view.variant, &mut out),
            none => {
                pen.heading(&mut out, pen.s.roofline);
                let why = match none {
                    RoofState::NoFormulas => pen.s.roof_no_formulas,
                    RoofState::NoTimes => pen.s.roof_no_times,
                    _ => pen.s.roof_no_peaks,
                };
                pen.wrapped(&mut out, why, 1, Role::Dim);
            }
        }
        remarks(pen, view, &mut out);
    }
    let stops = findings(pen, found, &mut out);
    (out, stops)
}

fn remarks(pen: &Pen, view: &VariantProfile, out: &mut Vec<Line<'static>>) {
    let warnings = view.counters.iter().flat_map(|c| &c.warnings);
    let alone = view.alone.iter().filter(|_| view.counters.is_some());
    let alone = alone.map(|why| crate::strings::fill(pen.s.alone, &[&pen.said(why)]));
    let warnings = warnings.map(|text| pen.lang.said_lines(text));
    let all: Vec<String> = alone.chain(warnings).collect();
    if all.is_empty() && view.records.is_empty() {
        return;
    }
    pen.heading(out, pen.s.counters);
    for text in all {
        for (i, line) in text.lines().enumerate() {
            let mark = if i == 0 { "! " } else { "  " };
            pen.wrapped(out, &format!("{mark}{}", line.trim()), 1, Role::Warn);
        }
    }
    for id in view.records.iter().take(4) {
        pen.wrapped(out, &format!("{} {id}", pen.s.heat_record), 1, Role::Dim);
    }
}

fn findings(pen: &Pen, found: &Slot<AuditView>, out: &mut Vec<Line<'static>>) -> Vec<usize> {
    let s = pen.s;
    let count = found.value.as_ref().map_or(0, |v| v.findings.len());
    pen.heading(out, &format!("{} ({count})", s.findings));
    let mut stops = Vec::new();
    match (&found.value, &found.error) {
        (_, Some(e)) => pen.wrapped(out, &pen.said(e), 1, Role::Bad),
        (None, None) => out.push(pen.line(&format!(" {}", s.loading), Role::Dim)),
        (Some(v), None) if v.findings.is_empty() => {
            out.push(pen.line(&format!(" {}", s.no_findings), Role::Dim));
        }
        (Some(v), None) => {
            for f in &v.findings {
                stops.push(out.len());
                finding(pen, f, out);
            }
        }
    }
    for n in found.value.iter().flat_map(|v| &v.notices) {
        pen.wrapped(out, &format!("! {}", pen.said(n)), 1, Role::Warn);
    }
    stops
}

fn finding(pen: &Pen, f: &FindingView, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    let (word, role) = match f.severity.as_str() {
        "error" => (s.severity_error, Role::Bad),
        "warning" => (s.severity_warning, Role::Warn),
        _ => (s.severity_info, Role::Accent),
    };
    let kind = match f.kind.as_str() {
        "diagnosis" => s.kind_diagnosis,
        _ => s.kind_audit,
    };
    let (message, advice) = match pen.lang {
        Lang::Zh if !f.message_zh.is_empty() => (&f.message_zh, &f.advice_zh),
        _ => (&f.message, &f.advice),
    };
    let room = pen.width.saturating_sub(2);
    let head = format!("{}  {kind}  {}", f.rule, pen.lang.about(&f.subject));
    let head = assay_core::text::inert(&head).into_owned();
    let left = room.saturating_sub(assay_core::text::width(word) + 2);
    out.push(Line::from(vec![
        pen.span(format!("  {word}"), role),
        pen.span(format!("  {}", pen.theme.cut(&head, left)), Role::Title),
    ]));
    pen.wrapped(out, message, 4, Role::Plain);
    if !f.evidence.is_empty() {
        pen.wrapped(out, &pen.said(&f.evidence), 4, Role::Dim);
    }
    if !f.counters.is_empty() {
        let used: Vec<String> = (f.counters.iter())
            .map(|c| {
                let figure = format!("{} {} {}", c.name, fmt::figure(c.value), fmt::unit(&c.unit));
                figure.trim_end().to_owned()
            })
            .collect();
        let text = format!("{}: {}", s.rests_on, used.join(", "));
        pen.wrapped(out, &text, 4, Role::Dim);
    }
    if !advice.is_empty() {
        pen.wrapped(out, &format!("{}: {advice}", s.advice), 4, Role::Accent);
    }
    if !f.source.is_empty() {
        let source = match pen.lang {
            Lang::Zh if !f.source_zh.is_empty() => f.source_zh.as_str().into(),
            _ => pen.said(&f.source),
        };
        pen.wrapped(out, &format!("{}: {source}", s.rule_source), 4, Role::Dim);
    }
}
