//! What somebody wanted to be kept beside the evidence: what limits the kernel now, what to do next.

use assay_core::view::NoteView;

use super::published::table;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::second;
use crate::said::{about, said};
use crate::strings::{Lang, Strings, fill};

/// Topics on what limits the kernel and what to do next, which belong to that chapter.
const OUTLOOK: [&str; 4] = ["bottleneck", "next", "瓶颈", "下一步"];

/// Whether a note says what is left to do.
fn is_outlook(n: &NoteView) -> bool {
    let topic = n.topic.as_deref().unwrap_or_default().to_lowercase();
    let mut words = topic.split(|c: char| !c.is_alphanumeric());
    n.table.is_none()
        && (words.any(|w| OUTLOOK.contains(&w))
            || OUTLOOK[2..].iter().any(|word| topic.contains(word)))
}

/// Notes on what limits the kernel and what to do next.
pub(super) fn outlook(m: &ReportModel, s: &Strings, lang: Lang) -> Vec<Line> {
    let notes = m.notes.iter().filter(|n| is_outlook(n));
    notes.map(|n| item(n, s, lang)).collect()
}

/// A note without a table, with its record.
fn item(n: &NoteView, s: &Strings, lang: Lang) -> Line {
    let subject = match &n.about {
        Some(name) => Line::outside(name),
        None => s.note_campaign.into(),
    };
    let topic = match &n.topic {
        Some(topic) => Line::outside(about(lang, topic)).strong().and(": "),
        None => Line::default(),
    };
    let by = [
        said(lang, &n.by),
        Line::outside(second(&n.at)),
        Line::outside(&n.id),
    ];
    topic
        .and(said(lang, &n.text))
        .and(" (")
        .and(subject)
        .and("; ")
        .and(fill(s.note_by, &by))
        .and(")")
}

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    // Those about the environment and on what is left to do stand there.
    let here = |n: &&NoteView| !n.is_environment() && !is_outlook(n);
    let notes: Vec<_> = m.notes.iter().filter(here).collect();
    if notes.is_empty() {
        return;
    }
    out.heading(2, s.notes);
    let lang = out.lang;
    let plain = notes.iter().filter(|n| n.table.is_none());
    out.list(plain.map(|n| item(n, s, lang)).collect());
    for n in &notes {
        let Some(t) = &n.table else { continue };
        let title = n.topic.as_deref().unwrap_or(&t.name);
        out.heading(3, Line::outside(about(lang, title)));
        out.paragraph(said(lang, &n.text));
        table(t, s, out);
    }
}
