//! Title and claim: one paragraph with interval and scope.

use assay_core::view::{Side, UntimedView};

use super::distance::beside;
use super::or_none;
use crate::check::differing_keys;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE};
use crate::model::was_accepted;
use crate::said::said;
use crate::strings::{Lang, Strings, fill, names};
use crate::{Claim, ReportModel};

/// What the report is of, and when it was made.
pub(super) fn title(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(1, fill(s.title, &[said(out.lang, &m.title)]));
    let made = fill(
        s.made,
        &[
            or_none(Some(&figure::second(&m.generated_at))),
            or_none(Some(&m.tool_version)),
            Line::outside(&m.list.campaign),
        ],
    );
    out.paragraph(made);
}

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.claim);
    if !m.list.contested.is_empty() {
        let who = names(m.list.contested.iter().map(String::as_str), 20);
        out.paragraph(fill(s.claim_contested, &[who]));
    } else if let Some(claim) = m.claim() {
        measured(m, s, &claim, out);
    } else {
        out.paragraph(s.claim_none);
    }
    if m.is_published() {
        out.paragraph(s.claim_published);
        published(m, s, out);
    }
    let tried = &m.list.variants;
    let failed = tried.iter().filter(|v| v.failure.is_some()).count();
    let rejected = tried.iter().filter(|v| v.status == "rejected").count();
    let runs = m.runs.map_or(NONE.into(), Line::count);
    out.paragraph(fill(
        s.claim_tries,
        &[
            Line::count(tried.len()),
            Line::count(failed),
            Line::count(rejected),
            runs,
        ],
    ));
}

fn measured(m: &ReportModel, s: &Strings, claim: &Claim, out: &mut Doc) {
    let name = Line::outside(&claim.variant).strong();
    if figure::ratio(claim.ratio) == NONE || claim.against.is_none() {
        out.paragraph(fill(s.claim_unmeasured, &[name]));
        return;
    }
    out.paragraph(fill(
        s.claim_measured,
        &[
            name.clone(),
            Line::own(figure::ratio(claim.ratio)),
            or_none(claim.against.as_deref()).strong(),
            interval(m, s, claim),
            Line::own(figure::speed_up(claim.ratio)),
            or_none(claim.verdict.as_deref()),
        ],
    ));
    if claim.verdict.as_deref() != Some("FASTER") {
        out.paragraph(s.claim_unsupported);
    }
    if let Some(total) = total(m, &claim.variant) {
        out.paragraph(fill(
            s.claim_total,
            &[
                name,
                Line::own(figure::ratio(Some(total.ratio))),
                Line::outside(total.first).strong(),
                Line::own(figure::speed_up(Some(total.ratio))),
                Line::count(total.steps),
            ],
        ));
        if !m.other_evaluators.is_empty() {
            let all = m.other_evaluators.iter().map(String::as_str);
            out.paragraph(fill(s.claim_total_evaluators, &[names(all, 20)]));
        }
        let differing = differing_keys(&m.shows);
        if !differing.is_empty() {
            out.paragraph(fill(s.claim_total_environments, &[names(differing, 20)]));
        }
    }
    let moved = m.list.variants.iter();
    let moved = moved.filter(|v| v.stale && (v.name == claim.variant || was_accepted(v)));
    let moved: Vec<&str> = moved.map(|v| v.name.as_str()).collect();
    if !moved.is_empty() {
        out.paragraph(fill(s.claim_stale, &[names(moved, 20)]));
    }
    let untimed = m.show(&claim.variant).map_or(&[][..], |v| &v.untimed);
    if !untimed.is_empty() {
        let steps = untimed.iter().map(|u| untimed_step(s, out.lang, u));
        out.paragraph(fill(s.claim_untimed, &[Line::join(steps, "; ")]));
    }
    let processes = claim.processes.map_or(NONE.into(), Line::count);
    out.paragraph(fill(
        s.claim_scope,
        &[
            or_none(m.list.device.as_deref()),
            names(m.list.workloads.iter().map(String::as_str), 20),
            processes,
        ],
    ));
    let verdict = m.show(&claim.variant).and_then(|v| v.verdict.as_ref());
    // The workloads of a verdict belong to the claim only when it is about the same pair.
    let Some(v) = verdict.filter(|v| Some(&v.a) == claim.against.as_ref()) else {
        return;
    };
    let mut counts = [0u32; 4];
    for w in &v.workloads {
        let kind = match v.side_of(w) {
            Side::Faster => 0,
            Side::Slower => 1,
            Side::Noise => 2,
            Side::Unknown => 3,
        };
        counts[kind] += 1;
    }
    out.paragraph(fill(s.claim_counts, &counts.map(Line::count)));
}

/// What the published medians come to beside each baseline.
fn published(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let champion = m.list.champion.as_deref().unwrap_or_default();
    let items = beside(m).into_iter().filter_map(|b| {
        let [low, _, high] = b.spread()?;
        let ratio = |r: f64| Line::own(figure::ratio(Some(r)));
        let values = [
            Line::outside(champion),
            Line::outside(b.name),
            Line::count(b.wins()[0]),
            Line::count(b.matched()),
            ratio(b.mean()?),
            ratio(low),
            ratio(high),
        ];
        Some(match b.matched() {
            1 => fill(
                s.claim_beside_one,
                &[values[0].clone(), values[1].clone(), values[4].clone()],
            ),
            _ => fill(s.claim_beside, &values),
        })
    });
    out.list(items.collect());
}

/// The interval with its level, as the verdict states it.
fn interval(m: &ReportModel, s: &Strings, claim: &Claim) -> Line {
    let interval = Line::own(figure::interval(claim.interval));
    match m.level(&claim.variant, claim.against.as_deref()) {
        Some(level) => fill(s.claim_interval_at, &[Line::outside(level), interval]),
        None => fill(s.claim_interval, &[interval]),
    }
}

/// The way from the first accepted version to the champion.
struct Total<'m> {
    first: &'m str,
    ratio: f64,
    steps: usize,
}

/// Follows what each accepted version was measured against; a single step is the claim itself.
fn total<'m>(m: &'m ReportModel, champion: &str) -> Option<Total<'m>> {
    let rows = &m.list.variants;
    let accepted = |name: &str| rows.iter().any(|v| v.name == name && was_accepted(v));
    let find = |name: &str| m.chain.iter().find(|r| r.name == name && accepted(name));
    let mut row = find(champion)?;
    let (mut ratio, mut steps) = (1.0, 0);
    while let Some(before) = row.against.as_deref().and_then(find) {
        ratio *= row.ratio.filter(|r| r.is_finite() && *r > 0.0)?;
        steps += 1;
        // A version that was measured again may stand against a later one.
        if steps > m.chain.len() {
            return None;
        }
        row = before;
    }
    (steps > 1).then_some(Total {
        first: &row.name,
        ratio,
        steps,
    })
}

/// A step that is left out of the timed region, with what it costs and why it is left out.
fn untimed_step(s: &Strings, lang: Lang, u: &UntimedView) -> Line {
    let cost = match u.cost_ns {
        Some(0.0) => s.untimed_zero.into(),
        _ if lang == Lang::En => return Line::outside(u.text()),
        Some(ns) => fill(s.untimed_once, &[Line::own(figure::time(Some(ns)))]),
        None => s.untimed_unknown.into(),
    };
    let why = match &u.why {
        Some(why) => said(lang, why),
        None => s.untimed_undeclared.into(),
    };
    fill(s.untimed_step, &[Line::outside(&u.name), cost, why])
}
