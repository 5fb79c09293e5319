//! Makes small ledgers for the tests: every record gets the next millisecond and id.

use std::collections::BTreeMap;

use crate::record::*;
use crate::{RecordId, Sha256, Timestamp};

pub(super) struct Maker {
    clock: u64,
    /// The newest run, which checks are part of.
    last_run: RecordId,
    pub(super) records: Vec<Record>,
}

pub(super) fn figure(value: f64, unit: &str) -> Figure {
    Figure {
        value,
        unit: unit.into(),
    }
}

fn blob() -> BlobRef {
    BlobRef {
        sha256: Sha256::of("log"),
        bytes: 3,
        name: "log".into(),
    }
}

pub(super) fn key(content: &str) -> ContentKey {
    ContentKey {
        kernel: Sha256::of(content),
        recipe: Sha256::of("recipe"),
        toolchain: Sha256::of("toolchain"),
        device: Sha256::of("device"),
        evaluator: Sha256::of("evaluator 1"),
    }
}

/// A variant whose content is named after it; `name@2` is other content of `name`, and a name that
/// begins with `base` is a baseline.
pub(super) fn subject(text: &str) -> Subject {
    let name = text.split('@').next().unwrap();
    let baseline = name.starts_with("base");
    Subject {
        name: name.into(),
        role: if baseline {
            Role::Baseline
        } else {
            Role::Variant
        },
        commit: (!baseline).then(|| format!("c-{text}")),
        dirty: false,
        key: key(text),
    }
}

impl Maker {
    pub(super) fn new() -> Self {
        let mut m = Self {
            clock: 1_790_000_000_000,
            last_run: RecordId::from_parts(1, 1),
            records: Vec::new(),
        };
        m.evaluator("evaluator 1");
        m
    }

    pub(super) fn put(&mut self, body: impl Into<Body>) -> RecordId {
        self.clock += 1;
        let at = Timestamp::from_millisecond(self.clock as i64).unwrap();
        let mut r = Record::new(at, "someone", "gemm", body.into());
        r.id = RecordId::from_parts(self.clock, u128::from(self.clock));
        self.records.push(r);
        self.records.last().unwrap().id
    }

    pub(super) fn correct(&mut self, old: RecordId, body: impl Into<Body>) -> RecordId {
        let id = self.put(body);
        let r = self.records.last_mut().unwrap();
        r.supersedes = Some(old);
        r.reason = Some("was wrong".into());
        id
    }

    pub(super) fn remove(&mut self, id: RecordId) -> RecordId {
        self.put(Tombstone {
            removed: id,
            sha256: Sha256::of("x"),
            kind: "any".into(),
            why: "gc".into(),
        })
    }

    pub(super) fn evaluator(&mut self, tree: &str) -> RecordId {
        self.put(Evaluator {
            canaries: Vec::new(),
            commit: "e0".into(),
            tree: Sha256::of(tree),
            config: Sha256::of("config"),
            folder: String::new(),
            why: "first".into(),
        })
    }

    pub(super) fn variant(&mut self, name: &str, parents: &[&str]) -> RecordId {
        self.put(Variant {
            name: name.into(),
            branch: format!("assay/gemm/{name}"),
            parents: parents.iter().map(|p| (*p).to_owned()).collect(),
            base: "b0".into(),
            why: format!("try {name}"),
            family: None,
            knobs: BTreeMap::new(),
            predictions: vec![
                Prediction {
                    counter: "inst.shared".into(),
                    op: "<".into(),
                    percent: -30.0,
                },
                Prediction {
                    counter: "time".into(),
                    op: "<".into(),
                    percent: -5.0,
                },
            ],
        })
    }

    pub(super) fn run(&mut self, who: &str, failure: Option<FailureKind>) -> RecordId {
        let run = RecordId::from_parts(self.clock, 1);
        self.last_run = run;
        self.put(Run {
            run,
            subject: subject(who),
            target: "local".into(),
            stages: Stage::ALL.to_vec(),
            done: Vec::new(),
            failure: failure.map(|kind| Failure {
                kind,
                stage: Stage::Build,
                message: "it broke\nbadly".into(),
                stderr_tail: String::new(),
            }),
            environment: Environment {
                device: "a CPU".into(),
                ..Environment::default()
            },
            wall_ns: 1,
            left: Vec::new(),
            records: Vec::new(),
        })
    }

    pub(super) fn build(&mut self, who: &str) -> RecordId {
        self.put(Build {
            run: RecordId::from_parts(1, 1),
            subject: subject(who),
            command: vec!["cc".into()],
            wall_ns: 1,
            artefacts: Vec::new(),
            machine_code: None,
            sources: None,
            resources: BTreeMap::new(),
            log: blob(),
            failure: None,
        })
    }

