//! Rates and speed-ups that a filed log prints, as figures of an audit.

use std::collections::BTreeMap;

use assay_core::RecordId;
use assay_core::fold::State;
use assay_core::record::Readings as Filed;
use assay_core::text::{inert, truncate};
use assay_core::view::AuditedFigure;
use assay_exec::readings::Reading;
use assay_exec::readings::claims::{self, Claim, Compared, Quantity};
use serde_json::json;

use super::file::filed;
use super::rows::readings;
use super::work::Known;
use crate::figures::{List, Outcome, figure};
use crate::workbench::Workbench;

/// Most rows of one workload among which a speed-up is looked for.
const BESIDE: usize = 200;

/// Columns of a text of a log.
const TEXT: usize = 200;

impl Workbench {
    /// What the logs of the campaign print of their own times, computed again.
    pub(crate) fn log_figures(&self, state: &State) -> List {
        let mut list = List::default();
        for (id, log) in filed(state) {
            match self.log_rows(log) {
                Ok(rows) => self.one_log(&mut list, id, log, &readings(&rows)),
                Err(e) => list.add(Outcome::NotRecomputed, || AuditedFigure {
                    figure: "all".into(),
                    why: inert(&e.message).into_owned(),
                    why_zh: inert(&e.message).into_owned(),
                    ..head(id, log)
                }),
            }
        }
        list
    }

    fn one_log(&self, list: &mut List, id: RecordId, log: &Filed, rows: &[Reading]) {
        let known = Known::new(self.config.as_ref(), &log.rule);
        let mut of: BTreeMap<(&str, &str), Vec<&Reading>> = BTreeMap::new();
        for r in rows {
            of.entry((&r.group, &r.workload)).or_default().push(r);
        }
        for row in rows {
            let work = known.find(row).work;
            for quantity in [Quantity::Tflops, Quantity::Bandwidth] {
                let claim = claims::claim(row, quantity).filter(|c| c.of_this_time);
                let held = claims::rate_held(row, quantity, work);
                let why = [
                    "there is no formula for the row, or no single time in it",
                    "该行没有公式，或没有单一时间",
                ];
                add(list, head(id, log), row, claim, held, why);
            }
            let Some(speedup) = claims::claim(row, Quantity::Speedup) else {
                continue;
            };
            // A trial of a tuner has thousands beside it; what a speed-up is over is near.
            let same = of.get(&(row.group.as_str(), row.workload.as_str()));
            let others = same.into_iter().flatten().copied().take(BESIDE);
            let others: Vec<&Reading> = others.filter(|o| o.tag != row.tag).collect();
            let why = [
                "no other subject of the row has a time that was taken alike",
                "该行没有以相同方式测得时间的其他对象",
            ];
            let held = claims::speedup_held(row, &others);
            add(list, head(id, log), row, Some(speedup), held, why);
        }
    }
}

fn head(id: RecordId, log: &Filed) -> AuditedFigure {
    AuditedFigure {
        sources: vec![log.log.sha256.to_string(), log.rows.sha256.to_string()],
        ..figure(id.to_string(), "readings", truncate(&log.name, TEXT))
    }
}

fn add(
    list: &mut List,
    head: AuditedFigure,
    row: &Reading,
    claim: Option<Claim<'_>>,
    held: Option<(Claim<'_>, Compared)>,
    [why, why_zh]: [&str; 2],
) {
    let Some(claim) = claim else { return };
    let subject = match row.tag.as_str() {
        "" => head.subject.clone(),
        tag => truncate(tag, TEXT).into_owned(),
    };
    let stated = AuditedFigure {
        subject,
        workload: Some(truncate(&row.workload, TEXT).into_owned()),
        figure: truncate(&claim.extra.name, TEXT).into_owned(),
        unit: match (claim.quantity, claim.scale == 1.0) {
            (Quantity::Speedup, _) => "1".into(),
            (quantity, true) => quantity.name().into(),
            // In the unit of the log, which the name of its column says.
            _ => String::new(),
        },
        stated: json!(claim.figure.value),
        printed: Some(truncate(&claim.extra.printed, TEXT).into_owned()),
        ..head
    };
    match held {
        None => list.add(Outcome::NotRecomputed, || AuditedFigure {
            why: why.into(),
            why_zh: why_zh.into(),
            ..stated
        }),
        Some((_, c)) => {
            let outcome = match c.agrees {
                true => Outcome::Agrees,
                false => Outcome::Disagrees,
            };
            let off = match c.agrees {
                true => [String::new(), String::new()],
                false => [
                    format!(
                        "{:.4} times what its time gives (line {})",
                        c.factor, row.line
                    ),
                    format!("为按其时间所得的 {:.4} 倍（第 {} 行）", c.factor, row.line),
                ],
            };
            list.add(outcome, || AuditedFigure {
                computed: json!(c.computed.value),
                interval: Some(c.computed.range),
                why: off[0].clone(),
                why_zh: off[1].clone(),
                ..stated
            });
        }
    }
}
