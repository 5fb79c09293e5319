//! The page of a variant's counters and its findings, on the published ledgers.

use std::path::Path;

use assay_core::view::{RoofState, VariantProfile};

use crate::data::Data;
use crate::workbench::{Workbench, tests::opened};

fn published(name: &str, at: &Path) -> (Workbench, Data) {
    let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let bench = opened(experiments.join(name), at);
    let data = Data::load(&[]).unwrap();
    (bench, data)
}

fn page(bench: &Workbench, data: &Data, name: &str) -> VariantProfile {
    bench.variant_profile(name, None, data).unwrap()
}

#[test]
fn counters_stand_beside_those_of_what_the_verdict_is_against() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, data) = published("h200-gemm-tilelang", dir.path());
    let wgmma = page(&bench, &data, "wgmma");
    assert_eq!(wgmma.workload.as_deref(), Some("moe-8192x2048x7168"));
    assert_eq!(
        (wgmma.against.as_deref(), wgmma.alone),
        (Some("pipeline3"), None)
    );
    assert_eq!(wgmma.records.len(), 1);
    let counters = wgmma.counters.unwrap();
    let labels: Vec<&str> = counters.columns.iter().map(|c| c.label.as_str()).collect();
    assert_eq!(labels, ["pipeline3", "wgmma"]);
}

#[test]
fn a_ledger_in_a_plain_folder_has_no_branch_that_could_be_gone() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, _) = published("h200-gemm-tilelang", dir.path());
    for row in bench.list().unwrap().variants {
        let shown = bench.show(&row.name).unwrap();
        assert_eq!(
            (shown.branch.as_str(), shown.tip),
            ("", None),
            "{}",
            row.name
        );
        let of_branch = |e: &str| e.contains("branch");
        assert!(
            !shown.variant.gates.iter().any(|g| of_branch(&g.evidence)),
            "{}",
            row.name
        );
    }
}

#[test]
fn the_roof_is_that_of_the_target_and_published_times_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, data) = published("c500-gemm", dir.path());
    let RoofState::Known(roof) = page(&bench, &data, "b-prepack-interleave4").roof else {
        panic!("no roof");
    };
    assert!(roof.device.contains("C500"), "{}", roof.device);
    assert!(!roof.points.is_empty());
    assert!(roof.points.iter().all(|p| p.published && p.ns > 0.0));
}

#[test]
fn the_first_that_was_profiled_stands_alone_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, data) = published("h200-gemm-tilelang", dir.path());
    let root = page(&bench, &data, "cshared-swizzle256");
    let counters = root.counters.unwrap();
    assert_eq!(counters.columns.len(), 1);
    assert!(
        counters
            .rows
            .iter()
            .all(|r| r.cells.len() == 1 && r.changes.is_empty())
    );
    assert_eq!(root.against, None);
    assert!(root.alone.is_some());

    let never = page(&bench, &data, "wgmma-stages4");
    assert_eq!((never.workload, never.counters.is_some()), (None, false));
    assert!(never.records.is_empty() && never.workloads.is_empty());
}

#[test]
fn another_workload_is_shown_when_it_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, data) = published("c500-mhc-post", dir.path());
    let first = page(&bench, &data, "optimized");
    assert_eq!(first.workloads.len(), 15);
    let last = first.workloads.last().unwrap();
    assert_ne!(first.workload.as_ref(), Some(last));
    let other = bench
        .variant_profile("optimized", Some(last), &data)
        .unwrap();
    assert_eq!(other.workload.as_ref(), Some(last));
    // One that has no counters is answered with one that has.
    let none = bench
        .variant_profile("optimized", Some("no such"), &data)
        .unwrap();
    assert_eq!(none.workload, first.workload);
}

#[test]
fn findings_hold_those_of_audit_and_of_diagnosis_errors_first() {
    let dir = tempfile::tempdir().unwrap();
    let (bench, data) = published("h200-gemm-tilelang", dir.path());
    let audited = bench.audit(Some("wgmma"), &data).unwrap();
    let found = bench.findings("wgmma", &data).unwrap();
    assert!(audited.findings.iter().all(|f| found.findings.contains(f)));
    assert!(found.findings.len() > audited.findings.len());
    let rank = |s: &str| {
        ["error", "warning"]
            .iter()
            .position(|k| *k == s)
            .unwrap_or(2)
    };
    let ranks: Vec<usize> = found.findings.iter().map(|f| rank(&f.severity)).collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    assert!(bench.findings("no-such-variant", &data).is_err());
}
