//! One name for what profilers of different vendors call their own way, and what each name is.

use std::collections::BTreeSet;

use assay_profile::{Catalog, Direction, parse};

fn name(tool: &str, section: &str, name: &str) -> Option<&'static str> {
    let entry = Catalog::builtin().lookup(tool, section, name);
    entry.map(|e| e.canonical.as_str())
}

/// Concept, the row of mcProfiler, and the metric of Nsight Compute.
const LINE_UP: &[(&str, (&str, &str), &str)] = &[
    (
        "inst.executed",
        ("Summary", "Total Instructions"),
        "smsp__inst_executed.sum",
    ),
    (
        "inst.mma",
        ("ISU Statistics", "Instructions Comparison.MMA"),
        "sm__inst_executed_pipe_tensor.sum",
    ),
    (
        "inst.shared.load",
        ("Workgroup Memory", "load instructions"),
        "smsp__sass_inst_executed_op_shared_ld.sum",
    ),
    (
        "inst.shared.store",
        ("Workgroup Memory", "store instructions"),
        "smsp__sass_inst_executed_op_shared_st.sum",
    ),
    (
        "inst.global.load",
        ("Memory Statistics", "Global Read Instructions"),
        "smsp__sass_inst_executed_op_global_ld.sum",
    ),
    (
        "inst.global.store",
        ("Memory Statistics", "Global Write Instructions"),
        "smsp__sass_inst_executed_op_global_st.sum",
    ),
    (
        "cache.l1.hit_rate",
        ("Memory Statistics", "VL1 Hit Rate"),
        "l1tex__t_sector_hit_rate.pct",
    ),
    (
        "cache.l2.hit_rate",
        ("Memory Statistics", "L2C Hit Rate"),
        "lts__t_sector_hit_rate.pct",
    ),
    (
        "mem.read_bytes",
        ("Memory Statistics", "Global Memory Read bytes"),
        "dram__bytes_read.sum",
    ),
    (
        "mem.write_bytes",
        ("Memory Statistics", "Global Memory Write bytes"),
        "dram__bytes_write.sum",
    ),
    (
        "mem.bandwidth",
        ("Summary", "RoofLine.data.case_bandwith"),
        "dram__bytes.sum.per_second",
    ),
    (
        "launch.workgroups",
        ("CE Statistics", "WORKGROUPS"),
        "launch__grid_size",
    ),
    (
        "ipc.unit",
        ("Compute workload", "instruction throughput"),
        "sm__inst_executed.avg.per_cycle_active",
    ),
    (
        "cycles.elapsed",
        ("Summary", "Total Cycles"),
        "gpc__cycles_elapsed.max",
    ),
];

#[test]
fn a_c500_and_a_gpu_of_nvidia_line_up() {
    for (concept, (section, row), metric) in LINE_UP {
        assert_eq!(name("mcProfiler", section, row), Some(*concept), "{row}");
        assert_eq!(name("ncu", "", metric), Some(*concept), "{metric}");
    }
    // The duty of the matrix unit, and what compilers, tracers and profilers say of a kernel.
    let tools = |concept: &str| -> BTreeSet<&str> {
        let entry = Catalog::builtin().get(concept).expect("a counter");
        entry.names.keys().map(String::as_str).collect()
    };
    for (concept, wanted) in [
        ("duty.mma", &["mcProfiler", "ncu"][..]),
        (
            "resource.registers",
            &["mxcc", "mcTracer", "ncu", "ptxas", "rocprof"],
        ),
        (
            "resource.shared.static",
            &["mxcc", "mcTracer", "ncu", "ptxas"],
        ),
        ("resource.shared.dynamic", &["mcTracer", "ncu"]),
        ("time.profiled", &["mcTracer", "ncu", "rocprof"]),
        ("inst.shared", &["mcProfiler", "ncu", "rocprof"]),
    ] {
        for tool in wanted {
            assert!(tools(concept).contains(tool), "{concept} of {tool}");
        }
    }
}

