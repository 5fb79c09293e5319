//! Published figures: campaigns that were made elsewhere can be read, compared and audited, and never
//! make a verdict.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::matrix::{finding, found, has, matrix_lab};
use crate::support::{Done, Lab, write};

/// The folder of a published campaign.
pub fn experiment(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../experiments")
        .join(name)
}

#[track_caller]
pub fn read(name: &str, args: &[&str]) -> Done {
    let lab = Lab::empty();
    lab.assay_in(&experiment(name), args)
}

#[track_caller]
pub fn view(name: &str, args: &[&str]) -> Value {
    let mut all = vec!["--json"];
    all.extend(args);
    read(name, &all).json()
}

fn rows(list: &Value) -> &Vec<Value> {
    list["variants"].as_array().unwrap()
}

#[test]
fn the_chain_of_the_gemm_has_its_published_medians() {
    let list = view("c500-gemm", &["list"]);
    let accepted: Vec<&Value> = (rows(&list).iter())
        .filter(|r| r["decision"]["kind"] == "accept")
        .collect();
    let times: Vec<f64> = (accepted.iter())
        .map(|r| r["median_ns"]["moe"].as_f64().unwrap())
        .collect();
    assert_eq!(
        times,
        [
            36_166_145.0,
            36_160_896.0,
            35_812_864.0,
            33_586_561.0,
            32_820_992.0
        ]
    );
    let mut parent = &Value::Null;
    for row in &accepted {
        assert_eq!(&row["parent"], parent, "{row:#}");
        assert_eq!(row["published"], serde_json::json!(["moe"]));
        assert!(row["verdict"].is_null() && row["ratio"].is_null());
        parent = &row["name"];
    }
    assert_eq!(&list["champion"], parent);
    let rejected = rows(&list).iter().filter(|r| r["status"] == "rejected");
    assert_eq!(rejected.count(), 7);
    let text = read("c500-gemm", &["list"]).ok();
    assert!(text.contains("32.82 ms p"), "{text}");
    assert!(text.contains("no verdict follows"), "{text}");
}

#[test]
fn a_comparison_names_the_losers_and_comes_to_the_published_means() {
    let view = view("c500-mhc-post", &["compare", "unoptimized", "optimized"]);
    assert!(view["verdict"].is_null());
    let p = &view["published"];
    assert_eq!((&p["workloads"], &p["faster"]), (&15.into(), &13.into()));
    let slower: Vec<&str> = (p["slower"].as_array().unwrap().iter())
        .map(|w| w["workload"].as_str().unwrap())
        .collect();
    assert_eq!(slower, ["medium", "v4-flash-decode-s"]);
    assert_eq!(format!("{:.3}", p["speedup"].as_f64().unwrap()), "1.385");
    let done = read("c500-mhc-post", &["compare", "torch-ref", "optimized"]);
    assert_eq!(done.code, 2, "no verdict: {done:#?}");
    assert!(done.out.contains("15 of 15 workloads"), "{done:#?}");
    assert!(done.out.contains("9.998 times as fast"), "{done:#?}");
}

#[test]
fn printed_changes_stand_beside_those_of_the_two_sides_of_a_table() {
    let pair = ["c-shared-swizzle128-panel4", "b-prepack-interleave4"];
    let text = read("c500-gemm", &["compare", "--counters", pair[0], pair[1]]).ok();
    for part in ["-54.35% (consistent)", "基本不变", "8.424B", "3.846B"] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    let pair = ["b-prepack-interleave4", "panel2-512-threads"];
    let text = read("c500-gemm", &["compare", "--counters", pair[0], pair[1]]).ok();
    assert!(text.contains("+39.64% (consistent)"), "{text}");
}

