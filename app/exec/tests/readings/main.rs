//! Logs of benchmarks as data: one fixture for each form, made after its documentation.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are not recognised as tests"
)]

mod damaged;
mod legs;
mod tables;

use assay_core::campaign::ParseKind;
use assay_core::units::TimeUnit;
use assay_exec::readings::{
    Columns, Reading, Readings, RowFailureKind, Taken, csv, google_benchmark, markdown, nv_bench,
    read, sniff, tile_ops,
};

pub(crate) const TILEOPS: &[u8] = include_bytes!("data/profile_run.log");
pub(crate) const TILELANG: &[u8] = include_bytes!("data/autotune.log");
pub(crate) const GOOGLE: &[u8] = include_bytes!("data/google.json");
pub(crate) const GOOGLE_OLD: &[u8] = include_bytes!("data/google_old.json");
pub(crate) const NVBENCH: &[u8] = include_bytes!("data/nvbench.json");
pub(crate) const HYPERFINE: &[u8] = include_bytes!("data/hyperfine.json");
pub(crate) const CSV: &[u8] = include_bytes!("data/table.csv");
pub(crate) const MARKDOWN: &[u8] = include_bytes!("data/table.md");

pub(crate) fn columns(value: &str, unit: TimeUnit, labels: &[&str], tag: &str) -> Columns {
    Columns {
        value: value.into(),
        unit,
        labels: labels.iter().map(|l| (*l).into()).collect(),
        tag: Some(tag.into()),
    }
}

fn kind(row: &Reading) -> Option<RowFailureKind> {
    row.failure.as_ref().map(|f| f.kind)
}

fn printed(row: &Reading) -> Vec<(f64, f64)> {
    row.times.iter().map(|t| (t.value, t.quantum)).collect()
}

fn named<'r>(readings: &'r Readings, name: &str) -> &'r Reading {
    let found: Vec<_> = readings
        .rows
        .iter()
        .filter(|r| r.workload == name)
        .collect();
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

#[test]
fn a_form_is_known_by_its_content() {
    for (bytes, kind) in [
        (TILEOPS, Some(ParseKind::TileOps)),
        (TILELANG, Some(ParseKind::TileLang)),
        (GOOGLE, Some(ParseKind::GoogleBenchmark)),
        (GOOGLE_OLD, Some(ParseKind::GoogleBenchmark)),
        (NVBENCH, Some(ParseKind::NvBench)),
        (HYPERFINE, Some(ParseKind::Hyperfine)),
        (CSV, None),
        (MARKDOWN, None),
        (b"", None),
        (b"{}", None),
    ] {
        assert_eq!(sniff(bytes), kind);
        if let Some(kind) = kind {
            assert!(!read(kind, bytes).unwrap().rows.is_empty());
        }
    }
    assert!(read(ParseKind::Csv, CSV).is_err());
}

#[test]
fn a_tileops_report_has_a_row_for_each_operator_tag_and_workload() {
    let got = read(ParseKind::TileOps, TILEOPS).unwrap();
    assert_eq!(got.rows.len(), 7);
    assert!(
        got.facts
            .contains(&("GPU model".into(), "MetaX C500".into()))
    );
    assert!(
        got.facts
            .contains(&("Generated".into(), "2026-08-05 07:36:10".into()))
    );
    let first = &got.rows[0];
    assert_eq!(
        (first.group.as_str(), first.tag.as_str()),
        ("MHCPostOp", "tileops")
    );
    assert_eq!(
        first.workload,
        "batch=1, n_expand=4, c_x=1280, dtype=torch.bfloat16"
    );
    assert_eq!(printed(first), [(0.0035, 0.0001)]);
    assert_eq!(
        (first.unit, first.quantum_ns(), first.line),
        (TimeUnit::Ms, 100.0, 17)
    );
    assert!(matches!(first.taken, Taken::Summary { .. }));
    assert_eq!(first.extras[0].name, "tflops");
    assert_eq!(first.extras[2].printed, "{'block_C': 128, 'threads': 64}");
    assert_eq!(kind(&got.rows[4]), Some(RowFailureKind::NotAvailable));
    assert_eq!(got.rows[4].tag, "torch-ref");
    let fallback = &got.rows[6];
    assert_eq!(fallback.marks, ["0.6120 (event fallback)"]);
    assert_eq!(printed(fallback), [(0.612, 0.0001)]);
    assert!(
        got.notices.iter().any(|n| n.contains("1 rows are marked")),
        "{:?}",
        got.notices
    );
}

