//! A small campaign: naive, blocked (champion), unrolled (rejected), packed (failed).

use std::collections::BTreeMap;

use assay_core::record::CapturedTwice;
use assay_core::view::{
    CanaryView, ComparedFigure, DecisionView, EvidenceView, FailureView, FigureRecords, FigureView,
    GateView, ListView, PredictionView, ShowView, SourceStatement, VariantRow, VerdictView,
    WorkloadVerdictView,
};
use assay_report::{
    Baseline, Better, Counter, CounterSet, Protocol, ReportModel, SourceChange, TaskGate,
    TaskWorkload,
};
use assay_source::said::{Key, say};
use assay_source::{DiffOptions, SourceFile};

pub fn empty_list() -> ListView {
    ListView {
        others: Vec::new(),
        schema: "assay.list/1".into(),
        campaign: "gemm-cpu".into(),
        device: Some("Example CPU 3 GHz".into()),
        champion: None,
        contested: Vec::new(),
        workloads: vec!["square-256".into(), "tall".into()],
        variants: Vec::new(),
        chain: None,
        unreadable: 0,
        damaged: 0,
        read_only: false,
    }
}

pub fn row(name: &str, parent: Option<&str>, status: &str) -> VariantRow {
    VariantRow {
        id: format!("01HZ0000000000000000000{}", name.len()),
        name: name.into(),
        parent: parent.map(str::to_owned),
        parents: parent.map(str::to_owned).into_iter().collect(),
        status: status.into(),
        family: None,
        knobs: BTreeMap::new(),
        why: String::new(),
        commit: None,
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
        updated_at: "2026-11-30T01:00:00Z".into(),
    }
}

fn decision(kind: &str, reason: &str) -> DecisionView {
    DecisionView {
        kind: kind.into(),
        reason: reason.into(),
        by: "Ann".into(),
        decided_by: "person".into(),
        at: "2026-11-30T02:00:00Z".into(),
    }
}

fn figures(values: &[(&str, f64, &str)]) -> BTreeMap<String, FigureView> {
    values
        .iter()
        .map(|(name, value, unit)| {
            let figure = FigureView {
                value: *value,
                unit: (*unit).into(),
            };
            ((*name).to_owned(), figure)
        })
        .collect()
}

fn show(
    variant: VariantRow,
    counters: &[(&str, f64, &str)],
    facts: &[(&str, f64, &str)],
) -> ShowView {
    let name = variant.name.clone();
    ShowView {
        untimed: Vec::new(),
        twice: None,
        chain: None,
        schema: "assay.show/1".into(),
        campaign: "gemm-cpu".into(),
        branch: format!("assay/gemm-cpu/{name}"),
        tip: None,
        stale: false,
        predictions: Vec::new(),
        verdict: None,
        checks: Vec::new(),
        counters: figures(counters),
        published: Vec::new(),
        counter_tool: Some("cachegrind".into()),
        facts: figures(facts),
        environment: [("cc".to_owned(), "gcc 12".to_owned())].into(),
        notes: Vec::new(),
        decisions: variant.decision.clone().into_iter().collect(),
        attempts: Vec::new(),
        records: FigureRecords {
            declaration: Some(format!("01HZD-{name}")),
            measurement: Some(format!("01HZZ-{name}")),
            verdict: (variant.verdict.as_ref()).map(|_| format!("01HZV-{name}")),
            decision: (variant.decision.as_ref()).map(|_| format!("01HZX-{name}")),
            ..FigureRecords::default()
        },
        evidence: vec![EvidenceView {
            id: format!("01HZZ-{name}"),
            kind: "measurement".into(),
            at: "2026-11-30T01:30:00Z".into(),
            summary: "8 processes".into(),
        }],
        variant,
    }
}

/// The counters of a variant as one set; none where it has none.
fn counted(show: &ShowView) -> Vec<CounterSet> {
    let record = format!("01HZP-{}", show.variant.name);
    let figures = show.counters.iter().map(|(name, f)| {
        let counter = Counter {
            value: f.value,
            unit: f.unit.clone(),
            record: record.clone(),
        };
        (name.clone(), counter)
    });
    let set = CounterSet {
        tool: "cachegrind".into(),
        workload: "square-256".into(),
        figures: figures.collect(),
        records: vec![record.clone()],
        ..CounterSet::default()
    };
    (!show.counters.is_empty())
        .then_some(set)
        .into_iter()
        .collect()
}

fn workload(name: &str, ratio: f64, half: f64, a: f64) -> WorkloadVerdictView {
    WorkloadVerdictView {
        workload: name.into(),
        weight: 1.0,
        ratio: Some(ratio),
        interval: Some([ratio - half, ratio + half]),
        a_median_ns: Some(a),
        b_median_ns: Some(a * ratio),
        guard_broken: false,
    }
}

