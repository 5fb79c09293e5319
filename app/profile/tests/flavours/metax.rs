//! Tracers of MetaX, and what compilers say.

use assay_profile::{Format, Scope, detect, parse};

use super::{bytes, named, notices, read, sure, whole};

#[test]
fn a_tracer_file_has_launches_with_their_resources() {
    let p = read("metax/mctracer.json");
    assert_eq!(p.tool, "mcTracer");
    let l = &p.launches[0];
    assert_eq!(l.kernel, "gemm(half const*, half const*, half*)");
    assert_eq!((l.grid, l.block), (Some([64, 32, 1]), Some([256, 1, 1])));
    // More digits than a double has.
    assert_eq!(whole(named(&p, 0, "ts")), 1_789_000_000_000_001_000);
    assert_eq!(sure(named(&p, 0, "dur")), (18_944.0, "ns"));
    assert_eq!(sure(named(&p, 0, "dynamic_shared")), (65_536.0, "bytes"));
    assert_eq!(sure(named(&p, 0, "registers_per_thread")), (128.0, "1"));
    assert_eq!(sure(named(&p, 0, "mtreg_occupancy(%)")), (25.0, "%"));
    assert_eq!(p.launches[1].occurrence, Some(1));
    let all = p
        .launches
        .iter()
        .find(|l| l.scope == Scope::Aggregate)
        .unwrap();
    let total = all.counter("all launches", "total time").unwrap();
    assert_eq!(whole(total), 38_144);
}

#[test]
fn a_cycle_trace_is_added_up_by_unit() {
    let p = read("metax/cycle_trace.json");
    assert_eq!(p.tool, "cycle-trace");
    let l = &p.launches[0];
    let of = |unit, name| l.counter(unit, name).unwrap();
    assert_eq!(whole(of("MMA", "MMA 16x16x16: events")), 2);
    assert_eq!(
        sure(of("ARRIVE", "Synchronization: total time")),
        (44.0, "cycles")
    );
    assert_eq!(whole(of("STE", "S_NOP: total time")), 4);
}

#[test]
fn the_compiler_of_metax_says_what_each_kernel_takes() {
    let p = read("metax/mxcc_resource_usage.txt");
    assert_eq!((p.tool.as_str(), p.launches.len()), ("mxcc", 2));
    assert_eq!(p.launches[1].kernel, "_Z4copyPKDhPDh");
    assert_eq!(whole(named(&p, 0, "MTregisters")), 256);
    assert_eq!(whole(named(&p, 0, "STregisters")), 48);
    assert_eq!(sure(named(&p, 0, "shared mem")), (65_536.0, "bytes"));
    assert_eq!(sure(named(&p, 0, "stack frame")), (28.0, "bytes"));
    assert_eq!(whole(named(&p, 1, "staticMaxWarps/PEU")), 8);
    assert!(p.notices.is_empty(), "{:?}", p.notices);
}

#[test]
fn ptxas_of_several_versions() {
    let p = read("compilers/ptxas_10.txt");
    assert_eq!(p.launches[0].kernel, "_Z4gemmPKfS0_Pf");
    assert_eq!(named(&p, 0, "target").word(), Some("sm_70"));
    assert_eq!(whole(named(&p, 0, "registers")), 40);
    assert_eq!(sure(named(&p, 0, "smem")), (8192.0, "bytes"));
    assert_eq!(whole(named(&p, 0, "cmem[0]")), 376);

    // The first versions print static and dynamic shared memory as a sum.
    let p = read("compilers/ptxas_9_lmem.txt");
    assert_eq!(whole(named(&p, 0, "registers")), 63);
    assert_eq!(whole(named(&p, 0, "cumulative stack size")), 16);
    let shared = named(&p, 0, "smem");
    assert_eq!(
        (whole(shared), shared.raw(), shared.unit()),
        (4112, "4096+16", "bytes")
    );
    assert_eq!(whole(named(&p, 0, "spill stores")), 12);

    let p = read("compilers/ptxas_12.txt");
    assert_eq!(p.launches[0].kernel, "_Z4gemmPv");
    assert_eq!(whole(named(&p, 0, "registers")), 168);
    assert_eq!(whole(named(&p, 0, "barriers")), 3);
    assert_eq!(sure(named(&p, 0, "Compile time")), (125.318, "ms"));
    assert_eq!(whole(named(&p, 0, "spill loads")), 4);
    assert_eq!(notices(&p, "Potential Performance Loss").len(), 1);
    assert_eq!(notices(&p, "ptxas warning").len(), 1);
    assert_eq!(p.launches[1].kernel, "helper");
}

#[test]
fn these_formats_are_told_by_content() {
    for (path, format) in [
        ("metax/mctracer.json", Format::McTrace),
        ("metax/cycle_trace.json", Format::McTrace),
        ("metax/mxcc_resource_usage.txt", Format::Resources),
        ("compilers/ptxas_9_lmem.txt", Format::Resources),
        ("compilers/ptxas_12.txt", Format::Resources),
        ("cpu/callgrind.out", Format::Callgrind),
        ("cpu/perf_x_german.csv", Format::PerfStat),
        ("cpu/perf_j_glued.jsonl", Format::PerfStatJson),
    ] {
        assert_eq!(detect(&bytes(path)), Some(format), "{path}");
        assert!(parse(&bytes(path)).is_ok(), "{path}");
    }
}