#[test]
fn reports_of_other_versions_are_read_and_their_other_results_name_no_workload() {
    let text = "926 passed, 17 warnings in 3034.19s\n\n===== profile_run.log summary =====\n\
        # TileOPs Benchmark Report\nGenerated: 2026-03-28 19:59:05\n\n## r3_jit_cost\n\n### relu_jit\n\n\
        | n_total | cold_ms | latency_ms | tflops |\n| --- | --- | --- | --- |\n\
        | 1000 | 21.04 | 0.00 | 0.00 |\n| 4194304 | 20.5 | 0.01 | 0.55 |\n\n\
        ## Gemm\n\n### tileops\n\n\
        | shape | device_busy_ms | latency_ms | gap_ms | timing |\n| --- | --- | --- | --- | --- |\n\
        | (64, 64) | 0.0031 | 0.0042 | 0.0011 | cupti |\n| (8, 8) | 0.0021 | 0.0032 | N/A | event |\n";
    assert_eq!(sniff(text.as_bytes()), Some(ParseKind::TileOps));
    let got = read(ParseKind::TileOps, text.as_bytes()).unwrap();
    assert_eq!(got.rows[0].workload, "n_total=1000");
    let why = &got.rows[0].failure.as_ref().unwrap().message;
    assert!(
        why.contains("shorter than the 0.01 ms that were printed"),
        "{why}"
    );
    assert_eq!(got.rows[1].extras[0].name, "cold_ms");
    assert_eq!(
        (got.rows[2].workload.as_str(), printed(&got.rows[2])),
        ("shape=(64, 64)", vec![(0.0042, 0.0001)])
    );
    assert_eq!(got.rows[3].marks, ["timing: event"]);
    assert!(
        got.notices[0].contains("`device_busy_ms`"),
        "{:?}",
        got.notices
    );
    let busy = tile_ops(text.as_bytes(), "device_busy_ms").unwrap();
    assert_eq!(
        (busy.rows.len(), printed(&busy.rows[0])),
        (2, vec![(0.0031, 0.0001)])
    );
    assert!(busy.notices[0].contains("`r3_jit_cost` has no column device_busy_ms"));
    let none = tile_ops(text.as_bytes(), "busy").unwrap_err().to_string();
    assert!(none.contains("it has no table with times"), "{none}");
}

#[test]
fn a_remark_about_a_fallback_marks_the_rows_of_its_section() {
    let text = String::from_utf8_lossy(TILEOPS).replace(
        "### torch-ref\n",
        "### torch-ref\n\n> warning: CUPTI failed, event fallback used\n",
    );
    let got = read(ParseKind::TileOps, text.as_bytes()).unwrap();
    let marked = |tag: &str| {
        got.rows
            .iter()
            .filter(|r| r.tag == tag && !r.marks.is_empty())
            .count()
    };
    assert_eq!((marked("torch-ref"), marked("tileops")), (3, 1));
    let text = String::from_utf8_lossy(TILEOPS).replace("latency_ms", "latency");
    let got = read(ParseKind::TileOps, text.as_bytes()).unwrap();
    assert!(
        got.rows
            .iter()
            .all(|r| kind(r) == Some(RowFailureKind::Unreadable))
    );
    assert!(
        got.rows[0]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("does not say its unit")
    );
}

