//! A subject measured alone: in processes without the other one.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use assay_core::record::FailureKind;
use assay_exec::bench::{BenchJob, Schedule};
use assay_exec::plan::Mode;

use crate::bench::{DONE, job, run};

fn alone(dir: &Path, mode: Mode, script: &str) -> BenchJob {
    BenchJob {
        schedule: Arc::new(|process| Schedule {
            order: vec!["AAAA".into()],
            load_order: "A".into(),
            seed: u64::from(process),
        }),
        ..job(dir, mode, script)
    }
}

/// All legs that two blocks of four have.
const EIGHT: &str = "for b in 0 1; do for l in 0 1 2 3; do leg w A-old $b $l 5; done; done";

#[test]
fn one_process_holds_the_subject_alone() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!(r#"echo "$ASSAY_SUBJECTS $ASSAY_SUBJECT" > seen; {EIGHT}"#);
    let got = run(&alone(dir.path(), Mode::Pair, &script), 3);
    assert!(got.failure.is_none() && got.problems.is_empty(), "{got:?}");
    assert_eq!(got.lines.len(), 8);
    let seen = fs::read_to_string(dir.path().join("seen")).unwrap();
    assert!(seen.contains("A-old") && !seen.contains("B-new"), "{seen}");
    assert!(seen.trim_end().ends_with("] old"), "{seen}");
    // An answer for the one that is not there is no evidence.
    let script = EIGHT.replace("A-old $b", "B-new $b");
    let got = run(&alone(dir.path(), Mode::Pair, &script), 1);
    assert_eq!(got.failure.unwrap().kind, FailureKind::Runtime);
}

#[test]
fn a_resident_half_is_asked_without_a_partner() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!(
        r#"
echo starts >> trace
field() {{ v=${{line##*\"$1\":}}; v=${{v%%[,\}}]*}}; }}
while read -r line; do
  case $line in *'"request":"end"'*) {DONE}; exit 0;; esac
  field block; b=$v; field leg; l=$v
  leg w A-old $b $l 5
done </dev/fd/$ASSAY_REQ_FD
"#
    );
    let got = run(&alone(dir.path(), Mode::Resident, &script), 1);
    assert!(got.failure.is_none() && got.problems.is_empty(), "{got:?}");
    assert_eq!((got.lines.len(), got.logs.len()), (8, 1));
    let trace = fs::read_to_string(dir.path().join("trace")).unwrap();
    assert_eq!(trace, "starts\n", "one process");
}
