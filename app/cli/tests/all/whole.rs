//! The whole loop, from a campaign file to a report, and every reading command.

use std::fs;

use serde_json::Value;

use crate::support::{Lab, gate};

#[test]
fn a_step_is_made_measured_accepted_and_the_next_one_is_held_against_it() {
    let lab = Lab::committed();
    let out = lab.assay(&["init"]).ok();
    assert!(out.starts_with("campaign lab: evaluator "), "{out}");
    let head = lab.git(&["rev-parse", "HEAD"]);
    assert!(out.contains(head.trim()), "{out}");
    assert!(
        lab.assay(&["init"])
            .ok()
            .contains("is pinned already, and unchanged")
    );
    lab.assay(&["trust", "--trust"]).ok();

    let made = lab.assay(&[
        "new",
        "first",
        "--why",
        "fewer loads",
        "--family",
        "tile",
        "--knob",
        "m=4",
        "--predict",
        "time<-10%",
    ]);
    assert!(
        made.ok()
            .starts_with("made first on branch assay/lab/first (")
    );
    lab.change("first", &[("cost", "80")]);
    let run = lab.assay(&["run", "first"]);
    let stages: Vec<String> = run.err.lines().map(str::to_owned).collect();
    assert_eq!(
        stages[..3],
        ["first: build", "first: check", "first: bench"]
    );
    assert!(run.ok().starts_with("first: FASTER 0.520 ["));
    lab.assay(&["compare", "first"])
        .fails(3, &["2 values required"]);
    let accepted = lab
        .assay(&["accept", "first", "--reason", "it is faster"])
        .ok();
    assert!(
        accepted.ends_with("; the champion is first\n"),
        "{accepted}"
    );

    lab.variant("second", &[("cost", "60")]);
    assert!(lab.assay(&["run", "second"]).ok().contains("FASTER 0.84"));
    lab.assay(&["accept", "second", "--reason", "faster still"])
        .ok();
    let list = lab.list();
    assert_eq!(list["champion"], "second");
    assert_eq!(lab.row("second")["parent"], "first");
    assert_eq!(lab.row("second")["against"], "first");
    assert_eq!(lab.row("second")["status"], "champion");
    assert_eq!(lab.row("first")["status"], "accepted");
    lab.verify();
}

#[test]
fn the_list_document_has_the_keys_that_scripts_rely_on() {
    let lab = Lab::new();
    lab.champion("one", &[("cost", "80")]);
    lab.variant("two", &[("bad", "compile")]);
    lab.assay(&["run", "two"])
        .fails(1, &["two: compile in build"]);
    let list = lab.list();
    for key in ["schema", "campaign", "device", "champion", "variants"] {
        assert!(list.get(key).is_some(), "{key}");
    }
    assert_eq!(list["schema"], "assay.list/1");
    assert_eq!(list["campaign"], "lab");
    assert_eq!(list["workloads"], serde_json::json!(["small", "large"]));
    let row = lab.row("one");
    let keys = [
        "id",
        "name",
        "parent",
        "status",
        "family",
        "knobs",
        "commit",
        "median_ns",
        "ratio",
        "interval",
        "against",
        "verdict",
        "gates",
        "decision",
    ];
    for key in keys {
        assert!(row.get(key).is_some(), "{key} in {row:#}");
    }
    let median = row["median_ns"]["small"].as_f64().unwrap();
    assert!((129_000.0..131_000.0).contains(&median), "{median}");
    let (low, high) = (
        row["interval"][0].as_f64().unwrap(),
        row["interval"][1].as_f64().unwrap(),
    );
    let ratio = row["ratio"].as_f64().unwrap();
    assert!(
        low < ratio && ratio < high && (ratio - 130.0 / 250.0).abs() < 0.005,
        "{row:#}"
    );
    assert_eq!(gate(&row, "correct")["pass"], true);
    for key in ["kind", "reason", "by", "at"] {
        assert!(row["decision"].get(key).is_some(), "{key}");
    }
    assert_eq!(row["decision"]["kind"], "accept");
    assert_eq!(row["decision"]["by"], "Tester");
    let failed = lab.row("two");
    assert_eq!(failed["failure"]["kind"], "compile");
    assert_eq!(failed["failure"]["stage"], "build");
    assert!(
        failed["failure"]["stderr_tail"]
            .as_str()
            .unwrap()
            .contains("k.txt:1: this does not compile")
    );
    assert!(failed.get("decision").is_none_or(Value::is_null));
}