#[test]
fn an_autotuner_log_has_a_row_for_each_configuration_and_run() {
    let got = read(ParseKind::TileLang, TILELANG).unwrap();
    let groups: Vec<&str> = got.rows.iter().map(|r| r.group.as_str()).collect();
    assert_eq!(
        groups,
        ["run 1", "run 1", "run 1", "run 1", "run 2", "run 2"]
    );
    let best = &got.rows[1];
    assert_eq!(
        best.workload,
        "block_M=128, block_N=128, num_stages=3, policy=<GemmWarpPolicy.Square: 0>"
    );
    assert_eq!(
        (printed(best), best.unit),
        (vec![(0.089056, 1e-7)], TimeUnit::Ms)
    );
    assert_eq!(best.extras[0].printed, "2");
    assert_eq!(kind(&got.rows[2]), Some(RowFailureKind::Timeout));
    assert_eq!(kind(&got.rows[3]), Some(RowFailureKind::Error));
    assert_eq!(got.rows[5].workload, "block_M=128, policy=1");
    assert_eq!(got.notices.len(), 1);
    assert!(got.notices[0].contains("as seconds"), "{:?}", got.notices);
}

#[test]
fn an_autotuner_log_of_a_cached_result_has_the_best_alone() {
    let text = b"Best latency (s): 0.218816\nBest config: {'a': 1}\n";
    let got = read(
        ParseKind::TileLang,
        b"Best latency (s): 1\nBest config: {'a': 1}",
    )
    .unwrap();
    assert_eq!(got.rows[0].workload, "a=1");
    let got = read(ParseKind::TileLang, text).unwrap();
    assert_eq!(got.rows[0].median_ns(), Some(218_816.0));
    let lines = "Tuned Latency 0.5 with config {'a': 1} at index 0\nBest latency: 0.40 ms\n";
    let got = read(ParseKind::TileLang, lines.as_bytes()).unwrap();
    assert!(
        got.notices[0].contains("the least one above it is 0.5 ms"),
        "{:?}",
        got.notices
    );
    let cut =
        "Tuned Latency 0.5 with config {'a': 1} at index 0\nTuned Latency 0.4 with config {'a'";
    let got = read(ParseKind::TileLang, cut.as_bytes()).unwrap();
    assert_eq!(kind(&got.rows[1]), Some(RowFailureKind::Unreadable));
    for (word, expected) in [
        ("None", RowFailureKind::NotAvailable),
        ("inf", RowFailureKind::Error),
        ("nan", RowFailureKind::Unreadable),
        ("0.0", RowFailureKind::Unreadable),
    ] {
        let line = format!("Tuned Latency {word} with config {{'a': 1}} at index 0\n");
        let got = read(ParseKind::TileLang, line.as_bytes()).unwrap();
        assert_eq!(kind(&got.rows[0]), Some(expected), "{word}");
    }
    let twice = "Tuned Latency 0.5 with config {'a': 1} at index 0\n".repeat(2);
    assert_eq!(
        read(ParseKind::TileLang, twice.as_bytes())
            .unwrap()
            .rows
            .len(),
        1
    );
}

#[test]
fn repetitions_of_google_benchmark_are_the_samples_of_one_row() {
    let got = read(ParseKind::GoogleBenchmark, GOOGLE).unwrap();
    let names: Vec<&str> = got.rows.iter().map(|r| r.workload.as_str()).collect();
    assert_eq!(
        names,
        ["BM_gemm/256", "BM_big/1024", "BM_gpu/64", "BM_wide/64"]
    );
    let gemm = &got.rows[0];
    assert_eq!(
        (gemm.times.len(), gemm.unit, &gemm.taken),
        (3, TimeUnit::Us, &Taken::Samples)
    );
    assert_eq!(gemm.times[0].value, 1362.109375);
    assert_eq!(gemm.median_ns(), Some(1_362_109.375));
    assert!(
        gemm.extras
            .iter()
            .any(|e| e.name == "GFLOPS" && e.figure.is_some())
    );
    let big = &got.rows[1];
    assert_eq!(big.taken.to_string(), "median of 5");
    assert_eq!(printed(big), [(82.5, 0.1)]);
    assert_eq!(kind(&got.rows[2]), Some(RowFailureKind::Error));
    assert!(
        got.rows[2]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("no device")
    );
    assert_eq!(kind(&got.rows[3]), Some(RowFailureKind::Skipped));
    assert!(got.notices[0].contains("cpu_scaling_enabled"));
    let cpu = google_benchmark(GOOGLE, "cpu_time").unwrap();
    assert_eq!(printed(&cpu.rows[0])[0], (1361.0, 0.1));
}

