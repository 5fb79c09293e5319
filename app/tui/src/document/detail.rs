//! The detail of one variant.

use assay_core::record::DecisionKind;
use assay_core::text::inert;
use assay_core::view::{FailureView, FigureView, ShowView, VariantRow};
use ratatui::text::Line;

use super::chain::chain;
use super::parts::doubted;
use super::parts::{self, Pen, name_columns};
use crate::fmt;
use crate::options::Lang;
use crate::strings::{decision_word, failure_word, fill, kind_word, status_word};
use crate::theme::{Role, status_role};

/// Rows of a table of a note that are shown here.
const NOTE_ROWS: usize = 20;

/// The detail; without `show` what the list knows.
pub fn lines(
    pen: &Pen,
    v: &VariantRow,
    show: Option<&ShowView>,
    champion: bool,
) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    head(pen, v, champion, &mut out);
    match show {
        Some(show) => body(pen, show, &mut out),
        None => summary(pen, v, &mut out),
    }
    out
}

fn head(pen: &Pen, v: &VariantRow, champion: bool, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    let mark = if champion {
        format!("{} ", pen.theme.champion())
    } else {
        String::new()
    };
    let name = inert(&v.name);
    out.push(Line::from(vec![
        pen.span(
            format!(
                "{mark}{}  ",
                pen.theme.cut(&name, pen.width.saturating_sub(14))
            ),
            Role::Title,
        ),
        pen.span(
            inert(status_word(pen.lang, &v.status)).into_owned(),
            status_role(&v.status),
        ),
    ]));
    if !v.why.is_empty() {
        pen.wrapped(out, &pen.said(&v.why), 0, Role::Plain);
    }
    out.push(Line::default());
    // Why it was decided so is asked first of what was decided.
    if let Some(d) = &v.decision {
        pen.pair(out, s.reason, &pen.said(&d.reason), Role::Plain);
    }
    let parents = if v.parents.is_empty() {
        v.parent.clone()
    } else {
        Some(v.parents.join(", "))
    };
    if let Some(p) = parents {
        pen.pair(out, s.parent, &p, Role::Plain);
    }
    if let Some(f) = &v.family {
        pen.pair(out, s.family, f, Role::Plain);
    }
    if !v.knobs.is_empty() {
        let knobs: Vec<String> = v.knobs.iter().map(|(k, x)| format!("{k}={x}")).collect();
        pen.pair(out, s.knobs, &knobs.join(" "), Role::Plain);
    }
    if let Some(c) = &v.commit {
        pen.pair(
            out,
            s.commit,
            &c.chars().take(12).collect::<String>(),
            Role::Dim,
        );
    }
    if let Some(f) = &v.failure {
        failure(pen, s.failure, f, Role::Bad, out);
    }
    if let Some(f) = &v.later_failure {
        failure(pen, s.later_failure, f, Role::Warn, out);
        pen.wrapped(out, s.later_stands, 2, Role::Plain);
    }
}

/// The kind of a failure where there is room for the word of the record.
fn failure_kind(lang: Lang, kind: &str) -> &str {
    match lang {
        Lang::En => kind,
        Lang::Zh => failure_word(lang, kind),
    }
}

/// A failure with the end of what was printed.
fn failure(pen: &Pen, title: &str, f: &FailureView, role: Role, out: &mut Vec<Line<'static>>) {
    pen.heading(
        out,
        &format!("{title}: {} ({})", failure_kind(pen.lang, &f.kind), f.stage),
    );
    pen.wrapped(out, &pen.said(&f.message), 2, role);
    let tail: Vec<&str> = f.stderr_tail.lines().collect();
    for l in &tail[tail.len().saturating_sub(12)..] {
        pen.wrapped(out, l, 2, Role::Dim);
    }
}

/// Verdict and gates as the list has them, until the rest is read.
fn summary(pen: &Pen, v: &VariantRow, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    if let (Some(word), Some(r)) = (&v.verdict, v.ratio) {
        pen.heading(out, s.verdict);
        let i = v
            .interval
            .map_or_else(String::new, |i| format!(" [{}]", fmt::interval(i)));
        pen.wrapped(out, &format!("{word} {}{i}", fmt::ratio(r)), 2, Role::Plain);
    }
    if !v.gates.is_empty() {
        pen.heading(out, s.gates);
        parts::gates(pen, out, &v.gates);
    }
}

fn body(pen: &Pen, show: &ShowView, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    let is_published = !show.variant.published.is_empty();
    // What was published has a ledger and no branch, and so has what lies in a plain folder.
    if show.tip.is_none() && !show.branch.is_empty() && !is_published {
        pen.wrapped(out, &format!("! {}", s.branch_gone), 0, Role::Warn);
    }
    if show.stale {
        pen.wrapped(out, &format!("! {}", s.stale), 0, Role::Warn);
    }
    match &show.verdict {
        Some(v) => parts::verdict(pen, out, v),
        None => {
            pen.heading(out, s.verdict);
            let text = match is_published {
                true => s.mark_published,
                false => s.not_measured,
            };
            pen.wrapped(out, text, 2, Role::Dim);
        }
    }
    if let (Some(r), None) = (&show.variant.screened, &show.verdict) {
        let figure = r.ratio.map_or("-".into(), fmt::ratio);
        let interval = r
            .interval
            .map_or_else(String::new, |i| format!("[{}]", fmt::interval(i)));
        let text = fill(s.screened_by, &[&r.against, &figure, &interval]);
        pen.wrapped(out, &text, 2, Role::Plain);
    }
    for (text, role) in show.chain.iter().flat_map(|c| chain(s, c)) {
        pen.wrapped(out, &text, 2, role);
    }
    if !show.variant.gates.is_empty() {
        pen.heading(out, s.gates);
        parts::gates(pen, out, &show.variant.gates);
    }
    medians(pen, show, out);
    predictions(pen, show, out);
    let counters = match &show.counter_tool {
        Some(tool) => format!("{} ({tool})", s.counters),
        None => s.counters.to_owned(),
    };
    figures(pen, &counters, &show.counters, out);
    figures(pen, s.facts, &show.facts, out);
    history(pen, show, out);
}

