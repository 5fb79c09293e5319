//! A card for each accepted variant: hypothesis, change, evidence, verdict, decision.

use std::collections::BTreeSet;

use assay_core::view::{ShowView, VerdictView};

use super::{counters, figures, or_none, pictures, source};
use crate::doc::{Doc, Line};
use crate::figure::{self, change};
use crate::model::was_accepted;
use crate::said::said;
use crate::strings::{Strings, fill, names};
use crate::{MAX_DIFF_LINES, MOST_PICTURES, ReportModel};

/// Lines of the diff on a card without pictures, in a format with pictures: the page stays small.
const SHORT_DIFF: usize = 20;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.cards);
    let accepted: Vec<&ShowView> = m
        .shows
        .iter()
        .filter(|v| was_accepted(&v.variant))
        .collect();
    if accepted.is_empty() {
        let any = m.list.variants.iter().any(was_accepted);
        out.paragraph(if any { s.cards_none } else { s.chain_none });
        return;
    }
    let all = accepted.len();
    let without = all.saturating_sub(MOST_PICTURES);
    if out.plots && without > 0 {
        let counts = [MOST_PICTURES, all].map(Line::count);
        out.paragraph(fill(s.plots_left_out, &counts));
    }
    for (i, show) in accepted.into_iter().enumerate() {
        card(m, s, show, i >= without, out);
    }
}

fn card(m: &ReportModel, s: &Strings, show: &ShowView, is_drawn: bool, out: &mut Doc) {
    let row = &show.variant;
    out.heading(3, Line::outside(&row.name));
    out.paragraph(fill(s.hypothesis, &[said(out.lang, &row.why)]));
    if row.family.is_some() || !row.knobs.is_empty() {
        let knobs = row
            .knobs
            .iter()
            .map(|(k, v)| Line::outside(k).and(" = ").and(Line::outside(v)));
        let knobs = Line::join(knobs, ", ");
        out.paragraph(fill(s.family, &[or_none(row.family.as_deref()), knobs]));
    }
    if show.stale {
        out.paragraph(s.stale);
    }
    predictions(s, show, out);
    match &show.verdict {
        Some(v) => verdict(s, v, out),
        None => out.paragraph(s.card_verdict_none),
    }
    if is_drawn {
        out.plot(|lang| pictures::samples(m, show, lang));
    }
    gates(s, show, out);
    let most = if out.plots && !is_drawn {
        SHORT_DIFF
    } else {
        MAX_DIFF_LINES
    };
    kernel_diff(m, s, show, most, out);
    source::write(m, s, show, most, out);
    let parent = row.parent.as_deref().and_then(|p| m.show(p));
    let before = parent.map(|p| &p.facts);
    figures::write(m, s, s.facts.into(), before, &show.facts, out);
    counters::write(m, s, row.parent.as_deref(), &row.name, out);
    if is_drawn {
        pictures::counters(m, show, out);
    }
    for d in &show.decisions {
        let by = match d.decided_by.as_str() {
            "policy" => s.by_policy,
            _ => s.by_person,
        };
        let values = [
            s.decision_kind(&d.kind),
            said(out.lang, &d.by),
            by.into(),
            Line::outside(figure::second(&d.at)),
            said(out.lang, &d.reason),
        ];
        out.paragraph(fill(s.decided, &values));
    }
    records(m, s, show, out);
}

/// Profiles that a card names; of more the index of evidence has all.
const MOST_PROFILES: usize = 6;

/// The records that the figures of the card are from.
fn records(m: &ReportModel, s: &Strings, show: &ShowView, out: &mut Doc) {
    let of = |kind: &'static str, id: Line| Line::own(kind).and(" ").and(id);
    let one = show.records.by_kind().into_iter();
    let mut items: Vec<Line> = one
        .filter(|(kind, _)| *kind != "profile")
        .map(|(kind, id)| of(kind, Line::outside(id)))
        .collect();
    // Counters are put together from several profiles, which their sets name.
    let sets = m.counters_of(&show.variant.name).iter();
    let profiles: BTreeSet<&str> = sets.flat_map(|c| &c.records).map(String::as_str).collect();
    if !profiles.is_empty() {
        items.push(of("profile", names(profiles, MOST_PROFILES)));
    }
    if !items.is_empty() {
        out.paragraph(fill(s.card_records, &[Line::join(items, ", ")]));
    }
}

