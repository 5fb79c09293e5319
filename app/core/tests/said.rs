//! Whether a reader of Chinese can read the log: every kind of record says what it holds in words of
//! the table.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use assay_core::fold::summary;
use assay_core::record::{
    Canary, CanaryOutcome, Chain, Control, Fate, Readings, Screened, Screening, Tombstone,
};
use assay_core::{Body, Record, RecordId, Sha256, Timestamp};
use serde_json::{Value, json};

#[test]
fn every_kind_of_record_is_said_in_chinese() {
    let mut kinds = BTreeSet::new();
    for body in published().chain(made()) {
        kinds.insert(body.kind().to_owned());
        // What a note says is the words of who wrote it.
        if !matches!(body, Body::Note(_)) {
            check(&summary(&body));
        }
    }
    let missing: Vec<_> = Body::KINDS
        .iter()
        .filter(|k| !kinds.contains(**k))
        .collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
}

#[test]
fn what_published_records_hold_is_said_in_chinese() {
    for body in published() {
        match body {
            Body::Verdict(v) => {
                check(&v.reason);
                check(&v.next);
                v.warnings.iter().for_each(|w| check(w));
            }
            Body::Check(c) => c.gates.iter().for_each(|g| check(&g.evidence)),
            Body::Decision(d) => d.gates.iter().for_each(|g| check(&g.evidence)),
            Body::Run(r) => r.failure.iter().for_each(|f| check(&f.message)),
            Body::Build(b) => b.failure.iter().for_each(|f| check(&f.message)),
            _ => {}
        }
    }
}

#[test]
fn what_this_project_wrote_into_published_records_has_its_chinese() {
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..'\u{a000}').contains(&c));
    // A quotation stands as the document prints it, with its place in brackets.
    let is_quoted = |text: &str| text.ends_with(']') || text.contains("] (translation: ");
    for body in published() {
        let text = match body {
            Body::Variant(v) => v.why,
            Body::Decision(d) => d.reason,
            Body::Note(n) => n.text,
            Body::Evaluator(e) => e.why,
            _ => continue,
        };
        let chinese = assay_said::chinese(&text);
        assert!(is_quoted(&text) || is_chinese(&chinese), "{text}");
    }
}

#[track_caller]
fn check(text: &str) {
    // Figures of a rule are the same in every language.
    if text.is_empty() || text.contains(" = ") {
        return;
    }
    let unsaid = assay_said::unsaid(text);
    assert!(unsaid.is_empty(), "not in the table: {unsaid:?} of {text}");
}

/// All records of the published campaigns.
fn published() -> impl Iterator<Item = Body> {
    fn add(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => add(&path, out),
                false => out.push(path),
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut all = Vec::new();
    for campaign in fs::read_dir(root).unwrap() {
        let records = campaign.unwrap().path().join("records");
        if records.is_dir() {
            add(&records, &mut all);
        }
    }
    all.sort();
    assert!(!all.is_empty());
    let bodies = all.into_iter().map(|path| {
        let text = fs::read(path).unwrap();
        Record::from_bytes(&text).unwrap().body
    });
    bodies.collect::<Vec<_>>().into_iter()
}

/// Records of the kinds that no published campaign has.
fn made() -> Vec<Body> {
    let id = RecordId::fresh(Timestamp::UNIX_EPOCH);
    let hash = Sha256::of("x");
    let blob = json!({"sha256": hash, "bytes": 1, "name": "x.log"});
    let key = json!({"kernel": hash, "recipe": hash, "toolchain": hash, "device": hash, "evaluator": hash});
    let subject = |name: &str| json!({"name": name, "role": "variant", "dirty": false, "key": key});
    let measured = json!({
        "screening": id, "run": id, "a": subject("a"), "b": subject("b"), "mode": "pair", "timer": "t",
        "cache": "hot", "protocol": 1, "blocks": 6, "processes": 8, "samples": blob, "summary": [],
        "weights": {}, "decision": id, "target": "local", "procedure": "paired-t/2", "delta": 0.01,
        "guard": 0.02, "ratio": 0.9, "interval": [0.8, 0.95], "promised": 0.9,
        "promised_interval": [0.8, 0.95], "overstated": false, "links": [], "wall_ns": 1,
        "text": "the accepted steps promise 0.774 x (0.757 to 0.791) and overstate what was measured end to end, 0.900 x (0.891 to 0.909) by 16.3 %",
    });
    let mut out: Vec<Body> = Vec::new();
    for interval in [json!([0.8, 0.95]), Value::Null] {
        for ratio in [json!(0.9), Value::Null] {
            let mut screened = measured.clone();
            screened["ratio"] = ratio;
            screened["interval"] = interval.clone();
            out.push(of::<Screened>(screened).into());
        }
    }
    out.push(of::<Chain>(measured).into());
    for outcome in [
        CanaryOutcome::Noticed,
        CanaryOutcome::Survived,
        CanaryOutcome::Unproven,
    ] {
        let canary = json!({
            "name": "off-by-one", "content": hash, "subject": subject("a"), "kernel": hash,
            "target": "local", "expect": "correctness", "outcome": outcome, "wall_ns": 1,
            "found": "correctness in check: wrong result on small: 3",
        });
        out.push(of::<Canary>(canary).into());
    }
    let environment = json!({"device": "d", "stable": {}, "volatile": {}});
    let reading =
        |ok: bool| json!({"ratio": 1.0, "interval": [0.99, 1.01], "processes": 4, "ok": ok});
    for (reading, problem) in [
        (reading(true), ""),
        (reading(false), ""),
        (
            Value::Null,
            "its samples cannot be used: line 3: value 1 (-1 ns) is not above zero",
        ),
        (Value::Null, "timeout: bench: not done after 30 s"),
        (Value::Null, "1 process of the control; 2 are needed"),
    ] {
        let control = json!({
            "subject": subject("c"), "target": "local", "environment": environment, "mode": "pair",
            "protocol": 1, "processes": 4, "blocks": 6, "samples": blob, "summary": [],
            "reading": reading, "problem": problem, "wall_ns": 1,
        });
        out.push(of::<Control>(control).into());
    }
    for (subjects, failed) in [(1, 0), (3, 0), (1, 1), (2, 4)] {
        let names: Vec<String> = (0..subjects).map(|n| format!("s{n}")).collect();
        let readings = json!({
            "kind": "tileops", "name": "run.log", "log": blob, "rows": blob, "timed": subjects,
            "failed": failed, "subjects": names,
        });
        out.push(of::<Readings>(readings).into());
    }
    let fates = [Fate::Keep, Fate::Spare, Fate::Drop, Fate::Unranked];
    for some in [&fates[..], &fates[..1], &[]] {
        let rank = |fate: &Fate| json!({"screened": id, "name": "v", "kernel": hash, "recipe": hash, "samples": blob, "fate": fate, "why": ""});
        let ranking: Vec<Value> = some.iter().map(rank).collect();
        let screening = json!({
            "screening": id, "incumbent": subject("a"), "target": "local", "blocks": 6, "delta": 0.01,
            "weights": {}, "keep": 3, "ranking": ranking, "failed": {},
        });
        out.push(of::<Screening>(screening).into());
    }
    out.push(
        of::<Tombstone>(json!({"removed": id, "sha256": hash, "kind": "note", "why": "gc"})).into(),
    );
    out
}

fn of<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}
