//! The result chain: one row a version.

use assay_core::view::GateView;

use super::{decided_on, or_none, pictures};
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE};
use crate::model::GEOMETRIC_MEAN;
use crate::strings::{Strings, fill};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.chain);
    if m.chain.is_empty() {
        out.paragraph(s.chain_none);
        return;
    }
    if m.median_of == GEOMETRIC_MEAN {
        out.paragraph(s.chain_geomean);
    } else {
        out.paragraph(fill(s.chain_median, &[or_none(Some(&m.median_of))]));
    }
    let rows: Vec<Vec<Line>> = m
        .chain
        .iter()
        .map(|r| {
            vec![
                Line::outside(&r.name),
                or_none(r.parent.as_deref()),
                Line::own(figure::time(r.median_ns)),
                or_none(r.against.as_deref()),
                Line::own(figure::ratio(r.ratio)),
                Line::own(figure::interval(r.interval)),
                decided_on(s, r.decision.as_ref(), r.verdict.as_deref()),
                gates(&r.gates),
                r.decision
                    .as_ref()
                    .map_or_else(|| s.open.into(), |d| s.decision_kind(&d.kind)),
            ]
        })
        .collect();
    let head = [
        s.version,
        s.parent,
        s.median,
        s.against,
        s.ratio,
        s.interval,
        s.verdict,
        s.gates_passed,
        s.decision,
    ];
    out.table(head, &[2, 4, 5], rows);
    out.plot(|lang| pictures::curve(m, lang));
    out.plot(|lang| pictures::forest(m, lang));
    out.plot(|lang| pictures::heat(m, lang));
    out.plot(|lang| pictures::roofline(m, lang));
}

/// Passed of all; `n/a` when there are none.
fn gates(gates: &[GateView]) -> Line {
    if gates.is_empty() {
        return NONE.into();
    }
    let passed = gates.iter().filter(|g| g.pass == Some(true)).count();
    Line::own(format!("{passed}/{}", gates.len()))
}
