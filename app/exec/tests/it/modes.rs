//! Benchmarks with resident pairs and with a process for each leg.

use std::fs;
use std::time::Duration;

use assay_core::campaign::{BenchParse, Covers, Delimiter, ParseKind, Template};
use assay_core::record::FailureKind;
use assay_core::units::TimeUnit;
use assay_exec::bench::StdoutParse;
use assay_exec::plan::Mode;

use crate::bench::{ALL, DONE, job, run};
use crate::process::mkfifo;

/// A resident half: writes what it is asked to a trace and answers with `answer`.
fn resident(answer: &str) -> String {
    format!(
        r#"
case $ASSAY_SUBJECTS in *A-old*) ME=A-old;; *) ME=B-new;; esac
echo "$ME starts" >> trace
field() {{ v=${{line##*\"$1\":}}; v=${{v%%[,\}}]*}}; }}
while read -r line; do
  case $line in *'"request":"end"'*) echo "$ME ends" >> trace; {DONE}; exit 0;; esac
  field block; b=$v; field leg; l=$v
  echo "$ME $b $l" >> trace
  {answer}
done </dev/fd/$ASSAY_REQ_FD
echo "$ME sees the pipe closed" >> trace
"#
    )
}

#[test]
fn a_resident_pair_is_asked_one_at_a_time_in_the_order_of_the_schedule() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path(), Mode::Resident, &resident("leg w $ME $b $l 5"));
    let got = run(&job, 2);
    assert!(got.failure.is_none() && got.problems.is_empty(), "{got:?}");
    assert_eq!(got.lines.len(), 8, "the warm-up legs are no evidence");
    assert!(got.lines.iter().all(|l| l.contains(r#""process":2"#)));
    let trace = fs::read_to_string(dir.path().join("trace")).unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    // Process 2 loads B first; each half warms up before the other one starts.
    let head = ["B-new starts", "B-new 2 0", "A-old starts", "A-old 2 0"];
    let legs = [
        "A-old 0 0",
        "B-new 0 1",
        "B-new 0 2",
        "A-old 0 3",
        "B-new 1 0",
        "A-old 1 1",
        "A-old 1 2",
        "B-new 1 3",
    ];
    assert_eq!(lines[..4], head);
    assert_eq!(lines[4..12], legs);
    let mut ends = lines[12..].to_vec();
    ends.sort_unstable();
    assert_eq!(ends, ["A-old ends", "B-new ends"]);
    assert_eq!(got.logs.len(), 2);
}

#[test]
fn a_program_that_does_not_say_done_was_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let half = resident("leg w $ME $b $l 5").replace(DONE, "true");
    let got = run(&job(dir.path(), Mode::Resident, &half), 1);
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Runtime);
    assert_eq!(
        failure.message,
        "bench: `A-old` ended without the `done` answer, so what it answered may be cut off"
    );
    let each = r#"
case $ASSAY_SUBJECTS in *A-old*) ME=A-old;; *) ME=B-new;; esac
leg w $ME $ASSAY_BLOCK $ASSAY_LEG 5; exit 0"#;
    let pair = format!("{ALL} exit 0");
    for (mode, script) in [(Mode::Pair, pair.as_str()), (Mode::Invocation, each)] {
        let failure = run(&job(dir.path(), mode, script), 1).failure.unwrap();
        assert_eq!(failure.kind, FailureKind::Runtime);
        assert!(
            failure
                .message
                .starts_with("bench: ended without the `done` answer"),
            "{}",
            failure.message
        );
    }
}

#[test]
fn a_half_that_dies_ends_the_pair_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let answer =
        r#"[ $ME$b$l = B-new10 ] && { echo out of memory >&2; exit 5; }; leg w $ME $b $l 5"#;
    let got = run(&job(dir.path(), Mode::Resident, &resident(answer)), 1);
    assert_eq!(got.failed.as_deref(), Some("B-new"));
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Runtime);
    assert_eq!(failure.message, "bench: exit code 5 (`B-new`)");
    assert_eq!(failure.stderr_tail, "out of memory\n");
    assert_eq!(got.lines.len(), 4, "what came before is kept");

    let answer = r#"[ $ME$b$l = A-old11 ] && exit 0; leg w $ME $b $l 5"#;
    let got = run(&job(dir.path(), Mode::Resident, &resident(answer)), 1);
    assert_eq!(got.failed.as_deref(), Some("A-old"));
    let message = got.failure.unwrap().message;
    assert_eq!(message, "bench: `A-old` ended before it was asked to");

    let got = run(&job(dir.path(), Mode::Resident, "exit 2"), 1);
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Launch);
    assert_eq!(got.logs.len(), 1, "the second half is never started");
}

