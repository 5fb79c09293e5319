//! Ratios by workload for the variants of a list.

use assay_core::view::*;

use super::data;

/// A row for each variant with a verdict; of published times against the row before.
pub fn of(list: &ListView) -> HeatView {
    let mut rows = Vec::new();
    let mut before: Option<&VariantRow> = None;
    for (i, v) in list.variants.iter().enumerate() {
        if let Some(verdict) = data::verdict(v) {
            rows.push(measured(v, &verdict, i));
        } else if !v.published.is_empty() {
            rows.extend(before.map(|b| published(v, b)));
            before = Some(v);
        }
    }
    HeatView { rows }
}

/// The second workload is a little slower, and for some variants beyond the guard.
fn measured(v: &VariantRow, verdict: &VerdictView, i: usize) -> HeatRow {
    let mut cells = verdict.workloads.clone();
    if let Some(c) = cells.get_mut(1) {
        let ratio = c.ratio.unwrap_or(1.0) * (1.0 + 0.1 * (i % 4) as f64);
        c.ratio = Some(ratio);
        c.interval = Some([ratio - 0.02, ratio + 0.02]);
        c.guard_broken = ratio > 1.1;
    }
    let names = |proven: fn([f64; 2]) -> bool| {
        let of = |c: &&WorkloadVerdictView| c.interval.is_some_and(proven);
        cells
            .iter()
            .filter(of)
            .map(|c| c.workload.clone())
            .collect()
    };
    HeatRow {
        name: v.name.clone(),
        against: verdict.a.clone(),
        verdict: Some(verdict.verdict.clone()),
        records: vec![
            "01KB0000000000000000000001".into(),
            "01KB0000000000000000000002".into(),
        ],
        ratio: verdict.ratio,
        interval: verdict.interval,
        wins: names(|[_, high]| high < 0.99),
        losses: names(|[low, high]| low > 1.0 && high > 1.01),
        cells,
    }
}

fn published(v: &VariantRow, before: &VariantRow) -> HeatRow {
    let cells = v.median_ns.iter().map(|(w, ns)| WorkloadVerdictView {
        workload: w.clone(),
        weight: 1.0,
        ratio: before.median_ns.get(w).map(|b| ns / b),
        interval: None,
        a_median_ns: before.median_ns.get(w).copied(),
        b_median_ns: Some(*ns),
        guard_broken: false,
    });
    HeatRow {
        name: v.name.clone(),
        against: before.name.clone(),
        records: vec!["01KB0000000000000000000003".into()],
        ratio: v
            .median_ns
            .values()
            .next()
            .zip(before.median_ns.values().next())
            .map(|(a, b)| a / b),
        cells: cells.collect(),
        ..HeatRow::default()
    }
}

/// A map of so many rows and columns.
pub fn large(rows: usize, columns: usize) -> HeatView {
    let cell = |r: usize, c: usize| WorkloadVerdictView {
        workload: format!("workload-{c:02}"),
        weight: 1.0,
        ratio: Some(0.7 + 0.001 * ((r * 31 + c * 17) % 600) as f64),
        interval: Some([0.7, 1.3]),
        a_median_ns: Some(1e6),
        b_median_ns: Some(9e5),
        guard_broken: (r + c).is_multiple_of(9),
    };
    let row = |r: usize| HeatRow {
        name: format!("v{r:05}"),
        against: "v00000".into(),
        verdict: Some("SAME".into()),
        ratio: Some(1.0),
        interval: Some([0.9, 1.1]),
        cells: (0..columns).map(|c| cell(r, c)).collect(),
        ..HeatRow::default()
    };
    HeatView {
        rows: (0..rows).map(row).collect(),
    }
}
