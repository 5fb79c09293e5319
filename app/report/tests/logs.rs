//! Imported benchmark logs in every format: what is compared, what is not, and no verdict.

mod common;

use assay_report::{
    Lang, LogCell, LogDisagreement, LogFact, LogProblem, LogRate, LogRow, LogSpeedup, LogSummary,
    LogTable, LogTime, ReportModel, csv, html, json, markdown,
};
use common::{campaign, empty_list};

fn time(us: f64, step_us: f64, printed: &str) -> Option<LogTime> {
    Some(LogTime {
        ns: us * 1e3,
        low_ns: (us - step_us / 2.0) * 1e3,
        high_ns: (us + step_us / 2.0) * 1e3,
        printed: printed.into(),
        taken: "median of trial means".into(),
    })
}

fn speedup(value: f64, low: f64, high: f64, is_told: bool) -> LogSpeedup {
    LogSpeedup {
        baseline: "base".into(),
        value,
        low,
        high,
        is_told,
    }
}

fn formula(value: f64, text: &str) -> Option<LogRate> {
    Some(LogRate {
        value,
        from: "formula".into(),
        text: text.into(),
        ..LogRate::default()
    })
}

fn row(workload: &str, cells: Vec<Option<LogCell>>) -> LogRow {
    LogRow {
        group: "Op".into(),
        workload: workload.into(),
        campaign_workload: None,
        cells,
    }
}

fn log() -> LogTable {
    let wrong = LogDisagreement {
        column: "tflops".into(),
        printed: "14.9".into(),
        computed: 0.0029,
        low: 0.00288,
        high: 0.00297,
        factor: 5121.0,
    };
    let first = LogCell {
        line: 17,
        time: time(3.6, 0.1, "0.0036 ms"),
        speedups: vec![speedup(0.9722, 0.945, 1.0, false)],
        tflops: formula(0.0029, "0.0029").map(|r| LogRate {
            disagreement: Some(wrong),
            ..r
        }),
        ..LogCell::default()
    };
    let second = LogCell {
        line: 18,
        time: time(405.6, 0.1, "0.4056 ms"),
        speedups: vec![speedup(3.1132, 3.1123, 3.1141, true)],
        tflops: Some(LogRate {
            value: 0.66,
            from: "printed".into(),
            text: "0.66".into(),
            column: Some("tflops".into()),
            disagreement: None,
        }),
        marks: vec!["event fallback".into()],
        ..LogCell::default()
    };
    let plain = |line, t| {
        Some(LogCell {
            line,
            time: t,
            ..LogCell::default()
        })
    };
    let failed = LogCell {
        line: 25,
        failure: Some("not available: the log has `N/A` for its latency".into()),
        ..LogCell::default()
    };
    LogTable {
        record: "01HZ00000000000000000000LG".into(),
        at: "2026-11-30T03:00:00.5Z".into(),
        by: "Ann".into(),
        name: "profile_run.log".into(),
        kind: "tileops".into(),
        device: Some("MetaX C500".into()),
        note: Some("night run".into()),
        facts: vec![LogFact {
            name: "Driver <b>".into(),
            value: "3.8 | x".into(),
        }],
        subjects: vec!["ours".into(), "base".into()],
        baselines: vec!["base".into()],
        rows: vec![
            row(
                "batch=2",
                vec![Some(first), plain(23, time(3.5, 0.1, "0.0035 ms"))],
            ),
            LogRow {
                campaign_workload: Some("large".into()),
                ..row(
                    "batch=8192",
                    vec![Some(second), plain(24, time(1262.7, 0.1, "1.2627 ms"))],
                )
            },
            row("batch=1", vec![None, Some(failed)]),
        ],
        summaries: vec![LogSummary {
            group: "Op".into(),
            subject: "ours".into(),
            baseline: "base".into(),
            geomean: Some(1.7397),
            low: Some(1.71),
            high: Some(1.76),
            matched: 2,
            wins: 1,
            losses: 0,
            untold: 1,
            unmatched: 0,
        }],
        problems: vec![LogProblem {
            line: 25,
            row: "Op / batch=1 / base".into(),
            kind: "not available".into(),
            message: "the log has `N/A` for its latency".into(),
        }],
        failed: 60,
        notices: vec!["1 rows are marked".into()],
        ..LogTable::default()
    }
}

