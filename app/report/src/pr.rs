//! A pull-request description: the change, its accuracy, its performance, and a checklist that the
//! records fill.

use assay_core::view::ShowView;

use crate::ReportModel;
use crate::chapter::{self, or_none};
use crate::check::check;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE, with_unit};
use crate::model::was_accepted;
use crate::strings::{Lang, Strings, fill};

/// Lines that one point of the checklist lists below itself.
const MOST_FOUND: usize = 5;

pub(crate) fn document(m: &ReportModel, lang: Lang) -> Doc {
    let s = lang.strings();
    let mut out = Doc {
        lang,
        ..Doc::default()
    };
    let champion = m.claim().map(|c| c.variant);
    let show = champion.as_deref().and_then(|name| m.show(name));
    let title = [Line::outside(&m.list.campaign), Line::outside(&m.title)];
    out.heading(1, fill(s.pr_title, &title));
    chapter::add("claim", 1, m, &mut out);
    source(m, s, show, &mut out);
    out.heading(2, s.pr_changes);
    changes(m, s, &mut out);
    chapter::add("rejected", 2, m, &mut out);
    out.heading(2, s.pr_accuracy);
    accuracy(s, show, &mut out);
    out.heading(2, s.pr_performance);
    let published: &[&str] = match m.is_published() {
        true => &["published", "notes"],
        false => &[],
    };
    let parts = ["environment", "protocol", "task", "chain"];
    for part in parts.iter().chain(published).chain(&["roofline"]) {
        chapter::add(part, 2, m, &mut out);
    }
    if let Some(show) = show {
        chapter::measured(m, s, show, &mut out);
    }
    for part in ["diagnosis", "audit", "threats", "reproduce"] {
        chapter::add(part, 2, m, &mut out);
    }
    out.heading(2, s.pr_checklist);
    checklist(m, s, lang, &mut out);
    out
}

/// Where the change comes from.
fn source(m: &ReportModel, s: &Strings, show: Option<&ShowView>, out: &mut Doc) {
    let kind = |mark: &'static str, text: &'static str| Line::own(mark).and(text);
    out.list(vec![kind("[ ] ", s.pr_feat), kind("[x] ", s.pr_optimize)]);
    let commit = |show: Option<&ShowView>| or_none(show.and_then(|v| v.variant.commit.as_deref()));
    let first = m.chain.first().and_then(|r| m.show(&r.name));
    let rows = vec![
        vec![s.pr_evaluator.into(), or_none(m.task.evaluator.as_deref())],
        vec![s.pr_first.into(), commit(first)],
        vec![s.pr_head.into(), commit(show)],
        vec![
            s.pr_branch.into(),
            or_none(show.map(|v| v.branch.as_str()).filter(|b| !b.is_empty())),
        ],
    ];
    out.table([s.key, s.value], &[], rows);
}

/// One paragraph for each accepted variant, with what it was measured to bring.
fn changes(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let accepted = m.shows.iter().filter(|v| was_accepted(&v.variant));
    let items: Vec<Line> = accepted
        .map(|v| {
            let row = &v.variant;
            let name = Line::outside(&row.name).strong();
            let why = or_none(Some(&row.why));
            match (&row.against, row.ratio) {
                (Some(against), Some(ratio)) => fill(
                    s.pr_step,
                    &[
                        name,
                        why,
                        Line::own(figure::ratio(Some(ratio))),
                        Line::outside(against),
                        Line::own(figure::interval(row.interval)),
                        or_none(row.verdict.as_deref()),
                    ],
                ),
                _ => fill(s.pr_step_unmeasured, &[name, why]),
            }
        })
        .collect();
    match items.is_empty() {
        true => out.paragraph(s.chain_none),
        false => out.list(items),
    }
}

fn accuracy(s: &Strings, show: Option<&ShowView>, out: &mut Doc) {
    let Some(show) = show.filter(|v| !v.checks.is_empty()) else {
        out.paragraph(s.pr_unchecked);
        return;
    };
    let error = |e: Option<f64>| e.map_or_else(|| NONE.into(), |e| with_unit(e, "1"));
    let rows = show.checks.iter().map(|c| {
        vec![
            Line::outside(&c.workload),
            error(c.max_abs_error),
            error(c.max_rel_error),
            s.yes_no(Some(c.ok)).into(),
            or_none(Some(&c.detail)),
        ]
    });
    let head = [
        s.workload,
        s.pr_abs_error,
        s.pr_rel_error,
        s.pr_right,
        s.message,
    ];
    out.table(head, &[1, 2], rows.collect());
    chapter::gates(s, show, out);
}

fn checklist(m: &ReportModel, s: &Strings, lang: Lang, out: &mut Doc) {
    let mut items = Vec::new();
    for c in check(m, lang) {
        let mark = match c.holds {
            Some(true) => "[x] ",
            _ => "[ ] ",
        };
        let mut line = Line::own(mark).and(c.rule.words(s));
        if !c.found.is_empty() {
            let shown = c.found.iter().take(MOST_FOUND).map(Line::outside);
            line = line.and(s.pr_found).and(Line::join(shown, "; "));
            if c.found.len() > MOST_FOUND {
                line = line.and(Line::own(format!(" (+{})", c.found.len() - MOST_FOUND)));
            }
        }
        items.push(line);
    }
    out.list(items);
}
