//! A made-up campaign of any size, the same each time.

use std::collections::BTreeMap;

use assay_core::view::{
    CheckView, DecisionView, EvidenceView, FailureView, FigureRecords, FigureView, GateView,
    ListView, PredictionView, SampleSet, ShowView, VariantRow, VerdictView, WorkloadVerdictView,
};
use assay_report::{
    Baseline, Better, ChainRow, Counter, CounterSet, GEOMETRIC_MEAN, Peaks, Protocol, ReportModel,
    TaskGate, TaskWorkload,
};

/// Numbers that look random and are the same each time (xorshift).
struct Noise(u64);

impl Noise {
    /// Between -1 and 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A campaign in which every `accepted`-th variant became the champion.
pub fn campaign(variants: usize, workloads: usize, accepted: usize) -> ReportModel {
    let mut noise = Noise(7);
    let shapes: Vec<String> = (0..workloads)
        .map(|i| format!("m{}-k{}", 128 << (i % 6), 512 + 256 * i))
        .collect();
    let mut rows = Vec::new();
    let mut shows = Vec::new();
    let mut champion = "v000-baseline".to_owned();
    let mut level = 1.0;
    for i in 0..variants {
        let is_accepted = i % accepted == 0;
        let name = if i == 0 {
            champion.clone()
        } else {
            format!(
                "v{i:03}-{}",
                ["tile", "swizzle", "prefetch", "双缓冲"][i % 4]
            )
        };
        let ratio = match (i, is_accepted) {
            (0, _) => 1.0,
            (_, true) => 1.0 - 0.08 / (1.0 + i as f64 * 0.05) - 0.012,
            _ => 1.0 + 0.09 * noise.next(),
        };
        let now = if is_accepted { level * ratio } else { level };
        let (row, show) = variant(
            &mut noise,
            &name,
            &champion,
            i,
            ratio,
            level,
            is_accepted,
            &shapes,
        );
        rows.push(row);
        shows.push(show);
        if is_accepted {
            level = now;
            champion = name;
        }
    }
    for row in rows.iter_mut().filter(|r| r.name == champion) {
        row.status = "champion".into();
    }
    model(rows, shows, shapes, champion)
}

fn figures(noise: &mut Noise) -> BTreeMap<String, FigureView> {
    let names = [
        "inst.executed",
        "inst.memory",
        "inst.shared",
        "mem.reads",
        "mem.writes",
        "cache.l1d.read_misses",
        "cache.l2.hit_rate",
        "duty.mma",
        "shared.conflicts",
        "occupancy.achieved",
    ];
    names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let value = (10f64.powi(3 + i as i32 % 5)
                * (1.3 + noise.next() * (1.0 - i as f64 * 0.06)))
                .round();
            (
                (*name).to_owned(),
                FigureView {
                    value,
                    unit: "1".into(),
                },
            )
        })
        .collect()
}

