//! Content that was made to do harm, for every reader.

use std::time::{Duration, Instant};

use assay_profile::{Format, Mapping, Profile, Status, detect, parse};

use super::{bytes, named, notices, read};

/// Far more than any of these takes, and far less than what grows with the square of the size.
const LONG: Duration = Duration::from_secs(20);

fn quick(what: &str, read: impl FnOnce()) {
    let start = Instant::now();
    read();
    assert!(start.elapsed() < LONG, "{what} took {:?}", start.elapsed());
}

fn text_of(p: &Profile) -> usize {
    let launches = p.launches.iter();
    launches
        .map(|l| {
            l.kernel.len()
                + l.iter()
                    .map(|c| c.name().len() + c.section().len())
                    .sum::<usize>()
        })
        .sum()
}

#[test]
fn what_is_no_report_is_refused_by_every_reader() {
    let deep = |s: &str| s.repeat(200_000);
    for bad in [
        "",
        " ",
        "\0",
        "\n\n\n",
        "\"",
        "\"\"\"",
        "{",
        "}",
        "[",
        "{}",
        "[]",
        "null",
        ",",
        ",,,,\n,,,,",
        "NaN",
        "=====",
        "-",
        "\u{feff}",
        &deep("["),
        &deep("{\"a\":"),
        &deep("\""),
        &deep(","),
        &deep("\n"),
        &deep("("),
        &deep("\0"),
        &deep("\u{202e}"),
    ] {
        for f in Format::ALL {
            assert!(
                f.parse(bad.as_bytes()).is_err(),
                "{} reads {:?}",
                f.name(),
                &bad[..bad.len().min(20)]
            );
        }
        let e = parse(bad.as_bytes()).unwrap_err().to_string();
        assert!(e.len() < 1500 && !e.contains(['\0', '\u{202e}']), "{e}");
    }
}

#[test]
fn line_ends_and_marks_at_the_beginning_change_no_figure() {
    for path in [
        "mcprofiler/1_older_kernel.txt.json",
        "mcprofiler/report.txt",
        "ncu/details_15_columns.csv",
        "ncu/raw_two_kernels.csv",
        "ncu/source_sass.csv",
        "ncu/summary_per_kernel.csv",
        "amd/counter_collection.csv",
        "amd/kernel_trace.csv",
        "amd/pc_sampling_host_trap.csv",
        "amd/pmc_perf_gfx90a.csv",
        "cpu/perf_j.jsonl",
        "cpu/perf_x_comma.csv",
        "cpu/perf_x_intervals.csv",
        "cpu/callgrind.out",
        "cachegrind.out",
        "metax/mctracer.json",
        "metax/cycle_trace.json",
        "metax/mxcc_resource_usage.txt",
        "compilers/ptxas_12.txt",
    ] {
        let plain = read(path);
        let text = String::from_utf8(bytes(path)).unwrap();
        let crlf = text.replace('\n', "\r\n");
        let little: Vec<u8> = format!("\u{feff}{crlf}")
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let big: Vec<u8> = format!("\u{feff}{text}")
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        for (what, other) in [
            ("crlf", crlf.clone().into_bytes()),
            ("bom", format!("\u{feff}{text}").into_bytes()),
            ("utf-16", little),
            ("utf-16 big", big),
        ] {
            let p = parse(&other).unwrap_or_else(|e| panic!("{path} {what}: {e}"));
            assert_eq!(p.launches, plain.launches, "{path} {what}");
            let told = notices(&p, "UTF-16").len();
            assert_eq!(told, usize::from(what.starts_with("utf-16")), "{path}");
            assert_eq!(
                p.notices[..p.notices.len() - told],
                plain.notices,
                "{path} {what}"
            );
        }
    }
    let mut cut: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    cut.extend(
        std::fs::read_to_string(super::fixtures().join("cpu/perf_j.jsonl"))
            .unwrap()
            .encode_utf16()
            .flat_map(u16::to_le_bytes),
    );
    cut.pop();
    assert_eq!(notices(&parse(&cut).unwrap(), "UTF-16").len(), 1);
}

