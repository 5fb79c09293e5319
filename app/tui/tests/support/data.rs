//! Thirteen variants of a matrix multiplication, with the names that break interfaces.

use std::collections::BTreeMap;

use assay_core::view::*;

pub use super::diffs::diff;

pub fn row(name: &str, parent: Option<&str>, status: &str) -> VariantRow {
    VariantRow {
        id: format!("01KB{name}"),
        name: name.into(),
        parent: parent.map(str::to_owned),
        parents: parent.into_iter().map(str::to_owned).collect(),
        status: status.into(),
        family: None,
        knobs: BTreeMap::new(),
        why: String::new(),
        commit: Some("4f2a91c07be3d5a8c1f0".into()),
        median_ns: BTreeMap::new(),
        published: Vec::new(),
        doubted: Vec::new(),
        ratio: None,
        interval: None,
        against: None,
        verdict: None,
        screened: None,
        stale: false,
        gates: Vec::new(),
        failure: None,
        later_failure: None,
        decision: None,
        updated_at: "2026-11-29T10:00:00Z".into(),
    }
}

pub fn gate(name: &str, pass: Option<bool>, evidence: &str) -> GateView {
    GateView {
        name: name.into(),
        pass,
        evidence: evidence.into(),
        overridden: None,
        decided: false,
    }
}

fn measured(
    mut v: VariantRow,
    why: &str,
    ns: f64,
    ratio: f64,
    verdict: &str,
    spills: bool,
) -> VariantRow {
    v.why = why.into();
    v.median_ns = BTreeMap::from([("square-256".into(), ns), ("square-512".into(), ns * 8.1)]);
    v.ratio = Some(ratio);
    v.interval = Some([ratio - 0.008, ratio + 0.008]);
    v.against = v.parent.clone();
    v.verdict = Some(verdict.into());
    v.gates = vec![
        gate("correct", Some(true), "max_abs_error 1.2e-5 <= 1e-3"),
        gate(
            "spills",
            Some(!spills),
            if spills {
                "spills = 12, must be 0"
            } else {
                "spills = 0"
            },
        ),
        gate("vector", None, ""),
    ];
    v
}

pub fn list() -> ListView {
    let base = measured(
        row("base", None, "accepted"),
        "three loops, -O3",
        4.21e6,
        1.0,
        "SAME",
        false,
    );
    let mut tile = measured(
        row("tile-64", Some("base"), "champion"),
        "a 64-wide tile of B stays in L1",
        2.18e6,
        0.518,
        "FASTER",
        false,
    );
    tile.family = Some("tiling".into());
    tile.knobs = BTreeMap::from([("tile".into(), "64".into())]);
    let tile32 = measured(
        row("tile-32", Some("base"), "rejected"),
        "a smaller tile leaves room for A",
        2.61e6,
        0.62,
        "FASTER",
        false,
    );
    let mut tile128 = measured(
        row("tile-128", Some("base"), "rejected"),
        "a larger tile saves loop overhead",
        2.95e6,
        1.353,
        "SLOWER",
        false,
    );
    tile128.against = Some("tile-64".into());
    let mut unroll = measured(
        row("unroll-4", Some("tile-64"), "measured"),
        "four accumulators hide the latency of the add",
        1.87e6,
        0.858,
        "FASTER",
        false,
    );
    unroll.family = Some("ilp".into());
    let unroll8 = measured(
        row("unroll-8", Some("unroll-4"), "measured"),
        "eight accumulators, if registers last",
        1.91e6,
        1.021,
        "UNDECIDED",
        true,
    );
    let fma = measured(
        row("fma", Some("tile-64"), "measured"),
        "fused multiply-add halves the arithmetic",
        1.69e6,
        0.775,
        "FASTER",
        false,
    );
    let mut prefetch = row("prefetch", Some("fma"), "failed");
    prefetch.why = "prefetch the next row of A".into();
    prefetch.failure = Some(FailureView {
        kind: "compile".into(),
        stage: "build".into(),
        message: "cc exited with 1".into(),
        stderr_tail: "kernel/gemm.c:31:9: error: implicit declaration of '_mm_prefetc'\n".into(),
    });
    let cjk = measured(
        row("分块-寄存器-核函数优化", Some("tile-64"), "measured"),
        "把 B 的分块放进寄存器，减少一级缓存访问",
        2.20e6,
        1.009,
        "NO_GAIN",
        false,
    );
    let mut evil = row("evil\x1b[2J\u{202e}name\n", Some("base"), "new");
    evil.why = "a name with \x1b]0;owned\x07 escape sequences\r\nand lines".into();
    let packed = measured(
        row("pack-b", Some("tile-64"), "parked"),
        "copy B into a packed panel first",
        2.05e6,
        0.94,
        "FASTER",
        true,
    );
    let orphan = row("orphan", Some("nobody"), "new");
    let last = row(
        "a-very-long-variant-name-that-does-not-fit-into-any-column-of-the-table",
        Some("pack-b"),
        "built",
    );
    ListView {
        others: Vec::new(),
        schema: "assay.list/1".into(),
        campaign: "gemm-cpu".into(),
        device: Some("cpu x86-64".into()),
        champion: Some("tile-64".into()),
        contested: Vec::new(),
        workloads: vec!["square-256".into(), "square-512".into()],
        variants: vec![
            base, tile, tile32, tile128, unroll, unroll8, fma, prefetch, cjk, evil, packed, orphan,
            last,
        ],
        chain: None,
        unreadable: 0,
        damaged: 0,
        read_only: false,
    }
}

