//! Commands that repeat the campaign.

use super::{heading, paragraph};
use crate::ReportModel;
use crate::escape::fence;
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    heading(out, s.reproduce);
    if m.reproduce.is_empty() {
        paragraph(out, s.reproduce_none);
        return;
    }
    // A line feed inside a command would pass for a command of its own.
    let lines: Vec<String> = m
        .reproduce
        .iter()
        .map(|c| assay_core::text::inert(c).into_owned())
        .collect();
    out.push_str(&fence("sh", &lines.join("\n")));
    out.push('\n');
}
