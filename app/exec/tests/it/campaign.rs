//! The shipped CPU campaign and both harness helpers, driven as a user's run drives them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_core::record::{Role, Stage};
use assay_exec::Cancel;
use assay_exec::bench::BenchJob;
use assay_exec::fingerprint::tool_version;
use assay_exec::plan::{Mode, Plan, StageEnv, SubjectSpec, WorkloadSpec};
use assay_exec::progress::Silent;
use assay_exec::stage::{StageJob, run_plain, run_stage};

use crate::bench::{job, run};
use crate::process::{env, sh};

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels")
}

fn installed(tool: &str) -> bool {
    tool_version(tool, &["--version"], &env(), &Cancel::new()).is_some()
}

fn subject(build: &Path, id: &str, role: Role) -> SubjectSpec {
    SubjectSpec {
        id: id.into(),
        role,
        folder: build.into(),
        artefact: build.join("libkernel.so"),
        source: kernels().join("gemm-cpu"),
    }
}

fn workload() -> WorkloadSpec {
    let dims = [("M", 64.0), ("N", 48.0), ("K", 32.0)];
    WorkloadSpec {
        name: "small".into(),
        dtype: "f32".into(),
        dims: dims.map(|(n, v)| (n.to_owned(), v)).into(),
        flops: Some(2.0 * 64.0 * 48.0 * 32.0),
        bytes: Some(4.0 * (64.0 * 32.0 + 32.0 * 48.0 + 64.0 * 48.0)),
    }
}

#[test]
fn the_shipped_campaign_builds_checks_and_measures_a_pair() {
    if !installed("cc") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let cwd = kernels().join("gemm-cpu");
    let cancel = Cancel::new();
    let base = StageEnv::new(|n| std::env::var_os(n), &[]).target("local", 1);
    let mut subjects = Vec::new();
    for (id, role, build) in [
        ("A-naive-o3", Role::Baseline, "sh harness/build.sh naive-o3"),
        ("B-new", Role::Variant, "sh harness/build.sh"),
    ] {
        let folder = dir.path().join(id);
        std::fs::create_dir(&folder).unwrap();
        let subject = subject(&folder, id, role);
        let env = base.clone().subject(&subject).vars();
        let log = dir.path().join("build.log");
        let built = StageJob::new(Stage::Build, sh(build), &cwd, env, log);
        let (done, failure) = run_plain(&built, &cancel, &Silent);
        assert!(failure.is_none(), "{failure:?}");
        assert!(done.outcome.ok() && subject.artefact.exists());
        subjects.push(subject);
    }

    let plan = Plan::unpaired(Stage::Check, vec![workload()], 11);
    let env = base
        .clone()
        .subject(&subjects[1])
        .plan(&subjects[1..], &plan)
        .vars();
    let log = dir.path().join("check.log");
    let check = StageJob::new(
        Stage::Check,
        sh("exec sh harness/run.sh check"),
        &cwd,
        env,
        log,
    );
    let checked = run_stage(&check, &cancel, &Silent, |_| {}).unwrap();
    assert!(checked.failure.is_none(), "{:?}", checked.failure);
    assert!(checked.answers.problems.is_empty() && checked.answers.checks().count() > 0);
    assert!(checked.answers.checks().all(|c| c.result.ok));

    let [a, b]: [SubjectSpec; 2] = subjects.try_into().unwrap();
    let bench = BenchJob {
        command: sh("exec sh harness/run.sh bench"),
        cwd,
        env: base,
        subjects: [a, b],
        workloads: vec![workload()],
        ..job(dir.path(), Mode::Pair, "")
    };
    for mode in [Mode::Pair, Mode::Invocation] {
        let got = run(
            &BenchJob {
                mode,
                ..bench.clone()
            },
            2,
        );
        assert!(
            got.failure.is_none() && got.problems.is_empty(),
            "{mode:?} {got:?}"
        );
        assert_eq!((got.lines.len(), got.suspect), (8, 0));
    }
}

#[test]
fn the_python_helper_serves_a_resident_pair() {
    if !installed("python3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import sys
sys.path.insert(0, sys.argv[1])
from assay_harness import main
main(lambda h: h.serve(lambda w, s: lambda: sum(range(100))))
"#;
    std::fs::write(dir.path().join("evaluator.py"), script).unwrap();
    let helper = kernels().join("harness");
    let bench = BenchJob {
        command: sh(&format!(
            "exec python3 -B evaluator.py '{}'",
            helper.display()
        )),
        workloads: ["one", "two"]
            .map(|n| WorkloadSpec {
                name: n.into(),
                dims: BTreeMap::new(),
                ..workload()
            })
            .into(),
        ..job(dir.path(), Mode::Resident, "")
    };
    let got = run(&bench, 2);
    assert!(got.failure.is_none() && got.problems.is_empty(), "{got:?}");
    assert_eq!((got.lines.len(), got.suspect), (16, 0));
}
