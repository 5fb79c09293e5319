//! Reports as tools write them: launches of one kernel, three kernels, two vendors.

use assay_core::view::CounterCompareView;
use assay_profile::compare::{Column, Options, compare, to_csv};
use assay_profile::{Catalog, Profile, parse};

use super::{change, near, row};

const MCPROFILER: &str = r#"{
"Summary": [
 {"name": "Total Instructions", "description": "", "value": "3,101,536,473"},
 {"name": "Total Cycles", "description": "", "value": "127,901.33(Kcycles)"}],
"Memory Statistics": [
 {"name": "L2C Hit Rate", "description": "", "value": "64.81%"},
 {"name": "Private Read Instructions", "description": "", "value": "330,240.0"}],
"GPU Throughput Statistics": [
 {"name": "AP MMA Duty ratio", "description": "", "value": "28.75%"},
 {"name": "AP STE Duty ratio", "description": "", "value": "12.50%"}]}"#;

fn ncu() -> Profile {
    parse(include_bytes!("fixtures/ncu_launches.csv")).expect("a report")
}

fn of(columns: &[(&Profile, usize)], base: usize) -> CounterCompareView {
    let columns: Vec<Column<'_>> = columns
        .iter()
        .map(|(profile, at)| Column {
            label: "report",
            profile,
            launch: &profile.launches[*at],
        })
        .collect();
    let options = Options {
        base,
        ..Options::default()
    };
    compare(&columns, &options, Catalog::builtin()).expect("a comparison")
}

fn percents(view: &CounterCompareView, name: &str) -> Vec<Option<String>> {
    let changes = row(view, name).changes.iter();
    let percent = |p| format!("{p:+.2}");
    changes
        .map(|c| c.as_ref().and_then(|c| c.percent).map(percent))
        .collect()
}

#[test]
fn launches_of_one_kernel_differ_by_what_is_measured_only() {
    let p = ncu();
    assert_eq!(p.launches.len(), 9);
    let view = of(&[(&p, 0), (&p, 1), (&p, 2)], 0);
    let occurrences: Vec<_> = view.columns.iter().map(|c| c.occurrence).collect();
    assert_eq!(occurrences, [Some(0), Some(1), Some(2)]);
    let some = |s: &str| Some(s.to_owned());
    assert_eq!(
        percents(&view, "gpu__time_duration.sum"),
        [None, some("-0.09"), some("-0.43")]
    );
    assert_eq!(
        percents(&view, "dram__bytes_write.sum"),
        [None, some("+5.83"), some("+9.98")]
    );
    assert!(!change(&view, "gpu__time_duration.sum").changed);
    let written = change(&view, "dram__bytes_write.sum");
    assert_eq!((written.changed, written.better), (true, Some(false)));
    assert_eq!(change(&view, "smsp__inst_executed.sum").absolute, 0.0);
    // Zero before and after: no percentage, and no change.
    let none = change(&view, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
    assert_eq!(
        (none.absolute, none.percent, none.changed),
        (0.0, None, false)
    );
    // `nan` is no figure.
    let nan = row(&view, "derived_tempMetric4");
    assert!(nan.changes.iter().all(Option::is_none) && nan.cells[0].raw == "nan");
    assert_eq!(view.rows[0].name, "dram__bytes_write.sum");
    assert_eq!(
        view.warnings
            .iter()
            .filter(|w| w.starts_with("columns 1, 2 against") && w.contains("another launch"))
            .count(),
        1
    );
    let words = row(&view, "launch__func_cache_config");
    assert_eq!(
        (words.cells[2].status.as_str(), words.cells[2].raw.as_str()),
        ("text", "CachePreferNone")
    );
}

#[test]
fn three_kernels_against_any_of_them() {
    let p = ncu();
    let view = of(&[(&p, 0), (&p, 3), (&p, 6)], 0);
    let time = percents(&view, "gpu__time_duration.sum");
    assert_eq!(
        time[1..],
        [Some("-48.78".to_owned()), Some("-81.13".to_owned())]
    );
    assert_eq!(change(&view, "gpu__time_duration.sum").better, Some(true));
    let duty = row(
        &view,
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    );
    assert_eq!(duty.canonical.as_deref(), Some("duty.mma"));
    let [_, same, more] = &duty.changes[..] else {
        panic!("three columns")
    };
    assert!(same.as_ref().is_some_and(|c| !c.changed));
    let more = more.as_ref().expect("a change");
    assert!(more.changed && near(more.absolute, 4.36) && more.better == Some(true));
    let conflicts = change(&view, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
    assert_eq!((conflicts.absolute, conflicts.percent), (975_902.0, None));
    assert_eq!((conflicts.changed, conflicts.better), (true, Some(false)));
    assert_eq!(
        view.warnings
            .iter()
            .filter(|w| w.contains("different kernels"))
            .count(),
        2
    );
    assert!(view.warnings.iter().any(|w| w.contains("different grids")));
    let back = of(&[(&p, 0), (&p, 3), (&p, 6)], 2);
    let time = row(&back, "gpu__time_duration.sum").changes[0]
        .as_ref()
        .expect("a change");
    assert_eq!((time.absolute, time.better), (2_690_656.0, Some(false)));
    assert_eq!(to_csv(&view).lines().count(), 1 + 3 * view.rows.len());
}

#[test]
fn two_vendors_meet_in_the_names_of_the_catalog() {
    let (ncu, metax) = (ncu(), parse(MCPROFILER.as_bytes()).expect("a report"));
    let view = of(&[(&metax, 0), (&ncu, 6)], 0);
    let total = row(&view, "Total Instructions");
    assert_eq!(
        (total.canonical.as_deref(), total.unit.as_str()),
        (Some("inst.executed"), "1")
    );
    assert_eq!(total.cells[1].raw, "66,224,128 inst");
    assert_eq!(
        change(&view, "Total Instructions").absolute,
        -3_035_312_345.0
    );
    let cycles = row(&view, "Total Cycles");
    assert_eq!(cycles.cells[0].raw, "127,901.33(Kcycles)");
    assert_eq!(
        cycles.cells[0].value,
        Some(serde_json::json!(127_901_330.0))
    );
    assert_eq!(cycles.cells[0].resolution, Some(10.0));
    let duty = change(&view, "AP MMA Duty ratio");
    assert!(near(duty.absolute, 4.38 - 28.75) && duty.changed && duty.better.is_none());
    assert_eq!(row(&view, "AP STE Duty ratio").cells[1].status, "none");
    assert_eq!(
        row(&view, "launch__registers_per_thread").cells[0].status,
        "none"
    );
    for part in [
        "different tools",
        "by the tools' names, only in report (column 0)",
        "added up",
    ] {
        assert!(
            view.warnings.iter().any(|w| w.contains(part)),
            "{part} {:?}",
            view.warnings
        );
    }
}
