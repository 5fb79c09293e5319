//! What a stage's program is given: its environment, its subjects and its plan.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use assay_core::campaign::ResolvedWorkload;
pub use assay_core::campaign::{Cache, Mode};
use assay_core::record::{Role, Stage};
use serde::{Deserialize, Serialize, Serializer};

use crate::process::Env;

/// Variables that every program inherits; a campaign names further ones in `[env] pass`.
pub const INHERITED: &[&str] = &["PATH", "HOME", "TMPDIR", "USER", "LANG"];

/// One subject as `ASSAY_SUBJECTS` has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectSpec {
    /// Identity in answers, e.g. `A-naive`.
    pub id: String,
    /// Variant or baseline.
    pub role: Role,
    /// Its build folder.
    pub folder: PathBuf,
    /// Absolute path of its artefact.
    pub artefact: PathBuf,
    /// Absolute path of its source: the campaign folder of its work tree.
    pub source: PathBuf,
}

impl SubjectSpec {
    /// The name without the slot: `naive` of `A-naive`.
    pub fn name(&self) -> &str {
        self.id.split_once('-').map_or(&self.id, |(_, name)| name)
    }
}

/// One workload as `ASSAY_PLAN` has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadSpec {
    /// Name.
    pub name: String,
    /// Element type, e.g. `f32`.
    pub dtype: String,
    /// Dims by name, derived ones included.
    #[serde(serialize_with = "plain_map")]
    pub dims: BTreeMap<String, f64>,
    /// Floating point operations of one launch.
    #[serde(
        default,
        serialize_with = "plain",
        skip_serializing_if = "Option::is_none"
    )]
    pub flops: Option<f64>,
    /// Least bytes that one launch moves.
    #[serde(
        default,
        serialize_with = "plain",
        skip_serializing_if = "Option::is_none"
    )]
    pub bytes: Option<f64>,
}

impl From<&ResolvedWorkload> for WorkloadSpec {
    fn from(w: &ResolvedWorkload) -> Self {
        Self {
            name: w.name.clone(),
            dtype: w.dtype.clone(),
            dims: w.dims.iter().cloned().collect(),
            flops: Some(w.flops),
            bytes: Some(w.bytes),
        }
    }
}

/// A number that is written without a fraction when it is whole, so that a program may read it as
/// an integer.
struct Plain(f64);

impl Plain {
    /// The whole number, where a float still tells neighbours apart.
    fn whole(&self) -> Option<i64> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        (self.0.fract() == 0.0 && self.0.abs() <= EXACT).then_some(self.0 as i64)
    }
}

impl Serialize for Plain {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(n) => s.serialize_i64(n),
            None => s.serialize_f64(self.0),
        }
    }
}

impl std::fmt::Display for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.whole() {
            Some(n) => n.fmt(f),
            None => self.0.fmt(f),
        }
    }
}

/// A number as programs get it in a variable.
pub(crate) fn number_text(value: f64) -> String {
    Plain(value).to_string()
}

fn plain<S: Serializer>(value: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
    value.map(Plain).serialize(s)
}

fn plain_map<S: Serializer>(map: &BTreeMap<String, f64>, s: S) -> Result<S::Ok, S::Error> {
    s.collect_map(map.iter().map(|(k, v)| (k, Plain(*v))))
}

/// `ASSAY_PLAN`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the protocol.
    pub assay: u32,
    /// `check`, `bench` or `profile`.
    pub stage: Stage,
    /// How the command is driven.
    pub mode: Mode,
    /// Workloads, in order.
    pub workloads: Vec<WorkloadSpec>,
    /// Mirrored blocks per workload.
    pub blocks: u32,
    /// Leg order of each block, e.g. `ABBA`.
    pub order: Vec<String>,
    /// Which subject is loaded first: `AB` or `BA`.
    pub load_order: String,
    /// Seed of inputs and poison.
    pub seed: u64,
    /// `fresh`: inputs are drawn anew for each leg.
    pub inputs: String,
    /// Least time of a leg in nanoseconds.
    pub min_leg_ns: u64,
    /// Warm-up time in nanoseconds.
    pub warmup_ns: u64,
    /// Cache mode.
    pub cache: Cache,
    /// Number of the process, from 1.
    pub process: u32,
    /// Mode `invocation`: the block that this process measures, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
    /// Mode `invocation`: the position in the block that this process measures, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg: Option<u32>,
    /// Processes between two looks of the decision procedure, where it matters to the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legs_per_look: Option<u32>,
}

