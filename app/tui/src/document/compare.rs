//! Variants side by side.

use assay_core::text::{inert, width};
use assay_core::view::{CompareView, ComparedFigure, PublishedTimes};
use ratatui::text::Line;

use super::parts::{self, LETTERS, Pen, name_columns};
use crate::fmt::{self, TimeUnit};
use crate::strings::{Strings, fill, status_word};
use crate::theme::{Role, verdict_role};
use crate::widget::histogram;

/// Columns of a figure and of a change, each with the blank before it.
const FIGURE: usize = 15;
const CHANGE: usize = 10;
/// Times further apart than this factor are not shown in one unit.
const FAR: f64 = 1e5;

/// The whole comparison.
pub fn lines(pen: &Pen, view: &CompareView) -> Vec<Line<'static>> {
    let s = pen.s;
    let mut out = Vec::new();
    for (letter, v) in LETTERS.iter().zip(&view.variants) {
        let status = status_word(pen.lang, &v.status);
        out.push(pen.line(
            &format!("{letter}  {}  {status}  {}", v.name, pen.said(&v.why)),
            Role::Title,
        ));
    }
    for w in &view.warnings {
        pen.wrapped(&mut out, &format!("! {}", pen.said(w)), 0, Role::Warn);
    }
    match &view.verdict {
        Some(v) => parts::verdict(pen, &mut out, v),
        None => {
            pen.heading(&mut out, s.verdict);
            let why = view.verdict_missing.as_deref().map(|why| pen.said(why));
            let why = why.unwrap_or_else(|| s.no_pair.into());
            pen.wrapped(&mut out, &why, 2, Role::Warn);
        }
    }
    if view.variants.len() > 2 {
        against_first(pen, &mut out, view);
    }
    if let Some(p) = &view.published {
        published(pen, &mut out, p);
    }
    parts::doubted(pen, &mut out, view.variants.iter());
    table(pen, &mut out, s.workloads, view, &view.workloads);
    samples(pen, &mut out, view);
    for (letter, v) in LETTERS.iter().zip(&view.variants) {
        if !v.gates.is_empty() {
            pen.heading(&mut out, &format!("{} {letter}", s.gates));
            parts::gates(pen, &mut out, &v.gates);
        }
    }
    if let Some(of) = view.counters_of() {
        pen.heading(&mut out, &format!("{} ({of})", s.counters));
    }
    table(pen, &mut out, s.counters, view, &view.counters);
    table(pen, &mut out, s.facts, view, &view.facts);
    let beside = || view.attribution.iter().filter(|x| x.kind != "no-counter");
    if beside().next().is_some() {
        pen.heading(&mut out, s.attribution);
        for x in beside() {
            let text = assay_source::said::statement(pen.lang.of_source(), x);
            pen.wrapped(&mut out, &format!("- {text}"), 2, Role::Plain);
        }
    }
    out
}

/// The newest verdict of each of several, where it is one against the first.
fn against_first(pen: &Pen, out: &mut Vec<Line<'static>>, view: &CompareView) {
    let Some((first, others)) = view.variants.split_first() else {
        return;
    };
    let names = others.iter().map(|v| v.name.as_str());
    let name = name_columns(pen, names);
    for (letter, v) in LETTERS.iter().skip(1).zip(others) {
        let head = format!("  {letter}/A  {}", pen.theme.left(&inert(&v.name), name));
        let measured = v.against.as_deref() == Some(first.name.as_str());
        let Some(word) = v.verdict.as_deref().filter(|_| measured) else {
            out.push(pen.line(&format!("{head}  {}", pen.s.no_pair), Role::Dim));
            continue;
        };
        let ratio = v.ratio.map_or("-".into(), fmt::ratio);
        let interval =
            (v.interval).map_or_else(String::new, |i| format!(" [{}]", fmt::interval(i)));
        out.push(Line::from(vec![
            pen.span(format!("{head}  "), Role::Plain),
            pen.span(format!("{} ", inert(word)), verdict_role(word)),
            pen.span(format!("{ratio}{interval}"), Role::Plain),
        ]));
    }
}

/// What published times come to: never a verdict.
fn published(pen: &Pen, out: &mut Vec<Line<'static>>, p: &PublishedTimes) {
    let s = pen.s;
    let count = |n: usize| n.to_string();
    let values = [
        &p.b,
        &p.a,
        &count(p.faster),
        &count(p.workloads),
        &format!("{:.3}", p.speedup),
    ];
    pen.wrapped(
        out,
        &fill(s.published_times, &values.map(String::as_str)),
        2,
        Role::Plain,
    );
    for w in &p.slower {
        let change = fmt::percent(w.change_percent);
        let quoted = format!("{:.2} %", w.one_minus_speedup_percent);
        let text = fill(s.published_slower, &[&w.workload, &change, &quoted]);
        pen.wrapped(out, &text, 2, Role::Warn);
    }
    if let (Some(step), false) = (p.step_ns, p.within_step.is_empty()) {
        let text = fill(
            s.published_step,
            &[&fmt::time_ns(step), &p.within_step.join(", ")],
        );
        pen.wrapped(out, &text, 2, Role::Warn);
    }
}

