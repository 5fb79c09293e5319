//! Each shape of a value and each defect, in small reports.

use assay_profile::formats::mcprofiler::{UNNAMED, name_by_path};
use assay_profile::{Counter, Profile, Scope, Status, canonical_figures, parse};

fn read(text: &str) -> Profile {
    parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn get(p: &Profile, section: &str, name: &str) -> Counter {
    let found = p.launches[0].counter(section, name);
    found.map_or_else(|| panic!("no {section} > {name} in {p:?}"), Counter::from)
}

fn value(c: &Counter) -> Option<f64> {
    c.number()
}

fn row(name: &str, value: &str) -> String {
    format!("{{\"name\": \"{name}\", \"description\": \"\", \"value\": {value}}}")
}

fn raw_row(name: &str, data: &str, is_error: &str, message: &str) -> String {
    format!(
        "{{\"data\": {data}, \"isError\": {is_error}, \"message\": \"{message}\", \"name\": \"{name}\"}}"
    )
}

#[test]
fn shapes_in_the_report_for_people() {
    let rows = [
        row("Total Instructions", "\"7,301,442\""),
        row("Total Cycles", "\"48,120.75(Kcycles)\""),
        row("AP busy Duty", "\"103.50%\""),
        row("Memory Access per Second", "\"2,048.5(MB/s)\""),
        row("Average AP busy cycles", "812.5"),
        row("Compute Instructions busy Duty", "41.5"),
        row("Some later counter", "\"12.5(Gops)\""),
        row("A word", "\"cannot draw from data: 'processed_data'\""),
        row("Nothing", "null"),
        row("Blank", "\"\""),
        row("No number", "NaN"),
        row("True", "true"),
        row("Comma", "\"0,82\""),
        row("A list", "[1, 2.5]"),
        row(
            "RoofLine",
            "{\"data\": {\"case_bandwith\": 601.25}, \"processed_data\": {\"during\": 77}, \"filename\": \"/x/R.png\"}",
        ),
        row(
            "Chart",
            "{\"data\": {\"a\": null, \"b\": \"1,024\"}, \"filename\": \"/x/C.png\"}",
        ),
        row("Empty chart", "{}"),
    ];
    let p = read(&format!(
        "{{\"Summary\": [{}], \"Later section\": [{}]}}",
        rows.join(","),
        row("x", "1")
    ));
    let get = |n| get(&p, "Summary", n);
    assert_eq!(
        get("Total Instructions").value.as_ref().unwrap().as_u64(),
        Some(7_301_442)
    );
    let c = get("Total Cycles");
    assert_eq!(
        (value(&c), c.unit.as_str(), c.resolution),
        (Some(48_120.75), "Kcycles", Some(0.01))
    );
    assert_eq!(
        (
            value(&get("AP busy Duty")),
            get("AP busy Duty").unit.as_str()
        ),
        (Some(103.5), "%")
    );
    assert!(get("Compute Instructions busy Duty").suspect[0].contains('%'));
    assert_eq!(get("Some later counter").unit, "Gops");
    assert_eq!(get("Some later counter").canonical, None);
    assert_eq!(get("A word").status, Status::Text);
    for name in ["Nothing", "Blank", "Chart.a", "Empty chart"] {
        assert_eq!(get(name).status, Status::Absent, "{name}");
    }
    for name in ["No number", "True", "Comma"] {
        assert!(
            get(name).status == Status::Error && !get(name).suspect.is_empty(),
            "{name}"
        );
    }
    assert_eq!(
        (value(&get("A list.0")), value(&get("A list.1"))),
        (Some(1.0), Some(2.5))
    );
    assert_eq!(value(&get("RoofLine.data.case_bandwith")), Some(601.25));
    assert_eq!(value(&get("RoofLine.processed_data.during")), Some(77.0));
    assert_eq!(get("RoofLine.filename").text.as_deref(), Some("/x/R.png"));
    assert_eq!(value(&get("Chart.b")), Some(1024.0));
    assert_eq!(
        p.launches[0].counter("Later section", "x").unwrap().raw(),
        "1"
    );
    assert_eq!(p.launches[0].kernel, UNNAMED);
    let f = canonical_figures(&p);
    assert_eq!(
        (f["cycles.elapsed"].value, f["mem.bandwidth"].unit.as_str()),
        (48_120_750.0, "GB/s")
    );
    assert!(p.notices.is_empty(), "{:?}", p.notices);
}

#[test]
fn shapes_in_the_raw_report() {
    let rows = [
        raw_row("Total Instructions", "18446744073709551615", "false", ""),
        raw_row("Compute Instructions", "18446744073709551616", "false", ""),
        raw_row("AP busy Duty", "97.25", "true", "no such event"),
        raw_row("WAVES", "3", "false", "only one pass"),
        raw_row("Odd", "3", "0", ""),
        raw_row("Gone", "null", "false", ""),
        raw_row("Infinite", "Infinity", "false", ""),
        "{\"isError\": false, \"message\": \"\", \"name\": \"Without\"}".into(),
        "{\"processed_data\": {\"all_ops\": 5}, \"isError\": false, \"message\": \"\", \"name\": \"RoofLine\"}".into(),
    ];
    let p = read(&format!("{{\"Summary\": [{}]}}", rows.join(",")));
    let get = |n| get(&p, "Summary", n);
    assert_eq!(
        get("Total Instructions").value.as_ref().unwrap().as_u64(),
        Some(u64::MAX)
    );
    assert!(get("Total Instructions").suspect.is_empty());
    assert!(get("Compute Instructions").suspect[0].contains("64-bit"));
    let e = get("AP busy Duty");
    assert!(e.status == Status::Error && e.value.is_none() && e.raw == "97.25");
    assert!(e.suspect[0].contains("no such event"));
    assert_eq!(value(&get("WAVES")), Some(3.0));
    assert!(get("WAVES").suspect[0].contains("only one pass"));
    assert_eq!(get("Odd").status, Status::Error);
    assert_eq!(
        (get("Gone").status, get("Without").status),
        (Status::Absent, Status::Absent)
    );
    assert_eq!(get("Infinite").status, Status::Error);
    assert_eq!(value(&get("RoofLine.processed_data.all_ops")), Some(5.0));
}

#[test]
fn repeated_keys_are_reported_and_never_settled_in_silence() {
    let p = read(&format!(
        "{{\"Summary\": [{}, {}, {}], \"Summary\": [{}]}}",
        row("Total Instructions", "1"),
        row("Memory Instructions", "2"),
        "{\"name\": \"WAVES\", \"description\": \"\", \"value\": 1, \"value\": 2}",
        row("Total Instructions", "3"),
    ));
    let twice: Vec<_> = p.launches[0]
        .iter()
        .filter(|c| c.name() == "Total Instructions")
        .collect();
    assert!(twice.len() == 2 && twice.iter().all(|c| c.suspect()[0].contains("2 times")));
    assert_eq!(get(&p, "Summary", "WAVES").status, Status::Error);
    assert!(p.notices[0].contains("Summary"));
    let f = canonical_figures(&p);
    assert!(!f.contains_key("inst.executed") && f.contains_key("inst.memory"));
    let txt = "##############################\nSub-module: S\n------------------------------\nName: a\nDescription: \nValue: 1\n------------------------------\nName: a\nDescription: \nValue: 2\n";
    assert!(read(txt).launches[0].iter().all(|c| c.suspect().len() == 1));
}

#[test]
fn a_report_with_a_few_metrics_and_an_older_one() {
    let p = read(&format!(
        "{{\"Memory Statistics\": [{}], \"Workgroup Memory\": [{}], \"Empty\": []}}",
        row("L2C Hit Rate", "\"64.25%\""),
        row("total instructions", "\"3,846.0\""),
    ));
    assert_eq!(p.launches[0].len(), 2);
    let f = canonical_figures(&p);
    assert_eq!(
        f.keys().collect::<Vec<_>>(),
        ["cache.l2.hit_rate", "inst.shared.total"]
    );
    assert!(f["cache.l2.hit_rate"].value == 64.25 && p.notices.is_empty());
    let csv = read("Name,Description,Value\r\nL2C Hit Rate,,64.25%\r\nA later one,x,\"1,024\"\r\n");
    assert_eq!(get(&csv, "Memory Statistics", "L2C Hit Rate").unit, "%");
    assert_eq!(get(&csv, "", "A later one").raw, "1,024");
    assert!(csv.notices[0].contains("no section"));
}

#[test]
fn a_csv_keeps_what_is_ragged_apart() {
    let p = read(
        "Name,Description,Value\nx,d,1\ny,d,3,101,5\nz,\"d, e \"\"f\"\"\",2.5\n\nw,d\n\"v\",d,\"7\"\n",
    );
    let names: Vec<&str> = p.launches[0].iter().map(|c| c.name()).collect();
    assert_eq!(names, ["x", "z", "v"]);
    assert!(
        p.notices.iter().any(|n| n.starts_with("2 rows")),
        "{:?}",
        p.notices
    );
}

#[test]
fn kernels_are_named_by_the_file() {
    let text = format!("{{\"Summary\": [{}]}}", row("WAVES", "1"));
    let named = |path: &str| {
        let mut p = read(&text);
        name_by_path(&mut p, path);
        (
            p.launches[0].kernel.clone(),
            p.launches[0].scope,
            p.notices.len(),
        )
    };
    assert_eq!(
        named("o/2_gemm.txt.json"),
        ("gemm".into(), Scope::PerKernel, 0)
    );
    assert_eq!(
        named("o/report.txt.json"),
        ("(all kernels)".into(), Scope::Aggregate, 0)
    );
    assert_eq!(
        named("o/copy of it.json"),
        (UNNAMED.into(), Scope::Aggregate, 1)
    );
}

#[test]
fn hardware_counters_for_each_device_and_kernel() {
    let one = r#"{"CE": {"generic": {"CE_PERF_WAVES": 64}}, "ISU": {"dpcId0,blockId3": {"A": 18446744073709551615, "B": null}}}"#;
    let p = read(&format!(
        "{{\"perf_counters\": {{\"0\": [{one}, {one}]}}, \"umd_data\": {{}}}}"
    ));
    assert_eq!(
        (p.launches[0].kernel.as_str(), p.launches[0].scope),
        ("(all kernels)", Scope::Aggregate)
    );
    assert_eq!(
        (p.launches[1].kernel.as_str(), p.launches[1].scope),
        ("(kernel 1)", Scope::PerKernel)
    );
    let l = &p.launches[1];
    assert_eq!(
        l.counter("CE/generic", "CE_PERF_WAVES").unwrap().raw(),
        "64"
    );
    let a = l.counter("ISU/dpcId0,blockId3", "A").unwrap();
    assert_eq!(a.exact().unwrap().as_u64(), Some(u64::MAX));
    assert_eq!(
        l.counter("ISU/dpcId0,blockId3", "B").unwrap().status(),
        Status::Absent
    );
    assert!(p.notices.is_empty());
    let two = read(&format!(
        "{{\"perf_counters\": {{\"0\": [{one}], \"1\": [{one}]}}, \"umd_data\": {{\"g\": 1}}}}"
    ));
    assert_eq!(two.launches[1].kernel, "device 1: (all kernels)");
    assert!(two.notices[0].contains("umd_data"));
}
