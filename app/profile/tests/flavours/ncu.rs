//! Nsight Compute: every page and version, and what the machine that printed it does to figures.

use assay_profile::{Scope, Status, launch_figures, parse};

use super::{bytes, named, notices, read, sure, whole};

#[test]
fn details_of_three_generations() {
    let old = read("ncu/details_12_columns.csv");
    assert_eq!(old.launches.len(), 2);
    assert_eq!(old.launches[0].kernel, "addVectors(int *, int)");
    assert_eq!(sure(named(&old, 0, "Elapsed Cycles")), (3815.0, "cycle"));
    let time = named(&old, 0, "Kernel Time");
    assert_eq!(time.word(), Some("2020-May-29 12:02:46"));
    // A label of that time that has no name today stays visible.
    let label = named(&old, 0, "SOL FB");
    assert_eq!((sure(label), label.canonical()), ((41.87, "%"), None));
    let time = launch_figures(&old.launches[0])["time.profiled"].value;
    assert!((time - 4060.0).abs() < 1e-9, "{time}");
    assert!((named(&old, 0, "SM Frequency").in_unit("GHz").unwrap() - 0.935_25).abs() < 1e-12);

    let new = read("ncu/details_15_columns.csv");
    assert!(new.notices.is_empty(), "{:?}", new.notices);
    assert_eq!(new.launches[0].grid, Some([512, 2, 1]));
    let l = &new.launches[0];
    // The same label stands in two sections with two units.
    let of = |section| sure(l.counter(section, "Memory Throughput").unwrap());
    assert_eq!(of("GPU Speed Of Light Throughput"), (31.2, "%"));
    assert_eq!(
        of("Memory Workload Analysis"),
        (1_068_069_493_115.65, "byte/s")
    );

    let middle = read("ncu/details_18_columns.csv");
    assert_eq!(middle.notices.len(), 1);
    assert!(
        middle.notices[0]
            .contains("WRN SOLBottleneck: Low use: see \"guide\", https://example.org/a,b")
    );
    assert_eq!(
        named(&middle, 0, "Duration").in_unit("ns"),
        Some(1_250_000.0)
    );
}

#[test]
fn details_with_rules_among_the_output_of_the_program() {
    let p = read("ncu/details_20_columns.log");
    assert_eq!(p.launches.len(), 1);
    assert_eq!(sure(named(&p, 0, "Duration")), (406_240.0, "ns"));
    assert_eq!(whole(named(&p, 0, "Registers Per Thread")), 168);
    assert_eq!(whole(named(&p, 0, "passes")), 9);
    assert_eq!(
        named(&p, 0, "Function Cache Configuration").word(),
        Some("CachePreferNone")
    );
    let rule = notices(&p, "TheoreticalOccupancy");
    assert!(
        rule[0].contains("local speedup estimated at 81.25 %"),
        "{rule:?}"
    );
    // One without a speedup does not have one.
    assert!(!notices(&p, "WorkloadImbalance")[0].contains("speedup"));
    assert_eq!(notices(&p, "==WARNING==").len(), 1);
    assert_eq!(notices(&p, "lines are not the profiler's").len(), 1);
}

