//! A published figure that the audit contradicts stands as it was printed, with a mark, wherever it is shown.

use crate::published::{read, view};
use crate::published_trip::reader;
use crate::support::Lab;

/// The rule that finds milliseconds printed as seconds.
const SLIP: &str = "tflops-unit-slip";

#[test]
fn a_list_marks_doubted_times_and_says_which_rule_doubts_them() {
    let text = read("h800-matmul", &["list"]).ok();
    assert!(text.contains("438.6 ms p!"), "{text}");
    let legend = format!("!: cannot be right as published ({SLIP}): `assay audit` says why");
    assert!(text.contains(&legend), "{text}");
    let list = view("h800-matmul", &["list"]);
    let row = &list["variants"][0];
    assert_eq!(
        row["median_ns"]["K256"], 89_056_000.0,
        "as it was published"
    );
    let of = |figure: &str| -> Vec<&str> {
        let all = row["doubted"].as_array().unwrap().iter();
        let of = all.filter(|d| d["figure"] == figure && d["rule"] == SLIP);
        of.map(|d| d["workload"].as_str().unwrap()).collect()
    };
    let all = ["K256", "K512", "K1024", "K2048", "K4096", "K8192", "K16384"];
    assert_eq!(
        (of("claim.time"), of("claim.tflops")),
        (all.to_vec(), all.to_vec())
    );
    let audit = view("h800-matmul", &["audit"]);
    for d in row["doubted"].as_array().unwrap() {
        let record = d["record"].as_str().unwrap();
        let said = audit["findings"].as_array().unwrap().iter().any(|f| {
            let of = f["of"].as_array().unwrap().iter();
            f["rule"] == d["rule"]
                && f["message"] == d["message"]
                && of.clone().any(|o| o.as_str().unwrap().starts_with(record))
        });
        let figures = audit["figures"].as_array().unwrap().iter();
        let stated = d["rule"] == "disagrees"
            && figures
                .clone()
                .any(|f| f["outcome"] == "disagrees" && f["record"] == record);
        assert!(said || stated, "no finding of the audit: {d:#}");
    }
}

#[test]
fn a_card_a_comparison_a_log_and_a_report_mark_them_too() {
    let legend = "!: cannot be right as published (";
    let shown = read("h800-matmul", &["show", "autotuned"]).ok();
    assert!(
        shown.contains("89.056 ms !") && shown.contains("386 !"),
        "{shown}"
    );
    assert!(shown.contains(legend), "{shown}");
    assert!(
        shown.contains("row K256 of sweep.csv ! tflops-unit-slip"),
        "{shown}"
    );
    let compared = read("h800-matmul", &["compare", "autotuned", "autotuned"]).out;
    assert!(
        compared.contains("89.056 ms !") && compared.contains(legend),
        "{compared}"
    );
    let log = read("h800-matmul", &["log"]).ok();
    assert!(
        log.contains("row K256 of sweep.csv ! tflops-unit-slip"),
        "{log}"
    );
    let report = read("h800-matmul", &["report"]).ok();
    assert!(report.contains("438.6 ms (p) (!)"), "{report}");
    assert!(report.contains("89.06 ms (!)"), "{report}");
    assert!(
        report.contains("figures of 7 of its rows cannot be right as printed: tflops-unit-slip")
    );
    let zh = read("h800-matmul", &["--lang", "zh", "report"]).ok();
    assert!(zh.contains("标有 (!) 的数值按发布的样子不可能正确"), "{zh}");
    let csv = read("h800-matmul", &["report", "--format", "csv"]).ok();
    assert!(csv.contains("claim.time: tflops-unit-slip"), "{csv}");
}

#[test]
fn what_no_rule_contradicts_has_no_mark() {
    for name in ["c500-gemm", "c500-mhc-post"] {
        let text = read(name, &["list"]).ok();
        assert!(
            text.contains(" p") && !text.contains("p!"),
            "{name}: {text}"
        );
    }
    // Times of the operator agree; its bandwidth column counts other bytes.
    let shown = read("c500-mhc-post", &["show", "optimized"]).ok();
    assert!(
        shown.contains("8.8 !") && shown.contains("(disagrees)"),
        "{shown}"
    );
    assert!(!shown.contains("us !"), "{shown}");
    let row = &view("c500-mhc-post", &["list"])["variants"];
    let doubted = row.as_array().unwrap().iter();
    let mut figures = doubted.flat_map(|r| r["doubted"].as_array().into_iter().flatten());
    assert!(figures.all(|d| d["figure"] == "claim.bandwidth" && d["rule"] == "disagrees"));
}

