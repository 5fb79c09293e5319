//! Directions that were given up, with the reason: the next person need not try them again.

use assay_core::view::{ShowView, VariantRow};

use super::{decided_on, or_none};
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE};
use crate::said::said;
use crate::strings::{Strings, fill};

/// Directions of a published review: groups, each with the one reason that the document gives for all
/// that was tried in it.
fn published(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let given_up = |v: &&VariantRow| matches!(v.status.as_str(), "rejected" | "parked");
    let rows: Vec<Vec<Line>> = (m.list.variants.iter().filter(given_up))
        .map(|v| {
            let knobs = (v.knobs.iter()).map(|(k, x)| Line::outside(format!("{k} = {x}")));
            let decision = v.decision.as_ref();
            vec![
                Line::outside(&v.name),
                or_none(v.family.as_deref()),
                said(out.lang, &v.why),
                Line::join(knobs, ", "),
                said(out.lang, decision.map_or("", |d| &d.reason)),
            ]
        })
        .collect();
    if rows.is_empty() {
        out.paragraph(s.nothing);
        return;
    }
    out.paragraph(s.rejected_groups);
    let head = [
        s.group,
        s.family_name,
        s.tried,
        s.knobs_name,
        s.document_reason,
    ];
    out.table(head, &[], rows);
}

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.rejected);
    if m.is_published() {
        published(m, s, out);
        return;
    }
    let rows: Vec<Vec<Line>> = m
        .list
        .variants
        .iter()
        .filter(|v| matches!(v.status.as_str(), "rejected" | "parked"))
        .map(|v| {
            let decision = v.decision.as_ref();
            vec![
                Line::outside(&v.name),
                or_none(v.family.as_deref()),
                said(out.lang, &v.why),
                or_none(v.against.as_deref()),
                Line::own(figure::ratio(v.ratio)),
                Line::own(figure::interval(v.interval)),
                decided_on(s, decision, v.verdict.as_deref()),
                decision.map_or_else(|| Line::outside(&v.status), |d| s.decision_kind(&d.kind)),
                said(out.lang, decision.map_or("", |d| &d.reason)),
            ]
        })
        .collect();
    if rows.is_empty() {
        out.paragraph(s.nothing);
        return;
    }
    let head = [
        s.variant,
        s.family_name,
        s.why,
        s.against,
        s.ratio,
        s.interval,
        s.verdict,
        s.decision,
        s.reason,
    ];
    out.table(head, &[4, 5], rows);
    let given_up: Vec<&ShowView> = (m.shows.iter())
        .filter(|v| matches!(v.variant.status.as_str(), "rejected" | "parked"))
        .collect();
    matrix(m, s, &given_up, out);
    predictions(s, &given_up, out);
}

/// Variants that a table below shows; the CSV has all.
const MOST: usize = 60;

/// The ratio on each workload: a direction that loses on the whole may win on some.
fn matrix(m: &ReportModel, s: &Strings, given_up: &[&ShowView], out: &mut Doc) {
    let judged = given_up
        .iter()
        .filter_map(|v| Some((*v, v.verdict.as_ref()?)));
    let several: Vec<_> = judged.filter(|(_, v)| v.workloads.len() > 1).collect();
    if several.is_empty() {
        return;
    }
    let known = |w: &&String| {
        let mut all = several.iter().flat_map(|(_, v)| &v.workloads);
        all.any(|x| x.workload == **w)
    };
    let workloads: Vec<&String> = m.list.workloads.iter().filter(known).collect();
    out.paragraph(s.rejected_matrix);
    let rows = several.iter().take(MOST).map(|(show, v)| {
        let cells = workloads.iter().map(|w| {
            let of = v.workloads.iter().find(|x| x.workload == **w);
            let Some(x) = of else { return NONE.into() };
            let ratio = Line::own(figure::ratio(x.ratio));
            match x.interval {
                Some(i) => fill(
                    s.interval_at,
                    &[ratio, Line::own(figure::interval(Some(i)))],
                ),
                None => ratio,
            }
        });
        let names = [&show.variant.name, &v.a].map(Line::outside);
        names.into_iter().chain(cells).collect()
    });
    let head = [s.variant.into(), s.against.into()];
    let head = head
        .into_iter()
        .chain(workloads.iter().map(|w| Line::outside(*w)));
    let right: Vec<usize> = (2..workloads.len() + 2).collect();
    out.table(head, &right, rows.collect());
    cut(several.len(), s, out);
}

/// What became of the predictions of directions that were given up.
fn predictions(s: &Strings, given_up: &[&ShowView], out: &mut Doc) {
    let made: Vec<&&ShowView> = (given_up.iter())
        .filter(|v| !v.predictions.is_empty())
        .collect();
    if made.is_empty() {
        return;
    }
    out.paragraph(fill(s.colon, &[s.predictions.into()]));
    let rows = made.iter().take(MOST).flat_map(|show| {
        show.predictions.iter().map(|p| {
            vec![
                Line::outside(&show.variant.name),
                Line::outside(&p.text),
                Line::own(figure::change(p.observed_percent)),
                s.yes_no(p.held).into(),
            ]
        })
    });
    let head = [s.variant, s.prediction, s.observed, s.held];
    out.table(head, &[2], rows.collect());
    cut(made.len(), s, out);
}

fn cut(all: usize, s: &Strings, out: &mut Doc) {
    if all > MOST {
        let counts = [MOST, all].map(Line::count);
        out.paragraph(fill(s.rejected_cut, &counts));
    }
}
