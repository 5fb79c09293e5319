//! The pictures of a report: what the model has, in the form that the plots take.

use std::collections::BTreeMap;

use assay_core::view::{SampleSet, ShowView, Side};

use crate::doc::{Doc, Line};
use crate::plot::{
    Bar, Bars, Curve, CurvePoint, Forest, ForestRow, Heat, HeatRow, Reference, Spread, SpreadPanel,
    SpreadSide, Svg,
};
use crate::strings::{Lang, fill};
use crate::{Baseline, Better, ChainRow, CounterSet, GEOMETRIC_MEAN, ReportModel, figure};

/// The time of each accepted version.
pub(super) fn curve(m: &ReportModel, lang: Lang) -> Option<Svg> {
    let is_accepted = |r: &&ChainRow| {
        let kind = r.decision.as_ref().map(|d| d.kind.as_str());
        matches!(kind, Some("accept" | "rollback"))
    };
    // Where nothing was decided, as of published versions, every one is a step.
    let any = m.chain.iter().any(|r| is_accepted(&r));
    let points: Vec<CurvePoint> = m
        .chain
        .iter()
        .filter(|r| !any || is_accepted(r))
        .map(|r| CurvePoint {
            label: r.name.clone(),
            ns: r.median_ns,
            note: versus(lang, &figure::ratio(r.ratio), r.against.as_deref()),
        })
        .collect();
    if points.iter().all(|p| p.ns.is_none()) {
        return None;
    }
    let references = m
        .task
        .baselines
        .iter()
        .filter_map(|b| {
            let ns = median_of(m, b)?;
            let label = b.name.clone();
            Some(Reference { label, ns })
        })
        .collect();
    Some(Curve { points, references }.svg(lang))
}

