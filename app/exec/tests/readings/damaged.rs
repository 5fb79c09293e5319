//! Whatever the bytes are, nothing panics, and what is cut off is not read as whole.

use assay_core::campaign::ParseKind;
use assay_core::units::TimeUnit;
use assay_exec::readings::table::{Work, table, to_csv, to_markdown};
use assay_exec::readings::{
    Readings, ReadingsError, csv, google_benchmark, markdown, nv_bench, pointed, read, regex, sniff,
};
use proptest::prelude::*;

use super::*;

const KINDS: &[(ParseKind, &[u8])] = &[
    (ParseKind::TileOps, TILEOPS),
    (ParseKind::TileLang, TILELANG),
    (ParseKind::GoogleBenchmark, GOOGLE),
    (ParseKind::GoogleBenchmark, GOOGLE_OLD),
    (ParseKind::NvBench, NVBENCH),
    (ParseKind::Hyperfine, HYPERFINE),
];

/// Every reader over the same bytes.
fn all(bytes: &[u8]) -> Vec<Result<Readings, ReadingsError>> {
    let _ = sniff(bytes);
    let pattern = ::regex::Regex::new(r"(?<workload>\w+)\D+([\d.,e+-]+)").unwrap();
    let pointer = [("w".to_owned(), "/results/0/times".to_owned())];
    let cols = |v: &str, l: &str, t: &str| columns(v, TimeUnit::Us, &[l], t);
    let mut out: Vec<_> = KINDS.iter().map(|(k, _)| read(*k, bytes)).collect();
    out.push(google_benchmark(bytes, "cpu_time"));
    out.push(nv_bench(bytes, "", &mut |n| Some(n.as_bytes().to_vec())));
    out.push(regex(bytes, &pattern, TimeUnit::Ms));
    out.push(pointed(bytes, &pointer, TimeUnit::S));
    for delimiter in [b',', b';', b'\t', b'"'] {
        out.push(csv(bytes, &cols("ms", "M", "impl"), delimiter));
    }
    out.push(markdown(bytes, &cols("time (us)", "case", "impl")));
    for readings in out.iter().flatten() {
        for row in &readings.rows {
            assert_eq!(row.times.is_empty(), row.failure.is_some());
            assert!(row.times.iter().all(|t| t.value > 0.0 && t.quantum > 0.0));
            assert!(row.values_ns().iter().all(|v| v.is_finite()));
        }
        let work = |_: &Reading| {
            Some(Work {
                flops: 1e9,
                bytes: 1e6,
            })
        };
        let table = table(
            readings,
            readings.rows.first().map(|r| r.tag.as_str()),
            &work,
        );
        let (md, text) = (to_markdown(&table), to_csv(&table));
        assert!(!md.contains(['\u{1b}', '\r']) && !text.contains(['\u{1b}', '\r']));
    }
    out
}

#[test]
fn a_json_document_that_is_cut_off_is_refused_as_a_whole() {
    for (kind, bytes) in KINDS.iter().filter(|(_, b)| b.starts_with(b"{")) {
        let whole = bytes.trim_ascii_end().len();
        for end in (0..whole).step_by(7) {
            assert!(read(*kind, &bytes[..end]).is_err(), "{} {end}", kind.name());
        }
        let mut more = bytes.to_vec();
        more.extend_from_slice(b"done\n");
        let error = read(*kind, &more).unwrap_err().to_string();
        assert!(error.contains("further text after the JSON"), "{error}");
    }
}

#[test]
fn a_table_that_is_cut_off_loses_its_last_row_and_no_figure_is_shortened() {
    let rows = read(ParseKind::TileOps, TILEOPS).unwrap().rows;
    for end in 0..TILEOPS.len() {
        let Ok(cut) = read(ParseKind::TileOps, &TILEOPS[..end]) else {
            continue;
        };
        for row in cut.rows.iter().filter(|r| r.failure.is_none()) {
            let same = rows.iter().find(|r| r.line == row.line).unwrap();
            assert_eq!(row.times, same.times);
        }
    }
}

#[test]
fn encodings_and_line_ends_do_not_matter_and_utf_16_is_named() {
    for (kind, bytes) in KINDS {
        let plain = read(*kind, bytes).unwrap();
        let mut marked = b"\xef\xbb\xbf".to_vec();
        marked.extend_from_slice(bytes);
        assert_eq!(read(*kind, &marked).unwrap(), plain);
        let text = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
        let crlf = read(*kind, text.as_bytes()).unwrap();
        assert_eq!(crlf.rows, plain.rows, "{}", kind.name());
        let error = read(*kind, b"\xff\xfe{\0").unwrap_err().to_string();
        assert!(error.contains("UTF-16"), "{error}");
        assert!(read(*kind, b"").is_err());
    }
}