/// A list of many variants, each a child of an earlier one.
pub fn many(count: usize) -> ListView {
    let mut list = list();
    list.variants = (0..count)
        .map(|i| {
            let parent = (i > 0).then(|| format!("v{:05}", (i - 1) / 3));
            measured(
                row(&format!("v{i:05}"), parent.as_deref(), "measured"),
                "one of many",
                1e6 + i as f64,
                0.9,
                "FASTER",
                false,
            )
        })
        .collect();
    list.champion = Some("v00000".into());
    list
}

pub fn verdict(v: &VariantRow) -> Option<VerdictView> {
    Some(VerdictView {
        schema: "assay.verdict/1".into(),
        a: v.against.clone()?,
        b: v.name.clone(),
        policy: "assay".into(),
        procedure: "paired-log-t/1".into(),
        delta: 0.01,
        processes: 8,
        ratio: v.ratio,
        interval: v.interval,
        verdict: v.verdict.clone()?,
        reason: "the whole interval lies below 1, on every workload within the guard".into(),
        next: if v.verdict.as_deref() == Some("UNDECIDED") {
            "4 more processes".into()
        } else {
            String::new()
        },
        workloads: ["square-256", "square-512"]
            .map(|w| WorkloadVerdictView {
                workload: w.into(),
                weight: 1.0,
                ratio: v.ratio,
                interval: v.interval,
                a_median_ns: Some(2.0e6),
                b_median_ns: Some(1.8e6),
                guard_broken: false,
            })
            .to_vec(),
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
    })
}

pub fn show(v: VariantRow) -> ShowView {
    let figure = |value, unit: &str| FigureView {
        value,
        unit: unit.into(),
    };
    let done = v.ratio.is_some();
    ShowView {
        untimed: Vec::new(),
        twice: None,
        chain: None,
        schema: "assay.show/1".into(),
        campaign: "gemm-cpu".into(),
        branch: format!("assay/gemm-cpu/{}", v.name),
        tip: Some("4f2a91c07be3d5a8c1f0".into()),
        stale: v.name == "pack-b",
        predictions: if done {
            vec![PredictionView {
                text: "l1.misses<-30%".into(),
                observed_percent: Some(-41.5),
                held: Some(true),
                records: Vec::new(),
                why: String::new(),
            }]
        } else {
            Vec::new()
        },
        verdict: verdict(&v),
        checks: if done {
            vec![CheckView {
                workload: "square-256".into(),
                max_abs_error: Some(1.2e-5),
                max_rel_error: None,
                ok: true,
                detail: String::new(),
            }]
        } else {
            Vec::new()
        },
        counters: BTreeMap::from([
            ("l1.misses".into(), figure(1_234_567.0, "count")),
            ("ipc".into(), figure(2.41, "inst/cycle")),
        ]),
        published: Vec::new(),
        counter_tool: Some("perf".into()),
        facts: BTreeMap::from([("vector.fma".into(), figure(16.0, "count"))]),
        environment: BTreeMap::from([("cc".into(), "cc 14.2.0".into())]),
        notes: Vec::new(),
        decisions: v.decision.clone().into_iter().collect(),
        attempts: Vec::new(),
        records: Default::default(),
        evidence: vec![EvidenceView {
            id: "01KB0000000000000000000000".into(),
            kind: "measurement".into(),
            at: "2026-11-29T10:00:00Z".into(),
            summary: "8 processes, 6 blocks".into(),
        }],
        variant: v,
    }
}

