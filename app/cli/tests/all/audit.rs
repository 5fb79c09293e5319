//! What in the profiles of a campaign cannot be right is said, with figures.

use serde_json::Value;

use crate::matrix::{
    AFTER, BEFORE, Figures, finding, found, has, matrix_lab, matrix_lab_with, report,
};
use crate::support::{Lab, write};

fn file_under(lab: &Lab, variant: &str, name: &str, figures: Figures, more: &[&str]) {
    let path = report(lab, name, &[("gemm_kernel", figures)]);
    let mut args = vec!["import", &path, "--variant", variant];
    args.extend(more);
    lab.assay(&args).ok();
}

#[track_caller]
fn audit(lab: &Lab, args: &[&str], code: i32) -> Value {
    let mut all = vec!["audit", "--json"];
    all.extend(args);
    let done = lab.assay(&all);
    assert_eq!(done.code, code, "{done:#?}");
    let view = done.json();
    assert_eq!(view["schema"], "assay.audit/1");
    view
}

#[test]
fn a_sound_campaign_has_no_errors() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    file_under(&lab, "one", "r", BEFORE, &[]);
    let view = audit(&lab, &[], 0);
    let errors: Vec<_> = found(&view).into_iter().filter(|f| f.0 != "info").collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(has(&view, "source-not-checked"), "{view:#}");
    assert_eq!(view["variants"], serde_json::json!(["one"]));
}

#[test]
fn a_duty_above_100_percent_is_an_error_in_text_json_and_exit_code() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let busy = Figures {
        mte_duty: 10_330.0,
        ..BEFORE
    };
    file_under(&lab, "one", "r", busy, &[]);
    let view = audit(&lab, &[], 1);
    let f = finding(&view, "duty-over-100");
    assert_eq!(f["severity"], "error");
    assert_eq!(f["subject"], "one on small: gemm_kernel");
    assert!(f["message"].as_str().unwrap().contains("10,330"), "{f:#}");
    assert_eq!(found(&view)[0].0, "error", "the worst comes first");
    let text = lab.assay(&["audit"]);
    assert_eq!(text.code, 1);
    assert!(text.out.starts_with("ERROR"), "{text:#?}");
    assert!(text.out.contains("1 error, "), "{text:#?}");
    let zh = lab.assay(&["--lang", "zh", "audit", "one"]);
    assert!(
        zh.out.starts_with("错误") && zh.out.contains("个错误"),
        "{zh:#?}"
    );
}

#[test]
fn a_formula_that_is_wrong_in_itself_is_found() {
    // The published slip: operations of every output element counted for each of all of them.
    let lab = matrix_lab_with(&[("flops = \"2*M*N*K\"", "flops = \"2*M*N*K*(K+1)\"")]);
    lab.champion("one", &[("cost", "90")]);
    let view = audit(&lab, &[], 1);
    let f = finding(&view, "formula-against-outputs");
    assert_eq!(f["subject"], "workload small");
    assert!(f["message"].as_str().unwrap().contains("1,025"), "{f:#}");
    let of_formula = found(&view);
    let of_formula: Vec<_> = of_formula
        .iter()
        .filter(|f| f.1 == "formula-against-outputs")
        .collect();
    assert_eq!(of_formula.len(), 2, "once a workload: {of_formula:?}");
    file_under(&lab, "one", "r", BEFORE, &[]);
    let view = audit(&lab, &[], 1);
    assert!(
        has(&view, "formula-above-mma"),
        "counters say so too: {:?}",
        found(&view)
    );
}

#[test]
fn another_grid_and_the_sum_over_all_kernels_are_told() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let other = Figures {
        groups: 1000,
        ..BEFORE
    };
    file_under(&lab, "one", "r", other, &[]);
    let view = audit(&lab, &[], 1);
    assert!(
        has(&view, "workgroups-of-another-grid"),
        "{:?}",
        found(&view)
    );
    let path = report(&lab, "sum", &[("gemm", BEFORE), ("fill", BEFORE)]);
    let sum = format!("{path}/report_dumped_result.json");
    lab.assay(&[
        "import",
        &sum,
        "--variant",
        "one",
        "--workload",
        "large",
        "--aggregate",
    ])
    .ok();
    let view = audit(&lab, &[], 1);
    let of_sum = found(&view).into_iter().any(|(_, rule, subject)| {
        rule.contains("aggregate") && subject.starts_with("one on large")
    });
    assert!(of_sum, "{:?}", found(&view));
}

