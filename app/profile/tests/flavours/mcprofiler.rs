//! Reports of mcProfiler beyond the full set of one version.

use assay_profile::formats::mcprofiler::{Outcome, read_folder};
use assay_profile::{Format, Scope, Status, canonical_figures, detect};

use super::{bytes, named, notices, read, sure, whole};

#[test]
fn a_report_of_maca_3_5_3_20_has_no_roofline_and_misses_nothing_else() {
    let p = read("mcprofiler/1_older_kernel.txt.json");
    assert_eq!(p.flavour, "txt.json");
    assert!(p.notices.is_empty(), "{:?}", p.notices);
    let l = &p.launches[0];
    for (section, name) in [
        ("Summary", "RoofLine"),
        ("ISU Statistics", "ISU stall cycles layout.wsm_stall"),
        ("Memory Statistics", "Total Atomic Instructions"),
        ("Memory Statistics", "Dnoc Read Req"),
        ("Memory Statistics", "Global Memory Read bytes"),
        ("Compute workload", "instruction throughput efficiency"),
    ] {
        assert!(l.counter(section, name).is_none(), "{name}");
    }
    let f = canonical_figures(&p);
    // What is absent is absent, not zero.
    for absent in [
        "mem.read_bytes",
        "mem.bandwidth",
        "ipc.efficiency",
        "inst.atomic",
    ] {
        assert!(!f.contains_key(absent), "{absent}");
    }
    for (name, value) in [
        ("inst.executed", 41_220_608.0),
        ("cycles.elapsed", 1_904_250.0),
        ("inst.shared", 7_000_000.0),
        ("inst.shared.total", 7_000_000.0),
        ("shared.efficiency", 58.0),
        ("inst.global.atomic", 0.0),
        ("cache.l2.hit_rate", 61.2),
    ] {
        assert_eq!(f[name].value, value, "{name}");
    }
    // `total instructions` and `Total Instructions` differ in case only.
    assert_eq!(
        sure(l.counter("Workgroup Memory", "total instructions").unwrap()).0,
        7e6
    );
    let flow = named(&p, 0, "Memory Data Flow Chart.l2c_Gmemory_rd");
    assert_eq!((flow.status(), flow.raw()), (Status::Absent, "null"));
    // Bare numbers have the digits they were printed with.
    let latency = named(&p, 0, "average latency per load instruction");
    assert_eq!((sure(latency).0, latency.resolution()), (91.25, Some(0.01)));
}

#[test]
fn a_report_of_few_metrics_has_its_sections_only() {
    let p = read("mcprofiler/2_few_metrics.txt.json");
    assert_eq!(p.launches[0].iter().count(), 3);
    assert_eq!(
        sure(named(&p, 0, "Global Memory Read bytes")),
        (12_884_901_888.0, "byte")
    );
    assert_eq!(canonical_figures(&p).len(), 3);
}

#[test]
fn rows_that_the_tool_calls_errors_have_no_number() {
    let p = read("mcprofiler/3_mixed_dumped_result.json");
    assert_eq!(p.flavour, "dumped_result.json");
    let busy = named(&p, 0, "AP busy Duty");
    assert_eq!((busy.status(), busy.exact()), (Status::Error, None));
    assert!(busy.suspect()[0].contains("was not scheduled"));
    assert_eq!(
        named(&p, 0, "Dnoc Read Average Latency").status(),
        Status::Error
    );
    // Over 100 %: kept as it is; rules flag it.
    assert_eq!(
        sure(named(&p, 0, "Compute Instructions busy Duty")),
        (237.74, "%")
    );
    assert_eq!(sure(named(&p, 0, "Total Cycles")), (48_120.753, "Kcycles"));
    assert_eq!(
        whole(named(&p, 0, "RoofLine.processed_data.all_ops")),
        8_808_038
    );
    let f = canonical_figures(&p);
    assert!(!f.contains_key("mem.bandwidth") && !f.contains_key("duty.busy"));
    assert_eq!(f["shared.conflict_cycles"].value, 3.555_555_555_555_555_4);
}

#[test]
fn text_flavours_of_an_aggregate() {
    let (txt, csv) = (
        read("mcprofiler/report.txt"),
        read("mcprofiler/report.txt.csv"),
    );
    assert_eq!(
        (txt.flavour.as_str(), csv.flavour.as_str()),
        ("txt", "txt.csv")
    );
    for p in [&txt, &csv] {
        assert_eq!(whole(named(p, 0, "Total Instructions")), 9_000_001);
        assert_eq!(sure(named(p, 0, "Total Cycles")), (12.5, "Kcycles"));
        let total = p.launches[0].counter("Workgroup Memory", "total instructions");
        assert_eq!(sure(total.unwrap()).0, 1_234_567.0);
    }
    assert_eq!(
        sure(named(&txt, 0, "RoofLine.data.case_bandwith")).0,
        601.25
    );
    assert_eq!(
        whole(named(&csv, 0, "Instructions Comparison.BSM")),
        1_234_567
    );
}

