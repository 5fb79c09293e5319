//! Benchmarks in one process, and what all modes share. The harness is a shell script.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use assay_core::record::{FailureKind, Role};
use assay_exec::Cancel;
use assay_exec::bench::{BenchJob, ProcessOutcome, Schedule, Watching, run_process, run_watched};
use assay_exec::conditions::{Policy, Sampler};
use assay_exec::plan::{Cache, Mode, StageEnv, SubjectSpec, WorkloadSpec};
use assay_exec::process::Limits;
use assay_exec::progress::{Collect, Silent, Told};

use crate::process::{gone, sh};

/// What a harness in shell needs: `say JSON` answers, `leg W SUBJECT BLOCK LEG NS` answers a leg.
pub const PRELUDE: &str = r#"
say() { echo "{\"assay\":1,\"nonce\":\"$ASSAY_NONCE\",$1}" >/dev/fd/$ASSAY_FD; }
leg() { say "\"kind\":\"samples\",\"workload\":\"$1\",\"subject\":\"$2\",\"process\":$P,\"block\":$3,\"leg\":$4,\"unit\":\"ns\",\"values\":[$5]"; }
P=${ASSAY_PLAN##*\"process\":}; P=${P%%[,\}]*}
"#;

/// Ends a script that answered all that it wanted to.
pub const DONE: &str = r#"say '"kind":"done","process":1'"#;

pub fn subject(id: &str) -> SubjectSpec {
    SubjectSpec {
        id: id.into(),
        role: Role::Variant,
        folder: format!("/build/{id}").into(),
        artefact: format!("/build/{id}/k.so").into(),
        source: "/source".into(),
    }
}

pub fn job(dir: &Path, mode: Mode, script: &str) -> BenchJob {
    BenchJob {
        command: sh(&format!("{PRELUDE}\n{script}\n{DONE}")),
        cwd: dir.to_owned(),
        env: StageEnv::new(|n| std::env::var_os(n), &[]),
        mode,
        subjects: [subject("A-old"), subject("B-new")],
        workloads: vec![WorkloadSpec {
            name: "w".into(),
            dtype: "f32".into(),
            dims: BTreeMap::from([("M".into(), 64.0)]),
            flops: Some(10.0),
            bytes: None,
        }],
        blocks: 2,
        schedule: Arc::new(|process| Schedule {
            order: vec!["ABBA".into(), "BAAB".into()],
            load_order: if process % 2 == 0 { "BA" } else { "AB" }.into(),
            seed: u64::from(process) * 1000,
        }),
        min_leg_ns: 1000,
        warmup_ns: 0,
        cache: Cache::Hot,
        parse: None,
        limits: Limits {
            timeout: Some(Duration::from_secs(20)),
            grace: Duration::from_millis(100),
            ..Limits::default()
        },
        logs: dir.join("logs"),
    }
}

/// Runs a process without looking at this machine, so that its state cannot matter.
pub fn run(job: &BenchJob, process: u32) -> ProcessOutcome {
    let how = Watching {
        sampler: &Sampler::off(),
        policy: &Policy::cpu(),
    };
    run_watched(job, process, how, &Cancel::new(), &Silent).unwrap()
}

/// Answers all eight legs as the schedule has them.
pub const ALL: &str = r#"
i=0; for s in A-old B-new B-new A-old; do leg w $s 0 $i 1$i; i=$((i+1)); done
i=0; for s in B-new A-old A-old B-new; do leg w $s 1 $i 2$i; i=$((i+1)); done
"#;

#[test]
fn a_pair_gives_its_lines_without_the_nonce_and_its_conditions() {
    let dir = tempfile::tempdir().unwrap();
    let progress = Collect::default();
    let script = format!("{ALL} say '\"kind\":\"note\",\"text\":\"warm\"'; echo hello");
    let job = job(dir.path(), Mode::Pair, &script);
    let mut got = run_process(&job, 3, &Cancel::new(), &progress).unwrap();
    assert_eq!((&got.failure, got.suspect), (&None, 0), "{got:?}");
    assert!(got.problems.is_empty(), "{:?}", got.problems);
    let readings = got.lines.split_off(8);
    let conditions = |l: &String| l.contains(r#""kind":"conditions""#);
    assert_eq!(readings.iter().filter(|l| conditions(l)).count(), 2);
    assert_eq!(got.sampling.readings, 2);
    assert_eq!(
        got.lines[1],
        r#"{"assay":1,"block":0,"kind":"samples","leg":1,"process":3,"subject":"B-new","unit":"ns","values":[11],"workload":"w"}"#
    );
    assert_eq!(got.notes, ["warm"]);
    assert!(got.conditions.contains_key("load1.before"));
    assert!(got.conditions.contains_key("load1.after"));
    assert_eq!(std::fs::read_to_string(&got.logs[0]).unwrap(), "hello\n");
    let steps: Vec<Told> = (1..=8).map(|i| Told::Step(i, 8)).collect();
    // Output and answers come through pipes of their own, so their order is not told.
    let is_said = |t: &Told| matches!(t, Told::Said(_));
    let (said, told): (Vec<Told>, Vec<Told>) = progress.told().into_iter().partition(is_said);
    assert_eq!((said, told), (vec![Told::Said("hello".into())], steps));
}

#[test]
fn the_program_is_given_subjects_plan_and_a_varying_environment_size() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"echo "$ASSAY_SUBJECTS" > subjects; echo "$ASSAY_PLAN" > plan
        echo "$ASSAY_SUBJECT $ASSAY_BUILD $ASSAY_ROLE ${#ASSAY_PAD}" > rest"#;
    run(&job(dir.path(), Mode::Pair, script), 2);
    let read = |f: &str| std::fs::read_to_string(dir.path().join(f)).unwrap();
    let subjects: Vec<SubjectSpec> = serde_json::from_str(&read("subjects")).unwrap();
    assert_eq!(subjects, [subject("A-old"), subject("B-new")]);
    let plan: serde_json::Value = serde_json::from_str(&read("plan")).unwrap();
    assert_eq!(plan["order"], serde_json::json!(["ABBA", "BAAB"]));
    assert_eq!(plan["load_order"], "BA");
    assert_eq!((&plan["process"], &plan["seed"]), (&2.into(), &2000.into()));
    assert_eq!(plan["workloads"][0]["dims"]["M"], 64);
    assert_eq!(read("rest"), "new /build/B-new variant 2000\n");
}

#[test]
fn forged_answers_make_the_run_suspect_whatever_its_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!("{ALL} ASSAY_NONCE=0 leg w B-new 0 1 1; exit 1");
    let got = run(&job(dir.path(), Mode::Pair, &script), 1);
    assert_eq!(got.suspect, 1);
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::ExploitSuspected);
    assert_eq!(got.lines.len(), 8, "the forged line is no evidence");
}

