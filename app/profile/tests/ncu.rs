//! Nsight Compute: its own pages of a real device, its older versions, locales, and damage.

use assay_profile::{Counter, Format, Launch, Profile, Scope, Status, detect, parse};
use proptest::prelude::*;

const DETAILS: &str = include_str!("fixtures/ncu_details.csv");
const RAW: &str = include_str!("fixtures/ncu_raw.csv");

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

fn number(p: &Profile, launch: usize, name: &str) -> Option<f64> {
    find(p, launch, name).value.as_ref()?.as_f64()
}

#[test]
fn a_raw_page_has_nine_launches_of_three_kernels_with_units() {
    assert_eq!(detect(RAW.as_bytes()), Some(Format::NsightCompute));
    let p = read(RAW);
    let launches: Vec<(&str, Option<u32>)> = p
        .launches
        .iter()
        .map(|l| (l.kernel.split('(').next().unwrap(), l.occurrence))
        .collect();
    let expect = ["gemm_naive", "gemm_shared", "gemm_wmma"];
    for (i, (kernel, occurrence)) in launches.iter().enumerate() {
        assert_eq!((*kernel, *occurrence), (expect[i / 3], Some(i as u32 % 3)));
    }
    assert_eq!(launches.len(), 9);
    assert_eq!(p.launches[0].grid, Some([64, 256, 1]));
    assert_eq!(p.launches[8].block, Some([128, 1, 1]));
    assert_eq!(p.command.as_deref(), Some("mm"));
    let c = find(&p, 8, "gpu__time_duration.sum");
    assert_eq!((c.unit.as_str(), c.raw.as_str()), ("ns", "626,208"));
    assert_eq!(c.value.as_ref().unwrap().as_u64(), Some(626_208));
    let c = find(&p, 6, "dram__bytes_read.sum.per_second");
    assert_eq!((c.unit.as_str(), c.resolution), ("byte/s", Some(0.01)));
    assert_eq!(c.value.as_ref().unwrap().as_f64(), Some(26_819_102_157.68));
    assert_eq!(
        find(&p, 6, "launch__registers_per_thread").unit,
        "register/thread"
    );
    let words = find(&p, 6, "launch__cluster_scheduling_policy");
    assert_eq!(
        (words.status, words.text.as_deref()),
        (Status::Text, Some("PolicySpread"))
    );
    let odd = find(&p, 6, "derived_tempMetric4");
    assert_eq!((odd.status, odd.value.is_none()), (Status::Error, true));
    let none = find(&p, 6, "sass__inst_executed_register_spilling_mem_local");
    assert_eq!(none.status, Status::Absent);
    assert_eq!(
        p.notices
            .iter()
            .filter(|n| n.contains("==WARNING=="))
            .count(),
        2
    );
    assert!(
        p.notices.iter().any(|n| n.starts_with("9 lines")),
        "{:?}",
        p.notices
    );
}

#[test]
fn a_details_page_agrees_with_the_raw_page() {
    let (d, r) = (read(DETAILS), read(RAW));
    assert_eq!((d.launches.len(), d.launches[2].occurrence), (3, Some(2)));
    for (label, id) in [
        ("Registers Per Thread", "launch__registers_per_thread"),
        ("Grid Size", "launch__grid_size"),
        ("Block Size", "launch__block_size"),
        ("Threads", "launch__thread_count"),
        ("# SMs", "launch__sm_count"),
        ("Waves Per SM", "launch__waves_per_multiprocessor"),
        (
            "Driver Shared Memory Per Block",
            "launch__shared_mem_per_block_driver",
        ),
        (
            "Shared Memory Configuration Size",
            "launch__shared_mem_config_size",
        ),
        (
            "Theoretical Occupancy",
            "sm__maximum_warps_per_active_cycle_pct",
        ),
    ] {
        let (a, b) = (find(&d, 0, label), find(&r, 0, id));
        assert_eq!((&a.value, &a.unit), (&b.value, &b.unit), "{label}");
        assert!(a.value.is_some(), "{label}");
    }
    // Two runs of the program: what was measured is near, not equal.
    let near =
        number(&d, 0, "Duration").unwrap() / number(&r, 0, "gpu__time_duration.sum").unwrap();
    assert!((near - 1.0).abs() < 0.05, "{near}");
    assert_eq!(
        find(&d, 0, "Duration").section,
        "GPU Speed Of Light Throughput"
    );
    let rules: Vec<_> = d
        .notices
        .iter()
        .filter(|n| n.contains("SOLBottleneck"))
        .collect();
    assert_eq!(rules.len(), 3);
    assert!(
        rules[1].contains("#1: INF SOLBottleneck: Compute and Memory"),
        "{}",
        rules[1]
    );
    assert!(
        d.launches
            .iter()
            .flat_map(all)
            .all(|c| c.status != Status::Error)
    );
}