/// Times and counters of one variant.
pub(crate) fn measured(m: &ReportModel, s: &Strings, show: &ShowView, out: &mut Doc) {
    if let Some(v) = &show.verdict {
        verdict(s, v, out);
    }
    let row = &show.variant;
    counters::write(m, s, row.parent.as_deref(), &row.name, out);
}

fn predictions(s: &Strings, show: &ShowView, out: &mut Doc) {
    if show.predictions.is_empty() {
        out.paragraph(s.predictions_none);
        return;
    }
    let rows: Vec<Vec<Line>> = show
        .predictions
        .iter()
        .map(|p| {
            vec![
                Line::outside(&p.text),
                match p.observed_percent {
                    None if !p.why.is_empty() => said(out.lang, &p.why),
                    observed => Line::own(change(observed)),
                },
                s.yes_no(p.held).into(),
            ]
        })
        .collect();
    out.paragraph(fill(s.colon, &[s.predictions.into()]));
    out.table([s.prediction, s.observed, s.held], &[1], rows);
}

fn verdict(s: &Strings, v: &VerdictView, out: &mut Doc) {
    let lang = out.lang;
    let reason = said(lang, &v.reason);
    out.paragraph(fill(s.card_verdict, &[Line::outside(&v.verdict), reason]));
    out.list(v.beside().iter().map(|text| said(lang, text)).collect());
    if v.workloads.is_empty() {
        return;
    }
    let rows: Vec<Vec<Line>> = v
        .workloads
        .iter()
        .map(|w| {
            let guard = if w.guard_broken {
                s.guard_broken
            } else {
                s.guard_kept
            };
            vec![
                Line::outside(&w.workload),
                Line::own(figure::time(w.a_median_ns)),
                Line::own(figure::time(w.b_median_ns)),
                Line::own(figure::ratio(w.ratio)),
                Line::own(figure::interval(w.interval)),
                guard.into(),
            ]
        })
        .collect();
    let a = fill(s.reference_median, &[Line::outside(&v.a)]);
    let b = fill(s.reference_median, &[Line::outside(&v.b)]);
    let head = [
        s.workload.into(),
        a,
        b,
        s.ratio.into(),
        s.interval.into(),
        s.guard.into(),
    ];
    out.table(head, &[1, 2, 3, 4], rows);
}

/// Only gates that did not simply pass.
pub(crate) fn gates(s: &Strings, show: &ShowView, out: &mut Doc) {
    let mut items = Vec::new();
    for g in &show.variant.gates {
        items.push(match (&g.overridden, g.pass) {
            (Some(reason), _) => fill(
                s.gate_overridden,
                &[Line::outside(&g.name), said(out.lang, reason)],
            ),
            (None, Some(true)) => continue,
            (None, Some(false)) => fill(
                s.gate_failed,
                &[Line::outside(&g.name), said(out.lang, &g.evidence)],
            ),
            (None, None) => fill(
                s.gate_unknown,
                &[Line::outside(&g.name), said(out.lang, &g.evidence)],
            ),
        });
    }
    out.list(items);
}

fn kernel_diff(m: &ReportModel, s: &Strings, show: &ShowView, most: usize, out: &mut Doc) {
    let Some(diff) = m.kernel_diffs.get(&show.variant.name) else {
        return;
    };
    let parent = or_none(show.variant.parent.as_deref());
    out.paragraph(fill(s.colon, &[fill(s.diff, &[parent])]));
    let files = m.kernel_files.get(&show.variant.name);
    source::diff(s, diff, files.map_or(&[], Vec::as_slice), most, out);
}
