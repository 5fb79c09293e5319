//! The smaller readers: AMD, `perf stat -j`, callgrind, traces, compilers, and mapped files.

use assay_profile::{
    Counter, Format, Launch, Mapping, Profile, Scope, Status, detect, launch_figures, parse,
};
use proptest::prelude::*;

fn read(text: &str) -> Profile {
    parse(text.as_bytes()).expect("a profile")
}

/// The counters of a launch, each by itself.
fn all(l: &Launch) -> Vec<Counter> {
    l.iter().map(Counter::from).collect()
}

fn find(p: &Profile, launch: usize, name: &str) -> Counter {
    let found = p.launches[launch].iter().find(|c| c.name() == name);
    found.map_or_else(|| panic!("{name}"), Counter::from)
}

fn int(p: &Profile, launch: usize, name: &str) -> Option<u64> {
    find(p, launch, name).value.as_ref()?.as_u64()
}

const ROCPROF: &str = "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\",\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"
1,1,\"Agent 4\",1,77,77,1048576,12,\"void k<float, 4>(float*)\",256,1024,0,32,4,48,\"SQ_WAVES\",16384.000000,1000,5000
1,1,\"Agent 4\",1,77,77,1048576,12,\"void k<float, 4>(float*)\",256,1024,0,32,4,48,\"TCC_HIT\",7,1000,5000
1,1,\"Agent 4\",1,77,77,1048576,12,\"void k<float, 4>(float*)\",256,1024,0,32,4,48,\"TCC_HIT\",18446744073709551600,1000,5000
2,2,\"Agent 4\",1,77,77,1048576,12,\"void k<float, 4>(float*)\",256,1024,0,32,4,48,\"TCC_HIT\",9,6000,6500
3,3,\"Agent 4\",1,77,77,64,13,\"other.kd\",64,0,0,8,0,16,\"TCC_HIT\",18446744073709551615,1,2
3,3,\"Agent 4\",1,77,77,64,13,\"other.kd\",64,0,0,8,0,16,\"TCC_HIT\",1,1,2
bad,row
";

const TRACE_CSV: &str = "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,Grid_Size_Z
KERNEL_DISPATCH,4,1,0,9,2,12,k,2,500,900,0,0,8,0,16,64,1,1,640,2,1
KERNEL_DISPATCH,4,1,0,9,1,12,k,1,100,90,0,0,8,0,16,64,1,1,100,2,1
";

const WIDE: &str = "Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Kernel_Name,SQ_WAVES,TCC_HIT[17],obj_2,Note,Empty
0,2,1024,64,0,\"vecCopy(double*, int) [clone .kd]\",16.0,3.5,0x7f00,hello,
1,2,1024,64,0,\"vecCopy(double*, int) [clone .kd]\",16.0,nan,0x7f00,\"1,234\",
";

#[test]
fn rocprof_rows_of_one_counter_are_added_up() {
    assert_eq!(detect(ROCPROF.as_bytes()), Some(Format::Rocprof));
    let p = read(ROCPROF);
    assert_eq!(p.flavour, "counter_collection");
    assert_eq!(p.launches.len(), 3);
    assert_eq!(p.launches[1].occurrence, Some(1));
    assert_eq!(p.launches[2].kernel, "other");
    assert_eq!(int(&p, 0, "TCC_HIT"), Some(18_446_744_073_709_551_607));
    assert_eq!(find(&p, 0, "TCC_HIT").raw, "7 + 18446744073709551600");
    assert_eq!(find(&p, 0, "SQ_WAVES").resolution, Some(1e-6));
    assert_eq!(int(&p, 1, "TCC_HIT"), Some(9));
    let over = find(&p, 2, "TCC_HIT");
    assert_eq!((over.status, &over.value), (Status::Error, &None));
    let d = find(&p, 0, "End_Timestamp - Start_Timestamp");
    assert_eq!(
        (d.value.as_ref().unwrap().as_u64(), d.unit.as_str()),
        (Some(4000), "ns")
    );
    assert_eq!(find(&p, 0, "LDS_Block_Size").unit, "bytes");
    assert_eq!(p.launches[0].grid, None);
    assert!(p.notices[0].starts_with("2 rows repeat"), "{:?}", p.notices);
    assert!(
        p.notices[1].starts_with("1 row does not fit"),
        "{:?}",
        p.notices
    );
}