#[test]
fn audits_find_what_the_documents_have() {
    let gemm = view("c500-gemm", &["audit"]);
    for rule in [
        "knobs-changed-together",
        "knob-goes-back",
        "champion-without-profile",
        // The counters are of 13 launches.
        "mma-above-formula",
    ] {
        assert!(has(&gemm, rule), "no {rule}: {:?}", found(&gemm));
    }
    let step = finding(&gemm, "knobs-changed-together");
    let said = step["message"].as_str().unwrap();
    assert!(
        said.contains("panel_size 4 -> 2, threads 256 -> 512"),
        "{said}"
    );
    let back = finding(&gemm, "knob-goes-back");
    let said = back["message"].as_str().unwrap();
    assert!(said.contains("c_swizzle_bytes is 256 again"), "{said}");
    assert!(said.contains("128 in c-shared-swizzle128-panel4"), "{said}");

    let matmul = view("h800-matmul", &["audit"]);
    let slips = found(&matmul)
        .into_iter()
        .filter(|f| f.1 == "tflops-unit-slip");
    assert_eq!(slips.count(), 7);

    let post = view("c500-mhc-post", &["audit"]);
    let rule = "published-formula-against-outputs";
    let of_formula: Vec<&Value> = (post["findings"].as_array().unwrap().iter())
        .filter(|f| f["rule"] == rule)
        .collect();
    assert_eq!(of_formula.len(), 15);
    for (workload, factor) in [("expand2-c2048", "4,097x"), ("v4-pro-prefill-l", "28,673x")] {
        let is_it = |f: &&&Value| f["subject"] == format!("workload {workload}");
        let said = of_formula.iter().find(is_it).unwrap()["message"].as_str();
        assert!(said.unwrap().contains(factor), "{said:?}");
    }
    for rule in [
        "bandwidth-not-formula",
        "profile-warm-benchmark-cold",
        "one-display-step",
        "commits-behind-report",
    ] {
        assert!(has(&post, rule), "no {rule}: {:?}", found(&post));
    }
    let of = finding(&post, "commits-behind-report")["message"].as_str();
    assert!(of.unwrap().contains("4 different commits"), "{of:?}");
}

/// Figures of an audit with this outcome, as (figure, what is printed, why).
fn figures(view: &Value, outcome: &str) -> Vec<(String, String, String)> {
    let text = |f: &Value, key: &str| f[key].as_str().unwrap_or_default().to_owned();
    (view["figures"].as_array().unwrap().iter())
        .filter(|f| f["outcome"] == outcome)
        .map(|f| (text(f, "figure"), text(f, "printed"), text(f, "why")))
        .collect()
}

#[track_caller]
fn says(of: &[(String, String, String)], figure: &str, printed: &str, why: &str) {
    let is_it = |f: &&(String, String, String)| f.0.contains(figure) && f.1.contains(printed);
    let found = of.iter().find(is_it);
    let found = found.unwrap_or_else(|| panic!("no {figure} {printed} in {of:#?}"));
    assert!(found.2.contains(why), "{found:?}");
}

#[test]
fn figures_and_sentences_of_the_documents_are_computed_again() {
    let gemm = view("c500-gemm", &["audit"]);
    let open = figures(&gemm, "ambiguous");
    assert_eq!(open.len(), 1, "{open:?}");
    says(&open, "reduction", "2.3326%", "2.27939");
    let rounding = figures(&gemm, "rounding");
    says(&rounding, "TFLOPS", "106.405885", "");
    assert!(figures(&gemm, "disagrees").is_empty());

    let matmul = figures(&view("h800-matmul", &["audit"]), "disagrees");
    says(&matmul, "throughput", "386", "power of a thousand");
    says(&matmul, "linear in K", "", "32.24");
    says(&matmul, "bandwidth-bound", "", "47.8 %");

    let post = view("c500-mhc-post", &["audit"]);
    let open = figures(&post, "ambiguous");
    says(&open, "increase", "2.8%", "the increase in time is 2.86");
    says(&open, "increase", "8.3%", "the increase in time is 9.09");
    let right = figures(&post, "agrees");
    for (figure, printed) in [
        ("geomean over torch-ref", "9.998"),
        ("geomean over unoptimized", "1.385"),
        ("faster over unoptimized", "13"),
        ("faster over torch-ref", "15"),
        ("median over torch-ref", "10.596"),
    ] {
        says(&right, figure, printed, "");
    }
    let wrong = figures(&post, "disagrees");
    says(&wrong, "max of passed", "38", "");
    let traffic = wrong.iter().filter(|f| f.0.contains("bandwidth")).count();
    assert_eq!(traffic, 15, "another model of traffic in every row");
}

#[test]
fn published_campaigns_hold_together_and_can_be_reported() {
    for name in ["c500-gemm", "h800-matmul", "c500-mhc-post"] {
        read(name, &["verify"]).ok();
        let report = read(name, &["report"]).ok();
        assert!(report.contains("no speed-up is claimed"), "{report}");
    }
    let shown = read("c500-gemm", &["show", "a-copy-coalesced-width4"]).ok();
    assert!(shown.contains("remaining bottleneck"), "{shown}");
}

