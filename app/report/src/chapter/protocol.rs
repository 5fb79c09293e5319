//! How it was measured and judged.

use assay_core::view::{IsolationView, PairFinding};

use super::or_none;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE, percent};
use crate::strings::{Strings, fill};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.protocol);
    if m.is_published() {
        out.paragraph(s.protocol_published);
        return;
    }
    out.paragraph(s.protocol_unit);
    let p = &m.protocol;
    let looks = Line::join(p.looks.iter().map(Line::count), ", ");
    let text = |t: &Option<String>| or_none(t.as_deref());
    let mut rows = [
        (s.p_procedure, text(&p.procedure)),
        (s.p_policy, text(&p.policy)),
        (s.p_delta, Line::own(percent(p.delta))),
        (s.p_guard, Line::own(percent(p.guard))),
        (s.p_noise, Line::own(percent(p.noise_floor))),
        (s.p_isolation, isolation(s, p.isolation.as_ref())),
        (s.p_looks, looks),
        (s.p_mode, text(&p.mode)),
        (s.p_blocks, p.blocks.map_or(NONE.into(), Line::count)),
        (s.p_min_leg, text(&p.min_leg)),
        (s.p_cache, text(&p.cache)),
        (s.p_timer, text(&p.timer)),
    ]
    .map(|(k, v)| vec![k.into(), v])
    .to_vec();
    for (key, value) in [(s.p_regime, &p.regime), (s.p_control, &p.control)] {
        rows.extend(value.as_ref().map(|v| vec![key.into(), Line::outside(v)]));
    }
    out.table([s.key, s.value], &[], rows);
    if p.canaries.is_empty() {
        out.paragraph(s.canary_none);
        return;
    }
    out.paragraph(s.canaries);
    let rows = p.canaries.iter().map(|c| {
        vec![
            Line::outside(&c.name),
            or_none(c.expect.as_deref()),
            s.canary_outcome(&c.outcome).into(),
            or_none(Some(c.found.as_str()).filter(|f| !f.is_empty())),
        ]
    });
    out.table(
        [
            s.canary_name,
            s.canary_expected,
            s.canary_outcome,
            s.canary_seen,
        ],
        &[],
        rows.collect(),
    );
}

/// What measuring two at once does to one of them, where that was looked at.
fn isolation(s: &Strings, i: Option<&IsolationView>) -> Line {
    let Some(i) = i else { return NONE.into() };
    let template = match i.finding() {
        PairFinding::Disturbs => s.p_disturbed,
        PairFinding::Within => s.p_isolated,
        PairFinding::Open(_) => s.p_unsettled,
    };
    let values = [figure::ratio(Some(i.ratio)), figure::interval(i.interval)];
    fill(template, &values.map(Line::own))
}