    pub(super) fn check(&mut self, who: &str, gates: &[(&str, Option<bool>)]) -> RecordId {
        self.put(Check {
            run: self.last_run,
            subject: subject(who),
            results: vec![CheckResult {
                workload: "square".into(),
                max_abs_error: Some(0.0),
                max_rel_error: None,
                detail: String::new(),
                ok: true,
            }],
            gates: gates_of(gates),
            untimed: Vec::new(),
            log: blob(),
        })
    }

    pub(super) fn profile(&mut self, who: &str, tool: &str, shared: f64) -> RecordId {
        let run = RecordId::from_parts(1, 1);
        self.put(Profile {
            counters: BTreeMap::from([
                ("inst.shared".into(), figure(shared, "instructions")),
                (format!("only.{tool}"), figure(0.0, "1")),
            ]),
            ..Profile::new(run, subject(who), "square", tool, blob())
        })
    }

    pub(super) fn source(&mut self, who: &str, facts: &[(&str, f64)]) -> RecordId {
        self.put(Source {
            run: RecordId::from_parts(1, 1),
            subject: subject(who),
            language: "asm-x86_64".into(),
            files: Vec::new(),
            raw: Sha256::of(who),
            normalised: Sha256::of(who),
            facts: (facts.iter())
                .map(|(name, v)| ((*name).to_owned(), figure(*v, "1")))
                .collect(),
            twice: None,
        })
    }

    /// A measurement of `b` against `a` and its verdict; `times` are medians in nanoseconds.
    pub(super) fn measure(
        &mut self,
        a: &str,
        b: &str,
        times: (f64, f64),
        verdict: VerdictKind,
    ) -> (RecordId, RecordId) {
        self.measure_with(subject(a), subject(b), times, verdict)
    }

    pub(super) fn measure_with(
        &mut self,
        a: Subject,
        b: Subject,
        (ta, tb): (f64, f64),
        verdict: VerdictKind,
    ) -> (RecordId, RecordId) {
        let summary = |name: &str, median_ns| SampleSummary {
            workload: "square".into(),
            subject: name.into(),
            n: 10,
            median_ns,
            min_ns: median_ns,
            mad_ns: 0.0,
        };
        let m = self.put(Measurement {
            run: RecordId::from_parts(1, 1),
            summary: vec![summary(&a.name, ta), summary(&b.name, tb)],
            a: a.clone(),
            b: b.clone(),
            mode: "pair".into(),
            timer: "clock_monotonic".into(),
            tick_ns: None,
            cache: "hot".into(),
            protocol: 1,
            processes: 4,
            samples: blob(),
            conditions: BTreeMap::new(),
        });
        let r = tb / ta;
        let v = self.put(Verdict {
            run: RecordId::from_parts(1, 1),
            a: a.name,
            b: b.name,
            measurement: m,
            procedure: "paired-t/1".into(),
            policy: "assay".into(),
            delta: 0.01,
            guard: 0.02,
            gain: None,
            null_pair: false,
            null_ground: None,
            normalised_equal: None,
            processes: 4,
            ratio: Some(r),
            interval: Some([r * 0.99, r * 1.01]),
            verdict,
            reason: "because".into(),
            next: String::new(),
            workloads: vec![WorkloadVerdict {
                workload: "square".into(),
                weight: 1.0,
                ratio: Some(r),
                interval: Some([r * 0.99, r * 1.01]),
                a_median_ns: Some(ta),
                b_median_ns: Some(tb),
                guard_broken: false,
            }],
            warnings: Vec::new(),
            calibration: None,
            false_accepts: None,
            regime: None,
            clocks_locked: None,
            cycles: None,
            wins: None,
            losses: None,
            split: None,
            control: None,
        });
        (m, v)
    }

    pub(super) fn decide(
        &mut self,
        who: &str,
        kind: DecisionKind,
        replaces: &[RecordId],
    ) -> RecordId {
        let d = decision(who, kind, replaces);
        self.put(d)
    }
}

pub(super) fn gates_of(gates: &[(&str, Option<bool>)]) -> Vec<GateResult> {
    (gates.iter())
        .map(|(name, pass)| GateResult {
            name: (*name).into(),
            pass: *pass,
            evidence: "seen".into(),
        })
        .collect()
}

pub(super) fn decision(who: &str, kind: DecisionKind, replaces: &[RecordId]) -> Decision {
    let s = subject(who);
    Decision {
        variant: s.name,
        kind,
        reason: format!("{} {who}", kind.name()),
        decided_by: "person".into(),
        kernel: Some(s.key.kernel),
        commit: s.commit,
        replaces: replaces.to_vec(),
        evidence: Vec::new(),
        gates: Vec::new(),
        overrides: Vec::new(),
        predictions: Vec::new(),
    }
}
