//! Tables of AMD's profilers.

use std::collections::BTreeSet;

use assay_profile::{Format, Status, detect};

use super::{bytes, named, notices, read, sure, whole};

#[test]
fn counters_of_a_dispatch_are_summed_over_their_dimensions() {
    let p = read("amd/counter_collection.csv");
    assert_eq!(p.launches.len(), 2);
    for i in 0..2 {
        assert_eq!(p.launches[i].occurrence, Some(i as u32));
        assert_eq!(whole(named(&p, i, "SQ_WAVES")), 16_384);
        assert_eq!(whole(named(&p, i, "TCC_HIT")), 141);
        assert_eq!(whole(named(&p, i, "SQ_BUSY_CYCLES")), u64::MAX);
        assert_eq!(
            sure(named(&p, i, "End_Timestamp - Start_Timestamp")),
            (750.0, "ns")
        );
    }
    assert_eq!(notices(&p, "2 rows repeat").len(), 1);
}

#[test]
fn a_trace_has_launches_as_they_were_written() {
    let p = read("amd/kernel_trace.csv");
    assert_eq!(p.launches[0].grid, Some([4096, 1, 1]));
    let time = |i| sure(named(&p, i, "End_Timestamp - Start_Timestamp")).0;
    assert_eq!((time(0), time(1)), (900.0, 750.0));
}

#[test]
fn samples_of_the_program_counter_are_counted_by_instruction() {
    let p = read("amd/pc_sampling_host_trap.csv");
    assert_eq!(
        (p.tool.as_str(), p.flavour.as_str()),
        ("rocprof", "pc_sampling")
    );
    assert_eq!(p.launches.len(), 2);
    let l = &p.launches[0];
    let fma = "v_fma_f64 v[0:1], v[2:3], v[4:5], v[0:1] // axpy.cpp:12";
    assert_eq!(whole(l.counter(fma, "samples").unwrap()), 2);
    // The mask has all 64 bits.
    assert_eq!(whole(l.counter(fma, "Exec_Mask").unwrap()), u64::MAX);
    let wait = l.counter("s_waitcnt vmcnt(0) // axpy.cpp:13", "Exec_Mask");
    assert_eq!(wait.unwrap().status(), Status::Text);
    assert_eq!(whole(l.counter("all instructions", "samples").unwrap()), 4);
    assert_eq!(
        whole(p.launches[1].counter("s_endpgm", "samples").unwrap()),
        1
    );

    let p = read("amd/pc_sampling_stochastic.csv");
    let l = &p.launches[0];
    let load = "global_load_dwordx4 v[0:3], v4, s[0:1] // a.cpp:3";
    assert_eq!(whole(l.counter(load, "Stall_Reason: WAITCNT").unwrap()), 1);
    assert_eq!(
        whole(l.counter(load, "Wave_Issued_Instruction").unwrap()),
        1
    );
    assert_eq!(
        whole(
            l.counter("all instructions", "Stall_Reason: BARRIER_WAIT")
                .unwrap()
        ),
        1
    );
    assert!(l.counter(load, "Stall_Reason: ").is_none());
}

#[test]
fn wide_tables_of_two_architectures_have_columns_of_their_own() {
    let (a, b) = (
        read("amd/pmc_perf_gfx90a.csv"),
        read("amd/pmc_perf_gfx942.csv"),
    );
    for p in [&a, &b] {
        assert_eq!(p.flavour, "pmc_perf");
        assert_eq!(p.launches[0].kernel, "vecCopy(double*, double*, int)");
        assert_eq!(sure(named(p, 0, "SQ_WAVES")).0, 16_384.0);
    }
    let names = |p: &assay_profile::Profile| -> BTreeSet<String> {
        p.launches[0].iter().map(|c| c.name().to_owned()).collect()
    };
    let (a_names, b_names) = (names(&a), names(&b));
    assert!(a_names.difference(&b_names).any(|n| n == "TCC_HIT[17]"));
    assert!(
        b_names
            .difference(&a_names)
            .any(|n| n == "SQ_INSTS_VALU_MFMA_F16")
    );
    // What is left over from a merge is a word, no number.
    assert_eq!(named(&a, 0, "obj_2").word(), Some("0x7f3a00"));
}

#[test]
fn the_tables_are_told_by_their_header() {
    for f in [
        "counter_collection.csv",
        "kernel_trace.csv",
        "pc_sampling_host_trap.csv",
        "pc_sampling_stochastic.csv",
        "pmc_perf_gfx90a.csv",
        "pmc_perf_gfx942.csv",
    ] {
        assert_eq!(
            detect(&bytes(&format!("amd/{f}"))),
            Some(Format::Rocprof),
            "{f}"
        );
    }
}
