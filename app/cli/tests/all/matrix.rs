//! A stand-in campaign of a matrix product, and reports of its profiler.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::support::{Lab, write};

/// Figures of one launch of a kernel, as mcProfiler reports them.
///
/// `BEFORE` and `AFTER` are modelled on a published comparison, a thousandth of its counts.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    pub total: u64,
    pub memory: u64,
    pub shared: u64,
    pub vector: u64,
    pub mma: u64,
    pub global_read: u64,
    pub l2_read: u64,
    pub l2_hit: f64,
    pub conflicts: f64,
    pub efficiency: f64,
    pub mte_duty: f64,
    pub mma_duty: f64,
    pub groups: u64,
}

pub const BEFORE: Figures = Figures {
    total: 18_658_000,
    memory: 4_820_000,
    shared: 3_846_000,
    vector: 4_087_000,
    mma: 6_109_000,
    global_read: 952_760,
    l2_read: 12_188_000,
    l2_hit: 64.81,
    conflicts: 2.40,
    efficiency: 66.67,
    mte_duty: 7.63,
    mma_duty: 44.51,
    groups: 1024,
};

pub const AFTER: Figures = Figures {
    total: 21_254_000,
    memory: 6_159_000,
    shared: 5_371_000,
    global_read: 763_565,
    l2_read: 9_161_000,
    conflicts: 1.72,
    efficiency: 72.70,
    mte_duty: 5.18,
    mma_duty: 47.10,
    ..BEFORE
};

impl Figures {
    /// The `*_dumped_result.json` of a launch.
    pub fn dumped(&self) -> Value {
        let rows = |rows: Vec<(&str, Value)>| -> Value {
            let row = |(name, data): (&str, Value)| json!({"data": data, "isError": false, "message": "", "name": name});
            rows.into_iter().map(row).collect()
        };
        let mut doc = Map::new();
        let mut section = |name: &str, of: Vec<(&str, Value)>| doc.insert(name.into(), rows(of));
        section(
            "Summary",
            vec![
                ("Total Instructions", json!(self.total)),
                ("Memory Instructions", json!(self.memory)),
            ],
        );
        section(
            "CE Statistics",
            vec![
                ("WORKGROUPS", json!(self.groups)),
                ("WAVES", json!(self.groups * 4)),
            ],
        );
        let rest = self.total - self.vector - self.mma - self.memory;
        section(
            "ISU Statistics",
            vec![(
                "Instructions Comparison",
                json!({"MTE": self.vector, "MMA": self.mma, "STE": rest, "GVM": self.memory - self.shared, "BSM": self.shared, "LDU": 0, "MISC": 0}),
            )],
        );
        section(
            "Memory Statistics",
            vec![
                ("Global Read Instructions", json!(self.global_read)),
                ("L2C Read Instructions", json!(self.l2_read)),
                ("L2C Hit Rate", json!(self.l2_hit)),
            ],
        );
        section(
            "Workgroup Memory",
            vec![
                ("total instructions", json!(self.shared)),
                (
                    "average conflict cycles per instruction",
                    json!(self.conflicts),
                ),
                ("shared memory access efficiency", json!(self.efficiency)),
            ],
        );
        section(
            "GPU Throughput Statistics",
            vec![
                ("AP MTE Duty ratio", json!(self.mte_duty)),
                ("AP MMA Duty ratio", json!(self.mma_duty)),
            ],
        );
        Value::Object(doc)
    }
}

/// An output folder of mcProfiler: launches in order, and their sum under `report`.
pub fn folder(at: &Path, launches: &[(&str, Figures)]) -> PathBuf {
    for (i, (kernel, figures)) in launches.iter().enumerate() {
        let name = format!("{}_{kernel}_dumped_result.json", i + 1);
        write(&at.join(name), &figures.dumped().to_string());
    }
    let sum = Figures {
        total: launches.iter().map(|(_, f)| f.total).sum(),
        mma: launches.iter().map(|(_, f)| f.mma).sum(),
        ..launches[0].1
    };
    write(
        &at.join("report_dumped_result.json"),
        &sum.dumped().to_string(),
    );
    at.to_owned()
}

/// The lab's report folder of that name.
pub fn report(lab: &Lab, name: &str, launches: &[(&str, Figures)]) -> String {
    let at = folder(&lab.root().join("reports").join(name), launches);
    at.to_str().unwrap().to_owned()
}

/// The stand-in campaign as a matrix product on a C500, with generated source; approved.
pub fn matrix_lab() -> Lab {
    matrix_lab_with(&[])
}

/// The same with parts of its file replaced.
pub fn matrix_lab_with(changes: &[(&str, &str)]) -> Lab {
    let lab = Lab::committed();
    let mut text = fs::read_to_string(lab.repo().join("assay.toml")).unwrap();
    let standard = [
        (
            "flops = \"2*N\"\nbytes = \"8*N\"",
            "flops = \"2*M*N*K\"\nbytes = \"2*(M*K + K*N + M*N)\"\noutputs = \"M*N\"\nops_per_output = \"2*K\"\ngroups = \"ceildiv(M, 128)*ceildiv(N, 128)\"",
        ),
        (
            "dims = { N = 1000 }\ndtype = \"f32\"",
            "dims = { M = 4096, N = 4096, K = 1024 }\ndtype = \"fp16\"",
        ),
        (
            "dims = { N = 2000 }\ndtype = \"f32\"",
            "dims = { M = 2048, N = 4096, K = 1024 }\ndtype = \"fp16\"",
        ),
        (
            "[check]\n",
            "[source]\ncommand = \"cp kernel/k.txt $ASSAY_BUILD/k.cu\"\nfiles = [\"k.cu\"]\nlanguage = \"cuda\"\n\n[check]\n",
        ),
        (
            "[target.local]\ndevice = \"cpu\"",
            "[profile]\nkernel = \"^gemm\"\n\n[target.local]\ndevice = \"cpu\"\nmodel = \"c500\"",
        ),
    ];
    for (from, to) in standard.iter().chain(changes) {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    lab.write("assay.toml", &text);
    lab.git(&["commit", "-q", "-am", "a matrix product"]);
    lab.assay(&["init"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    lab
}

/// Findings of an audit as (severity, rule, subject).
pub fn found(view: &Value) -> Vec<(String, String, String)> {
    let findings = view["findings"].as_array().unwrap();
    let text = |f: &Value, key: &str| f[key].as_str().unwrap().to_owned();
    (findings.iter())
        .map(|f| (text(f, "severity"), text(f, "rule"), text(f, "subject")))
        .collect()
}

/// The finding of a rule.
#[track_caller]
pub fn finding<'v>(view: &'v Value, rule: &str) -> &'v Value {
    let findings = view["findings"].as_array().unwrap();
    findings
        .iter()
        .find(|f| f["rule"] == rule)
        .unwrap_or_else(|| panic!("no {rule} in {view:#}"))
}

/// Whether a rule found anything.
pub fn has(view: &Value, rule: &str) -> bool {
    found(view).iter().any(|(_, r, _)| r == rule)
}
