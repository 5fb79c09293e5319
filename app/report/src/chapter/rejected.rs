//! Directions that were given up, with the reason: the next person need not try them again.

use assay_core::view::VariantRow;

use super::{decided_on, or_none};
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure;
use crate::said::said;
use crate::strings::Strings;

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
}