const OLD: &str = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"";
const NEW: &str = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"";

/// A details page of the present version from (metric, unit, value).
fn details(metrics: &[(&str, &str, &str)]) -> String {
    let mut text = format!("{NEW}\n");
    for (name, unit, value) in metrics {
        text += &format!(
            "\"0\",\"1\",\"a\",\"h\",\"k\",\"1\",\"7\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"0\",\"9.0\",\"S\",\"{name}\",\"{unit}\",\"{value}\"\n"
        );
    }
    text
}

#[test]
fn older_versions_and_metrics_without_a_page() {
    let row = |id: u8, metric: &str, value: &str| {
        format!(
            "\"{id}\",\"1\",\"a\",\"h\",\"void k<int>(\"\"x\"\")\",\"2020-May-29 12:02:46\",\"1\",\"7\",\"GPU Speed Of Light\",\"{metric}\",\"nsecond\",\"{value}\"\n"
        )
    };
    let p = read(&format!(
        "==PROF== x\n{OLD}\n{}{}{}",
        row(0, "Duration", "2,048"),
        row(0, "SM [%]", "1.25"),
        row(1, "Duration", "4,096")
    ));
    assert_eq!(p.launches.len(), 2);
    assert_eq!(p.launches[1].occurrence, Some(1));
    assert_eq!(p.launches[0].kernel, "void k<int>(\"x\")");
    assert_eq!(number(&p, 0, "Duration"), Some(2048.0));
    assert_eq!(
        find(&p, 0, "Kernel Time").text.as_deref(),
        Some("2020-May-29 12:02:46")
    );
    // The middle version has the rules, and not yet their speedup.
    let middle = format!(
        "{NEW},\"Rule Name\",\"Rule Type\",\"Rule Description\"\n\"0\",\"1\",\"a\",\"h\",\"k\",\"1\",\"7\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"0\",\"9.0\",\"LaunchStats\",\"\",\"\",\"\",\"Small\",\"WRN\",\"Too \"\"small\"\", see\x1b[2J https://x\"\n\"0\",\"1\",\"a\",\"h\",\"k\",\"1\",\"7\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"0\",\"9.0\",\"S\",\"M\",\"\",\"3\",\n"
    );
    let p = read(&middle);
    assert_eq!(
        p.notices,
        ["k #0: WRN Small: Too \"small\", see\\x1b[2J https://x"]
    );
    assert_eq!(number(&p, 0, "M"), Some(3.0));
    let p = read(
        &details(&[("sm__cycles_elapsed.max", "cycle", "123")])
            .replace("\"S\"", "\"Command line profiler metrics\""),
    );
    assert_eq!(
        all(&p.launches[0]).last().unwrap().section,
        "Command line profiler metrics"
    );
    let nvtx = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"1\",\"a\",\"h\",\"183740  \"\"<default domain>:label:none\"\"\",\"\",\"k\",\"m\",\"\",\"n/a\"\n";
    let p = read(nvtx);
    assert!(
        all(&p.launches[0])[0]
            .text
            .as_deref()
            .unwrap()
            .contains("\"<default domain>")
    );
    assert_eq!(find(&p, 0, "m").status, Status::NotSupported);
}

#[test]
fn a_summary_is_an_aggregate_with_three_figures_a_metric() {
    let head = "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"";
    let row = |grid: &str| {
        format!(
            "\"1\",\"a\",\"h\",\"k\",\"(32, 1, 1)\",\"{grid}\",\"0\",\"9.0\",\"3\",\"S\",\"Duration\",\"ns\",\"1,000\",\"3,000\",\"2,000.50\"\n"
        )
    };
    let p = read(&format!("{head}\n{}{}", row("(1, 1, 1)"), row("(2, 1, 1)")));
    assert_eq!(p.launches.len(), 2);
    assert_eq!(p.launches[1].scope, Scope::Aggregate);
    assert_eq!(p.launches[1].grid, Some([2, 1, 1]));
    assert_eq!(number(&p, 0, "Duration (minimum)"), Some(1000.0));
    assert_eq!(number(&p, 0, "Duration (average)"), Some(2000.5));
    assert_eq!(find(&p, 0, "Invocations").text.as_deref(), Some("3"));
}

