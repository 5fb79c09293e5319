//! A large campaign, written as runs write it, audited whole.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use assay_core::record::{Body, ContentKey, Measurement, Role, Subject, Verdict};
use assay_core::{Record, Sha256, Timestamp};
use assay_ledger::{Blob, Ledger};
use assay_stats::prng::SplitMix64;
use assay_stats::{Settings, judge};

use super::samples;
use crate::report::{Format, Lang};
use crate::run::measure::{by_name, plain_summaries};
use crate::workbench::{self, Workbench};

fn subject(name: &str) -> Subject {
    let sha = Sha256::of(name.as_bytes());
    Subject {
        name: name.into(),
        role: Role::Variant,
        dirty: false,
        commit: None,
        key: ContentKey {
            kernel: sha,
            recipe: sha,
            toolchain: sha,
            device: sha,
            evaluator: sha,
        },
    }
}

/// Samples of a change of 5 % in 8 processes of 6 blocks.
fn raw(new: &str, workloads: usize, seed: u64) -> String {
    let mut g = SplitMix64::new(seed);
    let mut out = String::new();
    let b = format!("B-{new}");
    for w in 0..workloads {
        for process in 1..=8 {
            for block in 0..6 {
                for (leg, side) in ["A-base", &b, &b, "A-base"].iter().enumerate() {
                    let ns = if side.starts_with('A') {
                        10_000.0
                    } else {
                        9500.0
                    };
                    let ns = ns * (1.0 + 0.002 * g.normal());
                    let _ = writeln!(
                        out,
                        r#"{{"assay":1,"kind":"samples","workload":"w{w:02}","subject":"{side}","process":{process},"block":{block},"leg":{leg},"unit":"ns","values":[{ns},{},{}],"launches":3,"timer":"t","tick":1,"cache":"hot"}}"#,
                        ns + 1.0,
                        ns + 2.0
                    );
                }
            }
        }
    }
    out
}

fn campaign(at: &Path, variants: usize, workloads: usize) -> Ledger {
    let ledger = Ledger::folder(at).unwrap();
    let when: Timestamp = "2026-11-30T01:02:03Z".parse().unwrap();
    for v in 0..variants {
        let name = format!("v{v:03}");
        let text = raw(&name, workloads, v as u64);
        let (read, _) = by_name(&text, "base", &name);
        let judged = judge(&read, "base", &name, &Settings::default());
        let blob = Blob::new("samples.jsonl", text.into_bytes());
        let run = assay_core::RecordId::fresh(when);
        let measurement: Measurement = serde_json::from_value(serde_json::json!({
            "run": run, "a": subject("base"), "b": subject(&name), "mode": "pair", "timer": "t",
            "cache": "hot", "protocol": 1, "processes": 8, "samples": blob.reference(),
            "summary": plain_summaries(&read), "tick_ns": 1.0,
        }))
        .unwrap();
        let measured = Record::new(when, "x", "large", Body::Measurement(measurement));
        let verdict: Verdict = serde_json::from_value(serde_json::json!({
            "run": run, "a": "base", "b": name, "measurement": measured.id,
            "procedure": "paired-t/2", "policy": "assay", "delta": 0.01, "guard": 0.02,
            "null_pair": false, "processes": judged.processes, "ratio": judged.ratio,
            "interval": judged.interval, "verdict": judged.kind, "reason": judged.reason,
            "workloads": judged.workloads,
        }))
        .unwrap();
        let said = Record::new(when, "x", "large", Body::Verdict(verdict));
        ledger.append(&[measured, said], &[blob]).unwrap();
    }
    ledger
}

fn opened(at: &Path, variants: usize, workloads: usize) -> Workbench {
    let folder = at.join("ledger");
    campaign(&folder, variants, workloads);
    workbench::tests::opened(folder, at)
}

/// How long the figures of a campaign take, and how many there are.
fn audited(variants: usize, workloads: usize) -> (Duration, usize) {
    let dir = tempfile::tempdir().unwrap();
    let bench = opened(dir.path(), variants, workloads);
    let started = Instant::now();
    let state = bench.state().unwrap();
    let (figures, totals) = samples(&bench, &state, state.active()).finish();
    let took = started.elapsed();
    assert_eq!(
        (totals.disagrees, totals.not_recomputed),
        (0, 0),
        "{:#?}",
        &figures[..1]
    );
    (took, totals.agrees)
}

#[test]
fn every_figure_of_a_campaign_comes_out_again() {
    let (_, figures) = audited(3, 2);
    assert!(figures > 3 * 2 * 12, "{figures}");
}

/// 500 variants on 15 workloads in 8 processes each: see docs/performance.md.
#[test]
#[ignore = "takes a while; prints a time"]
fn a_large_campaign_is_audited_in_seconds() {
    let (took, figures) = audited(500, 15);
    assert!(took < Duration::from_secs(120), "{took:?}");
    // The one place where a test has something to say.
    eprintln!("{figures} figures in {took:?}");
}

/// The same campaign reported as a page, from records to HTML: see docs/performance.md.
#[test]
#[ignore = "takes a while; prints a time"]
fn a_large_campaign_is_reported_in_seconds() {
    let dir = tempfile::tempdir().unwrap();
    let bench = opened(dir.path(), 500, 15);
    for round in ["first", "second"] {
        let started = Instant::now();
        let page = bench.report(Format::Html, Lang::En).unwrap();
        let took = started.elapsed();
        assert!(page.len() < 5_000_000, "{}", page.len());
        // The one place where a test has something to say.
        eprintln!("{round}: {} bytes in {took:?}", page.len());
    }
}