#[test]
fn figures_that_are_no_times_fail_their_row_alone() {
    for (kind, bytes, from) in [
        (ParseKind::TileOps, TILEOPS, "| 0.4102 |"),
        (
            ParseKind::GoogleBenchmark,
            GOOGLE,
            "\"real_time\": 8.25e+01",
        ),
        (ParseKind::NvBench, NVBENCH, "\"1.00200e-05\""),
        (ParseKind::Hyperfine, HYPERFINE, "0.05083121"),
    ] {
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(text.matches(from).count(), 1, "{from}");
        let good = read(kind, bytes).unwrap();
        let ok = |r: &Readings| r.rows.iter().filter(|r| r.failure.is_none()).count();
        for bad in [
            "NaN",
            "-1.5",
            "0",
            "0.0000",
            "1e300",
            "1e-300",
            "-Infinity",
            "null",
        ] {
            let to = match from.chars().next() {
                Some('|') => format!("| {bad} |"),
                Some('"') if from.contains(':') => format!("\"real_time\": {bad}"),
                Some('"') => format!("\"{bad}\""),
                _ => bad.to_owned(),
            };
            let got = read(kind, text.replace(from, &to).as_bytes()).unwrap();
            assert_eq!(ok(&got), ok(&good) - 1, "{} {bad}", kind.name());
        }
    }
    let twice = String::from_utf8_lossy(GOOGLE).replace(
        "\"real_time\": 8.25e+01",
        "\"real_time\": 1, \"real_time\": 2",
    );
    let got = read(ParseKind::GoogleBenchmark, twice.as_bytes()).unwrap();
    assert!(
        got.rows[1]
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("twice")
    );
}

#[test]
fn deep_and_long_input_is_refused() {
    for bytes in [
        b"[".repeat(100_000),
        b"{\"a\":".repeat(100_000),
        [
            b"{\"benchmarks\":".to_vec(),
            b"[".repeat(500),
            b"]".repeat(500),
            b"}".to_vec(),
        ]
        .concat(),
    ] {
        assert!(all(&bytes).iter().all(Result::is_err));
    }
    let huge = vec![b' '; assay_exec::readings::LOG_MAX + 1];
    let error = read(ParseKind::TileOps, &huge).unwrap_err().to_string();
    assert!(error.contains("longer than"), "{error}");
}

#[test]
fn many_rows_and_many_tags_stay_bounded() {
    let mut text = String::from("case,impl,t\n");
    for i in 0..100_000 {
        text.push_str(&format!("c{i},tag{i},1.5\n"));
    }
    let columns = columns("t", TimeUnit::Us, &["case"], "impl");
    let got = csv(text.as_bytes(), &columns, b',').unwrap();
    assert_eq!(got.rows.len(), 100_000);
    let work = |_: &Reading| {
        Some(Work {
            flops: 1.0,
            bytes: 1.0,
        })
    };
    let side = table(&got, None, &work);
    assert_eq!((side.tags.len(), side.rows.len()), (64, 64));
    assert!(
        side.notices[0].starts_with("99936 rows of further tags"),
        "{:?}",
        side.notices
    );
    let pattern = ::regex::Regex::new(r"(?<tag>tag\d+),(?<value>[\d.]+)").unwrap();
    let got = regex(text.as_bytes(), &pattern, TimeUnit::Us).unwrap();
    assert_eq!(got.rows.len(), 100_000);
    text.push_str(&"x,y,1\n".repeat(150_000));
    let error = csv(text.as_bytes(), &columns, b',')
        .unwrap_err()
        .to_string();
    assert!(error.contains("more than 200000 rows"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        all(&bytes);
    }

    #[test]
    fn no_damaged_log_panics(
        which in 0usize..8,
        at in 0usize..3000,
        cut in 0usize..60,
        with in "[|#\\-{}\\[\\]\",:'\\\\\u{1b}\u{202e}大0-9eE.+\r\n\t a-z]{0,12}",
    ) {
        let logs = [TILEOPS, TILELANG, GOOGLE, GOOGLE_OLD, NVBENCH, HYPERFINE, CSV, MARKDOWN];
        let bytes = logs[which];
        let at = at.min(bytes.len());
        let end = (at + cut).min(bytes.len());
        let damaged = [&bytes[..at], with.as_bytes(), &bytes[end..]].concat();
        all(&damaged);
    }
}
