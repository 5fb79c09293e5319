//! Directions that were given up, with the reason: the next person need not try them again.

use super::{decided_on, or_none};
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure;
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.rejected);
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
                or_none(Some(&v.why)),
                or_none(v.against.as_deref()),
                Line::own(figure::ratio(v.ratio)),
                Line::own(figure::interval(v.interval)),
                decided_on(s, decision, v.verdict.as_deref()),
                decision.map_or_else(|| Line::outside(&v.status), |d| s.decision_kind(&d.kind)),
                or_none(decision.map(|d| d.reason.as_str())),
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
