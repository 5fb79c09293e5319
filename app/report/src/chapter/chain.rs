//! The result chain: one row a version.

use assay_core::view::GateView;

use super::{decided_on, heading, or_none, paragraph};
use crate::ReportModel;
use crate::escape::{md, table};
use crate::figure::{self, NONE};
use crate::model::GEOMETRIC_MEAN;
use crate::strings::{Strings, fill};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    heading(out, s.chain);
    if m.chain.is_empty() {
        paragraph(out, s.chain_none);
        return;
    }
    if m.median_of == GEOMETRIC_MEAN {
        paragraph(out, s.chain_geomean);
    } else {
        paragraph(out, &fill(s.chain_median, &[&or_none(Some(&m.median_of))]));
    }
    let rows: Vec<Vec<String>> = m
        .chain
        .iter()
        .map(|r| {
            vec![
                md(&r.name),
                or_none(r.parent.as_deref()),
                figure::time(r.median_ns),
                or_none(r.against.as_deref()),
                figure::ratio(r.ratio),
                figure::interval(r.interval),
                decided_on(s, r.decision.as_ref(), r.verdict.as_deref()),
                gates(&r.gates),
                r.decision
                    .as_ref()
                    .map_or_else(|| s.open.to_owned(), |d| s.decision_kind(&d.kind)),
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
    table(out, &head, &[2, 4, 5], &rows);
}

/// Passed of all; `n/a` when there are none.
fn gates(gates: &[GateView]) -> String {
    if gates.is_empty() {
        return NONE.into();
    }
    let passed = gates.iter().filter(|g| g.pass == Some(true)).count();
    format!("{passed}/{}", gates.len())
}
