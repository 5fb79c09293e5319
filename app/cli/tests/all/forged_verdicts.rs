//! A verdict that was rewritten with a hash that fits, and a record that was taken away, are named.

use std::fs;
use std::path::Path;

use assay_core::Sha256;
use assay_core::record::{Body, Verdict};
use serde_json::Value;

use crate::audit_figures::{folder, forge, records};
use crate::support::Lab;

/// What is told of a change, and the change.
type Case = (&'static str, fn(&mut Verdict));

/// What `verify` says of a copy of the folder after a change; it must find something wrong.
#[track_caller]
fn found(lab: &Lab, at: &Path, change: impl Fn(&Path)) -> String {
    let copy = lab.root().join("forged");
    let _ = fs::remove_dir_all(&copy);
    let (from, to) = (at.to_str().unwrap(), copy.to_str().unwrap());
    lab.sh(&format!("cp -r '{from}' '{to}'"));
    change(&copy);
    let done = lab.assay_in(&copy, &["verify"]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(done.out.contains("something is wrong"), "{done:#?}");
    done.out
}

/// Rewrites the verdict on `quick`.
fn verdict(at: &Path, change: impl Fn(&mut Verdict)) {
    let changed = forge(at, |body| match body {
        Body::Verdict(v) if v.b == "quick" => {
            change(v);
            true
        }
        _ => false,
    });
    assert_eq!(changed, 1);
}

#[test]
fn every_part_of_a_verdict_is_held_to_what_it_follows_from() {
    let lab = Lab::new();
    let at = folder(&lab);
    let file = at.join("assay.toml");
    let kept = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let text = lab.assay_in(&at, &["verify"]).ok();
    assert!(!text.contains("all is well"), "{text}");
    assert!(
        text.contains("not checked: ") && text.contains("nothing is wrong with what could be"),
        "{text}"
    );
    fs::write(&file, kept).unwrap();
    let text = lab.assay_in(&at, &["verify"]).ok();
    assert!(text.ends_with("all is well\n"), "{text}");

    let cases: [Case; 9] = [
        ("recorded policy threshold", |v| {
            v.policy = "threshold".into();
        }),
        ("recorded procedure paired-t/", |v| {
            v.policy = "median-lower".into();
        }),
        ("recorded delta 0.02", |v| v.delta = 0.02),
        ("recorded guard 0.5", |v| v.guard = 0.5),
        ("recorded gain 0.1", |v| v.gain = Some(0.1)),
        ("recorded weight of ", |v| v.workloads[0].weight *= 2.0),
        ("recorded false_accepts 0.5", |v| {
            v.false_accepts.as_mut().unwrap().rate = 0.5;
        }),
        ("recorded reason it is great", |v| {
            v.reason = "it is great".into();
        }),
        ("recorded next nothing is open", |v| {
            v.next = "nothing is open".into();
        }),
    ];
    for (says, change) in cases {
        let out = found(&lab, &at, |copy| verdict(copy, change));
        assert!(out.contains(says), "{says}: {out}");
    }
    let out = found(&lab, &at, |copy| {
        verdict(copy, |v| v.false_accepts = None);
    });
    assert!(out.contains("recorded false_accepts nothing"), "{out}");
    // Both sides were built to the same code, and the verdict says that they were not.
    let out = found(&lab, &at, |copy| {
        forge(copy, |body| match body {
            Body::Build(b) => {
                b.machine_code = Some(Sha256::of("the same"));
                true
            }
            _ => false,
        });
    });
    assert!(out.contains("recorded null_pair false"), "{out}");
    // The same of generated sources, built by one toolchain.
    let out = found(&lab, &at, |copy| {
        forge(copy, |body| match body {
            Body::Build(b) => {
                b.sources = Some(Sha256::of("the same"));
                true
            }
            _ => false,
        });
    });
    assert!(out.contains("recorded null_pair false"), "{out}");
}

#[test]
fn a_record_that_was_taken_away_is_named() {
    let lab = Lab::new();
    let at = folder(&lab);
    let kinds: [fn(&Body) -> bool; 4] = [
        |b| matches!(b, Body::Verdict(v) if v.b == "quick"),
        |b| matches!(b, Body::Measurement(m) if m.b.name == "quick"),
        |b| matches!(b, Body::Run(r) if r.subject.name == "quick"),
        |b| matches!(b, Body::Calibration(_)),
    ];
    for wanted in kinds {
        let mut gone = String::new();
        let (path, record) = (records(&at).into_iter())
            .find(|(_, r)| wanted(&r.body))
            .unwrap();
        let file = path.strip_prefix(&at).unwrap().to_owned();
        gone.push_str(&record.id.to_string());
        let out = found(&lab, &at, |copy| {
            fs::remove_file(copy.join(&file)).unwrap();
        });
        assert!(
            out.contains(&format!("record {gone}, which is not in this ledger")),
            "{out}"
        );
    }
}

#[test]
fn the_list_of_a_plain_folder_follows_its_files() {
    let lab = Lab::new();
    let at = folder(&lab);
    let reason = || {
        let list = lab.assay_in(&at, &["list", "--json"]).json();
        let rows = list["variants"].as_array().unwrap().clone();
        let row = rows.into_iter().find(|r| r["name"] == "quick").unwrap();
        (row["verdict"].clone(), row["decision"]["reason"].clone())
    };
    assert_eq!(reason(), (Value::from("FASTER"), Value::from("faster")));
    // As long as before, so that only the times of the file tell.
    forge(&at, |body| match body {
        Body::Decision(d) if d.variant == "quick" => {
            d.reason = "slower".into();
            true
        }
        _ => false,
    });
    assert_eq!(reason(), (Value::from("FASTER"), Value::from("slower")));
}
