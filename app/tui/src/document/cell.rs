//! One cell of the heat map: both medians, the interval, where it comes from, the samples.

use assay_core::text::inert;
use assay_core::view::{HeatRow, SampleSet, Side, WorkloadVerdictView};
use ratatui::text::Line;

use super::compare;
use super::parts::Pen;
use crate::fmt;
use crate::theme::{Role, verdict_role};
use crate::view::PUBLISHED;

/// The cell.
pub fn lines(
    pen: &Pen,
    row: &HeatRow,
    workload: &str,
    cell: Option<&WorkloadVerdictView>,
    samples: Result<&[SampleSet], &str>,
) -> Vec<Line<'static>> {
    let s = pen.s;
    let mut out = vec![pen.line(
        &format!("{} / {}  {workload}", row.name, row.against),
        Role::Title,
    )];
    match cell {
        Some(c) => figures(pen, row, c, &mut out),
        None => out.push(pen.line(&format!("  {}", s.heat_no_cell), Role::Dim)),
    }
    mean(pen, row, &mut out);
    strips(pen, row, workload, samples, &mut out);
    let records = row.records.iter().take(4).cloned().collect::<Vec<_>>();
    let more = match row.records.len().saturating_sub(records.len()) {
        0 => String::new(),
        n => format!(" +{n}"),
    };
    if !records.is_empty() {
        let text = format!("  {} {}{more}", s.heat_record, records.join(" "));
        out.push(pen.line(&text, Role::Dim));
    }
    out
}

fn figures(pen: &Pen, row: &HeatRow, c: &WorkloadVerdictView, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    let published = row.is_published();
    // Without an interval nothing is said of the side: that there is none stands before it.
    let word = match row.side_of(c) {
        Side::Faster => Some((s.heat_faster, Role::Good)),
        Side::Slower => Some((s.heat_slower, Role::Bad)),
        Side::Noise => Some((s.heat_noise, Role::Plain)),
        Side::Unknown => None,
    };
    let ratio = c.ratio.map_or("-".into(), fmt::ratio);
    let percent = c.ratio.map_or_else(String::new, |r| {
        format!(" ({})", fmt::percent((r - 1.0) * 100.0))
    });
    let interval = match c.interval {
        Some(i) => format!(" [{}]", fmt::interval(i)),
        None => format!(" {}", s.heat_no_interval),
    };
    let mut spans = vec![
        pen.span(format!("  {ratio}{percent}"), Role::Title),
        pen.span(interval, Role::Plain),
    ];
    spans.extend(word.map(|(word, role)| pen.span(format!("  {word}"), role)));
    if c.guard_broken {
        spans.push(pen.span(format!("  ! {}", s.guard_broken), Role::Bad));
    }
    if published {
        spans.push(pen.span(format!("  {PUBLISHED} {}", s.heat_unproven), Role::Warn));
    }
    out.push(Line::from(spans));
    let times = fmt::times_ns(&[c.a_median_ns, c.b_median_ns]);
    let of = |letter: &str, name: &str, at: usize| {
        let time = times.get(at).map_or("-", String::as_str);
        format!("{letter} {time} ({})", inert(name))
    };
    let text = format!(
        "  {}  {}  {}",
        s.median,
        of("A", &row.against, 0),
        of("B", &row.name, 1)
    );
    out.push(pen.line(&text, Role::Plain));
}

/// The whole row: mean, verdict, wins and losses.
fn mean(pen: &Pen, row: &HeatRow, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    let ratio = row.ratio.map_or("-".into(), fmt::ratio);
    let interval = row
        .interval
        .map_or_else(String::new, |i| format!(" [{}]", fmt::interval(i)));
    let mut spans = vec![pen.span(
        format!("  {} {ratio}{interval}  ", s.heat_mean),
        Role::Plain,
    )];
    if let Some(v) = &row.verdict {
        spans.push(pen.span(format!("{}  ", inert(v)), verdict_role(v)));
    }
    if !row.is_published() {
        let count = format!("{} {}/{}", s.heat_wins, row.wins.len(), row.losses.len());
        spans.push(pen.span(count, Role::Plain));
    }
    out.push(Line::from(spans));
}

fn strips(
    pen: &Pen,
    row: &HeatRow,
    workload: &str,
    samples: Result<&[SampleSet], &str>,
    out: &mut Vec<Line<'static>>,
) {
    let sets = match samples {
        Ok(sets) => sets,
        Err(why) => return out.push(pen.line(&format!("  {why}"), Role::Dim)),
    };
    let of = |subject: &str| {
        let of_it = |s: &&SampleSet| s.workload == workload && s.subject == subject;
        sets.iter().find(of_it).map(|s| s.values_ns.as_slice())
    };
    let both: Vec<(&str, &[f64])> = [("A", &row.against), ("B", &row.name)]
        .into_iter()
        .filter_map(|(letter, name)| Some((letter, of(name)?)))
        .collect();
    match both.is_empty() {
        true if row.is_published() => {}
        true => out.push(pen.line(&format!("  {}", pen.s.heat_no_samples), Role::Dim)),
        false => compare::strips(pen, out, &both),
    }
}