#[test]
fn compare_answers_with_the_verdict_as_its_exit_code() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "100"), ("size", "9")]);
    for (name, changes, code, word) in [
        ("quick", [("cost", "80"), ("drift", "0")], 0, "FASTER"),
        ("slow", [("cost", "120"), ("drift", "0")], 1, "SLOWER"),
        ("same", [("cost", "100"), ("drift", "0")], 0, "SAME"),
        ("wild", [("cost", "100"), ("drift", "30")], 2, "UNDECIDED"),
    ] {
        lab.variant(name, &changes);
        let run = lab.assay(&["run", name]);
        assert!(run.code == 0 && run.out.contains(word), "{run:#?}");
        let compared = lab.assay(&["compare", "base", name, "--json"]);
        assert_eq!(compared.code, code, "{name}: {compared:#?}");
        assert_eq!(compared.json()["verdict"]["verdict"], word);
    }
    let none = lab.assay(&["compare", "slow", "same", "--json"]);
    assert_eq!(none.code, 2, "no verdict is no success: {none:#?}");
    assert!(none.json()["verdict"].is_null());
    let three = lab.assay(&["compare", "base", "slow", "same"]);
    assert_eq!(three.code, 2, "{three:#?}");
    assert!(three.out.contains("last/first"), "{three:#?}");
    let text = lab.assay(&["compare", "slow", "same"]);
    assert!(text.out.contains("no verdict: "), "{text:#?}");
    let settles = lab.row("wild");
    assert_eq!(settles["verdict"], "UNDECIDED");
}

#[test]
fn decisions_need_a_reason_and_are_remembered_with_it() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.variant("slow", &[("cost", "120")]);
    lab.variant("later", &[("cost", "99")]);
    let before = lab.records().len();
    for verb in ["accept", "reject", "park", "rollback"] {
        lab.assay(&[verb, "slow"]).fails(3, &["--reason"]);
        lab.assay(&[verb, "slow", "--reason", "  "])
            .fails(3, &["a decision needs a reason", "--reason TEXT"]);
    }
    assert_eq!(lab.records().len(), before);
    lab.assay(&["run", "slow"]).ok();
    lab.assay(&["reject", "slow", "--reason", "twice the registers"])
        .ok();
    lab.assay(&["park", "later", "--reason", "no time now"])
        .ok();
    assert_eq!(lab.row("slow")["status"], "rejected");
    assert_eq!(lab.row("slow")["decision"]["reason"], "twice the registers");
    assert_eq!(lab.row("later")["status"], "parked");
    assert_eq!(lab.list()["champion"], "base");
    lab.assay(&["reject", "base", "--reason", "x"])
        .fails(3, &["`base` is the champion", "assay rollback"]);
}

#[test]
fn reading_commands_print_text_and_one_document_each() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.variant("next", &[("cost", "80")]);
    lab.assay(&["run", "next"]).ok();

    let show = lab.assay(&["show", "next", "--json"]).json();
    assert_eq!(show["schema"], "assay.show/1");
    assert_eq!(show["variant"]["name"], "next");
    assert_eq!(show["branch"], "assay/lab/next");
    assert_eq!(show["stale"], false);
    let text = lab.assay(&["show", "next"]).ok();
    for part in [
        "next  [measured]",
        "why          a test",
        "FASTER: next against base",
        "gate         correct: pass",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }

    let log = lab.assay(&["log", "next", "--json"]).json();
    assert_eq!(log["schema"], "assay.log/1");
    let kinds: Vec<&str> = log["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["run", "verdict", "measurement", "check", "build", "variant"]
    );
    assert_eq!(
        lab.assay(&["log", "-n", "2", "--json"]).json()["records"]
            .as_array()
            .unwrap()
            .len(),
        2
    );

    let diff = lab.assay(&["diff", "next"]).ok();
    assert!(
        diff.contains("-cost = 90") && diff.contains("+cost = 80"),
        "{diff}"
    );
    let diff = lab.assay(&["diff", "next", "base", "--json"]).json();
    assert_eq!(
        (diff["schema"].as_str(), diff["what"].as_str()),
        (Some("assay.diff/1"), Some("kernel"))
    );
    lab.assay(&["diff", "base", "next", "--generated"])
        .fails(3, &["no generated source of `base`", "assay run base"]);

    assert!(
        lab.assay(&["list", "verdict:faster", "--sort", "ratio"])
            .ok()
            .contains("next")
    );
    lab.assay(&["list", "status:championn"])
        .fails(3, &["no status", "did you mean `champion`?"]);
    assert_eq!(
        lab.assay(&["list", "status:champion", "--json"]).json()["variants"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    lab.assay(&["list", "colour:red"]).fails(3, &["colour"]);
    let csv = lab.assay(&["list", "--csv"]).ok();
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert_eq!(
        lab.assay(&["verify", "--json"]).json()["schema"],
        "assay.verify/1"
    );
    assert_eq!(
        lab.assay(&["doctor", "--json"]).json()["schema"],
        "assay.doctor/1"
    );
}

#[test]
fn the_report_comes_in_two_languages() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    let english = lab.assay(&["report", "--format", "md"]).ok();
    assert!(english.starts_with("# "), "{english}");
    for part in ["Stand-in campaign for tests", "base", "FASTER", "small"] {
        assert!(english.contains(part), "{part} in {english}");
    }
    let document = lab.assay(&["report", "--json"]).json();
    assert_eq!(document["schema"], "assay.report/1");
    assert_eq!(
        (&document["lang"], &document["format"]),
        (&"en".into(), &"md".into())
    );
    assert!(document["text"].as_str().unwrap().starts_with("# "));
    let chinese = lab.assay(&["report", "--lang", "zh"]).ok();
    assert_ne!(english, chinese);
    assert!(
        chinese
            .chars()
            .any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)),
        "{chinese}"
    );
    let folder = lab.root().join("reports/new");
    let path = lab.assay(&["report", "-o", folder.to_str().unwrap()]).ok();
    assert!(path.trim_end().ends_with("report.en.md"), "{path}");
    assert!(
        fs::read_to_string(path.trim_end())
            .unwrap()
            .contains("FASTER")
    );
    let page = lab.assay(&["report", "--format", "html"]).ok();
    assert!(page.contains("<svg") && !page.contains("<script"));
    let figures = lab.assay(&["report", "--format", "csv"]).ok();
    assert!(figures.starts_with("record,variant,workload,metric,value,unit,source"));
    let model = lab.assay(&["report", "--format", "json"]).json();
    assert_eq!(model["schema"], "assay.report-model/1");
    lab.assay(&["report", "--format", "pdf"])
        .fails(3, &["pdf", "md"]);
}