#[test]
fn rocprof_traces_and_wide_tables() {
    let p = read(TRACE_CSV);
    assert_eq!(p.launches[0].block, Some([64, 1, 1]));
    // Work-items there, workgroups here; only where they divide.
    assert_eq!(
        (p.launches[0].grid, p.launches[1].grid),
        (Some([10, 2, 1]), None)
    );
    assert_eq!(
        find(&p, 1, "End_Timestamp - Start_Timestamp").status,
        Status::Error
    );
    let p = read(WIDE);
    assert_eq!((p.flavour.as_str(), p.launches.len()), ("pmc_perf", 2));
    assert_eq!(p.launches[0].kernel, "vecCopy(double*, int)");
    assert_eq!(
        find(&p, 0, "TCC_HIT[17]").value.as_ref().unwrap().as_f64(),
        Some(3.5)
    );
    assert_eq!(find(&p, 1, "TCC_HIT[17]").status, Status::Error);
    assert_eq!(find(&p, 0, "obj_2").text.as_deref(), Some("0x7f00"));
    assert_eq!(find(&p, 0, "Empty").status, Status::Absent);
    assert!(find(&p, 1, "Note").suspect[0].contains("ambiguous"));
    // The last row has no line end, so that its last figure may be cut.
    let p = read(&TRACE_CSV[..TRACE_CSV.len() - 3]);
    assert_eq!(p.launches.len(), 1);
    assert!(p.notices[0].contains("cut"), "{:?}", p.notices);
}

const PERF_JSON: &str = r#"# started on Mon Nov 30 02:00:00 2026

{"counter-value" : "0.630000", "unit" : "msec", "event" : "task-clock", "event-runtime" : 630785, "pcnt-running" : 100.00, "metric-value" : "0.584000", "metric-unit" : "CPUs utilized"}
{"counter-value" : "1843200113.000000", "unit" : "", "event" : "cycles", "event-runtime" : 630785, "pcnt-running" : 66.67, "metric-value" : 2.920, "metric-unit" : "GHz"}
{"counter-value" : "<not counted>", "unit" : "", "event" : "branch-misses", "event-runtime" : 0, "pcnt-running" : 0.00, "metric-value" : 0.000000, "metric-unit" : "(null)"}
{"counter-value" : "<not supported>", "unit" : "", "event" : "instructions", "event-runtime" : 0, "pcnt-running" : 100.00}
{"counter-value" : "7", "unit" : "", "event" : "page-faults", "event-runtime" : 3805731510100.00}
{"counter-value" : "0,82", "unit" : "msec", "event" : "cpu-clock", "event-runtime" : 1, "pcnt-running" : 100.00}
{"counter-value" : "5", "unit" : "", "event" : "faults", "event-runtime" : 1, "pcnt-running" : 100,00}
"#;

#[test]
fn perf_json_lines() {
    assert_eq!(detect(PERF_JSON.as_bytes()), Some(Format::PerfStatJson));
    let p = read(PERF_JSON);
    assert_eq!(
        (p.tool.as_str(), p.launches[0].scope),
        ("perf stat", Scope::Aggregate)
    );
    let c = find(&p, 0, "cycles");
    assert_eq!(
        (c.value.as_ref().unwrap().as_f64(), c.canonical.as_deref()),
        (Some(1_843_200_113.0), Some("cycles.cpu"))
    );
    assert!(c.suspect[0].contains("66.67 %"));
    assert_eq!(find(&p, 0, "task-clock").resolution, Some(1e-6));
    assert_eq!(
        (
            find(&p, 0, "cycles: GHz").raw.as_str(),
            find(&p, 0, "cycles: GHz").resolution
        ),
        ("2.920", Some(0.001))
    );
    assert_eq!(find(&p, 0, "branch-misses").status, Status::Absent);
    assert_eq!(find(&p, 0, "instructions").status, Status::NotSupported);
    assert!(find(&p, 0, "page-faults").suspect[0].contains("share of time"));
    assert_eq!(find(&p, 0, "cpu-clock").status, Status::Error);
    assert!(!all(&p.launches[0]).iter().any(|c| c.name == "faults"));
    assert!(
        p.notices[0].contains("1 lines") && p.notices[0].contains("LC_ALL=C"),
        "{:?}",
        p.notices
    );
    let per_core = read(
        "{\"interval\" : 1.000, \"core\" : \"S0-C1\", \"counter-value\" : \"5\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}\n",
    );
    assert_eq!(all(&per_core.launches[0])[0].section, "1.000 S0-C1");
}

const CALLGRIND: &str = "# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 5
cmd:  ./mm
part: 1
desc: I1 cache: 32768 B, 64 B, 8-way associative
positions: line
events: Ir Dr
summary: 120 12

