//! Makes ledgers of any size from a seed, for the bench and the tests.

use std::collections::{BTreeMap, HashMap};

use assay_core::record::*;
use assay_core::{RecordId, Sha256, Timestamp};
use assay_table::{BoxError, Delta, RawRecord, Records, Snapshot};

/// SplitMix64: small, and the same everywhere.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A ledger in memory; its state is the number of records in it.
#[derive(Default, Clone)]
pub struct MemoryLedger {
    pub records: Vec<RawRecord>,
    by_id: HashMap<String, usize>,
    /// How often everything was read.
    pub snapshots: usize,
    /// How many single records were read.
    pub gets: usize,
}

impl MemoryLedger {
    pub fn put(&mut self, r: &Record) {
        let bytes = r.to_bytes().expect("a record that can be written");
        self.put_raw(r.path(), bytes);
        self.by_id.insert(r.id.to_string(), self.records.len() - 1);
    }

    pub fn put_raw(&mut self, path: String, bytes: Vec<u8>) {
        self.records.push(RawRecord { path, bytes });
    }
}

impl Records for MemoryLedger {
    fn head(&mut self) -> Result<Option<String>, BoxError> {
        let n = self.records.len();
        Ok((n > 0).then(|| n.to_string()))
    }

    fn snapshot(&mut self) -> Result<Snapshot, BoxError> {
        self.snapshots += 1;
        Ok(Snapshot {
            head: self.head()?,
            records: self.records.clone(),
        })
    }

    fn changed_since(&mut self, head: &str) -> Result<Option<Delta>, BoxError> {
        let from: usize = head.parse()?;
        Ok(self.records.get(from..).map(|added| Delta {
            head: Some(self.records.len().to_string()),
            added: added.to_vec(),
            removed: Vec::new(),
        }))
    }

    fn get_many(&mut self, ids: &[RecordId]) -> Result<Vec<RawRecord>, BoxError> {
        self.gets += ids.len();
        let at = ids.iter().filter_map(|id| self.by_id.get(&id.to_string()));
        Ok(at.map(|i| self.records[*i].clone()).collect())
    }
}

pub struct Maker {
    pub rng: Rng,
    clock: u64,
    /// Time between two records in milliseconds.
    pub step_ms: u64,
    pub campaign: &'static str,
}

const WORKLOADS: [&str; 4] = ["square-256", "square-512", "tall-1024", "decode-1"];

