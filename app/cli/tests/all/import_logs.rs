//! From the log of an existing evaluator to a table, through the real program.

use std::fs;

use serde_json::Value;

use crate::support::{Done, Lab, write};

/// The published table of a real pull request as the log that it was made from: 15 workloads, the
/// new kernel, a reference and the kernel before.
const POST: &str = include_str!("logs/mhc_post.log");

const TILEOPS: &str = include_str!("../../../exec/tests/readings/data/profile_run.log");

/// Name, content, what has to be said, kind, rows with and without a time (0 and 0: not counted here).
type Fixture = (
    &'static str,
    &'static [u8],
    &'static [&'static str],
    &'static str,
    u64,
    u64,
);

/// Fixtures of the readers, with what has to be said about each, and the times in them.
const FIXTURES: [Fixture; 8] = [
    ("profile_run.log", TILEOPS.as_bytes(), &[], "tileops", 6, 1),
    (
        "autotune.log",
        include_bytes!("../../../exec/tests/readings/data/autotune.log"),
        &[],
        "tilelang",
        4,
        2,
    ),
    (
        "google.json",
        include_bytes!("../../../exec/tests/readings/data/google.json"),
        &["--clock", "cpu"],
        "google-benchmark",
        0,
        0,
    ),
    (
        "nvbench.json",
        include_bytes!("../../../exec/tests/readings/data/nvbench.json"),
        &[],
        "nvbench",
        2,
        2,
    ),
    (
        "hyperfine.json",
        include_bytes!("../../../exec/tests/readings/data/hyperfine.json"),
        &[],
        "hyperfine",
        2,
        1,
    ),
    (
        "table.csv",
        include_bytes!("../../../exec/tests/readings/data/table.csv"),
        &[
            "--kind",
            "csv",
            "--column",
            "ms",
            "--unit",
            "ms",
            "--labels",
            "M,N",
            "--tag-column",
            "impl",
        ],
        "csv",
        0,
        0,
    ),
    (
        "table.md",
        include_bytes!("../../../exec/tests/readings/data/table.md"),
        &[
            "--kind",
            "markdown",
            "--value",
            "time (us)",
            "--unit",
            "us",
            "--labels",
            "case",
            "--tag-column",
            "impl",
        ],
        "markdown",
        0,
        0,
    ),
    (
        "out.txt",
        b"conv: 3.5 us\ngemm: 12.25 us\n",
        &[
            "--kind",
            "regex",
            "--unit",
            "us",
            "--pattern",
            "^(?<workload>\\w+): ([0-9.]+) us",
        ],
        "regex",
        2,
        0,
    ),
];

fn json_of(lab: &Lab, args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.push("--json");
    let done = lab.assay(&all);
    assert_eq!(done.code, 0, "{done:#?}");
    done.json()
}

/// Both commands in the folder of the lab; Markdown and CSV.
#[track_caller]
fn two_commands(lab: &Lab, more: &[&str]) -> (String, String) {
    let mut import = vec!["import", "profile_run.log"];
    import.extend(more);
    lab.assay(&import).ok();
    lab.assay(&["report", "-o", "out"]).ok();
    let read = |name: &str| fs::read_to_string(lab.repo().join("out").join(name)).unwrap();
    (read("report.en.md"), read("report.csv"))
}