/// The median of a baseline of what the medians of the chain are of.
fn median_of(m: &ReportModel, b: &Baseline) -> Option<f64> {
    if m.median_of != GEOMETRIC_MEAN {
        return b.median_ns.get(&m.median_of).copied();
    }
    let times: Option<Vec<f64>> = m
        .list
        .workloads
        .iter()
        .map(|w| b.median_ns.get(w).copied())
        .collect();
    let logs: Vec<f64> = times?.into_iter().map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// A name with what it is held against.
fn versus(lang: Lang, what: &str, against: Option<&str>) -> String {
    match against {
        Some(against) => {
            let values = [Line::outside(what), Line::outside(against)];
            fill(lang.strings().pl_versus, &values).plain()
        }
        None => what.to_owned(),
    }
}

/// The ratio of every variant that was measured.
pub(super) fn forest(m: &ReportModel, lang: Lang) -> Option<Svg> {
    let rows: Vec<ForestRow> = m
        .list
        .variants
        .iter()
        .filter(|v| v.ratio.is_some())
        .map(|v| ForestRow {
            label: versus(lang, &v.name, v.against.as_deref()),
            ratio: v.ratio,
            interval: v.interval,
            verdict: v.verdict.clone().unwrap_or_default(),
        })
        .collect();
    let delta = m.protocol.delta;
    (!rows.is_empty()).then(|| Forest { rows, delta }.svg(lang))
}

/// The ratio of every variant on every workload.
pub(super) fn heat(m: &ReportModel, lang: Lang) -> Option<Svg> {
    if m.is_published() {
        return published_heat(m, lang);
    }
    let column: BTreeMap<&str, usize> = m
        .list
        .workloads
        .iter()
        .enumerate()
        .map(|(i, w)| (w.as_str(), i))
        .collect();
    let rows: Vec<HeatRow> = m
        .shows
        .iter()
        .filter_map(|show| {
            let verdict = show.verdict.as_ref().filter(|v| !v.workloads.is_empty())?;
            let mut row = HeatRow {
                label: versus(lang, &show.variant.name, Some(&verdict.a)),
                ratio: verdict.ratio,
                cells: vec![None; m.list.workloads.len()],
                broken: vec![false; m.list.workloads.len()],
                doubted: Vec::new(),
                unproven: vec![false; m.list.workloads.len()],
            };
            for w in &verdict.workloads {
                if let Some(i) = column.get(w.workload.as_str()) {
                    row.cells[*i] = w.ratio;
                    row.broken[*i] = w.guard_broken;
                    row.unproven[*i] = !matches!(verdict.side_of(w), Side::Faster | Side::Slower);
                }
            }
            Some(row)
        })
        .collect();
    if rows.is_empty() || m.list.workloads.is_empty() {
        return None;
    }
    let heat = Heat {
        workloads: m.list.workloads.clone(),
        rows,
        is_published: false,
        delta: m.protocol.delta,
    };
    Some(heat.svg(lang))
}

/// Published medians of each version beside those of its parent, and of the champion beside each
/// baseline.
fn published_heat(m: &ReportModel, lang: Lang) -> Option<Svg> {
    let medians = |name: &str| {
        let row = m.list.variants.iter().find(|v| v.name == name);
        let baseline = m.task.baselines.iter().find(|b| b.name == name);
        row.map(|v| &v.median_ns).or(baseline.map(|b| &b.median_ns))
    };
    let doubts = |name: &str, workload: &str| {
        let mut rows = m.list.variants.iter();
        rows.any(|v| v.name == name && v.time_is_doubted(Some(workload)))
    };
    let steps = m.chain.iter();
    let steps = steps.filter_map(|r| Some((r.name.as_str(), r.parent.as_deref()?)));
    let champion = m.list.champion.as_deref();
    let references = m.task.baselines.iter().map(|b| b.name.as_str());
    let against = champion.map(|c| references.map(move |r| (c, r)));
    let mut rows = Vec::new();
    for (b, a) in steps.chain(against.into_iter().flatten()) {
        let (Some(own), Some(before)) = (medians(b), medians(a)) else {
            continue;
        };
        let ratio = |w: &String| Some(own.get(w)? / before.get(w)?);
        let cells: Vec<Option<f64>> = m.list.workloads.iter().map(ratio).collect();
        if cells.iter().all(Option::is_none) {
            continue;
        }
        rows.push(HeatRow {
            label: versus(lang, b, Some(a)),
            broken: vec![false; cells.len()],
            doubted: (m.list.workloads.iter())
                .map(|w| [a, b].iter().any(|name| doubts(name, w)))
                .collect(),
            unproven: vec![false; cells.len()],
            ratio: geomean(&cells),
            cells,
        });
    }
    let heat = Heat {
        workloads: m.list.workloads.clone(),
        is_published: true,
        rows,
        delta: None,
    };
    (!heat.rows.is_empty()).then(|| heat.svg(lang))
}

/// The geometric mean of what is there.
fn geomean(ratios: &[Option<f64>]) -> Option<f64> {
    let logs: Vec<f64> = ratios.iter().flatten().map(|r| r.ln()).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// The samples behind the verdict of a variant.
pub(super) fn samples(m: &ReportModel, show: &ShowView, lang: Lang) -> Option<Svg> {
    let sets = m.samples.get(&show.variant.name)?;
    let b = show.variant.name.as_str();
    let a = sets.iter().map(|s| s.subject.as_str()).find(|s| *s != b)?;
    let side = |workload: &str, subject: &str| -> SpreadSide {
        let of = |s: &&SampleSet| s.workload == workload && s.subject == subject;
        SpreadSide {
            label: subject.to_owned(),
            ns: sets
                .iter()
                .filter(of)
                .flat_map(|s| s.values_ns.clone())
                .collect(),
        }
    };
    let mut panels: Vec<SpreadPanel> = Vec::new();
    for set in sets {
        if panels.iter().any(|p| p.label == set.workload) {
            continue;
        }
        panels.push(SpreadPanel {
            label: set.workload.clone(),
            a: side(&set.workload, a),
            b: side(&set.workload, b),
        });
    }
    let (a, b) = (a.to_owned(), b.to_owned());
    (!panels.is_empty()).then(|| Spread { a, b, panels }.svg(lang))
}

/// Pictures of counters on one card: one a workload.
const MOST_WORKLOADS: usize = 4;

/// Counters of a variant against those of its parent, taken with the same tool on the same workload.
pub(super) fn counters(m: &ReportModel, show: &ShowView, out: &mut Doc) {
    let Some(parent) = show.variant.parent.as_deref() else {
        return;
    };
    let own = m.counters_of(&show.variant.name);
    let pairs = own.iter().filter(|o| !o.is_published).filter_map(|o| {
        let same = |b: &&CounterSet| b.is_of_tool(o) && b.workload == o.workload;
        Some((m.counters_of(parent).iter().find(same)?, o))
    });
    let pairs: Vec<(&CounterSet, &CounterSet)> = pairs.take(MOST_WORKLOADS).collect();
    for (before, after) in &pairs {
        let bars = bars(m, before, after);
        if bars.is_empty() {
            continue;
        }
        let mut name = show.variant.name.clone();
        if pairs.len() > 1 {
            name = format!("{name}, {}", after.workload);
        }
        out.plot(|lang| {
            let bars = Bars {
                after: name,
                before: parent.to_owned(),
                bars,
            };
            Some(bars.svg(lang))
        });
    }
}

fn bars(m: &ReportModel, before: &CounterSet, after: &CounterSet) -> Vec<Bar> {
    let bars = after.figures.iter().filter_map(|(name, after)| {
        let before = before.figures.get(name)?;
        // Nothing moved, or nothing that has a ratio.
        if before.unit != after.unit || before.value == after.value || before.value == 0.0 {
            return None;
        }
        Some(Bar {
            label: name.clone(),
            before: before.value,
            after: after.value,
            unit: after.unit.clone(),
            is_better: m.better.get(name).map(|way| match way {
                Better::Lower => after.value < before.value,
                Better::Higher => after.value > before.value,
            }),
        })
    });
    bars.collect()
}