#[test]
fn old_files_of_google_benchmark_are_grouped_by_name() {
    let got = read(ParseKind::GoogleBenchmark, GOOGLE_OLD).unwrap();
    let names: Vec<&str> = got.rows.iter().map(|r| r.workload.as_str()).collect();
    assert_eq!(names, ["BM_copy/8", "BM_of_the_min", "BM_nounit"]);
    assert_eq!(printed(&got.rows[0]), [(12.0, 1.0), (13.0, 1.0)]);
    assert_eq!(kind(&got.rows[2]), Some(RowFailureKind::Unreadable));
    assert!(
        got.rows[2]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("unit")
    );
}

#[test]
fn nvbench_values_are_texts_in_seconds() {
    let got = read(ParseKind::NvBench, NVBENCH).unwrap();
    let names: Vec<&str> = got.rows.iter().map(|r| r.workload.as_str()).collect();
    assert_eq!(
        names,
        ["Elements=1048576", "Elements=1099511627776", "", "A=1"]
    );
    let copy = &got.rows[0];
    assert_eq!(printed(copy), [(1.002e-5, 1e-10)]);
    assert_eq!(
        (copy.unit, copy.taken.to_string().as_str()),
        (TimeUnit::S, "median of 50")
    );
    let noise = copy
        .extras
        .iter()
        .find(|e| e.name.ends_with("relative"))
        .unwrap();
    assert_eq!((noise.printed.as_str(), noise.figure), ("inf", None));
    assert_eq!(kind(&got.rows[1]), Some(RowFailureKind::Skipped));
    assert_eq!(got.rows[2].taken.to_string(), "mean of a batch");
    assert_eq!(kind(&got.rows[3]), Some(RowFailureKind::NotAvailable));
    assert!(got.notices[0].contains("not at hand"));
    let mean = nv_bench(NVBENCH, "nv/cold/time/gpu/mean", &mut |_| None).unwrap();
    assert_eq!(printed(&mean.rows[0]), [(1.00347e-5, 1e-10)]);
}

#[test]
fn samples_of_a_side_file_of_nvbench_are_used() {
    let bytes: Vec<u8> = [1.0e-5f32, 1.1e-5, 1.2e-5]
        .iter()
        .flat_map(|f| f.to_le_bytes())
        .collect();
    let mut asked = Vec::new();
    let got = nv_bench(NVBENCH, "", &mut |name| {
        asked.push(name.to_owned());
        Some(bytes.clone())
    })
    .unwrap();
    assert_eq!(asked, ["out.json-bin/0.bin"]);
    assert_eq!(
        (got.rows[0].times.len(), &got.rows[0].taken),
        (3, &Taken::Samples)
    );
    for bad in [&bytes[..11], &bytes[..8], &[0u8; 12], &[0xff; 12], &[]] {
        let got = nv_bench(NVBENCH, "", &mut |_| Some(bad.to_vec())).unwrap();
        assert!(got.notices[0].contains("is not used"), "{:?}", got.notices);
        assert_eq!(got.rows[0].taken.to_string(), "median of 50");
    }
}