#[test]
fn a_half_that_hangs_is_named_and_not_the_one_that_waits() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    let answer = r#"[ $ME$b$l = B-new01 ] && cat fifo; leg w $ME $b $l 5"#;
    let mut job = job(dir.path(), Mode::Resident, &resident(answer));
    job.limits.timeout = Some(Duration::from_millis(900));
    let got = run(&job, 1);
    assert_eq!(got.failed.as_deref(), Some("B-new"));
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(
        failure.message.starts_with("bench: `B-new` was waited for"),
        "{}",
        failure.message
    );
}

#[test]
fn a_half_that_answers_something_else_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    for (answer, words) in [
        (
            "leg w $ME $b 9 5",
            "was asked for workload w, process 1, block 2, leg 0",
        ),
        (
            "leg w A-other $b $l 5",
            "answered workload w, process 1, block 2, leg 0 of `A-other`",
        ),
    ] {
        let got = run(&job(dir.path(), Mode::Resident, &resident(answer)), 1);
        let message = got.failure.unwrap().message;
        assert!(message.contains(words), "{message}");
    }
    let forged = "(ASSAY_NONCE=1; leg w $ME $b $l 1); leg w $ME $b $l 5";
    let got = run(&job(dir.path(), Mode::Resident, &resident(forged)), 1);
    assert_eq!(
        got.failure.as_ref().unwrap().kind,
        FailureKind::ExploitSuspected
    );
    assert_eq!(got.suspect, 10, "{got:?}");
    let mut silent = job(
        dir.path(),
        Mode::Resident,
        &resident("(ASSAY_NONCE=1; leg w $ME $b $l 1)"),
    );
    silent.limits.timeout = Some(Duration::from_millis(600));
    let kind = run(&silent, 1).failure.unwrap().kind;
    assert_eq!(
        kind,
        FailureKind::ExploitSuspected,
        "it weighs more than the hang"
    );
}

#[test]
fn each_leg_has_a_process_of_its_own_and_answers_on_the_descriptor() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
echo "$ASSAY_SUBJECT $ASSAY_WORKLOAD $ASSAY_BLOCK $ASSAY_LEG $ASSAY_DIM_M" >> trace
echo "$ASSAY_PLAN" > plan
case $ASSAY_SUBJECTS in *A-old*) ME=A-old;; *) ME=B-new;; esac
leg w $ME $ASSAY_BLOCK $ASSAY_LEG 5; echo said"#;
    let got = run(&job(dir.path(), Mode::Invocation, script), 1);
    assert!(got.failure.is_none() && got.problems.is_empty(), "{got:?}");
    assert_eq!(got.lines.len(), 8);
    let trace = fs::read_to_string(dir.path().join("trace")).unwrap();
    assert!(
        trace.starts_with("old w 0 0 64\nnew w 0 1 64\nnew w 0 2 64\nold w 0 3 64\nnew w 1 0 64\n")
    );
    let plan = fs::read_to_string(dir.path().join("plan")).unwrap();
    let plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(
        (&plan["block"], &plan["leg"], &plan["blocks"]),
        (&1.into(), &3.into(), &1.into())
    );
    assert_eq!(plan["order"], serde_json::json!(["A"]));
    assert_eq!(
        fs::read_to_string(&got.logs[0]).unwrap(),
        "said\n".repeat(8)
    );
}

