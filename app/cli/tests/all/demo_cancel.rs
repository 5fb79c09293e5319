//! A demo that is interrupted decides nothing about the variant on its way, and goes on with it later.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::support::Lab;

/// Starts the demo, sends `signal` when the first stage of a variant has begun, and gives what it said.
fn interrupted(lab: &Lab, signal: &str) -> Vec<String> {
    let mut child = lab
        .command(env!("CARGO_BIN_EXE_assay"), &lab.root())
        .args(["demo", "d", "--no-tui"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if said.iter().all(|l: &String| !l.starts_with("[1/")) && line.starts_with("[1/") {
            lab.sh(&format!("kill -{signal} {}", child.id()));
        }
        said.push(line);
    }
    assert_eq!(child.wait().unwrap().code(), Some(4), "{said:#?}");
    said
}

#[test]
fn a_signal_decides_nothing_and_the_next_demo_goes_on_with_that_variant() {
    if Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    let lab = Lab::empty();
    for signal in ["TERM", "INT"] {
        let said = interrupted(&lab, signal);
        assert!(
            said.iter().all(|l| !l.contains("decided already")),
            "{said:#?}"
        );
        assert!(
            said.iter().any(|l| l.contains("cancelled")),
            "{signal}: {said:#?}"
        );
        let list = lab
            .assay(&[
                "-C",
                lab.root().join("d").to_str().unwrap(),
                "list",
                "--json",
            ])
            .json();
        for row in list["variants"].as_array().unwrap() {
            assert!(row["decision"].is_null(), "{signal}: {row:#}");
        }
    }
}
