//! Counters of variants and of files side by side.

use serde_json::Value;

use crate::matrix::{AFTER, BEFORE, Figures, matrix_lab, report};
use crate::support::{Lab, write};

/// Two variants with the reports of a published comparison.
fn pair() -> Lab {
    let lab = matrix_lab();
    lab.champion("before", &[("cost", "90")]);
    lab.variant("after", &[("cost", "80")]);
    lab.assay(&["run", "after"]).ok();
    for (name, figures) in [("before", BEFORE), ("after", AFTER)] {
        let path = report(&lab, name, &[("gemm", figures)]);
        lab.assay(&["import", &path, "--variant", name]).ok();
    }
    lab
}

#[track_caller]
fn row<'v>(view: &'v Value, name: &str) -> &'v Value {
    let rows = view["rows"].as_array().unwrap();
    rows.iter()
        .find(|r| r["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {view:#}"))
}

#[track_caller]
fn change(view: &Value, name: &str, column: usize) -> f64 {
    row(view, name)["changes"][column]["percent"]
        .as_f64()
        .unwrap()
}

#[test]
fn the_published_changes_come_out_and_the_verdict_stands_beside_them() {
    let lab = pair();
    let done = lab.assay(&["compare", "--counters", "before", "after", "--json"]);
    assert_eq!(done.code, 0, "{done:#?}");
    let view = done.json();
    assert_eq!(view["schema"], "assay.counter-compare/1");
    for (name, published) in [
        ("Total Instructions", 13.92),
        ("Memory Instructions", 27.77),
        ("Global Read Instructions", -19.86),
        ("L2C Read Instructions", -24.83),
        ("total instructions", 39.64),
        ("average conflict cycles per instruction", -28.33),
        ("shared memory access efficiency", 9.04),
        ("AP MTE Duty ratio", -32.11),
        ("AP MMA Duty ratio", 5.82),
    ] {
        // The published percentages were worked out before the figures were rounded.
        let ours = change(&view, name, 1);
        assert!((ours - published).abs() < 0.015, "{name}: {ours}");
    }
    let findings = view["findings"].to_string();
    assert!(findings.contains("after against before"), "{findings}");
    let trade = crate::matrix::finding(&view, "trade");
    let message = trade["message"].as_str().unwrap();
    assert!(
        message.contains("paid: inst.shared +39.65 %") && message.contains("bought: "),
        "{message}"
    );
    let text = lab
        .assay(&["compare", "--counters", "before", "after"])
        .ok();
    assert!(text.contains("-32.11 ± 0.12 % (-2.45 pt)"), "{text}");
    assert!(
        text.contains("12,188,000") && text.contains("-24.84 %"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "no colour in a pipe");
    let plain = lab.assay(&["compare", "before", "after"]);
    assert!(
        plain.out.contains("FASTER"),
        "plain compare is what it was: {plain:#?}"
    );
    lab.assay(&["compare", "before"])
        .fails(3, &["2 values required"]);
}

#[test]
fn base_threshold_and_changed_only_are_obeyed() {
    let lab = pair();
    let run = |more: &[&str]| {
        let mut args = vec!["compare", "--counters", "before", "after", "--json"];
        args.extend(more);
        lab.assay(&args).json()
    };
    let turned = run(&["--base", "after"]);
    assert_eq!(turned["base"], 1);
    assert!((change(&turned, "Total Instructions", 0) + 12.21).abs() < 0.01);
    let all = run(&[])["rows"].as_array().unwrap().len();
    let changed = run(&["--changed-only"]);
    let left = changed["rows"].as_array().unwrap().len();
    let of = |field: &str| changed[field].as_u64().unwrap() as usize;
    let out = of("unchanged") + of("below_threshold") + of("no_figure");
    assert_eq!(out + left, all);
    assert!(left < all && left > 5);
    let coarse = run(&[
        "--changed-only",
        "--threshold",
        "30%",
        "--threshold",
        "duty.mma=1%",
    ]);
    let names: Vec<&str> = coarse["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"AP MMA Duty ratio") && !names.contains(&"Total Instructions"),
        "{names:?}"
    );
    for bad in ["x=much", "=1%", "inst.mma=-1%", "200"] {
        let args = [
            "compare",
            "--counters",
            "before",
            "after",
            "--threshold",
            bad,
        ];
        lab.assay(&args).fails(3, &["threshold"]);
    }
    lab.assay(&["compare", "--counters", "before", "after", "--base", "else"])
        .fails(3, &["else"]);
}

#[test]
fn three_variants_fit_a_narrow_terminal_in_blocks_that_repeat_names_and_base() {
    let lab = pair();
    lab.variant("third", &[("cost", "70")]);
    let path = report(
        &lab,
        "third",
        &[(
            "gemm",
            Figures {
                total: 30_000_000,
                ..AFTER
            },
        )],
    );
    lab.assay(&["import", &path, "--variant", "third"]).ok();
    let at = |columns: &str| {
        let mut c = lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo());
        c.env("COLUMNS", columns)
            .args(["compare", "--counters", "before", "after", "third"]);
        String::from_utf8(c.output().unwrap().stdout).unwrap()
    };
    let heads = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|l| l.starts_with("counter "))
            .map(str::to_owned)
            .collect()
    };
    let wide = heads(&at("160"));
    assert_eq!(wide.len(), 1);
    assert!(
        wide[0].contains("after") && wide[0].contains("third"),
        "{wide:?}"
    );
    let text = at("90");
    let narrow = heads(&text);
    assert_eq!(narrow.len(), 2, "{text}");
    assert!(narrow.iter().all(|h| h.contains("before")), "{narrow:?}");
    let widest = text
        .lines()
        .filter(|l| l.contains('%'))
        .map(|l| l.chars().count())
        .max();
    assert!(widest.unwrap() <= 90, "{text}");
}