impl Plan {
    /// The plan of a stage without a schedule: check and profile.
    pub fn unpaired(stage: Stage, workloads: Vec<WorkloadSpec>, seed: u64) -> Self {
        Self {
            assay: 1,
            stage,
            mode: Mode::Pair,
            workloads,
            blocks: 1,
            order: vec!["A".into()],
            load_order: "A".into(),
            seed,
            inputs: "fresh".into(),
            min_leg_ns: 0,
            warmup_ns: 0,
            cache: Cache::Hot,
            process: 1,
            block: None,
            leg: None,
            legs_per_look: None,
        }
    }
}

/// Builds the environment of a stage's program: exactly what the contract names.
#[derive(Debug, Clone, Default)]
pub struct StageEnv(Env);

impl StageEnv {
    /// Takes what is inherited, and the names in `pass`, from `lookup`.
    ///
    /// A passed name that begins with `ASSAY_` is ignored: those are ours.
    pub fn new(lookup: impl Fn(&str) -> Option<OsString>, pass: &[String]) -> Self {
        let passed = pass.iter().map(String::as_str);
        let mut vars: Env = INHERITED
            .iter()
            .copied()
            .chain(passed.filter(|n| !n.starts_with("ASSAY_")))
            .filter_map(|n| Some((n.to_owned(), lookup(n)?)))
            .collect();
        vars.insert("LC_ALL".into(), "C".into());
        Self(vars)
    }

    /// Sets one variable.
    pub fn set(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The target's name and the number of cores to use.
    pub fn target(self, name: &str, jobs: usize) -> Self {
        self.set("ASSAY_TARGET", name)
            .set("ASSAY_JOBS", jobs.to_string())
    }

    /// The subject that is built, checked or measured.
    pub fn subject(self, subject: &SubjectSpec) -> Self {
        let role = match subject.role {
            Role::Variant => "variant",
            Role::Baseline => "baseline",
        };
        self.set("ASSAY_BUILD", &subject.folder)
            .set("ASSAY_SUBJECT", subject.name())
            .set("ASSAY_SOURCE", &subject.source)
            .set("ASSAY_ROLE", role)
    }

    /// Subjects and plan, for check, bench and profile.
    pub fn plan(self, subjects: &[SubjectSpec], plan: &Plan) -> Self {
        // These types hold string keys and finite numbers only, so that writing cannot fail.
        let json = |r: serde_json::Result<String>| r.unwrap_or_default();
        self.set("ASSAY_SUBJECTS", json(serde_json::to_string(subjects)))
            .set("ASSAY_PLAN", json(serde_json::to_string(plan)))
    }

    /// The variables.
    pub fn vars(&self) -> Env {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload() -> WorkloadSpec {
        WorkloadSpec {
            name: "square-256".into(),
            dtype: "f32".into(),
            dims: BTreeMap::from([("M".into(), 256.0)]),
            flops: Some(33_554_432.0),
            bytes: Some(0.5),
        }
    }

    #[test]
    fn the_plan_is_written_as_the_protocol_has_it() {
        let plan = Plan {
            order: vec!["ABBA".into(), "BAAB".into()],
            blocks: 2,
            load_order: "BA".into(),
            min_leg_ns: 10_000_000,
            ..Plan::unpaired(Stage::Bench, vec![workload()], 7)
        };
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(
            json,
            concat!(
                r#"{"assay":1,"stage":"bench","mode":"pair","workloads":[{"name":"square-256","dtype":"f32","#,
                r#""dims":{"M":256},"flops":33554432,"bytes":0.5}],"blocks":2,"order":["ABBA","BAAB"],"#,
                r#""load_order":"BA","seed":7,"inputs":"fresh","min_leg_ns":10000000,"warmup_ns":0,"#,
                r#""cache":"hot","process":1}"#
            )
        );
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    }

    #[test]
    fn the_environment_holds_what_the_contract_names_and_nothing_else() {
        let subject = SubjectSpec {
            id: "B-two-part".into(),
            role: Role::Variant,
            folder: "/b".into(),
            artefact: "/b/libkernel.so".into(),
            source: "/s".into(),
        };
        let lookup = |n: &str| match n {
            "PATH" => Some("/bin".into()),
            "CUDA_HOME" => Some("/cuda".into()),
            "SECRET" | "ASSAY_NONCE" => Some("no".into()),
            _ => None,
        };
        let pass = ["CUDA_HOME".to_owned(), "ASSAY_NONCE".to_owned()];
        let env = StageEnv::new(lookup, &pass)
            .target("local", 2)
            .subject(&subject)
            .vars();
        let got: Vec<String> = env
            .iter()
            .map(|(k, v)| format!("{k}={}", v.to_string_lossy()))
            .collect();
        assert_eq!(
            got.join(" "),
            "ASSAY_BUILD=/b ASSAY_JOBS=2 ASSAY_ROLE=variant ASSAY_SOURCE=/s \
             ASSAY_SUBJECT=two-part ASSAY_TARGET=local CUDA_HOME=/cuda LC_ALL=C PATH=/bin"
        );
    }
}