#[test]
fn metrics_asked_for_by_name_and_what_a_device_does_not_have() {
    let p = read("ncu/metrics_option.csv");
    assert_eq!(p.launches.len(), 3);
    let none = named(&p, 0, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
    assert_eq!(
        (none.status(), none.exact(), none.raw()),
        (Status::NotSupported, None, "n/a")
    );
    // A true zero is a figure.
    assert_eq!(whole(named(&p, 0, "sm__inst_executed_pipe_tensor.sum")), 0);
    assert_eq!(whole(named(&p, 0, "dram__bytes_read.sum")), 27_595_520);
    assert_eq!(
        p.launches[0].iter().last().unwrap().section(),
        "Command line profiler metrics"
    );
    assert_eq!(
        (p.launches[1].occurrence, p.launches[2].occurrence),
        (Some(1), Some(0))
    );
}

#[test]
fn the_raw_page_takes_units_from_its_second_row() {
    let p = read("ncu/raw_two_kernels.csv");
    let kernels: Vec<&str> = p.launches.iter().map(|l| l.kernel.as_str()).collect();
    assert_eq!(kernels, ["mm_tiled", "mm_plain"]);
    assert_eq!(
        sure(named(&p, 0, "gpu__time_duration.sum")),
        (244_544.0, "ns")
    );
    assert_eq!(
        sure(named(&p, 0, "launch__shared_mem_per_block_static")),
        (4096.0, "byte/block")
    );
    assert_eq!(
        whole(named(&p, 1, "launch__shared_mem_per_block_static")),
        0
    );
    assert_eq!(
        named(&p, 0, "launch__func_cache_config").word(),
        Some("CachePreferNone")
    );
    let scaled = read("ncu/raw_scaled_units.csv");
    let bytes = named(&scaled, 0, "launch__shared_mem_per_block_static");
    // A Kbyte of the tool is 1000 bytes.
    assert_eq!(bytes.in_unit("bytes"), Some(4100.0));
    assert_eq!(
        named(&scaled, 0, "dram__bytes_read.sum").in_unit("bytes"),
        Some(67_110_000.0)
    );
    assert_eq!(
        named(&scaled, 0, "gpu__time_duration.sum").in_unit("ns"),
        Some(244_540.0)
    );
}

#[test]
fn a_summary_is_no_launch() {
    let p = read("ncu/summary_per_kernel.csv");
    assert_eq!(p.launches.len(), 2);
    assert!(p.launches.iter().all(|l| l.scope == Scope::Aggregate));
    assert_eq!(sure(named(&p, 0, "Duration (average)")), (2154.67, "ns"));
    assert_eq!(whole(named(&p, 0, "Duration (maximum)")), 2304);
    assert_eq!(whole(named(&p, 1, "Duration (minimum)")), 4096);
}

#[test]
fn the_source_page_has_its_kernel_in_the_line_before_the_header() {
    let p = read("ncu/source_sass.csv");
    let kernels: Vec<&str> = p.launches.iter().map(|l| l.kernel.as_str()).collect();
    assert_eq!(kernels, ["void k<4>(float *, int)", "other"]);
    let l = &p.launches[0];
    let sum = |name| whole(l.counter("all lines", name).unwrap());
    assert_eq!(
        (
            sum("# Samples"),
            sum("Instructions Executed"),
            sum("stall_long_sb")
        ),
        (15, 6144, 7)
    );
    assert!(l.counter("all lines", "Live Registers").is_none());
    let fma = l.counter("#1 7f10", "Source").unwrap();
    assert_eq!(fma.word(), Some("FFMA R4, R2, R3, R4 "));
    assert_eq!(
        whole(
            l.counter("#1 7f10", "Thread Instructions Executed")
                .unwrap()
        ),
        65_536
    );
    assert!(p.notices.is_empty(), "{:?}", p.notices);
}

#[test]
fn ranges_stand_before_the_kernel() {
    let p = read("ncu/nvtx_columns.csv");
    assert_eq!(p.launches[0].kernel, "k");
    let range = p.launches[0]
        .iter()
        .find(|c| c.name().starts_with("thread Domain:"));
    assert_eq!(
        range.unwrap().word(),
        Some("183740  \"<default domain>:step 1:none:none\"")
    );
    assert_eq!(sure(named(&p, 0, "Duration")), (3008.0, "ns"));
}

#[test]
fn a_session_without_permission_says_so() {
    let e = parse(&bytes("ncu/no_permission.log"))
        .unwrap_err()
        .to_string();
    assert!(
        e.contains("ERR_NVGPUCTRPERM") && e.contains("permission"),
        "{e}"
    );
}

#[test]
fn digits_of_any_locale_are_right_or_unread() {
    let p = read("ncu/european.csv");
    assert_eq!(sure(named(&p, 0, "Duration")), (117_344.0, "ns"));
    assert_eq!(sure(named(&p, 0, "DRAM read")), (27_595_520.0, "byte"));
    assert_eq!(sure(named(&p, 0, "SM")), (65.77, "%"));
    let p = read("ncu/american.csv");
    assert_eq!(named(&p, 0, "Duration").in_unit("ns"), Some(1_205_000.0));
    assert_eq!(whole(named(&p, 0, "Elapsed Cycles")), 1117);
    let p = read("ncu/undecided.csv");
    let c = named(&p, 0, "Duration");
    assert_eq!(
        (c.status(), c.exact(), c.raw()),
        (Status::Error, None, "117.344")
    );
    assert!(c.suspect()[0].contains("ambiguous"));
    assert_eq!(whole(named(&p, 0, "Threads")), 128);
    assert!(!launch_figures(&p.launches[0]).contains_key("time.profiled"));
}

#[test]
fn columns_in_another_order_and_rows_that_end_before_them() {
    let p = parse(
        b"ID,Process ID,Metric Value,Kernel Name,Metric Unit,Metric Name\n0,1,5,k,ns,a\n0,1,7,k\n",
    )
    .unwrap();
    assert_eq!(whole(named(&p, 0, "a")), 5);
    assert_eq!(notices(&p, "1 rows could not be read").len(), 1);
}

/// Measured on an H200 with ncu 2025.3: no line numbers, the kernel after two words, and the
/// reasons of stalls in another order for each kernel.
#[test]
fn the_source_page_of_2025_names_each_kernel() {
    let p = read("ncu/source_sass_2025.csv");
    let kernels: Vec<&str> = p.launches.iter().map(|l| l.kernel.as_str()).collect();
    assert_eq!(
        kernels,
        [
            "gemm_naive(const __half *, const __half *, __half *, int, int, int)",
            "gemm_shared(const __half *, const __half *, __half *, int, int, int)"
        ]
    );
    let at = |l: usize, section: &str, name: &str| {
        let c = p.launches[l].counter(section, name);
        c.map(|c| (c.number(), c.word().map(str::to_owned)))
    };
    let load = "#0x7f0fdb7a01f0";
    assert_eq!(at(0, load, "# Samples"), Some((Some(21_083.0), None)));
    assert_eq!(
        at(0, load, "Address Space"),
        Some((None, Some("Global".into())))
    );
    assert_eq!(at(0, "#0x7f0fdb7a0000", "Address Space"), None);
    assert_eq!(at(0, "all lines", "stall_wait"), Some((Some(2135.0), None)));
    assert_eq!(at(1, "all lines", "stall_wait"), None);
    assert_eq!(at(1, "all lines", "stall_drain"), Some((Some(0.0), None)));
    assert!(p.notices.is_empty(), "{:?}", p.notices);
}
