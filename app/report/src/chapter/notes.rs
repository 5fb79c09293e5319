//! What somebody wanted to be kept beside the evidence: what limits the kernel now, what to do next.

use super::published::table;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::second;
use crate::said::{about, said};
use crate::strings::{Strings, fill};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    // Those about the environment stand there.
    let notes: Vec<_> = m.notes.iter().filter(|n| !n.is_environment()).collect();
    if notes.is_empty() {
        return;
    }
    out.heading(2, s.notes);
    let lang = out.lang;
    let items = notes.iter().filter(|n| n.table.is_none()).map(|n| {
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
    });
    out.list(items.collect());
    for n in &notes {
        let Some(t) = &n.table else { continue };
        let title = n.topic.as_deref().unwrap_or(&t.name);
        out.heading(3, Line::outside(about(lang, title)));
        out.paragraph(said(lang, &n.text));
        table(t, s, out);
    }
}