#[test]
fn two_commands_turn_a_log_into_markdown_and_csv_where_there_is_nothing_else() {
    let lab = Lab::empty();
    lab.write("profile_run.log", POST);
    let (md, csv) = two_commands(&lab, &[]);
    // The figures of the published write-up, and what it did not say: one of its two losses is
    // within one display digit.
    assert!(md.starts_with("# Report: profile\\_run.log\n"), "{md}");
    let row = |n: &str| md.lines().find(|l| l.contains(n)).unwrap().to_owned();
    let post = row("batch=2, ");
    assert!(post.contains("| 3.6 | 22.8 | 3.5 |"), "{post}");
    assert!(post.contains("| 6.33 (6.23 .. 6.44) |"), "{post}");
    assert!(
        post.contains("0.97 (0.95 .. 1.00): one display digit |"),
        "{post}"
    );
    assert!(row("batch=8192, ").contains("| 405.6 | 5747.6 | 1262.7 | 14.17 |"));
    let torch = md
        .lines()
        .find(|l| l.contains("| tileops | torch-ref | 9.99"))
        .unwrap();
    assert!(torch.ends_with("| 15 | 0 | 0 | 15 | 0 |"), "{torch}");
    let base = md
        .lines()
        .find(|l| l.contains("| tileops | unoptimized-base | 1.38"))
        .unwrap();
    assert!(base.ends_with("| 13 | 1 | 1 | 15 | 0 |"), "{base}");
    assert!(md.contains("compared without a verdict") && !md.contains("FASTER"));
    let times = csv.lines().filter(|l| l.contains(",log.time,")).count();
    assert_eq!(times, 45, "{csv}");
    assert!(
        csv.lines().any(|l| l.contains(",log.time,3600,ns,")
            && l.contains("profile_run.log:16: printed 0.0036 ms")),
        "{csv}"
    );
    assert!(csv.contains("log.geomean_speedup,1.38"), "{csv}");
    lab.verify();
    let log = lab.assay(&["log"]).ok();
    assert!(
        log.contains("benchmark log profile_run.log (tileops): 45 times of 3 subjects"),
        "{log}"
    );
    let again = lab.assay(&["import", "profile_run.log"]).ok();
    assert!(again.starts_with("filed already as 01"), "{again}");
    let list = lab.assay(&["list", "--json"]);
    assert_eq!(
        (list.code, list.json()["campaign"].as_str()),
        (0, Some("logs")),
        "{list:#?}"
    );
    assert!(list.err.contains("imported benchmark logs"), "{list:#?}");
    lab.assay(&["report", "--format", "md,csv"])
        .fails(3, &["several formats", "-o DIR"]);
    let all = json_of(&lab, &["report", "--format", "html,csv,html", "-o", "out"]);
    assert_eq!(
        (
            all["format"].as_str(),
            all["more"].as_array().unwrap().len()
        ),
        (Some("html"), 1)
    );
}

#[test]
fn a_repository_without_a_campaign_stays_as_it_is() {
    let lab = Lab::empty();
    lab.git(&["init", "-q", "-b", "main"]);
    lab.write("profile_run.log", TILEOPS);
    let (md, _) = two_commands(&lab, &[]);
    assert!(
        md.contains("MetaX C500") && md.contains("event fallback"),
        "{md}"
    );
    assert_eq!(lab.git(&["for-each-ref"]), "");
    assert!(lab.repo().join("assay-logs/format.json").is_file());
    let other = lab.root().join("elsewhere");
    fs::create_dir(&other).unwrap();
    // A folder that holds something else is not written into.
    write(&other.join("assay-logs/notes.txt"), "mine");
    write(&other.join("run.log"), TILEOPS);
    lab.assay_in(&other, &["import", "run.log"])
        .fails(3, &["assay-logs", "is not a ledger"]);
    // A campaign takes the ledger, as any other.
    lab.assay_in(&other, &["-C", "../repo/assay-logs", "log"])
        .ok();
    lab.assay_in(
        &lab.root(),
        &["report", "-C", "repo/assay-logs", "--format", "csv"],
    )
    .ok();
}

#[test]
fn a_dry_run_shows_what_would_be_read_and_writes_nothing() {
    let lab = Lab::empty();
    lab.write("profile_run.log", POST);
    let text = lab.assay(&["import", "profile_run.log", "--dry-run"]).ok();
    assert!(text.starts_with("would be filed: profile_run.log, read as tileops: 45 times of tileops, torch-ref, unoptimized-base\n"), "{text}");
    assert!(
        text.contains("| MHCPostOp | batch=1, n\\_expand=4")
            || text.contains("| MHCPostOp | batch=1, n_expand=4"),
        "{text}"
    );
    assert!(text.ends_with("nothing was written\n") && !lab.repo().join("assay-logs").exists());
    let csv = lab
        .assay(&[
            "import",
            "profile_run.log",
            "--dry-run",
            "--csv",
            "--flops",
            "2*batch*n_expand*c_x",
        ])
        .ok();
    assert_eq!(csv.lines().count(), 46);
    assert!(
        csv.starts_with("group,workload,tag,latency_ns,") && csv.contains(",formula,"),
        "{csv}"
    );
    lab.assay(&["import", "profile_run.log", "--csv"])
        .fails(3, &["--dry-run"]);
    let view = json_of(&lab, &["import", "profile_run.log", "--dry-run"]);
    assert_eq!(view["schema"], "assay.import-log/1");
    let log = &view["logs"][0];
    assert_eq!(
        (log["id"].clone(), log["already"].clone()),
        (Value::Null, false.into())
    );
    assert_eq!(log["rows"].as_array().unwrap().len(), 45);
    assert_eq!(log["rows"][1]["times"][0]["quantum"], 0.0001);
    assert_eq!(
        log["baselines"],
        serde_json::json!(["torch-ref", "unoptimized-base"])
    );
    assert_eq!(log["device"], "MetaX C500");
}