ob=(1) /tmp/mm
fl=(1) mm.c
fn=(1) main
10 5 1
+2 5
cfn=(2) mm
calls=2 20
* 110 11
fn=(2)
20 100 10
-1 10 1
totals: 120 12
";

#[test]
fn callgrind_counts_each_cost_once() {
    assert_eq!(detect(CALLGRIND.as_bytes()), Some(Format::Callgrind));
    let p = read(CALLGRIND);
    assert_eq!(
        (p.tool.as_str(), p.tool_version.as_deref()),
        ("callgrind", Some("callgrind-3.19.0"))
    );
    assert_eq!(
        (
            p.launches[0].kernel.as_str(),
            int(&p, 0, "Ir"),
            int(&p, 0, "Dr")
        ),
        ("mm", Some(120), Some(12))
    );
    assert!(
        all(&p.launches[0])[..2]
            .iter()
            .all(|c| c.suspect.is_empty()),
        "{:?}",
        p.launches[0]
    );
    assert_eq!(
        (p.launches[1].kernel.as_str(), int(&p, 1, "Ir")),
        ("mm", Some(110))
    );
    assert_eq!(
        (p.launches[2].kernel.as_str(), int(&p, 2, "Ir")),
        ("main", Some(10))
    );
    assert_eq!(p.notices, Vec::<String>::new());
    assert_eq!(launch_figures(&p.launches[1])["inst.executed"].value, 110.0);
    let cut = read(&CALLGRIND[..CALLGRIND.find("-1 10").unwrap()]);
    assert!(all(&cut.launches[0])[0].suspect[0].contains("add up to 110"));
    assert!(cut.notices[0].contains("cut"), "{:?}", cut.notices);
    let addresses = CALLGRIND
        .replace("positions: line", "positions: instr line")
        .replace("\n10 5 1", "\n0x4f 10 5 1")
        .replace("\n+2 5", "\n+3 +2 5")
        .replace("\n* 110 11", "\n* * 110 11")
        .replace("\n20 100", "\n0x50 20 100")
        .replace("\n-1 10 1", "\n-1 -1 10 1");
    assert_eq!(int(&read(&addresses), 1, "Ir"), Some(110));
    let two =
        format!("{CALLGRIND}part: 2\nevents: Ir Dr\nsummary: 7 1\nfn=(1)\n10 7 1\ntotals: 7 1\n");
    let p = read(&two);
    assert_eq!(int(&p, 0, "Ir"), Some(127));
    assert!(p.notices[0].contains("2 parts"), "{:?}", p.notices);
    assert!(all(&p.launches[0])[0].suspect.is_empty());
}

fn kernel_event(name: &str, dur: u64) -> String {
    format!(
        "{{\"ph\":\"X\",\"cat\":\"0\",\"ts\":1789465586316884736,\"dur\":{dur},\"name\":\"{name}\",\"pid\":2,\"tid\":1024,\"args\":{{\"name\":\"_Z1k\",\"grid\":{{\"x\":4096,\"y\":1,\"z\":1}},\"block\":{{\"x\":256,\"y\":1,\"z\":1}},\"mem\":{{\"registers_per_thread\":6,\"static_shared\":512}},\"mtreg_occupancy(%)\":1,\"submit_ts\":5,\"hw_queue_id\":[7],\"big\":99999999999999999999}}}}"
    )
}