#[test]
fn hyperfine_times_are_seconds_of_whole_processes() {
    let got = read(ParseKind::Hyperfine, HYPERFINE).unwrap();
    let first = named(&got, "./k --n 256");
    assert_eq!(
        printed(first),
        [(0.05083121, 1e-8), (0.0511, 1e-8), (0.05180044, 1e-8)]
    );
    assert_eq!(
        (first.unit, &first.params),
        (TimeUnit::S, &vec![("n".into(), "256".into())])
    );
    let failed = named(&got, "./k --n 512");
    assert_eq!(kind(failed), Some(RowFailureKind::Error));
    assert_eq!(named(&got, "./k --n 64").taken.to_string(), "median");
    assert!(got.notices[0].contains("their start included"));
}

#[test]
fn a_csv_file_is_read_by_the_names_of_its_columns() {
    let got = csv(CSV, &columns("ms", TimeUnit::Ms, &["M", "N"], "impl"), b',').unwrap();
    let first = named(&got, "256, 128");
    assert_eq!(
        (first.tag.as_str(), printed(first)),
        ("ours, new", vec![(1.5, 0.01)])
    );
    assert_eq!(first.line, 3);
    let words = |name: &str| named(&got, name).failure.as_ref().unwrap().message.clone();
    assert!(words("512, 256").contains("`nan` is not a number"));
    assert!(words("1024, 256").contains("not a time above zero"));
    assert!(words("2048, 256").contains("not a time above zero"));
    assert!(words("4096, 256").contains("not a time that is believed"));
    let damaged: Vec<_> = got.rows.iter().filter(|r| r.workload.is_empty()).collect();
    assert_eq!(damaged.len(), 2);
    assert!(
        damaged[0]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("decimal comma")
    );
    assert!(
        damaged[1]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("cut off")
    );
    let twice: Vec<_> = got.rows.iter().filter(|r| r.workload == "64, 64").collect();
    assert!(
        twice
            .iter()
            .all(|r| kind(r) == Some(RowFailureKind::Duplicate))
    );
    assert!(
        twice[0]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("(lines 11, 12)"),
        "{:?}",
        twice[0]
    );
    let semi = "a;t\n1;2\n\"x;\"\"y\";3\n";
    let plain = Columns {
        tag: None,
        ..columns("t", TimeUnit::Us, &["a"], "")
    };
    let got = csv(semi.as_bytes(), &plain, b';').unwrap();
    assert_eq!(got.rows[1].workload, "x;\"y");
}

#[test]
fn columns_that_are_not_there_are_named_with_those_that_are() {
    let error = csv(CSV, &columns("us", TimeUnit::Us, &["M"], "impl"), b',').unwrap_err();
    assert_eq!(
        error.to_string(),
        "the output cannot be read as csv: there is no column `us`; there are starting up"
    );
    let error = csv(b"t,t\n1,2\n", &columns("t", TimeUnit::Us, &[], "t"), b',').unwrap_err();
    assert!(error.to_string().contains("`t` stands there twice"));
    let error = markdown(MARKDOWN, &columns("time", TimeUnit::Us, &["case"], "impl")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("there are case, impl, time (us), note"),
        "{error}"
    );
    assert!(markdown(b"", &columns("t", TimeUnit::Us, &[], "t")).is_err());
}

#[test]
fn a_markdown_table_keeps_bars_in_its_cells() {
    let got = markdown(
        MARKDOWN,
        &columns("time (us)", TimeUnit::Us, &["case"], "impl"),
    )
    .unwrap();
    assert_eq!(got.rows.len(), 5, "what stands in a fence is no table");
    let first = named(&got, "a | b");
    assert_eq!(
        (first.group.as_str(), printed(first)),
        ("大模型 GEMM", vec![(12.5, 0.01)])
    );
    assert!(
        got.rows[1]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("comma")
    );
    assert_eq!(got.rows[2].tag, "theirs");
    assert_eq!(kind(&got.rows[3]), Some(RowFailureKind::Unreadable));
    assert!(
        got.rows[4]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("cut off")
    );
}