#[test]
fn every_form_is_filed_reported_and_read_again() {
    let lab = Lab::empty();
    for (name, bytes, words, kind, timed, failed) in FIXTURES {
        fs::write(lab.repo().join(name), bytes).unwrap();
        let mut args = vec!["import", name];
        args.extend(words);
        let view = json_of(&lab, &args);
        let log = &view["logs"][0];
        assert_eq!(log["kind"], kind, "{log:#}");
        let count = |key: &str| log[key].as_u64().unwrap();
        if timed > 0 {
            assert_eq!((count("timed"), count("failed")), (timed, failed), "{name}");
        }
        assert!(count("timed") > 0, "{name}");
        assert_eq!(
            log["problems"].as_array().unwrap().len() as u64,
            count("failed")
        );
    }
    for lang in ["en", "zh"] {
        for format in ["md", "html", "csv", "json"] {
            let text = lab
                .assay(&["report", "--lang", lang, "--format", format])
                .ok();
            assert!(!text.contains('\u{1b}') && !text.contains("cmd|x\"|"));
            for (name, ..) in FIXTURES {
                let shown = if format == "md" {
                    name.replace('_', "\\_")
                } else {
                    name.to_owned()
                };
                assert!(text.contains(&shown), "{name} in {format}");
            }
        }
    }
    let done = lab.assay(&["verify"]).ok();
    assert!(
        done.contains("8 benchmark logs read again with the same rows"),
        "{done}"
    );
}

#[test]
fn the_campaigns_formulas_count_where_workloads_match_and_wrong_rates_are_marked() {
    let lab = Lab::pinned();
    lab.write(
        "run.csv",
        "case,impl,us,tflops,speedup\nsmall,ours,2.0,0.0010,1.50x\nsmall,ref,3.0,9.9,\nother,ours,5.0,7.7,\nlarge,ref,4.0,,\n",
    );
    let words = [
        "--kind",
        "csv",
        "--value",
        "us",
        "--unit",
        "us",
        "--labels",
        "case",
        "--tag-column",
        "impl",
    ];
    let mut args = vec!["import", "run.csv"];
    args.extend(words);
    let text = lab.assay(&args).ok();
    // `ref` is a baseline of the campaign.
    assert!(text.contains("held against: ref\n"), "{text}");
    let md = lab.assay(&["report"]).ok();
    let chapter = md.split("## Imported benchmark logs").nth(1).unwrap();
    let row = |n: &str| {
        chapter
            .lines()
            .find(|l| l.starts_with(n))
            .unwrap()
            .to_owned()
    };
    // 2*1000 flop and 8*1000 bytes in 2.0 us.
    assert_eq!(
        row("| small "),
        "| small | 2.0 | 3.0 | 1.50 (1.44 .. 1.56) | 0.0010 | 4.0 |"
    );
    assert!(row("| other ").contains("7.7 (printed)"), "{chapter}");
    assert!(
        row("| ours | ref ").ends_with("| 1 | 0 | 0 | 1 | 2 |"),
        "{chapter}"
    );
    // The wrong rate is that of the baseline: in the CSV, since the table has the rates of the others.
    let csv = lab.assay(&["report", "--format", "csv"]).ok();
    assert!(
        csv.contains(",ref,small,log.tflops.printed_over_computed,"),
        "{csv}"
    );
    assert_eq!(lab.records().len(), 2);
    lab.verify();
    // Other words beside the same log correct the record; the same words do not.
    args.extend(["--note", "on battery"]);
    let text = lab.assay(&args).ok();
    assert!(text.contains("it corrects 01"), "{text}");
    let text = lab.assay(&args).ok();
    assert!(text.starts_with("filed already"), "{text}");
    let md = lab.assay(&["report"]).ok();
    assert_eq!(md.matches("Remark: on battery").count(), 1);
    assert_eq!(
        md.matches("### run.csv").count(),
        1,
        "the corrected one is gone"
    );
}

