//! Figures that Assay recorded, as figures of an audit.

use std::collections::BTreeMap;

use assay_core::fold::State;
use assay_core::record::{self, Body, Decision, Figure, PredictionOutcome, Source};
use assay_core::text::inert;
use assay_core::view::AuditedFigure;
use assay_core::{Record, RecordId, predict};
use serde_json::{Value, json};

use super::again::again;
use super::beside::{Beside, beside};
use super::list::{List, Outcome, figure};
use crate::workbench::Workbench;

/// Parts of the place of a figure that say where in a record it stands, and nothing of the figure.
const INNER: [&str; 3] = ["noise", "workloads", "summary"];

/// What follows from raw samples: summaries, verdicts, calibrations.
pub(crate) fn samples<'s>(
    bench: &Workbench,
    state: &'s State,
    records: impl Iterator<Item = &'s Record>,
) -> List {
    let mut list = List::default();
    for (record, told) in again(bench, state, records) {
        let head = || head(record);
        match told {
            Err(why) => list.add(Outcome::NotRecomputed, || not_recomputed(head(), &why)),
            Ok(figures) => {
                for f in figures {
                    add(&mut list, &f, head);
                }
            }
        }
        if let Body::Verdict(v) = &record.body {
            cited(&mut list, record, v, state);
        }
    }
    list
}

fn add(list: &mut List, f: &Beside, head: impl FnOnce() -> AuditedFigure) {
    let outcome = match f.agrees() {
        true => Outcome::Agrees,
        false => Outcome::Disagrees,
    };
    // Names and weights are what figures are computed with, and no figures.
    let given = f.recorded.is_string() && f.figure != "verdict";
    if outcome == Outcome::Agrees && (given || f.figure.ends_with(".weight")) {
        return;
    }
    list.add(outcome, || {
        let mut out = head();
        let parts = f.figure.split('.').filter(|p| !INNER.contains(p));
        let name = parts.collect::<Vec<_>>().join(".");
        out.figure = name.strip_suffix("_ns").unwrap_or(&name).to_owned();
        if out.unit == "1" {
            out.unit = f.unit().into();
        }
        out.stated = f.recorded.clone();
        out.computed = f.computed.clone();
        out.workload.clone_from(&f.workload);
        if let Some(subject) = &f.subject {
            out.subject.clone_from(subject);
        }
        if outcome == Outcome::Disagrees {
            out.why = "it does not come out of what it is said to follow from".into();
            out.why_zh = "由其来源数据重新计算，结果不同".into();
        }
        out
    });
}

/// What a record is of, and what its figures follow from.
fn head(record: &Record) -> AuditedFigure {
    let (subject, sources) = match &record.body {
        Body::Measurement(m) => (
            format!("{} against {}", m.b.name, m.a.name),
            vec![m.samples.sha256.to_string()],
        ),
        Body::Verdict(v) => (
            format!("{} against {}", v.b, v.a),
            vec![v.measurement.to_string()],
        ),
        Body::Calibration(c) => (c.subject.name.clone(), vec![c.samples.sha256.to_string()]),
        Body::Control(c) => (c.subject.name.clone(), vec![c.samples.sha256.to_string()]),
        Body::Canary(c) => {
            let samples = c.measurement.iter().map(|m| m.samples.sha256.to_string());
            (format!("canary {}", c.name), samples.collect())
        }
        Body::Screened(s) => (
            format!("{} against {}", s.b.name, s.a.name),
            vec![s.samples.sha256.to_string()],
        ),
        Body::Screening(s) => (
            format!("against {}", s.incumbent.name),
            (s.ranking.iter())
                .map(|r| r.samples.sha256.to_string())
                .collect(),
        ),
        Body::Chain(c) => (
            format!("{} against {}", c.b.name, c.a.name),
            vec![c.samples.sha256.to_string()],
        ),
        _ => (String::new(), Vec::new()),
    };
    AuditedFigure {
        sources,
        ..figure(record.id.to_string(), record.body.kind(), subject)
    }
}

fn not_recomputed(head: AuditedFigure, why: &str) -> AuditedFigure {
    AuditedFigure {
        figure: "all".into(),
        why: inert(why).into_owned(),
        why_zh: inert(&zh(why)).into_owned(),
        ..head
    }
}

/// The usual reasons in Chinese; others stay as they are.
fn zh(why: &str) -> String {
    match why {
        "its raw samples are not stored here" => "原始样本不在此处".into(),
        "its raw samples hold no leg that can be read" => "原始样本中没有可读的测量段".into(),
        "its raw samples are not UTF-8" => "原始样本不是 UTF-8 文本".into(),
        other => other.into(),
    }
}

/// The rate that a verdict cites must be that of the calibration that it names.
fn cited(list: &mut List, record: &Record, v: &record::Verdict, state: &State) {
    let (Some(rate), Some(id)) = (&v.false_accepts, v.calibration) else {
        return;
    };
    let of = |what: &Value| json!({"false_accepts": what});
    let head = || AuditedFigure {
        sources: vec![id.to_string()],
        ..head(record)
    };
    match state.get(id).map(|r| &r.body) {
        Some(Body::Calibration(c)) => {
            let list_of = |r: Option<&record::FalseAccepts>| {
                let rates: Vec<&record::FalseAccepts> = r.into_iter().collect();
                serde_json::to_value(rates).unwrap_or_default()
            };
            let known = list_of(c.false_accepts_of(&rate.policy));
            let said = list_of(Some(rate));
            for f in beside(&of(&said), &of(&known)) {
                add(list, &f, head);
            }
        }
        _ => list.add(Outcome::NotRecomputed, || AuditedFigure {
            figure: "false_accepts".into(),
            why: "the calibration that it cites is not in this ledger".into(),
            why_zh: "所引用的校准记录不在此账本中".into(),
            ..head()
        }),
    }
}

