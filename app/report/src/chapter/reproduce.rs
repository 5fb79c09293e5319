//! Commands that repeat the campaign.

use crate::ReportModel;
use crate::doc::Doc;
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.reproduce);
    if m.is_published() {
        out.paragraph(s.reproduce_published);
        return;
    }
    if m.reproduce.is_empty() {
        out.paragraph(s.reproduce_none);
        return;
    }
    // A line feed inside a command would pass for a command of its own.
    let lines: Vec<String> = m
        .reproduce
        .iter()
        .map(|c| assay_core::text::inert(c).into_owned())
        .collect();
    out.code("sh", lines.join("\n"));
}