#[test]
fn formulas_given_with_the_log_find_a_wrong_rate_without_a_campaign() {
    let lab = Lab::empty();
    // What the pull request mended: work counted N*C+1 times too often.
    lab.write(
        "profile_run.log",
        &POST.replace("| 0.4056 | 0.6618 |", "| 0.4056 | 10844.0 |"),
    );
    let (md, _) = two_commands(&lab, &["--flops", "2*batch*n_expand*c_x"]);
    let row = md.lines().find(|l| l.contains("batch=8192, ")).unwrap();
    assert!(
        row.contains("**the log prints 10844.0 tflops, 16385 times that**")
            || row.contains("16385"),
        "{row}"
    );
    assert_eq!(md.matches("times that**").count(), 1, "{md}");
    let wrong = |args: &[&str]| -> Done {
        let mut all = vec!["import", "profile_run.log"];
        all.extend(args);
        lab.assay(&all)
    };
    wrong(&["--flops", "2*B"]).fails(
        3,
        &[
            "profile_run.log",
            "--flops 2*B",
            "its first row has batch, c_x, dtype_bytes, n_expand",
        ],
    );
    wrong(&["--bytes", "2*("]).fails(3, &["--bytes: "]);
    wrong(&["--baseline", "torch"]).fails(3, &["no subject `torch`", "torch-ref"]);
}

#[test]
fn rows_match_the_campaigns_workloads_by_dims_and_type() {
    let lab = Lab::committed();
    let table = |tag: &str, rows: &str| {
        format!("### {tag}\n\n| n | dtype | latency_ms | tflops |\n|---|---|---|---|\n{rows}\n")
    };
    lab.write(
        "profile_run.log",
        &format!(
            "# TileOPs Benchmark Report\n\n## Op\n\n{}{}",
            table(
                "tileops",
                "| 1000 | torch.float32 | 0.0020 | 0.0010 |\n| 2000 | torch.float32 | 0.0030 | 9.5 |\n| 2000 | torch.float16 | 0.0015 | 0.0027 |"
            ),
            table("torch-ref", "| 1000 | torch.float32 | 0.0040 | 0.0005 |")
        ),
    );
    // Nothing is pinned or approved here: reading a log runs nothing.
    lab.assay(&["import", "profile_run.log"]).ok();
    let md = lab.assay(&["report"]).ok();
    let row = |n: &str| md.lines().find(|l| l.contains(n)).unwrap().to_owned();
    let small = row("| small (n=1000, dtype=torch.float32) |");
    assert!(
        small.ends_with("| 2.00 (1.93 .. 2.08) | 0.0010 | 4.0 |"),
        "{small}"
    );
    let large = row("| large (n=2000, dtype=torch.float32) |");
    assert!(
        large.contains("**the log prints 9.5 tflops, 7125 times that**"),
        "{large}"
    );
    // Of another type it is no workload of the campaign.
    let half = row("| n=2000, dtype=torch.float16 |");
    assert!(
        half.contains("0.0027 (printed)") && half.ends_with("| n/a |"),
        "{half}"
    );
    assert!(
        md.contains("## Claim"),
        "the report of the campaign is whole: {md}"
    );
}

#[test]
fn a_ledger_of_logs_does_not_stand_in_the_way_of_a_campaign() {
    let lab = Lab::pinned();
    let logs = lab.root().join("elsewhere");
    fs::create_dir(&logs).unwrap();
    write(&logs.join("run.log"), TILEOPS);
    lab.assay_in(&logs, &["import", "run.log"]).ok();
    lab.assay(&["import", "../elsewhere/assay-logs"]).ok();
    lab.verify();
    // Without the campaign file in the checkout the ledger alone says which campaign it is.
    lab.git_in(&lab.root(), &["clone", "-q", "--bare", "repo", "bare"]);
    let list = lab.assay_in(&lab.root().join("bare"), &["list", "--json"]);
    assert_eq!(list.json()["campaign"], "lab", "{list:#?}");
    lab.assay(&["import", "../elsewhere"])
        .fails(3, &["neither a ledger nor a repository", "name the files"]);
}