#[test]
fn keys_that_stand_twice_are_not_settled_in_silence() {
    let line = |first: &str| {
        format!(
            "{{{first}\"counter-value\" : \"5\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}}\n"
        )
    };
    let p = parse(format!("{}{}", line(""), line("\"counter-value\" : 7, ")).as_bytes()).unwrap();
    assert_eq!(p.launches[0].iter().count(), 1);
    assert_eq!(
        notices(&p, "1 lines have a key twice").len(),
        1,
        "{:?}",
        p.notices
    );
    // A value that looks like a key is none.
    let p = parse(
        line("\"unit2\" : \"pcnt-running\", ")
            .replace("100.00", "50.00")
            .as_bytes(),
    )
    .unwrap();
    assert!(named(&p, 0, "cycles").suspect()[0].contains("50 %"));
    let mapping = Mapping::read("m", "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"json\"\n[[counters]]\nfrom = \"/a\"\n[[counters]]\nfrom = \"/b\"\n").unwrap();
    let p = mapping
        .parse(b"[{\"a\": 1, \"a\": 2, \"b\": 1.50}]")
        .unwrap();
    let a = named(&p, 0, "/a");
    assert_eq!((a.status(), a.exact()), (Status::Error, None));
    assert!(a.suspect()[0].contains("twice"));
    assert_eq!(named(&p, 0, "/b").resolution(), Some(0.01));
    let event = "{\"ph\":\"X\",\"cat\":\"MMA\",\"name\":\"m\",\"ts\":0,\"dur\":4,\"dur\":400}";
    let p = parse(format!("[{event},{}]", event.replace(",\"dur\":400", "")).as_bytes()).unwrap();
    let total = p.launches[0].counter("MMA", "m: total time").unwrap();
    assert!(
        total.number() == Some(4.0) && !p.notices.is_empty(),
        "{p:?}"
    );
}

#[test]
fn mapped_rows_before_the_end_of_a_cut_file_are_read() {
    let mapping = Mapping::read("m", "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"json\"\nrows = \"/r\"\n[[counters]]\nfrom = \"/a\"\n").unwrap();
    let p = mapping.parse(b"{\"r\": [{\"a\": 12}, {\"a\": 345").unwrap();
    assert_eq!((p.launches.len(), notices(&p, "Cut short").len()), (1, 1));
}