#[test]
fn tracer_events_become_launches_and_totals() {
    let one = kernel_event("k(int)", 18944);
    assert_eq!(detect(one.as_bytes()), Some(Format::McTrace));
    let p = read(&one);
    assert_eq!(
        (p.tool.as_str(), p.launches.len(), p.launches[0].grid),
        ("mcTracer", 1, Some([4096, 1, 1]))
    );
    assert_eq!(int(&p, 0, "ts"), Some(1_789_465_586_316_884_736));
    assert_eq!(
        (int(&p, 0, "dur"), find(&p, 0, "dur").unit.as_str()),
        (Some(18944), "ns")
    );
    assert_eq!(find(&p, 0, "static_shared").unit, "bytes");
    assert!(find(&p, 0, "big").suspect[0].contains("rounded"));
    let trace = format!(
        "{{\"traceEvents\":[{},{},{{\"ph\":\"M\",\"name\":\"x\"}},5,{{\"ph\":\"X\",\"cat\":\"api\",\"name\":\"launch\",\"dur\":3}}],\"otherData\":{{\"a\":[]}}}}",
        kernel_event("a", 10),
        kernel_event("a", 30)
    );
    let p = read(&trace);
    assert_eq!(p.launches.len(), 4);
    assert_eq!(p.launches[1].occurrence, Some(1));
    let sum = |name| {
        p.launches[2]
            .counter("all launches", name)
            .and_then(|c| c.exact()?.as_u64())
    };
    assert_eq!(
        (sum("events"), sum("total time"), sum("most time")),
        (Some(2), Some(40), Some(30))
    );
    assert_eq!(
        p.launches[3]
            .counter("api", "launch: total time")
            .unwrap()
            .number(),
        Some(3.0)
    );
    assert!(p.notices[0].starts_with("1 entries"), "{:?}", p.notices);
    let cut = read(&trace[..trace.len() - 80]);
    assert!(
        cut.notices[0].contains("Only the first"),
        "{:?}",
        cut.notices
    );
    let cycles = "[{\"ph\":\"X\",\"cat\":\"MMA\",\"name\":\"MMA\",\"ts\":0,\"dur\":4},{\"ph\":\"X\",\"cat\":\"MMA\",\"name\":\"MMA\",\"ts\":4,\"dur\":4.5}]";
    let p = read(cycles);
    assert_eq!(
        (p.tool.as_str(), all(&p.launches[0])[0].section.as_str()),
        ("cycle-trace", "MMA")
    );
    assert_eq!(find(&p, 0, "MMA: total time").status, Status::Error);
    let deep = format!(
        "{{\"ph\":\"X\",\"args\":{{\"hw_queue_id\":{}",
        "[".repeat(100_000)
    );
    assert!(parse(deep.as_bytes()).is_err());
}

#[test]
fn the_number_of_launches_that_are_listed_has_a_limit() {
    let many: Vec<String> = (0..10_050).map(|i| kernel_event("k", i)).collect();
    let p = read(&format!("[{}]", many.join(",\n")));
    assert_eq!(p.launches.len(), 10_001);
    assert!(p.notices[0].starts_with("50 launches"), "{:?}", p.notices);
    assert_eq!(int(&p, 10_000, "events"), Some(10_050));
}

#[test]
fn compilers_say_what_a_kernel_takes() {
    let p = read(
        "nvcc ...\nptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function '_Z3mmP' for 'sm_90'\nptxas info    : Function properties for _Z3mmP\n    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\nptxas info    : Used 255 registers, used 1 barriers, 8192 bytes smem, 380 bytes cmem[0]\nptxas info    : Function properties for helper\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas warning : Value of threads is out of range\n",
    );
    assert_eq!((p.tool.as_str(), p.launches.len()), ("ptxas", 2));
    assert_eq!(
        (
            int(&p, 0, "registers"),
            int(&p, 0, "smem"),
            int(&p, 0, "spill loads")
        ),
        (Some(255), Some(8192), Some(16))
    );
    assert_eq!(find(&p, 0, "stack frame").unit, "bytes");
    assert_eq!(find(&p, 0, "target").text.as_deref(), Some("sm_90"));
    assert_eq!(p.launches[1].kernel, "helper");
    assert!(p.notices[0].contains("ptxas warning"), "{:?}", p.notices);
    let kernel = |n: &str| {
        format!(
            "maca info  : Function properties for {n}\n  28 bytes stack frame\nmaca info  : Used  256 MTregisters, 40 STregisters, 65536 bytes shared mem\nmaca info  : staticMaxWarps/PEU : 2\n"
        )
    };
    let p = read(&format!("{}{}", kernel("_Za"), kernel("_Zb")));
    assert_eq!((p.tool.as_str(), p.launches.len()), ("mxcc", 2));
    for i in 0..2 {
        assert_eq!(
            (
                int(&p, i, "MTregisters"),
                int(&p, i, "shared mem"),
                int(&p, i, "staticMaxWarps/PEU"),
                int(&p, i, "stack frame")
            ),
            (Some(256), Some(65536), Some(2), Some(28))
        );
    }
    let same = read(
        "ptxas info : Compiling entry function 'k' for 'sm_80'\nptxas info : Used 10 registers\nptxas info : Compiling entry function 'k' for 'sm_90'\nptxas info : Used 12 registers\n",
    );
    assert_eq!(
        (int(&same, 0, "registers"), int(&same, 1, "registers")),
        (Some(10), Some(12))
    );
}