#[test]
fn a_campaign_file_beside_a_ledger_counts_only_where_it_is_the_pinned_one() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let at = lab.root().join("plain");
    lab.assay(&["export", at.to_str().unwrap()]).ok();
    // What is exported has it; without it there are no formulas.
    fs::remove_file(at.join("assay.toml")).unwrap();
    let formulas = "formulas are not audited";
    let audit = |lab: &Lab| lab.assay_in(&at, &["audit"]);
    assert!(audit(&lab).out.contains(formulas));
    let text = fs::read_to_string(lab.repo().join("assay.toml")).unwrap();
    write(&at.join("assay.toml"), &text);
    assert!(!audit(&lab).out.contains(formulas));
    write(&at.join("assay.toml"), &text.replace("2*M*N*K", "4*M*N*K"));
    let other = audit(&lab);
    assert!(other.out.contains(formulas), "{other:#?}");
    assert!(
        other.err.contains("not the one that is pinned"),
        "{other:#?}"
    );
    write(&at.join("assay.toml"), "name = 3");
    audit(&lab).fails(3, &["assay.toml"]);
}

/// A table with a time of two subjects on each workload, and how it is read.
pub fn table(lab: &Lab) -> [String; 2] {
    let table = lab.root().join("table.csv");
    write(&table, "case,new,old\nsmall,3.60,3.50\nlarge,5.00,9.00\n");
    let column = |name: &str, side: &str| {
        format!(
            "[[counters]]\nfrom = \"{name}\"\nname = \"time\"\nunit = \"us\"\ncanonical = \"claim.time\"\nside = \"{side}\"\n"
        )
    };
    let mapping = lab.root().join("table.toml");
    let head = "schema = \"assay.mapping/1\"\ntool = \"paper\"\nformat = \"csv\"\ndecimal = \".\"\nworkload = \"case\"\n";
    write(
        &mapping,
        &format!("{head}{}{}", column("new", "new"), column("old", "old")),
    );
    [table, mapping].map(|p| p.to_str().unwrap().to_owned())
}

#[test]
fn published_figures_are_filed_under_a_baseline() {
    let lab = matrix_lab();
    lab.variant("one", &[("cost", "90")]);
    let [table, mapping] = table(&lab);
    let file = |who: &str, side: &str| {
        let args = ["import", &table, "--mapping", &mapping, "--variant", who];
        lab.assay(&[&args[..], &["--kernel", side]].concat())
    };
    file("nobody", "old").fails(3, &["nobody"]);
    file("ref", "old").ok();
    file("ref", "old").ok();
    file("one", "new").ok();
    let log = lab.assay(&["log", "ref", "--json"]).json();
    assert_eq!(log["records"].as_array().unwrap().len(), 2, "filed once");
    let view = lab.assay(&["compare", "ref", "one", "--json"]).json();
    assert_eq!(view["variants"][0]["status"], "baseline");
    assert_eq!(view["published"]["slower"][0]["workload"], "small");
    assert_eq!(view["published"]["faster"], 1);
    let report = lab.assay(&["report"]).ok();
    assert!(report.contains("3.500 µs"), "{report}");
}

#[test]
fn notes_are_kept_and_shown() {
    let lab = Lab::new();
    lab.variant("one", &[("cost", "90")]);
    lab.assay(&["note", "  ", "--about", "one"])
        .fails(3, &["needs a text"]);
    lab.assay(&["note", "x", "--about", "nobody"])
        .fails(3, &["nobody"]);
    lab.assay(&["note", "look at the \u{1b}[31mtail", "--about", "one"])
        .ok();
    lab.assay(&["note", "the device was warm"]).ok();
    let shown = lab.assay(&["show", "one"]).ok();
    assert!(shown.contains("notes\n"), "{shown}");
    assert!(shown.contains("tail") && !shown.contains('\u{1b}'));
    assert!(!shown.contains("warm"), "{shown}");
    let log = lab.assay(&["log"]).ok();
    assert!(log.contains("the device was warm"), "{log}");
    let view = lab.assay(&["show", "one", "--json"]).json();
    assert_eq!(view["notes"].as_array().unwrap().len(), 1);
}
