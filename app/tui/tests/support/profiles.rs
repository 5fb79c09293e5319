//! Counters, findings and roofs of the variants of a list.

use std::collections::BTreeMap;

use assay_core::view::*;

const WORKLOADS: [&str; 2] = ["square-256", "square-512"];

/// The counters of a variant; one without times was never profiled.
pub fn of(v: &VariantRow, workload: Option<&str>) -> VariantProfile {
    if v.median_ns.is_empty() {
        return VariantProfile {
            variant: v.name.clone(),
            roof: RoofState::NoTimes,
            ..VariantProfile::default()
        };
    }
    let workload = workload
        .filter(|w| WORKLOADS.contains(w))
        .unwrap_or(WORKLOADS[0]);
    VariantProfile {
        variant: v.name.clone(),
        workload: Some(workload.into()),
        workloads: WORKLOADS.map(str::to_owned).to_vec(),
        against: v.against.clone(),
        alone: v
            .against
            .is_none()
            .then(|| "there is no profile of `nobody`".into()),
        counters: Some(counters(&v.name, v.against.as_deref(), workload)),
        records: vec!["01KB0000000000000000000009".into()],
        roof: roof(v),
    }
}

/// The same with so many counters at least, under names of their own.
pub fn with_counters(mut profile: VariantProfile, least: usize) -> VariantProfile {
    if let Some(compared) = &mut profile.counters {
        let few = compared.rows.clone();
        for i in few.len()..least {
            let mut row = few[i % few.len()].clone();
            row.name = format!("{} {i}", row.name);
            row.canonical = None;
            row.section = format!("{} {}", row.section, i / 100);
            compared.rows.push(row);
        }
    }
    profile
}

fn column(label: &str) -> ColumnView {
    ColumnView {
        label: label.into(),
        tool: "perf stat".into(),
        tool_version: None,
        kernel: "gemm_kernel".into(),
        occurrence: None,
        scope: "per-kernel".into(),
        values: 6,
    }
}

fn cell(status: &str, value: Option<f64>, suspect: &[&str]) -> CellView {
    CellView {
        status: status.into(),
        value: value.map(Into::into),
        raw: String::new(),
        resolution: None,
        suspect: suspect.iter().map(|s| (*s).to_owned()).collect(),
    }
}

fn row(
    section: &str,
    name: &str,
    unit: &str,
    values: [Option<f64>; 2],
    better: Option<bool>,
) -> CounterRow {
    let of = |v: Option<f64>| {
        cell(
            if v.is_some() {
                "value"
            } else {
                "not_supported"
            },
            v,
            &[],
        )
    };
    let change = match values {
        [Some(a), Some(b)] if a != 0.0 => Some((b / a - 1.0) * 100.0),
        _ => None,
    };
    CounterRow {
        section: section.into(),
        name: name.into(),
        canonical: Some(name.into()),
        unit: unit.into(),
        direction: better.map(|_| "lower".into()),
        cells: values.map(of).to_vec(),
        changes: vec![
            None,
            change.map(|p| ChangeView {
                absolute: 0.0,
                percent: Some(p),
                interval: None,
                text: format!("{p:+.1} %"),
                resolved: true,
                changed: p.abs() > 2.0,
                better,
            }),
        ],
        published: vec![None, None],
        outcome: "changed".into(),
        threshold: 2.0,
        weighted: 1.0,
    }
}

fn counters(name: &str, against: Option<&str>, workload: &str) -> CounterCompareView {
    let misses = if workload == "square-512" {
        9_876_543.0
    } else {
        1_234_567.0
    };
    let mut rows = vec![
        row(
            "cache",
            "l1.misses",
            "count",
            [Some(2_110_000.0), Some(misses)],
            Some(true),
        ),
        row(
            "cache",
            "l2.hit",
            "%",
            [Some(91.5), Some(88.25)],
            Some(false),
        ),
        row(
            "instructions",
            "inst.total",
            "count",
            [Some(1e9), Some(1.005e9)],
            None,
        ),
        row(
            "instructions",
            "ipc",
            "1",
            [Some(1.9), Some(2.41)],
            Some(true),
        ),
        row(
            "内存 \x1b[31m",
            "dram.bytes",
            "bytes",
            [None, Some(81_920.0)],
            None,
        ),
        row(
            "内存 \x1b[31m",
            "带宽\u{202e}利用率",
            "%",
            [Some(40.0), None],
            None,
        ),
    ];
    rows[3].cells[1].suspect = vec!["above what the device can do".into()];
    let mut columns = vec![column(against.unwrap_or("-")), column(name)];
    if against.is_none() {
        columns.remove(0);
        for r in &mut rows {
            r.cells.remove(0);
            r.changes.clear();
        }
    }
    CounterCompareView {
        schema: "assay.counter-compare/1".into(),
        columns,
        base: 0,
        rows,
        unchanged: 0,
        below_threshold: 0,
        no_figure: 0,
        not_compared: 0,
        threshold: 2.0,
        findings: Vec::new(),
        warnings: vec!["perf stat counted 3 of 6 counters by turns".into()],
    }
}