#[expect(clippy::too_many_arguments, reason = "one made-up variant")]
fn variant(
    noise: &mut Noise,
    name: &str,
    parent: &str,
    i: usize,
    ratio: f64,
    level: f64,
    is_accepted: bool,
    shapes: &[String],
) -> (VariantRow, ShowView) {
    let word = if ratio < 0.985 {
        "FASTER"
    } else if ratio > 1.02 {
        "SLOWER"
    } else {
        "UNDECIDED"
    };
    let is_first = i == 0;
    let half = 0.006 + 0.004 * noise.next().abs();
    let time = |k: usize| 20_000.0 * (1.0 + k as f64 * k as f64) * level;
    let decision = DecisionView {
        kind: if is_accepted { "accept" } else { "reject" }.into(),
        reason: format!("{word}: by the written policy"),
        by: "Ann".into(),
        decided_by: "policy".into(),
        at: "2026-11-30T02:00:00Z".into(),
    };
    let row = VariantRow {
        id: format!("01HZ{i:022}"),
        name: name.into(),
        parent: (!is_first).then(|| parent.to_owned()),
        parents: Vec::new(),
        status: if is_accepted {
            "accepted"
        } else if i % 9 == 5 {
            "failed"
        } else {
            "rejected"
        }
        .into(),
        family: Some("tiling".into()),
        knobs: [("BLOCK".to_owned(), format!("{}", 32 + i))].into(),
        why: "Blocking keeps the tile of B in the first cache, so that reads fall.".into(),
        commit: Some("0123456789abcdef".into()),
        median_ns: shapes
            .iter()
            .enumerate()
            .map(|(k, w)| (w.clone(), time(k) * ratio))
            .collect(),
        published: Vec::new(),
        doubted: Vec::new(),
        ratio: (!is_first).then_some(ratio),
        interval: (!is_first).then_some([ratio - half, ratio + half]),
        against: (!is_first).then(|| parent.to_owned()),
        verdict: (!is_first).then(|| word.to_owned()),
        screened: None,
        stale: false,
        gates: vec![GateView {
            name: "correct".into(),
            pass: Some(true),
            evidence: "max_abs_error 0 <= 0.001".into(),
            overridden: None,
            decided: false,
        }],
        failure: (i % 9 == 5 && !is_accepted).then(|| FailureView {
            kind: "compile".into(),
            stage: "build".into(),
            message: "shared memory over 64 KiB".into(),
            stderr_tail: String::new(),
        }),
        later_failure: None,
        decision: Some(decision.clone()),
        updated_at: "2026-11-30T01:00:00Z".into(),
    };
    let of_workloads: Vec<WorkloadVerdictView> = shapes
        .iter()
        .enumerate()
        .map(|(k, w)| {
            let r = ratio * (1.0 + 0.05 * noise.next());
            WorkloadVerdictView {
                workload: w.clone(),
                weight: 1.0,
                ratio: Some(r),
                interval: Some([r - half, r + half]),
                a_median_ns: Some(time(k)),
                b_median_ns: Some(time(k) * r),
                guard_broken: r > 1.1,
            }
        })
        .collect();
    let kinds = [
        "run",
        "build",
        "source",
        "check",
        "measurement",
        "profile",
        "verdict",
        "decision",
    ];
    let show = ShowView {
        untimed: Vec::new(),
        twice: None,
        chain: None,
        schema: "assay.show/1".into(),
        campaign: "gemm".into(),
        variant: row.clone(),
        branch: format!("assay/gemm/{name}"),
        tip: None,
        stale: false,
        predictions: vec![PredictionView {
            text: "inst.shared<-10%".into(),
            observed_percent: Some(-12.5),
            held: Some(true),
            records: Vec::new(),
            why: String::new(),
        }],
        verdict: (!is_first).then(|| VerdictView {
            schema: "assay.verdict/1".into(),
            a: parent.into(),
            b: name.into(),
            policy: "assay".into(),
            procedure: "paired-t/1".into(),
            delta: 0.01,
            processes: 8,
            ratio: Some(ratio),
            interval: Some([ratio - half, ratio + half]),
            verdict: word.into(),
            reason: "The interval lies below 0.99.".into(),
            next: String::new(),
            workloads: of_workloads,
            warnings: Vec::new(),
            gain: None,
            false_accepts: None,
            regime: None,
            cycles: None,
            wins: Vec::new(),
            losses: Vec::new(),
            split: None,
            control: None,
            level: None,
            calibration: None,
        }),
        records: FigureRecords::default(),
        checks: shapes
            .iter()
            .map(|w| CheckView {
                workload: w.clone(),
                max_abs_error: Some(0.0),
                max_rel_error: Some(0.0),
                ok: true,
                detail: String::new(),
            })
            .collect(),
        counters: figures(noise),
        published: Vec::new(),
        counter_tool: Some("cachegrind".into()),
        facts: figures(noise),
        environment: [("cc".to_owned(), "gcc 12".to_owned())].into(),
        notes: Vec::new(),
        decisions: vec![decision],
        attempts: Vec::new(),
        evidence: kinds
            .iter()
            .enumerate()
            .map(|(k, kind)| EvidenceView {
                id: format!("01HZ{k:02}{i:020}"),
                kind: (*kind).into(),
                at: "2026-11-30T01:30:00Z".into(),
                summary: "8 processes on Example CPU".into(),
            })
            .collect(),
    };
    (row, show)
}

fn counted(show: &ShowView, workload: &str) -> Vec<CounterSet> {
    let record = format!("01HZP-{}", show.variant.name);
    let figures = show.counters.iter().map(|(name, f)| {
        let counter = Counter {
            value: f.value,
            unit: f.unit.clone(),
            record: record.clone(),
        };
        (name.clone(), counter)
    });
    vec![CounterSet {
        tool: "cachegrind".into(),
        workload: workload.to_owned(),
        figures: figures.collect(),
        records: vec![record.clone()],
        ..CounterSet::default()
    }]
}

