//! `perf stat` and valgrind.

use assay_profile::{Status, launch_figures};

use super::{named, notices, read, sure, whole};

#[test]
fn perf_prints_lines_of_json() {
    let p = read("cpu/perf_j.jsonl");
    assert_eq!(sure(named(&p, 0, "task-clock")), (0.63, "msec"));
    // The kernel could not count it all the time, and scaled it.
    let cycles = named(&p, 0, "cycles");
    assert_eq!(cycles.number(), Some(1_843_200_113.0));
    assert!(cycles.suspect()[0].contains("66.67 %"));
    assert_eq!(named(&p, 0, "branch-misses").status(), Status::Absent);
    assert_eq!(named(&p, 0, "instructions").status(), Status::NotSupported);
    assert_eq!(named(&p, 0, "branch-misses").exact(), None);
}

#[test]
fn two_kinds_of_core_and_intervals_are_kept_apart() {
    let p = read("cpu/perf_j_hybrid.jsonl");
    let l = &p.launches[0];
    let of = |time, event| l.counter(time, event).unwrap();
    assert_eq!(whole(of("1.001", "cpu_core/cycles/")), 1200);
    assert_eq!(whole(of("2.002", "cpu_core/cycles/")), 1300);
    assert_eq!(of("1.001", "cpu_atom/cycles/").canonical(), None);
    assert!(of("1.001", "cpu_atom/cycles/").suspect()[0].contains("34.5 %"));
    // Two intervals of one counter are not one figure.
    assert!(!launch_figures(l).contains_key("cycles.cpu"));
}

#[test]
fn decimal_commas_inside_json_are_not_read() {
    let p = read("cpu/perf_j_french.jsonl");
    assert_eq!(notices(&p, "LC_ALL=C").len(), 1);
    assert_eq!(whole(named(&p, 0, "page-faults")), 65);
    let clock = named(&p, 0, "cpu-clock");
    assert_eq!((clock.status(), clock.raw()), (Status::Error, "0,75"));
    assert!(p.launches[0].iter().all(|c| c.name() != "task-clock"));
}

#[test]
fn a_share_that_is_glued_to_the_time_is_not_guessed() {
    let p = read("cpu/perf_j_glued.jsonl");
    let c = named(&p, 0, "cycles");
    assert_eq!(whole(c), 38_057);
    assert!(c.suspect()[0].contains("share of time"));
}

#[test]
fn perf_prints_fields_with_any_separator() {
    let p = read("cpu/perf_x_comma.csv");
    assert_eq!(sure(named(&p, 0, "task-clock")), (0.64, "msec"));
    assert!(named(&p, 0, "cycles").suspect()[0].contains("66.67 %"));
    assert_eq!(named(&p, 0, "branch-misses").status(), Status::Absent);
    assert_eq!(
        named(&p, 0, "L1-dcache-loads").status(),
        Status::NotSupported
    );
    assert_eq!(sure(named(&p, 0, "tma_backend_bound")).0, 12.5);
    let p = read("cpu/perf_x_german.csv");
    let clock = named(&p, 0, "task-clock");
    assert_eq!((clock.status(), clock.raw()), (Status::Error, "0,82"));
    assert_eq!(whole(named(&p, 0, "page-faults")), 65);
    let p = read("cpu/perf_x_intervals.csv");
    let of = |place| p.launches[0].counter(place, "cycles").unwrap();
    assert_eq!(whole(of("1.000123456 S0")), 1200);
    assert!(of("1.000123456 S1").suspect()[0].contains("50 %"));
}

#[test]
fn callgrind_adds_up_what_each_function_cost_itself() {
    let p = read("cpu/callgrind.out");
    assert_eq!(p.tool_version.as_deref(), Some("callgrind-3.22.0"));
    let cost = |i: usize| (p.launches[i].kernel.as_str(), whole(named(&p, i, "Ir")));
    assert_eq!(cost(0), ("mm", 910));
    assert_eq!((cost(1), cost(2)), (("multiply", 900), ("main", 10)));
    // The totals at its end agree with what was added up.
    assert!(
        named(&p, 0, "Ir").suspect().is_empty(),
        "{:?}",
        named(&p, 0, "Ir")
    );
}
