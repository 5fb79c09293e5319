//! Reports of the published campaigns: what the documents print stands there as printed, and what follows
//! from it beside it.

use std::fs;
use std::path::Path;

use crate::published::read;

/// The rows of a filed table without its head: cells as the document prints them.
fn table(campaign: &str, name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../experiments")
        .join(campaign)
        .join("tables")
        .join(name);
    let text = fs::read_to_string(path).unwrap();
    let split = |line: &str| -> Vec<String> {
        let (mut out, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => out.push(String::new()),
                c => out.last_mut().unwrap().push(c),
            }
        }
        out
    };
    text.lines().skip(1).map(split).collect()
}

/// Markdown as a reader sees it.
fn shown(markdown: &str) -> String {
    let mut out = String::new();
    let mut chars = markdown.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    out.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[track_caller]
fn has_rows(report: &str, campaign: &str, name: &str, columns: std::ops::Range<usize>) {
    for row in table(campaign, name) {
        let cells: Vec<&str> = row[columns.clone()].iter().map(String::as_str).collect();
        let line = format!("| {} |", cells.join(" | "));
        assert!(report.contains(&line), "{name}: no `{line}` in {report}");
    }
}

#[test]
fn the_chinese_report_of_the_gemm_has_the_tables_as_printed() {
    let report = shown(&read("c500-gemm", &["report", "--lang", "zh"]).ok());
    has_rows(&report, "c500-gemm", "counters-b-prepack.csv", 0..4);
    has_rows(&report, "c500-gemm", "counters-panel2.csv", 0..4);
    has_rows(&report, "c500-gemm", "counters-early.csv", 0..2);
    has_rows(&report, "c500-gemm", "versions.csv", 4..7);
    has_rows(&report, "c500-gemm", "layout.csv", 0..3);
    // A quotation stands in the language of the reader alone.
    assert!(!report.contains("translation:"), "{report}");
    let english = read("c500-gemm", &["report"]).ok();
    assert!(english.contains("(original: "), "{english}");
    assert!(!english.contains("(translation: "), "{english}");
}

#[test]
fn counters_of_two_profiles_of_one_workload_stand_together() {
    let report = shown(&read("c500-gemm", &["report", "--lang", "zh"]).ok());
    let card = report.split("### b-prepack-interleave4").nth(1).unwrap();
    let card = card.split("### ").next().unwrap();
    for row in [
        "| inst.mma | 6,107,000,000 | 6,109,000,000 | +0.03 % |",
        "| inst.executed | 24,603,000,000 | 18,658,000,000 | -24.16 % | 变好 |",
        "| duty.mma | n/a | 44.51 % | n/a | 仅之后有 |",
    ] {
        assert!(card.contains(row), "{row}: {card}");
    }
    // Which record states which counter.
    assert!(
        card.contains("（inst.mma, inst.shared, inst.vector）"),
        "{card}"
    );
}

#[test]
fn the_pull_request_of_mhc_post_has_what_a_reviewer_asks_for() {
    let report = shown(
        &read(
            "c500-mhc-post",
            &["report", "--lang", "zh", "--format", "pr"],
        )
        .ok(),
    );
    has_rows(&report, "c500-mhc-post", "benchmark.csv", 0..9);
    has_rows(&report, "c500-mhc-post", "roofline.csv", 0..9);
    has_rows(&report, "c500-mhc-post", "counters.csv", 0..7);
    for line in [
        // Both geometric means with wins and losses, in the claim and below the ratios.
        "optimized 与 torch-ref 相比：15 个工作负载中 15 个耗时更少；几何平均速度为其 9.998 倍，单个工作负载为 5.811 至 14.17 倍。",
        "optimized 与 unoptimized 相比：15 个工作负载中 13 个耗时更少；几何平均速度为其 1.385 倍，单个工作负载为 0.9167 至 3.113 倍。",
        "| 几何平均（工作负载数） | 9.998 (15) | 1.385 (15) |",
        "| 中位数 | 10.60 | 1.231 |",
        "| 更快 / 更慢 | 15 / 0 | 13 / 2 |",
        // Our own roofline beside the printed one.
        "| v4-flash-prefill-l | 268,435,456 | 604,110,848 | 0.4443 | 405.6 µs | 661.8 | 1489 | 819.0 | 80.8 % |",
        // Accuracy, as stated.
        "结果须满足：max_rel_error <= 1.6e-2。",
        "38 passed in 30.24s",
        "## 4. 提交自检清单",
        "- [x] 最优变体与每个基线在每个工作负载上都有耗时",
        "- [x] 已记录计时方法、环境与设备",
        "- [ ] 最优变体在每个工作负载上都有计数器：small：没有计数器",
        "- [ ] 实测版本与评测程序的完整提交已知",
        "- [x] 每个工作负载都有运算量与字节数公式",
    ] {
        assert!(report.contains(line), "no `{line}` in {report}");
    }
}

#[test]
fn published_figures_in_the_csv_name_their_records() {
    let csv = read("c500-mhc-post", &["report", "--format", "csv"]).ok();
    let figures: Vec<&str> = (csv.lines())
        .filter(|l| l.contains(",median,") || l.contains(",cache.l2.hit_rate,"))
        .collect();
    assert_eq!(figures.len(), 15 * 3 + 10, "{csv}");
    for line in figures {
        assert!(
            line.starts_with("01") && line.find(',') == Some(26),
            "{line}"
        );
    }
    let peak = csv
        .lines()
        .find(|l| l.contains(",peak.bandwidth,"))
        .unwrap();
    assert!(peak.starts_with("device c500,"), "{peak}");
}