#[test]
fn claims_are_held_against_formula_benchmark_and_device() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    // 2*4096*4096*1024 operations in 150 us are 229 TFLOPS; a thousandth of the time is a slip.
    let rows = "case,ms,tflops\nsmall,0.150,0.229\nlarge,0.150,458\n";
    let table = lab.root().join("table.csv");
    write(&table, rows);
    let mapping = lab.root().join("table.toml");
    write(
        &mapping,
        "schema = \"assay.mapping/1\"\ntool = \"paper\"\nformat = \"csv\"\ndecimal = \".\"\nworkload = \"case\"\n\
         [[counters]]\nfrom = \"ms\"\nname = \"time\"\nunit = \"ms\"\ncanonical = \"claim.time\"\n\
         [[counters]]\nfrom = \"tflops\"\nname = \"tflops\"\nunit = \"TFLOPS\"\ncanonical = \"claim.tflops\"\n",
    );
    let paths = [table.to_str().unwrap(), mapping.to_str().unwrap()];
    lab.assay(&[
        "import",
        paths[0],
        "--variant",
        "one",
        "--mapping",
        paths[1],
    ])
    .ok();
    let view = audit(&lab, &["one"], 1);
    let slip = finding(&view, "tflops-unit-slip");
    assert!(
        slip["subject"]
            .as_str()
            .unwrap()
            .starts_with("one on small"),
        "{slip:#}"
    );
    assert!(
        slip["message"]
            .as_str()
            .unwrap()
            .contains("a power of a thousand"),
        "{slip:#}"
    );
    let slips = found(&view)
        .iter()
        .filter(|f| f.1 == "tflops-unit-slip")
        .count();
    assert_eq!(slips, 1, "{:?}", found(&view));
    let on_large =
        |f: &&(String, String, String)| f.2.starts_with("one on large") && f.0 == "error";
    let large = found(&view);
    assert!(
        large.iter().any(|f| on_large(&f)),
        "over the peak of the device: {large:?}"
    );
}

#[test]
fn a_champion_without_profile_and_a_profile_of_older_content_are_told() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let view = audit(&lab, &[], 0);
    let missing = finding(&view, "champion-without-profile");
    assert_eq!(
        (&missing["subject"], &missing["severity"]),
        (&"one".into(), &"warning".into())
    );
    file_under(&lab, "one", "r", BEFORE, &[]);
    assert!(!has(&audit(&lab, &[], 0), "champion-without-profile"));

    lab.variant("two", &[("cost", "80")]);
    lab.assay(&["run", "two"]).ok();
    file_under(&lab, "two", "r2", AFTER, &[]);
    assert!(!has(&audit(&lab, &["two"], 0), "profile-stale"));
    lab.change("two", &[("cost", "70")]);
    let stale = audit(&lab, &["two"], 1);
    assert_eq!(finding(&stale, "profile-stale")["subject"], "two");
    lab.assay(&["run", "two"]).ok();
    assert!(
        has(&audit(&lab, &["two"], 1), "profile-stale"),
        "a run does not make it newer"
    );
    let again = Figures {
        total: 21_254_001,
        ..AFTER
    };
    file_under(&lab, "two", "r3", again, &[]);
    assert!(!has(&audit(&lab, &["two"], 0), "profile-stale"));
    // What was accepted counts for a champion, not what its branch holds since.
    lab.change("one", &[("cost", "95")]);
    assert!(!has(&audit(&lab, &["one"], 0), "profile-stale"));
}