#[test]
fn a_ledger_goes_out_as_a_folder_and_comes_back_into_a_fresh_clone() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    let folder = lab.root().join("published");
    let path = folder.to_str().unwrap();
    lab.assay(&["export", path]).ok();
    assert!(folder.join("format.json").is_file());
    let there = lab.assay_in(&lab.root(), &["-C", path, "list", "--json"]);
    let (mut a, mut b) = (there.json(), lab.list());
    a["workloads"] = b["workloads"].clone();
    let read_only = |list: &mut serde_json::Value| list["read_only"].take();
    assert_eq!(
        (read_only(&mut a), read_only(&mut b)),
        (true.into(), false.into())
    );
    assert_eq!(a, b);
    assert!(
        lab.assay_in(&lab.root(), &["-C", path, "show", "base"])
            .ok()
            .contains("FASTER: base against ref")
    );
    lab.assay_in(&lab.root(), &["-C", path, "run", "base"])
        .fails(3, &["plain folder", "assay import"]);
    lab.assay_in(&lab.root(), &["-C", path, "new", "x", "--why", "y"])
        .fails(3, &["plain folder", "assay import"]);
    assert!(
        lab.assay(&["export", path]).ok().contains("records"),
        "exporting again is fine"
    );
    let foreign = lab.root().join("home");
    std::fs::write(foreign.join("precious"), "x").unwrap();
    lab.assay(&["export", foreign.to_str().unwrap()])
        .fails(3, &["home"]);

    let clone = lab.clone_to("clone");
    lab.assay_in(&clone, &["list"]).ok();
    let first = lab.assay_in(&clone, &["import", path]).ok();
    assert!(first.contains("8 records added, 0 were here"), "{first}");
    let again = lab.assay_in(&clone, &["import", path]).ok();
    assert!(again.contains("0 records added, 8 were here"), "{again}");
    assert_eq!(
        lab.assay_in(&clone, &["list", "--json"]).json()["champion"],
        "base"
    );
    assert_eq!(lab.assay_in(&clone, &["verify"]).code, 0);
    let empty = lab.root().join("nothing");
    std::fs::create_dir(&empty).unwrap();
    lab.assay(&["import", empty.to_str().unwrap()])
        .fails(3, &["nothing"]);
}

#[test]
fn clearing_away_is_shown_before_it_is_done_and_leaves_tombstones() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.variant("next", &[("cost", "80")]);
    lab.assay(&["rebase", "next", "--onto", "base"]).ok();
    let before = lab.records();
    let plan = lab.assay(&["gc", "--dry-run", "--json"]).json();
    assert_eq!(
        (plan["schema"].as_str(), plan["written"].as_bool()),
        (Some("assay.gc/1"), Some(false))
    );
    assert_eq!(plan["records"].as_array().unwrap().len(), 1, "{plan:#}");
    assert_eq!(lab.records(), before);
    lab.assay(&["gc"])
        .fails(3, &["clearing away needs a reason", "--dry-run"]);
    lab.assay(&["gc", "--reason", "tidy"]).ok();
    assert!(
        lab.assay(&["gc", "--dry-run"])
            .ok()
            .starts_with("0 records would go")
    );
    assert_eq!(lab.row("next")["parent"], "base");
    lab.verify();
}

#[test]
fn schemas_completions_and_help_are_printed_without_a_campaign() {
    let lab = Lab::empty();
    let names = lab.assay(&["schema"]).ok();
    assert!(names.lines().any(|l| l.trim() == "campaign"), "{names}");
    for name in names.split_whitespace() {
        let done = lab.assay(&["schema", name]);
        assert!(
            done.code == 0 && done.json().is_object(),
            "{name}: {done:#?}"
        );
    }
    lab.assay(&["schema", "campain"])
        .fails(3, &["campain", "did you mean `campaign`?"]);
    for shell in ["bash", "zsh", "fish"] {
        assert!(lab.assay(&["completions", shell]).ok().contains("assay"));
    }
    assert!(lab.assay(&["--help"]).ok().contains("Exit codes"));
    lab.assay(&["lst"]).fails(3, &["lst", "list"]);
    lab.assay(&[]).fails(3, &["no terminal", "assay --help"]);
}