#[test]
fn names_from_outside_are_data_and_inert_in_messages() {
    let name = "k\u{1b}]0;x\u{7}\u{202e}\u{2066}";
    let log = String::from_utf8(bytes("ncu/details_20_columns.log")).unwrap();
    let text = log.replace("void ns::gemm", name);
    let p = parse(text.as_bytes()).unwrap();
    assert!(p.launches[0].kernel.starts_with(name));
    assert!(
        p.notices
            .iter()
            .all(|n| !n.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{2066}'])),
        "{:?}",
        p.notices
    );
}

#[test]
fn a_long_name_is_not_multiplied() {
    let long = "x".repeat(1 << 20);
    let many: String = (0..20_000).map(|i| format!("\"{i}\": 1,")).collect();
    let members = many.trim_end_matches(',');
    let items = vec!["{}"; 20_000].join(",");
    let counts: String = (0..100_000).map(|i| format!("{i} 1\n")).collect();
    let calls: String = (0..50_000).map(|i| format!("fn=(1)\n{i} 1\n")).collect();
    for (what, text) in [
        (
            "a chart",
            format!(
                "{{\"Summary\": [{{\"name\": \"a\", \"description\": \"\", \"value\": 1}}, {{\"name\": \"{long}\", \"description\": \"\", \"value\": {{\"data\": {{{members}}}}}}}]}}"
            ),
        ),
        (
            "raw members",
            format!(
                "{{\"Summary\": [{{\"data\": 1, \"isError\": false, \"message\": \"\", \"name\": \"a\"}}, {{\"data\": {{{members}}}, \"isError\": false, \"message\": \"\", \"name\": \"{long}\"}}]}}"
            ),
        ),
        (
            "a block",
            format!(
                "{{\"perf_counters\": {{\"0\": [{{\"{long}\": {{{}}}}}]}}}}",
                members.replace(": 1", ": {\"a\": 1}")
            ),
        ),
        (
            "a device",
            format!(
                "{{\"perf_counters\": {{\"{long}\": [{{\"a\": {{\"b\": 1}}}}, {items}], \"1\": []}}}}"
            ),
        ),
        (
            "a function",
            format!("events: Ir\ncmd: a\nfn={long}\n{counts}summary: 100000\n"),
        ),
        (
            "a number for a function",
            format!("events: Ir\npositions: line\nfn=(1) {long}\n{calls}summary: 50000\n"),
        ),
        (
            "a header",
            format!(
                "Dispatch_ID,GPU_ID,Kernel_Name,{long}\n{}",
                "0,1,k,5\n".repeat(20_000)
            ),
        ),
        (
            "a unit",
            format!("{{\"event\": \"e\", \"counter-value\": \"1\", \"unit\": \"{long}\"}}\n"),
        ),
        (
            "a line of the compiler",
            format!(
                "ptxas info : Compiling entry function '{long}' for 'sm_90'\n{}",
                "ptxas info : Used 1 registers\n".repeat(20_000)
            ),
        ),
    ] {
        quick(what, || {
            if let Ok(p) = parse(text.as_bytes()) {
                let kept = text_of(&p);
                let shared = matches!(what, "a header");
                assert!(shared || kept < 64 << 20, "{what}: {kept} bytes of names");
            }
            let _ = detect(text.as_bytes());
        });
    }
}

#[test]
fn a_long_field_is_kept_or_refused_whole() {
    let digits = "1".repeat(70_000);
    let row = |v: &str| {
        let text = String::from_utf8(bytes("ncu/details_15_columns.csv")).unwrap();
        text.replace("\"168\"", &format!("\"{v}\""))
    };
    // Longer than a field may be over lines: the row is given up, and said to be.
    let p = parse(row(&digits).as_bytes()).unwrap();
    assert_eq!(
        notices(&p, "1 rows could not be read").len(),
        1,
        "{:?}",
        p.notices
    );
    let p = parse(row(&"1".repeat(60_000)).as_bytes()).unwrap();
    let c = named(&p, 0, "Registers Per Thread");
    assert!(c.status() == Status::Error && c.raw().len() == 60_000);
    let value = |v: &str| {
        format!(
            "{{\"Summary\": [{{\"name\": \"b\", \"description\": \"\", \"value\": 1}}, {{\"name\": \"a\", \"description\": \"\", \"value\": {v}}}]}}"
        )
    };
    for v in [
        digits.clone(),
        format!("\"{digits}\""),
        format!("0.{digits}"),
        format!("\"{digits}%\""),
        format!("1e{digits}"),
    ] {
        let p = parse(value(&v).as_bytes()).unwrap();
        let c = p.launches[0].get(1).unwrap();
        assert!(
            !c.suspect().is_empty() && c.raw().len() >= 70_000,
            "{:?}",
            c.status()
        );
    }
    let word = format!("\"{}\"", "w".repeat(200_000));
    let p = parse(value(&word).as_bytes()).unwrap();
    assert_eq!(p.launches[0].get(1).unwrap().word().unwrap().len(), 200_000);
}

#[test]
fn numbers_past_the_limits_of_a_machine_are_marked_or_refused() {
    for (raw, value, marked) in [
        ("18446744073709551615", Some(1.8446744073709552e19), false),
        ("18446744073709551616", Some(1.8446744073709552e19), true),
        (
            "-9223372036854775808",
            Some(-9.223_372_036_854_776e18),
            false,
        ),
        ("1e400", None, true),
        ("1e-400", None, true),
        ("0e999", None, true),
        ("NaN", None, true),
        ("Infinity", None, true),
        ("-Infinity", None, true),
        (".5", None, true),
        ("5.", None, true),
    ] {
        let rows = [
            format!(
                "{{\"Summary\": [{{\"name\": \"a\", \"description\": \"\", \"value\": \"{raw}\"}}]}}"
            ),
            format!(
                "{{\"Summary\": [{{\"data\": \"{raw}\", \"isError\": false, \"message\": \"\", \"name\": \"a\"}}]}}"
            ),
            format!(
                "\"ID\",\"Process ID\",\"Kernel Name\",\"a\"\n,,,\n\"0\",\"1\",\"k\",\"{raw}\"\n"
            ),
            format!("{{\"counter-value\" : \"{raw}\", \"unit\" : \"\", \"event\" : \"a\"}}\n"),
            format!("Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n1,k,a,{raw}\n"),
        ];
        for text in rows {
            let p = parse(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
            let c = named(&p, 0, "a");
            assert_eq!(c.number(), value, "{raw} in {}", p.tool);
            let is_word = c.status() == Status::Text;
            assert!(
                is_word || marked != c.suspect().is_empty(),
                "{raw} in {}: {c:?}",
                p.tool
            );
        }
    }
}
