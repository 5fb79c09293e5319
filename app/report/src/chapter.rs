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

use crate::ReportModel;
use crate::strings::Strings;

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