impl Maker {
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Rng(seed),
            clock: 1_790_000_000_000,
            step_ms: 1000,
            campaign: "gemm-cpu",
        }
    }

    pub fn record(&mut self, body: impl Into<Body>) -> Record {
        self.clock += self.step_ms;
        let at = Timestamp::from_millisecond(self.clock as i64).expect("a time in range");
        let mut r = Record::new(at, "someone", self.campaign, body.into());
        r.id = RecordId::from_parts(self.clock, u128::from(self.rng.next()));
        r
    }

    fn id(&mut self) -> RecordId {
        RecordId::from_parts(self.clock, u128::from(self.rng.next()))
    }

    pub fn subject(&self, name: &str, content: usize) -> Subject {
        let baseline = name.starts_with("base");
        Subject {
            name: name.into(),
            role: if baseline {
                Role::Baseline
            } else {
                Role::Variant
            },
            commit: (!baseline).then(|| Sha256::of(name).to_string()[..40].to_owned()),
            dirty: false,
            key: ContentKey {
                kernel: Sha256::of(format!("{name} {content}")),
                recipe: Sha256::of("recipe"),
                toolchain: Sha256::of("toolchain"),
                device: Sha256::of("device"),
                evaluator: Sha256::of("evaluator"),
            },
        }
    }

    pub fn evaluator(&mut self) -> Record {
        self.record(Evaluator {
            canaries: Vec::new(),
            commit: "0123456789012345678901234567890123456789".into(),
            tree: Sha256::of("evaluator"),
            config: Sha256::of("config"),
            folder: "kernels/gemm-cpu".into(),
            why: "first pin".into(),
        })
    }

    pub fn variant(&mut self, name: &str, parents: &[&str]) -> Record {
        let tile = 1 << (3 + self.rng.below(5));
        self.record(Variant {
            name: name.into(),
            branch: format!("assay/{}/{name}", self.campaign),
            parents: parents.iter().map(|p| (*p).to_owned()).collect(),
            base: "0123456789012345678901234567890123456789".into(),
            why: format!("a tile of {tile} keeps the panel of B in the second level cache"),
            family: Some("tile".into()),
            knobs: BTreeMap::from([
                ("tile".into(), tile.to_string()),
                ("unroll".into(), (tile / 4).to_string()),
            ]),
            predictions: vec![Prediction {
                counter: "inst.load".into(),
                op: "<".into(),
                percent: -10.0,
            }],
        })
    }

    pub fn run(&mut self, name: &str, content: usize, failed: bool) -> Record {
        let run = self.id();
        let records = (0..4).map(|_| self.id()).collect();
        let subject = self.subject(name, content);
        self.record(Run {
            run,
            subject,
            target: "local".into(),
            stages: Stage::ALL.to_vec(),
            done: Stage::ALL.to_vec(),
            failure: failed.then(|| Failure {
                kind: FailureKind::Compile,
                stage: Stage::Build,
                message: "the compiler ended with 1".into(),
                stderr_tail: "kernel.c:12: error: unknown type".into(),
            }),
            environment: Environment {
                device: "a processor of 2 cores".into(),
                stable: BTreeMap::from([("cpu".into(), "a processor".into())]),
                volatile: BTreeMap::from([("load".into(), "0.1".into())]),
            },
            wall_ns: 3_000_000_000,
            left: Vec::new(),
            records,
        })
    }

    pub fn check(&mut self, name: &str, content: usize) -> Record {
        let (run, subject) = (self.id(), self.subject(name, content));
        let gate = |name: &str| GateResult {
            name: name.into(),
            pass: Some(true),
            evidence: "max_abs_error is 0 on every workload".into(),
        };
        self.record(Check {
            run,
            subject,
            results: (WORKLOADS.iter())
                .map(|w| CheckResult {
                    workload: (*w).into(),
                    max_abs_error: Some(0.0),
                    max_rel_error: Some(0.0),
                    detail: String::new(),
                    ok: true,
                })
                .collect(),
            gates: vec![
                gate("evaluator-untouched"),
                gate("correct"),
                gate("spills"),
                gate("fma"),
            ],
            untimed: Vec::new(),
            log: blob(),
        })
    }

    /// A measurement of `b` against `a`, and its verdict.
    pub fn measure(&mut self, a: (&str, usize), b: (&str, usize)) -> [Record; 2] {
        let run = self.id();
        let (sa, sb) = (self.subject(a.0, a.1), self.subject(b.0, b.1));
        let mut summary = Vec::new();
        for w in WORKLOADS {
            for s in [a.0, b.0] {
                let median_ns = 1e6 * (0.5 + self.rng.unit());
                summary.push(SampleSummary {
                    workload: w.into(),
                    subject: s.into(),
                    n: 96,
                    median_ns,
                    min_ns: median_ns * 0.98,
                    mad_ns: median_ns * 0.004,
                });
            }
        }
        let ratio = 0.9 + 0.2 * self.rng.unit();
        let interval = Some([ratio * 0.995, ratio * 1.005]);
        let m = self.record(Measurement {
            run,
            a: sa,
            b: sb,
            mode: "pair".into(),
            timer: "clock_monotonic".into(),
            tick_ns: Some(1.0),
            cache: "hot".into(),
            protocol: 1,
            processes: 4,
            samples: blob(),
            summary,
            conditions: BTreeMap::new(),
        });
        let v = self.record(Verdict {
            run,
            a: a.0.into(),
            b: b.0.into(),
            measurement: m.id,
            procedure: "paired-t/1".into(),
            policy: "assay".into(),
            delta: 0.01,
            guard: 0.02,
            gain: None,
            null_pair: false,
            null_ground: None,
            normalised_equal: None,
            processes: 4,
            ratio: Some(ratio),
            interval,
            verdict: if ratio < 0.985 {
                VerdictKind::Faster
            } else {
                VerdictKind::Undecided
            },
            reason: "the interval of the time ratio lies below one minus delta".into(),
            next: String::new(),
            workloads: (WORKLOADS.iter())
                .map(|w| WorkloadVerdict {
                    workload: (*w).into(),
                    weight: 1.0,
                    ratio: Some(ratio),
                    interval,
                    a_median_ns: Some(1e6),
                    b_median_ns: Some(1e6 * ratio),
                    guard_broken: false,
                })
                .collect(),
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
        [m, v]
    }

    pub fn decide(
        &mut self,
        name: &str,
        content: usize,
        kind: DecisionKind,
        replaces: Vec<RecordId>,
    ) -> Record {
        let s = self.subject(name, content);
        self.record(Decision {
            variant: name.into(),
            kind,
            reason: "the gain holds on every workload".into(),
            decided_by: "person".into(),
            kernel: Some(s.key.kernel),
            commit: s.commit,
            replaces,
            evidence: Vec::new(),
            gates: Vec::new(),
            overrides: Vec::new(),
            predictions: Vec::new(),
        })
    }
}

pub fn blob() -> BlobRef {
    BlobRef {
        sha256: Sha256::of("log"),
        bytes: 12_345,
        name: "log".into(),
    }
}

/// A campaign of `n` variants, each with its declaration, run, check, measurement and verdict.
/// Each hundredth is accepted over the one before.
pub fn campaign(seed: u64, n: usize) -> (MemoryLedger, Maker) {
    campaign_by(Maker::new(seed), n)
}

/// As [`campaign`], with a maker that was set up.
pub fn campaign_by(mut m: Maker, n: usize) -> (MemoryLedger, Maker) {
    let mut ledger = MemoryLedger::default();
    let evaluator = m.evaluator();
    ledger.put(&evaluator);
    let mut champion = "base-o3".to_owned();
    let mut head = Vec::new();
    for i in 0..n {
        let name = format!("tile-{i:05}");
        let parents: Vec<&str> = (!head.is_empty())
            .then_some(champion.as_str())
            .into_iter()
            .collect();
        let declared = m.variant(&name, &parents);
        ledger.put(&declared);
        let run = m.run(&name, 0, false);
        ledger.put(&run);
        let check = m.check(&name, 0);
        ledger.put(&check);
        for r in m.measure((&champion, 0), (&name, 0)) {
            ledger.put(&r);
        }
        if i % 100 == 0 {
            let d = m.decide(&name, 0, DecisionKind::Accept, std::mem::take(&mut head));
            ledger.put(&d);
            head.push(d.id);
            champion = name;
        }
    }
    (ledger, m)
}