fn figures(
    pen: &Pen,
    title: &str,
    figures: &std::collections::BTreeMap<String, FigureView>,
    out: &mut Vec<Line<'static>>,
) {
    if figures.is_empty() {
        return;
    }
    pen.heading(out, title);
    let name = name_columns(pen, figures.keys().map(String::as_str));
    for (n, f) in figures {
        let (n, value) = (
            pen.theme.left(&inert(n), name),
            pen.theme.right(&fmt::figure(f.value), 14),
        );
        out.push(pen.line(
            &format!("  {n} {value} {}", fmt::unit(&f.unit)),
            Role::Plain,
        ));
    }
}

fn medians(pen: &Pen, show: &ShowView, out: &mut Vec<Line<'static>>) {
    if show.variant.median_ns.is_empty() && show.checks.is_empty() {
        return;
    }
    let s = pen.s;
    pen.heading(out, s.workloads);
    let names = show
        .variant
        .median_ns
        .keys()
        .chain(show.checks.iter().map(|c| &c.workload));
    let name = name_columns(pen, names.map(String::as_str));
    for (w, ns) in &show.variant.median_ns {
        let mark = match show.variant.median_mark(Some(w)) {
            "" => String::new(),
            mark => format!(" {mark}"),
        };
        let (w, ns) = (
            pen.theme.left(&inert(w), name),
            pen.theme.right(&fmt::time_ns(*ns), 12),
        );
        out.push(pen.line(&format!("  {w} {ns}{mark}"), Role::Plain));
    }
    doubted(pen, out, std::iter::once(&show.variant));
    for c in &show.checks {
        let word = if c.ok { s.passed } else { s.failed };
        let error = c
            .max_abs_error
            .map_or_else(String::new, |e| format!("max abs error {}", fmt::error(e)));
        let text = format!(
            "  {} {word}  {error} {}",
            pen.theme.left(&inert(&c.workload), name),
            c.detail
        );
        let role = if c.ok { Role::Dim } else { Role::Bad };
        out.push(Line::from(pen.span(inert(&text), role)));
    }
}

fn predictions(pen: &Pen, show: &ShowView, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    if show.predictions.is_empty() {
        return;
    }
    pen.heading(out, s.predictions);
    for p in &show.predictions {
        let (word, role) = match p.held {
            Some(true) => (s.held, Role::Good),
            Some(false) => (s.not_held, Role::Bad),
            None => (s.unknown, Role::Warn),
        };
        let seen = parts::foretold(pen, p);
        pen.wrapped(out, &format!("{}{seen}  {word}", p.text), 2, role);
    }
}

/// The word of a decision, as it stands in records in English.
fn decision(lang: Lang, kind: &str) -> &str {
    let known = [
        DecisionKind::Accept,
        DecisionKind::Reject,
        DecisionKind::Park,
        DecisionKind::Rollback,
    ];
    let found = known.into_iter().find(|k| k.name() == kind);
    match (lang, found) {
        (Lang::Zh, Some(k)) => decision_word(lang, k),
        _ => kind,
    }
}

fn history(pen: &Pen, show: &ShowView, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    if !show.decisions.is_empty() {
        pen.heading(out, s.decisions);
        for d in &show.decisions {
            let by = pen.said(&d.by);
            let head = format!(
                "{} {} {} {by}",
                fmt::minute(&d.at),
                decision(pen.lang, &d.kind),
                s.by
            );
            pen.wrapped(out, &head, 2, Role::Plain);
            pen.wrapped(out, &pen.said(&d.reason), 4, Role::Dim);
        }
    }
    if !show.notes.is_empty() {
        pen.heading(out, s.notes);
        for n in &show.notes {
            let topic = n
                .topic
                .as_ref()
                .map(|t| format!("{}: ", pen.lang.about(t)))
                .unwrap_or_default();
            pen.wrapped(
                out,
                &format!("{topic}{}", pen.said(&n.text)),
                2,
                Role::Plain,
            );
            for row in n.table.iter().flat_map(|t| &t.rows).take(NOTE_ROWS) {
                // What is said first; the report has the columns side by side.
                let cells: Vec<&str> = (row.iter().map(|c| c.trim()))
                    .filter(|c| !c.is_empty())
                    .collect();
                pen.wrapped(out, &cells.join(" | "), 4, Role::Dim);
            }
        }
    }
    if !show.evidence.is_empty() {
        pen.heading(out, s.evidence);
        for e in show.evidence.iter().rev().take(20) {
            pen.wrapped(
                out,
                &format!(
                    "{} {}: {}",
                    fmt::minute(&e.at),
                    kind_word(pen.lang, &e.kind),
                    pen.said(&e.summary)
                ),
                2,
                Role::Dim,
            );
        }
    }
    if !show.environment.is_empty() {
        pen.heading(out, s.environment);
        for (k, v) in &show.environment {
            pen.wrapped(out, &format!("{k}: {v}"), 2, Role::Dim);
        }
    }
}