#[test]
fn two_published_campaigns_in_one_ledger_are_both_to_be_found() {
    let lab = reader();
    let folder = |name: &str| crate::published::experiment(name).display().to_string();
    let first = lab.assay(&["import", &folder("c500-gemm")]);
    assert!(
        first.code == 0 && !first.err.contains("--campaign"),
        "{first:#?}"
    );
    let file = crate::published::experiment("c500-gemm").join("assay.toml");
    lab.write("assay.toml", &std::fs::read_to_string(file).unwrap());
    let second = lab.assay(&["import", &folder("h800-matmul")]);
    let says = "the records are of the campaign h800-matmul: `assay list --campaign h800-matmul`";
    assert!(second.code == 0 && second.err.contains(says), "{second:#?}");
    let list = lab.assay(&["list"]).ok();
    assert!(
        list.contains(
            "also in this ledger: h800-matmul (1 variant); --campaign NAME reads another"
        ),
        "{list}"
    );
    let json = lab.assay(&["--json", "list"]).json();
    assert_eq!(
        json["others"],
        serde_json::json!([{"campaign": "h800-matmul", "variants": 1}])
    );
    let other = lab.assay(&["--campaign", "h800-matmul", "list"]).ok();
    assert!(
        other.contains("campaign h800-matmul") && other.contains("autotuned"),
        "{other}"
    );
    assert!(other.contains("c500-gemm (12 variants)"), "{other}");
    lab.assay(&["--campaign", "h800-matmul", "show", "autotuned"])
        .ok();
    lab.assay(&["--campaign", "h900", "list"]).fails(
        3,
        &["no campaign `h900`", "it holds c500-gemm, h800-matmul"],
    );
    // Without a file of one of them it has to be said.
    std::fs::remove_file(lab.repo().join("assay.toml")).unwrap();
    lab.assay(&["list"]).fails(
        3,
        &[
            "several campaigns: c500-gemm, h800-matmul",
            "--campaign NAME",
        ],
    );
}

#[test]
fn a_record_that_is_gone_as_a_whole_is_noticed_where_a_list_covers_it() {
    let lab = Lab::empty();
    let at = lab.root().join("plain");
    let copy = |from: &std::path::Path| {
        let done = std::process::Command::new("cp")
            .arg("-r")
            .arg(from)
            .arg(&at)
            .status();
        assert!(done.unwrap().success());
    };
    copy(&crate::published::experiment("h800-matmul"));
    let verify = |args: &[&str]| lab.assay_in(&at, args);
    assert!(
        verify(&["verify"])
            .ok()
            .contains("covered: records.sha256 has 21 records")
    );
    let record = view("h800-matmul", &["log"])["records"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let find = std::process::Command::new("find")
        .arg(&at)
        .args(["-name", &format!("{record}.json")])
        .output();
    let path = String::from_utf8(find.unwrap().stdout).unwrap();
    std::fs::remove_file(path.trim()).unwrap();
    verify(&["verify"]).fails(1, &[]);
    let said = verify(&["verify"]).out;
    assert!(
        said.contains(&format!(
            "{record}.json: records.sha256 has it, and it is not here"
        )),
        "{said}"
    );
    // Without the list nobody would know, and that is said; it can be made for what is there.
    std::fs::remove_file(at.join("records.sha256")).unwrap();
    let said = verify(&["verify"]).ok();
    assert!(
        said.contains("not covered: there is no list of the records"),
        "{said}"
    );
    assert_eq!(
        verify(&["--json", "verify"]).json()["cover"]["by"],
        "nothing"
    );
    let covered = verify(&["verify", "--cover"]);
    assert!(
        covered.err.contains("20 more records listed"),
        "{covered:#?}"
    );
    assert!(
        covered
            .ok()
            .contains("covered: records.sha256 has 20 records")
    );
    assert_eq!(verify(&["--json", "verify"]).json()["cover"]["listed"], 20);
}

#[test]
fn an_audit_fits_the_terminal() {
    for name in ["c500-gemm", "h800-matmul", "c500-mhc-post"] {
        for (lang, columns) in [("en", 40), ("en", 60), ("zh", 40), ("zh", 60), ("en", 80)] {
            let lab = Lab::empty();
            let at = crate::published::experiment(name);
            let mut command = lab.command(env!("CARGO_BIN_EXE_assay"), &at);
            command
                .args(["--lang", lang, "audit"])
                .env("COLUMNS", columns.to_string());
            let out = command.output().unwrap().stdout;
            for line in String::from_utf8(out).unwrap().lines() {
                let wide = assay_core::text::width(line);
                assert!(wide <= columns, "{name} {lang} {columns}: {wide}: {line}");
            }
        }
    }
}
