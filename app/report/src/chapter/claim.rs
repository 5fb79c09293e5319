//! Title and claim: one paragraph with interval and scope.

use super::{heading, or_none, paragraph};
use crate::escape::md;
use crate::figure::{self, NONE};
use crate::strings::{Strings, fill, names};
use crate::{Claim, ReportModel};

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    out.push_str(&format!("# {}\n\n", fill(s.title, &[&md(&m.title)])));
    let made = fill(
        s.made,
        &[
            &or_none(Some(&figure::second(&m.generated_at))),
            &or_none(Some(&m.tool_version)),
            &md(&m.list.campaign),
        ],
    );
    paragraph(out, &made);
    heading(out, s.claim);
    if !m.list.contested.is_empty() {
        let who = names(m.list.contested.iter().map(String::as_str), 20);
        paragraph(out, &fill(s.claim_contested, &[&who]));
    } else if let Some(claim) = m.claim() {
        measured(m, s, &claim, out);
    } else {
        paragraph(out, s.claim_none);
    }
    let tried = &m.list.variants;
    let failed = tried.iter().filter(|v| v.failure.is_some()).count();
    let rejected = tried.iter().filter(|v| v.status == "rejected").count();
    let runs = m.runs.map_or_else(|| NONE.to_owned(), |r| r.to_string());
    paragraph(
        out,
        &fill(
            s.claim_tries,
            &[
                &tried.len().to_string(),
                &failed.to_string(),
                &rejected.to_string(),
                &runs,
            ],
        ),
    );
}

fn measured(m: &ReportModel, s: &Strings, claim: &Claim, out: &mut String) {
    let name = format!("**{}**", md(&claim.variant));
    if figure::ratio(claim.ratio) == NONE || claim.against.is_none() {
        paragraph(out, &fill(s.claim_unmeasured, &[&name]));
        return;
    }
    paragraph(
        out,
        &fill(
            s.claim_measured,
            &[
                &name,
                &figure::ratio(claim.ratio),
                &format!("**{}**", or_none(claim.against.as_deref())),
                &figure::interval(claim.interval),
                &figure::speed_up(claim.ratio),
                &or_none(claim.verdict.as_deref()),
            ],
        ),
    );
    if claim.verdict.as_deref() != Some("FASTER") {
        paragraph(out, s.claim_unsupported);
    }
    if let Some(total) = total(m, &claim.variant) {
        paragraph(
            out,
            &fill(
                s.claim_total,
                &[
                    &name,
                    &figure::ratio(Some(total.ratio)),
                    &format!("**{}**", md(total.first)),
                    &figure::speed_up(Some(total.ratio)),
                    &total.steps.to_string(),
                ],
            ),
        );
    }
    let processes = claim
        .processes
        .map_or_else(|| NONE.to_owned(), |p| p.to_string());
    paragraph(
        out,
        &fill(
            s.claim_scope,
            &[
                &or_none(m.list.device.as_deref()),
                &names(m.list.workloads.iter().map(String::as_str), 20),
                &processes,
            ],
        ),
    );
    let verdict = m.show(&claim.variant).and_then(|v| v.verdict.as_ref());
    // The workloads of a verdict belong to the claim only when it is about the same pair.
    let Some(v) = verdict.filter(|v| Some(&v.a) == claim.against.as_ref()) else {
        return;
    };
    let mut counts = [0u32; 4];
    for w in &v.workloads {
        let kind = match w.interval {
            Some([_, high]) if high < 1.0 => 0,
            Some([low, _]) if low > 1.0 => 1,
            Some(_) => 2,
            None => 3,
        };
        counts[kind] += 1;
    }
    let counts = counts.map(|c| c.to_string());
    let values: Vec<&str> = counts.iter().map(String::as_str).collect();
    paragraph(out, &fill(s.claim_counts, &values));
}

/// The way from the first accepted version to the champion.
struct Total<'m> {
    first: &'m str,
    ratio: f64,
    steps: usize,
}

/// Follows what each accepted version was measured against; a single step is the claim itself.
fn total<'m>(m: &'m ReportModel, champion: &str) -> Option<Total<'m>> {
    let find = |name: &str| m.chain.iter().find(|r| r.name == name);
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