#[test]
fn a_source_page_keeps_lines_and_adds_up_what_adds_up() {
    let head = "\"#\",\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\",\"Live Registers\",\"stall_wait\"";
    let block = |k: &str, n: &str| {
        format!(
            "\"{k}\"\n{head}\n\"0\",\"7f10\",\"MOV R1, c[0x0][0x28] \",\"2\",\"{n}\",\"4\",\"1\"\n\"1\",\"7f20\",\"EXIT \",\"3\",\"32\",\"5\",\"\"\n"
        )
    };
    let p = read(&format!(
        "==PROF== x\n{}{}",
        block("k1", "64"),
        block("k2", "1,234")
    ));
    assert_eq!(p.launches.len(), 2);
    let l = &p.launches[0];
    assert_eq!((l.kernel.as_str(), l.occurrence), ("k1", Some(0)));
    assert_eq!(
        l.counter("#1 7f20", "Source").unwrap().word(),
        Some("EXIT ")
    );
    let sum = |name| {
        l.counter("all lines", name)
            .and_then(|c| c.exact()?.as_u64())
    };
    assert_eq!(
        (sum("# Samples"), sum("Instructions Executed")),
        (Some(5), Some(96))
    );
    assert_eq!((sum("Live Registers"), sum("stall_wait")), (None, Some(1)));
    let odd = p.launches[1]
        .counter("all lines", "Instructions Executed")
        .unwrap();
    assert_eq!(odd.status(), Status::Error);
}

#[test]
fn european_digits_are_never_a_thousand_times_off() {
    let german = details(&[
        ("t", "ns", "117.344"),
        ("b", "byte", "27.595.520"),
        ("p", "%", "65,77"),
    ]);
    let p = read(&german);
    assert_eq!(
        find(&p, 0, "t").value.as_ref().unwrap().as_u64(),
        Some(117_344)
    );
    assert_eq!(
        (number(&p, 0, "b"), number(&p, 0, "p")),
        (Some(27_595_520.0), Some(65.77))
    );
    let p = read(&details(&[("t", "ns", "1,205"), ("f", "ns", "1,205.00")]));
    assert_eq!(number(&p, 0, "t"), Some(1205.0));
    let p = read(&details(&[("t", "ns", "117.344"), ("p", "%", "65.77")]));
    assert_eq!(number(&p, 0, "t"), Some(117.344));
    // Nothing in the file tells, or it tells both.
    for more in [("n", "", "3"), ("x", "", "1.5")] {
        let p = read(&details(&[
            ("t", "ns", "117.344"),
            more,
            ("y", "", if more.2 == "3" { "4" } else { "2,5" }),
        ]));
        let c = find(&p, 0, "t");
        assert_eq!(
            (c.status, &c.value, c.raw.as_str()),
            (Status::Error, &None, "117.344")
        );
        assert!(c.suspect[0].contains("ambiguous"), "{:?}", c.suspect);
        assert!(
            p.notices.iter().any(|n| n.contains("stay unread")),
            "{:?}",
            p.notices
        );
    }
}

#[test]
fn odd_figures_are_kept_as_printed() {
    let p = read(&details(&[
        ("a", "", "n/a"),
        ("b", "", "nan"),
        ("c", "", "inf"),
        ("d", "", "99999999999999999999999"),
        ("e", "", "18446744073709551615"),
        ("f", "", "PolicySpread"),
        ("g", "", ""),
        ("h", "", "0"),
        ("i", "", "1.2.3"),
    ]));
    let status: Vec<Status> = all(&p.launches[0])
        .iter()
        .filter(|c| c.section == "S")
        .map(|c| c.status)
        .collect();
    use Status::*;
    assert_eq!(
        status,
        [
            NotSupported,
            Error,
            Error,
            Value,
            Value,
            Text,
            Absent,
            Value,
            Error
        ]
    );
    assert!(find(&p, 0, "d").suspect[0].contains("64-bit"));
    assert_eq!(
        find(&p, 0, "e").value.as_ref().unwrap().as_u64(),
        Some(u64::MAX)
    );
}

#[test]
fn cut_and_ragged_rows_say_what_is_missing() {
    let cut = &RAW[..RAW.len() - 100];
    let p = read(cut);
    assert_eq!(p.launches.len(), 9);
    assert!(p.launches[8].len() < p.launches[7].len());
    assert!(
        p.notices
            .iter()
            .any(|n| n.contains("columns; the others are missing")),
        "{:?}",
        p.notices
    );
    // Unquoted, the last figure may be the beginning of one.
    let plain = "ID;Process ID;Kernel Name;a;b\n;;;ns;\n0;1;k;5;67\n1;1;k;12";
    let p = read(plain);
    assert_eq!(
        (number(&p, 0, "b"), find(&p, 0, "a").unit.as_str()),
        (Some(67.0), "ns")
    );
    assert_eq!(find(&p, 1, "a").status, Status::Error);
    // More fields than columns: nothing is where the header says.
    let p = read("ID,Process ID,Kernel Name,a,b\n,,,ns,\n0,1,k,5,67\n1,1,f(int,int),5,6\n");
    assert!(p.launches[1].is_empty());
    assert!(
        p.notices
            .iter()
            .any(|n| n.contains("1 rows could not be read: line 4")),
        "{:?}",
        p.notices
    );
    let p = read("\"ID\",\"Process ID\",\"Kernel Name\",\"a\"\n\"0\",\"1\",\"k\",\"5\"\n");
    assert_eq!(find(&p, 0, "a").unit, "unknown");
    assert!(p.notices[0].contains("units"), "{:?}", p.notices);
}