#[test]
fn what_people_write_of_a_c500_has_the_names_of_its_report() {
    for (words, concept) in [
        ("Total Instructions", "inst.executed"),
        ("Memory Instructions", "inst.memory"),
        ("BSM instructions", "inst.shared"),
        ("BSM instruction count", "inst.shared"),
        ("MTE instructions", "inst.vector"),
        ("MTE instruction count", "inst.vector"),
        ("MMA instructions", "inst.mma"),
        ("MMA instruction count", "inst.mma"),
        ("STE instructions", "inst.scalar"),
        ("Global Read Instructions", "inst.global.load"),
        ("L2C Read Instructions", "cache.l2.reads"),
        ("Workgroup load instructions", "inst.shared.load"),
        ("Workgroup store instructions", "inst.shared.store"),
        ("Workgroup total instructions", "inst.shared.total"),
        (
            "Average WG conflict cycles / instruction",
            "shared.conflict_cycles",
        ),
        ("Average WG conflict cycles", "shared.conflict_cycles"),
        ("Average conflict cycles", "shared.conflict_cycles"),
        ("Shared memory access efficiency", "shared.efficiency"),
        ("shared efficiency", "shared.efficiency"),
        ("AP MTE Duty ratio", "duty.vector"),
        ("AP MTE duty", "duty.vector"),
        ("AP STE duty", "duty.scalar"),
        ("AP MMA Duty ratio", "duty.mma"),
        ("AP MMA Duty", "duty.mma"),
        ("VLS Duty ratio", "duty.load_store"),
        ("L2C Duty", "duty.l2"),
        ("L2C hit", "cache.l2.hit_rate"),
        ("L2 hit rate", "cache.l2.hit_rate"),
        ("VL1 hit", "cache.l1.hit_rate"),
        ("Profiler 报告带宽", "mem.bandwidth"),
        ("Achieved waves", "waves.achieved"),
        ("Dispatched waves", "waves.dispatched"),
        ("WAVES", "launch.waves"),
        ("instruction per cycle", "ipc.device"),
        ("Global Memory Read bytes", "mem.read_bytes"),
    ] {
        assert_eq!(name("mcProfiler", "", words), Some(concept), "{words}");
    }
    for key in [
        "case_bandwith",
        "MAX_Bandwith",
        "MAX_I",
        "case_I",
        "case_flops",
        "MAX_Flops_base",
        "core_clk",
        "mc_clk",
        "block_num",
        "during",
        "all_ops",
        "all_memacs",
        "case_VL1_I",
        "case_L2C_I",
    ] {
        let row = format!("RoofLine.data.{key}");
        assert!(name("mcProfiler", "Summary", &row).is_some(), "{row}");
    }
}

#[test]
fn direction_and_unit_fit_what_a_counter_is() {
    for e in Catalog::builtin().entries() {
        let n = e.canonical.as_str();
        let last = n.rsplit('.').next().unwrap_or(n);
        assert!(e.source.is_some(), "{n} says no source");
        let is = |unit: &str| e.unit == unit;
        match n {
            _ if last == "hit_rate" => assert!(is("%") && e.direction == Direction::Higher, "{n}"),
            _ if last.ends_with("efficiency") => {
                assert!(is("%") && e.direction == Direction::Higher, "{n}")
            }
            _ if n.starts_with("duty.") || n.starts_with("occupancy.") && !n.contains("limit") => {
                assert!(is("%") && e.direction != Direction::Lower, "{n}");
            }
            _ if n.starts_with("throughput.") => {
                assert!(is("%") && e.direction == Direction::Higher, "{n}")
            }
            _ if n.starts_with("ipc.") => assert!(e.direction == Direction::Higher, "{n}"),
            _ if n.starts_with("time.") => {
                assert!(is("ns") && e.direction == Direction::Lower, "{n}")
            }
            _ if n.starts_with("clock.") => assert!(is("GHz"), "{n}"),
            _ if last.contains("bytes") => assert!(is("bytes"), "{n}"),
            _ if n.starts_with("stall.") || last.contains("miss") && !n.contains("rate") => {
                assert!(e.direction != Direction::Higher, "{n}");
            }
            _ if last.contains("conflict")
                || last.contains("latency")
                || last.contains("spill") =>
            {
                assert!(e.direction == Direction::Lower, "{n}");
            }
            _ => {}
        }
        // Only a rate has a unit of rates.
        assert!(!is("%") || !n.starts_with("inst."), "{n}");
    }
}

#[test]
fn what_the_catalog_does_not_know_stays_visible() {
    let p = parse(b"{\"Summary\": [{\"name\": \"Quantum Foam\", \"description\": \"\", \"value\": \"1,234\"}]}").expect("a report");
    let c = p.launches[0]
        .counter("Summary", "Quantum Foam")
        .expect("the row");
    assert_eq!((c.number(), c.canonical()), (Some(1234.0), None));
    // Counters beneath the reports are those of one block each; no concept is meant by them alone.
    let p = parse(b"{\"perf_counters\": {\"0\": [{\"ISU\": {\"dpcId0,blockId0\": {\"AP_PERF_INSTS_BSM\": 7}, \"dpcId0,blockId1\": {\"AP_PERF_INSTS_BSM\": 9}}}]}}").expect("a report");
    let found: Vec<_> = p.launches[0]
        .iter()
        .map(|c| (c.section(), c.number(), c.canonical()))
        .collect();
    assert_eq!(
        found,
        [
            ("ISU/dpcId0,blockId0", Some(7.0), None),
            ("ISU/dpcId0,blockId1", Some(9.0), None)
        ]
    );
}