#[test]
fn a_cold_benchmark_and_a_warm_profile_do_not_speak_of_the_same() {
    let lab = matrix_lab();
    lab.sh("sed -i 's/cache\\\\\":\\\\\"hot/cache\\\\\":\\\\\"cold/' harness/harness.awk; sed -i 's/^cache = \"hot\"/cache = \"cold\"/' assay.toml");
    lab.git(&["commit", "-q", "-am", "flush"]);
    lab.assay(&["init", "--why", "caches are flushed"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    lab.champion("one", &[("cost", "90")]);
    let warm = Figures {
        l2_hit: 99.4,
        ..BEFORE
    };
    file_under(&lab, "one", "r", warm, &[]);
    let view = audit(&lab, &[], 0);
    let told = found(&view)
        .into_iter()
        .any(|(_, rule, _)| rule == "profile-warm-benchmark-cold");
    assert!(told, "{:?}", found(&view));
}

#[test]
fn a_report_that_cannot_be_read_any_more_is_told_and_the_rest_is_audited() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let busy = Figures {
        mte_duty: 120.0,
        ..BEFORE
    };
    file_under(&lab, "one", "small", busy, &[]);
    // Large blobs lie beside the git objects, where they can be lost.
    let mut big = BEFORE.dumped();
    big["Padding"] = serde_json::json!([{"data": 1, "isError": false, "message": "x".repeat(2 << 20), "name": "pad"}]);
    let at = lab.root().join("big/1_gemm_dumped_result.json");
    write(&at, &big.to_string());
    let path = at.to_str().unwrap();
    lab.assay(&["import", path, "--variant", "one", "--workload", "large"])
        .ok();
    std::fs::remove_dir_all(lab.repo().join(".git/assay/blobs")).unwrap();
    let view = audit(&lab, &[], 1);
    assert!(has(&view, "duty-over-100"));
    let notices = view["notices"].to_string();
    assert!(
        notices.contains("of one on large was not audited")
            && notices.contains("is not stored here"),
        "{notices}"
    );
    lab.assay(&["audit", "nobody"]).fails(3, &["nobody"]);
}

#[test]
fn rules_of_the_campaign_are_read_with_their_places() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    file_under(&lab, "one", "r", BEFORE, &[]);
    let rule = "schema = \"assay.rules/1\"\nkind = \"audit\"\nsource = \"a test\"\n[[rule]]\nid = \"ours\"\non = \"launch\"\nseverity = \"warning\"\n\
        when = \"inst.mma > 1000\"\nmessage = \"{inst.mma} it is\"\nmessage_zh = \"{inst.mma}\"\n";
    lab.write("profiles/rules/audit/ours.toml", rule);
    let view = audit(&lab, &[], 0);
    assert!(
        finding(&view, "ours")["message"]
            .as_str()
            .unwrap()
            .contains("6,109,000")
    );
    lab.write(
        "profiles/rules/audit/ours.toml",
        &rule.replace("inst.mma >", "inst.nma >"),
    );
    lab.assay(&["audit"])
        .fails(3, &["ours.toml:8", "unknown name `inst.nma`"]);
}

#[test]
fn one_report_under_two_contents_is_told() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    lab.variant("two", &[("cost", "80")]);
    let path = report(&lab, "r", &[("gemm", BEFORE)]);
    lab.assay(&["import", &path, "--variant", "one"]).ok();
    assert!(!has(&audit(&lab, &[], 0), "same-report-twice"));
    let text = lab.assay(&["import", &path, "--variant", "two"]).ok();
    assert!(text.contains("under other content of `one` too"), "{text}");
    let view = audit(&lab, &[], 0);
    let f = finding(&view, "same-report-twice");
    assert_eq!(f["severity"], "warning", "two was never generated: {f:#}");
    lab.assay(&["run", "two"]).ok();
    let view = audit(&lab, &["two"], 1);
    assert_eq!(finding(&view, "same-report-twice")["severity"], "error");
    // A work tree with edits: the report is filed under what is committed.
    write(&lab.edit("two").join("kernel/k.txt"), "cost = 1\n");
    let other = report(&lab, "other", &[("gemm", AFTER)]);
    let text = lab.assay(&["import", &other, "--variant", "two"]).ok();
    assert!(text.contains("filed under what is committed"), "{text}");
}
