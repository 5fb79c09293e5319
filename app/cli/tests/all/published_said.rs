//! What the text output says of the published campaigns: every oddity of the documents by its name, with
//! the record and the section that it is from.

use std::fs;

use serde_json::Value;

use crate::matrix::matrix_lab;
use crate::published::{read, table, view};
use crate::support::{Lab, write};

/// The output of a command on one line, so that no line break is in the way.
#[track_caller]
fn said(name: &str, args: &[&str]) -> String {
    let out = read(name, args).out;
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn has_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

#[test]
fn the_audit_of_the_gemm_names_every_oddity_with_its_section() {
    let text = said("c500-gemm", &["audit"]);
    has_all(
        &text,
        &[
            // Figures that differ in the last digit, one by one.
            "LAST DIGIT c-shared-swizzle256-panel4 on moe: TFLOPS is 106.405885,",
            "it comes to 106.405886: the last digit differs, and the digits of what it follows from allow 106.4058844 to 106.4058873",
            "LAST DIGIT b-prepack-interleave4 on moe: TFLOPS is 107.455541,",
            "it comes to 107.455542:",
            "LAST DIGIT a-copy-coalesced-width4 on moe: TFLOPS is 117.250897,",
            "it comes to 117.250895:",
            "(gemm-review 2; published 01",
            // The percentage that is another one.
            "latency improvement = 2.3326%",
            "it is the speed-up minus 1 (2.33256); the reduction in time is 2.27939",
            // Two knobs at once, and the swizzle that went 256, 128, 256.
            "the step changes 2 knobs at once (panel_size 4 -> 2, threads 256 -> 512)",
            "c_swizzle_bytes is 256 again, as in c-shared-swizzle256-panel4; it was 128 in c-shared-swizzle128-panel4",
            // The final version was never profiled; the counters are of 13 launches.
            "the champion has no profile",
            "13.0002x the 3,848,290,697,216 FLOP of the formula of: 01",
            "(gemm-review 9.3)",
        ],
    );
    let records = view("c500-gemm", &["audit"]);
    for rule in [
        "knobs-changed-together",
        "knob-goes-back",
        "champion-without-profile",
    ] {
        let found = crate::matrix::finding(&records, rule);
        let of = found["of"].as_array().unwrap();
        assert!(!of.is_empty(), "{found:#}");
    }
    has_all(
        &said("c500-gemm", &["audit", "--lang", "zh"]),
        &["末位不同", "算得 106.405886", "对象："],
    );
}

#[test]
fn the_audit_of_the_matmul_names_slip_growth_and_bound() {
    let text = said("h800-matmul", &["audit"]);
    has_all(
        &text,
        &[
            "386 TFLOPS and 89.056 ms (0.089056 s) are published for 34,359,738,368 FLOP",
            "1,000.46x apart, a power of a thousand, so that the unit of one is wrong; with that throughput the time is 89.0149 us of: 01",
            "64.0000 times the K take 32.2400 times the time",
            "142606336 bytes in 89.056 ms are 0.05 % of the 3350 GB/s of the device",
            "with the time that its throughput says, 89.014866 us, 47.8 %",
            "(autotune-article 五; published 01",
        ],
    );
    assert_eq!(text.matches("ERROR tflops-unit-slip").count(), 7);
}

#[test]
fn the_audit_of_the_operator_names_every_oddity_with_its_section() {
    let text = said("c500-mhc-post", &["audit"]);
    let table = "pull-request 3: 两个 baseline 与优化后 mhc_post 的 15 组结果";
    has_all(
        &text,
        &[
            "28,673x as much, and so is every throughput that was worked out with it",
            "4,097x as much",
            "of: assay.toml [formulas] published_flops (pull-request 3: Benchmark TFLOPS 口径修复)",
            "is 2.8%, computed 2.85714 %",
            "it is 1 minus the speed-up (2.78); the increase in time is 2.86",
            "is 8.3%, computed 9.09091 %",
            "3.50 us and 3.60 us are one step of the display, 0.1 us, apart: this is no finding about speed; printed to 0.01 us, but all 15 times of the column move in steps of 0.1 us",
            "WARNING bandwidth-traffic-model",
            "15 of 15 bandwidths are 1.007x to 1.418x what the bytes of the formula",
            "but 99.4 % of the accesses hit L2 in the profile",
            "(pull-request 3: mcProfiler 瓶颈分析)",
            "the figures of this report are of 4 different commits of: 01",
            "(pull-request 2 8ba899b)",
            "(commits 584de4029a)",
            "(commits a5f30b48a3)",
            "max of passed is 38, computed 41 (pull-request 2; published 01",
            "41 stands in row commit-",
        ],
    );
    assert!(text.contains(table), "{text}");
    let formulas = text.matches("ERROR published-formula-against-outputs");
    assert_eq!(formulas.count(), 15);
}

#[test]
fn a_comparison_says_what_a_loss_is_and_what_is_no_finding() {
    let text = said("c500-mhc-post", &["compare", "unoptimized", "optimized"]);
    has_all(
        &text,
        &[
            "on 13 of 15 workloads, in the geometric mean 1.385 times as fast",
            "slower on: medium +2.86 % (1 - speed-up: 2.78 %), v4-flash-decode-s +9.09 % (1 - speed-up: 8.33 %)",
            "one step of the display, 100 ns, apart, which is no finding about speed: medium",
            "never a verdict",
        ],
    );
    let view = view("c500-mhc-post", &["compare", "unoptimized", "optimized"]);
    let p = &view["published"];
    assert_eq!(p["step_ns"], 100.0);
    assert_eq!(p["within_step"], serde_json::json!(["medium"]));
    let quoted: Vec<String> = (p["slower"].as_array().unwrap().iter())
        .map(|w| format!("{:.1}", w["one_minus_speedup_percent"].as_f64().unwrap()))
        .collect();
    assert_eq!(quoted, ["2.8", "8.3"]);
}

#[test]
fn tables_of_environment_tests_and_formulas_are_shown_as_they_stand() {
    let text = said("c500-mhc-post", &["show", "optimized"]);
    has_all(
        &text,
        &[
            "environment: The test environment",
            "GPU MetaX C500，完整物理卡 pull-request 3: 测试环境",
            "Kernel mode driver 3.8.30",
            "定向正确性 38 passed in 30.24s",
            "FLOPs_old / FLOPs_new = N * C + 1",
        ],
    );
    let text = said("c500-gemm", &["show", "a-copy-coalesced-width4"]);
    has_all(
        &text,
        &[
            "device MetaX C500 gemm-review introduction",
            "shared memory limit 64KB gemm-review 13.1",
            "remaining bottleneck: 剩余瓶颈大概率仍在",
            "row-major contiguous",
        ],
    );
    let notes = view("c500-gemm", &["show", "a-copy-coalesced-width4"]);
    let with_table = |n: &&Value| n["topic"] == "environment";
    let notes = notes["notes"].as_array().unwrap();
    let table = &notes.iter().find(with_table).unwrap()["table"];
    assert_eq!(table["columns"][0], "item");
    assert_eq!(table["rows"][0][1], "MetaX C500");
}

#[test]
fn a_report_has_the_tables_the_notes_and_the_reasons_of_the_document() {
    let en = read("c500-gemm", &["report"]).ok();
    has_all(
        &en,
        &[
            "Published summary: nothing in this campaign was measured here.",
            "## Published tables",
            "### versions.csv",
            "106.405885",
            "gemm-review",
            "## Notes",
            "**remaining bottleneck**: ",
            "(original: 剩余瓶颈大概率仍在",
            "(original: 下一步应该重新采集这个版本的 mcProfiler",
            "Each row is a group of things that were tried",
            "问题是有些看似更快，但 max\\_abs\\_error 很大，直接拒绝；有些 layout inference 失败；正确版本又不如当前方案。",
            "Printed in: gemm-review.",
            "| device | MetaX C500 | introduction |",
        ],
    );
    // One row for each group, and no variant for each thing that was tried.
    let given_up = en.split("## Rejected").nth(1).unwrap();
    let given_up = given_up.split("\n## ").next().unwrap();
    let rows = given_up.lines().filter(|l| l.starts_with("| "));
    assert_eq!(rows.count(), 2 + 7, "{given_up}");
    let zh = read("c500-gemm", &["report", "--lang", "zh"]).ok();
    has_all(
        &zh,
        &[
            "已发布数据的汇总：",
            "## 已发布的表格",
            "## 备注",
            "每行为一组尝试",
        ],
    );
    let html = read("c500-mhc-post", &["report", "--format", "html"]).ok();
    has_all(
        &html,
        &[
            "Published tables",
            "完整物理卡",
            "38 passed in 30.24s",
            "3: 测试环境",
        ],
    );
    let csv = read("c500-gemm", &["report", "--format", "csv"]).ok();
    let line = |parts: &[&str]| csv.lines().any(|l| parts.iter().all(|p| l.contains(p)));
    assert!(line(&[
        "latency",
        "36.166145 ms",
        "as printed",
        "table versions.csv, row 2: gemm-review 2"
    ]));
    assert!(line(&[
        "direct-c-store",
        "reason of reject",
        "published summary"
    ]));
    assert!(line(&[
        "remaining bottleneck",
        "剩余瓶颈大概率仍在",
        "note"
    ]));
    let json: Value =
        serde_json::from_str(&read("h800-matmul", &["report", "--format", "json"]).ok()).unwrap();
    assert!(json.to_string().contains("sweep.csv"));
}

#[test]
fn a_published_table_with_a_fault_is_refused_with_row_and_column() {
    let lab = matrix_lab();
    lab.variant("one", &[("cost", "90")]);
    let [file, mapping] = table(&lab);
    let import = |text: &str| {
        fs::write(&file, text).unwrap();
        lab.assay(&[
            "import",
            &file,
            "--mapping",
            &mapping,
            "--variant",
            "one",
            "--kernel",
            "new",
        ])
    };
    let head = "case,new,old\n";
    for (rows, words) in [
        (
            "small,,3.50\n",
            &["row 2, column `new`: the cell is missing"][..],
        ),
        (
            "small,3.6,3.5\nlarge,5.0 qs,9.00\n",
            &["row 3, column `new`", "`5.0 qs`", "`us`"],
        ),
        (
            "small,3.6,3.5\nsmall,3.7,3.5\n",
            &["row 3", "duplicate of row 2", "small"],
        ),
        (
            ",3.6,3.5\nlarge,5.0,9.0\n",
            &["row 2, column `case`: the cell is missing"],
        ),
        (
            "small,3.6,3.5\nlarge,5.0\n",
            &["row 3, column `old`: the cell is missing"],
        ),
        (
            "small,3.6,3.5,9\n",
            &["row 2, column `4`: a cell without a column"],
        ),
        ("small,3.6\n", &["row 2, column `old`: the cell is missing"]),
        ("small,\"3.6\"x,3.5\n", &["row 2", "quotes"]),
        // Groups of three and no others; digits of ASCII; the unit as it is spelt.
        (
            "small,\"1,26.70\",3.5\n",
            &["row 2, column `new`", "1,26.70"],
        ),
        (
            "small,\u{ff13}.\u{ff16},3.5\n",
            &["row 2, column `new`", "is no figure in `us`"],
        ),
        ("small,3.6 US,3.5\n", &["row 2, column `new`", "`3.6 US`"]),
        ("small,3.6 ms,3.5\n", &["row 2, column `new`", "`3.6 ms`"]),
        ("small,NaN,3.5\n", &["row 2, column `new`", "`NaN`"]),
        ("small,inf,3.5\n", &["row 2, column `new`", "`inf`"]),
        ("small,1e400,3.5\n", &["row 2, column `new`", "`1e400`"]),
        ("small,\"3,6\",3.5\n", &["row 2, column `new`", "3,6"]),
        (
            "small,-3.6,3.5\n",
            &["row 2, column `new`: `-3.6` is no time", "above 0"],
        ),
        (
            "small,3.6,3.5\nlarge,0.00,9.0\n",
            &["row 3, column `new`: `0.00` is no time"],
        ),
    ] {
        for text in [
            format!("{head}{rows}"),
            // As a spreadsheet saves it.
            format!("\u{feff}{head}{rows}").replace('\n', "\r\n"),
        ] {
            import(&text).fails(3, words);
        }
    }
    // Thousands in groups are read.
    import(&format!("{head}large,\"1,262.70\",3.5\n")).ok();
    let list = lab.assay(&["list", "--json"]).json();
    assert_eq!(list["variants"][0]["median_ns"]["large"], 1_262_700.0);
    // A fault of another side is none of this one's.
    import("\u{feff}case,new,old\r\n\"small\",\"3.60\",\r\nlarge,5.00,9.00\r\n").ok();
}

#[test]
fn a_table_of_a_note_is_refused_with_row_and_column() {
    let lab = Lab::new();
    let file = lab.root().join("environment.csv");
    let note = |text: &str| {
        write(&file, text);
        let path = file.to_str().unwrap();
        lab.assay(&[
            "note",
            "as stated",
            "--topic",
            "environment",
            "--table",
            path,
        ])
    };
    note("item,printed\nGPU\n").fails(
        3,
        &["environment.csv", "row 2, column `printed`", "missing"],
    );
    note("item,item\nGPU,x\n").fails(3, &["row 1, column `item`", "twice"]);
    note("item,printed\n\"GPU,x\n").fails(3, &["row 2", "quotes do not close"]);
    note("").fails(3, &["no header"]);
    note("\u{feff}item,printed\r\nGPU,\"C500 \u{1b}[2J\"\r\n").ok();
    let report = lab.assay(&["report"]).ok();
    assert!(
        report.contains("| GPU | C500") && !report.contains('\u{1b}'),
        "{report}"
    );
    let topic = "x".repeat(61);
    lab.assay(&["note", "x", "--topic", &topic])
        .fails(3, &["few words"]);
}