#[test]
fn a_mapping_reads_any_table() {
    let long = Mapping::read("m.toml", "schema = \"assay.mapping/1\"\ntool = \"ours\"\nformat = \"csv\"\nseparator = \";\"\nkernel = \"K\"\ncounter = \"C\"\nvalue = \"V\"\nunit = \"U\"\n").unwrap();
    let p = long
        .parse(b"K;C;V;U\nk;t;1.5;us\nk;n;7;\nk;t;2.5;us\nj;t;1,234;us\n;t;1;us\n")
        .unwrap();
    assert_eq!(p.launches.len(), 3);
    assert_eq!(
        (p.launches[1].occurrence, find(&p, 1, "t").unit.as_str()),
        (Some(1), "us")
    );
    assert!(find(&p, 2, "t").suspect[0].contains("ambiguous"));
    assert!(p.notices[0].starts_with("1 row lacks"), "{:?}", p.notices);
    assert!(
        long.parse(b"A;B\n1;2\n")
            .unwrap_err()
            .to_string()
            .contains("no column `K`")
    );
    let wide = Mapping::read("m.toml", "schema = \"assay.mapping/1\"\ntool = \"ours\"\nformat = \"json\"\nrows = \"/r\"\nkernel = \"/k/name\"\ndecimal = \",\"\n[[counters]]\nfrom = \"/t\"\nname = \"time\"\nunit = \"ns\"\n[[counters]]\nfrom = \"/x\"\n").unwrap();
    let p = wide.parse(b"{\"r\":[{\"k\":{\"name\":\"a\"},\"t\":18446744073709551615,\"x\":\"1.234\"},{\"k\":{\"name\":\"a\"},\"t\":18446744073709551616,\"x\":\"1,234.5\"}]}").unwrap();
    assert_eq!(
        (
            int(&p, 0, "time"),
            find(&p, 0, "/x").value.as_ref().unwrap().as_u64()
        ),
        (Some(u64::MAX), Some(1234))
    );
    assert!(find(&p, 1, "time").suspect[0].contains("rounded"));
    assert_eq!(find(&p, 1, "/x").status, Status::Error);
    assert!(wide.parse(b"{\"r\":").is_err() && wide.parse(b"{}").is_err());
    for (bad, why) in [
        ("", "schema"),
        (
            "schema = \"x\"\ntool = \"a\"\nformat = \"csv\"",
            "schema `x`",
        ),
        (
            "schema = \"assay.mapping/1\"\ntool = \"a\"\nformat = \"csv\"\n",
            "neither",
        ),
        (
            "schema = \"assay.mapping/1\"\ntool = \"a\"\nformat = \"csv\"\nvlaue = \"a\"\n",
            "vlaue",
        ),
    ] {
        let e = Mapping::read("m.toml", bad).unwrap_err().to_string();
        assert!(e.contains("m.toml") && e.contains(why), "{e}");
    }
}

fn fine(p: &Profile) -> Result<(), TestCaseError> {
    for c in p.launches.iter().flat_map(all) {
        prop_assert_eq!(c.value.is_some(), c.status == Status::Value, "{:?}", c);
        prop_assert_eq!(c.text.is_some(), c.status == Status::Text, "{:?}", c);
        prop_assert!(
            c.status != Status::Error || !c.suspect.is_empty(),
            "{:?}",
            c
        );
    }
    Ok(())
}

fn seeds() -> Vec<String> {
    let trace = format!(
        "{{\"traceEvents\":[{},{}]}}",
        kernel_event("a", 10),
        kernel_event("b", 30)
    );
    let ptxas = "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Function properties for k\n    8 bytes stack frame, 0 bytes spill stores\nptxas info    : Used 32 registers, 380 bytes cmem[0]\n";
    [
        ROCPROF, TRACE_CSV, WIDE, PERF_JSON, CALLGRIND, &trace, ptxas,
    ]
    .map(str::to_owned)
    .to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_never_panics(
        which in 0..7usize,
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut bytes = seeds()[which].clone().into_bytes();
        for (at, b) in edits {
            let at = at.index(bytes.len());
            bytes[at] = b;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        let _ = detect(&bytes);
        for format in Format::ALL {
            if let Ok(p) = format.parse(&bytes) {
                fine(&p)?;
            }
        }
    }

    #[test]
    fn mapped_files_never_panic(bytes: Vec<u8>, figures in proptest::collection::vec("[0-9.,eE\" +-]{0,12}", 0..8)) {
        let m = |format: &str| Mapping::read("m", &format!("schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"{format}\"\n[[counters]]\nfrom = \"a\"\n")).unwrap();
        let _ = m("json").parse(&bytes);
        let table = format!("a,b\n{}", figures.iter().map(|f| format!("{f},\n")).collect::<String>());
        if let Ok(p) = m("csv").parse(table.as_bytes()) {
            fine(&p)?;
        }
    }
}