/// What decisions say that predictions came to, from the profiles, sources and verdicts of the two
/// sides.
pub(crate) fn decisions<'s>(state: &'s State, records: impl Iterator<Item = &'s Record>) -> List {
    let mut list = List::default();
    for record in records {
        let Body::Decision(d) = &record.body else {
            continue;
        };
        for p in &d.predictions {
            if p.observed_percent.is_some() || p.held.is_some() {
                prediction(&mut list, state, record, d, p);
            }
        }
    }
    list
}

fn prediction(
    list: &mut List,
    state: &State,
    record: &Record,
    d: &Decision,
    said: &PredictionOutcome,
) {
    let sides = candidates(state, d, &said.prediction.counter);
    let outcomes: Vec<(PredictionOutcome, &Vec<RecordId>)> = (sides.iter())
        .map(|(before, after, ids)| {
            (
                predict::outcome(&said.prediction, Some(*before), Some(*after)),
                ids,
            )
        })
        .collect();
    let doc =
        |p: &PredictionOutcome| json!({"observed_percent": p.observed_percent, "held": p.held});
    let agrees = |p: &PredictionOutcome| beside(&doc(said), &doc(p)).iter().all(Beside::agrees);
    // What it observed then may not be the newest by now: any pair of the two sides will do.
    let found = outcomes.iter().find(|(p, _)| agrees(p));
    let Some((computed, ids)) = found.or(outcomes.first()) else {
        list.add(Outcome::NotRecomputed, || AuditedFigure {
            figure: format!("prediction {}", predict::format(&said.prediction)),
            unit: "%".into(),
            stated: json!(said.observed_percent),
            why: "no figure of both sides is in this ledger".into(),
            why_zh: "账本中没有双方的该项数据".into(),
            ..figure(record.id.to_string(), "decision", d.variant.clone())
        });
        return;
    };
    for f in beside(&doc(said), &doc(computed)) {
        add(list, &f, || AuditedFigure {
            sources: ids.iter().map(ToString::to_string).collect(),
            ..figure(record.id.to_string(), "decision", d.variant.clone())
        });
    }
}

/// Pairs of a figure before and after, with the records that they are from, the newest first.
fn candidates(state: &State, d: &Decision, counter: &str) -> Vec<(f64, f64, Vec<RecordId>)> {
    let parent = (state.variant(&d.variant)).and_then(|v| match &state.get(v.declaration?)?.body {
        Body::Variant(declared) => declared.parents.first(),
        _ => None,
    });
    let Some(parent) = parent else {
        return Vec::new();
    };
    if counter == "time" {
        let ratio = |r: &Record| match &r.body {
            Body::Verdict(v) if v.a == *parent && v.b == d.variant => {
                v.ratio.map(|ratio| (1.0, ratio, vec![r.id]))
            }
            _ => None,
        };
        return state.owned(&d.variant).rev().filter_map(ratio).collect();
    }
    let of = |name: &str, content: Option<assay_core::Sha256>| -> Vec<(RecordId, f64)> {
        let value = |r: &Record| {
            let (figures, key) = match &r.body {
                Body::Profile(p) => (&p.counters, &p.subject.key),
                Body::Source(Source { facts, subject, .. }) => (facts, &subject.key),
                _ => return None,
            };
            let meant = content.is_none_or(|c| c == key.kernel);
            let value = figures.get(counter).filter(|_| meant)?.value;
            Some((r.id, value))
        };
        state
            .owned(name)
            .rev()
            .filter_map(value)
            .take(PAIRS)
            .collect()
    };
    let (before, after) = (of(parent, None), of(&d.variant, d.kernel));
    let pairs = |a: &(RecordId, f64)| {
        let (a_id, a) = *a;
        before
            .iter()
            .map(move |(b_id, b)| (*b, a, vec![*b_id, a_id]))
    };
    after.iter().flat_map(pairs).collect()
}

/// Most records of one side that are tried; their pairs grow with the square.
const PAIRS: usize = 50;

/// Counters that a profile record holds, beside what its raw files say. A counter that this version
/// no longer finds there, or finds besides, is no figure that could be wrong.
pub(crate) fn counters(
    list: &mut List,
    id: RecordId,
    p: &record::Profile,
    found: &BTreeMap<String, (Figure, [f64; 2])>,
) {
    let kind = if p.is_published() {
        "published"
    } else {
        "profile"
    };
    for (name, recorded) in &p.counters {
        let Some((computed, _)) = found.get(name).filter(|f| f.0.unit == recorded.unit) else {
            continue;
        };
        let of = Beside {
            figure: name.clone(),
            workload: Some(p.workload.clone()),
            subject: Some(p.subject.name.clone()),
            recorded: json!(recorded.value),
            computed: json!(computed.value),
        };
        add(list, &of, || AuditedFigure {
            unit: recorded.unit.clone(),
            sources: p.blobs().map(|b| b.sha256.to_string()).collect(),
            ..figure(id.to_string(), kind, "")
        });
    }
}