pub fn compare(rows: Vec<VariantRow>) -> CompareView {
    let figure = |name: &str, unit: &str, values: Vec<Option<f64>>| {
        let change = match (values.first(), values.last()) {
            (Some(Some(a)), Some(Some(b))) if *a != 0.0 => Some((b / a - 1.0) * 100.0),
            _ => None,
        };
        ComparedFigure {
            name: name.into(),
            unit: unit.into(),
            values,
            change_percent: change,
        }
    };
    let medians = |w: &str| {
        rows.iter()
            .map(|r| r.median_ns.get(w).copied())
            .collect::<Vec<_>>()
    };
    let samples = rows
        .iter()
        .filter_map(|r| {
            let m = r.median_ns.get("square-256")?;
            // A fixed spread with a tail, as timings have.
            let values_ns = (0..96)
                .map(|i| m * (1.0 + f64::from(i * i % 37) * 0.002))
                .collect();
            Some(SampleSet {
                workload: "square-256".into(),
                subject: r.name.clone(),
                values_ns,
            })
        })
        .collect();
    let verdict = rows.last().and_then(verdict);
    CompareView {
        schema: "assay.compare/1".into(),
        campaign: "gemm-cpu".into(),
        verdict_missing: verdict
            .is_none()
            .then(|| "never measured as a pair: assay run NAME --against tile-64".into()),
        verdict,
        published: None,
        workloads: vec![
            figure("square-256", "ns", medians("square-256")),
            figure("square-512", "ns", medians("square-512")),
        ],
        counters: vec![
            figure(
                "l1.misses",
                "count",
                vec![Some(2_110_000.0), Some(1_234_567.0)],
            ),
            figure("dram.bytes", "bytes", vec![None, Some(81_920.0)]),
        ],
        counter_workloads: Vec::new(),
        facts: vec![figure("vector.fma", "count", vec![Some(0.0), Some(16.0)])],
        attribution: Vec::new(),
        samples,
        warnings: vec!["the toolchain differs: cc 14.2.0, cc 15.1.0".into()],
        variants: rows,
    }
}

/// A record with a log that is stored and samples that are not; nothing of it may act.
pub fn record(row: LogRow) -> RecordView {
    let file = |name: &str, bytes: u64, text: Option<&str>| StoredFile {
        name: name.into(),
        sha256: "ab".repeat(32),
        bytes,
        stored: text.is_some(),
        text: text.map(str::to_owned),
        left_out: 0,
    };
    RecordView {
        schema: "assay.record-view/1".into(),
        campaign: "gemm-cpu".into(),
        reason: None,
        body: serde_json::json!({
            "ratio": 0.518,
            "interval": [0.51, 0.526],
            "subject": { "name": row.variant, "commit": "4f2a91c07be3d5a8c1f0" },
            "evidence": ["01KB0000000000000000000008"],
            "why": "把 B 的分块放进寄存器\u{1b}[2J",
        }),
        record: row,
        files: vec![
            file(
                "bench.log",
                58,
                Some("warm-up\n\tblock 1: \u{1b}[31m812 us\u{1b}[0m\n分块 done\n"),
            ),
            file("samples.jsonl", 48_211, None),
        ],
    }
}

pub fn log() -> LogView {
    let row = |i: u32, kind: &str, variant: Option<&str>, summary: &str| LogRow {
        id: format!("01KB00000000000000000000{i:02}"),
        at: format!("2026-11-29T10:{i:02}:00Z"),
        by: "ann".into(),
        kind: kind.into(),
        variant: variant.map(str::to_owned),
        summary: summary.into(),
        supersedes: None,
    };
    LogView {
        schema: "assay.log/1".into(),
        campaign: "gemm-cpu".into(),
        records: vec![
            row(
                9,
                "decision",
                Some("tile-128"),
                "rejected: slower on both sizes",
            ),
            row(
                8,
                "measurement",
                Some("tile-128"),
                "SLOWER 1.353 against tile-64",
            ),
            row(7, "decision", Some("tile-64"), "accepted: twice as fast"),
            row(
                6,
                "measurement",
                Some("tile-64"),
                "FASTER 0.518 against base",
            ),
            row(
                5,
                "variant",
                Some("分块-寄存器-核函数优化"),
                "把 B 的分块放进寄存器",
            ),
            row(4, "campaign", None, "evaluator pinned \x1b[31m"),
        ],
    }
}