fn alone() -> ReportModel {
    let mut list = empty_list();
    list.campaign = "logs".into();
    list.workloads.clear();
    let mut m = ReportModel::new(list);
    m.title = "profile_run.log".into();
    m.generated_at = "2026-11-30T04:00:00Z".into();
    m.tool_version = "assay 0".into();
    m.logs = vec![log()];
    m
}

#[test]
fn logs_alone_in_english() {
    insta::assert_snapshot!(markdown(&alone(), Lang::En));
}

#[test]
fn logs_alone_in_chinese() {
    insta::assert_snapshot!(markdown(&alone(), Lang::Zh));
}

#[test]
fn logs_alone_as_csv() {
    insta::assert_snapshot!(csv(&alone()));
}

#[test]
fn in_a_campaign_they_are_one_chapter_more_and_no_claim() {
    for lang in Lang::ALL {
        let plain = markdown(&campaign(), lang);
        let mut m = campaign();
        m.logs = vec![log()];
        let with = markdown(&m, lang);
        let chapters = |t: &str| t.lines().filter(|l| l.starts_with("## ")).count();
        assert_eq!(chapters(&with), chapters(&plain) + 1);
        let words = ["FASTER", "SLOWER", "SAME", "NO_GAIN", "UNDECIDED"];
        let count = |t: &str| -> usize { words.iter().map(|w| t.matches(w).count()).sum() };
        assert_eq!(count(&with), count(&plain), "a log brings no verdict");
        // Everything before is as it was.
        assert!(with.starts_with(plain.split("## ").next().unwrap()));
    }
}

#[test]
fn the_page_and_the_json_have_them_and_nothing_in_them_is_active() {
    let page = html(&alone(), Lang::Zh);
    assert!(page.contains("导入的基准测试日志") && page.contains("Driver &lt;b&gt;"));
    let text = json(&alone()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cell = &value["report"]["logs"][0]["rows"][0]["cells"][0];
    assert_eq!(cell["time"]["printed"], "0.0036 ms");
    assert_eq!(cell["speedups"][0]["is_told"], false);
    let again: ReportModel = serde_json::from_value(value["report"].clone()).unwrap();
    assert_eq!(again.logs, vec![log()]);
}

#[test]
fn rows_that_are_not_stored_here_are_said_to_be_missing() {
    let mut m = alone();
    m.logs[0].missing = Some("rows.json is not stored here".into());
    let text = markdown(&m, Lang::En);
    assert!(text.contains("The rows cannot be shown: rows.json is not stored here"));
    assert!(!text.contains("| Op |"), "{text}");
}

#[test]
fn many_rows_are_cut_in_the_text_and_whole_in_the_csv() {
    let mut m = alone();
    let one = m.logs[0].rows[0].clone();
    m.logs[0].rows = vec![one; 1000];
    let text = markdown(&m, Lang::En);
    assert!(text.contains("200 of 1000 rows are shown"));
    assert_eq!(
        text.lines().filter(|l| l.starts_with("| Op |")).count(),
        201
    );
    let rows = csv(&m).lines().filter(|l| l.contains(",log.time,")).count();
    assert_eq!(rows, 2000);
}

#[test]
fn a_rate_that_is_printed_in_another_unit_stands_in_that_of_its_column() {
    let printed = |value, text: &str, column: &str| {
        Some(LogRate {
            value,
            from: "printed".into(),
            text: text.into(),
            column: Some(column.into()),
            disagreement: None,
        })
    };
    let cell = |gbs| {
        Some(LogCell {
            gbs,
            ..LogCell::default()
        })
    };
    let model = ReportModel {
        logs: vec![LogTable {
            rows: vec![
                row(
                    "small",
                    vec![cell(printed(0.0066e3, "0.0066", "bandwidth_tbs"))],
                ),
                row(
                    "large",
                    vec![cell(printed(2000.0, "2.0e+12", "nv/bytes_per_second"))],
                ),
                row("same", vec![cell(printed(12.5, "12.5", "gbs"))]),
            ],
            ..log()
        }],
        ..campaign()
    };
    let text = markdown(&model, Lang::En);
    for says in [
        "6.6 (printed as 0.0066",
        "2000 (printed as 2.0e+12",
        "12.5 (printed)",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
}