fn roof(v: &VariantRow) -> RoofState {
    let spot = |subject: &str, workload: &str, flops: f64, ns: f64| RoofSpot {
        subject: subject.into(),
        workload: workload.into(),
        dtype: "f32".into(),
        flops,
        bytes: flops / 42.7,
        ns,
        published: false,
        doubted: false,
    };
    let mut points = Vec::new();
    for (w, flops) in [("square-256", 3.36e7), ("square-512", 2.68e8)] {
        let ns = v.median_ns.get(w).copied().unwrap_or(1e6);
        if let Some(a) = &v.against {
            points.push(spot(a, w, flops, ns * 1.4));
        }
        points.push(spot(&v.name, w, flops, ns));
    }
    RoofState::Known(RoofView {
        device: "x86-64, 1 core".into(),
        source: "assay calibrate".into(),
        source_zh: String::new(),
        bytes_per_s: 1.2e10,
        flops_per_s: BTreeMap::from([("f32".into(), 9.6e10)]),
        points,
    })
}

/// Two findings about what was measured, with an escape sequence in one.
pub fn findings(v: &VariantRow) -> AuditView {
    let finding = |rule: &str, kind: &str, severity: &str, counters: &[(&str, f64)]| FindingView {
        rule: rule.into(),
        kind: kind.into(),
        severity: severity.into(),
        subject: v.name.clone(),
        message: format!("{rule} says that more is counted than there \x1b[2Jcan be"),
        message_zh: format!("{rule}：计得的多于可能的"),
        advice: "count fewer events at a time".into(),
        advice_zh: "减少同时计数的事件".into(),
        counters: (counters.iter())
            .map(|(name, value)| UsedFigure {
                name: (*name).into(),
                value: *value,
                unit: "count".into(),
            })
            .collect(),
        evidence: "l1.misses 1,234,567 > 1,000,000".into(),
        source: "profiles/rules".into(),
        source_zh: String::new(),
        of: Vec::new(),
    };
    let findings = match v.median_ns.is_empty() {
        true => Vec::new(),
        false => vec![
            finding(
                "misses-over-accesses",
                "audit",
                "error",
                &[("l1.misses", 1_234_567.0)],
            ),
            finding(
                "memory-bound",
                "diagnosis",
                "warning",
                &[("ipc", 2.41), ("l2.hit", 88.25)],
            ),
            finding("low-ipc", "diagnosis", "info", &[]),
        ],
    };
    AuditView {
        left_out: 0,
        schema: "assay.audit/1".into(),
        campaign: "gemm-cpu".into(),
        variants: vec![v.name.clone()],
        findings,
        figures: Vec::new(),
        figure_totals: FigureTotals::default(),
        not_judged: Vec::new(),
        notices: Vec::new(),
    }
}

/// So many counters in sections of a hundred.
pub fn large(name: &str, count: usize) -> VariantProfile {
    let rows = (0..count).map(|i| {
        let section = format!("section {:02}", i / 100);
        row(
            &section,
            &format!("counter.{i:04}"),
            "count",
            [Some(1e6), Some(1e6 + i as f64)],
            Some(true),
        )
    });
    VariantProfile {
        variant: name.into(),
        workload: Some("square-256".into()),
        workloads: vec!["square-256".into()],
        against: Some("base".into()),
        counters: Some(CounterCompareView {
            rows: rows.collect(),
            ..counters(name, Some("base"), "square-256")
        }),
        ..VariantProfile::default()
    }
}
