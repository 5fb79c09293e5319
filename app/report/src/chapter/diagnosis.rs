//! The remaining bottleneck, and what to try next.

use super::or_none;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::said::{about, own_language, said_of};
use crate::strings::{Strings, fill};

/// Findings that are shown.
const MOST: usize = 30;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.dg_title);
    let champion = m.list.champion.as_deref();
    let show = champion.and_then(|c| m.show(c));
    if m.diagnosis.is_empty() {
        out.paragraph(match show {
            None => s.chain_none,
            Some(v) if v.counters.is_empty() => s.dg_no_counters,
            Some(_) => s.dg_silent,
        });
        return;
    }
    out.paragraph(fill(s.dg_what, &[or_none(champion)]));
    let lang = out.lang;
    let rows = m.diagnosis.iter().take(MOST).map(|f| {
        vec![
            Line::outside(about(lang, &f.subject)),
            said_of(lang, &f.message, &f.message_zh),
            said_of(lang, &f.advice, &f.advice_zh),
            Line::outside(own_language(lang, &f.evidence)),
            said_of(lang, &f.source, &f.source_zh),
        ]
    });
    let head = [s.dg_about, s.dg_found, s.dg_try, s.dg_evidence, s.dg_source];
    out.table(head, &[], rows.collect());
    if m.diagnosis.len() > MOST {
        let counts = [MOST, m.diagnosis.len()].map(Line::count);
        out.paragraph(fill(s.dg_cut, &counts));
    }
}