fn model(
    rows: Vec<VariantRow>,
    shows: Vec<ShowView>,
    shapes: Vec<String>,
    champion: String,
) -> ReportModel {
    let list = ListView {
        others: Vec::new(),
        schema: "assay.list/1".into(),
        campaign: "gemm".into(),
        device: Some("Example GPU".into()),
        champion: Some(champion),
        contested: Vec::new(),
        workloads: shapes.clone(),
        variants: rows,
        chain: None,
        unreadable: 0,
        damaged: 0,
        read_only: false,
    };
    let mut m = ReportModel::new(list);
    m.counters = (shows.iter())
        .map(|s| (s.variant.name.clone(), counted(s, &shapes[0])))
        .collect();
    m.shows = shows;
    m.title = "fp16 GEMM, 大矩阵".into();
    m.median_of = GEOMETRIC_MEAN.into();
    m.chain = m
        .list
        .variants
        .iter()
        .filter(|v| matches!(v.status.as_str(), "accepted" | "champion"))
        .map(|v| ChainRow {
            median_ns: v.geomean_ns(&shapes),
            ..ChainRow::from_row(v, "")
        })
        .collect();
    m.kernel_diffs = m.chain.iter().map(|r| (r.name.clone(), diff())).collect();
    m.task.kernel_paths = vec!["kernel".into()];
    m.task.protected = vec!["harness".into()];
    m.task.workloads = shapes
        .iter()
        .enumerate()
        .map(|(i, w)| TaskWorkload {
            name: w.clone(),
            dims: vec![
                ("M".into(), 128 << (i % 6)),
                ("K".into(), 512 + 256 * i as u64),
            ],
            dtype: "f16".into(),
            weight: Some(1.0),
            flops: Some(2e9 * (1.0 + i as f64 * i as f64) * 1.2),
            bytes: Some(4e6 * (1.0 + (i * i) as f64 / (1.0 + i as f64))),
        })
        .collect();
    m.task.gates = vec![TaskGate {
        name: "correct".into(),
        rule: "max_abs_error <= 1e-3".into(),
    }];
    m.task.baselines = vec![Baseline {
        name: "vendor-blas".into(),
        records: BTreeMap::new(),
        median_ns: shapes
            .iter()
            .enumerate()
            .map(|(k, w)| (w.clone(), 11_000.0 * (1.0 + k as f64 * k as f64)))
            .collect(),
    }];
    m.environment = [("cc".to_owned(), "gcc 12".to_owned())].into();
    m.protocol = Protocol {
        delta: Some(0.01),
        guard: Some(0.02),
        looks: vec![4, 8, 12],
        ..Protocol::default()
    };
    m.runs = Some(m.list.variants.len() as u64);
    m.better = [
        ("inst.executed", Better::Lower),
        ("inst.shared", Better::Lower),
        ("mem.reads", Better::Lower),
        ("duty.mma", Better::Higher),
        ("cache.l2.hit_rate", Better::Higher),
        ("shared.conflicts", Better::Lower),
    ]
    .map(|(name, way)| (name.to_owned(), way))
    .into();
    m.generated_at = "2026-11-30T03:00:00Z".into();
    m.tool_version = "assay 0.1.0".into();
    m.reproduce = vec!["assay verify".into()];
    m.peaks = Some(Peaks {
        record: "device example".into(),
        device: "Example GPU".into(),
        source: "data sheet".into(),
        source_zh: String::new(),
        bytes_per_s: 1.6e12,
        flops_per_s: [("f16".to_owned(), 2.8e14), ("f32".to_owned(), 1.8e13)].into(),
    });
    let mut noise = Noise(3);
    let last: Vec<String> = m
        .chain
        .iter()
        .rev()
        .take(40)
        .map(|r| r.name.clone())
        .collect();
    for name in last {
        let Some(parent) = m
            .list
            .variants
            .iter()
            .find(|v| v.name == name)
            .and_then(|v| v.against.clone())
        else {
            continue;
        };
        let sets = shapes
            .iter()
            .take(4)
            .flat_map(|w| {
                [(parent.clone(), 1.0), (name.clone(), 0.95)].map(|(subject, times)| SampleSet {
                    workload: w.clone(),
                    subject,
                    values_ns: (0..240)
                        .map(|i| {
                            1.2e6
                                * times
                                * (1.0
                                    + 0.01 * (noise.next() + noise.next())
                                    + if i % 60 == 0 { 0.03 } else { 0.0 })
                        })
                        .collect(),
                })
            })
            .collect();
        m.samples.insert(name, sets);
    }
    m
}

/// A change of the kernel of about 60 lines.
fn diff() -> String {
    let mut out = "--- kernel/gemm.c\n+++ kernel/gemm.c\n@@ -10,60 +10,60 @@\n".to_owned();
    for i in 0..20 {
        out.push_str(&format!(" for (int kb{i} = 0; kb{i} < K; kb{i} += 64)\n-    acc{i} += a[i * K + k] * b[k * N + j];\n+    acc{i} = fma(a[i * K + kb{i}], b[kb{i} * N + j], acc{i});\n"));
    }
    out
}