#[test]
fn missing_doubled_and_unplanned_legs_are_said() {
    let dir = tempfile::tempdir().unwrap();
    let script = ALL.replacen("1$i;", "1$i; leg w $s 0 $i -4;", 1);
    let got = run(&job(dir.path(), Mode::Pair, &script), 1);
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Runtime);
    assert!(
        failure.message.contains("do not fit the plan")
            && failure.message.contains("-4 is not a time"),
        "{}",
        failure.message
    );

    let script = format!("{ALL} leg w A-old 0 0 9; leg w B-new 7 0 9; leg x B-new 0 0 9");
    let got = run(&job(dir.path(), Mode::Pair, &script), 1);
    let text = got.problems.join("\n");
    assert!(
        text.contains("block 0, leg 0 is claimed before on line 1"),
        "{text}"
    );
    assert!(
        text.contains("block 7, leg 0: the plan has no such leg"),
        "{text}"
    );
    assert!(
        text.contains("workload x, process 1, block 0, leg 0: the plan"),
        "{text}"
    );

    let got = run(&job(dir.path(), Mode::Pair, "leg w B-new 0 0 5"), 1);
    let text = got.problems.join("\n");
    assert!(
        text.contains("answered for `B-new`, planned for `A-old`"),
        "{text}"
    );
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Runtime);
    assert!(
        failure.message.contains("7 of 8 legs are missing"),
        "{}",
        failure.message
    );
}

#[test]
fn ends_are_told_apart_and_what_came_before_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let kind = |script: &str| {
        let got = run(&job(dir.path(), Mode::Pair, script), 1);
        (got.failure.unwrap().kind, got.lines.len())
    };
    assert_eq!(kind("leg w A-old 0 0 5; exit 2"), (FailureKind::Launch, 1));
    assert_eq!(kind("exit 3"), (FailureKind::Correctness, 0));
    assert_eq!(
        kind("leg w A-old 0 0 5; kill -SEGV $$"),
        (FailureKind::Runtime, 1)
    );
    assert_eq!(kind("no-such-tool; exit $?"), (FailureKind::Infra, 0));
    crate::process::mkfifo(&dir.path().join("fifo"));
    let mut hang = job(dir.path(), Mode::Pair, "leg w A-old 0 0 5; cat fifo");
    hang.limits.timeout = Some(Duration::from_millis(600));
    let got = run(&hang, 1);
    assert_eq!(got.failure.unwrap().kind, FailureKind::Timeout);
    assert_eq!(got.lines.len(), 1);
}

#[test]
fn cancelling_a_benchmark_ends_its_process() {
    let dir = tempfile::tempdir().unwrap();
    crate::process::mkfifo(&dir.path().join("fifo"));
    for mode in [Mode::Pair, Mode::Resident, Mode::Invocation] {
        let cancel = Cancel::new();
        let script = "echo $$ > pid.new; mv pid.new pid; cat fifo";
        let job = job(dir.path(), mode, script);
        let pid_file = dir.path().join("pid");
        let got = std::thread::scope(|s| {
            let handle = s.spawn(|| run_process(&job, 1, &cancel, &Silent).unwrap());
            while !pid_file.exists() {
                std::thread::yield_now();
            }
            cancel.cancel();
            handle.join().unwrap()
        });
        let pid = std::fs::read_to_string(&pid_file).unwrap();
        std::fs::remove_file(&pid_file).unwrap();
        assert_eq!(
            got.failure.unwrap().kind,
            FailureKind::Cancelled,
            "{mode:?}"
        );
        assert!(gone(pid.trim()));
    }
}