#[test]
fn a_large_page_reads_like_a_small_one() {
    let small = read(RAW);
    let at = RAW.find("\n\"0\",").unwrap() + 1;
    let (head, rows) = RAW.split_at(at);
    let mut text = head.to_owned();
    let copies = (6 << 20) / rows.len();
    for i in 0..copies {
        text += rows;
        match i % 100 {
            10 => text += "variant 3: \"loose\n",
            20 => text += "\"9\",\"511\",\"cut\n",
            30 => text += "==PROF== Profiling \"k\" - 9: 0%\n",
            _ => {}
        }
    }
    let p = read(&text);
    assert_eq!(p.launches.len(), 9 * copies);
    for (i, l) in p.launches.iter().enumerate() {
        let (copy, row) = (i / 9, i % 9);
        assert_eq!(all(l), all(&small.launches[row]));
        assert_eq!(l.occurrence, Some((copy * 3 + row % 3) as u32));
        assert_eq!(l.grid, small.launches[row].grid);
    }
    let cut = (0..copies).filter(|i| i % 100 == 20).count();
    let notice = format!("{cut} rows could not be read");
    assert!(
        p.notices.iter().any(|n| n.starts_with(&notice)),
        "{:?}",
        p.notices
    );
}

#[test]
fn sessions_without_rows_say_why() {
    let e = parse(b"==PROF== Connected to process 5\n==ERROR== ERR_NVGPUCTRPERM - no permission\n")
        .unwrap_err();
    assert!(e.to_string().contains("ERR_NVGPUCTRPERM"), "{e}");
    let e = parse(b"==PROF== Connected to process 5\nhello\n")
        .unwrap_err()
        .to_string();
    assert!(e.contains("ncu --csv"), "{e}");
}

#[test]
fn passes_crlf_bom_and_program_output_with_quotes() {
    let text = format!(
        "\u{feff}==PROF== Connected to process 1 (/a)\n==PROF== Profiling \"k\" - 0 (1/1): 0%....50%....100% - 10 passes\nsay \"hi\n\"loose\n{}",
        details(&[("t", "ns", "5")])
    );
    let p = read(&text.replace('\n', "\r\n"));
    assert_eq!(
        (number(&p, 0, "t"), number(&p, 0, "passes")),
        (Some(5.0), Some(10.0))
    );
    let mut bytes = details(&[("t", "ns", "5"), ("x", "", "1\u{a0}234")]).into_bytes();
    let at = bytes.iter().position(|b| *b == b'k').unwrap();
    bytes[at] = 0xff;
    let p = parse(&bytes).unwrap();
    assert!(p.notices[0].contains("not UTF-8"));
    assert_eq!(number(&p, 0, "x"), Some(1234.0));
}

fn fine(bytes: &[u8]) -> Result<(), TestCaseError> {
    let _ = detect(bytes);
    let Ok(p) = Format::NsightCompute.parse(bytes) else {
        return Ok(());
    };
    for c in p.launches.iter().flat_map(all) {
        prop_assert_eq!(c.value.is_some(), c.status == Status::Value);
        prop_assert_eq!(c.text.is_some(), c.status == Status::Text);
        prop_assert!(
            c.status != Status::Error || !c.suspect.is_empty(),
            "{:?}",
            c
        );
        // A number has all the digits that were printed, and no others.
        if let Some(v) = c.value.as_ref().filter(|v| v.is_u64()) {
            let digits: String = c.raw.chars().filter(char::is_ascii_digit).collect();
            let same = digits.trim_start_matches('0') == v.to_string().trim_start_matches('0');
            prop_assert!(same || c.raw.contains(['e', 'E']), "{:?}", c);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_never_panics(
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<proptest::sample::Index>(),
        raw in any::<bool>(),
    ) {
        let mut bytes = if raw { RAW } else { DETAILS }.as_bytes().to_vec();
        for (at, b) in edits {
            let at = at.index(bytes.len());
            bytes[at] = b;
        }
        bytes.truncate(cut.index(bytes.len()));
        fine(&bytes)?;
    }

    #[test]
    fn figures_of_any_shape_never_panic(figures in proptest::collection::vec("[0-9.,eE' +-]{0,12}", 1..12)) {
        let rows: Vec<_> = figures.iter().map(|f| ("m", "ns", f.as_str())).collect();
        fine(details(&rows).as_bytes())?;
    }
}