#[test]
fn hardware_counters_of_two_devices_keep_devices_kernels_and_blocks_apart() {
    let p = read("mcprofiler/devices.json");
    assert_eq!(
        detect(&bytes("mcprofiler/devices.json")),
        Some(Format::McProfilerHardware)
    );
    let names: Vec<(&str, Scope)> = p
        .launches
        .iter()
        .map(|l| (l.kernel.as_str(), l.scope))
        .collect();
    assert_eq!(
        names,
        [
            ("device 0: (all kernels)", Scope::Aggregate),
            ("device 0: (kernel 1)", Scope::PerKernel),
            ("device 0: (kernel 2)", Scope::PerKernel),
            ("device 1: (all kernels)", Scope::Aggregate),
            ("device 1: (kernel 1)", Scope::PerKernel),
        ]
    );
    let of = |launch: usize, block: &str, name: &str| {
        whole(p.launches[launch].counter(block, name).expect("a counter"))
    };
    assert_eq!(of(0, "L2C/generic", "perf_hit"), u64::MAX);
    assert_eq!(of(0, "ISU/dpcId0,blockId1", "AP_PERF_INSTS_BSM"), 51_199);
    // A unit that did no work reads zero, which is a figure.
    assert_eq!(of(1, "ISU/dpcId0,blockId1", "AP_PERF_WAVES"), 0);
    assert!(
        p.launches[2]
            .counter("ISU/dpcId0,blockId0", "AP_PERF_WAVES")
            .is_none()
    );
}

#[test]
fn a_folder_that_is_not_complete_says_what_is_missing() {
    let older = bytes("mcprofiler/1_older_kernel.txt.json");
    let mixed = bytes("mcprofiler/3_mixed_dumped_result.json");
    let files: Vec<(&str, &[u8])> = vec![
        ("out/report.txt", &mixed[..0]),
        ("out/report.txt.csv", b"Name,Description,Value\r\n"),
        ("out/1_older_kernel.txt.json", &older),
        ("out/3_mixed_dumped_result.json", &mixed),
        ("out/3_mixed.txt.json", &older[..300]),
        (
            "out/RoofLine20260720002113123.png",
            b"\x89PNG\r\n\x1a\n\0\0",
        ),
        ("out/batches.json", b"{\"ISU\": [\"AP_PERF_WAVES\"]}"),
    ];
    let folder = read_folder(files);
    let outcome = |i: usize| &folder.files[i].outcome;
    assert!(matches!(outcome(0), Outcome::Unreadable(why) if why.contains("empty")));
    assert!(
        matches!(outcome(1), Outcome::Unreadable(_)),
        "{:?}",
        outcome(1)
    );
    assert!(matches!(outcome(4), Outcome::Read { .. }) && !folder.files[4].notices.is_empty());
    assert_eq!(
        (outcome(5), outcome(6)),
        (&Outcome::NotAReport, &Outcome::NotAReport)
    );
    let run = &folder.runs[0];
    assert!(run.aggregate.is_none());
    let kernels = run.kernels.as_ref().unwrap();
    assert_eq!(kernels.launches.len(), 2);
    for word in [
        "rounded as printed",
        "1 launches before the last one",
        "Cut short",
    ] {
        assert_eq!(
            notices(kernels, word).len(),
            1,
            "{word}: {:?}",
            kernels.notices
        );
    }
}

#[test]
fn the_aggregate_is_never_one_of_the_kernels() {
    let report = bytes("mcprofiler/report.txt");
    let folder = read_folder([
        ("report.txt", report.as_slice()),
        ("1_k.txt", report.as_slice()),
        ("my notes.txt", report.as_slice()),
    ]);
    let run = &folder.runs[0];
    let scope = |p: &Option<assay_profile::Profile>| p.as_ref().unwrap().launches[0].scope;
    assert_eq!(scope(&run.aggregate), Scope::Aggregate);
    assert_eq!(scope(&run.kernels), Scope::PerKernel);
    assert_eq!(scope(&run.unclear), Scope::Aggregate);
    assert_eq!(run.main().unwrap().launches[0].kernel, "k");
}

#[test]
fn names_of_files_are_names_and_nothing_else() {
    let report = bytes("mcprofiler/2_few_metrics.txt.json");
    for path in [
        "../../../etc/1_passwd.txt.json",
        "/etc/1_k.txt.json",
        "C:\\Windows\\1_k.txt.json",
        "a/../b/1_..txt.json",
        "1_\u{1b}[2J\u{202e}.txt.json",
        "1_a\0b.txt.json",
        "4294967295_k.txt.json",
        "1_.txt.json.txt.json",
    ] {
        let folder = read_folder([(path, report.as_slice())]);
        assert!(
            matches!(folder.files[0].outcome, Outcome::Read { .. }),
            "{path}"
        );
        let run = &folder.runs[0];
        let all = [&run.kernels, &run.unclear, &run.aggregate];
        for p in all.into_iter().flatten() {
            assert!(!p.launches[0].kernel.contains(['/', '\\']), "{path}");
            let odd = p
                .notices
                .iter()
                .any(|n| n.contains(['\u{1b}', '\u{202e}', '\0']));
            assert!(!odd, "{:?}", p.notices);
        }
    }
}
