//! The catalog that is built in, and what a broken one says.

use assay_profile::{Catalog, Direction};

#[test]
fn the_builtin_catalog_is_valid_and_says_what_each_counter_is() {
    let c = Catalog::builtin();
    assert!(c.entries().len() > 30);
    for e in c.entries() {
        assert!(
            !e.meaning.is_empty() && e.meaning.ends_with('.'),
            "{}",
            e.canonical
        );
        assert!(
            [
                "1", "ns", "bytes", "bits", "%", "GHz", "GB/s", "MB/s", "TFLOPS"
            ]
            .contains(&e.unit.as_str()),
            "{}",
            e.canonical
        );
        assert!(e.canonical.contains('.'), "{}", e.canonical);
        // Published figures are no counters of a tool: mappings name them directly.
        let is_claim = e.canonical.starts_with("claim.");
        assert!(is_claim || !e.names.is_empty(), "{}", e.canonical);
        let is_sourced = e.source.is_some() || !e.names.contains_key("mcProfiler");
        assert!(is_sourced, "{}", e.canonical);
        for tool in e.names.keys() {
            assert!(
                [
                    "perf stat",
                    "cachegrind",
                    "callgrind",
                    "static",
                    "mcProfiler",
                    "ncu",
                    "rocprof",
                    "ptxas",
                    "mxcc",
                    "mcTracer"
                ]
                .contains(&tool.as_str()),
                "{tool}"
            );
        }
    }
    assert_eq!(c.get("stack.spills").unwrap().direction, Direction::Lower);
    assert_eq!(c.get("vector.fma").unwrap().direction, Direction::Higher);
}

#[test]
fn names_are_matched_as_a_whole_and_with_modifiers() {
    let c = Catalog::builtin();
    let name = |tool, n| c.lookup(tool, "", n).map(|e| e.canonical.as_str());
    assert_eq!(name("perf stat", "instructions"), Some("inst.executed"));
    assert_eq!(name("perf stat", "instructions:u"), Some("inst.executed"));
    assert_eq!(name("perf stat", "cpu_core/cycles/"), Some("cycles.cpu"));
    assert_eq!(name("perf stat", "cpu_atom/cycles/"), None);
    assert_eq!(name("perf stat", "instructions-per-fortnight"), None);
    assert_eq!(name("cachegrind", "Ir"), Some("inst.executed"));
    assert_eq!(name("cachegrind", "instructions"), None);
    assert_eq!(name("static", "inst.total"), Some("inst.total"));
}

#[test]
fn counters_of_a_c500_by_section_and_as_people_write_them() {
    let c = Catalog::builtin();
    let name = |section, n| {
        c.lookup("mcProfiler", section, n)
            .map(|e| e.canonical.as_str())
    };
    for (section, n, canonical) in [
        ("Summary", "Total Instructions", "inst.executed"),
        (
            "Workgroup Memory",
            "total instructions",
            "inst.shared.total",
        ),
        (
            "ISU Statistics",
            "Instructions Comparison.BSM",
            "inst.shared",
        ),
        ("GPU Throughput Statistics", "AP MMA Duty ratio", "duty.mma"),
        ("Summary", "RoofLine.data.case_bandwith", "mem.bandwidth"),
        ("", "Total Instructions", "inst.executed"),
        ("", "Global Read Instructions", "inst.global.load"),
        ("", "BSM instructions", "inst.shared"),
        ("", "MTE instruction count", "inst.vector"),
        ("", "Workgroup total instructions", "inst.shared.total"),
        (
            "",
            "Average WG conflict cycles / instruction",
            "shared.conflict_cycles",
        ),
        ("", "Average conflict cycles", "shared.conflict_cycles"),
        ("", "Shared memory access efficiency", "shared.efficiency"),
        ("", "L2C hit", "cache.l2.hit_rate"),
        ("", "AP STE duty", "duty.scalar"),
        ("", "Profiler 报告带宽", "mem.bandwidth"),
    ] {
        assert_eq!(name(section, n), Some(canonical), "{section} > {n}");
    }
    assert_eq!(name("Summary", "total instructions"), None);
    assert_eq!(name("", "AP MMA duty ratio of the day"), None);
}

#[test]
fn a_later_file_replaces_entries_and_a_broken_one_says_where() {
    let a = "schema = \"assay.counters/1\"\n[[counter]]\ncanonical = \"x.y\"\nunit = \"1\"\ndirection = \"lower\"\nmeaning = \"A.\"\nnames = { t = [\"a\"] }\n";
    let b = a.replace("\"A.\"", "\"B.\"").replace("[\"a\"]", "[\"b\"]");
    let c = Catalog::load([("a.toml", a), ("b.toml", b.as_str())]).unwrap();
    assert_eq!(c.entries().len(), 1);
    assert_eq!(c.get("x.y").unwrap().meaning, "B.");
    assert!(c.lookup("t", "", "a").is_none() && c.lookup("t", "", "b").is_some());
    let error = |text: &str| Catalog::load([("f.toml", text)]).unwrap_err().to_string();
    assert!(error("x").contains("f.toml"));
    assert!(error(&a.replace("counters/1", "counters/9")).contains("counters/9"));
    assert!(error(&a.replace("[\"a\"]", "[\"(\"]")).contains("x.y"));
    assert!(error(&a.replace("unit", "unti")).contains("unti"));
    let alias = format!("{a}[[alias]]\ncanonical = \"x.y\"\nnames = {{ u = [\"S > c.*\"] }}\n");
    let c = Catalog::load([("f.toml", alias.as_str())]).unwrap();
    assert!(c.lookup("u", "S", "cd").is_some() && c.lookup("t", "S", "a").is_some());
    assert!(c.lookup("u", "s", "cd").is_none() && c.lookup("t", "S", "cd").is_none());
    assert_eq!(c.get("x.y").unwrap().names.len(), 2);
    assert!(error(&alias.replacen("x.y", "x.z", 1)).contains("x.y"));
    assert_eq!(c.get("x.y").unwrap().weight, 1.0);
    let weighed = a.replace("unit", "weight = 0.25\nunit");
    let c = Catalog::load([("f.toml", weighed.as_str())]).unwrap();
    assert_eq!(c.get("x.y").unwrap().weight, 0.25);
    for bad in ["-1.0", "inf", "nan"] {
        assert!(error(&weighed.replace("0.25", bad)).contains("weight"));
    }
    let twice = format!("{a}{}", a.split_once('\n').unwrap().1);
    assert!(error(&twice).contains("twice"));
}
