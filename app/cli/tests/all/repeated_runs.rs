//! A repeat that was stopped takes no evidence away, and gates stand as they were decided.

use std::fs;

use serde_json::Value;

use crate::support::{Lab, gate};

/// Holds the device from another variant while something is done.
fn while_busy(lab: &Lab, then: impl FnOnce()) {
    lab.variant("holder", &[("cost", "90"), ("bad", "bench-meet")]);
    lab.sh("mkfifo \"$HOME/meet\"");
    let mut running = lab.start(&["run", "holder"]);
    // Opening it to write returns when the harness has opened it to read: the bench has begun.
    let harness = fs::File::options()
        .write(true)
        .open(lab.home().join("meet"))
        .unwrap();
    then();
    running.kill().unwrap();
    running.wait().unwrap();
    drop(harness);
}

#[test]
fn a_repeat_on_a_busy_device_leaves_the_evidence() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "99")]);
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    while_busy(&lab, || {
        let err = lab
            .assay(&["run", "quick", "--again", "--no-wait"])
            .fails(4, &["in use by", "leave out `--no-wait`"]);
        assert!(!err.contains("longer `--wait`"), "{err}");
    });
    let row = lab.row("quick");
    assert_eq!(row["status"], "measured", "{row:#}");
    assert_eq!(row["failure"], Value::Null, "{row:#}");
    let show = lab.assay(&["show", "quick", "--json"]).json();
    let notes = show["notes"].as_array().unwrap();
    assert!(
        notes.iter().any(|n| n["text"]
            .as_str()
            .unwrap()
            .contains("a later run of this content ended infra in ")),
        "{notes:#?}"
    );
    assert!(
        lab.assay(&["log", "quick"]).ok().contains("infra"),
        "the log tells it"
    );
    lab.assay(&["accept", "quick", "--reason", "faster"]).ok();
    assert_eq!(lab.list()["champion"], "quick");
    lab.verify();
}

#[test]
fn without_earlier_evidence_a_stopped_run_is_told_as_it_is() {
    let lab = Lab::new();
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick", "--stages", "build"]).ok();
    while_busy(&lab, || {
        lab.assay(&["run", "quick", "--no-wait"])
            .fails(4, &["in use by"]);
    });
    assert_eq!(lab.row("quick")["failure"]["kind"], "infra");
    lab.assay(&["accept", "quick", "--reason", "x"])
        .fails(1, &["evidence: failed: infra in source"]);
}

#[test]
fn gates_of_decided_variants_stand_as_they_were_decided() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "99")]);
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    lab.assay(&["accept", "quick", "--reason", "faster"]).ok();
    for name in ["quick", "base"] {
        let row = lab.row(name);
        let show = lab.assay(&["show", name, "--json"]).json();
        let shown = &show["variant"];
        assert_eq!(
            shown["gates"].as_array().unwrap().len(),
            row["gates"].as_array().unwrap().len()
        );
        for g in row["gates"].as_array().unwrap() {
            assert_eq!(g, &gate_of(shown, g), "{name}");
        }
        assert_eq!(gate(shown, "verdict")["pass"], true, "{shown:#}");
    }
    // Measured once more against something else, the champion keeps what it was accepted over.
    lab.assay(&["run", "quick", "--again", "--against", "ref"])
        .ok();
    let show = lab.assay(&["show", "quick", "--json"]).json();
    let verdict = gate(&show["variant"], "verdict");
    assert_eq!(verdict["pass"], true, "{verdict:#}");
    assert_eq!(verdict, gate(&lab.row("quick"), "verdict"));
    assert!(!lab.assay(&["show", "quick"]).ok().contains("is itself"));
}

fn gate_of(row: &Value, like: &Value) -> Value {
    gate(row, like["name"].as_str().unwrap()).clone()
}
