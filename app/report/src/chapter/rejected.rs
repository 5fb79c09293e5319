//! Directions that were given up, with the reason: the next person need not try them again.

use assay_core::view::VariantRow;

use super::{heading, or_none, paragraph};
use crate::ReportModel;
use crate::escape::{md, table};
use crate::figure;
use crate::strings::{Strings, fill};

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
                verdict(s, v),
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

/// The words of verdicts, as a reason that rests on one begins with it.
const WORDS: [&str; 6] = [
    "FASTER",
    "SLOWER",
    "SAME",
    "NO_GAIN",
    "UNDECIDED",
    "INVALID",
];

/// The verdict that the decision rested on; where the row has another by now, both.
fn verdict(s: &Strings, v: &VariantRow) -> String {
    let reason = v.decision.as_ref().map_or("", |d| d.reason.as_str());
    let stated = reason
        .split_once(':')
        .and_then(|(word, _)| WORDS.into_iter().find(|w| *w == word.trim()));
    match (stated, v.verdict.as_deref()) {
        (Some(then), Some(now)) if now != then => fill(s.verdict_later, &[&md(then), &md(now)]),
        (Some(then), _) => md(then),
        (None, now) => or_none(now),
    }
}