#[test]
fn markdown_and_csv_are_printed() {
    let lab = pair();
    let run = |format: &str| {
        lab.assay(&[
            "compare",
            "--counters",
            "before",
            "after",
            "--format",
            format,
        ])
        .ok()
    };
    let md = run("md");
    assert!(
        md.contains("| Section | Counter | Unit |") && md.contains("-32.11 ± 0.12 %"),
        "{md}"
    );
    let csv = run("csv");
    assert!(csv.starts_with("section,name,canonical,unit"), "{csv}");
    assert_eq!(
        serde_json::from_str::<Value>(&run("json")).unwrap()["schema"],
        "assay.counter-compare/1"
    );
    lab.assay(&["compare", "before", "after", "--format", "csv"])
        .fails(3, &["--counters"]);
}

#[test]
fn files_are_compared_without_a_campaign() {
    let lab = Lab::empty();
    let a = report(&lab, "a", &[("gemm", BEFORE), ("fill", BEFORE)]);
    let b = report(&lab, "b", &[("gemm", AFTER)]);
    let done = lab.assay(&[
        "compare",
        "--counters",
        "--json",
        "--files",
        &format!("{a}#gemm"),
        &b,
    ]);
    let view = done.json();
    assert_eq!(view["columns"][1]["label"], "b", "{view:#}");
    assert!((change(&view, "Total Instructions", 1) - 13.91).abs() < 0.01);
    lab.assay(&["compare", "--counters", "--files", &a, &b])
        .fails(3, &["2 kernels", "`gemm`, `fill`"]);
    lab.assay(&["compare", "--counters", "--files", &b])
        .fails(3, &["1 launch to compare"]);
    let view = lab
        .assay(&["compare", "--counters", "--json", "--files", &a])
        .json();
    let labels: Vec<&str> = view["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["gemm", "fill"], "one file: its launches");
    let view = lab
        .assay(&[
            "compare",
            "--counters",
            "--json",
            "--files",
            &format!("{a}#1"),
            &format!("{b}#0"),
        ])
        .json();
    assert_eq!(view["columns"][0]["kernel"], "fill");
    lab.assay(&["compare", "--counters", "--files", &format!("{a}#9"), &b])
        .fails(3, &["no launch 9"]);
    lab.assay(&["compare", "--counters", "--files", "none.json", &b])
        .fails(3, &["none.json"]);
    lab.assay(&["compare", "--files", &a, &b])
        .fails(3, &["--counters"]);
}

#[test]
fn a_published_table_with_a_column_for_each_side_is_compared_as_printed() {
    let lab = Lab::empty();
    let table = "Metric;swizzle128;interleave4;Change;Unit\nTotal Instructions;24.603B;18.658B;-24.16%;1\nMemory Instructions;9.208B;4.820B;-47.65%;1\nBSM instructions;8.424B;3.846B;-54.35%;1\nMMA instructions;6.107B;6.109B;same;1\nlatency;36.16;35.81;;ms\n";
    lab.write("t.csv", table);
    lab.write(
        "t.toml",
        "schema = \"assay.mapping/1\"\ntool = \"mcProfiler\"\nformat = \"csv\"\nseparator = \";\"\ndecimal = \".\"\ncounter = \"Metric\"\nunit = \"Unit\"\nmagnitudes = true\n\
         [[sides]]\nlabel = \"before\"\ncolumn = \"swizzle128\"\n[[sides]]\nlabel = \"after\"\ncolumn = \"interleave4\"\nchange = \"Change\"\n[names]\nlatency = \"claim.time\"\n",
    );
    let run = |more: &[&str]| {
        let mut args = vec![
            "compare",
            "--counters",
            "--files",
            "t.csv",
            "--mapping",
            "t.toml",
        ];
        args.extend(more);
        lab.assay(&args)
    };
    let text = run(&[]).ok();
    assert!(
        text.contains("24.603B") && text.contains("18.658B"),
        "{text}"
    );
    assert!(
        text.contains("-54.34 ± 0.01 %  -54.35% (consistent)"),
        "{text}"
    );
    let view = run(&["--json"]).json();
    let bsm = row(&view, "BSM instructions");
    let published = &bsm["published"][1];
    assert_eq!(published["printed"], "-54.35%", "{bsm:#}");
    assert_eq!(published["consistent"], true);
    let interval = &bsm["changes"][1]["interval"];
    let (low, high) = (interval[0].as_f64().unwrap(), interval[1].as_f64().unwrap());
    assert!(
        low <= -54.345 && high >= -54.35,
        "the printed -54.35 is possible: {interval}"
    );
    let found = crate::matrix::found(&view);
    assert!(found.iter().any(|f| f.1 == "movement-removed"), "{found:?}");
    assert!(
        !found.iter().any(|f| f.1 == "kernels-differ"),
        "sides are no kernels"
    );
    let ragged = format!("{table}BSM again;1;2\n");
    lab.write("t.csv", &ragged);
    let text = run(&[]).ok();
    assert!(text.contains("1 row does not fit the header"), "{text}");
    lab.write("t.csv", &table.replace("-54.35%", "-55.35%"));
    let view = run(&["--json"]).json();
    assert!(
        view["findings"].to_string().contains("55.35"),
        "{:#}",
        view["findings"]
    );
}

#[test]
fn one_sided_counters_stay_and_a_small_gain_of_time_is_no_standstill() {
    let lab = Lab::empty();
    lab.write(
        "a.csv",
        "Metric,Value\nTotal Instructions,10\nMMA instructions,5\n",
    );
    lab.write(
        "b.csv",
        "Metric,Value\nTotal Instructions,10\nBSM instructions,7\n",
    );
    lab.write(
        "m.toml",
        "schema = \"assay.mapping/1\"\ntool = \"mcProfiler\"\nformat = \"csv\"\ncounter = \"Metric\"\nvalue = \"Value\"\n",
    );
    let done = |more: &[&str]| {
        let mut args = vec!["compare", "--counters", "--files", "a.csv", "b.csv"];
        args.extend(["--mapping", "m.toml", "--changed-only"]);
        args.extend(more);
        lab.assay(&args)
    };
    let text = done(&[]).ok();
    for part in [
        "\nMMA instructions ",
        "\nBSM instructions ",
        "\n1 counter did not change and is left out\n",
        "\n2 counters could not be compared",
        "rules about faster or slower were not judged",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let view = done(&["--json"]).json();
    assert_eq!(
        (view["unchanged"].as_u64(), view["not_compared"].as_u64()),
        (Some(1), Some(2))
    );
    let csv = done(&["--format", "csv"]);
    assert!(csv.err.contains("not in the CSV"), "{csv:#?}");
    assert!(!csv.out.contains("not in the CSV"), "{csv:#?}");
    let md = done(&["--format", "md"]).ok();
    assert!(
        md.contains("## Findings") && md.contains("metrics-differ"),
        "{md}"
    );
    lab.write(
        "t.csv",
        "Metric,a,b,Unit\nlatency,36.16,35.81,ms\nTotal Instructions,1000,1003,1\n",
    );
    lab.write(
        "t.toml",
        "schema = \"assay.mapping/1\"\ntool = \"mcProfiler\"\nformat = \"csv\"\ndecimal = \".\"\ncounter = \"Metric\"\nunit = \"Unit\"\n[[sides]]\nlabel = \"a\"\ncolumn = \"a\"\n[[sides]]\nlabel = \"b\"\ncolumn = \"b\"\n[names]\nlatency = \"claim.time\"\n",
    );
    let timed = |more: &[&str]| {
        let mut args = vec!["compare", "--counters", "--files", "t.csv"];
        args.extend(["--mapping", "t.toml", "--changed-only"]);
        args.extend(more);
        lab.assay(&args).ok()
    };
    let text = timed(&[]);
    assert!(text.contains("-0.97 ± 0.03 %"), "{text}");
    assert!(
        text.contains("1 counter changed, but by no more than the threshold (1 %"),
        "{text}"
    );
    assert!(!text.contains("were not judged"), "{text}");
    let text = timed(&["--threshold", "1%"]);
    assert!(
        text.contains("2 counters changed, but by no more"),
        "{text}"
    );
}

#[test]
fn variants_without_a_common_profile_are_told_what_to_do() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    lab.variant("two", &[("cost", "80")]);
    let path = report(&lab, "r", &[("gemm", BEFORE)]);
    lab.assay(&["import", &path, "--variant", "one"]).ok();
    lab.assay(&["compare", "--counters", "one", "two"]).fails(
        3,
        &["no profile of `two`", "assay import REPORT --variant two"],
    );
    lab.assay(&["import", &path, "--variant", "two", "--workload", "large"])
        .ok();
    lab.assay(&["compare", "--counters", "one", "two"])
        .fails(3, &["no workload in common", "one: small; two: large"]);
    lab.assay(&["compare", "--counters", "one", "two", "--workload", "large"])
        .fails(3, &["no profile of `one` on the workload `large`"]);
    lab.assay(&["compare", "--counters", "one", "nobody"])
        .fails(3, &["nobody"]);
    write(&lab.root().join("x"), "");
}
