//! The chapters of a report, one file each, in the order in which they stand.

mod card;
mod chain;
mod claim;
mod environment;
mod evidence;
mod failures;
mod protocol;
mod rejected;
mod reproduce;
mod task;
mod threats;

use assay_core::view::DecisionView;

use crate::ReportModel;
use crate::escape::md;
use crate::strings::{Strings, fill};

/// Writes one chapter.
type Chapter = fn(&ReportModel, &Strings, &mut String);

/// All chapters in order.
pub(crate) const ALL: &[Chapter] = &[
    claim::write,
    task::write,
    environment::write,
    protocol::write,
    chain::write,
    card::write,
    rejected::write,
    failures::write,
    threats::write,
    reproduce::write,
    evidence::write,
];

fn heading(out: &mut String, title: &str) {
    out.push_str("## ");
    out.push_str(title);
    out.push_str("\n\n");
}

fn paragraph(out: &mut String, text: &str) {
    out.push_str(text);
    out.push_str("\n\n");
}

/// A name or text that may be absent.
fn or_none(text: Option<&str>) -> String {
    match text {
        Some(t) if !t.trim().is_empty() => crate::escape::md(t),
        _ => crate::figure::NONE.into(),
    }
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
fn decided_on(s: &Strings, decision: Option<&DecisionView>, now: Option<&str>) -> String {
    let reason = decision.map_or("", |d| d.reason.as_str());
    let stated = reason
        .split_once(':')
        .and_then(|(word, _)| WORDS.into_iter().find(|w| *w == word.trim()));
    match (stated, now) {
        (Some(then), Some(now)) if now != then => fill(s.verdict_later, &[&md(then), &md(now)]),
        (Some(then), _) => md(then),
        (None, now) => or_none(now),
    }
}