pub fn campaign() -> ReportModel {
    let mut naive = row("naive", None, "accepted");
    naive.why = "Start from the textbook loop.".into();
    naive.median_ns = [("square-256".to_owned(), 21_500_000.0)].into();
    naive.decision = Some(decision("accept", "Correct; the version to beat."));
    let mut blocked = row("blocked", Some("naive"), "champion");
    blocked.why = "Blocking keeps B in L1.".into();
    blocked.family = Some("tiling".into());
    blocked.knobs.insert("BLOCK".into(), "64".into());
    blocked.median_ns = [("square-256".to_owned(), 9_460_000.0)].into();
    (blocked.ratio, blocked.interval) = (Some(0.44), Some([0.432, 0.448]));
    (blocked.against, blocked.verdict) = (Some("naive".into()), Some("FASTER".into()));
    blocked.gates = vec![
        GateView {
            name: "correct".into(),
            pass: Some(true),
            evidence: "max_abs_error 0 <= 0.001".into(),
            overridden: None,
            decided: false,
        },
        GateView {
            name: "spills".into(),
            pass: Some(false),
            evidence: "stack.spills 7 > 4".into(),
            overridden: Some("outside of the hot loop".into()),
            decided: false,
        },
    ];
    blocked.decision = Some(decision("accept", "FASTER by more than half."));
    let mut unrolled = row("unrolled", Some("blocked"), "rejected");
    unrolled.why = "Four accumulators hide the latency.".into();
    (unrolled.ratio, unrolled.interval) = (Some(0.998), Some([0.97, 1.03]));
    (unrolled.against, unrolled.verdict) = (Some("blocked".into()), Some("UNDECIDED".into()));
    unrolled.decision = Some(decision("reject", "Not worth the code size."));
    let mut packed = row("packed", Some("blocked"), "failed");
    packed.failure = Some(FailureView {
        kind: "correctness".into(),
        stage: "check".into(),
        message: "max_abs_error 3.5 on tall".into(),
        stderr_tail: String::new(),
    });

    let facts = [
        ("frame.bytes", 48.0, "bytes"),
        ("stack.spills", 6.0, "1"),
        ("vector.fma", 0.0, "1"),
    ];
    let first = show(
        naive.clone(),
        &[
            ("inst.executed", 2_134_673.0, "1"),
            ("mem.reads", 528_387.0, "1"),
        ],
        &facts,
    );
    let facts = [
        ("frame.bytes", 48.0, "bytes"),
        ("stack.spills", 7.0, "1"),
        ("vector.fma", 8.0, "1"),
    ];
    let mut second = show(
        blocked.clone(),
        &[
            ("inst.executed", 801_000.0, "1"),
            ("cache.l1d.read_misses", 501.0, "1"),
        ],
        &facts,
    );
    second.predictions = vec![PredictionView {
        text: "inst.executed<-30%".into(),
        observed_percent: Some(-62.476),
        held: Some(true),
        records: vec!["01HZP-naive".into(), "01HZP-blocked".into()],
        why: String::new(),
    }];
    second.verdict = Some(VerdictView {
        schema: "assay.verdict/1".into(),
        a: "naive".into(),
        b: "blocked".into(),
        policy: "assay".into(),
        procedure: "paired-t/1".into(),
        delta: 0.01,
        processes: 8,
        ratio: Some(0.44),
        interval: Some([0.432, 0.448]),
        verdict: "FASTER".into(),
        reason: "The interval lies below 0.99.".into(),
        next: String::new(),
        workloads: vec![
            workload("square-256", 0.44, 0.01, 21_500_000.0),
            workload("tall", 1.004, 0.02, 812.5),
        ],
        warnings: Vec::new(),
        gain: None,
        false_accepts: None,
        regime: None,
        cycles: None,
        wins: vec!["square-256".into()],
        losses: Vec::new(),
        split: None,
        control: None,
        level: None,
        calibration: None,
    });

    let mut list = empty_list();
    list.champion = Some("blocked".into());
    list.variants = vec![naive, blocked, unrolled.clone(), packed.clone()];
    let mut m = ReportModel::new(list);
    m.title = "fp32 GEMM on the CPU".into();
    m.shows = vec![
        first,
        second,
        show(unrolled, &[], &[]),
        show(packed, &[], &[]),
    ];
    let counted = m.shows.iter().map(|s| (s.variant.name.clone(), counted(s)));
    m.counters = counted.filter(|(_, sets)| !sets.is_empty()).collect();
    m.task.kernel_paths = vec!["kernel".into()];
    m.task.protected = vec!["harness".into(), "assay.toml".into()];
    m.task.evaluator = Some("0123abcd".into());
    m.task.workloads = vec![TaskWorkload {
        name: "square-256".into(),
        dims: vec![("M".into(), 256), ("N".into(), 256), ("K".into(), 256)],
        dtype: "f32".into(),
        weight: Some(1.0),
        flops: Some(33_554_432.0),
        bytes: None,
    }];
    m.task.gates = vec![TaskGate {
        name: "correct".into(),
        rule: "max_abs_error <= 1e-3".into(),
    }];
    m.task.baselines = vec![Baseline {
        name: "naive-o3".into(),
        median_ns: [("square-256".to_owned(), 15_000_000.0)].into(),
        records: [("square-256".to_owned(), "01HZZ-naive-o3".to_owned())].into(),
    }];
    m.environment = [
        ("cc".to_owned(), "gcc 12".to_owned()),
        ("cpu".to_owned(), "Example CPU".to_owned()),
    ]
    .into();
    m.protocol = Protocol {
        canaries: vec![
            canary(
                "wrong-element",
                "correctness",
                "noticed",
                "correctness in check: wrong result on square",
            ),
            canary(
                "half-twice",
                "slower",
                "survived",
                "SAME, time ratio 1.001 in 8 processes",
            ),
        ],
        delta: Some(0.01),
        guard: Some(0.02),
        looks: vec![4, 8, 12],
        procedure: Some("paired-t/1".into()),
        policy: Some("assay".into()),
        mode: Some("pair".into()),
        blocks: Some(6),
        min_leg: Some("10ms".into()),
        cache: Some("hot".into()),
        timer: None,
        noise_floor: None,
        regime: None,
        control: None,
        isolation: None,
    };
    m.runs = Some(6);
    let diff = "--- kernel/gemm.c\n+++ kernel/gemm.c\n@@ -1,1 +1,1 @@\n-for (k = 0; k < K; k++)\n+for (kb = 0; kb < K; kb += 64)\n";
    m.kernel_diffs.insert("blocked".into(), diff.into());
    m.kernel_files
        .insert("blocked".into(), lines("kernel/gemm.c", GEMM));
    let figure = |name: &str, unit: &str, a: f64, b: f64| ComparedFigure {
        name: name.into(),
        unit: unit.into(),
        values: vec![Some(a), Some(b)],
        change_percent: (a != 0.0).then(|| (b - a) / a * 100.0),
    };
    let statement = |kind: &str, counter: Option<ComparedFigure>| SourceStatement {
        text: format!("a sentence of kind {kind}"),
        kind: kind.into(),
        facts: vec![figure("load.global.mean_bits", "bits", 32.0, 64.0)],
        counters: counter.into_iter().collect(),
        said: (kind == "change").then(|| say(Key::Rescheduled, [])),
    };
    let read = |a, b| Some(figure("inst.global.load", "instructions", a, b));
    let source = SourceChange {
        normalised_equal: false,
        statements: vec![
            statement("change", None),
            statement("goes-with", read(1000.0, 801.0)),
            statement("against", read(1000.0, 1200.0)),
            statement("unmoved", read(0.0, 0.0)),
            statement("no-counter", None),
        ],
        files: lines("k.s", ["\tld 1", "\tld 2"]),
        diff: "--- k.s\n+++ k.s\n@@ -1,1 +1,1 @@ gemm [literal]\n-\tld 1\n+\tld 2\n".into(),
    };
    m.sources.insert("blocked".into(), source);
    for show in m.shows.iter_mut().filter(|s| s.variant.name == "blocked") {
        show.twice = Some(CapturedTwice {
            result: "differs".into(),
            file: "k.s".into(),
            hunk: "-a\n+b".into(),
            notice: String::new(),
        });
    }
    m.better = [
        ("inst.executed".to_owned(), Better::Lower),
        ("stack.spills".to_owned(), Better::Lower),
        ("vector.fma".to_owned(), Better::Higher),
    ]
    .into();
    m.generated_at = "2026-11-30T03:00:00Z".into();
    m.tool_version = "assay 0.1.0".into();
    m.reproduce = vec![
        "assay verify".into(),
        "assay run blocked --against naive".into(),
    ];
    m
}

fn canary(name: &str, expect: &str, outcome: &str, found: &str) -> CanaryView {
    CanaryView {
        name: name.into(),
        expect: Some(expect.into()),
        outcome: outcome.into(),
        found: found.into(),
        subject: Some("base".into()),
        target: Some("local".into()),
        ratio: None,
        interval: None,
        id: None,
        at: None,
    }
}

/// The line of a kernel before and after.
pub const GEMM: [&str; 2] = ["for (k = 0; k < K; k++)", "for (kb = 0; kb < K; kb += 64)"];

/// The diff of a file of one line.
pub fn lines(path: &str, [a, b]: [&str; 2]) -> Vec<assay_core::view::FileDiff> {
    let side = |text: &str| vec![SourceFile::new(path, text)];
    assay_source::diff(&side(a), &side(b), &DiffOptions::default())
}