#[test]
fn the_output_of_an_existing_program_is_read_with_a_pattern() {
    let dir = tempfile::tempdir().unwrap();
    let mut job = job(
        dir.path(),
        Mode::Invocation,
        "echo mean: 1.$ASSAY_LEG ms; echo noise >&2",
    );
    job.parse = Some(StdoutParse::regex(r"^mean: ([\d.]+) ms", "ms").unwrap());
    let got = run(&job, 1);
    assert!(got.failure.is_none() && got.problems.is_empty(), "{got:?}");
    assert_eq!(
        got.lines[1],
        r#"{"assay":1,"block":0,"cache":"hot","kind":"samples","leg":1,"process":1,"subject":"B-new","tick":100000.0,"timer":"reported","unit":"ms","values":[1.1],"workload":"w"}"#
    );
    job.parse = Some(StdoutParse::regex(r"^median: ([\d.]+)", "ms").unwrap());
    let failure = run(&job, 1).failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Runtime);
    assert!(
        failure.message.contains("nothing in the output matches"),
        "{}",
        failure.message
    );
    assert!(
        failure
            .message
            .contains("`A-old`, workload w, block 0, leg 0")
    );
}

#[test]
fn one_run_of_an_existing_program_gives_legs_for_all_workloads() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
echo "${ASSAY_WORKLOAD-none} $ASSAY_BLOCK $ASSAY_LEG ${ASSAY_DIM_M-none}" >> trace
echo 'name,ms'; echo "v,2.$ASSAY_LEG"; echo w,1.50; [ ! -e big ] || head -c 5000000 /dev/zero"#;
    let mut job = job(dir.path(), Mode::Invocation, script);
    let mut second = job.workloads[0].clone();
    second.name = "v".into();
    job.workloads.push(second);
    job.parse = Some(StdoutParse::new(&covering_all()).unwrap());
    let got = run(&job, 1);
    assert!(got.failure.is_none() && got.problems.is_empty(), "{got:?}");
    assert_eq!(got.lines.len(), 16);
    assert_eq!(
        got.lines[..2],
        [
            r#"{"assay":1,"block":0,"cache":"hot","kind":"samples","leg":0,"process":1,"subject":"A-old","tick":10000.0,"timer":"reported","unit":"ms","values":[1.5],"workload":"w"}"#,
            r#"{"assay":1,"block":0,"cache":"hot","kind":"samples","leg":0,"process":1,"subject":"A-old","tick":100000.0,"timer":"reported","unit":"ms","values":[2.0],"workload":"v"}"#,
        ]
    );
    let trace = fs::read_to_string(dir.path().join("trace")).unwrap();
    assert_eq!(trace.lines().count(), 8);
    assert!(
        trace.starts_with("none 0 0 none\nnone 0 1 none\n"),
        "{trace}"
    );

    fs::write(dir.path().join("big"), "").unwrap();
    let message = run(&job, 1).failure.unwrap().message;
    assert!(
        message.contains("longer than the 4194304 bytes"),
        "{message}"
    );
    assert!(
        message.contains("(`A-old`, all workloads, block 0, leg 0)"),
        "{message}"
    );

    job.workloads[1].name = "u".into();
    fs::remove_file(dir.path().join("big")).unwrap();
    let message = run(&job, 1).failure.unwrap().message;
    assert!(
        message.contains("no row of the output is called `u`; there are `v`, `w`"),
        "{message}"
    );
}

/// Rules for a CSV file with a row for each workload.
fn covering_all() -> BenchParse {
    BenchParse {
        kind: ParseKind::Csv,
        pattern: String::new(),
        value: Template::parse("ms").unwrap(),
        unit: Some(TimeUnit::Ms),
        labels: vec!["name".into()],
        tag_column: None,
        tag: None,
        group: None,
        row: Some(Template::parse("{name}").unwrap()),
        covers: Covers::All,
        delimiter: Delimiter::Comma,
    }
}

#[test]
fn a_leg_that_fails_ends_the_process_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let script =
        r#"[ $ASSAY_BLOCK$ASSAY_LEG = 01 ] && exit 3; leg w A-old $ASSAY_BLOCK $ASSAY_LEG 5"#;
    let got = run(&job(dir.path(), Mode::Invocation, script), 1);
    assert_eq!(got.failed.as_deref(), Some("B-new"));
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Correctness);
    assert_eq!(
        failure.message,
        "bench: exit code 3 (`B-new`, workload w, block 0, leg 1)"
    );
    assert_eq!(got.lines.len(), 1);
}
