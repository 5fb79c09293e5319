//! The remaining bottleneck, and what to try next.

use super::{notes, or_none};
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::said::{about, own_language, said, said_of};
use crate::strings::{Strings, fill};

/// Findings that are shown.
const MOST: usize = 30;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.dg_title);
    findings(m, s, out);
    let noted = notes::outlook(m, s, out.lang);
    if !noted.is_empty() {
        out.paragraph(s.dg_noted);
        out.list(noted);
    }
    parked(m, s, out);
}

/// Directions that were put aside to be taken up again: what was said of them then.
fn parked(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let all = m.list.variants.iter().filter(|v| v.status == "parked");
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return;
    }
    out.paragraph(s.dg_parked);
    let lang = out.lang;
    let items = all.iter().take(MOST).map(|v| {
        let reason = v.decision.as_ref().map_or("", |d| d.reason.as_str());
        fill(
            s.t_warning,
            &[Line::outside(&v.name).strong(), said(lang, reason)],
        )
    });
    out.list(items.collect());
    if all.len() > MOST {
        let counts = [MOST, all.len()].map(Line::count);
        out.paragraph(fill(s.dg_cut, &counts));
    }
}

fn findings(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let champion = m.list.champion.as_deref();
    if m.diagnosis.is_empty() {
        // What was published of a version are no counters that a rule could look at.
        let mut sets = champion.map_or(&[][..], |c| m.counters_of(c)).iter();
        let is_counted = sets.any(|c| !c.is_published);
        out.paragraph(match champion {
            None => s.chain_none,
            Some(_) if is_counted => s.dg_silent,
            Some(_) => s.dg_no_counters,
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