fn table(
    pen: &Pen,
    out: &mut Vec<Line<'static>>,
    title: &str,
    view: &CompareView,
    rows: &[ComparedFigure],
) {
    let is_time = std::ptr::eq(rows, view.workloads.as_slice());
    let times = || rows.iter().flat_map(|r| r.values.iter().flatten().copied());
    let common = is_time.then(|| TimeUnit::of(times()));
    // Where one unit would make long numbers, each row has its own.
    let far = times().fold(0.0, f64::max) > FAR * times().fold(f64::INFINITY, f64::min);
    if rows.is_empty() {
        return;
    }
    let subjects = rows.iter().map(|r| r.values.len()).max().unwrap_or(0);
    let units = rows.iter().map(|r| width(&inert(fmt::unit(&r.unit))) + 4);
    let others = 2 + subjects * FIGURE + CHANGE + units.max().unwrap_or(0);
    let names = || rows.iter().map(|r| r.name.as_str());
    // A name has what the figures leave of the width, and a third of it at least.
    let widest = names().map(|n| width(&inert(n))).max().unwrap_or(0);
    let free = widest.min(pen.width.saturating_sub(others));
    let name = name_columns(pen, names()).max(free);
    // As many columns as have room, the others below them under the same names.
    let room = pen.width.saturating_sub(name + 2 + CHANGE) / FIGURE;
    let band = room.clamp(2, LETTERS.len());
    for from in (0..subjects).step_by(band) {
        let part = from..(from + band).min(subjects);
        let last = part.end == subjects;
        let mut head = pen.theme.left(title, name + 2);
        for letter in LETTERS.iter().take(part.end).skip(part.start) {
            head.push_str(&format!(" {}", pen.theme.right(letter, FIGURE - 1)));
        }
        if last {
            // Of several the change is between the ends of the row, which nobody would guess.
            let change = match subjects {
                0..=2 => pen.s.change.to_owned(),
                n => format!("{}/{}", LETTERS.get(n - 1).unwrap_or(&"-"), LETTERS[0]),
            };
            head.push_str(&format!(" {}", pen.theme.right(&change, CHANGE - 1)));
        }
        pen.heading(out, &head);
        out.extend(rows.iter().map(|r| {
            let doubted = |i: usize| {
                let of = view.variants.get(i).filter(|_| is_time);
                of.is_some_and(|v| v.time_is_doubted(Some(&r.name)))
            };
            let own = || TimeUnit::of(r.values.iter().flatten().copied());
            let unit = common.map(|unit| if far { own() } else { unit });
            parts::figure(pen, r, name, part.clone(), (unit, &doubted))
        }));
    }
}

/// For each workload the samples of all subjects over one scale, with the figures beside them.
fn samples(pen: &Pen, out: &mut Vec<Line<'static>>, view: &CompareView) {
    let mut workloads: Vec<&str> = Vec::new();
    for set in &view.samples {
        if !workloads.contains(&set.workload.as_str()) {
            workloads.push(&set.workload);
        }
    }
    for w in workloads {
        let sets = view.samples.iter().filter(|s| s.workload == w);
        let sets: Vec<(&str, &[f64])> = sets
            .map(|set| {
                let at = view.variants.iter().position(|v| v.name == set.subject);
                let letter = at.and_then(|i| LETTERS.get(i));
                let label = letter.map_or(set.subject.as_str(), |l| l);
                (label, set.values_ns.as_slice())
            })
            .collect();
        if histogram::range(sets.iter().map(|s| s.1)).is_some() {
            pen.heading(out, &samples_title(pen.s, w));
            strips(pen, out, &sets);
            in_order(pen, out, &sets);
        }
    }
}

/// The samples in the order in which they were taken, over the same scale.
fn in_order(pen: &Pen, out: &mut Vec<Line<'static>>, sets: &[(&str, &[f64])]) {
    let Some((lo, hi)) = histogram::range(sets.iter().map(|s| s.1)) else {
        return;
    };
    let columns = strip_columns(pen);
    out.push(pen.line(&format!("  {}", pen.s.in_order), Role::Dim));
    for (label, values) in sets {
        let strip = histogram::strip(values, lo, hi, columns, pen.theme.heights());
        let head = format!("  {} ", pen.theme.cut(&inert(label), 8));
        out.push(Line::from(vec![
            pen.span(head, Role::Title),
            pen.span(strip, Role::Accent),
        ]));
    }
}

/// Columns of a histogram or of a strip.
fn strip_columns(pen: &Pen) -> usize {
    (pen.width.saturating_sub(20) / 2).clamp(8, 48)
}

/// The heading of the samples of a workload, by which they are found.
pub fn samples_title(s: &Strings, workload: &str) -> String {
    format!("{}: {workload}", s.samples)
}

/// Histograms of labelled samples over one scale, with the figures beside them.
pub fn strips(pen: &Pen, out: &mut Vec<Line<'static>>, sets: &[(&str, &[f64])]) {
    let Some((lo, hi)) = histogram::range(sets.iter().map(|s| s.1)) else {
        return;
    };
    let columns = strip_columns(pen);
    for (label, values) in sets {
        let bars = histogram::bars(values, lo, hi, columns, pen.theme.heights());
        let numbers = histogram::numbers(values).map_or_else(String::new, |n| {
            format!(
                "  {} {}  IQR {}  n={}",
                pen.s.median,
                fmt::time_ns(n.median),
                fmt::time_ns(n.iqr),
                n.count
            )
        });
        out.push(Line::from(vec![
            pen.span(
                format!("  {} ", pen.theme.cut(&inert(label), 8)),
                Role::Title,
            ),
            pen.span(bars, Role::Accent),
            pen.span(numbers, Role::Plain),
        ]));
    }
    out.push(pen.line(
        &format!("    {} .. {}", fmt::time_ns(lo), fmt::time_ns(hi)),
        Role::Dim,
    ));
}
