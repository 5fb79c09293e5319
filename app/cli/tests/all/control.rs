//! The control kernel of a session, and what stands beside a verdict on several workloads.

use serde_json::Value;

use crate::support::Lab;

const CONTROL: &str = "[decide]";

/// A campaign whose control kernel is built in this way.
fn controlled(build: &str) -> Lab {
    let table = format!(
        "[[baseline]]\nname = \"fixed\"\nbuild = \"{build}\"\n\n[control]\nbaseline = \"fixed\"\nprocesses = 3\nblocks = 1\n\n[decide]"
    );
    Lab::changed(&[(CONTROL, &table)])
}

#[test]
fn a_quiet_control_stands_beside_every_verdict_of_its_session() {
    let lab = controlled("sh harness/build.sh ref");
    lab.variant("one", &[("cost", "80")]);
    lab.variant("two", &[("cost", "90")]);
    let run = lab.assay(&["run", "one", "two"]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(run.err.contains("control kernel fixed: read "), "{run:#?}");
    assert!(
        run.err.contains("(3 processes, "),
        "the cost is told: {run:#?}"
    );
    let controls = lab.records_of("control");
    assert_eq!(controls.len(), 1, "once a session");
    assert_eq!(controls[0]["body"]["blocks"], 1);
    let ratio = controls[0]["body"]["reading"]["ratio"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.005, "{:#}", controls[0]);
    let (id, verdicts) = (&controls[0]["id"], lab.records_of("verdict"));
    assert_eq!(verdicts.len(), 2);
    for v in &verdicts {
        assert_eq!(&v["body"]["control"]["record"], id);
        assert_eq!(v["body"]["control"]["reading"]["ok"], true);
    }
    let show = lab.assay(&["show", "one"]).ok();
    assert!(show.contains("control kernel fixed: read "), "{show}");
    let log = lab.assay(&["log"]).ok();
    assert!(
        log.contains("control kernel, 3 processes of 1 blocks"),
        "{log}"
    );
    let verified = lab.assay(&["verify"]).ok();
    assert!(
        verified.contains("and 1 control kernel computed"),
        "{verified}"
    );
    lab.assay(&["run", "one", "--again"]).ok();
    assert_eq!(lab.records_of("control").len(), 2, "another session");
}

#[test]
fn a_control_that_reads_as_different_voids_the_verdicts_of_its_session() {
    let lab = controlled("sh harness/build.sh skewed");
    lab.variant("one", &[("cost", "80")]);
    let run = lab.assay(&["run", "one"]);
    run.fails(
        1,
        &["control kernel fixed", "no verdict of this run will stand"],
    );
    let verdict = &lab.records_of("verdict")[0]["body"];
    assert_eq!(verdict["verdict"], "INVALID", "{verdict:#}");
    let reason = verdict["reason"].as_str().unwrap();
    assert!(reason.contains("further from 1 than 1"), "{reason}");
    // The figures stay, so that one can see what was voided.
    assert!(verdict["ratio"].as_f64().unwrap() < 0.7);
    lab.verify();
    lab.assay(&["accept", "one", "--reason", "it looks faster"])
        .fails(1, &[]);
}

#[test]
fn a_control_that_cannot_be_read_is_a_warning() {
    let lab = controlled("printf 'cost = 1\\nbad = bench-exit2\\n' > $ASSAY_BUILD/k.bin");
    lab.variant("one", &[("cost", "80")]);
    lab.assay(&["run", "one"]).ok();
    let control = &lab.records_of("control")[0]["body"];
    assert!(control.get("reading").is_none(), "{control:#}");
    let problem = control["problem"].as_str().unwrap();
    assert!(
        problem.contains("no such kernel") || problem.contains("launch"),
        "{problem}"
    );
    let show = lab.assay(&["show", "one"]).ok();
    assert!(show.contains("FASTER"), "{show}");
    assert!(show.contains("nothing vouches for this session"), "{show}");
    lab.verify();
}

#[test]
fn a_control_must_be_a_baseline() {
    let lab = Lab::committed();
    let text = include_str!("standin/assay.toml");
    lab.write(
        "assay.toml",
        &format!("{text}\n[control]\nbaseline = \"reff\"\n"),
    );
    lab.git(&["commit", "-q", "-a", "-m", "a control"]);
    lab.assay(&["init"])
        .fails(3, &["control.baseline", "the name of a baseline: ref"]);
}

#[test]
fn winners_and_losers_are_told_with_a_dispatch_split() {
    let lab = Lab::new();
    lab.variant("mixed", &[("more-on-large", "200")]);
    lab.assay(&["run", "mixed"]);
    let verdict = &lab.records_of("verdict")[0]["body"];
    assert_eq!(verdict["wins"], serde_json::json!(["small"]), "{verdict:#}");
    assert_eq!(verdict["losses"], serde_json::json!(["large"]));
    let split = &verdict["split"];
    assert_eq!(split["to_b"], serde_json::json!(["small"]));
    // small takes 150 of 250, large stays: the square root of 0.6.
    let expected = split["ratio"].as_f64().unwrap();
    assert!((expected - 0.6_f64.sqrt()).abs() < 0.005, "{split}");
    let says = "dispatch split proposed: small to mixed, the rest stays with ref: expected 0.77";
    let show = lab.assay(&["show", "mixed"]).ok();
    assert!(show.contains(says), "{show}");
    assert!(show.contains("proven slower on large"), "{show}");
    let compare = lab.assay(&["compare", "ref", "mixed"]);
    assert!(compare.out.contains(says), "{compare:#?}");
    let turned = lab.assay(&["compare", "mixed", "ref"]);
    assert!(turned.out.contains("proven faster on large"), "{turned:#?}");
    assert!(!turned.out.contains("split proposed"), "{turned:#?}");
    lab.verify();
}

#[test]
fn a_workload_that_one_side_lacks_is_listed_and_the_others_are_judged() {
    let lab = Lab::new();
    let mut lines = Vec::new();
    for process in 1..=4 {
        for (workload, subjects) in [("both", "ABBA"), ("only-a", "AA"), ("only-b", "BB")] {
            for (leg, subject) in subjects.chars().enumerate() {
                let ns = if subject == 'A' { 1000 } else { 800 } + process;
                lines.push(format!(
                    r#"{{"assay":1,"kind":"samples","workload":"{workload}","subject":"{subject}-x{subject}","process":{process},"block":0,"leg":{leg},"unit":"ns","values":[{ns}]}}"#
                ));
            }
        }
    }
    lab.write("raw.jsonl", &lines.join("\n"));
    let raw = lab.assay(&["verdict", "raw.jsonl", "--a", "xA", "--b", "xB", "--json"]);
    let view = raw.json();
    assert_eq!(view["verdict"], "FASTER", "{view:#}");
    let judged: Vec<&Value> = view["workloads"].as_array().unwrap().iter().collect();
    assert_eq!(judged.len(), 1);
    assert_eq!(judged[0]["workload"], "both");
    let warnings = view["warnings"].to_string();
    for left_out in ["only-a", "only-b"] {
        assert!(warnings.contains(left_out), "{warnings}");
    }
}
