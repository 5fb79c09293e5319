//! The result chain: one row a version.

use std::collections::BTreeSet;

use assay_core::view::{GateView, VariantRow};

use super::{decided_on, doubted, or_none, pictures};
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE};
use crate::model::GEOMETRIC_MEAN;
use crate::strings::{Strings, fill};
use crate::{ChainRow, ReportModel};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.chain);
    if m.chain.is_empty() {
        out.paragraph(s.chain_none);
        return;
    }
    if m.median_of == GEOMETRIC_MEAN {
        out.paragraph(match m.is_published() {
            true => s.chain_published_mean,
            false => s.chain_geomean,
        });
    } else {
        out.paragraph(fill(s.chain_median, &[or_none(Some(&m.median_of))]));
    }
    if m.chain.iter().any(|r| m.has_published(&r.name)) {
        out.paragraph(s.chain_published);
    }
    doubted(m.chain.iter().flat_map(|r| m.doubts_of(&r.name)), s, out);
    if m.is_published() {
        published(m, s, out);
    } else {
        measured(m, s, out);
        ends(m, s, out);
    }
    out.plot(|lang| pictures::curve(m, lang));
    out.plot(|lang| pictures::forest(m, lang));
    out.plot(|lang| pictures::heat(m, lang));
}

/// Published versions: their medians beside those of their parents, and nothing that only a
/// measurement could say.
fn published(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let median = |name: &str| m.chain.iter().find(|r| r.name == name)?.median_ns;
    let rows = m.chain.iter().map(|r| {
        let before = r.parent.as_deref().and_then(median);
        let ratio = r.median_ns.zip(before).map(|(own, before)| own / before);
        vec![
            Line::outside(&r.name),
            or_none(r.parent.as_deref()),
            median_of(m, r),
            Line::own(figure::ratio(ratio)),
            gates(&r.gates),
            decision(s, r),
        ]
    });
    let head = [
        s.version,
        s.parent,
        s.median,
        s.chain_published_ratio,
        s.gates_passed,
        s.decision,
    ];
    out.table(head, &[2, 3], rows.collect());
}

/// The median; marked where it was published.
fn median_of(m: &ReportModel, r: &ChainRow) -> Line {
    match r.median_ns.is_some() && m.has_published(&r.name) {
        false => Line::own(figure::time(r.median_ns)),
        true => {
            let doubt = if m.doubts_of(&r.name).is_empty() {
                ""
            } else {
                " (!)"
            };
            Line::own(format!("{} (p){doubt}", figure::time(r.median_ns)))
        }
    }
}

fn decision(s: &Strings, r: &ChainRow) -> Line {
    let decision = r.decision.as_ref();
    decision.map_or_else(|| s.open.into(), |d| s.decision_kind(&d.kind))
}

/// Rows of a chain that is shown whole; of a longer one, what other chapters list is left out.
const MOST: usize = 60;

/// The rows to show: all, or those of versions that no chapter on rejected directions or failures has.
fn shown(m: &ReportModel) -> Vec<&ChainRow> {
    if m.chain.len() <= MOST {
        return m.chain.iter().collect();
    }
    let listed = |v: &&VariantRow| matches!(v.status.as_str(), "rejected" | "parked" | "failed");
    let elsewhere = m.list.variants.iter().filter(listed);
    let elsewhere: BTreeSet<&str> = elsewhere.map(|v| v.name.as_str()).collect();
    let rows = m.chain.iter();
    rows.filter(|r| !elsewhere.contains(r.name.as_str()))
        .collect()
}

fn measured(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let shown = shown(m);
    let rows: Vec<Vec<Line>> = shown
        .iter()
        .map(|r| {
            vec![
                Line::outside(&r.name),
                or_none(r.parent.as_deref()),
                median_of(m, r),
                or_none(r.against.as_deref()),
                Line::own(figure::ratio(r.ratio)),
                interval(m, s, r),
                match r.only_screened {
                    true => s.screened.into(),
                    false => decided_on(s, r.decision.as_ref(), r.verdict.as_deref()),
                },
                gates(&r.gates),
                decision(s, r),
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
    if shown.len() < m.chain.len() {
        let counts = [shown.len(), m.chain.len()].map(Line::count);
        out.paragraph(fill(s.chain_cut, &counts));
    }
}

/// The interval with the level that its verdict states.
fn interval(m: &ReportModel, s: &Strings, r: &ChainRow) -> Line {
    let interval = Line::own(figure::interval(r.interval));
    match m.level(&r.name, r.against.as_deref()) {
        Some(level) if r.interval.is_some() => {
            fill(s.interval_at, &[interval, Line::outside(level)])
        }
        _ => interval,
    }
}

/// What the accepted steps come to, measured at once.
fn ends(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let Some(chain) = &m.list.chain else { return };
    if let Some(e) = &chain.latest {
        let [ratio, promised] = [e.ratio, e.promised].map(|r| Line::own(figure::ratio(Some(r))));
        let intervals = [e.interval, e.promised_interval].map(|i| figure::interval(Some(i)));
        let [interval, wide] = intervals.map(Line::own);
        out.paragraph(fill(
            s.chain_ends,
            &[
                Line::outside(&e.to),
                Line::outside(&e.from),
                Line::count(e.processes),
                ratio,
                interval,
                Line::count(e.steps),
                promised,
                wide,
            ],
        ));
        if e.overstated {
            out.paragraph(s.chain_overstates);
        }
        if chain.since > 0 && !chain.due() {
            out.paragraph(fill(s.chain_since, &[Line::count(chain.since)]));
        }
    }
    if chain.due() {
        let (to, from) = (Line::outside(&chain.to), Line::outside(&chain.from));
        out.paragraph(fill(s.chain_due, &[Line::count(chain.since), to, from]));
    }
}

/// Passed of all; `n/a` when there are none.
fn gates(gates: &[GateView]) -> Line {
    if gates.is_empty() {
        return NONE.into();
    }
    let passed = gates.iter().filter(|g| g.pass == Some(true)).count();
    Line::own(format!("{passed}/{}", gates.len()))
}
