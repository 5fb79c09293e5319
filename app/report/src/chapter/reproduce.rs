//! Commands that repeat the campaign.

use super::or_none;
use crate::doc::{Doc, Line};
use crate::strings::{Strings, fill};
use crate::{MeasuredCommit, ReportModel};

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
    if m.list.read_only {
        out.paragraph(s.reproduce_read_only);
    }
    commands(&m.reproduce, out);
    if !m.claim_commits.is_empty() {
        let side = |c: &MeasuredCommit| {
            fill(
                s.reproduce_side,
                &[Line::outside(&c.name), Line::outside(&c.commit)],
            )
        };
        let sides = Line::join(m.claim_commits.iter().map(side), ", ");
        let evaluator = or_none(m.task.evaluator.as_deref());
        out.paragraph(fill(s.reproduce_commits, &[sides, evaluator]));
    }
    if m.list.read_only {
        match m.readme.is_empty() {
            true => out.paragraph(s.reproduce_no_readme),
            false => {
                out.paragraph(s.reproduce_readme);
                commands(&m.readme, out);
            }
        }
    }
}

fn commands(all: &[String], out: &mut Doc) {
    // A line feed inside a command would pass for a command of its own.
    let lines: Vec<String> = all
        .iter()
        .map(|c| assay_core::text::inert(c).into_owned())
        .collect();
    out.code("sh", lines.join("\n"));
}
