//! Directions that were given up, with the reason: the next person need not try them again.

use super::{decided_on, heading, or_none, paragraph};
use crate::ReportModel;
use crate::escape::{md, table};
use crate::figure;
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    heading(out, s.rejected);
    let rows: Vec<Vec<String>> = m
        .list
        .variants
        .iter()
        .filter(|v| matches!(v.status.as_str(), "rejected" | "parked"))
        .map(|v| {
            let decision = v.decision.as_ref();
            vec![
                md(&v.name),
                or_none(v.family.as_deref()),
                or_none(Some(&v.why)),
                or_none(v.against.as_deref()),
                figure::ratio(v.ratio),
                figure::interval(v.interval),
                decided_on(s, decision, v.verdict.as_deref()),
                decision.map_or_else(|| md(&v.status), |d| s.decision_kind(&d.kind)),
                or_none(decision.map(|d| d.reason.as_str())),
            ]
        })
        .collect();
    if rows.is_empty() {
        paragraph(out, s.nothing);
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
    table(out, &head, &[4, 5], &rows);
}
